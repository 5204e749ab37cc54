"""The page Source."""

import streamlit as st

from dynagrag.ui import state


def page() -> None:
    """Draws the page."""
    st.title("Source")
    desk = state.needs_workspace()
    if desk is None:
        return
