"""Mail, one message (`.eml`) or a box of them (`.mbox`), through the standard library: a turn a
message, its sender the speaker.
"""

import re
from email import message_from_string
from email.message import EmailMessage
from email.policy import default
from email.utils import parseaddr

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import collapse, plural
from dynagrag.ingest.load.html_text import html_lines
from dynagrag.ingest.load.parsed import Parsed, speaker_or_none, split_lines
from dynagrag.ingest.load.times import from_first, instant_of

_FROM_LINE = re.compile(r"^From \S+ .{0,60}\d\d:\d\d.*$", re.MULTILINE)
_HEADER = re.compile(r"([A-Z][A-Za-z-]{1,30}):[ \t]")
_NEEDED = frozenset({"from", "date"})
_OF_MAIL = frozenset({"message-id", "mime-version", "received", "content-type", "return-path"})


def is_mail(text: str) -> bool:
    """Whether a text begins with the headers of a mail, as it was sent."""
    head = text[:20_000].lstrip()
    body = head.partition("\n")[2] if _FROM_LINE.match(head) else head
    names = set()
    for line in body.split("\n"):
        match = _HEADER.match(line)
        if match is None and not line[:1].isspace():
            break
        if match is not None:
            names.add(match[1].casefold())
    return names >= _NEEDED and bool(names & _OF_MAIL)


def parse_mail(text: str) -> Parsed:
    """The messages in time, without what they quote of others."""
    parts = _FROM_LINE.split(text) if _FROM_LINE.match(text.lstrip()) else [text]
    turns: list[SourceTurn] = []
    title, num_quoted, num_files = "", 0, 0
    for part in parts:
        if not part.strip():
            continue
        message = message_from_string(part.lstrip("\n"), policy=default)
        assert isinstance(message, EmailMessage)  # as the policy makes them
        title = title or collapse(str(message.get("Subject", "")))
        lines = split_lines(_body(message))
        own = [line for line in lines if not line.startswith(">")]
        num_quoted += len(lines) - len(own)
        num_files += sum(1 for _ in message.iter_attachments())
        name, address = parseaddr(str(message.get("From", "")))
        speaker = speaker_or_none(name or address)
        turns.append(SourceTurn(collapse(" ".join(own)), speaker, _sent_s(message)))
    moved, notes = from_first(sorted(turns, key=lambda turn: turn.start_s or 0.0))
    for count, what in ((num_quoted, "quoted line"), (num_files, "attachment")):
        notes += (f"{plural(count, what)} left out",) if count else ()
    return Parsed(moved, title=title, notes=notes, format="mail")


def _body(message: EmailMessage) -> str:
    part = message.get_body(preferencelist=("plain", "html"))
    if part is None:
        return ""
    try:
        text = str(part.get_content())
    except (LookupError, ValueError):  # an encoding that nobody knows
        text = str(part.get_payload())
    return html_lines(text) if part.get_content_subtype() == "html" else text


def _sent_s(message: EmailMessage) -> float | None:
    try:
        sent = instant_of(str(message.get("Date", "")))
    except ValueError:
        return None
    return None if sent is None else sent.value
