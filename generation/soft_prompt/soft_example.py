"""A question as a soft-prompt system reads it: its graphs as tensors, and the texts beside them."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from dynagrag.core.schema import Vector, Vectors

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore"
    )  # it scripts some of its own functions, which torch is about to drop
    from torch_geometric.data import Batch, Data


@dataclass(frozen=True, slots=True)
class GraphArrays:
    """A directed multigraph: `x` (n, d) vectors of the nodes, `ends` (m, 2) each edge's head and
    tail, `y` (m, d) vectors of the edges.
    """

    x: Vectors
    ends: NDArray[np.int64]
    y: Vectors


@dataclass(frozen=True, slots=True)
class SoftExample:
    """`graphs`: one for G-Retriever, the ego-graphs for GRAG. `query` (d,): the question's vector.
    `description`: the graph as text. `question`: as it is put to the model. `label`: what it should
    answer, empty where it is only asked.
    """

    graphs: tuple[GraphArrays, ...]
    query: Vector
    description: str
    question: str
    label: str = ""


def batch_graphs(examples: Sequence[SoftExample], dimension: int) -> Batch:
    """All graphs of the examples as one: `x`, `edge_index`, `edge_attr`, unit `query` (g, d) of
    each graph's question, and `owner` (g,), the number of the example that each graph is of. An
    example without a graph gets an empty one, so each has one at least.
    """
    parts = [
        _data(graph, example.query, i)
        for i, example in enumerate(examples)
        for graph in example.graphs or (_empty_graph(dimension),)
    ]
    return Batch.from_data_list(parts)


def _empty_graph(dimension: int) -> GraphArrays:
    nothing = np.zeros((0, dimension), np.float32)
    return GraphArrays(nothing, np.zeros((0, 2), np.int64), nothing)


def _data(graph: GraphArrays, query: Vector, owner: int) -> Data:
    unit = torch.as_tensor(query, dtype=torch.float32)
    return Data(
        x=torch.as_tensor(graph.x, dtype=torch.float32),
        edge_index=torch.from_numpy(graph.ends.astype(np.int64)).reshape(-1, 2).T.contiguous(),
        edge_attr=torch.as_tensor(graph.y, dtype=torch.float32).reshape(-1, len(unit)),
        query=(unit / unit.norm().clamp(min=1e-12)).reshape(1, -1),
        owner=torch.tensor([owner]),
        num_nodes=len(graph.x),
    )
