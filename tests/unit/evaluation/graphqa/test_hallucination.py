"""The names of a reply, and which of them stands in the graph."""

import pytest

from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, Part, TextGraph
from dynagrag.evaluation.graphqa.hallucination import (
    NamedSupport,
    asking_support,
    checked_support,
    hallucination_figures,
    hallucination_section,
    named_in,
)

GRAPH = TextGraph.of_triples(
    [("cat", "is a", "animal"), ("animal", "can", "fly"), ("New-York", "part of", "U.S.")]
)
SCENE = TextGraph(
    (
        "name: man; attribute: tall, old; (x,y,w,h): (0, 1, 20, 30)",
        "name: hat; (x,y,w,h): (0, 1, 2, 3)",
    ),
    ((0, "wearing", 1), (1, "on", 0)),
)
NOTHING = TextGraph((), ())


def counts(
    reply: str, graph: TextGraph = GRAPH, shown: TextGraph = GRAPH
) -> tuple[int, int, int, int]:
    """Valid nodes, nodes, valid edges, edges."""
    found = checked_support(reply, graph, shown)
    return found.valid_nodes, found.nodes, found.valid_edges, found.edges


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
            ["cat", "'a flying dog'"],
        ),
        ("The graph is:\nThe man wears it.\nWhich one?\nU.S.", [], ["U.S."]),
        ("The graph is a tree with a single node, a single edge, and a target.", [], []),
        ("", [], []),
        ("...", [], []),
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
        ("I don't know which of the edges support it.", (0, 0, 0, 0)),
    ],
)
def test_only_what_the_graph_has_is_valid_and_edges_as_they_are_directed(
    reply: str, expected: tuple[int, int, int, int]
) -> None:
    assert counts(reply) == expected


def test_a_number_means_what_the_model_saw_and_nothing_where_it_saw_no_text() -> None:
    shown = TextGraph(("animal", "fly"), ((0, "can", 1),))
    assert counts("0,can,1", shown=shown) == (2, 2, 1, 1)
    assert counts("0,can,1", shown=NOTHING) == (0, 2, 0, 1)
    named_one = TextGraph(("1", "cat"), ((0, "is", 1),))
    assert counts("(1; is; cat)", named_one, named_one) == (2, 2, 1, 1), (
        "a node that is a number is itself"
    )


def test_a_thing_of_a_scene_goes_by_its_name() -> None:
    assert counts("(man; wearing; hat)", SCENE, SCENE) == (2, 2, 1, 1)
    assert counts("(hat; wearing; man)", SCENE, SCENE) == (2, 2, 0, 1)
    assert counts("(tall; wearing; hat)", SCENE, SCENE) == (1, 2, 0, 1)


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
    asked = asking_support(
        GraphQuestion("1", "Question: who?\n\nAnswer:", "who?", GRAPH, ("cat",), "cat", Part.TEST)
    )
    assert "who?" in asked.question
    assert "Answer:" not in asked.question
    assert "(source; relation; target)" in asked.question
    assert asked.label == ""
