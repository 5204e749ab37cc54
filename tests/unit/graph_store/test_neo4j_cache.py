"""The local copy of a server's rows: asked for what changed alone, thrown away when it is damaged,
safe between two processes.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dynagrag.core.errors import StoreError
from dynagrag.graph_store.neo4j_store.cache import RowCache

Rows = dict[str, tuple[str, bytes]]


class Server:
    """Rows with signatures, and what was fetched of them."""

    def __init__(self, **rows: bytes) -> None:
        self.rows: Rows = {uid: (f"sig of {body!r}", body) for uid, body in rows.items()}
        self.fetched: list[str] = []

    def put(self, **rows: bytes) -> None:
        self.rows |= {uid: (f"sig of {body!r}", body) for uid, body in rows.items()}

    def signatures(self) -> Iterator[tuple[str, str]]:
        return ((uid, sig) for uid, (sig, _) in sorted(self.rows.items()))

    def fetch(self, uids: list[str]) -> Iterator[tuple[str, str, bytes]]:
        self.fetched += uids
        return ((uid, *self.rows[uid]) for uid in uids if uid in self.rows)

    def read(self, cache: RowCache, stamp: str) -> dict[str, bytes]:
        self.fetched.clear()
        return cache.read("Thing", stamp, self.signatures, self.fetch)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache.sqlite"


def test_only_what_changed_is_fetched_and_what_went_goes(path: Path) -> None:
    server, cache = Server(a=b"1", b=b"2"), RowCache(path, "w")
    assert server.read(cache, "one") == {"a": b"1", "b": b"2"}
    assert server.read(cache, "one") == {"a": b"1", "b": b"2"}
    assert server.fetched == []
    server.put(b=b"22", c=b"3")
    del server.rows["a"]
    assert server.read(cache, "two") == {"b": b"22", "c": b"3"}
    assert sorted(server.fetched) == ["b", "c"]


def test_what_was_just_written_is_not_fetched_back(path: Path) -> None:
    server, cache = Server(a=b"1"), RowCache(path, "w")
    cache.put("Thing", [("a", "sig of b'1'", b"1")])
    assert server.read(cache, "one") == {"a": b"1"}
    assert server.fetched == []


def test_a_row_that_another_process_brought_meanwhile_is_not_lost(path: Path) -> None:
    server, mine, theirs = Server(a=b"1"), RowCache(path, "w"), RowCache(path, "w")
    old = list(server.signatures())
    server.put(b=b"2")

    def signatures_of_before() -> Iterator[tuple[str, str]]:
        server.read(
            theirs, "two"
        )  # the other process refreshes to a later moment while this one lists
        return iter(old)

    mine._refresh("Thing", "one", signatures_of_before(), server.fetch)
    assert server.read(theirs, "two") == {"a": b"1", "b": b"2"}


@pytest.mark.parametrize("damage", ["body", "page", "head"])
def test_a_damaged_file_is_made_anew_and_never_believed(path: Path, damage: str) -> None:
    server, cache = (
        Server(**{f"k{i:03}": b"body of many words " * 20 + str(i).encode() for i in range(200)}),
        RowCache(path, "w"),
    )
    right = server.read(cache, "one")
    cache.close()
    data = bytearray(path.read_bytes())
    if damage == "body":
        place = data.index(b"body of many words")
        data[place : place + 4] = b"BODY"
    elif damage == "page":
        data[8192:12288] = bytes(range(256)) * 16
    else:
        data[:100] = b"x" * 100
    path.write_bytes(data)
    assert server.read(RowCache(path, "w"), "one") == right


def test_a_file_of_another_workspace_or_server_is_emptied(path: Path) -> None:
    server, cache = Server(a=b"1"), RowCache(path, "w on this server")
    server.read(cache, "one")
    cache.close()
    other = RowCache(path, "w on that server")
    assert Server().read(other, "one") == {}


def test_a_place_that_cannot_be_a_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="local copy"):
        RowCache(tmp_path, "w")
