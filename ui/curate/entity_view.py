"""An entity as the page Curate shows it: names, type, summary, and quotes with the way to their
place.
"""

import streamlit as st

from dynagrag.core.schema import Entity
from dynagrag.core.text import times
from dynagrag.curation.suggestions import UNTOLD_TYPES
from dynagrag.curation.view import Seen, clipped
from dynagrag.ui.quotes_view import show_quotes
from dynagrag.ui.safe_markdown import plain
from dynagrag.ui.state import WorkspaceSession


def show_entity(session: WorkspaceSession, seen: Seen, entity: Entity, num_quotes: int = 1) -> None:
    """An entity with its names, type, summary and quotes."""
    spelt = seen.spelt(entity)
    type_ = (
        f" · {plain(clipped(entity.type, 30))}"
        if entity.type.casefold() not in UNTOLD_TYPES
        else ""
    )
    st.markdown(
        f"**{plain(clipped(entity.name))}**{type_} · said {times(entity.weight)}"
        + (" · a speaker" if entity.is_speaker else "")
    )
    if len(spelt) > 1:
        few = ", ".join(f"{plain(clipped(name, 40))} ({number})" for _, name, number in spelt[:8])
        st.caption(f"Names: {few}" + (f" and {len(spelt) - 8} more" if len(spelt) > 8 else ""))
    if entity.summaries:
        st.caption(plain(clipped(max(entity.summaries, key=len), 160)))
    show_quotes(session.name, seen.quotes([key for key, _, _ in spelt], num_quotes))
