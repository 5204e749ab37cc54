"""What room a prompt has for a walk: a node is taken while its lines still fit (docs/papers.md,
DSA-BFS, step 5).
"""

from collections.abc import Sequence

from dynagrag.core.schema import Evidence, Subgraph
from dynagrag.generation.prompt_cut import RelationLine
from dynagrag.generation.subgraph_lines import SubgraphLines


class PromptRoom:
    """Takes a walk's nodes until one doesn't fit with all that is to be written of it: its line,
    and those of its relations with the nodes taken before. Lines are those of the prompt to the
    character, since numbers follow the order of the visit.
    """

    def __init__(
        self, lines: SubgraphLines, subgraph: Subgraph, evidence: Sequence[Evidence], num_chars: int
    ) -> None:
        """`num_chars`: for the graph's lines, with their ends. `evidence`: what stands below them,
        since they name it.
        """
        self._lines, self._evidence = lines, evidence
        self._pairs: list[list[tuple[int, int]]] = [[] for _ in subgraph.nodes]
        for pair, (a, b) in enumerate(subgraph.pairs.tolist()):
            self._pairs[a].append((b, pair))
            self._pairs[b].append((a, pair))
        self._numbers: dict[int, str] = {}
        self._num_children: dict[int, int] = {}
        self.num_chars_left = num_chars

    def takes(self, node: int, parent: int) -> bool:
        """Whether a node is taken; `parent`: -1 for the centre."""
        place = self._num_children.get(parent, 0) + 1
        self._numbers[node] = "1" if parent < 0 else f"{self._numbers[parent]}.{place}"
        texts = [self._lines.node_text(node, self._numbers[node], self._evidence)]
        texts += [
            self._lines.relation_text(line, self._numbers, self._evidence)
            for line in self._relations(node, parent)
        ]
        num_chars = sum(len(text) + 1 for text in texts)
        if num_chars > self.num_chars_left:
            del self._numbers[node]
            return False
        self._num_children[parent] = place
        self.num_chars_left -= num_chars
        return True

    def _relations(self, node: int, parent: int) -> list[RelationLine]:
        """Those with the nodes taken before, each under the node that comes later in the
        pre-order.
        """
        found = []
        for other, pair in self._pairs[node]:
            if other in self._numbers:
                under = max(node, other, key=lambda v: _place(self._numbers[v]))
                found += self._lines.relations(pair, under, is_tree=other == parent)
        return found


def _place(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))
