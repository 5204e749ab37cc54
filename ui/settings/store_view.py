"""Where new workspaces keep their graphs, and the password that visitors are asked for."""

import streamlit as st

from dynagrag.config.passwords import MIN_LENGTH, hash_password
from dynagrag.config.settings import where_set
from dynagrag.config.settings_file import save_settings
from dynagrag.config.store_logins import LOGINS
from dynagrag.core.errors import SettingsError
from dynagrag.registry.stores import EMBEDDED, STORES, StoreAddress
from dynagrag.ui import state, store_box
from dynagrag.ui.safe_markdown import plain


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
    servers = [row for row in STORES.values() if row.login]
    with st.form("store", border=False):
        kinds = [StoreAddress(EMBEDDED).choice, *servers]
        kind = store_box.ask_kind("Store", kinds, settings, is_titled=False)
        typed = {row.name: store_box.ask_address(row, settings) for row in servers}
        if not st.form_submit_button("Save", icon=":material/save:"):
            return
    address = typed.get(kind.name, "")
    if not kind.is_embedded:
        store_box.check_address(kind, address)
    addresses: dict[str, str | None] = dict.fromkeys(login.address for login in LOGINS)
    if kind.login:
        addresses[kind.login.address] = address
    save_settings(**addresses)
    for name in addresses:
        if where_set(name) not in ("default", "settings.toml"):
            raise SettingsError(
                f"saved, but {where_set(name)} takes precedence; unset it to use what was saved"
            )
    st.success(f"New workspaces live in {plain(address or EMBEDDED)}.", icon=":material/check:")


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
