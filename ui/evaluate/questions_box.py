"""The questions to ask: a file that is kept, one's own, or questions made of the workspace; the
first ones to look at.
"""

from pathlib import Path
from typing import Any
from uuid import uuid4

import streamlit as st

from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError
from dynagrag.core.text import plural
from dynagrag.ui import background, state
from dynagrag.ui.evaluate import question_files
from dynagrag.ui.progress import has_ended
from dynagrag.ui.safe_markdown import clean, plain, with_commands

_SHOWN = 8
_MAX_MB = question_files.MAX_BYTES // 1_000_000
_PICKED = "evaluate_questions"
_HELP = (
    'One JSON object per line: `question`; then `answer`, `answers` or `"answerable": false`, to'
    " compare answers with; `documents` or `turns`, where it should be found; `decisive`, a list of"
    " words of lines that answer. The fields that a measure doesn't need may be missing."
)


def ask(settings: Settings, workspace: str) -> str | None:
    """The name of the chosen file; None where there is none yet."""
    st.subheader("Questions")
    folder = question_files.folder_of(settings, workspace)
    _follow_making(settings, workspace)
    names = question_files.kept_files(folder)
    with st.expander("Add questions", expanded=not names):
        _upload(settings, workspace)
        _ask_making(settings, workspace)
    names = question_files.kept_files(folder)
    if not names:
        st.caption(
            "There are no questions yet: upload a file, or have some made from the workspace."
        )
        return None
    picked = state.remembered(_PICKED, names[0])
    name = st.selectbox(
        "Questions to ask",
        names,
        index=names.index(picked) if picked in names else 0,
        format_func=clean,
        width=420,
    )
    state.remember(_PICKED, name)
    _show(settings, workspace, name)
    return name


def _upload(settings: Settings, workspace: str) -> None:
    number = state.remembered("evaluate_upload_number", 0)
    file = st.file_uploader(
        "Your own questions (.jsonl or .jsonl.gz)",
        key=f"evaluate_upload_{workspace}_{number}",
        help=_HELP,
        max_upload_size=_MAX_MB,
    )
    if file is None or state.remembered("evaluate_upload", "") == file.file_id:
        if file is not None and (said := state.remembered("evaluate_refused", "")):
            st.error(plain(said), icon=":material/block:")
        return
    state.remember("evaluate_upload", file.file_id)
    state.remember("evaluate_refused", "")
    try:
        name = question_files.keep(question_files.folder_of(settings, workspace), file.name, file)
    except LoadError as err:
        state.remember("evaluate_refused", f"{file.name} was refused: {err}")
        st.error(plain(f"{file.name} was refused: {err}"), icon=":material/block:")
        return
    state.remember(_PICKED, name)
    state.remember("evaluate_upload_number", number + 1)
    st.rerun()


def _ask_making(settings: Settings, workspace: str) -> None:
    with st.form("make_questions", border=False):
        num = st.number_input("How many", min_value=1, max_value=2000, value=50, width=260)
        about = (
            "Made from what the transcripts say, without a model. They quote their source, so"
            " searching by words does well on them."
        )
        if st.form_submit_button(
            "Make questions from the workspace", icon=":material/auto_awesome:", help=about
        ):
            background.start(
                background.key_of(settings, workspace, "questions", uuid4().hex),
                "Making questions",
                lambda _: question_files.make(settings, workspace, num),
            )
            st.rerun()


def _follow_making(settings: Settings, workspace: str) -> None:
    for work in background.found_under(background.key_of(settings, workspace, "questions")):
        if not has_ended(work):
            continue
        background.drop(work.key)
        if work.error:
            st.error(with_commands(work.error), icon=":material/error:")
            continue
        made = work.result
        state.remember(_PICKED, made["file"])
        kinds = ", ".join(
            f"{count} {kind.replace('_', ' ')}" for kind, count in made["kinds"].items() if count
        )
        st.success(
            f"Made {plural(made['questions'], 'question')}: {plain(kinds)}.",
            icon=":material/check_circle:",
        )


def _first_rows(path: Path) -> tuple[list[dict[str, str]], int]:
    """Read once: a file may have many thousand."""
    stamp = (path.name, path.stat().st_mtime_ns)
    kept: tuple[Any, tuple[list[dict[str, str]], int]] = state.remembered(
        "evaluate_rows", (None, ([], 0))
    )
    if kept[0] != stamp:
        kept = (stamp, question_files.first_rows(path, _SHOWN))
        state.remember("evaluate_rows", kept)
    return kept[1]


def _show(settings: Settings, workspace: str, name: str) -> None:
    path = question_files.folder_of(settings, workspace) / name
    rows, total = _first_rows(path)
    head = (
        f"The first of {plural(total, 'question')}" if total > _SHOWN else plural(total, "question")
    )
    with st.expander(head, expanded=True):
        st.dataframe(rows, hide_index=True, width="stretch")
        with st.container(horizontal=True):
            st.download_button(
                "Download",
                path.read_bytes,
                name,
                "application/jsonl",
                icon=":material/download:",
                help="To edit it.",
            )
            with st.popover("Delete", icon=":material/delete:", key=f"deletion_{name}"):
                st.markdown(
                    f"Deletes **{plain(name)}**. Runs that used it are kept, but can't be resumed."
                )
                if st.button("Delete it", key=f"delete_questions_{name}", type="primary"):
                    question_files.discard(path.parent, name)
                    st.rerun()
