"""A question to a cited answer (DynaGRAG, section 3.5; docs/papers.md, Answers), by a plan:

    retrieve -> write prompts: one per subgraph (plain arms: one of passages)
             -> an intermediate answer from each, in parallel; their claims checked by rules
             -> helpfulness, one call -> sorted; H = 0 dropped, and where lines state claims of some
                the others -> one merged answer, streamed from its first stated sentence on
             -> each of its claims checked: stated, contradicted, not found or not checked; what no
                line of the prompts states is searched for in the whole workspace

Nothing supports an answer: it abstains. With or without a model: the lines that fit the question
best, and whether any fits at all.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from dynagrag.core.protocols import Asker, Prompt
from dynagrag.core.schema import (
    Answer,
    AnswerTrace,
    Evidence,
    IntermediateAnswer,
    Line,
    Question,
    Retrieval,
    Usage,
)
from dynagrag.generation.answer_plan import EVERY_CLAIM, STATED_ALONE, AnswerPlan
from dynagrag.generation.answer_prompt import AnswerPrompt, all_evidence
from dynagrag.generation.answer_prompts import (
    intermediate_prompt,
    merges_all,
    prompts_and_lines,
)
from dynagrag.generation.citations import checked_marks, cited_labels, to_citation
from dynagrag.generation.claims.answer_claims import FinalClaims, WrittenFrom, final_claims
from dynagrag.generation.claims.claim_search import ClaimSearch
from dynagrag.generation.claims.claim_split import split_claims
from dynagrag.generation.claims.held_stream import HeldStream
from dynagrag.generation.claims.strict_answer import strict_answer
from dynagrag.generation.evidence import claim_lines, passage_windows
from dynagrag.generation.evidence_sentences.best_lines import BestLines
from dynagrag.generation.evidence_sentences.doubts import doubts_text, evidence_note, prompt_note
from dynagrag.generation.helpfulness import is_supported
from dynagrag.generation.intermediate_answers import ask_each, rank_answers
from dynagrag.generation.merge import merge_prompt, stream_merged
from dynagrag.generation.retrieval_trace import candidate_traces, ranking_trace, with_masks
from dynagrag.generation.soft_prompt.soft_answers import SoftReply, text_budget
from dynagrag.generation.soft_prompt.soft_reading import soft_reading, with_unread_subgraphs
from dynagrag.generation.soft_prompt.soft_text import SoftText
from dynagrag.generation.subgraph_prompts import union_note
from dynagrag.language.identification import load_beside
from dynagrag.prompts import render

ABSTENTION = "The evidence found does not answer this question."
SILENCE = "The trained system said nothing. More questions or epochs of training may help."
UNANSWERED = "No language model is configured, so nothing was answered."
NO_MODEL = f"{UNANSWERED} This is the evidence an answer would rest on."

OnText = Callable[[str], None]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """An answer's words before its claims are checked, and how they came about."""

    text: str
    intermediate: tuple[IntermediateAnswer, ...] = ()
    is_abstained: bool = False
    failures: tuple[str, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()
    merge: str = ""
    merge_prompt: Prompt | None = None
    soft: SoftReply | None = None


def answer_question(
    question: Question,
    plan: AnswerPlan,
    on_text: OnText | None = None,
    progress: Progress | None = None,
) -> Answer:
    """Answers a question; `on_text` gets words of doubt, if there are any, then the final answer's
    pieces as they come; nothing of an answer that no line supports. `progress` gets the stage with
    how much of it is done: retrieve, answer (one step per prompt), score, merge, check. An answer
    of which claims may be left out comes in one piece.

    Raises ModelError when no intermediate answer could be had, BudgetError when a budget is
    reached.
    """
    on_text, progress = on_text or (lambda _: None), progress or (lambda *_: None)
    view, profile = plan.view, plan.profile

    progress("retrieve", 0, 1)
    soft_text: SoftText | None = None
    prompts: Sequence[AnswerPrompt]
    if plan.soft:
        reading = soft_reading(question, plan, text_budget(plan.soft.model))
        retrieval, soft_text, lines = reading.retrieval, reading.text, reading.lines
        prompts = with_unread_subgraphs(soft_text.prompts, question, plan, retrieval)
    else:
        retrieval = plan.retrieve(question)
        prompts, lines = prompts_and_lines(
            partial(plan.writer(question, retrieval), profile),
            plan.line_finder(question),
            profile,
            retrieval,
            view.passages,
        )

    tell = _doubts_first(on_text, doubts_text(lines) if plan.soft or plan.chat else "")
    evidence = all_evidence(prompts)
    of_claims = cache(partial(claim_lines, evidence, view.snapshot))  # while a model answers
    is_whole = plan.kept_claims == EVERY_CLAIM
    shown = tell if is_whole else (lambda _: None)
    stream = HeldStream(shown, of_claims, question.text)
    draft = _draft(question, plan, retrieval, prompts, lines, soft_text, stream, progress)
    tell("")

    checked = FinalClaims()
    if not draft.is_abstained:
        progress("check", 0, 1)
        search = ClaimSearch(view.passages, plan.embedder, evidence)
        draft, checked = _with_verdicts(draft, question, of_claims(), plan, search)
        evidence = search.evidence

    answer = _answer(question, plan, retrieval, prompts, lines, draft, checked, evidence)
    if checked.checked_by:
        languages = {label: line.language for label, line in of_claims().items()}
        answer = replace(answer, trace=replace(answer.trace, languages=languages))
    if answer.is_answered_by_model and not answer.is_unsupported:
        if is_whole:
            stream.release()
        else:
            on_text(answer.text)
    return answer


def _doubts_first(on_text: OnText, doubts: str) -> OnText:
    """Before the first text, words of doubt: not sooner, since a model that can't be reached leaves
    nothing to doubt.
    """
    waiting = [f"{doubts}\n"] if doubts else []

    def tell(text: str) -> None:
        if waiting:
            on_text(waiting.pop())
        if text:
            on_text(text)

    return tell


# ------------------------------------------------------------------------------------------ drafts


def _draft(
    question: Question,
    plan: AnswerPlan,
    retrieval: Retrieval,
    prompts: Sequence[AnswerPrompt],
    lines: BestLines,
    soft_text: SoftText | None,
    stream: HeldStream,
    progress: Progress,
) -> AnswerDraft:
    """What answers: the trained system, else the language model, else nothing does."""
    if plan.soft or plan.chat:
        if not prompts:
            return _abstained("nothing was retrieved", stream)
        load_beside()
    if plan.soft and soft_text:
        reply = plan.soft.answer(plan.view.snapshot, question, retrieval, soft_text)
        return _soft_draft(reply, prompts, stream)
    if plan.chat:
        note = prompt_note(lines)
        return _merged_draft(question, prompts, plan, plan.chat, stream, progress, note)
    is_weak = bool(evidence_note(lines))
    return AnswerDraft(UNANSWERED if is_weak else NO_MODEL, is_abstained=True)


def _abstained(
    reason: str,
    stream: OnText,
    intermediate: tuple[IntermediateAnswer, ...] = (),
    failures: tuple[str, ...] = (),
) -> AnswerDraft:
    stream(ABSTENTION)
    return AnswerDraft(
        ABSTENTION, intermediate, is_abstained=True, failures=failures, reason=reason
    )


def _soft_draft(reply: SoftReply, prompts: Sequence[AnswerPrompt], stream: OnText) -> AnswerDraft:
    """A trained system's reply; a mark of a line that it did not read is none."""
    labels = reply.trace.labels
    evidence = {label: e for label, e in all_evidence(prompts).items() if label in labels}
    text = checked_marks(reply.text, evidence).strip()
    stream(text or SILENCE)
    if text:
        return AnswerDraft(text, soft=reply)
    return AnswerDraft(
        SILENCE, is_abstained=True, reason="the trained system said nothing", soft=reply
    )


def _merged_draft(
    question: Question,
    prompts: Sequence[AnswerPrompt],
    plan: AnswerPlan,
    chat: Asker,
    stream: HeldStream,
    progress: Progress,
    note: str,
) -> AnswerDraft:
    """An answer from each prompt; the helpful ones are merged, a single one stands as it is, and so
    does the best after a first look. Where lines state what some of them claim, the others are left
    out, however helpful. A profile that merges all leaves none out, asks for the final answer also
    of a single one, and lets it stand.
    """
    takes_all = merges_all(plan.profile, prompts)
    replies, failures = ask_each(question, prompts, plan, chat, progress, note)
    notes: tuple[str, ...] = ()
    if len(replies) + len(failures) < len(prompts):
        notes = (f"1 of {len(prompts)} prompts was asked: lines state all that its answer says",)
    ranked = rank_answers(question, replies, plan, chat, progress)
    intermediate = tuple(answer for _, answer in ranked)
    useful = [(prompt, answer) for prompt, answer in ranked if answer.helpfulness > 0]
    if not useful:
        return _abstained("no prompt held enough evidence", stream, intermediate, failures)
    supported = useful
    if prompts[-1].holds_all:
        supported = useful = useful[:1]
    elif not takes_all:
        supported = [pair for pair in useful if is_supported(question, pair[1].claims)] or useful
    num_left, useful = len(useful) - len(supported), supported
    left_out = f"{num_left} of the intermediate answers left out: no line states them"
    notes = (*notes, left_out) if num_left else notes
    best = useful[0][1].answer
    if len(useful) == 1 and not takes_all:
        stream(best)
        return AnswerDraft(best, intermediate, failures=failures, notes=notes)
    prompt, evidence = merge_prompt(
        question, useful, all_evidence(prompts), plan.profile.merge_token_budget
    )
    progress("merge", 0, 1)
    text, how = stream_merged(chat, prompt, evidence, best, stream)
    is_stated = not takes_all and is_supported(question, useful[0][1].claims)
    if is_stated and split_claims(text, question.text) and not stream.is_supported():
        text, how = best, "no line states the merged answer; this is the best intermediate one"
        stream.discard()
        stream(best)
    return AnswerDraft(
        text, intermediate, failures=failures, notes=notes, merge=how, merge_prompt=prompt
    )


# ------------------------------------------------------------------------------------------ answer


def _with_verdicts(
    draft: AnswerDraft,
    question: Question,
    lines: Mapping[str, Line],
    plan: AnswerPlan,
    search: ClaimSearch,
) -> tuple[AnswerDraft, FinalClaims]:
    """A verdict on each claim of the draft, which goes without those that the plan doesn't keep.
    Where none is left it abstains, or stands whole, unsupported.
    """
    known = [claim for answer in draft.intermediate for claim in answer.claims]
    text = WrittenFrom(draft.text, lines, question.text)
    checked = final_claims(text, plan.checker, known, search)
    is_strict = plan.kept_claims == STATED_ALONE
    if not is_strict and all(claim.verdict in plan.kept_claims for claim in checked.claims):
        return draft, checked
    strict = strict_answer(draft.text, checked.claims, question.text, plan.kept_claims)
    if not strict.text and not is_strict:
        return draft, checked
    checked = replace(checked, claims=strict.claims, left_out=strict.left_out)
    if strict.text:
        return replace(draft, text=strict.text), checked
    reason = "no claim of the answer is stated by its lines"
    return replace(draft, text=ABSTENTION, is_abstained=True, reason=reason), checked


def _answer(
    question: Question,
    plan: AnswerPlan,
    retrieval: Retrieval,
    prompts: Sequence[AnswerPrompt],
    lines: BestLines,
    draft: AnswerDraft,
    checked: FinalClaims,
    evidence: Mapping[str, Evidence],
) -> Answer:
    """The draft with its verdicts, its citations, the lines that were looked at, and its trace.
    `evidence`: that of the prompts, and what a search for claims found.
    """
    snapshot = plan.view.snapshot
    labels = () if draft.is_abstained else cited_labels(draft.text)
    named = {label for claim in (*checked.claims, *checked.left_out) for label in claim.lines}
    together = [evidence[label] for label in labels]
    if not labels and prompts:
        together = [*prompts[0].hard.evidence]  # the ranked passages
    merge, soft = draft.merge_prompt, draft.soft
    traces = tuple(prompt.trace() for prompt in prompts)
    if soft:
        traces = tuple(with_masks(p, soft.masks.nodes, soft.masks.pairs) for p in traces)
    instructions, _ = render(
        intermediate_prompt(plan.profile), question=question.text, note="", context=""
    )
    document_ids = {e.id: e.document_id for e in evidence.values()} | dict(lines.document_ids)
    documents = [snapshot.documents[id_] for id_ in dict.fromkeys(document_ids.values())]
    trace = AnswerTrace(
        retriever=retrieval.retriever,
        notes=(
            *retrieval.notes,
            *filter(None, [union_note(plan.profile, retrieval)]),
            *plan.notes,
            *lines.notes,
            *draft.notes,
            *checked.notes,
        ),
        num_passages=len(retrieval.passages),
        candidates=candidate_traces(retrieval),
        ranking=ranking_trace(retrieval, snapshot),
        profile=plan.profile.name,
        instructions=instructions,
        merge_prompt=f"{merge.system}\n\n{merge.user}" if merge else "",
        document_ids=document_ids,
        doubtful=tuple(own.title for own in documents if own.has_doubtful_speakers),
        prompts=traces,
        failures=draft.failures,
        reason=draft.reason,
        merge=draft.merge,
        labels=tuple(labels),
        subgraph_kind=retrieval.subgraph_kind,
        fallback=retrieval.fallback,
        soft=soft.trace if soft else None,
    )
    return Answer(
        question=question.text,
        text=draft.text,
        is_abstained=draft.is_abstained,
        citations=tuple(to_citation(evidence[label], snapshot) for label in labels),
        intermediate=draft.intermediate,
        evidence=lines.lines,
        trace=trace,
        usage=plan.chat.usage() if plan.chat else Usage(),
        is_answered_by_model=(plan.chat or plan.soft) is not None,
        windows=passage_windows(together, snapshot),
        claims=checked.claims,
        lines={
            label: to_citation(line, snapshot)
            for label, line in evidence.items()
            if label in named and label not in labels
        },
        checked_by=checked.checked_by,
        left_out=checked.left_out,
        answerable=lines.answerable,
        is_nothing_fitting=lines.is_nothing_fitting,
        unknown_names=lines.unknown_names,
        quiet_speakers=lines.quiet_speakers,
        other_person=lines.other_person,
        unread_language=lines.unread_language,
        unjudged_language=lines.unjudged_language,
        question_language=lines.question_language,
        lines_language=lines.lines_language,
        clips=lines.clips,
    )
