"""How English says that something isn't so, and how a sentence is made to say so or not."""

import re
from collections.abc import Sequence

from dynagrag.language.english.data import words_of
from dynagrag.language.english.finite_verbs import (
    ANY_AUXILIARY,
    FiniteKind,
    finite_verb,
    replaced,
)
from dynagrag.language.english.verbs import base_of_past, base_or_stem
from dynagrag.language.patterns import any_of
from dynagrag.language.word_class import WordClass

NEGATION = re.compile(rf"\b(?:{any_of(words_of(WordClass.NEGATION))})\b|n['’]t\b", re.IGNORECASE)
"""A word or an ending that denies."""
_NOT = re.compile(rf"\b({ANY_AUXILIARY}) not\b(?! only)")
_SHORT_NOT = re.compile(
    r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should|must|might|need)n['’]t\b",
    re.IGNORECASE,
)
_CANNOT = re.compile(r"\b(?:cannot|can['’]t)\b", re.IGNORECASE)
_WONT = re.compile(r"\bwon['’]t\b", re.IGNORECASE)
_CONTRACTED_NOT = re.compile(r"(?<=['’](?:re|ve|ll))( not)\b|(?<=['’][msd])( not)\b")
_NEVER = re.compile(r"(?<=\w )never (?!mind)")
_NO_NOUN = re.compile(
    r"\b((?:have|has|had|is|are|was|were|there|with|see|got) )no (?!longer|more|one)(?=[A-Za-z]{3})"
)


def negated(text: str) -> str | None:
    """With a negation, put in with do-support where it is needed; without it where there is one.
    None where there are several.
    """
    count = len(NEGATION.findall(text))
    made = _with_not(text) if count == 0 else _without_not(text) if count == 1 else None
    return made if made is not None and abs(len(NEGATION.findall(made)) - count) == 1 else None


def _with_not(text: str) -> str | None:
    finite = finite_verb(text)
    if finite is None:
        return None
    match finite.kind:
        case FiniteKind.AUXILIARY:
            return replaced(
                text,
                finite.span,
                "cannot" if finite.word == "can" else f"{text[slice(*finite.span)]} not",
            )
        case FiniteKind.PAST:
            base = base_of_past(finite.word)
            return replaced(
                text, finite.span, f"did not {base}" if base else f"never {finite.word}"
            )
        case FiniteKind.THIRD:
            return replaced(text, finite.span, f"does not {base_or_stem(finite.word)}")
        case FiniteKind.BASE:
            return replaced(text, finite.span, f"do not {finite.word}")


def _without_not(text: str) -> str | None:
    rules: Sequence[tuple[re.Pattern[str], str]] = (
        (_NOT, r"\1"),
        (_CANNOT, "can"),
        (_WONT, "will"),
        (_SHORT_NOT, r"\1"),
        (_CONTRACTED_NOT, ""),
        (_NO_NOUN, r"\1some "),
        (_NEVER, ""),
    )
    return next(
        (pattern.sub(by, text, count=1) for pattern, by in rules if pattern.search(text)), None
    )
