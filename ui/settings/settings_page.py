"""The page Settings: models and whether they answer, keys, the store of new workspaces, the
password. What is saved holds for the command line too.
"""

import streamlit as st

from dynagrag.ui import state
from dynagrag.ui.settings import keys_view, models_view, store_view


def page() -> None:
    """Draws the page."""
    st.title("Settings")
    models, keys, store, password = st.tabs(["Models", "Keys", "Store", "Password"])
    with models, state.shown_errors():
        models_view.show()
    with keys, state.shown_errors():
        keys_view.show()
    with store, state.shown_errors():
        store_view.show()
    with password, state.shown_errors():
        store_view.show_password()
