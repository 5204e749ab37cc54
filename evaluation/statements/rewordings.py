"""A sentence in other words that keep what it says: as a report of its speaker, or with its
contractions written out.
"""

import re
from collections.abc import Sequence

from dynagrag.language.words import COMMON_WORDS, word_set

_PERSONAL = re.compile(
    r"\b(?:I|me|my|mine|we|us|our|ours|you|your|yours|here|now|this|these)\b", re.IGNORECASE
)
_SUBORDINATORS = word_set("""
    because if since while when as though although whereas unless once until after before that which who whether then
""")


def said_by(speaker: str, text: str) -> str:
    """The sentence as a report of who said it: with `that` where it holds no word that changes then
    (I, you, here), else word for word.
    """
    if _PERSONAL.search(text):
        return f'{speaker} said, "{text}"'
    return f"{speaker} said that {_lower_first(text)}"


def asked_whether(speaker: str, text: str) -> str | None:
    """As if its speaker had asked rather than said it: a false report. None where the words would
    have to change too.
    """
    is_main = text.split(maxsplit=1)[0].casefold() not in _SUBORDINATORS
    return (
        f"{speaker} asked whether {_lower_first(text)}"
        if is_main and not _PERSONAL.search(text)
        else None
    )


_CONTRACTIONS: Sequence[tuple[re.Pattern[str], str]] = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        (r"\b([Cc])an['’]t\b", r"\1annot"),
        (r"\b([Ww])on['’]t\b", r"\1ill not"),
        (r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should)n['’]t\b", r"\1 not"),
        (r"\bI['’]m\b", "I am"),
        (r"\b([Ww]e|[Yy]ou|[Tt]hey)['’]re\b", r"\1 are"),
        (r"\b(I|[Ww]e|[Yy]ou|[Tt]hey)['’]ve\b", r"\1 have"),
        (r"\b(I|[Ww]e|[Yy]ou|[Tt]hey|[Hh]e|[Ss]he|[Ii]t)['’]ll\b", r"\1 will"),
        (r"\b([Ii]t|[Hh]e|[Ss]he|[Tt]hat|[Tt]here)['’]s been\b", r"\1 has been"),
    )
)


def reworded(text: str) -> str | None:
    """With its contractions written out, as far as they can be only one thing; None where there is
    none.
    """
    made = text
    for pattern, by in _CONTRACTIONS:
        made = pattern.sub(by, made)
    return made if made != text else None


def _lower_first(text: str) -> str:
    """Without the capital of a first word that is no name."""
    first = re.split(r"[\s.,'’]", text, maxsplit=1)[0]
    is_plain = first != "I" and (first[1:].islower() or len(first) == 1)
    return text[0].lower() + text[1:] if is_plain and first.casefold() in COMMON_WORDS else text
