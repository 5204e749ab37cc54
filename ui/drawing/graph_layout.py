"""Where the nodes of a drawing go, and which of them belong together.

`place` is force-directed in the form of ForceAtlas2: attraction in proportion to distance,
repulsion in proportion to the masses over the distance. A node's repulsion is estimated from a few
others drawn at each step, as LargeVis and UMAP do, and from its nearest neighbours exactly, so that
a step is O(nodes + relations). Nodes start round their community; small components are set on
rings.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

Positions = NDArray[np.float32]
"""(n, 2) or (n, 3) float32."""
Pairs = Sequence[tuple[int, int]]
"""Indices of the two ends of each edge; loops and doubles may be among them."""

_NUM_STEPS = 150
_NUM_SAMPLES = 12
_NUM_NEAREST = 8
_STEPS_BETWEEN_NEAREST = 6
_GRAVITY = 0.6
_TOGETHER = 3.0
"""How much harder relations inside a community pull: 1 drew 5,000 nodes as one ball with the
colours mixed.
"""
_SMALL = 4
"""Components of up to so many nodes are set outside too: among the others they would only float
about.
"""


def communities(
    num_nodes: int, pairs: Pairs, weights: Sequence[float] | None = None, seed: int = 0
) -> NDArray[np.int64]:
    """(n,) number of each node's community by Louvain's method, 0 for the one with most nodes; ties
    by their first node.
    """
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(num_nodes))
    if weights is None:
        weights = [1.0] * len(pairs)
    for (a, b), weight in zip(pairs, weights, strict=True):
        if a != b:
            before = graph.edges[a, b]["weight"] if graph.has_edge(a, b) else 0.0
            graph.add_edge(a, b, weight=before + float(weight))
    made = np.zeros(num_nodes, dtype=np.int64)
    if num_nodes == 0:
        return made
    found = [sorted(members) for members in nx.community.louvain_communities(graph, seed=seed)]
    for number, members in enumerate(sorted(found, key=lambda m: (-len(m), m[0]))):
        made[members] = number
    return made


def place(
    num_nodes: int, pairs: Pairs, groups: NDArray[np.int64] | None = None, seed: int = 0
) -> Positions:
    """(n, 2) positions in the unit disc; the same for the same seed. `groups` (n,) are communities
    to begin from, if they are known.
    """
    if num_nodes == 0:
        return np.zeros((0, 2), dtype=np.float32)
    if groups is None:
        groups = communities(num_nodes, pairs, seed=seed)
    matrix = _adjacency(num_nodes, pairs)
    _, component = connected_components(matrix, directed=False)
    size = np.bincount(component)
    is_main = (size[component] > _SMALL) | (component == int(np.argmax(size)))
    main, loose = np.flatnonzero(is_main), np.flatnonzero(~is_main)
    rng = np.random.default_rng(seed)
    made = np.zeros((num_nodes, 2), dtype=np.float32)
    inner = matrix[main][:, main]
    own_groups = groups[main]
    pulls = inner.tocoo()
    pulls.data = np.where(
        own_groups[pulls.row] == own_groups[pulls.col], np.float32(_TOGETHER), np.float32(1.0)
    )
    at = _settled(pulls.tocsr(), _start(inner, own_groups, rng), rng)
    at -= at.mean(axis=0)
    length = np.linalg.norm(at, axis=1, keepdims=True)
    radius = float(np.quantile(length, 0.98))
    # nodes outside of the radius are moved onto it
    made[main] = np.where(length > radius, at * (radius / np.maximum(length, 1e-9)), at)
    order = loose[np.lexsort((loose, component[loose], -size[component[loose]]))]
    gap = 1.6 * radius / float(np.sqrt(len(main)))
    sizes = [int(size[c]) for c in dict.fromkeys(component[order].tolist())]
    # of a few nodes the outermost are large there
    made[order] = _rings(sizes, radius + max(0.08 * radius, 0.7 * gap), gap)
    reach = float(np.linalg.norm(made, axis=1).max())
    return made / np.float32(reach or 1.0)


def _adjacency(num_nodes: int, pairs: Pairs) -> csr_matrix:
    ends = np.array([(a, b) for a, b in pairs if a != b], dtype=np.int64).reshape(-1, 2)
    rows, columns = (
        np.concatenate((ends[:, 0], ends[:, 1])),
        np.concatenate((ends[:, 1], ends[:, 0])),
    )
    matrix = coo_matrix(
        (np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=(num_nodes, num_nodes)
    ).tocsr()
    matrix.data[:] = 1.0  # parallel relations don't pull harder
    return matrix


def _start(matrix: csr_matrix, groups: NDArray[np.int64], rng: np.random.Generator) -> Positions:
    """Each node near the middle of its community; the communities where a drawing of them alone
    would have them.
    """
    known, local = np.unique(groups, return_inverse=True)
    sizes = np.bincount(local)
    angle = 2.399963 * np.arange(len(known))  # the golden angle
    middle = (
        np.sqrt(np.cumsum(sizes))[:, None] * np.stack((np.cos(angle), np.sin(angle)), axis=1)
    ).astype(np.float32)
    if 2 < len(known) < len(groups):
        made = matrix.tocoo()
        middle = _settled(
            _adjacency(
                len(known),
                list(zip(local[made.row].tolist(), local[made.col].tolist(), strict=True)),
            ),
            middle,
            rng,
        )
        middle *= np.float32(np.sqrt(len(groups) / len(known)))
    spread = np.sqrt(sizes)[local][:, None] * 0.5
    start: Positions = (middle[local] + spread * rng.standard_normal((len(groups), 2))).astype(
        np.float32
    )
    return start


def _settled(matrix: csr_matrix, start: Positions, rng: np.random.Generator) -> Positions:
    """The positions after all steps. Distances are about 1 between neighbours."""
    num = len(start)
    degree = np.asarray(matrix.sum(axis=1)).ravel().astype(np.float32)
    mass = np.sqrt(degree + 1.0)
    share = np.float32(num / _NUM_SAMPLES / 12.0)
    width = float(np.sqrt(mass.sum()))
    at = start.copy()
    near = np.zeros((num, 0), dtype=np.int64)
    for step in range(_NUM_STEPS):
        pull = (matrix @ at - degree[:, None] * at) / (1.0 + 0.15 * degree[:, None])
        others = rng.integers(0, num, size=(num, _NUM_SAMPLES), dtype=np.int32)
        push = share * _repulsion(at, others, mass, 1.0)
        if step % _STEPS_BETWEEN_NEAREST == 0 and num > 1:
            near = np.asarray(
                cKDTree(at).query(at, k=min(num, _NUM_NEAREST + 1))[1], dtype=np.int64
            )[:, 1:]
        push += 0.3 * _repulsion(at, near, mass, 0.05)
        force = 0.12 * pull + push - at * np.float32(_GRAVITY / width)
        length = np.linalg.norm(force, axis=1, keepdims=True) + 1e-9
        limit = 0.02 + (1.0 - step / _NUM_STEPS) ** 2 * 0.08 * width
        at += force / length * np.minimum(length, limit)
    return at


def _repulsion(
    at: Positions,
    others: NDArray[np.int32] | NDArray[np.int64],
    mass: NDArray[np.float32],
    least: float,
) -> Positions:
    """(n, 2): the sum over `others` (n, k) of their mass times the way from them divided by its
    squared length, at least `least`.
    """
    x, y = np.ascontiguousarray(at[:, 0]), np.ascontiguousarray(at[:, 1])
    dx, dy = x[:, None] - x[others], y[:, None] - y[others]
    strength = mass[others] / np.maximum(dx * dx + dy * dy, np.float32(least))
    return np.stack(((dx * strength).sum(axis=1), (dy * strength).sum(axis=1)), axis=1)


def _rings(sizes: Sequence[int], radius: float, gap: float) -> Positions:
    """Components of these sizes on rings from a radius outwards, each with its nodes together,
    `gap` apart from the next.
    """
    made = np.zeros((sum(sizes), 2), dtype=np.float32)
    gap, radius = (gap, radius) if radius > 0 else (1.0, 0.5)
    done = row = 0
    while done < len(sizes):
        # the share of a ring that a component of so many nodes takes, where one alone takes 1
        room = [gap * (1.0 if size == 1 else 2.0) for size in sizes[done:]]
        radius += (room[0] - gap) / 2
        here = max(1, int((np.cumsum(room) <= max(6 * room[0], 2 * np.pi * radius)).sum()))
        ends = np.cumsum(room[:here])
        angles = 2 * np.pi * (ends - np.array(room[:here]) / 2) / ends[-1]
        for size, angle in zip(sizes[done : done + here], angles.tolist(), strict=True):
            made[row : row + size] = radius * np.array(
                (np.cos(angle), np.sin(angle))
            ) + gap * _circle(size, angle)
            row += size
        done += here
        radius += (room[0] + gap) / 2
    return made


def _circle(size: int, angle: float) -> Positions:
    """(size, 2): nodes round the origin, 0.8 apart at most. `angle`: the way outwards; two stand
    beside each other on the ring.
    """
    if size == 1:
        return np.zeros((1, 2), dtype=np.float32)
    turns = angle + np.pi / 2 + 2 * np.pi * np.arange(size) / size
    return (0.4 * np.stack((np.cos(turns), np.sin(turns)), axis=1)).astype(np.float32)


def place_3d(num_nodes: int, pairs: Pairs) -> Positions:
    """(n, 3) positions in the unit ball by Kamada and Kawai's method, as in figure 2 of DynaGRAG,
    upright: it reaches farthest along the third axis, then along the first, so that it fits a
    window that is higher than wide too.

    What can't be reached is taken to lie as far as the farthest that can: the library's own value
    sets components so far apart that each is a dot. O(n^3): 2 s for 300 nodes, 26 s for 1,000.
    """
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(num_nodes))
    graph.add_edges_from((a, b) for a, b in pairs if a != b)
    if num_nodes < 2:
        return np.zeros((num_nodes, 3), dtype=np.float32)
    reached = dict(nx.all_pairs_shortest_path_length(graph))
    far = max(1, *(max(row.values()) for row in reached.values()))
    distances = {
        a: {b: float(reached[a].get(b, far)) for b in range(num_nodes)} for a in range(num_nodes)
    }
    # By itself it would begin at random, and be another layout each time.
    # By itself it would begin at random, and be another layout each time. So it begins evenly on a
    # sphere, by the golden angle.
    height = 1 - 2 * (np.arange(num_nodes) + 0.5) / num_nodes
    angle, width = 2.399963 * np.arange(num_nodes), np.sqrt(1 - height * height)
    sphere = np.stack((width * np.cos(angle), width * np.sin(angle), height), axis=1)
    start = dict(enumerate(sphere.astype(np.float32)))
    found = nx.kamada_kawai_layout(graph, dist=distances, pos=start, dim=3, weight=None)
    made = np.array([found[i] for i in range(num_nodes)], dtype=np.float32)
    made -= made.mean(axis=0)
    _, _, axes = np.linalg.svd(made.astype(np.float64), full_matrices=True)
    upright: Positions = (made @ axes[[1, 2, 0]].T).astype(np.float32)
    return upright / np.float32(np.linalg.norm(upright, axis=1).max() or 1.0)
