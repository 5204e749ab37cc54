"""Citations that code has checked: an id that is not there never reaches an answer, and a quote is
always the source's own text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from dynagrag.core.schema import Citation, Evidence, Snapshot

_MARK = re.compile(r"\[\s*(E\d+(?:\s*[,;]\s*E\d+)*)\s*\]")
_LABEL = re.compile(r"E\d+")
_MAX_MARK_CHARACTERS = 60


def to_citation(evidence: Evidence, snapshot: Snapshot) -> Citation:
    """The citation of an evidence line; its quote is read from the document again, not from the
    prompt.
    """
    return Citation(
        id=evidence.id,
        document=snapshot.documents[evidence.document_id].title,
        start=evidence.start,
        end=evidence.end,
        speaker=evidence.speaker,
        start_s=evidence.start_s,
        quote=snapshot.text(evidence.document_id, evidence.start, evidence.end),
    )


def known_labels(labels: Iterable[str], evidence: Mapping[str, Evidence]) -> tuple[str, ...]:
    """Those labels a model cited that name an evidence line it saw, in order, once each. Forgives
    brackets and case.
    """
    found = [label.upper() for text in labels for label in _LABEL.findall(text.upper())]
    return tuple(dict.fromkeys(label for label in found if label in evidence))


def cited_labels(text: str) -> tuple[str, ...]:
    """The labels marked in a text, in order of first appearance."""
    return tuple(
        dict.fromkeys(label for mark in _MARK.findall(text) for label in _LABEL.findall(mark))
    )


def checked_marks(text: str, allowed: Mapping[str, Evidence]) -> str:
    """The text with every mark that names no evidence taken out, and lists written one id a
    bracket.
    """

    def checked(match: re.Match[str]) -> str:
        return "".join(f"[{label}]" for label in _LABEL.findall(match.group(1)) if label in allowed)

    return _MARK.sub(checked, text)


def checked_stream(pieces: Iterable[str], allowed: Mapping[str, Evidence]) -> Iterator[str]:
    """Streams text with its marks checked: a piece is held back only from an open bracket to its
    end.
    """
    held = ""
    for piece in pieces:
        held += piece
        cut = held.rfind("[")
        is_open = cut >= 0 and "]" not in held[cut:] and len(held) - cut <= _MAX_MARK_CHARACTERS
        ready, held = (held[:cut], held[cut:]) if is_open else (held, "")
        if ready:
            yield checked_marks(ready, allowed)
    if held:
        yield checked_marks(held, allowed)


def bounded_stream(pieces: Iterable[str], max_characters: int) -> Iterator[str]:
    """A stream up to a length; what comes after is not read."""
    left = max_characters
    for piece in pieces:
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return


def cited_stream(pieces: Iterable[str]) -> Iterator[str]:
    """A stream from its first citation on: what comes before it is held back, so that a text which
    cites nothing is not streamed.

    The pieces together have no blank space at either end.
    """
    held = ""
    is_cited = False
    for piece in pieces:
        held = held + piece if is_cited or held else piece.lstrip()
        is_cited = is_cited or bool(cited_labels(held))
        if not is_cited:
            continue
        ready = held.rstrip()
        held = held[len(ready) :]
        if ready:
            yield ready


def without_marks(text: str) -> str:
    """The text without its citation marks and the blank space before them."""
    return re.sub(r"\s{0,8}" + _MARK.pattern, "", text)
