"""An answer on a page: its text with marks that open the source, what it cites, what it cost."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dynagrag.ui.safe_markdown import answer_markdown, clean, plain, said_by, source_link
from dynagrag.workspace.conversations import Arm

_MAX_SHOWN = 15
_MAX_TITLE = 50
_MAX_QUOTE = 400
ARMS = {
    "dynagrag": "DynaGRAG: passages over the graph, and ego-graphs",
    "dynagrag-cosine": "DynaGRAG without diversity",
    "bridge-ppr": "Passages over the graph",
    "hybrid": "Vectors and words",
    "rrf": "Vectors and words by rank",
    "naive": "Vectors",
    "bm25": "Words (BM25)",
}
"""Retrievers as `--retriever` has them, in words."""


def show_arm(workspace: str, arm: Arm, asked: str) -> None:
    """One arm's answer, or why there is none."""
    if arm.error:
        st.error(plain(arm.error), icon=":material/error:")
        return
    answer, trace = arm.answer, arm.answer["trace"]
    if answer["question"] != asked:
        st.caption(f"Asked as: {plain(answer['question'])}")
    if not trace["answered_by_model"]:
        st.markdown("No language model is set, so nothing was answered. These lines are what an answer would rest on.")
        _show_cited(workspace, [("", c) for c in trace["evidence"]], trace["document_ids"])
        return
    labels = trace.get("labels", [])
    links = {label: link_to(workspace, c, trace["document_ids"]) for label, c in zip(labels, answer["citations"], strict=True)}
    st.markdown(answer_markdown(answer["answer"], links))
    _show_cited(workspace, list(zip(labels, answer["citations"], strict=True)), trace["document_ids"])
    for count, what in (
        (trace.get("uncited_sentences", 0), "sentences of this answer cite no evidence."),
        (trace.get("weak_citations", 0), "citations share few words with their sentence; read them before you rely on them."),
    ):
        if count:
            st.caption(f":material/warning: {count} {what}")
    st.caption(usage_text(arm))


def link_to(workspace: str, citation: Mapping[str, Any], document_ids: Mapping[str, str]) -> str:
    """The address of the words that a citation quotes."""
    return source_link(workspace, document_ids.get(citation["id"], ""), citation["start"], citation["end"])


def _show_cited(workspace: str, cited: list[tuple[str, Mapping[str, Any]]], document_ids: Mapping[str, str]) -> None:
    lines = [_line(workspace, label, citation, document_ids) for label, citation in cited]
    st.markdown("\n".join(lines[:_MAX_SHOWN]))
    if len(lines) > _MAX_SHOWN:
        with st.expander(f"{len(lines) - _MAX_SHOWN} more"):
            st.markdown("\n".join(lines[_MAX_SHOWN:]))


def _line(workspace: str, label: str, citation: Mapping[str, Any], document_ids: Mapping[str, str]) -> str:
    who = said_by(citation["speaker"], citation["start_s"])
    named = plain(f"{label} {clean(citation['document'], _MAX_TITLE)}")
    where = f"[{named}]({link_to(workspace, citation, document_ids)})"
    return f"- {where}{' · ' + who if who else ''}: “{plain(clean(citation['quote'], _MAX_QUOTE))}”"


def usage_text(arm: Arm) -> str:
    """Calls, tokens, seconds and cost."""
    usage, cached = arm.answer["usage"], arm.answer["trace"]["cached_replies"]
    calls = f"{usage['calls']} model calls" + (f" ({cached} more from the cache)" if cached else "")
    cost = "" if arm.cost is None else f" · cost {arm.cost:.4f}"
    return f"{calls} · {usage['prompt_tokens']:,} + {usage['completion_tokens']:,} tokens · {arm.seconds:.1f} s{cost} · {plain(arm.llm)}"
