"""`dynagrag evaluate graphqa`: questions over graphs of text, answered by soft prompts and by what
they are compared with.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.evaluate.shared import LIMIT, OUT, names_in, one_of, say_run
from dynagrag.cli.options import DEVICE, EMBEDDER, JSON, MAX_DESCRIPTION, PRECISION, VERBOSE
from dynagrag.cli.terminal import ProgressBars, read_settings, set_up_log
from dynagrag.cli.train_soft_prompt import GRAPH_DATA, GRAPH_SET
from dynagrag.core.errors import UsageError
from dynagrag.core.text import plural
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
        part=_part(split),
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
    )
    with ProgressBars(as_json) as progress:
        run, summary = evaluate_graphqa(read_settings(None, embedder), options, progress)
    say_run(run.path, summary, _lines(summary), as_json)
    return 0


def _part(split: str) -> "Part | None":
    from dynagrag.evaluation.graphqa.graph_sets import ALL
    from dynagrag.evaluation.pruning.pruning_example import Part

    known = (*(part.value for part in Part), ALL)
    if split not in known:
        raise UsageError(f"--split {split!r} is unknown; known: {', '.join(known)}")
    return None if split == ALL else Part(split)


def _lines(summary: Mapping[str, Any]) -> Iterator[str]:
    from dynagrag.evaluation.bootstrap_intervals import Interval
    from dynagrag.evaluation.results.run_summary import FEW, FEW_QUESTIONS

    asked = f"{summary['dataset']}, {summary['split']}: {plural(summary['n'], 'question')}"
    yield f"{asked}, {summary['variant']}, {summary['lm'] or 'no model'}"
    for reason, count in summary["left_out"].items():
        yield f"{count:,} left out: {reason}"
    for scorer, own in summary["measures"].items():
        for name, found in own.items():
            yield f"{scorer:<14}{name:<12}  {Interval.of(found, 100).text()}"
    if own := summary.get("hallucination"):
        from dynagrag.evaluation.graphqa.hallucination import hallucination_lines

        yield from hallucination_lines(own)
    yield summary["verdict"]
    if summary["n"] < FEW_QUESTIONS:
        yield FEW
    yield from _published(summary)


def _published(summary: Mapping[str, Any]) -> Iterator[str]:
    """What was printed for the same, each with ours by the same scorer where we have that."""
    from dynagrag.evaluation.graphqa.published_figures import Published

    with_lm = f" with {summary['lm']}" if summary["lm"] else ""
    trained = (
        f", trained on {other}"
        if (other := summary["trained_on"]) not in (None, summary["dataset"])
        else ""
    )
    if not summary["published"]:
        yield f"published: none for {summary['variant']} of {summary['dataset']}{with_lm}{trained}"
    for row in summary["published"]:
        own = Published(**row)
        scorer = own.scorer if own.scorer in summary["measures"] else summary["scorer"]
        found = summary["measures"][scorer].get(own.metric)
        ours = (
            f"{summary['lm'] or 'no model'}{trained}, {summary['split']} rows, {scorer}, n"
            f" {summary['n']:,}"
        )
        beside = "" if found is None else f"; here {100 * found['mean']:.2f} ({ours})"
        yield f"published: {own.metric} {own.value:.2f} ({own.source}: {own.how}){beside}"
