"""Turns of single words: recognisers that give every word its time and speaker.

Words are gathered by speaker and sentence. Where the file has their text beside them, with its
punctuation, the turns are pieces of that text.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from dynagrag.core.text import UNSPACED
from dynagrag.language.sentences import sentence_spans

MAX_WORDS = 60
"""The most words of a turn without the end of a sentence, as of captions."""
PAUSE_S = 2.0
"""A silence that parts words without punctuation."""
_WHOLE = 1_000_000
_SIGNS = re.compile(r"[.,!?;:…)\]}»”％%、。，！？；：」』）]+")
_OPENING = "\"'“‘«([{¿¡「『（"
_NO_SPACE = re.compile(rf"[{UNSPACED}\u0e00-\u0e7f\u3000-\u303f\uff00-\uffef]")
_ENOUGH = 0.9
"""The share of a text's words that the single words must be to stand for it."""


@dataclass(frozen=True, slots=True)
class SpokenWord:
    """A word or sign with its speaker and its times in seconds."""

    text: str
    speaker: str | None
    start_s: float | None
    end_s: float | None
    is_sign: bool = False


@dataclass(frozen=True, slots=True)
class SpokenPiece:
    """Words of one speaker."""

    text: str
    speaker: str | None
    start_s: float | None
    end_s: float | None


def letters(text: str) -> str:
    """What two writings of the same words share."""
    return "".join(filter(str.isalnum, text.casefold()))


def joined(words: Sequence[SpokenWord]) -> tuple[str, list[int]]:
    """The text of words, and the offset of each in it.

    Words that bring their own blanks (Whisper, ElevenLabs, Rev) are put one after the other; others
    get a space between them, but for signs and for scripts that have none.
    """
    has_blanks = any(word.text != word.text.strip() for word in words)
    text = ""
    offsets = []
    pieces: list[str] = []
    size = 0
    for word in words:
        own = word.text if has_blanks else word.text.strip()
        if not has_blanks and size and own and not _is_attached(text, word, own):
            pieces.append(" ")
            size += 1
        offsets.append(size)
        pieces.append(own)
        size += len(own)
        text = own or text
    return "".join(pieces), offsets


def _is_attached(before: str, word: SpokenWord, own: str) -> bool:
    return (
        word.is_sign
        or _SIGNS.fullmatch(own) is not None
        or (_NO_SPACE.match(own[0]) is not None and _NO_SPACE.match(before[-1:]) is not None)
    )


def covers(words: Sequence[SpokenWord], text: str) -> bool:
    """Whether the words are all of a text, or nearly."""
    return sum(len(letters(word.text)) for word in words) >= _ENOUGH * len(letters(text))


def pieces_of(words: Sequence[SpokenWord], text: str = "") -> list[SpokenPiece]:
    """Words by speaker and sentence. `text` is what they are pieces of, if their letters are its
    letters; else their own texts are joined.
    """
    words = [word for word in words if word.text]
    if not words:
        return []
    whole, offsets = _laid_over(words, text) or joined(words)
    pieces = []
    for first, last in _runs(words):
        begin = _begin_of(whole, offsets, first)
        end = _begin_of(whole, offsets, last) if last < len(words) else len(whole)
        run = whole[begin:end]
        starts = [max(0, offset - begin) for offset in offsets[first:last]]
        cuts = sorted({0, *(start for start, _ in sentence_spans(run, _WHOLE)[1:])})
        cuts = _with_pauses(words[first:last], starts, cuts)
        for start, stop in zip(cuts, [*cuts[1:], len(run)], strict=True):
            between = words[first + bisect_left(starts, start) : first + bisect_left(starts, stop)]
            own = [word for word in between if word.text.strip()]
            if piece := run[start:stop].strip():
                pieces.append(
                    SpokenPiece(
                        piece,
                        words[first].speaker,
                        next((w.start_s for w in own if w.start_s is not None), None),
                        next((w.end_s for w in reversed(own) if w.end_s is not None), None),
                    )
                )
    return pieces


def _laid_over(words: Sequence[SpokenWord], text: str) -> tuple[str, list[int]] | None:
    """The text, and the offset of each word in it; None where they aren't the same letters."""
    if not text or letters(text) != letters("".join(word.text for word in words)):
        return None
    places = [at for at, ch in enumerate(text) for _ in letters(ch)]
    offsets = []
    num_letters = at = 0
    for word in words:
        own = len(letters(word.text))
        if own:
            at = places[num_letters]
            num_letters += own
        else:
            at = min(at + 1, len(text)) if num_letters else 0
        offsets.append(at)
    return text, offsets


def _runs(words: Sequence[SpokenWord]) -> list[tuple[int, int]]:
    """(first, after the last) of the words of one speaker; a sign or blank is the word's before."""
    firsts: list[int] = []
    speaker: str | None = None
    for number, word in enumerate(words):
        is_word = bool(letters(word.text)) and not word.is_sign
        if not firsts or (is_word and word.speaker != speaker):
            firsts.append(number)
            speaker = word.speaker
    return list(zip(firsts, [*firsts[1:], len(words)], strict=True))


def _begin_of(text: str, offsets: Sequence[int], number: int) -> int:
    """Where a word begins, with the quotation marks and brackets before it."""
    at = offsets[number] if number else 0
    while at and text[at - 1] in _OPENING and not (at > 1 and text[at - 2].isalnum()):
        at -= 1
    return at


def _with_pauses(
    words: Sequence[SpokenWord], starts: Sequence[int], cuts: Sequence[int]
) -> list[int]:
    """The cuts, and in what is long or without punctuation, one at each pause or after so many
    words.
    """
    made: list[int] = []
    num_words = 0
    has_ends = len(cuts) > 1
    end_s: float | None = None
    at = 0
    for word, start in zip(words, starts, strict=True):
        while at < len(cuts) and cuts[at] <= start:
            made.append(cuts[at])
            at += 1
            num_words = 0
        is_paused = (
            not has_ends
            and end_s is not None
            and word.start_s is not None
            and word.start_s - end_s > PAUSE_S
        )
        if num_words and not word.is_sign and (num_words >= MAX_WORDS or is_paused):
            made.append(start)
            num_words = 0
        num_words += bool(letters(word.text))
        end_s = word.end_s if word.end_s is not None else end_s
    return sorted({*made, *cuts[at:]})
