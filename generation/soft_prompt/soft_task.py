"""The task of learning a soft prompt, and what of its texts is too long to be learned."""

import logging
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from dynagrag.checkpoints.memory import Halving
from dynagrag.generation.soft_prompt.language_model import LanguageModel
from dynagrag.generation.soft_prompt.soft_example import SoftExample
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftTokens

_LOG = logging.getLogger(__name__)


class SoftTask:
    """The soft tokens of a model, learned from examples, judged by the loss over others."""

    def __init__(
        self, model: SoftPromptModel, validation: Sequence[SoftExample], batch_size: int
    ) -> None:
        self.network: SoftTokens = model.tokens
        self._model = model
        self._validation = sorted(validation, key=model.length)
        self._batch_size = batch_size
        self._halving = Halving()

    def loss(self, part: Sequence[SoftExample], batch: Sequence[SoftExample]) -> Tensor:
        """Over the tokens that the batch's labels have."""
        return self._model.loss(part) * (
            self._model.num_learned(part) / self._model.num_learned(batch)
        )

    def validate(self) -> float:
        """The negative mean loss, each token that is to be said counting alike, however rows are
        put together.
        """
        total = 0.0
        with torch.no_grad():
            for start in range(0, len(self._validation), self._batch_size):
                batch = self._validation[start : start + self._batch_size]
                total += self._halving.do(batch, lambda parts: sum(map(self._sum, parts)))
        return -total / self._model.num_learned(self._validation)

    def _sum(self, part: Sequence[SoftExample]) -> float:
        return float(self._model.loss(part)) * self._model.num_learned(part)


def num_cut(lm: LanguageModel, texts: Iterable[str], most: int) -> int:
    """How many texts lose their tails."""
    return sum(len(lm.ids(text)) > most for text in texts)


def tell_cut(num: int, num_all: int, what: str, most: int, so: str) -> None:
    """Logs that some do."""
    if num:
        _LOG.warning(
            "%d of %d %s are longer than %d tokens and are cut there, so %s",
            num,
            num_all,
            what,
            most,
            so,
        )
