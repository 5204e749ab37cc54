"""A graph as text: two tables in CSV, nodes and edges with a blank line between them (G-Retriever's
code; docs/papers.md, GraphQA).
"""

import csv
import io
from collections.abc import Iterable

from dynagrag.evaluation.graphqa.graph_question import TextGraph


def text_tables(graph: TextGraph) -> str:
    """`node_id,node_attr` and `src,edge_attr,dst`, quoted only where it must be; ids are places in
    the graph.
    """
    nodes = _table(("node_id", "node_attr"), enumerate(graph.nodes))
    return f"{nodes}\n{_table(('src', 'edge_attr', 'dst'), graph.edges)}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()
