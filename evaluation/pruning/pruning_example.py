"""The noun of pruners' training and measuring: a question, the subgraphs retrieved for it, and what
of them supports its answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dynagrag.core.ids import content_id
from dynagrag.core.schema import Subgraph, Vector

MIN_EXAMPLES = 10
"""Questions from which something can be learned."""


@dataclass(frozen=True, slots=True)
class PruningExample:
    """`node_labels[i]` (n,) and `edge_labels[i]` (m,) of subgraph i: 1 for what supports the
    answer, 0.5 for what only stands beside it in the same passages, 0 for the rest.

    `num_nodes`, `num_edges`: how much support there is, what the subgraphs lack included. `group`:
    examples of one group are never split between training and measuring.
    """

    id: str
    text: str
    group: str
    query: Vector
    subgraphs: tuple[Subgraph, ...]
    node_labels: tuple[Vector, ...]
    edge_labels: tuple[Vector, ...]
    num_nodes: int
    num_edges: int


class Part(StrEnum):
    """Use of a group of examples: training, choosing the epoch, or measuring."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


Split = dict[Part, list[PruningExample]]
_SHARES = ((Part.TRAIN, 0.7), (Part.VALIDATION, 0.85), (Part.TEST, 1.0))


def part_of(group: str) -> Part:
    """70, 15 and 15 % of all groups, by a hash of the group alone: it serves the same in every set
    that it stands in.
    """
    place = int(content_id(group)[:8], 16) / 2**32
    return next(part for part, end in _SHARES if place < end)


def split_by_group(examples: Sequence[PruningExample]) -> Split:
    """The examples by what their groups serve. A part of a small set may be empty."""
    split: Split = {part: [] for part in Part}
    for example in examples:
        split[part_of(example.group)].append(example)
    return split
