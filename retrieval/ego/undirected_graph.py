"""The undirected, weighted, simple graph under a directed, labelled Graph: what ego-graphs are made
of (docs/papers.md, Undirected graph).

One edge per pair. Labels, directions and texts stay on the relations that a pair lists. All of it
is arrays, and near-linear to build.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.errors import StoreError
from dynagrag.core.schema import Graph, Subgraph, Vectors

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class UndirectedGraph:
    """Nodes are numbered as in the Graph (ascending id), pairs ascending by (u, v) with u < v.

    `ids` entity ids; `w` (n,) mentions; `z` (n, d) unit; `u`, `v` (m,) pair ends; `f` (m,) relation
    records of the pair over all labels and directions; `y` (s, d) unit, of the pairs that state
    something; `y_rows` (m,) the row of each pair in it, -1 for a pair whose ends are only mentioned
    together. The relations of pair j are `relations[relation_ptr[j]:relation_ptr[j + 1]]`. The
    neighbours of node i are `neighbours[ptr[i]:ptr[i + 1]]`, ascending, over the pairs
    `neighbour_pairs[...]`.
    """

    ids: tuple[str, ...]
    w: Floats
    z: Vectors
    u: Ints
    v: Ints
    f: Floats
    y: Vectors
    y_rows: Ints
    relation_ptr: Ints
    relations: Ints
    ptr: Ints
    neighbours: Ints
    neighbour_pairs: Ints

    @property
    def num_nodes(self) -> int:
        """n."""
        return len(self.ids)

    @property
    def num_pairs(self) -> int:
        """m."""
        return len(self.u)

    @property
    def degrees(self) -> Ints:
        """(n,) distinct neighbours."""
        return np.diff(self.ptr)

    def vectors_of(self, pairs: Ints) -> Vectors:
        """(len(pairs), d) unit: what the pairs state; where they state nothing, the mean of the two
        ends.
        """
        vectors = precise_unit_rows(self.z[self.u[pairs]] + self.z[self.v[pairs]])
        rows = self.y_rows[pairs]
        vectors[rows >= 0] = self.y[rows[rows >= 0]]
        return vectors


def cut_out(graph: UndirectedGraph, nodes: Ints, hops: Ints, pairs: Ints, score: float) -> Subgraph:
    """Some nodes, the centre first, with `hops` (len(nodes),) from it, and some of the pairs among
    them, ascending.
    """
    local = np.full(graph.num_nodes, -1, dtype=np.int64)
    local[nodes] = np.arange(len(nodes))
    starts, stops = graph.relation_ptr[pairs], graph.relation_ptr[pairs + 1]
    flat, ends = graph.relations[ranges(starts, stops)].tolist(), np.cumsum(stops - starts).tolist()
    return Subgraph(
        nodes=tuple(nodes.tolist()),
        hops=tuple(hops.tolist()),
        pairs=np.stack((local[graph.u[pairs]], local[graph.v[pairs]]), axis=1),
        pair_relations=tuple(tuple(flat[start:stop]) for start, stop in pairwise([0, *ends])),
        x=graph.z[nodes],
        y=graph.vectors_of(pairs),
        weights=graph.f[pairs].astype(np.float32),
        score=score,
    )


def precise_unit_rows(x: Vectors) -> Vectors:
    """Rows of length 1, divided in float64 and kept in float32: not to the bit what dividing in
    float32 gives. A row of zeros stays.
    """
    norms = np.sqrt(np.einsum("ij,ij->i", x, x, dtype=np.float64))
    norms[norms == 0] = 1
    return np.asarray(x / norms[:, None], dtype=np.float32)


def undirected_graph(graph: Graph) -> UndirectedGraph:
    """Collapses parallel and reverse relations to pairs.

    A pair's vector is the two-step mean: over the records of one label (either direction), then
    over the labels, unweighted; a label that states nothing has none. A relation from an entity to
    itself belongs to the entity's notes and is left out. Raises StoreError for a relation to an
    unknown entity.
    """
    ids = tuple(entity.id for entity in graph.entities)
    heads, tails = _ends(graph, ids)
    proper = np.flatnonzero(heads != tails)
    u, v = np.minimum(heads, tails)[proper], np.maximum(heads, tails)[proper]
    codes: dict[str, int] = {}
    labels = np.fromiter(
        (codes.setdefault(graph.relations[j].label, len(codes)) for j in proper),
        dtype=np.int64,
        count=len(proper),
    )
    order = np.lexsort((proper, labels, v, u))
    proper, u, v, labels = proper[order], u[order], v[order], labels[order]
    weights = np.fromiter(
        (graph.relations[j].weight for j in proper), dtype=np.float64, count=len(proper)
    )

    new_pair = _starts((u, v))
    new_label = _starts((u, v, labels))
    pair_at = np.flatnonzero(new_pair)
    y, y_rows = _pair_vectors(graph, proper, weights, new_pair, new_label)
    u, v = u[pair_at], v[pair_at]
    ptr, neighbours, neighbour_pairs = adjacency(len(ids), u, v)
    return UndirectedGraph(
        ids=ids,
        w=np.fromiter(
            (entity.weight for entity in graph.entities), dtype=np.float64, count=len(ids)
        ),
        z=precise_unit_rows(graph.entity_vectors),
        u=u,
        v=v,
        f=np.add.reduceat(weights, pair_at) if len(pair_at) else np.zeros(0),
        y=precise_unit_rows(y),
        y_rows=y_rows,
        relation_ptr=np.append(pair_at, len(proper)),
        relations=proper,
        ptr=ptr,
        neighbours=neighbours,
        neighbour_pairs=neighbour_pairs,
    )


def _ends(graph: Graph, ids: tuple[str, ...]) -> tuple[Ints, Ints]:
    number = {entity_id: i for i, entity_id in enumerate(ids)}
    count = len(graph.relations)
    try:
        heads = np.fromiter(
            (number[relation.head] for relation in graph.relations), dtype=np.int64, count=count
        )
        tails = np.fromiter(
            (number[relation.tail] for relation in graph.relations), dtype=np.int64, count=count
        )
    except KeyError as err:
        raise StoreError(
            f"a relation names the entity {err.args[0]!r}, which the graph does not hold; derive"
            " the graph again"
        ) from err
    return heads, tails


def _starts(columns: tuple[Ints, ...]) -> NDArray[np.bool_]:
    """(n,) whether a new group of equal rows begins at a row of sorted columns."""
    count = len(columns[0])
    starts = np.zeros(count, dtype=bool)
    starts[:1] = True
    for column in columns:
        starts[1:] |= column[1:] != column[:-1]
    return starts


def _pair_vectors(
    graph: Graph,
    proper: Ints,
    weights: Floats,
    new_pair: NDArray[np.bool_],
    new_label: NDArray[np.bool_],
) -> tuple[Vectors, Ints]:
    """(s, d) the means of the pairs that state something, and (m,) the row of each pair, or -1.
    `proper`: relations by (pair, label).
    """
    is_stated = np.fromiter(
        (relation.is_stated for relation in graph.relations), dtype=bool, count=len(graph.relations)
    )
    vector_of = np.cumsum(is_stated) - 1
    stated = np.flatnonzero(is_stated[proper])
    pairs, labels = np.cumsum(new_pair)[stated] - 1, np.cumsum(new_label)[stated] - 1
    label_at = np.flatnonzero(_starts((labels,)))
    pair_at = np.flatnonzero(_starts((pairs,)))
    rows = np.full(int(new_pair.sum()), -1, dtype=np.int64)
    rows[pairs[pair_at]] = np.arange(len(pair_at))
    vectors = graph.relation_vectors[vector_of[proper[stated]]]
    return (
        _two_step_means(vectors, weights[stated], label_at, np.searchsorted(label_at, pair_at)),
        rows,
    )


def _two_step_means(vectors: Vectors, weights: Floats, label_at: Ints, pair_at: Ints) -> Vectors:
    if not len(label_at):
        return np.zeros((0, vectors.shape[1]), dtype=np.float32)
    weights = np.maximum(weights, 1).astype(np.float32)
    sums = np.add.reduceat(vectors * weights[:, None], label_at, axis=0)
    of_label = sums / np.add.reduceat(weights, label_at)[:, None]
    counts = np.diff(np.append(pair_at, len(label_at)))
    means = np.add.reduceat(of_label, pair_at, axis=0) / counts[:, None]
    return np.asarray(means, dtype=np.float32)


def adjacency(num_nodes: int, u: Ints, v: Ints) -> tuple[Ints, Ints, Ints]:
    """(ptr, neighbours, neighbour_pairs) of UndirectedGraph."""
    sources, targets = np.concatenate((u, v)), np.concatenate((v, u))
    pairs = np.tile(np.arange(len(u)), 2)
    order = np.lexsort((targets, sources))
    ptr = np.zeros(num_nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(sources, minlength=num_nodes), out=ptr[1:])
    return ptr, targets[order], pairs[order]


def ranges(starts: Ints, stops: Ints) -> Ints:
    """The concatenated ranges start..stop."""
    counts = stops - starts
    offsets: Ints = starts - np.append(0, np.cumsum(counts)[:-1])
    return np.arange(int(counts.sum()), dtype=np.int64) + np.repeat(offsets, counts)
