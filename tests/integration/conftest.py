"""A model server on the loopback, transcripts whose facts are known, and the command line in this
process and in its own.
"""

import json
import os
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from ingests import without_progress
from neo4j_server import GivenServer, Neo4jServer, delete_workspaces
from warm_python import WarmProcess
from workspace_contents import silent

from dynagrag import open_workspace
from dynagrag.cli.main import run
from dynagrag.config.settings import load_settings
from dynagrag.core.schema import Answer
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.upkeep.workspace_backup import back_up
from dynagrag.workspace.facade import Workspace

if TYPE_CHECKING:
    from neo4j import Driver

    from dynagrag.graph_store.neo4j_store.neo4j_store import Neo4jStore

Process: TypeAlias = "WarmProcess | subprocess.Popen[str]"
KEY = "sk-CANARY7f3a9c51d2e84b60"
_PEOPLE = [
    f"{first} {last}"
    for first in ("Ada", "Grace", "Edith", "Lise", "Mary")
    for last in ("Byron", "Hopper", "Clarke", "Keller", "Ross")
]
_FIRMS = [
    f"{name} {kind}"
    for name in ("Acme", "Borealis", "Corvus", "Delta", "Ember", "Fathom")
    for kind in ("Works", "Labs", "Partners")
]
_PLACES = ["North London", "Port Arthur", "Cape Town", "New Bergen", "Old Delft"]
_WORDS = (
    "we looked at this for some time and the numbers went up again before lunch while nobody in the"
    " room was sure what that meant for the next quarter so please write it down and send it round"
    " after the call because it will come back sooner than you think"
).split()


@dataclass(frozen=True, slots=True)
class Result:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def complaint(self, code: int) -> str:
        """The one line of a command that failed with this exit code."""
        assert (self.code, "Traceback" in self.err + self.out) == (code, False), self
        lines = without_progress(self.err).splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("dynagrag: "), self.err
        return lines[0]


class Corpus:
    """Transcripts of random meetings in which sentences that FakeChat understands are said."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def meeting(
        self, seed: int, num_turns: int = 12, speakers: Sequence[str] = ("Maria", "Leo", "Ines")
    ) -> list[tuple[str, str]]:
        """(speaker, words) of each turn: one to four sentences, one of them a fact."""
        rng = random.Random(seed)
        return [(rng.choice(speakers), self._turn(rng)) for _ in range(num_turns)]

    def write(self, name: str, turns: Sequence[tuple[str, str]]) -> Path:
        """A WebVTT file of these turns, ten seconds each."""
        cues = [
            f"{_clock(10 * i)} --> {_clock(10 * i + 9)}\n<v {speaker}>{words}\n"
            for i, (speaker, words) in enumerate(turns)
        ]
        path = self.folder / name
        path.write_text("WEBVTT\n\n" + "\n".join(cues), encoding="utf-8")
        return path

    def many(self, num_documents: int, num_turns: int = 40, seed: int = 0) -> list[Path]:
        return [
            self.write(f"meeting-{i}.vtt", self.meeting(seed + i, num_turns))
            for i in range(num_documents)
        ]

    def _turn(self, rng: random.Random) -> str:
        talk = [self._talk(rng) for _ in range(rng.randint(0, 3))]
        talk.insert(rng.randint(0, len(talk)), self._fact(rng))
        return " ".join(talk)

    @staticmethod
    def _talk(rng: random.Random) -> str:
        start = rng.randrange(len(_WORDS) - 20)
        return " ".join(_WORDS[start : start + rng.randint(10, 18)]).capitalize() + "."

    @staticmethod
    def _fact(rng: random.Random) -> str:
        if rng.random() < 0.4:
            return f"{rng.choice(_PEOPLE)} works at {rng.choice(_FIRMS)}."
        if rng.random() < 0.4:
            return f"{rng.choice(_FIRMS)} is located in {rng.choice(_PLACES)}."
        one, two = rng.sample(_FIRMS, 2)
        return f"{one} {rng.choice(['acquired', 'partners with', 'invested in'])} {two}."


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.000"


class SteeredServer(OpenAIStubServer):
    """Meets chat calls whose text holds a marker with its fault, each time; embeddings are never
    faulted.
    """

    def __init__(self) -> None:
        super().__init__()
        self.faults_by_marker: dict[str, Fault] = {}

    def answer(
        self, path: str, body: Any, authorization: str
    ) -> tuple[int, str | list[str]] | None:
        text = json.dumps(body.get("messages", []))
        for marker, fault in self.faults_by_marker.items():
            if marker in text:
                self.fail_next(
                    fault
                )  # exact only for one call at a time: set DYNAGRAG_MAX_CONCURRENCY=1
        return super().answer(path, body, authorization)


@pytest.fixture
def key() -> str:
    """The secret that must appear nowhere."""
    return KEY


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(tmp_path / "corpus")


@pytest.fixture
def point_at_models(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Points the environment at a stub for both models, with so many calls at once."""

    def point(server: OpenAIStubServer, max_concurrency: int | None = None) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("DYNAGRAG_LLM", "openai:fake")
        monkeypatch.setenv("DYNAGRAG_EMBEDDER", "openai:fake")
        if max_concurrency is not None:
            monkeypatch.setenv("DYNAGRAG_MAX_CONCURRENCY", str(max_concurrency))

    return point


@pytest.fixture
def server(openai_stub: OpenAIStubServer, point_at_models: Callable[..., None]) -> OpenAIStubServer:
    """The stub, with the environment pointing at it for both models."""
    point_at_models(openai_stub)
    return openai_stub


@pytest.fixture
def steered(
    monkeypatch: pytest.MonkeyPatch, point_at_models: Callable[..., None]
) -> Iterator[SteeredServer]:
    """A stub whose faults depend on what is asked; one call at a time, and none again."""
    with SteeredServer() as made:
        point_at_models(made, max_concurrency=1)
        monkeypatch.setenv("DYNAGRAG_MAX_RETRIES", "0")
        yield made


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """The command line in this process."""

    def call(*args: object) -> Result:
        capsys.readouterr()
        code = run([str(a) for a in args])
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call


@pytest.fixture
def start() -> Iterator[Callable[..., Process]]:
    """Starts the real command line in a process of its own; none outlives its test."""
    with ExitStack() as stack:

        def begin(
            *args: object, stdin: int = subprocess.DEVNULL, max_file_bytes: int | None = None
        ) -> Process:
            arguments = ["-m", "dynagrag.cli", *map(str, args)]
            process = (
                WarmProcess(arguments, stdin=stdin)
                if max_file_bytes is None
                else _limited(arguments, stdin, max_file_bytes)
            )
            stack.callback(_end, process)
            return process

        yield begin


def _limited(arguments: Sequence[str], stdin: int, max_file_bytes: int) -> "subprocess.Popen[str]":
    """No file of it grows beyond the limit. A module's bytecode that the limit cuts off would stay,
    and be "marshal data too short" for every process after.
    """
    limits = (max_file_bytes, max_file_bytes)
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limits),
    )


def _end(process: Process) -> None:
    process.kill()
    process.communicate()


@pytest.fixture
def command(start: Callable[..., Process]) -> Callable[..., Result]:
    """Runs the real command line in a process of its own to its end; how far it was is left out of
    what it said.
    """

    def call(*args: object, words: str | None = None, **options: Any) -> Result:
        process = start(
            *args, stdin=subprocess.PIPE if words is not None else subprocess.DEVNULL, **options
        )
        out, err = process.communicate(words, timeout=60)
        return Result(process.returncode, out, without_progress(err))

    return call


@pytest.fixture
def filled(open_space: Callable[..., Workspace], corpus: Any) -> Workspace:
    space = open_space()
    space.ingest(corpus.many(3, 12))
    return space


@pytest.fixture
def saved(filled: Workspace, tmp_path: Path) -> Path:
    """A sound backup of a workspace that is gone since."""
    file = tmp_path / "w.zip"
    back_up(filled, file, is_forced=False, progress=silent)
    filled.close()
    shutil.rmtree(filled.folder)
    return file


@pytest.fixture
def point_at_neo4j(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets the environment so that a server's user and password are known, and with `address` that
    workspaces live there.
    """

    def point(server: Neo4jServer | GivenServer, address: str | None = None) -> None:
        monkeypatch.setenv("NEO4J_USERNAME", server.username)
        monkeypatch.setenv("NEO4J_PASSWORD", server.password)
        monkeypatch.setenv("NEO4J_DATABASE", server.database)
        if address is not None:
            monkeypatch.setenv("DYNAGRAG_STORE", address)

    return point


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def any_store(request: pytest.FixtureRequest, point_at_neo4j: Callable[..., None]) -> str:
    """The test runs once with workspaces on SQLite and once with them on Neo4j, which is emptied
    first; the store's address.
    """
    if request.param == "sqlite":
        return "sqlite"
    server: Neo4jServer | GivenServer = request.getfixturevalue("neo4j_server")
    if isinstance(server, GivenServer):
        pytest.skip(
            "uses plain workspace names, so it needs a server of the tests' own: run it without"
            " NEO4J_URI"
        )
    server.start()
    delete_workspaces(server, "")
    point_at_neo4j(server, server.address)
    return server.address


@pytest.fixture
def read_neo4j(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """All properties of all nodes and relationships of a workspace, as text."""

    def read(workspace: str) -> str:
        query = (
            "MATCH (n) WHERE n.ws = $ws OPTIONAL MATCH (n)-[r]->() RETURN properties(n) AS n,"
            " properties(r) AS r"
        )
        return repr(
            [
                (row["n"], row["r"])
                for row in _query(request.getfixturevalue("neo4j_server"), query, workspace)
            ]
        )

    return read


@pytest.fixture
def names_in_neo4j(request: pytest.FixtureRequest) -> Callable[[], set[str]]:
    """The labels and relationship types that nodes and relationships of workspaces have."""

    def read() -> set[str]:
        query = (
            "MATCH (n) WHERE n.ws IS NOT NULL OPTIONAL MATCH (n)-[r]-() UNWIND labels(n) +"
            " coalesce([type(r)], []) AS name "
        )
        rows = _query(request.getfixturevalue("neo4j_server"), query + "RETURN DISTINCT name", "")
        return {row["name"] for row in rows if row["name"] is not None}

    return read


def _query(server: Neo4jServer | GivenServer, query: str, workspace: str) -> list[Any]:
    from neo4j import GraphDatabase

    with GraphDatabase.driver(server.address, auth=(server.username, server.password)) as driver:
        return list(driver.execute_query(query, ws=workspace).records)  # type: ignore[arg-type]


@pytest.fixture
def open_store(
    neo4j_server: Neo4jServer | GivenServer, neo4j_workspace: str
) -> Iterator[Callable[..., "Neo4jStore"]]:
    """The store of the test's workspace, or of one beside it, opened anew; workspaces are cleared
    after the test.
    """
    from dynagrag.graph_store.neo4j_store.neo4j_store import Neo4jStore

    opened: list[Neo4jStore] = []

    def make(suffix: str = "", address: str | None = None, cache: Path | None = None) -> Neo4jStore:
        who = {
            "username": neo4j_server.username,
            "password": neo4j_server.password,
            "database": neo4j_server.database,
        }
        opened.append(
            Neo4jStore(
                address or neo4j_server.address, neo4j_workspace + suffix, cache=cache, **who
            )
        )
        return opened[-1]

    yield make
    for store in opened:
        store.close()
    for workspace in {store.workspace for store in opened}:
        last = make(workspace.removeprefix(neo4j_workspace))
        last.clear()
        last.close()


@pytest.fixture
def driver(neo4j_server: Neo4jServer | GivenServer) -> Iterator["Driver"]:
    """A plain driver, as another program has one."""
    from neo4j import GraphDatabase

    with GraphDatabase.driver(
        neo4j_server.address, auth=(neo4j_server.username, neo4j_server.password)
    ) as made:
        yield made


@pytest.fixture
def open_space(home: Path) -> Iterator[Callable[..., Workspace]]:
    """Opens workspaces with fakes in place of models; closes them after the test. `at` is a home of
    its own, `store` an address.
    """
    with ExitStack() as stack:

        def make(
            name: str = "w",
            chat: FakeChat | None = None,
            embedder: FakeEmbedder | None = None,
            at: Path | None = None,
            store: str | None = None,
        ) -> Workspace:
            settings = load_settings(home=at or home, store=store)
            space = open_workspace(
                name,
                settings=settings,
                chat_model=chat or FakeChat(),
                embedder=embedder or FakeEmbedder(),
            )
            return stack.enter_context(space)

        yield make


@pytest.fixture
def check_citations() -> Callable[[Workspace, Answer], int]:
    """Asserts that each citation and evidence line is a record or passage of the workspace with the
    quote in its place; how many.
    """

    def check(space: Workspace, answer: Answer) -> int:
        texts = {d.title: d.text for d in space.store.documents()}
        known = {p.id for p in space.store.passages()} | {
            r.id for r in space.store.relation_records()
        }
        for item in (*answer.citations, *answer.evidence):
            assert item.id in known
            assert item.quote
            assert texts[item.document][item.start : item.end] == item.quote
        return len(answer.citations)

    return check
