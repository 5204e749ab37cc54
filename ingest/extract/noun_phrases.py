"""The things of a parsed sentence: noun phrases whose head is a noun, under one key for plural,
determiner and case.

A phrase is its head with the nouns before it ("titanium case"), and with the adjective or
participle next to these. A head that says nothing by itself ("thing", "kind") is no thing without a
noun before it. What a hyphen joins is kept whole ("long-term care").
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from dynagrag.core.ids import entity_key
from dynagrag.ingest.extract.name_words import ABBREVIATIONS, SIGNALS, UNITS, WHEN
from dynagrag.language.english.data import words_of
from dynagrag.language.english.inflection import is_known, is_noun
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_WORDS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

NOUNS = frozenset(("NOUN", "PROPN"))
MODIFIERS = frozenset(
    ("amod", "compound", "nmod", "nn", "nk", "pnc", "flat", "flat:name", "npadvmod")
)
"""Relations to a noun behind it: those of spaCy's English, Universal Dependencies and TIGER."""
_DETERMINERS = frozenset(("det", "poss"))
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
        WordClass.SHELL_NOUN,
    )
)
_IDIOMS = frozenset(
    (preposition, noun)
    for preposition, nouns in {
        "at": "hand large length risk stake",
        "by": "accident chance default heart mistake",
        "for": "instance sake",
        "from": "scratch",
        "in": "advance charge common danger detail line mind need order person place practice"
        " principle private process progress public relation respect search shape theory touch"
        " trouble turn",
        "into": "account consideration effect force place",
        "of": "course",
        "on": "account average behalf board hold purpose target track top",
        "under": "control way",
        "with": "respect",
        "without": "doubt fail",
    }.items()
    for noun in nouns.split()
)
"""Nouns that name nothing right behind their preposition."""
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


def noun_phrases(
    doc: "Doc", recurring: frozenset[tuple[str, str]], names: Collection[int] = ()
) -> dict[int, NounPhrase]:
    """The phrases of a parsed sentence by the number of their head. `recurring`: pairs of words of
    its document. `names`: numbers of the tokens that stand in names, which stay whole and head no
    phrase.
    """
    return {
        token.i: phrase
        for token in doc
        if is_head(token)
        and token.i not in names
        and (phrase := _phrase(token, recurring, names)) is not None
    }


def is_head(token: "Token") -> bool:
    """Whether a token is a noun that heads a phrase, and no modifier of the noun behind it."""
    if token.pos_ not in NOUNS:
        return False
    return not (token.dep_ in MODIFIERS and token.i < token.head.i and token.head.pos_ in NOUNS)


def _phrase(
    head: "Token", recurring: frozenset[tuple[str, str]], names: Collection[int]
) -> NounPhrase | None:
    kept = [head, *_modifiers(head, recurring, names)][::-1]
    while kept[0] is not head and kept[0].i not in names and _begins_nothing(kept[0]):
        kept.pop(0)
    if not _is_word(head) or _is_piece(head) or _is_empty(kept) or _is_idiom(kept):
        return None
    phrase = _named(kept)
    if phrase is None or len(kept) == 1:
        return phrase
    nouns = _nouns_before(kept, names)
    kind = None if _is_empty([head]) else _named([head])
    return replace(phrase, kind=kind, part=_named(nouns) if nouns else None)


def _nouns_before(kept: Sequence["Token"], names: Collection[int]) -> list["Token"]:
    """The nouns before a phrase's head, with what hyphens join to them, if they name something."""
    nouns: list[Token] = []
    for token in reversed(kept[:-1]):
        is_noun_like = token.pos_ in NOUNS or token.i in names or token.is_punct
        if not is_noun_like and not (nouns and nouns[-1].is_punct):
            break
        nouns.append(token)
    nouns.reverse()
    # "five-minute", "long-term" are no things, "long-term care" is
    is_adjective = any(t.is_punct for t in nouns) and not any(t.whitespace_ for t in nouns[:-1])
    names_nothing = not nouns or _is_empty(nouns) or not _is_word(nouns[-1])
    return [] if is_adjective or names_nothing else nouns


def _named(words: Sequence["Token"]) -> NounPhrase | None:
    """The phrase of these words, the last of which is its head."""
    said = [token.lower_ for token in words[:-1] if not token.is_punct]
    key = entity_key(" ".join([*said, _singular(words[-1])]))
    if not key or key.isdigit():
        return None
    before = "".join(_as_said(token) + token.whitespace_ for token in words[:-1])
    return NounPhrase(" ".join((before + _as_said(words[-1])).split()), key)


def _modifiers(
    head: "Token", recurring: frozenset[tuple[str, str]], names: Collection[int]
) -> Iterator["Token"]:
    """What stands before a head and belongs to its name, from right to left."""
    after = head
    for i in range(head.i - 1, -1, -1):
        token = head.doc[i]
        if _is_joined(token):
            yield token
            continue
        is_under = i < token.head.i <= head.i
        if i in names and (is_under or after.i in names):
            yield token
            after = token
            continue
        is_begun = after.lower_.startswith(token.lower_)  # "rub rubber"
        is_within = is_under and token.dep_ in MODIFIERS
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


def _begins_nothing(token: "Token") -> bool:
    return bool(token.is_punct or (token.is_stop and not _is_joined(token)))


def _is_joined(token: "Token") -> bool:
    """Whether a hyphen stands right behind a word, or is the token and stands right behind one:
    "long" and "-" of "long-term".
    """
    if token.i + 1 == len(token.doc) or token.whitespace_:
        return False
    if token.text in _HYPHENS:
        return token.i > 0 and not token.nbor(-1).whitespace_
    return token.nbor().text in _HYPHENS


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
        and (token.lang_ != "en" or _may_be_noun(token))
        and not token.like_url
        and not token.like_email
    )


def _may_be_noun(token: "Token") -> bool:
    """Not what the dictionary of English has, but not as a noun ("curved", though "the remote" is
    one), nor a few small letters that it hasn't ("ehm", "th").
    """
    if is_noun(token.lower_):
        return True
    if is_known(token.lower_):
        return any(child.dep_ in _DETERMINERS for child in token.lefts)
    return len(token) > _MAX_SCRAP or not token.is_lower


def _is_piece(head: "Token") -> bool:
    """Whether a word is a piece of one, that hyphens join ("tug-of-war") or that a speaker began
    and left ("mon- money"). A dash with a word before and behind it is none.
    """
    is_broken = head.text.endswith(("-", "–", "—"))
    if is_broken or head.whitespace_ or head.i + 1 == len(head.doc):
        return bool(is_broken)
    return str(head.nbor().text) in _HYPHENS


def _is_idiom(kept: Sequence["Token"]) -> bool:
    """Whether a noun names nothing behind its preposition: "in public", "for instance"."""
    head = kept[0]
    return head is kept[-1] and head.i > 0 and (head.nbor(-1).lower_, head.lower_) in _IDIOMS


def _singular(head: "Token") -> str:
    is_plural = head.pos_ == "NOUN" and "Plur" in head.morph.get("Number")
    if is_plural and head.lang_ == "en" and head.lower_.endswith("a"):
        return str(head.lower_)  # data, media: models take them for either
    return str(head.lemma_ if is_plural else head.text).lower()


def _as_said(token: "Token") -> str:
    """A token of a name: without the capital of a sentence's beginning."""
    is_plain = token.pos_ != "PROPN" and token.is_title
    return str(token.lower_ if is_plain else token.text)
