"""SIGKILL at random moments of an ingest, a delete, a correction (`graph merge`) and a restore,
then the same command again.

    python benchmarks/kills.py               100 kills on the embedded store
    python benchmarks/kills.py --store sqlite --store bolt://HOST:7687
                                             100 on both (NEO4J_PASSWORD; deletes its workspaces)
    python benchmarks/kills.py --keep FILE   keeps lines there; run again, it goes on after them

After each kill the graph is exported by another command; then the killed one is repeated. What must
hold: the graph of an undisturbed run, no model call repeated whose reply was stored, and, of a
document whose deletion had begun, no word in the export. In the end of every round the document is
deleted, and its rare words are looked for in all bytes of the home folder and in all nodes of the
workspace.

Half of the kills come after the first request to a model. The model is a stub on the loopback that
answers at once and makes entities of capitalised words; the transcripts are generated. Moments are
counted from when the process first opens a file of the workspace, or from one of its requests.
Prints a line per kill and a table, appends them to benchmarks/results/kills.txt, and exits with the
failures.
"""

import argparse
import contextlib
import io
import json
import os
import random
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from killer import Command, Killer, began, generated

from dynagrag import load_settings, open_workspace
from dynagrag.cli.main import run as run_command
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.journal.workspace_journal import Journal
from dynagrag.upkeep.workspace_backup import back_up, restore
from dynagrag.workspace.conversations import ConversationBook, Exchange, KeptAnswer, new_id, now
from dynagrag.workspace.facade import Workspace

_RESULTS = Path(__file__).parent / "results" / "kills.txt"
MAX_CONCURRENCY = 4
ROUND = (
    *(
        ("ingest", True),
        ("delete", True),
        ("merge", False),
        ("delete", True),
        ("ingest", True),
        ("restore", False),
        ("delete", False),
    ),
    *(("ingest", False), ("delete", True), ("merge", False)),
)
"""Works, and whether they are killed after their first request to a model; corrections and restores
make none.
"""
RARE = ("Quokkafish", "Umbrellabird", "Xanaduvale", "zyzzogeton", "snollygoster", "Wobblethorpe")
"""Names, words and a speaker of the document that is deleted."""


@dataclass(frozen=True, slots=True)
class Whole:
    """An undisturbed run of a work: its graph, the graph once the document is deleted, its
    different prompts, and when (seconds after it opened its first file) each request came and it
    ended.
    """

    digest: str
    digest_of_rest: str
    num_prompts: int
    times: tuple[float, ...]
    end_s: float


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill and what came of it; `wrong`: what did not hold."""

    number: int
    store: str
    work: str
    is_after_call: bool
    line: str
    wrong: str


class Kills:
    """Kills works in one store, in a home of their own."""

    def __init__(
        self, store: str, num_turns: int, home: Path, killer: Killer, server: OpenAIStubServer
    ) -> None:
        self._store, self._home, self._killer = store, home, killer
        self._name = f"kills-{secrets.token_hex(4)}"  # a server may hold workspaces of somebody's
        home.mkdir(parents=True)
        given = home.with_name(f"{home.name}-given")
        given.mkdir()
        self._sources = (
            generated(given / "kept.txt", num_turns),
            generated(given / "gone.txt", num_turns // 3, 1, RARE),
        )
        self._backup, self._export = given / "backup.zip", given / "export.json"
        self._environment = {
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "none",
            "DYNAGRAG_HOME": str(home),
            "DYNAGRAG_STORE": store,
            "DYNAGRAG_LLM": "openai:fake",
            "DYNAGRAG_EMBEDDER": "openai:fake",
            "DYNAGRAG_WORKSPACE": self._name,
            "DYNAGRAG_MAX_CONCURRENCY": str(MAX_CONCURRENCY),
        }
        self._commands = {
            "ingest": ("ingest", *map(str, self._sources), "--yes"),
            "delete": ("delete", "gone", "--yes"),
            "merge": ("graph", "merge", "Ada Bus", "Blue Gauge", RARE[0], "--name", "Ada Bus"),
            "restore": ("restore", str(self._backup)),
        }
        self._wholes: dict[str, Whole] = {}

    def prepare(self) -> None:
        """A workspace of both documents as a backup; undisturbed runs are made when they are first
        needed.
        """
        with self._as_user():
            self._in_process(*self._commands["ingest"])
            with self._space() as space:
                back_up(space, self._backup, is_forced=True, progress=lambda *_: None)

    def kill(self, number: int, work: str, is_after_call: bool, rng: random.Random) -> Kill:
        """Kills one and runs it again. One that was quicker than the undisturbed run and ended
        first doesn't count: it is killed sooner.
        """
        with self._as_user():
            whole = self._wholes.get(work) or self._wholes.setdefault(work, self._undisturbed(work))
            first_s = whole.times[0] if is_after_call and whole.times else 0.0
            at_s = first_s + (whole.end_s - first_s) * rng.random()
            request = sum(t <= at_s for t in whole.times)
            delay_s = at_s - (whole.times[request - 1] if request else 0.0)
            self._set_up(work)
            before = self._stored()
            while not self._is_killed(work, request, delay_s):
                self._set_up(work)
                delay_s *= 0.6
            line, wrong = self._look_after(work, whole, before)
        kind = self._store.partition("://")[0]
        return Kill(
            number,
            kind,
            work,
            bool(request),
            f"{work:<7} {kind:<6} {delay_s:.2f} s after request {request}: {line}",
            wrong,
        )

    def clear(self) -> None:
        """Deletes the workspace from its store, and its folder."""
        with self._as_user():
            if (self._home / "workspaces" / self._name).is_dir():
                with self._space() as space:
                    space.store.clear()
            for folder in ("workspaces", "restoring"):
                shutil.rmtree(self._home / folder, ignore_errors=True)

    # inside

    def _look_after(self, work: str, whole: Whole, before: set[str]) -> tuple[str, str]:
        num_first, num_stored = sum(self._killer.prompts.values()), len(self._stored() - before)
        self._killer.reset()
        wrong = self._look_at_export(work)
        code, said = self._start(work).wait()
        num_second = sum(self._killer.prompts.values())
        is_done = work in ("merge", "restore") and (
            "already" in said or "is here" in said or "holds a workspace" in said
        )
        if code and not is_done:
            wrong.append(f"the second run ended with {code}: {said.strip()[-200:]}")
        if not is_done and num_second > max(0, whole.num_prompts - num_stored):
            wrong.append("a call was repeated whose reply was stored")
        if num_first + num_second > whole.num_prompts + MAX_CONCURRENCY:
            wrong.append("more calls were repeated than were in flight")
        if self._digest() != whole.digest:
            wrong.append("another graph")
        if self._digest_of_rest(work) != whole.digest_of_rest:
            wrong.append("another graph without the document")
        wrong += [f"{word} is in {where}" for word, where in self._left()]
        line = (
            f"{num_first} calls, {num_stored} replies stored, then {num_second} calls;"
            f" {'; '.join(wrong) or 'all is well'}"
        )
        return line, "; ".join(wrong)

    def _look_at_export(self, work: str) -> list[str]:
        """What another command sees of a killed delete: the document whole, or nothing of it."""
        if work != "delete":
            return []
        self._in_process("graph", "export", str(self._export), "--force")
        text = self._export.read_text(encoding="utf-8").casefold()
        with self._space() as space:
            is_there = any(d.title == "gone" for d in space.store.documents())
        seen = [word for word in RARE if word.casefold() in text]
        return (
            [f"the export holds {', '.join(seen)} of a document that has gone"]
            if seen and not is_there
            else []
        )

    def _undisturbed(self, work: str) -> Whole:
        self._set_up(work)
        self._killer.reset()
        command = self._start(work)
        started = began(command, self._home)
        code, said = command.wait()
        end_s = time.monotonic() - started
        if code:
            raise AssertionError(f"an undisturbed {work} ended with {code}: {said}")
        num_prompts, times = (
            len(self._killer.prompts),
            tuple(t - started for t in self._killer.times),
        )
        return Whole(self._digest(), self._digest_of_rest(work), num_prompts, times, end_s)

    def _set_up(self, work: str) -> None:
        """What the work begins with: nothing, or both documents with a conversation and a
        correction that quote the one that goes.
        """
        self.clear()
        if work in ("ingest", "restore"):
            return
        restore(self._backup, load_settings(), None, lambda *_: None)
        if work == "delete":
            self._in_process(*self._commands["merge"])
        with self._space() as space:
            answer = space.evidence(f"Who saw {RARE[0]}?")
            kept = KeptAnswer("dynagrag", answer)
            ConversationBook(space.folder).put(
                new_id(), Exchange(new_id(), f"Who saw {RARE[0]}?", now(), (kept,))
            )

    def _start(self, work: str) -> Command:
        return Command(self._commands[work], self._backup.with_name("said.txt"))

    def _is_killed(self, work: str, request: int, delay_s: float) -> bool:
        self._killer.reset()
        command = self._start(work)
        self._killer.aim(command, request, delay_s, self._home)
        return command.wait()[0] == -signal.SIGKILL

    def _in_process(self, *arguments: str) -> None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = run_command(list(arguments))
        if code:
            raise AssertionError(f"{' '.join(arguments)} ended with {code}: {said.getvalue()}")

    def _stored(self) -> set[str]:
        """The keys of the replies that the journal holds."""
        path = self._home / "workspaces" / self._name / "journal.sqlite"
        if not path.exists():
            return set()
        with contextlib.closing(Journal(path)) as journal:
            return {key for (key,) in journal.rows("SELECT key FROM replies")}

    def _space(self) -> Workspace:
        return open_workspace(settings=load_settings())

    def _digest(self) -> str:
        with self._space() as space:
            return space.store.digest() if space.store.is_derived_current() else "not current"

    def _digest_of_rest(self, work: str) -> str:
        if work != "delete":
            self._in_process(*self._commands["delete"])
        return self._digest()

    def _left(self) -> list[tuple[str, str]]:
        """Words of the deleted document that are somewhere still, with the place."""
        texts = {
            str(file.relative_to(self._home)): file.read_bytes().lower()
            for file in self._home.rglob("*")
            if file.is_file()
        }
        if self._store != "sqlite":
            from neo4j import GraphDatabase

            login = (os.environ.get("NEO4J_USERNAME", "neo4j"), os.environ["NEO4J_PASSWORD"])
            query = (
                "MATCH (n) WHERE n.ws = $ws OPTIONAL MATCH (n)-[r]->() RETURN properties(n) AS n,"
                " properties(r) AS r"
            )
            with GraphDatabase.driver(self._store, auth=login) as driver:
                found = driver.execute_query(query, ws=self._name).records
            texts["the server's nodes"] = repr([record.data() for record in found]).lower().encode()
        return [
            (word, where)
            for where, text in texts.items()
            for word in RARE
            if word.lower().encode() in text
        ]

    @contextlib.contextmanager
    def _as_user(self) -> Iterator[None]:
        """The environment of the commands, for those of this process, too."""
        before = dict(os.environ)
        os.environ.update(self._environment)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def run(
    num_kills: int,
    stores: Sequence[str],
    home: Path,
    say: Callable[[str], None],
    *,
    seed: int = 0,
    num_turns: int = 200,
    keep: Path | None = None,
    works: Sequence[tuple[str, bool]] = ROUND,
) -> list[Kill]:
    """So many kills, over all works and stores in turn; those that are in the file `keep` are not
    made again.
    """
    kept = (
        [Kill(**json.loads(line)) for line in keep.read_text(encoding="utf-8").splitlines()]
        if keep and keep.is_file()
        else []
    )
    killer, opened, done = Killer(), dict[str, Kills](), {kill.number: kill for kill in kept}
    with killer.server() as server, contextlib.ExitStack() as stack:
        for number in range(num_kills):
            store, rest = stores[number % len(stores)], number // len(stores)
            work, is_after_call = works[rest % len(works)]
            if number not in done:
                if store not in opened:
                    opened[store] = Kills(
                        store, num_turns, home / f"home-{len(opened)}", killer, server
                    )
                    stack.callback(opened[store].clear)
                    opened[store].prepare()
                done[number] = opened[store].kill(
                    number, work, is_after_call, random.Random(f"{seed} {number}")
                )
                if keep:
                    with keep.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(done[number])) + "\n")
            say(f"{number + 1:>3} {done[number].line}")
    return [done[number] for number in range(num_kills)]


def table(kills: Sequence[Kill]) -> list[str]:
    """Kills by work and store, how many came after a request to a model, and how many went
    wrong.
    """
    lines = [
        "| work | store | kills | after a request | went wrong |",
        "| --- | --- | --- | --- | --- |",
    ]
    groups = {
        (k.work, k.store): [o for o in kills if (o.work, o.store) == (k.work, k.store)]
        for k in kills
    }
    for (work, store), some in [*sorted(groups.items()), (("all", "all"), list(kills))]:
        lines.append(
            f"| {work} | {store} | {len(some)} | {sum(k.is_after_call for k in some)} |"
            f" {sum(bool(k.wrong) for k in some)} |"
        )
    return lines


def main(arguments: argparse.Namespace) -> int:
    """Runs, prints and keeps the lines."""
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    stores = arguments.store or ["sqlite"]
    say(
        f"# {datetime.now(UTC):%Y-%m-%d}, stores"
        f" {', '.join(s.partition('://')[0] for s in stores)}, seed {arguments.seed}"
    )
    with tempfile.TemporaryDirectory() as temporary:
        kills = run(
            arguments.num,
            stores,
            Path(temporary),
            say,
            seed=arguments.seed,
            num_turns=arguments.turns,
            keep=arguments.keep,
        )
    for line in table(kills):
        say(line)
    with _RESULTS.open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n\n")
    return min(1, sum(bool(kill.wrong) for kill in kills))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--num", type=int, default=100, help="how many kills")
    parser.add_argument(
        "--store",
        action="append",
        help="sqlite, or the address of a Neo4j server; may be given again (default: sqlite)",
    )
    parser.add_argument(
        "--turns",
        type=int,
        default=200,
        help="of the transcript that stays; the other has a third of it",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument(
        "--keep",
        type=Path,
        help="file of the kills that are done: a run that was stopped goes on after them",
    )
    sys.exit(main(parser.parse_args()))
