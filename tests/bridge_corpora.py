"""Small corpora for the tests of Bridge-PPR: passages, the entities that they hold, and facts."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from dynagrag.core.schema import Document, Entity, Facts, Graph, Passage, Snapshot
from dynagrag.retrieval.bridge.bridge_graph import NUM_STEPS, BridgeGraph

D = 16


def unit(num: int, seed: int = 0) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(num, D)).astype(np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def facts_of(
    held: Sequence[Sequence[int]],
    facts: Sequence[tuple[int, Sequence[int]]],
    subjects: Sequence[int] = (),
    seed: int = 0,
) -> Facts:
    """Entities of each passage, (passage, entities) of each fact."""

    def lists(values: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
        ptr = np.concatenate(([0], np.cumsum([len(v) for v in values]))).astype(np.int64)
        return ptr, np.array([x for v in values for x in v], dtype=np.int64)

    ptr, entities = lists([e for _, e in facts])
    held_ptr, flat = lists(held)
    return Facts(
        tuple(f"fact {i}" for i in range(len(facts))),
        np.array([p for p, _ in facts], dtype=np.int64),
        ptr,
        entities,
        unit(len(facts), seed + 1),
        held_ptr,
        flat,
        np.array(subjects or [-1] * len(held), dtype=np.int64),
    )


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[list[int]], list[tuple[int, list[int]]], int]:
    """(held, facts, number of entities): every passage holds something, facts are about what their
    passage holds.
    """
    num_entities = draw(st.integers(2, 12))
    held = draw(
        st.lists(
            st.lists(st.integers(0, num_entities - 1), min_size=1, max_size=5, unique=True),
            min_size=1,
            max_size=8,
        )
    )
    facts = [
        (p, sorted(draw(st.sets(st.sampled_from(some), min_size=2))))
        for p, some in enumerate(held)
        if len(some) > 1
        for _ in range(draw(st.integers(0, 2)))
    ]
    return [sorted(some) for some in held], facts, num_entities


def adjacency(
    held: Sequence[Sequence[int]], facts: Sequence[tuple[int, Sequence[int]]], n: int
) -> np.ndarray:
    """A by its definition, one pair after the other."""
    a = np.zeros((n + len(held), n + len(held)))
    for _, entities in facts:
        for i in entities:
            for j in entities:
                a[i, j] += i != j
    for passage, entities in enumerate(held):
        for e in entities:
            a[n + passage, e] = a[e, n + passage] = 1
    return a


def entity(i: int, name: str, *keys: str) -> Entity:
    return Entity(
        f"e{i:03}",
        keys[0] if keys else name.lower(),
        name,
        "",
        keys or (name.lower(),),
        (),
        "name",
        1,
        (),
    )


def snapshot(
    texts: Sequence[str],
    vectors: np.ndarray,
    entities: Sequence[Entity],
    names: np.ndarray,
    facts: Facts,
    per_document: int = 1,
) -> Snapshot:
    documents: dict[str, Document] = {}
    passages = []
    for start in range(0, len(texts), per_document):
        own = texts[start : start + per_document]
        id_ = f"d{start:03}"
        documents[id_] = Document(id_, "w", id_, f"/{id_}", "", "\n".join(own))
        offset = 0
        for i, text in enumerate(own):
            passages.append(Passage(f"p{start + i:03}", id_, i, offset, offset + len(text), i, i))
            offset += len(text) + 1
    graph = Graph(tuple(entities), (), names, np.zeros((0, D), np.float32), ((),) * len(entities))
    return Snapshot("w", "1", documents, {}, tuple(passages), vectors, {}, graph, facts=facts)


def pagerank(graph: BridgeGraph, restart: np.ndarray, num_steps: int = NUM_STEPS) -> np.ndarray:
    """(n + p,)"""
    found = graph.pagerank(restart, num_steps)
    return np.concatenate((found.entities, found.passages))
