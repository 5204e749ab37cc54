"""Findings on an embedded store's file and rows, and their repair."""

import sqlite3

from dynagrag.core.schema import Finding
from dynagrag.graph_store.rules import REPAIR, orphans
from dynagrag.graph_store.sqlite_store.migrations import MIGRATIONS

_ORPHANS = (
    ("turns", "FROM turns WHERE document_id NOT IN (SELECT id FROM documents)"),
    ("passages", "FROM passages WHERE document_id NOT IN (SELECT id FROM documents)"),
    ("extractions", "FROM extractions WHERE document_id NOT IN (SELECT id FROM documents)"),
    ("mentions", "FROM mentions WHERE extraction NOT IN (SELECT id FROM extractions)"),
    (
        "relation records",
        "FROM relation_records WHERE extraction NOT IN (SELECT id FROM extractions)",
    ),
    (
        "passage vectors",
        "FROM vectors WHERE kind = 'passage' AND id NOT IN (SELECT id FROM passages)",
    ),
    (
        "entity vectors",
        "FROM vectors WHERE kind = 'entity' AND id NOT IN (SELECT id FROM entities)",
    ),
    (
        "relation vectors",
        "FROM vectors WHERE kind = 'relation' AND id NOT IN (SELECT id FROM relations)",
    ),
    (
        "relations",
        (
            "FROM relations WHERE head NOT IN (SELECT id FROM entities) OR tail NOT IN (SELECT id"
            " FROM entities)"
        ),
    ),
)
_INDEXES = (
    "turns_of_document",
    "passages_of_document",
    "mentions_of_extraction",
    "relation_records_of_extraction",
)
_INDEXES_OF_GRAPH = ("relations_of_head", "relations_of_tail")


def find(sqlite: sqlite3.Connection) -> list[Finding]:
    """Version, integrity of the file, indexes and orphaned rows."""
    version = int(sqlite.execute("PRAGMA user_version").fetchone()[0])
    found = [
        Finding(
            "store",
            True,
            f"SQLite {sqlite3.sqlite_version}, store version {version} of {len(MIGRATIONS)}",
        )
    ]
    trouble = [str(row[0]) for row in sqlite.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
    found.append(
        Finding(
            "file",
            not trouble,
            "intact" if not trouble else "; ".join(trouble),
            "restore it from a backup: dynagrag restore FILE",
        )
    )
    there = {
        str(name)
        for (name,) in sqlite.execute("SELECT name FROM sqlite_master WHERE type = 'index'")
    }
    missing = [name for name in (*_INDEXES, *_INDEXES_OF_GRAPH) if name not in there]
    found.append(
        Finding(
            "indexes",
            not missing,
            f"missing: {', '.join(missing)}" if missing else "all there",
            REPAIR,
        )
    )
    found.append(
        orphans(
            {
                what: int(sqlite.execute(f"SELECT count(*) {rows}").fetchone()[0])
                for what, rows in _ORPHANS
            }
        )
    )
    return found


def mend(sqlite: sqlite3.Connection) -> list[str]:
    """Makes missing indexes and deletes orphaned rows; what was done."""
    done = []
    there = {
        str(name)
        for (name,) in sqlite.execute("SELECT name FROM sqlite_master WHERE type = 'index'")
    }
    for migration in MIGRATIONS:
        for statement in migration:
            words = statement.split()
            if words[1] == "INDEX" and words[2] not in there:
                sqlite.execute(statement)
                done.append(f"made index {words[2]}")
    num_gone = sum(sqlite.execute(f"DELETE {rows}").rowcount for _, rows in _ORPHANS)
    if num_gone:
        done.append(f"deleted {num_gone} orphaned rows")
    return done
