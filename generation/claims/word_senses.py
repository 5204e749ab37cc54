"""Senses of words: their stems, which say the same, which the opposite, and phrases in one word."""

import itertools
import re
from collections.abc import Iterable
from functools import cache, partial

from dynagrag.generation.claims.claim_lexicon import CONTRACTIONS, CUT_SHORT, PHRASES
from dynagrag.language.english.data import groups_of
from dynagrag.language.english.stems import stem as porter_stem
from dynagrag.language.thesaurus import GroupKind

_PASTS = groups_of(GroupKind.IRREGULAR_PASTS)


@cache
def _irregular() -> dict[str, str]:
    return {
        form: base
        for kind in (GroupKind.IRREGULAR_PASTS, GroupKind.IRREGULAR_FORMS)
        for base, *forms in groups_of(kind)
        for form in forms
    }


PAST = frozenset(past for _, past, *_ in _PASTS)
PARTICIPLES = frozenset(participle for *_, participle in _PASTS)
"""Of verbs whose past no rule makes: went, gone."""


def told_forms(verbs: Iterable[str]) -> frozenset[str]:
    """The forms in which a verb tells what one person does or did: says, said; denies, denied."""
    irregular = {base: past for base, past, *_ in _PASTS}
    forms = set[str]()
    for verb in verbs:
        regular = f"{verb}d" if verb.endswith("e") else f"{_y_as_ie(verb, 'i')}ed"
        forms |= {f"{_y_as_ie(verb)}s", irregular.get(verb, regular)}
    return frozenset(forms)


def _y_as_ie(verb: str, ending: str = "ie") -> str:
    return f"{verb[:-1]}{ending}" if verb.endswith("y") and verb[-2] not in "aeiou" else verb


@cache
def lemma(word: str) -> str:
    """The stem of a word's base form, casefolded: wrote, writes -> write; directed, directing ->
    direct.
    """
    low = word.casefold().replace("’", "'").removesuffix("'s").removesuffix("'")
    return porter_stem(_irregular().get(low, low))


def is_irregular(low: str) -> bool:
    """Whether it is a form that no rule makes of its base: wrote, gone."""
    return low in _irregular()


@cache
def _groups(kind: GroupKind) -> dict[str, frozenset[str]]:
    groups: dict[str, frozenset[str]] = {}
    for group in groups_of(kind):
        stems = frozenset(map(lemma, group))
        for stem in stems:
            groups[stem] = groups.get(stem, frozenset()) | stems
    return groups


def senses(stem: str) -> frozenset[str]:
    """Stems that can say what this one says, itself among them."""
    return alike(stem) | _groups(GroupKind.RELATED).get(stem, frozenset())


def near_verbs(stem: str) -> frozenset[str]:
    """Stems of verbs that may say the same as one, too loosely to stand for it."""
    return senses(stem) | _groups(GroupKind.NEAR_VERBS).get(stem, frozenset())


def alike(stem: str) -> frozenset[str]:
    """Stems that say the same of the same ones: who does it, and to whom."""
    return _groups(GroupKind.SYNONYMS).get(stem, frozenset((stem,))) | _NARROWER.get(
        stem, frozenset()
    )


def speaks_of(stems: frozenset[str], stem: str) -> bool:
    """Whether words with these stems say what one says, or the opposite of it."""
    return not stems.isdisjoint(senses(stem) | opposed(stem))


@cache
def opposites() -> dict[str, frozenset[str]]:
    """By stem, the stems that say the opposite."""
    pairs: dict[str, frozenset[str]] = {}
    plain = groups_of(GroupKind.OPPOSITES)
    compared = [zip(*map(degrees, pair), strict=True) for pair in groups_of(GroupKind.COMPARED)]
    for one, other in map(partial(map, lemma), itertools.chain(plain, *compared)):
        pairs[one] = pairs.get(one, frozenset()) | {other}
        pairs[other] = pairs.get(other, frozenset()) | {one}
    return pairs


def opposed(stem: str) -> frozenset[str]:
    """Stems that say the opposite of one; empty where none is known."""
    return opposites().get(stem, frozenset())


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
"""Stems that may say it too, but not the other way round: who wrote a song composed it."""


_WORD_OF = dict(entry.strip().split(": ") for entry in PHRASES.replace("\n", " ").split(";"))
_PHRASE = re.compile(
    rf"(?<!\w)(?:{'|'.join(sorted(_WORD_OF, key=len, reverse=True))})(?!\w)", re.IGNORECASE
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
    return _PHRASE.sub(lambda match: _WORD_OF[match[0].casefold()], text)
