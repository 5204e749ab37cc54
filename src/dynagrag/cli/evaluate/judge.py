"""`dynagrag evaluate judge`: answers of several arms judged by a language model, and how far that
judge can be believed.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.evaluate.shared import (
    BASELINE,
    LIMIT,
    MAX_CALLS,
    OUT,
    given_ones,
    names_in,
    say_estimate,
    say_experiment,
)
from dynagrag.cli.options import EMBEDDER, JSON, LLM, STORE, VERBOSE
from dynagrag.cli.terminal import EXIT_SET_ASIDE, ProgressBars, read_settings, set_up_log
from dynagrag.core.errors import UsageError
from dynagrag.evaluation.judge.reliability import THRESHOLD

if TYPE_CHECKING:
    from dynagrag.config.settings import Settings

JUDGE_MEASURES = (
    "Measures of answers: five metrics of DynaGRAG, 1 to 5 each (clarity, depth, nuance,"
    " implications, ethics), their total of 25, and pairs with the baseline's answer in both"
    " orders; differences with paired 95 % intervals, and which of several hold after Holm's"
    " correction. Of --calibrate: accuracy, the share of verdicts that people share; kappa (Cohen),"
    " the same beyond chance; r (Pearson) of grades; flips, pairs whose verdict changed with their"
    " order, which count as ties; unreadable, replies without a verdict, which are counted and not"
    " guessed. A judge's agreement with people is kept, and printed with its later verdicts."
)
QUESTIONS = Annotated[
    Path | None,
    typer.Option(
        "--questions",
        metavar="FILE",
        help=(
            "Questions to answer, as JSON lines with `question` (and, if you like, `id` and"
            " `kind`)."
        ),
    ),
]
SPACE = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        "-w",
        help="Workspace to ask. Default: the setting `workspace`, else `default`.",
    ),
]
ARMS = Annotated[
    str | None,
    typer.Option(
        "--arms",
        help=(
            "Arms that answer, separated by commas: those of DynaGRAG's experiment (dsa-diverse,"
            " bfs-diverse, bfs-cosine, naive) and any other, such as default, graph, hybrid or"
            " closed-book, soft:NAME (a trained soft prompt) and hard:NAME (its language model"
            " before the same text, without soft tokens). All but global, which has more, soft and"
            " hard have the same room for evidence. Default: the four and default."
        ),
    ),
]
FORMS = Annotated[
    str | None,
    typer.Option(
        "--forms",
        help=(
            "How to judge, separated by commas: pointwise (grades of each answer), pairwise (both"
            " orders). Default: both."
        ),
    ),
]
SAMPLES = Annotated[
    int | None,
    typer.Option(
        "--samples",
        min=1,
        help="Grades of each answer; the median counts. Each asks in another order. Default: 3.",
    ),
]
JUDGE_LLM = Annotated[
    str | None,
    typer.Option(
        "--judge-llm",
        help=(
            "Language model that judges, named as for --llm. Default: the model that answers, and"
            " the report says so."
        ),
    ),
]
CALIBRATE = Annotated[
    bool,
    typer.Option(
        "--calibrate",
        help=(
            "Measure how far the judge (--judge-llm, else --llm) agrees with people, instead of"
            " judging answers."
        ),
    ),
]
SETS = Annotated[
    str | None,
    typer.Option(
        "--sets",
        help=(
            "With --calibrate: what people judged, separated by commas: evouna_NQ and evouna_TQ"
            " (answers right or wrong), squality (summaries, graded), pairs (which of two outputs"
            " is better). Default: all."
        ),
    ),
]
DATA = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="FOLDER",
        help="With --calibrate: folder that holds judge/ (and transcript_qa/, for squality).",
    ),
]
MAX_ROWS = Annotated[
    int | None,
    typer.Option(
        "--max-rows",
        min=1,
        help="With --calibrate: judge this many rows of each set, drawn by the seed. Default: all.",
    ),
]
LEAST_KAPPA = Annotated[
    float,
    typer.Option(
        "--threshold",
        min=-1.0,
        max=1.0,
        help="The kappa with people below which a judge is called not reliable.",
    ),
]
SEED = Annotated[
    int,
    typer.Option(
        "--seed",
        min=0,
        help="Seed of the rows that are drawn, of the order of judging, and of the intervals.",
    ),
]


def judge(
    questions: QUESTIONS = None,
    workspace: SPACE = None,
    arms: ARMS = None,
    baseline: BASELINE = None,
    forms: FORMS = None,
    samples: SAMPLES = None,
    judge_llm: JUDGE_LLM = None,
    limit: LIMIT = None,
    calibrate: CALIBRATE = False,
    sets: SETS = None,
    data: DATA = None,
    max_rows: MAX_ROWS = None,
    threshold: LEAST_KAPPA = THRESHOLD,
    seed: SEED = 0,
    out: OUT = None,
    max_calls: MAX_CALLS = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Let arms answer questions and a language model judge the answers, or measure how far that
    judge agrees with people (--calibrate).

    Shows what it will cost first. Run it again to resume.

    Examples:
      dynagrag evaluate judge --calibrate --data sets --llm qwen
      dynagrag evaluate judge --questions mine.jsonl --workspace work --llm qwen
    """
    set_up_log(verbose)
    asking = given_ones(
        workspace=workspace, arms=arms, baseline=baseline, forms=forms, samples=samples, limit=limit
    )
    calibrating = given_ones(sets=sets, data=data, max_rows=max_rows)
    alike = {"threshold": threshold, "seed": seed, "out": out, "max_calls": max_calls}
    if calibrate:
        _refuse(
            asking | given_ones(questions=questions, store=store, embedder=embedder),
            "--calibrate judges rows of known sets and asks no questions",
        )
        if judge_llm is not None:
            _refuse(
                given_ones(llm=llm), "--calibrate asks the judge alone, which --judge-llm names"
            )
        return _calibrate(calibrating | alike, read_settings(judge_llm or llm), as_json)
    _check_judging(questions, calibrating, forms, samples)
    options = asking | alike | {"questions": questions, "judge_llm": judge_llm}
    return _judge_answers(options, read_settings(llm, embedder, store), as_json)


def _check_judging(
    questions: Path | None, calibrating: Mapping[str, Any], forms: str | None, samples: int | None
) -> None:
    if questions is None:
        raise UsageError(
            "say what to judge: --questions FILE asks arms and judges their answers, --calibrate"
            " measures the judge itself"
        )
    _refuse(
        calibrating,
        "sets and their rows are for --calibrate; questions come from --questions and --workspace",
    )
    if forms is not None and "pointwise" not in names_in(forms):
        _refuse(
            given_ones(samples=samples), "pairs are asked for once in each order, without samples"
        )


def _refuse(options: Mapping[str, Any], why: str) -> None:
    """Raises UsageError where one of these was given, which would have no effect."""
    if options:
        names = " and ".join(f"--{name.replace('_', '-')}" for name in options)
        raise UsageError(
            f"{names} would have no effect: {why}; leave"
            f" {'it' if len(options) == 1 else 'them'} out"
        )


def _as_names(options: Mapping[str, Any], *lists: str) -> dict[str, Any]:
    return {name: names_in(value) if name in lists else value for name, value in options.items()}


def _judge_answers(options: Mapping[str, Any], settings: "Settings", as_json: bool) -> int:
    from dynagrag.evaluation.judge.judge_options import JudgeOptions
    from dynagrag.evaluation.judge.judge_run import evaluate_judge

    with ProgressBars(as_json) as progress:
        run, result = evaluate_judge(
            settings, JudgeOptions(**_as_names(options, "arms", "forms")), progress, say_estimate
        )
    say_experiment(run, result, as_json)
    return EXIT_SET_ASIDE if any(own.errors for own in result.arms.values()) else 0


def _calibrate(options: Mapping[str, Any], settings: "Settings", as_json: bool) -> int:
    from dynagrag.evaluation.judge.calibration_run import CalibrationOptions, calibrate_judge

    if "data" not in options:
        raise UsageError("say where the sets lie: --data FOLDER, the folder that holds judge/")
    with ProgressBars(as_json) as progress:
        run, result = calibrate_judge(
            settings, CalibrationOptions(**_as_names(options, "sets")), progress, say_estimate
        )
    say_experiment(run, result, as_json)
    return 0
