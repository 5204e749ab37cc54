"""Table of the files that were read, the refused ones with reasons, and a preview."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dynagrag.core.text import clock
from dynagrag.ingest.load.label_report import FATES, MAX_UNKNOWN, label_places
from dynagrag.language.identification import UNKNOWN, language_name
from dynagrag.ui.ingest.source_reading import SourceRow
from dynagrag.ui.safe_markdown import plain, short_label, speaker_and_time, with_commands

_FILE_WIDTH = 160
"""Pixels of a column; a name's cell shows the rest of it when it is clicked."""
_MAX_SPEAKERS = 6
_MAX_NAMED = 3
_MAX_FINDINGS = 20


def show(
    rows: Sequence[SourceRow],
    languages: Mapping[str, str],
    leave_out: Callable[[Sequence[SourceRow]], None],
) -> None:
    """`languages`: the code of each file that was read, by its path. `leave_out` takes sources out
    again.
    """
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
                f"**{plain(row.name)}** was refused: {with_commands(row.refused)}",
                icon=":material/block:",
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
    st.dataframe(
        [_cells(row, languages[row.path]) for row in read],
        hide_index=True,
        width="stretch",
        # a long name leaves room for what was read
        column_config={"File": st.column_config.TextColumn(width=_FILE_WIDTH)},
    )
    with st.expander("First lines"):
        row = pick_row(read, key="preview_of")
        for speaker, start_s, text in row.first:
            who = speaker_and_time(speaker, start_s)
            st.markdown(f"{f'**{who}** ' if who else ''}{plain(text)}")
        for note in row.notes:
            st.caption(f":material/info: {with_commands(note)}")
        hint = f"Removes all of {plain(row.origin)}."
        if row.origin == row.path:
            hint = "It was not ingested yet."
        if st.button("Remove", key=f"leave_out_{row.path}", icon=":material/close:", help=hint):
            leave_out([row])
            st.rerun()
    _show_doubtful(read)
    with st.expander("Labels, and what became of each"):
        _show_labels(pick_row(sorted(read, key=lambda row: not row.is_doubtful), key="labels_of"))


def _show_doubtful(read: Sequence[SourceRow]) -> None:
    """Names the files whose speakers what is said speaks against."""
    doubtful = [row for row in read if row.is_doubtful]
    if doubtful:
        names = ", ".join(f"**{plain(row.name)}**" for row in doubtful[:_MAX_NAMED])
        more = f" and {len(doubtful) - _MAX_NAMED} more" if len(doubtful) > _MAX_NAMED else ""
        st.warning(
            f"What is said speaks against the speakers of {names}{more}: see Labels, and name them"
            " rightly before you start.",
            icon=":material/voice_selection_off:",
        )


def _show_labels(row: SourceRow) -> None:
    """Every label of a file with its counts and the reason, and what speaks against speakers."""
    shown = [f"- {plain(finding.text())}" for finding in row.findings[:_MAX_FINDINGS]]
    if len(row.findings) > len(shown):
        shown.append(f"- and {len(row.findings) - len(shown):,} more")
    if shown:
        st.markdown("\n".join(shown))
    if not row.labels:
        st.caption("This file has no labels.")
        return
    if 0 < row.unknown_share < 1:
        st.caption(f"{row.unknown_share:.0%} of the words have no speaker.")
    st.dataframe(
        [
            {
                "Label": short_label(label.text),
                "Became": FATES[label.fate],
                "Why": label.why,
                "Turns": label.num_turns,
                "Words": label.num_words,
                "First": label_places(label),
            }
            for label in row.labels
        ],
        hide_index=True,
        width="stretch",
    )


def pick_row(rows: Sequence[SourceRow], *, key: str) -> SourceRow:
    """One of the files, by a box where there are several; their numbers tell like names apart."""
    if len(rows) == 1:
        return rows[0]
    names = {f"{row.name} ({number})": row for number, row in enumerate(rows, 1)}
    picked = st.selectbox("File", list(names), key=key)
    return names.get(picked, rows[0])


def _cells(row: SourceRow, language: str) -> dict[str, object]:
    speakers = ", ".join(map(short_label, row.speakers[:_MAX_SPEAKERS]))
    if len(row.speakers) > _MAX_SPEAKERS:
        speakers += f" and {len(row.speakers) - _MAX_SPEAKERS} more"
    times = ""
    if row.start_s is not None and row.end_s is not None:
        times = f"{clock(row.start_s)} to {clock(row.end_s)}"
    unknown: tuple[str, ...] = ()
    if MAX_UNKNOWN < row.unknown_share < 1:
        unknown = (f"{row.unknown_share:.0%} of the words have no speaker",)
    return {
        "File": row.name,
        "Format": row.format,
        "Turns": row.num_turns,
        "Words": row.num_words,
        "Language": "unknown" if language == UNKNOWN else language_name(language),
        "Speakers": speakers or "none in this form",
        "Times": times or "none in this form",
        "Notes": "; ".join((*unknown, *row.notes)),
    }
