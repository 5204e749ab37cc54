"""The kept run of an evaluation of extraction: found.jsonl (the records made of each chunk),
chunks.jsonl (the marked chunks), and how both are read: figures, what is found by type, and the
chunks with most mistakes.
"""

from collections.abc import Iterator, Mapping

from dynagrag.core.text import plural
from dynagrag.evaluation.extraction.extraction_gold import GoldChunk
from dynagrag.evaluation.extraction.extraction_scores import ExtractionScores, MatchFigures
from dynagrag.evaluation.extraction.found_lines import FoundLine
from dynagrag.evaluation.extraction.found_things import (
    FoundThings,
    Thing,
    ThingPair,
    found_in,
    marked,
)
from dynagrag.evaluation.extraction.matching import gold_keys, is_same_pair, overlap_pairs
from dynagrag.evaluation.frame.experiment_run import ExperimentRun
from dynagrag.evaluation.frame.figures import Figure, count
from dynagrag.evaluation.frame.lines_file import read_lines
from dynagrag.evaluation.frame.report import (
    BarChart,
    Case,
    Cases,
    Cell,
    Column,
    Listing,
    Report,
    Section,
    Table,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.frame.results import Result

CHUNKS = "chunks.jsonl"
SECOND_READING = "second reading"
"""Stands for the extractor where people marked the chunks again."""
_NUM_READ = 12
"""How many chunks are shown."""
_ROWS = (
    ("entities", "exact", "entities, same span"),
    ("entities", "overlap", "entities, overlapping"),
    ("entities", "with_inner", "with names inside others"),
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
    "names of a chunk": "each name once per chunk, whatever its case, article or quotation marks",
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


class _MarkedChunks(Result):
    """Which chunks were read, and what read them."""

    dataset: str
    chunks: int
    extractor: str
    llm: str | None

    @property
    def reader(self) -> str:
        """The reader of the chunks, in words."""
        if self.extractor == SECOND_READING:
            return f"a {SECOND_READING}"
        return f"{self.extractor} with {self.llm}" if self.llm else self.extractor


class ReadingResult(ExtractionScores, _MarkedChunks):
    """How far a second reading of chunks agrees with the first."""

    seed: int


class ExtractionResult(ExtractionScores, _MarkedChunks):
    """Figures of an extractor. `dropped`: things it named and gave up, by reason; `errors`: chunks
    that failed in part.
    """

    dropped: dict[str, int]
    errors: int
    seed: int
    run: str


class ExtractionRun(ExperimentRun[FoundLine, ExtractionResult]):
    """The folder of a run of extraction."""

    line_kind = FoundLine
    lines_file = "found.jsonl"
    command = "dynagrag evaluate extraction"
    evaluates = "extraction"
    what = "things extracted"
    noun = "chunk"
    tells_failures = True
    result_kind = ExtractionResult

    def chunks(self) -> list[GoldChunk]:
        """The marked chunks in their order."""
        return read_lines(self.path / CHUNKS, GoldChunk)

    def report(self) -> Report:
        """The report of the run."""
        result, chunks = self.result(), self.chunks()
        found = found_in(chunks, {line.chunk: line for line in self.lines()})
        cases = sorted(
            (_case(chunk, found[chunk.id]) for chunk in chunks),
            key=lambda pair: (-pair[0], pair[1].text),
        )
        failed = (
            f"{plural(result.errors, 'chunk')} failed in part; what is missing counts as not found;"
            f" the same command with --out {result.run} tries them again"
        )
        dropped = (f"dropped: {num} x {why}" for why, num in result.dropped.items())
        worst = Cases("The chunks with most mistakes", tuple(case for _, case in cases[:_NUM_READ]))
        return extraction_report(
            result, notes=(*dropped, *([failed] if result.errors else [])), cases=(worst,)
        )


def extraction_report(
    result: ReadingResult | ExtractionResult,
    notes: tuple[str, ...] = (),
    cases: tuple[Cases, ...] = (),
) -> Report:
    """The figures to read, of a run or of a second reading, which keeps none."""
    return Report(
        title=f"{result.dataset}: what {result.reader} finds",
        asked=(
            f"{plural(result.chunks, 'chunk')} of text in which people marked things and"
            f" relations were read by {result.reader}: how much does it find?"
        ),
        conclusion=_conclusion(result),
        notes=notes,
        results=(_figures(result), _by_type(result)),
        words=WORDS,
        cases=cases,
    )


def _conclusion(result: ReadingResult | ExtractionResult) -> str:
    things, stated = result.entities["overlap"], result.relations["directed"]
    sentence = (
        f"{result.reader} finds {Figure(things.recall.mean).text()} % of the marked things, and"
        f" {Figure(things.precision.mean).text()} % of what it finds is marked (F1"
        f" {Figure.of(things.f1).text()})"
    )
    if stated.num_found:
        return f"{sentence}; of relations F1 {Figure.of(stated.f1).text()}."
    return f"{sentence}; it states no relations." if stated.num_gold else f"{sentence}."


def _figures(scores: ExtractionScores) -> Section:
    rows = dict(_matches(scores))
    bars = {
        name: Figure.of(rows[name].f1) for name in _BARS if name in rows and rows[name].num_found
    }
    table = Table(
        ("what", "precision", "recall", "F1", "found", "marked"),
        tuple(
            (
                name,
                (
                    *(Figure.of(bounded) for bounded in (own.precision, own.recall, own.f1)),
                    count(own.num_found),
                    count(own.num_gold),
                ),
            )
            for name, own in rows.items()
        ),
        main="F1",
    )
    numbered, types = scores.numbered_names, scores.type_agreement
    lines = (
        f"Entities are mentions that people are shown; {scores.num_words} content words link"
        " passages and are not among them.",
        f"Of {numbered.marked} names with a digit, {numbered.whole} are found whole,"
        f" {numbered.cut} cut, {numbered.missed} not at all.",
        *(
            [
                f"Of {types.matched} things that were found, overlapping, {types.same} have the"
                " marked type."
            ]
            if types.same
            else []
        ),
    )
    return Section(
        tables=(table,),
        pictures=(BarChart("F1, with 95 % intervals", bars),) if bars else (),
        after=lines,
    )


def _matches(scores: ExtractionScores) -> Iterator[tuple[str, MatchFigures]]:
    """By what was compared; only what was found or could have been stated."""
    groups = {
        "entities": scores.entities,
        "entities_raw": scores.entities_raw,
        "relations": scores.relations,
        "co_occurrences": scores.co_occurrences,
    }
    for group, rule, name in _ROWS:
        own = groups[group].get(rule)
        if own and (own.num_found or group == "entities"):
            yield name, own


def _by_type(scores: ExtractionScores) -> Section:
    """Of the gold's types and the two kinds of names, and of the extractor's types."""
    kinds = [(type_ or "-", own) for type_, own in scores.recall_by_type.items()]
    kinds += [("names", scores.names), ("common nouns", scores.common_nouns)]
    marked_as = tuple((type_, _counts(own.marked, own.overlap, own.exact)) for type_, own in kinds)
    found_as = tuple(
        (type_ or "no type", _counts(own.found, own.overlap, own.exact))
        for type_, own in scores.precision_by_type.items()
    )
    return Section(
        "By type, in points",
        tables=(
            Table(("marked as", "marked", "found, overlapping", "found, same span"), marked_as),
            Table(("found as", "found", "right, overlapping", "right, same span"), found_as),
        ),
    )


def _counts(num: int, *parts: int) -> tuple[Cell, ...]:
    """How many there are, and the share of each part of them."""
    return count(num), *(Figure(part / num if num else None) for part in parts)


def _case(chunk: GoldChunk, found: FoundThings) -> tuple[int, Case]:
    """How many mistakes there are in a chunk, and the chunk to read."""
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
        if not any(is_same_pair(own, p, keys, False) for own in stated)
    ]
    lists = {
        "Found, not marked": wrong,
        "Marked, not found": missed,
        "Relations found, not marked": wrong_pairs,
        "Relations marked, not found": missed_pairs,
    }
    case = Case(
        text=chunk.id,
        value=(f"{len(wrong) + len(wrong_pairs)} wrong, {len(missed) + len(missed_pairs)} missed"),
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
    return sum(map(len, lists.values())), case


def _worded(pair: ThingPair) -> str:
    return shortened(f"{pair.head} | {pair.label} | {pair.tail}")


def _named(thing: Thing) -> str:
    return shortened(f"{thing.name} ({thing.type})" if thing.type else thing.name)
