"""How much of a question's graph is retrieved: what the papers vary in their tables."""

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from dynagrag.retrieval.steiner.steiner_tree import TreeOptions

_Count = Annotated[int, Field(gt=0)]
_Ranks = Annotated[int, Field(ge=0)]


class EgoEdges(StrEnum):
    """Over which edges an ego-graph reaches: both ways, or from tails to heads alone, as GRAG's
    code has it.
    """

    BOTH = "both"
    IN = "in"


@dataclass(frozen=True, slots=True)
class RetrievalOptions:
    """`top_nodes`, `top_edges`, `edge_cost`: of G-Retriever's tree; None: those of the set.
    `hops`, `ego_graphs`, `ego_edges`: of GRAG's ego-graphs, which an encoder reads whole; `kept`:
    the nodes, and the edges, of each that stand in the text. `nearest`: nodes and edges of bm25 and
    dense, triples of kaping; None: the papers'.

    Five ego-graphs are *chosen*; GRAG's code takes 20.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid", strict=True)

    top_nodes: _Ranks | None = None
    top_edges: _Ranks | None = None
    edge_cost: Annotated[float, Field(ge=0)] | None = None
    hops: _Count = 2
    ego_graphs: _Count = 5
    kept: _Count = 10
    ego_edges: Annotated[EgoEdges, Field(strict=False)] = EgoEdges.BOTH
    nearest: _Count | None = None

    def tree(self, of_set: TreeOptions) -> TreeOptions:
        """The options of a set's tree, with those that are given here in place of its own."""
        return replace(
            of_set,
            num_nodes=of_set.num_nodes if self.top_nodes is None else self.top_nodes,
            num_edges=of_set.num_edges if self.top_edges is None else self.top_edges,
            cost=of_set.cost if self.edge_cost is None else self.edge_cost,
        )

    @property
    def changed(self) -> dict[str, int | float | str]:
        """The options that differ from the house's, by name."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }


OF_TREES = ("top_nodes", "top_edges", "edge_cost")
OF_EGO_GRAPHS = ("hops", "ego_graphs", "kept", "ego_edges")
OF_NEAREST = ("nearest",)
