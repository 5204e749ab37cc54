"""What rules find out about a claim beside a line."""

import pytest

from dynagrag.core.schema import Claim, ClaimCheck, Line, Verdict
from dynagrag.generation.claims.rules_checker import RulesChecker

STATED, CONTRADICTED, NOT_FOUND = Verdict.STATED, Verdict.CONTRADICTED, Verdict.NOT_FOUND


def check(claim: str, *lines: str | Line) -> ClaimCheck:
    return RulesChecker().check(
        [Claim(claim, tuple(line if isinstance(line, Line) else Line(line) for line in lines))]
    )[0]


@pytest.mark.parametrize(
    ("claim", "line", "verdict"),
    [
        # words
        (
            "The oxygen tank exploded before launch.",
            "The oxygen tank was inspected before launch.",
            NOT_FOUND,
        ),
        ("The chief executive resigned.", "Our CEO stepped down.", STATED),
        ("The valve was closed.", "The valve was opened at 55:20.", CONTRADICTED),
        ("Revenue rose 5 percent.", "Revenue fell 5 percent last year.", CONTRADICTED),
        # polarity
        ("Smith was fired.", "Smith was never fired.", CONTRADICTED),
        ("Smith was not fired.", "Smith was never fired.", STATED),
        ("The board rejected the plan.", "The board turned down the plan.", STATED),
        ("There were no MAIN B volts.", "We had a MAIN B undervolt.", NOT_FOUND),
        ("Flight approved the burn.", "The burn was not approved by Flight.", CONTRADICTED),
        ("Nobody was injured.", "No one was injured in the accident.", STATED),
        # numbers, dates, units, labels
        (
            "Acme acquired Foo Inc for $5 million.",
            "Acme bought Foo Inc for 5 million dollars.",
            STATED,
        ),
        ("The tank holds 5 volts.", "The tank holds 5 amps.", NOT_FOUND),
        ("It cost more than 5 dollars.", "It cost 5 dollars.", NOT_FOUND),
        ("The meeting was on 3 March 2020.", "The meeting took place on March 3, 2020.", STATED),
        (
            "The meeting was on 4 March 2020.",
            "The meeting took place on March 3, 2020.",
            CONTRADICTED,
        ),
        ("The meeting was on 3 March 2020.", "The meeting took place on March 3.", NOT_FOUND),
        (
            "The meeting in Rome was on 4 March 2020.",
            "The meeting took place on March 3, 2020.",
            NOT_FOUND,
        ),
        ("The meeting was in 2020.", "The meeting took place on March 3, 2020.", STATED),
        ("Cell 3 is on MAIN B.", "Cell 1 to MAIN A, cell 3 to MAIN B.", STATED),
        # who did what to whom
        ("Ada hired Bob.", "Bob hired Ada in 1990.", CONTRADICTED),
        ("Ada hired Bob.", "Bob was hired by Ada in 1990.", STATED),
        ("Bob was hired by Ada.", "Ada hired Bob in 1990.", STATED),
        ("Acme acquired Foo Inc.", "Foo Inc bought Acme.", CONTRADICTED),
        (
            "Hiawatha was composed by Edgar Lewis.",
            "Hiawatha is a 1913 film directed by Edgar Lewis.",
            NOT_FOUND,
        ),
        (
            "Edgar Lewis directed Hiawatha.",
            "Hiawatha is a 1913 film directed by Edgar Lewis.",
            STATED,
        ),
        ("Ann's father was Bert.", "Ann was the daughter of Bert and his wife Cleo.", STATED),
        ("Ann's mother was Bert.", "Ann was the daughter of Bert and his wife Cleo.", NOT_FOUND),
        ("Ann's mother was Cleo.", "Ann was the daughter of Bert and his wife Cleo.", STATED),
        (
            "Bert is a child of Ann.",
            "Ann was the daughter of Bert and his wife Cleo.",
            CONTRADICTED,
        ),
        (
            "Ann Lee was born on 1 May 1950.",
            "Ann Lee (1 May 1950 – 3 June 2000) was a pilot.",
            STATED,
        ),
        (
            "Ann Lee died on 1 May 1950.",
            "Ann Lee (1 May 1950 – 3 June 2000) was a pilot.",
            CONTRADICTED,
        ),
        (
            "Ann Lee, 4th Countess of Kent died on 3 June 2000.",
            "Ann Lee, 4th Countess of Kent (1 May 1950 – 3 June 2000) was a pilot.",
            STATED,
        ),
        ("Bob Kerr led the team.", "Bob Lane led the team.", NOT_FOUND),
        # mood and quantity
        ("The tank is leaking.", "Is the tank leaking?", NOT_FOUND),
        ("The tank is leaking.", "The tank may be leaking.", NOT_FOUND),
        ("The tank may be leaking.", "The tank is leaking.", NOT_FOUND),
        ("The tank may be leaking.", "It could be that the tank is leaking.", STATED),
        ("Ada wants to install the team.", "Ada wants to thank the team.", NOT_FOUND),
        ("Ada thanked the team for the second time that week.", "Ada thanked the team.", NOT_FOUND),
        ("We met Ada in Rome.", "We met Ada in Bonn.", NOT_FOUND),
        (
            "The company opened an office.",
            "We plan to open an office, says the company.",
            NOT_FOUND,
        ),
        ("All cells failed.", "Cell 1 failed.", NOT_FOUND),
        ("The search went on without a warrant.", "The warrantless search went on.", STATED),
        ("The budget was approved.", "Was the budget approved? I was away.", NOT_FOUND),
        (
            "The budget was approved by Ada.",
            "The budget was approved by Ada. Did you hear?",
            STATED,
        ),
        ("The drogue is on.", "The drogue is off.", CONTRADICTED),
        (
            "The crew reconnected the cells.",
            "Have the crew attempt to reconnect the cells.",
            NOT_FOUND,
        ),
        ("MAIN A had an amp spike.", "MAIN B had a large amp spike.", NOT_FOUND),
        ("It fired exactly 7 jets.", "It fired at least 7 jets.", NOT_FOUND),
        ("The union sued the company.", "In May the company sued the union.", NOT_FOUND),
        ("The company was sued by the union.", "In May the union sued the company.", STATED),
        ("The board voted against the budget.", "The board voted for the budget.", NOT_FOUND),
        ("The money went from Maria to Leo.", "The money went from Leo to Maria.", NOT_FOUND),
        ("Sales fell by 5 percent.", "Sales fell to 5 percent.", NOT_FOUND),
        (
            "The pump failed at noon.",
            "Engineers denied that the pump failed at noon.",
            CONTRADICTED,
        ),
        ("The pump failed at noon.", "We believed the pump failed at noon.", NOT_FOUND),
        ("Ann B. Lee left.", "Ann Betty Lee left.", STATED),
        (
            "Ann B. Lee was born on 1 May 1950.",
            "Ann Betty Lee (1 May 1950 – 3 June 2000) was a pilot.",
            STATED,
        ),
        (
            "Acme plans to open an office in Berlin.",
            "Acme plans to open an office in Berlin.",
            STATED,
        ),
        ("Acme opened an office in Berlin.", "Acme plans to open an office in Berlin.", NOT_FOUND),
        (
            "We've got MAIN A volts, we have no MAIN B volts.",
            "We've got MAIN A volts, we have no MAIN B volts.",
            STATED,
        ),
        (
            "It was suggested that the crew use the lander.",
            "I think the crew should use the lander.",
            STATED,
        ),
    ],
)
def test_a_line(claim: str, line: str, verdict: Verdict) -> None:
    assert check(claim, line).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "speaker", "line", "verdict"),
    [
        ("EECOM said MAIN B reads 4 volts.", "EECOM", "MAIN B is reading 4 volts now.", STATED),
        ("GUIDO said MAIN B reads 4 volts.", "EECOM", "MAIN B is reading 4 volts now.", NOT_FOUND),
        (
            "According to EECOM, MAIN B reads 4 volts.",
            "EECOM",
            "MAIN B is reading 4 volts now.",
            STATED,
        ),
        ("The crew asked whether the tank was leaking.", "CREW", "Is the tank leaking?", STATED),
        ("The crew said that the tank was leaking.", "CREW", "Is the tank leaking?", NOT_FOUND),
        ('Marketing said, "We\'re late."', "Marketing", "We are late.", STATED),
        ('Marketing said, "We\'re late."', "Ada (Sales)", "We are late.", NOT_FOUND),
        (
            "Ada wanted to try putting cell 1 on MAIN B.",
            "ADA",
            "Let's try to put cell 1 on MAIN B, cell 3 on MAIN A.",
            STATED,
        ),
        (
            "Justice Alito asked whether the search was long.",
            "Samuel A. Alito, Jr.",
            "Was the search long?",
            STATED,
        ),
        (
            "Glenn said that the cabin pressure is holding.",
            "CapCom",
            "Glenn, the cabin pressure is holding.",
            NOT_FOUND,
        ),
        (
            "CapCom told Glenn not to reset the clock.",
            "CapCom",
            "Negative, don't reset the clock.",
            STATED,
        ),
        ("The pressure is holding, Glenn said.", "Glenn", "The pressure is holding.", STATED),
        (
            "Kranz told Houston to power down the fuel cells.",
            "KRANZ",
            "Okay, let's power down the fuel cells.",
            STATED,
        ),
    ],
)
def test_who_said_it(claim: str, speaker: str, line: str, verdict: Verdict) -> None:
    assert check(claim, Line(line, speaker)).verdict == verdict


def test_the_rows_are_those_that_state_it_best_first() -> None:
    found = check(
        "Ada founded Acme.", "It rained.", "Acme was founded by Ada.", "Ada founded Acme in 1990."
    )
    assert (found.verdict, found.lines, found.reason) == (STATED, (1, 2), "")


def test_what_differs_is_said() -> None:
    found = check("MAIN B reads 5 volts.", "It rained.", "MAIN B is reading 4 volts now.")
    assert (found.verdict, found.lines, found.reason) == (
        CONTRADICTED,
        (1,),
        "the line says 4 volts, not 5 volts",
    )


def test_two_lines_may_state_it_together() -> None:
    found = check(
        "Ada hired Bob and founded Acme in Rome.",
        "Ada hired Bob.",
        "It rained.",
        "Ada founded Acme in Rome.",
    )
    assert (found.verdict, set(found.lines) >= {0, 2}) == (STATED, True)


def test_lines_of_two_speakers_are_not_put_together() -> None:
    lines = Line("The budget is cut.", "Bob"), Line("The deadline moved.", "Ann")
    assert check("Ann said the budget is cut and the deadline moved.", *lines).verdict == NOT_FOUND


@pytest.mark.parametrize(
    "text",
    [
        "1," * 20_000,
        "It was 12,345.6 and " * 2_000,
        "[E1" * 10_000,
        "born 1950 - died 1960; " * 2_000,
    ],
)
def test_lines_beyond_all_measure_are_read_at_once(text: str) -> None:
    assert check("Ada founded Acme in 1990.", text, "Ada founded Acme in 1990.").lines == (1,)


def test_without_a_line_nothing_is_found() -> None:
    assert check("Ada founded Acme.").verdict == NOT_FOUND
    assert RulesChecker().check([]) == []


def test_a_stated_claim_scores_over_a_half_and_no_other_does() -> None:
    found = (
        check("Ada founded Acme.", "Ada founded Acme."),
        check("Ada founded Acme.", "Bob founded Acme."),
        check("Ada left.", "It rained."),
    )
    assert [f.score is not None and f.score >= 0.5 for f in found] == [True, False, False]
