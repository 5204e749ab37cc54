"""Model replies as text into pydantic records: cleaned of what no store holds, taken out of fences
and prose, validated.
"""

import json
import re
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from dynagrag.core.errors import InvalidReplyError

T = TypeVar("T", bound=BaseModel)

_MAX_REASON_CHARS = 400
_THOUGHT_END = "</think>"
_FENCED = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
# One escape sequence of a JSON string at a time, so that an escaped backslash before a u is not
# taken for \u.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
_LONE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def clean_text(text: str) -> str:
    """Free text without NUL; lone surrogates become U+FFFD."""
    return text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean_json(text: str) -> str:
    r"""The text of a JSON reply, cleaned like `clean_text`, the escapes \u0000 and \ud800
    included.
    """
    return _ESCAPE.sub(_clean_escape, clean_text(text))


def _clean_escape(match: re.Match[str]) -> str:
    escape = match[0]
    if escape == r"\u0000":
        return ""
    return r"\ufffd" if _LONE_SURROGATE.fullmatch(escape) else escape


def parse_reply(text: str, schema: type[T]) -> T:
    """The record in a cleaned reply: the text itself, or the outermost JSON object in a fence or in
    prose.

    Raises:
        InvalidReplyError: with the first reason; its `reply` is the text.
    """
    reason = "it is empty" if not text.strip() else "it holds no JSON object"
    has_object = False
    for candidate in _candidates(text):
        try:
            return schema.model_validate_json(candidate)
        except ValidationError as err:
            is_json = all(
                e["type"] != "json_invalid"
                for e in err.errors(include_url=False, include_context=False, include_input=False)
            )
            if not has_object:  # the first whole object says best what is wrong
                reason, has_object = _reason(err), is_json
        try:
            # Raw line breaks inside strings: wrong JSON that is easily read.
            return schema.model_validate(json.loads(candidate, strict=False))
        except (ValueError, RecursionError):
            continue
    raise InvalidReplyError(f"the reply does not fit {schema.__name__}: {reason}", text)


def _candidates(text: str) -> Iterator[str]:
    """At most three texts that may be the object; linear in the text, whatever it holds."""
    text = text.rpartition(_THOUGHT_END)[2].strip()
    if text.startswith("{"):
        yield text
    if (fence := _FENCED.search(text)) and fence[1].strip().startswith("{"):
        yield fence[1].strip()
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end and (start > 0 or end < len(text) - 1):
        yield text[start : end + 1]


def _reason(err: ValidationError) -> str:
    first = err.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    more = f" (and {err.error_count() - 1} more)" if err.error_count() > 1 else ""
    return f"{where + ': ' if where else ''}{first['msg']}{more}"[:_MAX_REASON_CHARS]
