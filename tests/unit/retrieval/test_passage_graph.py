"""The graph of passages: their names, and the pairs that a line holds together, with the line
nearest to the question.
"""

import numpy as np
import pytest
from bridge_corpora import entity, facts_of, snapshot, unit

from dynagrag.core.schema import Facts
from dynagrag.retrieval.ego.passage_graph import PassageGraphs

NAMES = ("Acme", "Ada", "Bath", "Cleo")


def graphs(
    held: list[list[int]], facts: list[tuple[int, list[int]]]
) -> tuple[PassageGraphs, Facts]:
    made = facts_of(held, facts)
    entities = [entity(i, name) for i, name in enumerate(NAMES)]
    return PassageGraphs(
        snapshot(["Text."] * len(held), unit(len(held), 3), entities, unit(len(entities), 4), made)
    ), made


def test_a_pair_has_the_vector_of_the_line_that_is_nearest_to_the_question() -> None:
    made, facts = graphs([[0, 1], [0, 1, 2], [3]], [(0, [0, 1]), (1, [0, 1, 2]), (1, [0, 1])])
    for nearest, far in ((0, 1), (1, 2), (2, 0)):
        query = 0.9 * facts.vectors[nearest] - 0.3 * facts.vectors[far]
        found = made.subgraph([0, 1, 2], query)
        assert found.nodes == (0, 1, 2, 3), "in the order of the passages, those without a pair too"
        assert found.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
        best = max(facts.vectors, key=lambda vector: float(vector @ query))
        assert found.y[0] == pytest.approx(best)
        assert found.y[1] == pytest.approx(facts.vectors[1])
        assert found.weights.tolist() == [3, 1, 1]


def test_only_what_the_passages_hold_is_in_it() -> None:
    made, facts = graphs([[0, 1], [0, 2]], [(0, [0, 1]), (1, [0, 2])])
    found = made.subgraph([1], facts.vectors[0])
    assert (found.nodes, found.pairs.tolist()) == ((0, 2), [[0, 1]])
    assert np.allclose(np.linalg.norm(found.x, axis=1), 1)


@pytest.mark.parametrize("rows", [[], [0]])
def test_passages_without_names_are_an_empty_graph(rows: list[int]) -> None:
    made, facts = graphs([[], [0, 1]], [(1, [0, 1])])
    found = made.subgraph(rows, facts.vectors[0])
    width = facts.vectors.shape[1]
    assert (found.nodes, found.pairs.shape, found.x.shape, found.y.shape) == (
        (),
        (0, 2),
        (0, width),
        (0, width),
    )
