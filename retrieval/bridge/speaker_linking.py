"""Which speakers a question names otherwise than by their label: by last name, title and last name,
or role, where exactly one fits.

Docs/papers.md, Bridge-PPR, step 2. Several that fit are none; a question within a filter looks
among the speakers there.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from dynagrag.core.ids import GENERIC_SPEAKER, entity_key, plain_key, speaker_key
from dynagrag.core.schema import Document, Entity
from dynagrag.graph_store.derived.speaker_roles import roles_of
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import (
    COMMON_WORDS,
    FUNCTION_WORDS,
    HONORIFICS,
    LETTERS_OF_OFFICE,
    ROLE_NOUNS,
)

WORD = re.compile(r"[^\W_]+(?:['’\-.][^\W_]+)*")
BRACKETS = re.compile(r"[(\[]([^()\[\]]*)[)\]]")
_SUFFIXES = words_of(WordClass.NAME_SUFFIX) | LETTERS_OF_OFFICE
_MAX_ROLE_WORDS = 8


class SpeakerLinker:
    """Looks speakers up by what they are called beside their labels."""

    def __init__(self, speakers: Mapping[int, Entity], roles: Mapping[int, Sequence[str]]) -> None:
        """`speakers`: by their place among the entities; `roles`: what files say that they are."""
        self._given: dict[int, set[str]] = {}
        self._by_last: dict[str, set[int]] = defaultdict(set)
        self._by_role: dict[str, set[int]] = defaultdict(set)
        self._labels: dict[str, set[int]] = defaultdict(set)
        for place, entity in speakers.items():
            labels = {entity.name, *entity.aliases, *map(plain_key, entity.keys)}
            for role in (
                *roles.get(place, ()),
                *(role for label in labels for role in BRACKETS.findall(label)),
            ):
                for key in _role_keys(role):
                    self._by_role[key].add(place)
            for label in labels:
                self._add_label(place, label)

    def _add_label(self, place: int, label: str) -> None:
        words = [entity_key(w) for w in WORD.findall(BRACKETS.sub(" ", label))]
        named = [
            w
            for w in words
            if w and w not in HONORIFICS and w not in _SUFFIXES and w not in FUNCTION_WORDS
        ]
        if named and named[-1] not in ROLE_NOUNS and not GENERIC_SPEAKER.match(label):
            self._labels[" ".join(named)].add(place)
        if (
            len(named) > 1
            and len(named[-1]) > 2
            and named[-1].isalpha()
            and named[-1] not in ROLE_NOUNS
        ):
            self._by_last[named[-1]].add(place)
            self._given.setdefault(place, set()).update(named[:-1])

    def find(self, text: str) -> tuple[int, ...]:
        """Places of the speakers that a text names so, in its order, each once."""
        words = [(m.group(), m.start(), m.end()) for m in WORD.finditer(text)]
        keys = [entity_key(word) for word, _, _ in words]
        found: dict[int, None] = {}
        for at in range(len(words)):
            for fitting in (
                self._with_last_name(words, at, text),
                self._with_role(words, keys, at),
            ):
                if len(fitting) == 1:
                    found.update(dict.fromkeys(fitting))
        return tuple(found)

    def _with_last_name(
        self, words: Sequence[tuple[str, int, int]], at: int, text: str
    ) -> set[int]:
        """Who may be meant by a capitalised word, for what stands beside it: "Isiah Thomas",
        "Thomas Jefferson" are others.
        """
        word = words[at][0]
        key = entity_key(word)
        fitting = self._by_last.get(key, set())
        if not fitting or not word[0].isupper():
            return set()
        before = (
            words[at - 1][0]
            if at and text[words[at - 1][2] : words[at][1]].strip(" .") == ""
            else ""
        )
        after = (
            words[at + 1][0]
            if at + 1 < len(words) and text[words[at][2] : words[at + 1][1]] == " "
            else ""
        )
        first = entity_key(before)
        if first in HONORIFICS or first.removesuffix("s") in HONORIFICS:
            return fitting
        if key in COMMON_WORDS or (_is_name(after) and not word.endswith(("'s", "’s"))):
            return set()
        if not _is_name(before):
            return fitting
        return {
            place
            for place in fitting
            if any(_is_given(first, given) for given in self._given[place])
        }

    def _with_role(
        self, words: Sequence[tuple[str, int, int]], keys: Sequence[str], at: int
    ) -> set[int]:
        """Who has the longest role that begins at a word, or the label in "FLIGHT director"; one
        word needs its article or a capital.
        """
        for num in range(min(_MAX_ROLE_WORDS, len(words) - at), 0, -1):
            key = " ".join(keys[at : at + num])
            if num == 1 and not (
                words[at][0][0].isupper() or (at and words[at - 1][0].casefold() == "the")
            ):
                continue
            if self._by_role.get(key):
                return self._by_role[key]
            *label, noun = key.split()
            if label and noun in ROLE_NOUNS and self._labels.get(" ".join(label)):
                return self._labels[" ".join(label)]
        return set()


def _role_keys(role: str) -> Iterable[str]:
    """A role as it may be said: whole, and without what it is of: the Chief Justice (of the United
    States).
    """
    whole = " ".join(entity_key(w) for w in WORD.findall(role))
    short = re.split(r" (?:of|for|at|in) ", whole)[0]
    return {
        key
        for key in (whole, short)
        if key and key not in COMMON_WORDS and len(key.split()) <= _MAX_ROLE_WORDS
    }


def _is_name(word: str) -> bool:
    return word[:1].isupper() and entity_key(word) not in COMMON_WORDS


def _is_given(said: str, given: str) -> bool:
    """Whether a first name may be one that a speaker has: the same, its initial, or its
    beginning.
    """
    shorter, longer = sorted((said, given), key=len)
    return bool(shorter) and longer.startswith(shorter)


def speaker_linker(
    entities: Sequence[Entity], wanted: Iterable[int], documents: Iterable[Document]
) -> SpeakerLinker:
    """Of the wanted entities that speak, with the roles that documents give them."""
    speakers = {i: entities[i] for i in wanted if entities[i].is_speaker}
    place_of = {key: i for i, entity in speakers.items() for key in entity.keys}
    roles: dict[int, list[str]] = defaultdict(list)
    for document in documents:
        for label, role in roles_of(document).items():
            place = place_of.get(speaker_key(label, document.sha256))
            if place is not None:
                roles[place].append(role)
    return SpeakerLinker(speakers, roles)
