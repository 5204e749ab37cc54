"""`dynagrag evaluate entities`: how well consolidation finds the names that are one entity."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.evaluate.shared import MAX_CALLS, OUT, say_run
from dynagrag.cli.options import EMBEDDER, JSON, LLM, VERBOSE
from dynagrag.cli.terminal import EXIT_SET_ASIDE, read_settings, set_up_log
from dynagrag.core.text import cut, plural

if TYPE_CHECKING:
    from dynagrag.evaluation.entities.entity_resolution import EntityReport, Quality
    from dynagrag.evaluation.entities.entity_scores import Scores

_MAX_MISSED = 10
_MAX_SHOWN = 60

DATASET = Annotated[
    str,
    typer.Option(
        "--dataset",
        help=(
            "Set: ditto-NAME (labelled pairs in Ditto's format; NAME is a part of the file's name),"
            " apollo13-aliases, spacelog-aliases, or spacelog-MISSION such as spacelog-a11."
        ),
    ),
]
DATA = Annotated[
    Path,
    typer.Option(
        "--data",
        help="Folder of the data sets, the folder of entity sets in it, or the file of the set.",
    ),
]
SUMMARIES = Annotated[
    bool,
    typer.Option(
        "--with-summaries",
        help="Give each name the other columns of its record as a summary. Default: bare names.",
    ),
]
GLOSSARY = Annotated[
    list[Path] | None,
    typer.Option(
        "--glossary",
        metavar="FILE",
        help="Merge by this glossary too, as `ingest --glossary` does; may be repeated.",
    ),
]
THRESHOLD = Annotated[
    list[float] | None,
    typer.Option(
        "--threshold",
        min=-1,
        max=1,
        help=(
            "Add a row for this cosine (-1 to 1) to the table of thresholds; may be repeated."
            " Default: 0.55 to 0.95."
        ),
    ),
]


def entities(
    dataset: DATASET,
    data: DATA,
    with_summaries: SUMMARIES = False,
    glossary: GLOSSARY = None,
    threshold: THRESHOLD = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    out: OUT = None,
    max_calls: MAX_CALLS = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Measure how well names of one entity are merged. The set says which are one. Measures
    blocking, pairs, clusters and model calls.

    Without --llm only the rules decide; with it the model judges too. Equal names always count as
    one entity, whatever the set says.
    """
    set_up_log(verbose)
    from dynagrag.evaluation.entities.entity_run import run_entities

    settings = read_settings(llm, embedder)
    run, report = run_entities(
        dataset,
        data,
        settings,
        with_summaries,
        tuple(threshold or ()),
        max_calls,
        glossary or (),
        out,
    )
    say_run(run.path, asdict(report) | {"run": str(run.path)}, entity_report_lines(report), as_json)
    return EXIT_SET_ASIDE if report.set_aside else 0


def entity_report_lines(report: "EntityReport") -> Iterator[str]:
    """The lines of a report."""
    kind = "names with summaries" if report.has_summaries else "bare names"
    yield (
        f"{report.dataset}: {report.num_items:,} items under {report.num_keys:,} keys,"
        f" {report.num_pairs:,} labelled pairs, {report.num_positives:,} of them one entity;"
        f" {kind}, embedder {report.embedder}"
    )
    if report.glossaries:
        yield f"  with the glossary {', '.join(report.glossaries)}"
    if homonyms := report.num_pairs - report.num_telling:
        yield (
            f"  {plural(homonyms, 'pair')} with a homonym, a name that the set has for two things;"
            " the figures without them stand beside"
        )
    if report.num_repeats:
        yield f"  {report.num_repeats} lines repeat a pair, which counts once"
    for reason, count in report.set_aside.items():
        yield f"  set aside {count} x {reason}"
    yield from _blocking_lines(report)
    yield ""
    heads = " ".join(
        f"{head:>{width}} {'R':>6} {'F1':>6}"
        for head, width in (("pair P", 7), ("no homonym P", 13), ("cluster P", 10))
    )
    yield f"{'joined by':<24} {heads} {'clusters':>9}"
    yield _quality_line("rules alone", report.without_model)
    if run := report.with_model:
        yield _quality_line(run.name[:24], run.quality)
        yield (
            f"  {plural(run.num_calls, 'call')} in {run.seconds:.0f} s; guards cut"
            f" {run.num_refused} groups that the model proposed"
        )
        yield from (f"  note: {note}" for note in run.notes)
    yield ""
    yield "candidates of at least a cosine, judged by the cosine itself:"
    yield (
        f"{'cosine':>6} {'blocking recall':>16} {'compared':>9} {'model calls':>12} {'pair P':>7}"
        f" {'R':>6} {'F1':>6} {'cluster F1':>11}"
    )
    for row in report.thresholds:
        pair, cluster = row.joined_by_cosine.pair, row.joined_by_cosine.cluster
        yield (
            f"{row.cosine:>6.2f} {row.blocking_recall:>16.3f} {row.num_compared:>9,}"
            f" {row.num_calls:>12,} {pair.precision:>7.3f} {pair.recall:>6.3f} {pair.f1:>6.3f}"
            f" {cluster.f1:>11.3f}"
        )
    if not report.is_complete:
        yield (
            "pairs that the set doesn't label count as different in clusters, and not at all in"
            " pairs"
        )


def _blocking_lines(report: "EntityReport") -> Iterator[str]:
    blocking = report.blocking
    found = ", ".join(f"{count} {how}" for how, count in blocking.found.items())
    yield f"blocking recall {blocking.recall:.3f}: {found}, {len(report.missed)} missed"
    yield (
        f"  {blocking.num_blocks} blocks of {blocking.num_names:,} names, the largest of"
        f" {blocking.largest}; {blocking.num_compared:,} pairs in them; a model would be asked"
        f" {blocking.num_calls} times ({blocking.prompt_tokens:,} tokens)"
    )
    reasons: dict[str, int] = {}
    for missed in report.missed:
        reasons[missed.reason] = reasons.get(missed.reason, 0) + 1
    for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
        yield f"  missed {count} x {reason}"
    for missed in report.missed[:_MAX_MISSED]:
        yield (
            f"    {cut(missed.a, _MAX_SHOWN)!r} / {cut(missed.b, _MAX_SHOWN)!r} (cosine"
            f" {missed.cosine:.2f}): {missed.reason}"
        )
    if len(report.missed) > _MAX_MISSED:
        yield f"    ... and {len(report.missed) - _MAX_MISSED} more (--json shows all)"


def _quality_line(name: str, quality: "Quality") -> str:
    return (
        f"{name:<24} {_scores(quality.pair, 7)} {_scores(quality.telling, 13)}"
        f" {_scores(quality.cluster, 10)} {quality.num_clusters:>9,}"
    )


def _scores(scores: "Scores", width: int) -> str:
    return f"{scores.precision:>{width}.3f} {scores.recall:>6.3f} {scores.f1:>6.3f}"
