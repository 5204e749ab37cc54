"""`dynagrag evaluate judge`: how far a judge can be believed."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.options import JSON, LLM, VERBOSE
from dynagrag.cli.terminal import Bars, in_line, read_settings, say, say_json, set_up_log
from dynagrag.errors import UsageError

if TYPE_CHECKING:
    from dynagrag.evaluation.judge.judging_cost import JudgingCost

JUDGE_MEASURES = (
    "Measures: accuracy, the share of verdicts that people share; kappa (Cohen), the same beyond chance; r (Pearson) of grades; flips, "
    "pairs whose verdict changed with their order, which count as ties; unreadable, replies without a verdict, which are counted and not "
    "guessed. With 95 % intervals. A judge's agreement is kept, and printed beside its later verdicts."
)
CALIBRATE = Annotated[bool, typer.Option("--calibrate", help="Measure how far the model of --llm agrees with people, as a judge.")]
SETS = Annotated[
    str,
    typer.Option(
        "--sets",
        help="What people judged, separated by commas: evouna_NQ and evouna_TQ (answers right or wrong), squality (summaries, graded), "
        "pairs (which of two outputs is better).",
    ),
]
DATA = Annotated[
    Path | None,
    typer.Option("--data", metavar="FOLDER", help="Folder that holds judge/ with these sets (and transcript_qa/, for squality)."),
]
MAX_ROWS = Annotated[
    int | None, typer.Option("--max-rows", min=1, help="Judge this many rows of each set, drawn by the seed. Default: all.")
]
THRESHOLD = Annotated[float, typer.Option("--threshold", min=-1.0, max=1.0, help="The kappa below which a judge is called not reliable.")]
SEED = Annotated[int, typer.Option("--seed", min=0, help="Seed of the rows that are drawn, and of the intervals.")]
OUT = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FOLDER", help="Folder of the run. A stopped run in it is resumed. Default: a folder in HOME/evaluation/runs."
    ),
]
MAX_CALLS = Annotated[
    int | None, typer.Option("--max-calls", min=1, help="Stop before the model is called more often than this. Default: no limit.")
]


def judge(
    calibrate: CALIBRATE = False,
    sets: SETS = "evouna_NQ,evouna_TQ,squality,pairs",
    data: DATA = None,
    max_rows: MAX_ROWS = None,
    threshold: THRESHOLD = 0.4,
    seed: SEED = 0,
    out: OUT = None,
    max_calls: MAX_CALLS = None,
    llm: LLM = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Measure how far a language model agrees with people when it judges answers. Shows what it will cost first. Run it again to resume.

    Example: dynagrag evaluate judge --calibrate --data sets --sets pairs --llm qwen
    """
    set_up_log(verbose)
    if not calibrate:
        raise UsageError("say what to do: --calibrate measures the model of --llm as a judge")
    if data is None:
        raise UsageError("say where the sets lie: --data FOLDER, the folder that holds judge/")
    from dynagrag.evaluation.judge.calibration_report import calibration_lines
    from dynagrag.evaluation.judge.calibration_run import CalibrationOptions, calibrate_judge

    options = CalibrationOptions(
        data=data,
        sets=tuple(dict.fromkeys(name.strip() for name in sets.split(",") if name.strip())),
        max_rows=max_rows,
        threshold=threshold,
        seed=seed,
        out=out,
        max_calls=max_calls,
    )
    with Bars(as_json) as progress:
        run, summary = calibrate_judge(read_settings(llm), options, progress, _say_cost)
    if as_json:
        say_json(summary)
    else:
        for line in (*calibration_lines(summary), f"run: {run.path}", f"report: {run.path / 'report.html'}"):
            say(in_line(line))  # subsets are a file's words
    return 0


def _say_cost(cost: "JudgingCost") -> None:
    sys.stderr.write(f"estimate: {cost}\n")
