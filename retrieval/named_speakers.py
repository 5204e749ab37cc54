"""The speakers of a snapshot that a text names, as the labels of their turns."""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import chain

from dynagrag.core.ids import entity_key
from dynagrag.core.schema import Snapshot
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_WORDS, HONORIFICS, LETTERS_OF_OFFICE, ROLE_NOUNS
from dynagrag.retrieval.bridge.speaker_linking import (
    BRACKETS,
    WORD,
    SpeakerLinker,
    speaker_among,
    speaker_linker,
    speaking_entities,
)

_LEADS_TO_TOPIC = words_of(WordClass.TOPIC_PREPOSITION)
_SAYING = words_of(WordClass.SAYING)
_SHORT = 3
_NO_SHORT_NAMES = (
    HONORIFICS | LETTERS_OF_OFFICE | ROLE_NOUNS | words_of(WordClass.NAME_SUFFIX, WordClass.DEGREE)
)
_KEEPS_TOPIC = HONORIFICS | words_of(WordClass.INSIDE_TOPIC)


class NamedSpeakers:
    """Looks them up in the snapshot's graph, which is read at the first question."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    @cached_property
    def labels(self) -> frozenset[str]:
        """All labels of turns."""
        return frozenset(
            turn.speaker
            for turns in self._snapshot.turns.values()
            for turn in turns
            if turn.speaker
        )

    @cached_property
    def _linker(self) -> SpeakerLinker:
        entities = self._snapshot.graph.entities
        return speaker_linker(entities, range(len(entities)), self._snapshot.documents.values())

    @cached_property
    def _labels_of(self) -> dict[int, set[str]]:
        """Labels of each speaker entity: several if speakers were merged."""
        entity_of = speaking_entities(self._snapshot.graph.entities)
        found: dict[int, set[str]] = {}
        for document_id, turns in self._snapshot.turns.items():
            sha256 = self._snapshot.documents[document_id].sha256
            for label in {turn.speaker for turn in turns if turn.speaker}:
                entity = speaker_among(entity_of, label, sha256)
                if entity is not None:
                    found.setdefault(entity, set()).add(label)
        return found

    def named_in(self, question: str) -> frozenset[str]:
        """Those whom a question names: whole, by a word of four letters or more of their label, by
        a first or last name of three that is theirs alone, or as `meant_by` has it.
        """
        capital = [word for word in WORD.findall(question) if word[0].isupper()]
        spoken, short = frozenset(_words(question)), frozenset(_words(" ".join(capital)))
        return self.meant_by(question) | self._by_words(spoken, short).keys()

    def people_in(self, question: str) -> tuple[frozenset[str], ...]:
        """Those whom a question asks for, a person's labels each. Names are capitalised where the
        question capitalises any; a word that several have is one person's; who is talked about
        ("about Bob") is left out, unless nobody else is named.
        """
        shown = WORD.findall(question)
        if any(word[0].isupper() for word in shown[1:]):
            shown = [word for word in shown if not word[0].islower()]
        capital = [word for word in shown if word[0].isupper()]
        spoken, short = (frozenset(_words(" ".join(words))) for words in (shown, capital))
        by_words = self._by_words(spoken, short)
        people: dict[frozenset[str], set[str]] = {}
        for label, own in by_words.items():
            if not any(own < other for other in by_words.values()):
                people.setdefault(own, set()).add(label)
        wanted = _without_topics(_words(question), list(people))
        found = [people[own] for own in people if own in wanted]
        topics = {label for own in people if own not in wanted for label in people[own]}
        for labels in map(self._labels_of.__getitem__, self._linker.find(question)):
            if not any(labels & own for own in (*found, topics)):
                found.append(set(labels))
        # All labels of speakers that were merged are one person's.
        merged = [frozenset(own) for own in self._labels_of.values()]
        return tuple(
            frozenset(own).union(*(same for same in merged if not same.isdisjoint(own)))
            for own in found
        )

    def _by_words(self, spoken: frozenset[str], short: frozenset[str]) -> dict[str, frozenset[str]]:
        """The words of each label that a question has, of labels that it has whole, by a word of
        four letters or more, or by one of three that is theirs alone. `short`: words that may be
        so.
        """
        found = {}
        for label, words in self._label_words.items():
            own = words & spoken
            if own and (own == words or max(map(len, own)) > 3 or own & short & self._own_short):
                found[label] = own
        return found

    @cached_property
    def _own_short(self) -> frozenset[str]:
        """First and last names of three letters in one label alone: Ida of Ida Voss."""
        counts = Counter(chain.from_iterable(self._label_words.values()))
        names = [_words(BRACKETS.sub(" ", label)) for label in self.labels]
        ends = {word for own in names if own for word in (own[0], own[-1])}
        return frozenset(word for word in ends if counts[word] == 1 and len(word) == _SHORT) - (
            _NO_SHORT_NAMES | COMMON_WORDS
        )

    @cached_property
    def _label_words(self) -> dict[str, frozenset[str]]:
        return {label: frozenset(_words(BRACKETS.sub(" ", label))) for label in sorted(self.labels)}

    def meant_by(self, text: str) -> frozenset[str]:
        """Those whom a text means by last name, title and last name, or role: "Justice Kagan", "the
        Chief Justice".
        """
        return frozenset(
            label for entity in self._linker.find(text) for label in self._labels_of.get(entity, ())
        )


def _words(text: str) -> list[str]:
    """Its words; those with a hyphen as the parts of it, as which they may be written."""
    return [entity_key(part) for word in WORD.findall(text) for part in word.split("-")]


def _without_topics(words: Sequence[str], people: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Of the people, each as the words that name them, those whom no "about" leads to; all where it
    leads to all.
    """
    names, named, is_topic = frozenset(chain.from_iterable(people)), set(), False
    for before, word in zip(["", *words], words, strict=False):
        if word in _LEADS_TO_TOPIC or (word == "of" and before in _SAYING):
            is_topic = True
        elif word in names and not is_topic:
            named.add(word)
        elif word not in names | _KEEPS_TOPIC:
            is_topic = False
    kept = []
    for own in people:
        others = frozenset(chain.from_iterable(other for other in people if other != own))
        if not named.isdisjoint(own - others or own):
            kept.append(own)
    return kept or list(people)
