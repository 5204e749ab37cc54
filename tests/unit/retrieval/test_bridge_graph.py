"""Bridge-PPR's graph: its matrix by definition, PageRank against networkx, and what a new document
can change.
"""

import networkx as nx
import numpy as np
import pytest
from bridge_corpora import adjacency, corpora, facts_of, pagerank
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.retrieval.bridge import bridge_graph
from dynagrag.retrieval.bridge.bridge_graph import BridgeGraph


@given(corpora(), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_pagerank_run_to_convergence_is_that_of_networkx(corpus: tuple, seed: int) -> None:
    held, facts, n = corpus
    graph = BridgeGraph(facts_of(held, facts), n)
    a = adjacency(held, facts, n)
    there = a.sum(axis=1) > 0
    restart = np.where(there, np.random.default_rng(seed).random(len(a)), 0)
    restart /= restart.sum()
    wanted = nx.pagerank(
        nx.from_numpy_array(a),
        alpha=0.65,
        personalization=dict(enumerate(restart)),
        tol=1e-12,
        max_iter=1000,
    )
    found = pagerank(graph, restart, num_steps=200)
    np.testing.assert_allclose(
        found[there], np.array([wanted[i] for i in range(len(a))])[there], atol=2e-6
    )


@given(corpora())
@settings(max_examples=40, deadline=None)
def test_the_matrix_is_its_definition(corpus: tuple) -> None:
    held, facts, n = corpus
    graph = BridgeGraph(facts_of(held, facts), n)
    a = adjacency(held, facts, n)
    degrees = a.sum(axis=1)
    wanted = np.divide(a, degrees[:, None], out=np.zeros_like(a), where=degrees[:, None] > 0).T
    found = np.stack(
        [(pagerank(graph, row, num_steps=1) - 0.35 * row) / 0.65 for row in np.eye(len(a))], axis=1
    )
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    assert graph.df.tolist() == [sum(e in some for some in held) for e in range(n)]


@given(corpora(), corpora(), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_a_document_that_shares_no_entity_changes_no_walk_among_the_others(
    corpus: tuple, other: tuple, seed: int
) -> None:
    """Invariant: transitions, document frequencies and so PageRank from the same restart. What it
    can change is z01, the words' statistics and who is among the first two facts, fifty passages
    and five bridges.
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
    np.testing.assert_allclose(
        np.concatenate((found[:n], found[n + more : n + more + len(held)])),
        pagerank(before, restart),
        atol=1e-7,
    )
    assert found[n : n + more].sum() + found[n + more + len(held) :].sum() == 0
    assert after.df[:n].tolist() == before.df.tolist()


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
