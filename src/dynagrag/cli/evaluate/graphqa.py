"""`dynagrag evaluate graphqa`: questions over graphs of text, answered by soft prompts and by what
they are compared with.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.evaluate.shared import LIMIT, OUT, names_in, one_of, say_experiment
from dynagrag.cli.graph_retrieval import (
    EDGE_COST,
    NEAREST,
    TOP_EDGES,
    TOP_NODES,
    retrieval_options,
)
from dynagrag.cli.options import DEVICE, EMBEDDER, JSON, MAX_DESCRIPTION, PRECISION, VERBOSE
from dynagrag.cli.terminal import ProgressBars, read_settings, set_up_log
from dynagrag.cli.train_soft_prompt import GRAPH_DATA, GRAPH_SET
from dynagrag.core.errors import UsageError
from dynagrag.evaluation.graphqa.graph_methods import TRAINED

if TYPE_CHECKING:
    from dynagrag.evaluation.pruning.pruning_example import Part

GRAPHQA_MEASURES = (
    "Measures, in points (fractions of 1 with --json), with 95 % intervals over the questions, by"
    " two scorers. paper_compat, as the papers' code has it: what is right stands anywhere in the"
    " answer, inside words too, and F1 can pass 1. strict: whole words of one item of the answer,"
    " each item and each right answer once; a label, and not the other too. accuracy for one right"
    " answer; hit, hits@1 and f1 for lists of them."
)


METHOD = Annotated[
    str,
    typer.Option(
        "--method",
        help=(
            f"Trained (--checkpoint): {', '.join(TRAINED)}. The language model as it is, with the"
            " graph's text: zero-shot, zero-cot and cot-bag (told to think), kaping (triples near"
            " the question), bm25 and dense (nodes and edges near it); without: question-only."
            " Without a model: majority (what most training rows say)."
        ),
    ),
]
SPLIT = Annotated[str, typer.Option("--split", help="Which rows: train, validation, test or all.")]
LM = Annotated[
    str | None,
    typer.Option(
        "--lm", help="Language model behind it, as in `dynagrag train`. Not for majority."
    ),
]
CHECKPOINT = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint", metavar="FOLDER", help="What `dynagrag train` wrote, for trained methods."
    ),
]
SCORER = Annotated[
    str,
    typer.Option(
        "--scorer",
        help="Whose figures stand first, with the verdict: paper_compat or strict. Both are kept.",
    ),
]
WITHOUT = Annotated[
    str,
    typer.Option(
        "--without",
        help=(
            "For zero-shot, zero-cot and cot-bag: retrieval, so that the whole graph's text is read"
            " as far as it fits, as the papers have it. What trained methods go without is told to"
            " `dynagrag train`."
        ),
    ),
]
HALLUCINATION = Annotated[
    bool,
    typer.Option(
        "--hallucination",
        help=(
            "Ask each question again, for the edges that support the answer, and look them up in"
            " the graph: valid_nodes and valid_edges (shares of those named), fully_valid (share of"
            " the answers that name something, all of it valid). One more reply a question."
        ),
    ),
]


def graphqa(
    dataset: GRAPH_SET,
    data: GRAPH_DATA,
    method: METHOD,
    split: SPLIT = "validation",
    lm: LM = None,
    checkpoint: CHECKPOINT = None,
    scorer: SCORER = "paper_compat",
    without: WITHOUT = "",
    top_nodes: TOP_NODES = None,
    top_edges: TOP_EDGES = None,
    edge_cost: EDGE_COST = None,
    nearest: NEAREST = None,
    hallucination: HALLUCINATION = False,
    limit: LIMIT = None,
    max_description: MAX_DESCRIPTION = 512,
    device: DEVICE = None,
    precision: PRECISION = "auto",
    embedder: EMBEDDER = None,
    out: OUT = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Measure how right a method's answers to questions over graphs are, beside what papers printed
    for it.

    Example: dynagrag evaluate graphqa --dataset explagraphs --data sets --method zero-shot --lm
    smollm2 --limit 100
    """
    set_up_log(verbose)
    from dynagrag.evaluation.graphqa.graph_scorers import Scorer
    from dynagrag.evaluation.graphqa.graphqa_run import GraphQaOptions, evaluate_graphqa
    from dynagrag.generation.soft_prompt.precision import Precision

    options = GraphQaOptions(
        dataset=dataset,
        data=data,
        method=method,
        part=split_part(split),
        lm=lm,
        checkpoint=checkpoint,
        limit=limit,
        scorer=one_of("--scorer", scorer, Scorer),
        max_description=max_description,
        device=device,
        precision=one_of("--precision", precision, Precision),
        out=out,
        hallucination=hallucination,
        without=names_in(without),
        retrieval=retrieval_options(
            top_nodes=top_nodes, top_edges=top_edges, edge_cost=edge_cost, nearest=nearest
        ),
    )
    with ProgressBars(as_json) as progress:
        run, result = evaluate_graphqa(read_settings(None, embedder), options, progress)
    say_experiment(run, result, as_json)
    return 0


def split_part(split: str) -> "Part | None":
    """The rows that `--split` names; None: of all. UsageError for a split that is none."""
    from dynagrag.evaluation.graphqa.graph_sets import ALL
    from dynagrag.evaluation.pruning.pruning_example import Part

    known = (*(part.value for part in Part), ALL)
    if split not in known:
        raise UsageError(f"--split {split!r} is unknown; known: {', '.join(known)}")
    return None if split == ALL else Part(split)
