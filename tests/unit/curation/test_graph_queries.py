"""What relations state comes before what says little, and it is told where nothing is stated."""

from dynagrag.core.schema import CO_OCCURRENCE, Relation
from dynagrag.curation.graph_queries import UNSTATED, stated_first, unstated_note

NAMES = {
    "mill": "the mill",
    "river": "River Aln",
    "privacy": "privacy",
    "interests": "privacy interests",
    "ann": "Ann",
}


def relation(head: str, label: str, tail: str, weight: int) -> Relation:
    return Relation(f"{head} {label} {tail}", head, tail, label, weight, 1, (), ("r",))


TOGETHER = relation("mill", CO_OCCURRENCE, "river", 9)
OWN_WORD = relation("privacy", "is part of", "interests", 7)
STATED = relation("ann", "owns", "mill", 2)
HEAVIER = relation("mill", "stands at", "river", 3)


def test_what_is_stated_comes_first_the_heaviest_before_others() -> None:
    found = stated_first([TOGETHER, OWN_WORD, STATED, HEAVIER], NAMES)
    assert found == [HEAVIER, STATED, TOGETHER, OWN_WORD]


def test_it_is_told_where_nothing_is_stated() -> None:
    assert unstated_note([TOGETHER]) == UNSTATED
    assert unstated_note([TOGETHER, STATED]) == unstated_note([]) == ""
