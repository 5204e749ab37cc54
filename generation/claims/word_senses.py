"""What words say: their stems, which say the same, which the opposite, and phrases in one word."""

import itertools
import re
import threading
from collections.abc import Iterable
from functools import cache, partial

import snowballstemmer

from dynagrag.generation.claims.lexicon import (
    COMPARED,
    CONTRACTIONS,
    CUT_SHORT,
    OPPOSITE,
    OTHER_FORMS,
    PAST_FORMS,
    PHRASES,
    RELATED,
    SAME,
)


class _Stemmer(threading.local):
    """A stemmer of each thread's own, since it keeps the word that it is at."""

    def __init__(self) -> None:
        self.stem = snowballstemmer.stemmer("english").stemWord


_STEMMER = _Stemmer()


@cache
def _irregular() -> dict[str, str]:
    return {
        form: base
        for table in (PAST_FORMS, OTHER_FORMS)
        for base, forms in _entries(table)
        for form in forms
    }


def _entries(table: str) -> list[tuple[str, list[str]]]:
    """(base, its forms)"""
    entries = (entry.partition(":") for entry in table.replace("\n", " ").split(";"))
    return [(base.strip(), forms.split()) for base, _, forms in entries]


PAST = frozenset(forms[0] for _, forms in _entries(PAST_FORMS))

PARTICIPLES = frozenset(forms[-1] for _, forms in _entries(PAST_FORMS))
"""Of verbs whose past no rule makes: went, gone."""


def told_forms(verbs: Iterable[str]) -> frozenset[str]:
    """The forms in which a verb tells what one person does or did: says, said; denies, denied."""
    return frozenset(form for verb in verbs for form in (f"{_y_as_ie(verb)}s", _past(verb)))


def _past(verb: str) -> str:
    irregular = next((forms[0] for base, forms in _entries(PAST_FORMS) if base == verb), "")
    return irregular or (f"{verb}d" if verb.endswith("e") else f"{_y_as_ie(verb, 'i')}ed")


def _y_as_ie(verb: str, ending: str = "ie") -> str:
    return f"{verb[:-1]}{ending}" if verb.endswith("y") and verb[-2] not in "aeiou" else verb


@cache
def lemma(word: str) -> str:
    """The stem of a word's base form, casefolded: wrote, writes -> write; directed, directing ->
    direct.
    """
    low = word.casefold().replace("’", "'").removesuffix("'s").removesuffix("'")
    return str(_STEMMER.stem(_irregular().get(low, low)))


def is_irregular(low: str) -> bool:
    """Whether it is a form that no rule makes of its base: wrote, gone."""
    return low in _irregular()


@cache
def _groups(table: str) -> dict[str, frozenset[str]]:
    groups: dict[str, frozenset[str]] = {}
    for line in table.strip().splitlines():
        stems = frozenset(lemma(word) for word in line.split())
        for stem in stems:
            groups[stem] = groups.get(stem, frozenset()) | stems
    return groups


def senses(stem: str) -> frozenset[str]:
    """Stems that can say what this one says, itself among them."""
    return alike(stem) | _groups(RELATED).get(stem, frozenset())


def alike(stem: str) -> frozenset[str]:
    """Stems that say the same of the same ones: who does it, and to whom."""
    return _groups(SAME).get(stem, frozenset((stem,))) | _NARROWER.get(stem, frozenset())


def speaks_of(stems: frozenset[str], stem: str) -> bool:
    """Whether words with these stems say what one says, or the opposite of it."""
    return not stems.isdisjoint(senses(stem) | opposites().get(stem, frozenset()))


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Stems that say the opposite of one."""
    pairs: dict[str, frozenset[str]] = {}
    told = [tuple(pair.split()) for pair in OPPOSITE.replace("\n", " ").split(";")]
    compared = [
        zip(*map(degrees, pair.split()), strict=True)
        for pair in COMPARED.replace("\n", " ").split(";")
    ]
    for one, other in map(partial(map, lemma), itertools.chain(told, *compared)):
        pairs[one] = pairs.get(one, frozenset()) | {other}
        pairs[other] = pairs.get(other, frozenset()) | {one}
    return pairs


def degrees(quality: str) -> tuple[str, str]:
    """How one compares by it: fast, faster, fastest without the first; early, big and large as they
    are spelt.
    """
    if quality.endswith("e"):
        return f"{quality}r", f"{quality}st"
    stem = _y_as_ie(quality, "i") + (
        quality[-1] if re.search(r"[^aeiou][aeiou][bdgmnpt]$", quality) else ""
    )
    return f"{stem}er", f"{stem}est"


_NARROWER = {
    lemma("compose"): frozenset((lemma("write"),)),
    lemma("perform"): frozenset((lemma("record"),)),
}
"""What may say it too, but not the other way round: who wrote a song composed it."""


@cache
def _phrases() -> tuple[re.Pattern[str], dict[str, str]]:
    words = dict(entry.strip().split(": ") for entry in PHRASES.replace("\n", " ").split(";"))
    return (
        re.compile(
            rf"(?<!\w)(?:{'|'.join(sorted(words, key=len, reverse=True))})(?!\w)", re.IGNORECASE
        ),
        words,
    )


_IN_TITLE = re.compile(r"\b(?P<verb>[A-Z][a-z]*) ?n't(?= +(?!I\b)[A-Z][a-z])")
"""Of a title, where capitals go on behind it: Don't Look Up. Not shall be one of its words, and
deny nothing.
"""

_LESS = re.compile(r"\b(?!(?:regard|neverthe|nonethe|wire)less\b)([a-z]{3,})less\b")
"""Warrantless is without a warrant."""

_NOT_JUST = re.compile(r"(?i)\bnot (?:just|only|merely|simply) ([^.;!?]{1,80}?),? but(?: also)?\b")
"""Not just A but also B is both."""


def plain_phrases(text: str) -> str:
    """The text with phrases of several words in the one word that says the same, and without
    contractions.
    """
    text = text.replace("’", "'")
    text = _IN_TITLE.sub(lambda title: f"{CUT_SHORT.get(title['verb'], title['verb'])} Not", text)
    for short, full in CONTRACTIONS.items():
        text = re.sub(rf"(?i){short}\b", full, text)
    text = _LESS.sub(r"without \1", text)
    text = _NOT_JUST.sub(r"both \1 and", text)
    phrases, words = _phrases()
    return phrases.sub(lambda match: words[match[0].casefold()], text)
