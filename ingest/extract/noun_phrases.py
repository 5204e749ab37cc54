"""The things of a parsed sentence: noun phrases whose head is a noun, under one key for plural,
determiner and case.

A phrase is its head with the nouns before it ("titanium case"), and with an adjective or participle
that stands before that noun again in the document ("charging contact"): one that is said once
describes, and names nothing. A head that says nothing by itself ("thing", "kind") is no thing
without a noun before it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from dynagrag.core.ids import entity_key
from dynagrag.ingest.extract.name_words import ABBREVIATIONS, SIGNALS, UNITS, WHEN
from dynagrag.language.english.data import words_of
from dynagrag.language.english.inflection import is_known
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_WORDS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

NOUNS = frozenset(("NOUN", "PROPN"))
MODIFIERS = frozenset(
    ("amod", "compound", "nmod", "nn", "nk", "pnc", "flat", "flat:name", "npadvmod")
)
"""Relations to a noun behind it: those of spaCy's English, Universal Dependencies and TIGER."""
_DESCRIBING = frozenset(("ADJ", "VERB"))
_HYPHENS = frozenset("-‐‑–/")
_EMPTY = (
    COMMON_WORDS
    | ABBREVIATIONS
    | SIGNALS
    | UNITS
    | WHEN
    | words_of(
        WordClass.NEVER_AN_ENTITY,
        WordClass.REPLY,
        WordClass.CALL,
        WordClass.RATE,
        WordClass.TIME_WORD,
        WordClass.FORM_OF_ADDRESS,
    )
)
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_MAX_LETTERS, _MAX_SCRAP = 40, 4
_MIN_TIMES = 2


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A thing that is talked about: its name as it is said in its sentence, and its key. `kind`,
    `part`: its head alone and the nouns before that ("button" and "remote control" of "remote
    control button"); None where there are none, or they name nothing by themselves.
    """

    name: str
    key: str
    kind: "NounPhrase | None" = None
    part: "NounPhrase | None" = None


def recurring_pairs(text: str) -> frozenset[tuple[str, str]]:
    """The pairs of words, in lower case, that stand side by side in a text twice or more."""
    words = [match[0].lower() for match in _WORD.finditer(text)]
    counts = Counter(pairwise(words))
    return frozenset(pair for pair, count in counts.items() if count >= _MIN_TIMES)


def may_name_things(sentence: str) -> bool:
    """Whether a sentence has a word that may name a thing: "yeah, I know" is not worth parsing."""
    return any(match[0].lower() not in _EMPTY for match in _WORD.finditer(sentence))


def noun_phrases(doc: "Doc", recurring: frozenset[tuple[str, str]]) -> dict[int, NounPhrase]:
    """The phrases of a parsed sentence by the number of their head. `recurring`: pairs of words of
    its document.
    """
    return {
        token.i: phrase
        for token in doc
        if is_head(token) and (phrase := _phrase(token, recurring)) is not None
    }


def is_head(token: "Token") -> bool:
    """Whether a token is a noun that heads a phrase, and no modifier of the noun behind it."""
    if token.pos_ not in NOUNS:
        return False
    return not (token.dep_ in MODIFIERS and token.i < token.head.i and token.head.pos_ in NOUNS)


def _phrase(head: "Token", recurring: frozenset[tuple[str, str]]) -> NounPhrase | None:
    kept = [head, *_modifiers(head, recurring)][::-1]
    while kept[0] is not head and (kept[0].is_stop or kept[0].is_punct):
        kept.pop(0)
    if _is_broken_off(head) or not _is_word(head) or _is_empty(kept):
        return None
    nouns = [token for token in kept[:-1] if token.pos_ in NOUNS or token.is_punct]
    kind = _named([head]) if len(kept) > 1 and not _is_empty([head]) else None
    part = _named(nouns) if nouns and not _is_empty(nouns) and _is_word(nouns[-1]) else None
    phrase = _named(kept)
    return phrase and replace(phrase, kind=kind, part=part)


def _named(words: Sequence["Token"]) -> NounPhrase | None:
    """The phrase of these words, the last of which is its head."""
    said = [token.lower_ for token in words[:-1] if not token.is_punct]
    key = entity_key(" ".join([*said, _singular(words[-1])]))
    if not key or key.isdigit():
        return None
    before = "".join(_as_said(token) + token.whitespace_ for token in words[:-1])
    return NounPhrase(" ".join((before + _as_said(words[-1])).split()), key)


def _modifiers(head: "Token", recurring: frozenset[tuple[str, str]]) -> Iterator["Token"]:
    """What stands before a head and belongs to its name, from right to left."""
    after = head
    for i in range(head.i - 1, -1, -1):
        token = head.doc[i]
        if token.text in _HYPHENS and not token.whitespace_ and i > 0:
            if head.doc[i - 1].whitespace_:
                return
            yield token
            continue
        is_within = i < token.head.i <= head.i and token.dep_ in MODIFIERS
        is_begun = after.lower_.startswith(token.lower_)  # "rub rubber"
        if not is_within or is_begun or not (len(token) > 1 or token.is_upper):
            return
        if token.pos_ in _DESCRIBING:
            is_plain = not {"Cmp", "Sup"}.intersection(token.morph.get("Degree"))
            is_next = after is head or (token.lower_, after.lower_) in recurring
            if not (is_plain and is_next) or token.is_stop or token.lower_ in _EMPTY:
                return
        elif token.pos_ not in NOUNS:
            return
        yield token
        after = token


def _is_empty(kept: Sequence["Token"]) -> bool:
    """Whether a phrase names nothing: none of its nouns says anything by itself."""
    nouns = [token for token in kept if token.pos_ in NOUNS]
    return all(t.is_stop or t.lower_ in _EMPTY or t.lemma_.lower() in _EMPTY for t in nouns)


def _is_word(token: "Token") -> bool:
    letters = sum(map(str.isalpha, token.text))
    return (
        letters > 1
        and len(token) <= _MAX_LETTERS
        and letters * 2 > len(token)
        and not _is_scrap(token)
        and not token.like_url
        and not token.like_email
    )


def _is_scrap(token: "Token") -> bool:
    """A few small letters that are no word of English: "ehm", "th"."""
    is_short = len(token) <= _MAX_SCRAP and token.is_lower and token.lang_ == "en"
    return is_short and not is_known(token.text)


def _is_broken_off(head: "Token") -> bool:
    """A word that a speaker began and left: a dash stands at its end, and nothing behind that."""
    if head.text.endswith("-"):
        return True
    if head.whitespace_ or head.i + 1 >= len(head.doc):
        return False
    after = head.nbor()
    return after.text in _HYPHENS and bool(after.whitespace_ or after.i + 1 == len(head.doc))


def _singular(head: "Token") -> str:
    is_plural = head.pos_ == "NOUN" and "Plur" in head.morph.get("Number")
    return str(head.lemma_ if is_plural else head.text).lower()


def _as_said(token: "Token") -> str:
    """A token of a name: without the capital of a sentence's beginning."""
    is_plain = token.pos_ != "PROPN" and token.is_title
    return str(token.lower_ if is_plain else token.text)
