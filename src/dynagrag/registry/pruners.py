"""The pruners that need no training: `ask --pruner`. A workspace's trained one, and the folder of
a checkpoint, are `workspace.workspace_pruner`'s business.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynagrag.registry.choices import Choice, table

if TYPE_CHECKING:
    from dynagrag.core.protocols import Pruner


def no_pruner() -> "Pruner":
    """All alike."""
    from dynagrag.retrieval.pruning.no_pruner import NoPruner

    return NoPruner()


def untrained_prior() -> "Pruner":
    """By distance."""
    from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior

    return UntrainedPrior()


@dataclass(frozen=True, slots=True, kw_only=True)
class PrunerChoice(Choice[Callable[[], "Pruner"]]):
    """A pruner that needs nothing to be made. `explanation`: its order, in reports that compare
    pruners.
    """

    explanation: str


PRUNERS = table(
    PrunerChoice(
        name="none",
        sentence="all alike",
        label="None",
        make=no_pruner,
        explanation="all alike, so the order of retrieval",
    ),
    PrunerChoice(
        name="prior",
        sentence="by distance to the question, nothing learned",
        label="Untrained",
        make=untrained_prior,
        explanation="by distance to the question, untrained",
    ),
)
