"""Options of `train METHOD` and `evaluate graphqa`: how much of a question's graph is retrieved."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.evaluate.shared import one_of

if TYPE_CHECKING:
    from dynagrag.evaluation.graphqa.retrieval_options import RetrievalOptions

_PANEL = "How much of a graph is retrieved"
TOP_NODES = Annotated[
    int | None,
    typer.Option(
        "--top-nodes",
        min=0,
        rich_help_panel=_PANEL,
        help="G-Retriever's tree: ranks of nodes that get prizes. Default: the set's own (3).",
    ),
]
TOP_EDGES = Annotated[
    int | None,
    typer.Option(
        "--top-edges",
        min=0,
        rich_help_panel=_PANEL,
        help="The same of edges. Default: the set's own (5, of SceneGraphs 3).",
    ),
]
EDGE_COST = Annotated[
    float | None,
    typer.Option(
        "--edge-cost",
        min=0.0,
        rich_help_panel=_PANEL,
        help="Cost of each edge of the tree. Default: the set's own (0.5, of SceneGraphs 1).",
    ),
]
HOPS = Annotated[
    int | None,
    typer.Option(
        "--hops", min=1, rich_help_panel=_PANEL, help="GRAG: hops of an ego-graph. Default: 2."
    ),
]
EGO_GRAPHS = Annotated[
    int | None,
    typer.Option(
        "--ego-graphs",
        min=1,
        rich_help_panel=_PANEL,
        help="GRAG: ego-graphs of a question. Default: 5, with --paper 20.",
    ),
]
KEPT = Annotated[
    int | None,
    typer.Option(
        "--kept",
        min=1,
        rich_help_panel=_PANEL,
        help=(
            "GRAG: nodes, and edges, of each ego-graph that stand in the text; its encoder reads"
            " all. Default: 10."
        ),
    ),
]
EGO_EDGES = Annotated[
    str | None,
    typer.Option(
        "--ego-edges",
        rich_help_panel=_PANEL,
        help=(
            "GRAG: edges over which an ego-graph reaches: both ways, or in (from their tails alone,"
            " as its code has it). Default: both."
        ),
    ),
]
NEAREST = Annotated[
    int | None,
    typer.Option(
        "--nearest",
        min=1,
        rich_help_panel=_PANEL,
        help=(
            "bm25 and dense: nodes, and edges; kaping: triples. Default: 20 (10 of graphs that"
            " others get whole), and 10."
        ),
    ),
]


def retrieval_options(ego_edges: str | None = None, **given: Any) -> "RetrievalOptions":
    """The options with those that were given, None: the house's. UsageError for unknown
    `ego_edges`.
    """
    from dynagrag.evaluation.graphqa.retrieval_options import EgoEdges, RetrievalOptions

    named = {name: value for name, value in given.items() if value is not None}
    if ego_edges is not None:
        named["ego_edges"] = one_of("--ego-edges", ego_edges, EgoEdges)
    return RetrievalOptions(**named)
