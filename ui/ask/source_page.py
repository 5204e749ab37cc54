"""The page Source: a transcript at a turn, with the words that were cited marked. Where every
citation's link leads.
"""

import streamlit as st

from dynagrag.ui import first_visit, state
from dynagrag.ui.ask import source_panel
from dynagrag.ui.ask.invitation import show_documents
from dynagrag.ui.ask.source_panel import InView, OpenSource, number, watch_links
from dynagrag.ui.ask.source_view import show_source
from dynagrag.ui.choice_labels import document_labels
from dynagrag.ui.language_box import ask_language
from dynagrag.ui.rename_box import ask_title
from dynagrag.ui.safe_markdown import plain


def page() -> None:
    """The document of the address bar at its turn."""
    session = first_visit.needs_workspace()
    if session is None:
        return
    with state.shown_errors():
        documents = {d.id: d for d in session.documents()}
        document = documents.get(st.query_params.get("document", ""))
        if document is None:
            st.title("Source")
            if "document" in st.query_params:
                st.warning(
                    "This document is no longer in the workspace: it was deleted, or replaced by"
                    " another version of its file.",
                    icon=":material/error:",
                )
            labels = document_labels(list(documents.values()))
            picked = st.selectbox(
                "Document",
                list(labels),
                index=None,
                format_func=lambda i: labels.get(i, i),
                placeholder="Choose one to read",
            )
            if picked is not None:
                st.query_params.from_dict(
                    {"workspace": session.name, "document": picked, "start": "0", "end": "0"}
                )
                st.rerun()
            show_documents(session, list(documents.values()), can_find=False)
            return
        st.html(f"{source_panel.STYLE}<style>.st-key-source_page {{ max-width: 48rem; }}</style>")
        title, renaming = st.columns([5, 1], vertical_alignment="bottom")
        # as a title, a hearing's own can fill half a page
        title.header(plain(document.title), anchor=False)
        with renaming:
            ask_title(session, document, is_quiet=True)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(plain(document.uri), width="content")
            ask_language(session, document)
        opened = OpenSource(
            document.id,
            number(st.query_params.get("start", "")),
            number(st.query_params.get("end", "")),
        )
        with st.container(key="source_page"):
            show_source(session, document, opened)
        watch_links([InView("page", str(opened), ".stMarkdownColoredBackground")])
