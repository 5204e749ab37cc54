"""The page Ask: a conversation with answers whose citations open the source beside them."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dynagrag.core.errors import DynaGragError, StoreError, UsageError
from dynagrag.core.protocols import ChatModel
from dynagrag.core.schema import Filters
from dynagrag.ui import first_visit, state
from dynagrag.ui.ask import conversation_view, pending, refused_question, source_panel
from dynagrag.ui.ask.asking_options import choose_filters, choose_options
from dynagrag.ui.ask.invitation import invite, points_of, suggest
from dynagrag.ui.ask.source_panel import InView
from dynagrag.ui.ask.source_view import show_source
from dynagrag.ui.safe_markdown import clean, plain, with_commands
from dynagrag.ui.state import WorkspaceSession
from dynagrag.workspace.asking import AskOptions
from dynagrag.workspace.conversations import (
    NOTES,
    Conversation,
    ConversationBook,
    as_markdown,
    new_id,
    with_titles,
)

_CONVERSATION = "conversation"
_FOUND = "found_conversation"
"""The conversation that was opened unasked, with its number of exchanges then."""
_WAITING = "waiting_question"
"""(conversation, words, options) of what was asked while another question of the conversation is on
its way, maybe in another tab.
"""
_NUM_SUGGESTED = 3
_MAX_TITLE = 100


def page() -> None:
    """The conversation with its pending answer, the open source beside it, the question box
    below.
    """
    session = first_visit.needs_workspace("Ask")
    if session is None:
        return
    st.html(source_panel.STYLE + conversation_view.STYLE)
    with state.shown_errors():
        book = ConversationBook(session.space.folder)
        conversation = with_titles(
            _conversation(book), {d.id: d.title for d in session.documents()}
        )
        head = st.container()
        model = _model()
        with head:
            options = _head(session, book, conversation, model)
        question, options = _question_box(session, conversation, options)
        main = _beside_source(session)
        with main:
            picked, in_view = _show_conversation(session, conversation, options)
        source_panel.watch_links(in_view)
        with main:
            if (question or (picked and options)) and pending.is_answering(
                session, conversation.id
            ):
                state.remember(_WAITING, (conversation.id, question or picked, options))
                question = picked = ""
            waiting_in, waiting, waiting_options = state.remembered(_WAITING, ("", "", []))
            if waiting_in != conversation.id:
                waiting = ""
            conversation_view.show_pending(session, conversation, waiting)
            if waiting:
                state.remember(_WAITING, ("", "", []))
                _begin(session, conversation, waiting, waiting_options, model)
            elif question or (picked and options):
                _begin(session, conversation, question or picked, options, model)


def _question_box(
    session: WorkspaceSession, conversation: Conversation, options: list[AskOptions]
) -> tuple[str, list[AskOptions]]:
    """The chips and the box below the page: what was just asked, and the options with the chips'
    filters; none if a chip is wrong.
    """
    if conversation.id == NOTES:
        return "", []
    with st.bottom:
        refused_question.show(conversation.id)
        try:
            filters = choose_filters(session)
            options = [replace(option, filters=filters) for option in options]
        except UsageError as err:
            st.error(with_commands(err), icon=":material/error:")
            options = []
        text = st.chat_input(
            "Ask about these transcripts", key=f"question_{conversation.id}", disabled=not options
        )
    return text or "", options


def _beside_source(session: WorkspaceSession) -> "st.delta_generator.DeltaGenerator":
    """Where the conversation goes: all of the page, or what the open source leaves of it."""
    opened = source_panel.open_source()
    if opened is None:
        return st.container()
    main, side = st.columns([3, 2], gap="large")
    with side, st.container(key=source_panel.PANEL, gap="small"):
        document = next((d for d in session.documents() if d.id == opened.document_id), None)
        with st.container(
            key=source_panel.HEAD,
            horizontal=True,
            horizontal_alignment="distribute",
            vertical_alignment="center",
            wrap=False,
        ):
            st.markdown(f"**{plain(clean(document.title, _MAX_TITLE)) if document else 'Source'}**")
            if st.button("Close", icon=":material/close:", key="close_source", type="tertiary"):
                source_panel.close()
                st.rerun()
        if document is None:
            st.warning(
                "This document is no longer in the workspace: it was deleted, or replaced by"
                " another version of its file."
            )
        else:
            show_source(session, document, opened)
    return main


def _show_conversation(
    session: WorkspaceSession, conversation: Conversation, options: list[AskOptions]
) -> tuple[str, list[InView]]:
    """The exchanges with what one might ask next, or what there is to ask about; the suggestion
    that was clicked, what comes into view.

    `options`: none while a chip is wrong, and then nothing can be asked.
    """
    can_ask = bool(options)
    is_at_work = pending.work_of(session, conversation.id) is not None
    if conversation.id == NOTES:
        st.caption(
            "Saved answers. They stay with this workspace until you remove them, or delete a"
            " document that they quote."
        )
    elif not conversation.exchanges and not is_at_work:
        # where the first question will stand: what lies below it then can be hidden as a whole
        st.empty()
        with st.container(key=conversation_view.INVITATION):
            return invite(session, can_ask=can_ask) or "", []
    in_view = conversation_view.show_exchanges(
        session, conversation, options[0].filters if options else Filters()
    )
    if not is_at_work and state.remembered(_FOUND, ("", 0)) == (
        conversation.id,
        len(conversation.exchanges),
    ):
        in_view = []  # a visitor who has asked nothing yet begins at the page's head
    if is_at_work or conversation.id == NOTES:
        return "", in_view
    before = [exchange.asked for exchange in conversation.exchanges]
    questions = points_of(session).questions(
        _NUM_SUGGESTED, within=_last_words(conversation), asked=before
    )
    return suggest(questions, "Ask next", can_ask=can_ask) or "", in_view


def _last_words(conversation: Conversation) -> str:
    """The last question, its answer and the lines that it rests on."""
    last = conversation.exchanges[-1]
    found = last.answers[0].answer if last.answers else None
    if found is None:
        return last.asked
    return " ".join(
        [last.asked, found.text, *(line.quote for line in (found.citations or found.evidence)[:8])]
    )


def _conversation(book: ConversationBook) -> Conversation:
    """That of the address bar, so that a reload comes back to it; else the one looked at before,
    else the only one, else a new one.
    """
    wanted = st.query_params.get(_CONVERSATION) or state.remembered(_CONVERSATION, "")
    only = "" if wanted else _only(book)
    found = Conversation(new_id())
    try:
        found = book.conversation(wanted or only) if wanted or only else found
    except UsageError:
        pass  # an address that somebody typed
    except StoreError as err:
        st.warning(f"{with_commands(err)}. This is a new conversation.", icon=":material/warning:")
    if only:
        state.remember(_FOUND, (found.id, len(found.exchanges)))
    _go_to(found.id)
    return found


def _only(book: ConversationBook) -> str:
    """The id of the only conversation there is, such as the demo's; empty if there are several."""
    kept = book.all(limit=2)
    return kept[0].id if len(kept) == 1 else ""


def _go_to(conversation_id: str) -> None:
    state.remember(_CONVERSATION, conversation_id)
    if st.query_params.get(_CONVERSATION) != conversation_id:
        st.query_params[_CONVERSATION] = conversation_id


# --------------------------------------------------------------------------------------------- head


def _head(
    session: WorkspaceSession,
    book: ConversationBook,
    conversation: Conversation,
    model: ChatModel | None,
) -> list[AskOptions]:
    """Title, options, conversations; the options of the next question, one for each way that
    answers it.
    """
    head = st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"
    )
    head.title("Notes" if conversation.id == NOTES else "Ask", width="content")
    with head.container(key=conversation_view.HEAD, horizontal=True, gap="small", width="content"):
        with st.popover("Options", icon=":material/tune:"):
            options = choose_options(session, model)
        with st.popover("Conversations", icon=":material/history:"):
            if st.button(
                "New conversation", icon=":material/add:", key="new_conversation", width="stretch"
            ):
                _go_to(new_id())
                st.rerun()
            for other in book.all(limit=30):
                is_this = other.id == conversation.id
                if st.button(
                    plain(other.title), key=f"go_{other.id}", disabled=is_this, width="stretch"
                ):
                    _go_to(other.id)
                    st.rerun()
            label = "Delete all notes" if conversation.id == NOTES else "Delete this conversation"
            if conversation.exchanges and st.button(
                label, icon=":material/delete:", key="delete_conversation"
            ):
                book.delete(conversation.id)
                _go_to(new_id())
                st.rerun()
        num = len(book.conversation(NOTES).exchanges)
        if conversation.id == NOTES:
            if st.button("Back to asking", icon=":material/arrow_back:", key="leave_notes"):
                _go_to(_only(book) or new_id())
                st.rerun()
        elif num and st.button(f"Notes ({num})", icon=":material/bookmarks:", key="go_notes"):
            _go_to(NOTES)
            st.rerun()
        if conversation.exchanges:
            st.download_button(
                "Export",
                as_markdown(conversation, session.name),
                file_name=(
                    f"{session.name}-{'notes' if conversation.id == NOTES else conversation.id}.md"
                ),
                mime="text/markdown",
                icon=":material/download:",
                on_click="ignore",
                help="This conversation as Markdown, with the words that it cites",
            )
    return options


def _model() -> ChatModel | None:
    """The language model; where it can't be had, the page says so and continues without."""
    try:
        return state.chat_model()
    except DynaGragError as err:
        st.warning(
            "The language model can't be used, so questions get evidence alone:"
            f" {with_commands(err)}",
            icon=":material/warning:",
        )
        return None


def _begin(
    session: WorkspaceSession,
    conversation: Conversation,
    text: str,
    options: Sequence[AskOptions],
    model: ChatModel | None,
) -> None:
    if len(text) > pending.MAX_CHARACTERS:
        why = (
            f"This question has {len(text):,} characters; up to {pending.MAX_CHARACTERS:,} are"
            " answered. Shorten it, or bring the text in under Ingest and ask about it."
        )
        refused_question.refuse(conversation.id, text, why)
        st.rerun()
    if model is None:
        # one that is set but can't be had: the page has said so, and evidence needs none
        options = [replace(o, is_split=False) for o in options]
    try:
        pending.ask(session, conversation, text, options, model, state.settings())
    except StoreError as err:
        refused_question.refuse(conversation.id, text, f"{err}, so nothing was asked.")
    else:
        refused_question.forget()
    st.rerun()
