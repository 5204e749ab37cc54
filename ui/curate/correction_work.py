"""A correction from the page Curate: what it is made on, its work on a thread of its own, and what
it did.
"""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

import streamlit as st

from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import Entity
from dynagrag.core.text import times
from dynagrag.curation import corrections
from dynagrag.curation.corrections import Outcome, Preview
from dynagrag.curation.view import Seen, clipped, read_seen
from dynagrag.ingest.consolidate.verdicts import STAGE
from dynagrag.ui import background, state
from dynagrag.ui.safe_markdown import plain, with_commands
from dynagrag.ui.state import WorkspaceSession
from dynagrag.workspace.facade import Workspace

_WAIT_S = 3.0
"""A correction of a small workspace is done within this; else the page follows it."""
_MAX_CHANGES = 5
LAST_SEEN = "curate_version"
"""The version of the graph that the visitor has seen last; "" once they changed it themselves."""
_ASKED = "correction_asked"
"""Key of the correction that was asked for last."""
_SIGNED = "corrections_signed_as"
Act = Callable[[Workspace], Outcome]


def seen_of(session: WorkspaceSession) -> Seen | None:
    """The workspace as it is now, read once a version for all visitors, on a thread of its own; as
    it was, while that takes long; None until it is there.
    """
    prefix = background.key_of(session.space.settings, session.name, "seen")
    store = session.space.store
    key = (*prefix, store.version())
    work = background.start(key, "Reading the graph", lambda _: _read(store))
    with st.spinner("Reading the graph…"):
        work.wait(_WAIT_S)
    if work.is_running:
        _follow(key, "Reading the graph…")
        before = [w for w in background.found_under(prefix) if w.result is not None]
        if before:
            st.caption("It changed just now: this is how it was before.")
        return before[-1].result if before else None
    for old in background.found_under(prefix):
        if old.key != key:
            background.drop(old.key)
    if work.error:
        background.drop(key)
        st.error(with_commands(work.error), icon=":material/error:")
    found: Seen | None = work.result
    return found


def _read(store: GraphStore) -> Seen:
    seen = read_seen(store)
    _ = seen.suggestions  # looked for here, not on a page's thread
    return seen


def signed_as() -> str:
    """The name that signs the corrections of this visit."""
    return str(st.session_state.get(_SIGNED) or corrections.somebody())


def sign_as(name: str) -> None:
    """Keeps it for this visit; a widget's own state goes when it isn't drawn."""
    st.session_state[_SIGNED] = " ".join(name.split())


# ------------------------------------------------------------------------------------- a correction


def correct(
    session: WorkspaceSession, act: Callable[..., Outcome], *args: Any, **kwargs: Any
) -> None:
    """Begins a correction on a thread of its own, signed by the visitor, and draws the page again.
    A second click, while the first is not shown yet, begins nothing.
    """
    request = repr((act.__name__, args, kwargs))
    if state.remembered("correction", None) and request == state.remembered(_ASKED, ""):
        st.rerun()
    # else no model is needed, nor loaded
    was_judged = any(row.stage == STAGE for row in session.space.journal.ledger())
    opened = state.opener(session.name, has_model=was_judged)
    by = signed_as()  # the work's thread has no visit to read it from

    def run(_: background.Work) -> Outcome:
        with opened() as space:
            return act(space, *args, **kwargs, by=by)

    key = background.key_of(session.space.settings, session.name, "curate", uuid4().hex)
    background.start(key, "Correction", run)
    state.remember("correction", key)
    if request != state.remembered(_ASKED, ""):
        state.remember("correction_outcome", None)
    state.remember(_ASKED, request)
    st.rerun()


def show_correction(session: WorkspaceSession) -> bool:
    """Follows a correction and says what the last one did. Whether one is at work: nothing else is
    begun meanwhile.
    """
    key = state.remembered("correction", None)
    work = background.find(key) if key else None
    if work is not None and work.is_running:
        with st.spinner("Saving the correction and updating the graph…"):
            work.wait(_WAIT_S)
        if work.is_running:
            _follow(key, "Updating the graph…")
            return True
    if work is not None:
        state.remember("correction", None)
        state.remember(LAST_SEEN, "")
        background.drop(key)
        # a second click's error is not shown over what was just done
        is_second = work.error and isinstance(state.remembered("correction_outcome", None), Outcome)
        if not is_second:
            state.remember("correction_outcome", work.result or work.error)
            st.toast(
                "That could not be done" if work.error else "Done",
                icon=":material/error:" if work.error else ":material/check_circle:",
            )
    _show_outcome(session)
    return False


@st.fragment(run_every=1.0)
def _follow(key: background.Key, text: str) -> None:
    work = background.find(key)
    if work is None or not work.is_running:
        st.rerun()
    st.info(
        f"{text} {work.seconds:.0f} s. You can leave this page; the work continues.",
        icon=":material/hourglass_top:",
    )


def _show_outcome(session: WorkspaceSession) -> None:
    outcome = state.remembered("correction_outcome", None)
    if isinstance(outcome, str):
        st.error(plain(outcome), icon=":material/error:")
    if not isinstance(outcome, Outcome):
        return
    change = (
        "as many as before"
        if outcome.num_before == outcome.num_after
        else f"{outcome.num_before:,} before"
    )
    lines = [f"Done: {outcome.num_after:,} entities, {change}."]
    lines += [f"**Now:** {_named(e)}" for e in outcome.came[:_MAX_CHANGES]] + _more(outcome.came)
    lines += [f"**Before:** {_named(e)}" for e in outcome.went[:_MAX_CHANGES]] + _more(outcome.went)
    st.success("  \n".join(lines), icon=":material/check_circle:")
    for note in outcome.notes:
        st.warning(with_commands(note), icon=":material/info:")
    with st.container(horizontal=True):
        if st.button("Undo this", key="curate_undo_this", icon=":material/undo:"):
            correct(session, corrections.undo_edit, *(e.id for e in outcome.edits[::-1]))
        if st.button("Close", key="curate_close", type="tertiary"):
            state.remember("correction_outcome", None)
            st.rerun()


def _named(entity: Entity) -> str:
    also = (
        f" (also {', '.join(plain(clipped(a)) for a in entity.aliases[:4])})"
        if entity.aliases
        else ""
    )
    return f"{plain(clipped(entity.name))}, said {times(entity.weight)}{also}"


def _more(entities: Sequence[Entity]) -> list[str]:
    return [f"… and {len(entities) - _MAX_CHANGES} more"] if len(entities) > _MAX_CHANGES else []


def given_name(name: str, preview: Preview) -> str:
    """The name that a person wrote for a merged entity; empty where it was left as it is, however
    that looks.
    """
    return "" if name == preview.name else corrections.checked_name(name)
