"""Making the demo from a page: starting it, following it, opening it."""

import streamlit as st

from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.demo import WORKSPACE as DEMO
from dynagrag.demo import run_demo
from dynagrag.ui import background, state
from dynagrag.ui.background import Key, Work
from dynagrag.ui.progress import has_ended
from dynagrag.ui.safe_markdown import plain_lines, with_commands


def is_at_work(settings: Settings) -> bool:
    """Whether the demo is being made now."""
    work = background.find(_key(settings))
    return work is not None and work.is_running


def start(settings: Settings) -> None:
    """Makes the demo afresh in a thread, and draws the page again."""
    if background.has_job_at_work(settings, DEMO):
        raise UsageError("something is at work in the workspace demo; wait for its end")
    if not is_at_work(settings):
        state.close_sessions(DEMO)  # it is made afresh
        background.drop(_key(settings))

    def run(work: Work) -> list[str]:
        lines: list[str] = []
        run_demo(settings, False, lines.append, work.progress)
        return lines

    background.start(_key(settings), "Demo", run)
    st.rerun()


def follow(settings: Settings) -> None:
    """Shows how far the demo is, and then the way into it."""
    work = background.find(_key(settings))
    if work is None or not has_ended(work, lambda work: f"Creating the demo: {work.stage}"):
        return
    if work.error:
        st.error(f"Demo: {with_commands(work.error)}", icon=":material/error:")
        return
    st.success(
        f"The workspace **{DEMO}** is ready. **Ask** has three questions with their recorded"
        " answers.",
        icon=":material/check_circle:",
    )
    with st.container(horizontal=True):
        if state.workspace_name() != DEMO and st.button(
            "Open the demo", type="primary", icon=":material/login:"
        ):
            background.drop(work.key)
            state.switch_workspace(DEMO)
            state.go_to_page("")
        with st.popover("Report", icon=":material/list:"):
            st.markdown(
                plain_lines("\n".join(line for line in work.result if "dynagrag" not in line))
            )
        if st.button("Dismiss", icon=":material/close:", key="hide_demo"):
            background.drop(work.key)
            st.rerun()


def _key(settings: Settings) -> Key:
    return background.key_of(settings, DEMO, "demo")
