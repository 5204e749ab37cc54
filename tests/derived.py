"""Small records made by hand, and the graph that is derived from them."""

from collections.abc import Sequence

import numpy as np

from dynagrag.core.ids import content_id
from dynagrag.core.schema import (
    Consolidation,
    Document,
    Edit,
    EditKind,
    Entity,
    Graph,
    LabelMerge,
    Mention,
    MentionKind,
    Merge,
    RelationRecord,
    Vectors,
)
from dynagrag.graph_store.derived.canonical import make_edit
from dynagrag.graph_store.derived.derive import derive
from dynagrag.graph_store.derived.embedded_texts import mention_texts, record_texts
from dynagrag.graph_store.derived.two_step_mean import VectorTable

DOCUMENTS = {
    f"d{i}": Document(f"d{i}", "w", f"title {i}", "", f"sha{i}", "0123456789 " * 100)
    for i in range(3)
}


def said(
    name: str,
    summary: str = "",
    *,
    doc: str = "d0",
    at: int = 0,
    type_: str = "",
    kind: MentionKind = MentionKind.SAID,
) -> Mention:
    id_ = content_id("m", doc, at, name, summary, kind)
    return Mention(
        id_,
        doc,
        at,
        at + 10,
        (f"p-{doc}-{at}",),
        name,
        name.casefold(),
        type_,
        summary,
        kind,
        "llm",
    )


def record(
    head: str, label: str, tail: str, summary: str = "", *, doc: str = "d0", at: int = 0
) -> RelationRecord:
    id_ = content_id("r", doc, at, head, label, tail)
    return RelationRecord(
        id_, doc, at, at + 10, f"p-{doc}-{at}", head, tail, label, summary, at, at + 10, 0, "llm"
    )


def graph_of(
    mentions: Sequence[Mention],
    records: Sequence[RelationRecord] = (),
    *,
    merges: Sequence[Merge] = (),
    labels: Sequence[LabelMerge] = (),
    edits: Sequence[Edit] = (),
    vectors: dict[str, float] | None = None,
    num_passages: int = 10,
    workspace: str = "w",
    documents: dict[str, Document] = DOCUMENTS,
) -> Graph:
    """`vectors`: text -> the value of its one-dimensional vector; others by hash."""

    def table(texts: dict[str, str]) -> VectorTable:
        values = [
            (vectors or {}).get(t, int(content_id(t)[:4], 16) / 65536) for t in texts.values()
        ]
        array: Vectors = np.array(values, dtype=np.float32).reshape(-1, 1)
        return VectorTable.of(list(texts), array)

    return derive(
        workspace,
        mentions,
        records,
        documents=documents,
        num_passages=num_passages,
        consolidation=Consolidation(tuple(merges), tuple(labels)),
        edits=edits,
        mention_vectors=table(mention_texts(mentions)),
        record_vectors=table(record_texts(records)),
    )


def entity(graph: Graph, key: str) -> Entity:
    return next(e for e in graph.entities if e.key == key)


def keyed(graph: Graph) -> list[tuple[str, str, str, int, int]]:
    keys = {e.id: e.key for e in graph.entities}
    return sorted(
        (keys[r.head], r.label, keys[r.tail], r.weight, r.support) for r in graph.relations
    )


def edit(kind: EditKind, *keys: str, name: str = "", what: str = "", day: int = 1) -> Edit:
    return make_edit(
        kind, keys=keys, name=name, what=what, by="me", at=f"2026-01-{day:02}T00:00:00Z"
    )
