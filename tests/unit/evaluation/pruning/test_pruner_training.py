"""A pruner's batch that is done in parts has the loss and the gradients of the whole one."""

import numpy as np
import pytest

from dynagrag.core.schema import Subgraph, Vector
from dynagrag.evaluation.pruning.pruning_example import PruningExample

DIMENSION = 6


def example(seed: int) -> PruningExample:
    """A chain of a length of its own, in which about half supports the answer."""
    rng = np.random.default_rng(seed)
    num = 2 + seed % 5

    def unit(*shape: int) -> Vector:
        drawn = rng.standard_normal(shape).astype(np.float32)
        found: Vector = drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)
        return found

    pairs = np.array([(i, i + 1) for i in range(num - 1)], dtype=np.int64).reshape(-1, 2)
    x, y, weights = unit(num, DIMENSION), unit(num - 1, DIMENSION), np.ones(num - 1, np.float32)
    chain = Subgraph(tuple(range(num)), (0,) * num, pairs, ((),) * (num - 1), x, y, weights, 0.0)
    nodes, edges = (rng.integers(0, 2, size).astype(np.float32) for size in (num, num - 1))
    return PruningExample(
        str(seed), "?", "g", unit(DIMENSION), (chain,), (nodes,), (edges,), num, num
    )


def test_parts_of_a_batch_sum_to_it() -> None:
    import torch

    from dynagrag.checkpoints.memory import parts_of
    from dynagrag.retrieval.pruning.pruning_network import NetworkOptions, PruningNetwork
    from dynagrag.training.pruner.pruner_training import PrunerTask

    rows = [example(seed) for seed in range(8)]
    torch.manual_seed(0)
    task = PrunerTask(PruningNetwork(NetworkOptions(DIMENSION)), rows, rows)
    task.network.eval()  # without dropout

    def of(num_parts: int) -> tuple[float, list[torch.Tensor]]:
        task.network.zero_grad()
        losses = []
        for part in parts_of(rows, num_parts):
            loss = task.loss(part, rows)
            loss.backward()  # type: ignore[no-untyped-call]
            losses.append(float(loss.detach()))
        return sum(losses), [
            value.grad.clone() for value in task.network.parameters() if value.grad is not None
        ]

    whole, gradients = of(1)
    assert gradients
    for num_parts in (2, 4, 8):
        parted, own = of(num_parts)
        assert parted == pytest.approx(whole, rel=1e-5)
        for one, other in zip(gradients, own, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)
