"""Progress of background work on a page."""

from collections.abc import Callable

import streamlit as st

from dynagrag.ui.background import Work
from dynagrag.ui.safe_markdown import plain

_SHORT_S = 0.7
"""Work that ends within this time is waited for; longer work is followed."""


def has_ended(
    work: Work, words: Callable[[Work], str] | None = None, *, can_stop: bool = False
) -> bool:
    """Whether the work has ended; if not, draws its progress and reruns the page at its end.

    Args:
        work: the work in the background.
        words: the progress bar's label; by default the work's stage or title.
        can_stop: shows a button that stops the work at its next step, with nothing kept.
    """
    if work.wait(_SHORT_S):
        return True
    st.fragment(_draw, run_every=0.5)(work, words, can_stop)
    return False


def _draw(work: Work, words: Callable[[Work], str] | None, can_stop: bool) -> None:
    if not work.is_running:
        st.rerun()
    label = words(work) if words else work.stage or work.title
    st.progress(
        min(1.0, max(0.0, work.done / work.total)) if work.total else 0.0, text=plain(label) + " …"
    )
    if can_stop and st.button(
        "Cancel", key=f"cancel_{'/'.join(work.key[2:])}", icon=":material/close:"
    ):
        work.is_stopped = True
