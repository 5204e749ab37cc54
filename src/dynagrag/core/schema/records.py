"""The records, which are the truth: how a file was read, and what was found in it and said about it
by people.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

_TOLD_S = 5.0
"""From how far into a turn on a place has a time of its own: below, the reader's own start is as
near.
"""


@dataclass(frozen=True, slots=True)
class SourceTurn:
    """One cue or turn as the source has it, unmerged. What the form doesn't have is None. Seconds
    from the source's own zero.
    """

    text: str
    speaker: str | None = None
    start_s: float | None = None
    end_s: float | None = None


class LabelFate(StrEnum):
    """What became of a label."""

    SPEAKER = "speaker"
    """The turns that begin with it are its own."""
    NOBODY = "nobody"
    """It stands where speakers do and names nobody; its turns have no speaker."""
    NO_LABEL = "no_label"
    """Words before a colon, or a heading; they are part of the text."""


@dataclass(frozen=True, slots=True)
class LabelDecision:
    """What became of one text that stands where labels may stand in a file, and why.

    `num_turns` and `num_words` are what stands behind it until the next label; `times_s` and
    `lines` say where it first stands (up to three each; lines count from 1), empty where the form
    has none. `why` is a short phrase: "no person: comes before a list".
    """

    text: str
    fate: LabelFate
    why: str
    num_turns: int = 0
    num_words: int = 0
    times_s: tuple[float, ...] = ()
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadedSource:
    """How one file was read. `refused` is the reason when nothing was read; then `turns` is
    empty. `labels`: the file's labels as it has them, speakers first, each kind by its words.
    """

    path: str
    format: str | None
    turns: tuple[SourceTurn, ...] = ()
    sha256: str = ""
    title: str = ""
    encoding: str | None = None
    notes: tuple[str, ...] = ()
    refused: str | None = None
    meta: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[LabelDecision, ...] = ()


SPEAKER_DOUBTS = "speaker_doubts"
"""The key of a document's `meta` that says how much speaks against its speakers."""
LANGUAGE_KEY = "language"
"""The key of the code (ISO 639-1) of a document's language in its `meta`."""


@dataclass(frozen=True, slots=True)
class Document:
    """A source as it was read. `text` is canonical: the turns' texts joined by newlines. id of
    (workspace, source sha256).
    """

    id: str
    workspace: str
    title: str
    uri: str
    sha256: str
    text: str
    meta: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_doubtful_speakers(self) -> bool:
        """Whether what is said spoke against its speakers when it was read."""
        return SPEAKER_DOUBTS in self.meta

    @property
    def language(self) -> str:
        """The code of its language as its ingest found it, or a person named it ("und": it can't be
        told); empty in documents of older versions.
        """
        return self.meta.get(LANGUAGE_KEY, "")


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn's span in its document's text. id of (document, index)."""

    id: str
    document_id: str
    index: int
    start: int
    end: int
    speaker: str | None = None
    start_s: float | None = None
    end_s: float | None = None

    def second_of(self, place: int) -> float | None:
        """When a place in its text is said, by its share of the letters; the turn's begin where
        that is less than five seconds off.
        """
        if self.start_s is None or self.end_s is None or not self.start < place < self.end:
            return self.start_s
        later = (self.end_s - self.start_s) * (place - self.start) / (self.end - self.start)
        return self.start_s + (round(later, 1) if later >= _TOLD_S else 0.0)


@dataclass(frozen=True, slots=True)
class Passage:
    """The unit that is retrieved, embedded and cited: whole sentences of at most about 120 words.
    id of (document, start, end, splitter).
    """

    id: str
    document_id: str
    index: int
    start: int
    end: int
    first_turn: int
    last_turn: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """The text that one extraction call reads: consecutive passages of one document. Not stored:
    its span is on the records made from it.
    """

    document_id: str
    start: int
    end: int
    passages: tuple[Passage, ...]

    @property
    def span(self) -> tuple[str, int, int]:
        """(document id, start, end): what identifies the live extraction."""
        return (self.document_id, self.start, self.end)


@dataclass(frozen=True, slots=True)
class ChunkWork:
    """A chunk to extract, with the document and turns it belongs to."""

    document: Document
    turns: tuple[Turn, ...]
    chunk: Chunk


class MentionKind(StrEnum):
    """Where a mention comes from. Only `SAID` counts towards an entity's weight."""

    SAID = "said"
    TITLE = "title"
    SPEAKER = "speaker"


class Flag(StrEnum):
    """Questions that extractors without a language model leave to be decided on the whole corpus:
    `graph_store/derived/live_mentions.py`.
    """

    SENTENCE_START = "sentence_start"
    """A single capitalised word that opens its sentence: counts only if seen capitalised inside
    one, or if it is a title.
    """
    CONTENT_WORD = "content_word"
    """A lower-case content word: counts only inside the frequency band."""
    SEEN_CAPITALISED = "seen_capitalised"
    """A capitalised word inside a sentence: evidence for SENTENCE_START."""
    TALKED_ABOUT = "talked_about"
    """A common noun or noun phrase: an entity of the graph, but no name."""


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity as one chunk has it. id of (chunk span, key, kind, summary) and TALKED_ABOUT."""

    id: str
    document_id: str
    chunk_start: int
    chunk_end: int
    passage_ids: tuple[str, ...]
    name: str
    key: str
    type: str
    summary: str
    kind: MentionKind
    extractor: str
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """A relation as one chunk states it, with the source's own words. id of (chunk span, head,
    label, tail, quote span).
    """

    id: str
    document_id: str
    chunk_start: int
    chunk_end: int
    passage_id: str
    head: str
    tail: str
    label: str
    summary: str
    quote_start: int
    quote_end: int
    turn_index: int
    extractor: str


class EditKind(StrEnum):
    """A person's corrections."""

    MERGE = "merge"
    SPLIT = "split"
    RENAME = "rename"
    UNDO = "undo"
    SENSE = "sense"
    GLOSSARY = "glossary"


@dataclass(frozen=True, slots=True)
class Edit:
    """A person's correction: never derived, never lost. `keys` are entity keys; `name` the
    target's; UNDO names an edit or merge in `what`, SENSE the documents in which its keys stand for
    something else, which is called `name`; GLOSSARY the rows of the file `name`.
    """

    id: str
    kind: EditKind
    keys: tuple[str, ...]
    name: str
    what: str
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class Records:
    """All that the graph is derived from, as it was at one moment: `version` names the moment and
    changes with every change of a record.

    `documents` by title then id, `passages` by document then index, the rest in the orders of the
    store's own methods.
    """

    version: str
    documents: tuple[Document, ...]
    passages: tuple[Passage, ...]
    mentions: tuple[Mention, ...]
    relations: tuple[RelationRecord, ...]
    edits: tuple[Edit, ...]
