"""A piece of work as a page shows it while it waits for its end."""

from collections.abc import Callable

import streamlit as st

from dynagrag.ui.background import Work
from dynagrag.ui.safe_markdown import plain

_SHORT_S = 0.7
"""What ends within this time is there when the page is drawn; else it is followed."""


def has_ended(
    work: Work, words: Callable[[Work], str] | None = None, *, can_stop: bool = False
) -> bool:
    """Whether it has ended; until then its progress is drawn, and the page again once it has.
    `words`: what is said of it meanwhile; `can_stop`: it may be stopped at its next step, with
    nothing kept.
    """
    if work.wait(_SHORT_S):
        return True
    st.fragment(_draw, run_every=0.5)(work, words, can_stop)
    return False


def _draw(work: Work, words: Callable[[Work], str] | None, can_stop: bool) -> None:
    if not work.is_running:
        st.rerun()
    said = words(work) if words else work.stage or work.title
    st.progress(
        min(1.0, max(0.0, work.done / work.total)) if work.total else 0.0, text=plain(said) + " …"
    )
    if can_stop and st.button(
        "Cancel", key=f"cancel_{'/'.join(work.key[2:])}", icon=":material/close:"
    ):
        work.is_stopped = True
