"""Verbs of an English sentence whose form their place tells."""

import re
from collections.abc import Iterator

from dynagrag.language.english.data import words_of
from dynagrag.language.english.finite_verbs import FiniteKind, finite_verb
from dynagrag.language.english.verbs import BASES, base_or_stem, is_participle, is_past
from dynagrag.language.word_class import WordClass

_AFTER_MODAL = re.compile(
    r"(?:\b(?:will|would|can|could|should|must|may|might)(?: not)?|\b(?:do|did|does)"
    r" not|n['’]t|['’]ll) (?=([a-z]{3,})\b)"
)
_AFTER_TO = re.compile(r"\bto (?=([a-z]{3,})\b)")
_AFTER_BE = re.compile(r"(?:\b(?:am|is|are|was|were|been)|['’](?:m|re))(?: not)? (?=([a-z]+ing)\b)")
_AFTER_HAVE_OR_BE = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|has|have|had)|['’](?:ve|re))(?: not)? (?=([a-z]{3,})\b)"
)
_NO_DOING = words_of(WordClass.NO_DOING)
_LIGHT = words_of(WordClass.LIGHT_VERB)


def verbs_in(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Verbs whose form their place tells: (form, span); the forms are base, ing, participle and
    past.
    """
    for pattern, form, fits in (
        (_AFTER_MODAL, "base", lambda word: word in BASES),
        (_AFTER_TO, "base", lambda word: word in BASES),
        (_AFTER_BE, "ing", lambda word: word not in _NO_DOING),
        (_AFTER_HAVE_OR_BE, "participle", is_participle),
    ):
        yield from (
            (form, m.span(1))
            for m in pattern.finditer(text)
            if fits(m[1]) and base_or_stem(m[1]) not in _LIGHT and m[1] not in _LIGHT
        )
    finite = finite_verb(text)
    if (
        finite is not None
        and finite.kind is FiniteKind.PAST
        and is_past(finite.word)
        and base_or_stem(finite.word) not in _LIGHT
    ):
        yield "past", finite.span
