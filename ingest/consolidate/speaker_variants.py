"""A speaker and what others call them: "Kagan", "Justice Kagan" and the speaker "Elena Kagan" are
one where nobody else can be.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from dynagrag.core.ids import NUMBERED_SPEAKER
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
    if speakers:
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, speakers))})\b")
        for word in {match for text in texts for match in pattern.findall(text)}:
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
        called = list(same)
        first = _name_words(speaker)[0]
        if all(_may_be_called(name, last, first) for name in others[last]):
            documents = frozenset[str]().union(*(one.documents for one in fitting))
            called += [name for name in others[last] if name.documents <= documents]
        yield from ((LAST_NAME_RULE, speaker.key, name.key) for name in called)


def _by_last_name(names: Sequence[UsedName]) -> dict[str, list[UsedName]]:
    """Speakers whose label is a person's whole name, by its last word."""
    found: dict[str, list[UsedName]] = defaultdict(list)
    for name in names:
        if not name.name.is_speaker or NUMBERED_SPEAKER.match(name.key):
            continue
        words = _name_words(name)
        is_cased = name.surface[:1].isupper() and not name.surface.isupper()
        if len(words) > 1 and "".join(words).isalpha() and is_cased:
            found[words[-1]].append(name)
    for last in [w for w in found if len(w) < _MIN_LAST or w in COMMON_WORDS | TITLES]:
        del found[last]
    return found


def _name_words(name: UsedName) -> list[str]:
    """A person's name without titles and what stands behind it."""
    return [
        word
        for word in without_letters(tokens_of(name.key))
        if word not in TITLES and word not in _SUFFIXES
    ]


def _may_be_called(name: UsedName, last: str, first: str) -> bool:
    """Whether a name is the last name alone, with titles, or with what the first name or its
    initial may be.
    """
    words = _name_words(name)
    if words[-1:] != [last] or len(words) > 3:
        return False
    return len(words) == 1 or are_first_names_alike(words[0], first)
