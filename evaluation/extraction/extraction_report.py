"""A run of extraction as a report: figures, what is found by type, and the chunks with most
mistakes, to read.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from dynagrag.core.text import plural
from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.extraction.extraction_folder import ExtractionRun
from dynagrag.evaluation.extraction.extraction_gold import GoldChunk
from dynagrag.evaluation.extraction.found_things import Found, Pair, Thing, found_in, marked
from dynagrag.evaluation.extraction.matching import gold_keys, is_same_pair, overlap_pairs
from dynagrag.evaluation.frame.figures import Figure
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.report import (
    BarChart,
    Case,
    Cases,
    Column,
    Listing,
    Report,
    Section,
    Table,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.results.run_summary import POINTS

_NUM_READ = 12
"""How many chunks are shown."""
ROWS = (
    ("entities", "exact", "entities, same span"),
    ("entities", "overlap", "entities, overlapping"),
    ("entities", "with_inner", "  with names inside others"),
    ("entities", "key", "names of a chunk"),
    ("entities_raw", "exact", "before derivation, same span"),
    ("entities_raw", "overlap", "before derivation, overlapping"),
    ("relations", "directed", "relations, directed"),
    ("relations", "undirected", "relations, undirected"),
    ("co_occurrences", "undirected", "mentioned together"),
)
_BARS = (
    "entities, same span",
    "entities, overlapping",
    "relations, directed",
    "mentioned together",
)
WORDS: Mapping[str, str] = {
    "precision": "share of what was found that is marked",
    "recall": "share of what is marked that was found",
    "F1": "the harmonic mean of both: high only where both are",
    "same span": "the same first and last character as marked",
    "overlapping": "at least half of the longer span, and the same head word",
    "with names inside others": (
        'a name inside a marked thing that names another one ("J-2" in "J-2 engine") is right to'
        " find, and no miss"
    ),
    "names of a chunk": "each name once a chunk, whatever its case, article or quotation marks",
    "before derivation": (
        "all that the extractor named, before rules that need the whole corpus leave some out"
    ),
    "relations": (
        "both ends right, and at least half of the shorter quote; directed: head and tail in their"
        " places"
    ),
    "mentioned together": "pairs that are only named in one sentence, against the same relations",
    "95 % interval": interval_meaning("chunks"),
    "points": "100 is everything",
}


def render_extraction_report(run: ExtractionRun) -> str:
    """The report of a run that is done."""
    return render(extraction_report(run), run.head)


def extraction_report(run: ExtractionRun) -> Report:
    """What the page says."""
    summary, chunks = run.summary(), run.chunks()
    found = found_in(chunks, run.by_chunk())
    by = f"{summary['extractor']} with {summary['llm']}" if summary["llm"] else summary["extractor"]
    cases = sorted(
        (_case(chunk, found[chunk.id]) for chunk in chunks),
        key=lambda pair: (-pair[0], pair[1].text),
    )
    failed = (
        f"{plural(summary['errors'], 'chunk')} failed in part; what is missing counts as not found"
    )
    return Report(
        title=f"{summary['dataset']}: what {by} finds",
        asked=(
            f"{plural(summary['chunks'], 'chunk')} of text in which people marked things and"
            f" relations were read by {by}: how much does it find?"
        ),
        conclusion=_conclusion(by, summary),
        notes=(failed,) if summary["errors"] else (),
        results=_results(summary),
        words=WORDS,
        cases=(
            Cases("The chunks with most mistakes", tuple(case for _, case in cases[:_NUM_READ])),
        ),
    )


def _conclusion(by: str, summary: Mapping[str, Any]) -> str:
    things, stated = summary["entities"]["overlap"], summary["relations"]["directed"]
    said = (
        f"{by} finds {points(things['recall']['mean'])} % of the marked things, and"
        f" {points(things['precision']['mean'])} % of what it finds is marked (F1"
        f" {_interval(things['f1'])})"
    )
    if stated["num_gold"] and not stated["num_found"]:
        return f"{said}; it states no relations."
    return (
        f"{said}; of relations F1 {_interval(stated['f1'])}." if stated["num_found"] else f"{said}."
    )


def _results(summary: Mapping[str, Any]) -> tuple[Section, ...]:
    heads = ("what", "precision", "recall", "F1", "found", "marked")
    f1 = {
        label: summary[group][name]["f1"]
        for group, name, label in ROWS
        if label in _BARS and summary[group][name]["num_found"]
    }
    shown = {label: Figure.of(Interval.of(own)) for label, own in f1.items()}
    numbered = summary["numbered_names"]
    return (
        Section(
            tables=(
                Table(
                    heads,
                    tuple((label.strip(), tuple(cells)) for label, cells in figure_rows(summary)),
                    main="F1",
                ),
            ),
            pictures=(BarChart("F1, with 95 % intervals", shown),) if f1 else (),
            after=(
                (
                    f"Entities are mentions that people are shown; {summary['num_words']} content"
                    " words link passages and are not among them."
                ),
                (
                    f"Of {numbered['marked']} names with a digit, {numbered['whole']} are found"
                    f" whole, {numbered['cut']} cut, {numbered['missed']} not at all."
                ),
            ),
        ),
        Section("By type, in points", tables=_type_tables(summary)),
    )


def _type_tables(summary: Mapping[str, Any]) -> tuple[Table, Table]:
    marked, found = [], []
    for type_, own in by_type(summary):
        marked.append(
            (
                type_,
                (
                    str(own["marked"]),
                    _share(own, "overlap", "marked"),
                    _share(own, "exact", "marked"),
                ),
            )
        )
    for type_, own in summary["precision_by_type"].items():
        found.append(
            (
                type_ or "no type",
                (str(own["found"]), _share(own, "overlap", "found"), _share(own, "exact", "found")),
            )
        )
    return (
        Table(("marked as", "marked", "found, overlapping", "found, same span"), tuple(marked)),
        Table(("found as", "found", "right, overlapping", "right, same span"), tuple(found)),
    )


def by_type(summary: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, int]]]:
    """(Type, how many are marked and found), and the two kinds of names."""
    yield from ((type_ or "-", own) for type_, own in summary["recall_by_type"].items())
    yield "names", summary["names"]
    yield "common nouns", summary["common_nouns"]


def figure_rows(summary: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """(What, [precision, recall and F1 with their intervals, found, marked]); only what was found
    or could have been stated.
    """
    for group, name, label in ROWS:
        own = summary[group][name]
        if own["num_found"] or group == "entities":
            yield (
                label,
                [
                    *(_interval(own[figure]) for figure in ("precision", "recall", "f1")),
                    str(own["num_found"]),
                    str(own["num_gold"]),
                ],
            )


def points(share: float) -> str:
    """A share of 1 in points."""
    return f"{POINTS * share:.1f}"


def _interval(own: Mapping[str, float]) -> str:
    return Interval.of(own, POINTS).text()


def _share(own: Mapping[str, int], part: str, whole: str) -> str:
    return points(own[part] / own[whole]) if own[whole] else "-"


def _case(chunk: GoldChunk, found: Found) -> tuple[int, Case]:
    """How many things of a chunk are wrong, and the chunk to read."""
    want = marked(chunk)
    matched = overlap_pairs(chunk.text, found.things, want.things)
    keys = gold_keys(found.things, matched)
    right, hit = {thing for thing, _ in matched}, {gold for _, gold in matched}
    stated = [pair for pair in found.pairs if not pair.is_together]
    wrong = tuple(dict.fromkeys(_named(t) for t in found.things if t not in right))
    missed = tuple(dict.fromkeys(_named(t) for t in want.things if t not in hit))
    wrong_pairs = [
        _worded(p)
        for p in stated
        if not any(is_same_pair(p, gold, keys, False) for gold in want.pairs)
    ]
    missed_pairs = [
        _worded(p)
        for p in want.pairs
        if not any(is_same_pair(own, p, keys, False) for own in found.pairs)
    ]
    lists = {
        "Found, not marked": wrong,
        "Marked, not found": missed,
        "Relations found, not marked": wrong_pairs,
        "Relations marked, not found": missed_pairs,
    }
    case = Case(
        text=chunk.id,
        value=f"{len(wrong)} wrong, {len(missed)} missed",
        listings=(
            Listing.of(
                "Text",
                [
                    f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text
                    for turn in chunk.turns
                ],
            ),
        ),
        columns=tuple(
            Column(title, listings=(Listing.of("", texts, "nothing"),))
            for title, texts in lists.items()
        ),
    )
    return len(wrong) + len(missed), case


def _worded(pair: Pair) -> str:
    return shortened(f"{pair.head} | {pair.label} | {pair.tail}")


def _named(thing: Thing) -> str:
    return shortened(f"{thing.name} ({thing.type})" if thing.type else thing.name)
