"""How the next question is asked: the chips above it (documents, speakers, time), and the options
of researchers.
"""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from dynagrag import wiring
from dynagrag.config.settings import Profile
from dynagrag.core.errors import UsageError
from dynagrag.core.protocols import ChatModel
from dynagrag.core.schema import Filters
from dynagrag.core.text import moment_seconds, plural
from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS
from dynagrag.models.catalog import models_list
from dynagrag.registry.choices import Use, names_for
from dynagrag.registry.profiles import PROFILE_ROWS
from dynagrag.registry.pruners import PRUNERS
from dynagrag.registry.retrievers import RETRIEVERS, of_profile
from dynagrag.registry.traversals import TRAVERSALS
from dynagrag.ui import state
from dynagrag.ui.ask.answer_view import soft_of, way_name
from dynagrag.ui.ask.soft_choice import HELP, show_refused, soft_labels, soft_prompts
from dynagrag.ui.choice_labels import document_labels
from dynagrag.ui.safe_markdown import clean, plain, speaker_choices
from dynagrag.ui.state import WorkspaceSession
from dynagrag.workspace.asking import AskOptions
from dynagrag.workspace.option_uses import WayToAnswer, changes_something, unused, without_unused
from dynagrag.workspace.workspace_pruner import AUTO, TRAINED, has_pruner, pruner_folder

_NO_COMPARISON = "nothing"
_PROFILES_HELP = (
    ". ".join(f"{row.label}: {row.sentence}" for row in PROFILE_ROWS.values())
    + ". The setting DYNAGRAG_PROFILE chooses one for good"
)
_OF_PROFILE = ""
_NO_SUBGRAPHS = (
    "No effect now: nothing that is chosen reads subgraphs as text. The profiles Graph and Paper"
    " do, and so do the retrievers of trees, facts and GRAG's ego-graphs"
)
_NO_MODEL = "No effect: no language model is set"
_PRUNER_LABELS = {AUTO: "Trained where that is better", TRAINED: "Trained"} | {
    row.name: row.label for row in PRUNERS.values()
}
_PRUNER_HELP = (
    "What scores the entities and relations of subgraphs. Trained: by the network that `dynagrag"
    " train pruner` made for this workspace; it is better where it has beaten the untrained one on"
    " documents that it was not trained on"
)


def choose_filters(session: WorkspaceSession) -> Filters:
    """The chips: each tells what it narrows the question to."""
    with st.container(horizontal=True, gap="xsmall"):
        chosen = _choose_documents(session)
        speakers = _choose_speakers(session)
        since, until = _choose_time()
    return Filters(tuple(chosen), tuple(speakers), since, until)


def _chip_label(noun: str, chosen: Sequence[str]) -> str:
    """The one that is chosen, or how many are."""
    if not chosen:
        return f"{noun.capitalize()}s"
    return plain(clean(chosen[0], 24)) if len(chosen) == 1 else plural(len(chosen), noun)


def _choose_documents(session: WorkspaceSession) -> list[str]:
    titles = document_labels(session.documents())
    kept = [titles[i] for i in st.session_state.get("filter_documents", ()) if i in titles]
    label = _chip_label("document", kept)
    with st.popover(label, icon=":material/description:", type="primary" if kept else "secondary"):
        return st.multiselect(
            "Only these documents",
            list(titles),
            format_func=lambda i: titles.get(i, i),
            key="filter_documents",
            placeholder="All",
        )


def _choose_speakers(session: WorkspaceSession) -> list[str]:
    kept: list[str] = st.session_state.get("filter_speakers", [])
    label = _chip_label("speaker", kept)
    with st.popover(
        label, icon=":material/record_voice_over:", type="primary" if kept else "secondary"
    ):
        speakers = _speakers_of(
            session.name, str(session.space.folder), session.space.store.version(), session
        )
        shown = speaker_choices([*speakers, *kept])
        return st.multiselect(
            "Only these speakers",
            speakers,
            format_func=lambda name: shown.get(name, name),
            key="filter_speakers",
            placeholder="All",
        )


def _choose_time() -> tuple[float | None, float | None]:
    kept = [st.session_state.get(key, "").strip() for key in ("filter_since", "filter_until")]
    label = (
        f"{clean(kept[0], 12) or 'Start'} to {clean(kept[1], 12) or 'end'}" if any(kept) else "Time"
    )
    with st.popover(
        plain(label), icon=":material/schedule:", type="primary" if any(kept) else "secondary"
    ):
        left, right = st.columns(2)
        since = left.text_input(
            "From", key="filter_since", placeholder="h:mm:ss", help="Time of the source's own clock"
        )
        until = right.text_input(
            "Until",
            key="filter_until",
            placeholder="h:mm:ss",
            help="Time of the source's own clock",
        )
    first, last = _seconds(since, "From"), _seconds(until, "Until")
    if first is not None and last is not None and last < first:
        raise UsageError(
            f"Until ({until.strip()[:12]}) is before From ({since.strip()[:12]}); no line was said"
            " then"
        )
    return first, last


def _seconds(text: str, name: str) -> float | None:
    if not text.strip():
        return None
    seconds = moment_seconds(text)
    if seconds is None:
        raise UsageError(f"{name}: {text[:40]!r} is no time; write seconds, h:mm:ss or a date")
    return seconds


@st.cache_data(show_spinner=False, max_entries=20)
def _speakers_of(
    workspace: str, folder: str, version: str, _session: WorkspaceSession
) -> list[str]:
    return sorted({turn.speaker for turn in _session.space.store.turns() if turn.speaker})


def choose_options(session: WorkspaceSession, model: ChatModel | None) -> list[AskOptions]:
    """The options of the next question, one for each way that answers it; its filters are not among
    them. What has no effect on any of these ways is disabled, and says so. `model`: that of the
    settings.
    """
    _choose_model()
    has_model = bool(state.settings().llm)
    with st.expander("Advanced"):
        # the setting first; what is chosen decides which retrievers there are above it
        profiles = [state.settings().profile, *names_for(PROFILE_ROWS, Use.APP)]
        profiles = list(dict.fromkeys(profiles))
        profile = wiring.make_profile(st.session_state[_box("profile", profiles)], model)
        ways = _choose_ways(session, has_model, profile)
        retrievers = [way for way in ways if not soft_of(way)]
        name = _kept_select(
            "Profile",
            profiles,
            "profile",
            lambda name: PROFILE_ROWS[name].label,
            _PROFILES_HELP if retrievers else _of_its_own(ways[0]),
            is_disabled=not retrievers,
        )
        answering = {way: _answering(way, profile, has_model) for way in ways}
        is_read = any(own.reads_subgraphs for own in answering.values())
        left, right = st.columns(2)
        with left:
            help_text = (
                "In which order a subgraph's entities and relations are put into words"
                if is_read
                else _NO_SUBGRAPHS
            )
            traversal = _kept_select(
                "Order of subgraphs",
                names_for(TRAVERSALS, Use.APP),
                "traversal",
                lambda name: TRAVERSALS[name].label,
                help_text,
                not is_read,
            )
        with right:
            pruner = _choose_pruner(session, is_read)
        is_split = _keep_toggle(
            "Split the question",
            "split",
            "For questions of several steps: the language model splits it, and passages are ranked"
            " by its steps too. One more call. Plain search, the profile Paper and trained soft"
            " prompts ask it whole.",
            is_disabled=not (
                has_model and any(wiring.can_split(way, profile) for way in retrievers)
            ),
        )
        max_calls = st.number_input(
            "Model calls per question, at most",
            min_value=1,
            value=None,
            key="filter_calls",
            placeholder="No limit",
            help=None if has_model else _NO_MODEL,
            disabled=not has_model,
        )
    is_strict = _keep_toggle(
        "Only what the sources state",
        "strict",
        "Leaves out of the answer what no line states, and says how much that was. The answer then"
        " comes in one piece. Of a small model's answer what was checked and isn't stated is left"
        " out anyway.",
        is_disabled=not has_model and len(retrievers) == len(ways),
    )
    options = []
    for way in ways:
        soft = soft_of(way) or None
        base = AskOptions(
            profile=None if soft else name,
            retriever=None if soft else way,
            soft=soft,
            traversal=traversal,
            pruner=pruner,
            is_split=is_split,
            max_calls=max_calls if has_model else None,
            is_strict=is_strict or None,
        )
        options.append(without_unused(base, answering[way]))
        for sentence in unused(options[-1], state.settings(), answering[way]):
            st.caption(plain(f"{sentence}."))
    return options


def _answering(way: str, profile: Profile, has_model: bool) -> WayToAnswer:
    if soft := SYSTEMS.get(soft_of(way)):
        return WayToAnswer(soft.retriever, soft.profile, soft=soft, has_model=has_model)
    return WayToAnswer(way, profile, way, has_model=has_model)


def _of_its_own(way: str) -> str:
    return f"No effect: {way_name(way).removesuffix(', trained')} finds its evidence in its own way"


def _choose_ways(session: WorkspaceSession, has_model: bool, profile: Profile) -> list[str]:
    """The way that answers, and one to compare: retrievers that change something under the profile,
    by name, before the language model, and `soft:NAME`.
    """
    own = soft_prompts(session)
    soft = soft_labels(own)
    retrievers = {
        name: RETRIEVERS[name].label
        for name in names_for(RETRIEVERS, Use.APP)
        if changes_something("retriever", WayToAnswer(name, profile, name))
    }
    of_its_own = f"The profile's own: {RETRIEVERS[of_profile(profile)].label}"
    by_model = "The language model" if has_model else "No model: show the evidence"
    answerer = _kept_select(
        "Answered by",
        ["", *soft],
        "soft",
        lambda way: soft.get(way, by_model),
        HELP,
        is_disabled=not soft,
    )
    show_refused(own, session.name)
    retriever = _kept_select(
        "Retriever",
        [_OF_PROFILE, *retrievers],
        "retriever",
        lambda name: retrievers.get(name, of_its_own),
        _of_its_own(answerer) if answerer else "What finds the evidence",
        is_disabled=bool(answerer),
    )
    first = answerer or retriever or of_profile(profile)
    names = {_NO_COMPARISON: "Nothing"} | retrievers | soft
    others = [way for way in names if way != first]
    compared = _kept_select(
        "Compare with",
        others,
        "compared",
        lambda way: names[way],
        "Asks the same question twice and shows both answers side by side",
    )
    return [first] if compared == _NO_COMPARISON else [first, compared]


def _choose_pruner(session: WorkspaceSession, is_read: bool) -> str | None:
    """The pruner of subgraphs: the setting, or a known name; the workspace's own where it has one.
    None where there are none to score.
    """
    own = [TRAINED] if has_pruner(pruner_folder(session.space.settings, session.name)) else []
    names = list(
        dict.fromkeys([session.space.settings.pruner, AUTO, *own, *names_for(PRUNERS, Use.APP)])
    )
    help_text = _PRUNER_HELP if is_read else _NO_SUBGRAPHS
    picked = _kept_select(
        "Pruner",
        names,
        "pruner",
        lambda name: _PRUNER_LABELS.get(name, clean(name)),
        help_text,
        not is_read,
    )
    return picked if is_read else None


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
        help=(
            "A name as `--llm` takes it, such as qwen or openai:gpt-5-mini. Settings saves one for"
            " good."
        ),
    )
    if picked is not None and picked != (now.llm or ""):
        state.choose(llm=picked)
        st.rerun()


def _kept_select(
    label: str,
    values: Sequence[str],
    key: str,
    name: Callable[[str], str],
    help_text: str,
    is_disabled: bool = False,
) -> str:
    """A choice that other pages don't make forgotten."""
    box = _box(key, list(values))
    picked = st.selectbox(
        label, values, format_func=name, help=help_text, disabled=is_disabled, key=box
    )
    state.remember(f"ask_{key}", picked)
    return str(picked)


def _keep_toggle(label: str, key: str, help_text: str, is_disabled: bool) -> bool:
    """As `_kept_select`, for a switch; False while it is disabled."""
    is_on = st.toggle(label, help=help_text, disabled=is_disabled, key=_box(key, [False, True]))
    state.remember(f"ask_{key}", is_on)
    return is_on and not is_disabled


def _box(key: str, values: list[Any]) -> str:
    """The key of a widget, which begins with what is kept. Without one a widget that begins
    otherwise is another to Streamlit, and what a visitor changes in it a second time is lost.
    """
    box, kept = f"of_workspace_box_ask_{key}", state.remembered(f"ask_{key}", values[0])
    if st.session_state.get(box) not in values:
        st.session_state[box] = kept if kept in values else values[0]
    return box
