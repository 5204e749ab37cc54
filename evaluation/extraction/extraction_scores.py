"""Precision, recall and F1 of what was found against what is marked: counts summed over chunks,
with intervals from resampling chunks.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from dynagrag.evaluation.bootstrap_intervals import RESAMPLES, SEED, Interval, f1_intervals
from dynagrag.evaluation.extraction.extraction_gold import GoldChunk
from dynagrag.evaluation.extraction.found_things import FoundThings, Span, Thing, ThingPair, marked
from dynagrag.evaluation.extraction.matching import (
    distinct_keys,
    gold_keys,
    matched_pairs,
    overlap_pairs,
    undirected,
)

_DIGITS = 6
_NUMBERS = ("quantity", "time")

Counts = tuple[int, int, int, int]
"""Of a chunk: found ones that are right, found ones, marked ones that were found, marked ones."""


class MatchFigures(BaseModel):
    """Found things against marked ones, by one rule of when both are the same: shares of 1 with
    intervals from resampling chunks, and the counts that they are of. `num_right` of `num_found`
    are marked; `num_hit` of `num_gold` were found.
    """

    model_config = ConfigDict(frozen=True)

    precision: Interval
    recall: Interval
    f1: Interval
    num_right: int
    num_found: int
    num_hit: int
    num_gold: int


class RecallCounts(BaseModel):
    """Of the marked things of a type or kind, how many were found by overlap, and with the same
    span.
    """

    model_config = ConfigDict(frozen=True)

    marked: int
    overlap: int
    exact: int


class PrecisionCounts(BaseModel):
    """Of the things that were found under a type, how many are marked by overlap, and with the same
    span.
    """

    model_config = ConfigDict(frozen=True)

    found: int
    overlap: int
    exact: int


class NumberedNames(BaseModel):
    """Marked names with a digit in them, such as versions and numbered parts: found whole, found
    cut or with more around them, or not found.
    """

    model_config = ConfigDict(frozen=True)

    marked: int
    whole: int
    cut: int
    missed: int


class TypeAgreement(BaseModel):
    """Of what was found by overlap: how often its type is the marked one."""

    model_config = ConfigDict(frozen=True)

    matched: int
    same: int


class ExtractionScores(BaseModel):
    """All figures of what was found in marked chunks. `entities`, `relations`, `co_occurrences`: by
    matching rule. `entities_raw`: the same before rules over the whole corpus drop some. By type:
    the gold's own (recall) or the extractor's (precision). `num_words`: distinct linking words.
    """

    model_config = ConfigDict(frozen=True)

    entities: dict[str, MatchFigures]
    entities_raw: dict[str, MatchFigures]
    relations: dict[str, MatchFigures]
    co_occurrences: dict[str, MatchFigures]
    recall_by_type: dict[str, RecallCounts]
    precision_by_type: dict[str, PrecisionCounts]
    names: RecallCounts
    common_nouns: RecallCounts
    numbered_names: NumberedNames
    type_agreement: TypeAgreement
    num_words: int
    num_not_in_text: int


@dataclass(frozen=True, slots=True)
class _Compared:
    """A chunk: what is marked, what was found, and which of these are one by overlap."""

    gold: GoldChunk
    want: FoundThings
    found: FoundThings
    matched: list[tuple[Thing, Thing]]

    @classmethod
    def of(cls, gold: GoldChunk, found: FoundThings) -> "_Compared":
        want = marked(gold)
        return cls(gold, want, found, overlap_pairs(gold.text, found.things, want.things))


def extraction_scores(
    chunks: Sequence[GoldChunk],
    found: Mapping[str, FoundThings],
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> ExtractionScores:
    """All figures, as fractions of 1. `found`: by the id of the chunk."""
    compared = [_Compared.of(chunk, found[chunk.id]) for chunk in chunks]

    def figures(counts_of: Callable[[_Compared], Counts]) -> MatchFigures:
        counts = [counts_of(c) for c in compared]
        right, num_found, hit, num_gold = (sum(column) for column in zip(*counts, strict=True))
        return MatchFigures(
            **{
                name: Interval(*(round(bound, _DIGITS) for bound in (own.mean, own.low, own.high)))
                for name, own in f1_intervals(counts, seed, resamples).items()
            },
            num_right=right,
            num_found=num_found,
            num_hit=hit,
            num_gold=num_gold,
        )

    matched = [(thing, gold) for c in compared for thing, gold in c.matched]
    return ExtractionScores(
        entities={
            "exact": figures(lambda c: _exact(c.found.things, c.want.things)),
            "overlap": figures(
                lambda c: _one_to_one(len(c.matched), c.found.things, c.want.things)
            ),
            "with_inner": figures(_with_inner),
            "key": figures(_key),
        },
        entities_raw={
            "exact": figures(lambda c: _exact(c.found.raw, c.want.things)),
            "overlap": figures(
                lambda c: _one_to_one(
                    len(overlap_pairs(c.gold.text, c.found.raw, c.want.things)),
                    c.found.raw,
                    c.want.things,
                )
            ),
        },
        relations={
            "directed": figures(lambda c: _stated(c, is_directed=True)),
            "undirected": figures(lambda c: _stated(c, is_directed=False)),
        },
        co_occurrences={
            "undirected": figures(
                lambda c: _pairs(c, undirected(p for p in c.found.pairs if p.is_together), False)
            )
        },
        recall_by_type={
            type_: RecallCounts(marked=num, overlap=overlap, exact=exact)
            for type_, num, overlap, exact in _by_type(
                [gold for c in compared for gold in c.want.things],
                [(gold, thing) for thing, gold in matched],
            )
        },
        precision_by_type={
            type_: PrecisionCounts(found=num, overlap=overlap, exact=exact)
            for type_, num, overlap, exact in _by_type(
                [thing for c in compared for thing in c.found.things], matched
            )
        },
        names=_recall_counts(compared, is_name=True),
        common_nouns=_recall_counts(compared, is_name=False),
        numbered_names=_numbered(compared),
        type_agreement=TypeAgreement(
            matched=len(matched),
            same=sum(t.type.casefold() == g.type.casefold() for t, g in matched),
        ),
        num_words=sum(len(distinct_keys(c.found.words)) for c in compared),
        num_not_in_text=sum(thing.span is None for c in compared for thing in c.found.things),
    )


# --------------------------------------------------------------------------------------- of a chunk


def _one_to_one(both: int, found: Collection[object], gold: Collection[object]) -> Counts:
    return both, len(found), both, len(gold)


def _exact(found: Sequence[Thing], gold: Sequence[Thing]) -> Counts:
    both = len({t.span for t in found if t.span is not None} & {t.span for t in gold})
    return _one_to_one(both, found, gold)


def _with_inner(c: _Compared) -> Counts:
    """By overlap, where a name inside a marked thing that names another thing is right to find, and
    none is missed.
    """
    inner = set[Span]().union(*(entity.inner_spans for entity in c.gold.entities))
    matched = {thing for thing, _ in c.matched}
    more = sum(thing.span in inner for thing in c.found.things if thing not in matched)
    return len(c.matched) + more, len(c.found.things), len(c.matched), len(c.want.things)


def _key(c: _Compared) -> Counts:
    found, gold = distinct_keys(c.found.things), distinct_keys(c.want.things)
    return _one_to_one(len(found & gold), found, gold)


def _stated(c: _Compared, is_directed: bool) -> Counts:
    found: Sequence[ThingPair] = [p for p in c.found.pairs if not p.is_together]
    return _pairs(c, found if is_directed else undirected(found), is_directed)


def _pairs(c: _Compared, found: Sequence[ThingPair], is_directed: bool) -> Counts:
    gold = c.want.pairs if is_directed else undirected(c.want.pairs)
    right, hit = matched_pairs(found, gold, gold_keys(c.found.things, c.matched), is_directed)
    return right, len(found), hit, len(gold)


# ------------------------------------------------------------------------------------ of all chunks


def _by_type(
    things: Sequence[Thing], matched: Sequence[tuple[Thing, Thing]]
) -> Iterator[tuple[str, int, int, int]]:
    """(Type, how many things have it, how many of these are matched, how many with the same span),
    the type of most first. `matched`: (one of the things, its match).
    """
    overlap = Counter(own.type for own, _ in matched)
    exact = Counter(own.type for own, other in matched if own.span == other.span)
    for type_, num in Counter(own.type for own in things).most_common():
        yield type_, num, overlap[type_], exact[type_]


def _recall_counts(compared: Sequence[_Compared], is_name: bool) -> RecallCounts:
    """Of the marked names, or of the marked common nouns."""
    spans = [{e.span for e in c.gold.entities if e.is_name is is_name} for c in compared]
    found = [
        (thing, gold)
        for c, own in zip(compared, spans, strict=True)
        for thing, gold in c.matched
        if gold.span in own
    ]
    return RecallCounts(
        marked=sum(map(len, spans)),
        overlap=len(found),
        exact=sum(thing.span == gold.span for thing, gold in found),
    )


def _numbered(compared: Sequence[_Compared]) -> NumberedNames:
    counts = Counter[str]()
    for c in compared:
        spans = {t.span for t in c.found.things if t.span is not None}
        for gold in c.want.things:
            has_digit = any(map(str.isdigit, gold.name))
            if gold.span is None or gold.type in _NUMBERS or not has_digit:
                continue
            start, end = gold.span
            if gold.span in spans:
                counts["whole"] += 1
            elif any(a < end and start < b for a, b in spans):
                counts["cut"] += 1
            else:
                counts["missed"] += 1
    return NumberedNames(
        marked=counts.total(), whole=counts["whole"], cut=counts["cut"], missed=counts["missed"]
    )
