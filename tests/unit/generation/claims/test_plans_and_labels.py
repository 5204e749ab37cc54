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
