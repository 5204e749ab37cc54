"""`dynagrag evaluate pruner`: how much of what supports answers a pruner's scores put first."""

from typing import Annotated, Any

import typer

from dynagrag.cli.evaluate.shared import LIMIT, OUT, names_in, say_experiment
from dynagrag.cli.options import (
    DEVICE,
    EMBEDDER,
    JSON,
    PRUNING_DATA,
    PRUNING_PART,
    PRUNING_QUESTIONS,
    PRUNING_SET,
    PRUNING_WORKSPACE,
    STORE,
    VERBOSE,
    check_pruning_source,
)
from dynagrag.cli.terminal import ProgressBars, read_settings, set_up_log
from dynagrag.registry.choices import Use, listed
from dynagrag.registry.pruners import PRUNERS as PRUNER_ROWS

PRUNER_MEASURES = (
    "Measures, in points (fractions of 1 with --json), with 95 % intervals over questions: node_ap"
    " and edge_ap, the average precision of the ranking of entities and of pairs of them by their"
    " scores; support_recall@10, the share of what supports the answer among the ten best entities."
    " What no subgraph holds counts as not found. The differences from the untrained pruners"
    f" ({', '.join([*reversed(PRUNER_ROWS), 'near'])}) are paired."
)
PRUNERS = Annotated[
    str,
    typer.Option(
        "--pruner",
        help=(
            f"What to measure, separated by commas: {listed(PRUNER_ROWS, Use.ARM)}, near (the"
            " better subgraph first, in it by hops, then as the prior), random, trained (the"
            " workspace's own), or the folder of a checkpoint that `dynagrag train pruner` wrote."
            " Default: all but folders, as far as they are there."
        ),
    ),
]


def pruner(
    dataset: PRUNING_SET = None,
    data: PRUNING_DATA = None,
    part: PRUNING_PART = None,
    workspace: PRUNING_WORKSPACE = None,
    questions: PRUNING_QUESTIONS = None,
    pruners: PRUNERS = "",
    limit: LIMIT = None,
    device: DEVICE = None,
    embedder: EMBEDDER = None,
    store: STORE = None,
    out: OUT = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Measure how well pruners tell what supports an answer from the rest of its subgraph, on a
    set's test questions or on those of the documents that `dynagrag train pruner --workspace` holds
    out, and write a report.

    Example: dynagrag evaluate pruner --dataset pathquestion --data sets --pruner
    none,prior,my-pruner
    """
    set_up_log(verbose)
    from dynagrag.evaluation.pruning import measuring_run

    check_pruning_source(dataset, data, part, workspace, questions)
    settings = read_settings(None, embedder, store=store)
    how: dict[str, Any] = {
        "pruners": names_in(pruners),
        "device": device,
        "limit": limit,
        "out": out,
    }
    with ProgressBars(as_json) as progress:
        if dataset and data:
            of_set = measuring_run.SetMeasureOptions(dataset, data, part, **how)
            run, result = measuring_run.measure_on_set(settings, of_set, progress)
        else:
            of_workspace = measuring_run.WorkspaceMeasureOptions(
                workspace or settings.workspace, questions, **how
            )
            run, result = measuring_run.measure_on_workspace(settings, of_workspace, progress)
    say_experiment(run, result, as_json)
    return 0
