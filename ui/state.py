"""State that the pages share: settings, open workspaces, models, and a visitor's choices.

Pages open workspaces and models through this module alone. One process serves all visitors: a
`WorkspaceSession` is shared by them; Streamlit's session state is one visitor's own, and what of it
outlives a page goes through `remembered`. A page reads its own parameters of the address bar.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import RLock
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dynagrag import wiring
from dynagrag.config.settings import Settings, load_settings, where_set
from dynagrag.config.system_keyring import KEYS
from dynagrag.core.errors import DynaGragError, SettingsError
from dynagrag.core.protocols import ChatModel, Embedder
from dynagrag.core.schema import Document
from dynagrag.graph_store.rules import check_workspace_name
from dynagrag.ui import background
from dynagrag.ui.background import unexpected
from dynagrag.ui.safe_markdown import with_commands
from dynagrag.workspace.address import has_store, store_address
from dynagrag.workspace.facade import Workspace, open_workspace
from dynagrag.workspace.workspace_catalog import last_change, workspace_names
from dynagrag.workspace.workspace_embedder import EmbedderOpener

_LOG = logging.getLogger(__name__)
WORKSPACE = "workspace"
QUICK: dict[str, Any] = {"max_retries": 0, "timeout_s": 20.0}
"""Somebody waits: a server that doesn't answer within this time is said to be down."""
_OF_NO_MODEL: dict[str, Any] = {
    "store": None,
    "workspace": "",
    "price_per_million_prompt_tokens": None,
    "price_per_million_completion_tokens": None,
}
"""Settings that make no other model of it."""
_IDLE_S = 1800.0
"""A workspace without a visitor or work for so long is closed when any is looked at next: one of
6,000 passages holds 1.6 GB.
"""


@dataclass
class WorkspaceSession:
    """An open workspace that all visitors of the process share. Thread-safe: store, journal and
    `ask` may be used on any thread. It has no language model of its own: see `chat_model`.
    """

    space: Workspace
    used_at: float = 0.0
    folder_number: int = 0
    """The folder's number in its file system: another one of its name is another workspace."""
    _documents: tuple[str, tuple[Document, ...]] = ("", ())

    def documents(self) -> tuple[Document, ...]:
        """All documents with their texts, cached by the store's version: every draw of a page
        asks for them.
        """
        version, found = self.space.store.version(), self._documents
        if found[0] != version:
            found = self._documents = (version, self.space.store.documents())
        return found[1]

    @property
    def name(self) -> str:
        """The workspace's name."""
        return self.space.name


class _Shared:
    """Caches that all visitors of this process share; models by the settings that opened them."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.embedders: dict[Settings, Embedder] = {}
        self.chat_models: dict[Settings, ChatModel | None] = {}
        self.sessions: dict[tuple[str, Settings], WorkspaceSession] = {}

    def embedder(self, settings: Settings) -> Embedder:
        """Loads its weights at its first use."""
        key = settings.model_copy(update={"llm": None} | _OF_NO_MODEL)
        with self.lock:
            if key not in self.embedders:
                self.embedders[key] = wiring.make_embedder(settings)
            return self.embedders[key]

    def chat_model(self, settings: Settings) -> ChatModel | None:
        """Loads its weights at its first use. SettingsError where it can't be had."""
        key = settings.model_copy(update={"embedder": ""} | _OF_NO_MODEL)
        with self.lock:
            if key not in self.chat_models:
                self.chat_models[key] = wiring.make_chat_model(settings)
            return self.chat_models[key]


@st.cache_resource(show_spinner=False)
def _shared() -> _Shared:
    return _Shared()


def settings() -> Settings:
    """The settings as they are now, with what this visitor chose for this visit (`choose`)."""
    return load_settings(**st.session_state.get("chosen_settings", {}))


def choose(**chosen: str | None) -> None:
    """Overrides settings for this visit, e.g. `llm="qwen"`; None takes an override back."""
    now = st.session_state.get("chosen_settings", {}) | chosen
    st.session_state["chosen_settings"] = {
        name: value for name, value in now.items() if value is not None
    }
    for name, value in chosen.items():
        if name in KEYS:  # it is in no list of choices
            continue
        st.session_state.setdefault("choices", {}).setdefault(name, {})[value or ""] = None


def choices_of(name: str) -> list[str]:
    """Values to offer for a setting: its saved value, then all that were chosen in this visit."""
    return [
        str(getattr(load_settings(), name) or ""),
        *st.session_state.get("choices", {}).get(name, {}),
    ]


def chosen() -> dict[str, str]:
    """This visit's overrides of settings."""
    return dict(st.session_state.get("chosen_settings", {}))


def workspace_name() -> str:
    """The workspace that this visitor is in: the last chosen, that of the address bar, else the
    setting's; where nobody set one and none has the default's name, the one that changed last.
    """
    if WORKSPACE not in st.session_state:
        st.session_state[WORKSPACE] = st.query_params.get(WORKSPACE) or _first_workspace()
    return str(st.session_state[WORKSPACE])


def _first_workspace() -> str:
    now = settings()
    names = known_workspaces()
    if where_set("workspace") != "default" or now.workspace in names or not names:
        return now.workspace
    return max(names, key=lambda name: last_change(now.workspaces_dir / name))


def switch_workspace(name: str) -> None:
    """Switches to another workspace and drops what pages remembered of the last one."""
    for key in [k for k in st.session_state if str(k).startswith("of_workspace_")]:
        del st.session_state[key]
    st.session_state[WORKSPACE] = name
    st.query_params.clear()
    st.query_params[WORKSPACE] = name


def remembered(key: str, default: Any) -> Any:
    """A value kept for this visitor and workspace across pages (`remember`), else `default`."""
    return st.session_state.setdefault(f"of_workspace_{key}", default)


def remember(key: str, value: Any) -> None:
    """Keeps a value for this visitor and workspace across pages."""
    st.session_state[f"of_workspace_{key}"] = value


def know_pages(pages: dict[str, Any]) -> None:
    """Keeps the app's pages by their path, for links between them."""
    st.session_state["pages"] = pages


def go_to_page(path: str) -> None:
    """Goes to a page of the app; draws this one again where it runs alone."""
    page = st.session_state.get("pages", {}).get(path)
    if page is None:
        st.rerun()
    st.switch_page(page)


def link_to_page(path: str, label: str, icon: str, **parameters: str) -> None:
    """A link to a page of the app with these parameters in the address bar, in the same tab."""
    page = st.session_state.get("pages", {}).get(path)
    query = {WORKSPACE: workspace_name(), **parameters}
    if page is not None:
        st.page_link(page, label=label, icon=icon, query_params=query)
    else:  # a page that runs alone
        st.markdown(f"[{label}]({path}?{urlencode(query)})")


def known_workspaces() -> list[str]:
    """Names of the workspaces in the home folder."""
    return workspace_names(settings())


def session(name: str | None = None) -> WorkspaceSession | None:
    """The session of this visitor's workspace, or of `name`, opened if need be; None if the
    workspace does not exist yet.

    Raises:
        DynaGragError: it can't be opened.
    """
    name, shared = name or workspace_name(), _shared()
    check_workspace_name(name)
    now = settings().model_copy(update={"llm": None})
    with shared.lock:
        key, folder = (name, now), now.workspaces_dir / name
        if key in shared.sessions and shared.sessions[key].folder_number != _number_of(folder):
            close_sessions(name)  # it was deleted, renamed or restored, by another process
        if key not in shared.sessions:
            if not has_store(folder):
                return None
            # A server holds nothing of a workspace that was made and is still empty; one of another
            # store is not made by a look at it.
            is_its_own = now.store in (
                None,
                store_address(folder, now.model_copy(update={"store": None})).text,
            )
            opened = open_workspace(
                name, settings=now, create=is_its_own, embedder=EmbedderOpener(shared.embedder)
            )
            shared.sessions[key] = WorkspaceSession(opened, folder_number=_number_of(folder))
        found = shared.sessions[key]
        found.space.parts.finish_deletions(insists=False)
        found.used_at = time.monotonic()
        _close_idle(shared, found)
        return found


def _number_of(folder: Path) -> int:
    """The folder's inode; 0 if there is no such folder."""
    try:
        return folder.stat().st_ino
    except OSError:
        return 0


def _close_idle(shared: _Shared, used: WorkspaceSession) -> None:
    """Closes the sessions that were idle for `_IDLE_S`; each draw of a page asks for its session
    anew. The caller holds the lock.
    """
    for key, idle in [
        (k, d) for k, d in shared.sessions.items() if used.used_at - d.used_at > _IDLE_S
    ]:
        if idle is not used and not background.active_work(idle.space.settings, idle.name):
            del shared.sessions[key]
            for seen in background.found_under(
                background.key_of(idle.space.settings, idle.name, "seen")
            ):
                background.drop(seen.key)
            try:
                idle.space.close()
            except DynaGragError as err:  # of no concern to who looks at another one
                _LOG.warning("workspace %s could not be closed: %s", idle.name, err)


def chat_model() -> ChatModel | None:
    """The language model of this visit's settings; None where none is set. Raises SettingsError
    where it can't be had.
    """
    return _shared().chat_model(settings())


def chat_model_loader(**chosen: Any) -> Callable[[], ChatModel | None]:
    """A function that loads the language model of this visit's settings on another thread.
    `chosen`: settings to override.
    """
    return partial(_shared().chat_model, settings_with(**chosen))


def embedder_loader(**chosen: Any) -> Callable[[], Embedder]:
    """As `chat_model_loader`, for the embedder."""
    return partial(_shared().embedder, settings_with(**chosen))


def opener(
    name: str | None = None, *, create: bool = False, has_model: bool = True, **chosen: Any
) -> Callable[[], AbstractContextManager[Workspace]]:
    """A function that opens a workspace on another thread. Threads can't read a visitor's session
    state, so the settings are read now. `has_model` False: opens it without the language model.
    """
    now, shared, named = settings_with(**chosen), _shared(), name or workspace_name()
    if not has_model:
        now = now.model_copy(update={"llm": None})

    @contextmanager
    def opened() -> Iterator[Workspace]:
        with open_workspace(
            named,
            settings=now,
            create=create,
            chat_model=shared.chat_model(now),
            embedder=EmbedderOpener(shared.embedder),
        ) as space:
            yield space

    return opened


def settings_with(**chosen: Any) -> Settings:
    """This visit's settings with these overrides; None leaves a setting as it is."""
    overrides = {name: value for name, value in chosen.items() if value is not None}
    return load_settings(**st.session_state.get("chosen_settings", {}) | overrides)


def close_sessions(name: str) -> None:
    """Closes a workspace for all visitors, before it is deleted or its store changes."""
    shared = _shared()
    with shared.lock:
        for key in [k for k in shared.sessions if k[0] == name]:
            shared.sessions.pop(key).space.close()


def close_all() -> None:
    """Closes all sessions and models of this process; they are opened anew when needed."""
    shared = _shared()
    with shared.lock:
        for name in {key[0] for key in shared.sessions}:
            close_sessions(name)
        for model in shared.chat_models.values():
            if model is not None:
                model.close()
    _shared.clear()


@contextmanager
def shown_errors() -> Iterator[None]:
    """An error of ours is shown where it happened; anything else is logged, and shown without its
    details.
    """
    try:
        yield
    except SettingsError as err:
        st.error(f"{with_commands(err)} See **Settings**.", icon=":material/settings:")
    except DynaGragError as err:
        st.error(with_commands(err), icon=":material/error:")
    except Exception as err:  # noqa: BLE001 - the page's edge; Streamlit's signals pass
        _LOG.exception("a page failed")
        st.error(unexpected(err), icon=":material/bug_report:")
