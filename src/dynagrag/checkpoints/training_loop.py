"""One loop for all that is trained: epochs over shuffled batches, early stopping by a figure on
validation rows, and a file each minute and after each epoch, from which a run that was killed goes
on with the same numbers.

Chance is drawn anew from seed and epoch as each epoch begins; what is kept within one has its state
too.
"""

import json
import logging
import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor, nn

from dynagrag.checkpoints.checkpoints import (
    TRAINING_NOTES,
    Tensors,
    TrainingError,
    read_training,
    write_training,
)
from dynagrag.checkpoints.memory import Halving
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.models.memory_errors import within_memory

_LOG = logging.getLogger(__name__)
E = TypeVar("E")
E_contra = TypeVar("E_contra", contravariant=True)
OnStep = Callable[[str, int, int], None]
_EPOCH_SEEDS = 100_003
_LOG_SECONDS = 30.0
_KEEP_SECONDS = 60.0
_NEAR = 16
"""Batches among whose examples those of like length are put together."""
_MAX_SHOWN = 40
_NUM_PARTS, _BEGUN = "num_parts", "begun"


class Task(Protocol[E_contra]):
    """The network to train, and its loss."""

    @property
    def network(self) -> nn.Module:
        """Its weights."""

    def loss(self, part: Sequence[E_contra], batch: Sequence[E_contra]) -> Tensor:
        """A part's share in the mean loss of its batch, a scalar with a gradient: the losses of a
        batch's parts sum to its own. The part may be all of it.
        """

    def validate(self) -> float:
        """How good the weights are on rows that are not trained on; the higher the better."""


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """AdamW and when to stop. `patience`: epochs without a better validation figure after which
    training ends; None: no epoch is chosen, all are trained and the last one's weights are kept.
    `is_warmed_up`: the rate rises over the first epoch and falls by a cosine to
    `least_rate` at the last (G-Retriever's code); else it is constant. `max_norm`: of a step's
    gradient, None: it isn't clipped.
    """

    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    batch_size: int = 32
    max_epochs: int = 40
    patience: int | None = 10
    seed: int = 0
    betas: tuple[float, float] = (0.9, 0.999)
    is_warmed_up: bool = False
    least_rate: float = 5e-6
    max_norm: float | None = None

    def rate(self, epochs_done: float) -> float:
        """The learning rate after a number of epochs, which may be a fraction."""
        if not self.is_warmed_up:
            return self.learning_rate
        if epochs_done < 1:
            return self.learning_rate * epochs_done
        least = min(self.least_rate, self.learning_rate)
        share = (epochs_done - 1) / max(self.max_epochs - 1, 1)
        return least + (self.learning_rate - least) * 0.5 * (1 + math.cos(math.pi * share))


@dataclass(frozen=True, slots=True)
class Epoch:
    """A row of the learning curve; `number` from 1, `loss` the mean over its examples. 0, without a
    loss: what training begins at.
    """

    number: int
    loss: float | None
    validation: float
    seconds: float


@dataclass(frozen=True, slots=True)
class _Begun:
    """How far an epoch is: its batches that are done, the sum of their examples' losses, and the
    seconds that they took.
    """

    num_batches: int = 0
    total: float = 0.0
    seconds: float = 0.0


def best_of(epochs: Sequence[Epoch]) -> Epoch:
    """The epoch with the best validation figure; of equals the first."""
    return max(epochs, key=lambda epoch: (epoch.validation, -epoch.number))


@dataclass(frozen=True, slots=True)
class TrainingFile:
    """Where a training run is kept. `made_with`: whatever changes its numbers; a file of another is
    refused, or dropped where training `begins_anew`.
    """

    path: Path
    made_with: Mapping[str, Any]
    begins_anew: bool = False


class Training(Generic[E]):
    """A training run of a task. After `run` the network has the weights of its best epoch."""

    def __init__(
        self,
        task: Task[E],
        options: TrainingOptions,
        file: TrainingFile | None = None,
        length: Callable[[E], int] | None = None,
    ) -> None:
        """With `length` examples of like length share a batch, among those that an epoch's order
        brings near each other.
        """
        self._task = task
        self._options = options
        self._file = file
        self._optimizer = torch.optim.AdamW(
            task.network.parameters(),
            options.learning_rate,
            options.betas,
            weight_decay=options.weight_decay,
        )
        self._length = length
        self._halving = Halving()
        self._best: Tensors = {}
        self._begun, self._chance = _Begun(), dict[str, Tensor]()
        self.epochs: list[Epoch] = []

    def run(
        self,
        examples: Sequence[E],
        on_epoch: Callable[[Epoch], None] | None = None,
        on_step: OnStep | None = None,
    ) -> list[Epoch]:
        """Trains until nothing gets better, or goes on with what the file has; the epochs.
        `on_step` is told as an epoch begins and after each batch: "epoch 2", how many examples are
        done, and of how many; then "validate".

        Raises UsageError without examples, or where the file was made with something else;
        TrainingError where a loss is no number.
        """
        if not examples:
            raise UsageError("there is nothing to train on; give more questions")
        self._resume()
        while not self._is_done():
            epoch = self._epoch(len(self.epochs) + 1, examples, on_step or (lambda *_: None))
            self.epochs.append(epoch)
            if self._options.patience is None or best_of(self.epochs) is epoch:
                self._best = {
                    name: value.detach().clone()
                    for name, value in self._task.network.state_dict().items()
                }
            self._keep()
            if on_epoch:
                on_epoch(epoch)
        self._task.network.load_state_dict(self._best)
        return self.epochs

    def _is_done(self) -> bool:
        num, patience = len(self.epochs), self._options.patience
        if num >= self._options.max_epochs or not num or patience is None:
            return num >= self._options.max_epochs
        return num - best_of(self.epochs).number >= patience

    def _epoch(self, number: int, examples: Sequence[E], on_step: OnStep) -> Epoch:
        seed = self._options.seed * _EPOCH_SEEDS + number
        torch.manual_seed(seed)
        batches = self._batches(examples, random.Random(seed))
        self._task.network.train()
        total, seconds = self._learn(number, examples, batches, on_step)
        began = time.perf_counter()
        self._task.network.eval()
        on_step("validate", 0, 1)
        validation = self._task.validate()
        on_step("validate", 1, 1)
        if not math.isfinite(validation):
            raise TrainingError(
                f"after epoch {number} the network gives no numbers: the learning rate is too high;"
                " give a lower --learning-rate"
            )
        return Epoch(
            number, total / len(examples), validation, seconds + time.perf_counter() - began
        )

    def _learn(
        self, number: int, examples: Sequence[E], batches: Sequence[Sequence[int]], on_step: OnStep
    ) -> tuple[float, float]:
        """A step for each batch that is left of an epoch; the sum of all examples' losses, and the
        epoch's seconds.
        """
        begun, self._begun = self._begun, _Begun()
        _set_chance(self._chance)
        self._chance = {}
        logged_at = kept = time.perf_counter()
        began, total = logged_at - begun.seconds, begun.total
        num_done = sum(map(len, batches[: begun.num_batches]))
        on_step(f"epoch {number}", num_done, len(examples))
        for place, rows in enumerate(batches[begun.num_batches :], begun.num_batches + 1):
            batch = [examples[i] for i in rows]
            num_done += len(batch)
            loss = self._backward(batch)
            if not math.isfinite(loss):
                raise TrainingError(
                    f"the loss is {loss} in epoch {number}: the learning rate is too high, or a"
                    " vector of the examples is no number; give a lower --learning-rate"
                )
            self._step(number - 1 + num_done / len(examples))
            total += loss * len(batch)
            on_step(f"epoch {number}", num_done, len(examples))
            logged_at = self._log_step(number, num_done, len(examples), total, began, logged_at)
            if place < len(batches) and time.perf_counter() - kept >= _KEEP_SECONDS:
                self._keep(_Begun(place, total, time.perf_counter() - began))
                kept = time.perf_counter()
        return total, time.perf_counter() - began

    def _batches(self, examples: Sequence[E], rng: random.Random) -> list[list[int]]:
        """The examples by their place, each once."""
        size, order = self._options.batch_size, rng.sample(range(len(examples)), len(examples))
        if self._length is None:
            return [order[start : start + size] for start in range(0, len(order), size)]
        lengths = [self._length(example) for example in examples]
        batches = []
        for start in range(0, len(order), _NEAR * size):
            near = sorted(order[start : start + _NEAR * size], key=lambda row: lengths[row])
            batches += [near[first : first + size] for first in range(0, len(near), size)]
        rng.shuffle(batches)
        return batches

    def _log_step(
        self, number: int, done: int, num: int, total: float, began: float, logged_at: float
    ) -> float:
        """Logs how far an epoch is, each half a minute. Returns when it logged last."""
        now = time.perf_counter()
        if now - logged_at < _LOG_SECONDS:
            return logged_at
        _LOG.info(
            "epoch %d: %d of %d examples, loss %.3f, %.2f s an example",
            number,
            done,
            num,
            total / done,
            (now - began) / done,
        )
        return now

    def _step(self, epochs_done: float) -> None:
        for group in self._optimizer.param_groups:
            group["lr"] = self._options.rate(epochs_done)
        with within_memory(
            "what is learned", "take a smaller network, or free some of the machine's"
        ):
            if self._options.max_norm is not None:
                nn.utils.clip_grad_norm_(self._task.network.parameters(), self._options.max_norm)
            self._optimizer.step()

    def _backward(self, batch: Sequence[E]) -> float:
        """The loss of a batch, whose gradient the weights get. One that doesn't fit into memory is
        done in parts.
        """

        def in_parts(parts: Sequence[Sequence[E]]) -> float:
            self._optimizer.zero_grad()  # also the rest of a part that didn't fit
            return sum(share(part) for part in parts)

        def share(part: Sequence[E]) -> float:
            loss = self._task.loss(part, batch)
            loss.backward()  # type: ignore[no-untyped-call]
            return float(loss.detach())

        return self._halving.do(batch, in_parts)

    def _keep(self, begun: _Begun | None = None) -> None:
        """Writes all that going on takes, within an epoch how far it is too."""
        if self._file is None:
            return
        network, state = self._task.network.state_dict(), self._optimizer.state_dict()["state"]
        tensors = {f"network.{name}": value for name, value in network.items()}
        tensors |= {f"best.{name}": value for name, value in self._best.items()}
        for i, own in state.items():
            tensors |= {f"optimizer.{i}.{name}": value for name, value in own.items()}
        notes = {
            "made_with": json.dumps(self._file.made_with),
            "epochs": json.dumps([asdict(epoch) for epoch in self.epochs]),
        }
        notes[_NUM_PARTS] = json.dumps(self._halving.num_parts)
        if begun is not None:
            tensors |= {f"chance.{device}": value for device, value in _chance().items()}
            notes[_BEGUN] = json.dumps(asdict(begun))
        write_training(self._file.path, tensors, notes)

    def _resume(self) -> None:
        kept = self._file and _fitting(self._file, self._task.network)
        if not kept:
            return
        self.epochs, self._begun = list(kept.epochs), kept.begun
        self._chance = _below("chance.", kept.tensors)
        if self._begun.num_batches:
            _LOG.info(
                "epoch %d goes on after %d of its batches",
                len(self.epochs) + 1,
                self._begun.num_batches,
            )
        self._halving.begin_with(kept.num_parts)
        self._task.network.load_state_dict(_below("network.", kept.tensors))
        self._best = _below("best.", kept.tensors)
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in _below("optimizer.", kept.tensors).items():
            number, _, key = name.partition(".")
            state.setdefault(int(number), {})[key] = value
        self._optimizer.load_state_dict(self._optimizer.state_dict() | {"state": state})


def check_begun(file: TrainingFile) -> None:
    """Raises UsageError where a training was begun there with other settings or data, LoadError
    where it can't be read; neither where it begins anew.
    """
    _fitting(file, None)


def _fitting(file: TrainingFile, network: nn.Module | None) -> "_Kept | None":
    """What is kept of a training that can be gone on with; None where it is begun. `network`: the
    one that its weights have to fit. Errors as in `check_begun`.
    """
    if not file.path.exists():
        return None
    own = json.loads(json.dumps(file.made_with))
    try:
        kept = _read_kept(file.path)
        if kept.made_with == own and network is not None:
            kept.check_fits(network, file.path)
    except LoadError as err:
        if file.begins_anew:
            _LOG.warning("%s; the training begins anew", err)
            return None
        raise LoadError(f"{err}; delete it, or choose another folder with --out") from err
    if kept.made_with == own:
        return kept
    if file.begins_anew:
        _LOG.info(
            "the training in %s was begun with other settings or data; it begins anew",
            file.path.parent,
        )
        return None
    differing = "; ".join(_differences(kept.made_with, own))
    raise UsageError(
        f"the training in {file.path.parent} was begun with other settings or data: {differing};"
        " choose another folder with --out"
    )


@dataclass(frozen=True, slots=True)
class _Kept:
    """The contents of a training file."""

    made_with: Any
    epochs: Sequence[Epoch]
    num_parts: int
    begun: _Begun
    tensors: Tensors

    def check_fits(self, network: nn.Module, path: Path) -> None:
        """Raises LoadError where its tensors are of another network, as another version may make of
        the same settings.
        """
        own = _forms(network.state_dict())
        parts = ("network.", "best.") if self.epochs else ("network.",)
        if any(_forms(_below(part, self.tensors)) != own for part in parts):
            raise LoadError(
                f"{path} holds the weights of another network than this version makes, so it can't"
                " be gone on with"
            )


def _read_kept(path: Path) -> _Kept:
    """LoadError where a training didn't write it, or it was changed."""
    tensors, notes = read_training(path)
    try:
        made_with, rows = (json.loads(notes[name]) for name in TRAINING_NOTES)
        num_parts = int(json.loads(notes.get(_NUM_PARTS, "1")))
        begun = _Begun(**json.loads(notes.get(_BEGUN, "{}")))
        return _Kept(made_with, [Epoch(**row) for row in rows], num_parts, begun, tensors)
    except (KeyError, TypeError, ValueError) as err:
        raise LoadError(f"{path} is no training's file") from err


def _forms(tensors: Mapping[str, Tensor]) -> dict[str, tuple[torch.Size, torch.dtype]]:
    return {name: (value.shape, value.dtype) for name, value in tensors.items()}


def _differences(old: Any, new: Any, name: str = "") -> list[str]:
    """The settings in which two trainings differ, by the names of the innermost ones."""
    if isinstance(old, dict) and isinstance(new, dict):
        names = dict.fromkeys([*old, *new])
        return [
            line
            for own in names
            for line in _differences(old.get(own), new.get(own), f"{name}.{own}".removeprefix("."))
        ]
    return [] if old == new else [f"{name} was {_shown(old)}, is {_shown(new)}"]


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 1] + "…"


def _below(prefix: str, tensors: Tensors) -> Tensors:
    return {
        name.removeprefix(prefix): value
        for name, value in tensors.items()
        if name.startswith(prefix)
    }


def _chance() -> Tensors:
    """The states of the random generators, by device."""
    states = {"cpu": torch.get_rng_state()}
    if _has_cuda():
        states["cuda"] = torch.cuda.get_rng_state()
    return states


def _set_chance(states: Tensors) -> None:
    """Draws go on where the states were taken; without any as they are."""
    if "cpu" in states:
        torch.set_rng_state(states["cpu"])
    if "cuda" in states and _has_cuda():
        torch.cuda.set_rng_state(states["cuda"])


def _has_cuda() -> bool:
    """Whether anything was done on a GPU."""
    return bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]
