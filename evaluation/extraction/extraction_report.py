"""A run of extraction as one HTML file: figures, what is found by type, and the chunks with most mistakes, to read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dynagrag.evaluation.extraction.extraction_folder import ExtractionRun
from dynagrag.evaluation.extraction.extraction_gold import GoldChunk
from dynagrag.evaluation.extraction.found_things import Found, Thing, found_in, marked
from dynagrag.evaluation.extraction.matching import gold_keys, is_same_pair, overlap_pairs
from dynagrag.evaluation.results.html_report import flat, report_template
from dynagrag.evaluation.results.run_folder import shortened
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


@dataclass(frozen=True, slots=True)
class Read:
    """A chunk to read. `lines`: its turns; `wrong`: found and not marked; `missed`: marked and not found; pairs likewise."""

    id: str
    lines: tuple[str, ...]
    wrong: tuple[str, ...]
    missed: tuple[str, ...]
    wrong_pairs: tuple[str, ...]
    missed_pairs: tuple[str, ...]

    @property
    def num_mistakes(self) -> int:
        """Of things alone."""
        return len(self.wrong) + len(self.missed)


def render_extraction_report(run: ExtractionRun) -> str:
    """The report of a run that is done."""
    summary = run.summary()
    chunks = run.chunks()
    found = found_in(chunks, run.by_chunk())
    reads = sorted((_read(chunk, found[chunk.id]) for chunk in chunks), key=lambda read: (-read.num_mistakes, read.id))
    return report_template("extraction.html.jinja").render(
        summary=summary,
        head=run.head,
        settings=list(flat(run.settings)),
        rows=list(figure_rows(summary)),
        recall=[
            (type_, own["marked"], _share(own, "overlap", "marked"), _share(own, "exact", "marked")) for type_, own in by_type(summary)
        ],
        precision=[
            (type_ or "-", own["found"], _share(own, "overlap", "found"), _share(own, "exact", "found"))
            for type_, own in summary["precision_by_type"].items()
        ],
        reads=reads[:_NUM_READ],
    )


def by_type(summary: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, int]]]:
    """(Type, how many are marked and found), and the two kinds of names."""
    yield from ((type_ or "-", own) for type_, own in summary["recall_by_type"].items())
    yield "names", summary["names"]
    yield "common nouns", summary["common_nouns"]


def figure_rows(summary: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """(What, [precision, recall and F1 with their intervals, found, marked]); only what was found or could have been stated."""
    for group, name, label in ROWS:
        own = summary[group][name]
        if own["num_found"] or group == "entities":
            yield (
                label,
                [*(_interval(own[figure]) for figure in ("precision", "recall", "f1")), str(own["num_found"]), str(own["num_gold"])],
            )


def points(share: float) -> str:
    """A share of 1 in points."""
    return f"{POINTS * share:.1f}"


def _interval(own: Mapping[str, float]) -> str:
    return f"{points(own['mean'])} ({points(own['low'])} to {points(own['high'])})"


def _share(own: Mapping[str, int], part: str, whole: str) -> str:
    return points(own[part] / own[whole]) if own[whole] else "-"


def _read(chunk: GoldChunk, found: Found) -> Read:
    want = marked(chunk)
    matched = overlap_pairs(chunk.text, found.things, want.things)
    keys = gold_keys(found.things, matched)
    right, hit = {thing for thing, _ in matched}, {gold for _, gold in matched}
    stated = [pair for pair in found.pairs if not pair.is_together]
    return Read(
        id=chunk.id,
        lines=tuple(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text for turn in chunk.turns),
        wrong=tuple(dict.fromkeys(_named(t) for t in found.things if t not in right)),
        missed=tuple(dict.fromkeys(_named(t) for t in want.things if t not in hit)),
        wrong_pairs=tuple(
            shortened(f"{p.head} | {p.label} | {p.tail}")
            for p in stated
            if not any(is_same_pair(p, gold, keys, False) for gold in want.pairs)
        ),
        missed_pairs=tuple(
            shortened(f"{p.head} | {p.label} | {p.tail}")
            for p in want.pairs
            if not any(is_same_pair(own, p, keys, False) for own in found.pairs)
        ),
    )


def _named(thing: Thing) -> str:
    return shortened(f"{thing.name} ({thing.type})" if thing.type else thing.name)
