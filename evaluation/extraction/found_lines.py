"""Records that an extractor made of a marked chunk, as a line of the run's file."""

from pydantic import BaseModel, ConfigDict, Field

from dynagrag.core.schema import Flag, Mention, MentionKind, RelationRecord
from dynagrag.evaluation.frame.experiment_run import ONE_ARM, ExperimentLine


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


class FoundLine(ExperimentLine):
    """Records that an extractor made of a marked chunk. `errors`: why parts of it failed, which are
    then missing. `dropped`: things it named there and gave up, by reason.
    """

    chunk: str
    mentions: tuple[FoundMention, ...]
    relations: tuple[FoundRelation, ...]
    num_passages: int
    errors: tuple[str, ...] = ()
    dropped: dict[str, int] = Field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """The chunk alone: a run measures one extractor."""
        return ONE_ARM, self.chunk

    @property
    def failure(self) -> str:
        """Why parts of the chunk are missing."""
        return "; ".join(self.errors)
