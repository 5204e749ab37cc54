"""Forms of the verbs that the lexicon knows, for sentences that are changed by one word.

A word that is no form of theirs is left alone: a dictionary of all verbs takes names and nouns for
verbs.
"""

from collections.abc import Mapping
from functools import cache

from dynagrag.language.english.data import groups_of, words_of
from dynagrag.language.english.inflection import participles, pasts, thirds
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.word_class import WordClass

BASES = words_of(WordClass.VERB)
"""Verbs as they stand after `to`."""
_COMMON = words_of(WordClass.COMMON_VERB)
_NO_PAST = words_of(WordClass.NO_PAST)


def alike(base: str) -> frozenset[str]:
    """Verbs that may say the same, itself among them."""
    near = groups_of(GroupKind.NEAR_VERBS)
    return frozenset([base]).union(*(group for group in near if base in group))


def base_of_past(word: str) -> str | None:
    """`open` of opened, `go` of went; None where the word is no past that is known."""
    return _pasts().get(word)


def base_of_third(word: str) -> str | None:
    """`open` of opens, `try` of tries; None where it is not known."""
    return _thirds().get(word)


def participle_of_past(word: str) -> str | None:
    """`gone` of went, `opened` of opened; None where the word is no past."""
    base = base_of_past(word)
    if base is not None and word not in (found := participles(base)):
        return found[0]
    return word if base is not None or is_past(word) else None


def is_past(word: str) -> bool:
    """Whether it looks like a past, known or not."""
    return _has_ending(word) or _is_irregular(word, _pasts())


def is_participle(word: str) -> bool:
    """Whether it looks like a past participle, known or not."""
    return _has_ending(word) or _is_irregular(word, _participles())


def is_verb(word: str) -> bool:
    """Whether it is a form of a known verb."""
    return (
        word in BASES
        or word in _COMMON
        or is_past(word)
        or is_participle(word)
        or base_of_third(word) is not None
    )


def base_or_stem(word: str) -> str:
    """The base as far as it is known, so that forms of one verb have one; else the word without its
    ending.
    """
    known = base_of_past(word) or _participles().get(word) or base_of_third(word)
    if known:
        return known
    if word in BASES or not word.endswith("ing"):
        return word
    stem = word[:-3]
    return next((base for base in (stem, f"{stem}e", word[:-4]) if base in BASES), stem)


def _has_ending(word: str) -> bool:
    return len(word) > 4 and word.endswith("ed") and word not in _NO_PAST


def _is_irregular(word: str, base_of: Mapping[str, str]) -> bool:
    """Whether it is a form without -ed: went, fed."""
    base = base_of.get(word)
    return base is not None and (not word.endswith("ed") or len(word) < len(base))


@cache
def _pasts() -> Mapping[str, str]:
    return {form: verb for verb in sorted(BASES) for form in pasts(verb)}


@cache
def _participles() -> Mapping[str, str]:
    return {form: verb for verb in sorted(BASES) for form in participles(verb)}


@cache
def _thirds() -> Mapping[str, str]:
    return {form: verb for verb in sorted(BASES) for form in thirds(verb)}
