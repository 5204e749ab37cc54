"""What counts as found: heads and overlaps, relations with and without direction, what people are
shown, and the figures made of it.
"""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Flag, MentionKind
from dynagrag.evaluation.bootstrap_intervals import f1_intervals
from dynagrag.evaluation.extraction.extraction_gold import GoldChunk
from dynagrag.evaluation.extraction.extraction_scores import (
    NumberedNames,
    PrecisionCounts,
    RecallCounts,
    TypeAgreement,
    extraction_scores,
)
from dynagrag.evaluation.extraction.found_lines import FoundLine, FoundMention, FoundRelation
from dynagrag.evaluation.extraction.found_things import (
    FoundThings,
    Thing,
    ThingPair,
    found_in,
    marked,
)
from dynagrag.evaluation.extraction.matching import (
    gold_keys,
    head_of,
    is_same_pair,
    overlap_pairs,
    overlaps,
    shared,
)

TEXT = "Turn on the fans in O₂ TANK 1, and watch FUEL CELL 1 and MAIN BUS B with GPT-3.5."


def span_of(words: str, text: str = TEXT) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)


@pytest.mark.parametrize(
    ("mention", "head"),
    [
        ("fans", "fans"),
        ("O₂ TANK 1", "TANK"),
        ("FUEL CELL 1", "CELL"),
        ("MAIN BUS B", "BUS"),
        ("GPT-3.5", "GPT"),
        ("1", "1"),
        ("B", "B"),
        (".", "."),
    ],
)
def test_the_head_is_the_last_word_that_is_no_number_or_letter(mention: str, head: str) -> None:
    span = span_of(mention)
    assert TEXT[slice(*head_of(TEXT, span))] == head


@pytest.mark.parametrize(
    ("found", "gold", "wanted"),
    [
        ("FUEL CELL 1", "FUEL CELL 1", True),
        ("FUEL CELL", "FUEL CELL 1", True),
        ("CELL 1", "FUEL CELL 1", True),
        ("CELL", "FUEL CELL 1", False),
        ("FUEL", "FUEL CELL 1", False),
        ("the fans", "fans", True),
        ("fans in O₂ TANK 1", "O₂ TANK 1", True),
        ("fans in O₂ TANK 1", "fans", False),
        ("Turn on the fans", "fans", False),
        ("GPT-3", "GPT-3.5", True),
        ("MAIN BUS B", "FUEL CELL 1", False),
    ],
)
def test_mentions_overlap_that_share_half_of_the_longer_one_and_the_head(
    found: str, gold: str, wanted: bool
) -> None:
    assert overlaps(TEXT, span_of(found), span_of(gold)) is wanted
    assert overlaps(TEXT, span_of(gold), span_of(found)) is wanted


def test_each_mention_is_matched_once_the_best_overlap_first() -> None:
    gold = [thing("FUEL CELL 1")]
    matched = overlap_pairs(TEXT, [thing("FUEL CELL"), thing("FUEL CELL 1"), thing("CELL 1")], gold)
    assert [(f.name, g.name) for f, g in matched] == [("FUEL CELL 1", "FUEL CELL 1")]


@st.composite
def texts_with_spans(draw: st.DrawFn) -> tuple[str, list[Thing], list[Thing]]:
    """A text of few words, so that heads and spans often coincide, with what was found and marked
    in it.
    """
    words = draw(
        st.lists(st.sampled_from(["TANK", "1", "B", "and", ".", "fans"]), min_size=1, max_size=8)
    )
    text = " ".join(words)
    ends = st.integers(0, len(text))
    spans = st.none() | st.tuples(ends, ends).map(lambda pair: (min(pair), max(pair)))
    things = st.lists(spans.map(lambda span: Thing(span, "", "", "")), max_size=6)
    return text, draw(things), draw(things)


@given(texts_with_spans())
def test_mentions_are_matched_as_if_all_were_compared(
    case: tuple[str, list[Thing], list[Thing]],
) -> None:
    text, found, gold = case
    pairs = [
        (
            -shared(f.span, g.span) / (max(f.span[1], g.span[1]) - min(f.span[0], g.span[0])),
            f.span,
            g.span,
            i,
            j,
        )
        for i, f in enumerate(found)
        for j, g in enumerate(gold)
        if f.span is not None
        and g.span is not None
        and shared(f.span, g.span)
        and overlaps(text, f.span, g.span)
    ]
    chosen: dict[int, int] = {}
    for *_, i, j in sorted(pairs):
        if i not in chosen and j not in chosen.values():
            chosen[i] = j
    by_place = [(id(found[i]), id(gold[j])) for i, j in chosen.items()]
    assert [(id(f), id(g)) for f, g in overlap_pairs(text, found, gold)] == by_place


def test_many_mentions_are_matched_by_their_heads_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    num_compared = 0

    def counted(a: tuple[int, int], b: tuple[int, int]) -> int:
        nonlocal num_compared
        num_compared += 1
        return shared(a, b)

    monkeypatch.setattr("dynagrag.evaluation.extraction.matching.shared", counted)
    text = "TANK " * 2000
    things = [Thing((at, at + 4), "TANK", "tank", "") for at in range(0, len(text), 5)]
    assert len(overlap_pairs(text, things, things)) == 2000
    assert num_compared < 10_000


def thing(words: str, type_: str = "equipment") -> Thing:
    return Thing(span_of(words), words, entity_key(words), type_)


@pytest.mark.parametrize(
    ("found", "is_directed", "wanted"),
    [
        (("fans", "o2 tank 1", "the fans in O₂ TANK 1"), True, True),
        (("o2 tank 1", "fans", "the fans in O₂ TANK 1"), True, False),
        (("o2 tank 1", "fans", "the fans in O₂ TANK 1"), False, True),
        (("fans", "o2 tank", "the fans in O₂ TANK 1"), True, True),
        (("fans", "tank 1", "the fans in O₂ TANK 1"), True, True),
        (("fans", "main bus b", TEXT), False, False),
        (("fans", "o2 tank 1", "Turn on"), False, False),
        (("fans", "o2 tank 1", TEXT), True, True),
        (("fans", "o2 tank 1", "TANK 1, and watch FUEL CELL 1"), True, False),
    ],
)
def test_a_relation_joins_the_marked_ends_by_the_same_words(
    found: tuple[str, str, str], is_directed: bool, wanted: bool
) -> None:
    gold = ThingPair("fans", "o2 tank 1", "are in", span_of("fans in O₂ TANK 1"), False)
    things = [thing("fans"), thing("O₂ TANK"), thing("MAIN BUS B")]
    keys = gold_keys(
        [*things, Thing(None, "Tank 1", "tank 1", "")],
        [*overlap_pairs(TEXT, things, [thing("O₂ TANK 1")])],
    )
    keys = dict(keys) | {"tank 1": {"tank 1", "o2 tank 1"}}
    head, tail, quote = found
    assert (
        is_same_pair(ThingPair(head, tail, "in", span_of(quote), False), gold, keys, is_directed)
        is wanted
    )


# ------------------------------------------------------------------------------------ what is shown


def said(
    name: str,
    start: int,
    end: int,
    *flags: Flag,
    type_: str = "name",
    kind: MentionKind = MentionKind.SAID,
) -> FoundMention:
    return FoundMention(
        id=f"{name}{start}{flags}{kind}",
        name=name,
        key=entity_key(name),
        type=type_,
        start=start,
        end=end,
        kind=kind,
        flags=flags,
        passages=(f"p{start}",),
    )


def chunk(text: str, *entities: str, id_: str = "c", **more: Any) -> GoldChunk:
    return GoldChunk.model_validate(
        {
            "id": id_,
            "text": text,
            "entities": [{"text": e, "type": "equipment"} for e in entities],
            "relations": [],
        }
        | more
    )


def line(
    *mentions: FoundMention, relations: tuple[FoundRelation, ...] = (), id_: str = "c"
) -> FoundLine:
    return FoundLine(chunk=id_, mentions=mentions, relations=relations, num_passages=1)


def test_words_speakers_and_unattested_sentence_starts_are_not_shown() -> None:
    text = "Main chute is out. Understand main chute, GNC."
    found = found_in(
        [chunk(text)],
        {
            "c": line(
                said("Main", 0, 18, Flag.SENTENCE_START),
                said("chute", 0, 18, Flag.CONTENT_WORD, type_="word"),
                said("chute", 19, 46, Flag.CONTENT_WORD, type_="word"),
                said("GNC", 19, 46),
                said("Loop", 0, 46, kind=MentionKind.TITLE),
                said("FLIGHT", 0, 46, kind=MentionKind.SPEAKER),
            )
        },
    )["c"]
    assert [t.name for t in found.things] == ["GNC"]
    assert [t.name for t in found.words] == ["chute", "chute"]
    assert [t.name for t in found.raw] == ["Main", "GNC"]


@pytest.mark.parametrize(
    ("documents", "shown"), [(("one", "one"), []), (("one", "other"), ["flight"])]
)
def test_a_word_that_is_a_name_elsewhere_is_shown_where_its_own_document_has_no_capitals(
    documents: tuple[str, str], shown: list[str]
) -> None:
    rows = [
        chunk(text, id_=id_, document=d)
        for text, id_, d in zip(
            ("the flight director", "ask FLIGHT now"), "ab", documents, strict=True
        )
    ]
    lines = {
        "a": line(said("flight", 0, 19, Flag.CONTENT_WORD, type_="word"), id_="a"),
        "b": line(said("FLIGHT", 0, 14), id_="b"),
    }
    found = found_in(rows, lines)
    assert [t.name for t in found["a"].things] == shown
    assert [t.name for t in found["b"].things] == ["FLIGHT"]


def test_a_name_is_found_at_each_place_in_what_was_read_but_not_inside_a_longer_one() -> None:
    text = "Tank 2. The tank, tank 1 and TANK 2."
    found = found_in(
        [chunk(text)],
        {
            "c": line(
                said("tank", 0, 36),
                said("Tank 2", 0, 7),
                said("tank 1", 8, 36),
                said("pump", 0, 36),
            )
        },
    )["c"]
    assert [(t.span, t.name) for t in found.things] == [
        ((12, 16), "tank"),
        ((0, 6), "Tank 2"),
        ((18, 24), "tank 1"),
        (None, "pump"),
    ]
    alone = found_in([chunk("tank 1")], {"c": line(said("tank", 0, 6), said("tank 1", 0, 6))})["c"]
    assert [t.span for t in alone.things] == [(0, 4), (0, 6)], (
        "where it stands nowhere else it still counts"
    )


def test_relations_of_ends_that_are_not_shown_are_left_out() -> None:
    relations = tuple(
        FoundRelation(head=h, label="mentioned with", tail=t, start=0, end=8)
        for h, t in (("a1", "b1"), ("a1", "word"))
    )
    found = found_in(
        [chunk("A1 B1 word")],
        {"c": line(said("A1", 0, 10), said("B1", 0, 10), relations=relations)},
    )["c"]
    assert [(p.head, p.tail, p.is_together) for p in found.pairs] == [("a1", "b1", True)]


# ------------------------------------------------------------------------------------------ figures


def test_the_figures_of_a_chunk_that_can_be_counted_by_hand() -> None:
    gold = chunk(
        TEXT,
        "fans",
        "O₂ TANK 1",
        "FUEL CELL 1",
        "MAIN BUS B",
        relations=[
            {"head": "fans", "label": "are in", "tail": "O₂ TANK 1", "quote": "fans in O₂ TANK 1"}
        ],
    )
    things = tuple(thing(words, "part") for words in ("fans", "O₂ TANK", "GPT-3", "MAIN BUS B"))
    pairs = (
        ThingPair("fans", "o2 tank", "in", span_of("fans in O₂ TANK 1"), False),
        ThingPair("fans", "gpt-3", "mentioned with", (0, 80), True),
    )
    found = extraction_scores([gold], {"c": FoundThings(things, pairs)}, resamples=10)
    exact, overlap, key = (found.entities[how] for how in ("exact", "overlap", "key"))
    assert [own.precision.mean for own in (exact, overlap, key)] == [0.5, 0.75, 0.5]
    assert [own.recall.mean for own in (exact, overlap, key)] == [0.5, 0.75, 0.5]
    directed, together = found.relations["directed"], found.co_occurrences["undirected"]
    assert (directed.f1.mean, together.num_found, together.num_right) == (1.0, 1, 0)
    assert found.numbered_names == NumberedNames(marked=2, whole=0, cut=1, missed=1)
    assert found.recall_by_type == {"equipment": RecallCounts(marked=4, overlap=3, exact=2)}
    assert found.precision_by_type == {"part": PrecisionCounts(found=4, overlap=3, exact=2)}
    assert found.type_agreement == TypeAgreement(matched=3, same=0)


def test_a_name_inside_a_marked_thing_is_right_to_find_and_no_miss() -> None:
    gold = GoldChunk.model_validate(
        {
            "id": "c",
            "text": TEXT,
            "entities": [{"text": "O₂ TANK 1", "inner": ["O₂"]}, {"text": "MAIN BUS B"}],
            "relations": [],
        }
    )
    own = extraction_scores(
        [gold],
        {"c": FoundThings((thing("O₂"), thing("MAIN"), thing("O₂ TANK 1")), ())},
        resamples=10,
    ).entities
    assert [
        (e.num_right, e.num_found, e.num_hit, e.num_gold)
        for e in (own["overlap"], own["with_inner"])
    ] == [
        (1, 3, 1, 2),
        (2, 3, 1, 2),
    ]


NAMES = [
    "fans",
    "O₂ TANK 1",
    "O₂ TANK",
    "FUEL CELL 1",
    "FUEL CELL",
    "CELL 1",
    "MAIN BUS B",
    "BUS",
    "GPT-3.5",
    "GPT-3",
    "watch",
]
READINGS = st.lists(st.sampled_from(NAMES), unique=True, max_size=6)


@given(READINGS, READINGS)
def test_two_readings_agree_alike_whichever_is_called_the_gold(
    one: list[str], other: list[str]
) -> None:
    a, b = chunk(TEXT, *one), chunk(TEXT, *other)
    forth = extraction_scores([a], {"c": marked(b)}, resamples=2)
    back = extraction_scores([b], {"c": marked(a)}, resamples=2)
    for how in ("exact", "overlap", "key"):
        assert forth.entities[how].f1 == back.entities[how].f1
        assert forth.entities[how].precision == back.entities[how].recall
        assert forth.entities["exact"].num_right <= forth.entities["overlap"].num_right


@given(st.lists(st.sampled_from(NAMES), unique=True, min_size=1, max_size=6))
def test_a_reading_agrees_with_itself(names: list[str]) -> None:
    own = chunk(TEXT, *names)
    found = extraction_scores([own], {"c": marked(own)}, resamples=2)
    assert {found.entities[how].f1.mean for how in ("exact", "overlap", "key")} == {1.0}
    assert found.numbered_names.whole == found.numbered_names.marked


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_what_spans_share_is_what_sets_of_their_places_share(
    a: int, b: int, c: int, d: int
) -> None:
    assert shared((a, b), (c, d)) == len(set(range(a, b)) & set(range(c, d)))


COUNTS = st.integers(0, 20).flatmap(
    lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(0, 5), st.just(5))
)


@settings(max_examples=30)
@given(st.lists(COUNTS, min_size=1, max_size=8))
def test_intervals_hold_the_figures_of_the_sums(counts: list[tuple[int, int, int, int]]) -> None:
    found = f1_intervals(counts, resamples=200)
    right, num, hit, wanted = (sum(column) for column in zip(*counts, strict=True))
    assert found["precision"].mean == pytest.approx(right / num if num else 0)
    assert found["recall"].mean == pytest.approx(hit / wanted)
    for own in found.values():
        assert 0 <= own.low <= own.high <= 1
        assert len(counts) > 1 or own.low == own.mean == own.high


def test_intervals_are_those_of_chunks_drawn_again_one_by_one() -> None:
    counts = [(3, 4, 3, 5), (0, 2, 0, 1), (5, 5, 4, 9), (1, 6, 1, 2)]
    rng = random.Random(1)
    drawn = []
    for _ in range(4000):
        right, num, *_ = (sum(column) for column in zip(*rng.choices(counts, k=4), strict=True))
        drawn.append(right / num)
    drawn.sort()
    found = f1_intervals(counts)["precision"]
    assert found.low == pytest.approx(drawn[100], abs=0.03)
    assert found.high == pytest.approx(drawn[-100], abs=0.03)
