"""A question that could not be asked: it stays above the question's box, to copy, until it is
dismissed or another one is asked.
"""

from dataclasses import dataclass

import streamlit as st

from dynagrag.ui import state
from dynagrag.ui.safe_markdown import plain

_REFUSED, _NUMBER = "refused_question", "num_refused"


@dataclass(frozen=True, slots=True)
class _Refused:
    conversation_id: str
    text: str
    why: str


def refuse(conversation_id: str, text: str, why: str) -> None:
    """Keeps it for this visit, with the reason."""
    state.remember(_REFUSED, _Refused(conversation_id, text, why))
    state.remember(_NUMBER, num_refused() + 1)


def num_refused() -> int:
    """In this visit: a suggestion that was refused is drawn anew, else its choice would be asked
    again and again.
    """
    return int(state.remembered(_NUMBER, 0))


def forget() -> None:
    """Drops it: another one is asked."""
    state.remember(_REFUSED, None)


def show(conversation_id: str) -> None:
    """The reason and the words, if the conversation's last question was refused."""
    refused: _Refused | None = state.remembered(_REFUSED, None)
    if refused is None or refused.conversation_id != conversation_id:
        return
    st.error(f"{plain(refused.why)} Here is the question, to copy:", icon=":material/error:")
    st.text_area("Your question", refused.text, height=120, label_visibility="collapsed")
    if st.button("Dismiss", key="dismiss_refused", icon=":material/close:"):
        forget()
        st.rerun()
