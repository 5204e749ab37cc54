"""`dynagrag evaluate pruner`: how much of what supports answers a pruner's scores put first."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.evaluate.shared import LIMIT, OUT, names_in, say_run
from dynagrag.cli.options import DEVICE, EMBEDDER, JSON, PRUNING_DATA, PRUNING_PART, PRUNING_SET, VERBOSE
from dynagrag.cli.terminal import Bars, read_settings, set_up_log
from dynagrag.text import plural

if TYPE_CHECKING:
    from dynagrag.evaluation.bootstrap_intervals import Interval
    from dynagrag.evaluation.pruning.pruner_runs import PrunerFigures

PRUNER_MEASURES = (
    "Measures, in points (fractions of 1 with --json), with 95 % intervals over questions: node_ap and edge_ap, the average precision of "
    "the ranking of entities and of pairs of them by their scores; support_recall@10, the share of what supports the answer among the ten "
    "best entities. What no subgraph holds counts as not found. The differences from the prior are paired."
)
PRUNERS = Annotated[
    str,
    typer.Option(
        "--pruner",
        help="What to measure, separated by commas: none (all alike), random, prior (by distance to the question, untrained), or the "
        "folder of a checkpoint that `dynagrag train pruner` wrote.",
    ),
]


def pruner(
    dataset: PRUNING_SET,
    data: PRUNING_DATA,
    part: PRUNING_PART = None,
    pruners: PRUNERS = "none,random,prior",
    limit: LIMIT = None,
    device: DEVICE = None,
    embedder: EMBEDDER = None,
    out: OUT = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Measure how well pruners tell what supports an answer from the rest of its subgraph, on the set's test questions, and write a
    report.

    Example: dynagrag evaluate pruner --dataset pathquestion --data sets --pruner none,prior,my-pruner
    """
    set_up_log(verbose)
    from dynagrag.evaluation.pruning.pruner_runs import EvaluateOptions, evaluate_pruners

    options = EvaluateOptions(dataset, data, names_in(pruners), part, device, limit, out)
    with Bars(as_json) as progress:
        run, summary, figures = evaluate_pruners(read_settings(None, embedder), options, progress)
    say_run(run.path, summary, pruner_lines(figures), as_json)
    return 0


def pruner_lines(figures: "Sequence[PrunerFigures]") -> Iterator[str]:
    """The lines of a report."""
    from dynagrag.evaluation.pruning.pruner_report import short_names
    from dynagrag.evaluation.pruning.pruning_measures import NAMES

    yield plural(figures[0].n, "question")
    shown = short_names([own.name for own in figures])
    rows = [["pruner", *NAMES]]
    rows += [[shown[own.name], *(_cell(own.means.get(name), "") for name in NAMES)] for own in figures]
    rows += [
        [f"{shown[own.name]} - prior", *(_cell(own.against_prior.get(name), "+") for name in NAMES)] for own in figures if own.against_prior
    ]
    first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
    for row in rows:
        yield "  ".join([row[0].ljust(first), *(cell.rjust(width) for cell, width in zip(row[1:], others, strict=True))])
    yield from (f"{shown[own.name]}: {own.note}" for own in figures if own.note)
    yield "in points (0 to 100) with 95 % intervals over the questions"


def _cell(value: "Interval | None", sign: str) -> str:
    return "-" if value is None else f"{100 * value.mean:{sign}.1f} ({100 * value.low:{sign}.1f} to {100 * value.high:{sign}.1f})"
