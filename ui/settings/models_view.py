"""Language model and embedder: what is set and where, another choice, whether they answer, and the
models that can be fetched.
"""

from collections.abc import Sequence

import streamlit as st

from dynagrag.config.scrubbing import address_secrets, scrubbed
from dynagrag.config.settings import Settings, where_set
from dynagrag.config.settings_file import save_settings, settings_file
from dynagrag.core.errors import SettingsError
from dynagrag.models.catalog import ModelRow, models_list, pull
from dynagrag.models.known_models import CATALOG
from dynagrag.ui import background, state
from dynagrag.ui.progress import has_ended
from dynagrag.ui.safe_markdown import clean, plain, with_commands
from dynagrag.ui.settings import model_trial

_LABELS = {
    "llm": "Language model",
    "embedder": "Embedder",
    "openai_base_url": "Address of an OpenAI-compatible server",
    "price_per_million_prompt_tokens": "Price of a million prompt tokens",
    "price_per_million_completion_tokens": "Price of a million reply tokens",
}
_HELP = {
    "llm": (
        "openai:NAME (any OpenAI-compatible server), another provider as provider:NAME, gguf:PATH,"
        " gguf:hf:ORG/REPO/FILE, local:PATH, or a model fetched below, e.g. qwen. Empty: none; then"
        " graphs are made without a model and questions show their evidence."
    ),
    "embedder": (
        "minilm, another of the list below, a folder or hub name of any sentence embedder, or"
        " openai:NAME. A workspace keeps its embedder until `dynagrag embedder use` gives it"
        " another."
    ),
    "openai_base_url": (
        "For `openai:` models, e.g. http://localhost:11434/v1 for Ollama. Empty: OpenAI's own."
    ),
    "price_per_million_prompt_tokens": "For the estimate before an ingest, in your currency.",
    "price_per_million_completion_tokens": "For the estimate before an ingest, in your currency.",
}


def show() -> None:
    """Draws it."""
    settings = state.settings()
    with st.form("models"):
        values: dict[str, str] = {}
        rows = models_list(settings)
        for name, kinds in (("llm", ("chat", "hub")), ("embedder", ("embedder", "hub"))):
            here = [row.name for row in rows if row.is_present and row.kind in kinds]
            values[name] = _choice(settings, name, here)
        with st.expander("Server and prices"):
            for name in list(_LABELS)[2:]:
                values[name] = _field(settings, name)
        with st.container(horizontal=True):
            is_visit = st.form_submit_button("Use for this visit", icon=":material/check:")
            is_saved = st.form_submit_button(
                "Save", icon=":material/save:", help=f"Writes {settings_file()}"
            )
    if is_visit or is_saved:
        with state.shown_errors():
            changed = {
                name: value.strip() or None
                for name, value in values.items()
                if value.strip() != _shown(settings, name)
            }
            if "@" in (changed.get("openai_base_url") or ""):
                raise SettingsError(
                    "an address with a user or password in it is not kept here; set OPENAI_BASE_URL"
                    " in the environment"
                )
            state.settings_with(**changed)
            _save(changed) if is_saved else state.choose(**changed)
            state.remember("is_trying", True)
            st.rerun()
    _show_trials(settings)
    st.divider()
    st.subheader("Models on this machine")
    for row in rows:
        with st.container(
            horizontal=True,
            horizontal_alignment="distribute",
            vertical_alignment="center",
            border=True,
        ):
            st.markdown(
                f"**{plain(row.name)}** · {row.size_bytes / 1e6:,.0f} MB · {plain(row.licence)}  \n"
                f"{plain(row.title)}",
                width="stretch",
            )
            _show_pull(settings, row)


# ---------------------------------------------------------------------------------------------- set


def _where(name: str) -> str:
    if name in state.chosen():
        return "chosen for this visit"
    where = where_set(name)
    return {"default": "the default", "settings.toml": f"from {settings_file()}"}.get(
        where, f"from {where}"
    )


def _field(settings: Settings, name: str) -> str:
    shown = _shown(settings, name)
    typed = st.text_input(
        _LABELS[name],
        value=shown,
        help=_HELP[name],
        max_chars=500,
        placeholder="none",
        key=f"set_{name}_{shown}",
    )
    if shown:
        st.caption(f"Now {plain(shown)}, {plain(_where(name))}.")
    return typed


def _choice(settings: Settings, name: str, here: Sequence[str]) -> str:
    """As `_field`, chosen from what is on this machine and what was chosen in this visit; another
    name may be written.
    """
    shown = _shown(settings, name)
    none = [""] if name == "llm" else []
    names = list(dict.fromkeys([shown, *state.choices_of(name), *here, *none]))
    picked = st.selectbox(
        _LABELS[name],
        names,
        format_func=lambda value: clean(value) or "None",
        accept_new_options=True,
        help=_HELP[name],
        key=f"set_{name}_{shown}",
    )
    if shown:
        st.caption(f"Now {plain(shown)}, {plain(_where(name))}.")
    return str(picked or "")


def _shown(settings: Settings, name: str) -> str:
    """Its value, without the password that an address may hold."""
    value = getattr(settings, name)
    text = "" if value is None else str(value)
    return scrubbed(text, address_secrets(text)) if name == "openai_base_url" else text


def _save(changed: dict[str, str | None]) -> None:
    """In the file from now on, and no longer for this visit alone; what the environment says beats
    it.
    """
    numbers = {
        name: float(value)
        for name, value in changed.items()
        if value is not None and name.startswith("price_")
    }
    chosen = {name: value for name, value in state.chosen().items() if name in _LABELS}
    save_settings(**(chosen | changed | numbers))
    state.choose(**dict.fromkeys(chosen | changed))
    beaten = [name for name in changed if where_set(name) not in ("default", "settings.toml")]
    if beaten:
        state.remember(
            "beaten",
            f"Saved, but {', '.join(where_set(name) for name in beaten)} beats the file: unset it"
            " to use what was saved.",
        )


# ------------------------------------------------------------------------------------------- trials


def _show_trials(settings: Settings) -> None:
    if beaten := state.remembered("beaten", ""):
        st.warning(plain(beaten), icon=":material/priority_high:")
        state.remember("beaten", "")
    is_asked = st.button(
        "Test the connection",
        icon=":material/bolt:",
        help="Makes one tiny call to each model that is set now.",
    )
    keys = [
        background.key_of(settings, "", "trial", what, str(hash(settings)))
        for what in ("llm", "embedder")
    ]
    if is_asked or state.remembered("is_trying", False):
        state.remember("is_trying", False)
        for key in keys:
            background.drop(key)
        load = state.chat_model_loader()
        background.start(
            keys[0], "Language model", lambda _: model_trial.try_chat_model(settings, load)
        )
        background.start(keys[1], "Embedder", lambda _: model_trial.try_embedder(settings))
    for key in keys:
        work = background.find(key)
        if work is not None and has_ended(
            work, lambda work: f"{work.title}: waiting for its answer"
        ):
            if work.error:
                st.error(f"{work.title}: {with_commands(work.error)}", icon=":material/error:")
            elif work.result is None:
                st.info("Language model: none is set.", icon=":material/info:")
            else:
                trial: model_trial.Trial = work.result
                words = f"{trial.name} answered in {trial.seconds:.1f} s: {trial.reply}"
                st.success(f"{work.title}: {plain(words)}", icon=":material/check_circle:")


# ------------------------------------------------------------------------------------------ fetched


def _show_pull(settings: Settings, row: ModelRow) -> None:
    key = background.key_of(settings, "", "pull", row.name)
    work = background.find(key)
    if work is not None and work.is_running:
        with st.container(width=260):
            has_ended(work)
        return
    if row.is_present:
        st.markdown(":green[:material/check_circle:] here")
        return
    if work is not None:
        st.error(with_commands(work.error), icon=":material/error:")
        background.drop(key)
    if row.name in CATALOG and st.button(
        "Fetch", key=f"pull_{row.name}", icon=":material/download:"
    ):
        background.start(
            key,
            f"Fetching {row.name}",
            lambda work: pull(row.name, settings, lambda d, t, what: work.progress(what, d, t)),
        )
        st.rerun()
