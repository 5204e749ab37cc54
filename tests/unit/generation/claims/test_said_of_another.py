"""What a line says of another person, thing or number states nothing of the claim's own."""

import pytest

from dynagrag.core.schema import Claim, Line, Verdict
from dynagrag.generation.claims.rules_checker import RulesChecker

PROFIT = "Profit rose 5 percent and revenue rose 7 percent."
RACE = "Alice won the race in 2018 and Bob won the race in 2019."
OFFICES = "Alice leads the Paris office, and Bob leads the London office."
PRESSURES = "The fuel pressure is 30 psi and the oxidizer pressure is 40 psi."
STACK = (
    "The combined Command Module and Service Module stack was powered by three fuel cells located"
    " in the Service Module, as well as five batteries located in the Command Module. The Lunar"
    " Module, on the other hand, had aboard only five batteries."
)
CELLS = (
    "Each of the three fuel cells contained 31 individual 1 volt cells, wired together to provide"
    " the 28 volt baseline power."
)
BATTERIES = (
    "The Command Module had three primary rechargeable batteries and two pyrotechnic batteries."
)
PANEL = (
    "Photo Lights are still on. Launch control is on. All sequence panel positions are normal"
    " except Landing Bag is off."
)
WEDDING = "Ann and Bob met in Rome, and they married in Paris."


def verdict(claim: str, *lines: Line) -> Verdict:
    return RulesChecker().check([Claim(claim, lines)])[0].verdict


@pytest.mark.parametrize(
    ("said", "not_said", "line"),
    [
        ("Profit rose 5 percent.", "Profit rose 7 percent.", PROFIT),
        ("Revenue rose 7 percent.", "Revenue rose 5 percent.", PROFIT),
        ("Alice won the race in 2018.", "Alice won the race in 2019.", RACE),
        ("Bob won the race in 2019.", "Bob won the race in 2018.", RACE),
        ("Alice leads the Paris office.", "Alice leads the London office.", OFFICES),
        ("Bob leads the London office.", "Bob leads the Paris office.", OFFICES),
        ("The oxidizer pressure is 40 psi.", "The fuel pressure is 40 psi.", PRESSURES),
        ("Ann and Bob met in Rome.", "Ann and Bob met in Paris.", WEDDING),
        ("Each fuel cell contained 31 cells.", "Each fuel cell contained 28 cells.", CELLS),
        ("The fuel cells provided 28 volts.", "The fuel cells provided 31 volts.", CELLS),
        (
            "The Command Module had three primary batteries.",
            "The Command Module had two primary batteries.",
            BATTERIES,
        ),
        (
            "The Command Module had two pyrotechnic batteries.",
            "The Command Module had three pyrotechnic batteries.",
            BATTERIES,
        ),
        (
            "The stack was powered by three fuel cells.",
            "The stack was powered by five fuel cells.",
            STACK,
        ),
        (
            "The Lunar Module had five batteries.",
            "The Lunar Module was powered by fuel cells.",
            STACK,
        ),
        (
            "London is larger than Paris.",
            "Paris is larger than London.",
            "London is larger than Paris.",
        ),
        ("The photo lights were on.", "The photo lights were off.", PANEL),
        ("Launch control was on.", "Launch control was off.", PANEL),
        ("The landing bag was off.", "The landing bag was on.", PANEL),
        (
            "The provision was exceedingly narrow.",
            "The provision was exceedingly broad.",
            "That provision of the law was exceedingly narrow.",
        ),
    ],
)
def test_a_line_states_what_it_says_of_the_thing_itself(
    said: str, not_said: str, line: str
) -> None:
    assert verdict(said, Line(line)) is Verdict.STATED
    assert verdict(not_said, Line(line)) is not Verdict.STATED


@pytest.mark.parametrize(
    ("claim", "line", "is_stated"),
    [
        ("Jones voted for the plan.", Line("I voted for the plan.", "JONES"), True),
        ("Smith voted for the plan.", Line("I voted for the plan.", "JONES"), False),
        ("EECOM closed the valve.", Line("He closed the valve.", "GNC"), False),
        ("Dracula was released in 1922.", Line("It was released in 1922.", title="Dracula"), True),
        (
            "Nosferatu was released in 1922.",
            Line("It was released in 1922.", title="Dracula"),
            False,
        ),
        ("Nosferatu was released in 1922.", Line("It was released in 1922."), True),
    ],
)
def test_who_is_meant_by_a_pronoun_is_the_speaker_or_the_title_where_they_are_known(
    claim: str, line: Line, is_stated: bool
) -> None:
    assert (verdict(claim, line) is Verdict.STATED) is is_stated


@pytest.mark.parametrize(
    "line",
    [
        "The plan was almost approved.",
        "The plan was nearly approved.",
        "The plan was rarely approved.",
        "The plan was formerly approved.",
        "The plan was allegedly approved.",
        "Some say the plan was approved.",
    ],
)
def test_what_is_said_with_a_reservation_states_nothing_outright(line: str) -> None:
    assert verdict("The plan was approved.", Line(line)) is not Verdict.STATED
    assert verdict(line, Line(line)) is Verdict.STATED


def test_sentences_are_read_together_only_where_the_second_leans_on_the_first() -> None:
    claim = "The oxygen tank exploded before launch."
    assert (
        verdict(claim, Line("The oxygen tank was inspected before launch. A heater exploded."))
        is not Verdict.STATED
    )
    assert (
        verdict("The oxygen tank exploded.", Line("The oxygen tank was full. It exploded."))
        is Verdict.STATED
    )


def test_who_is_spoken_to_may_stand_in_the_sentence_before() -> None:
    line = Line("Houston, we've had a problem. We've had a MAIN B BUS UNDERVOLT.", "CDR")
    assert verdict("Houston, we've had a MAIN B BUS UNDERVOLT.", line) is Verdict.STATED
    assert verdict("Houston, we've had a MAIN A BUS UNDERVOLT.", line) is not Verdict.STATED
    assert verdict("Houston, we've never had a MAIN B BUS UNDERVOLT.", line) is not Verdict.STATED


def test_lines_are_read_together_only_where_the_second_leans_on_the_first() -> None:
    apart = (
        Line("I saw low pressures in the oxidizer.", "GNC"),
        Line("The fuel cell is fine.", "GNC"),
    )
    assert verdict("GNC saw low pressures in the fuel cell.", *apart) is not Verdict.STATED
    together = (
        Line("The oxygen tank was full at noon.", "GNC"),
        Line("It exploded an hour later.", "GNC"),
    )
    assert verdict("The oxygen tank exploded an hour later.", *together) is Verdict.STATED


def test_not_just_one_but_also_the_other_is_both() -> None:
    assert verdict(
        "The law covers both inside and outside work.",
        Line("The law covers not just outside but also inside work."),
    ) is (Verdict.STATED)


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("It began at 14:30.", "It began at 2:30 pm."),
        ("The race is over 5,000 metres.", "The race is over 5 km."),
        ("Taxes fell by 50 percent.", "Taxes fell by half."),
        ("She bought 12 eggs.", "She bought a dozen eggs."),
        ("It lasts 90 minutes.", "It lasts an hour and a half."),
    ],
)
def test_a_number_that_may_be_written_otherwise_is_neither_contradicted_nor_surely_missing(
    claim: str, line: str
) -> None:
    check = RulesChecker().check([Claim(claim, (Line(line),))])[0]
    assert (check.verdict, check.is_sure) == (Verdict.NOT_FOUND, False)


def test_a_number_that_is_in_no_line_is_surely_missing() -> None:
    check = RulesChecker().check(
        [Claim("The race is over 5,000 metres.", (Line("The race is long, over several days."),))]
    )[0]
    assert (check.verdict, check.is_sure) == (Verdict.NOT_FOUND, True)


def test_who_bought_is_not_contradicted_by_who_sold() -> None:
    assert (
        verdict("Bob bought the company from Ada.", Line("Ada sold the company to Bob."))
        is Verdict.NOT_FOUND
    )


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("The tank weighs 7 kg.", Line("The tank weighs 5 kg and the pump weighs 7 kg.")),
        ("Ann is 30 and Bob is 40.", Line("Ann is 40 and Bob is 30.")),
        ("Five engines failed.", Line("Two of the five engines failed.")),
        ("The test starts on Monday.", Line("The test starts on Monday if the weather is fine.")),
        (
            "The test starts on Monday.",
            Line("The test starts on Monday, provided the weather is fine."),
        ),
        (
            "The committee will publish the report.",
            Line("The committee will publish the report only if the minister agrees."),
        ),
        ("The test starts on Monday.", Line("The test starts before Monday.")),
        ("The house was built before 2019.", Line("The house was built in 2019.")),
        ("The house was built within 5 years.", Line("The house was built after 5 years.")),
        (
            "The launch was delayed due to the leaking valve.",
            Line("The launch was delayed despite the leaking valve."),
        ),
        (
            "The fire destroyed the lab.",
            Line("It is wrong to say that the fire destroyed the lab."),
        ),
        ("The fire destroyed the lab.", Line("We feared the fire destroyed the lab.")),
        ("The door is locked.", Line("The door is anything but locked.")),
        ("The door is locked.", Line("The door used to be locked.")),
        ("The door is locked.", Line("Make sure the door is locked.")),
        ("The door is locked. " * 120, Line("The door is locked.")),
    ],
)
def test_what_is_said_of_another_under_a_condition_or_not_outright_states_nothing(
    claim: str, line: Line
) -> None:
    assert verdict(claim, line) is not Verdict.STATED


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        ("Two engines failed.", Line("Two of the five engines failed.")),
        ("9 members voted yes.", Line("9 of the 12 members voted yes.")),
        ("More than 100 people died.", Line("120 people died.")),
        ("At least 100 people died.", Line("120 people died.")),
        ("About 30 gallons were left.", Line("31 gallons were left.")),
        ("The crew saw no fire.", Line("The crew did not see a fire.")),
        ("The price fell.", Line("The price did not rise, it fell.")),
        ("The heater was not on.", Line("The heater was off.")),
        (
            "The rule doesn't apply to children.",
            Line("The rule applies to adults, not to children."),
        ),
        ("Smith could not attend.", Line("I was unable to attend.", "Smith")),
        ("Smith died in 2001.", Line("John Smith (1950-2001) was an actor.")),
        (
            "The launch was delayed due to the leaking valve.",
            Line("The launch was delayed because of the leaking valve."),
        ),
        (
            'TELMU said, "The hatch is closed, and the heater looks normal."',
            Line("The hatch is closed, and the heater looks normal.", "TELMU"),
        ),
    ],
)
def test_the_same_in_other_words_is_stated(claim: str, line: Line) -> None:
    assert verdict(claim, line) is Verdict.STATED


def test_about_is_within_a_tenth() -> None:
    assert (
        verdict("About 30 gallons were left.", Line("35 gallons were left."))
        is Verdict.CONTRADICTED
    )
    assert verdict("30 gallons were left.", Line("About 30 gallons were left.")) is Verdict.STATED


def test_who_arrived_before_is_not_contradicted_by_who_arrived_after() -> None:
    assert (
        verdict("Smith arrived before Jones.", Line("Jones arrived after Smith."))
        is not Verdict.CONTRADICTED
    )


ASKED = (
    "When the White House Press Secretary on July 16th is asked about this by the press at the"
    " time, what she says is, we talk to them."
)
HEARING = "Murthy v. Missouri"
BUTTONS = "We eliminate one of the mute buttons , instead of having two mute buttons ."


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        (
            "The White House Press Secretary was asked about this on July 16th.",
            Line(ASKED, "Fletcher", HEARING),
        ),
        (
            "Missouri was asked about this on July 16th.",
            Line("On July 16th, the state was asked about this.", "Fletcher", HEARING),
        ),
        (
            "Fletcher was asked about this on July 16th.",
            Line("On July 16th I was asked about this.", "Fletcher", HEARING),
        ),
        ("Acme Works is in Delft.", Line("The company is in Delft.", "Leo", "Acme Works")),
        (
            "Acme Works was founded in Delft.",
            Line("With help of Bob Lee it was founded in Delft.", None, "Acme Works"),
        ),
    ],
)
def test_title_and_speaker_stand_for_a_subject_that_a_line_does_not_name(
    claim: str, line: Line
) -> None:
    assert verdict(claim, line) is Verdict.STATED


@pytest.mark.parametrize(
    ("claim", "line", "is_stated"),
    [
        ("We eliminate one of the mute buttons.", BUTTONS, True),
        ("We eliminate two of the mute buttons.", BUTTONS, False),
        ("We eliminate one of the buttons.", BUTTONS, True),
        (
            "We eliminate one of the volume buttons.",
            "We eliminate one of the buttons for the volume.",
            True,
        ),
        ("One of the engines failed.", "Two of the three engines failed.", False),
        ("One of the engines failed.", "One of the three engines failed.", True),
        ("One of the engines failed.", "The three engines were old, and an engine failed.", True),
        (
            "The old mute buttons went.",
            "The buttons went , those old ones , the mute buttons .",
            True,
        ),
    ],
)
def test_how_many_of_the_things_must_be_the_line_s_own(
    claim: str, line: str, is_stated: bool
) -> None:
    assert (verdict(claim, Line(line)) is Verdict.STATED) is is_stated


DEGREE = (
    "Yeah, in the sense that I have a- a bachelor's degree in computer engineering from Iowa State"
    " University."
)
SCHOOLS = (
    Line("I started Everyoak for my three-year-old school.", "Vic"),
    Line("So I have two schools that use Everyoak.", "Vic"),
)


@pytest.mark.parametrize(
    ("claim", "lines", "is_stated"),
    [
        ("Vic has a bachelor's degree in computer engineering.", (Line(DEGREE, "Vic"),), True),
        ("Two schools use Everyoak.", SCHOOLS, True),
        ("Three schools use Everyoak.", SCHOOLS, False),
    ],
)
def test_a_number_that_tells_what_a_thing_is_like_counts_nothing(
    claim: str, lines: tuple[Line, ...], is_stated: bool
) -> None:
    assert (verdict(claim, *lines) is Verdict.STATED) is is_stated


def test_lines_together_must_have_every_word_of_a_claim() -> None:
    lines = (
        Line("We get ready to perform at a nearby festival next month.", "Jon"),
        Line("It will be finished next week, and the dancers will impress.", "Jon"),
    )
    assert verdict("Jon's dancers will perform at a nearby festival next year.", *lines) is (
        Verdict.NOT_FOUND
    )


def test_what_lets_somebody_do_it_is_no_command() -> None:
    line = Line("The floor is tough and easy to clean, and it lets you move freely.")
    assert verdict("The floor is tough and easy to clean.", line) is Verdict.STATED
    wish = Line("Let's keep the floor tough and easy to clean.")
    assert verdict("The floor is tough and easy to clean.", wish) is not Verdict.STATED


def test_who_argues_with_somebody_is_not_told_to_say_it() -> None:
    line = Line("I've been working with a small group of dancers.", "Jon")
    assert verdict("Jon worked with a small group of dancers.", line) is Verdict.STATED
    assert verdict("Jon argued with a small group of dancers.", line) is Verdict.NOT_FOUND


MOVE = (
    'Then Ann Vale said, "I am going off to Delft." But it was a fair exchange: Delft sent us a'
    " young engineer, by the name of Bob Ruiz, and he took over her pumps."
)


@pytest.mark.parametrize(
    ("said", "not_said", "line"),
    [
        ("Ann Vale is going off to Delft.", "Bob Ruiz went off to Delft.", MOVE),
        (
            "Ann Vale will go to Delft.",
            "Bob Ruiz will go to Delft.",
            MOVE.replace("am going", "will go"),
        ),
        (
            "Ann Vale left for Rome.",
            "Bob Ruiz left for Rome.",
            "Ann Vale left for Rome in May. And it was Bob Ruiz who stayed.",
        ),
    ],
)
def test_of_sentences_read_together_the_subject_stands_in_the_one_with_the_verb(
    said: str, not_said: str, line: str
) -> None:
    for speaker in (None, "Zoe Lind"):
        assert verdict(said, Line(line, speaker)) is Verdict.STATED
        assert verdict(not_said, Line(line, speaker)) is not Verdict.STATED


def test_what_the_speaker_did_is_not_done_by_whom_the_next_sentence_names() -> None:
    line = Line("I went off to Delft. But it sent Bob Ruiz to us.", "Zoe Lind")
    assert verdict("Zoe Lind went off to Delft.", line) is Verdict.STATED
    assert verdict("Bob Ruiz went off to Delft.", line) is not Verdict.STATED
