"""Who waits for a workspace is told for how long."""

import fcntl
from pathlib import Path

import pytest

from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore
from dynagrag.workspace.lock import WorkspaceLock


class Enough(Exception):
    """Ends the wait."""


@pytest.mark.parametrize(("wait_s", "said"), [(5, "5 s at most"), (600, "10 min at most")])
def test_a_wait_is_said_in_a_unit_that_shows_it(tmp_path: Path, wait_s: float, said: str) -> None:
    texts: list[str] = []

    def stop() -> None:
        raise Enough

    store = SqliteStore(tmp_path / "graph.sqlite", "w")
    with (tmp_path / "lock").open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with (
            pytest.raises(Enough),
            WorkspaceLock("w", tmp_path, store).hold(wait_s, texts.append, stop),
        ):
            pass
    store.close()
    assert [text.endswith(said) for text in texts] == [True], texts
