"""The pruners that need no training: `ask --pruner`. A workspace's trained one, and the folder of
a checkpoint, are `workspace.workspace_pruner`'s business.
"""

from collections.abc import Callable
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


class PrunerChoice(Choice[Callable[[], "Pruner"]]):
    """A pruner that needs nothing to be made."""


PRUNERS = table(
    PrunerChoice(name="none", sentence="all alike", label="None", make=no_pruner),
    PrunerChoice(
        name="prior",
        sentence="by distance to the question, nothing learned",
        label="Untrained",
        make=untrained_prior,
    ),
)
