"""The sentences of an answer, with the marks that stand behind their full stops."""

import re
from collections.abc import Iterable, Iterator

_BOUNDARY = re.compile(
    r"""(?P<mark>[.!?])["'”’)]*\s+(?:\[E\d+\]\s*)*(?=[^\s\[])   # a mark, then blank space and citations
      | \[E\d+\]\s+(?=[^\s\[.!?,;])                          # a citation, then a word
    """,
    re.VERBOSE,
)
_BEFORE_A_NAME = re.compile(r"\b(?:Mr|Mrs|Ms|Mx|Dr|Prof|Rev|Hon|Sen|Rep|Gov|Gen|Lt|Col|Capt|Sgt|St|Messrs|vs|e\.g|i\.e)$")
"""Abbreviations that a name follows: their full stop ends no sentence."""


def answer_sentences(pieces: Iterable[str]) -> Iterator[str]:
    """The sentences in order, each with the blank space behind it, however the text is cut into pieces. Together they are the text."""
    held = ""
    for piece in pieces:
        held += piece
        while (end := _first_end(held)) is not None:
            yield held[:end]
            held = held[end:]
    if held:
        yield held


def _first_end(text: str) -> int | None:
    """Where the first sentence ends and another begins; None where none does."""
    for match in _BOUNDARY.finditer(text):
        if match["mark"] != "." or not _BEFORE_A_NAME.search(text[: match.start()]):
            return match.end()
    return None
