"""Which lines of a hard prompt go when it must be shorter: whole ones, lowest score first
(docs/papers.md, Hard prompt, step 4).
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dynagrag.core.schema import Walk


@dataclass(frozen=True, slots=True)
class RelationLine:
    """A relation's line: its index in the graph, the local nodes of its ends, the node that it
    stands under (the later end).
    """

    relation: int
    head: int
    tail: int
    under: int
    score: float
    weight: float
    is_tree: bool


@dataclass(frozen=True, slots=True)
class NodeLine:
    """A node's line; `weight` breaks ties between equal scores."""

    node: int
    score: float
    weight: float


class LineCut:
    """Takes lines from a tree of nodes until enough characters are gone.

    The lowest score goes first; of equals the lighter, then the later. A node goes only as a leaf,
    with every relation line that names it. The last line that ties a node to its parent goes only
    with the node. The root stays.
    """

    def __init__(
        self,
        walk: Walk,
        nodes: Sequence[NodeLine],
        relations: Sequence[RelationLine],
        node_chars: Mapping[int, int],
        chars: Sequence[int],
    ) -> None:
        self._walk, self._relations, self._node_chars, self._chars = (
            walk,
            relations,
            node_chars,
            chars,
        )
        self._node = {line.node: line for line in nodes}
        self._position = {line.node: i for i, line in enumerate(nodes)}
        self._num_children = {line.node: len(walk.children.get(line.node, ())) for line in nodes}
        self._touching: dict[int, list[int]] = {line.node: [] for line in nodes}
        self._num_ties = dict.fromkeys(self._node, 0)
        for i, line in enumerate(relations):
            self._touching[line.head].append(i)
            self._touching[line.tail].append(i)
            self._num_ties[line.under] += line.is_tree
        self.kept_nodes = set(self._node)
        self.kept_relations = set(range(len(relations)))

    def take(self, num_chars: int) -> int:
        """Takes at least `num_chars` (line ends counted) where there is so much to take; how many
        lines went.
        """
        heap = [(line.score, line.weight, -i, 0, i) for i, line in enumerate(self._relations)]
        heap += [self._entry(node) for node in self.kept_nodes if self._is_leaf(node)]
        heapq.heapify(heap)
        num_lines = len(self.kept_nodes) + len(self.kept_relations)
        while heap and num_chars > 0:
            _, _, _, is_node, key = heapq.heappop(heap)
            if is_node:
                num_chars -= self._take_node(key)
                parent = self._walk.parent[key]
                self._num_children[parent] -= 1
                if self._is_leaf(parent):
                    heapq.heappush(heap, self._entry(parent))
            else:
                num_chars -= self._take_relation(key)
        return num_lines - len(self.kept_nodes) - len(self.kept_relations)

    def _is_leaf(self, node: int) -> bool:
        return not self._num_children[node] and self._walk.parent[node] >= 0

    def _entry(self, node: int) -> tuple[float, float, int, int, int]:
        line = self._node[node]
        return (line.score, line.weight, -self._position[node], 1, node)

    def _take_node(self, node: int) -> int:
        touching = [i for i in self._touching[node] if i in self.kept_relations]
        self.kept_relations.difference_update(touching)
        self.kept_nodes.remove(node)
        return self._node_chars[node] + sum(self._chars[i] for i in touching)

    def _take_relation(self, i: int) -> int:
        line = self._relations[i]
        if i not in self.kept_relations or (line.is_tree and self._num_ties[line.under] == 1):
            return 0
        self._num_ties[line.under] -= line.is_tree
        self.kept_relations.remove(i)
        return self._chars[i]
