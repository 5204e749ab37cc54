"""The folder of a run of extraction: found.jsonl (the records made of each chunk), chunks.jsonl
(the marked chunks), summary and report.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from dynagrag.core.schema import Flag, Mention, MentionKind, RelationRecord
from dynagrag.evaluation.extraction.extraction_gold import GoldChunk
from dynagrag.evaluation.frame.kept_run import KeptRun
from dynagrag.evaluation.frame.lines_file import read_lines

_CHUNKS = "chunks.jsonl"


class FoundMention(BaseModel):
    """A mention as the extractor made it. Its span is that of the sentence or chunk that was read,
    in the text of the row.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    key: str
    type: str
    start: int
    end: int
    kind: MentionKind
    flags: tuple[Flag, ...]
    passages: tuple[str, ...]

    @classmethod
    def of(cls, mention: Mention, start: int) -> "FoundMention":
        """The mention of a document's text in which the row begins at `start`."""
        return cls(
            id=mention.id,
            name=mention.name,
            key=mention.key,
            type=mention.type,
            start=mention.chunk_start - start,
            end=mention.chunk_end - start,
            kind=mention.kind,
            flags=mention.flags,
            passages=mention.passage_ids,
        )

    def mention(self, document_id: str = "") -> Mention:
        """As far as it decides whether the mention counts."""
        return Mention(
            self.id,
            document_id,
            self.start,
            self.end,
            self.passages,
            self.name,
            self.key,
            self.type,
            "",
            self.kind,
            "",
            self.flags,
        )


class FoundRelation(BaseModel):
    """A relation as the extractor made it: keys of its ends, and its quote's span in the text of
    the row.
    """

    model_config = ConfigDict(frozen=True)

    head: str
    label: str
    tail: str
    start: int
    end: int

    @classmethod
    def of(cls, record: RelationRecord, start: int) -> "FoundRelation":
        """The record of a document's text in which the row begins at `start`."""
        return cls(
            head=record.head,
            label=record.label,
            tail=record.tail,
            start=record.quote_start - start,
            end=record.quote_end - start,
        )


class FoundLine(BaseModel):
    """What an extractor made of a marked chunk. `errors`: why it failed on parts of it, which are
    then missing.
    """

    model_config = ConfigDict(frozen=True)

    chunk: str
    mentions: tuple[FoundMention, ...]
    relations: tuple[FoundRelation, ...]
    num_passages: int
    errors: tuple[str, ...] = ()


class ExtractionRun(KeptRun[FoundLine]):
    """The folder of a run of extraction."""

    line_kind = FoundLine
    lines_file: ClassVar[str] = "found.jsonl"
    command: ClassVar[str] = "dynagrag evaluate extraction"
    evaluates: ClassVar[str] = "extraction"

    def by_chunk(self) -> dict[str, FoundLine]:
        """Lines by the id of their chunk; the last, where one was tried again."""
        return {line.chunk: line for line in self.lines()}

    def chunks(self) -> list[GoldChunk]:
        """The marked chunks in their order."""
        return read_lines(self.path / _CHUNKS, GoldChunk)

    def finish(self, summary: dict[str, Any], chunks: Sequence[GoldChunk]) -> None:
        """Writes the marked chunks, then the summary, with which the run is done."""
        self.write_rows(_CHUNKS, chunks)
        self.write_summary(summary)
