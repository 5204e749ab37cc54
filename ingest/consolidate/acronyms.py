"""Acronyms: which names their letters are the initials of, and which of these a corpus means.

An acronym is joined with the one name of the corpus that it fits, where a fit by chance is
unlikely: a corpus of ten thousand names holds some "C... M..." for any CM. Two names that fit are
two meanings, and nothing is joined.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from dynagrag.ingest.consolidate.guards import tokens_of
from dynagrag.ingest.consolidate.used_names import (
    Proposal,
    UsedName,
    content_words,
    initials,
    squashed,
)
from dynagrag.language.words import COMMON_WORDS

MAX_FALSE = 0.05
"""The share of joined acronyms that may be coincidences."""
MAX_DOUBT = 1 / 3
"""How probable a coincidence may be for any one acronym that is joined."""
_TELLING = 0.05
"""Acronyms that fit by chance more often than that tell nothing of how many of a corpus have their
meaning in it.
"""
MAX_LETTERS = 8
_MIN_BLEND = 5
_MIN_PIECE = 2
_MAX_WORDS = 6
_SHORT = re.compile(r"[^\W\d_](?:[&./-]?[^\W\d_])+")


def is_acronym(surface: str) -> bool:
    """Whether a name is written as acronyms are: one word of 2 to 8 letters, a capital after the
    first letter (LM, MC&W, CapCom, mAb).
    """
    if not _SHORT.fullmatch(surface):
        return False
    letters = [c for c in surface if c.isalpha()]
    return 2 <= len(letters) <= MAX_LETTERS and any(c.isupper() for c in letters[1:])


def spells_out(long: str, short: str) -> bool:
    """Whether a name's words spell an acronym, both as keys: by their initials, with or without the
    small words, or from 5 letters on each by its beginning of 2 or more (CapCom: capsule
    communicator).
    """
    letters = squashed(short)
    words = tokens_of(long)
    if not 2 <= len(words) <= 2 * _MAX_WORDS or not all(w.isalpha() for w in words):
        return False
    if letters in (initials(long), "".join(w[0] for w in words)):
        return True
    return len(letters) >= _MIN_BLEND and _is_blend(content_words(long), letters)


def _is_blend(words: Sequence[str], letters: str) -> bool:
    """Whether the letters are a beginning of each word, of two letters or more, one after
    another.
    """
    if not words:
        return not letters
    return any(
        words[0].startswith(letters[:n]) and _is_blend(words[1:], letters[n:])
        for n in range(_MIN_PIECE, len(letters) + 1)
    )


class AcronymIndex:
    """Finds the names that an acronym may stand for: near-linear, by their initials."""

    def __init__(self, names: Iterable[UsedName], root: Callable[[str], str] = str) -> None:
        """Of names of several words that an acronym can stand for; those of one root count once in
        each document.
        """
        places_of: dict[str, set[str]] = defaultdict(set)
        self._by_initials: dict[str, list[str]] = defaultdict(list)
        self._sizes_in: dict[str, Counter[int]] = defaultdict(Counter)
        self._letters: Counter[str] = Counter()
        for name in filter(is_spelt_out, names):
            content = initials(name.key)
            for first in {content, "".join(w[0] for w in tokens_of(name.key))}:
                self._by_initials[first].append(name.key)
            for place in {"", *name.documents} - places_of[root(name.key)]:
                self._sizes_in[place][len(content)] += 1
            if not places_of[root(name.key)]:
                self._letters.update(content)
            places_of[root(name.key)].update(("", *name.documents))

    def meanings(self, short: str) -> list[str]:
        """The keys that spell a key out, in alphabetical order."""
        letters = squashed(short)
        found = set(self._by_initials.get(letters, ()))
        if len(letters) < _MIN_BLEND:
            return sorted(found - {short})
        # By the initials that names of two and more words may have of which it is a blend.
        for num_words in range(2, min(_MAX_WORDS, len(letters) // _MIN_PIECE) + 1):
            for places in combinations(range(_MIN_PIECE, len(letters) - 1), num_words - 1):
                firsts = letters[0] + "".join(letters[p] for p in places)
                keys = self._by_initials.get(firsts, ())
                found.update(key for key in keys if _is_blend(content_words(key), letters))
        return sorted(found - {short})

    def chance(self, short: str, documents: Collection[str] = ()) -> float:
        """How many names of these documents (none: of all) would spell a key out if their initials
        were drawn at random.
        """
        letters = squashed(short)
        num_names = sum(
            self._sizes_in[d][len(letters)] for d in documents or ("",) if d in self._sizes_in
        )
        total = self._letters.total() + 26
        return num_names * math.prod((self._letters[letter] + 1) / total for letter in letters)


def is_spelt_out(name: UsedName) -> bool:
    """Whether an acronym may stand for a name: of several words, no person, none of its words
    itself in capitals.
    """
    words = content_words(name.key)
    if not 2 <= len(words) <= MAX_LETTERS or name.name.is_person or name.is_word:
        return False
    has_capitals = any(len(part) > 1 and part.isupper() for part in name.surface.split())
    return "".join(words).isalpha() and not has_capitals


def may_be_acronym(name: UsedName) -> bool:
    """Whether a name may be an acronym: written like one, no common word, and not a mere word of
    the text.
    """
    return is_acronym(name.surface) and not name.is_word and name.key not in COMMON_WORDS


@dataclass(frozen=True, slots=True)
class _AcronymFit:
    """An acronym with the names that spell it out, and how many would do so by chance."""

    key: str
    meanings: tuple[str, ...]
    chance: float


def corpus_acronyms(
    names: Sequence[UsedName],
    root: Callable[[str], str],
    defined: Collection[str],
    ambiguous: Collection[str] = (),
) -> Iterator[Proposal]:
    """Acronyms with the one name of the corpus that spells them out, as long as few of them can be
    coincidences.

    Args:
        names: All of them, in a fixed order.
        root: The group that a key is in already; several spellings of one group are one meaning.
        defined: Acronyms of which texts say what they are.
        ambiguous: Keys that are known to stand for several things.
    """
    documents = {name.key: name.documents for name in names}
    index = AcronymIndex(names, root)
    tried: dict[str, _AcronymFit] = {}
    for name in names:
        key = name.key
        if key in defined or key in ambiguous or not may_be_acronym(name):
            continue
        meanings = tuple(long for long in index.meanings(key) if root(long) != root(key))
        shared = name.documents & frozenset().union(*(documents[long] for long in meanings))
        chance = min(index.chance(key), index.chance(key, shared))
        fit = _AcronymFit(key, meanings if len(set(map(root, meanings))) == 1 else (), chance)
        # By root, since CB and CBs are one.
        tried[root(key)] = max(
            tried.get(root(key), fit), fit, key=lambda t: (bool(t.meanings), -t.chance)
        )
    for acronym in _credible(list(tried.values())):
        yield from (("acronym", long, acronym.key) for long in acronym.meanings)


def _credible(tried: Sequence[_AcronymFit]) -> list[_AcronymFit]:
    """Those whose fit is no coincidence: the most certain first, as many as leave the expected
    share of coincidences at `MAX_FALSE`.

    With a share p of acronyms whose meaning the corpus has, a fit that chance gives c times is a
    coincidence with probability (1 - p) c / (p + (1 - p) c). p is the share of telling acronyms,
    and one more, that fit beyond those that do by chance.
    """
    telling = [t for t in tried if t.chance <= _TELLING]
    surplus = sum(bool(t.meanings) - t.chance for t in telling)
    share = max(surplus, 0.0) / (len(telling) + 1)
    doubts = [
        ((1 - share) * t.chance / (share + (1 - share) * t.chance or 1), t.key, t)
        for t in tried
        if t.meanings and share
    ]
    kept: list[_AcronymFit] = []
    total = 0.0
    for doubt, _, acronym in sorted(doubts, key=lambda row: row[:2]):
        total += doubt
        if doubt > MAX_DOUBT or total > MAX_FALSE * (len(kept) + 1):
            break
        kept.append(acronym)
    return kept
