"""Chats that are saved as a page: Telegram's export (`messages.html`).

Own code: a page's blocks say by their classes alone who sent what and when.
"""

from typing import Any

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import collapse, plural
from dynagrag.ingest.load.parsed import Parsed, speaker_or_none
from dynagrag.ingest.load.times import from_first, instant_of


def parse_saved_chat(soup: Any) -> Parsed | None:
    """The messages of a saved chat, None for another page. A message without a name is of whom the
    one above is; what is forwarded, of whom it names.
    """
    messages = soup.select("div.message > div.body")
    if not any(body.select_one(":scope > .from_name") for body in messages):
        return None
    turns: list[SourceTurn] = []
    sender: str | None = None
    num_left = 0
    for body in messages:
        name = body.select_one(":scope > .from_name")
        if name is not None:
            sender = speaker_or_none(name.get_text())
        forwarded = body.select_one(":scope > .forwarded")
        held = body if forwarded is None else forwarded
        words = held.select_one(":scope > .text")
        is_service = "service" in body.parent.get("class", [])
        if words is None or is_service or not collapse(words.get_text(" ")):
            num_left += 1
            continue
        first = None if forwarded is None else forwarded.select_one(":scope > .from_name")
        if first is not None:
            for date in first.select(".date"):
                date.extract()
        for line_end in words.select("br"):
            line_end.replace_with("\n")
        speaker = sender if forwarded is None else speaker_or_none(first and first.get_text())
        turns.append(SourceTurn(collapse(words.get_text()), speaker, _sent_s(body)))
    moved, notes = from_first(turns)
    if num_left:
        notes += (f"{plural(num_left, 'message')} without words left out",)
    title = soup.select_one(".page_header .text")
    shown = "" if title is None else collapse(title.get_text())
    return Parsed(moved, title=shown, notes=notes, format="telegram-html")


def _sent_s(body: Any) -> float | None:
    """When a message was sent in seconds since 1970, as its clock's hint has it: `03.03.2024
    09:14:02 UTC+01:00`.
    """
    date = body.select_one(":scope > .date")
    shown = "" if date is None else str(date.get("title", "")).partition(" UTC")[0]
    try:
        instant = instant_of(shown)
    except ValueError:
        return None
    return None if instant is None else instant.value
