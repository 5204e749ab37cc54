"""Layouts of a workspace's graph, each made once and kept in the workspace's folder."""

import hashlib
import json
import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from dynagrag.core.files.private_files import write_text
from dynagrag.ui.drawing.graph_layout import Pairs, Positions, communities, place, place_3d

_LOG = logging.getLogger(__name__)
FOLDER = Path("index", "layouts")
"""In a workspace's folder, where a deletion of documents clears all. The files hold numbers alone,
no id and no name.
"""
_MAX_KEPT = 12
_FORMAT = 3


@dataclass(frozen=True, slots=True)
class Layout:
    """`positions` (n, 2) or (n, 3) and `groups` (n,): the communities, 0 for the largest."""

    positions: Positions
    groups: NDArray[np.int64]


class KeptLayouts:
    """A workspace's layouts: each is made once, on a thread of its own, and kept in a file named by
    a hash of what was laid out.

    Thread-safe. Two processes may make the same; the files are replaced whole.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="layout")
        self._under_way: dict[str, Future[Layout]] = {}

    def start(
        self, num_nodes: int, pairs: Pairs, weights: Sequence[float], *, is_3d: bool = False
    ) -> "Future[Layout]":
        """The layout, at once where it is kept, else in a while. Asked for again meanwhile, it is
        the same work.
        """
        digest = hashlib.sha256(np.array([_FORMAT, num_nodes, len(pairs)], dtype="<i8").tobytes())
        digest.update(np.array(pairs, dtype="<i8").tobytes())
        digest.update(np.array(weights, dtype="<f8").tobytes())
        name = f"{'3d' if is_3d else '2d'}-{digest.hexdigest()[:32]}.json"
        with self._lock:
            running = self._under_way.get(name)
            if running is not None and not (running.done() and running.exception()):
                return running
            kept = self._read(name, num_nodes, 3 if is_3d else 2)
            if kept is not None:
                done: Future[Layout] = Future()
                done.set_result(kept)
                return done
            self._under_way = {n: f for n, f in self._under_way.items() if not f.done()}
            made = self._worker.submit(
                self._make, name, lambda: _laid_out(num_nodes, pairs, weights, is_3d)
            )
            self._under_way[name] = made
            return made

    def _make(self, name: str, work: Callable[[], Layout]) -> Layout:
        made = work()
        try:
            # not the workspace's folder, which may have been deleted meanwhile
            self._folder.parent.mkdir(mode=0o700, exist_ok=True)
            self._folder.mkdir(mode=0o700, exist_ok=True)
            part = self._folder / f"{name}.{os.getpid()}.part"
            rows = {"positions": made.positions.round(4).tolist(), "groups": made.groups.tolist()}
            write_text(part, json.dumps(rows))
            part.replace(self._folder / name)
            kept = sorted(self._folder.glob("*.json"), key=lambda p: p.stat().st_mtime)
            for old in kept[:-_MAX_KEPT]:
                old.unlink(missing_ok=True)
        except OSError as err:
            # a full disk, or the workspace is being deleted: it is drawn all the same
            _LOG.warning("the layout could not be kept: %s", err)
        return made

    def _read(self, name: str, num_nodes: int, dimension: int) -> Layout | None:
        """None where it isn't kept, or what is there isn't one."""
        try:
            value = json.loads((self._folder / name).read_text(encoding="utf-8"))
            positions = np.array(value["positions"], dtype=np.float32).reshape(-1, dimension)
            groups = np.array(value["groups"], dtype=np.int64)
        except (OSError, ValueError, TypeError, KeyError):
            return None
        is_whole = len(positions) == len(groups) == num_nodes and np.isfinite(positions).all()
        return Layout(positions, groups) if is_whole else None


def _laid_out(num_nodes: int, pairs: Pairs, weights: Sequence[float], is_3d: bool) -> Layout:
    groups = communities(num_nodes, pairs, weights)
    return Layout(place_3d(num_nodes, pairs) if is_3d else place(num_nodes, pairs, groups), groups)
