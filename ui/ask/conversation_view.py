"""A conversation on the page Ask: questions and answers, actions on an answer, and the pending
answer.
"""

import streamlit as st

from dynagrag.core.schema import Filters
from dynagrag.generation.evidence_sentences.doubts import doubts_text
from dynagrag.ui import background, state
from dynagrag.ui.ask import pending
from dynagrag.ui.ask.answer_view import (
    has_details,
    made_by,
    show_answer,
    show_details,
    soft_of,
    way_name,
)
from dynagrag.ui.ask.invitation import points_of
from dynagrag.ui.ask.source_panel import InView
from dynagrag.ui.ask.what_to_try import show_what_to_try
from dynagrag.ui.safe_markdown import answer_markdown, plain, plain_lines, with_commands
from dynagrag.ui.state import WorkspaceSession
from dynagrag.workspace.asking import STAGES
from dynagrag.workspace.conversations import (
    NOTES,
    Conversation,
    ConversationBook,
    Exchange,
    KeptAnswer,
    exchange_as_markdown,
    exchange_as_text,
)
from dynagrag.workspace.unread_languages import answer_language_line

_POLL_S = 0.15
_COPIED_WIDTH, _COPIED_HEIGHT = 480, 200
"""Pixels of what Copy opens over the page: most of the page stays in sight, and so does the button
that copies; longer texts scroll.
"""
_MAX_SHOWN = 20
"""Exchanges of a conversation, the last."""
INVITATION, HEAD = "invitation", "ask_head"
STYLE = f"""<style>
[class*='st-key-last_exchange'] {{ min-height: calc(100vh - 17rem); scroll-margin-top: 4.5rem; }}
[data-testid='stMain']:has([data-testid='stButtonGroup']) [class*='st-key-last_exchange'] {{
    min-height: calc(100vh - 23rem); }}
[data-testid='stBottomBlockContainer'] {{ padding-bottom: 1.5rem; }}
@media (max-width: 640px) {{ .st-key-{HEAD} button {{ padding-inline: 0.5rem; }} }}
[data-testid='stPopoverBody'] {{ min-height: 9rem; }}
[data-testid='stApp']:has(.st-key-stop_asking) :is([data-testid='stStatusWidget'],
    [data-testid='stButtonGroup'], .st-key-{INVITATION}) {{ display: none; }}
</style>"""
"""So that the last question can stand at the window's head, however short its answer is, and what
to ask next is in sight; that the question's box ends the page; that what the chips open is not
pressed between them and the window's end; and that while a question waits there is one button Stop,
ours, and nothing of what stood there before. On a phone the head's buttons stand in one line.
"""


def show_exchanges(
    session: WorkspaceSession, conversation: Conversation, filters: Filters
) -> list[InView]:
    """Shows the last exchanges (each draw of the page sends all that is shown) and returns the
    scroll target: the last question.

    `filters`: those of the chips, for hints if nothing fits the question.
    """
    work = pending.work_of(session, conversation.id)
    under_way = pending.question_of(work).exchange.id if work else ""
    exchanges = [exchange for exchange in conversation.exchanges if exchange.id != under_way]
    hidden = max(0, len(exchanges) - _MAX_SHOWN)
    if hidden and st.toggle(f"Show {hidden} earlier questions", key=f"earlier_{conversation.id}"):
        hidden = 0
    languages_told: set[str] = set()
    for row, exchange in enumerate(exchanges[hidden:], start=hidden + 1):
        is_last = row == len(exchanges) and not under_way
        key = f"last_exchange_{exchange.id}" if is_last else f"exchange_{exchange.id}"
        # an answer that another version kept must not shut the page
        with st.container(key=key), state.shown_errors():
            _show(session, conversation, exchange)
            _show_unread_language(session, exchange, languages_told)
            if is_last and any(
                kept.answer and doubts_text(kept.answer) for kept in exchange.answers
            ):
                points = points_of(session)
                show_what_to_try(
                    exchange.asked,
                    [d.text for d in session.documents()],
                    session.space.store.version(),
                    [*(s.name for s in points.speakers), *(t.name for t in points.topics)],
                    filters,
                )
    if under_way:
        return [InView("asked", under_way, ".st-key-last_exchange_pending")]
    if not exchanges:
        return []
    last = exchanges[-1].id
    # again once it is done: it grew as it was written
    return [InView("asked", f"{last} done", f".st-key-last_exchange_{last}")]


def _show(session: WorkspaceSession, conversation: Conversation, exchange: Exchange) -> None:
    with st.chat_message("user", avatar=":material/person:"):
        st.markdown(plain_lines(exchange.asked))
    with st.chat_message("assistant", avatar=":material/hub:"):
        if not exchange.answers:
            st.caption(
                ":material/warning: This question was interrupted before it was answered. Ask it"
                " again."
            )
        columns = (
            st.columns(len(exchange.answers)) if len(exchange.answers) > 1 else [st.container()]
        )
        for number, (column, kept) in enumerate(zip(columns, exchange.answers, strict=True)):
            with column:
                if len(exchange.answers) > 1 or soft_of(kept.retriever):
                    st.markdown(made_by(kept))
                show_answer(session.name, kept, exchange.asked)
                with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                    _show_deeds(session, conversation, exchange, number, kept)


def _show_unread_language(
    session: WorkspaceSession, exchange: Exchange, languages_told: set[str]
) -> None:
    """Once a conversation: that the embedder doesn't read a language, or that the question is in
    another than its lines.
    """
    answers = [kept.answer for kept in exchange.answers if kept.answer]
    lines = {answer_language_line(session.space.parts, answer) for answer in answers}
    new = sorted(lines - languages_told - {""})
    languages_told.update(new)
    for line in new:
        st.caption(f":material/translate: {with_commands(line[:1].upper() + line[1:])}")


def _show_deeds(
    session: WorkspaceSession,
    conversation: Conversation,
    exchange: Exchange,
    number: int,
    kept: KeptAnswer,
) -> None:
    """Buttons of an answer: why, copy, save, details. Of several answers to a question, the first
    has those that concern the whole exchange.
    """
    if kept.answer is not None:
        where = {"conversation": conversation.id, "exchange": exchange.id, "arm": str(number)}
        state.link_to_page("why", "Why this answer", ":material/account_tree:", **where)
    if number == 0 and kept.answer is not None:
        with (
            st.popover("Copy", icon=":material/content_copy:", type="tertiary"),
            st.container(width=_COPIED_WIDTH),
        ):
            text, markdown = st.tabs(["Text", "Markdown"])
            text.code(
                exchange_as_text(exchange), language=None, wrap_lines=True, height=_COPIED_HEIGHT
            )
            markdown.code(
                exchange_as_markdown(exchange),
                language="markdown",
                wrap_lines=True,
                height=_COPIED_HEIGHT,
            )
        _save_button(session, conversation, exchange)
    if has_details(kept):
        with st.popover("Details", icon=":material/info:", type="tertiary"):
            show_details(session.name, kept)


def _save_button(session: WorkspaceSession, conversation: Conversation, exchange: Exchange) -> None:
    book = ConversationBook(session.space.folder)
    if conversation.id == NOTES:
        if st.button(
            "Remove",
            key=f"remove_{exchange.id}",
            icon=":material/bookmark_remove:",
            type="tertiary",
        ):
            book.take_out(NOTES, exchange.id)
            st.rerun()
        return
    is_saved = any(note.id == exchange.id for note in book.conversation(NOTES).exchanges)
    label, icon = (
        ("Saved", ":material/bookmark_added:") if is_saved else ("Save", ":material/bookmark_add:")
    )
    help_text = "Keeps the answer and its citations under Notes, with this workspace"
    if st.button(
        label,
        key=f"save_{exchange.id}",
        icon=icon,
        type="tertiary",
        disabled=is_saved,
        help=help_text,
    ):
        book.put(NOTES, exchange)
        st.rerun()


def show_pending(session: WorkspaceSession, conversation: Conversation, waiting: str = "") -> None:
    """Follows the pending answer until it is done, then reruns the page. `waiting`: the question
    that is asked next.
    """
    work = pending.work_of(session, conversation.id)
    if work is None:
        return
    with st.container(key="last_exchange_pending"):
        question = pending.question_of(work)
        with st.chat_message("user", avatar=":material/person:"):
            st.markdown(plain_lines(question.exchange.asked))
        with st.chat_message("assistant", avatar=":material/hub:"):
            status, words, stop = st.empty(), st.empty(), st.empty()
            if work.is_running and stop.button("Stop", key="stop_asking", icon=":material/stop:"):
                pending.stop(session, conversation, work)
                st.rerun()
            if waiting:
                st.caption(f":material/schedule: Next: {plain(waiting)}")
            while not work.wait(_POLL_S):
                by = f"{plain(way_name(question.way))}: " if len(question.options) > 1 else ""
                steps = f" {work.done} of {work.total}" if work.total > 1 else ""
                status.caption(
                    f":material/search: {by}{STAGES.get(work.stage, 'Reading the graph')}{steps} …"
                    f" {work.seconds:.0f} s"
                )
                words.markdown(answer_markdown(question.text, {}))
            stop.empty()
            # a question without an error is in the conversation, with its answers' own errors
            if work.error and not st.button("Close", key="close_asking"):
                status.error(with_commands(work.error))
                words.markdown(answer_markdown(question.text, {}))
                return
            background.drop(work.key)
    st.rerun()
