"""What this process writes is seen by others, though it has opened a file twice and another process
has closed it meanwhile.

POSIX takes a process's locks on a file with the first close of any of its descriptors, and SQLite
holds such locks: without them another process's close would take away the log that this one writes
to. A plain `open` of a database while it is open does that.
"""

import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from dynagrag.core.schema import EmbedderIdentity
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore
from dynagrag.journal.jobs import JobRequest
from dynagrag.journal.workspace_journal import Journal

_JOBS = """
import sys
from contextlib import closing
from pathlib import Path
from dynagrag.journal.workspace_journal import Journal
with closing(Journal(Path(sys.argv[1]))) as journal:
    print(len(journal.jobs()))
"""
_EMBEDDER = """
import sys
from contextlib import closing
from pathlib import Path
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore
with closing(SqliteStore(Path(sys.argv[1]), "w")) as store:
    print(store.embedder())
"""


def told(script: str, path: Path) -> str:
    """What another process finds in a file, which it closes."""
    return subprocess.run(
        [sys.executable, "-c", script, str(path)], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.mark.parametrize("num_open", [1, 2])
def test_a_job_is_seen_by_others_though_they_looked_before(tmp_path: Path, num_open: int) -> None:
    path = tmp_path / "journal.sqlite"
    with ExitStack() as stack:
        first, *_ = [stack.enter_context(closing(Journal(path))) for _ in range(num_open)]
        assert told(_JOBS, path) == "0"
        first.job_book.start("ingest", JobRequest())
        assert told(_JOBS, path) == "1"


@pytest.mark.parametrize("num_open", [1, 2])
def test_what_is_stored_is_seen_by_others_though_they_looked_before(
    tmp_path: Path, num_open: int
) -> None:
    path = tmp_path / "graph.sqlite"
    with ExitStack() as stack:
        first, *_ = [stack.enter_context(closing(SqliteStore(path, "w"))) for _ in range(num_open)]
        assert told(_EMBEDDER, path) == "None"
        first.set_embedder(EmbedderIdentity("fake", 8))
        assert "fake" in told(_EMBEDDER, path)
