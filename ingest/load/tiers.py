"""Transcripts in tiers, as ELAN, EXMARaLDA and Praat have them: a line of timed spans for each
speaker, and others for what is said about it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import collapse, short
from dynagrag.ingest.load.parsed import Parsed, speaker_or_none
from dynagrag.ingest.load.spoken_words import SpokenWord, letters, pieces_of

_REMARKS = re.compile(
    r"comment|kommentar|coment|note|nota|anmerk|remark|gest|gaze|blick|transl|traduc|tradu[zç]|gloss"
    r"|übersetz|morph|phon|\bpos\b|noise|\bsp[eé]akers?\b|ipa\b",
    re.IGNORECASE,
)
"""Names of tiers that hold no speech, in the languages of corpora."""
_NO_NAMES = frozenset(
    "words word utterances utterance sentences sentence phrases phrase default text transcript"
    " transcription segments segment ort ort-mau tier speech".split()
)
_KIND = re.compile(r"\s*[-_. ]+(?:words?|utterances?|text|txt|tx|ort|sentences?|v)$", re.IGNORECASE)
_REFINED, _FINER = 0.9, 1.5
"""A tier cuts another one finer where so many of its ends are ends there, and has more spans."""
_NEAR_S = 0.002


@dataclass(frozen=True, slots=True)
class TimedSpan:
    """A stretch of a tier: seconds, None where they aren't known."""

    start_s: float | None
    end_s: float | None
    text: str
    order: float | None = None
    """Where it stands among spans, for one without a start."""


@dataclass(slots=True)
class Tier:
    """A tier. `speaker`: whom the file names for it; `is_remark`: the file says that it holds what
    is said about the speech.
    """

    name: str
    speaker: str | None = None
    is_remark: bool = False
    spans: list[TimedSpan] = field(default_factory=list)

    @property
    def filled(self) -> list[TimedSpan]:
        """The spans that hold anything."""
        return [span for span in self.spans if collapse(span.text)]


def turns_of_tiers(tiers: Iterable[Tier], form: str, title: str = "") -> Parsed:
    """The turns of the tiers of speech, in time; the others are named in a note.

    Raises:
        LoadError: No tier holds speech.
    """
    filled = [tier for tier in tiers if tier.filled]
    speech = [tier for tier in filled if not tier.is_remark]
    if any(tier.speaker for tier in speech):
        speech = [tier for tier in speech if tier.speaker]
    named = [tier for tier in speech if not _REMARKS.search(tier.name)]
    speech = _coarsest(named or speech)
    if not speech:
        raise LoadError("has no tier with words; check that it is the file you meant")
    left = [tier.name for tier in filled if tier not in speech]
    rows: list[tuple[float, SourceTurn]] = []
    for tier in speech:
        speaker = speaker_or_none(tier.speaker or _name_of(tier.name, is_only=len(speech) == 1))
        rows += _turns(tier, speaker)
    rows.sort(key=lambda row: row[0])
    notes = []
    if left:
        more = f" and {len(left) - 6} more" if len(left) > 6 else ""
        notes.append(f"tiers left out: {', '.join(short(own, 30) for own in left[:6])}{more}")
    return Parsed(tuple(turn for _, turn in rows), title=title, notes=tuple(notes), format=form)


def _name_of(name: str, *, is_only: bool) -> str | None:
    """The speaker that a tier's name is: `Ida - words`, `tx@Ida`."""
    bare = name.partition("@")[2] or _KIND.sub("", name)
    if bare.casefold() in _NO_NAMES or (is_only and bare.casefold().startswith(("tier", "text"))):
        return None
    return bare


def _turns(tier: Tier, speaker: str | None) -> Iterator[tuple[float, SourceTurn]]:
    """(where it stands, turn) of each span; single words are gathered."""
    spans = tier.filled
    num_single = sum(len(span.text.split()) == 1 for span in spans)
    if len(spans) >= 4 and num_single >= 0.9 * len(spans):
        words = [SpokenWord(collapse(own.text), speaker, own.start_s, own.end_s) for own in spans]
        spans = [TimedSpan(own.start_s, own.end_s, own.text) for own in pieces_of(words)]
    place = 0.0
    for own in spans:
        place = next((at for at in (own.start_s, own.order) if at is not None), place)
        yield place, SourceTurn(collapse(own.text), speaker, own.start_s, own.end_s)


def _coarsest(tiers: Sequence[Tier]) -> list[Tier]:
    """The tiers without those that cut another one finer (words and sounds of the same speech), or
    hold its words again.
    """
    kept: list[Tier] = []
    for tier in sorted(tiers, key=lambda own: len(own.filled)):
        if not any(_is_finer(tier, own) or _is_again(tier, own) for own in kept):
            kept.append(tier)
    return [tier for tier in tiers if tier in kept]


def _is_finer(tier: Tier, other: Tier) -> bool:
    if len(tier.filled) < _FINER * len(other.filled):
        return False
    ends = {_tick(end) for span in tier.filled for end in (span.start_s, span.end_s)}
    near = ends | {end + 1 for end in ends} | {end - 1 for end in ends}
    if _overlap(tier, other) < _REFINED * _length(tier):
        return False
    wanted = [_tick(end) for span in other.filled for end in (span.start_s, span.end_s)]
    return sum(end in near for end in wanted) >= _REFINED * len(wanted)


def _ends(tier: Tier) -> list[tuple[float, float]]:
    spans = [(own.start_s, own.end_s) for own in tier.filled]
    return sorted((start, end) for start, end in spans if start is not None and end is not None)


def _length(tier: Tier) -> float:
    return sum(end - start for start, end in _ends(tier))


def _overlap(tier: Tier, other: Tier) -> float:
    """Seconds in which both have a span; the spans of a tier follow each other."""
    first, second = _ends(tier), _ends(other)
    at = 0
    total = 0.0
    for start, end in first:
        while at < len(second) and second[at][1] <= start:
            at += 1
        for begun, ended in second[at : at + 1000]:
            if begun >= end:
                break
            total += min(end, ended) - max(start, begun)
    return total


def _tick(seconds: float | None) -> int:
    return -10 if seconds is None else round(seconds / _NEAR_S)


def _is_again(tier: Tier, other: Tier) -> bool:
    words, others = (letters("".join(own.text for own in one.filled)) for one in (tier, other))
    return len(words) > 10 and words == others
