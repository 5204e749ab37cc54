"""Keys: where each is set, keeping one in the system's keyring or for this visit, and removing it.
A key is typed once and never shown.
"""

from uuid import uuid4

import streamlit as st

from dynagrag.config.settings import clean_key, where_set
from dynagrag.config.settings_file import kept_in_keyring, save_settings
from dynagrag.config.store_logins import LOGINS
from dynagrag.config.system_keyring import KEYS, keep_key, look_again, remove_key, why_unusable
from dynagrag.core.errors import SettingsError
from dynagrag.ui import state
from dynagrag.ui.safe_markdown import plain

_LABELS = {
    "openai_api_key": "Key for openai: models",
    **{login.password: f"Password of the {login.product} server" for login in LOGINS},
}
_VARIABLES = plain(" or ".join(name.upper() for name in KEYS))
_NEVER_SAVED = "Keys are never shown again, logged, or written to a file."


def show() -> None:
    """Draws it."""
    reason = why_unusable()
    if reason:
        st.info(
            f"Keys can't be saved here: {plain(reason)}. A key entered below is used for this visit"
            f" and then forgotten. For good, set {_VARIABLES} in the environment before dynagrag is"
            " started.",
            icon=":material/key_off:",
        )
        if st.button("Try the keyring again", icon=":material/refresh:"):
            look_again()
            st.rerun()
    st.caption(
        _NEVER_SAVED
        + " Other providers read the variable of their own, such as ANTHROPIC\\_API\\_KEY, from the"
        " environment."
    )
    for name in KEYS:
        _show_one(name, can_save=not reason)


def _show_one(name: str, can_save: bool) -> None:
    with st.container(border=True):
        if name in state.chosen():
            where = "set for this visit"
        elif getattr(state.settings(), name) is None:
            where = (
                "in the keyring, which can't be read" if name in kept_in_keyring() else "not set"
            )
        else:
            where = f"set, from {where_set(name)}"
        st.markdown(f"**{_LABELS[name]}** · {plain(where)}")
        # a new box each time: what was typed is forgotten
        number = state.remembered(f"key_{name}", "0")
        with st.form(f"key_form_{name}", border=False, clear_on_submit=True):
            typed = st.text_input(
                _LABELS[name],
                type="password",
                key=f"key_{name}_{number}",
                label_visibility="collapsed",
                autocomplete="off",
            )
            with st.container(horizontal=True):
                is_saved = can_save and st.form_submit_button(
                    "Save in the keyring", icon=":material/key:"
                )
                is_visit = st.form_submit_button("Use for this visit", icon=":material/check:")
        if is_saved or is_visit:
            if not typed.strip():
                raise SettingsError("the key is empty")
            try:
                key = clean_key(typed) if name == "openai_api_key" else typed
            except ValueError as err:
                raise SettingsError(str(err)) from None
            if is_saved:
                keep_key(name, key)
                save_settings(keys_in_keyring=",".join(dict.fromkeys((*kept_in_keyring(), name))))
                state.choose(**{name: None})
            else:
                state.choose(**{name: key})
            state.remember(f"key_{name}", uuid4().hex)
            st.rerun()
        if (name in kept_in_keyring() or name in state.chosen()) and st.button(
            "Remove", key=f"remove_{name}", icon=":material/delete:"
        ):
            # From the visit, and from the keyring; what the environment says stays.
            state.choose(**{name: None})
            if name in kept_in_keyring():
                remove_key(name)
                save_settings(
                    keys_in_keyring=",".join(other for other in kept_in_keyring() if other != name)
                    or None
                )
            st.rerun()
