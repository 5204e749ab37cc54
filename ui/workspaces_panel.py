"""The page Workspaces."""

import streamlit as st

from dynagrag.ui import state


def page() -> None:
    """Draws the page."""
    st.title("Workspaces")
    desk = state.needs_workspace()
    if desk is None:
        return
