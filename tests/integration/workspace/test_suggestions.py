"""Which entities are suggested as one: how many, in which order, and which reasons count."""

from collections.abc import Callable
from typing import Any

import pytest
from corrected import FAST

from dynagrag.curation.suggestions import suggest_merges
from dynagrag.workspace.facade import Workspace


def test_many_suggestions_are_bounded_and_come_best_first(
    open_space: Callable[..., Workspace], corpus: Any
) -> None:
    space = open_space()
    told = [
        (f"Speaker {w}", f"We saw Unit {w} Alpha and Units {w} Alpha.")
        for w in ("Kilo", "Lima", "Mike", "Oscar", "Papa")
    ]
    space.ingest([corpus.write("many.vtt", told)], FAST)
    found = suggest_merges(space.graph(), space.store.mentions(), ())
    assert len(found) > 5
    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
    assert found[:3] == suggest_merges(space.graph(), space.store.mentions(), (), limit=3)


_FIRST = "a first name, one of them a speaker's"


@pytest.mark.parametrize(
    ("speakers", "said", "wanted"),
    [
        (
            ["Dana Whitfield"],
            "Thank you, Dana. Last week Dana met Boris Yakov in Delft.",
            {("dana", "dana whitfield"): (_FIRST, True)},
        ),
        (
            ["Dana Whitfield", "Dana Brown"],
            "Thank you, Dana. Last week Dana met Boris Yakov.",
            {("dana", "dana whitfield"): (_FIRST, False), ("dana", "dana brown"): (_FIRST, False)},
        ),
        (
            ["Dana Whitfield"],
            # so no rule joins the last name
            (
                "Thank you, Dana. Last week Whitfield met Boris Yakov in Delft, where whitfield is"
                " a cloth."
            ),
            {("dana", "dana whitfield"): (_FIRST, True)},
        ),
        (
            ["Ann Lee"],
            "We saw Harlow. Then Harlow Labs burned.",
            {("harlow", "harlow labs"): ("one name within the other", False)},
        ),
        (["Justice Kagan"], "Thank you. The Justice asked. The Justice left.", {}),
    ],
)
def test_a_first_name_is_likely_its_only_speaker_s(
    speakers: list[str],
    said: str,
    wanted: dict[Any, Any],
    open_space: Callable[..., Workspace],
    corpus: Any,
) -> None:
    space = open_space()
    space.ingest(
        [
            corpus.write(
                "talk.vtt",
                [*((name, "Thanks for coming.") for name in speakers), ("Tom Ellery", said)],
            )
        ],
        FAST,
    )
    found = {
        s.keys: (s.reasons[0], s.is_likely)
        for s in suggest_merges(space.graph(), space.store.mentions(), ())
    }
    assert {
        keys: told
        for keys, told in found.items()
        if told[0] in (_FIRST, "one name within the other") and wanted
    } == wanted
    assert all(told[0] != _FIRST or wanted for told in found.values())
