"""The digest of a derived graph: the same for every store, workspace and order of ingest."""

import hashlib
import json
from collections.abc import Iterable

from dynagrag.core.schema import Graph


def digest(graph: Graph) -> str:
    """SHA-256 of the sorted rows (canonical key, sense, type, weight) and (head key, label, tail
    key, weight, support).

    Keys, not ids: the workspace and the store are no part of it.
    """
    keys = {e.id: e.key for e in graph.entities}
    return digest_rows(
        [(e.key, e.sense, e.type, e.weight) for e in graph.entities],
        [(keys[r.head], r.label, keys[r.tail], r.weight, r.support) for r in graph.relations],
    )


def digest_rows(
    entities: Iterable[tuple[str, str, str, int]],
    relations: Iterable[tuple[str, str, str, int, int]],
) -> str:
    """The digest of rows as a store has them, in any order."""
    return hashlib.sha256(
        json.dumps([sorted(entities), sorted(relations)], ensure_ascii=True).encode("ascii")
    ).hexdigest()
