"""`dynagrag evaluate graph-retrieval`: what methods retrieve of the graphs of GraphQA."""

from typing import Annotated

import typer

from dynagrag.cli.evaluate.graphqa import SPLIT, split_part
from dynagrag.cli.evaluate.shared import LIMIT
from dynagrag.cli.graph_retrieval import (
    EDGE_COST,
    EGO_EDGES,
    EGO_GRAPHS,
    HOPS,
    KEPT,
    NEAREST,
    TOP_EDGES,
    TOP_NODES,
    retrieval_options,
)
from dynagrag.cli.options import EMBEDDER, JSON, VERBOSE
from dynagrag.cli.terminal import ProgressBars, in_line, read_settings, say, say_json, set_up_log
from dynagrag.cli.train_soft_prompt import GRAPH_DATA, GRAPH_SET

METHOD = Annotated[
    str,
    typer.Option(
        "--method",
        help="What retrieves: g-retriever (its tree), grag (ego-graphs), kaping, bm25 or dense.",
    ),
]
TOKENIZER = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        metavar="MODEL",
        help=(
            "Count tokens as this transformers model does: a folder or hub name. Default: they are"
            " estimated, four characters each."
        ),
    ),
]


def graph_retrieval(
    dataset: GRAPH_SET,
    data: GRAPH_DATA,
    method: METHOD = "g-retriever",
    split: SPLIT = "test",
    top_nodes: TOP_NODES = None,
    top_edges: TOP_EDGES = None,
    edge_cost: EDGE_COST = None,
    hops: HOPS = None,
    ego_graphs: EGO_GRAPHS = None,
    kept: KEPT = None,
    ego_edges: EGO_EDGES = None,
    nearest: NEAREST = None,
    tokenizer: TOKENIZER = None,
    limit: LIMIT = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Measure what a method retrieves of the graphs of a set: how often a right answer is in it,
    and its nodes and tokens beside the whole graph's. No language model is asked.

    Example: dynagrag evaluate graph-retrieval --dataset webqsp --data sets --method kaping
    """
    set_up_log(verbose)
    from dynagrag.evaluation.graphqa.retrieval_quality import (
        RetrievalQualityOptions,
        measure_retrieval,
    )

    options = RetrievalQualityOptions(
        dataset=dataset,
        data=data,
        method=method,
        part=split_part(split),
        limit=limit,
        tokenizer=tokenizer,
        retrieval=retrieval_options(
            top_nodes=top_nodes,
            top_edges=top_edges,
            edge_cost=edge_cost,
            hops=hops,
            ego_graphs=ego_graphs,
            kept=kept,
            ego_edges=ego_edges,
            nearest=nearest,
        ),
    )
    with ProgressBars(as_json) as progress:
        found = measure_retrieval(read_settings(None, embedder), options, progress)
    if as_json:
        say_json(found.as_json())
        return 0
    for line in found.lines():
        say(in_line(line))
    return 0
