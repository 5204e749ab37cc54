"""A switch of the embedder, killed again and again: python benchmarks/embedder_switch.py
[--documents 3000] [--kills 10] [--store sqlite|neo4j] [--out FILE]

Short generated documents are ingested without a model, with an embedder of hashed words (32
dimensions). `switch_embedder` to one of 48 runs in a process of its own, which gets SIGKILL at a
random moment of its usual time, until it was killed so often. Meanwhile the workspace is opened and
asked every few seconds, with the embedder that it has. A switch that ends before its moment is
counted, and the next one goes back to the embedder of before. In the end vectors and graph are
compared with those of a workspace that was ingested with the wide embedder from the beginning.
`neo4j`: a server of its own (tests/servers/neo4j_jars.py).
"""

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from result_lines import ResultLines

from dynagrag import IngestOptions, load_settings, open_workspace
from dynagrag.core.errors import DynaGragError, EmbedderMismatchError
from dynagrag.core.schema import VectorKind
from dynagrag.fakes import FakeEmbedder
from dynagrag.graph_store.rules import RECORD_KINDS
from dynagrag.upkeep.embedder_switch import switch_embedder
from dynagrag.workspace.facade import Workspace

NAME = "switch"
OLD, NEW = (32, "fake"), (48, "next")
_EVERY_S = 2.0
"""Between the end of a question and the next one."""
_LONGEST_S = 3600.0
_ROOT = Path(__file__).parents[1]
WORKER = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from embedder_switch import opened
from dynagrag.fakes import FakeEmbedder
from dynagrag.upkeep.embedder_switch import switch_embedder

embedder = FakeEmbedder(int(sys.argv[3]), sys.argv[4])
with opened(Path(sys.argv[1]), sys.argv[2], embedder) as space:
    print("begun", flush=True)
    if space.store.embedder() != embedder.identity:  # else it was killed after its end
        switch_embedder(space, embedder, lambda *_: None)
"""
_WORDS = "pump valve budget harbour crew engine letter window garden signal bridge winter".split()
_PEOPLE = "Ada Byron, Leo Marsh, Maria Silva, Tom Reed, Ines Falk, Otto Berg".split(", ")


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--store", choices=("sqlite", "neo4j"), default="sqlite")
    parser.add_argument("--out", type=Path, help="append the lines to this file")
    chosen = parser.parse_args()
    lines = ResultLines(chosen.out)
    lines.line(
        f"# python benchmarks/embedder_switch.py --documents {chosen.documents} --kills"
        f" {chosen.kills} --store {chosen.store}, {time.strftime('%Y-%m-%d')}"
    )
    with tempfile.TemporaryDirectory() as folder, store_address(chosen.store) as store:
        measured(Path(folder), store, chosen.documents, chosen.kills, lines)
    peak = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    lines.line(f"# {peak / 1000:,.0f} MB of memory at most; load {os.getloadavg()[0]:.1f}")


def measured(
    home: Path, store: str, num_documents: int, num_kills: int, lines: ResultLines
) -> tuple["Asked", str]:
    """The questions that were asked meanwhile, and what in the end is not as made fresh."""
    rng = random.Random(7)
    write_documents(home / "talks", num_documents, rng)
    ingest(home, "fresh", "sqlite", NEW, lines)
    ingest(home, "killed", store, OLD, lines)
    seconds = [undisturbed(home / "killed", store, target, lines) for target in (NEW, OLD)]
    with asking(home / "killed", store) as asked:
        kill_again_and_again(home / "killed", store, num_kills, max(seconds), rng, lines)
    lines.line(
        f"asked {asked.num} times meanwhile: {asked.num_answered} answered ({asked.num_moved} of"
        " them after the embedder had changed as they began), the longest after"
        f" {asked.longest_s:.1f} s{asked.errors_text()}"
    )
    with (
        opened(home / "killed", store, FakeEmbedder(*NEW)) as space,
        opened(home / "fresh", "sqlite", FakeEmbedder(*NEW)) as fresh,
    ):
        differing = compared(space, fresh)
    lines.line(f"differing from fresh: {differing}")
    return asked, differing


def ingest(
    home: Path, name: str, store: str, embedder: tuple[int, str], lines: ResultLines
) -> None:
    """The talks, without a model, into a workspace in a home of its own."""
    began = time.perf_counter()
    with opened(home / name, store, FakeEmbedder(*embedder)) as space:
        space.ingest([home / "talks"], IngestOptions(extractor="fast"))
    seconds, kind = time.perf_counter() - began, store.partition(":")[0]
    lines.line(f"ingested in {seconds:.0f} s ({embedder[1]}, {kind})")


@contextmanager
def store_address(kind: str) -> Iterator[str]:
    """`sqlite`, or the address of a Neo4j that runs meanwhile."""
    if kind == "sqlite":
        yield kind
        return
    sys.path.insert(0, str(_ROOT / "tests" / "servers"))
    from neo4j_jars import NEO4J_5, cache_folder, install
    from neo4j_server import Neo4jServer

    installation = install(NEO4J_5, cache_folder(os.environ), os.environ)
    with Neo4jServer(installation, heap="2g", page_cache="256m") as server:
        os.environ["NEO4J_PASSWORD"] = server.password  # processes that are started inherit it
        yield server.address


def opened(home: Path, store: str, embedder: FakeEmbedder) -> Workspace:
    """The workspace in a home of its own."""
    return open_workspace(NAME, settings=load_settings(home=home, store=store), embedder=embedder)


def write_documents(folder: Path, num: int, rng: random.Random) -> None:
    """Short talks of six turns about a few things."""
    folder.mkdir(parents=True)
    for number in range(num):
        turns = [
            f"{rng.choice(_PEOPLE)}: The {rng.choice(_WORDS)} of {rng.choice(_PEOPLE)} was near the"
            f" {rng.choice(_WORDS)} number {rng.randrange(1000)}."
            for _ in range(6)
        ]
        (folder / f"talk{number:05}.txt").write_text("\n".join(turns), encoding="utf-8")


def undisturbed(home: Path, store: str, target: tuple[int, str], lines: ResultLines) -> float:
    """Seconds of a switch that nobody kills and nobody asks beside."""
    embedder, began = FakeEmbedder(*target), time.perf_counter()
    with opened(home, store, embedder) as space:
        report = switch_embedder(space, embedder, lambda *_: None)
    seconds = time.perf_counter() - began
    lines.line(f"to {target[1]}: undisturbed, {report.num_vectors:,} vectors in {seconds:.0f} s")
    return seconds


def kill_again_and_again(
    home: Path, store: str, num: int, seconds: float, rng: random.Random, lines: ResultLines
) -> None:
    """Until `num` runs were killed; then one that isn't, so that the workspace is NEW's."""
    target, num_killed = NEW, 0
    while num_killed < num:
        after = rng.uniform(0.0, seconds)
        code = run_and_kill(home, store, target, after)
        if code == -signal.SIGKILL:
            num_killed += 1
            lines.line(f"to {target[1]}: killed after {after:.1f} s ({num_killed})")
            continue
        lines.line(f"to {target[1]}: it had ended before {after:.1f} s, with {code}")
        target = OLD if target == NEW else NEW
    for last in (target,) if target == NEW else (target, NEW):
        began = time.perf_counter()
        code = run_and_kill(home, store, last, _LONGEST_S)
        lines.line(f"to {last[1]}: ended after {time.perf_counter() - began:.0f} s, with {code}")


def run_and_kill(home: Path, store: str, target: tuple[int, str], after_s: float) -> int:
    """Runs the switch in a process that is killed so many seconds after it has begun, if it still
    runs; its exit code.
    """
    arguments = [sys.executable, "-c", WORKER, str(home), store, str(target[0]), target[1]]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            return process.wait(after_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            return process.wait()


@dataclass
class Asked:
    """Questions that were asked during the switches. `num_moved`: of those answered the ones whose
    workspace got the other embedder between its opening and the answer; they were asked again.
    """

    num: int = 0
    num_answered: int = 0
    num_moved: int = 0
    longest_s: float = 0.0
    errors: list[str] = field(default_factory=list)

    def errors_text(self) -> str:
        """What was wrong, for a line."""
        return "".join(f"; {len(self.errors)} failed: {self.errors[0]}" for _ in self.errors[:1])


@contextmanager
def asking(home: Path, store: str) -> Iterator[Asked]:
    """Opens the workspace and asks it every few seconds, in a thread, until the block ends."""
    asked, is_over = Asked(), threading.Event()

    def ask_on() -> None:
        while not is_over.is_set():
            began = time.perf_counter()
            asked.num += 1
            try:
                _ask(home, store, asked)
            except DynaGragError as err:
                asked.errors.append(str(err))
            asked.longest_s = max(asked.longest_s, time.perf_counter() - began)
            is_over.wait(_EVERY_S)

    thread = threading.Thread(target=ask_on)
    thread.start()
    try:
        yield asked
    finally:
        is_over.set()
        thread.join()


def _ask(home: Path, store: str, asked: Asked) -> None:
    """Once, with the embedder that the workspace has; again where it changed on the way."""
    for is_again in (False, True):
        with opened(home, store, FakeEmbedder(*OLD)) as space:
            identity = space.store.embedder()
        assert identity is not None
        embedder = FakeEmbedder(*(OLD if identity == FakeEmbedder(*OLD).identity else NEW))
        try:
            with opened(home, store, embedder) as space:
                answer = space.ask("Who spoke about the harbour?")
        except EmbedderMismatchError:
            if is_again:
                raise
            continue
        if answer.evidence:
            asked.num_answered += 1
            asked.num_moved += is_again
        else:
            asked.errors.append("an answer without evidence")
        return


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
