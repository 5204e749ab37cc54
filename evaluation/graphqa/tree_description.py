"""A graph as GRAG's hierarchical description, without losing anything (GRAG, section 4.3;
docs/papers.md, GraphQA).

    [1] cat
      [1.1] animal
      cat [1] is connected to animal [1.1] via is a

A tree of breadth first search from the root, whatever the edges' direction: one node per line, in
pre-order, i-th children numbered X.i; under it a line for each edge between it and its parent, then
the other edges whose head it is, each once. What the root doesn't reach gets roots of its own, 2, 3
and so on. Names and labels that could be taken for something else are quoted as JSON quotes them.
"""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from dynagrag.evaluation.graphqa.graph_question import TextGraph

_INDENT = "  "


@dataclass(frozen=True, slots=True)
class _Tree:
    """`order`: nodes in pre-order; `parent`: -1 of roots; `number` and `depth` of each."""

    order: list[int]
    parent: list[int]
    number: list[str]
    depth: list[int]


@dataclass(frozen=True, slots=True)
class DescribedLine:
    """A line of a graph's text: the node or the edge that it is of, and the node's number there."""

    text: str
    node: int | None = None
    edge: int | None = None
    number: str = ""


def tree_description(graph: TextGraph, root: int = 0) -> str:
    """The lines of a graph; empty for one without nodes."""
    return "".join(f"{line.text}\n" for line in description_lines(graph, root))


def description_lines(graph: TextGraph, root: int = 0) -> list[DescribedLine]:
    """The same, each with what it is of."""
    if not graph.nodes:
        return []
    tree = _tree(graph, root)
    below, others = _edges_by_place(graph, tree)
    lines: list[DescribedLine] = []
    for node in tree.order:
        indent, number = _INDENT * tree.depth[node], tree.number[node]
        text = f"{indent}[{number}] {_quoted(graph.nodes[node])}"
        lines.append(DescribedLine(text, node, number=number))
        lines += (
            DescribedLine(indent + _edge_line(graph, tree, edge), edge=edge)
            for edge in (*below[node], *others[node])
        )
    return lines


def _tree(graph: TextGraph, root: int) -> _Tree:
    num = len(graph.nodes)
    near: list[set[int]] = [set() for _ in range(num)]
    for head, _, tail in graph.edges:
        near[head].add(tail)
        near[tail].add(head)
    parent, children = [-1] * num, [list[int]() for _ in range(num)]
    seen: set[int] = set()
    roots = []
    for start in (root, *range(num)):
        if start in seen:
            continue
        roots.append(start)
        seen.add(start)
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for child in sorted(near[node] - seen):
                seen.add(child)
                parent[child] = node
                children[node].append(child)
                queue.append(child)
    number, depth = [""] * num, [0] * num
    order = list(_numbered(roots, children, number, depth))
    return _Tree(order, parent, number, depth)


def _numbered(
    roots: list[int], children: list[list[int]], number: list[str], depth: list[int]
) -> Iterator[int]:
    """The nodes in pre-order; what is told of each is written into `number` and `depth`."""
    left = [(node, str(i), 0) for i, node in reversed(list(enumerate(roots, 1)))]
    while left:
        node, number[node], depth[node] = left.pop()
        yield node
        left += [
            (child, f"{number[node]}.{i}", depth[node] + 1)
            for i, child in reversed(list(enumerate(children[node], 1)))
        ]


def _edges_by_place(graph: TextGraph, tree: _Tree) -> tuple[list[list[int]], list[list[int]]]:
    """The edges between each node and its parent, and the others of which it is the head."""
    below, others = [list[int]() for _ in graph.nodes], [list[int]() for _ in graph.nodes]
    for i, (head, _, tail) in enumerate(graph.edges):
        if head != tail and tree.parent[tail] == head:
            below[tail].append(i)
        elif head != tail and tree.parent[head] == tail:
            below[head].append(i)
        else:
            others[head].append(i)
    return below, others


def _edge_line(graph: TextGraph, tree: _Tree, edge: int) -> str:
    head, label, tail = graph.edges[edge]
    first, second = (f"{_quoted(graph.nodes[end])} [{tree.number[end]}]" for end in (head, tail))
    return f"{first} is connected to {second} via {_quoted(label)}"


def _quoted(text: str) -> str:
    is_plain = (
        text.isprintable()
        and text.strip() == text
        and text
        and not text.startswith('"')
        and "[" not in text
    )
    return text if is_plain else json.dumps(text, ensure_ascii=False)
