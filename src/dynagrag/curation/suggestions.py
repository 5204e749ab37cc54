"""Pairs of entities that may be one, for a person to look at: those that blocking finds near and
nothing merged, the likeliest first.

Candidates and guards are those of consolidation (blocking.py, guards.py); a pair that a guard
forbids is shown with the guard's reason, not hidden. Names that a person has told apart, or made
stand alone, are not suggested again. The order was tuned by eye on the fast extractor's graphs of
Apollo 13 with Friendship 7, and of two Supreme Court arguments
(docs/decisions/0007-one-thing-one-node.md).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations, product

from dynagrag.core.schema import (
    UNMEASURED,
    CosineScale,
    Edit,
    EditKind,
    Entity,
    Graph,
    Mention,
)
from dynagrag.core.text import plain_latin, plural
from dynagrag.core.vectors import unit_rows
from dynagrag.graph_store.derived.canonical import effective_edits, kept_apart
from dynagrag.graph_store.derived.linking_words import is_name
from dynagrag.ingest.consolidate.blocking import candidate_pairs
from dynagrag.ingest.consolidate.guards import MAX_GROUP, TITLES, Name, conflict, tokens_of
from dynagrag.ingest.consolidate.used_names import initials, squashed

MAX_SUGGESTIONS = 10_000
LIKELY = 0.5
"""Suggestions from this score on are worth a look; below it most are two things."""
_MIN_TYPO = 5
_MIN_PLURAL = 4
_MIN_ABBREVIATION = 3
_MIN_RATIO = 0.8
_NO_FIRST_NAMES = TITLES | {"mission"}
UNTOLD_TYPES = frozenset({"", "name", "word", "speaker"})
"""Types that say nothing: the fast extractor gives them to anything."""
_SURNAME, _FIRST_NAME = (
    "the same last name, one of them a speaker's",
    "a first name, one of them a speaker's",
)
_WITHIN = "one name within the other"
_MAX_PARTNERS = {_SURNAME: 2, _FIRST_NAME: 1, _WITHIN: 2}
"""By reason: a name that fits more others than that is none of them."""
_NO_SHARED: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Two entities by their ids and canonical keys, the heavier first. `score` 0 to 1; `cosine` of
    their vectors; why, and what speaks against it, in words.
    """

    entity_ids: tuple[str, str]
    keys: tuple[str, str]
    score: float
    cosine: float
    reasons: tuple[str, ...]
    against: tuple[str, ...]

    @property
    def is_likely(self) -> bool:
        """Whether it is worth a look before the others."""
        return self.score >= LIKELY


def suggest_merges(
    graph: Graph,
    mentions: Iterable[Mention],
    edits: Iterable[Edit],
    limit: int = MAX_SUGGESTIONS,
    scale: CosineScale = UNMEASURED,
) -> list[Suggestion]:
    """Suggestions, likeliest first (ties by keys), at most `limit`. `mentions`: those of the
    records, to tell names from plain words. `scale`: of the vectors' cosines.
    """
    named = {m.key for m in mentions if is_name(m)}
    rows = [i for i, e in enumerate(graph.entities) if not named.isdisjoint(e.keys) or e.sense]
    names: list[Name] = []
    row_of: list[int] = []
    for row in rows:
        entity = graph.entities[row]
        names.extend(Name(key, entity.type, entity.is_speaker) for key in entity.keys[:MAX_GROUP])
        row_of.extend([row] * min(len(entity.keys), MAX_GROUP))
    if len(rows) < 2:
        return []
    vectors = unit_rows(graph.entity_vectors)
    near = candidate_pairs(names, vectors[row_of], is_guarded=False, scale=scale)
    pairs = {frozenset((row_of[p.i], row_of[p.j])) for p in near}
    settled, surroundings = _Settled.of(tuple(edits)), _Surroundings.of(graph)
    made = []
    for i, j in (sorted(pair) for pair in pairs if len(pair) == 2):
        one, other = graph.entities[i], graph.entities[j]
        if not settled.holds(one, other):
            cosine = float(vectors[i] @ vectors[j])
            nearness = scale.of_names(cosine)
            made.append(_suggestion(one, other, cosine, nearness, surroundings))
    return sorted(_ambiguous_lowered(made), key=lambda s: (-s.score, s.keys))[:limit]


def _ambiguous_lowered(made: Sequence[Suggestion]) -> list[Suggestion]:
    """Lowers the score of a short name that fits many longer ones ("Cap Com" beside "Canton Cap
    Com", "Kano Cap Com", ...): it is none of them.
    """
    partners, firsts = Counter[str](), Counter[str]()
    for s in made:
        if s.reasons[0] in _MAX_PARTNERS:
            partners.update(s.keys)
        if s.reasons[0] == _FIRST_NAME:
            firsts.update(s.keys)
    checked = []
    for s in made:
        # a full name is met by its last name too
        counts = firsts if s.reasons[0] == _FIRST_NAME else partners
        most = max(counts[key] for key in s.keys)
        if most > _MAX_PARTNERS.get(s.reasons[0], most):
            against = (*s.against, f"one of them fits {most - 1} other names as well")
            s = replace(s, score=round(0.6 * s.score, 4), against=against)
        checked.append(s)
    return checked


@dataclass(frozen=True, slots=True)
class _Settled:
    """Pairs on which a person has decided already."""

    apart: frozenset[tuple[str, str]]
    alone: frozenset[str]

    @classmethod
    def of(cls, edits: Sequence[Edit]) -> "_Settled":
        apart = frozenset(
            pair for keys in kept_apart(edits) for pair in combinations(sorted(set(keys)), 2)
        )
        alone = (e.keys for e in effective_edits(edits) if e.kind is EditKind.SPLIT)
        return cls(apart, frozenset(key for keys in alone for key in keys))

    def holds(self, a: Entity, b: Entity) -> bool:
        if any(len(e.keys) == 1 and e.keys[0] in self.alone for e in (a, b)):
            return True
        return any((min(x, y), max(x, y)) in self.apart for x, y in product(a.keys, b.keys))


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The neighbours of each entity, and how often two are stated together."""

    neighbours: Mapping[str, set[str]]
    weights: Mapping[tuple[str, str], int]

    @classmethod
    def of(cls, graph: Graph) -> "_Surroundings":
        neighbours: dict[str, set[str]] = defaultdict(set)
        weights: dict[tuple[str, str], int] = defaultdict(int)
        for r in graph.relations:
            neighbours[r.head].add(r.tail)
            neighbours[r.tail].add(r.head)
            weights[min(r.head, r.tail), max(r.head, r.tail)] += r.weight
        return cls(neighbours, weights)

    def shared(self, a: str, b: str) -> int:
        return len(self.neighbours.get(a, _NO_SHARED) & self.neighbours.get(b, _NO_SHARED))

    def together(self, a: str, b: str) -> int:
        return self.weights.get((min(a, b), max(a, b)), 0)


def _suggestion(
    one: Entity, other: Entity, cosine: float, nearness: float, around: _Surroundings
) -> Suggestion:
    """`nearness`: the cosine as MiniLM's would be."""
    a, b = sorted((one, other), key=lambda e: (-e.weight, e.key))
    score, reason = max(
        _likeness(x, y, a, b) for x, y in product(a.keys[:MAX_GROUP], b.keys[:MAX_GROUP])
    )
    reasons, against = [reason] if reason else [], []
    together = around.together(a.id, b.id)
    if reason:
        score *= 0.6 + 0.4 * max(nearness, 0.0)
    else:
        score = max(0.0, 1.5 * nearness - 0.9) / (2 if together else 1)
    reasons.append(f"near in meaning (cosine {cosine:.2f})")
    if shared := around.shared(a.id, b.id):
        reasons.append(plural(shared, "shared neighbour"))
        score += 0.02 * min(shared, 3)
    guard = _guard(a, b)
    if guard:
        against.append(guard)
        score *= 0.3
    if together:
        against.append(f"stated side by side {plural(together, 'time')}, as two things are")
        score -= 0.08 if guard is None else 0.0
    types = {a.type.casefold(), b.type.casefold()} - UNTOLD_TYPES
    if len(types) > 1:
        against.append(f"types differ: {a.type}, {b.type}")
        score -= 0.1
    score = round(min(max(score, 0.0), 1.0), 4)
    return Suggestion(
        (a.id, b.id), (a.key, b.key), score, round(cosine, 4), tuple(reasons), tuple(against)
    )


def _guard(a: Entity, b: Entity) -> str | None:
    """Why the rules may not join them."""
    for x, y in product(a.keys[:MAX_GROUP], b.keys[:MAX_GROUP]):
        found = conflict(Name(x, a.type, a.is_speaker), Name(y, b.type, b.is_speaker))
        if found is not None:
            return f"a rule forbids it: {found}"
    return None


def _likeness(x: str, y: str, a: Entity, b: Entity) -> tuple[float, str]:
    """How much two names look like one, 0 to 1, and in what."""
    left, right = (tuple(map(plain_latin, tokens_of(key))) for key in (x, y))
    shorter, longer = sorted((left, right), key=len)
    if not shorter:
        return 0.0, ""
    if sorted(left) == sorted(right):
        return 1.0, "the same words"
    beside = list(zip(left, right, strict=False))
    if len(left) == len(right) and all(_is_respelt(s, t) for s, t in beside):
        return 0.95, "nearly the same spelling"
    if any(squashed(s) == initials(t) and squashed(s).isalpha() for s, t in ((x, y), (y, x))):
        return 0.9, "initials of the longer name"
    if (a.is_speaker or b.is_speaker) and len(shorter) < 3:
        first, last = left[0], left[-1]
        if last == right[-1] and len(last) > 2:
            return 0.9, _SURNAME
        is_first = first == right[0] and len(shorter) == 1 < len(longer)
        if is_first and len(first) > 2 and first not in _NO_FIRST_NAMES:
            return 0.85, _FIRST_NAME
    is_initial = 1 in (len(left[0]), len(right[0])) and left[0][0] == right[0][0]
    if len(shorter) > 1 and is_initial and left[-1] == right[-1] and len(left[-1]) > 2:
        return 0.85, "the same last name and initial"
    if len(left) == len(right) and all(_is_respelt(s, t) or _is_short_for(s, t) for s, t in beside):
        return (0.85 if len(left) > 1 else 0.7), "a word of one is short for the other's"
    if set(shorter) <= set(longer):
        return (0.6 if len(longer) - 1 == len(shorter) > 1 else 0.5), _WITHIN
    return 0.0, ""


@lru_cache(maxsize=100_000)
def _is_respelt(a: str, b: str) -> bool:
    """The same word, a plural or a slip; "ascent" is no slip of "descent", nor "APS" of "DPS"."""
    if a == b:
        return True
    if a[0] != b[0] or a.isdecimal() or b.isdecimal():
        return False
    if min(len(a), len(b)) >= _MIN_PLURAL and a.rstrip("s") == b.rstrip("s"):
        return True
    return min(len(a), len(b)) >= _MIN_TYPO and SequenceMatcher(None, a, b).ratio() >= _MIN_RATIO


def _is_short_for(a: str, b: str) -> bool:
    shorter, longer = sorted((a, b), key=len)
    return len(shorter) >= _MIN_ABBREVIATION and longer.startswith(shorter)
