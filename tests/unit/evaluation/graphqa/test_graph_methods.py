"""The parts of methods, and what they put to a model."""

import pytest

from dynagrag.core.errors import UsageError
from dynagrag.evaluation.graphqa.graph_methods import (
    METHODS,
    TRAINED,
    Description,
    GraphPart,
    method_of,
    parts_of,
    variant_name,
)
from dynagrag.evaluation.graphqa.graph_question import AnswerForm, GraphQuestion, Part, TextGraph
from dynagrag.evaluation.graphqa.graph_retrieval import TextVectors
from dynagrag.evaluation.graphqa.published_figures import published_of
from dynagrag.evaluation.graphqa.retrieval_options import RetrievalOptions
from dynagrag.evaluation.graphqa.soft_examples import FACTS_HEAD, soft_examples
from dynagrag.fakes import FakeEmbedder
from dynagrag.retrieval.steiner.steiner_tree import TreeOptions

pytestmark = pytest.mark.slow

GRAPH = TextGraph.of_triples(
    [
        ("castle", "seat of", "king arthur"),
        *((f"town {i}", "road", f"town {i + 1}") for i in range(40)),
    ]
)
ASKED = GraphQuestion(
    "q",
    "Question: who has a castle\nAnswer: ",
    "who has a castle",
    GRAPH,
    ("king",),
    "king",
    Part.TEST,
    AnswerForm.LIST,
    TreeOptions(2, 1),
)


def example_of(name: str, *without: str) -> tuple[str, str, int]:
    """Description, question and number of graphs."""
    (made,) = soft_examples(
        [ASKED], TextVectors(FakeEmbedder(dimension=256)), method_of(name, without)
    )
    return made.description, made.question, len(made.graphs)


def test_baselines_say_what_the_papers_say() -> None:
    zero_shot = example_of("zero-shot")
    assert example_of("zero-cot") == (
        zero_shot[0],
        "Question: who has a castle\nAnswer: Let's think step by step.",
        0,
    )
    build = (
        "Let's construct a graph with the nodes and edges first.\n"
        "Question: who has a castle\n"
        "Answer: "
    )
    assert example_of("cot-bag") == (zero_shot[0], build, 0)
    facts = example_of("kaping")[0].splitlines()
    assert facts[:2] == [FACTS_HEAD, "(castle, seat of, king arthur)"]
    assert len(facts) == 11
    for name in ("bm25", "dense"):
        text, question, num_graphs = example_of(name)
        assert "castle" in text
        assert len(text.splitlines()) < len(GRAPH.nodes) + len(GRAPH.edges)
        assert (question, num_graphs) == (ASKED.question, 0)
    assert example_of("question-only") == ("", ASKED.question, 0)
    empty = GraphQuestion(
        "e", "q", "q", TextGraph((), ()), ("a",), "a", Part.TEST, AnswerForm.LIST, TreeOptions()
    )
    for name in METHODS:
        (made,) = soft_examples([empty], TextVectors(FakeEmbedder()), METHODS[name])
        assert made.description in ("", "node_id,node_attr\n\nsrc,edge_attr,dst\n")


def test_a_part_that_is_left_out_is_left_out() -> None:
    assert example_of("g-retriever", "encoder")[2] == 0
    assert "town 39" in example_of("g-retriever", "retrieval")[0]
    for name in ("zero-shot", "zero-cot", "prompt-tuning", "lora"):
        assert "town 39" in example_of(name, "retrieval")[0]
        assert "town 39" not in example_of(name)[0]
    assert example_of("graph-token", "retrieval")[2] == 1
    assert "town 39" not in example_of("g-retriever")[0]
    assert not method_of("grag", ["pruning"]).parts.is_pruned
    assert method_of("g-retriever", ["encoder"]).parts.has_virtual
    assert not method_of("g-retriever-lora", ["text"]).parts.has_text
    assert not method_of("g-retriever", ["projector"]).parts.has_projector
    assert method_of("g-retriever", description=Description.TREE).retrieval is GraphPart.TREE


def test_grag_without_retrieval_is_questions_and_answers_and_without_encoder_has_no_token() -> None:
    assert example_of("grag-lora", "retrieval") == ("", ASKED.question, 0)
    assert example_of("lora", "text") == ("", ASKED.question, 0)
    for made in (method_of("grag-lora", ["retrieval"]), method_of("lora", ["text"])):
        parts = made.parts
        assert (parts.has_lora, parts.has_graph, parts.has_text, parts.has_virtual) == (
            (True,) + (False,) * 3
        )
    alone = method_of("grag-lora", ["encoder"]).parts
    assert (alone.has_lora, alone.has_graph, alone.has_text, alone.has_virtual) == (
        True,
        False,
        True,
        False,
    )
    assert example_of("grag-lora", "encoder") == (example_of("grag-lora")[0], ASKED.question, 0)


def test_what_a_method_has_not_can_not_be_left_out() -> None:
    assert [name for name in METHODS if "text" in parts_of(name)] == [
        "g-retriever",
        "grag",
        "lora",
        "g-retriever-lora",
        "grag-lora",
    ]
    without_retrieval = ["graph-token", "prompt-tuning", "zero-shot", "zero-cot", "cot-bag"]
    assert [name for name in METHODS if parts_of(name) == ("retrieval",)] == without_retrieval
    for name, part, said in (
        (
            "g-retriever",
            "pruning",
            (
                "g-retriever can't go without 'pruning'; it can without: encoder, projector, text,"
                " retrieval"
            ),
        ),
        ("lora", "encoder", "lora can't go without 'encoder'; it can without: text, retrieval"),
        ("kaping", "retrieval", "kaping can't go without 'retrieval'; it can without: nothing"),
        # nothing would be left to train
        ("grag", "encoder", "grag can't go without 'encoder'; it can without: projector, text"),
        ("grag", "retrieval", "grag can't go without 'retrieval'; it can without: projector, text"),
        ("magic", "text", "there is no method 'magic'; known: majority, g-retriever"),
    ):
        with pytest.raises(UsageError, match=said):
            method_of(name, [part])
    with pytest.raises(UsageError, match="without encoder there is no pruning in grag-lora"):
        method_of("grag-lora", ["encoder", "pruning"])
    with pytest.raises(UsageError, match="without encoder there is no text in g-retriever"):
        method_of("g-retriever", ["encoder", "text"])


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        (
            "g-retriever",
            RetrievalOptions(hops=1),
            "g-retriever retrieves nothing by --hops; it has: --top-nodes, --top-edges",
        ),
        (
            "grag",
            RetrievalOptions(top_nodes=9),
            "--top-nodes; it has: --hops, --ego-graphs, --kept, --ego-edges",
        ),
        ("bm25", RetrievalOptions(edge_cost=2), "--edge-cost; it has: --nearest"),
        ("question-only", RetrievalOptions(nearest=2), "--nearest; it has: no such options"),
    ],
)
def test_numbers_of_what_a_method_does_not_retrieve_are_refused(
    name: str, options: RetrievalOptions, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        method_of(name, options=options)


def test_a_variants_name_tells_its_numbers() -> None:
    assert variant_name("g-retriever", []) == "g-retriever"
    assert variant_name("grag", [], "edge-gat") == "grag", "its own layer"
    assert variant_name("grag", ["text"], "gat") == "grag without text with gat"
    wide = RetrievalOptions(top_nodes=10, top_edges=10)
    assert variant_name("g-retriever", [], "gcn", wide) == (
        "g-retriever with gcn, top nodes 10, top edges 10"
    )


def test_every_published_ablation_is_one_that_can_be_trained() -> None:
    known = {variant_name(name, [part]) for name in TRAINED for part in parts_of(name)}
    known |= {variant_name("g-retriever", [], layer) for layer in ("gat", "gcn")}
    known |= {
        variant_name("g-retriever", [], None, RetrievalOptions(top_nodes=k, top_edges=k))
        for k in (3, 5, 10, 20)
    }
    printed = {
        system
        for dataset in ("webqsp", "explagraphs")
        for system in published_of(dataset)
        if " with" in system
    }
    assert printed
    assert printed <= known
    methods = {
        system
        for dataset in ("webqsp", "explagraphs", "scenegraphs")
        for system in published_of(dataset)
    } - printed
    assert methods - {"majority", "gns", "toporag", "subgraphrag"} <= set(METHODS)
