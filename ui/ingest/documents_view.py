"""The documents of a workspace: what they are, a link to their words, another title, and their
deletion.
"""

import streamlit as st

from dynagrag.core.schema import Document
from dynagrag.core.text import plural
from dynagrag.ui import background, state
from dynagrag.ui.ingest import job_runner
from dynagrag.ui.language_box import ask_language
from dynagrag.ui.rename_box import ask_title
from dynagrag.ui.safe_markdown import clean, plain, short_label
from dynagrag.ui.state import WorkspaceSession

_PAGE = 15
_MAX_TITLE = 60


def show(session: WorkspaceSession) -> None:
    """A page of the documents, by title, and a search among them."""
    documents = sorted(session.documents(), key=lambda d: (d.title.casefold(), d.id))
    if not documents:
        st.caption("No documents yet.")
        return
    wanted = (
        st.text_input("Find a document", key="find_document", placeholder="a part of its title")
        if len(documents) > _PAGE
        else ""
    )
    found = [d for d in documents if wanted.casefold() in d.title.casefold()]
    num_pages = max(1, -(-len(found) // _PAGE))
    page = (
        st.number_input(f"Page, of {num_pages}", 1, num_pages, key="documents_page", width=160)
        if num_pages > 1
        else 1
    )
    st.caption(
        f"{len(found):,} of {len(documents):,} documents"
        if wanted
        else plural(len(documents), "document")
    )
    for document in found[(page - 1) * _PAGE : page * _PAGE]:
        _show_document(session, document)


def _show_document(session: WorkspaceSession, document: Document) -> None:
    turns = session.space.store.turns(document.id)
    speakers = list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))
    named = (
        f" · {', '.join(map(short_label, speakers[:4]))}{' …' if len(speakers) > 4 else ''}"
        if speakers
        else ""
    )
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", border=True
    ):
        with st.container(gap=None, width="stretch"):
            place = {"document": document.id, "start": "0", "end": "0"}
            title = clean(document.title, _MAX_TITLE)
            state.link_to_page("source", f"**{plain(title)}**", ":material/description:", **place)
            st.caption(plain(plural(len(turns), "turn") + named))
        with st.container(horizontal=True, width="content"):
            ask_language(session, document)
            ask_title(session, document)
            # without a key it stays open, for the next one
            with st.popover("Delete", icon=":material/delete:", key=f"deletion_{document.id}"):
                st.markdown(
                    f"Deletes **{plain(document.title)}** and everything made from it: records, its"
                    " part of the graph, vectors, cached replies, conversations that quote it, and"
                    " the uploaded file. Files elsewhere on this machine stay."
                )
                is_busy = background.has_job_at_work(state.settings(), session.name)
                if st.button(
                    "Delete document", key=f"delete_{document.id}", type="primary", disabled=is_busy
                ):
                    job_runner.delete(document)
                    st.rerun()
