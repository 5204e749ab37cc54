"""The page Why: how an answer came about, from the candidates to the merged text. Everything is
read from the kept answer's trace.
"""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from dynagrag.core.errors import UsageError
from dynagrag.ui import first_visit, state
from dynagrag.ui.ask.answer_view import has_details, show_answer, show_details, soft_of, way_name
from dynagrag.ui.ask.why_ego_graphs import show_candidates, show_subgraphs
from dynagrag.ui.ask.why_passages import show_passages
from dynagrag.ui.ask.why_prompts import show_intermediate, show_prompts
from dynagrag.ui.choice_labels import unique_labels
from dynagrag.ui.safe_markdown import clean, plain, with_commands
from dynagrag.ui.state import WorkspaceSession
from dynagrag.workspace.conversations import (
    Conversation,
    ConversationBook,
    Exchange,
    KeptAnswer,
    with_titles,
)


def page() -> None:
    """The answer of the address bar, else the last one of the last conversation."""
    session = first_visit.needs_workspace("Why")
    if session is None:
        return
    with state.shown_errors():
        st.title("Why")
        book = ConversationBook(session.space.folder)
        # that of the address bar or of this visit if it has an answer, else the last that has one
        id_ = st.query_params.get("conversation") or state.remembered("conversation", "")
        conversations: Sequence[Conversation] = ()
        if id_:
            with suppress(UsageError):  # an address that somebody typed
                conversations = (book.conversation(id_),)
        if not any(e.answers for c in conversations for e in c.exchanges):
            conversations = book.all()
        found = next((c for c in conversations if any(e.answers for e in c.exchanges)), None)
        if found is None:
            st.info(
                "No question has been answered in this workspace yet. Ask one under **Ask**.",
                icon=":material/forum:",
            )
            return
        titles = {d.id: d.title for d in session.documents()}
        exchange, kept = _pick(with_titles(found, titles), st.query_params.get("exchange", ""))
        _explain(session, exchange, kept)


def _pick(conversation: Conversation, exchange_id: str) -> tuple[Exchange, KeptAnswer]:
    """Which answer of the conversation is explained."""
    answers = [
        (exchange, number)
        for exchange in conversation.exchanges
        for number in range(len(exchange.answers))
    ]
    arm = st.query_params.get("arm", "0")
    wanted = next(
        (i for i, (e, n) in enumerate(answers) if e.id == exchange_id and str(n) == arm), None
    )
    index = len(answers) - 1 if wanted is None else wanted
    names = {}
    for i, (exchange, number) in enumerate(answers):
        names[i] = clean(exchange.asked)
        if len(exchange.answers) > 1:
            names[i] += f" ({way_name(exchange.answers[number].retriever)})"
    labels = unique_labels(names)
    picked: int = st.selectbox(
        "Answer",
        list(labels),
        index=index,
        format_func=lambda i: labels.get(i, ""),
        key=f"why_{conversation.id}",
    )
    exchange, number = answers[picked]
    return exchange, exchange.answers[number]


def _explain(session: WorkspaceSession, exchange: Exchange, kept: KeptAnswer) -> None:
    answer = kept.answer
    if answer is None:
        show_answer(session.name, kept, exchange.asked)
        return
    with st.expander("The answer", expanded=False):
        # marks are the labels of the prompts below
        show_answer(session.name, kept, exchange.asked, is_numbered=False)
        if has_details(kept):
            show_details(session.name, kept)
    # a soft prompt has a profile of its own
    profile = "" if soft_of(kept.retriever) else f", profile {plain(answer.trace.profile)}"
    st.caption(f"{plain(way_name(kept.retriever))}{profile}, {kept.seconds:.1f} s.")
    for note in answer.trace.notes:
        st.caption(f":material/info: {with_commands(note)}")
    names = ["Passages", "Prompts", "Answers"]
    kind = f"{answer.trace.subgraph_kind.capitalize()}s"
    names.insert(1 if answer.trace.candidates else len(names), kind)  # last where it is empty
    tabs = dict(zip(names, st.tabs(names), strict=True))
    with tabs["Passages"]:
        show_passages(session.name, answer)
    with tabs[kind]:
        show_candidates(answer.trace)
        show_subgraphs(exchange.id, answer.trace)
    with tabs["Prompts"]:
        show_prompts(answer)
    with tabs["Answers"]:
        show_intermediate(answer)
