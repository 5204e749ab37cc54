"""The part of a question's graph that each method puts into its prompt."""

import numpy as np
import pytest

from dynagrag.evaluation.graphqa.graph_methods import METHODS, Description, method_of
from dynagrag.evaluation.graphqa.graph_question import AnswerForm, GraphQuestion, Part, TextGraph
from dynagrag.evaluation.graphqa.graph_retrieval import (
    MAX_NODES,
    TextVectors,
    ego_graphs_of,
    nearest_facts,
    nearest_of,
    part_of_graph,
    tree_of,
    triples_of_graph,
    union_of,
)
from dynagrag.evaluation.graphqa.soft_examples import soft_examples
from dynagrag.fakes import FakeEmbedder
from dynagrag.retrieval.steiner.steiner_tree import TreeOptions

pytestmark = pytest.mark.slow

CHAIN = TextGraph.of_triples((f"town {i}", "road", f"town {i + 1}") for i in range(60))
FAR = TextGraph(
    (*CHAIN.nodes, "castle", "king arthur"), (*CHAIN.edges, (30, "beside", 61), (61, "seat of", 62))
)


def question(
    graph: TextGraph = FAR,
    tree: TreeOptions | None = None,
    query: str = "who is king of the castle",
) -> GraphQuestion:
    return GraphQuestion("q", query, query, graph, ("a",), "a", Part.TEST, AnswerForm.LIST, tree)


def vectors() -> TextVectors:
    return TextVectors(FakeEmbedder(dimension=256))


def test_texts_are_embedded_once() -> None:
    embedder = FakeEmbedder()
    found = TextVectors(embedder)
    assert np.array_equal(found.of(["a", "b", "a"])[0], found.of(["a"])[0])
    assert embedder.num_texts == 2
    assert found.of([]).shape == (0, 32)


def test_no_more_texts_are_held_than_are_to_be_and_none_is_embedded_twice_for_neighbours() -> None:
    embedder = FakeEmbedder()
    found = TextVectors(embedder, max_kept=8)
    graphs = [
        TextGraph.of_triples([(f"a{i}", f"r{i}", f"b{i}"), (f"b{i}", f"r{i}", "shared")])
        for i in range(5)
    ]
    examples = soft_examples([question(graph) for graph in graphs], found, METHODS["g-retriever"])
    assert len(examples) == 5
    assert embedder.num_texts == 5 + 7 + 6 + 3, (
        "five questions, and the texts of two, two and one graph; what they share stays"
    )
    assert all(
        np.array_equal(example.graphs[0].x, found.of(graph.nodes))
        for example, graph in zip(examples, graphs, strict=True)
    )


def test_the_tree_is_small_and_whole_graphs_stay_whole() -> None:
    found = tree_of(question(tree=TreeOptions(num_nodes=2, num_edges=0, cost=0.5)), vectors())
    assert found == TextGraph(("castle", "king arthur"), ((0, "seat of", 1),))
    assert tree_of(question(), vectors()) is FAR
    bare = TextGraph(("a", "b"), ())
    assert tree_of(question(bare, TreeOptions()), vectors()) is bare


def test_plain_retrievers_take_nodes_and_edges_apart() -> None:
    words = nearest_of(question(tree=TreeOptions(), query="castle"), None)
    assert {"castle", "king arthur", "town 30"} <= set(words.nodes), (
        "the castle's edges have its name, and bring their ends"
    )
    assert set(words.edges) >= {
        (words.nodes.index("castle"), "seat of", words.nodes.index("king arthur"))
    }
    near = nearest_of(question(tree=TreeOptions(), query="castle"), vectors())
    assert "castle" in near.nodes
    assert len(nearest_of(question(), vectors()).edges) == 10
    assert len(near.edges) == 20


def test_facts_are_nearest_first() -> None:
    found = nearest_facts(question(query="castle seat of king arthur"), vectors())
    assert found[0] == ("castle", "seat of", "king arthur")
    assert len(found) == 10
    assert nearest_facts(question(TextGraph(("a",), ())), vectors()) == []


def test_ego_graphs_lie_round_what_is_near_the_question() -> None:
    rooted = ego_graphs_of(question(tree=TreeOptions(), query="king arthur castle"), vectors())
    assert len(rooted) == 5
    assert rooted[0].graph.nodes[rooted[0].root] == "king arthur"
    found = [own.graph for own in rooted]
    assert found[0] == TextGraph(
        ("town 30", "castle", "king arthur"), ((0, "beside", 1), (1, "seat of", 2))
    ), "two hops round the king"
    assert all(len(graph.nodes) <= 20 for graph in found)
    (whole_graph,) = ego_graphs_of(question(query="king arthur"), vectors())
    assert (whole_graph.graph, whole_graph.graph.nodes[whole_graph.root]) == (FAR, "king arthur")
    whole = union_of(found)
    assert len(set(whole.nodes)) == len(whole.nodes)
    assert {("castle", "seat of", "king arthur")} <= {
        (whole.nodes[h], r, whole.nodes[t]) for h, r, t in whole.edges
    }


def test_a_part_of_a_graph_has_numbers_of_its_own() -> None:
    assert part_of_graph(FAR, [0], [61]) == TextGraph(
        ("town 0", "castle", "king arthur"), ((1, "seat of", 2),)
    )
    assert union_of([TextGraph(("x",), ()), TextGraph(("a", "x"), ((0, "r", 1),))]) == TextGraph(
        ("a", "x"), ((0, "r", 1),)
    )


def test_examples_hold_what_their_method_retrieves() -> None:
    from dynagrag.evaluation.graphqa.soft_examples import soft_examples

    asked = [question(tree=TreeOptions())]
    (tree,) = soft_examples(asked, vectors(), METHODS["g-retriever"])
    (several,) = soft_examples(asked, vectors(), METHODS["grag"])
    assert (len(tree.graphs), len(several.graphs)) == (1, 5)
    assert tree.graphs[0].x.shape[1] == 256
    assert "king arthur" in tree.description
    assert several.description.startswith("[1] ")
    assert several.description.count("\n\n[1] ") == 4
    (tables,) = soft_examples(asked, vectors(), method_of("grag", description=Description.TABLES))
    assert tables.description.startswith("node_id,node_attr\n0,")
    (empty,) = soft_examples(
        [question(TextGraph((), ()), TreeOptions())], vectors(), METHODS["grag"]
    )
    assert (empty.graphs[0].x.shape, empty.graphs[0].ends.shape) == ((0, 256), (0, 2))


def test_of_a_graph_too_large_the_nearest_nodes_are_left_with_their_edges() -> None:
    found, query = vectors(), "who is king of the castle"
    towns = [f"town {i}" for i in range(MAX_NODES + 20)]
    farthest = int(np.argmin(found.of(towns) @ found.of_query(query)))
    nodes, king = (*towns, "castle", "king of the castle"), len(towns) + 1
    edges = (
        *((i, "road", i + 1) for i in range(len(towns) - 1)),
        (king, "exiled to", farthest),
        (king - 1, "seat of", king),
    )
    whole = TextGraph(nodes, edges)
    rooted = ego_graphs_of(question(whole, TreeOptions(), query), found)
    assert len(rooted) == 5
    assert nodes[king] in rooted[0].graph.nodes
    assert rooted[0].graph.edges
    for own in rooted:
        assert towns[farthest] not in own.graph.nodes, "it was left out, with the edge to it"
        assert set(triples_of_graph(own.graph)) <= set(triples_of_graph(whole)), (
            "edges have their own ends"
        )


@pytest.mark.parametrize("method", ["g-retriever", "grag"])
@pytest.mark.parametrize("tree", [None, TreeOptions()])
def test_what_the_encoder_reads_are_the_graphs_own_edges_with_their_vectors(
    method: str, tree: TreeOptions | None
) -> None:
    from dynagrag.evaluation.graphqa.soft_examples import soft_examples

    asked, found = question(tree=tree), vectors()
    graphs = (
        [own.graph for own in ego_graphs_of(asked, found)]
        if method == "grag"
        else [tree_of(asked, found)]
    )
    (example,) = soft_examples([asked], found, METHODS[method])
    assert len(example.graphs) == len(graphs)
    for arrays, graph in zip(example.graphs, graphs, strict=True):
        assert graph.edges
        assert arrays.ends.tolist() == [[head, tail] for head, _, tail in graph.edges]
        assert np.array_equal(arrays.x, found.of(graph.nodes))
        assert np.array_equal(arrays.y, found.of([label for _, label, _ in graph.edges]))
        assert np.abs(arrays.y).sum() > 0
    assert np.array_equal(example.query, found.of_query(asked.query))
