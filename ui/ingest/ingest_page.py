"""The page Ingest: bring files, text or a folder, see how they were read and what it would cost,
and follow the work.
"""

from collections.abc import Sequence, Set
from pathlib import Path
from uuid import uuid4

import streamlit as st

from dynagrag.graph_store.rules import check_workspace_name
from dynagrag.ui import background, first_visit, state
from dynagrag.ui.ingest import (
    documents_view,
    ingest_form,
    jobs_view,
    languages_view,
    sources_view,
    speakers_view,
    upload_folder,
)
from dynagrag.ui.ingest.source_reading import SourceInput, SourceRow, pasted, read_all
from dynagrag.ui.progress import has_ended
from dynagrag.ui.safe_markdown import plain, with_commands
from dynagrag.ui.state import WorkspaceSession

_MAX_LEFT = 5
"""Files of an earlier upload that are named."""
_UPLOAD, _PASTE, _FOLDER = "Upload files", "Paste text", "Files on this machine"
_FROM_THE_WEB = (
    "The app fetches nothing. Bring the file yourself:\n"
    "- **YouTube**: under the video choose *… more*, then *Show transcript*, and paste its text"
    " under *Paste text*; or save the captions with `yt-dlp --skip-download --write-subs"
    " --write-auto-subs ADDRESS` and upload the `.vtt`.\n"
    "- **A web page**: save it in your browser (Ctrl+S, *HTML only*) and upload the `.html`."
)
_FORMATS = (
    "WebVTT, SRT, SBV, plain text with speakers, JSON, CSV, Markdown, PDF, DOCX, HTML and more; the"
    " format is told by the content."
)


def page() -> None:
    """Draws the page."""
    st.title("Ingest")
    with state.shown_errors():
        check_workspace_name(state.workspace_name())  # it may come from the address bar
        session = state.session()
        jobs_view.show_current(session)
        _bring(session)
        rows = _rows(session)
        documents = session.documents() if session else ()
        codes = languages_view.languages_of(rows, documents)
        sources_view.show(rows, codes, _leave_out)
        paths = list(dict.fromkeys(row.origin for row in rows if row.origin and not row.refused))
        if paths:
            languages = languages_view.ask(rows, codes)
            names = speakers_view.show(rows, documents)
            ingest_form.show(paths, _started, names, languages)
        if session is not None:
            st.divider()
            num_aside = len(session.space.journal.set_asides())
            documents_tab, aside, past = st.tabs(
                ["Documents", f"Set aside ({num_aside})" if num_aside else "Set aside", "Past jobs"]
            )
            with documents_tab:
                documents_view.show(session)
            with aside:
                jobs_view.show_set_aside(session)
            with past:
                jobs_view.show_past(session)


# -------------------------------------------------------------------------------------------- bring


def _bring(session: WorkspaceSession | None) -> None:
    if session is None:
        st.caption(
            f"The workspace {plain(state.workspace_name())} is created with your first files."
        )
    st.subheader("Add transcripts or documents")
    way = st.radio(
        "Source",
        [_UPLOAD, _PASTE, _FOLDER],
        key="way",
        horizontal=True,
        label_visibility="collapsed",
    )
    inputs: list[SourceInput] = []
    if typed := state.remembered(first_visit.FOLDER_TO_READ, ""):
        state.remember(first_visit.FOLDER_TO_READ, "")
        _read([SourceInput(upload_folder.expanded(typed))])
    if way == _PASTE:
        # a form of its own for each text: what could not be taken stays in it
        number = state.remembered("paste_number", 0)
        with st.form("paste"):
            title = st.text_input(
                "Title",
                placeholder="e.g. Board meeting, 3 May",
                max_chars=200,
                key=f"paste_title_{number}",
            )
            about = "Lines such as `Maria: words` are turns."
            text = st.text_area(
                "Text",
                height=200,
                placeholder="Maria: Good morning …\nLeo: …",
                help=about,
                key=f"paste_text_{number}",
            )
            is_sent = st.form_submit_button("Preview", icon=":material/visibility:")
        if is_sent and not (title.strip() and text.strip()):
            st.warning("Enter a title and some text.", icon=":material/edit:")
        elif is_sent:
            inputs = [pasted(title, text)]
            state.remember("paste_number", number + 1)
    elif way == _FOLDER:
        with st.form("folder", border=False):
            name = st.text_input(
                "File, folder or pattern",
                placeholder="e.g. ~/meetings or /data/talks/*.vtt",
                help="On the machine that runs dynagrag. " + _FORMATS,
            )
            is_asked = st.form_submit_button("Preview", icon=":material/visibility:")
        if is_asked and not name.strip():
            st.warning("Enter a file, a folder or a pattern.", icon=":material/edit:")
        elif is_asked:
            inputs = [SourceInput(upload_folder.expanded(name))]
    else:
        inputs = _upload()
    with st.expander("From YouTube or the web"):
        st.markdown(_FROM_THE_WEB)
    _read(inputs)


def _upload() -> list[SourceInput]:
    """The files that were not read yet."""
    key = f"upload_{state.workspace_name()}_{state.remembered('upload_number', 0)}"
    if key not in st.session_state:
        # the box is drawn anew, empty; what it held before was not taken out
        state.remember("shown_uploads", set())
    files = st.file_uploader(
        "Transcripts or documents", accept_multiple_files=True, key=key, help=_FORMATS
    )
    st.caption("Split larger files, or name their folder on this machine instead.")
    here = {file.file_id for file in files}
    # a file that was taken out of the upload box is left out
    gone: set[str] = state.remembered("shown_uploads", set()) - here
    rows: tuple[SourceRow, ...] = state.remembered("rows", ())
    for row in rows:
        if row.upload_id in gone:
            _leave_out([row])
    state.remember("shown_uploads", here)
    seen: set[str] = state.remembered("seen_uploads", set())
    return [
        SourceInput(file.name, file, file.file_id) for file in files if file.file_id not in seen
    ]


# --------------------------------------------------------------------------------------------- read


def _read(inputs: list[SourceInput]) -> None:
    """Reads the inputs in a thread, and takes what was read into the rows once it is
    there.
    """
    settings, name = state.settings(), state.workspace_name()
    prefix = background.key_of(settings, name, "read", str(state.remembered("visit", uuid4().hex)))
    if inputs:
        folder, number = upload_folder.folder_of(settings, name), state.remembered("num_read", 0)
        state.remember("num_read", number + 1)
        ids = {item.id for item in inputs if item.id}
        state.remember("seen_uploads", state.remembered("seen_uploads", set()) | ids)
        background.start(
            (*prefix, str(number)),
            "Reading",
            lambda work: read_all(folder, inputs, work.progress),
            {"upload_ids": ids},
        )
    for work in background.found_under(prefix):
        if has_ended(
            work, lambda work: f"Reading {work.done + 1} of {max(1, work.total)}", can_stop=True
        ):
            background.drop(work.key)
            if work.error:
                st.error(with_commands(work.error), icon=":material/error:")
                _read_later(work.notes["upload_ids"])
            _take(work.result or ())


def _read_later(ids: Set[str]) -> None:
    """These uploads, where they are still in the box, are read when the page is drawn next."""
    state.remember("seen_uploads", state.remembered("seen_uploads", set()) - ids)


def _take(made: tuple[SourceRow, ...]) -> None:
    """Later readings of a path, or of an upload, replace earlier ones."""
    rows: tuple[SourceRow, ...] = state.remembered("rows", ())
    paths, uploads = {row.path for row in made}, {row.upload_id for row in made if row.upload_id}
    state.remember(
        "rows",
        (*(row for row in rows if row.path not in paths and row.upload_id not in uploads), *made),
    )
    _read_later({row.upload_id for row in made if row.is_unread})


def _rows(session: WorkspaceSession | None) -> tuple[SourceRow, ...]:
    """The files to ingest."""
    key, started = state.remembered("started", ((), ()))
    work = background.find(key) if key else None
    has_job = work is not None and "job" in work.notes
    if work is None or not work.is_running or has_job:
        state.remember("started", ((), ()))
    if work is not None and not work.is_running and work.error and not has_job:
        _take(started)  # the run ended before it was a job
    if not state.remembered("has_looked", False):
        state.remember("has_looked", True)
        upload_folder.sweep(upload_folder.folder_of(state.settings(), state.workspace_name()))
        state.remember("left_over", tuple(_left_over(session)))
    _offer_left_over(state.remembered("left_over", ()))
    rows: tuple[SourceRow, ...] = state.remembered("rows", ())
    return rows


def _offer_left_over(left: Sequence[SourceInput]) -> None:
    """Files that were uploaded before, perhaps by somebody else, wait for a yes."""
    own = {row.path for row in state.remembered("rows", ())}
    here = [item for item in left if item.name not in own and Path(item.name).is_file()]
    if not here:
        return
    names = ", ".join(plain(Path(item.name).name) for item in here[:_MAX_LEFT])
    more = f" and {len(here) - _MAX_LEFT} more" if len(here) > _MAX_LEFT else ""
    with st.container(border=True):
        st.markdown(f"Uploaded before, by you or another visitor, and not ingested: {names}{more}")
        with st.container(horizontal=True):
            is_wanted = st.button("Preview them", icon=":material/visibility:")
            is_unwanted = st.button("Remove them", icon=":material/delete:", type="tertiary")
    if is_wanted or is_unwanted:
        state.remember("left_over", ())
        if is_unwanted:
            folder = upload_folder.folder_of(state.settings(), state.workspace_name())
            for item in here:
                upload_folder.discard(folder, item.name)
        else:
            _read(here)
        st.rerun()


def _left_over(session: WorkspaceSession | None) -> list[SourceInput]:
    """Uploaded files that are no document and that no job is at or waits with."""
    settings, name = state.settings(), state.workspace_name()
    if background.has_job_at_work(settings, name):
        return []
    jobs = session.space.journal.jobs() if session else ()
    taken = {
        path
        for job in jobs
        if job.status == "running" or job.is_to_go_on
        for path in job.request.paths
    }
    left = upload_folder.not_ingested(upload_folder.folder_of(settings, name), _stored(session))
    return [SourceInput(str(path)) for path in left if str(path.absolute()) not in taken]


def _stored(session: WorkspaceSession | None) -> set[str]:
    return {document.sha256 for document in session.documents()} if session else set()


def _leave_out(gone: Sequence[SourceRow]) -> None:
    """Takes sources out again; uploaded files that are no documents are removed."""
    origins = {row.origin for row in gone if row.origin}
    rows: tuple[SourceRow, ...] = state.remembered("rows", ())
    state.remember(
        "rows", tuple(row for row in rows if row not in gone and row.origin not in origins)
    )
    folder = upload_folder.folder_of(state.settings(), state.workspace_name())
    for path in upload_folder.not_ingested(folder, _stored(state.session())):
        if str(path) in origins:
            upload_folder.discard(folder, path)


def _started(key: background.Key) -> None:
    """Clears the files that the run took over; they come back if it ends before it is a job."""
    state.remember("started", (key, state.remembered("rows", ())))
    state.remember("rows", ())
    speakers_view.forget()
    languages_view.forget()
    state.remember("seen_uploads", set())
    state.remember("upload_number", state.remembered("upload_number", 0) + 1)
