"""An entity as the page Curate shows it: names, type, summary, and quotes with the way to their
place.
"""

from collections.abc import Sequence

import streamlit as st

from dynagrag.core.schema import Entity
from dynagrag.core.text import times
from dynagrag.curation.suggestions import UNTOLD_TYPES
from dynagrag.curation.view import Quote, Seen, clipped
from dynagrag.ui.safe_markdown import plain, source_link, speaker_and_time
from dynagrag.ui.state import WorkspaceSession


def show_quotes(session: WorkspaceSession, quotes: Sequence[Quote]) -> None:
    """Quotes with the name in bold, who said it when, and a link to the place."""
    for quote in quotes:
        before, words, after = (
            " ".join(part.split()) for part in (quote.before, quote.words, quote.after)
        )
        parts = [plain(before), f"**{plain(words)}**" if words else "", plain(after)]
        gaps = [
            " " if quote.before[-1:].isspace() else "",
            " " if quote.after[:1].isspace() else "",
        ]
        link = source_link(
            session.name, quote.document_id, quote.start, max(quote.end, quote.start + 1)
        )
        who = speaker_and_time(quote.speaker, quote.start_s)
        where = (
            f"{who}, {plain(clipped(quote.title, 40))}" if who else plain(clipped(quote.title, 40))
        )
        st.markdown(f"“{parts[0]}{gaps[0]}{parts[1]}{gaps[1]}{parts[2]}” [{where}]({link})")


def show_entity(session: WorkspaceSession, seen: Seen, entity: Entity, num_quotes: int = 1) -> None:
    """An entity with its names, type, summary and quotes."""
    spelt = seen.spelt(entity)
    type_ = (
        f" · {plain(clipped(entity.type, 30))}"
        if entity.type.casefold() not in UNTOLD_TYPES
        else ""
    )
    st.markdown(
        f"**{plain(clipped(entity.name))}**{type_} · said {times(entity.weight)}"
        + (" · a speaker" if entity.is_speaker else "")
    )
    if len(spelt) > 1:
        few = ", ".join(f"{plain(clipped(name, 40))} ({number})" for _, name, number in spelt[:8])
        st.caption(f"Names: {few}" + (f" and {len(spelt) - 8} more" if len(spelt) > 8 else ""))
    if entity.summaries:
        st.caption(plain(clipped(max(entity.summaries, key=len), 160)))
    show_quotes(session, seen.quotes([key for key, _, _ in spelt], num_quotes))
