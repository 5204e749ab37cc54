"""Times as transcripts write them, in seconds."""

import re

_CLOCK = re.compile(r"(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2})(?:[.,](\d{1,9}))?", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,12}(?:[.,]\d{1,12})?(?:[eE][+-]?\d{1,2})?", re.ASCII)


def clock_seconds(text: str) -> float | None:
    """`H:MM:SS`, `M:SS`, with a fraction after `.` or `,`. None when it is no such time."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    hours, minutes, seconds, fraction = match.groups()
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds)
    return whole + float(f"0.{fraction}") if fraction else float(whole)


def any_seconds(text: str) -> float | None:
    """A clock time or a number of seconds (`12.5`, `12,5`, `12.5s`). None when it is neither."""
    text = text.strip()
    if len(text) > 40:
        return None
    if _NUMBER.fullmatch(text.removesuffix("s")):
        return float(text.removesuffix("s").replace(",", "."))
    return clock_seconds(text)
