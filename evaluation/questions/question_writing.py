"""Requests to a model to write a question, and its replies."""

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pydantic import Field

from dynagrag.core.protocols import Prompt
from dynagrag.core.schema import Evidence as ShownLine
from dynagrag.core.schema import Line, Passage, ScoredPassage, Snapshot
from dynagrag.evaluation.questions.diverse_order import diverse_order
from dynagrag.evaluation.questions.drafts import Draft, SplitSayings
from dynagrag.evaluation.questions.made_question import QuestionKind
from dynagrag.evaluation.questions.record_questions import DRAFTERS
from dynagrag.evaluation.questions.sayings import Saying
from dynagrag.generation.evidence import line_of, passage_evidence
from dynagrag.models.reply_schema import StrictReply
from dynagrag.prompts import render

MAX_REPLY_TOKENS = 400
WRITABLE = tuple(kind for kind in QuestionKind if kind is not QuestionKind.CLOZE)
"""The kinds that a model writes; clozes are made of records alone."""
_MAX_PASSAGES = 6
"""That are shown at once: some 1,000 tokens, which a small model still reads."""


class WrittenReply(StrictReply):
    """A question with its answer. `statement`: a sentence that states the answer; `lines`: labels
    of the lines that state it.
    """

    question: str
    answer: str
    statement: str
    lines: list[str] = Field(default_factory=list)


class UnansweredReply(StrictReply):
    """A question that the lines don't answer."""

    question: str


@dataclass(frozen=True)
class Request:
    """Material for one question: the passages of a draft, and what they have in common."""

    snapshot: Snapshot
    draft: Draft
    passages: tuple[Passage, ...]

    @property
    def kind(self) -> QuestionKind:
        """The kind of question."""
        return self.draft.kind

    @property
    def about(self) -> str:
        """The entity that all passages speak of; empty where one passage alone is shown."""
        needs_one = self.kind not in (QuestionKind.SPECIFIC, QuestionKind.UNANSWERABLE)
        return self.draft.asked[0].name if needs_one and self.draft.asked else ""

    @cached_property
    def shown(self) -> Mapping[str, ShownLine]:
        """The lines by label."""
        found = passage_evidence(
            self.snapshot, [ScoredPassage(passage, 0.0) for passage in self.passages]
        )
        return {line.label: line for line in found}

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of the documents whose words are shown."""
        return tuple(dict.fromkeys(passage.document_id for passage in self.passages))

    @cached_property
    def prompt(self) -> Prompt:
        """Asks for the question."""
        lines = [line_of(line) for line in self.shown.values()]
        return Prompt(
            "write_question",
            *render("write_question", kind=self.kind.value, about=self.about, lines=lines),
        )

    def checked_lines(self) -> dict[str, Line]:
        """The lines by label, as checkers of claims read them."""
        titles = self.snapshot.documents
        return {
            e.label: Line(e.quote, e.speaker, titles[e.document_id].title, e.document_id)
            for e in self.shown.values()
        }


def requests(evidence: SplitSayings, kind: QuestionKind, seed: int) -> list[Request]:
    """All that questions of a kind can be written from, spread over documents, speakers and
    entities; each choice of passages once.
    """
    drafts = (
        _of_passages(evidence, kind)
        if kind in (QuestionKind.SPECIFIC, QuestionKind.UNANSWERABLE)
        else DRAFTERS[kind](evidence)
    )
    by_id = {passage.id: passage for passage in evidence.sayings.snapshot.passages}
    found: dict[tuple[str, ...], Request] = {}
    for draft in drafts:
        ids = tuple(dict.fromkeys(saying.passage_id for saying in draft.sayings))[:_MAX_PASSAGES]
        found.setdefault(
            tuple(sorted(ids)),
            Request(evidence.sayings.snapshot, draft, tuple(by_id[id_] for id_ in ids)),
        )
    keys = (
        lambda r: r.draft.document,
        lambda r: r.draft.speaker,
        lambda r: r.draft.asked[0].id if r.draft.asked else "",
    )
    return diverse_order(found.values(), keys, random.Random(f"{seed} {kind} written"))


def _of_passages(evidence: SplitSayings, kind: QuestionKind) -> Iterator[Draft]:
    """Passages that say something, those with several sayings alone where there are any."""
    by_passage: dict[str, list[Saying]] = {}
    for saying in evidence.sayings.every:
        by_passage.setdefault(saying.passage_id, []).append(saying)
    rich: Iterable[list[Saying]] = [
        own for own in by_passage.values() if len(own) > 1
    ] or by_passage.values()
    for own in rich:
        entities = tuple({entity.id: entity for saying in own for entity in saying.about}.values())
        yield Draft(
            kind, "", "", own[0].document_id, tuple(own), entities, speaker=own[0].speaker or ""
        )
