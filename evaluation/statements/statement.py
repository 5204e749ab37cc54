"""Which sentences of a source state something, and what of them does."""

import re

from dynagrag.core.text import collapse
from dynagrag.evaluation.statements.finite_verbs import finite_verb
from dynagrag.evaluation.statements.verb_forms import BASES
from dynagrag.language.words import COMMON_VERBS, FUNCTION_WORDS, word_set

_MIN_CONTENT_WORDS = 4
_MAX_WORDS = 40
_WORD = re.compile(r"[^\W_]+")
_OPENERS = (
    "okay|ok|well|yeah|uh|um|eh|er|ah|hmm|uh-huh|mm-hmm|oh|and|but|so(?!"
    " (?:far|long|much|many|that|called|few)\\b)"
)
_OPENERS_WITH_A_MARK = "no|yes|right|roger|alright|affirmative|negative|actually|i mean|you know"
"""Without a comma or the like behind them they may say something: `No one came.`"""
_INTERJECTIONS = re.compile(
    rf"^(?:(?:(?:{_OPENERS})\b|(?:{_OPENERS_WITH_A_MARK})(?= ?[,.-]))[,. -]*)+(?=\w)", re.IGNORECASE
)
_NO_STATEMENT = word_set(
    "who whom whose what which when where why how because cuz 'cause than let let's please"
) | word_set(
    "am is are was were will would can could should must may might has have had does do did don't"
    " doesn't didn't isn't aren't can't won't"
)
_ADDRESS = re.compile(r"^[A-Z]\w*, (?=\S)")
_CUT_OFF = re.compile(r"(?:-|--|…|\.\.\.|[,;:])$")
_STUTTER = re.compile(r"\b(?!had|that)(\w+) \1\b", re.IGNORECASE)
_TOKENISED = re.compile(r" (?=['’](?:s|m|d|re|ve|ll|t)\b|n['’]t\b|[.,;:!?](?:\s|$))")


def is_statement(text: str) -> bool:
    """Whether a sentence states something: at least four content words and a finite verb, not
    asked, cut off, stuttered, or very long.
    """
    if not is_whole(text, _MIN_CONTENT_WORDS):
        return False
    clean = cleaned(text)
    first = _ADDRESS.sub("", clean).split()[0].casefold().strip(",.")
    return first not in _NO_STATEMENT and first not in BASES and finite_verb(clean) is not None


def is_whole(text: str, min_content_words: int) -> bool:
    """Whether a sentence has so many content words, and is not asked, cut off, stuttered, or very
    long. It may be an order.
    """
    text = collapse(text)
    words = _WORD.findall(text.casefold())
    num_content = sum(w not in FUNCTION_WORDS | COMMON_VERBS for w in words)
    is_broken = _CUT_OFF.search(text) or _STUTTER.search(text) or set("?{}<>[]") & set(text)
    return num_content >= min_content_words and len(words) <= _MAX_WORDS and not is_broken


def cleaned(text: str) -> str:
    """Without the interjections that open it and the gaps of a tokenised text: what it states
    stays.
    """
    text = _TOKENISED.sub("", collapse(text))
    rest = _INTERJECTIONS.sub("", text)
    return rest[:1].upper() + rest[1:] if rest else text
