"""The nouns of evaluation: a set of questions with what should be found for each, and the corpus
that they are asked of.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from dynagrag.core.schema import SourceTurn


class Half(StrEnum):
    """Which rows of a set: even ones are for tuning, odd ones for reporting. Rows are counted from
    0, as they stand in the file.
    """

    TUNING = "tuning"
    REPORTING = "reporting"
    ALL = "all"

    def holds(self, row: int) -> bool:
        """Whether a row is of this half."""
        return self is Half.ALL or (row % 2 == 0) == (self is Half.TUNING)


class Scope(StrEnum):
    """The texts that a question is asked of: its own document alone, the documents of its own
    conversation, or the corpus.
    """

    DOCUMENT = "document"
    CONVERSATION = "conversation"
    CORPUS = "corpus"


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """A document of a corpus: a passage that is taken as it stands, or turns. `key` names it inside
    its set.
    """

    key: str
    title: str
    text: str = ""
    turns: tuple[SourceTurn, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnSpan:
    """Turns of one document, both ends included, counted from 0. `document`: a key of the corpus,
    or a title, path or id.
    """

    document: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Gold:
    """Gold of retrieval: one of the four is filled.

    `titles`: found with any passage that has the title. `facts`: the documents that hold these
    words, by their letters and digits. `documents`: titles, paths or ids. `spans`: the passages
    that touch one of these turns; where it `is_of_documents`, the documents that hold them, and the
    turns are counted beside.
    """

    titles: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    spans: tuple[TurnSpan, ...] = ()
    is_of_documents: bool = False

    @property
    def counts_passages(self) -> bool:
        """Whether passages are what is found; documents else."""
        return bool(self.spans) and not self.is_of_documents


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """Gold of an answer: any of the texts will do. `is_answerable` false: nothing in the corpus
    answers it, so it has no text.
    """

    texts: tuple[str, ...] = ()
    is_answerable: bool = True


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """A question with its gold. `row` is its line in the file, from 0; `document` the key of the
    document it is about, where it has one; `conversation` those of its conversation, which is
    several.

    `answer` None: the file gives none. `kind`: what the file calls questions of its sort.
    `provenance`: what it was made from, as the file has it.
    """

    id: str
    text: str
    gold: Gold
    row: int
    document: str | None = None
    answer: GoldAnswer | None = None
    kind: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict, compare=False)
    conversation: tuple[str, ...] = ()

    def documents_in(self, scope: Scope) -> tuple[str, ...]:
        """The documents that it is asked of, by their keys; empty: the corpus."""
        if scope is Scope.CONVERSATION:
            return self.conversation
        return (self.document,) if scope is Scope.DOCUMENT and self.document is not None else ()


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that was read: its name and the hash of its bytes."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """Questions, the corpus they are asked of (empty: a workspace that is there), what was read,
    and what was passed over, by reason. `kinds_apart`: kinds of questions that count in no figure
    but their own.
    """

    name: str
    questions: tuple[EvalQuestion, ...]
    corpus: tuple[CorpusDocument, ...]
    files: tuple[DataFile, ...]
    notes: Mapping[str, int] = field(default_factory=dict)
    scopes: tuple[Scope, ...] = (Scope.CORPUS,)
    kinds_apart: tuple[str, ...] = ()

    @property
    def main_measure(self) -> str:
        """recall@5 for sets whose gold is titles, facts or documents. With spans: p@5 for a
        published set (a span seldom fits in five passages); r@10 for a file of one's own: a perfect
        ranking gets 1, however many passages are gold.
        """
        if not any(question.gold.counts_passages for question in self.questions):
            return "recall@5"
        return "p@5" if self.corpus else "r@10"
