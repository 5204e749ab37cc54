"""A switch of the embedder, killed again and again: python benchmarks/embedder_switch.py
[--documents 3000] [--kills 10] [--store ADDRESS] [--out FILE]

Generated documents are ingested without a model, with an embedder of hashed words (32 dimensions).
`switch_embedder` to one of 48 runs in a process of its own, which is killed at a random moment;
after each kill a question is asked with the old embedder. In the end vectors and graph are compared
with those of a workspace that was ingested with the other embedder from the beginning. The
workspace `switch` of a server is deleted.
"""

import argparse
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from result_lines import ResultLines

from dynagrag import IngestOptions, load_settings, open_workspace
from dynagrag.core.schema import VectorKind
from dynagrag.fakes import FakeEmbedder
from dynagrag.graph_store.rules import RECORD_KINDS
from dynagrag.upkeep.embedder_switch import switch_embedder
from dynagrag.workspace.facade import Workspace

NAME, NEW = "switch", (48, "next")
WORKER = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from embedder_switch import NEW, opened
from dynagrag.fakes import FakeEmbedder
from dynagrag.upkeep.embedder_switch import switch_embedder

wide = FakeEmbedder(*NEW)
with opened(Path(sys.argv[1]), sys.argv[2], wide) as space:
    switch_embedder(space, wide, lambda *_: None)
"""
_WORDS = "pump valve budget harbour crew engine letter window garden signal bridge winter".split()
_PEOPLE = "Ada Byron, Leo Marsh, Maria Silva, Tom Reed, Ines Falk, Otto Berg".split(", ")


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--store", default="sqlite")
    parser.add_argument("--out", type=Path, help="append the lines to this file")
    chosen = parser.parse_args()
    lines, rng = ResultLines(chosen.out), random.Random(7)
    store = chosen.store.partition(":")[0]
    lines.line(
        f"# python benchmarks/embedder_switch.py --documents {chosen.documents} --kills"
        f" {chosen.kills} --store {store}, {time.strftime('%Y-%m-%d')}"
    )
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        write_documents(home / "talks", chosen.documents, rng)
        began = time.perf_counter()
        with opened(home / "fresh", "sqlite", FakeEmbedder(*NEW)) as fresh:
            ingest(fresh, home / "talks")
            lines.line(f"ingested in {time.perf_counter() - began:.0f} s")
            with opened(home / "killed", chosen.store, FakeEmbedder()) as space:
                ingest(space, home / "talks")
            seconds = undisturbed(home, chosen.store, lines)
            answered = 0
            for number in range(chosen.kills):
                after = rng.uniform(1.0, seconds)
                was_killed = run_and_kill(home / "killed", chosen.store, after)
                with opened(home / "killed", chosen.store, FakeEmbedder()) as space:
                    if space.store.embedder() == FakeEmbedder().identity:
                        answered += bool(space.ask("Who spoke about the harbour?").evidence)
                lines.line(f"kill {number + 1} after {after:.1f} s: {was_killed}")
            run_and_kill(home / "killed", chosen.store, 3600)
            with opened(home / "killed", chosen.store, FakeEmbedder(*NEW)) as space:
                lines.line(f"answered with the old vectors {answered} times")
                lines.line(f"differing from fresh: {compared(space, fresh)}")
                space.store.clear()
    peak = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    lines.line(f"# {peak / 1000:,.0f} MB of memory at most")


def opened(home: Path, store: str, embedder: FakeEmbedder) -> Workspace:
    """The workspace in a home of its own."""
    return open_workspace(NAME, settings=load_settings(home=home, store=store), embedder=embedder)


def ingest(space: Workspace, talks: Path) -> None:
    """Without a model."""
    space.ingest([talks], IngestOptions(extractor="fast"))


def write_documents(folder: Path, num: int, rng: random.Random) -> None:
    """Short talks of three people about a few things."""
    folder.mkdir(parents=True)
    for number in range(num):
        turns = [
            f"{rng.choice(_PEOPLE)}: The {rng.choice(_WORDS)} of {rng.choice(_PEOPLE)} was near the"
            f" {rng.choice(_WORDS)} number {rng.randrange(1000)}."
            for _ in range(6)
        ]
        (folder / f"talk{number:05}.txt").write_text("\n".join(turns), encoding="utf-8")


def undisturbed(home: Path, store: str, lines: ResultLines) -> float:
    """Seconds of a switch of a copy that nobody kills."""
    with opened(home / "whole", "sqlite", FakeEmbedder()) as space:
        ingest(space, home / "talks")
    wide, began = FakeEmbedder(*NEW), time.perf_counter()
    with opened(home / "whole", "sqlite", wide) as space:
        report = switch_embedder(space, wide, lambda *_: None)
    seconds = time.perf_counter() - began
    lines.line(f"undisturbed (SQLite): {report.num_vectors:,} vectors in {seconds:.0f} s")
    return seconds


def run_and_kill(home: Path, store: str, after_s: float) -> str:
    """Runs the switch in a process that is killed after so many seconds, if it still runs."""
    process = subprocess.Popen([sys.executable, "-c", WORKER, str(home), store])
    try:
        return f"it had ended with {process.wait(after_s)}"
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return "killed"


def compared(space: Workspace, fresh: Workspace) -> str:
    """What of the vectors and the graph is not as made fresh."""
    differing = [
        kind.value
        for kind in RECORD_KINDS
        if (ids := fresh.store.vector_ids(kind)) != space.store.vector_ids(kind)
        or not np.array_equal(fresh.store.vectors(kind, ids), space.store.vectors(kind, ids))
    ]
    mine, theirs = space.store.graph(), fresh.store.graph()
    if not np.allclose(mine.entity_vectors, theirs.entity_vectors, atol=1e-6):
        differing.append(VectorKind.ENTITY.value)
    if space.store.digest() != fresh.store.digest():
        differing.append("graph")
    return ", ".join(differing) or "nothing"


if __name__ == "__main__":
    main()
