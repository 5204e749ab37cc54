"""The sentences of an answer: those of any text (`dynagrag.sentences`), with the marks that stand behind their full stops."""

import re
from collections.abc import Iterable, Iterator

from dynagrag.sentences import ends_sentence, next_word

_BOUNDARY = re.compile(
    r"""(?<![.!?…])(?P<mark>[.!?…]++)(?P<close>["'”’)]*+)(?P<gap>\s+(?:\[E\d+\]\s*)*)(?=[^\s\[])   # a mark, then blank space
      | \[E\d+\]\s+(?=[^\s\[.!?,;])                                                                # a citation, then a word
    """,
    re.VERBOSE,
)


def answer_sentences(pieces: Iterable[str]) -> Iterator[str]:
    """The sentences in order, each with the blank space behind it, however the text is cut into pieces. Together they are the text."""
    held = ""
    for piece in pieces:
        held += piece
        while (end := _first_end(held, is_whole=False)) is not None:
            yield held[:end]
            held = held[end:]
    while held:
        end = _first_end(held, is_whole=True) or len(held)
        yield held[:end]
        held = held[end:]


def _first_end(text: str, is_whole: bool) -> int | None:
    """Where the first sentence ends and another begins; None where none does, or where the rest of the next word must tell."""
    for match in _BOUNDARY.finditer(text):
        gap = match["gap"]
        if gap is None or "[" in gap or "\n" in gap:
            return match.end()
        word, word_end = next_word(text, match.end())
        if word_end == len(text) and not is_whole:
            return None
        if ends_sentence(text, 0, match, word):
            return match.end()
    return None
