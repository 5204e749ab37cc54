"""Training on subgraphs of every size: none for a question, none of its nodes, one node, no edges;
the last of a batch too.
"""

import numpy as np
import pytest

from dynagrag.core.schema import Subgraph, Vectors
from dynagrag.evaluation.pruning.answer_support import Support, example_of
from dynagrag.evaluation.pruning.pruning_example import PruningExample

RNG = np.random.default_rng(0)
WIDTH = 8


def unit(num: int) -> Vectors:
    rows = RNG.normal(size=(num, WIDTH)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def path(num_nodes: int, num_edges: int) -> Subgraph:
    pairs = np.array([(i, i + 1) for i in range(num_edges)], dtype=np.int64).reshape(-1, 2)
    x, y, weights = unit(num_nodes), unit(num_edges), np.ones(num_edges, np.float32)
    return Subgraph(
        tuple(range(num_nodes)),
        tuple(range(num_nodes)),
        pairs,
        ((),) * num_edges,
        x,
        y,
        weights,
        0.0,
    )


WHOLE, EDGELESS, ONE, EMPTY = path(4, 3), path(3, 0), path(1, 0), path(0, 0)
QUERY = unit(1)[0]


def example(number: int, *subgraphs: Subgraph) -> PruningExample:
    return example_of(
        f"q{number}",
        "?",
        f"g{number}",
        QUERY,
        subgraphs,
        Support(frozenset({0}), frozenset({(0, 1)})),
    )


@pytest.mark.slow
@pytest.mark.parametrize("form", ["distances", "compared", "paper"])
@pytest.mark.parametrize("batch_size", [1, 5])
def test_a_network_is_trained_on_them(form: str, batch_size: int) -> None:
    import torch

    from dynagrag.checkpoints.training_loop import TrainingOptions
    from dynagrag.retrieval.pruning.pruning_network import NetworkOptions
    from dynagrag.training.pruner.pruner_training import train_pruner

    shapes = ((WHOLE,), (WHOLE, EMPTY), (EDGELESS,), (), (ONE, EMPTY), (EMPTY,))
    rows = [example(i, *shapes[i % len(shapes)]) for i in range(24)]
    training = TrainingOptions(batch_size=batch_size, max_epochs=2)
    _, epochs = train_pruner(rows, rows, NetworkOptions(WIDTH, form), training, torch.device("cpu"))  # type: ignore[arg-type]
    assert [epoch.number for epoch in epochs] == [0, 1, 2]
    assert all(
        epoch.loss is not None and np.isfinite([epoch.loss, epoch.validation]).all()
        for epoch in epochs[1:]
    )
