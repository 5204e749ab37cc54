"""What every graph store promises as a whole: repeated calls, workspaces side by side, hostile
text. Beside it: the protocol's parts.
"""

import inspect
from pathlib import Path

import numpy as np
import pytest
from graph_stores import (
    EMBEDDER,
    FACTS_A,
    FACTS_B,
    MakeStore,
    W,
    document,
    everything,
    mention,
    put,
    rederive,
)

from dynagrag.core.errors import StoreError
from dynagrag.core.protocols import (
    DerivedGraph,
    Extraction,
    GraphStore,
    RecordStore,
    StoreUpkeep,
    VectorStore,
)
from dynagrag.core.schema import Document, Mention, MentionKind, RelationRecord, VectorKind

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


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_and_types_are_stored_as_text(store: GraphStore, text: str) -> None:
    doc, turns, passages, _ = document("a", FACTS_A)
    base = mention(doc.id, 0, 5, "Ada", passages[0].id, text, "llm")
    hostile = Mention(
        base.id, doc.id, 0, 5, (text,), text, text, text, text, MentionKind.SAID, "llm"
    )
    record = RelationRecord("r1", doc.id, 0, 5, text, text, "ada", text, text, 0, 3, 0, "llm")
    ada = mention(doc.id, 0, 5, "Ada", passages[0].id, "", "llm")
    store.put_document(
        Document(doc.id, W, text, text, doc.sha256, text, {text: text}), turns, passages
    )
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
    assert (
        mine.turns(foreign),
        mine.passages(foreign),
        mine.extractions(foreign),
        mine.live_spans(foreign),
    ) == ((), (), (), {})
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


@pytest.mark.parametrize(
    ("part", "module"),
    [
        (RecordStore, "test_record_store_contract.py"),
        (VectorStore, "test_vector_store_contract.py"),
        (DerivedGraph, "test_derived_graph_contract.py"),
        (StoreUpkeep, "test_store_upkeep_contract.py"),
    ],
)
def test_every_promise_of_the_protocol_is_asked_for_beside_this_module(
    part: type, module: str
) -> None:
    promises = {name for name in vars(part) if not name.startswith("_")}
    text = Path(__file__).with_name(module).read_text(encoding="utf-8") + "".join(
        inspect.getsource(f) for f in (put, rederive, everything)
    )
    assert sorted(name for name in promises if f".{name}" not in text) == []


def test_the_parts_of_the_protocol_are_the_protocol() -> None:
    own = {name for name in vars(GraphStore) if not name.startswith("_")}
    parts = {part for part in GraphStore.__mro__ if part.__module__ == GraphStore.__module__} - {
        GraphStore
    }
    assert (own, parts) == (
        set(),
        {RecordStore, VectorStore, DerivedGraph, StoreUpkeep},
    )
