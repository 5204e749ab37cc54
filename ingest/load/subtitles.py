"""Subtitle files beside WebVTT and SubRip: ASS and SSA, SAMI, MicroDVD, MPL2 and LRC.

Own code: pysubs2 (1.8.1) takes ASS columns to stand in one order whatever the file says, drops the
lines of MicroDVD and MPL2 that have no end, invents ends for SAMI, and doesn't know LRC.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import LabelDecision, SourceTurn
from dynagrag.core.text import clock_seconds, collapse, plural, short
from dynagrag.ingest.load.captions import turns_of_cues
from dynagrag.ingest.load.parsed import Parsed, speaker_or_none, without_tags

_ASS_HEAD = re.compile(r"\[(?:Script Info|V4\+? Styles|Events)\]", re.IGNORECASE)
_ASS_COLUMNS = "layer start end style name marginl marginr marginv effect text".split()
"""The order where a file states none."""
_ASS_DRAWING = re.compile(r"\{[^{}]*\\p[1-9]")
_ASS_BREAK, _ASS_SPACE = re.compile(r"\\[Nn]"), re.compile(r"\\h")
_MICRODVD = re.compile(r"\s*\{(\d{1,9})\}\{(\d{0,9})\}(.*)", re.ASCII)
_MPL2 = re.compile(r"\s*\[(\d{1,9})\]\[(\d{0,9})\](.*)", re.ASCII)
_BRACED = re.compile(r"\{[^{}]*\}")
_RATE = re.compile(r"\d{1,3}(?:\.\d{1,6})?", re.ASCII)
_LRC_TIME = re.compile(r"\s*\[(-?\d{1,3}:\d\d(?:[.:]\d{1,3})?)\]", re.ASCII)
_LRC_TAG = re.compile(
    r"\s*\[(ti|ar|al|au|by|la|re|ve|length|offset|tool)\s*:(.*)\]\s*", re.IGNORECASE
)
_SAMI_TITLE = re.compile(r"<title>([^<]{1,300})</title>", re.IGNORECASE)
_SAMI_SYNC = re.compile(
    r"<sync\b[^<>]{0,80}?\bstart\s*=\s*[\"']?(\d{1,12})[^<>]*>", re.IGNORECASE | re.ASCII
)
_SAMI_END = re.compile(r"</(?:body|sami)\b", re.IGNORECASE)
_SAMI_BREAK = re.compile(r"<(?:br|p)\b[^<>]*>", re.IGNORECASE)
_SAMI_TAG = re.compile(r"<[/!a-z][^<>]*>", re.IGNORECASE)
_SAMI_CLASS = re.compile(r"<p\s+class=[\"']?(\w{1,30})", re.IGNORECASE)
_SAMI_PARAGRAPH = re.compile(
    r"<p\s+class=[\"']?(\w{1,30})[^<>]*>(?:(?!<p\s|<sync\b|</body).)*", re.IGNORECASE | re.DOTALL
)
_SOME = 0.8
"""The share of lines that have a form's beginning."""


def is_ass(lines: Sequence[str]) -> bool:
    """ASS or SSA: a section's head first, and lines of dialogue."""
    filled = (line.strip() for line in lines if line.strip())
    first = next((line for line in filled if not line.startswith(";")), "")
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
    # [00:00:03] has hours, but under tags, where it is 3 hundredths.
    marks = ".:" if has_tag else "."
    exact = sum(
        any(mark in match[1][4:] for mark in marks)
        for line in timed
        if (match := _LRC_TIME.match(line))
    )
    return len(timed) > 1 and exact > 0.5 * len(timed) and (has_tag or len(timed) == len(filled))


def has_lrc_time(line: str) -> bool:
    """Whether a line begins with a time as LRC has it, with or without hundredths."""
    return _LRC_TIME.match(line) is not None


def _share(lines: Sequence[str], pattern: re.Pattern[str]) -> float:
    filled = [line for line in lines if line.strip()]
    return sum(bool(pattern.match(line)) for line in filled) / max(1, len(filled))


def parse_ass(lines: list[str]) -> Parsed:
    """The dialogue of an ASS or SSA file, in time; an event's actor is its speaker.

    Comments and drawings are left out, and the copies of an event that effects are made of.

    Raises:
        LoadError: A line of dialogue without its times (its number is named).
    """
    title, columns = "", _ASS_COLUMNS
    num_comments = num_drawings = 0
    shown: dict[tuple[float, float, str], str] = {}
    num_events = 0
    is_in_events = False
    for number, line in enumerate(lines, 1):
        kind, _, rest = line.strip().partition(":")
        if line.lstrip().startswith("["):
            is_in_events = line.strip().casefold() == "[events]"
        elif kind == "Title" and not title:
            title = rest.strip()
        elif is_in_events and kind == "Format":
            columns = [column.strip().casefold() for column in rest.split(",")]
        elif kind == "Comment" and is_in_events:
            num_comments += 1
        elif kind == "Dialogue":
            num_events += 1
            event = dict(zip(columns, rest.split(",", len(columns) - 1), strict=False))
            start, end = (clock_seconds(event.get(key, "")) for key in ("start", "end"))
            if start is None or end is None:
                raise LoadError(
                    f"line {number}: a line of dialogue without its times: {short(line)}; write"
                    " them as 0:00:01.50"
                )
            text = event.get("text", "")
            if _ASS_DRAWING.search(text):
                num_drawings += 1
                continue
            words = _ASS_SPACE.sub(" ", _ASS_BREAK.sub("\n", _BRACED.sub("", text)))
            actor = event.get("name", event.get("actor", ""))
            shown.setdefault((start, end, words.strip()), actor.strip())
    notes = [f"{plural(num_comments, 'comment')} left out"] if num_comments else []
    if num_left := num_events - len(shown):
        notes.append(f"{plural(num_left, 'drawing or copy', 'drawings or copies')} left out")
    cues = sorted(((*key, actor) for key, actor in shown.items()), key=lambda cue: cue[0])
    labels: tuple[LabelDecision, ...] = ()
    if any(actor for *_, actor in cues):
        turns = [
            SourceTurn(collapse(words), speaker_or_none(actor), start, end)
            for start, end, words, actor in cues
        ]
    else:
        turns, labels = turns_of_cues((cue[:3] for cue in cues), notes)
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
    syncs = [(int(match[1]) / 1000, match.end()) for match in _SAMI_SYNC.finditer(text)]
    last = _SAMI_END.search(text, syncs[-1][1]) if syncs else None
    stops = [match.start() for match in _SAMI_SYNC.finditer(text)][1:]
    stops.append(last.start() if last else len(text))
    starts = sorted({start for start, _ in syncs})
    rows = []
    for (start, begin), stop in zip(syncs, stops, strict=False):
        at = bisect_right(starts, start)
        words = _SAMI_TAG.sub("", _SAMI_BREAK.sub("\n", text[begin:stop]))
        rows.append((start, starts[at] if at < len(starts) else None, without_tags(words)))
    title = _SAMI_TITLE.search(text[:4096])
    filled = (row for row in rows if row[2].strip())
    return _parsed(filled, notes, title[1] if title else "")


def parse_microdvd(lines: list[str]) -> Parsed:
    """MicroDVD counts frames; without their rate in its first line the times stay unknown."""
    first = next((match for line in lines if (match := _MICRODVD.fullmatch(line))), None)
    is_rate = first is not None and int(first[1]) <= 1 and _RATE.fullmatch(first[3].strip())
    rate = float(first[3]) if first is not None and is_rate else 0.0
    notes: list[str] = []
    if not rate:
        notes.append(
            "times left out: they count frames, and no first line such as {1}{1}25.0 says how many"
            " a second"
        )
    cues = [line for line in lines if first is None or not is_rate or line != first[0]]
    return _parsed(_counted(cues, _MICRODVD, rate), notes)


def parse_mpl2(lines: list[str]) -> Parsed:
    """The captions of an MPL2 file, which counts tenths of a second."""
    return _parsed(_counted(lines, _MPL2, 10.0), [])


def _counted(
    lines: Sequence[str], pattern: re.Pattern[str], rate: float
) -> Iterator[tuple[float | None, float | None, str]]:
    """Cues of lines of start, end and text, which count so many to a second; a rate of 0 gives no
    times. What is no such line goes on with the one before.
    """
    start_s = end_s = None
    for line in lines:
        match = pattern.fullmatch(line)
        if match is not None:
            start_s = int(match[1]) / rate if rate else None
            end_s = int(match[2]) / rate if rate and match[2] else None
        text = _BRACED.sub("", line if match is None else match[3])
        words = "\n".join(part.removeprefix("/") for part in text.split("|"))
        if words.strip():
            yield start_s, end_s, words


def _parsed(
    rows: Iterable[tuple[float | None, float | None, str]], notes: list[str], title: str = ""
) -> Parsed:
    turns, labels = turns_of_cues(rows, notes)
    return Parsed(tuple(turns), title=title, notes=tuple(notes), labels=labels)


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
