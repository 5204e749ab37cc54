"""Guards against automatic merges of what looks alike: other numbers, other persons, two speakers.

Guards judge names, not vectors. They err on the side of two entities: a person can merge them, but
a wrong merge invents facts.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

from dynagrag.core.schema import Vectors
from dynagrag.core.text import ascii_spellings, plain_latin
from dynagrag.graph_store.derived.glossary import Glossary
from dynagrag.language.english.data import groups_of, values_of, words_of
from dynagrag.language.english.first_names import are_first_names_alike, is_nickname
from dynagrag.language.german import data as german
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import HONORIFICS, LETTERS_OF_OFFICE, MONTHS, WEEKDAYS

MIN_GROUP_COSINE = 0.55
"""As MiniLM's would be (`CosineScale.of_names`)."""
MAX_GROUP = 12

_TOKEN = re.compile(r"\d+|[^\W\d_]+|[+#]+")
_CLITIC = re.compile(r"'(?:s|t|d|m|ll|re|ve)\b")
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.)+[^\W\d_]\b")
_ROMAN = re.compile(r"x{0,3}(?:ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10}
_NUMBER_WORDS = {
    word: str(value)
    for numbers in (values_of(WordClass.CARDINAL), values_of(WordClass.ORDINAL))
    for word, value in numbers.items()
    if value <= 12
}
_CONTRASTS = (*groups_of(GroupKind.CONTRASTS), MONTHS, WEEKDAYS)
_CONTRAST_OF = {word: i for i, group in enumerate(_CONTRASTS) for word in group}
TITLES = HONORIFICS | words_of(WordClass.BESIDE_NAME) | german.words_of(WordClass.PERSON_TITLE)
"""Words before or after a name that are none of it."""
_PERSON_TYPES = words_of(WordClass.PERSON_TYPE)


@dataclass(frozen=True, slots=True)
class Name:
    """A key with its type, as the guards see it."""

    key: str
    type: str = ""
    is_speaker: bool = False

    @property
    def is_person(self) -> bool:
        """Whether the type says that this is somebody."""
        return self.is_speaker or self.type.casefold() in _PERSON_TYPES


@dataclass(frozen=True, slots=True)
class _Parts:
    tokens: tuple[str, ...]
    numbers: tuple[str, ...]
    letters: tuple[str, ...]
    contrasts: tuple[tuple[int, str], ...]

    @property
    def plain(self) -> tuple[str, ...]:
        """The tokens without marks on their letters."""
        return tuple(map(plain_latin, self.tokens))


@lru_cache(maxsize=200_000)
def _parts(key: str) -> _Parts:
    text = _DOTTED.sub(lambda m: m.group().replace(".", ""), _CLITIC.sub("", key))
    tokens = tuple(_TOKEN.findall(text))
    numbers: list[str] = []
    letters: list[str] = []
    for place, token in enumerate(tokens):
        number = _number(token, is_last=place == len(tokens) - 1 and place > 0)
        if number is not None:
            numbers.append(number)
        elif len(token) == 1 and token.isalpha():
            letters.append(token)
    contrasts = tuple(sorted({(_CONTRAST_OF[t], t) for t in tokens if t in _CONTRAST_OF}))
    return _Parts(tokens, tuple(sorted(numbers)), tuple(sorted(letters)), contrasts)


def _number(token: str, is_last: bool) -> str | None:
    """A number, version sign or roman numeral in one form; a lone i, v or x is one only at the end
    ("Saturn V").
    """
    if token.isdecimal():
        return str(int(token)) if len(token) < 20 else token
    if token[0] in "+#":
        return token
    if token in _NUMBER_WORDS:
        return _NUMBER_WORDS[token]
    if (len(token) > 1 or is_last) and _ROMAN.fullmatch(token):
        values = [_ROMAN_VALUES[c] for c in token]
        return str(sum(-v if v < max(values[i:], default=0) else v for i, v in enumerate(values)))
    return None


def tokens_of(key: str) -> tuple[str, ...]:
    """A key's words, numbers and version signs, in order; digits and letters apart, dotted initials
    together.
    """
    return _parts(key).tokens


def without_letters(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """A person's name without the letters of an office behind it, two words at least: Ann Lee MP,
    Ann Lee KC MP.
    """
    end = len(tokens)
    while end > 2 and tokens[end - 1] in LETTERS_OF_OFFICE:
        end -= 1
    return tokens[:end]


def conflict(a: Name, b: Name) -> str | None:
    """Why two keys may not stand for one entity; None when nothing speaks against it. Symmetric."""
    left, right = _parts(a.key), _parts(b.key)
    if a.is_speaker and b.is_speaker:
        # One person only where the names differ in nothing but the letters of an office and marks.
        is_one = without_letters(left.plain) == without_letters(right.plain)
        if left.tokens == right.tokens or not is_one:
            return "two speakers"
    # The same letters with other gaps: the x of `SpaceX` and `Space X` is no ten in either.
    joined, other = "".join(left.tokens), "".join(right.tokens)
    if joined.isalpha() and (joined == other or is_respelt(joined, other)):
        return None
    if left.numbers != right.numbers:
        return "different numbers"
    if _letters_differ(left, right):
        return "different letters"
    for kind, word in left.contrasts:
        others = {w for k, w in right.contrasts if k == kind}
        if others and word not in others:
            return "opposite words"
    is_person = a.is_person or b.is_person
    may_be_persons = all(name.is_person or not name.type for name in (a, b))
    if is_person and may_be_persons and _persons_differ(left, right):
        return None if _is_joined_last_name(a.key, b.key) else "different person names"
    return None


def _is_joined_last_name(a: str, b: str) -> bool:
    """Whether one is the last name of the other that a hyphen joins in one of them: Smith Jones,
    Ann Smith-Jones.
    """
    short, long = sorted(
        ([t for t in without_letters(tokens_of(key)) if t not in TITLES] for key in (a, b)), key=len
    )
    is_end = len(short) > 1 and long[-len(short) :] == short
    return is_end and "-".join(short) in (*a.split(), *b.split())


def is_respelt(a: str, b: str) -> bool:
    """Whether one is the other without the marks on its letters: kjær, kjaer."""
    return a in ascii_spellings(b) or b in ascii_spellings(a)


def _letters_differ(a: _Parts, b: _Parts) -> bool:
    """MAIN A is not MAIN B, nor MAIN; but James A. Lovell may be James Lovell."""
    if a.letters and b.letters:
        return a.letters != b.letters
    lettered = a if a.letters else b
    return len(lettered.tokens) > 1 and lettered.tokens[-1] in lettered.letters


def _persons_differ(a: _Parts, b: _Parts) -> bool:
    left = [t for t in without_letters(a.plain) if t not in TITLES]
    right = [t for t in without_letters(b.plain) if t not in TITLES]
    if not left or not right or sorted(left) == sorted(right):
        return False
    if len(left) == 1 or len(right) == 1:
        (one, *_), many = (left, right) if len(left) == 1 else (right, left)
        return not any(one == other or is_nickname(one, other) for other in many)
    return left[-1] != right[-1] or not are_first_names_alike(left[0], right[0])


@dataclass(frozen=True, slots=True)
class MergeGuard:
    """Which keys may stand for one entity: none that a person keeps `apart` (pairs in alphabetical
    order), none that a glossary has as two things, none that conflict. Keys that the glossary has
    as one thing are one, whatever the names look like.
    """

    names: Mapping[str, Name]
    apart: frozenset[tuple[str, str]] = frozenset()
    glossary: Glossary = field(default_factory=Glossary)

    def may_join_all(self, left: Collection[str], right: Collection[str]) -> bool:
        """Whether every key of the left may be one with every key of the right.

        Names that the glossary alone could join with the rest of their side ("MAIN A", of the term
        "DC electrical bus") say nothing of what other names may be.
        """
        things = self.glossary.thing_of
        if self.are_kept_apart(left, right) or any(
            things[a] != things[b] for a in left for b in right if a in things and b in things
        ):
            return False
        return all(
            (a in things and things[a] == things.get(b))
            or conflict(self.names[a], self.names[b]) is None
            for a in self._telling(left)
            for b in self._telling(right)
        )

    def are_kept_apart(self, left: Collection[str], right: Collection[str]) -> bool:
        """Whether a person keeps any key of the left apart from one of the right."""
        return bool(self.apart) and any(
            (min(a, b), max(a, b)) in self.apart for a in left for b in right
        )

    def _telling(self, keys: Collection[str]) -> Collection[str]:
        """A side's keys without those that conflict with the first of its thing that is among
        them.
        """
        things = self.glossary.thing_of
        thing = next((things[key] for key in keys if key in things), None)
        if thing is None or len(keys) < 2:
            return keys
        first = next(key for key in self.glossary.things[thing].keys if key in keys)
        return [
            key
            for key in keys
            if key == first
            or key not in things
            or conflict(self.names[first], self.names[key]) is None
        ]


def split_group(
    members: Sequence[int],
    may_join: Callable[[int, int], bool],
    cosines: Vectors,
    sizes: Sequence[int],
) -> list[list[int]]:
    """Cuts a group so that in each part every two members may join, have a cosine of at least 0.55,
    and at most 12 keys are together.

    Complete linkage, nearest pairs first, so a chain a-b-c never joins an a and a c that conflict.
    A member that fits several parts which exclude each other ("Lovell" beside "Jim Lovell" and
    "Marilyn Lovell") is ambiguous and stays alone.

    Args:
        members: Indices into `cosines`, (n, n), and `sizes`, the number of keys that each stands
        for.
        may_join: The guards, of two indices.
        cosines: Of every two, as MiniLM's would be (`CosineScale.of_names`).
        sizes: Keys each.

    Returns:
        The parts, each sorted, in order of their first member.
    """
    allowed = {
        (i, j): may_join(i, j) and bool(cosines[i, j] >= MIN_GROUP_COSINE)
        for i, j in combinations(sorted(set(members)), 2)
    }

    def fits(i: int, j: int) -> bool:
        return allowed[min(i, j), max(i, j)]

    ambiguous = {
        i
        for i in members
        if any(
            not may_join(j, k)
            for j, k in combinations(sorted({j for j in members if j != i and fits(i, j)}), 2)
        )
    }
    parts = {i: [i] for i in members}
    pairs = sorted(
        (p for p, ok in allowed.items() if ok), key=lambda p: (-round(float(cosines[p]), 6), p)
    )
    for i, j in pairs:
        a, b = parts[i], parts[j]
        if a is b or not ambiguous.isdisjoint((i, j)):
            continue
        is_small = sum(sizes[k] for k in (*a, *b)) <= MAX_GROUP
        if is_small and all(fits(x, y) for x in a for y in b):
            a.extend(b)
            parts.update(dict.fromkeys(b, a))
    unique = {id(part): sorted(part) for part in parts.values()}
    return sorted(unique.values())
