"""A published knowledge graph of triples as the graph of the house, with ego-graphs round an entity
as questions get them.

Hubs are not cut: paths of facts lead through them, and telling the way among many is what a pruner
is for.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from dynagrag.config.settings import PROFILES
from dynagrag.core.schema import Entity, Graph, Relation, Subgraph, Vectors
from dynagrag.retrieval.ego.ego_index import EgoIndex

Triple = tuple[str, str, str]
_PROFILE = replace(PROFILES["graph"], has_hub_cut=False)
Embed = Callable[[Sequence[str]], Vectors]


class TripleGraph:
    """Entities by name, with the vector of their words; relations with that of "head label
    tail".
    """

    def __init__(self, triples: Iterable[Triple], embed: Embed | None = None) -> None:
        """Without `embed` all vectors are 0: what an ego-graph holds doesn't depend on them."""
        embed = embed or (lambda texts: np.zeros((len(texts), 1), np.float32))
        kept = sorted(set(triples))
        self._of_head = {
            head: tuple(own) for head, own in groupby(kept, key=lambda triple: triple[0])
        }
        self.names = tuple(sorted({end for head, _, tail in kept for end in (head, tail)}))
        self._number = {name: i for i, name in enumerate(self.names)}
        entities = tuple(
            Entity(name, name, words(name), "", (name,), (), "", 1, ()) for name in self.names
        )
        relations = tuple(
            Relation("\t".join(t), t[0], t[2], words(t[1]), 1, 1, (), ()) for t in kept
        )
        graph = Graph(
            entities,
            relations,
            embed([e.name for e in entities]),
            embed([" ".join(map(words, t)) for t in kept]),
            ((),) * len(entities),
        )
        self._index = EgoIndex.build(graph, _PROFILE)

    def number(self, name: str) -> int | None:
        """The node of an entity, None where there is none of this name."""
        return self._number.get(name)

    def ego_graph(self, centre: int) -> Subgraph:
        """The ego-graph round a node: three hops, 512 nodes at most."""
        return self._index.subgraphs(np.array([centre]), np.zeros(len(self.names)))[0]

    def near(self, names: Iterable[str]) -> tuple[Triple, ...]:
        """The triples among what the ego-graphs of these entities hold, sorted. Entities that the
        graph lacks are passed over.
        """
        centres = [number for name in names if (number := self.number(name)) is not None]
        held = {self.names[node] for centre in centres for node in self.ego_graph(centre).nodes}
        return tuple(
            triple
            for head in sorted(held)
            for triple in self._of_head.get(head, ())
            if triple[2] in held
        )


def words(name: str) -> str:
    """A name of a published graph as words: its underscores and dots are blanks."""
    return " ".join(name.replace("_", " ").replace(".", " ").split())
