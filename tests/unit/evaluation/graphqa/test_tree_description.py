"""GRAG's description of a graph: what it looks like, and that a reader of its lines has the whole
graph.
"""

import json
import re
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from dynagrag.evaluation.graphqa.graph_question import TextGraph
from dynagrag.evaluation.graphqa.tree_description import tree_description

_NODE = re.compile(r"^( *)\[(\d+(?:\.\d+)*)\] (.*)$")


def read_text(line: str, end: str | None = None) -> tuple[str, str]:
    """A name or label at a line's beginning, quoted or up to `end`, and what follows."""
    if line.startswith('"'):
        text, size = json.JSONDecoder().raw_decode(line)
        return text, line[size:]
    if end is None:
        return line, ""
    text, found, rest = line.partition(end)
    assert found
    return text, end + rest


def read_description(text: str) -> tuple[dict[str, str], Counter[tuple[str, str, str]]]:
    """Names by number, and the edges as (number, label, number)."""
    names: dict[str, str] = {}
    lines: list[str] = []
    for line in text.split("\n")[:-1]:
        found = _NODE.match(line)
        if found:
            number = found[2]
            assert len(found[1]) == 2 * number.count(".")
            assert number not in names
            names[number] = read_text(found[3])[0]
        else:
            lines.append(line.lstrip(" "))
    edges: Counter[tuple[str, str, str]] = Counter()
    for line in lines:
        head, rest = read_text(line, " [")
        first = re.match(r" \[([\d.]+)\] is connected to ", rest)
        assert first
        tail, rest = read_text(rest[first.end() :], " [")
        second = re.match(r" \[([\d.]+)\] via ", rest)
        assert second
        assert (names[first[1]], names[second[1]]) == (head, tail)
        edges[first[1], read_text(rest[second.end() :])[0], second[1]] += 1
    return names, edges


LIKE_LINES = [
    "x [1]",
    "[1] y",
    "a is connected to b",
    "[1.1] is connected to a",
    "a [1] is connected to a [1] via a",
]
HOSTILE = st.sampled_from(["", " ", "a", "a", "b\nc", '"', '"q"', "\u2028", "é", *LIKE_LINES])
NAMES = st.one_of(HOSTILE, st.text(max_size=6))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[TextGraph, int]:
    nodes = draw(st.lists(NAMES, min_size=1, max_size=7))
    end = st.integers(0, len(nodes) - 1)
    edges = draw(st.lists(st.tuples(end, NAMES, end), max_size=12))
    return TextGraph(tuple(nodes), tuple(edges)), draw(end)


@settings(max_examples=300, deadline=None)
@given(graphs())
def test_a_reader_of_the_lines_has_the_whole_graph(made: tuple[TextGraph, int]) -> None:
    """Doubles of names, parallel edges, loops, both directions, parts that the root doesn't reach,
    and texts that look like lines.
    """
    graph, root = made
    names, edges = read_description(tree_description(graph, root))
    assert names["1"] == graph.nodes[root]
    assert Counter(names.values()) == Counter(graph.nodes)
    number_of = numbers_of(graph, names, edges)
    assert number_of is not None


def numbers_of(
    graph: TextGraph, names: dict[str, str], edges: Counter[tuple[str, str, str]]
) -> dict[int, str] | None:
    """Which node has which number, by trying: nodes of one name could stand for each other."""
    wanted = Counter(graph.edges)

    def place(node: int, taken: dict[int, str]) -> dict[int, str] | None:
        if node == len(graph.nodes):
            return (
                taken
                if Counter({(taken[h], text, taken[t]): n for (h, text, t), n in wanted.items()})
                == edges
                else None
            )
        for number, name in names.items():
            if name == graph.nodes[node] and number not in taken.values():
                found = place(node + 1, {**taken, node: number})
                if found is not None:
                    return found
        return None

    return place(0, {})


def test_a_tree_has_a_node_a_line_and_each_edge_once() -> None:
    graph = TextGraph(
        ("cat", "animal", "fly", "bird", "moon"),
        (
            (0, "is a", 1),
            (1, "can", 2),
            (1, "includes", 0),
            (3, "is a", 1),
            (2, "of", 0),
            (3, "sees", 3),
        ),
    )
    assert tree_description(graph, 1).splitlines() == [
        "[1] animal",
        "  [1.1] cat",
        "  cat [1.1] is connected to animal [1] via is a",
        "  animal [1] is connected to cat [1.1] via includes",
        "  [1.2] fly",
        "  animal [1] is connected to fly [1.2] via can",
        "  fly [1.2] is connected to cat [1.1] via of",
        "  [1.3] bird",
        "  bird [1.3] is connected to animal [1] via is a",
        "  bird [1.3] is connected to bird [1.3] via sees",
        "[2] moon",
    ]
    assert tree_description(TextGraph((), ())) == ""


def test_the_tenth_child_stands_after_the_ninth_and_a_long_chain_is_no_trouble() -> None:
    star = TextGraph(tuple(f"n{i}" for i in range(12)), tuple((0, "r", i) for i in range(1, 12)))
    numbers = [
        line.split("]")[0].strip(" [")
        for line in tree_description(star).splitlines()
        if line.lstrip().startswith("[")
    ]
    assert numbers == ["1", *(f"1.{i}" for i in range(1, 12))]
    chain = TextGraph(tuple(map(str, range(300))), tuple((i, "r", i + 1) for i in range(299)))
    assert tree_description(chain).count("\n") == 599
