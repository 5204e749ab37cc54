"""Seconds until each page of the app is drawn and usable, in headless Chromium, on a workspace of
500 documents and 100,000 entities.

    python benchmarks/app_pages.py [--documents N] [--entities N] [--home FOLDER] [--out FILE]

Needs Chromium (CHROMIUM, or /usr/bin/chromium). The documents are made of random names and read
without a language model; vectors come from the fakes' server, so that making the workspace takes
minutes. `--home` keeps it for another run. Seconds are those of a visitor: from the address or
click until nothing on the page runs any more. Widgets are the buttons, boxes, links and tables that
were sent.
"""

import argparse
import os
import platform
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from result_lines import ResultLines

from dynagrag.config.settings import load_settings
from dynagrag.fakes.fake_models import FakeEmbedder
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.ingest_job import IngestOptions

sys.path.insert(
    0, str(Path(__file__).parents[1] / "tests" / "servers")
)  # the app and the browser as the tests have them

if TYPE_CHECKING:
    from playwright.sync_api import Page

WORKSPACE = "large"
_SPEAKERS = ("Maria", "Leo", "Ines")
_NAMES_A_TURN = 4
_DIMENSION = 32


def write_talks(folder: Path, num_documents: int, num_entities: int, seed: int = 0) -> None:
    """WebVTT files that name so many different things in all, each once or twice."""
    rng = random.Random(seed)
    known: set[str] = set()
    folder.mkdir(parents=True)
    for number in range(num_documents):
        turns = []
        for _ in range(num_entities // num_documents // _NAMES_A_TURN):
            one, two, three, four = (_name(rng, known) for _ in range(_NAMES_A_TURN))
            turns.append(
                f"They say that {one} spoke with {two} before {three} called, and {four} wrote it"
                " down."
            )
        cues = [
            f"{_clock(9 * i)} --> {_clock(9 * i + 8)}\n<v {_SPEAKERS[i % 3]}>{turn}\n"
            for i, turn in enumerate(turns)
        ]
        (folder / f"meeting-{number:04}.vtt").write_text(
            "WEBVTT\n\n" + "\n".join(cues), encoding="utf-8"
        )


def _name(rng: random.Random, known: set[str]) -> str:
    while True:
        made = " ".join(
            "".join(
                rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3)
            ).capitalize()
            for _ in range(2)
        )
        if made not in known:
            known.add(made)
            return made


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.000"


def make_workspace(home: Path, num_documents: int, num_entities: int) -> None:
    """Reads the files without a language model, with the embedder of the environment."""
    talks = home / "talks"
    write_talks(talks, num_documents, num_entities)
    with open_workspace(WORKSPACE, settings=load_settings(home=home)) as space:
        space.ingest([talks], IngestOptions(extractor="fast"))


class Visitor:
    """One who goes from page to page; each step is a line."""

    def __init__(self, page: "Page", results: ResultLines) -> None:
        self.page = page
        self._results = results

    def step(
        self, what: str, act: Callable[[], object], until: Callable[[], object] = lambda: None
    ) -> None:
        """Acts, and waits until what is looked for is there and nothing runs."""
        from app_server import settled

        start = time.perf_counter()
        act()
        until()
        settled(self.page)
        seconds = (
            time.perf_counter() - start - 2 * 0.15
        )  # `settled` looks twice, and waits before each
        num, nodes = (
            self.page.evaluate(_WIDGETS),
            self.page.evaluate("() => document.querySelectorAll('*').length"),
        )
        self._results.line(f"{what:<66} {seconds:6.2f} s {num:6,} widgets {nodes:8,} elements")


_WIDGETS = """() => document.querySelectorAll(
    "[data-testid='stMainBlockContainer']"
    + " :is(button, input, textarea, a, [data-testid='stDataFrame'])"
).length"""


def run(url: Callable[..., str], page: "Page", results: ResultLines) -> None:
    """Each page, cold and then warm, and what is done on it."""
    visitor = Visitor(page, results)

    def go(name: str, what: str, **parameters: str) -> None:
        visitor.step(what, lambda: page.goto(url(name, workspace=WORKSPACE, **parameters)))

    go("", "Ask, first visit of the process")
    go("", "Ask, again")
    visitor.step("  the chip Documents", page.get_by_role("button", name="Documents").click)
    box = page.get_by_label("Only these documents")
    visitor.step(
        "  a document found in it",
        lambda: (box.click(), box.press_sequentially("meeting-0042")),
        lambda: _option(page),
    )
    visitor.step("  and chosen", lambda: box.press("Enter"))
    page.keyboard.press("Escape")
    ask = page.get_by_placeholder("Ask about these transcripts")
    visitor.step(
        "  a question (the first of the process)",
        lambda: (ask.fill("Who spoke with whom?"), ask.press("Enter")),
        page.get_by_text("Why this answer").or_(page.get_by_text("Details")).first.wait_for,
    )
    visitor.step(
        "  a second question",
        lambda: (ask.fill("Who wrote it down?"), ask.press("Enter")),
        page.get_by_text("Who wrote it down?").first.wait_for,
    )
    go("why", "Why")
    go("ingest", "Ingest")
    visitor.step(
        "  a document found",
        lambda: (page.get_by_label("Find a document").fill("0042"), page.keyboard.press("Enter")),
    )
    go("graph", "Graph, first visit")
    go("graph", "Graph, again")
    find = page.get_by_label("Find an entity")
    visitor.step("  an entity found", lambda: (find.fill("Maria"), find.press("Enter")))
    visitor.step(
        "  and opened",
        page.get_by_test_id("stMain").get_by_role("button").filter(has_text="Maria").first.click,
    )
    go(
        "curate",
        "Curate, first visit",
    )
    _wait_for_reading(page)
    visitor.step("  once the graph is read", lambda: None)
    go("curate", "Curate, again")
    visitor.step("  the tab Merges made", page.get_by_role("tab", name="Merges made").click)
    visitor.step("  the tab Find and edit", page.get_by_role("tab", name="Find and edit").click)
    find = page.get_by_label("Find an entity")
    visitor.step("  an entity found", lambda: (find.fill("Maria"), find.press("Enter")))
    go("source", "Source, which document")
    go("evaluate", "Evaluate")
    go("workspaces", "Workspaces")
    go("settings", "Settings")


def _option(page: "Page") -> None:
    page.get_by_role("option").first.wait_for()


def _wait_for_reading(page: "Page") -> None:
    page.get_by_text("Reading the graph").first.wait_for(state="detached", timeout=600_000)


@contextmanager
def _models() -> Iterator[None]:
    """Vectors from the fakes' server, no language model."""
    with OpenAIStubServer(embedder=FakeEmbedder(_DIMENSION)) as server:
        os.environ |= {
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "none",
            "DYNAGRAG_EMBEDDER": "openai:fake",
        }
        os.environ.pop("DYNAGRAG_LLM", None)
        yield


def main() -> None:
    """Parses, measures, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument(
        "--home", type=Path, help="keep the workspace in this folder, and use the one that is there"
    )
    parser.add_argument("--out", type=Path, help="append the lines to this file")
    given = parser.parse_args()
    results = ResultLines(given.out)
    with tempfile.TemporaryDirectory() as folder, _models():
        home = given.home or Path(folder)
        if not (home / "workspaces" / WORKSPACE).is_dir():
            start = time.perf_counter()
            make_workspace(home, given.documents, given.entities)
            results.line(f"# made in {time.perf_counter() - start:.0f} s")
        with open_workspace(WORKSPACE, settings=load_settings(home=home), create=False) as space:
            seen = space.store.overview(0, 0)
            num_documents, num_entities = (
                len(space.store.documents()),
                sum(seen.weight_counts.values()),
            )
            held = (
                f"{num_documents:,} documents, {num_entities:,} entities, {seen.num_relations:,}"
                " relations"
            )
        machine = (
            f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()},"
            f" {time.strftime('%Y-%m-%d')}"
        )
        results.line(
            f"# {held}, embedded store, {machine}, load by others {os.getloadavg()[0]:.1f}"
        )
        from app_server import AppServer, browser

        with AppServer({"DYNAGRAG_HOME": str(home)}) as app, browser() as chromium:
            run(app.url, chromium.context().new_page(), results)
            results.line(f"requests to other origins: {len(chromium.foreign(app.origin))}")
            results.line(f"errors on the console: {len(chromium.errors)}")


if __name__ == "__main__":
    main()
