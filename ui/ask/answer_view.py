"""An answer on a page: its text with marks that open the source, what it cites, what it cost."""

from collections.abc import Mapping, Sequence

import streamlit as st

from dynagrag.generation.claims.verdict_text import IDLE, claims_summary, failures_summary, idle_citations, shown_lines, verdict_note
from dynagrag.generation.lines.answerable import NOTHING_FITS
from dynagrag.generation.lines.quote_cuts import cut_around, first_words, last_words
from dynagrag.schema import Answer, CheckedClaim, Citation, EvidenceLine, SoftTrace, Usage, Verdict
from dynagrag.text import collapse
from dynagrag.ui.safe_markdown import answer_markdown, clean, mark_link, plain, said_by, source_link
from dynagrag.workspace.conversations import KeptAnswer

_MAX_SHOWN = 15
_NUM_LINES = 5
"""Lines of evidence that are shown unasked."""
_MAX_TITLE = 50
_MAX_QUOTE, _MAX_BESIDE = 400, 240
RETRIEVERS = {
    "dynagrag": "DynaGRAG: passages over the graph, and ego-graphs",
    "dynagrag-cosine": "DynaGRAG without diversity",
    "bridge-ppr": "Passages over the graph",
    "pcst": "G-Retriever's tree of entities and facts",
    "grag": "GRAG's ego-graphs",
    "triples": "The nearest facts (KAPING)",
    "union": "Passages over the graph and of the tree",
    "hybrid": "Vectors and words",
    "rrf": "Vectors and words by rank",
    "naive": "Vectors",
    "bm25": "Words (BM25)",
}
"""Retrievers as `--retriever` has them, in words."""
SOFT = {
    "g-retriever": "G-Retriever, trained",
    "grag": "GRAG, trained",
    "graph-token": "Graph token alone, trained",
    "prompt-tuning": "Prompt tuning, trained",
}
"""Trained soft prompts as `--soft` has them, in words."""


def way_name(way: str) -> str:
    """What answered, in words: a retriever, or `soft:NAME`."""
    kind, _, name = way.partition(":")
    return SOFT.get(name, name) if kind == "soft" and name else RETRIEVERS.get(way, way)


def show_answer(workspace: str, kept: KeptAnswer, asked: str) -> None:
    """A retriever's answer, or why there is none."""
    answer = kept.answer
    if answer is None:
        st.error(plain(kept.error), icon=":material/error:")
        return
    trace = answer.trace
    if answer.question != asked:
        st.caption(f"Asked as: {plain(answer.question)}")
    if not answer.is_answered_by_model:
        fitting = "" if answer.is_nothing_fitting else " These lines are what an answer would rest on."
        st.markdown(f"No language model is set, so nothing was answered.{fitting}")
        _show_evidence(workspace, answer)
        return
    lines, idle = shown_lines(answer), idle_citations(answer)
    links = {label: _link_to(workspace, c, trace.document_ids) for label, c in [*((row[0], row[2]) for row in lines), *idle]}
    st.markdown(answer_markdown(answer.text, links, _notes(answer, links)))
    if answer.is_abstained or answer.is_nothing_fitting:
        _show_evidence(workspace, answer)
    about = f"{answer.question} {answer.text}"
    _show_cited(workspace, lines, trace.document_ids, about)
    if idle:
        st.caption(f"{IDLE.capitalize()}: {' '.join(mark_link(label, links) for label, _ in idle)}")
    if summary := claims_summary(answer):
        st.caption(f":material/fact_check: {plain(summary)}")
    if failures := failures_summary(answer):
        st.caption(f":material/warning: {plain(failures)}")
    st.caption(_usage_text(kept, answer.usage, answer.trace.soft))


def _notes(answer: Answer, links: Mapping[str, str]) -> list[tuple[int, str]]:
    """What is put beside claims: words in a colour of their own, so that neither is needed to tell."""
    return [(claim.end, note) for claim in answer.claims if (note := claim_note(claim, links))]


def claim_note(claim: CheckedClaim, links: Mapping[str, str]) -> str:
    """A claim's verdict as Markdown; empty for one that its own citations state. `links`: the addresses of lines by label."""
    if claim.verdict is Verdict.NOT_FOUND:
        return f":orange-badge[:material/help: {verdict_note(claim)}]"
    if claim.verdict is Verdict.CONTRADICTED:
        return f":red-badge[:material/block: contradicted by] {''.join(mark_link(label, links) for label in claim.lines)}"
    if not claim.found:
        return ""
    return f":gray[(found:] {''.join(mark_link(label, links) for label in claim.found)}:gray[)]"


def _link_to(workspace: str, citation: Citation, document_ids: Mapping[str, str]) -> str:
    """The address of the words that a citation quotes."""
    return source_link(workspace, document_ids.get(citation.id, ""), citation.start, citation.end)


def _show_evidence(workspace: str, answer: Answer) -> None:
    """The lines that fit best, the first of them open, and before them that nothing fits; under a model's answer that alone."""
    if answer.is_nothing_fitting:
        st.warning(f"{NOTHING_FITS}{' The nearest lines:' if answer.is_abstained else ''}", icon=":material/search_off:")
    if answer.is_answered_by_model and not answer.is_abstained:
        return
    rows = [evidence_row(workspace, line, answer.trace.document_ids) for line in answer.evidence]
    if not rows:
        st.markdown("Nothing was found.")
    st.markdown("\n".join(rows[:_NUM_LINES]))
    if len(rows) > _NUM_LINES:
        with st.expander(f"{len(rows) - _NUM_LINES} more lines"):
            st.markdown("\n".join(rows[_NUM_LINES:]))


def evidence_row(workspace: str, line: EvidenceLine, document_ids: Mapping[str, str]) -> str:
    """A line, with the sentence that fits in bold, and what was said before and after it."""
    where = f"[{plain(clean(line.document, _MAX_TITLE))}]({_link_to(workspace, line, document_ids)})"
    rows = [f"- {where}{_by(line)}: “{_with_match(line)}”"]
    if line.before:
        rows.append(f"    - :gray[before{_by(line.before)}:] “{plain(last_words(collapse(line.before.quote), _MAX_BESIDE))}”")
    if line.after:
        rows.append(f"    - :gray[after{_by(line.after)}:] “{plain(first_words(collapse(line.after.quote), _MAX_BESIDE))}”")
    return "\n".join(rows)


def _with_match(line: EvidenceLine) -> str:
    start, end = line.match_start - line.start, line.match_end - line.start
    if not 0 <= start < end <= len(line.quote):  # one that an earlier version kept
        return plain(line.quote)
    said, match = line.quote, plain(line.quote[start:end])
    return " ".join(part for part in (plain(said[:start]), f"**{match}**" if match else "", plain(said[end:])) if part)


def _by(citation: Citation) -> str:
    who = said_by(citation.speaker, citation.start_s)
    return f" · {who}" if who else ""


def _show_cited(workspace: str, cited: Sequence[tuple[str, str, Citation]], document_ids: Mapping[str, str], about: str) -> None:
    lines = [_line(workspace, label, what, citation, document_ids, about) for label, what, citation in cited]
    st.markdown("\n".join(lines[:_MAX_SHOWN]))
    if len(lines) > _MAX_SHOWN:
        with st.expander(f"{len(lines) - _MAX_SHOWN} more"):
            st.markdown("\n".join(lines[_MAX_SHOWN:]))


def _line(workspace: str, label: str, what: str, citation: Citation, document_ids: Mapping[str, str], about: str) -> str:
    named = plain(f"{label} {clean(citation.document, _MAX_TITLE)}")
    where = f"[{named}]({_link_to(workspace, citation, document_ids)})"
    said = f" :{'red' if what.startswith('contradicts') else 'gray'}[({what})]" if what else ""
    return f"- {where}{said}{_by(citation)}: “{plain(cut_around(collapse(citation.quote), about, _MAX_QUOTE))}”"


def _usage_text(kept: KeptAnswer, usage: Usage, soft: SoftTrace | None) -> str:
    """Calls, tokens, seconds and cost."""
    if soft is not None:  # calls of the model that only checks are counted beside it
        checks = f" · {usage.calls} model calls for checks" if usage.calls else ""
        tokens = f"{soft.prompt_tokens:,} + {soft.reply_tokens:,} tokens"
        return f"a trained soft prompt · {tokens}{checks} · {kept.seconds:.1f} s · {plain(kept.llm)}"
    calls = f"{usage.calls} model calls" + (f" ({usage.cached} more from the cache)" if usage.cached else "")
    cost = "" if kept.cost is None else f" · cost {kept.cost:.4f}"
    return f"{calls} · {usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens · {kept.seconds:.1f} s{cost} · {plain(kept.llm)}"
