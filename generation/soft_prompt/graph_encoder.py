"""Graphs to vectors: layers that read nodes and edges, then the mean over each graph's nodes
(docs/papers.md, Soft prompts).

G-Retriever: Graph Transformer over the directed edges. GRAG: graph attention over both directions,
with a flag for the direction, and what soft pruning left of nodes and edges goes into the messages
of every layer.
"""

import warnings
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, assert_never

import torch
from pydantic import ConfigDict, Field
from torch import Tensor, nn

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore"
    )  # it scripts some of its own functions, which torch is about to drop
    from torch_geometric.data import Batch
    from torch_geometric.nn import GATConv, GCNConv, TransformerConv
    from torch_geometric.utils import scatter

from dynagrag.generation.soft_prompt.edge_attention import EdgeAttention

Layer = Literal["transformer", "edge-gat", "gat", "gcn"]
Distance = Literal["elements", "euclidean"]
MAX_WIDTH, MAX_LAYERS = 16_384, 64
"""Far beyond the papers' 1024 and 4: the widths of the largest language models, which stand in for
them without a projector.
"""
_Count = Annotated[int, Field(gt=0)]
_Width = Annotated[int, Field(gt=0, le=MAX_WIDTH)]


@dataclass(frozen=True, slots=True)
class EncoderOptions:
    """`dimension`: of the vectors of nodes and edges. `layer`: transformer (heads side by side) and
    edge-gat (heads averaged) read edges in their messages, gat and gcn not at all. The papers have
    4 layers of 4 heads and a width of 1024. `is_pruned`: GRAG's soft pruning, by the `distance` of
    each element from the question's, as its code has it, or by one number, as its paper writes it;
    `is_two_way`: its edges, both ways.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid", strict=True)

    dimension: _Count
    layer: Layer = "transformer"
    width: _Width = 256
    num_layers: Annotated[int, Field(gt=0, le=MAX_LAYERS)] = 4
    num_heads: _Count = 4
    is_pruned: bool = False
    is_two_way: bool = False
    distance: Distance = "elements"


class GraphEncoder(nn.Module):
    """See the module. Between layers stand LayerNorm and ReLU: the authors' BatchNorm fails on a
    single node, and makes what a graph gives depend on those beside it.
    """

    def __init__(self, options: EncoderOptions) -> None:
        super().__init__()
        self.options = options
        edge_width = options.dimension + options.is_two_way
        widths = [options.dimension] + [options.width] * options.num_layers
        self.layers = nn.ModuleList(_layer(options, before, edge_width) for before in widths[:-1])
        self.norms = nn.ModuleList(nn.LayerNorm(options.width) for _ in widths[2:])
        if options.is_pruned:
            self.node_mask, self.edge_mask = _mask_mlp(options), _mask_mlp(options)

    def forward(self, batch: Batch) -> Tensor:
        """(g, width): the mean over each graph's nodes after the last layer; zeros for a graph
        without nodes.
        """
        x, ends, y, of_node = batch.x, batch.edge_index, batch.edge_attr, batch.batch
        alpha_v, alpha_e = (
            torch.ones(len(x), 1, device=x.device),
            torch.ones(len(y), 1, device=x.device),
        )
        if self.options.is_pruned:
            alpha_v, alpha_e = self.masks(batch)
        if self.options.is_two_way:
            ends, y, alpha_e = _both_ways(ends, y, alpha_e)
        h = x
        for i, layer in enumerate(self.layers):
            h = self._messages(layer, alpha_v * h, ends, alpha_e, y)
            if i < len(self.norms):
                h = torch.relu(self.norms[i](h))
        pooled: Tensor = scatter(h, of_node, dim=0, dim_size=batch.num_graphs, reduce="mean")
        return pooled

    def masks(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Masks of soft pruning for nodes (n, 1) and edges (m, 1), from 0 to 1, by distance from
        the question (GRAG, section 4.2).
        """
        of_node = batch.query[batch.batch]
        of_edge = of_node[batch.edge_index[0]]
        alpha_v = torch.sigmoid(self.node_mask(self._distance(batch.x - of_node)))
        alpha_e = torch.sigmoid(self.edge_mask(self._distance(batch.edge_attr - of_edge)))
        return alpha_v, alpha_e

    def _distance(self, difference: Tensor) -> Tensor:
        """(n, d) or (n, 1) of the difference (n, d)."""
        if self.options.distance == "elements":
            return difference.abs()
        length: Tensor = difference.norm(dim=1, keepdim=True)
        return length

    def _messages(
        self, layer: nn.Module, h: Tensor, ends: Tensor, alpha_e: Tensor, y: Tensor
    ) -> Tensor:
        match self.options.layer:
            case "gcn":
                out: Tensor = layer(h, ends, alpha_e.squeeze(1))
            case "gat":
                out = layer(h, ends)
            case _:
                out = layer(h, ends, alpha_e * y)
        return out


def _layer(options: EncoderOptions, before: int, edge_width: int) -> nn.Module:
    width, num_heads = options.width, options.num_heads
    made: nn.Module
    match options.layer:
        case "transformer":
            made = TransformerConv(before, width // num_heads, num_heads, edge_dim=edge_width)
        case "edge-gat":
            made = EdgeAttention(before, width, num_heads, edge_width)
        case "gat":
            made = GATConv(before, width, num_heads, concat=False)
        case "gcn":
            made = GCNConv(before, width)
        case _:
            assert_never(options.layer)
    return made


def _mask_mlp(options: EncoderOptions) -> nn.Sequential:
    """Three layers, twice as wide as the encoder, as in GRAG's code; it begins by keeping about
    all.
    """
    before = options.dimension if options.distance == "elements" else 1
    middle, last = 2 * options.width, nn.Linear(2 * options.width, 1)
    nn.init.constant_(last.bias, 2.0)
    return nn.Sequential(
        nn.Linear(before, middle), nn.ReLU(), nn.Linear(middle, middle), nn.ReLU(), last
    )


def _both_ways(ends: Tensor, y: Tensor, alpha_e: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Each edge and its reverse; y gets a column with 1 for the direction that was given, -1 for
    the other.
    """
    flag = torch.ones(len(y), 1, device=y.device)
    both = torch.cat([torch.cat([y, flag], dim=1), torch.cat([y, -flag], dim=1)])
    return torch.cat([ends, ends.flip(0)], dim=1), both, torch.cat([alpha_e, alpha_e])
