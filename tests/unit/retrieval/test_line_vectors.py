"""Pairs of ego-graphs that state nothing have the vector of the line that is nearest to the
question.
"""

from dataclasses import replace

import numpy as np
from bridge_corpora import entity, facts_of, snapshot, unit

from dynagrag.core.schema import CO_OCCURRENCE, Relation, Snapshot, Subgraph
from dynagrag.retrieval.ego.line_vectors import LineVectors

MEANS = unit(3, 9)


def corpus(*labels: str) -> Snapshot:
    """Lines 0 and 1 hold entities 0 and 1, line 2 holds 1 and 2; no line holds 0 and 2. Relation j
    is of pair j.
    """
    made = snapshot(
        ["Text."] * 2, unit(2, 3), [entity(i, f"Name{i}") for i in range(3)], unit(3, 4),
        facts_of([[0, 1], [1, 2]], [(0, [0, 1]), (0, [0, 1]), (1, [1, 2])]),
    )  # fmt: skip
    ends = ((0, 1), (0, 2), (1, 2))
    relations = tuple(
        Relation(f"r{j}", made.graph.entities[u].id, made.graph.entities[v].id, label, 1, 1, (), ())
        for j, ((u, v), label) in enumerate(zip(ends, labels, strict=True))
    )
    return replace(made, graph=replace(made.graph, relations=relations))


def subgraph() -> Subgraph:
    """Round entity 1; its nodes are in another order than the graph's."""
    pairs = np.array([[1, 0], [1, 2], [0, 2]], dtype=np.int64)
    return Subgraph(
        (1, 0, 2),
        (0, 1, 1),
        pairs,
        ((0,), (1,), (2,)),
        unit(3, 4)[[1, 0, 2]],
        MEANS,
        np.ones(3, np.float32),
        0.0,
    )


def test_a_pair_has_the_nearest_line_and_keeps_the_mean_where_no_line_holds_both() -> None:
    made = corpus(CO_OCCURRENCE, CO_OCCURRENCE, CO_OCCURRENCE)
    lines = made.facts.vectors
    for nearest, far in ((0, 1), (1, 0)):
        (found,) = LineVectors(made).put_into([subgraph()], lines[nearest] - 0.5 * lines[far])
        np.testing.assert_array_equal(found.y, [lines[nearest], MEANS[1], lines[2]])
        np.testing.assert_array_equal(found.x, subgraph().x)


def test_a_pair_that_states_something_keeps_what_it_states() -> None:
    made = corpus("feeds", CO_OCCURRENCE, CO_OCCURRENCE)
    (found,) = LineVectors(made).put_into([subgraph()], made.facts.vectors[0])
    np.testing.assert_array_equal(found.y, [MEANS[0], MEANS[1], made.facts.vectors[2]])


def test_without_lines_and_without_pairs_nothing_changes() -> None:
    made = corpus(CO_OCCURRENCE, CO_OCCURRENCE, CO_OCCURRENCE)
    bare = replace(made, facts=facts_of([[]], []))
    (found,) = LineVectors(bare).put_into([subgraph()], unit(1)[0])
    np.testing.assert_array_equal(found.y, MEANS)
    alone = replace(
        subgraph(),
        nodes=(2,),
        hops=(0,),
        pairs=np.zeros((0, 2), np.int64),
        pair_relations=(),
        x=unit(1),
        y=MEANS[:0],
    )
    assert LineVectors(made).put_into([alone], unit(1)[0])[0].y.shape == (0, MEANS.shape[1])
