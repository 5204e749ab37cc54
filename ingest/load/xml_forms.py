"""XML captions: YouTube's (`<transcript><text start dur>`, and `<timedtext>` with `<p t d>` or
`<text t d>` in milliseconds) and TTML, also called DFXP or iTT.

TTML's times are clock times, frames, ticks or other units, and relative to the elements around. The
agent of an element is its speaker.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from xml.etree import ElementTree
from xml.parsers.expat import errors

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import LabelDecision, SourceTurn
from dynagrag.core.text import any_seconds, clock_seconds, collapse, plural, short
from dynagrag.ingest.load.captions import turns_of_cues
from dynagrag.ingest.load.foreign import foreign_root
from dynagrag.ingest.load.parsed import Parsed, speaker_or_none, without_tags
from dynagrag.ingest.load.xml_speech import parse_speech
from dynagrag.ingest.load.xml_table import parse_unknown

Element = ElementTree.Element

_YOUTUBE = {
    "transcript": (("text", "start", "dur", 1.0),),
    "timedtext": (("p", "t", "d", 0.001), ("text", "t", "d", 0.001)),
}
"""By the root's tag: a cue's tag, its attributes for start and duration, and their unit in
seconds.
"""
_DOCTYPE = re.compile(r"<!DOCTYPE\s[^<>\[\]]{0,300}>")
"""One that only names the form's grammar."""
_SEVERAL_ROOTS = errors.codes[errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]
_OFFSET = re.compile(r"(\d{1,12}(?:\.\d{1,9})?)(h|m|s|ms|f|t)", re.ASCII)
_CLOCK_FRAMES = re.compile(r"(\d{1,4}:\d\d:\d\d):(\d{1,3})(?:\.\d+)?", re.ASCII)
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_USUAL_FRAME_RATE = 30.0
"""What TTML takes where a file states none."""


def parse_xml(text: str) -> Parsed:
    """The captions of an XML file.

    Raises:
        LoadError: Malformed XML (line and column), another XML form, or a time that is none.
    """
    text = _DOCTYPE.sub("", text, count=1)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise LoadError("declares XML entities, which no caption file does; not read")
    declaration_end = text.find("?>") + 2 if text.lstrip().startswith("<?xml") else 0
    # The text is decoded: an encoding that its declaration names no longer holds.
    root = _root(text[declaration_end:].strip(), text[:declaration_end].count("\n"))
    name = _local(root.tag)
    if name == "tt":
        return _ttml(root)
    cues = () if _has_more(root) else _YOUTUBE.get(name, ())
    turns = [turn for cue in cues for turn in _youtube(root, *cue)]
    if not turns:
        refusal = foreign_root(name)
        parsed = None if refusal else parse_speech(root) or parse_unknown(root)
        if parsed is None or not parsed.turns:
            raise LoadError(
                refusal
                or f"not a transcript: XML with the root {short(name)}; known are captions"
                " (TTML, YouTube), ELAN, EXMARaLDA, FOLKER, Transcriber, TEI and parliaments'"
                " (docs/files.md); save it as text, SRT or VTT"
            )
        return parsed
    num_empty = sum(not turn.text for turn in turns)
    notes = (f"{plural(num_empty, 'empty cue')} left out",) if num_empty else ()
    return Parsed(tuple(turns), notes=notes, format="youtube-xml")


def _root(text: str, num_lines_above: int) -> Element:
    """The root of a file, or of elements one after the other without one."""
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as err:
        if err.code == _SEVERAL_ROOTS:
            with suppress(ElementTree.ParseError):
                return ElementTree.fromstring(f"<file>{text}</file>")
        line, column = err.position
        raise LoadError(
            f"malformed XML at line {line + num_lines_above}, column {column + 1}; correct it or"
            " export it again"
        ) from err


def _has_more(root: Element) -> bool:
    """Whether a file with the root of YouTube's is another tool's: its cues say more than times."""
    cues = root.findall("text") if root.tag == "transcript" else []
    return any(own.attrib.keys() - {"start", "dur"} for own in cues)


def _local(tag: str) -> str:
    """A name without its namespace."""
    return tag.rpartition("}")[2]


def _youtube(
    root: Element, tag: str, start: str, duration: str, unit_s: float
) -> Iterator[SourceTurn]:
    for cue, _ in _outermost(root, tag):
        # YouTube encodes its text twice (&amp;#39; is an apostrophe); the parser undid the first.
        words = collapse(without_tags("".join(cue.itertext())))
        start_s, duration_s = _seconds(cue.get(start)), _seconds(cue.get(duration))
        start_s = None if start_s is None else start_s * unit_s
        end_s = None if start_s is None or duration_s is None else start_s + duration_s * unit_s
        yield SourceTurn(words, None, start_s, end_s)


def _outermost(root: Element, tag: str) -> Iterator[tuple[Element, list[Element]]]:
    """The elements of a name that lie in no other one of it (which has their words), in order; each
    with the elements around it.
    """
    around = [root]
    to_see = [iter(root)]
    while to_see:
        element = next(to_see[-1], None)
        if element is None:
            to_see.pop()
            around.pop()
        elif _local(element.tag) == tag:
            yield element, around
        else:
            to_see.append(iter(element))
            around.append(element)


def _seconds(value: str | None) -> float | None:
    if value is None:
        return None
    seconds = any_seconds(value)
    if seconds is None:
        raise LoadError(f"{short(value)} is no time in seconds; correct it or export it again")
    return seconds


# --------------------------------------------------------------------------------------------- TTML


@dataclass(frozen=True, slots=True)
class _Rates:
    """What a TTML file counts in: ticks and frames a second."""

    ticks: float
    frames: float

    def seconds(self, value: str | None) -> float | None:
        """A time expression. LoadError for what is none."""
        if value is None or not value.strip():
            return None
        text = value.strip()
        offset, framed = _OFFSET.fullmatch(text), _CLOCK_FRAMES.fullmatch(text)
        if offset is not None:
            number, unit = float(offset[1]), offset[2]
            rate = {"f": self.frames, "t": self.ticks}.get(unit)
            return number * _SECONDS[unit] if rate is None else number / rate
        if framed is not None:
            return (clock_seconds(framed[1]) or 0.0) + int(framed[2]) / self.frames
        return _seconds(text)


def _ttml(root: Element) -> Parsed:
    attributes = _attributes(root)
    frames = _number(attributes.get("frameRate")) or _USUAL_FRAME_RATE
    top, _, bottom = attributes.get("frameRateMultiplier", "").replace(":", " ").partition(" ")
    if (above := _number(top)) and (below := _number(bottom)):
        frames *= above / below
    ticks = _number(attributes.get("tickRate"))
    rates = _Rates(ticks or (frames if "frameRate" in attributes else 1.0), frames)
    names = _agents(root)
    notes: list[str] = []
    turns: list[SourceTurn] = []
    first, languages = None, set[str]()
    for paragraph, around in _outermost(root, "p"):
        language = next(filter(None, (_language(own) for own in reversed(around[1:]))), "")
        first = language if first is None else first
        languages.add(language)
        if language != first:
            continue
        for own in paragraph.iter():
            if _local(own.tag) == "br":
                own.text = "\n"
            elif _attributes(own).get("unit") in {"word", "sentence"}:
                own.tail = " " + (own.tail or "")  # Apple's spans of words have none between
        base = sum(rates.seconds(own.get("begin")) or 0.0 for own in around)
        inherited = next(filter(None, (_agent(own) for own in reversed(around))), "")
        for element, text in _cues(paragraph):
            is_timed = element is not None and element.get("begin") is not None
            own = element if element is not None and is_timed else paragraph
            within = rates.seconds(paragraph.get("begin")) or 0.0
            offset = base + within if is_timed else base
            start, end = _times(own, rates)
            agent = "" if element is None else _agent(element)
            agent = agent or _agent(paragraph) or inherited
            speaker = ", ".join(names.get(id_, id_) for id_ in agent.split())
            turns.append(
                SourceTurn(
                    "\n".join(filter(None, map(collapse, text.split("\n")))),
                    speaker_or_none(speaker),
                    None if start is None else start + offset,
                    None if end is None else end + offset,
                )
            )
    if len(languages) > 1:
        notes.append(f"of {len(languages)} languages the first ({first or 'unnamed'}) is read")
    num_empty = sum(not turn.text for turn in turns)
    if num_empty:
        notes.append(f"{plural(num_empty, 'empty cue')} left out")
    labels: tuple[LabelDecision, ...] = ()
    if any(turn.speaker for turn in turns):
        turns = [replace(turn, text=collapse(turn.text)) for turn in turns]
    else:
        turns, labels = turns_of_cues(
            ((t.start_s, t.end_s, t.text) for t in turns if t.text), notes
        )
    title = next((own.text for own in root.iter() if _local(own.tag) == "title"), None)
    return Parsed(tuple(turns), title=title or "", notes=tuple(notes), format="ttml", labels=labels)


def _attributes(element: Element) -> Mapping[str, str]:
    return {_local(key): value for key, value in element.attrib.items()}


def _number(text: str | None) -> float | None:
    return float(text) if text and re.fullmatch(r"\d{1,12}(\.\d{1,9})?", text, re.ASCII) else None


def _agents(root: Element) -> dict[str, str]:
    """Names of the agents by their ids."""
    names = {}
    for agent in root.iter():
        if _local(agent.tag) == "agent":
            inner = (own for own in agent if _local(own.tag) == "name")
            name = collapse("".join(next(inner, agent).itertext()))
            if name:
                names[_attributes(agent).get("id", "")] = name
    return names


def _language(element: Element) -> str:
    return _attributes(element).get("lang", "")


def _agent(element: Element) -> str:
    return _attributes(element).get("agent", "")


def _times(element: Element, rates: _Rates) -> tuple[float | None, float | None]:
    start, end = rates.seconds(element.get("begin")), rates.seconds(element.get("end"))
    duration = rates.seconds(element.get("dur"))
    if end is None and duration is not None:
        end = (start or 0.0) + duration
    return start, end


def _cues(paragraph: Element) -> Iterator[tuple[Element | None, str]]:
    """(span or None for the paragraph itself, words). A span is a cue where it has an agent, or
    where it has times and the paragraph none; else its times only say when a word is sung.
    """
    has_times = paragraph.get("begin") is not None
    loose = paragraph.text or ""
    for element in paragraph:
        words = "".join(element.itertext())
        if _agent(element) or (element.get("begin") is not None and not has_times):
            if loose.strip():
                yield None, loose
            loose = ""
            yield element, words
        else:
            loose += words
        loose += element.tail or ""
    if loose.strip() or not len(paragraph):
        yield None, loose
