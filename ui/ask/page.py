"""The page Ask: a conversation with answers whose citations open the source."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from dynagrag import wiring
from dynagrag.errors import DynaGragError, StoreError, UsageError
from dynagrag.models.catalog import models_list
from dynagrag.protocols import ChatModel
from dynagrag.schema import Filters
from dynagrag.settings import PROFILES
from dynagrag.text import any_seconds
from dynagrag.ui import background, state
from dynagrag.ui.ask import pending
from dynagrag.ui.ask.answer_view import RETRIEVERS, show_answer, way_name
from dynagrag.ui.ask.soft_choice import choose_soft
from dynagrag.ui.safe_markdown import answer_markdown, clean, plain, plain_lines
from dynagrag.ui.state import Desk
from dynagrag.workspace.asking import AskOptions
from dynagrag.workspace.conversations import Conversation, ConversationBook, Exchange, as_markdown, new_id
from dynagrag.workspace.workspace_pruner import AUTO, TRAINED, has_pruner, pruner_folder

_POLL_S = 0.15
_CONVERSATION = "conversation"
_NO_COMPARISON = "nothing"
_MAX_SHOWN = 20
"""Exchanges of a conversation, the last."""
_PROFILES_HELP = "Graph: ego-graphs too. Global: for questions about the whole, answered part by part. Paper: DynaGRAG to the letter"
_PRUNERS = {AUTO: "Trained where that is better", TRAINED: "Trained", "prior": "Untrained", "none": "None"}
_PRUNER_HELP = (
    "What scores the entities and relations of ego-graphs. Trained: by the network that `dynagrag train pruner` made for this workspace; "
    "it is better where it has beaten the untrained one on documents that it was not trained on"
)
_STAGES = {
    "split": "Splitting the question",
    "retrieve": "Looking for evidence",
    "answer": "Answering from each part",
    "score": "Weighing the answers",
    "merge": "Writing",
    "check": "Checking each claim",
}


def page() -> None:
    """The conversation, the one that is being written, and the options beside the title."""
    desk = state.needs_workspace()
    if desk is None:
        return
    with state.shown_errors():
        book = ConversationBook(desk.space.folder)
        conversation = _conversation(book)
        options = _head(desk, book, conversation)
        model = _model()
        if not conversation.exchanges and pending.work_of(desk, conversation.id) is None:
            _invite(desk)
        _show_exchanges(desk, conversation)
        _show_pending(desk, conversation)
        text = st.chat_input("Ask about these transcripts", key=f"question_{conversation.id}")
        if text:
            _begin(desk, conversation, text, options, model)


def _conversation(book: ConversationBook) -> Conversation:
    """That of the address bar, so that a reload comes back to it; else the one looked at before, else the only one, else a new one."""
    given = st.query_params.get(_CONVERSATION) or state.remembered(_CONVERSATION, "") or _only(book)
    found = Conversation(new_id())
    try:
        found = book.conversation(given) if given else found
    except UsageError:
        pass  # an address that somebody typed
    except StoreError as err:
        st.warning(f"{plain(err)}. This is a new conversation.", icon=":material/warning:")
    _go_to(found.id)
    return found


def _only(book: ConversationBook) -> str:
    """That of the demo, say; of several none is opened unasked."""
    kept = book.all(limit=2)
    return kept[0].id if len(kept) == 1 else ""


def _go_to(conversation_id: str) -> None:
    state.remember(_CONVERSATION, conversation_id)
    if st.query_params.get(_CONVERSATION) != conversation_id:
        st.query_params[_CONVERSATION] = conversation_id


# --------------------------------------------------------------------------------------------------------------- head


def _head(desk: Desk, book: ConversationBook, conversation: Conversation) -> list[AskOptions]:
    """Title, options, conversations; the options of the next question, one for each retriever."""
    title, buttons = st.columns([2, 3], vertical_alignment="bottom")
    title.title("Ask")
    with buttons.container(horizontal=True, horizontal_alignment="right"):
        with st.popover("Options", icon=":material/tune:"):
            options = _options(desk)
        _conversations(book, conversation)
        if conversation.exchanges:
            st.download_button(
                "Export",
                as_markdown(conversation, desk.name),
                file_name=f"{desk.name}-{conversation.id}.md",
                mime="text/markdown",
                icon=":material/download:",
                on_click="ignore",
                help="This conversation as Markdown, with the words that it cites",
            )
    return options


def _conversations(book: ConversationBook, conversation: Conversation) -> None:
    with st.popover("Conversations", icon=":material/history:"):
        if st.button("New conversation", icon=":material/add:", key="new_conversation", width="stretch"):
            _go_to(new_id())
            st.rerun()
        for other in book.all(limit=30):
            is_this = other.id == conversation.id
            if st.button(plain(other.title), key=f"go_{other.id}", disabled=is_this, width="stretch"):
                _go_to(other.id)
                st.rerun()
        if conversation.exchanges and st.button("Delete this conversation", icon=":material/delete:", key="delete_conversation"):
            book.delete(conversation.id)
            _go_to(new_id())
            st.rerun()


def _options(desk: Desk) -> list[AskOptions]:
    retriever = _kept_select("Retriever", list(RETRIEVERS), "retriever", lambda name: RETRIEVERS[name], "What finds the evidence")
    others = [_NO_COMPARISON, *(name for name in RETRIEVERS if name != retriever)]
    compared = _kept_select(
        "Compare with",
        others,
        "compared",
        lambda name: RETRIEVERS.get(name, "Nothing"),
        "Asks the same question twice and shows both answers",
    )
    left, right = st.columns(2)
    with left:
        traversal = _kept_select(
            "Order of the ego-graphs", list(wiring.TRAVERSALS), "traversal", str.upper, "How a subgraph is put into words"
        )
    with right:
        profile = _kept_select("Profile", list(PROFILES), "profile", str.capitalize, _PROFILES_HELP)
    pruner = _choose_pruner(desk)
    _choose_model()
    with st.expander("Advanced"):
        soft = choose_soft(desk)
    is_split = _keep_toggle(
        "Split the question",
        "split",
        "For questions of several steps: the language model splits it, and passages are ranked by its steps too. One more call. Plain "
        "search and the profile Paper ask it whole.",
        is_disabled=not state.settings().llm or soft is not None or not wiring.can_split(retriever, profile),
    )
    is_strict = _keep_toggle(
        "Only what the sources state",
        "strict",
        "Leaves out of the answer what no line states, and says how much that was. The answer then comes in one piece.",
        is_disabled=not state.settings().llm and soft is None,
    )
    documents = {d.id: d.title for d in desk.documents()}
    chosen = st.multiselect(
        "Only these documents", list(documents), format_func=lambda i: clean(documents[i]), key="filter_documents", placeholder="All"
    )
    speakers = st.multiselect("Only these speakers", _speakers(desk, desk.space.store.version()), key="filter_speakers", placeholder="All")
    left, right = st.columns(2)
    since = left.text_input("From", key="filter_since", placeholder="h:mm:ss", help="Time of the source's own clock")
    until = right.text_input("Until", key="filter_until", placeholder="h:mm:ss", help="Time of the source's own clock")
    max_calls = st.number_input("Model calls per question, at most", min_value=1, value=None, key="filter_calls", placeholder="No limit")
    filters = Filters(tuple(chosen), tuple(speakers), _seconds(since, "From"), _seconds(until, "Until"))
    names = [retriever] if compared == _NO_COMPARISON else [retriever, compared]
    made = [
        AskOptions(name, traversal, profile, filters, max_calls, is_split and wiring.can_split(name, profile), is_strict, pruner)
        for name in names
    ]
    return made if soft is None else [replace(made[0], soft=soft, is_split=False), *made[1:]]


def _choose_pruner(desk: Desk) -> str:
    """What scores the ego-graphs: the setting, or a known name; the workspace's own where it has one."""
    own = [TRAINED] if has_pruner(pruner_folder(desk.space.settings, desk.name)) else []
    names = list(dict.fromkeys([desk.space.settings.pruner, AUTO, *own, *wiring.PRUNERS]))
    return _kept_select("Pruner", names, "pruner", lambda name: _PRUNERS.get(name, clean(name)), _PRUNER_HELP)


def _choose_model() -> None:
    """The language model for this visit; any name that `--llm` takes may be written."""
    now = state.settings()
    here = [row.name for row in models_list(now) if row.is_present and row.kind != "embedder"]
    names = list(dict.fromkeys([now.llm or "", *state.choices_of("llm"), *here, ""]))
    picked = st.selectbox(
        "Language model",
        names,
        index=0,
        format_func=lambda name: clean(name) or "None: show the evidence",
        accept_new_options=True,
        help="A name as `--llm` takes it, such as qwen or openai:gpt-5-mini. Save one for good under Workspaces.",
    )
    if picked is not None and picked != (now.llm or ""):
        state.choose(llm=picked)
        st.rerun()


def _kept_select(label: str, values: Sequence[str], key: str, name: Callable[[str], str], help_text: str) -> str:
    """A choice that other pages don't make forgotten."""
    last = state.remembered(f"ask_{key}", values[0])
    picked = st.selectbox(label, values, index=values.index(last) if last in values else 0, format_func=name, help=help_text)
    state.remember(f"ask_{key}", picked)
    return str(picked)


def _keep_toggle(label: str, key: str, help_text: str, is_disabled: bool) -> bool:
    """The same for a switch, which counts for nothing while it is disabled."""
    is_on = st.toggle(label, bool(state.remembered(f"ask_{key}", False)), help=help_text, disabled=is_disabled)
    state.remember(f"ask_{key}", is_on)
    return is_on and not is_disabled


@st.cache_data(show_spinner=False, max_entries=20)
def _speakers_of(workspace: str, folder: str, version: str, _desk: Desk) -> list[str]:
    return sorted({turn.speaker for turn in _desk.space.store.turns() if turn.speaker})


def _speakers(desk: Desk, version: str) -> list[str]:
    return _speakers_of(desk.name, str(desk.space.folder), version, desk)


def _seconds(text: str, name: str) -> float | None:
    if not text.strip():
        return None
    seconds = any_seconds(text)
    if seconds is None:
        raise UsageError(f"{name}: {text[:40]!r} is no time; write seconds or h:mm:ss")
    return seconds


def _model() -> ChatModel | None:
    """The language model; where it can't be had, the page says so and continues without."""
    try:
        return state.chat_model()
    except DynaGragError as err:
        st.warning(f"The language model can't be used, so questions get evidence alone: {plain(err)}", icon=":material/warning:")
        return None


# ------------------------------------------------------------------------------------------------------- conversation


def _invite(desk: Desk) -> None:
    documents = desk.documents()
    names = ", ".join(plain(d.title) for d in documents[:4]) + (" …" if len(documents) > 4 else "")
    if not documents:
        st.info("This workspace is empty. Bring in transcripts under **Ingest**.", icon=":material/upload_file:")
    else:
        count = "1 document" if len(documents) == 1 else f"{len(documents)} documents"
        st.markdown(f"{count}: {names}. Every answer names the words that it rests on; follow them to the source.")


def _show_exchanges(desk: Desk, conversation: Conversation) -> None:
    """What was asked and answered, the last of it: each draw of the page sends all that is shown."""
    work = pending.work_of(desk, conversation.id)
    under_way = pending.question_of(work).exchange.id if work else ""
    exchanges = [exchange for exchange in conversation.exchanges if exchange.id != under_way]
    hidden = max(0, len(exchanges) - _MAX_SHOWN)
    if hidden and st.toggle(f"Show {hidden} earlier questions", key=f"earlier_{conversation.id}"):
        hidden = 0
    for exchange in exchanges[hidden:]:
        with state.shown_errors():  # an answer that another version kept must not shut the page
            _show(desk, conversation, exchange)


def _show(desk: Desk, conversation: Conversation, exchange: Exchange) -> None:
    with st.chat_message("user", avatar=":material/person:"):
        st.markdown(plain_lines(exchange.asked))
    with st.chat_message("assistant", avatar=":material/hub:"):
        if not exchange.answers:
            st.caption(":material/warning: This question was interrupted before it was answered. Ask it again.")
        columns = st.columns(len(exchange.answers)) if len(exchange.answers) > 1 else [st.container()]
        for number, (column, kept) in enumerate(zip(columns, exchange.answers, strict=True)):
            with column:
                if len(exchange.answers) > 1:
                    st.markdown(f"**{plain(way_name(kept.retriever))}**")
                show_answer(desk.name, kept, exchange.asked)
                if kept.answer is not None:
                    where = {"conversation": conversation.id, "exchange": exchange.id, "arm": str(number)}
                    state.link_to_page("why", "Why this answer", ":material/account_tree:", **where)


def _show_pending(desk: Desk, conversation: Conversation) -> None:
    """The answer that is being written, until it is done; then the page is drawn anew with it in its place."""
    work = pending.work_of(desk, conversation.id)
    if work is None:
        return
    question = pending.question_of(work)
    with st.chat_message("user", avatar=":material/person:"):
        st.markdown(plain_lines(question.exchange.asked))
    with st.chat_message("assistant", avatar=":material/hub:"):
        status, words = st.empty(), st.empty()
        if work.is_running and st.button("Stop", key="stop_asking", icon=":material/stop:"):
            pending.stop(desk, conversation, work)
            st.rerun()
        while not work.wait(_POLL_S):
            status.caption(_stage(question, work))
            words.markdown(answer_markdown(question.text, {}))
        if work.error and not st.button("Close", key="close_asking"):  # else it is in the conversation, with its errors
            status.error(plain(work.error))
            words.markdown(answer_markdown(question.text, {}))
            return
        background.drop(work.key)
    st.rerun()


def _stage(question: pending.PendingQuestion, work: background.Work) -> str:
    by = f"{plain(way_name(question.way))}: " if len(question.options) > 1 else ""
    steps = f" {work.done} of {work.total}" if work.total > 1 else ""
    return f":material/search: {by}{_STAGES.get(work.stage, 'Reading the graph')}{steps} … {work.seconds:.0f} s"


def _begin(desk: Desk, conversation: Conversation, text: str, options: Sequence[AskOptions], model: ChatModel | None) -> None:
    if len(text) > pending.MAX_CHARACTERS:
        st.error(
            f"This question has {len(text):,} characters; up to {pending.MAX_CHARACTERS:,} are answered. Shorten it, or bring the text "
            "in under **Ingest** and ask about it. Here it is, to copy:",
            icon=":material/error:",
        )
        st.text_area("Your question", text, height=200)
        return
    if model is None:  # one that is set but can't be had: the page has said so, and evidence needs none
        options = [replace(o, is_split=False) for o in options]
    try:
        pending.ask(desk, conversation, text, options, model, state.settings())
    except StoreError as err:
        st.error(f"{plain(err)}, so nothing was asked. Here is the question, to copy:", icon=":material/error:")
        st.text_area("Your question", text, height=120)
        return
    st.rerun()
