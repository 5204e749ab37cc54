"""A document's language as a box that changes it."""

import streamlit as st

from dynagrag.core.schema import Document
from dynagrag.language.document_language import language_of_document
from dynagrag.language.identification import UNKNOWN, language_codes, language_name
from dynagrag.ui import state
from dynagrag.ui.state import WorkspaceSession


def ask_language(session: WorkspaceSession, document: Document) -> None:
    """The button with the language's name and what it opens; another one is there at once."""
    own = language_of_document(document)
    box = st.popover(
        language_name(own).capitalize() if own == UNKNOWN else language_name(own),
        icon=":material/translate:",
        type="tertiary",
        key=f"language_{document.id}",
    )
    with box, st.form(f"language_of_{document.id}", border=False):
        picked = pick_language(
            own,
            help="Its words are searched by this language's stems; its sentences are parted by its"
            " rules when the file is ingested again.",
            key=f"picked_language_{document.id}",
        )
        if st.form_submit_button("Save language") and picked is not None:
            with state.shown_errors():
                session.space.documents.set_language(document.id, picked)
                st.toast("Saved.", icon=":material/check:")
                st.rerun()


def pick_language(own: str, *, help: str, key: str) -> str | None:
    """The choice of one of the known languages, by its code; `own` is picked if it is known."""
    codes = sorted(language_codes(), key=language_name)
    return st.selectbox(
        "Language",
        codes,
        index=codes.index(own) if own in codes else None,
        format_func=language_name,
        placeholder="Unknown",
        help=help,
        key=key,
    )
