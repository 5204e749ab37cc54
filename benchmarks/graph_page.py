"""The page Graph in headless Chromium on a workspace of 100,000 entities and 300,000 relations in
the embedded store.

    python benchmarks/graph_page.py [--entities N] [--relations N] [--out FILE]

Needs Chromium (CHROMIUM, or /usr/bin/chromium). Half of an entity's relations stay inside its
community; ends are skewed, so there are hubs. Seconds are those of a visitor: from the key or click
until the picture is painted, the server's work and the way there included.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from result_lines import ResultLines

from dynagrag.core.ids import content_id
from dynagrag.core.schema import Consolidation, EmbedderIdentity, Entity, Graph, Relation
from dynagrag.curation.graph_export import part
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore

_TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(_TESTS))
sys.path.insert(0, str(_TESTS / "servers"))  # the app and the browser as the tests have them

if TYPE_CHECKING:
    from app_server import Chromium
    from drawn import Drawing
    from playwright.sync_api import Page

_DIMENSION = 8
"""Small: the page reads no vector."""
_NUM_COMMUNITIES = 500
_WORDS = (
    "Kestrel Amber Basalt Cedar Delta Ember Fjord Granite Harbour Indigo Juniper Krypton Lagoon"
    " Marble Nimbus Onyx Pewter Quartz".split()
)


def make_graph(num_entities: int, num_relations: int, seed: int = 0) -> Graph:
    """Entity 0 is the greatest hub, and the heaviest."""
    rng = np.random.default_rng(seed)
    ids = [content_id("entity", "page", i) for i in range(num_entities)]
    heads = (num_entities * rng.random(num_relations) ** 3).astype(np.int64)
    far = (num_entities * rng.random(num_relations) ** 3).astype(np.int64)
    near = (heads + _NUM_COMMUNITIES * rng.integers(1, 40, num_relations)) % num_entities
    tails = np.where(rng.random(num_relations) < 0.5, near, far)
    weights = rng.geometric(0.5, num_relations)
    made: dict[str, Relation] = {}
    for number, (a, b, weight) in enumerate(
        zip(heads.tolist(), tails.tolist(), weights.tolist(), strict=True)
    ):
        if a != b:
            id_ = content_id("relation", a, number % 50, b)
            made[id_] = Relation(
                id_,
                ids[a],
                ids[b],
                f"label {number % 50}",
                weight,
                1,
                (f"summary {number}",),
                (f"record {number}",),
            )
    mentions = np.bincount(heads, minlength=num_entities) + np.bincount(
        tails, minlength=num_entities
    )
    entities = [
        Entity(
            ids[i],
            f"e{i}",
            f"{_WORDS[i % len(_WORDS)]} {i}",
            "",
            (f"e{i}",),
            (),
            ("person", "thing", "place")[i % 3],
            int(mentions[i]),
            (f"said of {i}",),
        )
        for i in range(num_entities)
    ]
    graph = part(sorted(entities, key=lambda e: e.id), sorted(made.values(), key=lambda r: r.id))
    return replace(
        graph,
        entity_vectors=_zeros(len(graph.entities)),
        relation_vectors=_zeros(len(graph.relations)),
    )


def _zeros(num: int) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    return np.zeros((num, _DIMENSION), dtype=np.float32)


def write(home: Path, graph: Graph) -> None:
    """The default workspace."""
    store = SqliteStore(home / "workspaces" / "default" / "graph.sqlite", "default")
    store.set_embedder(EmbedderIdentity("hash", _DIMENSION))
    store.write_graph(graph, Consolidation(), store.records())
    store.close()


class Visit:
    """A visitor's actions, each with its seconds and the bytes that came for it."""

    def __init__(self, chromium: "Chromium", results: ResultLines) -> None:
        self._chromium = chromium
        self._results = results

    def measure(self, what: str, act: Callable[[], object], done: Callable[[], object]) -> None:
        """One line."""
        before, start = self._chromium.received_bytes, time.perf_counter()
        act()
        done()
        seconds = time.perf_counter() - start
        self._results.line(
            f"{what:<72} {seconds:6.2f} s"
            f" {(self._chromium.received_bytes - before) / 1000:9,.0f} kB"
        )


def all_nodes(page: "Page") -> None:
    """The slider under "What is drawn" to its end."""
    page.get_by_role("button", name="What is drawn").click()
    thumb = page.get_by_role("slider", name="Entities shown")
    thumb.focus()
    thumb.press("End")
    page.keyboard.press("Escape")


def run(home: Path, results: ResultLines) -> None:
    """All lines."""
    from app_server import AppServer, browser, settled
    from drawn import Drawing

    env = {"DYNAGRAG_HOME": str(home), "DYNAGRAG_EMBEDDER": "hash"}
    with AppServer(env) as app, browser() as chromium:
        visit = Visit(chromium, results)
        page = chromium.context((1280, 1100)).new_page()
        drawing = Drawing(page)
        visit.measure(
            "first look at the page, 70 nodes (process cold, graph read)",
            lambda: page.goto(app.url("graph")),
            lambda: drawing.wait(70),
        )
        settled(page)
        visit.measure(
            "5,000 nodes, laid out now", lambda: all_nodes(page), lambda: drawing.wait(5000)
        )
        settled(page)
        again = chromium.open(app.url("graph"), (1280, 1100))
        drawn = Drawing(again)
        drawn.wait(70)
        visit.measure(
            "5,000 nodes, another visitor, layout kept",
            lambda: all_nodes(again),
            lambda: drawn.wait(5000),
        )
        settled(again)
        dragged(drawn, results, home)
        box = again.get_by_label("Find an entity")
        box.fill("Kestrel 0")
        hit = (
            again.get_by_test_id("stMain").get_by_role("button").filter(has_text="Kestrel 0 ").first
        )
        visit.measure("search among all entities", lambda: box.press("Enter"), hit.wait_for)
        settled(again)
        visit.measure(
            "the greatest hub's neighbourhood, 50 relations",
            hit.click,
            lambda: (settled(again), drawn.wait()),
        )
        settled(again)
        again.get_by_role("button", name="What is drawn").click()
        thumb = again.get_by_role("slider", name="Relations at most")
        thumb.focus()
        visit.measure(
            "the same, 1,000 relations",
            lambda: thumb.press("End"),
            lambda: (again.wait_for_timeout(300), settled(again), drawn.wait()),
        )
        results.line(f"requests to other origins: {len(chromium.foreign(app.origin))}")


def dragged(drawing: "Drawing", results: ResultLines, folder: Path) -> None:
    """The heaviest node, moved by 60 and 45 pixels."""
    before = drawing.circles(folder)
    heaviest = max(range(len(before)), key=lambda i: before[i].radius)
    seconds = drawing.drag(before[heaviest], 60, 45)
    after = drawing.circles(folder)
    dx, dy = after[heaviest].x - before[heaviest].x, after[heaviest].y - before[heaviest].y
    results.line(
        f"dragging one of {len(before):,} nodes: {1000 * seconds:.0f} ms a step of the mouse; it"
        f" moved by {dx:.0f}, {dy:.0f} pixels"
    )


def main() -> None:
    """Parses, measures, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--relations", type=int, default=300_000)
    parser.add_argument("--out", type=Path, help="append the lines to this file")
    options = parser.parse_args()
    results = ResultLines(options.out)
    machine = (
        f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()},"
        f" {time.strftime('%Y-%m-%d')}"
    )
    with tempfile.TemporaryDirectory() as folder:
        graph = make_graph(options.entities, options.relations)
        results.line(
            f"# {len(graph.entities):,} entities, {len(graph.relations):,} relations, embedded"
            f" store, {machine}"
        )
        write(Path(folder), graph)
        del graph
        results.line(f"load of the machine by others: {os.getloadavg()[0]:.1f}")
        run(Path(folder), results)


if __name__ == "__main__":
    main()
