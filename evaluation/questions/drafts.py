"""Drafts: questions before they are chosen, with the sayings that answer them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dynagrag.core.errors import UsageError
from dynagrag.core.ids import content_id
from dynagrag.core.schema import Entity
from dynagrag.evaluation.question_sets.gold_resolver import FindDocument, finder
from dynagrag.evaluation.questions.made_question import (
    GoldTurns,
    MadeQuestion,
    Provenance,
    QuestionKind,
    Split,
)
from dynagrag.evaluation.questions.sayings import Saying, Sayings, wording

RECORDS = "records"
"""Maker of a question that no model wrote."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A question and what it was made of. `asked`: the entities that it asks about, or that answer
    it.

    `document`: one that it is about; of a question that nothing answers the only one.
    """

    kind: QuestionKind
    question: str
    answer: str
    document: str
    sayings: tuple[Saying, ...] = ()
    asked: tuple[Entity, ...] = ()
    answers: tuple[str, ...] = ()
    speaker: str = ""


@dataclass(frozen=True)
class SplitSayings:
    """The sayings of a workspace, and the split of each document. What has to be complete is looked
    for in all documents, what is put together stands in those of one split.
    """

    sayings: Sayings
    splits: Mapping[str, Split]

    def in_split(self, split: Split, sayings: Iterable[Saying]) -> tuple[Saying, ...]:
        """Those of the sayings whose document is in a split."""
        return tuple(saying for saying in sayings if self.splits[saying.document_id] is split)

    def are_together(self, sayings: Iterable[Saying]) -> bool:
        """Whether the documents of the sayings are in one split."""
        return len({self.splits[saying.document_id] for saying in sayings}) <= 1

    @cached_property
    def spoken(self) -> Mapping[str, Mapping[str, tuple[Saying, ...]]]:
        """Entity id -> each speaker who says something about it -> what they say, in all
        documents.
        """
        found: dict[str, dict[str, tuple[Saying, ...]]] = {}
        for entity_id, sayings in self.sayings.by_entity.items():
            own = found.setdefault(entity_id, {})
            for saying in sayings:
                if saying.speaker:
                    own[saying.speaker] = (*own.get(saying.speaker, ()), saying)
        return found

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """Document id -> what names it in a file of questions: its title, or its id where that
        isn't enough.
        """
        documents = self.sayings.snapshot.documents
        find = finder(documents)
        return {
            id_: document.title if _finds(find, document.title, id_) else id_
            for id_, document in documents.items()
        }

    def is_nameable(self, document_id: str) -> bool:
        """Whether a question can name a document: by a title that no other one has."""
        return self.titles[document_id] != document_id

    def made(self, draft: Draft, made_by: str = RECORDS) -> MadeQuestion:
        """The question as it is written down: with turns where all of its documents have some."""
        has_turns = all(self.sayings.snapshot.turns.get(s.document_id) for s in draft.sayings)
        documents = dict.fromkeys(self.titles[s.document_id] for s in draft.sayings)
        return MadeQuestion(
            id=content_id("question", draft.question)[:12],
            question=draft.question,
            kind=draft.kind,
            answer=draft.answer,
            answers=tuple(
                a for a in dict.fromkeys(draft.answers) if wording(a) != wording(draft.answer)
            ),
            turns=tuple(self._turns(draft.sayings)) if has_turns else (),
            documents=() if has_turns else tuple(documents),
            answerable=draft.kind is not QuestionKind.UNANSWERABLE,
            provenance=self._provenance(draft),
            made_by=made_by,
            split=self.splits[draft.document],
        )

    def _turns(self, sayings: Sequence[Saying]) -> list[GoldTurns]:
        """Turns that follow each other are one stretch."""
        spans: list[GoldTurns] = []
        for document, turn in sorted(
            {(self.titles[saying.document_id], saying.turn) for saying in sayings}
        ):
            last = spans[-1] if spans else None
            if last and last.document == document and last.last == turn - 1:
                spans[-1] = GoldTurns(document=document, first=last.first, last=turn)
            else:
                spans.append(GoldTurns(document=document, first=turn, last=turn))
        return spans

    def _provenance(self, draft: Draft) -> Provenance:
        records = self.sayings.snapshot.records
        keys = {key for entity in draft.asked for key in entity.keys}
        own = [id_ for saying in draft.sayings for id_ in saying.records]
        entities = [entity.id for entity in draft.asked]
        entities += [entity.id for saying in draft.sayings for entity in saying.about]
        return Provenance(
            passages=tuple(dict.fromkeys(saying.passage_id for saying in draft.sayings)),
            records=tuple(
                dict.fromkeys(
                    id_ for id_ in own if not keys or {records[id_].head, records[id_].tail} & keys
                )
            ),
            entities=tuple(dict.fromkeys(entities)),
        )


def _finds(find: FindDocument, name: str, id_: str) -> bool:
    try:
        return find(name) == id_
    except UsageError:
        return False
