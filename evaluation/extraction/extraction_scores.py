"""Precision, recall and F1 of what was found against what is marked: counts summed over chunks,
with intervals from resampling chunks.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagrag.evaluation.bootstrap_intervals import RESAMPLES, SEED, Interval, f1_intervals
from dynagrag.evaluation.extraction.extraction_gold import GoldChunk
from dynagrag.evaluation.extraction.found_things import Found, Pair, Span, Thing, marked
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


@dataclass(frozen=True, slots=True)
class _Compared:
    """A chunk: what is marked, what was found, and which of these are one by overlap."""

    gold: GoldChunk
    want: Found
    found: Found
    matched: list[tuple[Thing, Thing]]

    @classmethod
    def of(cls, gold: GoldChunk, found: Found) -> "_Compared":
        want = marked(gold)
        return cls(gold, want, found, overlap_pairs(gold.text, found.things, want.things))


def extraction_scores(
    chunks: Sequence[GoldChunk],
    found: Mapping[str, Found],
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """All figures, as fractions of 1. `found`: by the id of the chunk."""
    compared = [_Compared.of(chunk, found[chunk.id]) for chunk in chunks]
    columns = {
        "entities": {
            "exact": [_exact(c) for c in compared],
            "overlap": [_overlap(c) for c in compared],
            "with_inner": [_with_inner(c) for c in compared],
            "key": [_key(c) for c in compared],
        },
        "entities_raw": {
            "exact": [_raw(c, "exact") for c in compared],
            "overlap": [_raw(c, "overlap") for c in compared],
        },
        "relations": {
            "directed": [_stated(c, True) for c in compared],
            "undirected": [_stated(c, False) for c in compared],
        },
        "co_occurrences": {"undirected": [_together(c) for c in compared]},
    }
    return {
        **{
            group: {name: _figures(own, seed, resamples) for name, own in rows.items()}
            for group, rows in columns.items()
        },
        "recall_by_type": _recall_by_type(compared),
        "precision_by_type": _precision_by_type(compared),
        "names": _share_of_marked(compared, is_name=True),
        "common_nouns": _share_of_marked(compared, is_name=False),
        "numbered_names": _numbered(compared),
        "type_agreement": _type_agreement(compared),
        "num_words": sum(len(distinct_keys(c.found.words)) for c in compared),
        "num_not_in_text": sum(thing.span is None for c in compared for thing in c.found.things),
    }


def _figures(counts: Sequence[Counts], seed: int, resamples: int) -> dict[str, Any]:
    right, num_found, hit, num_gold = (sum(column) for column in zip(*counts, strict=True))
    scores = f1_intervals(counts, seed, resamples)
    return {name: _rounded(interval) for name, interval in scores.items()} | {
        "num_right": right,
        "num_found": num_found,
        "num_hit": hit,
        "num_gold": num_gold,
    }


def _rounded(interval: Interval) -> dict[str, float]:
    return {name: round(getattr(interval, name), _DIGITS) for name in ("mean", "low", "high")}


# --------------------------------------------------------------------------------------- of a chunk


def _exact(c: _Compared) -> Counts:
    return _exact_of(c.found.things, c.want.things)


def _exact_of(found: Sequence[Thing], gold: Sequence[Thing]) -> Counts:
    both = len({t.span for t in found if t.span is not None} & {t.span for t in gold})
    return both, len(found), both, len(gold)


def _overlap(c: _Compared) -> Counts:
    return len(c.matched), len(c.found.things), len(c.matched), len(c.want.things)


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
    both = len(found & gold)
    return both, len(found), both, len(gold)


def _raw(c: _Compared, how: str) -> Counts:
    if how == "exact":
        return _exact_of(c.found.raw, c.want.things)
    both = len(overlap_pairs(c.gold.text, c.found.raw, c.want.things))
    return both, len(c.found.raw), both, len(c.want.things)


def _stated(c: _Compared, is_directed: bool) -> Counts:
    found: Sequence[Pair] = [p for p in c.found.pairs if not p.is_together]
    return _pairs(c, found if is_directed else undirected(found), is_directed)


def _together(c: _Compared) -> Counts:
    return _pairs(c, undirected(p for p in c.found.pairs if p.is_together), False)


def _pairs(c: _Compared, found: Sequence[Pair], is_directed: bool) -> Counts:
    gold = c.want.pairs if is_directed else undirected(c.want.pairs)
    right, hit = matched_pairs(found, gold, gold_keys(c.found.things, c.matched), is_directed)
    return right, len(found), hit, len(gold)


# ------------------------------------------------------------------------------------ of all chunks


def _recall_by_type(compared: Sequence[_Compared]) -> dict[str, dict[str, int]]:
    marked_ones = Counter(t.type for c in compared for t in c.want.things)
    found = Counter(gold.type for c in compared for _, gold in c.matched)
    whole = Counter(
        gold.type for c in compared for thing, gold in c.matched if thing.span == gold.span
    )
    return {
        type_: {"marked": n, "overlap": found[type_], "exact": whole[type_]}
        for type_, n in marked_ones.most_common()
    }


def _precision_by_type(compared: Sequence[_Compared]) -> dict[str, dict[str, int]]:
    """By the extractor's own types."""
    every = Counter(t.type for c in compared for t in c.found.things)
    right = Counter(thing.type for c in compared for thing, _ in c.matched)
    whole = Counter(
        thing.type for c in compared for thing, gold in c.matched if thing.span == gold.span
    )
    return {
        type_: {"found": n, "overlap": right[type_], "exact": whole[type_]}
        for type_, n in every.most_common()
    }


def _share_of_marked(compared: Sequence[_Compared], is_name: bool) -> dict[str, int]:
    """Of the marked names, or of the marked common nouns."""
    spans = [{e.span for e in c.gold.entities if e.is_name is is_name} for c in compared]
    found = [
        (thing, gold)
        for c, own in zip(compared, spans, strict=True)
        for thing, gold in c.matched
        if gold.span in own
    ]
    return {
        "marked": sum(map(len, spans)),
        "overlap": len(found),
        "exact": sum(thing.span == gold.span for thing, gold in found),
    }


def _numbered(compared: Sequence[_Compared]) -> dict[str, int]:
    """Names with a digit in them, such as versions and numbered parts: found whole, found cut or
    with more around them, or not found.
    """
    counts = Counter[str]()
    for c in compared:
        spans = {t.span for t in c.found.things if t.span is not None}
        for gold in c.want.things:
            if (
                gold.span is None
                or gold.type in _NUMBERS
                or not any(letter.isdigit() for letter in gold.name)
            ):
                continue
            touched = any(a < gold.span[1] and gold.span[0] < b for a, b in spans)
            counts["whole" if gold.span in spans else "cut" if touched else "missed"] += 1
    return {"marked": counts.total(), **{how: counts[how] for how in ("whole", "cut", "missed")}}


def _type_agreement(compared: Sequence[_Compared]) -> dict[str, int]:
    """Of what was found by overlap: how often its type is the marked one."""
    matched = [(thing, gold) for c in compared for thing, gold in c.matched]
    return {
        "matched": len(matched),
        "same": sum(t.type.casefold() == g.type.casefold() for t, g in matched),
    }
