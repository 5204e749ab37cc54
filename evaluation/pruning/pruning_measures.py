"""Measures of a pruner's scores: average precision over nodes and over edges, and the support among
the best nodes, by ir-measures.

A node or pair that several subgraphs hold counts once, with its best score. Support (label 1) that
no subgraph holds counts as not found; what stands beside it (label 0.5) is none.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from dynagrag import wiring
from dynagrag.core.errors import LoadError
from dynagrag.core.extras import check_extras
from dynagrag.core.protocols import Pruner
from dynagrag.core.schema import PruneScores, Subgraph, Vector
from dynagrag.evaluation.pruning.pruning_example import PruningExample
from dynagrag.registry.pruners import PRUNERS
from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior

BUDGET = 10
"""Nodes that a prompt of an ego-graph has room for, about."""
NODE_AP, EDGE_AP, SUPPORT = "node_ap", "edge_ap", f"support_recall@{BUDGET}"
NAMES = (NODE_AP, EDGE_AP, SUPPORT)
RANDOM, NEAR = "random", "near"
MEASURED = (*PRUNERS, NEAR, RANDOM)
"""Pruners without a checkpoint, by name."""
_WORST = (-np.inf, False)
_Ranked = list[tuple[str, float, bool]]
"""(unit, score, whether it supports the answer)."""


class RandomPruner:
    """Scores by chance, the same for a question on any machine, whose vector's last digits are its
    own: the floor of a comparison.
    """

    label = RANDOM

    def score(self, subgraphs: Sequence[Subgraph], query: Vector) -> tuple[PruneScores, ...]:
        """Scores in (0, 1)."""
        rng = np.random.default_rng(np.round(100 * query).astype(np.int32).view(np.uint32))
        return tuple(
            PruneScores(_drawn(rng, len(own.nodes)), _drawn(rng, len(own.pairs)), self.label, False)
            for own in subgraphs
        )


class NearFirst:
    """Sorts without learning: the better subgraph first, in it what is fewer hops from its centre,
    and then by the untrained prior. What an answer needs stands near what the question names, so
    this is what a trained pruner has to beat. A pair is as far as its farther end.
    """

    label = NEAR

    def score(self, subgraphs: Sequence[Subgraph], query: Vector) -> tuple[PruneScores, ...]:
        """Scores below 1: the prior's, and 1 less for each hop, 100 for each subgraph before."""
        scores = []
        for place, (own, prior) in enumerate(
            zip(subgraphs, UntrainedPrior().score(subgraphs, query), strict=True)
        ):
            hops = np.array(own.hops, dtype=np.float32)
            far = hops[own.pairs].max(axis=1) if len(own.pairs) else np.zeros(0, dtype=np.float32)
            scores.append(
                PruneScores(
                    prior.nodes - hops - 100 * place,
                    prior.edges - far - 100 * place,
                    self.label,
                    False,
                )
            )
        return tuple(scores)


def untrained_pruner(name: str) -> Pruner:
    """The pruner of MEASURED called so."""
    own: Mapping[str, type[Pruner]] = {RANDOM: RandomPruner, NEAR: NearFirst}
    return own[name]() if name in own else wiring.make_pruner(name)


def measure_pruner(
    pruner: Pruner, examples: Iterable[PruningExample]
) -> dict[str, dict[str, float]]:
    """The measures of each example by its id. LoadError where a score is no number, since a vector
    is none.
    """
    ranked_nodes, ranked_edges, wanted = {}, {}, {}
    for example in examples:
        scores = pruner.score(example.subgraphs, example.query)
        if not all(np.isfinite(own.nodes).all() and np.isfinite(own.edges).all() for own in scores):
            raise LoadError(
                f"scores of question {example.id!r} are no numbers: a vector of the graph or of the"
                " question is none; embed again"
            )
        ranked_nodes[example.id] = _nodes(example, scores)
        ranked_edges[example.id] = _edges(example, scores)
        wanted[example.id] = (example.num_nodes, example.num_edges)
    nodes = _measures(ranked_nodes, {id_: num for id_, (num, _) in wanted.items()})
    edges = _measures(ranked_edges, {id_: num for id_, (_, num) in wanted.items() if num})
    return {
        id_: (
            {NODE_AP: nodes[id_][0], SUPPORT: nodes[id_][1]}
            | ({EDGE_AP: edges[id_][0]} if id_ in edges else {})
        )
        for id_ in ranked_nodes
    }


def _nodes(example: PruningExample, scores: Sequence[PruneScores]) -> _Ranked:
    best: dict[int, tuple[float, bool]] = {}
    for subgraph, own, labels in zip(example.subgraphs, scores, example.node_labels, strict=True):
        for node, score, label in zip(
            subgraph.nodes, own.nodes.tolist(), labels.tolist(), strict=True
        ):
            best[node] = max(best.get(node, _WORST), (score, label == 1))
    return [(str(node), score, is_support) for node, (score, is_support) in best.items()]


def _edges(example: PruningExample, scores: Sequence[PruneScores]) -> _Ranked:
    """In the order of retrieval, as the nodes are: a pair comes where its later end does."""
    best: dict[tuple[int, int], tuple[float, bool]] = {}
    for subgraph, own, labels in zip(example.subgraphs, scores, example.edge_labels, strict=True):
        rows = zip(subgraph.pairs.tolist(), own.edges.tolist(), labels.tolist(), strict=True)
        for (u, v), score, label in sorted(rows, key=lambda row: (max(row[0]), min(row[0]))):
            pair = (subgraph.nodes[u], subgraph.nodes[v])
            best[pair] = max(best.get(pair, _WORST), (score, label == 1))
    return [(f"{u}-{v}", score, is_support) for (u, v), (score, is_support) in best.items()]


def _measures(
    ranked: Mapping[str, _Ranked], num_wanted: Mapping[str, int]
) -> dict[str, tuple[float, float]]:
    """(average precision, recall in the budget) by question. Equal scores keep the order in which
    the subgraphs have them.
    """
    import ir_measures
    from ir_measures import AP, Qrel, R, ScoredDoc

    qrels, run = [], []
    for id_, num in num_wanted.items():
        support = [unit for unit, _, is_support in ranked[id_] if is_support]
        qrels += [
            Qrel(id_, unit, 1)
            for unit in (*support, *(f"missing {i}" for i in range(num - len(support))))
        ]
        ordered = sorted(ranked[id_], key=lambda row: -row[1])
        # trec_eval breaks ties by its own rule, so each place has a score of its own
        run += [ScoredDoc(id_, unit, -float(place)) for place, (unit, _, _) in enumerate(ordered)]
    found = {
        (m.query_id, str(m.measure)): float(m.value)
        for m in ir_measures.iter_calc([AP, R @ BUDGET], qrels, run)
    }
    return {id_: (found[id_, str(AP)], found[id_, str(R @ BUDGET)]) for id_ in num_wanted}


def _drawn(rng: np.random.Generator, count: int) -> Vector:
    return rng.random(count, dtype=np.float32)


def check_training_libraries() -> None:
    """Raises SettingsError where torch-geometric, or what measures, is missing."""
    check_extras("training a pruner", {"torch_geometric": "train", "ir_measures": "evaluate"})
