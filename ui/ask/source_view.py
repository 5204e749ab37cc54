"""A transcript around a turn with the cited words marked, for the panel beside an answer and the
page Source.
"""

from collections.abc import Iterator, Sequence

import streamlit as st

from dynagrag.core.schema import Document, Turn
from dynagrag.core.text import clock
from dynagrag.ingest.load.speaker_audit import audit_speakers, spoken_turns
from dynagrag.ui.ask.recording import show_recording
from dynagrag.ui.ask.source_panel import OpenSource
from dynagrag.ui.safe_markdown import plain, plain_lines, short_label
from dynagrag.ui.state import WorkspaceSession

_BEFORE, _AFTER, _MORE = 4, 12, 30
"""Turns around the words, and by how many a button shows more."""
_MAX_TURN = 20_000
"""Characters of a turn that are shown: a document without turns is one turn a paragraph, or one in
all.
"""
_MAX_FOUND = 40
"""Turns that a search within the document shows."""
_MAX_FINDINGS = 20
_COLOURS = ("blue", "green", "violet", "orange", "red")
"""Of speakers, in the order in which they first speak; from the sixth on they repeat."""


def show_source(session: WorkspaceSession, document: Document, opened: OpenSource) -> None:
    """Shows the recording if there is one, a search box, and the turns around the open words."""
    turns = session.space.store.turns(document.id)
    end = max(opened.end, opened.start + 1)
    rows = [row for row, t in enumerate(turns) if t.start < end and opened.start < t.end]
    first, last = (rows[0], rows[-1]) if rows else (0, 0)
    show_recording(
        session, document, turns, turns[first].second_of(opened.start) if turns else None
    )
    if document.has_doubtful_speakers:
        _show_doubts(document, turns)
    label = "Search in this document"
    wanted = st.text_input(
        label, key=f"within_{document.id}", placeholder=label, label_visibility="collapsed"
    )
    speakers = dict.fromkeys(turn.speaker for turn in turns if turn.speaker)
    colours = {speaker: _COLOURS[row % len(_COLOURS)] for row, speaker in enumerate(speakers)}
    if wanted.strip():
        _show_found(document, turns, wanted.strip(), colours)
        return
    key = f"source_{document.id}_{opened.start}_{opened.end}"
    shown_first, shown_last = st.session_state.get(
        key, (max(0, first - _BEFORE), min(len(turns), last + 1 + _AFTER))
    )
    if shown_first > 0 and st.button(
        f"{shown_first:,} earlier turns", icon=":material/expand_less:", key=f"earlier_{key}"
    ):
        st.session_state[key] = (max(0, shown_first - _MORE), shown_last)
        st.rerun()
    for number in range(shown_first, shown_last):
        is_cited = opened.end > opened.start and first <= number <= last
        _show_turn(
            document,
            turns[number],
            [(opened.start, opened.end)] if is_cited else [],
            colours,
            is_framed=is_cited,
        )
    rest = len(turns) - shown_last
    if rest > 0 and st.button(
        f"{rest:,} later turns", icon=":material/expand_more:", key=f"later_{key}"
    ):
        st.session_state[key] = (shown_first, min(len(turns), shown_last + _MORE))
        st.rerun()


def _show_doubts(document: Document, turns: Sequence[Turn]) -> None:
    """What is said that speaks against the speakers."""
    findings = audit_speakers(spoken_turns(document, turns))
    with st.expander("Speakers doubtful", icon=":material/voice_selection_off:"):
        shown = [f"- {plain(finding.text())}" for finding in findings[:_MAX_FINDINGS]]
        if len(findings) > len(shown):
            shown.append(f"- and {len(findings) - len(shown):,} more")
        st.markdown("\n".join(shown) or "Their names have been put right since.")


def _show_found(
    document: Document, turns: Sequence[Turn], wanted: str, colours: dict[str, str]
) -> None:
    """The turns that hold the words, whatever their case."""
    spans = list(_occurrences(document.text, wanted))
    found = [(turn, [span for span in spans if turn.start <= span[0] < turn.end]) for turn in turns]
    found = [(turn, inside) for turn, inside in found if inside]
    st.caption(
        f"{len(spans):,} times in {len(found):,} of {len(turns):,} turns"
        if found
        else f"“{plain(wanted)}” isn't in this document."
    )
    for turn, inside in found[:_MAX_FOUND]:
        _show_turn(document, turn, inside, colours, is_framed=False)
    if len(found) > _MAX_FOUND:
        st.caption(f"The first {_MAX_FOUND} are shown.")


def _occurrences(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    lowered, sought = text.lower(), wanted.lower()
    if len(lowered) != len(text):
        # a few letters grow when they are made small; then places would be wrong
        lowered, sought = text, wanted
    at = lowered.find(sought)
    while at >= 0:
        yield at, at + len(sought)
        at = lowered.find(sought, at + len(sought))


def _show_turn(
    document: Document,
    turn: Turn,
    marks: Sequence[tuple[int, int]],
    colours: dict[str, str],
    *,
    is_framed: bool,
) -> None:
    at = "" if turn.start_s is None else plain(clock(turn.start_s))
    speaker = (
        f":{colours[turn.speaker]}[**{plain(short_label(turn.speaker))}**]" if turn.speaker else ""
    )
    where = f":gray[{' · '.join(part for part in (at, f'turn {turn.index + 1}') if part)}]"
    with st.container(border=is_framed, gap="xxsmall"):
        st.markdown(f":small[{speaker} {where}]")
        text = document.text[turn.start : min(turn.end, turn.start + _MAX_TURN)]
        st.markdown(
            marked(
                text,
                [
                    (max(a, turn.start) - turn.start, min(b, turn.end) - turn.start)
                    for a, b in marks
                ],
            )
        )


def marked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The words of these spans marked; line by line, since a mark can't reach over a line's end."""
    pieces: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if end <= start or start < at:
            continue
        before = text[at:start]
        lines = [line for line in text[start:end].splitlines() if line.strip()]
        mark = "  \n".join(f":orange-background[{plain(line)}]" for line in lines)
        pieces += [plain_lines(before), "  \n" * before.endswith("\n"), mark]
        at = end
    return "".join([*pieces, plain_lines(text[at:])])
