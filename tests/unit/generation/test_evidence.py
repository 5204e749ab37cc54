"""Which spans of the documents become evidence, in which order and under which labels, and how one
is shortened.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from dynagrag.config.settings import PROFILES
from dynagrag.core.schema import Evidence, Question, ScoredPassage, Snapshot, Subgraph, Vector
from dynagrag.generation.evidence import (
    QuestionEvidence,
    first_word,
    holds,
    line_of,
    passage_evidence,
    shortened,
    speaker_spans,
    turn_begun_by,
)
from dynagrag.generation.traversal import BFS, first_nodes
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior
from tests.transcripts import snapshot_of

NEAR_FIRST, NEAR_SECOND = np.array([0, 1, 0, 0], np.float32), np.array([0, 0, 1, 0], np.float32)
"""Questions that are nearer to one of the two passages."""
ENGINE, HOUSTON, MOON = (
    "Engine start. The engine burns hot.",
    "Houston guides the crew.",
    "The crew lands on the Moon. All is well.",
)
LANDS = "The crew lands on the Moon."


def ego(snapshot: Snapshot, num_nodes: int = 3) -> tuple[Subgraph, tuple[int, ...]]:
    """The graph around the crew, and so many of its nodes."""
    (subgraph,) = EgoIndex.build(snapshot.graph, PROFILES["paper"]).subgraphs(
        np.array([0]), np.zeros(3)
    )
    return subgraph, BFS().walk(
        subgraph,
        NEAR_FIRST,
        UntrainedPrior().score([subgraph], NEAR_FIRST)[0],
        first_nodes(num_nodes),
    ).order


def of_question(
    snapshot: Snapshot, vector: Vector, ranked: Sequence[int] = (), **limits: int
) -> QuestionEvidence:
    passages = [ScoredPassage(snapshot.passages[i], 1.0) for i in ranked]
    return QuestionEvidence(
        PassageScores(snapshot), Question("Who lands?", vector), passages, **limits
    )


def told(evidence: Sequence[Evidence]) -> list[tuple[str, str, str]]:
    return [(e.label, e.id, e.quote) for e in evidence]


def test_passages_are_cut_where_the_speaker_changes_and_keep_who_and_when(
    moon_snapshot: Snapshot,
) -> None:
    evidence = of_question(moon_snapshot, NEAR_FIRST).of_subgraph(*ego(moon_snapshot))
    assert told(evidence) == [("E1", "p0", ENGINE), ("E2", "p0", HOUSTON), ("E3", "p1", MOON)]
    assert [(e.speaker, e.start_s, e.document_id) for e in evidence] == [
        ("CDR", 0.5, "doc"),
        ("CC", 72.9, "doc"),
        (None, None, "doc"),
    ]
    assert [moon_snapshot.text("doc", e.start, e.end) for e in evidence] == [ENGINE, HOUSTON, MOON]


@pytest.mark.parametrize(
    ("vector", "ranked", "first"),
    [
        (NEAR_FIRST, (), "p0"),
        (NEAR_SECOND, (), "p1"),
        (NEAR_FIRST, (1,), "p1"),
        (NEAR_SECOND, (0, 1), "p0"),
        (np.zeros(4), (), "p0"),
    ],
)
def test_the_retriever_s_order_comes_first_then_nearness_then_places(
    moon_snapshot: Snapshot, vector: Vector, ranked: tuple[int, ...], first: str
) -> None:
    evidence = of_question(moon_snapshot, vector.astype(np.float32), ranked).of_subgraph(
        *ego(moon_snapshot)
    )
    assert evidence[0].id == first


def test_ids_decide_nothing_between_passages(moon_snapshot: Snapshot) -> None:
    other = {"p0": "z", "p1": "a", "r0": "y", "r1": "b"}
    passages = tuple(replace(passage, id=other[passage.id]) for passage in moon_snapshot.passages)
    records = {
        other[r.id]: replace(r, id=other[r.id], passage_id=other[r.passage_id])
        for r in moon_snapshot.records.values()
    }
    relations = tuple(
        replace(r, record_ids=tuple(other[i] for i in r.record_ids))
        for r in moon_snapshot.graph.relations
    )
    held = tuple(tuple(other[p] for p in own) for own in moon_snapshot.graph.entity_passages)
    graph = replace(moon_snapshot.graph, relations=relations, entity_passages=held)
    renamed = replace(moon_snapshot, passages=passages, records=records, graph=graph)
    found = [
        of_question(s, np.zeros(4, np.float32)).of_subgraph(*ego(s))
        for s in (moon_snapshot, renamed)
    ]
    assert [e.quote for e in found[1]] == [e.quote for e in found[0]] == [ENGINE, HOUSTON, MOON]


def test_quotes_of_visited_edges_come_where_no_chosen_span_holds_them(
    moon_snapshot: Snapshot,
) -> None:
    whole = ego(moon_snapshot)
    first, second = (
        of_question(moon_snapshot, vector, max_passages=1).of_subgraph(*whole)
        for vector in (NEAR_FIRST, NEAR_SECOND)
    )
    assert told(first) == [("E1", "p0", ENGINE), ("E2", "p0", HOUSTON), ("E3", "r1", LANDS)]
    assert told(second) == [("E1", "p1", MOON), ("E2", "r0", HOUSTON)]
    none = of_question(moon_snapshot, NEAR_FIRST, max_passages=0)
    assert told(none.of_subgraph(*whole)) == [("E1", "r0", HOUSTON), ("E2", "r1", LANDS)], (
        "by the nearness of their passages"
    )
    assert told(
        of_question(moon_snapshot, NEAR_SECOND, max_passages=0, max_quotes=1).of_subgraph(*whole)
    ) == [("E1", "r1", LANDS)]
    assert none.of_subgraph(*ego(moon_snapshot, num_nodes=1)) == (), (
        "an edge of which one end was not visited"
    )


def test_what_was_shown_is_not_shown_again_while_there_is_more(moon_snapshot: Snapshot) -> None:
    question = of_question(moon_snapshot, NEAR_FIRST)
    whole = question.of_subgraph(*ego(moon_snapshot))
    question.show(whole[:2])
    assert told(question.of_subgraph(*ego(moon_snapshot))) == [("E3", "p1", MOON)]
    question.show([replace(whole[2], label="E7")])
    again = question.of_subgraph(*ego(moon_snapshot))
    assert [e.label for e in again] == ["E1", "E2", "E7"], "the same words keep their label"
    fresh = of_question(moon_snapshot, NEAR_SECOND, max_passages=0)
    fresh.show([replace(whole[1], start=whole[1].start - 5, end=whole[1].end + 5)])
    assert told(fresh.of_subgraph(*ego(moon_snapshot))) == [("E3", "r1", LANDS)], (
        "nor what a shown span holds"
    )


def test_labels_of_passages_count_from_the_first(moon_snapshot: Snapshot) -> None:
    scored = [ScoredPassage(passage, 1.0) for passage in moon_snapshot.passages]
    assert told(passage_evidence(moon_snapshot, scored, 5)) == [
        ("E5", "p0", ENGINE),
        ("E6", "p0", HOUSTON),
        ("E7", "p1", MOON),
    ]


def test_a_copy_of_what_a_better_passage_says_has_no_line() -> None:
    same = "The charging contacts of the remote were tested twice."
    talk = [("ANN", f"{same} They hold."), ("BOB", same), ("ANN", f"It is late. {same.upper()}")]
    talk += [("BOB", "I do think so."), ("ANN", "Is it done?"), ("BOB", "I do think so.")]
    made = snapshot_of(talk)
    lines = passage_evidence(made, [ScoredPassage(p, 1.0) for p in made.passages])
    assert [(e.label, e.speaker, e.quote) for e in lines] == [
        ("E1", "ANN", f"{same} They hold."),
        ("E2", "BOB", same),
        ("E3", "ANN", "It is late."),
        ("E4", "BOB", "I do think so."),
        ("E5", "ANN", "Is it done?"),
        ("E6", "BOB", "I do think so."),
    ]


def test_turns_of_one_speaker_are_one_span_and_short_calls_are_left_out(
    moon_snapshot: Snapshot,
) -> None:
    passage, (first, second, third) = moon_snapshot.passages[0], moon_snapshot.turns["doc"]
    same = replace(moon_snapshot, turns={"doc": (first, replace(second, speaker="CDR"), third)})
    assert speaker_spans(same, passage) == [("p0", "doc", 0, second.end)]
    short = replace(moon_snapshot, turns={"doc": (replace(first, end=13), second, third)})
    assert speaker_spans(short, passage) == [("p0", "doc", second.start, second.end)], "two words"
    cut = replace(passage, start=0, end=13)
    assert speaker_spans(moon_snapshot, cut) == [("p0", "doc", 0, 13)], (
        "unless there is nothing else"
    )
    three = replace(moon_snapshot, turns={"doc": (replace(first, end=17), second, third)})
    assert speaker_spans(three, passage)[0] == ("p0", "doc", 0, 17)


def test_the_turn_that_holds_an_offset(moon_snapshot: Snapshot) -> None:
    turns = moon_snapshot.turns["doc"]
    found = [turn_begun_by(turns, at) for at in (0, turns[1].start - 1, turns[1].start, 10_000)]
    assert [turn.index if turn else None for turn in found] == [0, 0, 1, 2]
    assert turn_begun_by(turns[1:], 0) is None


@pytest.mark.parametrize(
    ("document", "start", "end", "is_inside"),
    [
        ("d", 10, 20, True),
        ("d", 9, 20, False),
        ("d", 10, 21, False),
        ("d", 12, 12, False),
        ("d", 19, 20, True),
        ("x", 12, 13, False),
    ],
)
def test_a_span_lies_inside_or_not(document: str, start: int, end: int, is_inside: bool) -> None:
    assert holds(Evidence("E1", "p", "d", 10, 20, "0123456789"), document, start, end) is is_inside


LINE = Evidence("E1", "p", "d", 100, 131, "It rained. “Was it?” It was so.")


@pytest.mark.parametrize(
    ("room", "quote"),
    [
        (37, "It rained. “Was it?” It was so."),
        (36, "It rained. “Was it?”"),
        (26, "It rained. “Was it?”"),
        (25, "It rained."),
        (16, "It rained."),
        (15, "It"),
        (8, "It"),
    ],
)
def test_a_line_is_cut_behind_a_sentence_and_else_behind_a_word(room: int, quote: str) -> None:
    assert len(line_of(LINE)) == 38
    short = shortened(LINE, room + 1)
    assert short is not None
    assert (short.quote, short.start, short.end, len(line_of(short)) <= room + 1) == (
        quote,
        100,
        100 + len(quote),
        True,
    )


def test_where_no_word_fits_the_first_one_is_what_is_left() -> None:
    assert shortened(LINE, 8) is None
    assert (first_word(LINE).quote, first_word(LINE).end) == ("It", 102)
    assert first_word(replace(LINE, quote="")).end == 100
