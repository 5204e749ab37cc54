"""The stretches of a line that speak of a birth, a death or a burial, also in the brackets behind a
name: (1 May 1950, Ohio – 3 June 2000, Rome).
"""

import itertools
import re
from collections.abc import Iterator

from dynagrag.generation.claims.quantities import quantities
from dynagrag.generation.claims.word_senses import lemma, senses

_DASH = re.compile(r"[–—]|\s-|-\s|(?<=\d)-(?=\d)")
_WORD = re.compile(r"[^\W\d_]+")
_BORN_NAME = re.compile(r"\(\s*born ([^();]*);")
_BETWEEN = re.compile(r"[^();]{0,60}?(?P<dash>\s*[–—]\s*|\s-\s*|-\s)[^();]{0,40}?|-?|\s")
_PART_END = re.compile(r"[;()]|(?<=[a-z]{3})\.\s")
_CLOSING = re.compile(r"[);]")
_OPENING = re.compile(
    r"(?:^|[(;])(?=(?:(?:born|b|c|ca|circa|in|on|née|né)\b|[^\W\da-z]\w*+|[^\w();])*$)"
)
"""Where the brackets of a life open before its first date: behind them stand names or "born", not
"in office".
"""
BIRTH, DEATH, BURIAL = lemma("born"), lemma("die"), lemma("bury")
EVENTS = {stem: event for event in (BIRTH, DEATH, BURIAL) for stem in senses(event)}


def event_of(stem: str) -> str | None:
    """Birth, death or burial, where a stem says one of them."""
    return EVENTS.get(stem)


def event_texts(line: str, event: str) -> Iterator[str]:
    """The stretches of a line that speak of an event: of the two dates in brackets behind a name,
    then from each word that says it to the next event in its part, with the words that lead to the
    first.
    """
    dates = [q for q in quantities(line) if q.date or q.looks_like_year]
    for born, died in itertools.pairwise(dates):
        between = _BETWEEN.fullmatch(line, born.end, died.start)
        opening = _OPENING.search(line, 0, born.start)
        if between and opening and event in (BIRTH, DEATH):
            dash = between.start("dash") if between["dash"] else None
            if event == BIRTH:
                yield line[opening.end() : born.end if dash is None else dash]
            else:
                closing = _CLOSING.search(line, died.end)
                end = closing.start() if closing else died.end
                yield line[died.start if dash is None else dash : end]
    for part in _PART_END.split(_BORN_NAME.sub(r"(born \1,", line)):
        words = ((word.start(), event_of(lemma(word.group()))) for word in _WORD.finditer(part))
        cues = [(at, cue) for at, cue in words if cue]
        for number, (at, cue) in enumerate(cues):
            if cue == event:
                others = (then for then, other in cues[number + 1 :] if other != event)
                end = next(others, len(part))
                dash_match = _DASH.search(part, at, end) if event == BIRTH else None
                yield part[at if number else 0 : dash_match.start() if dash_match else end]
