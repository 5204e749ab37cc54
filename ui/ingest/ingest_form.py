"""The form that starts an ingest: options of the extraction, estimate, start."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import streamlit as st

from dynagrag.config.settings import Settings
from dynagrag.core.errors import DynaGragError, UsageError
from dynagrag.core.ids import content_id
from dynagrag.core.text import duration_text, plural
from dynagrag.ingest.extract.llm_extractor import ExtractionOptions
from dynagrag.ingest.load.speaker_names import SpeakerNames
from dynagrag.registry.choices import Use, names_for
from dynagrag.registry.extractors import EXTRACTORS
from dynagrag.ui import background, state
from dynagrag.ui.background import Key, Work
from dynagrag.ui.ingest import glossary_box, job_runner, upload_folder
from dynagrag.ui.ingest.job_runner import IngestPlanView
from dynagrag.ui.ingest.source_reading import replaced_since
from dynagrag.ui.progress import has_ended
from dynagrag.ui.safe_markdown import plain, with_commands
from dynagrag.workspace.ingest_job import IngestOptions

_MERGES = {"as fits the model": None, "by rules alone": "rules", "by rules and the model": "model"}
_CHUNKS = {
    "as fits the model": None,
    "600 tokens per call": "default",
    "one passage per call": "small",
}


def show(
    paths: Sequence[str],
    on_start: Callable[[Key], None],
    names: SpeakerNames,
    languages: Mapping[str, str],
) -> None:
    """Options, estimate and start for these paths; `on_start` is called once the run has begun.
    `names`: of the speakers. `languages`: codes by the names of files.
    """
    st.subheader("How to extract")
    settings = state.settings()
    with state.shown_errors():
        options = replace(
            _ask_options(settings, any(Path(path).is_dir() for path in paths)),
            speakers=names,
            languages=languages,
        )
        if options.extractor == "llm" and settings.llm is None:
            st.info(
                "No language model is set. Choose one under **Settings**, or extract without a"
                " model.",
                icon=":material/settings:",
            )
            return
        work = _planned(paths, options)
        stages = {job_runner.TIMING: "Timing one call of the model"}
        usual = "Estimating calls, tokens, cost and time"
        if not has_ended(work, lambda work: stages.get(work.stage, usual)):
            return
        if work.error:
            background.drop(work.key)
            raise DynaGragError(work.error)
        _show_plan(work.result, settings)
        ticket = str(state.remembered("ticket", uuid4().hex))
        st.button(
            "Start",
            type="primary",
            icon=":material/play_arrow:",
            disabled=not work.result.has_work,
            on_click=_start,
            args=(ticket, list(paths), options, on_start, work),
        )


def _start(
    ticket: str,
    paths: list[str],
    options: IngestOptions,
    on_start: Callable[[Key], None],
    plan: Work,
) -> None:
    """A second click comes with the same ticket, and begins nothing."""
    with state.shown_errors():
        folder = upload_folder.folder_of(state.settings(), state.workspace_name())
        if replaced := replaced_since(state.remembered("rows", ()), folder):
            raise UsageError(
                f"{', '.join(replaced)}: another file of this name has taken its place since you"
                " saw it, so nothing was begun; add yours again under another name"
            )
        work = job_runner.start_ingest(ticket, paths, options)
        background.drop(plan.key)
        state.remember("ticket", uuid4().hex)
        on_start(work.key)


# ------------------------------------------------------------------------------------------ options


def _ask_options(settings: Settings, has_folder: bool) -> IngestOptions:
    kinds = names_for(EXTRACTORS, Use.APP)
    model = settings.llm or "(none is set)"
    labels = {
        name: f"{row.label} {model}" if row.needs_model else row.label
        for name, row in EXTRACTORS.items()
    }
    about = [EXTRACTORS[name].about for name in kinds]
    extractor = st.radio(
        "Extractor",
        kinds,
        index=kinds.index(str(state.remembered("extractor", "llm" if settings.llm else "fast"))),
        format_func=lambda kind: plain(labels[kind]),
        captions=about,
        key="ingest_extractor",
        label_visibility="collapsed",
        on_change=lambda: state.remember("extractor", st.session_state["ingest_extractor"]),
    )
    options: dict[str, Any] = {"extractor": extractor}
    with st.expander("More options"):
        if extractor == "llm":
            options |= _ask_more()
        if has_folder:
            options["remove_missing"] = st.checkbox(
                "Delete documents whose file is no longer in the folder",
                help="Those that came from this folder before.",
            )
        options["glossaries"] = glossary_box.ask(settings, state.workspace_name())
    return IngestOptions(**options)


def _ask_more() -> dict[str, Any]:
    types = st.text_input(
        "Only these entity types",
        placeholder="e.g. Person, Company, Product",
        help="Separated by commas. Empty: all.",
    )
    focus = st.text_input(
        "Focus",
        placeholder="e.g. who owns what",
        help="What to look for, in a sentence.",
        max_chars=500,
    )
    left, right = st.columns(2)
    gleanings = left.number_input(
        "Extra passes",
        0,
        5,
        0,
        help="Each asks again for what was missed: more is found, and it costs as much again.",
    )
    merges = right.selectbox(
        "Which names are one",
        list(_MERGES),
        help="A model finds more, and sometimes joins too much.",
    )
    max_calls = left.number_input(
        "Calls at most",
        min_value=1,
        value=None,
        placeholder="no limit",
        help="The call after it is refused; work is kept.",
    )
    max_tokens = right.number_input(
        "Tokens at most",
        min_value=1,
        value=None,
        placeholder="no limit",
        help="Prompts and replies together.",
    )
    chunks = left.selectbox(
        "Size of chunks", list(_CHUNKS), help="Small local models need short ones."
    )
    named = tuple(part.strip() for part in types.split(",") if part.strip())
    return {
        "chunk_profile": _CHUNKS[chunks],
        "merges": _MERGES[merges],
        "extraction": ExtractionOptions(named, focus.strip(), gleanings),
        "max_calls": max_calls,
        "max_tokens": max_tokens,
    }


# --------------------------------------------------------------------------------------------- plan


def _planned(paths: Sequence[str], options: IngestOptions) -> Work:
    """The estimate of just this, made once; that of other options is forgotten."""
    settings, name = state.settings(), state.workspace_name()
    identity = json.dumps(
        [
            list(paths),
            asdict(options),
            settings.llm,
            settings.embedder,
            [_stamp(path) for path in paths],
        ]
    )
    visit = str(state.remembered("plans", uuid4().hex))
    ticket = f"{visit}-{content_id(identity)[:16]}"
    for other in background.found_under(background.key_of(settings, name, "plan")):
        if other.key[-1].startswith(visit) and other.key[-1] != ticket:
            background.drop(other.key)
    return job_runner.plan(ticket, paths, options)


def _stamp(path: str) -> float:
    try:
        return Path(path).stat().st_mtime
    except OSError:
        return 0.0


def _show_plan(view: IngestPlanView, settings: Settings) -> None:
    parts = [
        f"{count} {word}"
        for count, word in [
            (view.num_new, "new"),
            (view.num_changed, "changed"),
            (view.num_moved, "from another path"),
            (view.num_unchanged, "unchanged"),
            (view.num_doubles, "with the same content as another"),
        ]
        if count
    ]
    st.markdown(
        f"**{plain(', '.join(parts) or 'nothing')}** · {plural(view.num_chunks, 'chunk')} to"
        " extract"
    )
    if view.unread:
        st.caption(
            f":material/translate: {with_commands(view.unread[:1].upper() + view.unread[1:])}"
        )
    for name, count in view.extracted_before.items():
        st.caption(
            f"{plural(count, 'document')} extracted by {plain(name)} before; those records are"
            " replaced."
        )
    if view.missing:
        what = "will be deleted" if view.removes_missing else "will stay"
        st.caption(
            f"{plural(len(view.missing), 'document')} whose file is gone {what}:"
            f" {plain(', '.join(view.missing[:5]))}"
        )
    if view.estimate is not None:
        made = view.estimate
        has_price = made.money is not None
        price = f"price about {made.money:.2f}" if has_price else "price unknown: no prices are set"
        timed = "" if view.call_s is None else f" (one call took {view.call_s:.1f} s)"
        st.markdown(
            f":material/calculate: At most about **{plural(made.calls, 'call')}**,"
            f" {made.prompt_tokens:,} + {made.completion_tokens:,} tokens,"
            f" **{duration_text(made.seconds)}**{timed}, {price}.",
            help=(
                "Prompt and reply tokens. Replies that are kept from before cost nothing. Prices:"
                " price_per_million_prompt_tokens and price_per_million_completion_tokens in the"
                " settings."
            ),
        )
    elif view.has_work:
        st.caption("No model is asked: no calls, no cost.")
    else:
        st.info("Everything is in the workspace already.", icon=":material/check:")
