"""Marked chunks: how rows are read and refused, and what holds of the gold that is shipped."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.config.settings import CHUNK_PROFILES
from dynagrag.core.errors import LoadError
from dynagrag.core.ids import entity_key
from dynagrag.evaluation.extraction.extraction_gold import (
    GoldChunk,
    load_gold,
    places,
    shipped_gold,
)
from dynagrag.evaluation.extraction.gold_work import gold_work

TYPES = {
    "person",
    "organisation",
    "place",
    "vehicle",
    "equipment",
    "document",
    "event",
    "time",
    "quantity",
    "concept",
}
SECOND_READING = shipped_gold().parent / "second_reading.jsonl"
ROW = {
    "id": "a",
    "document": "loop",
    "turns": [
        {"speaker": "EECOM", "text": "FUEL CELL 1 feeds MAIN BUS A."},
        {"text": "So FUEL CELL 1 is up."},
    ],
    "entities": [
        {"text": "FUEL CELL 1", "type": "equipment"},
        {"start": 18, "end": 28, "text": "MAIN BUS A", "type": "equipment"},
    ],
    "relations": [
        {
            "head": "fuel cell 1",
            "label": "feeds",
            "tail": "MAIN BUS A",
            "quote": "FUEL CELL 1 feeds MAIN BUS A.",
        }
    ],
}


def gold(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_an_entity_without_a_span_is_meant_wherever_it_stands(tmp_path: Path) -> None:
    (chunk,) = load_gold(gold(tmp_path / "g.jsonl", ROW)).chunks
    assert [(e.span, e.text) for e in chunk.entities] == [
        ((0, 11), "FUEL CELL 1"),
        ((18, 28), "MAIN BUS A"),
        ((33, 44), "FUEL CELL 1"),
    ]
    assert all(chunk.text[slice(*e.span)] == e.text and e.is_name for e in chunk.entities)


def test_names_inside_a_mention_have_their_places(tmp_path: Path) -> None:
    row = {
        "text": "So the LM inverter of the LM.",
        "entities": [{"text": "LM inverter", "inner": ["LM"]}],
        "relations": [],
    }
    (chunk,) = load_gold(gold(tmp_path / "g.jsonl", row)).chunks
    assert chunk.entities[0].inner_spans == {(7, 9)}


def test_a_text_stands_for_one_turn_and_a_row_has_its_number_where_it_has_no_id(
    tmp_path: Path,
) -> None:
    row = {"text": "Ada met Leo.", "entities": [{"text": "Ada"}, {"text": "Leo"}], "relations": []}
    found = load_gold(gold(tmp_path / "mine.jsonl", row, row | {"text": "Leo met Ada."}))
    assert (found.name, [c.id for c in found.chunks]) == ("mine", ["0", "1"])
    assert load_gold(gold(tmp_path / "n.jsonl", row | {"id": 7})).chunks[0].id == "7"
    assert found.digest != load_gold(gold(tmp_path / "mine.jsonl", row)).digest


def test_what_was_read_is_read_again_as_it_was(tmp_path: Path) -> None:
    (chunk,) = load_gold(gold(tmp_path / "g.jsonl", ROW)).chunks
    assert GoldChunk.model_validate_json(chunk.model_dump_json()) == chunk


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"turns": None}, "turns: Input should be a valid"),
        ({"turns": []}, "turns: .* at least 1 item"),
        ({"text": "Ada"}, "give `text` or `turns`, not both"),
        ({"turns": [{"text": " "}], "entities": [], "relations": []}, "the text is empty"),
        ({"entities": None}, "entities: Input should be a valid"),
        (
            {"entities": [{"text": "FUEL CELL"}]},
            "the relation's end 'fuel cell 1' is the text of no entity of the row",
        ),
        (
            {"entities": [{"text": "MAIN BUS B"}]},
            "the entity 'MAIN BUS B' does not stand in the text",
        ),
        (
            {"entities": [{"text": "UEL CELL 1"}]},
            "the entity 'UEL CELL 1' does not stand in the text",
        ),
        (
            {"entities": [{"text": "FUEL CELL 1", "start": 1, "end": 12}]},
            "the entity 'FUEL CELL 1' is not at 1 to 12, where 'UEL CELL 1' stands",
        ),
        (
            {"entities": [{"text": "FUEL CELL 1", "start": 0}]},
            "the entity 'FUEL CELL 1' has only one of `start` and `end`; give both or none",
        ),
        (
            {"entities": [{"text": "FUEL CELL 1", "start": -1, "end": 3}]},
            "entities.0.start: Input should be greater",
        ),
        (
            {"entities": [{"text": "FUEL CELL 1", "kind": "x"}]},
            "entities.0.kind: Extra inputs are not permitted",
        ),
        (
            {
                "entities": [
                    {"text": "FUEL CELL 1", "type": "person"},
                    {"text": "FUEL CELL 1", "start": 0, "end": 11},
                ]
            },
            (
                "the entity 'FUEL CELL 1' at 0 to 11 is marked twice, as two things; leave one of"
                " them out"
            ),
        ),
        (
            {"turns": [{"text": "FUEL CELL 1 feeds MAIN BUS A. \ud800"}]},
            "turns.0.text: Input should be a valid string",
        ),
        (
            {"turns": [{"text": "FUEL CELL 1 feeds MAIN BUS A.", "speaker": "\ud800"}]},
            "turns.0.speaker: Input should be a valid string",
        ),
        ({"document": "\ud800"}, "document: Input should be a valid string"),
        (
            {"entities": [{"text": "FUEL CELL 1", "type": "\ud800"}]},
            "entities.0.type: Input should be a valid string",
        ),
        ({"entities": [{"text": "."}]}, r"the entity '\.' has no letter or digit"),
        ({"entities": [{"text": "\ud800"}]}, "entities.0.text: Input should be a valid string"),
        (
            {"entities": [{"text": "FUEL CELL 1", "start": 10**30, "end": 10**31}]},
            "the entity 'FUEL CELL 1' is not at 1000",
        ),
        ({"document": 7}, "document: Input should be a valid string"),
        (
            {"entities": [{"text": "FUEL CELL 1", "inner": ["UEL"]}]},
            "the inner name 'UEL' is no part of the entity 'FUEL CELL 1'",
        ),
        (
            {"entities": [{"text": "FUEL CELL 1", "inner": ["FUEL CELL 1"]}]},
            "the inner name 'FUEL CELL 1' is no part of the entity",
        ),
        ({"entities": [{"text": ""}]}, "entities.0.text: .* at least 1 character"),
        (
            {"relations": [{"head": "FUEL CELL 1", "tail": "MAIN BUS A", "quote": "feeds it"}]},
            "the quote 'feeds it' does not stand",
        ),
        (
            {"relations": [{"head": "FUEL CELL 1", "tail": "MAIN BUS A"}]},
            "relations.0.quote: Field required",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    change: dict[str, Any], wanted: str, tmp_path: Path
) -> None:
    path = gold(tmp_path / "g.jsonl", ROW, ROW | {"id": "b"} | change)
    with pytest.raises(LoadError, match=rf"g\.jsonl, line 2: {wanted}") as err:
        load_gold(path)
    assert "\n" not in str(err.value)


def test_a_missing_list_and_a_double_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="relations: Field required"):
        load_gold(
            gold(tmp_path / "g.jsonl", {name: ROW[name] for name in ROW if name != "relations"})
        )
    with pytest.raises(LoadError, match="the id 'a' is used for several rows"):
        load_gold(gold(tmp_path / "g.jsonl", ROW, ROW))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "start", "end", "inner", "head", "quote"]), inner
        )
    ),
    max_leaves=6,
)


@given(st.sampled_from([*ROW, "text", "more"]), JSON)
def test_whatever_stands_in_a_field_is_read_or_refused_in_one_line(field: str, value: Any) -> None:
    with TemporaryDirectory() as folder:
        path = gold(Path(folder) / "g.jsonl", ROW | {field: value})
        refusal = ""
        try:
            chunks = load_gold(path).chunks
        except LoadError as err:
            chunks, refusal = (), str(err)
        assert bool(chunks) is not refusal.startswith(str(path))
        assert "\n" not in refusal
        assert all(chunk.text[slice(*e.span)] == e.text for chunk in chunks for e in chunk.entities)
        assert len(gold_work(chunks, CHUNK_PROFILES["small"])) == len(chunks)


@given(
    st.lists(
        st.sampled_from(["fuel", "cell", "1", "FUEL", "cells", "13", "-", "."]),
        min_size=1,
        max_size=12,
    ),
    st.data(),
)
def test_places_are_those_of_whole_words(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    start = data.draw(st.integers(0, len(words) - 1))
    name = " ".join(words[start : data.draw(st.integers(start + 1, len(words)))])
    found = list(places(name, text))
    assert found
    for a, b in found:
        assert text[a:b] == name
        assert not text[a - 1 : a].isalnum()
        assert not text[b : b + 1].isalnum()


@pytest.mark.parametrize("profile", CHUNK_PROFILES.values(), ids=lambda p: p.name)
def test_rows_of_one_document_are_read_as_one_and_each_is_extracted_by_itself(profile: Any) -> None:
    chunks = load_gold(shipped_gold()).chunks
    works = gold_work(chunks, profile)
    assert [w.gold for w in works] == list(chunks)
    assert len({w.work[0].document.id for w in works}) == len({c.document for c in chunks}) == 11
    for own in works:
        document = own.work[0].document
        assert document.text[own.start :].startswith(own.gold.text)
        read = "".join(document.text[w.chunk.start : w.chunk.end] for w in own.work)
        assert "".join(read.split()) == "".join(own.gold.text.split())
        assert all(
            own.start <= w.chunk.start < w.chunk.end <= own.start + len(own.gold.text)
            for w in own.work
        )


def test_rows_without_a_document_have_one_each(tmp_path: Path) -> None:
    row = {"text": "Ada met Leo.", "entities": [], "relations": []}
    works = gold_work(
        load_gold(gold(tmp_path / "g.jsonl", row, row)).chunks, CHUNK_PROFILES["default"]
    )
    assert [w.start for w in works] == [0, 0]


def test_the_shipped_gold_is_what_its_readme_says() -> None:
    chunks = load_gold(shipped_gold()).chunks
    groups = Counter(
        (
            "loops"
            if "loop" in c.document
            else "prose"
            if c.document.startswith("exhibits")
            else "missions"
        )
        for c in chunks
    )
    assert groups == {"loops": 20, "prose": 10, "missions": 10}
    assert {e.type for c in chunks for e in c.entities} == TYPES
    assert all(80 <= len(c.text.split()) <= 200 for c in chunks)
    assert shipped_gold().stat().st_size < 300_000


@pytest.mark.parametrize("path", [shipped_gold(), SECOND_READING], ids=["gold", "second reading"])
def test_shipped_marks_keep_to_their_guidelines(path: Path) -> None:
    for chunk in load_gold(path).chunks:
        spans = [e.span for e in chunk.entities]
        assert all(a[1] <= b[0] for a, b in pairwise(spans)), (
            "nothing is marked inside another mention"
        )
        for entity in chunk.entities:
            assert entity.text == entity.text.strip()
            first = entity.text.split()[0]
            assert (
                first.casefold()
                not in {"the", "a", "an", "your", "our", "my", "this", "that", "i", "it", "we"}
                or entity.text == "A bus"
            )
        assert all(r.label and entity_key(r.head) != entity_key(r.tail) for r in chunk.relations)


def test_the_second_reading_is_of_ten_chunks_of_the_gold() -> None:
    first = {c.id: c for c in load_gold(shipped_gold()).chunks}
    second = load_gold(SECOND_READING).chunks
    assert len(second) == 10
    assert all(c.turns == first[c.id].turns and c.entities != () for c in second)
