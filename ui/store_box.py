"""Where a new graph shall live: the kinds of store there are, and the address of a server."""

from collections.abc import Sequence

import streamlit as st

from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.registry.stores import EMBEDDED, StoreAddress, StoreChoice


def ask_kind(
    label: str, kinds: Sequence[StoreChoice], settings: Settings, *, is_titled: bool = True
) -> StoreChoice:
    """A kind of store; first that of the settings."""
    named = next((addr for row in kinds if (addr := server_of(row, settings))), "")
    wanted = StoreAddress(named or settings.store or EMBEDDED)
    return st.radio(
        label,
        kinds,
        index=next((i for i, row in enumerate(kinds) if wanted.scheme in row.schemes), 0),
        format_func=lambda row: row.label,
        horizontal=is_titled,
        label_visibility="visible" if is_titled else "collapsed",
    )


def ask_address(kind: StoreChoice, settings: Settings) -> str:
    """The address of a server, as it was typed."""
    login = None
    if kind.login:
        login = (
            f"Its user comes from {kind.login.username.upper()}, its password from Settings, Keys,"
            f" or {kind.login.password.upper()}."
        )
    return st.text_input(
        f"Address of the {kind.product} server",
        value=server_of(kind, settings),
        placeholder=kind.example,
        help=login,
    ).strip()


def check_address(kind: StoreChoice, address: str) -> None:
    """UsageError for what is no address of such a server, or holds a user or password."""
    if "@" in address or not address or StoreAddress(address).choice != kind:
        raise UsageError(
            f"give the {kind.product} server's address as {kind.example}, without user and password"
        )


def server_of(kind: StoreChoice, settings: Settings) -> str:
    """The server of this kind that the settings name; empty for none."""
    return (getattr(settings, kind.login.address) if kind.login else None) or ""


def store_name(address: str) -> str:
    """An address in words."""
    at = StoreAddress(address)
    label = at.choice.label
    return label[0].lower() + label[1:] if at.is_embedded else address
