"""What supports an answer, by hand on a graph of five things in three passages, and the example
that a retrieval makes of it.
"""

import numpy as np

from dynagrag.core.schema import Entity, Graph, Relation, RelationRecord, Snapshot, Subgraph
from dynagrag.evaluation.pruning.answer_support import Support, SupportFinder, example_of

ANN, BUS, CELL, DIAL, EECOM = range(5)


def entity(name: str) -> Entity:
    return Entity(name, name, name, "", (name,), (), "", 1, ())


def relation(head: str, tail: str, *records: str) -> Relation:
    return Relation(f"{head}-{tail}", head, tail, "x", len(records), 1, (), records)


def record(id_: str, passage: str, head: str, tail: str) -> RelationRecord:
    return RelationRecord(id_, "d", 0, 9, passage, head, tail, "x", "", 0, 1, 0, "fast")


def snapshot() -> Snapshot:
    """p1 says that Ann has the bus, and beside it that the bus has the cell, as p2 does, which
    names the dial; p3 says the rest.
    """
    rows = [
        record("r1", "p1", "ann", "bus"),
        record("r2", "p1", "cell", "bus"),
        record("r3", "p2", "bus", "cell"),
    ]
    rows += [record("r4", "p3", "dial", "eecom"), record("r5", "p1", "ann", "ann")]
    relations = (
        relation("ann", "ann", "r5"),
        relation("ann", "bus", "r1"),
        relation("bus", "cell", "r3"),
        relation("cell", "bus", "r2"),
        relation("dial", "eecom", "r4"),
    )
    passages = (("p1",), ("p1", "p2"), ("p1", "p2"), ("p2", "p3"), ("p3",))
    entities = tuple(map(entity, ("ann", "bus", "cell", "dial", "eecom")))
    graph = Graph(
        entities, relations, np.zeros((5, 2), np.float32), np.zeros((5, 2), np.float32), passages
    )
    return Snapshot(
        "w", "1", {}, {}, (), np.zeros((0, 2), np.float32), {row.id: row for row in rows}, graph
    )


def subgraph(nodes: tuple[int, ...], pairs: list[tuple[int, int]]) -> Subgraph:
    flat = np.zeros((len(nodes), 2), np.float32)
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Subgraph(
        nodes,
        (0,) * len(nodes),
        ends,
        ((),) * len(ends),
        flat,
        flat[: len(ends)],
        np.ones(len(ends), np.float32),
        0.0,
    )


def test_support_is_what_the_provenance_names_and_near_it_what_its_passages_hold_besides() -> None:
    found = SupportFinder(snapshot()).find(["dial"], ["r1"], ["p1"])
    assert found == Support(
        frozenset({ANN, BUS, DIAL}),
        frozenset({(ANN, BUS)}),
        frozenset({CELL}),
        frozenset({(BUS, CELL)}),
    )


def test_a_pair_supports_by_its_records_in_either_direction() -> None:
    finder = SupportFinder(snapshot())
    assert finder.find([], ["r2"], []).pairs == finder.find([], ["r3"], []).pairs == {(BUS, CELL)}
    assert finder.find([], ["r5"], []) == Support(frozenset({ANN})), (
        "what a thing has with itself is no pair"
    )


def test_what_the_graph_does_not_have_any_more_is_passed_over() -> None:
    assert SupportFinder(snapshot()).find(["gone"], ["gone"], ["gone"]) == Support()


def test_an_example_has_a_label_for_each_node_and_pair_of_each_subgraph() -> None:
    support = SupportFinder(snapshot()).find(["dial"], ["r1"], ["p1"])
    one = subgraph((CELL, BUS, EECOM), [(1, 0), (0, 2)])
    other = subgraph((BUS, ANN), [(1, 0)])
    example = example_of("q", "?", "d", np.ones(2, np.float32), [one, other], support)
    assert [labels.tolist() for labels in example.node_labels] == [[0.5, 1, 0], [1, 1]]
    assert [labels.tolist() for labels in example.edge_labels] == [[0.5, 0], [1]]
    assert (example.num_nodes, example.num_edges) == (3, 1), (
        "the dial, which no subgraph holds, counts"
    )
