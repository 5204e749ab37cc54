"""The drawing of the page Graph, as high as the window allows; on a phone a list comes first and
the drawing is behind a switch.

The server doesn't know how wide the window is, so both are sent and the style says which is seen.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

HEIGHT = "clamp(24rem, calc(100vh - 19rem), 62vw)"
"""With what stands above and below it in the window, and no higher than a narrow window is wide."""
_SWITCH = "graph_switch"
_LIST = "graph_list"
_DRAWN = "graph_drawn"
_WIDE = f"""@media (min-width: 641px) {{
    .st-key-{_SWITCH}, .st-key-{_LIST} {{ display: none; }}
    [data-testid='stColumn']:has(.st-key-{_DRAWN}) {{ position: sticky; top: 4rem;
        align-self: flex-start; }}
}}"""
_UNLISTED = f"@media (max-width: 640px) {{ .st-key-{_LIST} {{ display: none; }} }}"
_HIDDEN = f"""@media (max-width: 640px) {{
    .st-key-{_DRAWN} {{ flex: none; height: 0; min-height: 0; overflow: hidden; visibility: hidden;
        margin-top: -1rem; }}
}}"""
"""With its width kept: a drawing that is made in nothing stays without a size."""


@contextmanager
def drawing_or_list() -> "Iterator[DeltaGenerator]":
    """A block that is seen in a wide window, and on a phone where the switch is on; the list is
    only seen on a phone.
    """
    with st.container(key=_SWITCH):
        is_drawn = st.toggle("Show the drawing", key="graph_is_drawn")
    st.html(f"<style>{_WIDE}{_UNLISTED if is_drawn else _HIDDEN}</style>")
    listed, drawn = st.container(key=_LIST, gap="xxsmall"), st.container(key=_DRAWN)
    with drawn:
        yield listed
