"""What stands around a passage: smoothing, windows, named speakers, and passages that stand
alone.
"""

from dataclasses import replace

import numpy as np
import pytest
from bridge_corpora import entity, facts_of, snapshot, unit
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.schema import Passage, Question, Turn
from dynagrag.retrieval import passages
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.neighbours import Neighbours, window_rows


@given(st.lists(st.integers(1, 14), min_size=1, max_size=6), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_smoothing_is_its_formula_and_leaves_documents_of_one_passage_alone(
    sizes: list[int], seed: int
) -> None:
    passages = [
        Passage(f"{d}-{i:02}", f"d{d}", i, 0, 1, 0, 0)
        for d, size in enumerate(sizes)
        for i in range(size)
    ]
    scores = np.random.default_rng(seed).random(len(passages))
    neighbours = Neighbours(passages)
    found, presence = neighbours.smooth(scores), neighbours.presence
    at = {(p.document_id, p.index): i for i, p in enumerate(passages)}
    for i, p in enumerate(passages):
        weights = {
            at[p.document_id, p.index + o]: 0.8 ** abs(o)
            for o in range(-5, 6)
            if (p.document_id, p.index + o) in at
        }
        assert found[i] == pytest.approx(
            sum(w * scores[j] for j, w in weights.items()) / sum(weights.values())
        )
        assert presence[i] == pytest.approx(
            (sum(weights.values()) - 1) / (2 * sum(0.8**o for o in range(1, 6)))
        )
        if sizes[int(p.document_id[1:])] == 1:
            assert (found[i], presence[i]) == (scores[i], 0)


def test_a_passage_between_good_neighbours_rises_in_a_conversation_alone() -> None:
    vectors = unit(9, 3)
    query = vectors[3] + vectors[5] + 0.2 * vectors[7]
    query /= np.linalg.norm(query)
    texts = [f"turn {i}" for i in range(9)]
    facts = facts_of([[0] if i == 8 else [] for i in range(9)], [])
    entities, names = [entity(0, "Zed")], unit(1, 4)

    def rank_of_the_middle(per_document: int) -> int:
        arm = BridgeSearch(snapshot(texts, vectors, entities, names, facts, per_document))
        ids = [s.passage.id for s in arm.retrieve(Question("unheard of", query), 9, 0).passages]
        return ids.index("p004")

    assert rank_of_the_middle(9) < rank_of_the_middle(1)


def test_the_best_of_a_short_recording_is_found_beside_a_long_one() -> None:
    """Of a recording of three passages nobody stands around the best one for as long."""
    texts = [f"words {i}" for i in range(43)]
    facts = facts_of([[0], *([] for _ in range(42))], [])
    long = snapshot(texts, unit(43, 3), [entity(0, "Zed")], unit(1, 4), facts, per_document=43)
    parted = tuple(
        replace(p, document_id="d001", index=i - 40) if i >= 40 else p
        for i, p in enumerate(long.passages)
    )
    documents = {**long.documents, "d001": replace(long.documents["d000"], id="d001")}
    arm = BridgeSearch(replace(long, passages=parted, documents=documents))
    scores = np.full(43, 0.5)
    scores[15:26], scores[41] = 0.75, 1.0
    assert np.argmax(arm._with_surroundings(scores, ())) == 41


def test_the_graph_adds_a_third_amid_long_documents_and_all_where_passages_stand_alone() -> None:
    facts = facts_of([[0] if i % 2 else [] for i in range(60)], [])

    def gate(per_document: int) -> float:
        made = snapshot(
            [f"words {i}" for i in range(60)],
            unit(60, 3),
            [entity(0, "Zed")],
            unit(1, 4),
            facts,
            per_document,
        )
        found = BridgeSearch(made).rank(Question("unheard of", unit(1, 9)[0])).found
        assert found is not None
        return found.gate

    assert gate(1) == 0.25
    assert 0.25 / 3 < gate(60) < 0.25 * 0.36


def test_windows_stay_inside_their_document() -> None:
    windows = window_rows(np.repeat([0, 1, 2], [1, 5, 2]), 2).tolist()
    assert windows == [[0, 1], [1, 4], [1, 5], [1, 6], [2, 6], [3, 6], [6, 8], [6, 8]]


def test_a_speaker_that_the_question_names_lifts_what_they_say() -> None:
    texts = [f"words {i}" for i in range(6)]
    facts = facts_of([[0], [1], [0], [1], [0], [1]], [])
    entities = [
        replace(entity(0, "Ada"), is_speaker=True),
        replace(entity(1, "Bob"), is_speaker=True),
    ]
    made = snapshot(
        texts, np.repeat(unit(1, 3), 6, axis=0), entities, unit(2, 4), facts, per_document=6
    )
    turns = {
        "d000": tuple(
            Turn(f"t{i}", "d000", i, p.start, p.end, "Ada" if i % 2 == 0 else "Bob")
            for i, p in enumerate(made.passages)
        )
    }
    arm = BridgeSearch(replace(made, turns=turns))
    found = arm.retrieve(Question("What did Bob say?", unit(1, 9)[0]), 6, 0)
    assert {s.passage.id for s in found.passages[:3]} == {"p001", "p003", "p005"}
    assert found.trace is not None
    assert found.trace.linked == ("Bob",)


def test_a_named_speakers_words_rise_where_all_else_is_equal() -> None:
    """The graph has Bob in another document alone, so nothing but who speaks tells the six passages
    apart.
    """
    facts = facts_of([[0]] * 6 + [[1]], [])
    entities = [
        replace(entity(0, "Ada"), is_speaker=True),
        replace(entity(1, "Bob"), is_speaker=True),
    ]
    made = snapshot(
        ["words"] * 6 + ["other"],
        np.repeat(unit(1, 3), 7, axis=0),
        entities,
        unit(2, 4),
        facts,
        per_document=6,
    )
    turns = {
        "d000": tuple(
            Turn(f"t{i}", "d000", i, p.start, p.end, "Bob" if i in (2, 5) else "Ada")
            for i, p in enumerate(made.passages[:6])
        )
    }
    search = BridgeSearch(replace(made, turns=turns))
    vector = unit(1, 9)[0]

    def order(text: str) -> list[str]:
        ids = [s.passage.id for s in search.retrieve(Question(text, vector), 7, 0).passages]
        return [id_ for id_ in ids if id_ != "p006"]

    assert set(order("What did Bob say?")[:2]) == {"p002", "p005"}
    assert set(order("What did he say?")[:2]) != {"p002", "p005"}


def test_a_passage_that_stands_alone_keeps_its_place_beside_a_transcript() -> None:
    """Surroundings reorder a transcript's passages among themselves: the scores that they hold
    together stay.
    """
    facts = facts_of([[0], *([] for _ in range(7))], [])
    texts = [f"words {i}" for i in range(8)]
    lone = snapshot(texts, unit(8, 3), [entity(0, "Zed")], unit(1, 4), facts, per_document=1)
    passages = tuple(
        replace(p, document_id="d000", index=i) if i < 6 else p for i, p in enumerate(lone.passages)
    )
    search = BridgeSearch(replace(lone, passages=passages))
    for seed in range(20):
        ranking = search.rank(Question("unheard of", unit(1, 100 + seed)[0]))
        assert ranking.total[6:].tolist() == ranking.alone[6:].tolist()
        assert np.sort(ranking.total) == pytest.approx(np.sort(ranking.alone), abs=1e-6)


def naive_order(search: BridgeSearch, asked: Question, sizes: list[int]) -> list[int]:
    """Steps 1 to 4 of docs/papers.md, Surroundings, for documents of so many passages without
    speakers.
    """
    s = search.rank(asked).alone
    documents = np.repeat(np.arange(len(sizes)), sizes)
    num = len(documents)
    weights = np.array(
        [
            [
                0.8 ** abs(i - j) if documents[i] == documents[j] and abs(i - j) <= 5 else 0.0
                for j in range(num)
            ]
            for i in range(num)
        ]
    )
    w = (weights.sum(axis=1) - 1) / (2 * sum(0.8**o for o in range(1, 6)))
    smooth = weights @ s / weights.sum(axis=1)
    most = np.repeat([w[documents == d].max() for d in range(len(sizes))], sizes)
    order = s + 2 * (w * passages.z01(smooth) + (1 - most) * s)
    return np.argsort(-np.round(order, 6), kind="stable").tolist()


def test_passages_of_a_transcript_stand_in_the_written_order() -> None:
    facts = facts_of([[0] if i == 17 else [] for i in range(18)], [])
    made = snapshot(
        [f"words {i}" for i in range(18)],
        unit(18, 3),
        [entity(0, "Zed")],
        unit(1, 4),
        facts,
        per_document=18,
    )
    search = BridgeSearch(made)
    for seed in range(20):
        asked = Question("unheard of", unit(1, 200 + seed)[0])
        found = [int(s.passage.id[1:]) for s in search.retrieve(asked, 18, 0).passages]
        assert found == naive_order(search, asked, [18])


def test_no_passages_have_no_windows() -> None:
    assert window_rows(np.zeros(0, dtype=np.int64), 2).shape == (0, 2)
