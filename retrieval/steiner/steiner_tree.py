"""Prize-Collecting Steiner Tree over scored nodes and edges (G-Retriever, section 5.2;
docs/papers.md, Steiner tree).

The nodes and edges that fit a question best get prizes by rank, every edge has a cost, and the tree
with the largest prizes less costs is what is retrieved. An edge whose prize is above its cost
becomes a node of its own between its ends, since the solver knows prizes of nodes alone.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.errors import SettingsError
from dynagrag.retrieval.passages import best_rows

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_TIE_SHARE = 0.99
"""Of a prize: the most that an edge of the next rank may get."""
_COST_SHARE = 0.995
"""Of the largest prize of an edge: the most that an edge costs, so that one at least is worth
taking.
"""


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """`num_nodes`, `num_edges`: how many ranks of each get prizes; `cost` of each edge. The
    defaults are those of WebQSP (3, 5, 0.5).

    `pruning` of the solver's tree: "gw", the paper's, or "strong", which leaves out branches that
    cost more than their prizes.
    """

    num_nodes: int = 3
    num_edges: int = 5
    cost: float = 0.5
    pruning: Literal["gw", "strong"] = "gw"


@dataclass(frozen=True, slots=True)
class Tree:
    """A connected tree: `nodes` ascending; `edges`: rows of the solver's edges. `node_prizes` and
    `edge_prizes`: the prize of each; None where nothing was chosen by prizes.
    """

    nodes: Ints
    edges: Ints
    node_prizes: Floats | None = None
    edge_prizes: Floats | None = None


def node_prizes(cosines: Floats, num: int) -> Floats:
    """(n,) k, k - 1, ..., 1 for the k = min(num, n) best, 0 for the rest; of equals the first is
    better.
    """
    prizes = np.zeros(len(cosines))
    best = best_rows(cosines, min(num, len(cosines))) if num else np.zeros(0, dtype=np.int64)
    prizes[best] = np.arange(len(best), 0, -1)
    return prizes


def edge_prizes(cosines: Floats, num: int) -> Floats:
    """(m,) as for nodes, but edges of one cosine share the prize of their rank, and a rank never
    gets more than 0.99 of what the one before it got.
    """
    prizes = np.zeros(len(cosines))
    distinct = np.unique(cosines)[::-1][:num]
    most = float(len(distinct))
    for rank, cosine in enumerate(distinct):
        group = cosines == cosine
        prize = min((len(distinct) - rank) / int(group.sum()), most)
        prizes[group] = prize
        most = _TIE_SHARE * prize
    return prizes


def steiner_tree(
    node_cosines: Floats, edge_cosines: Floats, edges: Ints, options: TreeOptions
) -> Tree:
    """The tree for cosines of nodes (n,) and edges (m,) with a question; `edges` (m, 2) are node
    numbers, parallel ones and loops allowed.

    Without nodes or edges everything is returned, as in the paper. Raises SettingsError where the
    solver is missing or wrong.
    """
    n, m = len(node_cosines), len(edges)
    if not n or not m:
        return Tree(np.arange(n), np.arange(m))
    of_nodes = node_prizes(node_cosines, options.num_nodes)
    of_edges = edge_prizes(edge_cosines, options.num_edges)
    cost = options.cost
    if options.num_edges:
        cost = min(cost, _COST_SHARE * float(of_edges.max()))
    kept, virtual = np.flatnonzero(of_edges <= cost), np.flatnonzero(of_edges > cost)
    middles = n + np.arange(len(virtual))
    left = np.stack([edges[virtual, 0], middles], axis=1)
    right = np.stack([middles, edges[virtual, 1]], axis=1)
    halves = np.stack([left, right], axis=1)
    vertices, taken = _solver()(
        np.concatenate([edges[kept], halves.reshape(-1, 2)]).astype(np.int64),
        np.concatenate([of_nodes, of_edges[virtual] - cost]),
        np.concatenate([cost - of_edges[kept], np.zeros(2 * len(virtual))]),
        -1,
        1,
        options.pruning,
        0,
    )
    chosen = np.concatenate(
        [kept[taken[taken < len(kept)]], virtual[np.sort(vertices[vertices >= n]) - n]]
    )
    nodes = np.unique(np.concatenate([vertices[vertices < n], edges[chosen].ravel()]))
    return Tree(nodes.astype(np.int64), chosen.astype(np.int64), of_nodes[nodes], of_edges[chosen])


@cache
def _solver() -> Any:
    """pcst_fast of the package pcst-fast2. Builds of the older pcst-fast give wrong vertices with
    numpy 2, without a word.
    """
    try:
        from pcst_fast import pcst_fast
    except ImportError as err:
        raise SettingsError(
            "the retriever pcst needs pcst-fast2: pip install 'dynagrag[pcst]'"
        ) from err
    path = np.array([[0, 1], [1, 2], [2, 3]])
    vertices, edges = pcst_fast(
        path, np.array([1.0, 0.0, 0.0, 1.0]), np.full(3, 0.1), -1, 1, "gw", 0
    )
    if sorted(vertices.tolist()) != [0, 1, 2, 3] or sorted(edges.tolist()) != [0, 1, 2]:
        raise SettingsError(
            "the installed pcst_fast gives wrong trees: pip uninstall pcst-fast, pip install"
            " --force-reinstall pcst-fast2"
        )
    return pcst_fast
