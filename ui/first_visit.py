"""What a page shows in place of a workspace that is empty or was never made: what the program is,
and the two ways to begin.
"""

import streamlit as st

from dynagrag.ui import demo_work, state
from dynagrag.ui.safe_markdown import plain
from dynagrag.ui.state import WorkspaceSession

FOLDER_TO_READ = "folder_to_read"
"""Under this key the page Ingest finds what was typed here (`state.remembered`)."""
_WHAT_IT_IS = (
    "dynagrag reads transcripts and documents, draws a graph of what is talked about in them, and"
    " answers questions with the lines that say it: who said it, and at which second. All of it"
    " stays on this machine, unless you choose a language model elsewhere."
)


def needs_workspace(title: str = "") -> WorkspaceSession | None:
    """The open workspace, or what a first visit sees in its place, below this title where the page
    has shown none.
    """
    opened = None
    with state.shown_errors():
        opened = state.session()
        if opened is None:
            if title:
                st.title(title)
            if state.known_workspaces():
                st.info(
                    f"There is no workspace **{plain(state.workspace_name())}**: it was renamed or"
                    " deleted, or not made yet. The others are in the list Workspace.",
                    icon=":material/waving_hand:",
                )
            show_beginnings()
    return opened


def show_empty_workspace() -> None:
    """Says that the workspace is empty, and how to begin."""
    st.info("This workspace is empty.", icon=":material/waving_hand:")
    show_beginnings()


def show_beginnings() -> None:
    """Says what the program is, and takes a folder or makes the demo at once."""
    settings = state.settings()
    st.markdown(_WHAT_IT_IS)
    own, demo = st.columns(2, gap="medium")
    with own, st.container(border=True, height="stretch"):
        st.markdown("#### Your own recordings")
        with st.form("first_folder", border=False):
            typed = st.text_input(
                "File or folder on this machine", placeholder="e.g. ~/meetings, or talk.vtt"
            )
            is_asked = st.form_submit_button(
                "See how they are read", type="primary", icon=":material/visibility:"
            )
        if is_asked and not typed.strip():
            st.warning("Enter a file or a folder.", icon=":material/edit:")
        elif is_asked:
            state.remember(FOLDER_TO_READ, typed.strip())
            state.go_to_page("ingest")
        state.link_to_page("ingest", "Upload files or paste text", ":material/upload_file:")
        if not settings.llm:
            st.caption(
                "No language model is needed to begin: without one, answers are the lines"
                " themselves. **Settings** takes one later."
            )
    with demo, st.container(border=True, height="stretch"):
        st.markdown("#### The demo")
        st.markdown(
            "Eleven minutes of Apollo 13, when the oxygen tank burst. It takes less than a minute;"
            " the model's replies are recorded, so none is asked."
        )
        if st.button(
            "Create the demo",
            icon=":material/rocket_launch:",
            disabled=demo_work.is_at_work(settings),
        ):
            demo_work.start(settings)
        demo_work.follow(settings)
