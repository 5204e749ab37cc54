"""The noun of pruners' training and measuring: a question, the subgraphs retrieved for it, and what of them supports its answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from dynagrag.schema import Subgraph, Vector


@dataclass(frozen=True, slots=True)
class PruningExample:
    """`node_labels[i]` (n,) and `edge_labels[i]` (m,) of subgraph i: 1 for what supports the answer, 0 for what doesn't.

    `num_nodes`, `num_edges`: how much support there is, what the subgraphs lack included. `group`: examples of one group are never split
    between training and measuring.
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
    """What a group of examples serves: training, choosing the epoch, or measuring."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


_SHARES = ((Part.TRAIN, 0.7), (Part.VALIDATION, 0.85), (Part.TEST, 1.0))


def split_by_group(examples: Sequence[PruningExample]) -> dict[Part, list[PruningExample]]:
    """70, 15 and 15 % of the groups, drawn by one fixed seed, so that no training seed sees another's test rows."""
    groups = sorted({example.group for example in examples})
    Random(0).shuffle(groups)
    part_of = {group: next(part for part, end in _SHARES if i < end * len(groups)) for i, group in enumerate(groups)}
    split: dict[Part, list[PruningExample]] = {part: [] for part in Part}
    for example in examples:
        split[part_of[example.group]].append(example)
    return split
