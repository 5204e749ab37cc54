"""The errors of model SDKs as ours, once and here. A message names the model and its host, never a
key.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import urlsplit

from dynagrag.config.scrubbing import scrub_chain, scrubbed
from dynagrag.config.settings import known_secrets
from dynagrag.core.errors import (
    ContextTooShortError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
    PromptRefusedError,
)
from dynagrag.models.proxies import proxy_of
from dynagrag.models.reply_errors import error_of, error_status, error_words
from dynagrag.models.server_traits import is_about_context

_MAX_DETAIL_CHARS = 300
_MAX_TEXT_CHARS = 100_000
_REFUSED = {400, 401, 402, 403, 404, 405, 413, 415, 422}
_PROMPT_REFUSED = {400, 413, 422}
"""Of these: refusals that another prompt may not meet, such as by a content policy."""
_MAX_CHAIN = 10
_SPENT = re.compile(
    r"insufficient[_ ](?:user[_ ])?(?:quota|balance|credit|fund)|exceeded_current_quota"
    r"|out of credits|credit balance is too low|billing|arrear|余额不足",
    re.IGNORECASE,
)
_WAIT = re.compile(
    r"retry[- ](?:in|after)|try again in|per (?:minute|second|day)|rate limit", re.IGNORECASE
)
# Named rather than imported: a provider's package may not be there, and importing it to compare
# types costs seconds.
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

_UNREADABLE = re.compile(
    r"(?:Unexpected response type|Received response with null value|Response missing|No generation)"
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model runs: its name for messages, the secrets that none may hold, and how long a
    call may take.
    """

    name: str
    base_url: str | None = None
    secrets: tuple[str, ...] = ()
    remedy: str = "check the network and OPENAI_BASE_URL, or try later"
    """Remedy if the endpoint can't be reached."""
    timeout_s: float = 600.0

    @property
    def host(self) -> str:
        """Host and port, without user names, passwords and paths."""
        if not self.base_url:
            return "its provider"
        parts = urlsplit(self.base_url)
        return f"{parts.hostname or self.base_url}{f':{parts.port}' if parts.port else ''}"

    @property
    def where(self) -> str:
        """The model and its host, as messages name them."""
        return f"{self.name} at {self.host}"

    @property
    def by_way_of(self) -> str:
        """The proxy between, as a remedy; empty where there is none."""
        proxy = proxy_of(self.base_url or "https://its.provider")
        return (
            f"; the request went through the proxy {proxy}, which HTTP_PROXY, HTTPS_PROXY or"
            " ALL_PROXY names: check it, or name the host in NO_PROXY"
            if proxy
            else ""
        )


@contextmanager
def translating(
    endpoint: Endpoint, has_reply: Callable[[], bool] = lambda: False
) -> Iterator[None]:
    """Raises the errors of a model call as ours, scrubbed of keys; others stay as they are.

    `has_reply`: whether anything came from the server. An error of a library is then the reply's
    fault.
    """
    try:
        yield
    except ModelError:
        raise
    except Exception as err:
        secrets = (*endpoint.secrets, *known_secrets())
        scrub_chain(err, secrets)
        cause = err.__cause__  # older versions of the OpenAI SDK wrap our own errors into theirs
        while cause is not None and not isinstance(cause, ModelError):
            cause = cause.__cause__
        ours = cause or translated(err, endpoint, secrets)
        if ours is None and has_reply() and not _is_raised_here(err.__traceback__):
            ours = _unreadable(endpoint, _fault_of_reply(err))
        if ours is None:
            raise
        raise ours from err


def in_place_of_reply(reply: object, endpoint: Endpoint) -> tuple[int | None, ModelError] | None:
    """An error that came under status 200: the status that it should have had, where it names one
    or its words do, and our error. None for a reply that is none.
    """
    error = error_of(reply)
    if error is None:
        return None
    secrets = (*endpoint.secrets, *known_secrets())
    words = _words_of(error, secrets)
    status = error_status(error) or error_status(reply)
    if status is None and is_about_context(words):
        status = 400
    if status is None and is_quota_spent(words):
        status = 429
    return status, _sent_error(endpoint, words)


def _sent_error(endpoint: Endpoint, words: str) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"{endpoint.where} sent an error in place of its reply: {words}; try later"
        f"{endpoint.by_way_of}"
    )


def translated(
    err: Exception, endpoint: Endpoint, secrets: tuple[str, ...] = ()
) -> ModelError | None:
    """Our error for one of an SDK, or None where it is none of theirs."""
    names = {cls.__name__ for cls in type(err).__mro__}
    status = _status(err)
    where, remedy = endpoint.where, endpoint.remedy
    detail = _detail(err, secrets)
    if status in _REFUSED:
        return _refusal_kind(status, detail)(
            f"{where} refused the request ({status}): {detail}; {_refusal_remedy(status, detail)}"
        )
    if status == 429 and is_quota_spent(str(err)):
        return ModelRefusedError(
            f"{where}: the account's quota is spent ({status}): {detail}; add to it, or take"
            " another model"
        )
    if status is not None:
        reason = {429: "limits the rate of requests", 408: "timed out"}.get(
            status, "failed on its own side"
        )
        again = "set DYNAGRAG_REQUESTS_PER_MINUTE or try later" if status == 429 else "try later"
        return ModelUnavailableError(
            f"{where} {reason} ({status}): {detail}; {again}"
            f"{endpoint.by_way_of if status != 429 else ''}"
        )
    if any("Timeout" in name for name in names):
        return ModelUnavailableError(
            f"{where} gave no reply in time; raise DYNAGRAG_TIMEOUT_S, or {remedy}"
            f"{endpoint.by_way_of}"
        )
    if names & _CONNECTION_ERRORS or isinstance(err, ConnectionError):
        return ModelUnavailableError(
            f"{where} cannot be reached: {_root_cause(err, secrets)}; {remedy}{endpoint.by_way_of}"
        )
    if isinstance(err, UnicodeEncodeError):
        return ModelRefusedError(
            f"{where} was not asked: a header holds a character that is not ASCII; look for it in"
            " your OPENAI_ variables"
        )
    if provider := _provider_words(err, names, secrets):
        return _sent_error(endpoint, provider)
    # LangChain has only a ValueError or TypeError for a reply that is none, such as a web page.
    is_langchains = isinstance(err, ValueError | TypeError) and _UNREADABLE.match(str(err))
    if names & _SDK_ERRORS or is_langchains:
        return _unreadable(endpoint, detail)
    return None


def is_quota_spent(detail: str) -> bool:
    """Whether a 429 in these words says that the account has nothing left, and not that requests
    come too fast: some providers word both alike, and then say when to try again.
    """
    return bool(_SPENT.search(detail)) and not _WAIT.search(detail)


def _provider_words(err: Exception, names: set[str], secrets: tuple[str, ...]) -> str:
    """The words of an error that came with status 200, whole or amid a stream; empty where it is
    none. LangChain raises the one as a ValueError of its object, the SDK the other as an APIError
    with a body.
    """
    if names & _SDK_ERRORS:
        body = getattr(err, "body", None)
        return _words_of(body, secrets) if isinstance(body, dict | str) and body else ""
    body = (err.args or (None,))[0] if type(err) is ValueError else None
    return _words_of(body, secrets) if isinstance(body, dict) else ""


def _words_of(error: object, secrets: tuple[str, ...]) -> str:
    """A provider's words, scrubbed before they are cut: a cut would leave a part of a key."""
    return scrubbed(error_words(error)[:_MAX_TEXT_CHARS], secrets)[:_MAX_DETAIL_CHARS]


def _refusal_kind(status: int, detail: str) -> type[ModelRefusedError]:
    if status not in _PROMPT_REFUSED:
        return ModelRefusedError
    is_too_long = status == 413 or is_about_context(detail)
    return ContextTooShortError if is_too_long else PromptRefusedError


def _unreadable(endpoint: Endpoint, detail: str) -> ModelUnavailableError:
    return ModelUnavailableError(
        f"{endpoint.where} answered with something that is not a reply: {detail}; check"
        " OPENAI_BASE_URL (it ends in /v1)"
    )


def _fault_of_reply(err: Exception) -> str:
    """Describes the fault of a reply on which a library failed."""
    if isinstance(err, UnicodeDecodeError):
        return "it is not UTF-8"
    if isinstance(err, RecursionError):
        return "it is nested too deeply"
    return (
        "it lacks what the protocol wants, or has something else in its place"
        f" ({type(err).__name__})"
    )


def _is_raised_here(traceback: TracebackType | None) -> bool:
    """Whether it was code of dynagrag that raised: a mistake of ours, which no server is to be
    blamed for.
    """
    name = ""
    while traceback is not None:
        name = traceback.tb_frame.f_globals.get("__name__", "")
        traceback = traceback.tb_next
    return name.startswith("dynagrag.")


def _status(err: Exception) -> int | None:
    for holder in (err, getattr(err, "response", None)):
        for name in ("status_code", "status", "code"):
            if isinstance(status := getattr(holder, name, None), int) and 400 <= status < 600:
                return status
    return None


def _detail(err: Exception, secrets: tuple[str, ...]) -> str:
    """The provider's own words on one line: SDKs have them in a body, which langchain keeps, or
    in the text. A provider that echoes the key it was given does so here.
    """
    if isinstance(body := getattr(err, "body", None), dict):
        return _words_of(body, secrets)
    text = str(getattr(err, "message", None) or err)[:_MAX_TEXT_CHARS]
    match = re.search(r"'message': (?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")", text)
    detail: str = (match[1] or match[2] or "") if match else text
    detail = re.sub(r"^Error code: \d+ - ", "", " ".join(detail.split()))
    return scrubbed(detail, secrets)[:_MAX_DETAIL_CHARS] or type(err).__name__


def _root_cause(err: BaseException, secrets: tuple[str, ...]) -> str:
    for _ in range(_MAX_CHAIN):
        inner = err.__cause__ or err.__context__
        if inner is None:
            break
        err = inner
    return scrubbed(" ".join(str(err).split()), secrets)[:_MAX_DETAIL_CHARS] or type(err).__name__


def _refusal_remedy(status: int, detail: str) -> str:
    if status in (401, 403):
        return "check OPENAI_API_KEY (or your provider's key) and what it may use"
    if status == 404:
        return "check the model's name and OPENAI_BASE_URL (it ends in /v1)"
    if "temperature" in detail:
        return (
            "this model takes only its own temperature: set DYNAGRAG_TEMPERATURE to the one it"
            " names"
        )
    if _refusal_kind(status, detail) is ContextTooShortError:
        return (
            "its context is too short for this prompt: choose a model with a longer one, or smaller"
            " chunks"
        )
    if "response_format" in detail or "json_schema" in detail:
        return "it has no structured output by JSON schema: choose another model or server"
    return "check the model's name and settings"
