"""A document's title as a box that changes it: on its own page, and in the list of documents."""

import streamlit as st

from dynagrag.core.schema import Document
from dynagrag.ui import state
from dynagrag.ui.state import WorkspaceSession
from dynagrag.workspace.changing import MAX_TITLE


def ask_title(session: WorkspaceSession, document: Document, *, is_quiet: bool = False) -> None:
    """The button and what it opens; a new title is there at once. `is_quiet`: without a frame."""
    box = st.popover(
        "Rename",
        icon=":material/edit:",
        type="tertiary" if is_quiet else "secondary",
        key=f"rename_{document.id}",
    )
    with box, st.form(f"rename_document_{document.id}", border=False):
        title = st.text_input(
            "Title", document.title, max_chars=MAX_TITLE, key=f"title_{document.id}"
        )
        if st.form_submit_button("Save"):
            with state.shown_errors():
                session.space.documents.rename(document.id, title)
                st.toast("Renamed.", icon=":material/check:")
                st.rerun()
