"""Which lines go first when a hard prompt must be shorter."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.core.schema import Walk
from dynagrag.generation.hard_prompt import LineCut, NodeLine, RelationLine

PAIR = Walk((0, 1), {0: -1, 1: 0}, {0: 0, 1: 1}, {0: (1,), 1: ()}, 0)
STAR = Walk(
    (0, 1, 2, 3),
    dict(enumerate((-1, 0, 0, 0))),
    dict(enumerate((0, 1, 1, 1))),
    {0: (1, 2, 3), 1: (), 2: (), 3: ()},
    0,
)


def beside(index: int, score: float, weight: float = 1) -> RelationLine:
    return RelationLine(index, 0, 1, 1, score, weight, is_tree=True)


def order_of_relations(lines: Sequence[RelationLine]) -> list[int]:
    """In which they go, one after the other."""
    gone: list[int] = []
    nodes = [NodeLine(0, 1.0, 1), NodeLine(1, 1.0, 1)]
    for num in range(1, len(lines)):
        cut = LineCut(PAIR, nodes, lines, {0: 10, 1: 10}, [10] * len(lines))
        assert cut.take(10 * num) == num
        gone += [i for i in range(len(lines)) if i not in cut.kept_relations and i not in gone]
    return gone


@pytest.mark.parametrize(
    ("lines", "gone"),
    [
        ([beside(0, 0.9), beside(1, 0.2), beside(2, 0.5), beside(3, 0.95)], [1, 2, 0]),
        ([beside(0, 0.5, 3), beside(1, 0.5, 1), beside(2, 0.5, 2), beside(3, 0.5, 9)], [1, 2, 0]),
        ([beside(0, 0.5), beside(1, 0.5), beside(2, 0.5)], [2, 1]),
        ([beside(0, 0.2, 9), beside(1, 0.5, 1), beside(2, 0.9, 1)], [0, 1]),
    ],
)
def test_relations_go_lowest_score_first_then_the_lighter_then_the_later(
    lines: list[RelationLine], gone: list[int]
) -> None:
    assert order_of_relations(lines) == gone


@pytest.mark.parametrize(
    ("nodes", "first"),
    [
        ([NodeLine(1, 0.9, 1), NodeLine(2, 0.2, 9), NodeLine(3, 0.5, 1)], 2),
        ([NodeLine(1, 0.5, 3), NodeLine(2, 0.5, 2), NodeLine(3, 0.5, 9)], 2),
        ([NodeLine(1, 0.5, 1), NodeLine(2, 0.5, 1), NodeLine(3, 0.5, 1)], 3),
    ],
)
def test_leaves_go_lowest_score_first_then_the_lighter_then_the_later(
    nodes: list[NodeLine], first: int
) -> None:
    relations = [RelationLine(i, 0, i, i, 1.0, 1, is_tree=True) for i in (1, 2, 3)]
    cut = LineCut(
        STAR, [NodeLine(0, 0.1, 1), *nodes], relations, dict.fromkeys(range(4), 10), [10] * 3
    )
    assert cut.take(1) == 2
    assert cut.kept_nodes == {0, 1, 2, 3} - {first}
    assert first - 1 not in cut.kept_relations


def test_a_node_goes_before_a_relation_that_scores_higher_and_after_one_that_scores_lower() -> None:
    nodes = [NodeLine(0, 0.1, 1), NodeLine(1, 0.4, 1), NodeLine(2, 0.6, 1), NodeLine(3, 0.9, 1)]
    ties = [RelationLine(i, 0, i, i, 1.0, 1, is_tree=True) for i in (1, 2, 3)]
    extra = RelationLine(9, 2, 3, 3, 0.5, 1, is_tree=False)
    cut = LineCut(STAR, nodes, [*ties, extra], dict.fromkeys(range(4), 10), [10] * 4)
    cut.take(1)
    assert (cut.kept_nodes, 3 in cut.kept_relations) == ({0, 2, 3}, True)
    cut = LineCut(STAR, nodes, [*ties, extra], dict.fromkeys(range(4), 10), [10] * 4)
    cut.take(21)
    assert (cut.kept_nodes, 3 in cut.kept_relations) == ({0, 2, 3}, False)


RELEVANCE = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1, width=32)


@st.composite
def trees(
    draw: st.DrawFn,
) -> tuple[Walk, list[NodeLine], list[RelationLine], dict[int, int], list[int]]:
    """A random tree, one or two relations that tie each node to its parent, some across it, scores
    of any kind and lines of any length.
    """
    n = draw(st.integers(1, 12))
    parent = {0: -1} | {node: draw(st.integers(0, node - 1)) for node in range(1, n)}
    children = {
        node: tuple(child for child in range(1, n) if parent[child] == node) for node in range(n)
    }
    depth = {0: 0}
    for node in range(1, n):
        depth[node] = depth[parent[node]] + 1
    score = draw(st.sampled_from([RELEVANCE, *map(st.just, (0.0, 0.5, 1.0))]))  # also all alike
    nodes = [NodeLine(node, draw(score), draw(st.integers(0, 3))) for node in range(n)]
    ends = [
        (parent[node], node, True) for node in range(1, n) for _ in range(draw(st.integers(1, 2)))
    ]
    across = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=8))
    ends += [
        (min(a, b), max(a, b), False)
        for a, b in across
        if a != b and a != parent[b] and b != parent[a]
    ]
    relations = [
        RelationLine(i, a, b, b, draw(score), draw(st.integers(1, 3)), tree)
        for i, (a, b, tree) in enumerate(ends)
    ]
    length = st.integers(1, 60)
    return (
        Walk(tuple(range(n)), parent, depth, children, 0),
        nodes,
        relations,
        {v: draw(length) for v in range(n)},
        [draw(length) for _ in ends],
    )


@given(trees(), st.integers(0, 1200))
@settings(max_examples=300, deadline=None)
def test_whatever_the_scores_the_root_and_the_way_to_each_survivor_stay(
    case: tuple[Walk, list[NodeLine], list[RelationLine], dict[int, int], list[int]], num_chars: int
) -> None:
    walk, nodes, relations, node_chars, chars = case
    cut = LineCut(walk, nodes, relations, node_chars, chars)
    num_cut = cut.take(num_chars)
    kept = [relations[i] for i in cut.kept_relations]
    assert 0 in cut.kept_nodes
    for node in cut.kept_nodes - {0}:
        assert walk.parent[node] in cut.kept_nodes
        assert any(line.is_tree and line.under == node for line in kept), (
            "nothing says how it hangs together with its parent"
        )
    assert all({line.head, line.tail} <= cut.kept_nodes for line in kept)
    assert num_cut == len(nodes) + len(relations) - len(cut.kept_nodes) - len(kept)
    gone = (
        sum(node_chars.values())
        + sum(chars)
        - sum(node_chars[v] for v in cut.kept_nodes)
        - sum(chars[i] for i in cut.kept_relations)
    )
    assert gone >= num_chars or (cut.kept_nodes, kept) == ({0}, [])
