"""Lines of recognisers' scoring tools: CTM (a word a line), STM (a segment a line) and RTTM (who
speaks when, perhaps with words).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import plural
from dynagrag.ingest.load.parsed import Parsed, speaker_or_none
from dynagrag.ingest.load.spoken_words import SpokenWord, pieces_of

_NUMBER = r"\d{1,7}(?:\.\d{1,9})?"
_FEWEST, _MOST = 2, 0.95
_LEAST_WORDS = 3


@dataclass(frozen=True, slots=True)
class _Form:
    """`is_words`: each line has a word (`text`) and how long it lasts (`duration`)."""

    name: str
    line: re.Pattern[str]
    is_words: bool


_FORMS = (
    _Form(
        "ctm",
        re.compile(
            rf"\S+ (?P<channel>[A-Z0-9]) (?P<start>{_NUMBER}) (?P<duration>{_NUMBER})"
            rf" (?P<text>\S+)(?: (?:{_NUMBER}|NA|-))?(?: \S+(?: (?P<speaker>\S+))?)?"
        ),
        is_words=True,
    ),
    _Form(
        "stm",
        re.compile(
            rf"\S+ (?P<channel>[A-Z0-9]) (?P<speaker>\S+) (?P<start>{_NUMBER}) (?P<end>{_NUMBER})"
            r"(?: <[^<>]*>)? (?P<text>\S.*)"
        ),
        is_words=False,
    ),
    _Form(
        "rttm",
        re.compile(
            rf"(?P<kind>[A-Z][A-Z-]{{3,15}}) \S+ (?P<channel>\S+) (?P<start>{_NUMBER}|<NA>)"
            rf" (?P<duration>{_NUMBER}|<NA>) (?P<text>\S+) \S+ (?P<speaker>\S+).*"
        ),
        is_words=True,
    ),
)
_IGNORED = frozenset({"ignore_time_segment_in_scoring", "inter_segment_gap", "<unk>", "<eps>"})
_NOBODY = frozenset({"<na>", "unknown", "inter_segment_gap", "excluded_region"})


def _filled(lines: Sequence[str]) -> list[str]:
    return [" ".join(line.split()) for line in lines if line.strip() and line[:2] != ";;"]


def aligned_form(lines: Sequence[str]) -> str | None:
    """ctm, stm or rttm for lines of which nearly all are such; else None."""
    filled = _filled(lines)
    for form in _FORMS:
        if len(filled) >= (_LEAST_WORDS if form.name == "ctm" else _FEWEST) and (
            sum(form.line.fullmatch(line) is not None for line in filled) >= _MOST * len(filled)
        ):
            return form.name
    return None


def parse_aligned(lines: Sequence[str]) -> Parsed:
    """The turns of such lines; single words are gathered.

    Raises:
        LoadError: RTTM that says who speaks when and holds no words.
    """
    name = aligned_form(lines)
    form = next(own for own in _FORMS if own.name == name)
    found = [match for line in _filled(lines) if (match := form.line.fullmatch(line))]
    if form.name == "rttm":
        found = [match for match in found if match["kind"] == "LEXEME"]
        if not found:
            raise LoadError(
                "is an RTTM file: it says who speaks when, without words; give the transcript with"
                " the words, as CTM or the recogniser's JSON"
            )
    channels = {match["channel"] for match in found}
    turns: list[SourceTurn] = []
    num_ignored = 0
    words: list[SpokenWord] = []
    for match in found:
        text = match["text"]
        if text.casefold() in _IGNORED:
            num_ignored += 1
            continue
        start = float(match["start"])
        speaker = _speaker(match["speaker"], match["channel"], is_told=len(channels) > 1)
        if form.is_words:
            end = start + float(match["duration"])
            words.append(SpokenWord(text, speaker, start, end))
        else:
            turns.append(SourceTurn(text, speaker, start, float(match["end"])))
    for own in pieces_of(sorted(words, key=lambda word: word.start_s or 0.0)):
        turns.append(SourceTurn(own.text, own.speaker, own.start_s, own.end_s))
    notes = (f"{plural(num_ignored, 'mark')} without words left out",) if num_ignored else ()
    return Parsed(tuple(turns), notes=notes, format=form.name)


def _speaker(label: str | None, channel: str, *, is_told: bool) -> str | None:
    """The speaker of a line, else its channel where there are several."""
    if label and label.casefold() not in _NOBODY:
        return speaker_or_none(label)
    return f"channel {channel}" if is_told else None
