"""The page Workspaces: which there are, making, opening and deleting them; health and backup; the
demo.
"""

import time
from collections.abc import Iterator

import streamlit as st

from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.core.text import plural
from dynagrag.demo import WORKSPACE as DEMO
from dynagrag.evaluation.frame.renamed_workspace import check_no_run
from dynagrag.registry.stores import EMBEDDED, EMBEDDED_FILES, STORES, StoreAddress
from dynagrag.ui import background, demo_work, first_visit, state, store_box
from dynagrag.ui.background import Work
from dynagrag.ui.progress import has_ended
from dynagrag.ui.safe_markdown import plain, with_commands
from dynagrag.ui.workspaces import health_view
from dynagrag.upkeep.workspace_renaming import rename_workspace
from dynagrag.wiring import JOURNAL_FILE
from dynagrag.workspace.active_jobs import describe_active_jobs
from dynagrag.workspace.address import ADDRESS_FILE, has_embedded
from dynagrag.workspace.workspace_catalog import (
    Holdings,
    check_new,
    delete_workspace,
    read_holdings,
)

_LOOK_EVERY_S = 30


def page() -> None:
    """Draws the page."""
    st.title("Workspaces")
    with state.shown_errors():
        settings = state.settings()
        if not state.known_workspaces():
            first_visit.show_beginnings()
        else:
            demo_work.follow(settings)
        spaces, health = st.tabs(["Workspaces", "Health and backup"])
        with spaces, state.shown_errors():
            names = state.known_workspaces()
            for work in _ended(settings, "deletion", "Deleting", "deleted"):
                _forget(settings, work.title)
                st.toast(f"Deleted {plain(work.title)}.", icon=":material/delete:")
            for work in _ended(settings, "renaming", "Renaming", "renamed"):
                new = work.notes["new"]
                st.toast(
                    f"{plain(work.title)} is called {plain(new)} now.", icon=":material/check:"
                )
                _forget(settings, work.title, new)
            found = _holdings(settings, names)
            for name in names:
                _show_one(settings, name, found.get(name))
            with st.expander("New workspace", expanded=not names):
                _ask_new(settings)
            if names:
                with st.expander("Try the demo"):
                    st.markdown(
                        f"{'Recreates' if DEMO in names else 'Creates'} the workspace **{DEMO}**"
                        " from recorded replies of a real model."
                    )
                    if st.button(
                        "Create the demo", disabled=demo_work.is_at_work(settings), key="demo_again"
                    ):
                        demo_work.start(settings)
        with health, state.shown_errors():
            health_view.show()


# --------------------------------------------------------------------------------------------- list


def _holdings(settings: Settings, names: list[str]) -> dict[str, Holdings]:
    """Counted in a thread, again when a workspace has changed; until then those of before."""
    kept: dict[str, Holdings] = state.remembered("holdings", {})
    stamp = str(hash(tuple((name, _stamp(settings, name)) for name in names)))
    prefix = background.key_of(settings, "", "holdings")
    for work in background.found_under(prefix):
        if work.key[-1] != stamp:
            background.drop(work.key)
    work = background.start(
        (*prefix, stamp),
        "Workspaces",
        lambda _: {name: read_holdings(name, settings) for name in names},
    )
    if has_ended(work, lambda _: "Counting what they hold"):
        if work.error:
            background.drop(work.key)
            st.warning(with_commands(work.error), icon=":material/error:")
        else:
            kept = work.result
            state.remember("holdings", kept)
    return kept


def _stamp(settings: Settings, name: str) -> tuple[float, ...]:
    """Changes when the workspace does; what others do on a server is seen after half a minute."""
    folder = settings.workspaces_dir / name
    logs = [f"{file}-wal" for file in (*EMBEDDED_FILES, JOURNAL_FILE)]
    files = [folder / file for file in (*EMBEDDED_FILES, *logs, ADDRESS_FILE)]
    is_far = not has_embedded(folder)
    return (
        *(path.stat().st_mtime for path in files if path.exists()),
        time.time() // _LOOK_EVERY_S if is_far else 0.0,
    )


def _show_one(settings: Settings, name: str, found: Holdings | None) -> None:
    is_here = name == state.workspace_name()
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", border=True
    ):
        badge = " :blue-badge[open]" if is_here else ""
        active_work = describe_active_jobs(name, settings)
        working = (
            f"  \n:material/hourglass_top: {plain(active_work[0].upper() + active_work[1:])}"
            if active_work
            else ""
        )
        if found is None:
            described = "…"
        else:
            summary = plain(
                f"{'' if found.error else _counts(found) + ' · '}{found.size_bytes / 1e6:,.1f} MB"
                f" · in {store_box.store_name(found.address)}"
            )
            described = summary + (f"  \n:red[{plain(found.error)}]" if found.error else "")
        st.markdown(f"**{plain(name)}**{badge}  \n{described}{working}", width="stretch")
        with st.container(horizontal=True, width="content"):
            if not is_here and st.button("Open", key=f"open_{name}", icon=":material/login:"):
                state.switch_workspace(name)
                st.rerun()
            with st.popover("Rename", icon=":material/edit:", key=f"renaming_{name}"):
                _ask_name(settings, name)
            with st.popover("Delete", icon=":material/delete:", key=f"deletion_{name}"):
                _ask_deletion(settings, name, found)


def _counts(found: Holdings) -> str:
    counted = (
        (found.num_documents, "document", ""),
        (found.num_entities, "entity", "entities"),
        (found.num_relations, "relation", ""),
    )
    return ", ".join(plural(*one) for one in counted)


# ----------------------------------------------------------------------------------------- deletion


def _ask_deletion(settings: Settings, name: str, found: Holdings | None) -> None:
    if found is None:
        st.caption("What it holds is still being counted.")
        return
    st.markdown(
        f"Deletes **{plain(name)}** for good: {plain(_counts(found))} in"
        f" {plain(store_box.store_name(found.address))}, {plural(found.num_jobs, 'job')},"
        f" {found.num_replies:,} cached replies, {plural(found.num_uploads, 'uploaded file')}, its"
        " conversations and corrections. Files that lie elsewhere stay."
    )
    leaves_server = False
    if found.error and not StoreAddress(found.address).is_embedded:
        leaves_server = st.checkbox(
            "Only what is on this machine: the server can't be reached", key=f"leaves_{name}"
        )
    typed = st.text_input("Type its name to confirm", key=f"confirm_{name}", max_chars=80)
    if st.button("Delete for good", key=f"delete_{name}", type="primary"):
        if typed.strip() != name:
            st.warning(f"Type {plain(name)} to confirm.", icon=":material/edit:")
            return
        _check_idle(settings, name)
        state.close_sessions(name)
        background.start(
            background.key_of(settings, name, "deletion"),
            name,
            lambda _: delete_workspace(name, settings, leaves_server=leaves_server),
        )
        st.rerun()


def _check_idle(settings: Settings, name: str) -> None:
    check_no_run(settings.home, name)
    active_work = [work.title for work in background.active_work(settings, name)]
    if (
        active_work
        or background.has_job_at_work(settings, name)
        or (name == DEMO and demo_work.is_at_work(settings))
    ):
        what = f" ({active_work[0]})" if active_work else ""
        raise UsageError(
            f"something is at work in workspace {name!r}{what}; wait for its end, or stop it under"
            " Ingest, and try again"
        )


def _ended(settings: Settings, kind: str, doing: str, done: str) -> Iterator[Work]:
    """Works of a kind that have ended well, each once; the others are shown: a bar of one that is
    running, the error of one that failed.
    """
    for work in background.found_under((str(settings.home),)):
        if work.key[2] != kind or not has_ended(work, lambda work: f"{doing} {work.title}"):
            continue
        background.drop(work.key)
        if work.error:
            st.error(
                f"{plain(work.title)} was not {done}: {with_commands(work.error)}",
                icon=":material/error:",
            )
        else:
            yield work


def _forget(settings: Settings, name: str, goes_to: str = "") -> None:
    """Forgets what this process kept of it; a visitor who was in it goes to another."""
    state.close_sessions(name)
    for work in background.found_under(background.key_of(settings, name)):
        background.drop(work.key)
    if name == state.workspace_name():
        others = [other for other in state.known_workspaces() if other != name]
        state.switch_workspace(goes_to or (others[0] if others else settings.workspace))
        st.rerun()


# ----------------------------------------------------------------------------------------- renaming


def _ask_name(settings: Settings, name: str) -> None:
    with st.form(f"rename_{name}", border=False):
        new = st.text_input(
            "New name",
            name,
            max_chars=64,
            key=f"name_{name}",
            help="Letters, digits, dots, dashes and underscores.",
        )
        if not st.form_submit_button("Rename", key=f"rename_do_{name}"):
            return
    with state.shown_errors():
        _check_idle(settings, name)
        state.close_sessions(name)
        key = background.key_of(settings, name, "renaming")
        background.start(
            key, name, lambda _: rename_workspace(name, new.strip(), settings), {"new": new.strip()}
        )
        st.rerun()


# ------------------------------------------------------------------------------------------- making


def _ask_new(settings: Settings) -> None:
    key = background.key_of(settings, "", "making")
    work = background.find(key)
    if work is not None and has_ended(work, lambda _: "Looking at the store"):
        background.drop(key)
        if not work.error:
            state.switch_workspace(str(work.result))
            st.rerun()
        st.error(with_commands(work.error), icon=":material/error:")
    kind = store_box.ask_kind("Where its graph lives", tuple(STORES.values()), settings)
    with st.form("new_workspace", border=False):
        name = st.text_input(
            "Name",
            max_chars=64,
            placeholder="e.g. board-meetings",
            help="Letters, digits, dots, dashes and underscores.",
        )
        store = kind.example if kind.is_embedded else store_box.ask_address(kind, settings)
        if not st.form_submit_button("Create workspace", icon=":material/add:"):
            return
    if not name.strip():
        raise UsageError("give the workspace a name")
    if not kind.is_embedded:
        store_box.check_address(kind, store)
    new_name = name.strip()
    wanted = state.settings_with(store=store)
    check_new(new_name, state.settings_with(store=EMBEDDED))  # what needs no server is said at once
    open_space = state.opener(new_name, create=True, has_model=False, store=store)

    def run(_: Work) -> str:
        check_new(new_name, wanted)
        with open_space():
            return new_name

    background.start(key, "New workspace", run)
    st.rerun()
