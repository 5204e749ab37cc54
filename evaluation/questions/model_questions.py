"""Questions that a model writes from chosen passages. Each is checked by code, then by the model:
it must not answer it without the passages, and must answer it from them. What doesn't pass is
counted by reason.

Choices depend on the seed and the workspace alone, and replies are kept in the workspace's cache: a
run that was killed is run again, and asks nothing twice.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice

from dynagrag.core.errors import (
    BudgetError,
    CutOffReplyError,
    InvalidReplyError,
    ModelError,
    PromptRefusedError,
)
from dynagrag.core.protocols import ClaimChecker, Prompt
from dynagrag.core.schema import ScoredPassage, Usage, Verdict
from dynagrag.core.text import collapse
from dynagrag.evaluation.answers.closed_book import closed_book_answer
from dynagrag.evaluation.batches import FailedInARow
from dynagrag.evaluation.questions.drafts import Draft, SplitSayings
from dynagrag.evaluation.questions.made_question import MadeQuestion, QuestionKind
from dynagrag.evaluation.questions.question_checks import (
    AskedBefore,
    answer_fault,
    holds_answer,
    known_lines,
    question_fault,
)
from dynagrag.evaluation.questions.question_writing import (
    MAX_REPLY_TOKENS,
    Request,
    UnansweredReply,
    WrittenReply,
    requests,
)
from dynagrag.evaluation.questions.record_questions import DOUBLE
from dynagrag.generation.claims.answer_claims import WrittenFrom, checked_claims
from dynagrag.generation.evidence import line_of, passage_evidence
from dynagrag.generation.reply_types import IntermediateReply
from dynagrag.ingest.pipeline import Progress
from dynagrag.language.identification import language_name
from dynagrag.models.metered_chat import MeteredChat, prompt_tokens
from dynagrag.prompts import render

STAGE = "questions"
_FOUND_SHARE = {
    QuestionKind.SPECIFIC: 0.5,
    QuestionKind.TWO_HOP: 0.5,
    QuestionKind.COMPARISON: 0.3,
    QuestionKind.THEMATIC: 0.3,
}
"""Of the answer's content words, what the model must find again; long answers are worded in many
ways.
"""
_KNOWN_SHARE = 0.5
UNREADABLE = "the model's reply could not be read"
REFUSED = "the model's provider refused the prompt"
_NO_REPLY = (InvalidReplyError, CutOffReplyError, PromptRefusedError)
Search = Callable[[str], Sequence[ScoredPassage]]
"""The best passages of the workspace for a question."""


@dataclass
class Written:
    """Outcome of writing: the questions, how many were left out by reason, why it stopped before
    its end, if it did; and what was spent.
    """

    questions: list[MadeQuestion] = field(default_factory=list)
    drops: Counter[str] = field(default_factory=Counter)
    stopped: str = ""
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A request with the question that was written for it; or the fault that it has."""

    request: Request
    draft: Draft | None = None
    statement: str = ""
    fault: str = ""


@dataclass(frozen=True)
class QuestionWriter:
    """Writes and checks with one model."""

    evidence: SplitSayings
    chat: MeteredChat
    checker: ClaimChecker
    search: Search
    num_at_once: int = 1
    progress: Progress = lambda *_: None

    def write(self, kinds: Sequence[QuestionKind], num: int, seed: int) -> Written:
        """At most `num` questions, of each kind the same number as far as there is something to
        write them from.

        A spent budget and a model that can't be reached stop it; what was made is kept.
        """
        written, asked = Written(), AskedBefore()
        queues = {kind: iter(requests(self.evidence, kind, seed)) for kind in kinds}
        try:
            while queues and len(written.questions) < num:
                share = -(-(num - len(written.questions)) // len(queues))
                for kind in [*queues]:
                    wanted = min(share, num - len(written.questions))
                    if self._of_kind(queues[kind], wanted, written, asked, num) < wanted:
                        del queues[kind]
        except (BudgetError, ModelError) as err:
            written.stopped = str(err)
        return written

    def _of_kind(
        self, queue: Iterator[Request], wanted: int, written: Written, asked: AskedBefore, num: int
    ) -> int:
        """How many of the wanted ones were made."""
        made, is_done, is_unreadable = 0, False, False
        gave_nothing, unread = FailedInARow(), FailedInARow()
        with ThreadPoolExecutor(self.num_at_once, thread_name_prefix="questions") as pool:
            # Never more at once than are still wanted, so that what is made doesn't depend on how
            # many are.
            while (
                not is_done
                and made < wanted
                and (some := list(islice(queue, min(self.num_at_once, wanted - made))))
            ):
                attempts = []
                for attempt in pool.map(self._written, some):
                    if attempt.draft is not None and not asked.is_new(attempt.draft.question):
                        attempt = replace(attempt, fault=DOUBLE)
                    attempts.append(attempt)
                for attempt in pool.map(self._checked, attempts):
                    is_done = gave_nothing.are_enough(bool(attempt.fault))
                    is_unreadable = unread.are_enough(attempt.fault in (UNREADABLE, REFUSED))
                    if attempt.draft is None or attempt.fault:
                        written.drops[attempt.fault] += 1
                        continue
                    made += 1
                    written.questions.append(
                        self.evidence.made(attempt.draft, self.chat.model.name)
                    )
                    self.progress("write questions", len(written.questions), num)
                if is_unreadable:
                    name = self.chat.model.name
                    raise InvalidReplyError(
                        f"the last {unread.num} replies of {name} could not be read; name another"
                        " model"
                    )
        return made

    # -------------------------------------------------------------------------------------- writing

    def seconds_per_token(self, kind: QuestionKind, seed: int) -> float | None:
        """The time of the first call that `write` will make, by the tokens of its prompt; its reply
        is then in the cache. None where it failed.
        """
        request = next(
            (request for request in requests(self.evidence, kind, seed) if request is not None),
            None,
        )
        try:
            if request is None or self._written(request).fault in (REFUSED, UNREADABLE):
                return None
        except (BudgetError, ModelError):
            return None  # the run will tell
        schema = UnansweredReply if kind is QuestionKind.UNANSWERABLE else WrittenReply
        return (self.chat.usage().seconds + self.chat.saved().seconds) / prompt_tokens(
            request.prompt, schema
        )

    def _written(self, request: Request) -> _Attempt:
        schema: type[UnansweredReply] | type[WrittenReply] = (
            UnansweredReply if request.kind is QuestionKind.UNANSWERABLE else WrittenReply
        )
        try:
            reply = self.chat.ask(
                request.prompt,
                schema,
                stage=STAGE,
                max_tokens=MAX_REPLY_TOKENS,
                documents=request.documents,
            )
        except _NO_REPLY as err:
            return _Attempt(request, fault=_fault_of(err))
        question = collapse(reply.question)
        if fault := question_fault(request, question):
            return _Attempt(request, fault=fault)
        if not isinstance(reply, WrittenReply):
            return _Attempt(request, replace(request.draft, question=question, sayings=()))
        cited = known_lines(reply.lines, request.shown)
        if fault := answer_fault(request, reply.model_copy(update={"question": question}), cited):
            return _Attempt(request, fault=fault)
        sayings = [
            s
            for s in request.draft.sayings
            if any(c.document_id == s.document_id and c.start <= s.start < c.end for c in cited)
        ]
        if not sayings:
            return _Attempt(request, fault="names lines that say nothing whole")
        draft = replace(
            request.draft,
            question=question,
            answer=collapse(reply.answer),
            answers=(),
            sayings=tuple(sayings),
        )
        return _Attempt(request, draft, collapse(reply.statement))

    # ------------------------------------------------------------------------------------- checking

    def _checked(self, attempt: _Attempt) -> _Attempt:
        if attempt.draft is None or attempt.fault:
            return attempt
        try:
            if attempt.draft.kind is QuestionKind.UNANSWERABLE:
                fault = self._fault_of_unanswerable(attempt.draft, attempt.request)
            else:
                fault = self._fault_of_answerable(attempt.draft, attempt)
        except _NO_REPLY as err:
            fault = _fault_of(err)
        return replace(attempt, fault=fault)

    def _fault_of_answerable(self, draft: Draft, attempt: _Attempt) -> str:
        request = attempt.request
        known = closed_book_answer(self.chat, draft.question)
        if not known.is_abstained and holds_answer(known.text, draft.answer, _KNOWN_SHARE):
            return "the model knows its answer without the passages"
        found = self._answer_from(
            [line_of(line) for line in request.shown.values()], draft.question, request.documents
        )
        if not found.enough_evidence or not found.answer.strip():
            return "its passages don't answer it"
        if not holds_answer(found.answer, draft.answer, _FOUND_SHARE[draft.kind]):
            return "its passages answer something else"
        lines = request.checked_lines()
        verdicts = checked_claims(
            [WrittenFrom(text, lines) for text in (attempt.statement, found.answer)], self.checker
        )
        if any(claim.verdict is Verdict.CONTRADICTED for claims in verdicts for claim in claims):
            return "its passages contradict its answer"
        if not any(claim.verdict is Verdict.STATED for claim in verdicts[0]):
            unread = {claim.language for claim in verdicts[0] if claim.language}
            if unread:
                names = ", ".join(sorted(map(language_name, unread)))
                return f"the checker does not read its language ({names})"
            return "no line states its answer"
        return ""

    def _fault_of_unanswerable(self, draft: Draft, request: Request) -> str:
        """The passages that a search brings, besides those that it was written from, are looked at
        too.
        """
        passages = {
            p.id: p
            for p in (
                *request.passages,
                *(scored.passage for scored in self.search(draft.question)),
            )
        }
        shown = passage_evidence(
            request.snapshot, [ScoredPassage(passage, 0.0) for passage in passages.values()]
        )
        documents = tuple(dict.fromkeys(passage.document_id for passage in passages.values()))
        found = self._answer_from([line_of(line) for line in shown], draft.question, documents)
        return "the workspace answers it" if found.enough_evidence and found.answer.strip() else ""

    def _answer_from(
        self, lines: Sequence[str], question: str, documents: Sequence[str]
    ) -> IntermediateReply:
        system, user = render("intermediate", question=question, note="", context="\n".join(lines))
        prompt = Prompt("intermediate", system, user)
        return self.chat.ask(
            prompt, IntermediateReply, stage=STAGE, max_tokens=MAX_REPLY_TOKENS, documents=documents
        )


def _fault_of(err: ModelError) -> str:
    return REFUSED if isinstance(err, PromptRefusedError) else UNREADABLE
