"""The sentences of an answer, with the marks that stand behind their full stops. Where a full stop
ends one is `language.sentences`' to say.
"""

import re
from collections.abc import Iterable, Iterator

from dynagrag.generation.citations import without_marks
from dynagrag.generation.claims.clauses import has_verb
from dynagrag.language.sentences import SentenceEnds, next_word
from dynagrag.language.words import FUNCTION_WORDS

_BOUNDARY = re.compile(
    r"""# a mark, then blank space and citations
        (?<![.!?…])(?P<mark>[.!?…]++)(?P<close>["'”’»)]*+)\s+(?:\[E\d+\]\s*)*(?=[^\s\[])
        # Chinese and Japanese put no space
      | (?P<wide>[。！？]++[」』”’]*+)\s*(?:\[E\d+\]\s*)*(?=[^\s\[])
        # a citation, then a word that may open a sentence
      | (?P<cited>\[E\d+\])\s+(?=[^\s\[.!?,;a-z])
    """,
    re.VERBOSE,
)
_NEXT_MARK, _MAX_READ = re.compile(r"\[E\d+\]"), 400
"""Characters round a citation that are read to see whether a sentence ends there."""


def answer_sentences(pieces: Iterable[str], language: str = "") -> Iterator[str]:
    """The sentences in order, each with the blank space behind it, however the text is cut into
    pieces. Together they are the text. `language`: the code of the text's, where it is known.
    """
    held = ""
    for piece in pieces:
        held += piece
        while (end := _first_end(held, language, is_all=False)) is not None:
            yield held[:end]
            held = held[end:]
    while (end := _first_end(held, language, is_all=True)) is not None:
        yield held[:end]
        held = held[end:]
    if held:
        yield held


def _first_end(text: str, language: str, *, is_all: bool) -> int | None:
    """Where the first sentence ends and another begins; None where none does, or where the word
    that decides it may go on (not `is_all`).
    """
    ends = SentenceEnds(text, language)
    for match in _BOUNDARY.finditer(text):
        if match["wide"]:
            return match.end()
        if match["mark"]:
            word, end = next_word(text, match.end())
            if end == len(text) and not is_all:
                return None
            is_cited = "[" in match[0]  # a mark stands behind a sentence, not behind an initial
            if is_cited or ends.are_at(0, match, word):
                return match.end()
            continue
        before = text[max(0, match.start() - _MAX_READ) : match.start()]
        after = _NEXT_MARK.split(text[match.end() : match.end() + _MAX_READ])[0]
        if "\n" in match[0] or (_is_whole(before) and _is_whole(after)):
            return match.end()
    return None


def _is_whole(words: str) -> bool:
    """Whether a sentence may begin and end with the words: it has a verb, and doesn't break off
    behind "was" or "the".
    """
    bare = without_marks(words).split()
    return bool(bare) and bare[-1].casefold() not in FUNCTION_WORDS and has_verb(" ".join(bare))
