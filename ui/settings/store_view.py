"""Where new workspaces keep their graphs, and the password that visitors are asked for."""

import streamlit as st

from dynagrag import wiring
from dynagrag.config.passwords import MIN_LENGTH, hash_password
from dynagrag.config.settings import where_set
from dynagrag.config.settings_file import save_settings
from dynagrag.core.errors import SettingsError
from dynagrag.ui import state
from dynagrag.ui.safe_markdown import plain

_SQLITE, _NEO4J = "A file on this machine (SQLite)", "A Neo4j server"


def show() -> None:
    """The store of new workspaces."""
    settings = state.settings()
    if settings.store is not None:
        st.info(
            f"{plain(where_set('store'))} sets the store to {plain(settings.store)}.",
            icon=":material/lock:",
        )
        return
    st.caption(
        "For new workspaces. Existing ones stay where they are; `dynagrag graph copy` moves them."
    )
    with st.form("store", border=False):
        where = st.radio(
            "Store",
            [_SQLITE, _NEO4J],
            index=int(settings.neo4j_uri is not None),
            label_visibility="collapsed",
        )
        address = st.text_input(
            "Address of the Neo4j server",
            value=settings.neo4j_uri or "",
            placeholder="bolt://localhost:7687",
        )
        if not st.form_submit_button("Save", icon=":material/save:"):
            return
    address = address.strip() if where == _NEO4J else ""
    if where == _NEO4J and ("@" in address or "://" not in address):
        raise SettingsError("give the address as bolt://HOST:PORT, without user and password")
    save_settings(neo4j_uri=address or None)
    if where_set("neo4j_uri") not in ("default", "settings.toml"):
        raise SettingsError(
            f"saved, but {where_set('neo4j_uri')} takes precedence; unset it to use what was saved"
        )
    st.success(
        f"New workspaces live in {plain(address or wiring.EMBEDDED)}.", icon=":material/check:"
    )


def show_password() -> None:
    """The password of the app: whether there is one, and setting another. `serve --no-password`
    takes it away.
    """
    settings = state.settings()
    if settings.password is not None:
        st.info("The password is set by DYNAGRAG\\_PASSWORD.", icon=":material/lock:")
        return
    has_one = settings.password_hash is not None
    st.markdown(
        "Visitors are asked for a password."
        if has_one
        else "No password is set: only this machine can reach the app."
    )
    st.caption("A change takes effect when the app is started again. Only a salted hash is stored.")
    with st.form("password", border=False, clear_on_submit=True):
        typed = st.text_input(
            "New password",
            type="password",
            autocomplete="new-password",
            help=f"At least {MIN_LENGTH} characters.",
        )
        again = st.text_input("Repeat it", type="password", autocomplete="new-password")
        if st.form_submit_button("Save", icon=":material/save:"):
            if typed != again:
                raise SettingsError("the two passwords differ")
            save_settings(password_hash=hash_password(typed))
            st.success("Saved. Restart the app to use it.", icon=":material/check:")
