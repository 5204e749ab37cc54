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

    def cleaned(match: re.Match[str]) -> str:
        if match[0] == r"\u0000":
            return ""
        return r"\ufffd" if _LONE_SURROGATE.fullmatch(match[0]) else match[0]

    return _ESCAPE.sub(cleaned, clean_text(text))


def parse_reply(text: str, schema: type[T]) -> T:
    """The record in a cleaned reply, whose thoughts are off: the text itself, or the outermost JSON
    object in a fence or in prose.

    Raises:
        InvalidReplyError: with the first reason; its `reply` is the text.
    """
    reason = "it is empty" if not text.strip() else "it holds no JSON object"
    has_object = False
    for candidate in _candidates(text):
        try:
            return schema.model_validate_json(candidate)
        except ValidationError as err:
            if not has_object:  # the first whole object says best what is wrong
                errors = err.errors(include_url=False, include_input=False)
                where = ".".join(map(str, errors[0]["loc"]))
                more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
                reason = f"{where + ': ' if where else ''}{errors[0]['msg']}{more}"
                reason = reason[:_MAX_REASON_CHARS]
                has_object = all(e["type"] != "json_invalid" for e in errors)
        try:
            # Raw line breaks inside strings: wrong JSON that is easily read.
            return schema.model_validate(json.loads(candidate, strict=False))
        except (ValueError, RecursionError):
            continue
    raise InvalidReplyError(f"the reply does not fit {schema.__name__}: {reason}", text)


def _candidates(text: str) -> Iterator[str]:
    """At most three texts that may be the object; linear in the text, whatever it holds."""
    text = text.strip()
    if text.startswith("{"):
        yield text
    if (fence := _FENCED.search(text)) and fence[1].strip().startswith("{"):
        yield fence[1].strip()
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end and (start > 0 or end < len(text) - 1):
        yield text[start : end + 1]
