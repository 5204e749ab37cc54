"""Where a line speaks of a birth, a death or a burial, also in the brackets behind a name: (1 May 1950, Ohio – 3 June 2000, Rome)."""

import itertools
import re
from collections.abc import Iterator

from dynagrag.generation.claims.lexicon import lemma, senses
from dynagrag.generation.claims.quantities import quantities

_DASH = re.compile(r"[–—]|\s-|-\s|(?<=\d)-(?=\d)")
_BORN_NAME = re.compile(r"\(\s*born ([^();]*);")
_BETWEEN = re.compile(r"[^();]{0,60}?(?:\s*[–—]\s*|\s-\s*|-\s)[^();]{0,40}?|-?|\s")
BIRTH, DEATH, BURIAL = lemma("born"), lemma("die"), lemma("bury")
EVENTS = {stem: event for event in (BIRTH, DEATH, BURIAL) for stem in senses(event)}


def event_of(stem: str) -> str | None:
    """Birth, death or burial, where a stem says one of them."""
    return EVENTS.get(stem)


def event_texts(line: str, event: str) -> Iterator[str]:
    """The stretches of a line that speak of an event."""
    dates = [q for q in quantities(line) if q.date or q.looks_like_year]
    for born, died in itertools.pairwise(dates):
        if event in (BIRTH, DEATH) and _BETWEEN.fullmatch(line, born.end, died.start):
            dash = _DASH.search(line, born.end, died.start)
            at = dash.start() if dash else born.end
            yield line[_begin(line, born.start) : at] if event == BIRTH else line[at : _end(line, died.end)]
    yield from _told(line, event)


def _begin(line: str, at: int) -> int:
    """Where the brackets open that hold a date, a few words before it at most."""
    opened = max(line.rfind(mark, max(0, at - 40), at) for mark in "(;,")
    return (
        opened + 1 if opened >= 0 and line[opened] != "," else at if opened < 0 else max(line.rfind("(", max(0, at - 40), at) + 1, 0) or at
    )


def _end(line: str, at: int) -> int:
    """Where the brackets behind a date close, at most."""
    return min((i for i in (line.find(mark, at) for mark in ");") if i >= 0), default=at)


def _told(line: str, event: str) -> Iterator[str]:
    """From a word that says the event to the end of its part, and what leads to it."""
    line = _BORN_NAME.sub(r"(born \1,", line)
    for part in re.split(r"[;()]|(?<=[a-z]{3})\.\s", line):
        words = [(m.start(), EVENTS.get(lemma(m.group()))) for m in re.finditer(r"[^\W\d_]+", part)]
        cues = [(at, what) for at, what in words if what]
        for number, (_, what) in enumerate(cues):
            if what == event:
                start = cues[number - 1][0] if number and cues[number - 1][1] != event else 0
                later = next((at for at, other in cues[number + 1 :] if other != event), len(part))
                dash = _DASH.search(part, cues[number][0], later) if event == BIRTH else None
                later = dash.start() if dash else later
                yield part[start:later] if not number else part[cues[number][0] : later]
