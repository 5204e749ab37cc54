"""The stores that the graph stores' contract is run over, and what its tests put into them: small
corpora of facts.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from neo4j_server import Neo4jServer

from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Extraction, GraphStore
from dynagrag.core.schema import (
    Consolidation,
    Document,
    EmbedderIdentity,
    Flag,
    Mention,
    MentionKind,
    Passage,
    RelationRecord,
    Turn,
    VectorKind,
    Vectors,
)
from dynagrag.graph_store.derived.derive import derive
from dynagrag.graph_store.derived.embedded_texts import mention_texts, record_texts
from dynagrag.graph_store.derived.graph_digest import digest
from dynagrag.graph_store.derived.two_step_mean import VectorTable
from dynagrag.graph_store.neo4j_store.neo4j_store import Neo4jStore
from dynagrag.graph_store.rules import missing_ids
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore

MakeStore = Callable[[str], GraphStore]
"""The store of a workspace, opened anew; the same workspace is the same store."""
W = f"test-{uuid4().hex[:12]}"
"""A workspace that nobody else has: a server may be shared."""
NO_MERGES = Consolidation()
EMBEDDER = EmbedderIdentity("fake", 8)
SERVERS = [pytest.param(name, marks=pytest.mark.neo4j) for name in ("neo4j_server", "neo4j_2026")]


def open_sqlite(folder: Path) -> MakeStore:
    return lambda workspace: SqliteStore(folder / workspace / "graph.sqlite", workspace)


LOCAL = {"sqlite": open_sqlite}
"""The stores that need no server: how to open one in a folder."""


def open_neo4j(server: Neo4jServer) -> MakeStore:
    def make(workspace: str) -> GraphStore:
        return Neo4jStore(
            server.address,
            workspace,
            username=server.username,
            password=server.password,
            database="neo4j",
            cache=None,
        )

    return make


Made = tuple[Document, list[Turn], list[Passage], list[Extraction]]
Fact = tuple[str, str, str]
FACTS_A = [
    ("Ada", "founded", "Acme"),
    ("Acme", "works with", "Zenith"),
    ("Ada", "likes", "Canary77"),
]
FACTS_B = [("Ada", "founded", "Acme"), ("Bob", "leads", "Zenith")]


def document(name: str, facts: Sequence[Fact], workspace: str = W) -> Made:
    """A document of one passage and chunk a fact, with all records of it."""
    lines = [f"{h} {label} {t} ({name})" for h, label, t in facts] or [f"nothing in {name}"]
    text = "\n".join(lines)
    doc = Document(
        content_id("document", workspace, text),
        workspace,
        name,
        f"/{name}.txt",
        content_id(text),
        text,
        {"from": name},
    )
    turns, passages, extractions = [], [], []
    start = 0
    for i, line in enumerate(lines):
        end = start + len(line)
        turns.append(
            Turn(
                content_id(doc.id, i),
                doc.id,
                i,
                start,
                end,
                "ANNA" if i % 2 else None,
                float(i),
                i + 0.5,
            )
        )
        passages.append(Passage(content_id("p", doc.id, start, end), doc.id, i, start, end, i, i))
        if i < len(facts):
            extractions.append(
                extraction(doc.id, start, end, facts[i], passages[-1].id, f"said in {name}")
            )
        start = end + 1
    return doc, turns, passages, extractions


def extraction(
    doc: str, start: int, end: int, fact: Fact, passage: str, summary: str, extractor: str = "llm"
) -> Extraction:
    head, label, tail = fact
    mentions = tuple(
        mention(doc, start, end, name, passage, summary, extractor)
        for name in dict.fromkeys((head, tail))
    )
    id_ = content_id("r", doc, start, end, head, label, tail)
    record = RelationRecord(
        id_,
        doc,
        start,
        end,
        passage,
        head.casefold(),
        tail.casefold(),
        label,
        summary,
        start,
        end,
        0,
        extractor,
    )
    return Extraction(doc, start, end, extractor, mentions, (record,))


def mention(
    doc: str,
    start: int,
    end: int,
    name: str,
    passage: str,
    summary: str,
    extractor: str,
    kind: MentionKind = MentionKind.SAID,
) -> Mention:
    id_ = content_id("m", doc, start, end, name.casefold(), kind, summary)
    flags = (Flag.SEEN_CAPITALISED,) if extractor == "fast" else ()
    return Mention(
        id_,
        doc,
        start,
        end,
        (passage,),
        name,
        name.casefold(),
        "thing",
        summary,
        kind,
        extractor,
        flags,
    )


def vectors_of(texts: Mapping[str, str]) -> Vectors:
    rows = [
        np.frombuffer(hashlib.sha256(t.encode("utf-8", "surrogatepass")).digest(), dtype=np.uint8)[
            :8
        ]
        for t in texts.values()
    ]
    return (np.array(rows, dtype=np.float32).reshape(-1, 8) + 1) / 256


def put(store: GraphStore, made: Made) -> None:
    doc, turns, passages, extractions = made
    store.put_document(doc, turns, passages)
    store.put_extractions(extractions)


def rederive(store: GraphStore, consolidation: Consolidation = NO_MERGES) -> str:
    """Embeds, derives and writes as an ingest does; the digest."""
    documents = {d.id: d for d in store.documents()}
    passages = store.passages()
    tables = {}
    for kind, texts in (
        (
            VectorKind.PASSAGE,
            {p.id: documents[p.document_id].text[p.start : p.end] for p in passages},
        ),
        (VectorKind.MENTION, mention_texts(store.mentions())),
        (VectorKind.RECORD, record_texts(store.relation_records())),
    ):
        store.keep_vectors(kind, texts)
        missing = missing_ids(texts, store.vector_ids(kind))
        store.put_vectors(kind, missing, vectors_of({i: texts[i] for i in missing}))
        tables[kind] = VectorTable.of(list(texts), store.vectors(kind, list(texts)))
    graph = derive(
        store.workspace,
        store.mentions(),
        store.relation_records(),
        documents=documents,
        num_passages=len(passages),
        consolidation=consolidation,
        edits=store.edits(),
        mention_vectors=tables[VectorKind.MENTION],
        record_vectors=tables[VectorKind.RECORD],
    )
    store.write_graph(graph, consolidation, store.records())
    assert store.digest() == digest(graph)
    return store.digest()


def everything(store: GraphStore) -> tuple[object, ...]:
    graph = store.graph()
    arrays = (graph.entity_vectors.tobytes(), graph.relation_vectors.tobytes())
    records = (
        store.documents(),
        store.turns(),
        store.passages(),
        store.mentions(),
        store.relation_records(),
        store.edits(),
    )
    return (
        *records,
        graph.entities,
        graph.relations,
        graph.entity_passages,
        arrays,
        store.consolidation(),
        store.digest(),
    )


def found_by(store: GraphStore, text: str) -> list[int]:
    """The places in the graph of what full-text search finds."""
    place = {e.id: i for i, e in enumerate(store.graph().entities)}
    return sorted(place[id_] for id_, _ in store.search_entities(text, limit=100))
