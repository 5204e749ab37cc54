"""The panel with the source of an open citation, and the script that opens it and scrolls to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import streamlit as st

from dynagrag.ui import state

_PARAMETER = "cited"
_KEY = "beside"
_SCRIPT = Path(__file__).with_name("source_panel.js")
PANEL = "source_beside"
"""The panel's key: its style and the script find it by it."""
HEAD = "source_head"
STYLE = f"""<style>
.stMarkdownColoredBackground {{ scroll-margin-top: 40vh; }}
:is(.st-key-{PANEL}, .st-key-source_page) .stMarkdownColoredBackground {{ padding: 0.1rem 0;
    box-decoration-break: clone;
    background: light-dark(#ffe3b3, #5c3d00) !important; }}
[data-testid='stColumn']:has(.st-key-{PANEL}) {{ position: sticky; top: 4rem;
    align-self: flex-start; }}
.st-key-{PANEL} {{ max-height: calc(100vh - 17rem); overflow-y: auto; scrollbar-gutter: stable; }}
.st-key-{PANEL} > :has(.st-key-{HEAD}) {{ position: sticky; top: 0; z-index: 1;
    background: light-dark(#ffffff, #050505); }}
.st-key-{HEAD} [data-testid='stMarkdown'] p {{ display: -webkit-box; -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
    overflow: hidden; }}
@media (max-width: 1100px) {{
    [data-testid='stColumn']:has(.st-key-{PANEL}) {{ position: static; }}
    [data-testid='stColumn']:has(.st-key-{PANEL}) {{ flex: none; width: 0; min-width: 0; }}
    .st-key-{PANEL} {{ position: fixed; inset: 3.75rem 0 0 auto; z-index: 999;
        width: min(30rem, 100vw); padding: 0 1rem 1rem;
        max-height: none; background: light-dark(#ffffff, #050505);
            border-left: 1px solid light-dark(#d5d6d9, #34353b); }}
}}
</style>"""
"""On a tablet the panel lies over the right part of the conversation, on a phone over all of it,
until it is closed.
"""


@dataclass(frozen=True, slots=True)
class OpenSource:
    """The words of a document that are open beside the answers."""

    document_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class InView:
    """A scroll target: the first element that `selector` finds is scrolled to the top of the
    window, or to the middle of the element `inside`; once for each `token`.
    """

    name: str
    token: str
    selector: str
    inside: str = ""


def open_source() -> OpenSource | None:
    """The open source as the address bar has it; None if no panel is open."""
    document_id, _, span = st.query_params.get(_PARAMETER, "").partition(":")
    start, _, end = span.partition("-")
    return OpenSource(document_id, number(start), number(end)) if document_id else None


def number(text: str) -> int:
    """A place in a text as an address has it; 0 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


def open_at(document_id: str) -> None:
    """Opens a document at its beginning."""
    st.query_params[_PARAMETER] = f"{document_id}:0-0"
    state.remember("times_opened", state.remembered("times_opened", 0) + 1)


def close() -> None:
    """Closes the panel."""
    st.query_params.pop(_PARAMETER, None)


def watch_links(in_view: Sequence[InView]) -> None:
    """Makes a click on a citation open its source here, and brings things into view; after the
    elements that it is about.
    """
    script = st.components.v2.component("dynagrag_beside", js=_SCRIPT.read_text(encoding="utf-8"))
    wanted = list(in_view)
    if opened := open_source():
        token = f"{opened}{state.remembered('times_opened', 0)}"
        panel = f".st-key-{PANEL}"
        wanted.append(InView("source", token, f"{panel} .stMarkdownColoredBackground", panel))
    rows = [
        {"name": w.name, "token": w.token, "selector": w.selector, "inside": w.inside}
        for w in wanted
    ]
    script(key=_KEY, data={"in_view": rows}, on_opened_change=_open)


def _open() -> None:
    address = st.session_state[_KEY].opened
    query = {name: values[0] for name, values in parse_qs(urlsplit(address or "").query).items()}
    if query.get("document"):
        start, end = number(query.get("start", "")), number(query.get("end", ""))
        st.query_params[_PARAMETER] = f"{query['document']}:{start}-{end}"
        state.remember("times_opened", state.remembered("times_opened", 0) + 1)
