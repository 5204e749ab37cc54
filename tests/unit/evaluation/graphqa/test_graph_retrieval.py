"""The part of a question's graph that each method puts into its prompt."""

import numpy as np
import pytest

from dynagrag.evaluation.graphqa.graph_methods import METHODS, Description, method_of
from dynagrag.evaluation.graphqa.graph_question import AnswerForm, GraphQuestion, Part, TextGraph
from dynagrag.evaluation.graphqa.graph_retrieval import (
    MAX_NODES,
    RetrievedPart,
    Rows,
    TextVectors,
    ego_graphs_of,
    nearest_facts,
    nearest_of,
    part_of_graph,
    tree_of,
    triples_of_graph,
    whole_of,
)
from dynagrag.evaluation.graphqa.retrieval_options import EgoEdges, RetrievalOptions
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


def read_of(asked: GraphQuestion, part: RetrievedPart) -> TextGraph:
    return part_of_graph(asked.graph, part.read)


def test_the_tree_is_small_and_whole_graphs_stay_whole() -> None:
    asked = question(tree=TreeOptions(num_nodes=2, num_edges=0, cost=0.5))
    found = tree_of(asked, vectors())
    assert read_of(asked, found) == TextGraph(("castle", "king arthur"), ((0, "seat of", 1),))
    assert found.written == found.read == Rows((61, 62), (61,))
    assert read_of(question(), tree_of(question(), vectors())) == FAR
    bare = question(TextGraph(("a", "b"), ()), TreeOptions())
    assert tree_of(bare, vectors()) == whole_of(bare.graph)


def test_more_ranks_and_dearer_edges_make_another_tree() -> None:
    asked, found = question(tree=TreeOptions()), vectors()
    of_set = tree_of(asked, found)
    wide = tree_of(asked, found, RetrievalOptions(top_nodes=40, edge_cost=0.01))
    assert len(wide.read.nodes) > len(of_set.read.nodes)
    assert tree_of(asked, found, RetrievalOptions(top_nodes=3, top_edges=5)) == of_set
    alone = tree_of(asked, found, RetrievalOptions(top_nodes=1, top_edges=0, edge_cost=9))
    assert len(alone.read.nodes) == 1


def test_a_trees_text_has_the_graphs_own_numbers_and_the_solvers_order() -> None:
    asked = question(tree=TreeOptions(num_nodes=2, num_edges=0, cost=0.5))
    (example,) = soft_examples([asked], vectors(), METHODS["g-retriever"])
    assert example.description == (
        "node_id,node_attr\n61,castle\n62,king arthur\n\nsrc,edge_attr,dst\n61,seat of,62\n"
    )
    assert example.graphs[0].ends.tolist() == [[0, 1]], "an encoder's tensors begin at 0"
    graph = TextGraph.of_triples([("a", "castle seat", "b"), ("b", "of", "king")])
    two = question(graph, TreeOptions(num_nodes=2, num_edges=1), "castle seat king")
    (written,) = soft_examples([two], vectors(), METHODS["g-retriever"])
    assert written.description.endswith("src,edge_attr,dst\n1,of,2\n0,castle seat,1\n"), (
        "edges that cost something, then those whose prize made nodes of them"
    )


def test_plain_retrievers_take_nodes_and_edges_apart() -> None:
    asked = question(tree=TreeOptions(), query="castle")
    words = read_of(asked, nearest_of(asked, None))
    assert {"castle", "king arthur", "town 30"} <= set(words.nodes), (
        "the castle's edges have its name, and bring their ends"
    )
    assert set(words.edges) >= {
        (words.nodes.index("castle"), "seat of", words.nodes.index("king arthur"))
    }
    near = read_of(asked, nearest_of(asked, vectors()))
    assert "castle" in near.nodes
    assert len(nearest_of(question(), vectors()).read.edges) == 10
    assert len(near.edges) == 20
    assert len(nearest_of(asked, vectors(), RetrievalOptions(nearest=3)).read.edges) == 3
    facts = nearest_facts(asked, vectors(), RetrievalOptions(nearest=4))
    assert len(facts) == 4


def test_facts_are_nearest_first() -> None:
    found = nearest_facts(question(query="castle seat of king arthur"), vectors())
    assert found[0] == ("castle", "seat of", "king arthur")
    assert len(found) == 10
    assert nearest_facts(question(TextGraph(("a",), ())), vectors()) == []


def test_ego_graphs_lie_round_what_is_near_the_question() -> None:
    asked = question(tree=TreeOptions(), query="king arthur castle")
    rooted = ego_graphs_of(asked, vectors())
    assert len(rooted) == 5
    assert FAR.nodes[rooted[0].root] == "king arthur"
    assert read_of(asked, rooted[0]) == TextGraph(
        ("town 30", "castle", "king arthur"), ((0, "beside", 1), (1, "seat of", 2))
    ), "two hops round the king"
    whole = question(query="king arthur")
    (whole_graph,) = ego_graphs_of(whole, vectors())
    assert (read_of(whole, whole_graph), FAR.nodes[whole_graph.root]) == (FAR, "king arthur")
    three = RetrievalOptions(hops=1, ego_graphs=3)
    near = ego_graphs_of(asked, vectors(), three)
    assert len(near) == 3
    assert {"castle", "king arthur"} == {FAR.nodes[node] for node in near[0].read.nodes}


def test_an_encoder_reads_ego_graphs_whole_and_the_text_has_the_best_of_them() -> None:
    spokes = [(f"spoke {i}", "of", "hub") for i in range(30)]
    star = TextGraph.of_triples([*spokes, ("hub", "of", "spoke of the wheel")])
    asked = question(star, TreeOptions(), "spoke of the wheel")
    (ego,) = ego_graphs_of(asked, vectors(), RetrievalOptions(ego_graphs=1, kept=4))
    assert (len(ego.read.nodes), len(ego.read.edges)) == (32, 31)
    assert (len(ego.written.nodes), len(ego.written.edges)) == (4, 4)
    assert star.nodes[ego.written.nodes[0]] == "spoke of the wheel", "best first"
    assert list(ego.written.edges) == sorted(ego.written.edges)
    method = method_of("grag", options=RetrievalOptions(ego_graphs=1, kept=4))
    (example,) = soft_examples([asked], vectors(), method)
    assert len(example.graphs[0].x) == 32
    assert example.description.count("is connected to") == 4
    everything = method_of("grag", options=RetrievalOptions(ego_graphs=1, kept=99))
    (whole,) = soft_examples([asked], vectors(), everything)
    assert whole.description.count("is connected to") == 31


def test_ego_graphs_may_reach_over_incoming_edges_alone() -> None:
    chain = question(TextGraph.of_triples([("a", "to", "b"), ("b", "to", "c")]), TreeOptions())
    one = RetrievalOptions(hops=1, ego_graphs=3, ego_edges=EgoEdges.IN)
    reached = {own.root: own.read.nodes for own in ego_graphs_of(chain, vectors(), one)}
    assert reached == {0: (0,), 1: (0, 1), 2: (1, 2)}


def test_a_part_of_a_graph_has_numbers_of_its_own() -> None:
    assert part_of_graph(FAR, Rows((0, 61, 62), (61,))) == TextGraph(
        ("town 0", "castle", "king arthur"), ((1, "seat of", 2),)
    )


def test_examples_hold_what_their_method_retrieves() -> None:
    asked = [question(tree=TreeOptions())]
    (tree,) = soft_examples(asked, vectors(), METHODS["g-retriever"])
    (several,) = soft_examples(asked, vectors(), METHODS["grag"])
    assert (len(tree.graphs), len(several.graphs)) == (1, 5)
    assert tree.graphs[0].x.shape[1] == 256
    assert "king arthur" in tree.description
    assert several.description.startswith("[1] ")
    assert several.description.count("\n\n[1] ") == 4
    (tables,) = soft_examples(asked, vectors(), method_of("grag", description=Description.TABLES))
    assert tables.description.count("node_id,node_attr\n") == 5, "a pair of tables each"
    assert "\n61,castle\n" in tables.description
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
    parts = [part_of_graph(whole, own.read) for own in rooted]
    assert nodes[king] in parts[0].nodes
    assert parts[0].edges
    for own in parts:
        assert towns[farthest] not in own.nodes, "it was left out, with the edge to it"
        assert set(triples_of_graph(own)) <= set(triples_of_graph(whole)), (
            "edges have their own ends"
        )


@pytest.mark.parametrize("method", ["g-retriever", "grag"])
@pytest.mark.parametrize("tree", [None, TreeOptions()])
def test_what_the_encoder_reads_are_the_graphs_own_edges_with_their_vectors(
    method: str, tree: TreeOptions | None
) -> None:
    asked, found = question(tree=tree), vectors()
    parts = ego_graphs_of(asked, found) if method == "grag" else [tree_of(asked, found)]
    graphs = [part_of_graph(asked.graph, own.read) for own in parts]
    (example,) = soft_examples([asked], found, METHODS[method])
    assert len(example.graphs) == len(graphs)
    for arrays, graph in zip(example.graphs, graphs, strict=True):
        assert graph.edges
        assert arrays.ends.tolist() == [[head, tail] for head, _, tail in graph.edges]
        assert np.array_equal(arrays.x, found.of(graph.nodes))
        assert np.array_equal(arrays.y, found.of([label for _, label, _ in graph.edges]))
        assert np.abs(arrays.y).sum() > 0
    assert np.array_equal(example.query, found.of_query(asked.query))
