"""The sentences of an answer, with the marks that stand behind their full stops."""

import re
from collections.abc import Iterable, Iterator

from dynagrag.generation.citations import without_marks
from dynagrag.generation.claims.clauses import has_verb
from dynagrag.language.words import FUNCTION_WORDS

_BOUNDARY = re.compile(
    r"""# a mark, then blank space and citations
        (?P<mark>[.!?])["'”’)]*\s+(?:\[E\d+\]\s*)*(?=[^\s\[])
        # a citation, then a word that may open a sentence
      | (?P<cited>\[E\d+\])\s+(?=[^\s\[.!?,;a-z])
    """,
    re.VERBOSE,
)
_NEXT_MARK, _MAX_READ = re.compile(r"\[E\d+\]"), 400
"""Characters round a citation that are read to see whether a sentence ends there."""
_BEFORE_A_NAME = re.compile(
    r"\b(?:Mr|Mrs|Ms|Mx|Dr|Prof|Rev|Hon|Sen|Rep|Gov|Gen|Lt|Col|Capt|Sgt|St|Messrs|vs|e\.g|i\.e)$"
)
"""Abbreviations that a name follows: their full stop ends no sentence."""


def answer_sentences(pieces: Iterable[str]) -> Iterator[str]:
    """The sentences in order, each with the blank space behind it, however the text is cut into
    pieces. Together they are the text.
    """
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
        before = text[max(0, match.start() - _MAX_READ) : match.start()]
        if match["cited"]:
            if "\n" in match[0] or (
                _is_whole(before)
                and _is_whole(_NEXT_MARK.split(text[match.end() : match.end() + _MAX_READ])[0])
            ):
                return match.end()
        elif match["mark"] != "." or not _BEFORE_A_NAME.search(before):
            return match.end()
    return None


def _is_whole(words: str) -> bool:
    """Whether a sentence may begin and end with the words: it has a verb, and doesn't break off
    behind "was" or "the".
    """
    bare = without_marks(words).split()
    return bool(bare) and bare[-1].casefold() not in FUNCTION_WORDS and has_verb(" ".join(bare))
