"""Long lists a page at a time; where the visitor is in one is remembered under its name."""

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

from dynagrag.ui import state

PAGE_SIZE = 10
Item = TypeVar("Item")


def page_of(items: Sequence[Item], name: str) -> Sequence[Item]:
    """The part of a long list that the visitor is at; `show_pager` goes on. It stays within the
    list when that gets shorter.
    """
    last = max(0, (len(items) - 1) // PAGE_SIZE)
    number = min(int(state.remembered(f"curate_page_{name}", 0)), last)
    state.remember(f"curate_page_{name}", number)
    return items[number * PAGE_SIZE : (number + 1) * PAGE_SIZE]


def show_pager(num_items: int, name: str) -> None:
    """Where the visitor is in a long list, and the way on."""
    if num_items <= PAGE_SIZE:
        return
    number = int(state.remembered(f"curate_page_{name}", 0))
    last = (num_items - 1) // PAGE_SIZE
    with st.container(horizontal=True, vertical_alignment="center"):
        back = st.button(
            "Previous",
            key=f"curate_back_{name}",
            icon=":material/chevron_left:",
            disabled=number == 0,
        )
        st.markdown(
            f"{number * PAGE_SIZE + 1:,}–{min((number + 1) * PAGE_SIZE, num_items):,} of"
            f" {num_items:,}",
            width="content",
        )
        on = st.button(
            "Next",
            key=f"curate_on_{name}",
            icon=":material/chevron_right:",
            disabled=number == last,
        )
    if back or on:
        state.remember(f"curate_page_{name}", number + (1 if on else -1))
        st.rerun()
