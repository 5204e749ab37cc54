"""Front matter: a block of YAML between lines of dashes at the head of a text, as programs for
notes and for websites write it. Its `title:` and `date:` are the document's; nothing of it is said.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from dynagrag.core.text import collapse, short
from dynagrag.ingest.load.line_records import parse_line_records
from dynagrag.ingest.load.parsed import DATE_KEY, Parsed

_MOST_LINES, _MOST_CHARS = 200, 20_000
_FIELD = re.compile(r"(?P<key>[^\W\d][\w -]{0,40}?)[ \t]*:(?:[ \t]+(?P<value>.*))?")
_BESIDE_FIELDS = re.compile(r"\s*(?:#.*|-(?:\s.*)?)?|\s.*")
"""A blank line, a comment, an item of a list, or what is indented below a field."""
_FIELD_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_TAKEN = ("title", "date")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a head says of its document: title and day (ISO), "" where it doesn't, and notes."""

    title: str = ""
    date: str = ""
    notes: tuple[str, ...] = ()

    def applied_to(self, parsed: Parsed) -> Parsed:
        """A document with the title, day and notes of its front matter."""
        meta = parsed.meta | ({DATE_KEY: self.date} if self.date else {})
        notes = (*self.notes, *parsed.notes)
        return replace(parsed, title=self.title or parsed.title, meta=meta, notes=notes)


def split_front_matter(lines: Sequence[str]) -> tuple[FrontMatter, list[str]]:
    """The front matter, and the lines with blank ones in its place, so that the others keep their
    numbers; empty, and the lines as they are, where there is none: talk between rules, records.
    """
    none = FrontMatter(), list(lines)
    first = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    if first == len(lines) or lines[first].rstrip() != "---":
        return none
    ends = range(first + 1, min(len(lines), first + _MOST_LINES))
    end = next((at for at in ends if lines[at].rstrip() in {"---", "..."}), None)
    if end is None:
        return none
    block = lines[first + 1 : end]
    fields, notes = _fields(block) if sum(map(len, block)) <= _MOST_CHARS else ({}, ())
    named = {key.casefold(): value for key, value in fields.items()}
    is_plain = bool(fields) and all(map(_FIELD_NAME.fullmatch, fields))
    is_front_matter = is_plain or not named.keys().isdisjoint(_TAKEN)
    if not is_front_matter or parse_line_records(lines) is not None:
        return none
    values = {key: _words(named.get(key)) for key in _TAKEN}
    day = _day(values["date"])
    if values["date"] and not day:
        notes += (f"its date {short(values['date'], 30)} isn't read; write it as 2024-05-31",)
    unread = [key for key in fields if not values.get(key.casefold())]
    if unread:
        notes += (f"of its front matter not read: {short(', '.join(unread), 80)}",)
    rest = [*[""] * (end + 1), *lines[end + 1 :]]
    return FrontMatter(values["title"], day, notes), rest


def _fields(block: Sequence[str]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The fields of a block, each a text where it is one; where it is no YAML (`title: Pier: a
    walk`) by its lines, with a note; none where it has something else than fields.
    """
    import yaml

    # Texts alone, no dates or numbers: 2024-05-31 stays as it is written.
    with suppress(yaml.YAMLError, RecursionError):
        read = yaml.load("\n".join(block), Loader=yaml.BaseLoader)
        return (read if isinstance(read, dict) and all(map(_is_text, read)) else {}), ()
    found = [_FIELD.fullmatch(line) for line in block]
    if any(own is None and not _BESIDE_FIELDS.fullmatch(block[at]) for at, own in enumerate(found)):
        return {}, ()
    fields = {own["key"]: (own["value"] or "").strip("\"' ") for own in found if own}
    return fields, ("its front matter is no YAML and was read line by line",)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _words(value: Any) -> str:
    """A field's text in one line; "" for a list or the like."""
    return collapse(value) if isinstance(value, str) else ""


def _day(text: str) -> str:
    """A day in ISO, from ISO or with its month in words; "" for another: 3/5/2024 is two days."""
    if match := _ISO_DATE.match(text):
        with suppress(ValueError):
            return date.fromisoformat(match[0]).isoformat()
        return ""
    if not any(map(str.isalpha, text)):
        return ""
    import dateparser

    rules = {"STRICT_PARSING": True, "REQUIRE_PARTS": ["day", "month", "year"]}
    found = dateparser.parse(text, settings=rules)
    return found.date().isoformat() if found else ""
