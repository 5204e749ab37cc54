"""How a text says what it says: denied, held back, asked, of all or of some."""

import pytest

from dynagrag.core.schema import Claim, Line, Verdict
from dynagrag.generation.claims.denials import denial_gap
from dynagrag.generation.claims.moods import mood_gap, moods
from dynagrag.generation.claims.reading import read
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.claims.stance import quantifier_gap
from dynagrag.generation.claims.word_checks import opposite_of

DENIES, DOES_NOT = "denies it", "does not deny it"


@pytest.mark.parametrize(
    ("claim", "line", "gap"),
    [
        # the line denies
        ("Smith was fired.", "Smith was never fired.", DENIES),
        ("Smith was fired.", "Nobody fired Smith.", DENIES),
        ("Smith was fired.", "They denied that Smith was fired.", DENIES),
        ("The pump started.", "The pump failed to start.", DENIES),
        ("The pump started.", "It is false that the pump started.", DENIES),
        ("The pump started.", "It is a myth that the pump started.", DENIES),
        # it denies nothing of the claim
        ("Smith was fired.", "Smith was fired.", ""),
        ("Smith was fired.", "Smith was fired, not promoted.", ""),
        ("Smith was fired.", "Smith was not promoted but fired.", ""),
        ("Smith was fired.", "Not only was Smith fired.", ""),
        ("Smith was fired.", "Negative, Smith was fired.", ""),
        ("Smith was fired.", "No, Smith was fired.", ""),
        ("Smith was fired.", "No. Smith was fired.", ""),
        ("Smith was fired.", "No doubt Smith was fired.", ""),
        ("Smith was fired.", "Without doubt Smith was fired.", ""),
        ("Smith was fired.", "We doubt that Smith was fired.", DENIES),
        ("Smith was fired.", "Negative. Smith was fired.", ""),
        ("The pump failed.", "No pump failed.", DENIES),
        ("Smith was fired.", "It failed, and Smith was fired.", ""),
        ("Smith was fired.", "A false rumour got Smith fired.", ""),
        ("Smith was fired.", "The Never Land crew fired Smith.", ""),
        ("The valve leaked.", "Never in the year of the flood it leaked.", DENIES),
        ("The valve leaked.", "Never in the year of the great flood it leaked.", ""),
        ("Smith was fired.", "Smith was not fired in May; Smith was fired in June.", ""),
        ("Smith was fired.", "They did not deny that Smith was fired.", ""),
        # the claim's words with a "not" between them, whatever else the line has
        ("I was sure about it.", "I wasn't sure about it and sure of the plan.", DENIES),
        ("I was sure about it.", "I wasn't sure about it, but I was sure about the plan.", DENIES),
        ("I am sure about it.", "I'm not sure about the plan, but I'm sure about it.", ""),
        ("I am sure about it.", "I'm really not so sure about it.", DENIES),
        (
            "I think it is ready.",
            "I think that we met, I don't think it is ready, and I think so.",
            DENIES,
        ),
        ("We have that.", "We don't have that.", DENIES),
        ("We have that.", "We don't have that plan.", DENIES),
        ("We have that plan.", "We don't have that map, and that is the plan.", ""),
        ("It is the film crew.", "It is not the plane crew but the film crew.", ""),
        ("Ann is in Bonn.", "Ann is not in Rome but in Bonn.", ""),
        ("It is the red map.", "It is not the red plan but the red map.", ""),
        ("Ann was hired by Bob.", "Ann was not hired by Leo but hired by Bob.", ""),
        ("The schools are ready.", "The councils aren't ready, and the schools are ready.", ""),
        ("I have that.", "I don't have that, while they have that.", DENIES),
        (
            "The pump did not start today.",
            "The pump starts well but the pump failed to start today.",
            "",
        ),
        # the claim denies
        ("I'm not sure about it.", "I'm sure about it, and I'm not here.", DOES_NOT),
        ("I'm not sure about it.", "I'm sure about the plan, and I'm not sure about it.", ""),
        ("It doesn't apply to girls.", "It applies to boys, not to girls.", ""),
        ("Smith was not fired.", "Smith was fired.", DOES_NOT),
        ("Smith was not fired.", "Smith was never fired.", ""),
        ("Smith was not fired.", "They denied that Smith was fired.", ""),
        ("Smith was not fired.", "It rained.", DOES_NOT),
        ("Smith was not fired.", "It never rained.", ""),
        ("Smith was not fired.", "Smith was fired and never came back.", DOES_NOT),
        ("They did not deny that Smith was fired.", "Smith was fired.", ""),
        ("Smith was not fired but promoted.", "Smith was not fired but promoted.", ""),
        ("No, Smith was fired.", "Smith was fired.", ""),
    ],
)
def test_who_denies_what_the_other_says(claim: str, line: str, gap: str) -> None:
    assert denial_gap(read(claim), read(line)) == gap


def at(text: str, word: str) -> int | None:
    lows = [w.low for w in read(text).words]
    return lows.index(word) if word in lows else None


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("The pump failed.", "failed", set()),
        ("The pump may have failed.", "failed", {"possible"}),
        ("The pump seemed to have failed.", "failed", {"possible"}),
        ("In May the pump failed.", "failed", set()),
        ("May Lee failed.", "failed", set()),
        ("The pump will fail.", "fail", {"future"}),
        ("The plans say the pump will fail.", "plans", {"future"}),
        ("The pump is going to fail.", "fail", {"future"}),
        ("The pump is about to fail.", "fail", {"future"}),
        ("The pump is about two metres high.", "high", set()),
        ("The pump should be closed.", "closed", {"wanted"}),
        ("They hoped the pump failed.", "failed", {"wanted"}),
        ("If the pump failed, we left.", "failed", {"conditional"}),
        ("Did the pump fail?", "fail", {"question"}),
        ('Did "the pump fail?"', "fail", {"question"}),
        ("They tell whether the pump failed.", "failed", {"conditional", "question"}),
        ("They asked if the pump failed.", "failed", {"conditional", "question"}),
        # how far it reaches
        ("May the old red pump of the plant have failed.", "failed", set()),
        ("Perhaps the old red main pump had failed.", "failed", set()),
        ("Perhaps the old red main pump failed.", "failed", {"possible"}),
        ("It failed at noon perhaps.", "failed", set()),
        ("It failed soon perhaps.", "failed", {"possible"}),
        ("Perhaps it rained; the pump failed.", "failed", set()),
        ("The Perhaps Club failed.", "failed", set()),
        # commands
        ("Close the valve.", "close", {"wanted"}),
        ("Close valves.", "close", set()),
        ("Close", "close", set()),
        ("Close it", "close", {"wanted"}),
        ("Closed the valve.", "closed", set()),
        ("Closing the valve.", "closing", set()),
        ("Closes the valve.", "closes", set()),
        ("Shut it.", "shut", {"wanted"}),
        ("Wrote it.", "wrote", set()),
        ("Sam, close the valve.", "close", {"wanted"}),
        ("Sam Lee, close the valve.", "close", {"wanted"}),
        ("Sam B. A. Lee, close the valve.", "close", set()),
        ("Sam and he, close the valve.", "close", set()),
        ("Sam close the valve.", "close", set()),
        ("The valve they close the second time.", "close", set()),
    ],
)
def test_what_holds_a_text_back_at_a_word(text: str, word: str, found: set[str]) -> None:
    assert moods(read(text), at(text, word)) == found


def test_without_a_place_the_whole_text_counts() -> None:
    reading = read("It rained; then the old red pump of the plant came and perhaps failed.")
    assert moods(reading, at(reading.text, "rained")) == set()
    assert moods(reading, None) == {"possible"}
    assert moods(reading, None, without=frozenset(["perhaps"])) == set()


@pytest.mark.parametrize(
    ("claim", "line", "word", "gap"),
    [
        # the line holds back
        ("The pump failed.", "The pump failed.", "failed", ""),
        ("The pump failed.", "The pump may have failed.", "failed", "only holds it possible"),
        ("The pump failed.", "The pump will have failed.", "failed", "speaks of what is to come"),
        ("The pump failed.", "We hope the pump failed.", "failed", "says what should be"),
        ("The pump failed.", "If the pump failed, we left.", "failed", "sets a condition"),
        ("The pump failed.", "Has the pump failed?", "failed", "only asks it"),
        ("Perhaps the pump failed.", "We hope the pump failed, perhaps.", "failed", ""),
        ("The pump failed, as it should.", "The pump should have failed.", "failed", ""),
        # the claim does
        ("The pump may have failed.", "The pump failed.", "failed", "states it outright"),
        ("The pump failed; it may rain.", "The pump failed.", "failed", ""),
        ("The pump may have failed.", "Perhaps the pump failed.", "failed", ""),
        ("The pump may have failed.", "The pump failed if it leaked.", "failed", ""),
        ("The pump may have failed.", "Has the pump failed?", "failed", "states it outright"),
        ("The pump may have failed.", "Has the pump perhaps failed?", "failed", "only asks it"),
        (
            "The pump will have failed.",
            "The pump failed.",
            "failed",
            "does not speak of what is to come",
        ),
        ("The pump will have failed.", "The pump going failed.", "failed", ""),
        (
            "The pump will have failed.",
            "They want that the pump failed.",
            "failed",
            "says what should be",
        ),
        ("The pump should have failed.", "The pump failed.", "failed", ""),
        ("Has the pump failed?", "The pump failed.", "failed", "does not ask it"),
        ("Has the pump failed?", "Has the pump failed?", "failed", ""),
        ("Has the pump failed?", "They asked if the pump failed.", "failed", "sets a condition"),
        # reported words
        ("The pump could have failed.", "The pump failed.", "failed", ""),
        ("The pump would have failed.", "The pump failed.", "failed", ""),
        ("The pump would have failed.", "The pump will have failed.", "failed", ""),
        (
            "The pump would have failed.",
            "The pump should have failed.",
            "failed",
            "says what should be",
        ),
    ],
)
def test_a_mood_that_only_one_of_them_has(claim: str, line: str, word: str, gap: str) -> None:
    assert mood_gap(read(claim), at(claim, word), read(line), at(line, word)) == gap


def test_what_is_only_thought_is_not_held_against_a_thought() -> None:
    claim, line = read("The pump failed."), read("The pump may have failed, if it should.")
    assert mood_gap(claim, 2, line, 4)
    assert mood_gap(claim, 2, line, 4, is_opinion=True) == ""


@pytest.mark.parametrize(
    ("claim", "line", "gap"),
    [
        ("All cells failed.", "Cell 1 failed.", "does not say 'all'"),
        ("All cells failed.", "Every cell failed.", ""),
        ("Only Ada left.", "Ada left.", "does not say 'only'"),
        ("Only Ada left.", "Ada alone left.", ""),
        ("Most cells failed.", "All cells failed.", "does not say 'most'"),
        ("Most cells failed.", "The majority of the cells failed.", ""),
        ("The whole crew and everyone else left.", "Ada left.", "does not say 'everyone'"),
        ("Ada met the All Blacks.", "Ada met them.", ""),
        ("Cell 1 failed.", "All cells failed.", ""),
        ("Studios rarely use it.", "Studios usually use it.", "does not say 'rarely'"),
        ("Studios rarely use it.", "Studios seldom use it.", ""),
        ("The capsule barely floats.", "The capsule still floats.", "does not say 'barely'"),
        ("Nearly 400 came.", "394 came.", ""),
        ("They meet next week.", "They meet in a week.", "does not say 'next'"),
        ("They meet next week.", "They meet next month.", ""),
    ],
)
def test_how_many_how_often_and_when(claim: str, line: str, gap: str) -> None:
    assert quantifier_gap(read(claim), read(line)) == gap


@pytest.mark.parametrize(
    ("claim", "line", "pair"),
    [
        ("The valve was closed.", "The valve was opened.", ("closed", "opened")),
        ("The valve was closed.", "The valve was not opened.", None),
        ("The valve was not closed.", "The valve was not opened.", ("closed", "opened")),
        ("The valve was closed.", "The valve was opened and closed.", None),
        ("The valve was opened and closed.", "The valve was opened.", None),
        ("Closed Inc won.", "It opened.", None),
        ("The pump is on.", "The pump is off.", ("on", "off")),
        ("The pump is on.", "They took off at noon.", None),
        ("It rained before the test.", "It rained after the test.", ("before", "after")),
        ("It rained before a test.", "It came after an old test.", None),
        ("It rained before test.", "It came after the test.", ("before", "after")),
        ("before", "after", None),
        ("Rain before it.", "Rain after them.", ("before", "after")),
        ("The up quark won.", "The down side won.", None),
        ("It is up, high.", "It is down.", ("up", "down")),
        ("He came up.", "He went down.", None),
    ],
)
def test_a_word_and_its_opposite(claim: str, line: str, pair: tuple[str, str] | None) -> None:
    assert opposite_of(read(claim), read(line)) == pair


# ---------------------------------------------------------------------------- titles and quotations

MARTIANS = "Jouez or Do n't Play with Martians is a 1967 comedy film."
QUOTED = 'The song "Don\'t look back" was written by Ann.'
NEVER = "Never Let Me Go is a 2010 film directed by Mark Romanek."


def verdict(claim: str, line: str) -> Verdict:
    return RulesChecker().check([Claim(claim, (Line(line),))])[0].verdict


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        (
            "Don't Look Up was directed by Adam McKay.",
            "Don't Look Up is a film directed by Adam McKay.",
        ),
        ("Adam McKay directed Don't Look Up.", "Adam McKay directed the film Don’t Look Up."),
        ("The film was directed by Adam McKay.", "Don't Look Up is a film directed by Adam McKay."),
        ("Can't Buy Me Love was written by Paul.", "Can't Buy Me Love was written by Paul."),
        ("The film was directed by Mark Romanek.", NEVER),
        ("Jouez was released in 1967.", MARTIANS),
        ("The song was written by Ann.", QUOTED),
        ("The song was made by Ann.", 'Ann made the song "no regrets".'),
    ],
)
def test_what_has_such_a_title_is_stated_and_its_denial_is_not(claim: str, line: str) -> None:
    assert verdict(claim, line) is Verdict.STATED
    assert (
        verdict(
            claim.replace(" was ", " was not ").replace("McKay directed", "McKay never directed"),
            line,
        )
        is Verdict.CONTRADICTED
    )


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        (
            "Don't Look Up was directed by Adam McKay.",
            "Don't Look Up wasn't directed by Adam McKay.",
        ),
        ("The pump has failed.", 'He said "the pump has not failed".'),
        ("The pump has failed.", '"The pump has not failed," he said.'),
        ("Ann closed the valve.", "Don't close the valve, Ann."),
        ("Ann likes the film.", "Ann does Not like the film."),
    ],
)
def test_what_is_denied_outside_of_a_title_stays_so(claim: str, line: str) -> None:
    assert verdict(claim, line) is not Verdict.STATED


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Don't Look Up was shown.", ["Do Not Look Up"]),
        ("Won't Get Fooled Again was sung.", ["Will Not Get Fooled Again"]),
        ("We saw It Wasn't Me.", ["It Was Not Me"]),
        ("Don't look up, Ann.", ["Ann"]),
        ("Didn't I tell Ann?", ["Ann"]),
        ("Never Let Me Go was shown.", ["Never Let Me Go"]),
        ("Ann does Not like it.", ["Ann"]),
        ("Never I saw Ann.", ["Ann"]),
        ("Dr. No came.", ["Dr . No"]),
    ],
)
def test_a_title_with_a_negation_is_one_name(text: str, names: list[str]) -> None:
    found = read(text)
    assert [
        " ".join(word.text for word in found.words[start:end]) for start, end in found.names
    ] == names
