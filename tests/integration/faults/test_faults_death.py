"""On both stores: a worker that dies between two lines of code (`os._exit`), right after a commit
of the store, before what is noted of it, or right after a commit of the journal, before what it
announces.
"""

import json
import random
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from ingests import num_stored_replies, without_progress
from warm_python import run_warm

from dynagrag.fakes import FakeChat, simple_reply
from dynagrag.workspace.facade import Workspace

MAX_CONCURRENCY = 2
DEAD = 9
WORKER = """
import json, os, sys, threading
from contextlib import contextmanager
from pathlib import Path

import dynagrag.ingest.job_follower
import dynagrag.ingest.pipeline
from dynagrag import open_workspace
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.graph_store.neo4j_store.neo4j_connection import Neo4jConnection
from dynagrag.graph_store.sqlite_store.sqlite_connection import Connection as Sqlite
from dynagrag.journal.jobs import JobBook
from dynagrag.journal.journal_file import JournalFile

given = json.loads(sys.argv[1])
num_commits = {"store": 0, "journal": 0, "end": 0}
lock = threading.Lock()
# a commit a chunk: their number does not hang on the machine's speed
dynagrag.ingest.pipeline._KEEP_EVERY_S = 0.0
dynagrag.ingest.job_follower._NOTE_EVERY_S = float("inf")


def committed(who):
    with lock:
        num_commits[who] += 1
        if [who, num_commits[who]] == given["dies_after"]:
            os._exit(given["code"])


def watch(cls, who, is_inside):
    real = cls.write

    @contextmanager
    def write(self):
        is_part = is_inside(self)
        with real(self) as connection:
            yield connection
        if not is_part:
            committed(who)

    cls.write = write


def write_to_server(self, *args, **options):
    result = real_write(self, *args, **options)
    committed("store")
    return result


watch(JournalFile, "journal", lambda file: file._db.in_transaction)
watch(Sqlite, "store", lambda file: file._sqlite.in_transaction)
def finish(self, *args, **options):
    committed("end")
    real_finish(self, *args, **options)


real_write, Neo4jConnection.write = Neo4jConnection.write, write_to_server
real_finish, JobBook.finish = JobBook.finish, finish


def rule(prompt, schema):
    with lock, open(given["asked"], "a", encoding="utf-8") as file:
        file.write(json.dumps(prompt.user) + "\\n")
    return simple_reply(prompt, schema)


opened = open_workspace(given["workspace"], chat_model=FakeChat(rule), embedder=FakeEmbedder())
with opened as space:
    space.ingest([Path(path) for path in given["paths"]])
print(json.dumps(num_commits))
"""


class Workers:
    """Ingests in processes of their own. `prompts`: what the last one asked its model."""

    def __init__(self, paths: Sequence[Path], folder: Path) -> None:
        self._given = {
            "paths": [str(path) for path in paths],
            "asked": str(folder / "asked.txt"),
            "code": DEAD,
        }
        self._asked = folder / "asked.txt"

    @property
    def prompts(self) -> Counter[str]:
        return Counter(self._asked.read_text(encoding="utf-8").splitlines())

    def run(
        self, workspace: str, dies_after: tuple[str, int] | None
    ) -> "subprocess.CompletedProcess[str]":
        self._asked.write_text("", encoding="utf-8")
        given = json.dumps(self._given | {"workspace": workspace, "dies_after": dies_after})
        return run_warm(["-c", WORKER, given])


def test_a_worker_that_dies_after_any_commit_leaves_work_that_the_next_one_completes(
    any_store: str,
    open_space: Callable[..., Workspace],
    corpus: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DYNAGRAG_MAX_CONCURRENCY", str(MAX_CONCURRENCY))
    paths = corpus.many(3, num_turns=60)
    workers = Workers(paths, tmp_path)
    undisturbed = workers.run("whole", None)
    assert (undisturbed.returncode, without_progress(undisturbed.stderr)) == (0, "")
    num_commits: dict[str, int] = json.loads(undisturbed.stdout)
    assert min(num_commits["store"], num_commits["journal"]) > 12, num_commits
    num_unique = len(workers.prompts)
    assert num_unique > 6 * MAX_CONCURRENCY, "what is in flight would hide what is asked again"
    whole = open_space("whole").stats()
    rng = random.Random(11)
    num_each = 3 if any_store == "sqlite" else 1
    # The first workspace of a server has some more; and at the end all is done, and nobody was
    # told.
    sure = {who: num_commits[who] * 3 // 4 for who in ("store", "journal")}
    moments = [
        ("end", 1),
        *(
            (who, number)
            for who, most in sure.items()
            for number in rng.sample(range(1, most), num_each)
        ),
    ]
    for moment in moments:
        name = "-".join(map(str, moment))
        died = workers.run(name, moment)
        assert (died.returncode, without_progress(died.stderr)) == (DEAD, ""), (moment, died)
        num_first = workers.prompts.total()
        chat = FakeChat(simple_reply)
        space = open_space(name, chat=chat)
        num_stored = num_stored_replies(space.folder)
        assert [job.status for job in space.jobs()] in ([], ["interrupted"]), moment
        space.ingest(paths)
        assert space.stats() == whole, moment
        assert space.store.is_derived_current()
        assert chat.num_calls <= num_unique - num_stored, (
            moment,
            "a call was made again whose reply was stored",
        )
        assert num_first + chat.num_calls <= num_unique + MAX_CONCURRENCY, moment
