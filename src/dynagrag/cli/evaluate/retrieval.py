"""`dynagrag evaluate retrieval` and `evaluate compare`: which passages each arm brings, on known
sets or on questions of one's own.
"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from dynagrag.cli.evaluate.shared import (
    BASELINE,
    DATA,
    EXTRACTOR,
    GIVEN,
    HALF,
    LIMIT,
    OUT,
    PART,
    names_in,
    one_of,
    say_experiment,
)
from dynagrag.cli.options import EMBEDDER, JSON, LLM, RERANKER, STORE, VERBOSE, WORKSPACE
from dynagrag.cli.terminal import ProgressBars, in_line, read_settings, say, say_json, set_up_log
from dynagrag.registry.choices import Use, names_for
from dynagrag.registry.retrievers import RETRIEVERS

evaluate_app = typer.Typer(
    help=(
        "Measure extraction, retrieval, answers, citations and merging. Use published sets or files"
        " of your own."
    ),
    no_args_is_help=True,
    rich_markup_mode=None,
)
_MEASURES = (
    "Measures, in points (fractions of 1 with --json), with 95 % intervals of the differences:"
    " recall@k, the share of the gold among the first k passages; all@5, all gold among the first"
    " 5; hit@1, the first passage is gold; mrr, 1 / rank of the first gold; p@5, the share of gold"
    " among the first 5; r@10, gold among the first 10 of at most 10; turn_hit@k, where gold names"
    " turns, a gold turn is among the first k turns. ms is the median time per"
    " question in milliseconds, without embedding and splitting it."
)

DATASET = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        help=(
            "Published set: musique, hotpotqa, 2wiki, multihop-rag, qmsum or locomo. Needs --data."
        ),
    ),
]
QUESTIONS = Annotated[
    Path | None,
    typer.Option(
        "--questions",
        metavar="FILE",
        help=(
            "Your own questions for a workspace, instead of --dataset: JSON lines with `question`"
            " and either `documents` (titles, paths or ids) or `turns` ([{document, first, last}],"
            " counted from 0)."
        ),
    ),
]
ARMS = Annotated[
    str,
    typer.Option(
        "--arms",
        help=(
            "What to compare, separated by commas, such as default,paper. default and paper:"
            " dynagrag under that profile. paper-cosine: paper without diversity. split: default,"
            " after the model of --llm has split each question. gcn: bridge-ppr, in the order of"
            " whose best 40 a trained pruner (--pruner) has a say. reranked: default, whose best 50"
            " --reranker puts in order. Or a retriever:"
            f" {', '.join(names_for(RETRIEVERS, Use.ARM))}. naive, bm25, rrf and hybrid always run"
            " too."
        ),
    ),
]
SCOPE = Annotated[
    str | None,
    typer.Option(
        "--scope",
        help=(
            "For qmsum: search the question's own meeting (document) or all meetings (corpus). For"
            " locomo: its own conversation (conversation) or all (corpus). Default: both."
        ),
    ),
]
PROMPTS = Annotated[
    bool,
    typer.Option(
        "--prompts",
        help=(
            "Write each arm's prompts too, as `ask` does, and measure how much of the gold stands"
            " in them (prompt). All arms have equal room. More arms: graph, a prompt of passages"
            " and ego-graphs; ego and ego-cosine, ego-graphs alone, diverse or by cosine."
        ),
    ),
]

PRUNER = Annotated[
    Path | None,
    typer.Option(
        "--pruner",
        metavar="FOLDER",
        help="For the arm gcn: the checkpoint that `dynagrag train pruner` wrote.",
    ),
]


@evaluate_app.command("retrieval", epilog=_MEASURES)
def retrieval(
    dataset: DATASET = None,
    data: DATA = None,
    questions: QUESTIONS = None,
    workspace: WORKSPACE = None,
    arms: ARMS = "default",
    extractor: EXTRACTOR = "fast",
    given: GIVEN = None,
    half: HALF = "all",
    scope: SCOPE = None,
    part: PART = None,
    baseline: BASELINE = None,
    limit: LIMIT = None,
    out: OUT = None,
    prompts: PROMPTS = False,
    pruner: PRUNER = None,
    reranker: RERANKER = None,
    store: STORE = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Measure which passages each arm finds, and write a report. Run it again to resume a run that
    was stopped.

    Example: dynagrag evaluate retrieval --dataset musique --data sets --half reporting
    """
    set_up_log(verbose)
    from dynagrag.evaluation.question_sets.question_set import Half, Scope
    from dynagrag.evaluation.retrieval.retrieval_run import evaluate_retrieval
    from dynagrag.evaluation.retrieval.run_options import EvaluateOptions

    asked = EvaluateOptions(
        dataset,
        data,
        questions,
        workspace,
        names_in(arms),
        extractor,
        part=part,
        given=given,
        out=out,
    )
    options = replace(
        asked,
        half=one_of("--half", half, Half),
        scope=None if scope is None else one_of("--scope", scope, Scope),
        baseline=baseline,
        limit=limit,
        prompts=prompts,
        pruner=pruner,
    )
    settings = read_settings(llm, embedder, store, reranker=reranker)
    with ProgressBars(as_json) as progress:
        run, result = evaluate_retrieval(settings, options, progress)
    say_experiment(run, result, as_json)
    return 0


@evaluate_app.command("compare")
def compare_runs(
    first: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    second: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of another run on the same questions.")
    ],
    as_json: JSON = False,
) -> int:
    """Compare two runs on the same questions: of retrieval, of answers, or of answers that one
    judge judged.

    Prints the second minus the first by arm, in points, with paired 95 % intervals.
    """
    set_up_log(False)
    from dynagrag.evaluation.frame.kept_run import what_is_evaluated
    from dynagrag.evaluation.frame.run_comparison import RunComparison
    from dynagrag.evaluation.frame.terminal import report_lines
    from dynagrag.evaluation.judge.judge_compare import compare_judged
    from dynagrag.evaluation.judge.judge_report import JudgeRun
    from dynagrag.evaluation.qa.qa_compare import compare_qa
    from dynagrag.evaluation.qa.qa_report import QaRun
    from dynagrag.evaluation.retrieval.retrieval_compare import compare
    from dynagrag.evaluation.retrieval.retrieval_report import RetrievalRun

    kind = what_is_evaluated(first)
    compared: RunComparison
    if kind == JudgeRun.evaluates:
        compared = compare_judged(JudgeRun.read(first), JudgeRun.read(second))
    elif kind == QaRun.evaluates:
        compared = compare_qa(QaRun.read(first), QaRun.read(second))
    else:
        compared = compare(RetrievalRun.read(first), RetrievalRun.read(second))
    if as_json:
        say_json(compared.as_json())
        return 0
    for line in report_lines(compared.report()):
        say(in_line(line))
    return 0
