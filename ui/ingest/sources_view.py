"""Table of the files that were read, the refused ones with reasons, and a preview."""

from collections.abc import Callable, Sequence

import streamlit as st

from dynagrag.core.text import clock
from dynagrag.ui.ingest.source_reading import SourceRow
from dynagrag.ui.safe_markdown import plain, short_label, speaker_and_time

_MAX_SPEAKERS = 6


def show(rows: Sequence[SourceRow], leave_out: Callable[[Sequence[SourceRow]], None]) -> None:
    """`leave_out` takes sources out again."""
    if not rows:
        return
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.subheader("Preview")
        if st.button(
            "Clear",
            key="clear_rows",
            icon=":material/close:",
            help="Removes all of these files. Nothing was ingested yet.",
        ):
            leave_out(rows)
            st.rerun()
    for row in rows:
        if row.refused:
            st.error(
                f"**{plain(row.name)}** was refused: {plain(row.refused)}", icon=":material/block:"
            )
    read = [row for row in rows if not row.refused]
    if not read:
        return
    for row in read:
        if row.replaced:
            st.warning(
                f"**{plain(row.name)}** has taken the place of the file **{plain(row.replaced)}**"
                " that was brought before, and Start replaces its document, if it has one. To keep"
                " both, bring each under a name of its own.",
                icon=":material/sync:",
            )
    st.dataframe([_cells(row) for row in read], hide_index=True, width="stretch")
    with st.expander("First lines"):
        row = pick_row(read, key="preview_of")
        for speaker, start_s, text in row.first:
            who = speaker_and_time(speaker, start_s)
            st.markdown(f"{f'**{who}** ' if who else ''}{plain(text)}")
        for note in row.notes:
            st.caption(f":material/info: {plain(note)}")
        hint = f"Removes all of {plain(row.origin)}."
        if row.origin == row.path:
            hint = "It was not ingested yet."
        if st.button("Remove", key=f"leave_out_{row.path}", icon=":material/close:", help=hint):
            leave_out([row])
            st.rerun()


def pick_row(rows: Sequence[SourceRow], *, key: str) -> SourceRow:
    """One of the files, by a box where there are several; their numbers tell like names apart."""
    if len(rows) == 1:
        return rows[0]
    names = {f"{row.name} ({number})": row for number, row in enumerate(rows, 1)}
    picked = st.selectbox("File", list(names), key=key)
    return names.get(picked, rows[0])


def _cells(row: SourceRow) -> dict[str, object]:
    speakers = ", ".join(map(short_label, row.speakers[:_MAX_SPEAKERS]))
    if len(row.speakers) > _MAX_SPEAKERS:
        speakers += f" and {len(row.speakers) - _MAX_SPEAKERS} more"
    times = ""
    if row.start_s is not None and row.end_s is not None:
        times = f"{clock(row.start_s)} to {clock(row.end_s)}"
    return {
        "File": row.name,
        "Format": row.format,
        "Turns": row.num_turns,
        "Words": row.num_words,
        "Speakers": speakers or "none in this form",
        "Times": times or "none in this form",
        "Notes": "; ".join(row.notes),
    }
