"""Who spoke from when to when, in JSON that has it apart from the words (a diarization)."""

from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from dynagrag.core.errors import LoadError
from dynagrag.ingest.load.json_places import FoundRecords, lists_in, records_at
from dynagrag.ingest.load.json_records import JsonRecord, has_words, read_record, seconds_of
from dynagrag.ingest.load.spoken_words import SpokenWord

_MAX_VOICES = 20
"""At once, in a list of who spoke when."""
_NEARLY = 0.8
"""The share of a segment that whoever speaks meanwhile must fill."""


@dataclass(frozen=True, slots=True, order=True)
class SpeakerSpan:
    """From when to when somebody speaks, in seconds."""

    start: float
    end: float
    speaker: str


def speaker_spans(data: Any, found: FoundRecords, unit_s: float) -> list[SpeakerSpan]:
    """Who spoke from when to when in seconds, in order, for a file that counts in a unit."""
    lists = [
        [read_record(value, path, around) for value, around in records_at(found.data, path)]
        for path in found.form.speakers
    ]
    for read in (*lists, _spans_beside(data, found.path)):
        timed = [(own.speaker, *seconds_of(own, unit_s)) for own in read]
        spans = [
            SpeakerSpan(start, end, speaker)
            for speaker, start, end in timed
            if start is not None and end is not None and speaker is not None
        ]
        if spans:
            return sorted(spans)
    return []


def speaker_within(
    start_s: float | None, end_s: float | None, spans: Sequence[SpeakerSpan]
) -> str | None:
    """Who speaks nearly all the time from one second to another; None where that is nobody."""
    if start_s is None or end_s is None or end_s <= start_s:
        return None
    spoken: dict[str, float] = {}
    first = bisect_right(spans, start_s, key=lambda span: span.start)
    for span in spans[max(0, first - _MAX_VOICES) :]:
        if span.start >= end_s:
            break
        length = max(0.0, min(end_s, span.end) - max(start_s, span.start))
        spoken[span.speaker] = spoken.get(span.speaker, 0.0) + length
    speaker = max(spoken, key=spoken.__getitem__, default="")
    return speaker if spoken.get(speaker, 0.0) >= _NEARLY * (end_s - start_s) else None


def with_speakers(words: list[SpokenWord], spans: Sequence[SpeakerSpan]) -> list[SpokenWord]:
    """Words whose speaker isn't told take that of the span in whose midst they are; one without a
    speaker between two of the same is theirs.
    """
    made = []
    for word in words:
        speaker = word.speaker
        if speaker is None and spans and word.start_s is not None:
            middle = (word.start_s + (word.end_s or word.start_s)) / 2
            at = bisect_right(spans, middle, key=lambda span: span.start) - 1
            if at >= 0 and middle <= spans[at].end:
                speaker = spans[at].speaker
        made.append(replace(word, speaker=speaker))
    known: str | None = None
    waiting: list[int] = []
    for number, word in enumerate(made):
        if word.speaker is None:
            waiting.append(number)
            continue
        if word.speaker == known:
            for gap in waiting:
                made[gap] = replace(made[gap], speaker=known)
        known, waiting = word.speaker, []
    return made


def _spans_beside(data: Any, path: str) -> list[JsonRecord]:
    """Who spoke from when to when, in a list without words beside that of the words; empty where a
    file has none.
    """
    for own, values in lists_in(data):
        if own == path or len(values) < 2 or any(map(has_words, values)):
            continue
        with suppress(LoadError):  # a list of other things
            read = [read_record(value, own, {}) for value in values]
            if all(r.speaker and r.start and (r.end or r.duration) for r in read):
                return read
    return []
