"""A speaker and what others call them: "Kagan", "Justice Kagan" and the speaker "Elena Kagan" are
one where nobody else can be.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from dynagrag.core.ids import GENERIC_SPEAKER
from dynagrag.ingest.consolidate.guards import TITLES, tokens_of, without_letters
from dynagrag.ingest.consolidate.used_names import Proposal, UsedName
from dynagrag.language.english.data import words_of
from dynagrag.language.english.first_names import are_first_names_alike
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_WORDS

LAST_NAME_RULE = "speaker's last name"
_SUFFIXES = words_of(WordClass.NAME_SUFFIX)
_MIN_LAST = 3


def speakers_last_names(names: Sequence[UsedName], texts: Iterable[str] = ()) -> Iterator[Proposal]:
    """Kagan / Elena Kagan, Justice Kagan / Elena Kagan, Mr. Dreeben / Michael R. Dreeben, Lynne
    Neagle / Lynne Neagle AM.

    Where one speaker of the corpus has that last name and is in every document that says it so, and
    the corpus has no other name with the word in it: neither "Clarence Thomas" beside "Isiah
    Thomas" nor "Jackson" beside "Jackson County". A last name that a text has in small letters is a
    word (the speaker "User Interface").
    """
    speakers = _by_last_name(names)
    for word in _in_small_letters(speakers, texts):
        del speakers[word]
    others: dict[str, list[UsedName]] = defaultdict(list)
    for name in names:
        if not name.is_word and not name.name.is_speaker:
            for word in set(tokens_of(name.key)) & speakers.keys():
                others[word].append(name)
    for last, fitting in speakers.items():
        if len({without_letters(tokens_of(speaker.key)) for speaker in fitting}) > 1:
            continue
        speaker, *same = fitting
        yield from ((LAST_NAME_RULE, speaker.key, other.key) for other in same)
        given, documents = (
            _name_words(speaker)[:-1],
            frozenset[str]().union(*(one.documents for one in fitting)),
        )
        if all(_may_be_called(name, last, given) for name in others[last]):
            yield from (
                (LAST_NAME_RULE, speaker.key, name.key)
                for name in others[last]
                if name.documents <= documents
            )


def _by_last_name(names: Sequence[UsedName]) -> dict[str, list[UsedName]]:
    """Speakers whose label is a person's whole name, by its last word."""
    found: dict[str, list[UsedName]] = defaultdict(list)
    for name in names:
        words = (
            _name_words(name)
            if name.name.is_speaker and not GENERIC_SPEAKER.match(name.key)
            else []
        )
        is_whole = (
            len(words) > 1
            and all(word.isalpha() for word in words)
            and name.surface[:1].isupper()
            and not name.surface.isupper()
        )
        if is_whole and len(words[-1]) >= _MIN_LAST and words[-1] not in COMMON_WORDS | TITLES:
            found[words[-1]].append(name)
    return found


def _in_small_letters(words: Collection[str], texts: Iterable[str]) -> set[str]:
    if not words:
        return set()
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    return {match for text in texts for match in pattern.findall(text)}


def _name_words(name: UsedName) -> list[str]:
    """A person's name without titles and what stands behind it."""
    return [
        word
        for word in without_letters(tokens_of(name.key))
        if word not in TITLES and word not in _SUFFIXES
    ]


def _may_be_called(name: UsedName, last: str, given: Sequence[str]) -> bool:
    """Whether a name is the last name alone, with titles, or with what the given name or its
    initial may be.
    """
    words = _name_words(name)
    return (
        bool(words)
        and words[-1] == last
        and (len(words) == 1 or (len(words) <= 3 and are_first_names_alike(words[0], given[0])))
    )
