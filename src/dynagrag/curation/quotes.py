"""Places where a name was said, with the words around it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynagrag.core.schema import Document, Passage, Turn

_ROOM = 90
"""Characters shown on each side of a name, cut at words."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A place where a name was said: `start` to `end` are the name's, `before` and `after` the
    words around it.
    """

    document_id: str
    title: str
    speaker: str | None
    start_s: float | None
    start: int
    end: int
    before: str
    words: str
    after: str


def quote_at(
    document: Document, turn: Turn | None, where: tuple[int, int], bounds: tuple[int, int]
) -> Quote:
    """The words at `where` with those around them that lie within `bounds`. Nothing at `where`: the
    place is all of `bounds`.
    """
    start, end = where
    first, last = max(bounds[0], start - _ROOM), min(bounds[1], end + _ROOM)
    before, words, after = (
        document.text[a:b] for a, b in ((first, start), (start, end), (end, last))
    )
    if first > bounds[0]:
        before = "…" + before.partition(" ")[2]
    if last < bounds[1]:
        after = after.rpartition(" ")[0] + "…"
    return Quote(
        document.id,
        document.title,
        turn.speaker if turn else None,
        turn.start_s if turn else None,
        *(where if words else bounds),
        before,
        words,
        after,
    )


def quotes_of(
    names: Iterable[str],
    passages: Sequence[Passage],
    documents: Mapping[str, Document],
    turns: Mapping[str, Sequence[Turn]],
) -> list[Quote]:
    """The turns of these passages that hold one of the names as whole words, in any case: each turn
    once, in the order of the documents' titles, then as they were said. Of names that begin at one
    place the longest is quoted.
    """
    patterns = [
        r"\s+".join(re.escape(word) for word in name.split())
        for name in sorted(set(names), key=len, reverse=True)
        if name.split()
    ]
    if not patterns:
        return []
    said = re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)
    found: dict[tuple[str, int], Quote] = {}
    for passage in passages:
        document = documents.get(passage.document_id)
        if document is None:
            continue  # it was replaced meanwhile
        for turn in turns.get(document.id, ())[passage.first_turn : passage.last_turn + 1]:
            bounds = max(turn.start, passage.start), min(turn.end, passage.end)
            name = said.search(document.text, *bounds)
            if name:
                quote = quote_at(document, turn, name.span(), (turn.start, turn.end))
                found.setdefault((document.id, turn.start), quote)
    return sorted(found.values(), key=lambda q: (q.title, q.document_id, q.start))
