"""The embedded store's schema: numbered migrations, each applied once, all in one transaction.
`PRAGMA user_version` counts them.

Text columns hold text from documents and models as data; tuples are JSON arrays; vectors are
little-endian float32 blobs. Spans and ids are those of `dynagrag.core.schema`. A chunk that yielded
nothing has a row in `extractions` all the same.
"""

import sqlite3

from dynagrag.core.errors import NewerStoreError, StoreError

APPLICATION_ID = 0x44594E41
"""Marks the file as one of this project's ("DYNA"), so that another program's database is never
written to.
"""

_RECORDS = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """CREATE TABLE documents (
        id TEXT PRIMARY KEY, title TEXT NOT NULL, uri TEXT NOT NULL, sha256 TEXT NOT NULL,
        text TEXT NOT NULL, meta TEXT NOT NULL)""",
    """CREATE TABLE turns (
        id TEXT PRIMARY KEY,
        document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        idx INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL, speaker TEXT,
        start_s REAL, end_s REAL)""",
    "CREATE INDEX turns_of_document ON turns(document_id, idx)",
    """CREATE TABLE passages (
        id TEXT PRIMARY KEY,
        document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        idx INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
        first_turn INTEGER NOT NULL, last_turn INTEGER NOT NULL)""",
    "CREATE INDEX passages_of_document ON passages(document_id, idx)",
    """CREATE TABLE extractions (
        id INTEGER PRIMARY KEY,
        document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
        start INTEGER NOT NULL, stop INTEGER NOT NULL, is_split INTEGER NOT NULL,
        extractor TEXT NOT NULL, UNIQUE (document_id, is_split, start, stop))""",
    """CREATE TABLE mentions (
        id TEXT PRIMARY KEY,
        extraction INTEGER NOT NULL REFERENCES extractions(id) ON DELETE CASCADE,
        document_id TEXT NOT NULL, chunk_start INTEGER NOT NULL, chunk_end INTEGER NOT NULL,
        passage_ids TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, type TEXT NOT NULL,
        summary TEXT NOT NULL, kind TEXT NOT NULL, extractor TEXT NOT NULL, flags TEXT NOT NULL)""",
    "CREATE INDEX mentions_of_extraction ON mentions(extraction)",
    """CREATE TABLE relation_records (
        id TEXT PRIMARY KEY,
        extraction INTEGER NOT NULL REFERENCES extractions(id) ON DELETE CASCADE,
        document_id TEXT NOT NULL, chunk_start INTEGER NOT NULL, chunk_end INTEGER NOT NULL,
        passage_id TEXT NOT NULL, head TEXT NOT NULL, tail TEXT NOT NULL, label TEXT NOT NULL,
        summary TEXT NOT NULL, quote_start INTEGER NOT NULL, quote_end INTEGER NOT NULL,
        turn_index INTEGER NOT NULL, extractor TEXT NOT NULL)""",
    "CREATE INDEX relation_records_of_extraction ON relation_records(extraction)",
    """CREATE TABLE edits (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, keys TEXT NOT NULL, name TEXT NOT NULL,
        what TEXT NOT NULL, by TEXT NOT NULL, at TEXT NOT NULL)""",
)
_DERIVED = (
    (
        "CREATE TABLE vectors (kind TEXT NOT NULL, id TEXT NOT NULL, vector BLOB NOT NULL, UNIQUE"
        " (kind, id))"
    ),
    """CREATE TABLE merges (
        id TEXT PRIMARY KEY, position INTEGER NOT NULL, members TEXT NOT NULL,
        canonical TEXT NOT NULL, rule TEXT NOT NULL, saw TEXT NOT NULL)""",
    """CREATE TABLE label_merges (
        id TEXT PRIMARY KEY, position INTEGER NOT NULL, canonical TEXT NOT NULL,
        inverted INTEGER NOT NULL, rule TEXT NOT NULL)""",
    """CREATE TABLE entities (
        id TEXT PRIMARY KEY, key TEXT NOT NULL, name TEXT NOT NULL, sense TEXT NOT NULL,
        keys TEXT NOT NULL, aliases TEXT NOT NULL, type TEXT NOT NULL, weight INTEGER NOT NULL,
        summaries TEXT NOT NULL, is_speaker INTEGER NOT NULL, passages TEXT NOT NULL)""",
    """CREATE TABLE relations (
        id TEXT PRIMARY KEY, head TEXT NOT NULL, tail TEXT NOT NULL, label TEXT NOT NULL,
        weight INTEGER NOT NULL, support INTEGER NOT NULL, summaries TEXT NOT NULL,
        record_ids TEXT NOT NULL)""",
)

_HEAVIEST_FIRST = (
    "CREATE INDEX relations_of_head ON relations(head, weight DESC, id)",
    "CREATE INDEX relations_of_tail ON relations(tail, weight DESC, id)",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = ((*_RECORDS, *_DERIVED), _HEAVIEST_FIRST)
"""Migration i+1 brings a file of version i to version i+1. Never change one that was released; add
the next.
"""


def migrate(connection: sqlite3.Connection, where: str) -> None:
    """Brings an open file (autocommit mode) to the newest version. `where` names it in messages.

    Raises:
        NewerStoreError: A newer version of dynagrag wrote it.
        StoreError: It is another program's database.
    """
    if _version(connection, where) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for migration in MIGRATIONS[
            _version(connection, where) :
        ]:  # read again: another process may have been faster
            for statement in migration:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        # nothing where SQLite has done it itself: ROLLBACK would then hide what went wrong
        connection.rollback()
        raise


def _version(connection: sqlite3.Connection, where: str) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    # In this order: another process that makes the file now gives it its tables and its id at once.
    has_tables = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    if has_tables and application != APPLICATION_ID:
        raise StoreError(
            f"{where} is another program's database; name another workspace, or move that file away"
        )
    if version > len(MIGRATIONS):
        raise NewerStoreError(
            f"{where} was written by a newer dynagrag (store version {version}, this one reads up"
            f" to {len(MIGRATIONS)}); update dynagrag"
        )
    return version
