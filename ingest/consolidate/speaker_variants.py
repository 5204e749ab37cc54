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
from dynagrag.language.words import COMMON_WORDS, HONORIFICS, LETTERS_OF_OFFICE

LAST_NAME_RULE = "speaker's last name"
_SUFFIXES = words_of(WordClass.NAME_SUFFIX)
_MIN_LAST, _MAX_PARTS = 3, 3
_WORD = re.compile(r"\w+")
_PARTED = re.compile("[ -]")
_BEHIND_TITLE = re.compile(
    rf"(?<!\w)(?:{'|'.join(map(re.escape, HONORIFICS))})\.? \Z", re.IGNORECASE
)


def speakers_last_names(names: Sequence[UsedName], texts: Iterable[str] = ()) -> Iterator[Proposal]:
    """Kagan / Elena Kagan, Justice Kagan / Elena Kagan, Mr. Dreeben / Michael R. Dreeben, Lynne
    Neagle / Lynne Neagle AM, Smith Jones / Ann Smith-Jones, Falk / MR. FALK.

    Where one speaker of the corpus has that last name and is in every document that says it so, and
    the corpus has no other name with the word in it: neither "Clarence Thomas" beside "Isiah
    Thomas" nor "Jackson" beside "Jackson County". A last name that a text has in small letters is a
    word (the speaker "User Interface"); one of a label in capitals ("TOM FALK") counts where a text
    has it behind a title.
    """
    speakers = _by_last_name(names)
    if speakers:
        no_names, titled = _in_texts(speakers, texts)
        for last in [*speakers]:
            is_shouted = all(_is_shouted(name) for name in speakers[last])
            if last in no_names or (is_shouted and last not in titled):
                del speakers[last]
    others: dict[str, list[UsedName]] = defaultdict(list)
    for name in names:
        if not name.is_word and not name.name.is_speaker:
            for last in set(_runs(tokens_of(name.key))) & speakers.keys():
                others[last].append(name)
    for last, fitting in speakers.items():
        if len({without_letters(tokens_of(speaker.key)) for speaker in fitting}) > 1:
            continue
        speaker, *same = fitting
        called = list(same)
        first = _name_words(speaker)[: -len(last.split())][:1]
        if all(_may_be_called(name, last, first) for name in others[last]):
            documents = frozenset[str]().union(*(one.documents for one in fitting))
            called += [name for name in others[last] if name.documents <= documents]
        yield from ((LAST_NAME_RULE, speaker.key, name.key) for name in called)


def _in_texts(lasts: Iterable[str], texts: Iterable[str]) -> tuple[set[str], set[str]]:
    """Which of these last names texts have in small letters, and which behind a title."""
    by_first: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for last in lasts:
        words = tuple(last.split())
        by_first[words[0]].append(words)
    small, titled = set[str](), set[str]()
    for text in texts:
        if by_first.keys().isdisjoint(_WORD.findall(text.casefold())):
            continue
        found = list(_WORD.finditer(text))
        for place, match in enumerate(found):
            for words in by_first.get(match.group().casefold(), ()):
                own = found[place : place + len(words)]
                shown = text[match.start() : own[-1].end()]
                if tuple(_PARTED.split(shown.casefold())) == words:
                    if shown.islower():
                        small.add(" ".join(words))
                    elif _BEHIND_TITLE.search(text, max(0, match.start() - 40), match.start()):
                        titled.add(" ".join(words))
    return small, titled


def _is_shouted(name: UsedName) -> bool:
    return name.surface.isupper() and tokens_of(name.key)[0] not in HONORIFICS


def _runs(tokens: Sequence[str]) -> Iterator[str]:
    """Each token, and each with those behind it that a last name with hyphens has as well."""
    for size in range(1, _MAX_PARTS + 1):
        yield from (" ".join(tokens[i : i + size]) for i in range(len(tokens) - size + 1))


def _by_last_name(names: Sequence[UsedName]) -> dict[str, list[UsedName]]:
    """Speakers whose label is a person's whole name or a title and a last name, by their last name:
    its last word, of one with hyphens the parts, with blanks between them.
    """
    found: dict[str, list[UsedName]] = defaultdict(list)
    for name in names:
        if not name.name.is_speaker or NUMBERED_SPEAKER.match(name.key):
            continue
        words, num = _name_words(name), _num_last(name)
        is_whole = len(words) > num and name.surface[:1].isupper()
        is_titled = len(words) == num and tokens_of(name.key)[0] in HONORIFICS
        if (is_whole or is_titled) and "".join(words).isalpha():
            found[" ".join(words[-num:])].append(name)
    for last in [w for w in found if len(w) < _MIN_LAST or w in COMMON_WORDS | TITLES]:
        del found[last]
    return found


def _num_last(name: UsedName) -> int:
    """The words of a last name: of Smith-Jones two."""
    own = [part for part in name.key.split() if _is_of_name(part.strip(".,"))]
    num = len([part for part in own[-1].split("-") if part]) if own else 1
    return min(num, _MAX_PARTS)


def _is_of_name(word: str) -> bool:
    return word not in TITLES and word not in _SUFFIXES and word not in LETTERS_OF_OFFICE


def _name_words(name: UsedName) -> list[str]:
    """A person's name without titles and what stands behind it."""
    return [
        word
        for word in without_letters(tokens_of(name.key))
        if word not in TITLES and word not in _SUFFIXES
    ]


def _may_be_called(name: UsedName, last: str, first: Sequence[str]) -> bool:
    """Whether a name is the last name alone, with titles, or with what the first name or its
    initial may be. `first`: that name; none where only the last is known.
    """
    words, parts = _name_words(name), last.split()
    if words[-len(parts) :] != parts or len(words) > len(parts) + 2:
        return False
    if len(words) == len(parts):
        return True
    return bool(first) and are_first_names_alike(words[0], first[0])
