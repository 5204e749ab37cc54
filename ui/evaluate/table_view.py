"""Tables of a run, drawn: numbers with as many digits as they are worth, and what the columns mean
below.
"""

from collections.abc import Sequence

import streamlit as st

from dynagrag.ui.evaluate.column_words import explained
from dynagrag.ui.evaluate.other_tables import Row
from dynagrag.ui.evaluate.run_tables import Table
from dynagrag.ui.safe_markdown import plain

_WHOLE = ("tokens", "words")


def show_tables(kind: str, tables: Sequence[Table]) -> None:
    """Draws those of a run of this kind."""
    for table in tables:
        st.markdown(f"**{plain(table.title)}**")
        formats = {
            name: st.column_config.NumberColumn(format=form)
            for name, form in _formats(table.rows).items()
        }
        st.dataframe(
            list(table.rows),
            hide_index=True,
            width="stretch",
            column_config=formats,
            placeholder="–",
        )
    rows = [row for table in tables for row in table.rows]
    words = explained(kind, [name for row in rows for name in (row.get("Measure", ""), *row)])
    if words:
        with st.expander("What the columns mean"):
            st.markdown(
                "  \n".join(f"**{plain(column)}**: {plain(said)}" for column, said in words)
            )


def _formats(rows: Sequence[Row]) -> dict[str, str]:
    found = {}
    for name in {name: None for row in rows for name in row}:
        if any(isinstance(row.get(name), float) for row in rows):
            found[name] = "%.0f" if any(word in name for word in _WHOLE) else "%.1f"
    return found
