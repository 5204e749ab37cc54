"""Finds a model's quote in its chunk and a name in its passages; the span is always the source's
own.

Both sides are compared after NFKC (as NFKD, cluster by cluster: the same equality, with offsets),
casefold, collapsed blank space, and quotation marks and dashes of one kind. Characters that can't
be seen (zero-width, soft hyphen) count as nothing.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dynagrag.core.ids import entity_key, plain_quotes
from dynagrag.core.schema import Chunk, Document
from dynagrag.language.sentences import Span

MIN_WORD_CHARACTERS = 2
"""A quote with fewer letters and digits would be found anywhere."""

_PLAIN = str.maketrans({'"': "'", "`": "'", "´": "'", **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")})
_EDGES = "'\"….\t\r\n "
_LABEL = re.compile(
    r"^\s*(?:\[[^\]\n]{0,40}\]\s*)?(?:[^\W_][\w .&'/()-]{0,40}:(?=\s)|(?<=\])\s)\s*"
)
_WORD_CHARACTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class _Plain:
    """A text as it is compared. Character i comes from source[starts[i]:ends[i]]."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def find_quote(chunk_text: str, quote: str) -> Span | None:
    """The leftmost span of the chunk that reads as the quote does, or None.

    Outer quotation marks and ellipses of the quote don't count; a leading `SPEAKER:` label and last
    . , ; : ! ? are dropped where the quote isn't found with them. A quote with fewer than 2 letters
    or digits is not found. The span has no blank space at its ends.
    """
    plain = _plain(chunk_text)
    for wanted, is_shortened in _readings(quote):
        at = plain.text.find(wanted)
        while at >= 0:
            last = at + len(wanted) - 1
            start, end = plain.starts[at], plain.ends[last]
            # Half of an expanded character (the f of a ligature) is no place to begin or end.
            opens = at == 0 or plain.starts[at - 1] != start
            closes = last + 1 == len(plain.text) or plain.starts[last + 1] != plain.starts[last]
            goes_on = is_shortened and chunk_text[end : end + 1].isalnum()
            if opens and closes and not goes_on:
                return start, end
            at = plain.text.find(wanted, at + 1)
    return None


def mention_passages(
    document: Document, chunk: Chunk, name: str, quote_spans: Sequence[Span]
) -> tuple[str, ...]:
    """Ids of the passages that a mention belongs to, in order.

    Those of the chunk where its name occurs as whole words; nowhere: those of the quotes that name
    it (`quote_spans`, in the document); else all of the chunk.
    """
    for wanted in dict.fromkeys((_plain(name).text.strip(), _plain(entity_key(name)).text)):
        spans = [(p.id, max(p.start, chunk.start), min(p.end, chunk.end)) for p in chunk.passages]
        found = tuple(
            i
            for i, start, end in spans
            if wanted and _has_name(_plain(document.text[start:end]), wanted)
        )
        if found:
            return found
    quoted = tuple(
        p.id
        for p in chunk.passages
        if any(start < p.end and p.start < end for start, end in quote_spans)
    )
    return quoted or tuple(p.id for p in chunk.passages)


def _readings(quote: str) -> Iterator[tuple[str, bool]]:
    """The quote as it may stand in the source, the most literal first, and whether its last mark
    was left off.
    """
    seen: set[str] = set()
    for text in (quote, _LABEL.sub("", _without_edges(plain_quotes(quote)), count=1)):
        whole = _without_edges(_plain(_without_edges(plain_quotes(text))).text)
        for wanted, is_shortened in ((whole, False), (whole.rstrip(".,;:!? "), True)):
            if wanted not in seen and len(_WORD_CHARACTER.findall(wanted)) >= MIN_WORD_CHARACTERS:
                seen.add(wanted)
                yield wanted, is_shortened


def _without_edges(text: str) -> str:
    """Outer quotation marks, ellipses and blank space off; a lone full stop at the end stays."""
    text = text.lstrip(_EDGES)
    short = text.rstrip(_EDGES)
    tail = text[len(short) :]
    return short + ("." if tail.count(".") == 1 and "…" not in tail else "")


def _has_name(plain: _Plain, wanted: str) -> bool:
    at = plain.text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        before, after = plain.text[max(0, at - 1) : at], plain.text[end : end + 1]
        goes_on_left = before.isalnum() and wanted[0].isalnum()
        goes_on_right = after.isalnum() and wanted[-1].isalnum()
        if not goes_on_left and not goes_on_right:
            return True
        at = plain.text.find(wanted, at + 1)
    return False


@lru_cache(maxsize=256)
def _plain(text: str) -> _Plain:
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        # A character with the combining marks that follow it.
        if end < len(text) and text[end] >= "\u0300" and unicodedata.combining(text[end]):
            continue
        for letter in _plain_cluster(text[start:end]):
            if letter == " " and letters and letters[-1] == " ":
                ends[-1] = end
                continue
            letters.append(letter)
            starts.append(start)
            ends.append(end)
        start = end
    return _Plain("".join(letters), tuple(starts), tuple(ends))


@lru_cache(maxsize=4096)
def _plain_cluster(cluster: str) -> str:
    plain = unicodedata.normalize("NFKD", plain_quotes(cluster).translate(_PLAIN)).casefold()
    plain = unicodedata.normalize("NFKD", plain).translate(_PLAIN)
    return "".join(" " if c.isspace() else c for c in plain if unicodedata.category(c) != "Cf")
