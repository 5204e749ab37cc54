"""The network that scores nodes and edges of ego-graphs for a question (DynaGRAG, section 3.3;
docs/papers.md, Pruning).

A mask from the distance to the question scales each node's and edge's vector; two layers of a GCN,
weighted by the edges' masks, carry what was kept to the neighbours; heads score what comes out.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
import torch
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from torch import Tensor, nn

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import Subgraph, Vector
from dynagrag.retrieval.pruning.network_input import Form
from dynagrag.retrieval.pruning.untrained_prior import prior_logits

with warnings.catch_warnings():
    # It scripts some of its own functions, which torch is about to drop.
    warnings.simplefilter("ignore")
    from torch_geometric.data import Batch, Data
    from torch_geometric.nn import GCNConv

_MASK_WIDTH, _HEAD_WIDTH, _STRUCTURE_WIDTH = 32, 32, 6
_Width = Annotated[int, Field(gt=0)]


@dataclass(frozen=True, slots=True)
class NetworkOptions:
    """`form` "distances": of a vector only its cosine with the question's and the distance are
    read, so that no words are remembered, and an edge's head sees both ends. "compared": the
    product and difference of learned projections are read too. "paper": masks and vectors as they
    are, edges scored by their own scaled vector.

    `dimension`: of the embedder. `has_masks`, `has_gcn`, `has_edges`: False leaves that part out,
    to measure what it gives. `has_prior`: scores begin as the untrained prior's, and what is
    learned is added to them. `has_structure`: where a node or edge stands in its subgraph is read
    beside its vector; not in the paper.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    dimension: _Width
    form: Form = "distances"
    projection: _Width = 64
    hidden: _Width = 256
    out: _Width = 128
    dropout: Annotated[float, Field(ge=0, le=1)] = 0.1
    has_masks: bool = True
    has_gcn: bool = True
    has_edges: bool = True
    has_prior: bool = False
    has_structure: bool = False


def read_options(kept: Mapping[str, Any]) -> NetworkOptions:
    """The options that a checkpoint keeps. LoadError where they are none of a network that this
    version has.
    """
    try:
        return TypeAdapter(NetworkOptions).validate_python(dict(kept))
    except ValidationError as err:
        first = err.errors()[0]
        name = str(first["loc"][0])
        raise LoadError(
            f"it has the network option {name} = {str(kept.get(name))[:60]!r}, which this version"
            " doesn't know"
        ) from err


@dataclass(frozen=True, slots=True)
class Logits:
    """Scores before the sigmoid: of all nodes (n,) and edges (m,) of a batch, and of their
    masks.
    """

    nodes: Tensor
    edges: Tensor
    node_masks: Tensor
    edge_masks: Tensor


def graphs_of(subgraphs: Sequence[Subgraph], query: Vector) -> list[Data]:
    """The subgraphs of a question as PyG has them.

    Each has `x` (n, d), `edge_index` (2, m) with each pair once, `edge_attr` (m, d), unit `query`
    (1, d); `node_prior` (n,) and `edge_prior` (m,) are the untrained prior's scores before the
    sigmoid; `node_structure` (n, 6) and `edge_structure` (m, 6): see `_structure`.
    """
    best = max((subgraph.score for subgraph in subgraphs), default=0.0)
    unit = torch.as_tensor(query, dtype=torch.float32)
    unit = unit / unit.norm().clamp(min=1e-12)
    graphs = []
    for subgraph in subgraphs:
        node_structure, edge_structure = _structure(subgraph, best - subgraph.score)
        pairs = torch.as_tensor(subgraph.pairs, dtype=torch.int64)
        graphs.append(
            Data(
                x=torch.as_tensor(subgraph.x, dtype=torch.float32),
                edge_index=pairs.reshape(-1, 2).T.contiguous(),
                edge_attr=torch.as_tensor(subgraph.y, dtype=torch.float32).reshape(-1, len(unit)),
                query=unit.reshape(1, -1),
                node_prior=torch.from_numpy(prior_logits(subgraph.x, unit.numpy())),
                edge_prior=torch.from_numpy(prior_logits(subgraph.y, unit.numpy())),
                node_structure=node_structure,
                edge_structure=edge_structure,
                num_nodes=len(subgraph.nodes),
            )
        )
    return graphs


def batch_of(graphs: Sequence[Data]) -> Batch:
    """Graphs as one; `query` (b, d) has a row for each, empty ones too."""
    return Batch.from_data_list(list(graphs))


class PruningNetwork(nn.Module):
    """See the module. Weights are drawn from torch's generator as it stands."""

    def __init__(self, options: NetworkOptions) -> None:
        super().__init__()
        self.options = options
        width = {
            "distances": 2,
            "compared": 3 * options.projection + 2,
            "paper": options.dimension,
        }[options.form]
        width += _STRUCTURE_WIDTH * options.has_structure
        self.node_mask = _mlp(1, _MASK_WIDTH, _MASK_WIDTH, 1)
        self.edge_mask = _mlp(1, _MASK_WIDTH, _MASK_WIDTH, 1)
        if options.form == "compared":
            self.of_vector = nn.Linear(options.dimension, options.projection)
            self.of_query = nn.Linear(options.dimension, options.projection)
        if options.form != "paper":
            self.beside = nn.Linear(2 * width, options.out)
        layer = GCNConv if options.has_gcn else nn.Linear
        self.first = layer(2 * width, options.hidden)
        self.second = layer(options.hidden, options.out)
        self.dropout = nn.Dropout(options.dropout)
        self.node_head = _mlp(options.out, _HEAD_WIDTH, 1)
        self.edge_head = _mlp(
            width + (options.out if options.form != "paper" else 0), _HEAD_WIDTH, 1
        )
        if options.has_prior:
            self.prior_shares = nn.Parameter(torch.ones(2))
            for value in (*self.node_head[-1].parameters(), *self.edge_head[-1].parameters()):
                nn.init.zeros_(value)

    def forward(self, batch: Batch) -> Logits:
        """The scores of a batch."""
        ends, z, y = batch.edge_index, batch.x, batch.edge_attr
        of_node = batch.query[batch.batch]
        of_edge = of_node[ends[0]]
        node_masks = self.node_mask((z - of_node).norm(dim=1, keepdim=True)).squeeze(1)
        edge_masks = self.edge_mask((y - of_edge).norm(dim=1, keepdim=True)).squeeze(1)
        m_v, m_e = (
            torch.sigmoid(m) if self.options.has_masks else torch.ones_like(m)
            for m in (node_masks, edge_masks)
        )
        x = m_v[:, None] * self._read(z, of_node, batch.node_structure)
        y = m_e[:, None] * self._read(y, of_edge, batch.edge_structure)
        means = torch.zeros_like(x)
        if self.options.has_edges:
            means = _incident_means(y, ends, len(x))
        seen = torch.cat([x, means], dim=1)
        h = self._spread(seen, ends, m_e)
        if self.options.form != "paper":
            h = h + self.beside(seen)
            y = torch.cat([y, h[ends[0]] + h[ends[1]]], dim=1)
        nodes, edges = self.node_head(h).squeeze(1), self.edge_head(y).squeeze(1)
        if self.options.has_prior:
            nodes, edges = (
                nodes + self.prior_shares[0] * batch.node_prior,
                edges + self.prior_shares[1] * batch.edge_prior,
            )
        return Logits(nodes, edges, node_masks, edge_masks)

    def _read(self, vectors: Tensor, queries: Tensor, structure: Tensor) -> Tensor:
        """The inputs of nodes or edges, in the network's form, with their structure beside them."""
        read = vectors
        if self.options.form != "paper":
            cosines = (vectors * queries).sum(dim=1, keepdim=True)
            lengths = (vectors - queries).norm(dim=1, keepdim=True)
            read = torch.cat([cosines, lengths], dim=1)
        if self.options.form == "compared":
            a, b = self.of_vector(vectors), self.of_query(queries)
            read = torch.cat([a * b, (a - b).abs(), a, read], dim=1)
        return torch.cat([read, structure], dim=1) if self.options.has_structure else read

    def _spread(self, seen: Tensor, ends: Tensor, weights: Tensor) -> Tensor:
        if not self.options.has_gcn:
            alone: Tensor = self.second(self.dropout(torch.relu(self.first(seen))))
            return alone
        both, twice = torch.cat([ends, ends.flip(0)], dim=1), torch.cat([weights, weights])
        hidden = self.dropout(torch.relu(self.first(seen, both, twice)))
        h: Tensor = self.second(hidden, both, twice)
        return h


def _mlp(*widths: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for i in range(len(widths) - 1):
        layers += [nn.Linear(widths[i], widths[i + 1]), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def _structure(subgraph: Subgraph, behind: float) -> tuple[Tensor, Tensor]:
    """The place of each node and edge in the subgraph, as six numbers of about 1 or less.

    A node: whether it is the centre, its hops from it, the logarithms of its degree and of the
    records on its edges, 1 / its place in the subgraph, and how far the subgraph is behind the best
    of its question. An edge: whether it touches the centre, the hops of its nearer end, the
    logarithms of its records and of its relations, 1 / the place of its first end, and the same
    distance.
    """
    hops, pairs = np.array(subgraph.hops, float), subgraph.pairs.reshape(-1, 2)
    weights = subgraph.weights.astype(float)
    degrees = np.bincount(pairs.ravel(), minlength=len(hops))
    records = np.bincount(pairs.ravel(), np.repeat(weights, 2), len(hops))
    relations = np.array([len(own) for own in subgraph.pair_relations], float)
    places = 1 / np.arange(1, len(hops) + 1)
    nearer, first = hops[pairs].min(axis=1, initial=np.inf), places[pairs].max(axis=1, initial=0.0)
    nodes = (
        hops == 0,
        hops / 3,
        np.log1p(degrees) / 3,
        np.log1p(records) / 3,
        places,
        np.full(len(hops), 10 * behind),
    )
    edges = (
        nearer == 0,
        nearer / 3,
        np.log1p(weights) / 3,
        np.log1p(relations) / 3,
        first,
        np.full(len(pairs), 10 * behind),
    )
    of_nodes, of_edges = (
        torch.from_numpy(np.stack(columns, axis=1)).float() for columns in (nodes, edges)
    )
    return of_nodes, of_edges


def _incident_means(y: Tensor, ends: Tensor, num_nodes: int) -> Tensor:
    """(n, width) the mean over each node's edges; zeros where it has none."""
    sums, counts = y.new_zeros(num_nodes, y.shape[1]), y.new_zeros(num_nodes, 1)
    for end in ends:
        sums = sums.index_add(0, end, y)
        counts = counts.index_add(0, end, torch.ones_like(y[:, :1]))
    return sums / counts.clamp(min=1)
