"""`dynagrag evaluate extraction`: how much of what people marked in texts an extractor finds."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.evaluate.shared import MAX_CALLS, OUT, say_estimate, say_experiment
from dynagrag.cli.options import JSON, LLM, VERBOSE
from dynagrag.cli.terminal import (
    EXIT_SET_ASIDE,
    ProgressBars,
    in_line,
    read_settings,
    say,
    say_json,
    set_up_log,
)
from dynagrag.core.errors import UsageError
from dynagrag.core.text import plural
from dynagrag.registry.choices import Use, listed
from dynagrag.registry.extractors import EXTRACTORS

if TYPE_CHECKING:
    from dynagrag.ingest.plan import IngestEstimate

EXTRACTION_MEASURES = (
    "Measures, in points (fractions of 1 with --json), with 95 % intervals: precision, the share of"
    " what was found that is marked; recall, the share of what is marked that was found; F1, their"
    " harmonic mean. Of entities that people are shown: with the same span, overlapping (half of"
    " the longer span and the same head word), and as names of a chunk. Of relations: both ends and"
    " at least half of the shorter quote. Pairs that are only mentioned together count apart."
    " Content words link passages and are no entities."
)
EXTRACTOR = Annotated[
    str,
    typer.Option(
        "--extractor",
        help=f"Extractor to measure: {listed(EXTRACTORS, Use.ARM)}.",
    ),
]
GOLD = Annotated[
    Path | None,
    typer.Option(
        "--gold",
        metavar="FILE",
        help=(
            "Your own marked chunks as JSON lines: `text` or `turns` ([{speaker, text}]),"
            " `entities` ([{text, type, start, end}], without start and end every place of the"
            " text), `relations` ([{head, label, tail, quote}]), and optional `id`, `document`."
            " Default: the 40 chunks that are shipped."
        ),
    ),
]
READING = Annotated[
    Path | None,
    typer.Option(
        "--reading",
        metavar="FILE",
        help=(
            "Measure no extractor, but a second reading of some of the chunks, in the form of"
            " --gold: how far two readings agree."
        ),
    ),
]
LIMIT = Annotated[
    int | None,
    typer.Option(
        "--limit", min=1, help="Take only this many chunks, from the first. Default: all."
    ),
]
SEED = Annotated[int, typer.Option("--seed", min=0, help="Seed of the intervals.")]


def extraction(
    extractor: EXTRACTOR = "fast",
    gold: GOLD = None,
    reading: READING = None,
    limit: LIMIT = None,
    seed: SEED = 0,
    out: OUT = None,
    max_calls: MAX_CALLS = None,
    llm: LLM = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Measure what an extractor finds of what people marked. Counts entities and relations.

    Shows what a model will cost first. Run it again to resume a run that was stopped.

    Example: dynagrag evaluate extraction --extractor llm --llm qwen
    """
    set_up_log(verbose)
    if reading is not None:
        if out is not None or limit is not None:
            raise UsageError(
                "--reading measures all of its chunks and keeps no run; leave out --limit and --out"
            )
        from dynagrag.evaluation.extraction.agreement import evaluate_reading

        agreement = evaluate_reading(gold, reading, seed)
        if as_json:
            say_json(agreement.as_json())
            return 0
        from dynagrag.evaluation.extraction.extraction_report import extraction_report
        from dynagrag.evaluation.frame.terminal import report_lines

        for line in report_lines(extraction_report(agreement)):
            say(in_line(line))  # types are a file's words
        return 0
    from dynagrag.evaluation.extraction.extraction_run import (
        ExtractionRunOptions,
        evaluate_extraction,
    )

    options = ExtractionRunOptions(
        extractor=extractor, gold=gold, limit=limit, seed=seed, out=out, max_calls=max_calls
    )
    with ProgressBars(as_json) as progress:
        run, result = evaluate_extraction(read_settings(llm), options, progress, _say_cost)
    say_experiment(run, result, as_json)
    return EXIT_SET_ASIDE if result.errors else 0


def _say_cost(cost: "IngestEstimate") -> None:
    money = "" if cost.money is None else f", price {cost.money:.2f}"
    say_estimate(
        f"{plural(cost.calls, 'call')}, {cost.prompt_tokens:,} prompt + {cost.completion_tokens:,}"
        f" reply tokens, {max(1, round(cost.seconds / 60))} min{money}; repairs come on top,"
        " replies that are kept cost nothing"
    )
