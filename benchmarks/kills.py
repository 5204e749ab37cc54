"""SIGKILL at random moments of an ingest, then the same command again: the same graph, and no call repeated whose reply was stored.

    python benchmarks/kills.py                                    30 kills, the embedded store
    python benchmarks/kills.py --store bolt://HOST:7687           the same on Neo4j (NEO4J_PASSWORD; its workspaces are deleted)
    python benchmarks/kills.py --corpus FILE                      another transcript

The model is a stub on the loopback that answers at once and makes entities of capitalised words. The transcript is the Apollo 13 air-ground
loop (apollo13realtime.org) where it lies beside the repository, else a generated one of its size. Moments are spread over the time that an
undisturbed run takes once it has begun. Prints a line a kill, appends them to benchmarks/results/kills.txt, and exits with the failures.
"""

import argparse
import itertools
import json
import os
import random
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dynagrag import load_settings, open_workspace
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.fakes.server import OpenAIStubServer
from dynagrag.journal.workspace_journal import Journal

_ROOT = Path(__file__).parents[1]
_APOLLO = _ROOT.parent / "shared" / "data" / "transcripts" / "apollo13_two_loops" / "air-ground-loop.txt"
_RESULTS = _ROOT / "benchmarks" / "results" / "kills.txt"
_NUM_TURNS = 1119
_NAME = re.compile(r"\b[A-Z][\w-]+(?: [A-Z0-9][\w-]*)*")
_BEFORE_S = 0.5
"""What happens earlier than this before the first request is mostly Python's imports."""
MAX_CONCURRENCY = 4
Reply = Callable[[Any, Any], str]


def busy_reply(prompt: Any, schema: Any) -> str:
    """Capitalised words of each line of an excerpt as entities, each related to the next one of its line."""
    if not {"entities", "relations"} <= set((schema or {}).get("properties", {})):
        return simple_reply(prompt, schema)
    entities: dict[str, dict[str, str]] = {}
    relations = []
    for line in prompt.user.rpartition("<excerpt>")[2].partition("</excerpt>")[0].splitlines():
        said = re.sub(r"^(- |[\w .]+: )", "", line.strip())
        names = list(dict.fromkeys(_NAME.findall(said)))[:6]
        entities.update((name, {"name": name, "type": "thing", "summary": said[:80]}) for name in names)
        shared = {"label": "is named before", "summary": said[:80], "quote": said}
        relations += [{"source": a, "target": b, **shared} for a, b in itertools.pairwise(names)]
    return json.dumps({"entities": list(entities.values())[:25], "relations": relations[:20]})  # more would be cut off


class Killer:
    """Counts what the models are asked, and kills a process some time after one of these requests (0: after its start)."""

    def __init__(self, reply: Reply = busy_reply) -> None:
        self._reply = reply
        self._lock = threading.Lock()
        self.prompts: Counter[str] = Counter()
        self.times: list[float] = []
        self._target: tuple[int, float, int] | None = None

    def server(self) -> OpenAIStubServer:
        """The models."""
        killer = self

        class Watched(FakeEmbedder):
            def embed_documents(self, texts: Any) -> Any:
                killer._count(None)
                return super().embed_documents(texts)

        def rule(prompt: Any, schema: Any) -> str:
            killer._count(prompt.user)
            return killer._reply(prompt, schema)

        return OpenAIStubServer(FakeChat(rule), Watched())

    def reset(self) -> None:
        """Counts from zero, and kills nothing."""
        with self._lock:
            self.prompts.clear()
            self.times.clear()
            self._target = None

    def aim(self, pid: int, request: int, delay_s: float) -> None:
        """Kills this process so long after that request."""
        with self._lock:
            self._target = (request, delay_s, pid)
        if request == 0:
            self._shoot_later(delay_s, pid)

    def _count(self, prompt: str | None) -> None:
        with self._lock:
            self.times.append(time.monotonic())
            if prompt is not None:
                self.prompts[prompt] += 1
            target = self._target
            is_now = target is not None and target[0] == len(self.times)
        if is_now and target is not None:
            self._shoot_later(target[1], target[2])

    @staticmethod
    def _shoot_later(delay_s: float, pid: int) -> None:
        def shoot() -> None:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return

        timer = threading.Timer(delay_s, shoot)
        timer.daemon = True
        timer.start()


@dataclass(frozen=True, slots=True)
class Whole:
    """An undisturbed run: its graph, its different prompts, and when (seconds after its start) each request came and it ended."""

    digest: str
    num_prompts: int
    times: tuple[float, ...]
    end_s: float


class Kills:
    """Runs ingests of one transcript in a home of their own."""

    def __init__(self, store: str, source: Path, home: Path, killer: Killer, server: OpenAIStubServer) -> None:
        self._source, self._home, self._killer = source, home, killer
        self._environment = os.environ | {
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "none",
            "DYNAGRAG_HOME": str(home),
            "DYNAGRAG_STORE": store,
            "DYNAGRAG_LLM": "openai:fake",
            "DYNAGRAG_EMBEDDER": "openai:fake",
            "DYNAGRAG_MAX_CONCURRENCY": str(MAX_CONCURRENCY),
        }
        self._store = store

    def _start(self, name: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "dynagrag.cli", "ingest", str(self._source), "-w", name, "--yes"]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, env=self._environment)

    def _ingest(self, name: str) -> None:
        process = self._start(name)
        out, err = process.communicate(timeout=600)
        if process.returncode:
            raise AssertionError(f"the ingest of {name} ended with {process.returncode}: {err or out}")

    def whole(self, name: str) -> Whole:
        """Runs one to its end."""
        self._killer.reset()
        started = time.monotonic()
        self._ingest(name)
        end_s = time.monotonic() - started
        times = tuple(t - started for t in self._killer.times)
        return Whole(self._digest(name), len(self._killer.prompts), times, end_s)

    def kill(self, name: str, whole: Whole, at_s: float) -> tuple[bool, str]:
        """Kills one at about this second of the undisturbed run and runs it again: whether all is well, and a line on it.

        One that was quicker than the undisturbed run and ended first doesn't count: another is killed sooner.
        """
        request = sum(t <= at_s for t in whole.times)
        delay_s = at_s - (whole.times[request - 1] if request else 0.0)
        while not self._kill_at(name, request, delay_s):
            self.clear(name)
            delay_s *= 0.6
        num_first, num_stored = sum(self._killer.prompts.values()), self._num_stored(name)
        self._killer.reset()
        self._ingest(name)
        num_second = sum(self._killer.prompts.values())
        is_same = self._digest(name) == whole.digest
        num_repeated = max(0, num_second - (whole.num_prompts - num_stored))
        is_bounded = num_first + num_second <= whole.num_prompts + MAX_CONCURRENCY
        line = (
            f"killed {delay_s:.2f} s after request {request}: {num_first} calls, {num_stored} replies stored, then {num_second} calls, "
            f"{num_repeated} repeated, digest {'same' if is_same else 'DIFFERENT'}"
        )
        return is_same and is_bounded and not num_repeated, line

    def _kill_at(self, name: str, request: int, delay_s: float) -> bool:
        """Whether an ingest was killed so long after that request."""
        self._killer.reset()
        process = self._start(name)
        self._killer.aim(process.pid, request, delay_s)
        process.communicate(timeout=600)
        return process.returncode == -signal.SIGKILL

    def _num_stored(self, name: str) -> int:
        path = self._home / "workspaces" / name / "journal.sqlite"
        if not path.exists():
            return 0
        journal = Journal(path)
        try:
            return journal.export_replies(path.with_name("export.jsonl"))
        finally:
            journal.close()

    def _digest(self, name: str) -> str:
        with open_workspace(name, settings=load_settings(home=self._home, store=self._store), create=False) as space:
            if not space.store.is_derived_current():
                return "not current"
            return space.store.digest()

    def clear(self, name: str) -> None:
        """Deletes a workspace from its store, and its folder."""
        with open_workspace(name, settings=load_settings(home=self._home, store=self._store)) as space:
            space.store.clear()
        shutil.rmtree(self._home / "workspaces" / name)


def run(num_kills: int, store: str, source: Path, home: Path, say: Callable[[str], None], seed: int = 0) -> int:
    """An undisturbed ingest, then so many that are killed, each at its share of the time; how many of them went wrong."""
    rng = random.Random(seed)
    killer, num_wrong = Killer(), 0
    name = f"kills-{secrets.token_hex(4)}"  # a server may hold workspaces of somebody's
    with killer.server() as server:
        kills = Kills(store, source, home, killer, server)
        try:
            whole = kills.whole(name)
            say(f"undisturbed: {whole.num_prompts} prompts, {len(whole.times)} requests, {whole.end_s:.1f} s, digest {whole.digest[:12]}")
            first_s = max(0.0, whole.times[0] - _BEFORE_S)
            for number in range(num_kills):
                kills.clear(name)
                share = (number + rng.random()) / num_kills
                is_well, line = kills.kill(name, whole, first_s + (whole.end_s - first_s) * share)
                num_wrong += not is_well
                say(f"{number + 1:>3} {line}")
        finally:
            kills.clear(name)
    say(f"{num_kills} kills, {num_wrong} went wrong")
    return num_wrong


def generated(path: Path, num_turns: int = _NUM_TURNS, seed: int = 0) -> Path:
    """A transcript of the size of the air-ground loop, always the same."""
    rng = random.Random(seed)
    names = [f"{a} {b}" for a in ("Ada", "Main", "North", "Aft", "Blue") for b in ("Bus", "Pump", "Valve", "Antenna", "Tank", "Gauge")]
    words = "we see the reading on it go down a little and would like you to look at that when you can please over".split()
    turns = []
    for number in range(num_turns):
        said = " ".join(rng.choice([*words, *names]) for _ in range(rng.randint(5, 22)))
        turns.append(f"{rng.choice(['CAPCOM', 'CDR', 'LMP'])}: {rng.choice(names)} {number % 97} {said}.\n")
    path.write_text("\n".join(turns), encoding="utf-8")
    return path


def main(arguments: Mapping[str, Any]) -> int:
    """Runs, prints and keeps the lines."""
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        given = arguments["corpus"]
        source = Path(given) if given else _APOLLO if _APOLLO.is_file() else generated(home / "generated.txt")
        kind = arguments["store"].partition("://")[0]
        say(f"# {datetime.now(UTC):%Y-%m-%d}, store {kind}, {source.name}, seed {arguments['seed']}")
        num_wrong = run(arguments["kills"], arguments["store"], source, home, say, arguments["seed"])
    _RESULTS.parent.mkdir(exist_ok=True)
    with _RESULTS.open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n\n")
    return min(num_wrong, 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30, help="how many ingests are killed")
    parser.add_argument("--store", default="sqlite", help="sqlite, or the address of a Neo4j server")
    parser.add_argument("--corpus", help="a transcript to ingest")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    sys.exit(main(vars(parser.parse_args())))
