"""What is told of somebody behind their name is told of nobody else."""

import pytest

from dynagrag.core.schema import Claim, Line, Verdict
from dynagrag.generation.claims.rules_checker import RulesChecker

OPENING = "With us are Anna Berg, the chairman of the board, and Paul Lind, the treasurer."
LEAVING = "We welcome Paul Lind and thank Anna Berg, who has resigned."
OFFICERS = (
    "Marie Knox, deputy director for the border, and Huw Vale, group director for the ports, are"
    " here."
)


@pytest.mark.parametrize(
    ("line", "claim", "is_stated"),
    [
        (OPENING, "Anna Berg is the chairman of the board.", True),
        (OPENING, "Paul Lind is the treasurer.", True),
        (OPENING, "Paul Lind is the chairman of the board.", False),
        (OPENING, "Anna Berg is the treasurer.", False),
        (LEAVING, "Anna Berg has resigned.", True),
        (LEAVING, "Paul Lind has resigned.", False),
        (OFFICERS, "Huw Vale is group director for the ports.", True),
        (OFFICERS, "Marie Knox is group director for the ports.", False),
        (OFFICERS, "Huw Vale is deputy director for the border.", False),
        ("Stanari is a town in Srpska, an entity of Bosnia.", "Stanari is in Bosnia.", True),
        (
            "The Quay is a film with Anna Berg, directed by Paul Lind.",
            "The Quay was directed by Paul Lind.",
            True,
        ),
        ("Paul Lind, who met Anna Berg, the painter, left.", "Paul Lind met Anna Berg.", True),
        ("Anna Berg, the mayor, opened it. Paul Lind is a mayor.", "Paul Lind is a mayor.", True),
    ],
)
def test_what_stands_behind_a_name_is_of_that_name(line: str, claim: str, is_stated: bool) -> None:
    (found,) = RulesChecker().check([Claim(claim, (Line(line, ""),), 1)])
    assert (found.verdict is Verdict.STATED) is is_stated
