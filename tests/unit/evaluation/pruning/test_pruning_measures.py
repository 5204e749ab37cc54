"""Average precision and support of scores, against values computed by hand."""

from dataclasses import dataclass

import numpy as np
import pytest

from dynagrag.errors import LoadError
from dynagrag.evaluation.pruning.pruning_example import PruningExample
from dynagrag.evaluation.pruning.pruning_measures import EDGE_AP, NODE_AP, SUPPORT, RandomPruner, measure_pruner
from dynagrag.retrieval.pruning.no_pruner import NoPruner
from dynagrag.schema import PruneScores, Subgraph, Vector

ZEROS = np.zeros(2, np.float32)


def path_of(*nodes: int) -> Subgraph:
    pairs = np.array([(i, i + 1) for i in range(len(nodes) - 1)], dtype=np.int64).reshape(-1, 2)
    flat = np.zeros((len(nodes), 2), np.float32)
    return Subgraph(nodes, (0,) * len(nodes), pairs, ((),) * len(pairs), flat, flat[1:], np.ones(len(pairs), np.float32), 0.0)


@dataclass
class Given:
    """Scores as given: of each subgraph its nodes', then its edges'."""

    scores: list[tuple[list[float], list[float]]]

    def score(self, subgraphs: tuple[Subgraph, ...], query: Vector) -> tuple[PruneScores, ...]:
        return tuple(PruneScores(np.array(n, np.float32), np.array(e, np.float32), "given", False) for n, e in self.scores)


def labels(*values: float) -> Vector:
    return np.array(values, dtype=np.float32)


def test_average_precision_is_that_of_the_books() -> None:
    example = PruningExample("q", "?", "g", ZEROS, (path_of(0, 1, 2, 3),), (labels(1, 0, 1, 0),), (labels(0, 1, 0),), 2, 1)
    found = measure_pruner(Given([([0.9, 0.8, 0.7, 0.1], [0.9, 0.5, 0.1])]), [example])["q"]
    assert found[NODE_AP] == pytest.approx((1 / 1 + 2 / 3) / 2)
    assert found[EDGE_AP] == pytest.approx(1 / 2)
    assert found[SUPPORT] == 1


def test_support_that_no_subgraph_holds_was_not_found() -> None:
    example = PruningExample("q", "?", "g", ZEROS, (path_of(0, 1),), (labels(1, 0),), (labels(0),), 4, 0)
    found = measure_pruner(Given([([0.9, 0.1], [0.5])]), [example])["q"]
    assert found[NODE_AP] == pytest.approx(1 / 4)
    assert found[SUPPORT] == pytest.approx(1 / 4)
    assert EDGE_AP not in found, "nothing of a question without a supporting pair can be found"


def test_what_only_stands_beside_support_is_none() -> None:
    example = PruningExample("q", "?", "g", ZEROS, (path_of(0, 1, 2),), (labels(0.5, 1, 0),), (labels(0.5, 1),), 1, 1)
    found = measure_pruner(Given([([0.9, 0.8, 0.1], [0.9, 0.8])]), [example])["q"]
    assert found[NODE_AP] == found[EDGE_AP] == pytest.approx(1 / 2)


def test_a_node_of_two_subgraphs_counts_once_with_its_best_score() -> None:
    one, other = path_of(7, 8), path_of(9, 8)
    example = PruningExample("q", "?", "g", ZEROS, (one, other), (labels(0, 1), labels(0, 1)), (labels(0), labels(1)), 1, 1)
    found = measure_pruner(Given([([0.5, 0.1], [0.5]), ([0.4, 0.9], [0.6])]), [example])["q"]
    assert found[NODE_AP] == 1
    assert found[EDGE_AP] == 1


def test_a_budget_of_ten_nodes_holds_ten() -> None:
    nodes = path_of(*range(12))
    example = PruningExample("q", "?", "g", ZEROS, (nodes,), (labels(*[0] * 9, 1, 1, 1),), (labels(*[0] * 11),), 3, 0)
    assert measure_pruner(NoPruner(), [example])["q"][SUPPORT] == pytest.approx(1 / 3)


def test_chance_is_the_same_for_the_same_question_and_another_for_another() -> None:
    graph = [path_of(*range(20))]
    (one,), (same,), (other,) = (RandomPruner().score(graph, q) for q in (labels(1, 0), labels(1, 0), labels(0, 1)))
    assert one.nodes.tolist() == same.nodes.tolist() != other.nodes.tolist()


def test_scores_that_are_no_numbers_are_told() -> None:
    example = PruningExample("q7", "?", "g", ZEROS, (path_of(0, 1),), (labels(1, 0),), (labels(0),), 1, 0)
    with pytest.raises(LoadError, match="question 'q7' are no numbers"):
        measure_pruner(Given([([0.9, float("nan")], [0.5])]), [example])
