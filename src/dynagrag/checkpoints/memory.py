"""Runs a batch in parts if memory is short, and logs it."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

import torch

from dynagrag.checkpoints.checkpoints import TrainingError
from dynagrag.models.memory_errors import is_out_of_memory

_LOG = logging.getLogger(__name__)
E = TypeVar("E")
R = TypeVar("R")


class Halving:
    """Does batches in one part, or in halves, quarters and so on where one didn't fit; later
    batches begin with as many.
    """

    def __init__(self) -> None:
        self._num_parts = 1

    @property
    def num_parts(self) -> int:
        """In how many parts the next batch is tried first."""
        return self._num_parts

    def begin_with(self, num_parts: int) -> None:
        """Takes up what an earlier run has found to fit."""
        self._num_parts = max(1, num_parts)
        if self._num_parts > 1:
            _LOG.warning(
                "batches are done in %d parts, as before the training was stopped", self._num_parts
            )

    def do(self, batch: Sequence[E], work: Callable[[Sequence[Sequence[E]]], R]) -> R:
        """The results of `work` for the parts of a batch. TrainingError where a single example
        doesn't fit.
        """
        while True:
            try:
                return work(parts_of(batch, self._num_parts))
            except (torch.OutOfMemoryError, MemoryError, RuntimeError) as err:
                if not is_out_of_memory(err):
                    raise
                if self._num_parts >= len(batch):
                    remedy = (
                        "take the CPU with --device cpu"
                        if isinstance(err, torch.OutOfMemoryError)
                        else "free some of the machine's"
                    )
                    raise TrainingError(
                        f"a single example doesn't fit into memory; {remedy}, or take shorter texts"
                    ) from err
            self._num_parts *= 2
            _LOG.warning(
                "out of memory: a batch of %d examples is done in %d parts from now on",
                len(batch),
                self._num_parts,
            )
            if torch.cuda.is_available():
                torch.cuda.empty_cache()


def parts_of(batch: Sequence[E], num_parts: int) -> list[Sequence[E]]:
    """So many parts of about one size, fewer where there are fewer examples."""
    size = max(1, -(-len(batch) // num_parts))
    return [batch[start : start + size] for start in range(0, len(batch), size)]
