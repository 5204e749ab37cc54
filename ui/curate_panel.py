"""The page Curate."""

import streamlit as st

from dynagrag.ui import state


def page() -> None:
    """Draws the page."""
    st.title("Curate")
    desk = state.needs_workspace()
    if desk is None:
        return
