"""Takes secrets out of texts and errors, in every form in which they may stand there."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from urllib.parse import quote, unquote, urlsplit

SCRUBBED = "(key)"
_LOOKS_LIKE_KEY = re.compile(r"\b(?:sk|pk|key|api)-[\w*.-]{3,}")
_MAX_LINKS = 20
MIN_REPLY_SECRET_CHARS = 16
"""Keys of local servers ("ollama", "not-needed") are shorter; those of providers are longer."""


def scrubbed(text: str, secrets: Sequence[str] = ()) -> str:
    """The text without the given secrets, as they are or escaped, and without anything that looks
    like a key.
    """
    for form in _forms(tuple(secrets)):
        text = text.replace(form, SCRUBBED)
    return _LOOKS_LIKE_KEY.sub(SCRUBBED, text)


def scrub_chain(err: BaseException, secrets: Sequence[str]) -> None:
    """Takes secrets out of the texts of an error and of all that led to it, since a logged
    traceback shows them all.
    """
    for link in _links(err):
        link.args = tuple(_scrubbed_value(arg, secrets) for arg in link.args)
        if isinstance(getattr(link, "message", None), str):
            link.message = scrubbed(link.message, secrets)  # type: ignore[attr-defined]
        if hasattr(link, "body"):
            link.body = _scrubbed_json(link.body, secrets)


class ReplyScrubber:
    """Takes what was sent to a server as a secret out of its replies, which are cached, backed up
    and shown.

    Only secrets of MIN_REPLY_SECRET_CHARS or more, and nothing that merely looks like a key: the
    rest may be words of a document.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._forms = _forms(
            tuple(secret for secret in secrets if len(secret.strip()) >= MIN_REPLY_SECRET_CHARS)
        )
        self._firsts = frozenset(form[0] for form in self._forms)
        self._longest = max(map(len, self._forms), default=0)

    def whole(self, text: str) -> str:
        """A reply without them."""
        for form in self._forms:
            text = text.replace(form, SCRUBBED)
        return text

    def pieces(self, pieces: Iterable[str]) -> Iterator[str]:
        """A reply in pieces, without them; the beginning of one is held back until it is known what
        it is. Raises as `pieces` does.
        """
        held = ""
        try:
            for piece in pieces:
                held = self.whole(held + piece)
                ready = self._num_ready(held)
                if ready:
                    yield held[:ready]
                held = held[ready:]
        except Exception:
            if held:
                yield held
            raise
        if held:
            yield held

    def _num_ready(self, text: str) -> int:
        """Characters before the place from which on a secret may have begun."""
        places = range(max(0, len(text) - self._longest + 1), len(text))
        begun = (
            i
            for i in places
            if text[i] in self._firsts and any(form.startswith(text[i:]) for form in self._forms)
        )
        return next(begun, len(text))


def address_secrets(address: str | None) -> tuple[str, ...]:
    """The password in an address, as written and decoded, and the values of its query; nothing
    where it has none or can't be read.
    """
    try:
        parts = urlsplit(address or "")
        values = [pair.partition("=")[2] for pair in parts.query.split("&")]
        found = [secret for secret in (parts.password, *values) if secret]
    except ValueError:
        return ()
    return tuple(dict.fromkeys(form for secret in found for form in (secret, unquote(secret))))


@lru_cache(maxsize=32)
def _forms(secrets: tuple[str, ...]) -> tuple[str, ...]:
    """Longest first, so that no part of one form is left where a shorter one was taken out."""
    forms = set[str]()
    for text in (text for secret in secrets for text in (secret, secret.strip())):
        data = text.encode("utf-8", "surrogateescape")
        forms |= {text, repr(text)[1:-1], repr(data)[2:-1], json.dumps(text)[1:-1]}
        forms.add(quote(data, safe=""))
    return tuple(sorted((f for f in forms if f.strip()), key=lambda form: (-len(form), form)))


def _scrubbed_value(value: object, secrets: Sequence[str]) -> object:
    if isinstance(value, str):
        return scrubbed(value, secrets)
    if isinstance(value, int | float | BaseException | None):
        return value
    text = repr(value)
    return value if (clean := scrubbed(text, secrets)) == text else clean


def _scrubbed_json(value: object, secrets: Sequence[str]) -> object:
    """What was read of JSON, with the texts in it scrubbed; None for anything else."""
    try:
        return json.loads(scrubbed(json.dumps(value), secrets))
    except (TypeError, ValueError, RecursionError):
        return None


def _links(err: BaseException) -> Iterator[BaseException]:
    """The error, its causes and the errors that were being handled when it was raised."""
    waiting: list[BaseException | None] = [err]
    seen: set[int] = set()
    while waiting and len(seen) < _MAX_LINKS:
        link = waiting.pop()
        if link is not None and id(link) not in seen:
            seen.add(id(link))
            yield link
            waiting += [link.__context__, link.__cause__]
