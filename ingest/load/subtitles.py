"""Subtitle files beside WebVTT and SubRip: ASS and SSA, SAMI, MicroDVD and MPL2 by pysubs2, and LRC
by own code, which pysubs2 doesn't read.

pysubs2 invents an end where SAMI has none, and drops nothing else that was tried; its TTML reader
knows neither ticks, frames nor agents (`xml_forms` has that).
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import LabelDecision, SourceTurn
from dynagrag.core.text import clock_seconds, collapse, plural, short
from dynagrag.ingest.load.captions import turns_of_cues
from dynagrag.ingest.load.parsed import Parsed, speaker_or_none, without_tags

_ASS_HEAD = re.compile(r"\[(?:Script Info|V4\+? Styles|Events)\]", re.IGNORECASE)
_MICRODVD = re.compile(r"\{\d+\}\{\d*\}")
_MPL2 = re.compile(r"\[\d+\]\[\d*\]")
_LRC_TIME = re.compile(r"\s*\[(-?\d{1,3}:\d\d(?:[.:]\d{1,3})?)\]", re.ASCII)
_LRC_TAG = re.compile(
    r"\s*\[(ti|ar|al|au|by|la|re|ve|length|offset|tool)\s*:(.*)\]\s*", re.IGNORECASE
)
_SAMI_TITLE = re.compile(r"<title>([^<]{1,300})</title>", re.IGNORECASE)
_SAMI_CLASS = re.compile(r"<p\s+class=[\"']?(\w{1,30})", re.IGNORECASE)
_SAMI_PARAGRAPH = re.compile(
    r"<p\s+class=[\"']?(\w{1,30})[^<>]*>(?:(?!<p\s|<sync\b|</body).)*", re.IGNORECASE | re.DOTALL
)
_SOME = 0.8
"""The share of lines that have a form's beginning."""


def is_ass(lines: Sequence[str]) -> bool:
    """ASS or SSA: a section's head first, and lines of dialogue."""
    first = next((line.strip() for line in lines if line.strip()), "")
    has_dialogue = any(line.startswith("Dialogue:") for line in lines)
    return has_dialogue and _ASS_HEAD.match(first) is not None


def is_microdvd(lines: Sequence[str]) -> bool:
    """MicroDVD: `{25}{75}text`."""
    return _share(lines, _MICRODVD) >= _SOME


def is_mpl2(lines: Sequence[str]) -> bool:
    """MPL2: `[10][25]text`."""
    return _share(lines, _MPL2) >= _SOME


def is_lrc(lines: Sequence[str]) -> bool:
    """LRC: `[00:12.50]text` with hundredths, under tags such as `[ti:...]` or in every line."""
    filled = [line for line in lines if line.strip()]
    timed = [line for line in filled if _LRC_TIME.match(line)]
    has_tag = any(_LRC_TAG.fullmatch(line) for line in filled[:20])
    exact = sum("." in match[1] for line in timed if (match := _LRC_TIME.match(line)))
    return len(timed) > 1 and exact > 0.5 * len(timed) and (has_tag or len(timed) == len(filled))


def _share(lines: Sequence[str], pattern: re.Pattern[str]) -> float:
    filled = [line for line in lines if line.strip()]
    return sum(bool(pattern.match(line)) for line in filled) / max(1, len(filled))


def parse_ass(lines: list[str]) -> Parsed:
    """The dialogue of an ASS or SSA file, in time; an event's actor is its speaker.

    Comments and drawings are left out, and the copies of an event that effects are made of.
    """
    import pysubs2

    file = _loaded(lines, "ssa" if any("[V4 Styles]" in line for line in lines[:200]) else "ass")
    events = sorted((own for own in file if own.type == "Dialogue"), key=lambda own: own.start)
    shown: dict[tuple[int, int, str], pysubs2.SSAEvent] = {}
    for event in events:
        if not event.is_drawing:
            shown.setdefault((event.start, event.end, event.plaintext), event)
    notes = []
    if num_comments := len(file) - len(events):
        notes.append(f"{plural(num_comments, 'comment')} left out")
    if num_copies := len(events) - len(shown):
        notes.append(f"{plural(num_copies, 'drawing or copy', 'drawings or copies')} left out")
    kept = list(shown.values())
    labels: tuple[LabelDecision, ...] = ()
    if any(event.name.strip() for event in kept):
        turns = [
            SourceTurn(
                collapse(event.plaintext),
                speaker_or_none(event.name),
                event.start / 1000,
                event.end / 1000,
            )
            for event in kept
        ]
    else:
        rows = ((event.start / 1000, event.end / 1000, event.plaintext) for event in kept)
        turns, labels = turns_of_cues(rows, notes)
    title = file.info.get("Title", "")
    return Parsed(tuple(turns), title=title, notes=tuple(notes), labels=labels)


def parse_sami(text: str) -> Parsed:
    """The captions of a SAMI file, of its first language. A caption ends where the next one, or a
    blank one, begins.
    """
    notes: list[str] = []
    classes = list(dict.fromkeys(match[1].upper() for match in _SAMI_CLASS.finditer(text)))
    if len(classes) > 1:
        notes.append(f"of {len(classes)} languages ({', '.join(classes)[:60]}) the first is read")
        text = _SAMI_PARAGRAPH.sub(
            lambda match: match[0] if match[1].upper() == classes[0] else "", text
        )
    events = list(_loaded([text], "sami"))
    starts = sorted({event.start for event in events})
    rows = []
    for event in events:
        at = bisect_right(starts, event.start)
        end = starts[at] / 1000 if at < len(starts) else None
        if event.plaintext.strip():
            rows.append((event.start / 1000, end, event.plaintext))
    title = _SAMI_TITLE.search(text[:4096])
    return _parsed(rows, notes, title[1] if title else "")


def parse_microdvd(lines: list[str]) -> Parsed:
    """MicroDVD counts frames; without their rate in its first line the times stay unknown."""
    import pysubs2

    notes: list[str] = []
    try:
        file = pysubs2.SSAFile.from_string("\n".join(lines), format_="microdvd")
        rate: float | None = file.fps
    except pysubs2.UnknownFPSError:
        file, rate = _loaded(lines, "microdvd", fps=25.0), None
        notes.append(
            "times left out: they count frames, and no first line such as {1}{1}25.0 says how many"
            " a second"
        )
    except Exception as err:
        raise _broken("MicroDVD", err) from err
    rows = (
        (
            None if rate is None else event.start / 1000,
            None if rate is None else event.end / 1000,
            event.plaintext,
        )
        for event in file
    )
    return _parsed(rows, notes)


def parse_mpl2(lines: list[str]) -> Parsed:
    """The captions of an MPL2 file, which counts tenths of a second."""
    notes: list[str] = []
    rows = ((own.start / 1000, own.end / 1000, own.plaintext) for own in _loaded(lines, "mpl2"))
    return _parsed(rows, notes)


def _parsed(
    rows: Iterable[tuple[float | None, float | None, str]], notes: list[str], title: str = ""
) -> Parsed:
    turns, labels = turns_of_cues(rows, notes)
    return Parsed(tuple(turns), title=title, notes=tuple(notes), labels=labels)


def _loaded(lines: Sequence[str], form: str, **options: float) -> Any:
    """A file as pysubs2 reads it; LoadError where it can't, whatever it raises."""
    import pysubs2

    try:
        return pysubs2.SSAFile.from_string("\n".join(lines), format_=form, **options)
    except Exception as err:
        raise _broken(form.upper(), err) from err


def _broken(form: str, err: Exception) -> LoadError:
    return LoadError(
        f"broken {form} file ({type(err).__name__}: {short(str(err), 60)}); correct it or save it"
        " as SRT"
    )


def parse_lrc(lines: list[str]) -> Parsed:
    """The lines of an LRC file in time. A line with several times is sung several times; `offset`
    is milliseconds by which all come earlier.
    """
    title, offset_s = "", 0.0
    rows: list[tuple[float | None, float | None, str]] = []
    for line in lines:
        tag = _LRC_TAG.fullmatch(line)
        if tag is not None:
            value = tag[2].strip()
            title = value if tag[1].lower() == "ti" else title
            if tag[1].lower() == "offset" and re.fullmatch(r"[+-]?\d{1,9}", value, re.ASCII):
                offset_s = int(value) / 1000
            continue
        times: list[float | None] = []
        while (match := _LRC_TIME.match(line)) is not None:
            times.append(_lrc_seconds(match[1]))
            line = line[match.end() :]
        words = without_tags(line).strip()
        if not times:
            times = [None] if words else []
        rows += [(time, None, words) for time in times]
    timed = sorted((row for row in rows if row[0] is not None), key=lambda row: row[0] or 0.0)
    rows = timed if len(timed) == len(rows) else rows
    cues = (
        (None if start is None else max(0.0, start - offset_s), end, words)
        for start, end, words in rows
        if words
    )
    notes: list[str] = []
    return _parsed(cues, notes, title)


def _lrc_seconds(text: str) -> float | None:
    minutes, rest = text.split(":", 1)
    return clock_seconds(f"{minutes}:{rest.replace(':', '.')}")
