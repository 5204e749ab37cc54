"""Processor time of a training of pruners: an estimate beforehand, and where it ends."""

import time
from collections.abc import Sequence

import torch

from dynagrag.checkpoints.checkpoints import TrainingError
from dynagrag.evaluation.pruning.pruning_example import PruningExample
from dynagrag.retrieval.pruning.pruning_network import NetworkOptions, PruningNetwork
from dynagrag.training.pruner.pruner_training import PrunerTask

_SAMPLE = 16
"""Examples whose time tells that of the others."""


class CpuBudget:
    """Processor time of this process, all its threads together, from now on. `minutes` None: there
    is no end to it.
    """

    def __init__(self, minutes: float | None) -> None:
        self._minutes, self._began = minutes, time.process_time()

    def check(self, *_: object) -> None:
        """Raises TrainingError once it is used up; a training calls it after each step."""
        if self._minutes is None or time.process_time() - self._began < 60 * self._minutes:
            return
        raise TrainingError(
            f"{self._minutes:g} minutes of processor time are used up (--max-minutes); what was"
            " learned is kept: run the same command again to go on, or give more"
        )


def seconds_at_most(
    options: NetworkOptions,
    device: torch.device,
    examples: Sequence[PruningExample],
    num_learned: int,
    num_scored: int,
) -> float:
    """Processor seconds to learn from so many examples and to score so many, each time counted,
    measured with some of them and a network that is thrown away.
    """
    sample = [example for example in examples if example.subgraphs]
    if not sample:
        return 0.0
    sample = sample[:: max(1, len(sample) // _SAMPLE)]
    task = PrunerTask(PruningNetwork(options).to(device), sample, sample)
    task.loss(sample, sample).backward()  # type: ignore[no-untyped-call]  # loads what it needs
    began = time.process_time()
    task.loss(sample, sample).backward()  # type: ignore[no-untyped-call]
    learned = time.process_time()
    task.network.eval()
    task.validate()
    scored = time.process_time()
    of_one = (learned - began) / len(sample), (scored - learned) / len(sample)
    return num_learned * of_one[0] + num_scored * of_one[1]
