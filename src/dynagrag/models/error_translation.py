"""The errors of model SDKs as ours, once and here. A message names the model and its host, never a key."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from dynagrag.errors import ModelError, ModelRefusedError, ModelUnavailableError

_KEY = re.compile(r"\b(?:sk|pk|key|api)-[\w*.-]{3,}")
_SCRUBBED = "(key)"
_MAX_DETAIL_CHARS = 300
_REFUSED = {400, 401, 402, 403, 404, 405, 413, 415, 422}
_MAX_CHAIN = 10
# Named rather than imported: a provider's package may not be there, and importing it to compare types costs seconds.
_CONNECTION_ERRORS = {
    "APIConnectionError",
    "APITimeoutError",
    "ConnectError",
    "ConnectTimeout",
    "ModelConnectionError",
    "ModelTimeoutError",
    "PoolTimeout",
    "ReadError",
    "ReadTimeout",
    "RemoteProtocolError",
    "TimeoutException",
    "WriteError",
    "WriteTimeout",
}
_SDK_ERRORS = {"APIError", "APIResponseValidationError", "JSONDecodeError", "ModelAPIError"}

_UNREADABLE = re.compile(r"(?:Unexpected response type|Received response with null value|Response missing|No generation)")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a message may say of where a model runs, and the secrets that it may not."""

    name: str
    base_url: str | None = None
    secrets: tuple[str, ...] = ()
    remedy: str = ""
    """What to check when it cannot be reached."""

    @property
    def host(self) -> str:
        """Host and port, without user names, passwords and paths."""
        if not self.base_url:
            return "its provider"
        parts = urlsplit(self.base_url)
        return f"{parts.hostname or self.base_url}{f':{parts.port}' if parts.port else ''}"


@contextmanager
def translating(endpoint: Endpoint) -> Iterator[None]:
    """Raises what a model call raises as ours, scrubbed of keys; what is no model error stays what it is."""
    try:
        yield
    except ModelError:
        raise
    except Exception as err:
        scrub_chain(err, endpoint.secrets)
        if (ours := translated(err, endpoint)) is None:
            raise
        raise ours from err


def translated(err: Exception, endpoint: Endpoint) -> ModelError | None:
    """Our error for one of an SDK, or None where it is none of theirs."""
    names = {cls.__name__ for cls in type(err).__mro__}
    status = _status(err)
    where = f"{endpoint.name} at {endpoint.host}"
    # A provider that echoes the key it was given does so here.
    detail = scrubbed(_detail(err), endpoint.secrets)
    remedy = endpoint.remedy or "check the network and OPENAI_BASE_URL, or try later"
    if status in _REFUSED:
        return ModelRefusedError(f"{where} refused the request ({status}): {detail}; {_refusal_remedy(status, detail)}")
    if status is not None:
        reason = {429: "limits the rate of requests, or the account's quota is spent", 408: "timed out"}.get(
            status, "failed on its own side"
        )
        again = "set DYNAGRAG_REQUESTS_PER_MINUTE or try later" if status == 429 else "try later"
        return ModelUnavailableError(f"{where} {reason} ({status}): {detail}; {again}")
    if "APITimeoutError" in names or "ModelTimeoutError" in names or any("Timeout" in name for name in names):
        return ModelUnavailableError(f"{where} gave no reply in time; raise DYNAGRAG_TIMEOUT_S, or {remedy}")
    if names & _CONNECTION_ERRORS or isinstance(err, ConnectionError):
        return ModelUnavailableError(f"{where} cannot be reached: {_root_cause(err, endpoint.secrets)}; {remedy}")
    if names & _SDK_ERRORS or _is_unreadable_reply(err):
        return ModelUnavailableError(
            f"{where} answered with something that is not a reply: {detail}; check OPENAI_BASE_URL (it ends in /v1)"
        )
    return None


def scrubbed(text: str, secrets: Sequence[str] = ()) -> str:
    """The text without the given secrets and anything that looks like a key."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, _SCRUBBED)
    return _KEY.sub(_SCRUBBED, text)


def scrub_chain(err: BaseException, secrets: Sequence[str]) -> None:
    """Takes keys out of the texts of an error and its causes, since a logged traceback shows them all."""
    link: BaseException | None = err
    for _ in range(_MAX_CHAIN):
        if link is None:
            return
        link.args = tuple(scrubbed(arg, secrets) if isinstance(arg, str) else arg for arg in link.args)
        if isinstance(getattr(link, "message", None), str):
            link.message = scrubbed(link.message, secrets)  # type: ignore[attr-defined]
        if hasattr(link, "body"):
            link.body = None
        link = link.__cause__ or link.__context__


def _status(err: Exception) -> int | None:
    for holder in (err, getattr(err, "response", None)):
        for name in ("status_code", "status", "code"):
            if isinstance(status := getattr(holder, name, None), int) and 400 <= status < 600:
                return status
    return None


def _detail(err: Exception) -> str:
    """The provider's own words on one line: SDKs put them into `body.message`, which langchain keeps, or into the text."""
    text = str(getattr(err, "message", None) or err)
    match = re.search(r"'message': (?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")", text)
    said: str = (match[1] or match[2] or "") if match else text
    said = re.sub(r"^Error code: \d+ - ", "", " ".join(said.split()))
    return said[:_MAX_DETAIL_CHARS] or type(err).__name__


def _is_unreadable_reply(err: Exception) -> bool:
    """Whether LangChain stumbled over a reply that is none, such as a web page: it has only a ValueError or TypeError for that."""
    return isinstance(err, ValueError | TypeError) and bool(_UNREADABLE.match(str(err)))


def _root_cause(err: BaseException, secrets: Sequence[str]) -> str:
    for _ in range(_MAX_CHAIN):
        inner = err.__cause__ or err.__context__
        if inner is None:
            break
        err = inner
    return scrubbed(" ".join(str(err).split())[:_MAX_DETAIL_CHARS] or type(err).__name__, secrets)


def _refusal_remedy(status: int, detail: str) -> str:
    if status in (401, 403):
        return "check OPENAI_API_KEY (or your provider's key) and what it may use"
    if status == 404:
        return "check the model's name and OPENAI_BASE_URL (it ends in /v1)"
    if "temperature" in detail:
        return "this model takes only its own temperature: set DYNAGRAG_TEMPERATURE to the one it names"
    if "context" in detail or status == 413:
        return "its context is too short for this prompt: choose a model with a longer one, or smaller chunks"
    if "response_format" in detail or "json_schema" in detail:
        return "it has no structured output by JSON schema: choose another model or server"
    return "check the model's name and settings"
