"""The files of a job, and how far each is."""

from collections.abc import Sequence

import streamlit as st

from dynagrag.core.text import plural
from dynagrag.journal.job_files import JobFile

_OPEN_UP_TO = 10


def show(files: Sequence[JobFile], *, is_running: bool, key: str) -> None:
    """A table in a box that opens by itself where it is short; nothing for a job of an older
    version.
    """
    if not files:
        return
    num_over = sum(file.is_extracted for file in files)
    with st.expander(
        f"{num_over:,} of {plural(len(files), 'file')} extracted",
        expanded=is_running and len(files) <= _OPEN_UP_TO,
    ):
        st.dataframe(
            [
                {
                    "File": file.name,
                    "Status": status_of(file),
                    "Chunks": f"{file.num_done:,} / {file.num_chunks:,}",
                    "Reason": file.reason,
                }
                for file in files
            ],
            hide_index=True,
            width="stretch",
            key=key,
        )


def status_of(file: JobFile) -> str:
    """In a word or two."""
    if file.is_refused:
        return "refused"
    if file.num_aside:
        return f"{file.num_aside:,} set aside"
    if file.is_extracted:
        return "done" if file.num_chunks else "unchanged"
    return "at work" if file.num_done else "waiting"
