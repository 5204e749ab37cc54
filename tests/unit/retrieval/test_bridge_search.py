"""Passages by Bridge-PPR: bridges and their trace, questions that were split, corpora without a
graph.
"""

from dataclasses import replace

import numpy as np
import pytest
from bridge_corpora import D, entity, facts_of, snapshot, unit

from dynagrag.core.schema import Facts, Question
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch


def test_the_second_step_of_a_question_is_found_over_the_bridge_and_the_trace_says_so() -> None:
    """The river's passage names the country; the country's passage has no word of the question and
    a vector far from it.
    """
    texts = [
        "The Bubye River is in Zimbabwe.",
        "Falls of great height are in Zimbabwe.",
        "The Bubye is long.",
        "Moss grows.",
        "Oil is black.",
    ]
    vectors = unit(5, 3)
    query = vectors[0] + 0.1 * vectors[2]
    query /= np.linalg.norm(query)
    entities = [entity(0, "Bubye River"), entity(1, "Zimbabwe"), entity(2, "Moss")]
    facts = facts_of([[0, 1], [1], [0], [2], []], [(0, [0, 1])], subjects=[0, 1, -1, 2, -1])
    facts.vectors[0] = vectors[0]
    names = unit(3, 4)
    names[1] = vectors[1]
    found = BridgeSearch(snapshot(texts, vectors, entities, names, facts)).retrieve(
        Question("What is in the land of the Bubye River?", query), 5, 0
    )
    assert [s.passage.id for s in found.passages[:2]] == ["p000", "p001"]
    assert found.trace is not None
    assert found.trace.linked == ("Bubye River",)
    assert [text for text, _ in found.trace.facts] == ["fact 0"]
    assert [
        (b.source_id, b.name, b.passage_id) for b in found.trace.bridges if b.passage_id == "p001"
    ] == [("p000", "Zimbabwe", "p001")]
    parts = {p.passage_id: p for p in found.trace.parts}
    for scored, part in zip(found.passages, found.trace.parts, strict=True):
        assert part.first + part.graph + part.bridge + part.around == pytest.approx(
            scored.score, abs=2e-6
        )
    assert (
        parts["p001"].bridge
        == next(b.gain for b in found.trace.bridges if b.passage_id == "p001")
        > 0
    )
    assert {p.around for p in found.trace.parts} == {0.0}


@pytest.mark.parametrize("has_graph", [True, False])
def test_a_question_that_was_split_is_ranked_by_its_steps_too_and_the_trace_adds_up(
    has_graph: bool,
) -> None:
    texts = ["The pump is old.", "Acme built the pump.", "Ada leads Acme.", "Moss grows."]
    entities = [entity(0, "Acme"), entity(1, "Ada")] if has_graph else []
    facts = facts_of([[], [0], [0, 1], []], [(2, [0, 1])]) if has_graph else facts_of([[]] * 4, [])
    search = BridgeSearch(snapshot(texts, unit(4, 3), entities, unit(len(entities), 4), facts))
    asked = Question("Who leads the firm that built the pump?", unit(1, 5)[0])
    steps = (
        Question("Which firm built the pump?", unit(1, 6)[0]),
        Question("Who leads it?", unit(1, 7)[0]),
    )
    whole, own = search.rank(asked).total, [search.rank(step).total for step in steps]
    split = replace(asked, steps=steps)
    long = replace(asked, text=" ".join(f"word{i}" for i in range(40)))
    change = search.rank(replace(long, steps=steps)).total - search.rank(long).total
    assert change == pytest.approx(0.15 / 1.15 * (np.mean(own, axis=0) - search.rank(long).total))
    assert search.rank(split).total == pytest.approx((whole + 0.6 * np.mean(own, axis=0)) / 1.6)
    found = search.retrieve(split, 4, 0)
    if found.trace is None:
        assert not has_graph
        return
    assert found.trace.steps == ("Which firm built the pump?", "Who leads it?")
    assert any(part.steps for part in found.trace.parts)
    for scored, part in zip(found.passages, found.trace.parts, strict=True):
        assert part.first + part.graph + part.bridge + part.around + part.steps == pytest.approx(
            scored.score, abs=2e-6
        )


def test_without_a_graph_vectors_and_words_are_left() -> None:
    texts = ["Moss grows.", "Oil is black.", "The river is long."]
    vectors = unit(3, 3)
    found = BridgeSearch(
        snapshot(texts, vectors, [], np.zeros((0, D), np.float32), Facts())
    ).retrieve(Question("oil", vectors[1]), 3, 0)
    assert found.passages[0].passage.id == "p001"
    assert (found.trace, found.notes) == (
        None,
        ("the graph is empty: passages by vectors and words alone",),
    )


def test_the_best_of_the_first_stage_is_third_at_least_without_the_graph() -> None:
    vectors = unit(30, 3) + 2 * unit(1, 4)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    facts = facts_of(
        [[0, 1] if i < 28 else [] for i in range(30)], [(i, [0, 1]) for i in range(28)]
    )
    made = snapshot(
        [f"words {i}" for i in range(30)],
        vectors,
        [entity(0, "Zed"), entity(1, "Oil")],
        unit(2, 4),
        facts,
    )
    for row in (28, 29):
        found = BridgeSearch(made).retrieve(Question("What of Zed and Oil?", vectors[row]), 30, 0)
        assert f"p0{row}" in [s.passage.id for s in found.passages[:3]]
        assert sorted(s.passage.id for s in found.passages) == [f"p{i:03}" for i in range(30)]


def test_a_line_that_words_find_is_not_buried_under_the_document_that_holds_the_name() -> None:
    """The name stands in the first document alone; the line is in the second, amid lines that fit
    nothing.
    """
    texts = [*(f"Ada spoke of thing {i}" for i in range(20)), *(f"words {i}" for i in range(20))]
    texts[30] = "periscope is retracting"
    vectors = unit(40, 3)
    query = vectors[:20].sum(axis=0)
    query /= np.linalg.norm(query)
    facts = facts_of(
        [[0, 1] if i < 20 else [2] for i in range(40)], [(i, [0, 1]) for i in range(20)]
    )
    made = snapshot(
        texts,
        vectors,
        [entity(i, name) for i, name in enumerate(("Ada", "Thing", "Word"))],
        unit(3, 4),
        facts,
        per_document=20,
    )
    found = BridgeSearch(made).retrieve(
        Question("When did Ada say the periscope is retracting?", query), 8, 0
    )
    assert "p030" in [s.passage.id for s in found.passages]


def test_without_a_graph_words_count_as_much_as_vectors() -> None:
    vectors = np.eye(3, D, dtype=np.float32)
    search = BridgeSearch(
        snapshot(["Moss.", "Oil.", "Sand."], vectors, [], np.zeros((0, D), np.float32), Facts())
    )
    assert search.rank(Question("oil", vectors[0])).first.tolist() == pytest.approx([1.0, 1.0, 0.0])


def test_words_that_occur_nowhere_lift_nothing() -> None:
    vectors = unit(40, 3)
    query = -vectors[:3].sum(axis=0)
    query /= np.linalg.norm(query)
    facts = facts_of([[0] if i == 39 else [] for i in range(40)], [])
    search = BridgeSearch(
        snapshot(
            [f"words {i}" for i in range(40)],
            vectors,
            [entity(0, "Zed")],
            unit(1, 4),
            facts,
            per_document=40,
        )
    )
    ids = [s.passage.id for s in search.retrieve(Question("unheard of", query), 40, 0).passages]
    assert not {"p000", "p001", "p002"} & set(ids[:9])
