"""What can be wrong with an embedded store's file and rows, and the mending of it."""

import sqlite3

from dynagrag.graph_store.migrations import MIGRATIONS
from dynagrag.schema import Finding

_ORPHANS = (
    ("turns", "SELECT count(*) FROM turns WHERE document_id NOT IN (SELECT id FROM documents)"),
    ("passages", "SELECT count(*) FROM passages WHERE document_id NOT IN (SELECT id FROM documents)"),
    ("extractions", "SELECT count(*) FROM extractions WHERE document_id NOT IN (SELECT id FROM documents)"),
    ("mentions", "SELECT count(*) FROM mentions WHERE extraction NOT IN (SELECT id FROM extractions)"),
    ("relation records", "SELECT count(*) FROM relation_records WHERE extraction NOT IN (SELECT id FROM extractions)"),
    ("passage vectors", "SELECT count(*) FROM vectors WHERE kind = 'passage' AND id NOT IN (SELECT id FROM passages)"),
    ("entity vectors", "SELECT count(*) FROM vectors WHERE kind = 'entity' AND id NOT IN (SELECT id FROM entities)"),
    ("relation vectors", "SELECT count(*) FROM vectors WHERE kind = 'relation' AND id NOT IN (SELECT id FROM relations)"),
    ("relations", "SELECT count(*) FROM relations WHERE head NOT IN (SELECT id FROM entities) OR tail NOT IN (SELECT id FROM entities)"),
)
_MENDING = (
    "DELETE FROM turns WHERE document_id NOT IN (SELECT id FROM documents)",
    "DELETE FROM passages WHERE document_id NOT IN (SELECT id FROM documents)",
    "DELETE FROM extractions WHERE document_id NOT IN (SELECT id FROM documents)",
    "DELETE FROM mentions WHERE extraction NOT IN (SELECT id FROM extractions)",
    "DELETE FROM relation_records WHERE extraction NOT IN (SELECT id FROM extractions)",
    "DELETE FROM vectors WHERE kind = 'passage' AND id NOT IN (SELECT id FROM passages)",
    "DELETE FROM vectors WHERE kind = 'entity' AND id NOT IN (SELECT id FROM entities)",
    "DELETE FROM vectors WHERE kind = 'relation' AND id NOT IN (SELECT id FROM relations)",
    "DELETE FROM relations WHERE head NOT IN (SELECT id FROM entities) OR tail NOT IN (SELECT id FROM entities)",
)
_INDEXES = ("turns_of_document", "passages_of_document", "mentions_of_extraction", "relation_records_of_extraction")
_INDEXES_OF_GRAPH = ("relations_of_head", "relations_of_tail")


def find(sqlite: sqlite3.Connection) -> list[Finding]:
    """Version, integrity of the file, indexes and orphaned rows."""
    version = int(sqlite.execute("PRAGMA user_version").fetchone()[0])
    found = [Finding("store", True, f"SQLite {sqlite3.sqlite_version}, store version {version} of {len(MIGRATIONS)}")]
    trouble = [str(row[0]) for row in sqlite.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
    found.append(
        Finding("file", not trouble, "intact" if not trouble else "; ".join(trouble), "restore it from a backup: dynagrag restore FILE")
    )
    there = {str(name) for (name,) in sqlite.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    missing = [name for name in (*_INDEXES, *_INDEXES_OF_GRAPH) if name not in there]
    found.append(
        Finding(
            "indexes",
            not missing,
            "all there" if not missing else f"missing: {', '.join(missing)}",
            "run `dynagrag doctor --repair`",
            is_repairable=True,
        )
    )
    orphans = [f"{num} {what}" for what, query in _ORPHANS if (num := int(sqlite.execute(query).fetchone()[0]))]
    found.append(
        Finding(
            "orphaned records",
            not orphans,
            "none" if not orphans else ", ".join(orphans),
            "run `dynagrag doctor --repair`",
            is_repairable=True,
        )
    )
    return found


def mend(sqlite: sqlite3.Connection) -> list[str]:
    """Makes missing indexes and deletes orphaned rows; what was done."""
    done = []
    there = {str(name) for (name,) in sqlite.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    for migration in MIGRATIONS:
        for statement in migration:
            words = statement.split()
            if words[1] == "INDEX" and words[2] not in there:
                sqlite.execute(statement)
                done.append(f"made index {words[2]}")
    num_gone = sum(sqlite.execute(statement).rowcount for statement in _MENDING)
    if num_gone:
        done.append(f"deleted {num_gone} orphaned rows")
    return done
