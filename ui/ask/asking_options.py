"""How the next question is asked: the chips above it (documents, speakers, time), and the options of researchers."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import streamlit as st

from dynagrag import wiring
from dynagrag.errors import UsageError
from dynagrag.models.catalog import models_list
from dynagrag.schema import Filters
from dynagrag.settings import PROFILES
from dynagrag.text import any_seconds, plural
from dynagrag.ui import state
from dynagrag.ui.ask.answer_view import RETRIEVERS
from dynagrag.ui.ask.soft_choice import choose_soft
from dynagrag.ui.choice_labels import document_labels
from dynagrag.ui.safe_markdown import clean, plain
from dynagrag.ui.state import Desk
from dynagrag.workspace.asking import AskOptions
from dynagrag.workspace.workspace_pruner import AUTO, TRAINED, has_pruner, pruner_folder

_NO_COMPARISON = "nothing"
_PROFILES_HELP = "Graph: ego-graphs too. Global: for questions about the whole, answered part by part. Paper: DynaGRAG to the letter"
_PRUNERS = {AUTO: "Trained where that is better", TRAINED: "Trained", "prior": "Untrained", "none": "None"}
_PRUNER_HELP = (
    "What scores the entities and relations of ego-graphs. Trained: by the network that `dynagrag train pruner` made for this workspace; "
    "it is better where it has beaten the untrained one on documents that it was not trained on"
)


def choose_filters(desk: Desk) -> Filters:
    """The chips: each tells what it narrows the question to."""
    with st.container(horizontal=True, gap="xsmall"):
        chosen = _choose_documents(desk)
        speakers = _choose_speakers(desk)
        since, until = _choose_time()
    return Filters(tuple(chosen), tuple(speakers), since, until)


def _choose_documents(desk: Desk) -> list[str]:
    titles = document_labels(desk.documents())
    kept = [i for i in st.session_state.get("filter_documents", ()) if i in titles]
    label = "Documents" if not kept else plain(clean(titles[kept[0]], 24)) if len(kept) == 1 else plural(len(kept), "document")
    with st.popover(label, icon=":material/description:", type="primary" if kept else "secondary"):
        return st.multiselect(
            "Only these documents", list(titles), format_func=lambda i: titles.get(i, i), key="filter_documents", placeholder="All"
        )


def _choose_speakers(desk: Desk) -> list[str]:
    kept: list[str] = st.session_state.get("filter_speakers", [])
    label = "Speakers" if not kept else plain(clean(kept[0], 24)) if len(kept) == 1 else plural(len(kept), "speaker")
    with st.popover(label, icon=":material/record_voice_over:", type="primary" if kept else "secondary"):
        speakers = _speakers_of(desk.name, str(desk.space.folder), desk.space.store.version(), desk)
        return st.multiselect("Only these speakers", speakers, key="filter_speakers", placeholder="All")


def _choose_time() -> tuple[float | None, float | None]:
    kept = [st.session_state.get(key, "").strip() for key in ("filter_since", "filter_until")]
    label = f"{clean(kept[0], 12) or 'Start'} to {clean(kept[1], 12) or 'end'}" if any(kept) else "Time"
    with st.popover(plain(label), icon=":material/schedule:", type="primary" if any(kept) else "secondary"):
        left, right = st.columns(2)
        since = left.text_input("From", key="filter_since", placeholder="h:mm:ss", help="Time of the source's own clock")
        until = right.text_input("Until", key="filter_until", placeholder="h:mm:ss", help="Time of the source's own clock")
    first, last = _seconds(since, "From"), _seconds(until, "Until")
    if first is not None and last is not None and last < first:
        raise UsageError(f"Until ({until.strip()[:12]}) is before From ({since.strip()[:12]}); no line was said then")
    return first, last


def _seconds(text: str, name: str) -> float | None:
    if not text.strip():
        return None
    seconds = any_seconds(text)
    if seconds is None:
        raise UsageError(f"{name}: {text[:40]!r} is no time; write seconds or h:mm:ss")
    return seconds


@st.cache_data(show_spinner=False, max_entries=20)
def _speakers_of(workspace: str, folder: str, version: str, _desk: Desk) -> list[str]:
    return sorted({turn.speaker for turn in _desk.space.store.turns() if turn.speaker})


def choose_options(desk: Desk) -> list[AskOptions]:
    """The options of the next question, one for each way that answers it; its filters are not among them."""
    _choose_model()
    has_model = bool(state.settings().llm)
    with st.expander("Advanced"):
        retriever, compared = _choose_retrievers()
        left, right = st.columns(2)
        with left:
            traversal = _kept_select(
                "Order of the ego-graphs", list(wiring.TRAVERSALS), "traversal", str.upper, "How a subgraph is put into words"
            )
        with right:
            profile = _kept_select("Profile", list(PROFILES), "profile", str.capitalize, _PROFILES_HELP)
        pruner = _choose_pruner(desk)
        soft = choose_soft(desk)
        is_split = _keep_toggle(
            "Split the question",
            "split",
            "For questions of several steps: the language model splits it, and passages are ranked by its steps too. One more call. "
            "Plain search and the profile Paper ask it whole.",
            is_disabled=not has_model or soft is not None or not wiring.can_split(retriever, profile),
        )
        max_calls = st.number_input(
            "Model calls per question, at most", min_value=1, value=None, key="filter_calls", placeholder="No limit"
        )
    is_strict = _keep_toggle(
        "Only what the sources state",
        "strict",
        "Leaves out of the answer what no line states, and says how much that was. The answer then comes in one piece.",
        is_disabled=not has_model and soft is None,
    )
    made = [
        AskOptions(name, traversal, profile, Filters(), max_calls, is_split and wiring.can_split(name, profile), is_strict, pruner)
        for name in ([retriever] if compared == _NO_COMPARISON else [retriever, compared])
    ]
    return made if soft is None else [replace(made[0], soft=soft, is_split=False), *made[1:]]


def _choose_retrievers() -> tuple[str, str]:
    retriever = _kept_select("Retriever", list(RETRIEVERS), "retriever", lambda name: RETRIEVERS[name], "What finds the evidence")
    others = [_NO_COMPARISON, *(name for name in RETRIEVERS if name != retriever)]
    told = "Asks the same question twice and shows both answers"
    return retriever, _kept_select("Compare with", others, "compared", lambda name: RETRIEVERS.get(name, "Nothing"), told)


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
        help="A name as `--llm` takes it, such as qwen or openai:gpt-5-mini. Settings saves one for good.",
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
