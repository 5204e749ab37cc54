"""When something that was found is something that is marked.

- `exact`: the same span.
- `overlap`: the spans share at least half of the longer one, and the same head. The head is the
  last word that is no number, letter or
  connector: "CELL" of "FUEL CELL 1", "BUS" of "MAIN BUS B". One to one, the best overlaps first.
- `key`: the same name in the chunk, once however often it is said.
- A relation: both ends are the marked ones by key or by overlap, and the quotes share at least half
  of the shorter one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from dynagrag.evaluation.extraction.found_things import Span, Thing, ThingPair

_WORD = re.compile(r"[^\W_]+")
_PART = re.compile(r"\d\w*|[^\W\d_]|and|or|number|no", re.IGNORECASE)
MIN_SHARE = 0.5


def head_of(text: str, span: Span) -> Span:
    """The place of a mention's head; of its last word where all are numbers or letters, of itself
    where it has no word.
    """
    words = [
        (span[0] + m.start(), span[0] + m.end(), m.group())
        for m in _WORD.finditer(text[slice(*span)])
    ]
    heads = [word for word in words if not _PART.fullmatch(word[2])] or words
    return heads[-1][:2] if heads else span


def shared(a: Span, b: Span) -> int:
    """How many characters two spans share."""
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def overlaps(text: str, a: Span, b: Span) -> bool:
    """Whether two mentions are the same thing, cut a little differently."""
    return _shares_half(a, b) and head_of(text, a) == head_of(text, b)


def overlap_pairs(
    text: str, found: Sequence[Thing], gold: Sequence[Thing]
) -> list[tuple[Thing, Thing]]:
    """(Found, marked), each at most once."""
    by_head: dict[Span, list[tuple[Span, int]]] = {}
    for j, g in enumerate(gold):
        if g.span is not None:
            by_head.setdefault(head_of(text, g.span), []).append((g.span, j))
    candidates = [
        (
            -shared(f.span, span) / (max(f.span[1], span[1]) - min(f.span[0], span[0])),
            f.span,
            span,
            i,
            j,
        )
        for i, f in enumerate(found)
        if f.span is not None
        for span, j in by_head.get(head_of(text, f.span), ())
        if shared(f.span, span) and _shares_half(f.span, span)
    ]
    left, right, chosen = set[int](), set[int](), []
    for *_, i, j in sorted(candidates):
        if i not in left and j not in right:
            left.add(i)
            right.add(j)
            chosen.append((found[i], gold[j]))
    return chosen


def _shares_half(a: Span, b: Span) -> bool:
    """Of the longer one."""
    return shared(a, b) >= MIN_SHARE * max(a[1] - a[0], b[1] - b[0])


def gold_keys(
    found: Iterable[Thing], matched: Iterable[tuple[Thing, Thing]]
) -> Mapping[str, set[str]]:
    """For each key that was found, the marked keys that it may stand for: its own, and those that
    it overlaps.
    """
    keys: dict[str, set[str]] = {thing.key: {thing.key} for thing in found}
    for thing, other in matched:
        keys[thing.key].add(other.key)
    return keys


def is_same_pair(
    found: ThingPair, gold: ThingPair, keys: Mapping[str, set[str]], is_directed: bool
) -> bool:
    """Whether a relation joins the marked ends, and rests on the same words. Its label isn't
    compared: no two readers word it alike.
    """
    size = min(found.quote[1] - found.quote[0], gold.quote[1] - gold.quote[0])
    if shared(found.quote, gold.quote) < max(1.0, MIN_SHARE * size):
        return False
    heads, tails = keys.get(found.head, {found.head}), keys.get(found.tail, {found.tail})
    return (gold.head in heads and gold.tail in tails) or (
        not is_directed and gold.tail in heads and gold.head in tails
    )


def matched_pairs(
    found: Sequence[ThingPair],
    gold: Sequence[ThingPair],
    keys: Mapping[str, set[str]],
    is_directed: bool,
) -> tuple[int, int]:
    """(How many of the found relations are marked ones, how many of the marked ones are found)."""
    right = sum(any(is_same_pair(f, g, keys, is_directed) for g in gold) for f in found)
    return right, sum(any(is_same_pair(f, g, keys, is_directed) for f in found) for g in gold)


def undirected(pairs: Iterable[ThingPair]) -> tuple[ThingPair, ...]:
    """Relations without direction and label, each pair of ends and quote once."""
    unique = {(frozenset((p.head, p.tail)), p.quote): p for p in pairs}
    return tuple(unique.values())


def distinct_keys(things: Iterable[Thing]) -> set[str]:
    """The names of a chunk."""
    return {thing.key for thing in things}
