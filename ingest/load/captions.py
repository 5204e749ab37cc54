"""Caption files: WebVTT, SubRip and SBV. One cue is one turn; a cue with several voices is several
turns with the cue's times.

Own code on purpose. webvtt-py 0.6 (checked on real files) drops a malformed cue without a word and
names no line, refuses SubRip without cue numbers, reads only a cue's first voice and keeps
entities; a test holds this parser to it where both can read.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import LabelDecision, LabelFate, SourceTurn
from dynagrag.core.text import clock_seconds, collapse, plural, short
from dynagrag.ingest.load.json_records import read_record
from dynagrag.ingest.load.label_forms import CUE_FORMS, Head
from dynagrag.ingest.load.label_shapes import ends_sentence, is_aside, split_asides
from dynagrag.ingest.load.parsed import Parsed, speaker_or_none, without_tags
from dynagrag.ingest.load.speakers import (
    Labels,
    cue_decisions,
    cue_labels,
    label_notes,
    speakers_of_ids,
)

_TIME = r"(\d{1,4}:)?\d{1,4}:\d{1,2}[.,]\d{1,6}"
_ARROW_TIMES = re.compile(rf"\s*(?P<start>{_TIME})\s*-->\s*(?P<end>{_TIME})(?![\d:.,])", re.ASCII)
_COMMA_TIMES = re.compile(rf"\s*(?P<start>{_TIME}),(?P<end>{_TIME})\s*", re.ASCII)
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t]([^<>]*)>|</v>", re.IGNORECASE)
_DASHED = re.compile(r"\s*[-–—](?![-–—])\s*\S")
_CHANGE = re.compile(rf"\s*>>|{_DASHED.pattern}")
"""The beginning of a cue in which somebody else speaks who isn't named; with two dashes the same
speaker goes on.
"""
_CLASS = re.compile(r"<c(?:\.(?P<names>[^\s<>]+))?[^<>]*>|</c>")
_CLASS_STYLE = re.compile(r"::cue\(\s*c?\.(?P<name>[^\s().]+)\s*\)\s*\{(?P<style>[^{}]*)\}")
_COLOUR = re.compile(r"(?<![\w-])color\s*:\s*(?P<colour>[^;\s]+)", re.IGNORECASE)
_COLOUR_NAMES = frozenset("white lime cyan red yellow magenta blue black green".split())
"""The classes that WebVTT knows (W3C, 5.2), and what a colour is called: nobody's name."""
_WITHIN = re.compile(
    r"(?:(?<=[.!?…♪)\]\"”’»])|(?<=\w[-–—]))[ ]+(?=(?P<label>[^\s:][^:]{0,39}):[ ])"
)
"""Where a label may stand behind what somebody else says, in the same line."""
_SRT_OVERRIDE = re.compile(r"\{\\[^{}]*\}")
_MOST = 0.8
_FEW_DASHES = 0.4
_SKIPPED_BLOCKS = ("NOTE", "STYLE", "REGION")
_EXAMPLES = {
    "vtt": "00:00:01.000 --> 00:00:04.000",
    "srt": "00:00:01,000 --> 00:00:04,000",
    "sbv": "0:00:01.000,0:00:04.000",
}


@dataclass(slots=True)
class _Cue:
    start_s: float | None
    end_s: float | None
    name: str = ""
    """Its number or what else stands above its times."""
    lines: list[str] = field(default_factory=list)


def is_timing(line: str, form: str) -> bool:
    """Whether a line is a cue's timing line."""
    return _times(line, form) is not None


def begins_another(text: str) -> bool:
    """Whether a cue's words say that somebody else speaks now: one dash or `>>` before them."""
    return bool(_CHANGE.match(text))


def parse_captions(lines: list[str], form: str) -> Parsed:
    """The cues of a caption file; `form` is vtt, srt or sbv.

    Raises:
        LoadError: A malformed timing line (its number is named), or no cue at all.
    """
    cues, notes = _read_cues(lines, form)
    if not cues:
        raise LoadError(f"holds no cue; a cue begins with a line such as {_EXAMPLES[form]}")
    filled = [cue for cue in cues if any(line.strip() for line in cue.lines)]
    if len(filled) < len(cues):
        notes.append(f"{plural(len(cues) - len(filled), 'empty cue')} left out")
    title = ""
    if form == "vtt":
        if lines[0].startswith("WEBVTT"):
            title = lines[0][6:].strip().removeprefix("-").strip()
        else:
            notes.append("no WEBVTT line at the top")
        _name_voices(filled, "\n".join(lines), notes)
    turns, labels = _turns(filled, notes)
    return Parsed(tuple(turns), title=title, notes=tuple(notes), labels=labels)


def turns_of_cues(
    cues: Iterable[tuple[float | None, float | None, str]], notes: list[str]
) -> tuple[list[SourceTurn], tuple[LabelDecision, ...]]:
    """Turns of another format's cues (start and end in seconds, text), whose speakers stand in the
    text as they do in SubRip, and what became of the labels. Adds to the notes.
    """
    return _turns([_Cue(start, end, lines=text.split("\n")) for start, end, text in cues], notes)


def with_labels(
    turns: Sequence[SourceTurn], notes: list[str]
) -> tuple[tuple[SourceTurn, ...], tuple[LabelDecision, ...]]:
    """Turns of a form with a field for the speaker that nothing stands in: with those that their
    texts name, as cues do (`Anna: Hello.`), where they name any. Adds to the notes.
    """
    if any(turn.speaker for turn in turns):
        return tuple(turns), ()
    own: list[str] = []
    named, labels = turns_of_cues(((t.start_s, t.end_s, t.text) for t in turns), own)
    notes += own
    return tuple(named if any(turn.speaker for turn in named) else turns), labels


def _read_cues(lines: list[str], form: str) -> tuple[list[_Cue], list[str]]:
    cues: list[_Cue] = []
    num_strays = 0
    for first, block in _blocks(lines):
        if form == "vtt" and first == 1 and block[0].startswith("WEBVTT"):
            # A header with cues right below it, without the blank line, is common.
            at = next((i for i, line in enumerate(block) if _times(line, form)), len(block))
            first, block = first + at, block[at:]
        if form == "vtt" and block and block[0].split(maxsplit=1)[0] in _SKIPPED_BLOCKS:
            block = block if any("-->" in line for line in block[:2]) else []
        if block:
            num_strays += _read_block(block, first, form, cues)
    notes = [f"{plural(num_strays, 'line')} outside of any cue left out"] if num_strays else []
    return cues, notes


def _blocks(lines: list[str]) -> list[tuple[int, list[str]]]:
    """(number of the first line, lines) of each run of lines that are not blank."""
    blocks: list[tuple[int, list[str]]] = []
    is_open = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            is_open = False
        elif is_open:
            blocks[-1][1].append(line)
        else:
            blocks.append((number, [line]))
            is_open = True
    return blocks


def _read_block(block: list[str], first: int, form: str, cues: list[_Cue]) -> int:
    """Adds a block's cues; lines without times go on with the cue before (it has a blank line
    inside). Returns how many lines have no cue before them.
    """
    num_strays = 0
    has_cue, name = False, ""
    for at, line in enumerate(block):
        times = _times(line, form)
        if times is not None:
            if has_cue and cues[-1].lines and cues[-1].lines[-1].strip().isdigit():
                name = cues[-1].lines.pop().strip()  # the next cue's, without a blank line between
            cues.append(_Cue(*times, name=name))
            has_cue, name = True, ""
        elif _is_malformed(line, at, form, has_cue=has_cue):
            raise LoadError(
                f"line {first + at}: malformed cue timing {short(line)}; write it as"
                f" {_EXAMPLES[form]}"
            )
        elif has_cue:
            cues[-1].lines.append(line)
        elif at == 0 and len(block) > 1 and (_times(block[1], form) or "-->" in block[1]):
            name = line.strip()
        elif cues and not line.strip().isdigit():
            cues[-1].lines.append(line)
        else:
            num_strays += 1
    return num_strays


def _times(line: str, form: str) -> tuple[float | None, float | None] | None:
    match = _COMMA_TIMES.fullmatch(line) if form == "sbv" else _ARROW_TIMES.match(line)
    return (clock_seconds(match["start"]), clock_seconds(match["end"])) if match else None


def _is_malformed(line: str, at: int, form: str, *, has_cue: bool) -> bool:
    """A line that must have been meant as times: an arrow where times stand, or after a digit."""
    if form == "sbv":
        head, _, tail = line.strip().partition(",")
        return at == 0 and _looks_timed(head) and _looks_timed(tail)
    before, arrow, _ = line.partition("->")
    is_early = at < 2 and not has_cue
    if "-->" in line:
        return is_early or _looks_timed(before.strip())
    return bool(arrow) and is_early and _looks_timed(before.strip())


def _looks_timed(text: str) -> bool:
    return text[:1].isdigit() and ":" in text


def _turns(
    cues: list[_Cue], notes: list[str]
) -> tuple[list[SourceTurn], tuple[LabelDecision, ...]]:
    """A turn a cue, or a label within one. A cue without a label goes on with the speaker until a
    dash or `>>` begins another.
    """
    turns = _turns_of_objects(cues)
    if turns:
        return turns, ()
    if any("<v" in line.lower() and _VOICE.search(line) for cue in cues for line in cue.lines):
        for cue in cues:
            turns += [_turn(cue, text, speaker) for speaker, text in _voices("\n".join(cue.lines))]
        return turns, ()
    texts = [[_without_markup(line) for line in cue.lines] for cue in cues]
    labels, places = cue_labels(texts)
    split = _split_within(texts, labels)
    if split != texts:
        texts = split
        labels, places = cue_labels(texts)
    named = None if labels.form else speakers_of_ids([cue.name for cue in cues])
    if named is not None:
        by_id = zip(cues, texts, named, strict=True)
        return [_turn(cue, " ".join(lines), name) for cue, lines, name in by_id], ()
    if labels.form is not None:
        num_named = sum(
            (at, 0) in places and places[at, 0] in labels.heads for at in range(len(cues))
        )
        notes.append(f"{plural(num_named, 'cue')} of {len(cues):,} begin with a speaker's name")
    notes += label_notes(labels, "cue")
    rows = []
    for number, lines in enumerate(texts):
        heads = [labels.heads.get(places.get((number, at), -1)) for at in range(len(lines))]
        rows.append(_labelled(lines, heads, labels))
    turns = list(_spoken(cues, rows, labels))
    starts = {number: cue.start_s for number, cue in enumerate(cues, 1)}
    return turns, cue_decisions(labels, starts)


def _spoken(
    cues: Sequence[_Cue], rows: Sequence[list[tuple[Head | None, str]]], labels: Labels
) -> Iterator[SourceTurn]:
    """The turns of cues' words by their heads; a speaker goes on until another begins."""
    spoken = [part for parts in rows for part in parts]
    num_dashed = sum(head is None and bool(_DASHED.match(text)) for head, text in spoken)
    # Where dashes part voices without names, who speaks may change between cues without any sign.
    is_kept = num_dashed < _FEW_DASHES * len(labels.heads)
    current: str | None = None
    for cue, parts in zip(cues, rows, strict=True):
        for head, text in parts:
            speaker = labels.speaker_of(head) if head else None
            if head is not None or begins_another(text):
                current = speaker
            whose = speaker if is_aside(text) else current
            parted = [own for own in split_asides(text) if own]
            for own in parted:
                is_beside = len(parted) > 1 and is_aside(own)
                yield _turn(cue, own, None if is_beside else whose)
            if not is_kept and ends_sentence(text):
                current = None


def _name_voices(cues: list[_Cue], text: str, notes: list[str]) -> None:
    """Gives the cues voice spans where classes say who speaks: the file's style has a colour of its
    own for each, as broadcasters have one a person, their spans hold nearly all the words, and no
    names stand in those.
    """
    colours = {
        match["name"]: colour["colour"].casefold()
        for match in _CLASS_STYLE.finditer(text)
        if (colour := _COLOUR.search(match["style"]))
        and match["name"].casefold() not in _COLOUR_NAMES
    }
    if len(colours) < 2 or len(set(colours.values())) < len(colours):
        return
    texts = ["\n".join(cue.lines) for cue in cues]
    spoken = [text for text in texts if not is_aside(_without_markup(text))]
    named = [text for text in spoken if any(_class_of(m, colours) for m in _CLASS.finditer(text))]
    bare = [_without_markup(text).split("\n") for text in texts]
    if len(named) < _MOST * len(spoken) or cue_labels(bare)[0].form is not None:
        return
    for cue, text in zip(cues, texts, strict=True):
        cue.lines = _with_voices(text, colours).split("\n")
    notes.append(f"speakers are classes of the cues, each with a colour: {', '.join(colours)[:80]}")


def _class_of(span: re.Match[str], names: Collection[str]) -> str:
    """The class of a span that is among the names; "" for none."""
    own = (span["names"] or "").split(".")
    return next((name for name in own if name in names), "")


def _with_voices(text: str, names: Collection[str]) -> str:
    """A cue's text with voice spans for those of named classes, without its other classes."""
    around: list[str] = []

    def voice(span: re.Match[str]) -> str:
        before = next(filter(None, reversed(around)), "")
        if span[0] == "</c>":
            around[-1:] = []
        else:
            around.append(_class_of(span, names))
        now = next(filter(None, reversed(around)), "")
        return "" if now == before else f"<v {now}>" if now else "</v>"

    return _CLASS.sub(voice, text)


def _split_within(texts: list[list[str]], labels: Labels) -> list[list[str]]:
    """The lines of cues, parted before a speaker's label that stands behind a sentence: one of
    those that begin lines, or where all of them are in capitals any that is.
    """
    known = {label for label, v in labels.verdicts.items() if v.fate is LabelFate.SPEAKER}
    if labels.form is not CUE_FORMS[0] or not known:
        return texts
    are_capital = all(map(str.isupper, known))

    def parts(line: str) -> list[str]:
        cuts = [
            match.end()
            for match in _WITHIN.finditer(line)
            if match["label"] in known or (are_capital and match["label"].isupper())
        ]
        return [line[a:b].strip() for a, b in pairwise([0, *cuts, len(line)])]

    return [[part for line in lines for part in parts(line)] for lines in texts]


def _turns_of_objects(cues: list[_Cue]) -> list[SourceTurn]:
    """Turns of cues that each hold a JSON object, as Teams' metadata have them (`speakerName`,
    `spokenText`); none where one isn't such.
    """
    turns = []
    for cue in cues:
        text = " ".join(cue.lines).strip()
        if not text.startswith("{"):
            return []
        try:
            read = read_record(json.loads(text), "cue", {})
        except (ValueError, RecursionError, LoadError):
            return []
        turns.append(_turn(cue, read.text, read.speaker))
    return turns


def _without_markup(line: str) -> str:
    line = line.replace("[br]", " ")  # SubViewer's end of a line
    return without_tags(_SRT_OVERRIDE.sub("", line) if "{\\" in line else line)


def _turn(cue: _Cue, text: str, speaker: str | None) -> SourceTurn:
    return SourceTurn(collapse(text), speaker_or_none(speaker), cue.start_s, cue.end_s)


def _voices(text: str) -> list[tuple[str | None, str]]:
    """(speaker, words) of each voice span of a cue, and of words outside of any."""
    parts: list[tuple[str | None, str]] = []
    speaker: str | None = None
    at = 0
    for match in _VOICE.finditer(text):
        parts.append((speaker, _without_markup(text[at : match.start()])))
        speaker = without_tags(match[1]) if match[1] is not None else None
        at = match.end()
    parts.append((speaker, _without_markup(text[at:])))
    return [part for part in parts if part[1].strip()]


def _labelled(
    lines: list[str], heads: list[Head | None], labels: Labels
) -> list[tuple[Head | None, str]]:
    """The words of a cue by its heads. A label that is no speaker's is among its words."""
    parts: list[tuple[Head | None, list[str]]] = []
    for line, head in zip(lines, heads, strict=True):
        if head is not None:
            parts.append((head, [line if labels.speaker_of(head) is None else head.rest]))
        elif parts and (labels.form is None or not begins_another(line)):
            parts[-1][1].append(line)
        else:
            parts.append((None, [line]))
    return [(head, " ".join(words)) for head, words in parts]
