"""`dynagrag evaluate retrieval` and `evaluate compare`: which passages each arm brings, on known
sets or on questions of one's own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

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
    say_run,
)
from dynagrag.cli.options import EMBEDDER, JSON, LLM, STORE, VERBOSE, WORKSPACE
from dynagrag.cli.terminal import ProgressBars, in_line, read_settings, say, say_json, set_up_log
from dynagrag.core.text import plural
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
    " among the first 5; r@10, gold among the first 10 of at most 10. ms is the median time per"
    " question in milliseconds, without embedding and splitting it."
)
_NAMES = ("recall@2", "recall@5", "recall@10", "all@5", "hit@1", "mrr", "p@5", "r@10", "prompt")

DATASET = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        help="Published set: musique, hotpotqa, 2wiki, multihop-rag or qmsum. Needs --data.",
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
            " whose best 40 a trained pruner (--pruner) has a say. Or a retriever:"
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
            "For qmsum: search the question's own meeting (document) or all meetings (corpus)."
            " Default: both."
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
    with ProgressBars(as_json) as progress:
        run, summary = evaluate_retrieval(read_settings(llm, embedder, store), options, progress)
    say_run(run.path, summary, _summary_lines(summary), as_json)
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
    from dynagrag.cli.evaluate.answer_comparisons import comparison_of
    from dynagrag.evaluation.results.run_folder import RunFolder
    from dynagrag.evaluation.results.run_summary import compare

    found, lines_of = comparison_of(first, second) or (
        compare(RunFolder.read(first), RunFolder.read(second)),
        _compared_lines,
    )
    if as_json:
        say_json(found)
        return 0
    for line in lines_of(found):
        say(in_line(line))
    return 0


def _summary_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    from dynagrag.evaluation.results.run_summary import FEW, FEW_QUESTIONS

    half = "" if summary["half"] == "all" else f", the {summary['half']} half"
    yield (
        f"{summary['dataset']}: {plural(summary['questions'], 'question')}{half},"
        f" {plural(summary['passages'], 'passage')}"
    )
    for note, count in summary["notes"].items():
        yield f"  {count} x {note}"
    if summary["missing_gold"]:
        yield "  not in the corpus: " + "; ".join(
            repr(name) for name in summary["missing_gold"][:5]
        )
    measure, baseline = summary["measure"], summary["baseline"]
    for scope, found in summary["scopes"].items():
        if len(summary["scopes"]) > 1:
            yield ""
            yield f"scope {scope}:"
        names = [name for name in _NAMES if all(name in own for own in found["arms"].values())]
        yield _row("arm", [*names, "ms"]) + f"  {measure} against {baseline}"
        for arm, own in found["arms"].items():
            cells = [*(f"{100 * own[name]:.1f}" for name in names), f"{own['ms']:.1f}"]
            yield _row(arm, cells) + _interval(found["intervals"].get(arm), measure)
        yield from _prompt_lines(found, baseline)
    yield "in points (0 to 100) but for ms; differences with paired 95 % intervals"
    if summary["questions"] < FEW_QUESTIONS:
        yield FEW


def _prompt_lines(found: Mapping[str, Any], baseline: str) -> Iterator[str]:
    """What of the gold reaches the prompts, where they were written."""
    from dynagrag.evaluation.bootstrap_intervals import Interval

    if any("prompt" not in own for own in found["arms"].values()):
        return
    yield (
        "of the gold in the prompts, at equal room, with 95 % intervals; tokens used; difference"
        f" from {baseline}"
    )
    for arm, own in found["arms"].items():
        mean = found["means"][arm]["prompt"]
        value = Interval(100 * own["prompt"], mean["low"], mean["high"]).text()
        yield f"{arm:<16}{value:>24}{own['prompt_tokens']:>10.0f}" + _interval(
            found["intervals"].get(arm), "prompt"
        )


def _row(arm: str, cells: list[str]) -> str:
    return f"{arm:<16}" + "".join(f"{cell:>10}" for cell in cells)


def _interval(found: Mapping[str, Mapping[str, float]] | None, measure: str) -> str:
    if found is None:
        return ""
    from dynagrag.evaluation.bootstrap_intervals import Interval

    return f"  {Interval.of(found[measure]).text('+')}"


def _compared_lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield (
        f"{plural(found['questions'], 'question')}; second minus first, in points, with paired 95 %"
        " intervals"
    )
    for name, (old, new) in found["differing"].items():
        yield f"  {name}: {old} / {new}"
    if found["left_out"]:
        yield f"  in one run only: {', '.join(found['left_out'])}"
    for scope, own in found["scopes"].items():
        if len(found["scopes"]) > 1:
            yield ""
            yield f"scope {scope}:"
        for arm, differences in own["intervals"].items():
            values = own["arms"][arm]
            yield f"{arm}: {values['first']['ms']:.1f} ms / {values['second']['ms']:.1f} ms"
            for name in (n for n in _NAMES if n in differences):
                yield (
                    f"  {name:<10}{100 * values['first'][name]:>6.1f}{100 * values['second'][name]:>7.1f}{_interval(differences, name)}"
                )
