"""Quotes on the pages Curate and Graph."""

from collections.abc import Sequence

import streamlit as st

from dynagrag.curation.quotes import Quote
from dynagrag.curation.view import clipped
from dynagrag.ui.safe_markdown import plain, source_link, speaker_and_time


def show_quotes(workspace: str, quotes: Sequence[Quote]) -> None:
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
            workspace, quote.document_id, quote.start, max(quote.end, quote.start + 1)
        )
        who = speaker_and_time(quote.speaker, quote.start_s)
        where = (
            f"{who}, {plain(clipped(quote.title, 40))}" if who else plain(clipped(quote.title, 40))
        )
        st.markdown(f"“{parts[0]}{gaps[0]}{parts[1]}{gaps[1]}{parts[2]}” [{where}]({link})")
