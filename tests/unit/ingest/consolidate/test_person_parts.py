"""A part of a person's name joins the whole where one person alone can be meant."""

import pytest
from scripted_judge import merged, run, said

from dynagrag.ingest.consolidate.person_parts import PART_RULE, parts_of_persons
from dynagrag.ingest.consolidate.used_names import used_names


def _parts(*names: str, texts: tuple[str, ...] = ()) -> set[tuple[str, str]]:
    """Whole and part, of names that are all said in one document."""
    used = used_names([said(name, type_="") for name in names])
    return {(whole, part) for _, whole, part in parts_of_persons(used, texts)}


def test_first_and_last_name_join_the_whole_which_names_the_entity() -> None:
    names = ("Ken Thompson", "Thompson", "Thompson", "Ken")
    mentions = [said(name, type_="") for name in names]
    assert merged(run(mentions)) == [
        ("ken thompson", ("ken", "ken thompson", "thompson"), PART_RULE)
    ]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("Frank Gehry", "Gehry"), {("frank gehry", "gehry")}),
        (("Robert H. Trent", "Trent"), {("robert h. trent", "trent")}),
        (("Frank Gehry", "Anna Gehry", "Gehry"), set()),
        (("Frank Gehry", "Gehry Tower", "Gehry"), set()),
        (("Adana Vilayet", "Adana"), set()),  # no word says that this is somebody
        (("Tom Stafford", "Tom"), {("tom stafford", "tom")}),
        (("Suzy Davies", "Suzy", "Davies"), {("suzy davies", "suzy"), ("suzy davies", "davies")}),
        (("Guinea-Bissau", "Bissau"), set()),
        (("Vicco, Kentucky", "Vicco", "Kentucky"), set()),
        (("UNO Gehry", "Gehry"), set()),
    ],
)
def test_only_a_person_who_alone_can_be_meant(
    names: tuple[str, ...], found: set[tuple[str, str]]
) -> None:
    assert _parts(*names) == found


@pytest.mark.parametrize(
    "text",
    [
        "Nissan Leaf owners like the Leaf.",
        "They raked a leaf.",
        "He was born in Leaf.",
        'It is an episode of "Leaf".',
    ],
)
def test_what_a_text_has_as_a_thing_a_place_or_a_title_is_nobody(text: str) -> None:
    names = ("Nissan Leaf", "Leaf")
    assert _parts(*names) == {("nissan leaf", "leaf")}
    assert _parts(*names, texts=(text,)) == set()


def test_a_part_in_a_document_without_the_whole_may_be_somebody_else() -> None:
    used = used_names(
        [said("Frank Gehry", doc="a"), said("Gehry", doc="a"), said("Gehry", doc="b")]
    )
    assert not list(parts_of_persons(used))
