"""Text forms of spaceflight, whose turns begin with the time: mission clock, Spacelog, voice from
air to ground. A turn lasts until the next such line, in the last of them until a blank line.
"""

import re
from dataclasses import dataclass, field

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import collapse, plural
from dynagrag.ingest.load.parsed import Parsed, paragraphs, speaker_or_none

_HMS = r"(\d{1,4}) (\d{1,2}) (\d{1,2})"
_MISSION = re.compile(rf"\[(?:{_HMS})? ?(-)? ?(?:{_HMS})?\][ \t]*(.*)", re.ASCII)
_MISSION_NOTE = re.compile(r"\d{0,3}> ?")
_AIR = re.compile(
    r"(?P<time>\d{2,3}(?: \d{2}){2,3})[ \t]+"
    r"(?P<code>[A-Z][A-Z\d]{0,6}(?:[-/(][A-Z\d)]{1,6}){0,2}(?: \([A-Z]{2,12}\))?|[-–—.]{2,4})"
    r"[ \t]+(?P<words>\S.*)",
    re.ASCII,
)
_FEWEST, _LEAST = 3, 0.2
_SPACELOG = re.compile(r"\[(-)?(\d{1,4}):(\d{2}):(\d{2}):(\d{2})\]\s*", re.ASCII)
_SPACELOG_SPEAKER = re.compile(r"([^\s:_#\[(][^:]{0,40}?)[ \t]*:(?=\s|$)")
_SPACELOG_LINK = re.compile(r"\[(?:glossary|time):([^\[\]|]{0,200})(?:\|([^\[\]]{0,200}))?\]")


@dataclass(slots=True)
class _Open:
    """A turn that is being read."""

    speaker: str | None = None
    start_s: float | None = None
    end_s: float | None = None
    lines: list[str] = field(default_factory=list)

    def turn(self) -> SourceTurn:
        return SourceTurn(
            collapse(" ".join(self.lines)), speaker_or_none(self.speaker), self.start_s, self.end_s
        )


def _closed(turns: list[_Open]) -> tuple[SourceTurn, ...]:
    return tuple(turn for turn in (item.turn() for item in turns) if turn.text)


def _left_out(count: int, what: str) -> tuple[str, ...]:
    return (f"{plural(count, what)} left out",) if count else ()


# ------------------------------------------------------------------------------------ mission clock


def is_mission_clock(lines: list[str]) -> bool:
    """Whether the first line with anything on it is a mission clock's: `[55 46 11 - 55 46 27]
    CDR`.
    """
    first = next((line.strip() for line in lines if line.strip()), "")
    match = _MISSION.fullmatch(first)
    return match is not None and (match[1] is not None or match[5] is not None)


def parse_mission_clock(lines: list[str]) -> Parsed:
    """Turns of `[H M S - H M S] SPEAKER` blocks; commentary (`> ...`) is left out, {marks} around
    commented words are taken off.
    """
    turns: list[_Open] = []
    num_notes = 0
    for line in lines:
        match = _MISSION.fullmatch(line.strip()) if line.startswith("[") else None
        if match is not None:
            start, end = (_hms(match.group(at, at + 1, at + 2)) for at in (1, 5))
            turns.append(_Open(match[8], start, end))
        elif line.startswith("# ") and turns:
            turns.append(
                _Open(line[2:], turns[-1].start_s, turns[-1].end_s)
            )  # another voice at the same time
        elif _MISSION_NOTE.match(line):
            num_notes += 1
        else:
            if not turns:
                turns.append(_Open())
            turns[-1].lines.append(line.replace("{", "").replace("}", ""))
    return Parsed(_closed(turns), notes=_left_out(num_notes, "commentary note"))


def _hms(parts: tuple[str | None, ...]) -> float | None:
    if None in parts:
        return None
    hours, minutes, seconds = (int(part or 0) for part in parts)
    return float(hours * 3600 + minutes * 60 + seconds)


# ----------------------------------------------------------------------------------------- Spacelog


def is_spacelog(lines: list[str]) -> bool:
    """Whether the first line that is neither blank, a comment nor a `_key` is a Spacelog stamp:
    `[00:00:03:36]`.
    """
    first = next((line for line in lines if line.strip() and line[0] not in "_#"), "")
    return _SPACELOG.fullmatch(first) is not None


def parse_spacelog(lines: list[str]) -> Parsed:
    """Turns of `[d:hh:mm:ss]` blocks, which may hold several speakers; `_key` lines and comments
    are left out.
    """
    turns: list[_Open] = []
    start: float | None = None
    is_fresh = True
    num_meta = 0
    for line in lines:
        stamp = _SPACELOG.fullmatch(line) if line.startswith("[") else None
        if stamp is not None:
            days, hours, minutes, seconds = map(int, stamp.group(2, 3, 4, 5))
            start = float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
            start = -start if stamp[1] else start
            is_fresh = True
        elif line[:1] in {"_", "#"}:
            num_meta += 1
        elif line.strip():
            label = _SPACELOG_SPEAKER.match(line)
            if label is not None:
                turns.append(_Open(label[1], start, None, [line[label.end() :]]))
            elif is_fresh:
                turns.append(_Open(None, start, None, [line]))
            else:
                turns[-1].lines.append(line)
            is_fresh = False
    for turn in turns:
        words = " ".join(map(str.strip, turn.lines))
        turn.lines = [_SPACELOG_LINK.sub(lambda m: m[2] or m[1], words)]
    return Parsed(_closed(turns), notes=_left_out(num_meta, "editors' line"))


# ------------------------------------------------------------------------------ air-to-ground voice


def is_air_to_ground(lines: list[str]) -> bool:
    """Whether a fifth of the lines begin as in a voice transcription: `04 06 35 51  CC  Go`."""
    filled = [line.strip() for line in lines if line.strip()]
    num_fit = sum(_AIR.fullmatch(line) is not None for line in filled)
    return num_fit >= _FEWEST and num_fit >= _LEAST * len(filled)


def parse_air_to_ground(lines: list[str]) -> Parsed:
    """Turns of `DAYS HOURS MINUTES SECONDS CODE words` lines (or without days), and of the lines
    below to a blank one. Other paragraphs, such as LOSS OF SIGNAL, are nobody's.
    """
    turns: list[_Open] = []
    blocks = paragraphs(lines)
    spoken = [block for block in blocks if _AIR.fullmatch(block[0].strip())]
    below = [line for block in spoken for line in block if not _AIR.fullmatch(line.strip())]
    is_hanging = 2 * sum(line[:1].isspace() for line in below) >= len(below)
    for block in blocks:
        turns.append(_Open())
        for line in block:
            match = _AIR.fullmatch(line.strip())
            if match is None and is_hanging and not line[:1].isspace() and turns[-1].speaker:
                turns.append(_Open())  # a page's head
            if match is not None:
                parts = [int(part) for part in match["time"].split()]
                days = parts.pop(0) if len(parts) > 3 else 0
                start = float(days * 86400 + parts[0] * 3600 + parts[1] * 60 + parts[2])
                turns.append(_Open(match["code"], start, None, [match["words"]]))
            else:
                turns[-1].lines.append(line)
    return Parsed(_closed(turns))
