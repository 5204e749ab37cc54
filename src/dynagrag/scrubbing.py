"""Takes secrets out of texts and errors, in every form in which they may stand there."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

SCRUBBED = "(key)"
_LOOKS_LIKE_KEY = re.compile(r"\b(?:sk|pk|key|api)-[\w*.-]{3,}")
_MAX_LINKS = 20


def scrubbed(text: str, secrets: Sequence[str] = ()) -> str:
    """The text without the given secrets, as they are or escaped, and without anything that looks like a key."""
    for form in _forms(tuple(secrets)):
        text = text.replace(form, SCRUBBED)
    return _LOOKS_LIKE_KEY.sub(SCRUBBED, text)


def scrub_chain(err: BaseException, secrets: Sequence[str]) -> None:
    """Takes secrets out of the texts of an error and of all that led to it, since a logged traceback shows them all."""
    for link in _links(err):
        link.args = tuple(_scrubbed_value(arg, secrets) for arg in link.args)
        if isinstance(getattr(link, "message", None), str):
            link.message = scrubbed(link.message, secrets)  # type: ignore[attr-defined]
        if hasattr(link, "body"):
            link.body = None


def address_secrets(address: str | None) -> tuple[str, ...]:
    """The password in an address, as written and decoded, and the values of its query; nothing where it has none or can't be read."""
    try:
        parts = urlsplit(address or "")
        found = [parts.password or "", *(value for _, _, value in (pair.partition("=") for pair in parts.query.split("&")))]
    except ValueError:
        return ()
    return tuple(dict.fromkeys(form for secret in found if secret for form in (secret, unquote(secret))))


@lru_cache(maxsize=32)
def _forms(secrets: tuple[str, ...]) -> tuple[str, ...]:
    """Longest first, so that no part of one form is left where a shorter one was taken out."""
    forms = {form for secret in secrets for form in _forms_of(secret) if form.strip()}
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def _forms_of(secret: str) -> Iterator[str]:
    for text in (secret, secret.strip()):
        data = text.encode("utf-8", "surrogateescape")
        yield from (text, repr(text)[1:-1], repr(data)[2:-1], json.dumps(text)[1:-1], quote(data, safe=""))


def _scrubbed_value(value: object, secrets: Sequence[str]) -> object:
    if isinstance(value, str):
        return scrubbed(value, secrets)
    if isinstance(value, int | float | BaseException | None):
        return value
    text = repr(value)
    return value if (clean := scrubbed(text, secrets)) == text else clean


def _links(err: BaseException) -> Iterator[BaseException]:
    """The error, its causes and what was being handled when it was raised."""
    waiting: list[BaseException | None] = [err]
    seen: set[int] = set()
    while waiting and len(seen) < _MAX_LINKS:
        link = waiting.pop()
        if link is not None and id(link) not in seen:
            seen.add(id(link))
            yield link
            waiting += [link.__context__, link.__cause__]
