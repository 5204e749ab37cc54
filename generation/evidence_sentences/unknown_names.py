"""Names in a question that no document has: nobody of that name speaks, and nobody and no title
says it.

Only what is surely a name counts: capitalised within a sentence that isn't capitalised throughout,
without an article, no acronym, no month, no form of a word that stands anywhere in the documents.
No name counts as unknown where most speakers go by call signs: they may be meant. Where nobody has
a label, as in captions, a name must be unlike every name that is spelt there.

German writes every noun with a capital: a word is surely a name there only alone behind a title
("Herr Vogt"), or where it is nearly one of the documents' names ("Maier" for Meier). So it is in a
question whose language can't be told. Where names take endings that change them (Marek, Marka), one
is unknown only if no word of the documents begins as it does.
"""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property
from itertools import chain, pairwise

from dynagrag.core.ids import entity_key, is_generic_speaker
from dynagrag.core.schema import Snapshot
from dynagrag.core.text import without_accents
from dynagrag.generation.support import WORD, content_stems
from dynagrag.graph_store.derived.speaker_roles import roles_of
from dynagrag.language.english.data import words_of
from dynagrag.language.english.inflection import is_known, noun_forms, verb_forms
from dynagrag.language.german.data import words_of as german_words_of
from dynagrag.language.identification import UNKNOWN, language_of_question
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_WORDS, DETERMINERS, HONORIFICS, MONTHS, WEEKDAYS

_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_OPENS = re.compile(r"(?:^|[.?!¿¡:;\"“”„«»(\[]\s*)$")
_NAME = re.compile(r"(?:(?:Mc|Mac|[DO]['’])?[A-ZÀ-Þ][a-zß-ÿ]+)(?:-[A-ZÀ-Þ][a-zß-ÿ]+)*")
_NO_NAMES = HONORIFICS.union(MONTHS, WEEKDAYS, ("christmas", "easter"))
_ARTICLES = DETERMINERS | words_of(WordClass.DETERMINES_TITLE)
_IN_TITLES = words_of(WordClass.SMALL_IN_TITLE)
_TITLES = german_words_of(WordClass.FORM_OF_ADDRESS, WordClass.PERSON_TITLE)
_POLITE = frozenset(
    "don doña lei madame mademoiselle monsieur pan pana panem pani panią panu państwo senhor"
    " senhora señor señora señores signor signora signore usted ustedes".split()
)
"""Forms of address of other languages, which may be written with a capital."""
_UNCHANGED = frozenset("ca da de en es fr gl it nl no pt sv".split())
"""Languages in which a name stays as it is, but for an s."""
_NOUNS_AS_NAMES = frozenset(("de", UNKNOWN))
_MIN_LETTERS, _BEGINNING, _SHARED = 3, 4, 3
_MAX_NEAREST, _LEAST_LIKE = 3, 0.75


class UnknownNames:
    """Finds them in questions; reads the documents once a name may be one. Thread-safe."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def in_question(self, question: str) -> dict[str, tuple[str, ...]]:
        """Each with the names of the documents that are spelt most like it."""
        if self._labels and not self._are_speakers_named:
            return {}
        unknown: dict[str, tuple[str, ...]] = {}
        language = language_of_question(question)
        for name in _names(question):
            bare = tuple(word for word in name if word.casefold() not in _TITLES)
            is_titled = len(bare) == 1 < len(name)
            last = _plain(name[-1])
            parts = [part for part in WORD.findall(last) if len(part) >= _MIN_LETTERS]
            may_be_changed = language not in _UNCHANGED and any(map(self._begins_one, parts))
            if not may_be_changed and not any(map(self._is_known, parts)):
                like = get_close_matches(last, self._named, _MAX_NEAREST, _LEAST_LIKE)
                if language in _NOUNS_AS_NAMES and not is_titled and not like:
                    continue
                if not self._labels and (like or self._is_misspelt(last)):
                    continue  # as a recogniser may have heard it
                name = bare if is_titled else name
                unknown[" ".join(name)] = tuple(dict.fromkeys(self._named[part] for part in like))
        return unknown

    def in_topic(self, topic: str) -> str:
        """What an English question asks who speaks of it, or what somebody says of it, where no
        document has any content word of it, in any form or spelt nearly so; else nothing. Whoever
        speaks, they needn't be called by name.
        """
        found = [
            (match, _plain(match.group()))
            for match in WORD.finditer(topic)
            if content_stems(match.group())
        ]
        words = [word for _, word in found]
        is_telling = all(word.isalpha() and len(word) >= _BEGINNING for word in words)
        if not words or not is_telling or any(map(self._is_near, words)):
            return ""
        return topic[found[0][0].start() : found[-1][0].end()]

    def _is_near(self, word: str) -> bool:
        """Whether a word of the documents is the same, a form of it, or spelt nearly so."""
        forms = {word, *verb_forms(word), *noun_forms(word)}
        if any(map(self._is_known, forms)):
            return True
        every = [w for w in chain.from_iterable(self._words.values()) if w[0] == word[0]]
        return bool(get_close_matches(word, every, 1, _LEAST_LIKE))

    def _is_known(self, word: str) -> bool:
        """Whether a word of the documents is the same, or a longer or shorter form: Canada and
        Canadians, but not Gorsuch and Gorsush.
        """
        beside = self._words.get(word[:_BEGINNING], frozenset())
        return word in beside or any(
            other.startswith(word[: max(_BEGINNING, min(len(word), len(other)) - 1)])
            for other in beside
        )

    def _is_misspelt(self, word: str) -> bool:
        """Whether a word of the documents that the dictionary lacks is nearly the same."""
        unlisted = [w for w in chain.from_iterable(self._words.values()) if w[0] == word[0]]
        like = get_close_matches(word, unlisted, _MAX_NEAREST, _LEAST_LIKE)
        return any(not is_known(found) for found in like)

    def _begins_one(self, word: str) -> bool:
        """Whether a word of the documents begins as this does."""
        beginning = word[: min(_SHARED, len(word) - 2)]
        return any(found.startswith(beginning) for found in self._words)

    @cached_property
    def _are_speakers_named(self) -> bool:
        """Whether at least half of the turns are of somebody who is called by name: "Ann Lee",
        "JUSTICE KAGAN", but not "CAPCOM".
        """
        labels = [turn.speaker for turns in self._snapshot.turns.values() for turn in turns]
        num_named = sum(label is not None and _is_personal(label) for label in labels)
        return num_named > 0 and 2 * num_named >= len(labels)

    @cached_property
    def _labels(self) -> list[str]:
        turns = chain.from_iterable(self._snapshot.turns.values())
        return sorted({turn.speaker for turn in turns if turn.speaker})

    @cached_property
    def _words(self) -> Mapping[str, frozenset[str]]:
        """All words of texts, titles, speakers, their roles and the graph's names, by their first
        letters.
        """
        texts = [*self._labels]
        for document in self._snapshot.documents.values():
            texts += [document.text, document.title, *roles_of(document).values()]
        for entity in self._snapshot.graph.entities:
            texts += [entity.name, *entity.aliases]
        found: dict[str, set[str]] = {}
        for word in {word for text in texts for word in WORD.findall(text.casefold())}:
            plain = without_accents(word)
            found.setdefault(plain[:_BEGINNING], set()).add(plain)
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
    if is_generic_speaker(label):
        return False
    return any(map(str.islower, label)) or entity_key(label.split()[0]) in HONORIFICS


def _names(question: str) -> Iterator[tuple[str, ...]]:
    """Names as their words, without titles before them and what is possessive of them."""
    tokens = list(_TOKEN.finditer(question))
    shown = [token.group() for token in tokens]
    if all(not word[0].islower() or word in _IN_TITLES for word in shown):
        return
    opens = [
        _OPENS.search(question[: token.start()]) is not None and before.casefold() not in HONORIFICS
        for before, token in zip(["", *shown], tokens, strict=False)
    ]
    gaps = [*(question[a.end() : b.start()] for a, b in pairwise(tokens)), ""]
    at = 0
    while at < len(shown):
        first, last = at, at
        while gaps[last] == " " and _is_name_word(shown[last]) and _is_name_word(shown[last + 1]):
            last += 1
        at = last + 1
        if not _is_name_word(_without_s(shown[first])) or opens[first]:
            continue
        bare = _without_s(shown[last])
        before = shown[first - 1] if gaps[first - 1] == " " else ""
        is_title = gaps[last] == " " and bare == shown[last] and shown[at][0].isupper()
        if before.casefold() in _ARTICLES or is_title:
            continue
        is_longer = before.istitle() and before.casefold() not in HONORIFICS
        if is_longer and not opens[first - 1]:  # New York
            first -= 1
        yield (*shown[first:last], bare)


def _is_name_word(word: str) -> bool:
    key = entity_key(word)
    if len(key) < _MIN_LETTERS or not _NAME.fullmatch(word):
        return False
    if word.casefold() in _POLITE:
        return False
    return key not in COMMON_WORDS and not _NO_NAMES & {key, key.removesuffix("s")}


def _without_s(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)


def _plain(text: str) -> str:
    return without_accents(text.casefold())
