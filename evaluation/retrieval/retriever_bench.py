"""Asks arms a question, and measures what each brings and how long it takes."""

import time
from collections.abc import Iterable

from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import Question, Retrieval, Snapshot, Vector
from dynagrag.evaluation.frame.report import shortened
from dynagrag.evaluation.question_sets.gold_resolver import Resolver, Target
from dynagrag.evaluation.question_sets.question_set import EvalQuestion, Scope
from dynagrag.evaluation.ranking_measures import CURVE, PROMPT, measure, turn_hits
from dynagrag.evaluation.retrieval.prompt_arms import PromptMeasures, prompt_recall, prompt_tokens
from dynagrag.evaluation.retrieval.retrieval_report import (
    PassageWords,
    RetrievalLine,
    RetrievedPassage,
)
from dynagrag.evaluation.retrieval.retriever_arms import Arm
from dynagrag.generation.evidence_sentences.answerable import foreign_language
from dynagrag.generation.evidence_sentences.line_fit import NUM_PASSAGES, fits
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.generation.evidence_sentences.other_person import other_person

_MAX_WORDS = 45


class PersonTeller:
    """Tells of retrieved passages whether `ask` would say that lines say of another person what is
    asked of one.
    """

    def __init__(self, lines: LineIndex, embedder: Embedder, arm: str) -> None:
        """`lines`: of the snapshot that the arms search. `arm`: the name of the one whose passages
        are read.
        """
        self._index, self._embedder = lines, embedder
        self.arm = arm

    def tells(self, question: Question, found: Retrieval) -> bool:
        """Whether it would be said."""
        row_of = self._index.passages.row_of
        rows = [row_of[scored.passage.id] for scored in found.passages[:NUM_PASSAGES]]
        lines = fits(self._index, question, rows, self._embedder)
        foreign = foreign_language(question, lines)
        return other_person(self._index, question, lines, foreign, self._embedder) is not None


class RetrieverBench:
    """Asks arms that share a snapshot. The first question is asked once before it counts: what is
    built once is built then.
    """

    def __init__(
        self,
        scope: Scope,
        arms: Iterable[Arm],
        resolver: Resolver,
        teller: PersonTeller | None = None,
    ) -> None:
        self._scope, self._teller = scope, teller
        self._arms = tuple(arms)
        self._resolver = resolver
        self._warm: set[str] = set()

    def ask(
        self,
        question: EvalQuestion,
        target: Target,
        vector: Vector,
        but: frozenset[str] = frozenset(),
    ) -> list[RetrievalLine]:
        """A line an arm, but for those named in `but`, which have theirs."""
        arms = [arm for arm in self._arms if arm.name not in but]
        embedded = Question(question.text, vector)
        rankings, times, hits, retrievals = {}, {}, {}, {}
        gold_turns = self._resolver.gold_turns(question.gold)
        for arm in arms:
            question_asked = arm.split(embedded)
            if arm.name not in self._warm:
                arm.retrieve(question_asked)
                self._warm.add(arm.name)
            begun = time.perf_counter()
            found = arm.retrieve(question_asked)
            times[arm.name] = 1000 * (time.perf_counter() - begun)
            retrievals[arm.name] = found
            rankings[arm.name] = self._resolver.ranking(question.gold, found.passages)
            hits[arm.name] = (
                turn_hits(self._resolver.turns(found), gold_turns) if question.gold.spans else {}
            )
        units = {name: [ranked.unit for ranked in ranking] for name, ranking in rankings.items()}
        measured = measure(units, target.units, len(target.missing)) if arms else {}
        gold = self._resolver.gold_passages(target)
        prompts = {
            arm.name: self._prompts(arm, question, target, arm.split(embedded)) for arm in arms
        }
        return [
            RetrievalLine(
                scope=self._scope,
                question=question.id,
                text=question.text,
                kind=question.kind,
                arm=arm.name,
                passages=tuple(
                    RetrievedPassage(id=r.passage.id, score=r.score, gold=r.unit in target.units)
                    for r in rankings[arm.name][:CURVE]
                ),
                gold=gold,
                missing=target.missing,
                measures={
                    **measured[arm.name].values,
                    **hits[arm.name],
                    **prompts[arm.name].measures,
                },
                recall=measured[arm.name].recall,
                ms=round(times[arm.name], 3),
                prompt_tokens=prompts[arm.name].tokens,
                other_person=self._tells_other_person(arm.name, embedded, retrievals[arm.name]),
            )
            for arm in arms
        ]

    def _tells_other_person(self, arm: str, question: Question, found: Retrieval) -> bool | None:
        """None of an arm whose passages are not read for it."""
        if self._teller is None or self._teller.arm != arm:
            return None
        return self._teller.tells(question, found)

    def _prompts(
        self, arm: Arm, question: EvalQuestion, target: Target, embedded: Question
    ) -> "PromptMeasures":
        """The gold in the arm's prompts, where it writes any."""
        if arm.prompts is None:
            return PromptMeasures({}, None)
        prompts = arm.prompts.written(embedded)
        evidence = [item for prompt in prompts for item in prompt.hard.evidence]
        missing = 0 if question.gold.spans else len(target.missing)
        found = prompt_recall(self._resolver.gold_words(question.gold), missing, evidence)
        return PromptMeasures({PROMPT: found}, prompt_tokens(prompts))


def passage_words(lines: Iterable[RetrievalLine], snapshot: Snapshot) -> list[PassageWords]:
    """The title and first words of each passage that was brought or should have been, by id."""
    wanted = {id_ for line in lines for id_ in (*(p.id for p in line.passages), *line.gold)}
    found = []
    for passage in sorted(snapshot.passages, key=lambda p: p.id):
        if passage.id in wanted:
            words = snapshot.passage_text(passage).split()
            beginning = " ".join(words[:_MAX_WORDS]) + (" …" if len(words) > _MAX_WORDS else "")
            title = shortened(snapshot.documents[passage.document_id].title)
            found.append(PassageWords(id=passage.id, title=title, words=shortened(beginning)))
    return found
