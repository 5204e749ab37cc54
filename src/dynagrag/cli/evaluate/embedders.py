"""`dynagrag evaluate embedders`: which embedder finds more of a workspace's own recordings."""

from pathlib import Path
from typing import Annotated

import typer

from dynagrag.cli.evaluate.shared import LIMIT, OUT, names_in, say_estimate, say_experiment
from dynagrag.cli.options import JSON, STORE, VERBOSE, WORKSPACE
from dynagrag.cli.terminal import ProgressBars, read_settings, set_up_log
from dynagrag.core.errors import UsageError

CANDIDATES = Annotated[
    str,
    typer.Option(
        "--candidates",
        metavar="EMBEDDER,...",
        help=(
            "Embedders to compare with the workspace's own, separated by commas, each as --embedder"
            " takes it, such as bge-small,e5-small."
        ),
    ),
]
QUESTIONS = Annotated[
    Path | None,
    typer.Option(
        "--questions",
        metavar="FILE",
        help=(
            "Your own questions with the words that answer them, as `dynagrag evaluate evidence`"
            " takes them. Default: questions that are made of the recordings, without a model."
        ),
    ),
]
NUM = Annotated[
    int | None,
    typer.Option("--num", min=1, help="How many questions to make, without a file. Default: 100."),
]


def embedders(
    candidates: CANDIDATES,
    workspace: WORKSPACE = None,
    questions: QUESTIONS = None,
    num: NUM = None,
    limit: LIMIT = None,
    out: OUT = None,
    store: STORE = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Compare embedders on your own recordings: which finds more, how sure that is, and what a
    switch costs. No language model is asked.

    Each candidate embeds the workspace once, in a copy beside it; the workspace stays as it is.
    Ctrl-C pauses, and the same command goes on. `dynagrag embedder use` begins with such a copy,
    and removes all of them; so does its --give-up.

    Example: dynagrag evaluate embedders -w talks --candidates bge-small,e5-small
    """
    set_up_log(verbose)
    from dynagrag.evaluation.embedders.embedder_measures import (
        NUM_MADE,
        EmbedderOptions,
        evaluate_embedders,
    )
    from dynagrag.evaluation.frame.experiment import Watch

    if questions is not None and num is not None:
        raise UsageError("--num is for questions that are made; of a file take --limit")
    if questions is None and limit is not None:
        raise UsageError("--limit is for the questions of a file; without one take --num")
    options = EmbedderOptions(
        candidates=names_in(candidates),
        workspace=workspace,
        questions=questions,
        num_made=num or NUM_MADE,
        limit=limit,
        out=out,
    )
    with ProgressBars(as_json) as progress:
        watch = Watch(progress, lambda arm, estimate: say_estimate(estimate, arm))
        run, result = evaluate_embedders(read_settings(store=store), options, watch)
    say_experiment(run, result, as_json)
    return 0
