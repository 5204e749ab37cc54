"""The orders in which subgraphs become text: `ask --traversal`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from dynagrag.registry.choices import Choice, table

if TYPE_CHECKING:
    from dynagrag.config.settings import Profile
    from dynagrag.core.protocols import Traversal


def dsa_bfs(profile: "Profile") -> "Traversal":
    """With the penalty of the profile."""
    from dynagrag.generation.traversal import DSABFS

    return DSABFS(profile.level_penalty, profile.walk_follows_pruner)


def bfs(profile: "Profile") -> "Traversal":
    """Plain."""
    from dynagrag.generation.traversal import BFS

    return BFS()


DSA_BFS = "dsa-bfs"


class TraversalChoice(Choice[Callable[["Profile"], "Traversal"]]):
    """A traversal, made for a profile."""


TRAVERSALS = table(
    TraversalChoice(
        name=DSA_BFS,
        sentence="near the question first",
        label="Near the question first (DSA-BFS)",
        make=dsa_bfs,
    ),
    TraversalChoice(name="bfs", sentence="level by level", label="Level by level (BFS)", make=bfs),
)
