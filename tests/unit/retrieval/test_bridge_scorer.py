"""Restart, walk, bridges and gate, against the written steps one number after the other."""

import numpy as np
import pytest
from bridge_corpora import D, adjacency, corpora, facts_of, unit
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.schema import Facts
from dynagrag.retrieval.bridge.bridge_graph import BridgeGraph
from dynagrag.retrieval.bridge.scorer import BridgeScorer


@given(corpora(), corpora())
@settings(max_examples=40, deadline=None)
def test_graph_terms_are_the_same_beside_a_document_that_shares_no_entity(
    corpus: tuple, other: tuple
) -> None:
    """Given the same first stage (the newcomer's 0) and a newcomer whose facts are far from the
    question.
    """
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
        BridgeGraph(both, n + more),
        np.concatenate((passages, unit(len(more_held), 9))),
        np.concatenate((names, unit(more, 10))),
    ).score("q", query, np.concatenate((first, np.zeros(len(more_held)))), ())
    assert wide.facts == before.facts
    np.testing.assert_allclose(wide.graph[: len(held)], before.graph, atol=1e-4)


def test_the_graph_counts_less_where_passages_hold_no_entities() -> None:
    facts = facts_of([[0], [0], [], []], [])
    graph = BridgeGraph(facts, 1)
    assert graph.share_with_entities == 0.5
    assert (
        BridgeScorer(graph, unit(4, 3), unit(1, 4))
        .score("a few words", unit(1, 5)[0], np.linspace(1, 0, 4), ())
        .gate
        == 0.25
    )


def dense_scores(
    facts: Facts,
    n: int,
    passages: np.ndarray,
    names: np.ndarray,
    query: np.ndarray,
    first: np.ndarray,
    linked: tuple,
) -> tuple:
    """Steps 3 to 5 of docs/papers.md, Bridge-PPR, one number after the other."""
    p = len(first)
    held = [set(facts.held[facts.held_ptr[i] : facts.held_ptr[i + 1]].tolist()) for i in range(p)]
    of_fact = [
        set(facts.entities[facts.ptr[i] : facts.ptr[i + 1]].tolist())
        for i in range(len(facts.texts))
    ]
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
    g = 0.3 * (np.log(y[n:] + 1e-6) + np.isin(facts.subjects, linked))
    s = first + g
    s = (s - s.min()) / (s.max() - s.min())
    b = np.zeros(p)
    for p1 in np.argsort(-s, kind="stable")[:5]:
        for e in held[p1]:
            if e in linked or not 2 <= df[e] <= 100:
                continue
            own = [
                f for f in range(len(of_fact)) if facts.passage_rows[f] == p1 and e in of_fact[f]
            ]
            t = facts.vectors[max(own, key=lambda f: cosines[f])] if own else passages[p1]
            v = query - 0.3 * t + 0.5 * names[e]
            v = v / np.linalg.norm(v)
            for p2 in range(p):
                if p2 != p1 and e in held[p2]:
                    b[p2] = max(
                        b[p2],
                        s[p1]
                        * (1 if facts.subjects[p2] == e else 0.5)
                        * max(0.0, float(v @ passages[p2])),
                    )
    return g, b


@given(corpora(), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_restart_walk_and_bridges_are_the_written_steps_word_for_word(
    corpus: tuple, seed: int
) -> None:
    held, facts, n = corpus
    if len(facts) < 3 or len(held) < 2:
        return
    rng = np.random.default_rng(seed)
    subjects = [int(rng.choice(some)) for some in held]
    table = facts_of(held, facts, subjects, seed)
    passages, names, query = unit(len(held), seed + 1), unit(n, seed + 2), unit(1, seed + 3)[0]
    first = rng.permutation(np.linspace(0.05, 1, len(held)))
    linked = (int(held[0][0]),)
    found = BridgeScorer(BridgeGraph(table, n), passages, names).score(
        "a few words", query, first, linked
    )
    g, b = dense_scores(table, n, passages, names, query, first, linked)
    np.testing.assert_allclose(found.graph, g, atol=1e-4)
    np.testing.assert_allclose(found.bridge, b, atol=1e-4)
    np.testing.assert_allclose(found.total, first + g + 1.6 * b, atol=3e-4)


@pytest.mark.parametrize(("df", "has_bridge"), [(1, False), (2, True), (100, True), (101, False)])
def test_a_bridge_goes_over_what_two_to_a_hundred_passages_hold(df: int, has_bridge: bool) -> None:
    query = unit(1, 5)
    graph = BridgeGraph(facts_of([[0]] * df + [[]], []), 1)
    scorer = BridgeScorer(graph, np.repeat(query, df + 1, axis=0), unit(1, 4))
    found = scorer.score("a few words", query[0], np.linspace(1, 0, df + 1), ())
    assert (found.bridge.max() > 0) == has_bridge


@pytest.mark.parametrize(("first_says", "is_reached"), [(1, False), (-1, True)])
def test_of_facts_as_near_the_first_in_the_text_is_what_the_passage_says(
    first_says: int, is_reached: bool
) -> None:
    """The second passage lies where the first fact of the first one points, or away from it: what
    is said already isn't wanted.
    """
    axes = np.eye(D, dtype=np.float32)
    facts = facts_of([[0], [0]], [(0, [0]), (0, [0])])
    facts.vectors[0] = 0.6 * axes[0] + first_says * 0.8 * axes[1]
    facts.vectors[1] = 0.6 * axes[0] - first_says * 0.8 * axes[1]
    scorer = BridgeScorer(BridgeGraph(facts, 1), axes[:2], axes[2:3])
    bridge = scorer.score("a few words", axes[0], np.array([1.0, 0.0]), ()).bridge
    assert (bridge[1] > 0) == is_reached


def test_of_passages_that_name_a_thing_the_one_about_it_comes_first() -> None:
    """All but the subject is the same, and the first stage has the other one first."""
    alike = np.repeat(unit(1, 3), 2, axis=0)
    scorer = BridgeScorer(BridgeGraph(facts_of([[0], [0]], [], [-1, 0]), 1), alike, unit(1, 4))
    first = np.array([0.9, 0.8])
    about = scorer.score("a few words", unit(1, 5)[0], first, (0,)).total
    unnamed = scorer.score("a few words", unit(1, 5)[0], first, ()).total
    assert about[1] > about[0]
    assert unnamed[0] > unnamed[1]


def test_the_fifty_first_passages_of_the_first_stage_are_where_a_walk_starts() -> None:
    """Without facts and names; one entity a passage, so nothing spreads from one to another."""
    graph = BridgeGraph(facts_of([[i] for i in range(60)], []), 60)
    found = BridgeScorer(graph, unit(60, 3), unit(60, 4)).score(
        "a few words", unit(1, 5)[0], np.linspace(1, 0.9, 60), ()
    )
    assert [bool(x) for x in found.pagerank.passages > 0] == [True] * 50 + [False] * 10
