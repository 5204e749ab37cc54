"""The names of a reply, and which of them stands in the graph."""

from dataclasses import replace

import pytest

from dynagrag.evaluation.graphqa.graph_methods import METHODS, Description, method_of, text_form
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, Part, TextGraph
from dynagrag.evaluation.graphqa.graph_retrieval import TextVectors
from dynagrag.evaluation.graphqa.hallucination import (
    NamedSupport,
    asking_support,
    checked_support,
    hallucination_figures,
    hallucination_section,
)
from dynagrag.evaluation.graphqa.named_parts import NOTHING_SHOWN, NamedParts, ShownText, named_in
from dynagrag.evaluation.graphqa.soft_examples import shown_text, soft_examples
from dynagrag.fakes import FakeEmbedder
from dynagrag.retrieval.steiner.steiner_tree import TreeOptions

pytestmark = pytest.mark.slow

GRAPH = TextGraph.of_triples(
    [("cat", "is a", "animal"), ("animal", "can", "fly"), ("New-York", "part of", "U.S.")]
)
QUESTION = GraphQuestion(
    "1", "Question: who?\n\nAnswer:", "who?", GRAPH, ("cat",), "cat", Part.TEST
)
ODD = TextGraph.of_triples(
    [
        ("Washington, D.C.", "seat of; and", 'the "U.S."'),
        ("two\nlines", "is connected to x via", "a [1] b"),
        ("- dash", "->", "node_id,node_attr"),
    ]
)
SCENE = TextGraph(
    (
        "name: man; attribute: tall, old; (x,y,w,h): (0, 1, 20, 30)",
        "name: hat; (x,y,w,h): (0, 1, 2, 3)",
    ),
    ((0, "wearing", 1), (1, "on", 0)),
)
TABLES = ShownText(numbers={str(i): (node,) for i, node in enumerate(GRAPH.nodes)})


def counts(
    reply: str, graph: TextGraph = GRAPH, shown: ShownText = TABLES
) -> tuple[int, int, int, int]:
    """Valid nodes, nodes, valid edges, edges."""
    found = checked_support(reply, graph, shown)
    return found.valid_nodes, found.nodes, found.valid_edges, found.edges


ARROWS = [("cat", "", "mouse"), ("cat", "eats", "rat"), ("cat", "is a", "animal")]
MAN = ["7", "name: man; attribute: tall; (x,y,w,h): (0, 1, 2, 3)"]


@pytest.mark.parametrize(
    ("reply", "edges", "alone"),
    [
        (
            "(cat; is a; animal)(animal; can; fly)",
            [("cat", "is a", "animal"), ("animal", "can", "fly")],
            [],
        ),
        ("1. (cat; is a; animal)\n2. (cat; is a; animal)", [("cat", "is a", "animal")], []),
        ("(cat; is a; animal; can; fly)", [], []),
        ("- cat; is a; animal", [("cat", "is a", "animal")], []),
        (
            "cat | is a | animal\nanimal -> can -> fly",
            [("cat", "is a", "animal"), ("animal", "can", "fly")],
            [],
        ),
        ('0,"is a",1\ncat, is a, animal', [("0", "is a", "1"), ("cat", "is a", "animal")], []),
        ("0,cat", [], ["0", "cat"]),
        (
            "cat\n'a flying dog'\nThe graph says that a cat is an animal.",
            [],
            ["cat", "a flying dog"],
        ),
        ("The graph is:\nThe man wears it.\nWhich one?\nU.S.", [], ["U.S."]),
        ("The graph is a tree with a single node, a single edge, and a target.", [], []),
        ("", [], []),
        ("...", [], []),
        # GRAG's lines
        (
            "cat [1] is connected to animal [1.1] via is a\n[1.1] animal\n[1.2] New-York",
            [("cat", "is a", "animal")],
            ["New-York"],
        ),
        (
            '"a [b]" [1] is connected to c [1.1] via "of [the]"',
            [("a [b]", "of [the]", "c")],
            [],
        ),
        ("[1] is connected to [1.1] via is a", [("1", "is a", "1.1")], []),
        # the paper's table 1
        (
            "Nodes: * Deer (node 1) * Bushes (node 2) Edges: * Deer → Bushes (edge 1)",
            [("Deer", "", "Bushes")],
            [],
        ),
        (
            "Nodes:\n* Deer (node 1)\n* (node 2)\nEdges:\n1. Deer → Bushes (edge 1)",
            [("Deer", "", "Bushes")],
            ["2"],
        ),
        ("cat -> mouse\ncat --eats--> rat\ncat -[is a]-> animal", ARROWS, []),
        ("node 3\nNode 4: it is old.", [], ["3"]),
        # tables
        (
            "node_id,node_attr\n0,cat\n\nsrc,edge_attr,dst\n0,is a,1",
            [("0", "is a", "1")],
            ["cat"],
        ),
        ('7,"name: man; attribute: tall; (x,y,w,h): (0, 1, 2, 3)"', [], MAN),
        ('0,"of, and in",1', [("0", "of, and in", "1")], []),
        ("Nodes\nEdges\nThe edges are:", [], []),
    ],
)
def test_a_reply_names_edges_in_many_forms_and_sentences_name_nothing(
    reply: str, edges: list[tuple[str, str, str]], alone: list[str]
) -> None:
    named = named_in(reply)
    assert list(named.edges) == edges
    ends = dict.fromkeys(end for source, _, target in edges for end in (source, target))
    assert list(named.nodes) == [*ends, *alone]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("(cat; is a; animal)", (2, 2, 1, 1)),
        ("(CAT; Is A; Animal)", (2, 2, 1, 1)),
        ("(animal; is a; cat)", (2, 2, 0, 1)),
        ("(cat; can; fly)", (2, 2, 0, 1)),
        ("(cat; is a; dog)", (1, 2, 0, 1)),
        ("(dog; is a; wolf)\n(cat; is a; animal)", (2, 4, 1, 2)),
        ("(new york; part of; US)", (2, 2, 1, 1)),
        ("(cats; is a; animal)", (1, 2, 0, 1)),
        ("0,is a,1", (2, 2, 1, 1)),
        ("0,is a,9", (1, 2, 0, 1)),
        ("cat\nunicorn", (1, 2, 0, 0)),
        ("cat → animal (edge 1)\ncat → fly", (3, 3, 1, 2)),
        ("animal → cat", (2, 2, 0, 1)),
        ("(node 0)\n(node 9)\ncat (node 9)", (2, 3, 0, 0)),
        ("cat [1] is connected to animal [1.1] via is a", (2, 2, 1, 1)),
        ("cat [1] is connected to animal [1.1] via can", (2, 2, 0, 1)),
        ("node_id,node_attr", (0, 0, 0, 0)),
        ("I don't know which of the edges support it.", (0, 0, 0, 0)),
    ],
)
def test_only_what_the_graph_has_is_valid_and_edges_as_they_are_directed(
    reply: str, expected: tuple[int, int, int, int]
) -> None:
    assert counts(reply) == expected


def test_a_number_means_what_the_model_saw_and_nothing_where_it_saw_no_text() -> None:
    shown = ShownText(numbers={"0": ("animal",), "1": ("fly",)})
    assert counts("0,can,1", shown=shown) == (2, 2, 1, 1)
    assert counts("0,can,1", shown=NOTHING_SHOWN) == (0, 2, 0, 1)
    assert counts("[1] is connected to [1.1] via can", shown=shown) == (1, 2, 0, 1)
    several = ShownText(numbers={"1": ("cat", "animal"), "1.1": ("fly", "animal")})
    assert counts("[1] is connected to [1.1] via can", shown=several) == (2, 2, 1, 1), (
        "each ego-graph counts from 1"
    )
    named_one = TextGraph(("1", "cat"), ((0, "is", 1),))
    own = ShownText(numbers={"1": ("cat",)})
    assert counts("(1; is; cat)", named_one, own) == (2, 2, 1, 1), (
        "a node that is a number is itself"
    )


@pytest.mark.parametrize("name", ["g-retriever", "grag", "kaping", "zero-shot"])
@pytest.mark.parametrize("tree", [None, TreeOptions(2, 1)])
@pytest.mark.parametrize("graph", ["plain", "scene", "odd"])
def test_what_is_quoted_word_for_word_is_valid(
    name: str, tree: TreeOptions | None, graph: str
) -> None:
    own = {"plain": GRAPH, "scene": SCENE, "odd": ODD}[graph]
    asked = replace(QUESTION, graph=own, tree=tree)
    vectors, method = TextVectors(FakeEmbedder(dimension=64)), METHODS[name]
    (example,) = soft_examples([asked], vectors, method)
    shown = shown_text(asked, vectors, method)
    found = checked_support(example.description, own, shown)
    assert found.is_valid
    assert found.edges > 0
    bulleted = "\n".join(
        f"- {entry}" for entry in shown.entries if "\n" not in entry and not entry.startswith("-")
    )
    again = checked_support(bulleted, own, shown)
    assert again.is_valid
    assert checked_support(f"{example.description}\nunicorn", own, shown).is_valid is False


def test_grags_tables_and_trees_tell_their_numbers() -> None:
    vectors = TextVectors(FakeEmbedder(dimension=64))
    asked = replace(QUESTION, tree=TreeOptions(2, 1))
    tree = shown_text(asked, vectors, METHODS["grag"])
    assert {"1", "1.1"} <= tree.numbers.keys()
    tables = shown_text(asked, vectors, method_of("grag", description=Description.TABLES))
    assert tables.numbers["2"] == {GRAPH.nodes[2]}
    assert shown_text(asked, vectors, METHODS["graph-token"]) == NOTHING_SHOWN
    assert tables.entries["node_id,node_attr"] == NamedParts()


def test_a_thing_of_a_scene_goes_by_its_name() -> None:
    assert counts("(man; wearing; hat)", SCENE) == (2, 2, 1, 1)
    assert counts("(hat; wearing; man)", SCENE) == (2, 2, 0, 1)
    assert counts("(tall; wearing; hat)", SCENE) == (1, 2, 0, 1)


def test_answers_that_name_nothing_have_no_shares_and_no_valid_graph() -> None:
    def found(*own: int) -> NamedSupport:
        valid_nodes, nodes, valid_edges, edges = own
        return NamedSupport(
            text="", nodes=nodes, valid_nodes=valid_nodes, edges=edges, valid_edges=valid_edges
        )

    figures = hallucination_figures(
        [found(2, 2, 1, 1), found(1, 2, 0, 1), found(1, 1, 0, 0), found(0, 0, 0, 0)]
    )
    assert {name: own.mean for name, own in figures.items() if own} == {
        "valid_nodes": pytest.approx(2.5 / 3, abs=1e-4),
        "valid_edges": 0.5,
        "fully_valid": 0.5,
        "naming": 0.75,
    }
    (table,) = hallucination_section(figures).tables
    assert [cells[1] for _, cells in table.rows][:3] == [
        f"{first} (graph prompt tuning), {second} (G-Retriever)"
        for first, second in ((31, 77), (12, 76), (8, 62))
    ]
    nothing = hallucination_figures([found(0, 0, 0, 0)])
    assert nothing["valid_edges"] is None
    (table,) = hallucination_section(nothing).tables
    assert table.rows[0][1][0] == "none named"


def test_the_question_is_asked_again_in_words_of_its_own() -> None:
    asked = asking_support(QUESTION, "tables")
    assert "who?" in asked.question
    assert "Answer:" not in asked.question
    assert "(source; relation; target)" in asked.question
    assert asked.label == ""


@pytest.mark.parametrize(
    ("name", "without", "form", "said"),
    [
        ("g-retriever", (), "tables", "Above is a graph: its nodes, then its edges"),
        ("grag", (), "tree", "X is connected to Y via the relation"),
        ("kaping", (), "facts", "Above are edges of a graph"),
        ("graph-token", (), "token", "a token, without its text"),
        ("question-only", (), "nothing", "a graph that you were not given"),
        ("lora", ("text",), "nothing", "a graph that you were not given"),
    ],
)
def test_the_question_says_what_is_shown(
    name: str, without: tuple[str, ...], form: str, said: str
) -> None:
    method = method_of(name, without)
    assert text_form(method) == form
    words = asking_support(QUESTION, form).question
    assert said in words
    assert ("Above" in words) is method.parts.has_text
