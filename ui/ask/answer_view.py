"""An answer on a page: its text with marks that open the source, what it cites, what it cost."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from dynagrag.core.schema import Answer, CheckedClaim, Citation, EvidenceLine, Verdict
from dynagrag.core.text import collapse, plural
from dynagrag.generation.claims.verdict_text import (
    IDLE,
    UNSUPPORTED,
    claims_summary,
    failures_summary,
    idle_citations,
    in_text_order,
    left_out_lines,
    shown_lines,
    verdict_note,
)
from dynagrag.generation.evidence_sentences.doubts import doubts_text, evidence_note
from dynagrag.generation.evidence_sentences.quote_cuts import cut_around
from dynagrag.registry.retrievers import RETRIEVERS
from dynagrag.ui.ask.evidence_view import (
    EvidenceRow,
    by_document,
    clip_markdown,
    evidence_row,
    grouped,
    links_of,
)
from dynagrag.ui.choice_labels import SOFT
from dynagrag.ui.safe_markdown import MarkLink, answer_markdown, mark_link, plain, speaker_and_time
from dynagrag.workspace.conversations import KeptAnswer

_MAX_SHOWN = 15
_NUM_LINES = 5
"""Lines of evidence that are shown unasked."""
_MAX_QUOTE = 400


def way_name(way: str) -> str:
    """The name in words of a retriever or of a trained soft prompt (`soft:NAME`)."""
    soft = soft_of(way)
    if soft:
        return SOFT.get(soft, soft)
    return RETRIEVERS[way].label if way in RETRIEVERS else way


def soft_of(way: str) -> str:
    """The trained soft prompt that a way is; empty of a retriever."""
    kind, _, name = way.partition(":")
    return name if kind == "soft" else ""


def made_by(kept: KeptAnswer) -> str:
    """Retriever or soft prompt of an answer and the language model that wrote it, as Markdown."""
    way = f"**{plain(way_name(kept.retriever))}**"
    if kept.answer is None:
        return way
    if not kept.answer.is_answered_by_model:
        return f"{way} :gray[evidence alone]"
    lm = kept.llm.removeprefix(f"{soft_of(kept.retriever)} with ")
    return f"{way} :gray[with {plain(lm)}]" if lm else way


def show_answer(workspace: str, kept: KeptAnswer, asked: str, *, is_numbered: bool = True) -> None:
    """A retriever's answer with its citations as 1, 2, 3 (or as its prompts name them), or why
    there is none.
    """
    answer = kept.answer
    if answer is None:
        st.error(plain(kept.error), icon=":material/error:")
        return
    if answer.question != asked:
        st.caption(f"Asked as: {plain(answer.question)}")
    if not answer.is_answered_by_model:
        _show_doubts(answer)
        _show_evidence(workspace, answer)
        return
    lines = shown_lines(answer)
    links = links_of(
        workspace, in_text_order(answer), answer.trace.document_ids, is_numbered=is_numbered
    )
    notes = [(claim.end, note) for claim in answer.claims if (note := claim_note(claim, links))]
    _show_doubts(answer)
    if answer.is_unsupported:
        _show_evidence(workspace, answer)
    folded = st.expander(UNSUPPORTED.rstrip(":")) if answer.is_unsupported else st.container()
    about = f"{answer.question} {answer.text}"
    order = {label: row for row, label in enumerate(links)}
    rows = [
        _cited_row(label, what, line, links, about)
        for label, what, line in sorted(lines, key=lambda c: order[c[0]])
    ]
    num_shown = len(rows) if answer.is_unsupported else _MAX_SHOWN  # what is folded has no folds
    with folded:
        st.markdown(answer_markdown(answer.text, links, notes))
        if answer.is_abstained:
            _show_evidence(workspace, answer)
        st.markdown(by_document(rows[:num_shown], answer.trace.doubtful))
    if len(rows) > num_shown:
        with st.expander(f"{len(rows) - num_shown} more"):
            st.markdown(by_document(rows[num_shown:], answer.trace.doubtful))
    if failures := failures_summary(answer):
        st.caption(f":material/warning: {plain(failures)}")


def show_details(workspace: str, kept: KeptAnswer) -> None:
    """Shows how the claims were checked, the idle citations, and the cost."""
    answer = kept.answer
    if answer is None:
        return
    if summary := claims_summary(answer):
        st.caption(f":material/fact_check: {plain(summary[:1].upper() + summary[1:])}")
    for line in left_out_lines(answer):
        st.caption(f"Left out, {plain(line)}")
    idle = idle_citations(answer)
    if idle:
        links = links_of(workspace, in_text_order(answer), answer.trace.document_ids)
        st.caption(f"{IDLE.capitalize()}: {' '.join(mark_link(label, links) for label, _ in idle)}")
    usage, soft = answer.usage, answer.trace.soft
    if soft is not None:  # calls of the model that only checks are counted beside it
        checks = f" · {usage.calls} model calls for checks" if usage.calls else ""
        tokens = f"{soft.prompt_tokens:,} + {soft.reply_tokens:,} tokens"
        spent = f"a trained soft prompt · {tokens}{checks} · {kept.seconds:.1f} s"
    else:
        cached = f" ({usage.cached} more from the cache)" if usage.cached else ""
        cost = "" if kept.cost is None else f" · cost {kept.cost:.4f}"
        tokens = f"{usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens"
        spent = f"{usage.calls} model calls{cached} · {tokens} · {kept.seconds:.1f} s{cost}"
    st.caption(f"{spent} · {plain(kept.llm)}")


def has_details(kept: KeptAnswer) -> bool:
    """Whether there is anything that a model or a checker did."""
    return kept.answer is not None and kept.answer.is_answered_by_model


def claim_note(claim: CheckedClaim, links: Mapping[str, MarkLink]) -> str:
    """A claim's verdict as Markdown; empty for one that its own citations state. `links`: the
    lines' by label.
    """
    if claim.verdict is Verdict.NOT_FOUND:
        return f":orange-badge[:material/help: {verdict_note(claim)}]"
    if claim.verdict is Verdict.NOT_CHECKED:
        badge = f":gray-badge[:material/help: {verdict_note(replace(claim, lines=()))}]"
        nearest = "".join(mark_link(label, links) for label in claim.lines)
        return f"{badge} :gray[nearest:] {nearest}" if nearest else badge
    if claim.verdict is Verdict.CONTRADICTED:
        return (
            ":red-badge[:material/block: contradicted by]"
            f" {''.join(mark_link(label, links) for label in claim.lines)}"
        )
    if not claim.found:
        return ""
    return f":gray[(found:] {''.join(mark_link(label, links) for label in claim.found)}:gray[)]"


def _show_doubts(answer: Answer) -> None:
    """Why the lines may not answer the question, before anything that a model says."""
    note = evidence_note if answer.is_abstained else doubts_text
    if doubts := plain(note(answer)):
        st.warning(
            f"{doubts}{' The nearest lines:' if answer.is_abstained else ''}",
            icon=":material/search_off:",
        )


def _show_evidence(workspace: str, answer: Answer) -> None:
    """The clips that fit best; folded, the lines that they don't hold."""
    if not answer.is_answered_by_model:
        st.caption(
            "No language model is set (see Options)"
            + (
                "."
                if evidence_note(answer)
                else ", so here is what an answer would rest on, the best sentences in bold."
            )
        )
    ids = answer.trace.document_ids
    for number, clip in enumerate(answer.shown_clips, start=1):
        st.markdown(clip_markdown(workspace, number, clip, ids, answer.trace.doubtful))
    others = [line for line in answer.evidence if not _is_in_clip(line, answer)]
    if not answer.evidence:
        st.markdown("Nothing was found.")
    # an answer that an earlier version kept has lines alone
    num_open = 0 if answer.clips else _NUM_LINES
    shown = [*grouped(others[:num_open]), *grouped(others[num_open:])]
    marked = "" if answer.is_nothing_fitting else answer.question
    rows = [
        evidence_row(workspace, number, line, ids, marked)
        for number, line in enumerate(shown, start=len(answer.clips) + 1)
    ]
    st.markdown(by_document(rows[:num_open], answer.trace.doubtful))
    if len(rows) > num_open:
        with st.expander(plural(len(rows) - num_open, "more line")):
            st.markdown(by_document(rows[num_open:], answer.trace.doubtful))


def _is_in_clip(line: EvidenceLine, answer: Answer) -> bool:
    return any(
        clip.document == line.document and clip.start <= line.match_start < clip.end
        for clip in answer.clips
    )


def _cited_row(
    label: str, what: str, line: Citation, links: Mapping[str, MarkLink], about: str
) -> EvidenceRow:
    remark = f":{'red' if what.startswith('contradicts') else 'gray'}[({what})]" if what else ""
    words = plain(cut_around(collapse(line.quote), about, _MAX_QUOTE))
    return EvidenceRow(
        line.document,
        mark_link(label, links),
        speaker_and_time(line.speaker, line.start_s),
        words,
        remark,
    )
