"""What every graph store promises, whatever it is made of. A new store joins the params of `make_store`."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j_server import Neo4jServer

from dynagrag.errors import EmbedderMismatchError, StoreError
from dynagrag.graph_store.derived.canonical import make_edit, make_merge
from dynagrag.graph_store.derived.derive import derive
from dynagrag.graph_store.derived.embedded_texts import mention_texts, record_texts
from dynagrag.graph_store.derived.graph_digest import digest
from dynagrag.graph_store.derived.two_step_mean import VectorTable
from dynagrag.graph_store.neo4j_store.store import Neo4jStore
from dynagrag.graph_store.sqlite_store.store import SqliteStore
from dynagrag.ids import content_id
from dynagrag.protocols import Extraction, GraphStore
from dynagrag.schema import (
    Consolidation,
    Document,
    EditKind,
    EmbedderIdentity,
    Flag,
    LabelMerge,
    Mention,
    MentionKind,
    Passage,
    RelationRecord,
    Turn,
    VectorKind,
    Vectors,
)

MakeStore = Callable[[str], GraphStore]
"""The store of a workspace, opened anew; the same workspace is the same store."""
W = f"test-{uuid4().hex[:12]}"
"""A workspace that nobody else has: a server may be shared."""
NO_MERGES = Consolidation()
EMBEDDER = EmbedderIdentity("fake", 8)
HOSTILE = [
    "`) DETACH DELETE n //",
    "'; DROP TABLE mentions; --",
    "Ｆｕｌｌ　ｗｉｄｔｈ",
    "nul\x00inside",
    "x" * 10_000,
    "😀 emoji",
    '{"json": []}',
    "$ws",
    "?1",
]


def _open_sqlite(folder: Path) -> MakeStore:
    return lambda workspace: SqliteStore(folder / workspace / "graph.sqlite", workspace)


def _open_neo4j(server: Neo4jServer) -> MakeStore:
    def make(workspace: str) -> GraphStore:
        return Neo4jStore(server.address, workspace, username=server.username, password=server.password, database="neo4j", cache=None)

    return make


_SERVERS = [pytest.param(name, marks=pytest.mark.neo4j) for name in ("neo4j_server", "neo4j_2026")]


@pytest.fixture(params=["sqlite", *_SERVERS])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    make = _open_sqlite(tmp_path) if request.param == "sqlite" else _open_neo4j(request.getfixturevalue(request.param))
    opened: list[GraphStore] = []

    def made(workspace: str) -> GraphStore:
        store = make(workspace)
        if workspace not in {s.workspace for s in opened}:
            store.clear()  # a server may hold what a test before left there
        opened.append(store)
        return store

    yield made
    for store in opened:
        store.close()
    for workspace in {s.workspace for s in opened}:
        last = make(workspace)
        last.clear()
        last.close()


@pytest.fixture
def store(make_store: MakeStore) -> GraphStore:
    made = make_store(W)
    made.set_embedder(EMBEDDER)
    return made


# ------------------------------------------------------------------------------------------------------- small corpora


Made = tuple[Document, list[Turn], list[Passage], list[Extraction]]
Fact = tuple[str, str, str]


def document(name: str, facts: Sequence[Fact], workspace: str = W) -> Made:
    """A document of one passage and chunk a fact, with all records of it."""
    lines = [f"{h} {label} {t} ({name})" for h, label, t in facts] or [f"nothing in {name}"]
    text = "\n".join(lines)
    doc = Document(content_id("document", workspace, text), workspace, name, f"/{name}.txt", content_id(text), text, {"from": name})
    turns, passages, extractions = [], [], []
    start = 0
    for i, line in enumerate(lines):
        end = start + len(line)
        turns.append(Turn(content_id(doc.id, i), doc.id, i, start, end, "ANNA" if i % 2 else None, float(i), i + 0.5))
        passages.append(Passage(content_id("p", doc.id, start, end), doc.id, i, start, end, i, i))
        if i < len(facts):
            extractions.append(extraction(doc.id, start, end, facts[i], passages[-1].id, f"said in {name}"))
        start = end + 1
    return doc, turns, passages, extractions


def extraction(doc: str, start: int, end: int, fact: Fact, passage: str, summary: str, extractor: str = "llm") -> Extraction:
    head, label, tail = fact
    mentions = tuple(mention(doc, start, end, name, passage, summary, extractor) for name in dict.fromkeys((head, tail)))
    id_ = content_id("r", doc, start, end, head, label, tail)
    record = RelationRecord(id_, doc, start, end, passage, head.casefold(), tail.casefold(), label, summary, start, end, 0, extractor)
    return Extraction(doc, start, end, extractor, mentions, (record,))


def mention(
    doc: str, start: int, end: int, name: str, passage: str, summary: str, extractor: str, kind: MentionKind = MentionKind.SAID
) -> Mention:
    id_ = content_id("m", doc, start, end, name.casefold(), kind, summary)
    flags = (Flag.SEEN_CAPITALISED,) if extractor == "fast" else ()
    return Mention(id_, doc, start, end, (passage,), name, name.casefold(), "thing", summary, kind, extractor, flags)


def vectors_of(texts: Mapping[str, str]) -> Vectors:
    rows = [np.frombuffer(hashlib.sha256(t.encode("utf-8", "surrogatepass")).digest(), dtype=np.uint8)[:8] for t in texts.values()]
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
        (VectorKind.PASSAGE, {p.id: documents[p.document_id].text[p.start : p.end] for p in passages}),
        (VectorKind.MENTION, mention_texts(store.mentions())),
        (VectorKind.RECORD, record_texts(store.relation_records(), documents)),
    ):
        store.keep_vectors(kind, texts)
        missing = store.missing_vectors(kind, texts)
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


FACTS_A = [("Ada", "founded", "Acme"), ("Acme", "works with", "Zenith"), ("Ada", "likes", "Canary77")]
FACTS_B = [("Ada", "founded", "Acme"), ("Bob", "leads", "Zenith")]


def everything(store: GraphStore) -> tuple[object, ...]:
    graph = store.graph()
    arrays = (graph.entity_vectors.tobytes(), graph.relation_vectors.tobytes())
    records = (store.documents(), store.turns(), store.passages(), store.mentions(), store.relation_records(), store.edits())
    return (*records, graph.entities, graph.relations, graph.entity_passages, arrays, store.consolidation(), store.digest())


# ------------------------------------------------------------------------------------------------------------- records


def test_records_read_back_as_they_were_put_also_from_a_store_opened_again(make_store: MakeStore) -> None:
    store = make_store(W)
    store.set_embedder(EMBEDDER)
    doc, turns, passages, extractions = document("a", FACTS_A)
    put(store, (doc, turns, passages, extractions))
    edit = make_edit(EditKind.RENAME, keys=["ada"], name="Ada L.", by="me", at="2026-01-02T00:00:00Z")
    store.put_edit(edit)
    rederive(store)
    before = everything(store)
    store.close()
    again = make_store(W)
    assert again.documents() == (doc,)
    assert again.turns(doc.id) == tuple(turns)
    assert again.passages() == tuple(passages)
    assert set(again.mentions()) == {m for e in extractions for m in e.mentions}
    assert again.relation_records() == tuple(sorted((r for e in extractions for r in e.relations), key=lambda r: r.id))
    assert again.edits() == (edit,)
    assert again.embedder() == EMBEDDER
    assert everything(again) == before


def test_the_same_calls_twice_change_nothing_not_even_the_version(store: GraphStore) -> None:
    made = document("a", FACTS_A)
    put(store, made)
    first = rederive(store)
    version, before = store.version(), everything(store)
    put(store, made)
    store.set_embedder(EMBEDDER)
    assert store.is_derived_current()
    assert rederive(store) == first
    assert store.version() == version
    assert everything(store) == before


def test_documents_and_passages_come_by_title_then_id_then_index(store: GraphStore) -> None:
    for name in ("c", "a", "b"):
        put(store, document(name, FACTS_A))
    assert [d.title for d in store.documents()] == ["a", "b", "c"]
    order = {d.id: i for i, d in enumerate(store.documents())}
    assert [(order[p.document_id], p.index) for p in store.passages()] == [(d, i) for d in range(3) for i in range(3)]
    assert [(order[t.document_id], t.index) for t in store.turns()] == [(d, i) for d in range(3) for i in range(3)]


def test_another_extraction_of_a_span_or_an_overlapping_one_replaces_it(store: GraphStore) -> None:
    doc, turns, passages, extractions = document("a", FACTS_A)
    put(store, (doc, turns, passages, extractions))
    first, second = extractions[0], extractions[1]
    other = extraction(doc.id, first.start, first.end, ("New", "owns", "Thing"), passages[0].id, "again", extractor="other")
    store.put_extractions([other])
    assert store.live_spans(doc.id)[first.start, first.end] == "other"
    assert {m.key for m in store.mentions() if m.chunk_start == first.start} == {"new", "thing"}
    wide = extraction(doc.id, first.start, second.start + 3, ("Wide", "spans", "Both"), passages[0].id, "wide")
    store.put_extractions([wide])
    assert set(store.live_spans(doc.id)) == {(wide.start, wide.end), (extractions[2].start, extractions[2].end)}
    assert store.num_chunks() == 2
    assert {m.key for m in store.mentions()} == {"wide", "both", "ada", "canary77"}


def test_a_chunk_that_yielded_nothing_is_live_and_touching_spans_do_not_overlap(store: GraphStore) -> None:
    doc, turns, passages, _ = document("a", FACTS_A)
    store.put_document(doc, turns, passages)
    store.put_extractions([Extraction(doc.id, 0, 10, "llm", (), ()), Extraction(doc.id, 10, 20, "llm", (), ())])
    assert store.live_spans(doc.id) == {(0, 10): "llm", (10, 20): "llm"}
    assert store.num_chunks() == 2


def test_speaker_mentions_live_beside_the_extraction_of_the_same_span(store: GraphStore) -> None:
    doc, turns, passages, extractions = document("a", FACTS_A)
    first = extractions[0]
    speaker = mention(doc.id, first.start, first.end, "ANNA", passages[0].id, "", "split", MentionKind.SPEAKER)
    store.put_document(doc, turns, passages)
    store.put_extractions([Extraction(doc.id, first.start, first.end, "split", (speaker,), ())])
    store.put_extractions(extractions)
    assert speaker in store.mentions()
    assert store.num_chunks() == 3
    assert "split" not in store.live_spans(doc.id).values()
    assert store.drop_extractions(doc.id, [(first.start, first.end)], "llm") == 2
    assert speaker in store.mentions()
    assert set(store.live_spans(doc.id)) == {(first.start, first.end)}
    assert store.drop_extractions(doc.id, [(first.start, first.end)], "another") == 1


def test_a_document_put_again_replaces_its_turns_and_passages_and_drops_their_vectors(store: GraphStore) -> None:
    doc, turns, passages, extractions = document("a", FACTS_A)
    put(store, (doc, turns, passages, extractions))
    rederive(store)
    store.put_document(doc, turns[:2], passages[:1])
    assert store.turns(doc.id) == tuple(turns[:2])
    assert store.passages(doc.id) == tuple(passages[:1])
    assert store.missing_vectors(VectorKind.PASSAGE, [p.id for p in passages]) == tuple(p.id for p in passages[1:])
    assert not store.is_derived_current()


def test_deleting_an_unknown_document_is_an_error_and_records_need_their_document(store: GraphStore) -> None:
    with pytest.raises(StoreError, match="no document"):
        store.delete_document("nobody")
    with pytest.raises(StoreError):
        store.put_extractions([Extraction("nobody", 0, 1, "llm", (), ())])
    assert store.num_chunks() == 0


def test_edits_come_in_order_of_time(store: GraphStore) -> None:
    edits = [make_edit(EditKind.MERGE, keys=["a", "b"], by="me", at=f"2026-01-0{day}T00:00:00Z") for day in (3, 1, 2)]
    for edit in edits:
        store.put_edit(edit)
    assert [e.at for e in store.edits()] == sorted(e.at for e in edits)


# ------------------------------------------------------------------------------------------------------------- vectors


def test_vectors_come_in_the_order_asked_and_a_missing_one_is_an_error(store: GraphStore) -> None:
    ids = [f"id{i}" for i in range(1200)]
    rng = np.random.default_rng(0)
    array = rng.standard_normal((1200, 8)).astype(np.float32)
    store.put_vectors(VectorKind.MENTION, ids, array)
    order = [int(i) for i in rng.permutation(1200)]
    assert np.array_equal(store.vectors(VectorKind.MENTION, [ids[i] for i in order]), array[order])
    assert np.array_equal(store.vectors(VectorKind.MENTION, [ids[7], ids[3], ids[7]]), array[[7, 3, 7]])
    assert store.vectors(VectorKind.MENTION, []).shape == (0, 8)
    with pytest.raises(StoreError, match="missing"):
        store.vectors(VectorKind.RECORD, ["id1"])
    assert store.missing_vectors(VectorKind.MENTION, ["x", "id1", "y", "x"]) == ("x", "y")
    assert store.keep_vectors(VectorKind.MENTION, ids[:5]) == 1195
    assert store.keep_vectors(VectorKind.MENTION, ids[:5]) == 0
    assert store.vectors(VectorKind.MENTION, ids[:5]).shape == (5, 8)


@pytest.mark.parametrize("other", [EmbedderIdentity("fake", 9), EmbedderIdentity("other", 8)])
def test_another_embedder_is_refused_before_any_write_and_both_are_named(store: GraphStore, other: EmbedderIdentity) -> None:
    put(store, document("a", FACTS_A))
    rederive(store)
    before = (store.version(), everything(store))
    with pytest.raises(EmbedderMismatchError, match=rf"fake.*\b8\b.*{other.name}.*\b{other.dimension}\b"):
        store.set_embedder(other)
    assert (store.version(), everything(store)) == before


def test_vectors_of_another_dimension_are_refused(store: GraphStore) -> None:
    with pytest.raises(EmbedderMismatchError):
        store.put_vectors(VectorKind.PASSAGE, ["a"], np.zeros((1, 9), dtype=np.float32))
    assert store.missing_vectors(VectorKind.PASSAGE, ["a"]) == ("a",)


def test_vectors_need_an_embedder_first(make_store: MakeStore) -> None:
    store = make_store(W)
    assert store.embedder() is None
    with pytest.raises(StoreError, match="set_embedder"):
        store.put_vectors(VectorKind.PASSAGE, ["a"], np.zeros((1, 8), dtype=np.float32))


# ------------------------------------------------------------------------------------------------------------- derived


def test_an_empty_store_has_an_empty_graph(make_store: MakeStore) -> None:
    graph = make_store(W).graph()
    assert (graph.entities, graph.relations, graph.entity_passages) == ((), (), ())
    assert len(graph.entity_vectors) == len(graph.relation_vectors) == 0


def test_the_derived_view_is_out_of_date_after_each_change_of_records(store: GraphStore) -> None:
    doc, turns, passages, extractions = document("a", FACTS_A)
    changes: list[Callable[[], object]] = [
        lambda: store.put_document(doc, turns, passages),
        lambda: store.put_extractions(extractions),
        lambda: store.put_edit(make_edit(EditKind.RENAME, keys=["ada"], name="A", by="me", at="2026-01-01T00:00:00Z")),
        lambda: store.drop_extractions(doc.id, [], "llm"),
        lambda: store.delete_document(doc.id),
    ]
    for change in changes:
        version = store.version()
        change()
        assert not store.is_derived_current()
        assert store.version() != version
        rederive(store)
        assert store.is_derived_current()


def test_the_graph_and_the_merges_round_trip_and_shrink_to_what_is_written(store: GraphStore) -> None:
    put(store, document("a", FACTS_A))
    put(store, document("b", FACTS_B))
    merge = make_merge(["ada", "bob"], "ada", "model", "saw: both")
    labels = (LabelMerge("works with", "leads", True, "model"),)
    rederive(store, Consolidation((merge,), labels))
    assert store.consolidation() == Consolidation((merge,), labels)
    assert {e.key for e in store.graph().entities} == {"ada", "acme", "zenith", "canary77"}
    rederive(store)
    assert store.consolidation() == Consolidation()
    assert {e.key for e in store.graph().entities} == {"ada", "bob", "acme", "zenith", "canary77"}


def test_add_a_add_b_delete_a_equals_b_alone(store: GraphStore) -> None:
    a, b = document("a", FACTS_A), document("b", FACTS_B)
    put(store, b)
    rederive(store)
    alone = everything(store)
    store.clear()
    store.set_embedder(EMBEDDER)
    put(store, a)
    put(store, b)
    rederive(store)
    assert [store.graph().entities[i].name for i in found_by(store, "Canary77")] == ["Canary77"]
    store.delete_document(a[0].id)
    rederive(store)
    assert everything(store) == alone
    said = repr(everything(store))
    assert "said in a" not in said
    assert "Canary77" not in said
    assert found_by(store, "Canary77") == []
    assert found_by(store, "said in a") == found_by(store, "said in")
    texts_of_a = mention_texts(m for e in a[3] for m in e.mentions)
    assert store.missing_vectors(VectorKind.MENTION, texts_of_a) == tuple(texts_of_a)
    assert store.missing_vectors(VectorKind.PASSAGE, [p.id for p in a[2]]) == tuple(p.id for p in a[2])


def found_by(store: GraphStore, text: str) -> list[int]:
    """The places in the graph of what full-text search finds."""
    place = {e.id: i for i, e in enumerate(store.graph().entities)}
    return sorted(place[id_] for id_, _ in store.search_entities(text, limit=100))


_names = st.sampled_from(["Ada", "Bob", "Acme", "Zenith", "ada"])
_facts = st.lists(st.tuples(_names, st.sampled_from(["founded", "likes", "mentioned with"]), _names), max_size=5)


_given = given(a=_facts, b=_facts, is_merged=st.booleans())
_settings = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("make_store", ["sqlite"], indirect=True)
@_settings
@_given
def test_deletion_leaves_no_trace_of_any_document(store: GraphStore, a: list[Fact], b: list[Fact], is_merged: bool) -> None:
    leaves_no_trace(store, a, b, is_merged)


@pytest.mark.parametrize("make_store", _SERVERS, indirect=True)
@settings(_settings, max_examples=8)  # a second each
@_given
def test_deletion_leaves_no_trace_of_any_document_on_a_server(store: GraphStore, a: list[Fact], b: list[Fact], is_merged: bool) -> None:
    leaves_no_trace(store, a, b, is_merged)


def leaves_no_trace(store: GraphStore, a: list[Fact], b: list[Fact], is_merged: bool) -> None:
    """Adding A and B and deleting A gives what B alone gives: records, graph, vectors, search."""
    consolidation = Consolidation((make_merge(["ada", "bob"], "bob", "model", ""),) if is_merged else ())
    one, two = document("a", a), document("b", b)
    states = []
    for documents in ([two], [one, two]):
        store.clear()
        store.set_embedder(EMBEDDER)
        for made in documents:
            put(store, made)
        rederive(store, consolidation)
        if len(documents) == 2:
            store.delete_document(one[0].id)
            rederive(store, consolidation)
        searched = tuple(tuple(found_by(store, word)) for word in ("ada", "bob", "acme", "zenith", "said in a", "said in b"))
        kinds = (VectorKind.PASSAGE, VectorKind.MENTION, VectorKind.RECORD, VectorKind.ENTITY, VectorKind.RELATION)
        held = tuple((store.vector_ids(k), store.vectors(k, store.vector_ids(k)).tobytes()) for k in kinds)
        near = store.nearest(VectorKind.ENTITY, np.ones(8, dtype=np.float32), limit=100)
        states.append((everything(store), searched, held, [id_ for id_, _ in near]))
    assert states[0] == states[1]


# -------------------------------------------------------------------------------------------------- hostile text, safety


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_and_types_are_stored_as_text(store: GraphStore, text: str) -> None:
    doc, turns, passages, _ = document("a", FACTS_A)
    base = mention(doc.id, 0, 5, "Ada", passages[0].id, text, "llm")
    hostile = Mention(base.id, doc.id, 0, 5, (text,), text, text, text, text, MentionKind.SAID, "llm")
    record = RelationRecord("r1", doc.id, 0, 5, text, text, "ada", text, text, 0, 3, 0, "llm")
    ada = mention(doc.id, 0, 5, "Ada", passages[0].id, "", "llm")
    store.put_document(Document(doc.id, W, text, text, doc.sha256, text, {text: text}), turns, passages)
    store.put_extractions([Extraction(doc.id, 0, 5, "llm", (hostile, ada), (record,))])
    rederive(store)
    assert store.documents()[0].title == store.documents()[0].text == text
    assert hostile in store.mentions()
    assert store.relation_records() == (record,)
    assert text in {e.name for e in store.graph().entities}
    assert store.graph().relations[0].weight == 1


def test_two_workspaces_share_nothing_though_all_names_are_equal(make_store: MakeStore) -> None:
    stores = [make_store(workspace) for workspace in (f"{W}-left", f"{W}-right")]
    for store in stores:
        store.set_embedder(EMBEDDER)
        put(store, document("a", FACTS_A, store.workspace))
    assert rederive(stores[0]) == rederive(stores[1])
    left, right = (s.graph() for s in stores)
    assert not {e.id for e in left.entities} & {e.id for e in right.entities}
    assert not {r.id for r in left.relations} & {r.id for r in right.relations}
    stores[0].delete_document(stores[0].documents()[0].id)
    assert stores[1].num_chunks() == 3
    with pytest.raises(StoreError, match="workspace"):
        put(stores[0], document("b", FACTS_B, f"{W}-right"))


def test_ids_of_another_workspace_are_nobodys(make_store: MakeStore) -> None:
    mine, theirs = (make_store(f"{W}-{side}") for side in ("left", "right"))
    for store in (mine, theirs):
        store.set_embedder(EMBEDDER)
    made = document("a", FACTS_A, theirs.workspace)
    put(theirs, made)
    put(mine, document("b", FACTS_B, mine.workspace))
    rederive(theirs)
    rederive(mine)
    before = everything(theirs)
    foreign, entity = made[0].id, theirs.graph().entities[0].id
    assert (mine.turns(foreign), mine.passages(foreign), mine.extractions(foreign), mine.live_spans(foreign)) == ((), (), (), {})
    assert mine.drop_extractions(foreign, [], "llm") == 0
    mine.put_vectors(VectorKind.PASSAGE, [made[2][0].id], np.ones((1, 8), dtype=np.float32))
    for attempt in (
        lambda: mine.delete_document(foreign),
        lambda: mine.neighbourhood(entity),
        lambda: mine.put_extractions([Extraction(foreign, 0, 5, "llm", (), ())]),
    ):
        with pytest.raises(StoreError):
            attempt()
    assert everything(theirs) == before


def test_a_call_that_fails_in_the_middle_leaves_the_state_before(store: GraphStore) -> None:
    doc, turns, passages, extractions = document("a", FACTS_A)
    put(store, (doc, turns, passages, extractions))
    before = (store.version(), everything(store))
    good = extraction(doc.id, extractions[0].start, extractions[0].end, ("New", "owns", "Thing"), passages[0].id, "again")
    with pytest.raises(StoreError):
        store.put_extractions([good, Extraction("nobody", 0, 1, "llm", (), ())])
    assert (store.version(), everything(store)) == before


# ------------------------------------------------------------------------------- looking at the graph, and looking after it


def test_extractions_read_back_whole_with_those_that_yielded_nothing(store: GraphStore) -> None:
    doc, turns, passages, extractions = document("a", FACTS_A)
    speaker = mention(doc.id, 0, 5, "ANNA", passages[0].id, "", "split", MentionKind.SPEAKER)
    split, empty = Extraction(doc.id, 0, 5, "split", (speaker,), ()), Extraction(doc.id, 900, 950, "llm", (), ())
    put(store, (doc, turns, passages, [*extractions, split, empty]))
    read = store.extractions(doc.id)
    assert [(e.start, e.end, e.extractor) for e in read] == sorted((e.start, e.end, e.extractor) for e in (*extractions, split, empty))
    assert {m for e in read for m in e.mentions} == {m for e in (*extractions, split) for m in e.mentions}
    assert {r for e in read for r in e.relations} == {r for e in extractions for r in e.relations}
    assert store.extractions("nobody") == ()


def test_an_overview_is_that_of_the_whole_graph_cut_to_its_heaviest_part(store: GraphStore) -> None:
    facts = [("Hub", "knows", f"N{i}") for i in range(6)] + [("N0", "knows", "N1"), ("N2", "knows", "N2")]
    assert store.overview().num_entities == 0
    put(store, document("a.txt", facts))
    put(store, document("b.txt", facts[:3]))
    rederive(store)
    graph = store.graph()
    whole = store.overview()
    heaviest = sorted(graph.entities, key=lambda e: (-e.weight, e.id))
    degrees = [sum(e.id in (r.head, r.tail) for r in graph.relations) for e in heaviest]
    passages = dict(zip((e.id for e in graph.entities), graph.entity_passages, strict=True))
    assert whole.entities == tuple(heaviest)
    assert whole.degrees == tuple(degrees)
    assert whole.entity_passages == tuple(passages[e.id] for e in heaviest)
    assert whole.relations == tuple(sorted(graph.relations, key=lambda r: (-r.weight, r.id)))
    assert whole.num_relations == len(graph.relations)
    assert whole.degree_counts == {d: degrees.count(d) for d in degrees}
    assert whole.weight_counts == {w: sum(e.weight == w for e in heaviest) for w in {e.weight for e in heaviest}}
    assert whole.type_counts == {"thing": len(heaviest)}
    part = store.overview(max_entities=3, max_relations=2)
    ids = {e.id for e in heaviest[:3]}
    assert part.entities == tuple(heaviest[:3])
    assert part.relations == tuple(r for r in whole.relations if {r.head, r.tail} <= ids)[:2]
    assert (part.num_entities, part.num_relations, part.degree_counts) == (whole.num_entities, whole.num_relations, whole.degree_counts)


def test_relation_records_are_found_by_id_in_the_order_asked(store: GraphStore) -> None:
    put(store, document("a.txt", [("A", "knows", "B"), ("B", "knows", "C"), ("C", "knows", "A")]))
    records = store.relation_records()
    ids = [records[2].id, "nobody's", records[0].id, records[2].id]
    assert store.records_of(ids) == (records[2], records[0])
    assert store.records_of([]) == ()


def test_a_neighbourhood_is_bounded_and_heaviest_first(store: GraphStore) -> None:
    put(store, document("a", [("Hub", "knows", f"N{i}") for i in range(30)] + [("Hub", "knows", "N7"), ("N7", "owns", "Far")]))
    rederive(store)
    graph = store.graph()
    ids = {e.key: e.id for e in graph.entities}
    near = store.neighbourhood(ids["hub"], num_hops=2, fan_out=5)
    assert near.entities[0].key == "hub"
    assert (near.relations[0].weight, near.relations[0].tail) == (2, ids["n7"])
    assert near.is_cut
    assert "far" in {e.key for e in near.entities}
    assert len([r for r in near.relations if r.head == ids["hub"]]) == 5
    assert near == store.neighbourhood(ids["hub"], num_hops=2, fan_out=5)
    assert store.neighbourhood(ids["far"], num_hops=1).is_cut is False
    assert [e.key for e in store.neighbourhood(ids["hub"], num_hops=0).entities] == ["hub"]
    assert {r.weight for r in store.neighbourhood(ids["hub"], min_weight=2).relations} == {2}
    with pytest.raises(StoreError, match="no entity"):
        store.neighbourhood("nobody")


def test_search_is_for_whole_words_and_finds_the_same_everywhere(store: GraphStore) -> None:
    put(store, document("a", [("Ada Byron", "founded", "Analytical-Engines"), ("Ada Byron", "knows", "Bob")]))
    rederive(store)
    for text, found in (
        ("byron", {"ada byron"}),
        ("Byr", set()),
        ("Analytical-Engines", {"analytical-engines"}),
        ("engines", {"analytical-engines"}),
        ("BOB byron nobody", {"bob", "ada byron"}),
        ("", set()),
        ("!", set()),
        ('" OR *:* //', set()),
    ):
        keys = {e.id: e.key for e in store.graph().entities}
        assert {keys[id_] for id_, _ in store.search_entities(text)} == found, text
    assert len(store.search_entities("said", limit=2)) == 2


def test_the_nearest_come_with_their_cosines_and_only_for_passages_and_entities(store: GraphStore) -> None:
    made = document("a", FACTS_A)
    put(store, made)
    rederive(store)
    ids = [p.id for p in made[2]]
    query = store.vectors(VectorKind.PASSAGE, ids[1:2])[0]
    found = store.nearest(VectorKind.PASSAGE, query, limit=2)
    assert [found[0][0], len(found)] == [ids[1], 2]
    assert found[0][1] == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(StoreError, match="searched"):
        store.nearest(VectorKind.MENTION, query)
    with pytest.raises(EmbedderMismatchError):
        store.nearest(VectorKind.PASSAGE, query[:3])


def test_vectors_of_the_graph_come_with_the_graph_alone(store: GraphStore) -> None:
    put(store, document("a", FACTS_A))
    rederive(store)
    entity = store.graph().entities[0].id
    with pytest.raises(StoreError, match="write_graph"):
        store.put_vectors(VectorKind.ENTITY, [entity], np.zeros((1, 8), dtype=np.float32))
    with pytest.raises(StoreError, match="write_graph"):
        store.keep_vectors(VectorKind.RELATION, [])


def test_a_store_that_is_whole_says_so_and_repairing_it_loses_nothing(store: GraphStore) -> None:
    put(store, document("a", FACTS_A))
    digest_before = rederive(store)
    assert store.exists()
    assert all(finding.is_ok for finding in store.health()), store.health()
    assert store.address()
    before = everything(store)
    store.repair()
    assert rederive(store) == digest_before
    assert everything(store) == before


def test_a_note_is_kept_and_dropped_without_a_change_of_the_workspace(store: GraphStore) -> None:
    version = store.version()
    assert store.note("copy") == ""
    store.set_note("copy", "from there")
    assert store.note("copy") == "from there"
    store.set_note("copy", "")
    assert (store.note("copy"), store.version()) == ("", version)


def test_a_lease_is_held_and_given_back_also_after_an_error(store: GraphStore) -> None:
    said: list[str] = []
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), store.lease("this folder", 5.0, said.append):
            raise ZeroDivisionError
    with store.lease("another folder", 0.0, said.append):
        pass
    assert said == []


def test_records_are_of_one_moment_and_their_version_tells_it(store: GraphStore) -> None:
    put(store, document("a", FACTS_A))
    first = store.records()
    assert (first.documents, first.passages) == (store.documents(), store.passages())
    assert (first.mentions, first.relations, first.edits) == (store.mentions(), store.relation_records(), store.edits())
    assert store.records().version == first.version
    put(store, document("b", FACTS_B))
    assert store.records().version != first.version
    rederive(store)
    store.write_graph(store.graph(), store.consolidation(), first)
    assert not store.is_derived_current()


def test_inside_a_reading_own_writes_are_seen_and_afterwards_everybody_elses(store: GraphStore) -> None:
    put(store, document("a", FACTS_A))
    with store.reading():
        before = store.version()
        assert [d.title for d in store.documents()] == ["a"]
        put(store, document("b", FACTS_B))
        assert [d.title for d in store.documents()] == ["a", "b"]
        assert store.version() != before
    assert store.version() != before


def test_every_promise_of_the_protocol_is_asked_for_here() -> None:
    promises = {name for part in GraphStore.__mro__ for name in vars(part) if not name.startswith("_")}
    text = Path(__file__).read_text(encoding="utf-8")
    assert sorted(name for name in promises if f".{name}" not in text) == []
