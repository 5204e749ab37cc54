"""Marked chunks as an extractor reads them: rows of one document make a document, and each row is
extracted by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from dynagrag.config.settings import ChunkProfile
from dynagrag.core.ids import content_id
from dynagrag.core.schema import ChunkWork, LoadedSource, SourceTurn
from dynagrag.evaluation.extraction.extraction_gold import GoldChunk
from dynagrag.ingest.split import chunk_passages, make_document, split_passages

_WORKSPACE = "evaluate-extraction"


@dataclass(frozen=True, slots=True)
class GoldWork:
    """A marked chunk, and what is to be extracted for it: one chunk of the extractor, or several
    where it takes smaller ones.

    `start`: where the text of the row begins in its document.
    """

    gold: GoldChunk
    start: int
    work: tuple[ChunkWork, ...]


def gold_work(chunks: Sequence[GoldChunk], profile: ChunkProfile) -> list[GoldWork]:
    """The work of each marked chunk, in the order of the chunks."""
    by_document: dict[str, list[GoldChunk]] = {}
    for chunk in chunks:
        by_document.setdefault(chunk.document or f"\0{chunk.id}", []).append(chunk)
    made: dict[str, GoldWork] = {}
    for key, rows in by_document.items():
        name = key.lstrip("\0")
        source = LoadedSource(
            path=name,
            format="text",
            turns=tuple(SourceTurn(turn.text, turn.speaker) for row in rows for turn in row.turns),
            sha256=content_id(name, *(row.text for row in rows)),
            title=PurePath(name).name,
        )
        # A title that only repeats the uri's name is no mention: titles are marked nowhere.
        document, turns = make_document(source, _WORKSPACE, name)
        first = 0
        for row in rows:
            own = turns[first : first + len(row.turns)]
            first += len(row.turns)
            parts = chunk_passages(document, split_passages(document, own, profile), profile)
            work = tuple(ChunkWork(document, turns, part) for part in parts)
            made[row.id] = GoldWork(row, own[0].start, work)
    return [made[chunk.id] for chunk in chunks]
