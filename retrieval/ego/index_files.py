"""An ego-graph index on disk: `ego_index.npz` (arrays) beside `ego_index.json` (format, store
version, rule, checksum). Never pickle.

Vectors of nodes and pairs are not written: the graph has them; digests tell which changed. A pair
of files that do not fit (a crash between two writes, a damaged disk) is no index.
"""

import hashlib
import json
import logging
import zipfile
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path

import numpy as np

from dynagrag.core.errors import StoreError
from dynagrag.core.files.private_files import make_folder, replace_whole
from dynagrag.retrieval.ego.index_refresh import IndexState
from dynagrag.retrieval.ego.pooling import Sums
from dynagrag.retrieval.ego.reach import EgoRule
from dynagrag.retrieval.ego.undirected_graph import UndirectedGraph, adjacency

logger = logging.getLogger(__name__)

FORMAT = 2
ARRAYS, HEADER = "ego_index.npz", "ego_index.json"


class _UnusableError(Exception):
    """A stored index can't be taken, for this reason."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored index: its state (graph without vectors) and the store version it belongs to."""

    state: IndexState
    version: str


def save(state: IndexState, folder: Path, version: str) -> None:
    """Writes both files, each replaced whole. Raises StoreError where the folder cannot be
    written.
    """
    graph, sums = state.graph, state.sums
    buffer = BytesIO()
    np.savez(
        buffer,
        ids=np.array(graph.ids, dtype=np.str_),
        u=graph.u,
        v=graph.v,
        f=graph.f,
        node_digests=state.node_digests,
        pair_digests=state.pair_digests,
        node_sum=sums.node_sum,
        node_weight=sums.node_weight,
        edge_sum=sums.edge_sum,
        edge_weight=sums.edge_weight,
        coverage=state.coverage,
    )
    data = buffer.getbuffer()
    header = {
        "format": FORMAT,
        "version": version,
        "rule": asdict(state.rule),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    try:
        make_folder(folder)
        replace_whole(folder / ARRAYS, data)
        replace_whole(folder / HEADER, json.dumps(header, indent=1).encode())
    except OSError as err:
        raise StoreError(
            f"the ego-graph index could not be written to {folder}: {err.strerror or err}; free or"
            " unlock the folder"
        ) from err


def load(folder: Path, rule: EgoRule) -> Stored | None:
    """The stored index of this rule, its own hub threshold kept. None, with a line in the log,
    where there is none that can be used.
    """
    try:
        header = json.loads((folder / HEADER).read_bytes())
        if header["format"] != FORMAT:
            raise _UnusableError(f"format {header['format']}, not {FORMAT}")
        stored_rule = EgoRule(**header["rule"])
        has_hub_cut = (stored_rule.hub_degree is not None, rule.hub_degree is not None)
        is_same = replace(stored_rule, hub_degree=None) == replace(rule, hub_degree=None)
        if not is_same or has_hub_cut[0] != has_hub_cut[1]:
            raise _UnusableError("other parameters")
        data = (folder / ARRAYS).read_bytes()
        if hashlib.sha256(data).hexdigest() != header["sha256"]:
            raise _UnusableError("the checksum does not fit")
        return Stored(_state(data, stored_rule), str(header["version"]))
    except FileNotFoundError:
        return None
    except (
        _UnusableError,
        OSError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        zipfile.BadZipFile,
    ) as err:
        logger.warning(
            "the ego-graph index in %s cannot be used (%s); it is built again",
            folder,
            str(err) or type(err).__name__,
        )
        return None


def fits(state: IndexState, graph: UndirectedGraph) -> bool:
    """Whether a stored state is about these nodes and pairs: a version string alone is no proof."""
    return (
        state.graph.ids == graph.ids
        and np.array_equal(state.graph.u, graph.u)
        and np.array_equal(state.graph.v, graph.v)
        and np.array_equal(state.graph.f, graph.f)
        and state.sums.node_sum.shape == graph.z.shape
    )


def _state(data: bytes, rule: EgoRule) -> IndexState:
    with np.load(BytesIO(data), allow_pickle=False) as arrays:
        a = {name: arrays[name] for name in arrays.files}
    ids = tuple(a["ids"].tolist())
    n, m = len(ids), len(a["u"])
    ptr, neighbours, neighbour_pairs = adjacency(n, a["u"], a["v"])
    graph = UndirectedGraph(
        ids=ids,
        w=np.zeros(n),
        z=np.zeros((n, 0), dtype=np.float32),
        u=a["u"],
        v=a["v"],
        f=a["f"],
        y=np.zeros((0, 0), dtype=np.float32),
        y_rows=np.full(m, -1, dtype=np.int64),
        relation_ptr=np.zeros(m + 1, dtype=np.int64),
        relations=np.zeros(0, dtype=np.int64),
        ptr=ptr,
        neighbours=neighbours,
        neighbour_pairs=neighbour_pairs,
    )
    sums = Sums(a["node_sum"], a["node_weight"], a["edge_sum"], a["edge_weight"])
    return IndexState(rule, graph, a["node_digests"], a["pair_digests"], sums, a["coverage"])
