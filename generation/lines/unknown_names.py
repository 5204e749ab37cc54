"""Names in a question that no document has: nobody of that name speaks, and nobody and no title
says it.

Only what is surely a name counts: capitalised within a sentence that isn't capitalised throughout,
without an article, no acronym, no month, no form of a word that stands anywhere in the documents.
Nothing is told where most speakers go by call signs or have no label: they may be meant.
"""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property
from itertools import chain, pairwise

from dynagrag.core.ids import GENERIC_SPEAKER, entity_key
from dynagrag.core.schema import Snapshot
from dynagrag.core.text import without_accents
from dynagrag.generation.support import WORD
from dynagrag.graph_store.derived.speaker_roles import roles_of
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_WORDS, DETERMINERS, HONORIFICS, MONTHS, WEEKDAYS

_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_OPENS = re.compile(r"(?:^|[.?!:;\"“”(\[]\s*)$")
_NAME = re.compile(r"(?:(?:Mc|Mac|[DO]['’])?[A-ZÀ-Þ][a-zß-ÿ]+)(?:-[A-ZÀ-Þ][a-zß-ÿ]+)*")
_NO_NAMES = HONORIFICS.union(MONTHS, WEEKDAYS, ("christmas", "easter"))
_ARTICLES = DETERMINERS | words_of(WordClass.DETERMINES_TITLE)
_IN_TITLES = words_of(WordClass.SMALL_IN_TITLE)
_MIN_LETTERS, _BEGINNING = 3, 4
_MAX_NEAREST, _LEAST_LIKE = 3, 0.75


class UnknownNames:
    """Tells them of questions; reads the documents at the first name that may be one.
    Thread-safe.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def in_question(self, question: str) -> dict[str, tuple[str, ...]]:
        """Each with the names of the documents that are spelt most like it."""
        if not self._are_speakers_named:
            return {}
        return {
            " ".join(name): self._nearest(name[-1])
            for name in _names(question)
            if not self._is_known(name[-1])
        }

    def _is_known(self, word: str) -> bool:
        return any(
            self._is_said(part) for part in WORD.findall(_plain(word)) if len(part) >= _MIN_LETTERS
        )

    def _is_said(self, word: str) -> bool:
        """Whether a word of the documents is the same, or a longer or shorter form: Canada and
        Canadians, but not Gorsuch and Gorsush.
        """
        beside = self._words.get(word[:_BEGINNING], frozenset())
        return word in beside or any(
            other.startswith(word[: max(_BEGINNING, min(len(word), len(other)) - 1)])
            for other in beside
        )

    def _nearest(self, word: str) -> tuple[str, ...]:
        like = get_close_matches(_plain(word), self._named, _MAX_NEAREST, _LEAST_LIKE)
        return tuple(dict.fromkeys(self._named[part] for part in like))

    @cached_property
    def _are_speakers_named(self) -> bool:
        """Whether at least half of the turns are of somebody who is called by name: "Ann Lee",
        "JUSTICE KAGAN", but not "CAPCOM".
        """
        labels = [turn.speaker for turns in self._snapshot.turns.values() for turn in turns]
        return 2 * sum(label is not None and _is_personal(label) for label in labels) >= max(
            1, len(labels)
        )

    @cached_property
    def _labels(self) -> list[str]:
        return sorted(
            {
                turn.speaker
                for turns in self._snapshot.turns.values()
                for turn in turns
                if turn.speaker
            }
        )

    @cached_property
    def _words(self) -> Mapping[str, frozenset[str]]:
        """All words of texts, titles, speakers, their roles and the graph's names, by their first
        letters.
        """
        documents, entities = self._snapshot.documents.values(), self._snapshot.graph.entities
        texts = chain(
            (part for d in documents for part in (d.text, d.title, *roles_of(d).values())),
            self._labels,
            (name for entity in entities for name in (entity.name, *entity.aliases)),
        )
        found: dict[str, set[str]] = {}
        for word in map(
            without_accents, {word for text in texts for word in WORD.findall(text.casefold())}
        ):
            found.setdefault(word[:_BEGINNING], set()).add(word)
        return {beginning: frozenset(words) for beginning, words in found.items()}

    @cached_property
    def _named(self) -> Mapping[str, str]:
        """By each word of theirs, the speakers, then the graph's names."""
        names = [*self._labels, *(entity.name for entity in self._snapshot.graph.entities)]
        found: dict[str, str] = {}
        for name in names:
            for word in WORD.findall(_plain(name)):
                if len(word) >= _MIN_LETTERS and word not in COMMON_WORDS:
                    found.setdefault(word, name)
        return found


def _is_personal(label: str) -> bool:
    if GENERIC_SPEAKER.match(label):
        return False
    return any(map(str.islower, label)) or entity_key(label.split()[0]) in HONORIFICS


def _names(question: str) -> Iterator[tuple[str, ...]]:
    """Names as their words, without titles before them and what is possessive of them."""
    tokens = list(_TOKEN.finditer(question))
    shown = [token.group() for token in tokens]
    opens = [
        _OPENS.search(question[: token.start()]) is not None and before.casefold() not in HONORIFICS
        for before, token in zip(["", *shown], tokens, strict=False)
    ]
    if all(not word[0].islower() or word in _IN_TITLES for word in shown):
        return
    gaps = [question[a.end() : b.start()] for a, b in pairwise(tokens)]
    at = 0
    while at < len(shown):
        first, last = at, at
        while (
            last + 1 < len(shown)
            and gaps[last] == " "
            and _is_name_word(shown[last])
            and _is_name_word(shown[last + 1])
        ):
            last += 1
        at = last + 1
        if not _is_name_word(_without_s(shown[first])) or opens[first]:
            continue
        before = shown[first - 1].casefold() if gaps[first - 1] == " " else ""
        is_title = (
            at < len(shown)
            and gaps[last] == " "
            and not _has_s(shown[last])
            and shown[at][0].isupper()
        )
        if before not in _ARTICLES and not is_title:
            if (
                before
                and shown[first - 1].istitle()
                and not opens[first - 1]
                and before not in HONORIFICS
            ):  # New York
                first -= 1
            yield (*shown[first:last], _without_s(shown[last]))


def _is_name_word(word: str) -> bool:
    key = entity_key(word)
    if len(key) < _MIN_LETTERS or not _NAME.fullmatch(word):
        return False
    return key not in COMMON_WORDS and not _NO_NAMES & {key, key.removesuffix("s")}


def _has_s(word: str) -> bool:
    return word != _without_s(word)


def _without_s(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)


def _plain(text: str) -> str:
    return without_accents(text.casefold())
