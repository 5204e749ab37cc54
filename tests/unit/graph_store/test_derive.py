"""From records to graph: names, weights, two-step means, edits, and independence of order."""

import hashlib
import random
from dataclasses import replace

import numpy as np
import pytest
from derived import DOCUMENTS, edit, entity, graph_of, keyed, record, said
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.errors import StoreError
from dynagrag.core.ids import content_id, sense_key
from dynagrag.core.schema import (
    Consolidation,
    Document,
    EditKind,
    Flag,
    Graph,
    LabelMerge,
    Mention,
    MentionKind,
    Merge,
    Relation,
    RelationRecord,
)
from dynagrag.graph_store.derived.average_degree import average_degree, average_degree_before
from dynagrag.graph_store.derived.canonical import label_key, make_merge, undo_merge
from dynagrag.graph_store.derived.derive import derive
from dynagrag.graph_store.derived.embedded_texts import (
    mention_text,
    record_text,
    record_texts,
    text_id,
)
from dynagrag.graph_store.derived.graph_digest import digest, digest_rows
from dynagrag.graph_store.derived.live_mentions import counting_mentions
from dynagrag.graph_store.derived.two_step_mean import VectorTable, group_means

# ---------------------------------------------------------------------------------- texts and means


def test_a_text_is_name_and_summary_and_a_co_occurrence_has_none() -> None:
    assert mention_text(said("Ada", "A person.")) == "Ada: A person."
    assert mention_text(said("Ada")) == "Ada"
    assert record_text(record("ada", "knows", "bob", "They met.")) == "ada knows bob: They met."
    assert record_text(record("ada", "knows", "bob")) == "ada knows bob"
    assert (
        record_text(record("ada", "mentioned with", "bob", "They met."))
        == "ada mentioned with bob: They met."
    )
    assert (
        record_text(record(sense_key("ada", "Ship"), "met", sense_key("bob", "Dog")))
        == "ada met bob"
    )
    told = [record("ada", "mentioned with", "bob"), record("ada", "knows", "bob")]
    assert list(record_texts(told).values()) == ["ada knows bob"]  # a co-occurrence states nothing
    assert text_id("x") != text_id("y")


def test_the_two_step_mean_counts_a_repeated_label_once() -> None:
    mentions = [said("a", s, at=10 * i) for i, s in enumerate("xyz")] + [said("b", at=50)]
    values = {"a: x": 1.0, "a: y": 1.0, "a: z": 1.0, "b": 0.0}
    graph = graph_of(mentions, merges=[make_merge(["a", "b"], "a", "model", "")], vectors=values)
    assert graph.entity_vectors.tolist() == [[0.5]]


def test_every_mention_record_of_a_key_counts_and_labels_only_where_nothing_is_said() -> None:
    mentions = [
        said("a", "x"),
        said("a", "y", at=10),
        said("a", "y", at=20),
        said("a", at=30, kind=MentionKind.SPEAKER),
    ]
    values = {"a: x": 0.0, "a: y": 3.0, "a": 99.0}
    assert graph_of(mentions, vectors=values).entity_vectors.tolist() == [[2.0]]
    assert graph_of(mentions[3:], vectors=values).entity_vectors.tolist() == [[99.0]]


def test_a_relation_vector_is_the_mean_over_its_records() -> None:
    records = [record("a", "likes", "b", s, at=10 * i) for i, s in enumerate("xy")]
    graph = graph_of(
        [said("a"), said("b")], records, vectors={"a likes b: x": 1.0, "a likes b: y": 2.0}
    )
    assert graph.relation_vectors.tolist() == [[1.5]]


def test_a_relation_vector_counts_a_repeated_label_once() -> None:
    records = [
        *(record("a", "likes", "b", s, at=10 * i) for i, s in enumerate("xyz")),
        record("a", "loves", "b", at=50),
    ]
    values = {"a likes b: x": 1.0, "a likes b: y": 1.0, "a likes b: z": 1.0, "a loves b": 0.0}
    graph = graph_of(
        [said("a"), said("b")],
        records,
        labels=[LabelMerge("loves", "likes", False, "model")],
        vectors=values,
    )
    assert graph.relation_vectors.tolist() == [[0.5]]


def test_a_co_occurrence_has_no_vector_and_the_others_keep_theirs() -> None:
    together = [record(a, "mentioned with", b) for a, b in (("a", "b"), ("a", "c"), ("b", "c"))]
    stated = [record("a", "likes", "b"), record("b", "mentioned with", "c", "They met.", at=20)]
    graph = graph_of(
        [said(k) for k in "abc"],
        [*together, *stated],
        vectors={"a likes b": 1.0, "b mentioned with c: They met.": 2.0},
    )
    assert [
        (r.is_stated, r.label, r.weight)
        for r in sorted(graph.relations, key=lambda r: (r.label, r.weight))
    ] == [
        (True, "likes", 1),
        (False, "mentioned with", 1),
        (False, "mentioned with", 1),
        (True, "mentioned with", 2),
    ]
    assert {
        (r.label): v
        for r, [v] in zip(
            (r for r in graph.relations if r.is_stated),
            graph.relation_vectors.tolist(),
            strict=True,
        )
    } == {
        "likes": 1.0,
        "mentioned with": 2.0,
    }


def test_labels_that_are_merged_leave_co_occurrences_what_they_are() -> None:
    labels = [LabelMerge("mentioned with", "met", False, "model")]
    graph = graph_of([said("a"), said("b")], [record("a", "mentioned with", "b")], labels=labels)
    assert [(r.label, r.is_stated) for r in graph.relations] == [("mentioned with", False)]


def test_means_of_groups_are_the_naive_ones_in_any_width_and_order() -> None:
    rng = np.random.default_rng(0)
    array = rng.standard_normal((20, 130)).astype(np.float32)
    rows, groups = rng.integers(0, 20, 50), np.array([i % 3 for i in range(50)])
    means = group_means(array, rows, groups, 3)
    assert means == pytest.approx(
        np.array([array[rows[groups == g]].mean(axis=0) for g in range(3)]), abs=1e-6
    )


def test_sums_run_in_the_order_of_the_rows_to_the_last_bit() -> None:
    """Values that cancel out, so that what is left are the roundings, which every other order would
    change.
    """
    rng = np.random.default_rng(0)
    values = (10 ** rng.uniform(-12, 12, (600, 1))).astype(np.float32)
    array, rows = np.concatenate([values, -values]), rng.permutation(1200)
    sums, groups = [0.0, 0.0, 0.0], rows % 3
    for row, group in zip(rows, groups, strict=True):
        sums[group] += float(array[row, 0])
    assert all(sums)
    assert np.array_equal(
        group_means(array, rows, groups, 3), np.array([[s / 400] for s in sums], dtype=np.float32)
    )


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["", "s", "t", "u"]), st.integers(0, 4)),
        min_size=1,
        max_size=20,
    )
)
def test_the_two_step_mean_equals_the_naive_one(spoken: list[tuple[str, str, int]]) -> None:
    mentions = list({m.id: m for m in (said(k, s, at=10 * at) for k, s, at in spoken)}.values())
    graph = graph_of(mentions, merges=[make_merge(["a", "b"], "a", "model", "")])
    for e, vector in zip(graph.entities, graph.entity_vectors, strict=True):
        values = {
            k: [int(content_id(mention_text(m))[:4], 16) / 65536 for m in mentions if m.key == k]
            for k in e.keys
        }
        assert vector[0] == pytest.approx(np.mean([np.mean(v) for v in values.values()]), rel=1e-5)


def test_a_missing_vector_or_document_is_named() -> None:
    with pytest.raises(StoreError, match="no vector"):
        derive(
            "w",
            [said("a")],
            [],
            documents=DOCUMENTS,
            num_passages=1,
            consolidation=Consolidation(),
            edits=(),
            mention_vectors=VectorTable.empty(1),
            record_vectors=VectorTable.empty(1),
        )
    with pytest.raises(StoreError, match="nowhere"):
        graph_of([said("a", doc="nowhere")])


# ------------------------------------------------------------------------------ entities, relations


def test_an_entity_takes_its_usual_name_and_type_and_counts_what_is_said() -> None:
    mentions = [
        said("ACME", "late", type_="firm", doc="d2"),
        said("Acme", "early", type_="org", at=10),
        said("Acme", "", type_="org", at=20),
        said("acme", "early", at=30),
        said("Acme", "", at=40, kind=MentionKind.TITLE, type_="firm"),
    ]
    (made,) = graph_of(mentions).entities
    assert (made.name, made.type, made.weight, made.is_speaker) == ("Acme", "org", 4, False)
    assert made.aliases == ("ACME", "acme")
    assert made.summaries == ("early", "late")
    assert made.id == content_id("entity", "w", "acme", "")


def test_ties_go_to_the_shortest_name_then_the_alphabet() -> None:
    mentions = [replace(said("x", at=10 * i), name=name) for i, name in enumerate(["Xx", "y", "x"])]
    assert graph_of(mentions).entities[0].name == "x"


def test_the_name_is_that_of_the_canonical_key_and_what_is_said_decides_which_key_that_is() -> None:
    mentions = [
        said("Ada"),
        *(said("Bo", at=10 * i, kind=MentionKind.SPEAKER) for i in range(1, 4)),
    ]
    (made,) = graph_of(
        mentions, merges=[make_merge(["ada", "bo", "gone"], "gone", "model", "")]
    ).entities
    assert (made.key, made.name, made.aliases) == ("ada", "Ada", ("Bo",))


def test_summaries_come_by_title_of_the_document_then_place_whatever_the_content() -> None:
    documents = {
        "late": Document("late", "w", "b", "", "0", "0123456789 " * 9),
        "early": Document("early", "w", "a", "", "9", "0123456789 " * 9),
    }
    mentions = [
        said("a", "A", doc="late"),
        said("a", "M", doc="early", at=20),
        said("a", "Z", doc="early", at=10),
        said("b"),
    ]
    records = [
        record("a", "x", "b", s, doc=d, at=at)
        for s, d, at in (("3", "late", 0), ("2", "early", 20), ("1", "early", 10))
    ]
    mentions[3] = said("b", doc="late")
    graph = graph_of(mentions, records, documents=documents)
    assert entity(graph, "a").summaries == ("Z", "M", "A")
    assert graph.relations[0].summaries == ("1", "2", "3")


def test_a_speaker_without_mentions_is_an_entity_of_weight_zero_in_its_passages() -> None:
    mentions = [said("CDR", at=at, kind=MentionKind.SPEAKER) for at in (30, 10)]
    graph = graph_of(mentions)
    (made,) = graph.entities
    assert (made.weight, made.is_speaker, made.type) == (0, True, "speaker")
    assert graph.entity_passages == (("p-d0-10", "p-d0-30"),)


def test_relations_group_by_head_label_and_tail_and_count_records_and_documents() -> None:
    records = [
        record("a", "Works_at", "b", "one", at=20),
        record("a", "works at", "b", "two", at=10),
        record("a", "works at", "b", "two", doc="d1"),
        record("b", "works at", "a"),
        record("a", "works at", "ghost"),
    ]
    graph = graph_of([said("a"), said("b")], records)
    assert keyed(graph) == [("a", "works at", "b", 3, 2), ("b", "works at", "a", 1, 1)]
    weighty = max(graph.relations, key=lambda r: r.weight)
    assert weighty.summaries == ("two", "one")
    assert weighty.record_ids == (records[1].id, records[0].id, records[2].id)
    ids = {e.key: e.id for e in graph.entities}
    assert weighty.id == content_id("relation", ids["a"], "works at", ids["b"])


def test_canonical_labels_flip_the_ends_where_they_are_inverted() -> None:
    labels = [
        LabelMerge("owned by", "owns", True, "verb form"),
        LabelMerge("possesses", "owns", False, "model"),
    ]
    records = [
        record("a", "owned by", "b"),
        record("b", "Possesses", "a", at=10),
        record("b", "owns", "a", at=20),
    ]
    assert keyed(graph_of([said("a"), said("b")], records, labels=labels)) == [
        ("b", "owns", "a", 3, 1)
    ]


def test_a_canonical_label_meets_the_label_however_both_are_written() -> None:
    labels = [LabelMerge("Owned_by", "Owns", True, "verb form")]
    assert keyed(
        graph_of([said("a"), said("b")], [record("a", "owned BY", "b")], labels=labels)
    ) == [("b", "owns", "a", 1, 1)]


def test_a_co_occurrence_has_no_direction_even_after_a_merge() -> None:
    mentions = [said(n) for n in "amz"]
    records = [record("a", "mentioned with", "m"), record("m", "mentioned with", "z", at=10)]
    assert keyed(graph_of(mentions, records)) == [
        ("a", "mentioned with", "m", 1, 1),
        ("m", "mentioned with", "z", 1, 1),
    ]
    merged = graph_of(mentions, records, merges=[make_merge(["a", "z"], "z", "model", "")])
    assert keyed(merged) == [("m", "mentioned with", "z", 2, 1)]


def test_a_relation_that_becomes_a_self_loop_is_a_note_of_the_entity() -> None:
    records = [record("a", "is", "b", "They are one.")]
    graph = graph_of(
        [said("a", "x"), said("b")], records, merges=[make_merge(["a", "b"], "a", "model", "")]
    )
    assert graph.relations == ()
    assert graph.entities[0].summaries == ("x", "They are one.")


def test_a_self_loop_without_a_summary_is_noted_in_the_sources_words() -> None:
    graph = graph_of(
        [said("a"), said("b")],
        [record("a", "is", "b", at=11)],
        merges=[make_merge(["a", "b"], "a", "model", "")],
    )
    assert graph.entities[0].summaries == ("0123456789",)


def test_a_relation_counts_only_with_its_ends() -> None:
    word = replace(said("Well"), flags=(Flag.SENTENCE_START,))
    graph = graph_of([word, said("b")], [record("well", "mentioned with", "b")])
    assert [e.key for e in graph.entities] == ["b"]
    assert graph.relations == ()


def test_average_degree_before_and_after_a_merge() -> None:
    mentions = [said(n) for n in "abcd"]
    records = [record("a", "x", "b"), record("b", "y", "a", at=10), record("c", "x", "d")]
    graph = graph_of(mentions, records, merges=[make_merge(["a", "c"], "a", "model", "")])
    assert average_degree_before(counting_mentions(mentions, 10), records) == 1.0
    itself = record("a", "is", "a", at=20)
    assert average_degree_before(counting_mentions(mentions, 10), [*records, itself]) == 1.0
    assert average_degree(graph) == pytest.approx(4 / 3)
    assert average_degree(graph_of([])) == 0.0


def test_of_five_names_that_are_all_related_each_has_four_neighbours() -> None:
    mentions = [said(n) for n in "abcde"]
    records = [record(a, "x", b) for a in "abcde" for b in "abcde" if a != b]
    assert average_degree(graph_of(mentions, records)) == 4.0
    assert average_degree_before(mentions, records) == 4.0
    assert average_degree_before(mentions, [*records, record("a", "x", "nobody")]) == 4.0
    assert average_degree_before([], []) == 0.0


def test_the_digest_knows_neither_workspace_nor_order_nor_document_ids() -> None:
    mentions = [said("a", doc="d1"), said("b", "s"), said("b", "t", at=10)]
    records = [record("a", "likes", "b"), record("a", "likes", "b", doc="d1")]
    first = graph_of(mentions, records)
    other_ids = {f"z{9 - i}": replace(d, id=f"z{9 - i}") for i, d in enumerate(DOCUMENTS.values())}
    new_id = dict(zip(DOCUMENTS, other_ids, strict=True))
    moved = graph_of(
        [replace(m, document_id=new_id[m.document_id]) for m in reversed(mentions)],
        [replace(r, document_id=new_id[r.document_id]) for r in reversed(records)],
        workspace="other",
        documents=other_ids,
    )
    assert digest(moved) == digest(first)
    assert [e.summaries for e in sorted(moved.entities, key=lambda e: e.key)] == [
        e.summaries for e in sorted(first.entities, key=lambda e: e.key)
    ]
    assert digest(graph_of(mentions, records[:1])) != digest(first)


def test_the_digest_is_that_of_the_sorted_rows_as_ascii_json() -> None:
    entities, relations = (
        [("zoë", "", "person", 2), ("ada", "s", "", 1)],
        [("zoë", "mag", "ada", 2, 1), ("ada", "grüßt", "zoë", 1, 1)],
    )
    text = r'[[["ada", "s", "", 1], ["zo\u00eb", "", "person", 2]], '
    text += r'[["ada", "gr\u00fc\u00dft", "zo\u00eb", 1, 1], ["zo\u00eb", "mag", "ada", 2, 1]]]'
    assert (
        digest_rows(entities, relations)
        == digest_rows(entities[::-1], relations[::-1])
        == hashlib.sha256(text.encode()).hexdigest()
    )


def test_the_digest_knows_every_count() -> None:
    graph = graph_of([said("a"), said("b")], [record("a", "likes", "b")])
    (relation,), (first, *rest) = graph.relations, graph.entities
    changed = [
        *(
            replace(graph, relations=(replace(relation, **{count: 2}),))
            for count in ("weight", "support")
        ),
        *(
            replace(graph, entities=(replace(first, **change), *rest))
            for change in ({"weight": 2}, {"type": "t"}, {"sense": "s"})
        ),
    ]
    assert len({digest(graph), *map(digest, changed)}) == 6


_keys = st.sampled_from(["ada", "bob", "acme", "zen"])
_mention = st.builds(
    lambda n, s, d, at, kind: said(n.title() if at % 2 else n, s, doc=d, at=10 * at, kind=kind),
    _keys,
    st.sampled_from(["", "x", "y"]),
    st.sampled_from(list(DOCUMENTS)),
    st.integers(0, 3),
    st.sampled_from(MentionKind),
)
_record = st.builds(
    lambda h, lb, t, d, at: record(h, lb, t, "s" * (at % 2), doc=d, at=10 * at),
    _keys,
    st.sampled_from(["likes", "Likes", "mentioned with"]),
    _keys,
    st.sampled_from(list(DOCUMENTS)),
    st.integers(0, 3),
)
_merges = st.lists(
    st.builds(
        lambda ks: make_merge(ks, ks[0], "model", ""),
        st.lists(_keys, min_size=2, max_size=3, unique=True),
    ),
    max_size=2,
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(_mention, max_size=12),
    st.lists(_record, max_size=12),
    _merges,
    st.randoms(use_true_random=False),
)
def test_the_graph_depends_on_the_set_of_records_alone(
    mentions: list[Mention], records: list[RelationRecord], merges: list[Merge], rng: random.Random
) -> None:
    first = graph_of(mentions, records, merges=merges)
    shuffled = [*mentions, *mentions[:2]], [*records, *records[:2]], list(merges)
    for some in shuffled:
        rng.shuffle(some)
    second = graph_of(shuffled[0], shuffled[1], merges=shuffled[2])
    assert (second.entities, second.relations, second.entity_passages) == (
        first.entities,
        first.relations,
        first.entity_passages,
    )
    assert np.array_equal(second.entity_vectors, first.entity_vectors)
    assert np.array_equal(second.relation_vectors, first.relation_vectors)
    assert [e.id for e in first.entities] == sorted(e.id for e in first.entities)
    assert [r.id for r in first.relations] == sorted(r.id for r in first.relations)
    assert sorted(k for e in first.entities for k in e.keys) == sorted({m.key for m in mentions})
    assert all(isinstance(r, Relation) and r.head != r.tail for r in first.relations)


# --------------------------------------------------------------------------------- merges and edits

ABC = [said("a"), said("b"), said("b", "again"), said("c")]


def keys_of(graph: Graph) -> set[tuple[str, ...]]:
    return {e.keys for e in graph.entities}


def test_merges_that_meet_are_one_entity_under_the_key_that_none_absorbs() -> None:
    merges = [make_merge(["a", "b"], "a", "plural", ""), make_merge(["a", "c"], "c", "model", "")]
    graph = graph_of(ABC, merges=merges)
    assert keys_of(graph) == {("a", "b", "c")}
    assert graph.entities[0].key == "c"
    assert graph.entities == graph_of(ABC, merges=merges[::-1]).entities


def test_a_merge_reaches_through_a_key_that_is_not_among_the_records() -> None:
    merges = [
        make_merge(["a", "gone"], "gone", "plural", ""),
        make_merge(["c", "gone"], "gone", "model", ""),
    ]
    graph = graph_of([said("a"), said("c")], merges=merges)
    assert keys_of(graph) == {("a", "c")}
    assert graph.entities[0].key in {"a", "c"}


def test_an_undone_merge_stays_undone_when_it_is_found_again_with_more_to_see() -> None:
    merge = make_merge(["a", "b"], "a", "model", "saw this")
    undo = undo_merge(merge, by="me", at="2026-01-01T00:00:00Z")
    for again in (
        merge,
        make_merge(["b", "a"], "b", "plural", "saw that"),
        make_merge(["a", "b", "c"], "a", "model", "more"),
    ):
        assert not any(
            {"a", "b"} <= set(keys) for keys in keys_of(graph_of(ABC, merges=[again], edits=[undo]))
        )
    wider = graph_of(ABC, merges=[make_merge(["a", "b", "c"], "a", "model", "")], edits=[undo])
    assert keys_of(wider) == {("a", "c"), ("b",)}


def test_a_persons_edits_win_over_merges_in_order_of_time() -> None:
    merge = make_merge(["a", "b"], "a", "model", "")
    split = edit(EditKind.SPLIT, "b", day=2)
    assert keys_of(graph_of(ABC, merges=[merge], edits=[split])) == {("a",), ("b",), ("c",)}
    joined = edit(EditKind.MERGE, "c", "b", name="Bee", day=3)
    graph = graph_of(ABC, merges=[merge], edits=[joined, split])
    assert keys_of(graph) == {("a",), ("b", "c")}
    assert (entity(graph, "c").name, entity(graph, "c").aliases) == ("Bee", ("b", "c"))
    renamed = graph_of(ABC, edits=[edit(EditKind.RENAME, "b", name="Bob")])
    assert entity(renamed, "b").name == "Bob"
    assert entity(graph_of(ABC, edits=[edit(EditKind.MERGE, "a", "b", name="B")]), "b").keys == (
        "a",
        "b",
    )


def test_an_undo_takes_an_edit_back_and_an_undo_of_the_undo_restores_it() -> None:
    rename = edit(EditKind.RENAME, "a", name="Anna")
    undo = edit(EditKind.UNDO, what=rename.id, day=2)
    again = edit(EditKind.UNDO, what=undo.id, day=3)
    assert entity(graph_of(ABC, edits=[rename]), "a").name == "Anna"
    assert entity(graph_of(ABC, edits=[rename, undo]), "a").name == "a"
    assert entity(graph_of(ABC, edits=[rename, undo, again]), "a").name == "Anna"


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("Works_At", "works at"),
        ("  works \n at__", "works at"),
        ("“is” owned by.", "“is” owned by"),
        ("'founded by'?!,;:", "founded by"),
        ("ｗｏｒｋｓ　ａｔ", "works at"),
        ("STRASSE", "strasse"),
        ("straße", "strasse"),
        ("xx-rays xx", "xx-rays xx"),
        ("(part of)", "(part of)"),
        ("?", ""),
    ],
)
def test_labels_meet_without_case_underscores_and_outer_punctuation(label: str, key: str) -> None:
    assert label_key(label) == key


@given(st.text())
def test_a_label_key_is_idempotent(label: str) -> None:
    assert label_key(label_key(label)) == label_key(label)
