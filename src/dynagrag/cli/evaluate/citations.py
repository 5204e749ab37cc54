"""`dynagrag evaluate citations`: how well checkers tell claims that lines state from those that
they don't.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from dynagrag.cli.evaluate.shared import MAX_CALLS, OUT, names_in, say_estimate, say_run
from dynagrag.cli.options import JSON, LLM, STORE, VERBOSE
from dynagrag.cli.terminal import EXIT_SET_ASIDE, ProgressBars, read_settings, set_up_log
from dynagrag.core.text import plural

MEASURES = (
    "Measures, in points (fractions of 1 with --json): true kept, the share of true claims with the"
    " verdict stated; false caught, the share of false claims with another verdict, as the mean"
    " over their kinds; balanced, the mean of both, with a 95 % interval; AUROC, where the checker"
    " gives scores; ms, the median time per claim in milliseconds."
)
CHECKER = Annotated[
    list[str] | None,
    typer.Option(
        "--checker",
        help=(
            "Checker to measure: rules (without a model), model (asks the model of --llm),"
            " nli:FOLDER or nli:HUB-ID (a classifier), or several joined, such as rules+model."
            " Repeat it, or separate by commas, to compare several with the first. Default: rules."
        ),
    ),
]
DATASET = Annotated[
    str | None, typer.Option("--dataset", help="Published set: wice. Needs --data.")
]
DATA = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="FOLDER",
        help="Folder of the published sets: citations/ with wice_claim_dev.jsonl or .jsonl.gz.",
    ),
]
PAIRS = Annotated[
    Path | None,
    typer.Option(
        "--pairs",
        metavar="FILE",
        help=(
            "Your own claims as JSON lines: `claim`, `evidence` (a text, or a list of texts or of"
            " {text, speaker, title}), `label` (1 or 0, or supported, partially_supported,"
            " not_supported). Optional: `kind` of a false claim, `document`, `id`."
        ),
    ),
]
SPACE = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        "-w",
        help=(
            "Make claims of this workspace's lines: as they stand (true), and changed in one thing"
            " (false)."
        ),
    ),
]
LIMIT = Annotated[
    int | None,
    typer.Option(
        "--limit",
        min=2,
        help="Check only this many claims. Default: all, and 600 of a workspace's lines.",
    ),
]
SEED = Annotated[
    int,
    typer.Option(
        "--seed", min=0, help="Seed of the claims made of a workspace, and of the intervals."
    ),
]


def citations(
    checker: CHECKER = None,
    dataset: DATASET = None,
    data: DATA = None,
    pairs: PAIRS = None,
    workspace: SPACE = None,
    limit: LIMIT = None,
    seed: SEED = 0,
    out: OUT = None,
    max_calls: MAX_CALLS = None,
    llm: LLM = None,
    store: STORE = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Measure how well checkers of claims find out what lines say. Shows what a model will cost
    first. Run it again to resume.

    Example: dynagrag evaluate citations --checker rules,rules+model --pairs claims.jsonl --llm qwen
    """
    set_up_log(verbose)
    from dynagrag.evaluation.citations.citation_run import CitationOptions, evaluate_citations

    options = CitationOptions(
        dataset=dataset,
        data=data,
        pairs=pairs,
        workspace=workspace,
        checkers=names_in(",".join(checker or ["rules"])),
        limit=limit,
        seed=seed,
        out=out,
        max_calls=max_calls,
    )
    with ProgressBars(as_json) as progress:
        run, summary = evaluate_citations(
            read_settings(llm, store=store),
            options,
            progress,
            lambda checker, cost: say_estimate(cost, checker),
        )
    say_run(run.path, summary, citation_lines(summary), as_json)
    return EXIT_SET_ASIDE if any(own["errors"] for own in summary["checkers"].values()) else 0


def _say_cost(checker: str, cost: object) -> None:
    say_estimate(cost, checker)


def citation_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a report."""
    from dynagrag.evaluation.bootstrap_intervals import Interval
    from dynagrag.evaluation.citations.citation_report import cells, points

    checkers: Mapping[str, Mapping[str, Any]] = summary["checkers"]
    first = checkers[summary["baseline"]]
    kinds = first["num_false"]
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    yield (
        f"{summary['dataset']}: {plural(summary['claims'], 'claim')}, {first['num_true']} true,"
        f" {sum(kinds.values())} false ({counts})"
    )
    for note, count in summary["notes"].items():
        yield f"  {count} x {note}"
    width = max(14, *(len(name) for name in checkers)) + 2
    widths = {kind: max(len(kind), 5) + 2 for kind in kinds}
    head = "".join(f"{kind:>{size}}" for kind, size in widths.items())
    yield (
        f"{'checker':<{width}}{'balanced':<22}{'true kept':>10}{'false caught':>14}{'AUROC':>8}{'ms':>9}"
        f"  |{head}"
    )
    for name, own in checkers.items():
        balanced, kept, caught, area, time = cells(own)
        by_kind = "".join(
            f"{points(own['false_caught'][kind]):>{size}}" for kind, size in widths.items()
        )
        yield f"{name:<{width}}{balanced:<22}{kept:>10}{caught:>14}{area:>8}{time:>9}  |{by_kind}"
    for name, found in summary["differences"].items():
        yield (
            f"{name} against {summary['baseline']}:"
            f" {Interval(found['difference'], *found['interval']).times(100).text('+')}"
        )
    for name, own in checkers.items():
        if own["right_line"] is not None:
            yield (
                f"{name}: of the true claims that it kept, {points(own['right_line'])} with the"
                " right line"
            )
        if own["errors"]:
            again = f"the same command with --out {summary['run']} tries them again"
            yield f"{name}: {plural(own['errors'], 'claim')} not checked in full; {again}"
    yield (
        "in points (0 to 100) but for AUROC and ms; balanced accuracy with its 95 % interval; right"
        " of the bar, false caught by kind"
    )
