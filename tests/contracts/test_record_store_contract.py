"""What every graph store promises of its records."""

import pytest
from graph_stores import (
    EMBEDDER,
    FACTS_A,
    FACTS_B,
    MakeStore,
    W,
    document,
    everything,
    extraction,
    mention,
    put,
    rederive,
)

from dynagrag.core.errors import StoreError
from dynagrag.core.protocols import Extraction, GraphStore
from dynagrag.core.schema import EditKind, MentionKind, VectorKind
from dynagrag.graph_store.derived.canonical import make_edit
from dynagrag.graph_store.rules import missing_ids


def test_records_read_back_as_they_were_put_also_from_a_store_opened_again(
    make_store: MakeStore,
) -> None:
    store = make_store(W)
    store.set_embedder(EMBEDDER)
    doc, turns, passages, extractions = document("a", FACTS_A)
    put(store, (doc, turns, passages, extractions))
    edit = make_edit(
        EditKind.RENAME, keys=["ada"], name="Ada L.", by="me", at="2026-01-02T00:00:00Z"
    )
    store.put_edit(edit)
    rederive(store)
    before = everything(store)
    store.close()
    again = make_store(W)
    assert again.documents() == (doc,)
    assert again.turns(doc.id) == tuple(turns)
    assert again.passages() == tuple(passages)
    assert set(again.mentions()) == {m for e in extractions for m in e.mentions}
    assert again.relation_records() == tuple(
        sorted((r for e in extractions for r in e.relations), key=lambda r: r.id)
    )
    assert again.edits() == (edit,)
    assert again.embedder() == EMBEDDER
    assert everything(again) == before


def test_documents_and_passages_come_by_title_then_id_then_index(store: GraphStore) -> None:
    for name in ("c", "a", "b"):
        put(store, document(name, FACTS_A))
    assert [d.title for d in store.documents()] == ["a", "b", "c"]
    order = {d.id: i for i, d in enumerate(store.documents())}
    assert [(order[p.document_id], p.index) for p in store.passages()] == [
        (d, i) for d in range(3) for i in range(3)
    ]
    assert [(order[t.document_id], t.index) for t in store.turns()] == [
        (d, i) for d in range(3) for i in range(3)
    ]


def test_another_extraction_of_a_span_or_an_overlapping_one_replaces_it(store: GraphStore) -> None:
    doc, turns, passages, extractions = document("a", FACTS_A)
    put(store, (doc, turns, passages, extractions))
    first, second = extractions[0], extractions[1]
    other = extraction(
        doc.id,
        first.start,
        first.end,
        ("New", "owns", "Thing"),
        passages[0].id,
        "again",
        extractor="other",
    )
    store.put_extractions([other])
    assert store.live_spans(doc.id)[first.start, first.end] == "other"
    assert {m.key for m in store.mentions() if m.chunk_start == first.start} == {"new", "thing"}
    wide = extraction(
        doc.id, first.start, second.start + 3, ("Wide", "spans", "Both"), passages[0].id, "wide"
    )
    store.put_extractions([wide])
    assert set(store.live_spans(doc.id)) == {
        (wide.start, wide.end),
        (extractions[2].start, extractions[2].end),
    }
    assert store.num_chunks() == 2
    assert {m.key for m in store.mentions()} == {"wide", "both", "ada", "canary77"}


def test_a_chunk_that_yielded_nothing_is_live_and_touching_spans_do_not_overlap(
    store: GraphStore,
) -> None:
    doc, turns, passages, _ = document("a", FACTS_A)
    store.put_document(doc, turns, passages)
    store.put_extractions(
        [Extraction(doc.id, 0, 10, "llm", (), ()), Extraction(doc.id, 10, 20, "llm", (), ())]
    )
    assert store.live_spans(doc.id) == {(0, 10): "llm", (10, 20): "llm"}
    assert store.num_chunks() == 2


def test_speaker_mentions_live_beside_the_extraction_of_the_same_span(store: GraphStore) -> None:
    doc, turns, passages, extractions = document("a", FACTS_A)
    first = extractions[0]
    speaker = mention(
        doc.id, first.start, first.end, "ANNA", passages[0].id, "", "split", MentionKind.SPEAKER
    )
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


def test_extractions_read_back_whole_with_those_that_yielded_nothing(store: GraphStore) -> None:
    doc, turns, passages, extractions = document("a", FACTS_A)
    speaker = mention(doc.id, 0, 5, "ANNA", passages[0].id, "", "split", MentionKind.SPEAKER)
    split, empty = (
        Extraction(doc.id, 0, 5, "split", (speaker,), ()),
        Extraction(doc.id, 900, 950, "llm", (), ()),
    )
    put(store, (doc, turns, passages, [*extractions, split, empty]))
    read = store.extractions(doc.id)
    assert [(e.start, e.end, e.extractor) for e in read] == sorted(
        (e.start, e.end, e.extractor) for e in (*extractions, split, empty)
    )
    assert {m for e in read for m in e.mentions} == {
        m for e in (*extractions, split) for m in e.mentions
    }
    assert {r for e in read for r in e.relations} == {r for e in extractions for r in e.relations}
    assert store.extractions("nobody") == ()


def test_a_document_put_again_replaces_its_turns_and_passages_and_drops_their_vectors(
    store: GraphStore,
) -> None:
    doc, turns, passages, extractions = document("a", FACTS_A)
    put(store, (doc, turns, passages, extractions))
    rederive(store)
    store.put_document(doc, turns[:2], passages[:1])
    assert store.turns(doc.id) == tuple(turns[:2])
    assert store.passages(doc.id) == tuple(passages[:1])
    assert missing_ids([p.id for p in passages], store.vector_ids(VectorKind.PASSAGE)) == tuple(
        p.id for p in passages[1:]
    )
    assert not store.is_derived_current()


def test_deleting_an_unknown_document_is_an_error_and_records_need_their_document(
    store: GraphStore,
) -> None:
    with pytest.raises(StoreError, match="no document"):
        store.delete_document("nobody")
    with pytest.raises(StoreError):
        store.put_extractions([Extraction("nobody", 0, 1, "llm", (), ())])
    assert store.num_chunks() == 0


def test_a_call_that_fails_in_the_middle_leaves_the_state_before(store: GraphStore) -> None:
    doc, turns, passages, extractions = document("a", FACTS_A)
    put(store, (doc, turns, passages, extractions))
    before = (store.version(), everything(store))
    good = extraction(
        doc.id,
        extractions[0].start,
        extractions[0].end,
        ("New", "owns", "Thing"),
        passages[0].id,
        "again",
    )
    with pytest.raises(StoreError):
        store.put_extractions([good, Extraction("nobody", 0, 1, "llm", (), ())])
    assert (store.version(), everything(store)) == before


def test_edits_come_in_order_of_time(store: GraphStore) -> None:
    edits = [
        make_edit(EditKind.MERGE, keys=["a", "b"], by="me", at=f"2026-01-0{day}T00:00:00Z")
        for day in (3, 1, 2)
    ]
    for edit in edits:
        store.put_edit(edit)
    assert [e.at for e in store.edits()] == sorted(e.at for e in edits)


def test_edits_that_are_dropped_are_gone_and_leave_the_graph_out_of_date(store: GraphStore) -> None:
    put(store, document("a", FACTS_A))
    store.set_embedder(EMBEDDER)
    one, other = (
        make_edit(EditKind.RENAME, keys=[key], name="N", by="me", at="2026-01-01T00:00:00Z")
        for key in ("ada", "acme")
    )
    store.put_edit(one)
    store.put_edit(other)
    rederive(store)
    assert store.drop_edits([one.id, "nobody's"]) == 1
    assert store.edits() == (other,)
    assert not store.is_derived_current()
    version = store.version()
    assert (store.drop_edits([one.id]), store.drop_edits([]), store.version()) == (0, 0, version)


def test_reading_all_records_can_be_ended_from_outside(store: GraphStore) -> None:
    put(store, document("a", FACTS_A))

    def stop() -> None:
        raise KeyError("stopped")

    with pytest.raises(KeyError, match="stopped"):
        store.records(stop)
    assert store.records().mentions == store.mentions()
    put(store, document("b", FACTS_B))
    assert len(store.records().documents) == 2


def test_records_are_of_one_moment_and_their_version_tells_it(store: GraphStore) -> None:
    put(store, document("a", FACTS_A))
    first = store.records()
    assert (first.documents, first.passages) == (store.documents(), store.passages())
    assert (first.mentions, first.relations, first.edits) == (
        store.mentions(),
        store.relation_records(),
        store.edits(),
    )
    assert store.records().version == first.version
    put(store, document("b", FACTS_B))
    assert store.records().version != first.version
    rederive(store)
    store.write_graph(store.graph(), store.consolidation(), first)
    assert not store.is_derived_current()


def test_relation_records_are_found_by_id_in_the_order_asked(store: GraphStore) -> None:
    put(store, document("a.txt", [("A", "knows", "B"), ("B", "knows", "C"), ("C", "knows", "A")]))
    records = store.relation_records()
    ids = [records[2].id, "nobody's", records[0].id, records[2].id]
    assert store.records_of(ids) == (records[2], records[0])
    assert store.records_of([]) == ()


def test_a_note_is_kept_and_dropped_without_a_change_of_the_workspace(store: GraphStore) -> None:
    version = store.version()
    assert store.note("copy") == ""
    store.set_note("copy", "from there")
    assert store.note("copy") == "from there"
    store.set_note("copy", "")
    assert (store.note("copy"), store.version()) == ("", version)


def test_inside_a_reading_own_writes_are_seen_and_afterwards_everybody_elses(
    store: GraphStore,
) -> None:
    put(store, document("a", FACTS_A))
    with store.reading():
        before = store.version()
        assert [d.title for d in store.documents()] == ["a"]
        put(store, document("b", FACTS_B))
        assert [d.title for d in store.documents()] == ["a", "b"]
        assert store.version() != before
    assert store.version() != before
