"""YouTube's caption XML: `<transcript><text start dur>` and the newer `<timedtext><body><p t d>` in
milliseconds.
"""

from collections.abc import Iterator
from xml.etree import ElementTree

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import any_seconds, collapse, plural, short
from dynagrag.ingest.load.parsed import Parsed, without_tags

_FORMS = {"transcript": ("text", "start", "dur", 1.0), "timedtext": ("p", "t", "d", 0.001)}
"""By the root's tag: a cue's tag, its attributes for start and duration, and their unit in
seconds.
"""


def parse_youtube_xml(text: str) -> Parsed:
    """The captions of a YouTube XML file.

    Raises:
        LoadError: Malformed XML (line and column), another XML form, or a time that is none.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise LoadError("declares XML entities, which no YouTube caption file does; not read")
    declaration_end = text.find("?>") + 2 if text.lstrip().startswith("<?xml") else 0
    try:
        # The text is decoded: an encoding that its declaration names no longer holds.
        root = ElementTree.fromstring(text[declaration_end:].strip())
    except ElementTree.ParseError as err:
        line, column = err.position
        line += text[:declaration_end].count("\n")
        raise LoadError(
            f"malformed XML at line {line}, column {column + 1}; correct it or export it again"
        ) from err
    cue_tag, start, duration, unit_s = _FORMS.get(root.tag, ("", "", "", 1.0))
    turns = []
    for cue in _outermost(root, cue_tag):
        # YouTube encodes its text twice (&amp;#39; is an apostrophe); the parser undid the first.
        words = collapse(without_tags("".join(cue.itertext())))
        start_s, duration_s = _seconds(cue.get(start)), _seconds(cue.get(duration))
        start_s = None if start_s is None else start_s * unit_s
        end_s = None if start_s is None or duration_s is None else start_s + duration_s * unit_s
        turns.append(SourceTurn(words, None, start_s, end_s))
    if not turns:
        raise LoadError(
            f"not a YouTube transcript: XML with the root {short(root.tag)}; known are <transcript>"
            " and <timedtext>"
        )
    num_empty = sum(not turn.text for turn in turns)
    notes = (f"{plural(num_empty, 'empty cue')} left out",) if num_empty else ()
    return Parsed(tuple(turns), notes=notes)


def _outermost(root: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    """The elements of a tag that lie in no other one of it (which has their words), in order."""
    to_see = [iter(root)]
    while to_see:
        element = next(to_see[-1], None)
        if element is None:
            to_see.pop()
        elif element.tag == tag:
            yield element
        else:
            to_see.append(iter(element))


def _seconds(value: str | None) -> float | None:
    if value is None:
        return None
    seconds = any_seconds(value)
    if seconds is None:
        raise LoadError(f"{short(value)} is no time in seconds; correct it or export it again")
    return seconds
