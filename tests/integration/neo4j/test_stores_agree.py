"""The same corpus in SQLite and in Neo4j: the same records, vectors, graph, ego-graphs,
neighbourhoods, evidence and answers.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from neo4j_server import GivenServer, Neo4jServer

from dynagrag import AskOptions, IngestOptions
from dynagrag.config.settings import PROFILES
from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import Filters, Neighbourhood, Retrieval, VectorKind
from dynagrag.curation import corrections as curation
from dynagrag.curation.view import history, read_seen
from dynagrag.fakes import FakeChat, simple_reply
from dynagrag.graph_store.derived.canonical import undo_merge
from dynagrag.registry.retrievers import RETRIEVERS
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.workspace.facade import Workspace

pytestmark = pytest.mark.neo4j
Pair = tuple[Workspace, Workspace]
QUESTIONS = (
    "Who works at Acme Works?",
    "Where is Delta Labs located, and what did Ember Partners acquire?",
    "Was it raining?",
)
ALL_KINDS = tuple(VectorKind)


@pytest.fixture
def pair(
    open_space: Callable[..., Workspace],
    corpus: Any,
    tmp_path: Path,
    neo4j_server: Neo4jServer | GivenServer,
    neo4j_workspace: str,
    point_at_neo4j: Callable[..., None],
) -> Iterator[Pair]:
    """One workspace on each store, of equal name since ids are hashes of it: three documents by a
    model's extractor, one by the fast.
    """
    point_at_neo4j(neo4j_server)
    *by_model, fast = corpus.many(3, num_turns=20)
    by_model.append(
        corpus.write(
            "names.vtt", [("Leo", "Ada Byron founded Acme Works. Byron founded Acme Works.")]
        )
    )
    addresses = ("sqlite", neo4j_server.address)
    embedded, server = (
        open_space(neo4j_workspace, chat=FakeChat(_one_byron), at=tmp_path / a[:6], store=a)
        for a in addresses
    )
    for space in (embedded, server):
        space.ingest(by_model)
        space.ingest([fast], IngestOptions(extractor="fast"))
    yield embedded, server
    server.store.clear()


def _one_byron(prompt: Any, schema: Any) -> str:
    """A model that takes Byron for Ada Byron, so that there is a merge."""
    if "groups" not in (schema or {}).get("properties", {}):
        return simple_reply(prompt, schema)
    names = ["Ada Byron", "Byron"]
    is_block = all(f"\n{name} (" in prompt.user for name in names)
    return json.dumps(
        {"groups": [{"canonical": names[0], "members": names, "inverted": []}] if is_block else []}
    )


def held(store: GraphStore) -> dict[str, object]:
    """All that a store holds, vectors as bytes."""
    graph, records = store.graph(), store.records()
    vectors = {
        kind: (store.vector_ids(kind), store.vectors(kind, store.vector_ids(kind)).tobytes())
        for kind in ALL_KINDS
    }
    extractions = [store.extractions(d.id) for d in records.documents]
    return {
        "records": (
            records.documents,
            records.passages,
            records.mentions,
            records.relations,
            records.edits,
        ),
        "turns": store.turns(),
        "extractions": [
            [(e.start, e.end, e.extractor, e.mentions, e.relations) for e in some]
            for some in extractions
        ],
        "spans": [store.live_spans(d.id) for d in records.documents],
        "vectors": vectors,
        "entities": graph.entities,
        "relations": graph.relations,
        "entity vectors": graph.entity_vectors.tobytes(),
        "relation vectors": graph.relation_vectors.tobytes(),
        "passages of entities": graph.entity_passages,
        "consolidation": store.consolidation(),
        "embedder": store.embedder(),
        "digest": store.digest(),
    }


def assert_same_held(one: GraphStore, other: GraphStore) -> None:
    mine, theirs = held(one), held(other)
    for name in mine:
        assert mine[name] == theirs[name], name


def test_both_stores_hold_the_same_also_after_a_replacement_a_correction_and_a_deletion(
    pair: Pair, corpus: Any
) -> None:
    embedded, server = pair
    assert len(embedded.graph().entities) > 25
    assert len(embedded.graph().relations) > 25
    assert embedded.store.consolidation().merges
    assert_same_held(embedded.store, server.store)
    corpus.write("meeting-0.vtt", corpus.meeting(77, 20))
    merge = embedded.store.consolidation().merges[0]
    for space in pair:
        space.ingest([corpus.folder / "meeting-0.vtt"])
        with space.parts.writing():
            space.current_graph.store_edits([undo_merge(merge, by="me", at="2026-01-01T00:00:00Z")])
    assert merge.id not in {m.id for m in server.store.consolidation().merges}
    assert_same_held(embedded.store, server.store)
    for space in pair:
        space.documents.delete("meeting-1")
    assert_same_held(embedded.store, server.store)
    assert embedded.stats() == server.stats()


def test_both_stores_hold_the_same_after_every_kind_of_correction_and_without_it(
    pair: Pair,
) -> None:
    embedded, server = pair
    before = held(embedded.store)
    one, other, third = sorted(embedded.graph().entities, key=lambda e: (-e.weight, e.key))[:3]
    document = next(iter(read_seen(embedded.store).in_documents(third)))[0].id

    def agree() -> None:
        for edit in set(embedded.store.edits()) - set(server.store.edits()):  # of the same time
            server.store.put_edit(edit)
        server.parts.deriver(server.parts.metered(None)).rederive()
        assert_same_held(embedded.store, server.store)

    corrections: list[Callable[[], object]] = [
        lambda: curation.merge(embedded, [one.key, other.key], "Both", by="me"),
        lambda: curation.split(embedded, one.key, [other.key], by="me"),
        lambda: curation.rename(embedded, one.key, "One", by="me"),
        lambda: curation.keep_apart(embedded, [one.key, other.key], by="me"),
        lambda: curation.tell_senses_apart(
            embedded, third.key, [document], "Another thing", by="me"
        ),
    ]
    for correction in corrections:
        correction()
        agree()
    assert "another thing" in {e.sense for e in server.graph().entities}
    curation.undo_edit(
        embedded, *(line.edit.id for line in history(read_seen(embedded.store))), by="me"
    )
    agree()
    after = held(server.store)
    assert {name for name in before if before[name] != after[name]} == {"records"}


def test_both_stores_give_the_same_ego_graphs_evidence_and_answers(pair: Pair) -> None:
    for profile in PROFILES.values():
        states = [
            EgoIndex.build(space.current_graph.snapshot().graph, profile).state for space in pair
        ]
        _assert_same_values(states[0], states[1])
        saved = [
            EgoIndex.open(
                space.folder / "again" / profile.name, space.current_graph.snapshot(), profile
            )
            for space in pair
        ]
        assert saved[0].vectors.tobytes() == saved[1].vectors.tobytes()
    num_cited = sum(
        _num_cited(pair, retriever, question)
        for retriever, question in product(RETRIEVERS, QUESTIONS)
    )
    assert num_cited > len(RETRIEVERS)


def _assert_same_values(one: Any, other: Any) -> None:
    """Dataclasses whose arrays are equal in type, shape and every bit."""
    for field in fields(one):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if hasattr(mine, "__dataclass_fields__"):
            _assert_same_values(mine, theirs)
        elif isinstance(mine, np.ndarray):
            assert (mine.dtype, mine.shape, mine.tobytes()) == (
                theirs.dtype,
                theirs.shape,
                theirs.tobytes(),
            ), field.name
        else:
            assert type(mine) is type(theirs)
            if not hasattr(mine, "indptr"):
                assert mine == theirs, field.name


def _num_cited(pair: Pair, retriever: str, question: str) -> int:
    """Asks both; how many citations the answers have."""
    num_cited = 0
    for filters in (
        Filters(),
        Filters(documents=("meeting-1",)),
        Filters(speakers=("Maria",), start_s=30, end_s=200),
    ):
        options = AskOptions(retriever=retriever, profile="graph", filters=filters)
        found = [_plain(space.questions.retrieve(question, options)) for space in pair]
        assert found[0] == found[1]
        answers = [space.ask(question, options) for space in pair]
        mine, theirs = (
            (a.text, a.is_abstained, a.citations, a.evidence, a.intermediate) for a in answers
        )
        assert mine == theirs
        num_cited += len(answers[0].citations)
    return num_cited


def _plain(found: Retrieval) -> tuple[object, ...]:
    egos = [
        (
            s.nodes,
            s.hops,
            s.pairs.tolist(),
            s.pair_relations,
            s.x.tobytes(),
            s.y.tobytes(),
            s.weights.tolist(),
            s.score,
        )
        for s in found.subgraphs
    ]
    return found.passages, egos, found.candidates, found.notes


def test_both_stores_show_the_same_neighbourhood_of_every_entity_and_search_alike(
    pair: Pair,
) -> None:
    embedded, server = (space.store for space in pair)
    entities = embedded.graph().entities
    bounds: list[dict[str, int]] = [
        {},
        {"num_hops": 0},
        {"num_hops": 3, "fan_out": 2},
        {"num_hops": 2, "fan_out": 4, "max_relations": 7},
        {"num_hops": 2, "min_weight": 2},
        {"max_relations": 1},
    ]
    num_cut = 0
    for entity, bound in product(entities, bounds):
        mine = embedded.neighbourhood(entity.id, **bound)  # type: ignore[arg-type]
        assert mine == server.neighbourhood(entity.id, **bound), (entity.key, bound)  # type: ignore[arg-type]
        assert len(mine.relations) <= bound.get("max_relations", 200)
        num_cut += mine.is_cut
    assert 0 < num_cut < len(entities) * len(bounds)
    assert isinstance(mine, Neighbourhood)
    _assert_search_alike(pair, embedded, server)


def _assert_search_alike(pair: Pair, embedded: GraphStore, server: GraphStore) -> None:
    for text in (
        "acme",
        "Ada Byron",
        "WORKS",
        "nobody-said-this",
        '"); DROP (',
        "labs works",
        "",
        "  ",
    ):
        found = [
            {id_ for id_, _ in store.search_entities(text, limit=200)}
            for store in (embedded, server)
        ]
        assert found[0] == found[1], text
    assert embedded.search_entities("acme")
    vector = pair[0].embedder.embed_query("Ada Byron works at Acme Works")
    for kind in (VectorKind.PASSAGE, VectorKind.ENTITY):
        mine, theirs = (store.nearest(kind, vector, limit=10) for store in (embedded, server))
        assert mine[0][0] == theirs[0][0]
        assert (
            len({id_ for id_, _ in mine} & {id_ for id_, _ in theirs}) >= 8
        )  # the server's index may be approximate
