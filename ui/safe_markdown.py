"""Words of documents, models and people as Markdown that shows them as they are: no markup, no
HTML, no image, no link of their own.

Streamlit renders Markdown, and an image in it is a request to whatever host it names.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from dynagrag.core.text import STEERING, clock


@dataclass(frozen=True, slots=True)
class MarkLink:
    """Where an evidence mark leads, what the page calls it, and what is told when one points at
    it.
    """

    address: str
    name: str
    tip: str = ""


_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$^&:@/=\"'])")
_MAX_LABEL = 60
_CONTROLS = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200c\u200d{STEERING}]")
_LINK = re.compile(
    r"(?<=https:)(?=//)|(?<=http:)(?=//)|(?<=www)(?=\.)|(?=@)"
    r"|(?<=-)(?=[->])|(?<=<)(?=[-=])|(?<=[>~])(?==)",
    re.IGNORECASE,
)
"""Where a word joiner, which is not seen, keeps an address from becoming a link, and -- or >= from
becoming a sign of Streamlit's.
"""
_COMMAND = re.compile(r"`([^`]+)`")
MARK = re.compile(r"\[(E\d+)\]")
"""A mark of evidence in an answer: its label."""


def plain(text: object) -> str:
    """The text so that Markdown shows it character by character, on one line."""
    return _escaped(" ".join(str(text).split()))


def with_commands(text: object) -> str:
    """A message of this program, whose `commands` are shown as code; all else of it as it is."""
    parts = _COMMAND.split(" ".join(_CONTROLS.sub("\ufffd", str(text)).split()))
    return "".join(f"`{part}`" if at % 2 else _escaped(part) for at, part in enumerate(parts))


def clean(text: object, max_chars: int = 120) -> str:
    """The text for what shows no Markdown (the choices of a selectbox, a table's cells): on one
    line, cut, without control characters.
    """
    line = _CONTROLS.sub("\ufffd", " ".join(str(text).split()))
    return line if len(line) <= max_chars else line[: max_chars - 1] + "…"


def short_label(speaker: str) -> str:
    """A speaker's label as lists show it: what a file takes for one may be a whole paragraph."""
    return clean(speaker, _MAX_LABEL)


def speaker_choices(speakers: Iterable[str]) -> dict[str, str]:
    """Labels of speakers in a list of choices: cut labels that are the same are numbered, since a
    choice is known by what is shown.
    """
    by_label: dict[str, str] = {}
    for speaker in dict.fromkeys(speakers):
        label, number = short_label(speaker), 1
        while label in by_label:
            number += 1
            label = f"{short_label(speaker)} ({number})"
        by_label[label] = speaker
    return {speaker: label for label, speaker in by_label.items()}


def plain_lines(text: str) -> str:
    """The same with its line breaks kept; four blanks at a line's start would be a block of code,
    so one stays.
    """
    lines = [" " * line[:1].isspace() + _escaped(line.strip()) for line in text.splitlines()]
    return "  \n".join(lines) + " " * text[-1:].isspace()


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", _LINK.sub("\u2060", _CONTROLS.sub("\ufffd", text)))


def answer_markdown(
    text: str, links: Mapping[str, MarkLink], notes: Sequence[tuple[int, str]] = ()
) -> str:
    """An answer whose evidence marks are links: `links` by label (E3). `notes`: where Markdown is
    put in, and which, in order. All else is shown as it is.
    """
    pieces: list[str] = []
    at = 0
    for end, note in [*notes, (len(text), "")]:
        pieces.append(_with_links(text[at:end], links))
        pieces.append(f" {note}" if note else "")
        at = end
    return "".join(pieces)


def _with_links(text: str, links: Mapping[str, MarkLink]) -> str:
    pieces: list[str] = []
    at = 0
    for mark in MARK.finditer(text):
        pieces += [plain_lines(text[at : mark.start()]), mark_link(mark.group(1), links)]
        at = mark.end()
    return "".join(pieces) + plain_lines(text[at:])


def mark_link(label: str, links: Mapping[str, MarkLink]) -> str:
    """[1] as Markdown, a link that tells what it leads to; the label itself where there is no link
    for it.
    """
    link = links.get(label)
    if link is None:
        return f"\\[{label}\\]"
    tip = f' "{plain(link.tip)}"' if link.tip else ""
    return f"[\\[{plain(link.name)}\\]]({link.address}{tip})"


def source_link(workspace: str, document_id: str, start: int, end: int) -> str:
    """The address of the page that shows a document at its turn, with the words from `start` to
    `end` marked.
    """
    return "source?" + urlencode(
        {"workspace": workspace, "document": document_id, "start": start, "end": end},
        quote_via=quote,
    )


def speaker_and_time(speaker: str | None, start_s: float | None) -> str:
    """Speaker (long labels are cut) and time, as far as known, as Markdown."""
    return plain(
        " ".join(
            part
            for part in (short_label(speaker or ""), "" if start_s is None else clock(start_s))
            if part
        )
    )
