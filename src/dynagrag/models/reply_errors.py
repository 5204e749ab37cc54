"""A model server's error as its words and its status, in whatever form and under whatever status it
comes: `{"error": {"message": ...}}`, `{"error": "..."}`, `{"object": "error", ...}`,
`{"detail": ...}` and the like.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

_WORDS = (
    "message",
    "msg",
    "status_msg",
    "error_msg",
    "error_message",
    "detail",
    "details",
    "description",
    "reason",
    "error",
    "errors",
    "raw",
    "metadata",
    "base_resp",
)
"""Fields that hold words of an error, or a part that holds them, best first. A router says why in
`metadata.raw`, what it was told by the server behind it.
"""
_STATUSES = ("code", "status", "status_code", "error_code")
_MAX_DEPTH = 5


def error_of(reply: Any) -> Any:
    """The part of a whole reply that is an error; None where it is none, or none is known."""
    if not isinstance(reply, Mapping):
        return None
    if reply.get("error"):
        return reply["error"]
    if any(name in reply for name in ("choices", "data", "output")):
        return None
    return reply if any(_strings(reply, _MAX_DEPTH)) else None


def error_words(error: Any) -> str:
    """The words of an error on one line, those of its parts behind a colon; its JSON where it has
    none.
    """
    words: list[str] = []
    for text in _strings(error, _MAX_DEPTH):
        line = " ".join(text.split())
        if line and not any(line in earlier for earlier in words):
            words.append(line)
    if words:
        return ": ".join(words)
    return json.dumps(error, ensure_ascii=False, default=str)


def error_status(error: Any) -> int | None:
    """The HTTP status that an error names itself; None where it names none."""
    if not isinstance(error, Mapping):
        return None
    for name in _STATUSES:
        value = error.get(name)
        text = str(value) if isinstance(value, int | str) else ""
        if text.isdecimal() and 400 <= int(text[:4]) < 600:
            return int(text)
    return None


def _strings(part: Any, depth: int) -> Iterator[str]:
    if isinstance(part, str):
        yield from _strings_of_text(part, depth)
    elif isinstance(part, list) and depth:
        for item in part:
            yield from _strings(item, depth - 1)
    elif isinstance(part, Mapping) and depth:
        for name in _WORDS:
            yield from _strings(part.get(name), depth - 1)


def _strings_of_text(text: str, depth: int) -> Iterator[str]:
    """A text may be the JSON of the error behind it."""
    if depth and text.lstrip().startswith("{"):
        try:
            inner = list(_strings(json.loads(text), depth - 1))
        except (ValueError, RecursionError):
            inner = []
        if inner:
            yield from inner
            return
    yield text
