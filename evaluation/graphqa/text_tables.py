"""A graph as text: two tables in CSV, nodes and edges with a blank line between them (G-Retriever's
code; docs/papers.md, GraphQA).
"""

import csv
import io
from collections.abc import Iterable

from dynagrag.evaluation.graphqa.graph_question import TextGraph
from dynagrag.evaluation.graphqa.graph_retrieval import Rows
from dynagrag.evaluation.graphqa.tree_description import DescribedLine

NODE_HEAD, EDGE_HEAD = ("node_id", "node_attr"), ("src", "edge_attr", "dst")


def text_tables(graph: TextGraph, rows: Rows | None = None) -> str:
    """The tables of nodes and edges, of all of a graph or of some rows."""
    return f"{node_table(graph, rows)}\n{edge_table(graph, rows)}"


def node_table(graph: TextGraph, rows: Rows | None = None) -> str:
    """`node_id,node_attr`, quoted only where it must be; ids are the graph's own, whatever part of
    it is written.
    """
    nodes = range(len(graph.nodes)) if rows is None else rows.nodes
    return _csv([NODE_HEAD, *((node, graph.nodes[node]) for node in nodes)])


def edge_table(graph: TextGraph, rows: Rows | None = None) -> str:
    """`src,edge_attr,dst`, with the same ids."""
    edges = range(len(graph.edges)) if rows is None else rows.edges
    return _csv([EDGE_HEAD, *(graph.edges[edge] for edge in edges)])


def table_rows(graph: TextGraph, rows: Rows) -> list[DescribedLine]:
    """Each row of both tables by itself, heads included."""
    return [
        DescribedLine(_csv([NODE_HEAD])),
        *(
            DescribedLine(_csv([(node, graph.nodes[node])]), node, number=str(node))
            for node in rows.nodes
        ),
        DescribedLine(_csv([EDGE_HEAD])),
        *(DescribedLine(_csv([graph.edges[edge]]), edge=edge) for edge in rows.edges),
    ]


def _csv(rows: Iterable[tuple[object, ...]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
