"""What every traversal of the registry promises, under every profile, by the protocol
`Traversal`.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.config.settings import PROFILES
from dynagrag.core.protocols import Traversal
from dynagrag.core.schema import PruneScores, Subgraph
from dynagrag.generation.traversal import first_nodes
from dynagrag.registry.traversals import TRAVERSALS
from dynagrag.wiring import make_traversal

D = 4
EVERY = 10**6
CASES = list(product(TRAVERSALS, PROFILES))


@st.composite
def questions(draw: st.DrawFn) -> tuple[Subgraph, np.ndarray, PruneScores]:
    """A subgraph, connected or not, a question and a pruner's scores."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    num_nodes, num_ends = draw(st.integers(1, 20)), draw(st.integers(0, 40))
    drawn = {tuple(sorted(ends)) for ends in rng.integers(0, num_nodes, (num_ends, 2)).tolist()}
    pairs = sorted((a, b) for a, b in drawn if a != b)
    x = rng.normal(size=(num_nodes, D)).astype(np.float32)
    subgraph = Subgraph(
        nodes=tuple(rng.permutation(100)[:num_nodes].tolist()),
        hops=(0,) * num_nodes,
        pairs=np.array(pairs, dtype=np.int64).reshape(-1, 2),
        pair_relations=((0,),) * len(pairs),
        x=x / np.linalg.norm(x, axis=1, keepdims=True),
        y=np.zeros((len(pairs), D), dtype=np.float32),
        weights=rng.integers(1, 4, len(pairs)).astype(np.float32),
        score=1.0,
    )
    nodes, edges = (rng.random(n, dtype=np.float32) for n in (num_nodes, len(pairs)))
    scores = PruneScores(nodes, edges, "test", is_trained=draw(st.booleans()))
    return subgraph, rng.normal(size=D).astype(np.float32), scores


@pytest.fixture(params=CASES, ids="-".join, scope="module")
def traversal(request: pytest.FixtureRequest) -> Traversal:
    name, profile = request.param
    return make_traversal(name, PROFILES[profile])


@given(questions())
def test_it_starts_at_the_centre_and_visits_what_hangs_on_it_once(
    traversal: Traversal, question: tuple[Subgraph, np.ndarray, PruneScores]
) -> None:
    subgraph, _, _ = question
    walk = traversal.walk(*question, first_nodes(EVERY))
    assert walk.order[0] == 0
    assert len(set(walk.order)) == len(walk.order)
    pairs = {frozenset(pair) for pair in subgraph.pairs.tolist()}
    left_out = set(range(len(subgraph.nodes))) - set(walk.order)
    assert not [p for p in pairs if len(p & left_out) == 1], "the component of the centre is whole"
    assert walk.num_unvisited == len(left_out)


@given(questions())
def test_the_walk_is_a_tree_of_pairs_in_the_order_of_visit(
    traversal: Traversal, question: tuple[Subgraph, np.ndarray, PruneScores]
) -> None:
    walk = traversal.walk(*question, first_nodes(EVERY))
    pairs = {frozenset(pair) for pair in question[0].pairs.tolist()}
    assert (walk.parent[0], walk.depth[0]) == (-1, 0)
    assert set(walk.parent) == set(walk.depth) == set(walk.children) == set(walk.order)
    for place, node in enumerate(walk.order[1:], 1):
        parent = walk.parent[node]
        assert parent in walk.order[:place]
        assert frozenset((parent, node)) in pairs
        assert walk.depth[node] == walk.depth[parent] + 1
    for node, children in walk.children.items():
        assert list(children) == [v for v in walk.order if walk.parent[v] == node]


@given(questions(), st.integers(0, 25))
def test_a_budget_cuts_the_walk_short_and_the_centre_stays(
    traversal: Traversal,
    question: tuple[Subgraph, np.ndarray, PruneScores],
    num: int,
) -> None:
    whole = traversal.walk(*question, first_nodes(EVERY))
    cut = traversal.walk(*question, first_nodes(num))
    assert cut.order == whole.order[: max(1, num)]
    assert cut.num_unvisited == len(question[0].nodes) - len(cut.order)


@given(questions(), st.integers(0, 25))
def test_nodes_are_offered_in_the_order_of_visit_until_one_is_not_taken(
    traversal: Traversal,
    question: tuple[Subgraph, np.ndarray, PruneScores],
    num: int,
) -> None:
    offered: list[tuple[int, int]] = []

    def takes(node: int, parent: int) -> bool:
        offered.append((node, parent))
        return len(offered) <= num

    walk = traversal.walk(*question, takes)
    whole = traversal.walk(*question, first_nodes(EVERY))
    expected = [(node, whole.parent[node]) for node in whole.order]
    assert offered == expected[: num + 1]
    assert [node for node, _ in offered[:num]] == list(walk.order)[: len(offered[:num])]


@given(questions())
def test_the_same_question_is_walked_alike_each_time(
    traversal: Traversal, question: tuple[Subgraph, np.ndarray, PruneScores]
) -> None:
    assert traversal.walk(*question, first_nodes(EVERY)) == traversal.walk(
        *question, first_nodes(EVERY)
    )
