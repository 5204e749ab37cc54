"""Captions as turns: what one voice says over several cues, once, parted where its sentences end.

A cue ends where the screen is full, in the midst of a sentence more often than not, and roll-up
captions (YouTube's own) show each line two or three times while it moves up. Turns of whole
sentences make facts, lines of evidence and citations that can be read.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from dynagrag.core.schema import LoadedSource, SourceTurn
from dynagrag.ingest.load.captions import begins_another
from dynagrag.ingest.load.label_shapes import is_aside
from dynagrag.language.document_language import found_language
from dynagrag.language.english.data import words_of
from dynagrag.language.sentences import (
    MAX_SENTENCE_WORDS,
    next_word,
    num_words,
    sentence_spans,
)
from dynagrag.language.word_class import WordClass

_CAPTIONS = frozenset(
    "vtt srt sbv ass sami microdvd mpl2 lrc ttml youtube-xml youtube-json youtube-text podcast-json"
    " whisperx-json whisper-json whispercpp-json".split()
)
"""The formats whose turns are cues, or segments as long as a cue."""
MAX_PAUSE_S = 2.0
"""Between two cues of one sentence."""
MAX_CUE_S = 15.0
"""From one to the next, where the source doesn't say when a cue ends."""
MAX_WORDS = 60
"""The most words of a turn of several cues without the end of a sentence: captions without
punctuation.
"""
_SOME, _MOST = 0.1, 0.5
"""Shares of a file's cues that end a sentence, begin with a small letter, or repeat the end of the
one before.
"""
_FEWEST_CUES = 4
_LEAST_SHARED, _MAX_SHARED = 2, 50
"""Words; one alone ("Yes." "Yes.") says nothing."""
_WHOLE = 1_000_000
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?:\s|$)")
_BEGINNINGS = (words_of(WordClass.STARTER) | {"and"}) - words_of(
    WordClass.ARTICLE,
    WordClass.POSSESSIVE,
    WordClass.BE,
    WordClass.HAVE,
    WordClass.DO,
    WordClass.MODAL,
    WordClass.WHEN_PREPOSITION,
)
"""Words that begin a clause rather than go on with one."""
_SELF = re.compile(r"I\b")
_DASHES = "-–— "


def turns_of(source: LoadedSource, language: str = "") -> tuple[SourceTurn, ...]:
    """A source's turns as a document has them: of captions whole ones, else its own. `language`:
    the code of its words' (ISO 639-1); empty: as it is found.
    """
    if source.format not in _CAPTIONS:
        return source.turns
    words = "\n".join(cue.text for cue in source.turns)
    return whole_turns(source.turns, language or found_language(words))


def whole_turns(cues: Sequence[SourceTurn], language: str = "") -> tuple[SourceTurn, ...]:
    """The same words in the same order, but for what is shown again; a turn holds whole sentences
    of one speaker. `language`: the code of their words', where it is known.

    A cue that is cut gives each part its share of its time.
    """
    cues = _without_repeats(cues)
    is_running_on = _runs_on(cues)
    runs: list[list[SourceTurn]] = []
    for cue in cues:
        if runs and _goes_on(runs[-1][-1], cue, is_running_on):
            runs[-1].append(cue)
        else:
            runs.append([cue])
    return tuple(turn for run in runs for turn in (_cut(run, language) if len(run) > 1 else run))


def _without_repeats(cues: Sequence[SourceTurn]) -> Sequence[SourceTurn]:
    """The cues without what the one before had already, where half of a file's cues begin so."""
    words = [cue.text.split() for cue in cues]
    shared = [0]
    for before, own in pairwise(words):
        # With how many of the last words of the cue before the next one begins.
        most = min(len(before), len(own), _MAX_SHARED)
        shared.append(next((n for n in range(most, 0, -1) if before[-n:] == own[:n]), 0))
    num_repeating = sum(num >= _LEAST_SHARED for num in shared)
    if len(cues) < _FEWEST_CUES or num_repeating < _MOST * len(cues):
        return cues
    return [
        replace(cue, text=" ".join(own[num:]))
        for cue, own, num in zip(cues, words, shared, strict=True)
        if len(own) > num
    ]


def _runs_on(cues: Sequence[SourceTurn]) -> bool:
    """Whether a file's sentences usually run on from cue to cue, so that a capital that follows no
    sentence's end is a name's.
    """
    num_ended = sum(bool(_SENTENCE_END.search(cue.text)) for cue in cues)
    if sum(cue.text.isupper() for cue in cues) > _MOST * len(cues):  # as television has them
        return _SOME * len(cues) <= num_ended < len(cues)
    num_lower = sum(cue.text[:1].islower() for cue in cues)
    return num_lower >= _MOST * len(cues) or min(num_ended, num_lower) >= _SOME * len(cues)


def _goes_on(cue: SourceTurn, following: SourceTurn, is_running_on: bool) -> bool:
    if (
        cue.speaker != following.speaker
        or begins_another(following.text)
        or is_aside(cue.text)
        or is_aside(following.text)
    ):
        return False
    words = following.text.lstrip(_DASHES)
    if not (words[:1].islower() or _SELF.match(words) or is_running_on):
        return False
    if cue.start_s is None or following.start_s is None:
        return cue.start_s is following.start_s
    before, most = (cue.start_s, MAX_CUE_S) if cue.end_s is None else (cue.end_s, MAX_PAUSE_S)
    return following.start_s >= cue.start_s and following.start_s - before <= most


def _cut(run: Sequence[SourceTurn], language: str) -> Iterator[SourceTurn]:
    """The turns of a run of cues."""
    text = " ".join(cue.text for cue in run)
    offsets = [0, *accumulate(len(cue.text) + 1 for cue in run)]
    cuts = [*_places(run, text, offsets, language), len(text) + 1]
    at = 0
    for start, end in pairwise(cuts):
        while offsets[at + 1] <= start:
            at += 1
        last = bisect_left(offsets, end) - 1
        start_s = run[at].start_s if start == offsets[at] else _within(run[at], start - offsets[at])
        end_s = (
            run[last].end_s if end >= offsets[last + 1] else _within(run[last], end - offsets[last])
        )
        yield SourceTurn(text[start : end - 1].strip(), run[at].speaker, start_s, end_s)


def _places(
    run: Sequence[SourceTurn], text: str, offsets: Sequence[int], language: str
) -> list[int]:
    """The offsets where turns begin: where a cue does, or at the last beginning of a sentence in
    the cue before, if it goes on. What has no punctuation is cut where a speaker may have paused.
    """
    spans = sentence_spans(text, _WHOLE, language)
    begins = [start for start, _ in spans]
    lengths = [num_words(text[start:end]) for start, end in spans]
    places = [0]
    for before, offset in pairwise(offsets[:-1]):
        at = bisect_left(begins, offset + 1) - 1
        if begins[at] > max(places[-1], before):
            places.append(begins[at])
        elif lengths[at] > MAX_SENTENCE_WORDS and (
            num_words(text[places[-1] : offset]) >= MAX_WORDS
        ):
            places.append(_best_cut(run, text, offsets, places[-1], offset))
    return places


def _best_cut(
    run: Sequence[SourceTurn], text: str, offsets: Sequence[int], after: int, offset: int
) -> int:
    """Of the beginnings of cues in the second half of a stretch, that after the longest pause, if
    there is one; else the last whose word often begins a sentence; else the end of the stretch.
    """
    first, last = bisect_left(offsets, (after + offset) / 2), bisect_left(offsets, offset)
    choices = range(max(1, first), last + 1)

    def fitness(number: int) -> tuple[float, bool, int]:
        end_s, start_s = run[number - 1].end_s, run[number].start_s
        pause = 0.0 if end_s is None or start_s is None else round(start_s - end_s, 1)
        word = next_word(text, offsets[number])[0].lower()
        return max(pause, 0.0), word in _BEGINNINGS, number

    return offsets[max(choices, key=fitness)]


def _within(cue: SourceTurn, offset: int) -> float | None:
    """The time of a place in a cue, as if its letters were spoken evenly."""
    if cue.start_s is None or cue.end_s is None:
        return cue.start_s
    return round(cue.start_s + max(0.0, cue.end_s - cue.start_s) * offset / len(cue.text), 3)
