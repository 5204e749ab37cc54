"""What kills.py kills, and with what: commands in processes of their own, stub models that count
what they are asked and shoot at a moment, and transcripts for them.
"""

import contextlib
import itertools
import json
import multiprocessing
import os
import random
import re
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dynagrag.cli.main import run as run_command
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.fakes.fake_server import OpenAIStubServer

_IMPORTED = [
    *(f"dynagrag.cli.{name}" for name in ("ingest", "keep", "graph", "correct", "run_job")),
    *(
        "dynagrag.upkeep.workspace_backup",
        "dynagrag.workspace.facade",
        "dynagrag.graph_store.neo4j_store.neo4j_store",
        "dynagrag.curation.corrections",
    ),
    *("langchain_openai", "neo4j"),
]
_NAME = re.compile(r"\b[A-Z][\w-]+(?: [A-Z0-9][\w-]*)*")


def busy_reply(prompt: Any, schema: Any) -> str:
    """Capitalised words of each line of an excerpt as entities, each related to the next one of its
    line.
    """
    if not {"entities", "relations"} <= set((schema or {}).get("properties", {})):
        return simple_reply(prompt, schema)
    entities: dict[str, dict[str, str]] = {}
    relations = []
    for line in prompt.user.rpartition("<excerpt>")[2].partition("</excerpt>")[0].splitlines():
        said = re.sub(r"^(- |[\w .]+: )", "", line.strip())
        names = list(dict.fromkeys(_NAME.findall(said)))[:6]
        entities.update(
            (name, {"name": name, "type": "thing", "summary": said[:80]}) for name in names
        )
        shared = {"label": "is named before", "summary": said[:80], "quote": said}
        relations += [{"source": a, "target": b, **shared} for a, b in itertools.pairwise(names)]
    return json.dumps(
        {"entities": list(entities.values())[:25], "relations": relations[:20]}
    )  # more would be cut off


def generated(path: Path, num_turns: int, seed: int = 0, rare: Sequence[str] = ()) -> Path:
    """A transcript of air-ground talk, always the same; `rare`: names and words that are said in
    it, the last one a speaker's name.
    """
    rng = random.Random(seed)
    names = [
        f"{a} {b}"
        for a in ("Ada", "Main", "North", "Aft", "Blue")
        for b in ("Bus", "Pump", "Valve", "Antenna", "Tank", "Gauge")
    ]
    words = (
        "we see the reading on it go down a little and would like you to look at that when you can"
        " please over".split()
    )
    turns = []
    for number in range(num_turns):
        said = " ".join(rng.choice([*words, *names, *rare[:-1]]) for _ in range(rng.randint(5, 22)))
        turns.append(
            f"{rng.choice(['CAPCOM', 'CDR', 'LMP', *rare[-1:]])}: {rng.choice(names)} {number % 97}"
            f" {said}.\n"
        )
    path.write_text("\n".join(turns), encoding="utf-8")
    return path


class Command:
    """A command in a process of its own, forked from one that has imported all it needs: importing
    takes longer than the work.
    """

    def __init__(self, arguments: Sequence[str], said: Path) -> None:
        """Starts it in the environment as it is now. `said`: a file for what it says."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_IMPORTED)
        self._said = said
        self._process = context.Process(
            target=_run, args=(list(arguments), dict(os.environ), str(said))
        )
        self._process.start()

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process.pid is not None
        return self._process.pid

    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.is_alive()

    def wait(self) -> tuple[int, str]:
        """Its exit code, or the signal that killed it below 0, and what it said."""
        self._process.join(600)
        assert self._process.exitcode is not None, "it doesn't come to an end"
        return self._process.exitcode, (
            self._said.read_text(encoding="utf-8") if self._said.exists() else ""
        )


def _run(arguments: list[str], environment: Mapping[str, str], said: str) -> None:
    os.environ.clear()
    os.environ.update(environment)
    with open(said, "w", encoding="utf-8") as file:
        for number in (1, 2):
            os.dup2(file.fileno(), number)
    sys.exit(run_command(arguments))


class Killer:
    """Counts what the models are asked, and kills a process some time after one of these requests
    (0: after it first opens a file of a folder).
    """

    def __init__(self) -> None:
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
            return busy_reply(prompt, schema)

        return OpenAIStubServer(FakeChat(rule), Watched())

    def reset(self) -> None:
        """Counts from zero, and kills nothing."""
        with self._lock:
            self.prompts.clear()
            self.times.clear()
            self._target = None

    def aim(self, command: Command, request: int, delay_s: float, folder: Path) -> None:
        """Kills this process so long after that request."""
        with self._lock:
            self._target = (request, delay_s, command.pid)
        if request == 0:
            began(command, folder)
            self._shoot_later(delay_s, command.pid)

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
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

        timer = threading.Timer(delay_s, shoot)
        timer.daemon = True
        timer.start()


def began(command: Command, folder: Path) -> float:
    """Waits until the process has a file of the folder open, or has ended; when."""
    files = Path(f"/proc/{command.pid}/fd")
    while command.is_running():
        with contextlib.suppress(OSError):
            if any(os.readlink(file).startswith(str(folder)) for file in files.iterdir()):
                break
        time.sleep(0.002)
    return time.monotonic()
