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
    assert example_of("grag-lora", "retrieval")[2] == 1
    assert example_of("grag", "retrieval")[0].startswith("[1] castle\n")
    assert not method_of("grag", ["pruning"]).parts.is_pruned
    assert method_of("grag", ["encoder"]).parts.has_virtual
    assert not method_of("g-retriever-lora", ["text"]).parts.has_text
    assert not method_of("g-retriever", ["projector"]).parts.has_projector
    assert method_of("g-retriever", description=Description.TREE).retrieval is GraphPart.TREE


def test_what_a_method_has_not_can_not_be_left_out() -> None:
    assert [name for name in METHODS if "text" in parts_of(name)] == [
        "g-retriever",
        "grag",
        "g-retriever-lora",
        "grag-lora",
    ]
    without_retrieval = ["graph-token", "prompt-tuning", "lora", "zero-shot", "zero-cot", "cot-bag"]
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
        ("lora", "encoder", "lora can't go without 'encoder'; it can without: retrieval"),
        ("kaping", "retrieval", "kaping can't go without 'retrieval'; it can without: nothing"),
        ("magic", "text", "there is no method 'magic'; known: majority, g-retriever"),
    ):
        with pytest.raises(UsageError, match=said):
            method_of(name, [part])
    with pytest.raises(UsageError, match="without the encoder there is no projector"):
        method_of("grag", ["encoder", "pruning"])


def test_every_published_ablation_is_one_that_can_be_trained() -> None:
    known = {variant_name(name, [part]) for name in TRAINED for part in parts_of(name)}
    known |= {variant_name("g-retriever", [], layer) for layer in ("gat", "gcn")}
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
