"""Text forms whose turns have a line of their own with the time: mission clock, Spacelog, Otter,
YouTube's copied text.

In the first three a turn lasts until the next such line.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import clock_seconds, collapse, plural
from dynagrag.ingest.load.parsed import Parsed, paragraphs, speaker_or_none
from dynagrag.ingest.load.speakers import find_labels, split_label

_HMS = r"(\d{1,4}) (\d{1,2}) (\d{1,2})"
_MISSION = re.compile(rf"\[(?:{_HMS})? ?(-)? ?(?:{_HMS})?\][ \t]*(.*)", re.ASCII)
_MISSION_NOTE = re.compile(r"\d{0,3}> ?")
_SPACELOG = re.compile(r"\[(-)?(\d{1,4}):(\d{2}):(\d{2}):(\d{2})\]\s*", re.ASCII)
_SPACELOG_SPEAKER = re.compile(r"([^\s:_#\[(][^:]{0,40}?)[ \t]*:(?=\s|$)")
_SPACELOG_LINK = re.compile(r"\[(?:glossary|time):([^\[\]|]{0,200})(?:\|([^\[\]]{0,200}))?\]")
_TIME = r"(?:\d{1,4}:)?\d{1,4}:\d{2}(?:[.,]\d{1,3})?"
_NAME_AND_TIME = re.compile(
    rf"(?P<name>\S.{{0,60}}?)(?P<gap>\s+)(?P<open>[(\[])?(?P<time>{_TIME})(?(open)[)\]]):?",
    re.ASCII,
)
_TIME_AND_TEXT = re.compile(
    rf"(?:\[(?P<a>{_TIME})\]|\((?P<b>{_TIME})\)|(?P<c>{_TIME}))"
    r"(?:\s*[-–]\s*(?P<text1>.*)|\s+(?P<text2>.*)|)",
    re.ASCII,
)
_OTTER_END = "transcribed by https://otter.ai"


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


# -------------------------------------------------------------------------------------------- Otter


def _otter_header(line: str) -> tuple[str, float | None, bool] | None:
    """(speaker, seconds, sure) of `Name  0:12`; sure when two spaces, a tab or brackets set the
    time off.
    """
    text = line.strip()
    if len(text) > 90 or not text.rstrip(":)]")[-1:].isdigit():
        return None
    match = _NAME_AND_TIME.fullmatch(text)
    if match is None or split_label(f"{match['name']}: x") is None:
        return None
    return (
        match["name"],
        clock_seconds(match["time"]),
        len(match["gap"]) > 1 or match["gap"] == "\t" or match["open"] is not None,
    )


def is_otter(lines: list[str]) -> bool:
    """Whether at least half of the paragraphs begin with a line of a name and a time and nothing
    else.
    """
    blocks = paragraphs(lines)
    heads = [(head, block) for block in blocks if (head := _otter_header(block[0]))]
    num_heads = sum(is_sure or len(block) > 1 for (_, _, is_sure), block in heads)
    return num_heads > 0 and num_heads >= 0.5 * len(blocks)


def parse_otter(lines: list[str]) -> Parsed:
    """Turns of `Name  0:12` lines with the words below them."""
    turns: list[_Open] = []
    notes: tuple[str, ...] = ()
    is_block_start = True
    for line in lines:
        head = _otter_header(line)
        if head is not None and (is_block_start or head[2]):
            turns.append(_Open(head[0], head[1]))
        elif line.strip().lower() == _OTTER_END:
            notes = ("the line of its maker left out",)
        else:
            if not turns:
                turns.append(_Open())
            turns[-1].lines.append(line)
        is_block_start = not line.strip()
    return Parsed(_closed(turns), notes=notes)


# ----------------------------------------------------------------------------- YouTube, timed lines


def _timed(line: str) -> tuple[float | None, str] | None:
    """(seconds, the words behind) of a line that begins with a time."""
    match = _TIME_AND_TEXT.fullmatch(line.strip())
    if match is None:
        return None
    time, words = match["a"] or match["b"] or match["c"], match["text1"] or match["text2"] or ""
    return clock_seconds(time), words


def is_timed_text(lines: list[str]) -> bool:
    """Whether the text is lines that begin with a time, in order, one of them among the first three
    lines.

    Times that stand alone are enough where a fifth of the lines are such; before words, half of the
    lines or paragraphs must have one.
    """
    filled = [line for line in lines if line.strip()]
    found = [timed for line in filled if (timed := _timed(line))]
    if not found or not any(_timed(line) for line in filled[:3]):
        return False
    times = [seconds or 0.0 for seconds, _ in found]
    num_ordered = 1 + sum(b >= a for a, b in pairwise(times))
    if num_ordered < 0.9 * len(times):
        return False
    num_alone = sum(not text for _, text in found)
    if 0.2 * len(filled) <= num_alone < len(filled):
        return True
    blocks = paragraphs(lines)
    num_open = sum(_timed(block[0]) is not None for block in blocks)
    is_half = len(found) >= 0.5 * len(filled) or (len(blocks) > 1 and num_open >= 0.5 * len(blocks))
    return len(found) >= 2 and is_half


def parse_timed_text(lines: list[str]) -> Parsed:
    """Turns of `0:12` lines with the words behind or below them; a speaker before a colon where the
    file has such.
    """
    turns: list[_Open] = []
    for line in lines:
        found = _timed(line)
        if found is not None:
            turns.append(_Open(None, found[0], None, [found[1]]))
        else:
            if not turns:
                turns.append(_Open())
            turns[-1].lines.append(line)
    texts = [next((line for line in turn.lines if line.strip()), "") for turn in turns]
    labels = find_labels([[text] for text in texts])
    for turn, text in zip(turns, texts, strict=True):
        split = labels.split(text)
        if split is not None:
            turn.speaker = split[0]
            turn.lines[turn.lines.index(text)] = split[1]
    return Parsed(_closed(turns))
