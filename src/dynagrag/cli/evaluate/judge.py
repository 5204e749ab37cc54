"""`dynagrag evaluate judge`: answers of several arms judged by a language model, and how far that judge can be believed."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.options import EMBEDDER, JSON, LLM, STORE, VERBOSE
from dynagrag.cli.terminal import EXIT_SET_ASIDE, Bars, in_line, read_settings, say, say_json, set_up_log
from dynagrag.errors import UsageError

if TYPE_CHECKING:
    from dynagrag.evaluation.judge.calibration_run import CalibrationOptions
    from dynagrag.evaluation.judge.judge_options import JudgeOptions
    from dynagrag.settings import Settings

JUDGE_MEASURES = (
    "Measures of answers: five metrics of DynaGRAG, 1 to 5 each (clarity, depth, nuance, implications, ethics), their total of 25, and "
    "pairs with the baseline's answer in both orders; differences with paired 95 % intervals. Of --calibrate: accuracy, the share of "
    "verdicts that people share; kappa (Cohen), the same beyond chance; r (Pearson) of grades; flips, pairs whose verdict changed with "
    "their order, which count as ties; unreadable, replies without a verdict, which are counted and not guessed. A judge's agreement with "
    "people is kept, and printed with its later verdicts."
)
QUESTIONS = Annotated[
    Path | None,
    typer.Option("--questions", metavar="FILE", help="Questions to answer, as JSON lines with `question` (and, if you like, `id`)."),
]
SPACE = Annotated[str | None, typer.Option("--workspace", "-w", help="Workspace to ask. Default: the setting `workspace`, else `default`.")]
ARMS = Annotated[
    str,
    typer.Option(
        "--arms",
        help="Arms that answer, separated by commas: those of DynaGRAG's experiment (dsa-diverse, bfs-diverse, bfs-cosine, naive) and any "
        "other, such as default, graph, hybrid or closed-book. All but global, which has more, have the same room for evidence.",
    ),
]
BASELINE = Annotated[str | None, typer.Option("--baseline", help="Arm to compare the others with. Default: naive, else the first.")]
FORMS = Annotated[
    str, typer.Option("--forms", help="How to judge, separated by commas: pointwise (grades of each answer), pairwise (both orders).")
]
SAMPLES = Annotated[int, typer.Option("--samples", min=1, help="Grades of each answer; the median counts. Each asks in another order.")]
JUDGE_LLM = Annotated[
    str | None,
    typer.Option(
        "--judge-llm", help="Language model that judges, named as for --llm. Default: the model that answers, and the report says so."
    ),
]
LIMIT = Annotated[int | None, typer.Option("--limit", min=1, help="Ask only this many questions, from the first. Default: all.")]
CALIBRATE = Annotated[
    bool,
    typer.Option("--calibrate", help="Measure how far the judge (--judge-llm, else --llm) agrees with people, instead of judging answers."),
]
SETS = Annotated[
    str,
    typer.Option(
        "--sets",
        help="With --calibrate: what people judged, separated by commas: evouna_NQ and evouna_TQ (answers right or wrong), squality "
        "(summaries, graded), pairs (which of two outputs is better).",
    ),
]
DATA = Annotated[
    Path | None,
    typer.Option("--data", metavar="FOLDER", help="With --calibrate: folder that holds judge/ (and transcript_qa/, for squality)."),
]
MAX_ROWS = Annotated[
    int | None,
    typer.Option("--max-rows", min=1, help="With --calibrate: judge this many rows of each set, drawn by the seed. Default: all."),
]
THRESHOLD = Annotated[
    float, typer.Option("--threshold", min=-1.0, max=1.0, help="The kappa with people below which a judge is called not reliable.")
]
SEED = Annotated[int, typer.Option("--seed", min=0, help="Seed of the rows that are drawn, of the order of judging, and of the intervals.")]
OUT = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FOLDER", help="Folder of the run. A stopped run in it is resumed. Default: a folder in HOME/evaluation/runs."
    ),
]
MAX_CALLS = Annotated[
    int | None, typer.Option("--max-calls", min=1, help="Stop before models are called more often than this in all. Default: no limit.")
]


def judge(
    questions: QUESTIONS = None,
    workspace: SPACE = None,
    arms: ARMS = "dsa-diverse,bfs-diverse,bfs-cosine,naive,default",
    baseline: BASELINE = None,
    forms: FORMS = "pointwise,pairwise",
    samples: SAMPLES = 3,
    judge_llm: JUDGE_LLM = None,
    limit: LIMIT = None,
    calibrate: CALIBRATE = False,
    sets: SETS = "evouna_NQ,evouna_TQ,squality,pairs",
    data: DATA = None,
    max_rows: MAX_ROWS = None,
    threshold: THRESHOLD = 0.4,
    seed: SEED = 0,
    out: OUT = None,
    max_calls: MAX_CALLS = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Let arms answer questions and a language model judge the answers, or measure how far that judge agrees with people (--calibrate).

    Shows what it will cost first. Run it again to resume.

    Examples:
      dynagrag evaluate judge --calibrate --data sets --llm qwen
      dynagrag evaluate judge --questions mine.jsonl --workspace work --llm qwen
    """
    set_up_log(verbose)
    _check(calibrate, questions, data, max_rows)
    settings = read_settings((judge_llm or llm) if calibrate else llm, embedder, store)
    if data is not None:
        from dynagrag.evaluation.judge.calibration_run import CalibrationOptions

        return _calibrate(CalibrationOptions(data, _names(sets), max_rows, threshold, seed, out, max_calls), settings, as_json)
    assert questions is not None, "one of the two was given"
    from dynagrag.evaluation.judge.judge_options import JudgeOptions

    asked = questions, workspace, _names(arms), baseline
    options = JudgeOptions(*asked, _names(forms), samples, judge_llm, limit, threshold, seed, out, max_calls)
    return _judge_answers(options, settings, as_json)


def _check(calibrate: bool, questions: Path | None, data: Path | None, max_rows: int | None) -> None:
    """Raises UsageError unless exactly one of the two is asked for, with what it needs."""
    if calibrate and questions is not None:
        raise UsageError("--calibrate judges rows of known sets and asks no questions; leave one of --calibrate and --questions out")
    if calibrate and data is None:
        raise UsageError("say where the sets lie: --data FOLDER, the folder that holds judge/")
    if not calibrate and questions is None:
        raise UsageError("say what to judge: --questions FILE asks arms and judges their answers, --calibrate measures the judge itself")
    if not calibrate and (data is not None or max_rows is not None):
        raise UsageError("--data and --max-rows are for --calibrate; questions come from --questions and --workspace")


def _judge_answers(options: "JudgeOptions", settings: "Settings", as_json: bool) -> int:
    from dynagrag.evaluation.judge.judge_report import judge_lines
    from dynagrag.evaluation.judge.judge_run import evaluate_judge

    with Bars(as_json) as progress:
        run, summary = evaluate_judge(settings, options, progress, _say_cost)
    if as_json:
        say_json(summary)
    else:
        for line in (*judge_lines(summary), f"run: {run.path}", f"report: {run.path / 'report.html'}"):
            say(in_line(line))
    return EXIT_SET_ASIDE if any(own["errors"] for own in summary["arms"].values()) else 0


def _calibrate(options: "CalibrationOptions", settings: "Settings", as_json: bool) -> int:
    from dynagrag.evaluation.judge.calibration_report import calibration_lines
    from dynagrag.evaluation.judge.calibration_run import calibrate_judge

    with Bars(as_json) as progress:
        run, summary = calibrate_judge(settings, options, progress, _say_cost)
    if as_json:
        say_json(summary)
    else:
        for line in (*calibration_lines(summary), f"run: {run.path}", f"report: {run.path / 'report.html'}"):
            say(in_line(line))  # subsets are a file's words
    return 0


def _names(names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))


def _say_cost(cost: object) -> None:
    sys.stderr.write(f"estimate: {cost}\n")
