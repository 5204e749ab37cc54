"""Bridge-PPR: its graph, PageRank against networkx, linking, bridging, smoothing, and what a new document can change."""

from collections.abc import Sequence
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.retrieval import passages
from dynagrag.retrieval.bridge import bridge_graph, bridge_search
from dynagrag.retrieval.bridge.bridge_graph import NUM_STEPS, BridgeGraph
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.bridge.linking import EntityLinker
from dynagrag.retrieval.bridge.scorer import BridgeScorer
from dynagrag.retrieval.neighbours import Neighbours
from dynagrag.schema import Document, Entity, Facts, Graph, Passage, Question, Snapshot, Turn

D = 16


def unit(num: int, seed: int = 0) -> np.ndarray:
    x = np.random.default_rng(seed).normal(size=(num, D)).astype(np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def facts_of(
    held: Sequence[Sequence[int]], facts: Sequence[tuple[int, Sequence[int]]], subjects: Sequence[int] = (), seed: int = 0
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
    """(held, facts, number of entities): every passage holds something, facts are about what their passage holds."""
    num_entities = draw(st.integers(2, 12))
    held = draw(st.lists(st.lists(st.integers(0, num_entities - 1), min_size=1, max_size=5, unique=True), min_size=1, max_size=8))
    facts = [
        (p, sorted(draw(st.sets(st.sampled_from(some), min_size=2))))
        for p, some in enumerate(held)
        if len(some) > 1
        for _ in range(draw(st.integers(0, 2)))
    ]
    return [sorted(some) for some in held], facts, num_entities


def adjacency(held: Sequence[Sequence[int]], facts: Sequence[tuple[int, Sequence[int]]], n: int) -> np.ndarray:
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


@given(corpora(), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_pagerank_run_to_convergence_is_that_of_networkx(corpus: tuple, seed: int) -> None:
    held, facts, n = corpus
    graph = BridgeGraph(facts_of(held, facts), n)
    a = adjacency(held, facts, n)
    there = a.sum(axis=1) > 0
    restart = np.where(there, np.random.default_rng(seed).random(len(a)), 0)
    restart /= restart.sum()
    wanted = nx.pagerank(nx.from_numpy_array(a), alpha=0.65, personalization=dict(enumerate(restart)), tol=1e-12, max_iter=1000)
    found = pagerank(graph, restart, num_steps=200)
    np.testing.assert_allclose(found[there], np.array([wanted[i] for i in range(len(a))])[there], atol=2e-6)


@given(corpora())
@settings(max_examples=40, deadline=None)
def test_the_matrix_is_its_definition(corpus: tuple) -> None:
    held, facts, n = corpus
    graph = BridgeGraph(facts_of(held, facts), n)
    a = adjacency(held, facts, n)
    degrees = a.sum(axis=1)
    wanted = np.divide(a, degrees[:, None], out=np.zeros_like(a), where=degrees[:, None] > 0).T
    found = np.stack([(pagerank(graph, row, num_steps=1) - 0.35 * row) / 0.65 for row in np.eye(len(a))], axis=1)
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert graph.df.tolist() == [sum(e in some for some in held) for e in range(n)]


@given(corpora(), corpora(), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_a_document_that_shares_no_entity_changes_no_walk_among_the_others(corpus: tuple, other: tuple, seed: int) -> None:
    """Invariant: transitions, document frequencies and so PageRank from the same restart. What it can change is z01, the words' statistics
    and who is among the first two facts, fifty passages and five bridges.
    """
    held, facts, n = corpus
    more_held, more_facts, more = other
    both = facts_of(
        [*held, *([e + n for e in some] for some in more_held)],
        [*facts, *((p + len(held), [e + n for e in some]) for p, some in more_facts)],
    )
    before, after = BridgeGraph(facts_of(held, facts), n), BridgeGraph(both, n + more)
    restart = np.random.default_rng(seed).random(n + len(held))
    restart /= restart.sum()
    wider = np.concatenate((restart[:n], np.zeros(more), restart[n:], np.zeros(len(more_held))))
    found = pagerank(after, wider)
    np.testing.assert_allclose(np.concatenate((found[:n], found[n + more : n + more + len(held)])), pagerank(before, restart), atol=1e-7)
    assert found[n : n + more].sum() + found[n + more + len(held) :].sum() == 0
    assert after.df[:n].tolist() == before.df.tolist()


@given(corpora(), corpora())
@settings(max_examples=40, deadline=None)
def test_graph_terms_are_the_same_beside_a_document_that_shares_no_entity(corpus: tuple, other: tuple) -> None:
    """Given the same first stage (the newcomer's 0) and a newcomer whose facts are far from the question."""
    held, facts, n = corpus
    more_held, more_facts, more = other
    if len(facts) < 2:
        return
    query = unit(1, 5)[0]
    old = facts_of(held, facts)
    both = facts_of(
        [*held, *([e + n for e in some] for some in more_held)],
        [*facts, *((p + len(held), [e + n for e in some]) for p, some in more_facts)],
    )
    both.vectors[: len(facts)] = old.vectors
    both.vectors[len(facts) :] = -query
    passages, names = unit(len(held), 7), unit(n, 8)
    first = np.linspace(1, 0, len(held))
    before = BridgeScorer(BridgeGraph(old, n), passages, names).score("q", query, first, ())
    wide = BridgeScorer(
        BridgeGraph(both, n + more), np.concatenate((passages, unit(len(more_held), 9))), np.concatenate((names, unit(more, 10)))
    ).score("q", query, np.concatenate((first, np.zeros(len(more_held)))), ())
    assert wide.facts == before.facts
    np.testing.assert_allclose(wide.graph[: len(held)], before.graph, atol=1e-4)


def pagerank(graph: BridgeGraph, restart: np.ndarray, num_steps: int = NUM_STEPS) -> np.ndarray:
    """(n + p,)"""
    found = graph.pagerank(restart, num_steps)
    return np.concatenate((found.entities, found.passages))


def entity(i: int, name: str, *keys: str) -> Entity:
    return Entity(f"e{i:03}", keys[0] if keys else name.lower(), name, "", keys or (name.lower(),), (), "name", 1, ())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Where is the Bubye River's mouth?", ["Bubye River"]),
        ("where is the bubye river", ["Bubye River"]),
        ("What did May say in may?", ["May"]),
        ("may it rain", []),
        ("Is Johnnycake, West Virginia in West Virginia?", ["Johnnycake, West Virginia", "West Virginia"]),
        ("The Who", []),
        ("When was the river made?", []),
        ("When was The River made?", ["River"]),
        ("", []),
    ],
)
def test_a_question_is_linked_by_its_longest_names(text: str, found: list[str]) -> None:
    names = ["Bubye River", "River", "May", "Johnnycake, West Virginia", "West Virginia", "Johnnycake"]
    entities = [entity(i, name) for i, name in enumerate(names)]
    linker = EntityLinker(entities, np.ones(len(names), dtype=bool))
    assert [names[i] for i in linker.link(text)] == found


def test_an_entity_that_is_not_wanted_is_not_linked_and_a_merged_name_finds_its_entity() -> None:
    entities = [entity(0, "NASA", "nasa", "national aeronautics and space administration"), entity(1, "Moon")]
    linker = EntityLinker(entities, np.array([True, False]))
    assert linker.link("Did the National Aeronautics and Space Administration reach the Moon?") == (0,)


def snapshot(
    texts: Sequence[str], vectors: np.ndarray, entities: Sequence[Entity], names: np.ndarray, facts: Facts, per_document: int = 1
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


def test_the_second_step_of_a_question_is_found_over_the_bridge_and_the_trace_says_so() -> None:
    """The river's passage names the country; the country's passage has no word of the question and a vector far from it."""
    texts = [
        "The Bubye River is in Zimbabwe.",
        "Falls of great height are in Zimbabwe.",
        "The Bubye is long.",
        "Moss grows.",
        "Oil is black.",
    ]
    vectors = unit(5, 3)
    query = vectors[0] + 0.1 * vectors[2]
    query /= np.linalg.norm(query)
    entities = [entity(0, "Bubye River"), entity(1, "Zimbabwe"), entity(2, "Moss")]
    facts = facts_of([[0, 1], [1], [0], [2], []], [(0, [0, 1])], subjects=[0, 1, -1, 2, -1])
    facts.vectors[0] = vectors[0]
    names = unit(3, 4)
    names[1] = vectors[1]
    found = BridgeSearch(snapshot(texts, vectors, entities, names, facts)).retrieve(
        Question("What is in the land of the Bubye River?", query), 5, 0
    )
    assert [s.passage.id for s in found.passages[:2]] == ["p000", "p001"]
    assert found.trace is not None
    assert found.trace.linked == ("Bubye River",)
    assert [text for text, _ in found.trace.facts] == ["fact 0"]
    assert [(b.source_id, b.name, b.passage_id) for b in found.trace.bridges if b.passage_id == "p001"] == [("p000", "Zimbabwe", "p001")]
    parts = {p.passage_id: p for p in found.trace.parts}
    for scored, part in zip(found.passages, found.trace.parts, strict=True):
        assert part.first + part.graph + part.bridge + part.around == pytest.approx(scored.score, abs=2e-6)
    assert parts["p001"].bridge == next(b.gain for b in found.trace.bridges if b.passage_id == "p001") > 0
    assert {p.around for p in found.trace.parts} == {0.0}


@pytest.mark.parametrize("has_graph", [True, False])
def test_a_question_that_was_split_is_ranked_by_its_steps_too_and_the_trace_adds_up(has_graph: bool) -> None:
    texts = ["The pump is old.", "Acme built the pump.", "Ada leads Acme.", "Moss grows."]
    entities = [entity(0, "Acme"), entity(1, "Ada")] if has_graph else []
    facts = facts_of([[], [0], [0, 1], []], [(2, [0, 1])]) if has_graph else facts_of([[]] * 4, [])
    search = BridgeSearch(snapshot(texts, unit(4, 3), entities, unit(len(entities), 4), facts))
    asked = Question("Who leads the firm that built the pump?", unit(1, 5)[0])
    steps = (Question("Which firm built the pump?", unit(1, 6)[0]), Question("Who leads it?", unit(1, 7)[0]))
    whole, own = search.rank(asked).total, [search.rank(step).total for step in steps]
    split = replace(asked, steps=steps)
    long = replace(asked, text=" ".join(f"word{i}" for i in range(40)))
    change = search.rank(replace(long, steps=steps)).total - search.rank(long).total
    assert change == pytest.approx(0.15 / 1.15 * (np.mean(own, axis=0) - search.rank(long).total))
    assert search.rank(split).total == pytest.approx((whole + 0.6 * np.mean(own, axis=0)) / 1.6)
    found = search.retrieve(split, 4, 0)
    if found.trace is None:
        assert not has_graph
        return
    assert found.trace.steps == ("Which firm built the pump?", "Who leads it?")
    assert any(part.steps for part in found.trace.parts)
    for scored, part in zip(found.passages, found.trace.parts, strict=True):
        assert part.first + part.graph + part.bridge + part.around + part.steps == pytest.approx(scored.score, abs=2e-6)


@pytest.mark.parametrize("seed", range(12))
def test_what_words_and_vectors_find_is_not_buried_by_steps_either(seed: int) -> None:
    rng = np.random.default_rng(seed)
    held = [sorted(set(rng.integers(0, 12, 3).tolist())) for _ in range(40)]
    facts = facts_of(held, [(p, some[:2]) for p, some in enumerate(held) if len(some) > 1], seed=seed)
    texts = [f"word{p} " + " ".join(f"w{x}" for x in rng.integers(0, 30, 6)) for p in range(40)]
    search = BridgeSearch(snapshot(texts, unit(40, seed), [entity(i, f"Name{i}") for i in range(12)], unit(12, seed + 2), facts))
    steps = tuple(Question(f"w{i} Name{i}", unit(1, seed + 50 + i)[0]) for i in range(3))
    ranking = search.rank(Question("w1 w2 w3 word7", unit(1, seed + 9)[0], steps))
    place = np.argsort(np.argsort(-ranking.total, kind="stable"))
    for k, row in enumerate(np.argsort(-ranking.first, kind="stable")[:10], start=1):
        assert place[row] < 3 * k + k  # k others may be lifted to the same score


def test_without_a_graph_vectors_and_words_are_left() -> None:
    texts = ["Moss grows.", "Oil is black.", "The river is long."]
    vectors = unit(3, 3)
    found = BridgeSearch(snapshot(texts, vectors, [], np.zeros((0, D), np.float32), Facts())).retrieve(Question("oil", vectors[1]), 3, 0)
    assert found.passages[0].passage.id == "p001"
    assert (found.trace, found.notes) == (None, ("the graph is empty: passages by vectors and words alone",))


@given(st.lists(st.integers(1, 14), min_size=1, max_size=6), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_smoothing_is_its_formula_and_leaves_documents_of_one_passage_alone(sizes: list[int], seed: int) -> None:
    passages = [Passage(f"{d}-{i:02}", f"d{d}", i, 0, 1, 0, 0) for d, size in enumerate(sizes) for i in range(size)]
    scores = np.random.default_rng(seed).random(len(passages))
    neighbours = Neighbours(passages)
    found, presence = neighbours.smooth(scores), neighbours.presence
    at = {(p.document_id, p.index): i for i, p in enumerate(passages)}
    for i, p in enumerate(passages):
        weights = {at[p.document_id, p.index + o]: 0.8 ** abs(o) for o in range(-5, 6) if (p.document_id, p.index + o) in at}
        assert found[i] == pytest.approx(sum(w * scores[j] for j, w in weights.items()) / sum(weights.values()))
        assert presence[i] == pytest.approx((sum(weights.values()) - 1) / (2 * sum(0.8**o for o in range(1, 6))))
        if sizes[int(p.document_id[1:])] == 1:
            assert (found[i], presence[i]) == (scores[i], 0)


def test_a_passage_between_good_neighbours_rises_in_a_conversation_and_not_among_single_passages() -> None:
    vectors = unit(9, 3)
    query = vectors[3] + vectors[5] + 0.2 * vectors[7]
    query /= np.linalg.norm(query)
    texts = [f"turn {i}" for i in range(9)]
    facts = facts_of([[0] if i == 8 else [] for i in range(9)], [])
    entities, names = [entity(0, "Zed")], unit(1, 4)

    def rank_of_the_middle(per_document: int) -> int:
        arm = BridgeSearch(snapshot(texts, vectors, entities, names, facts, per_document))
        ids = [s.passage.id for s in arm.retrieve(Question("unheard of", query), 9, 0).passages]
        return ids.index("p004")

    assert rank_of_the_middle(9) < rank_of_the_middle(1)


def test_windows_stay_inside_their_document() -> None:
    passages = [Passage(f"{d}{i}", d, i, 0, 1, 0, 0) for d, size in (("a", 1), ("b", 5), ("c", 2)) for i in range(size)]
    windows = Neighbours(passages).window_rows(2).tolist()
    assert windows == [[0, 1], [1, 4], [1, 5], [1, 6], [2, 6], [3, 6], [6, 8], [6, 8]]


def test_a_speaker_that_the_question_names_lifts_what_they_say() -> None:
    texts = [f"words {i}" for i in range(6)]
    facts = facts_of([[0], [1], [0], [1], [0], [1]], [])
    entities = [replace(entity(0, "Ada"), is_speaker=True), replace(entity(1, "Bob"), is_speaker=True)]
    made = snapshot(texts, np.repeat(unit(1, 3), 6, axis=0), entities, unit(2, 4), facts, per_document=6)
    turns = {"d000": tuple(Turn(f"t{i}", "d000", i, p.start, p.end, "Ada" if i % 2 == 0 else "Bob") for i, p in enumerate(made.passages))}
    arm = BridgeSearch(replace(made, turns=turns))
    found = arm.retrieve(Question("What did Bob say?", unit(1, 9)[0]), 6, 0)
    assert {s.passage.id for s in found.passages[:3]} == {"p001", "p003", "p005"}
    assert found.trace is not None
    assert found.trace.linked == ("Bob",)


def test_a_named_speakers_words_rise_where_all_else_is_equal() -> None:
    """The graph has Bob in another document alone, so nothing but who speaks tells the six passages apart."""
    facts = facts_of([[0]] * 6 + [[1]], [])
    entities = [replace(entity(0, "Ada"), is_speaker=True), replace(entity(1, "Bob"), is_speaker=True)]
    made = snapshot(["words"] * 6 + ["other"], np.repeat(unit(1, 3), 7, axis=0), entities, unit(2, 4), facts, per_document=6)
    turns = {
        "d000": tuple(Turn(f"t{i}", "d000", i, p.start, p.end, "Bob" if i in (2, 5) else "Ada") for i, p in enumerate(made.passages[:6]))
    }
    search = BridgeSearch(replace(made, turns=turns))
    vector = unit(1, 9)[0]

    def order(text: str) -> list[str]:
        ids = [s.passage.id for s in search.retrieve(Question(text, vector), 7, 0).passages]
        return [id_ for id_ in ids if id_ != "p006"]

    assert set(order("What did Bob say?")[:2]) == {"p002", "p005"}
    assert set(order("What did he say?")[:2]) != {"p002", "p005"}


def test_a_passage_that_stands_alone_keeps_its_place_beside_a_transcript(monkeypatch: pytest.MonkeyPatch) -> None:
    """Surroundings reorder a transcript's passages among themselves: the scores that they hold together stay."""
    monkeypatch.setattr(bridge_search, "MAX_SINK", 100)
    monkeypatch.setattr(bridge_search, "WORD_PLACES", (100,))
    vectors = unit(8, 3)
    facts = facts_of([[0], *([] for _ in range(7))], [])
    entities, names = [entity(0, "Zed")], unit(1, 4)
    texts = [f"words {i}" for i in range(8)]
    lone = snapshot(texts, vectors, entities, names, facts, per_document=1)
    passages = tuple(replace(p, document_id="d000", index=i) if i < 6 else p for i, p in enumerate(lone.passages))
    mixed = replace(lone, passages=passages)
    for seed in range(20):
        query = unit(1, 100 + seed)[0]
        alone = {s.passage.id: s.score for s in BridgeSearch(lone).retrieve(Question("unheard of", query), 8, 0).passages}
        beside = {s.passage.id: s.score for s in BridgeSearch(mixed).retrieve(Question("unheard of", query), 8, 0).passages}
        assert {k: beside[k] for k in ("p006", "p007")} == {k: alone[k] for k in ("p006", "p007")}
        assert sorted(beside.values()) == pytest.approx(sorted(alone.values()), abs=1e-6)


def test_a_line_that_words_find_is_not_buried_under_the_document_that_holds_the_name() -> None:
    """The name stands in the first document alone; the line is in the second, amid lines that fit nothing."""
    texts = [*(f"Ada spoke of thing {i}" for i in range(20)), *(f"words {i}" for i in range(20))]
    texts[30] = "periscope is retracting"
    vectors = unit(40, 3)
    query = vectors[:20].sum(axis=0)
    query /= np.linalg.norm(query)
    facts = facts_of([[0, 1] if i < 20 else [2] for i in range(40)], [(i, [0, 1]) for i in range(20)])
    made = snapshot(
        texts, vectors, [entity(i, name) for i, name in enumerate(("Ada", "Thing", "Word"))], unit(3, 4), facts, per_document=20
    )
    found = BridgeSearch(made).retrieve(Question("When did Ada say the periscope is retracting?", query), 8, 0)
    assert "p030" in [s.passage.id for s in found.passages]


def test_the_best_in_the_first_stage_stands_no_lower_than_third_where_the_graph_knows_nothing_of_it() -> None:
    vectors = unit(30, 3) + 2 * unit(1, 4)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    facts = facts_of([[0, 1] if i < 28 else [] for i in range(30)], [(i, [0, 1]) for i in range(28)])
    made = snapshot([f"words {i}" for i in range(30)], vectors, [entity(0, "Zed"), entity(1, "Oil")], unit(2, 4), facts)
    for row in (28, 29):
        found = BridgeSearch(made).retrieve(Question("What of Zed and Oil?", vectors[row]), 30, 0)
        assert f"p0{row}" in [s.passage.id for s in found.passages[:3]]
        assert sorted(s.passage.id for s in found.passages) == [f"p{i:03}" for i in range(30)]


def test_the_graph_counts_less_where_passages_hold_no_entities() -> None:
    facts = facts_of([[0], [0], [], []], [])
    graph = BridgeGraph(facts, 1)
    assert graph.share_with_entities == 0.5
    assert BridgeScorer(graph, unit(4, 3), unit(1, 4)).score("a few words", unit(1, 5)[0], np.linspace(1, 0, 4), ()).gate == 0.25


def dense_scores(
    facts: Facts, n: int, passages: np.ndarray, names: np.ndarray, query: np.ndarray, first: np.ndarray, linked: tuple
) -> tuple:
    """Steps 3 to 5 of docs/papers.md, Bridge-PPR, one number after the other."""
    p = len(first)
    held = [set(facts.held[facts.held_ptr[i] : facts.held_ptr[i + 1]].tolist()) for i in range(p)]
    of_fact = [set(facts.entities[facts.ptr[i] : facts.ptr[i + 1]].tolist()) for i in range(len(facts.texts))]
    a = adjacency([sorted(h) for h in held], [(0, sorted(f)) for f in of_fact], n)
    degrees = a.sum(axis=1, keepdims=True)
    step = np.divide(a, degrees, out=np.zeros_like(a), where=degrees > 0).T
    df = [sum(e in h for h in held) for e in range(n)]
    cosines = np.round(facts.vectors @ query, 6).astype(float)
    x = np.zeros(n + p)
    nearest = np.argsort(-cosines, kind="stable")[:2]
    for e in set().union(*(of_fact[f] for f in nearest)):
        x[e] += np.mean([max(0.0, cosines[f]) for f in nearest if e in of_fact[f]]) / df[e]
    for e in linked:
        x[e] += 2 / df[e]
    x[n:] += 0.1 * first**8
    x /= x.sum()
    y = x.copy()
    for _ in range(6):
        y = 0.65 * step @ y + 0.35 * x
    g = 0.3 * np.log(y[n:] + 1e-6)
    s = first + g
    s = (s - s.min()) / (s.max() - s.min())
    b = np.zeros(p)
    for p1 in np.argsort(-s, kind="stable")[:5]:
        for e in held[p1]:
            if e in linked or not 2 <= df[e] <= 100:
                continue
            own = [f for f in range(len(of_fact)) if facts.passage_rows[f] == p1 and e in of_fact[f]]
            t = facts.vectors[max(own, key=lambda f: cosines[f])] if own else passages[p1]
            v = query - 0.3 * t + 0.5 * names[e]
            v = v / np.linalg.norm(v)
            for p2 in range(p):
                if p2 != p1 and e in held[p2]:
                    b[p2] = max(b[p2], s[p1] * (1 if facts.subjects[p2] == e else 0.5) * max(0.0, float(v @ passages[p2])))
    return g, b


@given(corpora(), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_restart_walk_and_bridges_are_the_written_steps_word_for_word(corpus: tuple, seed: int) -> None:
    held, facts, n = corpus
    if len(facts) < 3 or len(held) < 2:
        return
    rng = np.random.default_rng(seed)
    subjects = [int(rng.choice(some)) for some in held]
    table = facts_of(held, facts, subjects, seed)
    passages, names, query = unit(len(held), seed + 1), unit(n, seed + 2), unit(1, seed + 3)[0]
    first = rng.permutation(np.linspace(0.05, 1, len(held)))
    linked = (int(held[0][0]),)
    found = BridgeScorer(BridgeGraph(table, n), passages, names).score("a few words", query, first, linked)
    g, b = dense_scores(table, n, passages, names, query, first, linked)
    np.testing.assert_allclose(found.graph, g, atol=1e-4)
    np.testing.assert_allclose(found.bridge, b, atol=1e-4)
    np.testing.assert_allclose(found.total, first + g + 1.6 * b, atol=3e-4)


def test_a_step_from_a_few_nodes_is_the_same_step() -> None:
    rng = np.random.default_rng(0)
    held = [sorted(rng.choice(400, size=6, replace=False).tolist()) for _ in range(300)]
    graph = BridgeGraph(facts_of(held, [(p, some[:4]) for p, some in enumerate(held)]), 400)
    for node in (0, 3, 650):
        mass = np.zeros(700, dtype=np.float32)
        mass[graph.place[node]] = 1
        found = graph.spread(mass, is_first=True)
        assert 0 < np.count_nonzero(found) < 100
        np.testing.assert_allclose(found, graph.spread(mass), atol=1e-7)


def test_a_walk_shared_among_threads_is_the_same_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    held = [sorted(rng.choice(40, size=6, replace=False).tolist()) for _ in range(30)]
    facts = facts_of(held, [(p, some[:4]) for p, some in enumerate(held)])
    restart = rng.random(70)
    alone = pagerank(BridgeGraph(facts, 40), restart / restart.sum())
    monkeypatch.setattr(bridge_graph, "MANY_ENTRIES", 10)
    monkeypatch.setattr(bridge_graph, "num_threads", lambda: 3)
    np.testing.assert_array_equal(pagerank(BridgeGraph(facts, 40), restart / restart.sum()), alone)


def test_cosines_shared_among_threads_are_the_same_cosines(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, query = unit(50, 3), unit(1, 4)[0]
    alone = passages.cosines_with(vectors, query)
    monkeypatch.setattr(passages, "MANY_VECTORS", 10)
    monkeypatch.setattr(passages, "num_threads", lambda: 3)
    np.testing.assert_allclose(passages.cosines_with(vectors, query), alone, atol=2e-6)
