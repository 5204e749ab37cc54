"""The speakers that a question names otherwise than by their label: by last name, title and last
name, or role, where exactly one fits.

Docs/papers.md, Bridge-PPR, step 2. Several that fit are none; a question within a filter looks
among the speakers there.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from dynagrag.core.ids import NUMBERED_SPEAKER, entity_key, plain_key, speaker_key
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
_BESIDE_NAME = HONORIFICS | _SUFFIXES | FUNCTION_WORDS
_ROLE_OF = re.compile(" (?:of|for|at|in) ")
_MAX_ROLE_WORDS = 8


class SpeakerLinker:
    """Looks speakers up by their last names, titles and roles."""

    def __init__(self, speakers: Mapping[int, Entity], roles: Mapping[int, Sequence[str]]) -> None:
        """`speakers`: by their place among the entities; `roles`: those that files state."""
        self._first_names: dict[int, set[str]] = defaultdict(set)
        self._by_last: dict[str, set[int]] = defaultdict(set)
        self._by_role: dict[str, set[int]] = defaultdict(set)
        self._labels: dict[str, set[int]] = defaultdict(set)
        for place, entity in speakers.items():
            for role in roles.get(place, ()):
                self._add_role(place, role)
            for label in {entity.name, *entity.aliases, *map(plain_key, entity.keys)}:
                for role in BRACKETS.findall(label):
                    self._add_role(place, role)
                self._add_label(place, label)

    def _add_role(self, place: int, role: str) -> None:
        """A role by its words, whole and without what it is of: the Chief Justice (of the United
        States).
        """
        whole = " ".join(entity_key(w) for w in WORD.findall(role))
        for key in (whole, _ROLE_OF.split(whole)[0]):
            if key and key not in COMMON_WORDS and len(key.split()) <= _MAX_ROLE_WORDS:
                self._by_role[key].add(place)

    def _add_label(self, place: int, label: str) -> None:
        words = map(entity_key, WORD.findall(BRACKETS.sub(" ", label)))
        named = [w for w in words if w and w not in _BESIDE_NAME]
        if not named or named[-1] in ROLE_NOUNS:
            return
        *first, last = named
        if not NUMBERED_SPEAKER.match(label):
            self._labels[" ".join(named)].add(place)
        if first and len(last) > 2 and last.isalpha():
            self._by_last[last].add(place)
            self._first_names[place].update(first)

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
        """Speakers of this last name who may be meant by a capitalised word, by the words beside
        it: "Isiah Thomas" and "Thomas Jefferson" are others.
        """
        word, start, end = words[at]
        key = entity_key(word)
        fitting = self._by_last.get(key, set())
        if not fitting or not word[0].isupper():
            return set()
        before, _, before_end = words[at - 1] if at else ("", 0, 0)
        before = "" if text[before_end:start].strip(" .") else before
        after, after_start, _ = words[at + 1] if at + 1 < len(words) else ("", end, 0)
        after = after if text[end:after_start] == " " else ""
        first = entity_key(before)
        if first in HONORIFICS or first.removesuffix("s") in HONORIFICS:
            return fitting
        if key in COMMON_WORDS or (_is_name(after) and not word.endswith(("'s", "’s"))):
            return set()
        if not _is_name(before):
            return fitting
        return {place for place in fitting if self._may_be_called(place, first)}

    def _may_be_called(self, place: int, name: str) -> bool:
        """Whether a speaker has a first name, or one that begins with it, or is its beginning."""
        pairs = (sorted((name, own), key=len) for own in self._first_names[place])
        return any(shorter and longer.startswith(shorter) for shorter, longer in pairs)

    def _with_role(
        self, words: Sequence[tuple[str, int, int]], keys: Sequence[str], at: int
    ) -> set[int]:
        """Speakers with the longest role that begins at a word, or the label in "FLIGHT director";
        one word needs its article or a capital.
        """
        has_article = at > 0 and words[at - 1][0].casefold() == "the"
        least = 1 if has_article or words[at][0][0].isupper() else 2
        for num in range(min(_MAX_ROLE_WORDS, len(words) - at), least - 1, -1):
            key = " ".join(keys[at : at + num])
            if self._by_role.get(key):
                return self._by_role[key]
            *label, noun = key.split()
            if noun in ROLE_NOUNS and self._labels.get(" ".join(label)):
                return self._labels[" ".join(label)]
        return set()


def _is_name(word: str) -> bool:
    return word[:1].isupper() and entity_key(word) not in COMMON_WORDS


def speaking_entities(entities: Sequence[Entity]) -> dict[str, int]:
    """Key -> place of the entities that speak."""
    return {key: i for i, e in enumerate(entities) if e.is_speaker for key in e.keys}


def speaker_among(place_of: Mapping[str, int], label: str, sha256: str) -> int | None:
    """The place of an entity, by its keys, that a label of a document with this content means; a
    graph of before role labels were scoped to their document has theirs by their name.
    """
    found = place_of.get(speaker_key(label, sha256))
    return place_of.get(entity_key(label)) if found is None else found


def speaker_linker(
    entities: Sequence[Entity], wanted: Iterable[int], documents: Iterable[Document]
) -> SpeakerLinker:
    """A linker of the wanted entities that speak, with the roles that documents state of them."""
    speakers = {i: entities[i] for i in wanted if entities[i].is_speaker}
    place_of = {key: i for i, entity in speakers.items() for key in entity.keys}
    roles: dict[int, list[str]] = defaultdict(list)
    for document in documents:
        for label, role in roles_of(document).items():
            place = speaker_among(place_of, label, document.sha256)
            if place is not None:
                roles[place].append(role)
    return SpeakerLinker(speakers, roles)
