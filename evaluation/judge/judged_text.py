"""Texts as a judge is shown them: inert. A tag that would end their fence is broken, and a sentence
that speaks to a judge is left out.

A judge is told that texts are data, but small models obey them all the same; what isn't shown can't
be obeyed. Patterns are English. They are looked for in plain letters: full-width ones are folded,
and characters without width dropped; a text in which something is found is shown so.
"""

import re
import unicodedata

from dynagrag.language.english.judge_talk import JSON_GRADES, TO_A_JUDGE

LEFT_OUT = "[a sentence to the reader left out]"
_TAG = re.compile(
    r"<(?=\s*/?\s*(?:answer|reference|question|instruction|output|metric)\b)", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"((?<=[.!?])\s+|\n+)")


def inert(text: str, max_chars: int | None = None) -> str:
    """The text as a prompt holds it; cut at `max_chars` with a mark, so that one text can't push
    the others out.
    """
    return fenced(_without_pleas(text), max_chars)


def fenced(text: str, max_chars: int | None = None) -> str:
    """A text that isn't judged, such as a question or a reference: whole, but for tags that would
    end its fence.
    """
    plain = _plain(text)
    shown = _TAG.sub("(", plain) if _TAG.search(plain) else text.strip()
    return (
        shown
        if max_chars is None or len(shown) <= max_chars
        else f"{shown[:max_chars].rstrip()} […]"
    )


def speaks_to_a_judge(text: str) -> bool:
    """Whether a sentence of it was left out."""
    return _without_pleas(text) != text.strip()


def _without_pleas(text: str) -> str:
    """Without sentences to a judge, and without grades as an object at the end."""
    plain = _plain(text)
    parts = _SENTENCE_END.split(JSON_GRADES.sub(LEFT_OUT, plain))
    shown = "".join(LEFT_OUT if TO_A_JUDGE.search(part) else part for part in parts)
    return text.strip() if shown == plain else shown


def _plain(text: str) -> str:
    """In plain letters (NFKC), without characters that have no width."""
    if text.isascii():
        return text.strip()
    return "".join(
        c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf"
    ).strip()
