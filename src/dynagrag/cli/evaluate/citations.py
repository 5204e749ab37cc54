"""`dynagrag evaluate citations`: how well checkers tell claims that lines state from those that
they don't.
"""

from pathlib import Path
from typing import Annotated

import typer

from dynagrag.cli.evaluate.shared import MAX_CALLS, OUT, names_in, say_estimate, say_experiment
from dynagrag.cli.options import JSON, LLM, STORE, VERBOSE
from dynagrag.cli.terminal import EXIT_SET_ASIDE, ProgressBars, read_settings, set_up_log
from dynagrag.registry.checkers import CHECKERS
from dynagrag.registry.choices import Use, listed

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
            f"Checker to measure: {listed(CHECKERS, Use.ARM)}, or several joined, such as"
            " rules+model. Repeat it, or separate by commas, to compare several with the first."
            " Default: rules."
        ),
    ),
]
DATASET = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        help=(
            "Set by name: gold or short (claims and short answers written by hand, they come with"
            " dynagrag), or wice, which needs --data."
        ),
    ),
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
            " not_supported). Optional: `question` that it answers in a few words, `kind` of a"
            " false claim, `document`, `id`."
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
        run, result = evaluate_citations(
            read_settings(llm, store=store),
            options,
            progress,
            lambda checker, cost: say_estimate(cost, checker),
        )
    say_experiment(run, result, as_json)
    return EXIT_SET_ASIDE if any(own.errors for own in result.checkers.values()) else 0
