"""What a trace tells of a retrieval: whole values, for passages, centres and drawn subgraphs that
were made by hand.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynagrag.core.schema import (
    Bridge,
    BridgeTrace,
    Candidate,
    CandidateTrace,
    EdgeTrace,
    FactTrace,
    Graph,
    HardPrompt,
    NodeTrace,
    PassageParts,
    PassageTrace,
    PruneScores,
    RankingTrace,
    Retrieval,
    ScoredPassage,
    Snapshot,
    Subgraph,
    Walk,
)
from dynagrag.generation.retrieval_trace import candidate_traces, ranking_trace, subgraph_trace

PARTS = (
    PassageParts("p1", 0.11119, 0.22229, 0.33339, 0.44449, 0.55559),
    PassageParts("p0", 0.61119, 0.12229, 0.03339, -0.04449, -0.05559),
)
TRACE = BridgeTrace(
    linked=("Moon",),
    facts=(("the crew lands", 0.87659), ("Houston guides", 0.12341)),
    gate=0.66669,
    bridges=(Bridge("p0", "id-crew", "Crew", "p1", 0.3),),
    parts=PARTS,
    steps=("Who lands?", "Where?"),
)
P1 = PassageTrace(
    document="Landing",
    id="p1",
    document_id="doc",
    start=61,
    end=101,
    start_s=None,
    words="The crew lands on the Moon. All is well.",
    score=1.6667,
    first_stage=0.1112,
    graph=0.2223,
    bridge=0.3334,
    around=0.4445,
    steps=0.5556,
    over="Crew",
    from_rank=2,
)
P0 = PassageTrace(
    document="Landing",
    id="p0",
    document_id="doc",
    start=0,
    end=101,
    start_s=0.5,
    words="Engine start. The engine burns hot. Houston guides the crew. The crew lands on",
    score=0.6667,
    first_stage=0.6112,
    graph=0.1223,
    bridge=0.0334,
    around=-0.0445,
    steps=-0.0556,
)


def retrieved(snapshot: Snapshot, trace: BridgeTrace | None = TRACE) -> Retrieval:
    """The second passage, then one that is all of the text."""
    first, second = snapshot.passages
    whole = replace(first, end=second.end, last_turn=second.last_turn)
    return Retrieval(
        "bridge-ppr", (ScoredPassage(second, 1.66669), ScoredPassage(whole, 0.66669)), trace=trace
    )


def passages_of(retrieval: Retrieval, snapshot: Snapshot) -> tuple[PassageTrace, ...]:
    ranking = ranking_trace(retrieval, snapshot)
    assert ranking is not None
    return ranking.passages


def test_a_ranking_is_told_whole(moon_snapshot: Snapshot) -> None:
    assert ranking_trace(retrieved(moon_snapshot), moon_snapshot) == RankingTrace(
        linked=("Moon",),
        facts=(
            FactTrace(text="the crew lands", cosine=0.8766),
            FactTrace(text="Houston guides", cosine=0.1234),
        ),
        gate=0.6667,
        steps=("Who lands?", "Where?"),
        passages=(P1, P0),
    )


def test_a_retriever_that_tells_nothing_has_no_ranking(moon_snapshot: Snapshot) -> None:
    assert ranking_trace(retrieved(moon_snapshot, None), moon_snapshot) is None


def test_only_a_split_question_has_a_share_of_its_steps(moon_snapshot: Snapshot) -> None:
    whole = retrieved(moon_snapshot, replace(TRACE, steps=()))
    assert passages_of(whole, moon_snapshot) == (replace(P1, steps=None), replace(P0, steps=None))


def test_a_bridge_from_a_passage_that_is_not_among_the_ranked_has_no_rank(
    moon_snapshot: Snapshot,
) -> None:
    elsewhere = replace(TRACE, bridges=(Bridge("p9", "id-moon", "Moon", "p0", 0.1),))
    assert passages_of(retrieved(moon_snapshot, elsewhere), moon_snapshot) == (
        replace(P1, over=None, from_rank=None),
        replace(P0, over="Moon", from_rank=None),
    )


def test_a_passage_begins_when_its_first_turn_with_a_time_does(moon_snapshot: Snapshot) -> None:
    untimed, *rest = moon_snapshot.turns["doc"]
    for turns, start_s in (
        ((replace(untimed, start_s=None), *rest), 72.9),
        ((replace(untimed, start_s=0.0), *rest), 0.0),
    ):
        snapshot = replace(moon_snapshot, turns={"doc": turns})
        assert passages_of(retrieved(snapshot), snapshot) == (P1, replace(P0, start_s=start_s))
    without = replace(moon_snapshot, turns={})
    assert passages_of(retrieved(without), without) == (P1, replace(P0, start_s=None))


def test_the_time_of_a_turn_outside_a_passage_is_not_the_passage_s(moon_snapshot: Snapshot) -> None:
    turns = tuple(
        replace(turn, start_s=float(10 + turn.index)) for turn in moon_snapshot.turns["doc"]
    )
    middle = replace(moon_snapshot.passages[0], first_turn=1)
    for start_s in (11.0, None):
        seen = tuple(replace(turn, start_s=start_s) if turn.index == 1 else turn for turn in turns)
        snapshot = replace(moon_snapshot, turns={"doc": seen})
        retrieval = Retrieval(
            "bridge-ppr", (ScoredPassage(middle, 1.0),), trace=replace(TRACE, parts=PARTS[:1])
        )
        assert [row.start_s for row in passages_of(retrieval, snapshot)] == [start_s]


def test_centres_are_told_in_their_order_with_what_became_of_them() -> None:
    looked_at = (
        Candidate("i", "Crew", 0.98769, is_accepted=True, reason="best"),
        Candidate("j", "Moon", 0.5, is_accepted=False, reason="near"),
    )
    assert candidate_traces(Retrieval("dynagrag", (), candidates=looked_at)) == (
        CandidateTrace(entity="Crew", score=0.9877, is_accepted=True, reason="best"),
        CandidateTrace(entity="Moon", score=0.5, is_accepted=False, reason="near"),
    )


# ---------------------------------------------------------------------------------------- subgraphs

RELATIONS = [
    (0, 2, "back", 2),
    (2, 0, "a", 1),
    (2, 0, "b", 3),
    (2, 0, "c", 1),
    (2, 0, "d", 1),
    (1, 2, "x", 1),
    (1, 2, "y", 2),
    (1, 2, "z", 1),
    (4, 0, "far", 5),
]


def subgraph_of(
    graph: Graph, nodes: tuple[int, ...], hops: tuple[int, ...], pairs: list[tuple[int, int]]
) -> Subgraph:
    """With all relations between the two ends of each pair."""
    ends = [{graph.entities[nodes[node]].id for node in pair} for pair in pairs]
    found = tuple(
        tuple(i for i, r in enumerate(graph.relations) if {r.head, r.tail} == both) for both in ends
    )
    nothing = np.zeros((0, 5), np.float32)
    array = np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)
    return Subgraph(
        nodes, hops, array, found, nothing, nothing, np.zeros(len(pairs), np.float32), 0.5
    )


def node_of(
    entity: int, weight: int, hops: int, score: float, *, is_in_prompt: bool = False
) -> NodeTrace:
    """One that was not visited."""
    name = f"e{entity:03}"
    return NodeTrace(
        id=name,
        name=name,
        type="thing",
        weight=weight,
        hops=hops,
        score=score,
        place=None,
        depth=None,
        parent=None,
        is_in_prompt=is_in_prompt,
    )


@pytest.fixture
def drawn(
    make_graph: Callable[..., Graph], moon_snapshot: Snapshot
) -> Callable[[HardPrompt], tuple[tuple[NodeTrace, ...], tuple[EdgeTrace, ...]]]:
    """Nodes and edges in the trace of six nodes, of which the walk visits the first, the third and
    the second.
    """
    graph = make_graph(6, RELATIONS, weights=(10, 11, 12, 13, 14, 15))
    subgraph = subgraph_of(graph, (2, 0, 1, 3, 4, 5), (0, 1, 1, 2, 2, 3), [(0, 1), (0, 2), (1, 4)])
    walk = Walk((0, 2, 1), {0: -1, 2: 0, 1: 2}, {0: 0, 2: 1, 1: 2}, {0: (2,), 2: (1,)}, 3)
    relevance = PruneScores(
        np.array([0.99999, 0.12349, 0.5, 0.25, 0.75, 0.25], np.float32),
        np.array([0.87659, 0.5, 0.25], np.float32),
        "test",
        is_trained=False,
    )

    def draw(prompt: HardPrompt) -> tuple[tuple[NodeTrace, ...], tuple[EdgeTrace, ...]]:
        trace = subgraph_trace(
            replace(moon_snapshot, graph=graph), subgraph, walk, relevance, prompt
        )
        assert (trace.num_nodes, trace.num_edges) == (6, len(RELATIONS))
        return trace.nodes, trace.edges

    return draw


def test_nodes_stand_in_the_order_of_the_walk_then_by_their_score(
    drawn: Callable[..., tuple[tuple[NodeTrace, ...], object]],
) -> None:
    nodes, _ = drawn(HardPrompt("", (), nodes=frozenset({0, 2})))
    assert nodes == (
        replace(node_of(2, 12, 0, 1.0, is_in_prompt=True), place=1, depth=0),
        replace(node_of(1, 11, 1, 0.5, is_in_prompt=True), place=2, depth=1, parent=0),
        replace(node_of(0, 10, 1, 0.1235), place=3, depth=2, parent=1),
        node_of(4, 14, 2, 0.75),
        node_of(3, 13, 2, 0.25),
        node_of(5, 15, 3, 0.25),
    )


def test_an_edge_has_its_direction_its_heaviest_labels_and_the_weight_of_all(
    drawn: Callable[..., tuple[object, tuple[EdgeTrace, ...]]],
) -> None:
    _, edges = drawn(HardPrompt("", ()))
    assert edges == (
        EdgeTrace(
            source=0,
            target=2,
            labels=("b", "a", "c", "…"),
            weight=6,
            score=0.8766,
            is_in_prompt=False,
        ),
        EdgeTrace(source=2, target=0, labels=("back",), weight=2, score=0.8766, is_in_prompt=False),
        EdgeTrace(
            source=1, target=0, labels=("y", "x", "z"), weight=4, score=0.5, is_in_prompt=False
        ),
        EdgeTrace(source=3, target=2, labels=("far",), weight=5, score=0.25, is_in_prompt=False),
    )


def test_an_edge_is_in_the_prompt_when_any_of_its_relations_is(
    drawn: Callable[..., tuple[object, tuple[EdgeTrace, ...]]], make_graph: Callable[..., Graph]
) -> None:
    index = {r.label: i for i, r in enumerate(make_graph(6, RELATIONS).relations)}
    for shown, wanted in (({"d"}, (0,)), ({"back"}, (1,)), ({"x", "far"}, (2, 3))):
        _, edges = drawn(HardPrompt("", (), relations=frozenset(index[label] for label in shown)))
        assert tuple(i for i, edge in enumerate(edges) if edge.is_in_prompt) == wanted


def test_of_a_large_subgraph_sixty_nodes_are_drawn_and_the_edges_between_them(
    make_graph: Callable[..., Graph], moon_snapshot: Snapshot
) -> None:
    graph = make_graph(62, [(i, i + 1, "next", 1) for i in range(61)])
    subgraph = subgraph_of(
        graph, tuple(range(62)), tuple(range(62)), [(i, i + 1) for i in range(61)]
    )
    walk = Walk((0,), {0: -1}, {0: 0}, {}, 61)
    rising = PruneScores(
        np.linspace(0, 1, 62, dtype=np.float32), np.zeros(61, np.float32), "test", is_trained=False
    )
    trace = subgraph_trace(
        replace(moon_snapshot, graph=graph), subgraph, walk, rising, HardPrompt("", ())
    )
    assert [node.name for node in trace.nodes] == ["e000", *(f"e{i:03}" for i in range(61, 2, -1))]
    names = [(trace.nodes[edge.source].name, trace.nodes[edge.target].name) for edge in trace.edges]
    assert names == [(f"e{i:03}", f"e{i + 1:03}") for i in range(3, 61)]
    assert (trace.num_nodes, trace.num_edges) == (62, 61)
