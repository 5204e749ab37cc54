"""Numbers that are labels, frames of fact, plans, and neighbour sentences."""

import pytest

from dynagrag.core.schema import Claim, Line, Verdict
from dynagrag.generation.claims.rules_checker import RulesChecker

STATED, CONTRADICTED, NOT_FOUND = Verdict.STATED, Verdict.CONTRADICTED, Verdict.NOT_FOUND


def verdict_of(claim: str, *lines: str) -> Verdict:
    return (
        RulesChecker()
        .check([Claim(claim, tuple(Line(line, "Ann") for line in lines), 1)])[0]
        .verdict
    )


@pytest.mark.parametrize(
    ("claim", "lines", "verdict"),
    [
        ("There are 18 papers to note.", ["Item 5 is papers to note."], NOT_FOUND),
        ("There are 18 papers to note.", ["Items 5 and 6 are papers to note."], NOT_FOUND),
        ("There are 5 papers to note.", ["Item 5 is papers to note."], NOT_FOUND),
        ("There are 18 papers to note.", ["There are 5 papers to note."], CONTRADICTED),
        ("The pump is on page 12.", ["The pump is on page 14."], CONTRADICTED),
        (
            "There are 18 papers to note.",
            ["There are 5 papers to note.", "Members have 18 papers before them."],
            NOT_FOUND,
        ),
        (
            "There are 18 papers to note.",
            ["There are 5 papers to note.", "It cost 18 euros."],
            CONTRADICTED,
        ),
    ],
)
def test_a_label_counts_nothing_and_a_number_said_elsewhere_is_not_contradicted(
    claim: str, lines: list[str], verdict: Verdict
) -> None:
    assert verdict_of(claim, *lines) is verdict


@pytest.mark.parametrize(
    ("claim", "line", "verdict"),
    [
        ("The report cost 900 euros.", "You'll be aware that the report cost 900 euros.", STATED),
        ("The tank leaked.", "You will recall that the tank leaked.", STATED),
        ("The tank leaked.", "Members would note that the tank leaked.", STATED),
        ("The tank leaked.", "You will see that the tank leaked.", STATED),
        ("The valve is shut.", "We will see that the valve is shut.", NOT_FOUND),
        ("The report costs 900 euros.", "You'll know that it will cost 900 euros.", NOT_FOUND),
        ("The report cost 900 euros.", "The report will cost 900 euros.", NOT_FOUND),
    ],
)
def test_what_you_will_know_is_so_today(claim: str, line: str, verdict: Verdict) -> None:
    assert verdict_of(claim, line) is verdict


@pytest.mark.parametrize(
    ("claim", "line", "verdict"),
    [
        ("The plant reached 400 units.", "The plant is on target to reach 400 units.", NOT_FOUND),
        ("The plant reached 400 units.", "The plant is close to reaching 400 units.", NOT_FOUND),
        ("The house was sold to Meyer.", "The house is due to be sold to Meyer.", NOT_FOUND),
        ("The shop closed in Rome.", "The shop is due to close in Rome.", NOT_FOUND),
        ("The council closed the bridge.", "The council is set to close the bridge.", NOT_FOUND),
        ("The firm has bought the mill.", "The firm is in talks to buy the mill.", NOT_FOUND),
        ("The school built a hall.", "The school got permission to build a hall.", NOT_FOUND),
        ("We have cut emissions by half.", "We have a target to cut emissions by half.", NOT_FOUND),
        ("The crew installed the pump.", "The crew managed to install the pump.", STATED),
        ("The crew sold the pump.", "The crew had to sell the pump.", STATED),
        ("The pump was sold.", "The pump had to be sold.", STATED),
        ("The crew fixed the pump.", "The crew, ready to fix the pump, fixed it.", STATED),
    ],
)
def test_a_plan_is_no_deed(claim: str, line: str, verdict: Verdict) -> None:
    assert verdict_of(claim, line) is verdict


@pytest.mark.parametrize(
    ("claim", "line", "verdict"),
    [
        (
            "Students should be taken out of the targets.",
            "We do not believe that students should be in any targets. "
            "We do need to make sure that they are taken out of the targets.",
            NOT_FOUND,
        ),
        (
            "Students should be included in the targets.",
            "It is not true that students should be included in the targets. We met in May.",
            CONTRADICTED,
        ),
    ],
)
def test_a_neighbour_sentence_denies_nothing_that_the_line_says(
    claim: str, line: str, verdict: Verdict
) -> None:
    assert verdict_of(claim, line) is verdict
