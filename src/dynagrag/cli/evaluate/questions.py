"""`dynagrag evaluate questions`: questions made of a workspace, with their answers and where they
come from.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from dynagrag.cli.evaluate.shared import MAX_CALLS, names_in, one_of, say_estimate
from dynagrag.cli.options import FORCE, JSON, LLM, STORE, VERBOSE, WORKSPACE
from dynagrag.cli.terminal import (
    EXIT_SET_ASIDE,
    ProgressBars,
    in_line,
    read_settings,
    say,
    say_json,
    set_up_log,
)
from dynagrag.core.text import plural

QUESTION_KINDS = (
    "Kinds: specific (what one speaker says about a thing), two_hop (two passages that name one"
    " thing), comparison (two speakers on one thing), thematic (a thing that many passages are"
    " about), unanswerable (nothing in the workspace answers it), cloze (a line with one thing left"
    " out). All questions of a document are in one split: train, validation or test."
)
OUT = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="FILE",
        help="File of JSON lines to write. One that you edited is not overwritten.",
    ),
]
NUM = Annotated[
    int, typer.Option("--num", min=1, max=100_000, help="How many questions to make at most.")
]
KINDS = Annotated[
    str | None,
    typer.Option(
        "--kinds",
        help=(
            "Kinds to make, separated by commas: specific, two_hop, comparison, thematic,"
            " unanswerable, cloze. Default: all; a model writes no clozes."
        ),
    ),
]
BY = Annotated[
    str | None,
    typer.Option(
        "--by",
        help=(
            "Who makes them: records (without a model), or model (the model of --llm writes and"
            " answers them; what fails a check is left out and counted). Default: model where one"
            " is configured, else records."
        ),
    ),
]
SEED = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of the choice of questions, and of the splits.")
]


def questions(
    out: OUT,
    workspace: WORKSPACE = None,
    num: NUM = 100,
    kinds: KINDS = None,
    by: BY = None,
    seed: SEED = 0,
    max_calls: MAX_CALLS = None,
    llm: LLM = None,
    store: STORE = None,
    force: FORCE = False,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Make questions from a workspace, with or without a model. Each line has its answer, its turns
    and what it was made of.

    Shows what a model will cost first; run it again to resume. `evaluate retrieval --questions
    FILE` reads the file.

    Example: dynagrag evaluate questions --workspace work --num 200 --out questions.jsonl
    """
    set_up_log(verbose)
    from dynagrag.config.own_files import check_output
    from dynagrag.evaluation.questions.made_question import QuestionKind
    from dynagrag.evaluation.questions.question_run import By, QuestionOptions, make_questions
    from dynagrag.workspace.address import workspace_meant

    options = QuestionOptions(
        out=out,
        workspace=workspace,
        num=num,
        kinds=tuple(one_of("--kinds", name, QuestionKind) for name in names_in(kinds or "")),
        by=None if by is None else one_of("--by", by, By),
        seed=seed,
        max_calls=max_calls,
        is_forced=force,
    )
    settings = read_settings(llm, store=store)
    # the app keeps a workspace's questions there
    kept = settings.workspaces_dir / workspace_meant(workspace, settings) / "questions"
    check_output(out, settings, but=kept)
    with ProgressBars(as_json) as progress:
        summary = make_questions(settings, options, progress, say_estimate)
    if as_json:
        say_json(summary)
    else:
        for line in question_lines(summary):
            say(in_line(line))
    return EXIT_SET_ASIDE if summary["stopped"] else 0


def question_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """Lines about a file that was made."""
    wanted = (
        ""
        if summary["questions"] == summary["wanted"]
        else f" of the {summary['wanted']} that were wanted"
    )
    yield (
        f"{summary['workspace']}: {plural(summary['questions'], 'question')}{wanted}, made by"
        f" {summary['made_by']}"
    )
    yield "  " + ", ".join(f"{count} {kind}" for kind, count in summary["kinds"].items())
    for split, own in summary["splits"].items():
        yield (
            f"  {split}: {plural(own['questions'], 'question')} of"
            f" {plural(own['documents'], 'document')}"
        )
    for kind, reason in summary["none_of"].items():
        yield f"  no {kind}: {reason}"
    for reason, count in summary["left_out"].items():
        yield f"  left out: {count} x {reason}"
    if summary["calls"] or summary["calls_cached"]:
        yield (
            f"  {plural(summary['calls'], 'call')}, {summary['calls_cached']} from the cache;"
            f" {summary['prompt_tokens']} prompt tokens"
        )
    if summary["stopped"]:
        yield (
            f"  stopped: {summary['stopped']}; what was made is in the file, and the same command"
            " goes on"
        )
    if summary["edited"]:
        yield f"  {summary['edited']} was changed meanwhile and is left as it is"
    yield f"file: {summary['file']}"
