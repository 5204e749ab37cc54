"""All that a workspace holds, to be compared with another's."""

from dataclasses import asdict
from typing import Any

from dynagrag.workspace.facade import Workspace


def silent(stage: str, done: int, total: int) -> None:
    assert 0 <= done <= total, stage


def contents(space: Workspace) -> tuple[Any, ...]:
    store = space.store
    records = store.records()
    return (
        (
            records.documents,
            records.passages,
            records.mentions,
            records.relations,
            records.edits,
            store.turns(),
        ),
        [store.extractions(d.id) for d in records.documents],
        (
            store.graph().entities,
            store.graph().relations,
            store.consolidation(),
            store.digest(),
            store.is_derived_current(),
        ),
        (asdict(space.stats()), space.journal.ledger(), space.journal.set_asides()),
    )
