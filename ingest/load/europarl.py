"""The proceedings of the European Parliament as the Europarl corpus has them: lines of text between
marks such as `<SPEAKER ID=1 NAME="Lund">` and `<P>`.
"""

import re
from collections.abc import Sequence

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import collapse
from dynagrag.ingest.load.parsed import Parsed, speaker_or_none

_MARK = re.compile(r"\s*<(SPEAKER|CHAPTER|P|/P)\b([^<>]*)/?>\s*(.*)", re.IGNORECASE)
_NAME = re.compile(r"\bNAME\s*=\s*\"([^\"]{1,200})\"", re.IGNORECASE)


def is_europarl(lines: Sequence[str]) -> bool:
    """Whether lines are marks of speakers and words between them."""
    marks = [match for line in lines if (match := _MARK.match(line))]
    return any(match[1].upper() == "SPEAKER" and _NAME.search(match[2]) for match in marks)


def parse_europarl(lines: Sequence[str]) -> Parsed:
    """A turn a paragraph; what stands behind a chapter's mark is nobody's."""
    turns: list[SourceTurn] = []
    speaker: str | None = None
    words: list[str] = []

    def close() -> None:
        text = collapse(" ".join(words))
        if text:
            turns.append(SourceTurn(text, speaker))
        words.clear()

    for line in lines:
        match = _MARK.match(line)
        if match is None:
            words.append(line)
            continue
        close()
        kind = match[1].upper()
        if kind in {"SPEAKER", "CHAPTER"}:
            name = _NAME.search(match[2]) if kind == "SPEAKER" else None
            speaker = speaker_or_none(name[1] if name else None)
        words.append(match[3])
    close()
    return Parsed(tuple(turns), format="europarl")
