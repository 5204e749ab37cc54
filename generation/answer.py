"""A question to a cited answer (DynaGRAG section 3.5; methods spec 3.9 to 3.11).

    retrieval -> one prompt a subgraph (plain arms: one prompt of passages) -> intermediate answers, in parallel
              -> helpfulness, one call -> sorted, H = 0 dropped -> one merged answer, streamed, its citations checked

Nothing supports an answer: it abstains. No model: the evidence it would answer from.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count

from dynagrag.errors import CutOffReplyError, DynaGragError, InvalidReplyError, ModelError
from dynagrag.generation.citations import (
    checked_marks,
    checked_stream,
    cited_labels,
    cited_stream,
    known_labels,
    to_citation,
    uncited_sentences,
    without_marks,
)
from dynagrag.generation.context import Context, all_evidence, build_contexts
from dynagrag.generation.helpfulness import Score, helpfulness
from dynagrag.generation.reply_types import IntermediateReply, RewriteReply, SplitReply
from dynagrag.generation.retrieval_trace import trace_of
from dynagrag.generation.stretches import stretches
from dynagrag.generation.support import supported_stream, supported_text, weak_citations
from dynagrag.models.metered_chat import prompt_tokens
from dynagrag.prompts import render
from dynagrag.protocols import Asker, Embedder, Prompt, Pruner, Retriever, Traversal
from dynagrag.retrieval.passages import PassageScores
from dynagrag.schema import Answer, Citation, Evidence, IntermediateAnswer, Question, Retrieval, Snapshot, Usage
from dynagrag.settings import Profile

ABSTENTION = "The evidence found does not answer this question."
NO_MODEL = "No language model is configured, so nothing was answered. This is the evidence an answer would rest on."
_PASSAGES_PER_SUBGRAPH = 10
"""Enough for a plain arm to fill the room that the graph arms' prompts have together."""
_MAX_ANSWER_TOKENS = 400
_MAX_FINAL_TOKENS = 600
_MAX_STEP = 300
"""Characters of a step that a model split a question into."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What an answer is made with; chosen in wiring."""

    retriever: Retriever
    passages: PassageScores
    pruner: Pruner
    traversal: Traversal
    embedder: Embedder
    chat: Asker | None
    profile: Profile
    max_concurrency: int = 8


def rewrite_question(chat: Asker, history: Sequence[tuple[str, str]], question: str) -> str:
    """The question standing alone; the last three exchanges are what it may refer to."""
    if not history:
        return question
    turns = [{"question": q, "answer": a[:600]} for q, a in history[-3:]]
    system, user = render("rewrite", history=turns, question=question)
    reply = chat.ask(Prompt("rewrite", system, user), RewriteReply, stage="rewrite", max_tokens=200)
    return reply.question.strip() or question


def split_question(chat: Asker, question: str) -> tuple[str, ...]:
    """The questions of one step that a question is made of, at most four; none where it is one itself, or the model's reply is no list.

    Steps of over 300 characters are passed over. Raises ModelError where the model can't be had.
    """
    system, user = render("split", question=question)
    try:
        reply = chat.ask(Prompt("split", system, user), SplitReply, stage="split", max_tokens=400)
    except (InvalidReplyError, CutOffReplyError):
        return ()  # it is asked whole, and the trace says so
    steps: dict[str, str] = {}
    for step in reply.steps:
        steps.setdefault(_bare(step), " ".join(step.split()))
    return tuple(step for bare, step in steps.items() if bare and bare != _bare(question) and len(step) <= _MAX_STEP)


def _bare(question: str) -> str:
    """Its words alone: what differs in case or in the marks around it is the same question."""
    return " ".join(question.casefold().split()).strip(" .?!\"'")


def answer_question(
    snapshot: Snapshot,
    question: Question,
    parts: Parts,
    on_text: Callable[[str], None] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Answer:
    """Answers a question; `on_text` gets the final answer's pieces as they come, `progress` the stage with how much of it is done:
    retrieve, answer (a step a prompt), score, merge.

    Raises ModelError when no intermediate answer could be had, BudgetError when a budget is reached.
    """
    profile = parts.profile
    progress = progress or (lambda *_: None)
    progress("retrieve", 0, 1)
    retrieval = parts.retriever.retrieve(
        question, num_passages=_PASSAGES_PER_SUBGRAPH * profile.num_subgraphs, num_subgraphs=profile.num_subgraphs
    )
    contexts = build_contexts(snapshot, question, retrieval, parts.passages, parts.pruner, parts.traversal, profile)
    flow = _Flow(snapshot, question, retrieval, contexts, parts, on_text or (lambda _: None), progress)
    return flow.run()


@dataclass(slots=True)
class _Flow:
    """One question on its way."""

    snapshot: Snapshot
    question: Question
    retrieval: Retrieval
    contexts: Sequence[Context]
    parts: Parts
    on_text: Callable[[str], None]
    progress: Callable[[str, int, int], None]
    merge_prompt: Prompt | None = None

    def run(self) -> Answer:
        if self.parts.chat is None:
            return replace(self._answer(NO_MODEL, (), (), {}), is_abstained=True, is_answered_by_model=False)
        if not self.contexts:
            return self._abstain((), {"reason": "nothing was retrieved"})
        replies, failures = self._intermediate_replies(self.parts.chat)
        trace: dict[str, object] = {"failed_intermediate_answers": failures} if failures else {}
        intermediate = self._scored(self.parts.chat, replies)
        useful = [a for a in intermediate if a.helpfulness > 0]
        if not useful:
            return self._abstain(intermediate, trace | {"reason": "no subgraph held enough evidence"})
        if len(useful) == 1:
            final = useful[0].answer
            self.on_text(final)
        else:
            final, how = self._merged(self.parts.chat, useful)
            trace["merge"] = how
        return self._answer(final, cited_labels(final), intermediate, trace)

    # ----------------------------------------------------------------------------------------- intermediate answers

    def _intermediate_replies(self, chat: Asker) -> tuple[list[tuple[Context, IntermediateReply]], list[str]]:
        done = count(1)

        def ask(context: Context) -> IntermediateReply | DynaGragError:
            reply = asked(context)
            self.progress("answer", next(done), len(self.contexts))
            return reply

        def asked(context: Context) -> IntermediateReply | DynaGragError:
            system, user = render("intermediate", question=self.question.text, context=context.prompt.text)
            try:
                return chat.ask(Prompt("intermediate", system, user), IntermediateReply, stage="answer", max_tokens=_MAX_ANSWER_TOKENS)
            except ModelError as err:
                return err

        self.progress("answer", 0, len(self.contexts))
        pool = ThreadPoolExecutor(min(len(self.contexts), self.parts.max_concurrency), thread_name_prefix="answer")
        try:
            results = list(pool.map(ask, self.contexts))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # after Ctrl-C or a spent budget nobody waits for the calls in flight
        errors = [r for r in results if isinstance(r, DynaGragError)]
        if len(errors) == len(results):
            raise errors[0]
        replies = [(c, r) for c, r in zip(self.contexts, results, strict=True) if isinstance(r, IntermediateReply)]
        return replies, [str(e) for e in errors]

    def _scored(self, chat: Asker, replies: Sequence[tuple[Context, IntermediateReply]]) -> tuple[IntermediateAnswer, ...]:
        """Answers with checked citations, by helpfulness (desc), then retrieval score (desc).

        Without enough evidence or a citation: H = 0.
        """
        texts = [self._cited_text(context, reply) for context, reply in replies]
        able = [i for i, (_, reply) in enumerate(replies) if reply.enough_evidence and cited_labels(texts[i])]
        scores = [Score()] * len(replies)
        if able:
            self.progress("score", 0, 1)
            answers = [without_marks(texts[i]) for i in able]
            sizes = [self._num_entities(replies[i][0], texts[i]) for i in able]
            given = helpfulness(chat, self.parts.embedder, self.question, answers, sizes, self.parts.profile.judge_token_budget)
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
            )
            for i, ((context, _), text) in enumerate(zip(replies, texts, strict=True))
        ]
        return tuple(sorted(made, key=lambda a: (-a.helpfulness, -a.retrieval_score, a.centre)))

    def _num_entities(self, context: Context, text: str) -> int:
        """How many of the subgraph's entities (plain arms: of the graph's) an answer names."""
        names = context.order or [e.name for e in self.snapshot.graph.entities]
        return sum(name.casefold() in text.casefold() for name in set(names))

    def _cited_text(self, context: Context, reply: IntermediateReply) -> str:
        """The reply's answer with its checked citations in the text: its own marks, or the labels it listed, at the last sentence."""
        own = {e.label: e for e in context.prompt.evidence}
        text = checked_marks(reply.answer.strip(), own)
        listed = [label for label in known_labels(reply.citations, own) if label not in cited_labels(text)]
        if not text:
            return ""
        return supported_text(text + (" " + "".join(f"[{label}]" for label in listed) if listed else ""), own).strip()

    # ------------------------------------------------------------------------------------------------------- merge

    def _merged(self, chat: Asker, useful: Sequence[IntermediateAnswer]) -> tuple[str, str]:
        """The merged answer, as it was streamed, and how it came about.

        A merge that cites nothing, or breaks off before it does, is replaced by the most helpful intermediate answer.
        """
        self.progress("merge", 0, 1)
        prompt, allowed = self._merge_prompt(useful)
        self.merge_prompt = prompt
        pieces: list[str] = []
        how = "merged"
        try:
            written = checked_stream(chat.stream(prompt, stage="merge", max_tokens=_MAX_FINAL_TOKENS), allowed)
            for piece in cited_stream(supported_stream(written, allowed)):
                pieces.append(piece)
                self.on_text(piece)
        except ModelError as err:
            if pieces:
                pieces.append(" …")
                self.on_text(pieces[-1])
            how = f"the merge broke off ({err})"
        if pieces:
            return "".join(pieces), how
        best = useful[0].answer
        self.on_text(best)
        why = "the merged answer cited nothing" if how == "merged" else how
        return best, f"{why}; this is the most helpful intermediate answer"

    def _merge_prompt(self, useful: Sequence[IntermediateAnswer]) -> tuple[Prompt, Mapping[str, Evidence]]:
        """Packs the best answers and the evidence they cite into the budget; an answer whose evidence doesn't fit is left out."""
        by_label = all_evidence(self.contexts)
        lines_of = {label: line for context in self.contexts for label, line in context.lines().items()}
        budget = self.parts.profile.merge_token_budget
        answers: list[str] = []
        labels: list[str] = []
        for answer in useful:
            more = [label for label in answer.evidence_ids if label not in labels]
            system, user = render(
                "merge",
                question=self.question.text,
                answers=[*answers, answer.answer],
                evidence=[lines_of[label] for label in [*labels, *more]],
            )
            if answers and prompt_tokens(Prompt("merge", system, user)) > budget:
                break
            answers.append(answer.answer)
            labels.extend(more)
        system, user = render("merge", question=self.question.text, answers=answers, evidence=[lines_of[label] for label in labels])
        return Prompt("merge", system, user), {label: by_label[label] for label in labels}

    # ------------------------------------------------------------------------------------------------------ answer

    def _abstain(self, intermediate: tuple[IntermediateAnswer, ...], trace: Mapping[str, object]) -> Answer:
        self.on_text(ABSTENTION)
        return replace(self._answer(ABSTENTION, (), intermediate, trace), is_abstained=True)

    def _answer(
        self, text: str, labels: Sequence[str], intermediate: tuple[IntermediateAnswer, ...], trace: Mapping[str, object]
    ) -> Answer:
        by_label = all_evidence(self.contexts)
        shown: dict[tuple[str, int, int], Citation] = {}  # several subgraphs may rest on the same words
        for evidence in by_label.values():
            shown.setdefault((evidence.document_id, evidence.start, evidence.end), to_citation(evidence, self.snapshot))
        return Answer(
            question=self.question.text,
            text=text,
            is_abstained=False,
            citations=tuple(to_citation(by_label[label], self.snapshot) for label in labels),
            intermediate=intermediate,
            evidence=tuple(shown.values()),
            trace=self._trace() | dict(trace) | self._checks(text, labels, by_label),
            usage=self.parts.chat.usage() if self.parts.chat else Usage(),
            stretches=stretches(self._together(labels, by_label), self.snapshot),
        )

    def _together(self, labels: Sequence[str], by_label: Mapping[str, Evidence]) -> Sequence[Evidence]:
        """What stretches are made of: the cited lines, else those of the first prompt, the ranked passages."""
        if labels:
            return [by_label[label] for label in labels]
        return self.contexts[0].prompt.evidence if self.contexts else ()

    def _checks(self, text: str, labels: Sequence[str], by_label: Mapping[str, Evidence]) -> dict[str, object]:
        if not labels:
            return {"labels": [], "uncited_sentences": 0, "weak_citations": 0}
        return {"labels": list(labels), "uncited_sentences": uncited_sentences(text), "weak_citations": weak_citations(text, by_label)}

    def _trace(self) -> dict[str, object]:
        return trace_of(self.retrieval, self.snapshot) | {
            "profile": self.parts.profile.name,
            "instructions": render("intermediate", question=self.question.text, context="")[0],
            "merge_prompt": f"{self.merge_prompt.system}\n\n{self.merge_prompt.user}" if self.merge_prompt else "",
            "document_ids": {e.id: e.document_id for e in all_evidence(self.contexts).values()},
            "subgraphs": [context.trace() for context in self.contexts],
        }
