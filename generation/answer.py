"""A question to a cited answer (DynaGRAG, section 3.5; docs/papers.md, Answers).

    retrieval -> one prompt a subgraph (plain arms: one prompt of passages) -> intermediate answers,
    in parallel
              -> their claims checked by rules -> helpfulness, one call -> sorted, H = 0 dropped ->
              one merged answer, streamed
              -> each of its claims checked: stated, contradicted, or not found

Nothing supports an answer: it abstains. With or without a model: the lines that fit the question
best, and whether any fits at all.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count

from dynagrag.config.settings import Profile
from dynagrag.core.errors import DynaGragError, ModelError
from dynagrag.core.protocols import (
    Asker,
    ClaimChecker,
    Embedder,
    Prompt,
    Pruner,
    Retriever,
    Traversal,
)
from dynagrag.core.schema import (
    Answer,
    AnswerTrace,
    Evidence,
    IntermediateAnswer,
    Line,
    Question,
    Retrieval,
    Snapshot,
    Usage,
    Verdict,
)
from dynagrag.generation.citations import (
    bounded_stream,
    checked_marks,
    checked_stream,
    cited_labels,
    cited_stream,
    to_citation,
    without_marks,
)
from dynagrag.generation.claims.answer_claims import (
    FinalClaims,
    WrittenFrom,
    checked_claims,
    final_claims,
)
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.claims.strict_answer import strict_answer
from dynagrag.generation.context import (
    Context,
    all_evidence,
    build_contexts,
    intermediate_prompt,
    looked_at,
)
from dynagrag.generation.helpfulness import Score, helpfulness
from dynagrag.generation.lines.best_lines import BestLines, best_lines
from dynagrag.generation.lines.line_index import LineIndex
from dynagrag.generation.merge_input import merge_input
from dynagrag.generation.reply_types import IntermediateReply
from dynagrag.generation.retrieval_trace import candidate_traces, ranking_trace, with_masks
from dynagrag.generation.soft_prompt.soft_answers import SoftAnswerer, SoftReply
from dynagrag.generation.soft_prompt.text_room import Reading
from dynagrag.generation.spread import POOL_PER_PROMPT
from dynagrag.generation.stretches import stretches
from dynagrag.models.metered_chat import prompt_tokens
from dynagrag.prompts import render
from dynagrag.retrieval.passages import PassageScores

ABSTENTION = "The evidence found does not answer this question."
SILENCE = "The trained system said nothing. More questions or epochs of training may help."
UNANSWERED = "No language model is configured, so nothing was answered."
NO_MODEL = f"{UNANSWERED} This is the evidence an answer would rest on."
_PASSAGES_PER_PROMPT = 10
"""Enough for passages alone to fill the room that the prompts of a profile have together."""
_MAX_ANSWER_TOKENS = 400
_MAX_FINAL_TOKENS = 600
_MAX_CHARACTERS = 8_000
"""Of an answer: a model that is asked for some hundred tokens and sends more than this repeats
itself.
"""


@dataclass(frozen=True, slots=True)
class Parts:
    """What an answer is made with; chosen in wiring."""

    retriever: Retriever
    passages: PassageScores
    pruner: Pruner
    traversal: Traversal
    embedder: Embedder
    chat: Asker | None
    checker: ClaimChecker
    profile: Profile
    max_concurrency: int = 8
    lines: LineIndex | None = None
    """Kept for the next question; one is made where there is none."""
    soft: SoftAnswerer | None = None
    """Answers in place of `chat`, which then only checks."""


def num_ranked(profile: Profile) -> int:
    """How many passages the retriever is asked for."""
    return (POOL_PER_PROMPT if profile.num_spread else _PASSAGES_PER_PROMPT) * profile.num_prompts


def answer_question(
    snapshot: Snapshot,
    question: Question,
    parts: Parts,
    on_text: Callable[[str], None] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    notes: Sequence[str] = (),
    is_strict: bool = False,
) -> Answer:
    """Answers a question; `on_text` gets the final answer's pieces as they come, `progress` the
    stage with how much of it is done: retrieve, answer (a step a prompt), score, merge, check.
    `notes`: what was done to the question before, for the trace. A strict answer leaves out what
    its lines don't state, and so comes in one piece.

    Raises ModelError when no intermediate answer could be had, BudgetError when a budget is
    reached.
    """
    profile = parts.profile
    progress = progress or (lambda *_: None)
    progress("retrieve", 0, 1)
    retrieval = parts.retriever.retrieve(
        question, num_passages=num_ranked(profile), num_subgraphs=profile.num_subgraphs
    )
    build = partial(
        build_contexts, snapshot, question, retrieval, parts.passages, parts.pruner, parts.traversal
    )
    reading = parts.soft.reading(build) if parts.soft else None
    contexts = reading.contexts if reading else build(profile)
    say = on_text or (lambda _: None)
    streamed = (lambda _: None) if is_strict else say
    rows = looked_at(retrieval, () if profile.num_spread else contexts, parts.passages)
    lines = best_lines(parts.lines or LineIndex(parts.passages), question, rows, parts.embedder)
    flow = _Flow(
        snapshot,
        question,
        (*retrieval.notes, *notes),
        retrieval,
        contexts,
        parts,
        streamed,
        progress,
        is_strict,
        lines,
        reading,
    )
    answer = flow.answer(flow.outcome())
    if is_strict and answer.is_answered_by_model:
        say(answer.text)
    return answer


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of a question: the words of its answer, and how they came about."""

    text: str
    intermediate: tuple[IntermediateAnswer, ...] = ()
    is_abstained: bool = False
    failures: tuple[str, ...] = ()
    reason: str = ""
    merge: str = ""
    merge_prompt: Prompt | None = None
    checked: FinalClaims = field(default_factory=FinalClaims)
    soft: SoftReply | None = None


@dataclass(frozen=True, slots=True)
class _Part:
    """An intermediate answer, and how the merge reads it."""

    answer: IntermediateAnswer
    for_merge: str


@dataclass(frozen=True, slots=True)
class _Flow:
    """One question on its way."""

    snapshot: Snapshot
    question: Question
    notes: tuple[str, ...]
    retrieval: Retrieval
    contexts: Sequence[Context]
    parts: Parts
    on_text: Callable[[str], None]
    progress: Callable[[str, int, int], None]
    is_strict: bool
    lines: BestLines
    reading: Reading | None = None

    def outcome(self) -> _Outcome:
        """Asks, scores and merges."""
        chat, soft = self.parts.chat, self.parts.soft
        if soft is not None:
            return self._soft_outcome(soft)
        if chat is None:
            is_weak = (
                self.lines.is_nothing_fitting
                or self.lines.unknown_names
                or self.lines.quiet_speakers
            )
            return _Outcome(UNANSWERED if is_weak else NO_MODEL, is_abstained=True)
        if not self.contexts:
            return self._abstention("nothing was retrieved")
        replies, failures = self._intermediate_replies(chat)
        parts = self._scored(chat, replies)
        intermediate = tuple(part.answer for part in parts)
        useful = [part for part in parts if part.answer.helpfulness > 0]
        if not useful:
            return self._abstention("no subgraph held enough evidence", intermediate, failures)
        best = useful[0].answer.answer
        if len(useful) == 1:
            self.on_text(best)
            return _Outcome(best, intermediate, failures=failures)
        prompt, allowed = self._merge_prompt(useful)
        text, how = self._merged(chat, prompt, allowed, best)
        return _Outcome(text, intermediate, failures=failures, merge=how, merge_prompt=prompt)

    def _soft_outcome(self, soft: SoftAnswerer) -> _Outcome:
        """A mark of a line that it did not read is none."""
        if not self.contexts or self.reading is None:
            return self._abstention("nothing was retrieved")
        reply = soft.answer(self.snapshot, self.question, self.retrieval, self.reading)
        read = {
            label: line
            for label, line in all_evidence(self.contexts).items()
            if label in reply.trace.labels
        }
        text = checked_marks(reply.text, read).strip()
        self.on_text(text or SILENCE)
        if not text:
            return _Outcome(
                SILENCE, is_abstained=True, reason="the trained system said nothing", soft=reply
            )
        return _Outcome(text, soft=reply)

    def _abstention(
        self,
        reason: str,
        intermediate: tuple[IntermediateAnswer, ...] = (),
        failures: tuple[str, ...] = (),
    ) -> _Outcome:
        self.on_text(ABSTENTION)
        return _Outcome(
            ABSTENTION, intermediate, is_abstained=True, failures=failures, reason=reason
        )

    # ------------------------------------------------------------------------- intermediate answers

    def _intermediate_replies(
        self, chat: Asker
    ) -> tuple[list[tuple[Context, IntermediateReply]], tuple[str, ...]]:
        done = count(1)

        def ask(context: Context) -> IntermediateReply | DynaGragError:
            reply = asked(context)
            self.progress("answer", next(done), len(self.contexts))
            return reply

        def asked(context: Context) -> IntermediateReply | DynaGragError:
            name = intermediate_prompt(self.parts.profile)
            system, user = render(name, question=self.question.text, context=context.prompt.text)
            try:
                return chat.ask(
                    Prompt(name, system, user),
                    IntermediateReply,
                    stage="answer",
                    max_tokens=_MAX_ANSWER_TOKENS,
                )
            except ModelError as err:
                return err

        self.progress("answer", 0, len(self.contexts))
        pool = ThreadPoolExecutor(
            min(len(self.contexts), self.parts.max_concurrency), thread_name_prefix="answer"
        )
        try:
            results = list(pool.map(ask, self.contexts))
        finally:
            pool.shutdown(
                wait=False, cancel_futures=True
            )  # after Ctrl-C or a spent budget nobody waits for the calls in flight
        errors = [r for r in results if isinstance(r, DynaGragError)]
        if len(errors) == len(results):
            raise errors[0]
        replies = [
            (c, r)
            for c, r in zip(self.contexts, results, strict=True)
            if isinstance(r, IntermediateReply)
        ]
        return replies, tuple(str(e) for e in errors)

    def _scored(
        self, chat: Asker, replies: Sequence[tuple[Context, IntermediateReply]]
    ) -> list[_Part]:
        """Answers with their claims checked by rules, by helpfulness (desc), then retrieval score
        (desc).

        Without enough evidence, or where neither the model nor code knows a line for it: H = 0.
        """
        texts = [context.cited_text(reply, _MAX_CHARACTERS) for context, reply in replies]
        lines = [{e.label: e for e in context.prompt.evidence} for context, _ in replies]
        claims = checked_claims(
            [WrittenFrom(text, self._lines(own)) for text, own in zip(texts, lines, strict=True)],
            RulesChecker(),
        )
        able = [
            i
            for i, (_, reply) in enumerate(replies)
            if reply.enough_evidence
            and (
                cited_labels(texts[i])
                or any(claim.verdict is Verdict.STATED for claim in claims[i])
            )
        ]
        scores = [Score()] * len(replies)
        if able:
            self.progress("score", 0, 1)
            answers = [without_marks(texts[i]) for i in able]
            budget = self.parts.profile.judge_token_budget
            given = helpfulness(
                chat, self.parts.embedder, self.question, answers, [claims[i] for i in able], budget
            )
            for i, score in zip(able, given, strict=True):
                scores[i] = score
        made = [
            IntermediateAnswer(
                answer=text,
                evidence_ids=cited_labels(text),
                has_enough_evidence=i in able,
                helpfulness=scores[i].value,
                scored_by=scores[i].scored_by,
                score_parts=scores[i].parts,
                centre=context.centre,
                retrieval_score=context.score,
                claims=claims[i],
            )
            for i, ((context, _), text) in enumerate(zip(replies, texts, strict=True))
        ]
        parts = [
            _Part(answer, merge_input(answer.answer, lines[i])) for i, answer in enumerate(made)
        ]
        return sorted(
            parts, key=lambda p: (-p.answer.helpfulness, -p.answer.retrieval_score, p.answer.centre)
        )

    def _lines(self, by_label: Mapping[str, Evidence]) -> dict[str, Line]:
        """Evidence as checkers of claims read it."""
        titles = self.snapshot.documents
        return {
            label: Line(e.quote, e.speaker, titles[e.document_id].title, e.document_id)
            for label, e in by_label.items()
        }

    # ---------------------------------------------------------------------------------------- merge

    def _merged(
        self, chat: Asker, prompt: Prompt, allowed: Mapping[str, Evidence], best: str
    ) -> tuple[str, str]:
        """The merged answer, as it was streamed, and how it came about.

        A merge that cites nothing, or breaks off before it does, is replaced by the `best`
        intermediate answer.
        """
        self.progress("merge", 0, 1)
        pieces: list[str] = []
        how = "merged"
        try:
            written = checked_stream(
                bounded_stream(
                    chat.stream(prompt, stage="merge", max_tokens=_MAX_FINAL_TOKENS),
                    _MAX_CHARACTERS,
                ),
                allowed,
            )
            for piece in cited_stream(written):
                pieces.append(piece)
                self.on_text(piece)
        except ModelError as err:
            if pieces:
                pieces.append(" …")
                self.on_text(pieces[-1])
            how = f"the merge broke off ({err})"
        if pieces:
            return "".join(pieces), how
        self.on_text(best)
        why = "the merged answer cited nothing" if how == "merged" else how
        return best, f"{why}; this is the most helpful intermediate answer"

    def _merge_prompt(self, useful: Sequence[_Part]) -> tuple[Prompt, Mapping[str, Evidence]]:
        """Packs the best answers and the evidence they cite into the budget; an answer whose
        evidence doesn't fit is left out.
        """
        by_label = all_evidence(self.contexts)
        lines_of = {
            label: line for context in self.contexts for label, line in context.lines().items()
        }
        budget = self.parts.profile.merge_token_budget
        answers: list[str] = []
        labels: list[str] = []
        for part in useful:
            more = [label for label in cited_labels(part.for_merge) if label not in labels]
            system, user = render(
                "merge",
                question=self.question.text,
                answers=[*answers, part.for_merge],
                evidence=[lines_of[label] for label in [*labels, *more]],
            )
            if answers and prompt_tokens(Prompt("merge", system, user)) > budget:
                break
            answers.append(part.for_merge)
            labels.extend(more)
        system, user = render(
            "merge",
            question=self.question.text,
            answers=answers,
            evidence=[lines_of[label] for label in labels],
        )
        return Prompt("merge", system, user), {label: by_label[label] for label in labels}

    # --------------------------------------------------------------------------------------- answer

    def answer(self, outcome: _Outcome) -> Answer:
        """The outcome with its claims checked, its citations, the evidence that was looked at, and
        its trace.
        """
        by_label = all_evidence(self.contexts)
        outcome = outcome if outcome.is_abstained else self._checked(outcome, by_label)
        labels = () if outcome.is_abstained else cited_labels(outcome.text)
        checked = outcome.checked
        named = {
            label for claim in (*checked.claims, *checked.left_out) for label in claim.lines
        } - {*labels}
        return Answer(
            question=self.question.text,
            text=outcome.text,
            is_abstained=outcome.is_abstained,
            citations=tuple(to_citation(by_label[label], self.snapshot) for label in labels),
            intermediate=outcome.intermediate,
            evidence=self.lines.lines,
            trace=self._trace(outcome, labels, by_label),
            usage=self.parts.chat.usage() if self.parts.chat else Usage(),
            is_answered_by_model=(self.parts.chat or self.parts.soft) is not None,
            stretches=stretches(self._together(labels, by_label), self.snapshot),
            claims=checked.claims,
            lines={
                label: to_citation(line, self.snapshot)
                for label, line in by_label.items()
                if label in named
            },
            checked_by=checked.checked_by,
            left_out=checked.left_out,
            answerable=self.lines.answerable,
            is_nothing_fitting=self.lines.is_nothing_fitting,
            unknown_names=self.lines.unknown_names,
            quiet_speakers=self.lines.quiet_speakers,
        )

    def _checked(self, outcome: _Outcome, by_label: Mapping[str, Evidence]) -> _Outcome:
        """The outcome with a verdict on each claim; a strict one without what isn't stated, and
        abstained where nothing is left.
        """
        self.progress("check", 0, 1)
        known = [claim for answer in outcome.intermediate for claim in answer.claims]
        checked = final_claims(
            WrittenFrom(outcome.text, self._lines(by_label)), self.parts.checker, known
        )
        if not self.is_strict:
            return replace(outcome, checked=checked)
        strict = strict_answer(outcome.text, checked.claims)
        checked = replace(checked, claims=strict.claims, left_out=strict.left_out)
        if strict.text:
            return replace(outcome, text=strict.text, checked=checked)
        reason = "no claim of the answer is stated by its lines"
        return replace(outcome, text=ABSTENTION, is_abstained=True, reason=reason, checked=checked)

    def _together(
        self, labels: Sequence[str], by_label: Mapping[str, Evidence]
    ) -> Sequence[Evidence]:
        """What stretches are made of: the cited lines, else those of the first prompt, the ranked
        passages.
        """
        if labels:
            return [by_label[label] for label in labels]
        return self.contexts[0].prompt.evidence if self.contexts else ()

    def _trace(
        self, outcome: _Outcome, labels: Sequence[str], by_label: Mapping[str, Evidence]
    ) -> AnswerTrace:
        merge, soft = outcome.merge_prompt, outcome.soft
        prompts = tuple(context.trace() for context in self.contexts)
        return AnswerTrace(
            retriever=self.retrieval.retriever,
            notes=(*self.notes, *outcome.checked.notes),
            num_passages=len(self.retrieval.passages),
            candidates=candidate_traces(self.retrieval),
            ranking=ranking_trace(self.retrieval, self.snapshot),
            profile=self.parts.profile.name,
            instructions=render(
                intermediate_prompt(self.parts.profile), question=self.question.text, context=""
            )[0],
            merge_prompt=f"{merge.system}\n\n{merge.user}" if merge else "",
            document_ids={e.id: e.document_id for e in by_label.values()}
            | dict(self.lines.document_ids),
            prompts=tuple(
                with_masks(prompt, soft.masks.nodes, soft.masks.pairs) for prompt in prompts
            )
            if soft
            else prompts,
            failures=outcome.failures,
            reason=outcome.reason,
            merge=outcome.merge,
            labels=tuple(labels),
            subgraph_kind=self.retrieval.subgraph_kind,
            soft=soft.trace if soft else None,
        )
