"""Claims of a workspace's own lines: what is a statement, what is made of it, and what a checker is
given with it.
"""

from types import SimpleNamespace
from typing import Any

import pytest

from dynagrag.core.errors import WorkspaceError
from dynagrag.core.schema import Document, Turn
from dynagrag.evaluation.citations.claim_sets import ClaimSet
from dynagrag.evaluation.citations.workspace_claims import workspace_claims
from dynagrag.evaluation.statements.statement import cleaned, is_statement

TALK = [
    ("EECOM", "We've lost the main bus undervolt signal of cell 3."),
    ("FLIGHT", "Okay. Do you want to verify the Delta valve?"),
    ("GNC", "The Delta helium valve was closed at 55:53 by Jack Swigert."),
    ("EECOM", "We've been reading 25 volts on MAIN BUS A."),
    ("FLIGHT", "Roger, Houston opened the Quad Delta valves in ten minutes."),
    ("GNC", "Standby 1."),
    ("CAPCOM", "The crew will probably close the tunnel hatch on the lunar module."),
    ("EECOM", "They've measured 53 amps of fuel cell 2 for the Odyssey."),
]


def store(*documents: list[tuple[str | None, str]]) -> Any:
    """The documents and turns of a store, as far as claims are made of them."""
    found: list[Document] = []
    turns: list[Turn] = []
    for number, talk in enumerate(documents):
        id_, text = f"d{number}", "\n".join(words for _, words in talk)
        found.append(Document(id_, "w", f"Loop {number}", "", "", text))
        at = 0
        for index, (speaker, words) in enumerate(talk):
            turns.append(Turn(f"{id_}-{index}", id_, index, at, at + len(words), speaker))
            at += len(words) + 1
    return SimpleNamespace(documents=lambda: tuple(found), turns=lambda: tuple(turns))


@pytest.fixture(scope="module")
def claims() -> ClaimSet:
    return workspace_claims(
        store(TALK, [(None, "Ada Byron founded the famous Acme Works company in 1843.")]),
        "w",
        600,
        seed=3,
    )


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Okay. Well, the valve is open.", "The valve is open."),
        ("No, it's some low pressures.", "It's some low pressures."),
        ("No one opened it.", "No one opened it."),
        ("Right now it is closed.", "Right now it is closed."),
        ("So far nobody came.", "So far nobody came."),
        ("so it 's the first , I think .", "It's the first, I think."),
        ("They do n't know .", "They don't know."),
        ("Yeah.", "Yeah."),
    ],
)
def test_interjections_and_the_gaps_of_tokenised_text_go_and_nothing_else(
    text: str, clean: str
) -> None:
    assert cleaned(text) == clean


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The Delta helium valve was closed at 55:53.", True),
        ("Do you want to verify the Delta helium valve?", False),
        ("Verify that the Delta helium valves are open.", False),
        ("CAPCOM, verify that the Delta helium valves are open.", False),
        ("Because the Delta helium valve was closed.", False),
        ("What the Delta helium valve was for.", False),
        ("The Delta helium valve was -", False),
        ("The the Delta helium valve was closed.", False),
        ("The Delta helium valve had had leaks.", True),
        ("The valve is open.", False),
        ("Delta helium valve number two.", False),
        ("The {gap} helium valve of Delta was closed.", False),
        ("The helium valve " + "of the other helium tank " * 9 + "was closed.", False),
    ],
)
def test_a_statement_has_content_and_a_finite_verb_and_asks_and_orders_nothing(
    text: str, wanted: bool
) -> None:
    assert is_statement(text) == wanted


def test_each_statement_gives_a_true_and_a_false_claim_with_the_line_that_decides(
    claims: ClaimSet,
) -> None:
    assert claims.name == "workspace w"
    assert len(claims.claims) == 14
    true, false = (
        [c for c in claims.claims if c.is_true],
        [c for c in claims.claims if not c.is_true],
    )
    assert [c.source for c in true] == [c.source for c in false]
    assert {c.kind for c in true} == {"as it stands", "as its speaker said", "reworded"}
    for claim in claims.claims:
        (row,) = claim.gold[0]
        line = claim.claim.lines[row]
        assert is_statement(line.text)
        assert line.title.startswith("Loop")
        assert 1 <= len(claim.claim.lines) <= 6
        if claim.kind == "as it stands":
            assert claim.claim.text == cleaned(line.text)


def test_kinds_of_false_claims_come_as_often_as_each_other(claims: ClaimSet) -> None:
    counts = [c.kind for c in claims.claims if not c.is_true]
    assert max(map(counts.count, counts)) == 1, counts


def test_the_line_that_decides_stands_at_another_place_each_time(claims: ClaimSet) -> None:
    assert len({next(iter(c.gold[0])) for c in claims.claims if len(c.claim.lines) == 6}) > 2


def test_the_seed_decides_the_claims_and_their_order() -> None:
    made = [workspace_claims(store(TALK), "w", 600, seed).digest for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]


def test_no_more_claims_are_made_than_asked_for() -> None:
    assert len(workspace_claims(store(TALK), "w", 4, seed=0).claims) == 4
    assert len(workspace_claims(store(TALK), "w", 5, seed=0).claims) == 4


def test_a_false_claim_that_a_neighbour_states_is_not_made() -> None:
    """With two cells alike, another number gives what the other line says."""
    talk = [
        ("EECOM", f"Fuel cell {n} is really offline and showing grey flags.") for n in (1, 2, 3, 4)
    ]
    for seed in range(10):
        for claim in workspace_claims(store(talk), "w", 600, seed).claims:
            if claim.kind == "number":
                assert not any(line.text in claim.claim.text for line in claim.claim.lines)


def test_a_workspace_without_a_statement_is_refused() -> None:
    with pytest.raises(WorkspaceError, match="has no statement to make claims of"):
        workspace_claims(store([("A", "Okay."), ("B", "Go ahead.")]), "w", 600, 0)
