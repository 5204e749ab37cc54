"""A part of a person's name and the whole: "Thompson", "Suzy" and "Ken Thompson", "Suzy Davies" are
one where the documents of the part have one whole that can be meant.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from dynagrag.ingest.consolidate.guards import TITLES, tokens_of
from dynagrag.ingest.consolidate.used_names import Proposal, UsedName
from dynagrag.language.english.data import groups_of
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.words import COMMON_WORDS

PART_RULE = "part of a name"
_MIN_PART = 3
_PLAIN = re.compile(r"[^\W\d_]+(?: [^\W\d_]\.?)? [^\W\d_]+")
"""A first and a last name, with an initial between them: no comma, stroke or hyphen."""
_SMALL_WORD = re.compile(r"\b[^\W\d_]{3,}\b")
_OF_THING = re.compile(
    r"\b(?:(?:[Tt]he|[Aa]n?|[Tt]h(?:is|ese)|[Ii]n|[Aa]t|near|called) ([^\W\d_]+)\b(?!['’]s))"
    r"|[\"“]([^\W\d_]+)[\"”]"
)
"""A name behind an article, where a place stands, or as a title: `the Leaf`, `in Vienna`,
`"Seinfeld"`.
"""
_FIRST_NAMES = frozenset(name for names in groups_of(GroupKind.NICKNAMES) for name in names)


def parts_of_persons(names: Sequence[UsedName], texts: Iterable[str] = ()) -> Iterator[Proposal]:
    """Thompson / Ken Thompson; Suzy / Suzy Davies, where each of the two words is also a name by
    itself or the whole is somebody's for sure.

    Only where the corpus has no other name with the part in it, and the whole stands in every
    document that has the part. No word of a person's name has an article ("the Leaf" of "Nissan
    Leaf"), stands where a place does, is a title in quotation marks ("Seinfeld"), or stands in
    small letters anywhere ("Facebook Live").
    """
    by_key = {name.key: name for name in names if not name.is_word}
    wholes: dict[str, list[UsedName]] = defaultdict(list)
    for name in by_key.values():
        for word in set(_words(name)):
            if name.key != word:
                wholes[word].append(name)
    proposed = [
        (part, whole, fitting)
        for part, fitting in wholes.items()
        if part in by_key and (whole := _whole(by_key[part], fitting, by_key)) is not None
    ]
    if not proposed:
        return
    no_names = _words_of_things(texts, {word for _, whole, _ in proposed for word in _words(whole)})
    for part, whole, _ in proposed:
        if no_names.isdisjoint(_words(whole)):
            yield PART_RULE, whole.key, part


def _whole(
    part: UsedName, fitting: Sequence[UsedName], by_key: dict[str, UsedName]
) -> UsedName | None:
    """The one person who can be meant by a part of a name; None where it is none, or of several."""
    is_name = part.key.isalpha() and len(part.key) >= _MIN_PART and part.surface[:1].isupper()
    if not is_name or part.surface.isupper() or part.name.is_speaker:
        return None
    others = [name for name in fitting if _words(name) != [part.key]]
    if len({tuple(_words(name)) for name in others}) != 1:
        return None
    whole = max(others, key=lambda name: (name.weight, name.key))
    words = _words(whole)
    is_cased = all(word[:1].isupper() and not word.isupper() for word in whole.surface.split()[::2])
    if not _PLAIN.fullmatch(whole.surface) or not is_cased or not COMMON_WORDS.isdisjoint(words):
        return None
    if not part.documents <= frozenset().union(*(name.documents for name in others)):
        return None
    first, last = words[0], words[-1]
    if part.key == last != first:
        return whole
    if whole.name.is_speaker:
        return None  # others may be called so by a first name: a person decides
    is_person = whole.name.is_person or first in _FIRST_NAMES
    return whole if part.key == first and (is_person or last in by_key) else None


def _words(name: UsedName) -> list[str]:
    return [word for word in tokens_of(name.key) if word not in TITLES]


def _words_of_things(texts: Iterable[str], words: set[str]) -> set[str]:
    """Which of these the texts have in small letters, or as no person has them."""
    found: Counter[str] = Counter()
    for text in texts:
        found.update(words.intersection(_SMALL_WORD.findall(text)))
        found.update(
            words.intersection(
                name.casefold() for names in _OF_THING.findall(text) for name in names if name
            )
        )
    return set(found)
