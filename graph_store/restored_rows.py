"""Checks the contents of a backup's two databases: hashes say that nobody has damaged them, not
that anybody can read them.

A row that is none would be found by whoever reads it first, with a traceback in a question; so all
are read once before any is used. The schema is compared with that of the migrations: SQLite takes a
table without its types and constraints for as good.
"""

import json
import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

import numpy as np

from dynagrag.core.errors import StoreError
from dynagrag.core.schema import VectorKind
from dynagrag.core.text import short
from dynagrag.graph_store.sqlite_store import migrations as graph_schema
from dynagrag.graph_store.sqlite_store import sqlite_state
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore
from dynagrag.journal import journal_file as journal_schema

_STORAGE = {
    "TEXT": ("text",),
    "INTEGER": ("integer",),
    "REAL": ("real", "integer"),
    "BLOB": ("blob",),
}
"""What SQLite may hold in a column of a type; it takes anything."""
_LISTS = {
    "mentions": ("passage_ids", "flags"),
    "edits": ("keys",),
    "merges": ("members",),
    "entities": ("keys", "aliases", "summaries", "passages"),
    "relations": ("summaries", "record_ids"),
}
_TOO_LATE = "9000"
_BYTES_A_FLOAT = 4
_COUNTERS = ("version", "records", "embedder_dimension")
_UNREADABLE = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    RecursionError,
)
"""What readers of rows raise where a row is none."""


class _WrongRowError(ValueError):
    """A row that can be read, and says what can't be."""


def check_graph(path: Path, workspace: str) -> None:
    """Reads every row of an embedded store's file that is of the newest version. StoreError,
    without the file's name, says what is wrong with the first that is none.
    """
    with _only_our_errors():
        with closing(_read_only(path)) as sqlite:
            _check_storage(sqlite)
            for table, columns in _LISTS.items():
                for column in columns:
                    _check_lists(sqlite, table, column)
            _check_meta(sqlite)
            _check_vectors(sqlite)
        with closing(SqliteStore(path, workspace)) as store:
            _check_records(store)
            for edit in store.edits():
                if edit.at >= _TOO_LATE:  # by these texts they are ordered, and later ones stamped
                    raise _WrongRowError(f"the edit {edit.id!r} has a time that is none")
            graph = store.graph()
            store.consolidation()
        known = {entity.id for entity in graph.entities}
        strays = [r.id for r in graph.relations if r.head not in known or r.tail not in known]
        if strays:
            raise _WrongRowError(f"relation {strays[0]!r} joins no two entities")


def check_journal(path: Path) -> None:
    """Reads the rows of a journal's file that is of the newest version, as `check_graph` does."""
    with _only_our_errors(), closing(_read_only(path)) as sqlite:
        _check_storage(sqlite)
        for job_id, detail, request, *times in sqlite.execute(
            "SELECT id, detail, request, started_at, updated_at, finished_at FROM jobs"
        ):
            if not all(isinstance(json.loads(text), dict) for text in (detail, request)):
                raise _WrongRowError(f"job {job_id} has no object where one belongs")
            for at in filter(None, times):
                if datetime.fromisoformat(at).tzinfo is None:
                    raise _WrongRowError(f"job {job_id} has a time without a zone")


def check_schema(path: Path, is_graph: bool) -> None:
    """Compares the tables and indexes of a file with those that its version has. StoreError,
    without the file's name, where they differ.
    """
    scripts: Sequence[Sequence[str]] = (
        graph_schema.MIGRATIONS
        if is_graph
        else [script.split(";") for script in journal_schema.MIGRATIONS]
    )
    with _only_our_errors(), closing(_read_only(path)) as sqlite:
        version = int(sqlite.execute("PRAGMA user_version").fetchone()[0])
        with closing(sqlite3.connect(":memory:")) as ours:
            for script in scripts[: max(0, version)]:
                for statement in script:
                    ours.execute(statement)
            expected, found = _schema(ours), _schema(sqlite)
    names = sorted(found.keys() | expected.keys())
    for name in names:
        if found.get(name) != expected.get(name):
            raise StoreError(f"{name!r} is not what a workspace has under this name")


def _schema(sqlite: sqlite3.Connection) -> dict[str, str]:
    """Each table's and index's statement by its name, without space: an older version of this
    program may have broken its lines elsewhere.
    """
    rows = sqlite.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {str(name): "".join(str(sql).split()) for name, sql in rows}


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


@contextmanager
def _only_our_errors() -> Iterator[None]:
    """Makes whatever a reader of a wrong row raises a StoreError of one line."""
    try:
        yield
    except _WrongRowError as err:
        raise StoreError(str(err)) from None
    except (*_UNREADABLE, sqlite3.Error) as err:
        raise StoreError(
            f"a row can't be read ({type(err).__name__}: {short(str(err), 80)})"
        ) from err


# ---------------------------------------------------------------------------------------- the rows


def _check_storage(sqlite: sqlite3.Connection) -> None:
    """Each value is of its column's type: SQLite would take any other, too."""
    tables = [
        str(name)
        for (name,) in sqlite.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    for table in tables:  # names of our own schema, which was compared before
        for _, column, kind, is_required, _, is_key in sqlite.execute(
            f'PRAGMA table_info("{table}")'
        ).fetchall():
            kinds = _STORAGE[kind] if is_required or is_key else (*_STORAGE[kind], "null")
            marks = ", ".join("?" * len(kinds))
            wrong = sqlite.execute(
                f'SELECT 1 FROM "{table}" WHERE typeof("{column}") NOT IN ({marks}) LIMIT 1', kinds
            ).fetchone()
            if wrong is not None:
                raise _WrongRowError(f"a {column} in {table} is no {kind.lower()}")
            if kind == "TEXT":  # reading it shows that it is UTF-8
                for _ in sqlite.execute(f'SELECT "{column}" FROM "{table}"'):
                    pass


def _check_lists(sqlite: sqlite3.Connection, table: str, column: str) -> None:
    for id_, text in sqlite.execute(f"SELECT id, {column} FROM {table}"):
        found = json.loads(text)
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            raise _WrongRowError(f"{column} of {table} {short(id_, 40)} is no list of texts")


def _check_meta(sqlite: sqlite3.Connection) -> None:
    for id_, text in sqlite.execute("SELECT id, meta FROM documents"):
        found = json.loads(text)
        if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
            raise _WrongRowError(f"meta of document {short(id_, 40)} is no object of texts")
    for name, value in sqlite.execute("SELECT name, value FROM meta"):
        if name in _COUNTERS and value and not (value.isascii() and value.isdigit()):
            raise _WrongRowError(f"{name} in meta is no count")


def _check_vectors(sqlite: sqlite3.Connection) -> None:
    dimension = sqlite_state.dimension(sqlite)
    kinds = {kind.value for kind in VectorKind}
    for kind, id_, blob in sqlite.execute("SELECT kind, id, vector FROM vectors"):
        if kind not in kinds or not dimension or len(blob) != dimension * _BYTES_A_FLOAT:
            raise _WrongRowError(
                f"the vector of {short(kind, 20)} {short(id_, 40)} has {len(blob)} bytes, not"
                f" those of {dimension} numbers"
            )
        if not np.isfinite(np.frombuffer(blob, dtype="<f4")).all():
            raise _WrongRowError(f"the vector of {kind} {short(id_, 40)} holds what is no number")


def _check_records(store: SqliteStore) -> None:
    """Every span lies in its document's text, and what a record refers to is there."""
    for document in store.documents():
        size = len(document.text)
        turns, passages = store.turns(document.id), store.passages(document.id)
        held = {passage.id for passage in passages}
        if [turn.index for turn in turns] != list(range(len(turns))):
            raise _WrongRowError(f"the turns of document {document.id!r} have gaps")
        for turn in turns:
            _check_span(turn.id, turn.start, turn.end, size)
            if not all(math.isfinite(at) for at in (turn.start_s, turn.end_s) if at is not None):
                raise _WrongRowError(f"turn {turn.id!r} has a time that is none")
        for passage in passages:
            _check_span(passage.id, passage.start, passage.end, size)
            if not 0 <= passage.first_turn <= passage.last_turn < max(1, len(turns)):
                raise _WrongRowError(f"passage {passage.id!r} is of turns that are not there")
        for extraction in store.extractions(document.id):
            for mention in extraction.mentions:
                if not held.issuperset(mention.passage_ids):
                    raise _WrongRowError(f"mention {mention.id!r} is in no passage of its document")
            for record in extraction.relations:
                _check_span(record.id, record.quote_start, record.quote_end, size)
                if record.passage_id not in held or not -1 <= record.turn_index < max(
                    1, len(turns)
                ):
                    raise _WrongRowError(f"relation record {record.id!r} is of no turn or passage")


def _check_span(id_: str, start: int, end: int, size: int) -> None:
    if not 0 <= start <= end <= size:
        raise _WrongRowError(f"{short(id_, 40)} stands outside of its document's text")
