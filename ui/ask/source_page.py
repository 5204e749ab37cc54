"""The page Source: a transcript at a turn, with the words that were cited marked. Where every citation's link leads."""

import streamlit as st

from dynagrag.schema import Document, Turn
from dynagrag.text import clock
from dynagrag.ui import state
from dynagrag.ui.safe_markdown import clean, plain, plain_lines
from dynagrag.ui.state import Desk

_BEFORE, _AFTER, _MORE = 4, 12, 30
"""Turns around the words, and by how many a button shows more."""
_MAX_TURN = 20_000
"""Characters of a turn that are shown: a document without turns is one turn a paragraph, or one in all."""


def page() -> None:
    """The document of the address bar at its turn."""
    desk = state.needs_workspace()
    if desk is None:
        return
    with state.shown_errors():
        documents = {d.id: d for d in desk.documents()}
        document = documents.get(st.query_params.get("document", ""))
        if document is None:
            st.title("Source")
            if "document" in st.query_params:
                st.warning(
                    "This document is no longer in the workspace: it was deleted, or replaced by another version of its file.",
                    icon=":material/error:",
                )
            _choose(desk, list(documents.values()))
            return
        _show(desk, document, _number("start"), _number("end"))


def _number(name: str) -> int:
    text = st.query_params.get(name, "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


def _choose(desk: Desk, documents: list[Document]) -> None:
    picked = st.selectbox("Document", documents, index=None, format_func=lambda d: clean(d.title), placeholder="Choose one to read")
    if picked is not None:
        st.query_params.from_dict({"workspace": desk.name, "document": picked.id, "start": "0", "end": "0"})
        st.rerun()


def _show(desk: Desk, document: Document, start: int, end: int) -> None:
    st.header(plain(document.title), anchor=False)  # a hearing's title can fill half a page as a title
    turns = desk.space.store.turns(document.id)
    first, last = _touched(turns, start, max(end, start + 1))
    key = f"source_{document.id}_{start}_{end}"
    shown_first, shown_last = st.session_state.get(key, (max(0, first - _BEFORE), min(len(turns), last + 1 + _AFTER)))
    facts = [plain(document.uri), f"{len(turns):,} turns", f"turns {shown_first + 1} to {shown_last} are shown"]
    st.caption(" · ".join(facts))
    if shown_first > 0 and st.button(f"{shown_first} earlier turns", icon=":material/expand_less:", key="earlier"):
        st.session_state[key] = (max(0, shown_first - _MORE), shown_last)
        st.rerun()
    for number in range(shown_first, shown_last):
        _turn(document, turns[number], start, end, is_cited=end > start and first <= number <= last)
    rest = len(turns) - shown_last
    if rest > 0 and st.button(f"{rest} later turns", icon=":material/expand_more:", key="later"):
        st.session_state[key] = (shown_first, min(len(turns), shown_last + _MORE))
        st.rerun()


def _touched(turns: tuple[Turn, ...], start: int, end: int) -> tuple[int, int]:
    """First and last row of the turns that the span touches."""
    rows = [row for row, turn in enumerate(turns) if turn.start < end and start < turn.end]
    return (rows[0], rows[-1]) if rows else (0, 0)


def _turn(document: Document, turn: Turn, start: int, end: int, is_cited: bool) -> None:
    at = "" if turn.start_s is None else clock(turn.start_s)
    who = " · ".join(part for part in (f"**{plain(turn.speaker)}**" if turn.speaker else "", at, f"turn {turn.index + 1}") if part)
    with st.container(border=is_cited, gap="xxsmall"):
        st.caption(who)
        text = document.text[turn.start : min(turn.end, turn.start + _MAX_TURN)]
        cited_from, cited_to = (max(start, turn.start) - turn.start, min(end, turn.end) - turn.start) if is_cited else (0, 0)
        st.markdown(_marked(text, cited_from, cited_to))


def _marked(text: str, start: int, end: int) -> str:
    """The words with those from `start` to `end` marked; line by line, since a mark can't reach over a line's end."""
    if end <= start:
        return plain_lines(text)
    return plain_lines(text[:start]) + _space(text[:start]) + _mark(text[start:end]) + _lead(text[end:]) + plain_lines(text[end:])


def _mark(words: str) -> str:
    return "  \n".join(f":orange-background[{plain(line)}]" for line in words.splitlines() if line.strip())


def _space(before: str) -> str:
    return " " if before.endswith((" ", "\t")) else "  \n" if before.endswith("\n") else ""


def _lead(after: str) -> str:
    return " " if after.startswith((" ", "\t")) else ""
