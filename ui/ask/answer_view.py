"""An answer on a page: its text with marks that open the source, what it cites, what it cost."""

from collections.abc import Mapping

import streamlit as st

from dynagrag.schema import Citation, Usage
from dynagrag.ui.safe_markdown import answer_markdown, clean, plain, said_by, source_link
from dynagrag.workspace.conversations import KeptAnswer

_MAX_SHOWN = 15
_MAX_TITLE = 50
_MAX_QUOTE = 400
RETRIEVERS = {
    "dynagrag": "DynaGRAG: passages over the graph, and ego-graphs",
    "dynagrag-cosine": "DynaGRAG without diversity",
    "bridge-ppr": "Passages over the graph",
    "hybrid": "Vectors and words",
    "rrf": "Vectors and words by rank",
    "naive": "Vectors",
    "bm25": "Words (BM25)",
}
"""Retrievers as `--retriever` has them, in words."""


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
        st.markdown("No language model is set, so nothing was answered. These lines are what an answer would rest on.")
        _show_cited(workspace, [("", c) for c in answer.evidence], trace.document_ids)
        return
    cited = list(zip(trace.labels, answer.citations, strict=True))
    st.markdown(answer_markdown(answer.text, {label: _link_to(workspace, c, trace.document_ids) for label, c in cited}))
    _show_cited(workspace, cited, trace.document_ids)
    for count, what in (
        (trace.num_uncited_sentences, "sentences of this answer cite no evidence."),
        (trace.num_weak_citations, "citations share few words with their sentence; read them before you rely on them."),
    ):
        if count:
            st.caption(f":material/warning: {count} {what}")
    st.caption(_usage_text(kept, answer.usage))


def _link_to(workspace: str, citation: Citation, document_ids: Mapping[str, str]) -> str:
    """The address of the words that a citation quotes."""
    return source_link(workspace, document_ids.get(citation.id, ""), citation.start, citation.end)


def _show_cited(workspace: str, cited: list[tuple[str, Citation]], document_ids: Mapping[str, str]) -> None:
    lines = [_line(workspace, label, citation, document_ids) for label, citation in cited]
    st.markdown("\n".join(lines[:_MAX_SHOWN]))
    if len(lines) > _MAX_SHOWN:
        with st.expander(f"{len(lines) - _MAX_SHOWN} more"):
            st.markdown("\n".join(lines[_MAX_SHOWN:]))


def _line(workspace: str, label: str, citation: Citation, document_ids: Mapping[str, str]) -> str:
    who = said_by(citation.speaker, citation.start_s)
    named = plain(f"{label} {clean(citation.document, _MAX_TITLE)}")
    where = f"[{named}]({_link_to(workspace, citation, document_ids)})"
    return f"- {where}{' · ' + who if who else ''}: “{plain(clean(citation.quote, _MAX_QUOTE))}”"


def _usage_text(kept: KeptAnswer, usage: Usage) -> str:
    """Calls, tokens, seconds and cost."""
    calls = f"{usage.calls} model calls" + (f" ({usage.cached} more from the cache)" if usage.cached else "")
    cost = "" if kept.cost is None else f" · cost {kept.cost:.4f}"
    return f"{calls} · {usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens · {kept.seconds:.1f} s{cost} · {plain(kept.llm)}"
