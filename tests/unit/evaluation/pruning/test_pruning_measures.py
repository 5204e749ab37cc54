"""Average precision and support of scores, against values computed by hand."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import PruneScores, Subgraph, Vector
from dynagrag.evaluation.pruning.pruning_example import PruningExample
from dynagrag.evaluation.pruning.pruning_measures import (
    EDGE_AP,
    NODE_AP,
    SUPPORT,
    NearFirst,
    RandomPruner,
    measure_pruner,
)
from dynagrag.retrieval.pruning.no_pruner import NoPruner

ZEROS = np.zeros(2, np.float32)


def path_of(*nodes: int) -> Subgraph:
    pairs = np.array([(i, i + 1) for i in range(len(nodes) - 1)], dtype=np.int64).reshape(-1, 2)
    flat = np.zeros((len(nodes), 2), np.float32)
    return Subgraph(
        nodes,
        (0,) * len(nodes),
        pairs,
        ((),) * len(pairs),
        flat,
        flat[1:],
        np.ones(len(pairs), np.float32),
        0.0,
    )


@dataclass
class Given:
    """Scores as given: of each subgraph its nodes', then its edges'."""

    scores: list[tuple[list[float], list[float]]]

    def score(self, subgraphs: tuple[Subgraph, ...], query: Vector) -> tuple[PruneScores, ...]:
        return tuple(
            PruneScores(np.array(n, np.float32), np.array(e, np.float32), "given", False)
            for n, e in self.scores
        )


def labels(*values: float) -> Vector:
    return np.array(values, dtype=np.float32)


def test_average_precision_is_that_of_the_books() -> None:
    example = PruningExample(
        "q",
        "?",
        "g",
        ZEROS,
        (path_of(0, 1, 2, 3),),
        (labels(1, 0, 1, 0),),
        (labels(0, 1, 0),),
        2,
        1,
    )
    found = measure_pruner(Given([([0.9, 0.8, 0.7, 0.1], [0.9, 0.5, 0.1])]), [example])["q"]
    assert found[NODE_AP] == pytest.approx((1 / 1 + 2 / 3) / 2)
    assert found[EDGE_AP] == pytest.approx(1 / 2)
    assert found[SUPPORT] == 1


def test_support_that_no_subgraph_holds_was_not_found() -> None:
    example = PruningExample(
        "q", "?", "g", ZEROS, (path_of(0, 1),), (labels(1, 0),), (labels(0),), 4, 0
    )
    found = measure_pruner(Given([([0.9, 0.1], [0.5])]), [example])["q"]
    assert found[NODE_AP] == pytest.approx(1 / 4)
    assert found[SUPPORT] == pytest.approx(1 / 4)
    assert EDGE_AP not in found, "nothing of a question without a supporting pair can be found"


def test_what_only_stands_beside_support_is_none() -> None:
    example = PruningExample(
        "q", "?", "g", ZEROS, (path_of(0, 1, 2),), (labels(0.5, 1, 0),), (labels(0.5, 1),), 1, 1
    )
    found = measure_pruner(Given([([0.9, 0.8, 0.1], [0.9, 0.8])]), [example])["q"]
    assert found[NODE_AP] == found[EDGE_AP] == pytest.approx(1 / 2)


def test_a_node_of_two_subgraphs_counts_once_with_its_best_score() -> None:
    one, other = path_of(7, 8), path_of(9, 8)
    example = PruningExample(
        "q",
        "?",
        "g",
        ZEROS,
        (one, other),
        (labels(0, 1), labels(0, 1)),
        (labels(0), labels(1)),
        1,
        1,
    )
    found = measure_pruner(Given([([0.5, 0.1], [0.5]), ([0.4, 0.9], [0.6])]), [example])["q"]
    assert found[NODE_AP] == 1
    assert found[EDGE_AP] == 1


def test_pairs_that_score_the_same_stand_as_their_ends_do() -> None:
    """The pair of the second and the third node is listed first: it comes after that of the first
    and the second.
    """
    graph = replace(path_of(0, 1, 2), pairs=np.array([(2, 1), (1, 0)], dtype=np.int64))
    example = PruningExample(
        "q", "?", "g", ZEROS, (graph,), (labels(0, 1, 0),), (labels(0, 1),), 1, 1
    )
    assert measure_pruner(NoPruner(), [example])["q"][EDGE_AP] == 1


def test_near_first_sorts_by_subgraph_then_hops_then_the_prior() -> None:
    """Of the first: the centre, of two nodes one hop away the one that is nearer the question, and
    one two hops away that is nearest.
    """
    query = labels(1, 0)
    x = np.array([(0, 1), (0, 1), (0.6, 0.8), (1, 0)], np.float32)
    first = Subgraph(
        (0, 1, 2, 3),
        (0, 1, 1, 2),
        np.array([(0, 1), (0, 2), (2, 3)]),
        ((),) * 3,
        x,
        x[[1, 3, 2]],
        np.ones(3, np.float32),
        0.5,
    )
    second = replace(first, nodes=(4, 5, 6, 7), x=np.tile(query, (4, 1)), y=np.tile(query, (3, 1)))
    one, other = NearFirst().score([first, second], query)
    places = sorted(
        [
            *zip(one.nodes.tolist(), first.nodes, strict=True),
            *zip(other.nodes.tolist(), second.nodes, strict=True),
        ],
        reverse=True,
    )
    assert [node for _, node in places][:5] == [0, 2, 1, 3, 4]
    assert np.argsort(-one.edges).tolist() == [1, 0, 2], "a pair is as far as its farther end"
    assert one.edges.min() > other.edges.max()
    (alone,) = NearFirst().score([path_of(3)], query)
    assert alone.edges.shape == (0,)


def test_a_budget_of_ten_nodes_holds_ten() -> None:
    nodes = path_of(*range(12))
    example = PruningExample(
        "q", "?", "g", ZEROS, (nodes,), (labels(*[0] * 9, 1, 1, 1),), (labels(*[0] * 11),), 3, 0
    )
    assert measure_pruner(NoPruner(), [example])["q"][SUPPORT] == pytest.approx(1 / 3)


def test_chance_is_the_same_for_the_same_question_and_another_for_another() -> None:
    graph = [path_of(*range(20))]
    (one,), (same,), (other,) = (
        RandomPruner().score(graph, q) for q in (labels(1, 0), labels(1, 0), labels(0, 1))
    )
    assert one.nodes.tolist() == same.nodes.tolist() != other.nodes.tolist()
    (elsewhere,) = RandomPruner().score(
        graph, labels(1, 0) + np.float32(2e-7)
    )  # the last digits are a machine's own
    assert elsewhere.nodes.tolist() == one.nodes.tolist()


def test_scores_that_are_no_numbers_are_told() -> None:
    example = PruningExample(
        "q7", "?", "g", ZEROS, (path_of(0, 1),), (labels(1, 0),), (labels(0),), 1, 0
    )
    with pytest.raises(LoadError, match="question 'q7' are no numbers"):
        measure_pruner(Given([([0.9, float("nan")], [0.5])]), [example])
