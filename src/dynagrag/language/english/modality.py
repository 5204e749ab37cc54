"""English words for what is so, may be so or is wanted."""

import re
from collections.abc import Sequence

from dynagrag.language.english.finite_verbs import FINITE_AUXILIARIES, Finite, FiniteKind
from dynagrag.language.english.verbs import base_or_stem, is_participle, participle_of_past

_STRONGER: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"\b(?:may|might|could|should|would|must) have (?=\w+(?:ed|en|wn|ne)\b)"), "had "),
    (re.compile(r"(?: would|['’]d) like to (?=[a-z])"), " did "),
    (
        re.compile(
            r"(?<=\w )(?<!to )(?<!not )(?:wants?|plans?|hopes?|tries|try|intends?) to (?=[a-z])"
        ),
        "did ",
    ),
    (re.compile(r"(?<=\w )(?:may|might|could|should)\b(?! not| have)"), "will"),
    (re.compile(r"\b(?:probably|perhaps|maybe|possibly|apparently)\b"), "certainly"),
    (re.compile(r"\b(?:Probably|Perhaps|Maybe|Possibly|Apparently)\b"), "Certainly"),
    (re.compile(r"\b(I|[Ww]e) (?:think|guess|believe|suppose|assume)\b"), r"\1 know"),
)


def made_certain(text: str) -> str | None:
    """With what may be, or is wanted, said to be so; None where there is nothing of the kind."""
    for pattern, by in _STRONGER:
        if match := pattern.search(text):
            before = text[: match.start()].split()
            is_after_auxiliary = bool(before) and before[-1].casefold() in {
                *FINITE_AUXILIARIES,
                "to",
                "not",
            }
            if by.strip() != "did" or not is_after_auxiliary:
                return text[: match.start()] + match.expand(by) + text[match.end() :]
    return None


def possible(finite: Finite, text: str) -> str | None:
    """Words in place of the finite verb where something may be so."""
    following = re.match(r"\s*([a-z]+)", text[finite.span[1] :])
    is_before_participle = following is not None and is_participle(following[1])
    match finite.kind, finite.word:
        case FiniteKind.AUXILIARY, "am" | "is" | "are":
            return "may be"
        case FiniteKind.AUXILIARY, "'m" | "'re" | "'s" if not is_before_participle:
            return " may be"
        case FiniteKind.AUXILIARY, "was" | "were":
            return "may have been"
        case FiniteKind.AUXILIARY, "has" | "have" | "had":
            return "may have"
        case FiniteKind.AUXILIARY, "'ve":
            return " may have"
        case FiniteKind.AUXILIARY, "will":
            return "may"
        case FiniteKind.AUXILIARY, "'ll":
            return " may"
        case FiniteKind.PAST, word:
            participle = participle_of_past(word)
            return f"may have {participle}" if participle else None
        case ((FiniteKind.THIRD | FiniteKind.BASE), word):
            return f"may {base_or_stem(word)}"
    return None
