"""How fast a pruner is: python benchmarks/pruner.py [--out FILE] [--device cpu|cuda]

Printed by size of the subgraphs: milliseconds to score a question's, with the untrained prior and
with the trained network, and training steps a second; each by the clock (the median) and in CPU
time, which says more where others are at work on the machine. The subgraphs are made: a random tree
and about as many pairs across it, vectors by chance, so the scores mean nothing.
"""

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import torch
from result_lines import ResultLines

from dynagrag.checkpoints.training_loop import Training, TrainingOptions
from dynagrag.config.settings import PROFILES
from dynagrag.core.protocols import Pruner
from dynagrag.core.schema import Subgraph, Vector
from dynagrag.evaluation.pruning.pruning_example import PruningExample
from dynagrag.retrieval.pruning.gcn_pruner import GcnPruner
from dynagrag.retrieval.pruning.pruning_network import NetworkOptions, PruningNetwork
from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior
from dynagrag.training.pruner.pruner_training import PrunerTask

SIZES = (20, 50, 117, 300, 512)
"""Nodes; 117 is the mean in PathQuestion, 512 the most that the profile `graph` has."""
DIMENSION = 384
NUM_SUBGRAPHS = PROFILES["paper"].num_subgraphs
NUM_QUESTIONS, NUM_STEPS, BATCH = 15, 2, 32


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, help="append the lines to this file")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    chosen = parser.parse_args()
    device, lines = torch.device(chosen.device), ResultLines(chosen.out)
    lines.line(f"# python benchmarks/pruner.py --device {device}")
    lines.line(
        f"# {NUM_SUBGRAPHS} subgraphs a question, vectors of {DIMENSION} numbers;"
        f" {_machine(device)}, Python {platform.python_version()}, torch {torch.__version__},"
        f" {time.strftime('%Y-%m-%d')}; load of the machine {os.getloadavg()[0]:.1f}"
    )
    lines.line(
        f"{'nodes, pairs':<14}{'prior: ms, CPU ms':>20}{'trained: ms, CPU ms':>22}"
        f"{f'steps of {BATCH}: /s, /CPU s':>28}"
    )
    torch.manual_seed(0)
    network = PruningNetwork(NetworkOptions(DIMENSION)).to(device)
    for num_nodes in SIZES:
        asked = list(_questions(num_nodes, NUM_QUESTIONS))
        prior, trained = (
            _milliseconds(pruner, asked) for pruner in (UntrainedPrior(), GcnPruner(network))
        )
        size = f"{num_nodes}, {len(asked[0].subgraphs[0].pairs)}"
        lines.line(f"{size:<14}{prior:>20}{trained:>22}{_steps_a_second(network, asked):>28}")


def _machine(device: torch.device) -> str:
    cores = (
        f"{torch.get_num_threads()} threads on {len(os.sched_getaffinity(0))} cores,"
        f" {platform.system()} {platform.machine()}"
    )
    return cores if device.type == "cpu" else f"{torch.cuda.get_device_name(device)}; {cores}"


def _questions(num_nodes: int, num: int) -> Iterator[PruningExample]:
    """Questions with a node in ten and a pair in ten that supports the answer."""
    rng = np.random.default_rng(num_nodes)
    for i in range(num):
        subgraphs = tuple(_subgraph(rng, num_nodes) for _ in range(NUM_SUBGRAPHS))
        nodes, edges = (
            tuple((rng.random(len(part)) < 0.1).astype(np.float32) for part in parts)
            for parts in _parts(subgraphs)
        )
        num_supporting = [int(sum(labels.sum() for labels in own)) for own in (nodes, edges)]
        yield PruningExample(
            str(i), "?", str(i), _unit(rng, DIMENSION), subgraphs, nodes, edges, *num_supporting
        )


def _parts(subgraphs: tuple[Subgraph, ...]) -> tuple[list[Vector], list[Vector]]:
    return [own.x for own in subgraphs], [own.y for own in subgraphs]


def _subgraph(rng: np.random.Generator, num_nodes: int) -> Subgraph:
    tree = {(int(rng.integers(node)), node) for node in range(1, num_nodes)}
    across = {
        (int(min(ends)), int(max(ends)))
        for ends in rng.integers(num_nodes, size=(num_nodes, 2))
        if ends[0] != ends[1]
    }
    pairs = np.array(sorted(tree | across), dtype=np.int64)
    x, y, weights = (
        _unit(rng, num_nodes, DIMENSION),
        _unit(rng, len(pairs), DIMENSION),
        np.ones(len(pairs), np.float32),
    )
    return Subgraph(
        tuple(range(num_nodes)), (0,) * num_nodes, pairs, ((),) * len(pairs), x, y, weights, 0.0
    )


def _unit(rng: np.random.Generator, *shape: int) -> Vector:
    drawn = rng.standard_normal(shape).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)


def _milliseconds(pruner: Pruner, asked: list[PruningExample]) -> str:
    """To score one question's subgraphs."""
    times = [
        _seconds(partial(pruner.score, own.subgraphs, own.query)) for own in (asked[0], *asked)
    ][1:]
    return "{:.1f}, {:.1f}".format(*(1000 * np.median(times, axis=0)))


def _steps_a_second(network: PruningNetwork, asked: list[PruningExample]) -> str:
    """Whole steps of training: graphs made, loss, gradient, weights changed; an epoch also scores
    one question.
    """
    batch, options = (asked * 3)[:BATCH], TrainingOptions(batch_size=BATCH, max_epochs=1)
    task = PrunerTask(network, asked, asked[:1])
    Training(task, options).run(batch)
    wall, cpu = _seconds(partial(Training(task, options).run, batch * NUM_STEPS))
    return f"{NUM_STEPS / wall:.2f}, {NUM_STEPS / cpu:.2f}"


def _seconds(do: Callable[[], object]) -> tuple[float, float]:
    """By the clock, and of CPU time in all threads."""
    wall, cpu = time.perf_counter(), time.process_time()
    do()
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    main()
