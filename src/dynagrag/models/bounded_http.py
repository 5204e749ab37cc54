"""HTTP to model servers, within bounds: how long a call may take, how much may come, and where it
may go.

The timeouts of httpx hold for each read, so a server that sends a byte a second is never late;
nothing in it limits how much comes. So the sockets are read here: whatever a library makes of a
reply, it gets no byte after its call's end or beyond its size. Replies are asked for uncompressed,
and others refused: a few kilobytes can unpack to gigabytes.
"""

import json
import os
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any

from dynagrag.core.errors import ModelRefusedError, ModelUnavailableError
from dynagrag.models.error_translation import in_place_of_reply, is_quota_spent
from dynagrag.models.proxies import is_loopback

if TYPE_CHECKING:
    import ssl

    import openai

    from dynagrag.models.error_translation import Endpoint

MAX_CHAT_BYTES = 16 << 20
"""Of one chat reply: a stream takes some 250 bytes a token, so this is beyond any limit of tokens
that is asked for here.
"""
MAX_VECTOR_BYTES = 256 << 10
"""Of each vector in a reply, beside a MiB for the rest: 8,192 numbers, written out as JSON, take
some 180 kB.
"""
_TAIL_BYTES = 64
_MAX_ERROR_BYTES = 1 << 16
"""An error is no longer; a longer reply is not looked through for one."""


class BoundedCall:
    """One call of a model server, retries included: when it ends, how much has come, where it went
    first.

    The clock starts with its first connection or request, so that waiting for a rate limit is not
    counted.
    """

    def __init__(self, endpoint: "Endpoint", max_bytes: int = MAX_CHAT_BYTES) -> None:
        self.num_bytes = 0
        """Bytes received so far, heads included."""
        self._endpoint = endpoint
        self._max_bytes = max_bytes
        self._tail = b""
        self._ends_at: float | None = None
        self._origin: tuple[str, str, int | None] | None = None

    @contextmanager
    def bounding(self) -> Iterator[None]:
        """Requests that are made inside, on this thread, belong to the call; their replies may be
        read later. Must not hold a `yield`.
        """
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    def has_reply(self) -> bool:
        """Whether anything came."""
        return self.num_bytes > 0

    def left_s(self, timeout_s: float | None = None) -> float:
        """Seconds until its end, or until the timeout if that is sooner. Raises
        ModelUnavailableError once it is over.
        """
        now = time.monotonic()
        if self._ends_at is None:
            self._ends_at = now + self._endpoint.timeout_s
        if now >= self._ends_at:
            raise ModelUnavailableError(
                f"{self._endpoint.where} gave no whole reply within {self._endpoint.timeout_s:g} s;"
                f" raise DYNAGRAG_TIMEOUT_S, or {self._endpoint.remedy}"
            )
        left = self._ends_at - now
        return left if timeout_s is None else min(left, timeout_s)

    def is_done(self) -> bool:
        """Whether what came last is the mark with which the OpenAI protocol ends a stream."""
        return b"[DONE]" in self._tail

    def receive(self, data: bytes) -> None:
        """Counts what came. Raises ModelUnavailableError where it is too much."""
        self.num_bytes += len(data)
        self._tail = (self._tail + data[-_TAIL_BYTES:])[-_TAIL_BYTES:]
        if self.num_bytes > self._max_bytes:
            raise ModelUnavailableError(
                f"{self._endpoint.where} sent more than {self._max_bytes / 2**20:g} MiB as one"
                f" reply, which no reply needs; {self._endpoint.remedy}"
            )

    def go_to(self, url: Any) -> None:
        """Notes where its requests go. Raises ModelRefusedError where one is redirected to another
        host.
        """
        origin = (url.scheme, url.host, url.port)
        first = self._origin = self._origin or origin
        is_upgrade = first[0] == "http" and origin == ("https", first[1], None) and first[2] is None
        if origin != first and not is_upgrade:
            to = f"{url.scheme}://{url.host}{f':{url.port}' if url.port else ''}"
            raise ModelRefusedError(
                f"{self._endpoint.where} redirects to another host, {to}, which was not asked; set"
                " its address to that one if it is right"
            )


def embedding_call(endpoint: "Endpoint", num_texts: int) -> BoundedCall:
    """A call for the vectors of so many texts. What is read of a reply can take twenty times its
    size in memory.
    """
    return BoundedCall(endpoint, (1 << 20) + num_texts * MAX_VECTOR_BYTES)


_contexts: "dict[tuple[bool, tuple[str | None, ...]], ssl.SSLContext]" = {}
"""Of TLS, by what says whom to trust: reading all authorities takes longer than many a call."""
_current: ContextVar[BoundedCall | None] = ContextVar("bounded_call", default=None)


def bounded_client(endpoint: "Endpoint") -> "openai.DefaultHttpxClient":
    """A client for the OpenAI SDK and LangChain whose requests keep to the bounds of their
    `BoundedCall`. The environment's proxies are for other hosts than this machine.
    """
    import openai

    trusts_env = not is_loopback(endpoint.base_url or "")
    authorities = tuple(os.environ.get(f"SSL_CERT_{what}") for what in ("FILE", "DIR"))
    client = openai.DefaultHttpxClient(
        timeout=endpoint.timeout_s,
        verify=_contexts.get((trusts_env, authorities), True),
        trust_env=trusts_env,
        headers={"Accept-Encoding": "identity"},
        event_hooks={
            "request": [_check_host],
            "response": [
                partial(_check_encoding, endpoint),
                partial(_name_errors, endpoint),
                _forbid_senseless_retries,
            ],
        },
    )
    _contexts.setdefault((trusts_env, authorities), client._transport._pool._ssl_context)  # type: ignore[attr-defined]
    # httpcore takes the backend as an argument, httpx does not pass one on.
    transports: list[Any] = [client._transport, *client._mounts.values()]
    for transport in transports:
        if transport is not None:
            transport._pool._network_backend = _Backend(transport._pool._network_backend)
            weakref.finalize(
                client, transport.close
            )  # as the SDK's own client does, for those that nobody closes
    return client


def _check_host(request: Any) -> None:
    if call := _current.get():
        call.go_to(request.url)


def _check_encoding(endpoint: "Endpoint", response: Any) -> None:
    if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise ModelUnavailableError(
            f"{endpoint.where} sent a compressed reply, which was not asked for; turn its"
            " compression off"
        )


def _name_errors(endpoint: "Endpoint", response: Any) -> None:
    """Gives an error that came under status 200 the status that it names, by which the SDK tries
    again or doesn't. Raises ModelUnavailableError where it names none.
    """
    if response.status_code != 200 or "json" not in response.headers.get("content-type", ""):
        return
    if len(body := response.read()) > _MAX_ERROR_BYTES:
        return
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        return  # whoever reads it as a reply says so
    if found := in_place_of_reply(reply, endpoint):
        status, error = found
        if status is None:
            raise error
        response.status_code = status


def _forbid_senseless_retries(response: Any) -> None:
    """The SDK tries again after any 429, also after one that says that the account is empty; this
    header of its own servers tells it not to.
    """
    if response.status_code == 429:
        response.read()
        if is_quota_spent(response.text):
            response.headers["x-should-retry"] = "false"


class _Backend:
    """A network backend of httpcore whose connections are bounded."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def connect_tcp(self, *, timeout: float | None = None, **options: Any) -> "_Stream":
        """A connection to a host and port."""
        return _Stream(self._inner.connect_tcp(timeout=_left_s(_current.get(), timeout), **options))

    def connect_unix_socket(self, *, timeout: float | None = None, **options: Any) -> "_Stream":
        """A connection to a socket of this machine."""
        return _Stream(
            self._inner.connect_unix_socket(timeout=_left_s(_current.get(), timeout), **options)
        )

    def sleep(self, seconds: float) -> None:
        """Waits between tries to connect."""
        self._inner.sleep(seconds)


class _Stream:
    """A connection, which serves one request after the other: what is read belongs to the call that
    was last written for.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._call = _current.get()

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Sends."""
        self._call = _current.get()
        self._inner.write(buffer, _left_s(self._call, timeout))

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes received."""
        call = self._call
        try:
            data: bytes = self._inner.read(max_bytes, _left_s(call, timeout))
        except Exception:
            _left_s(call, timeout)  # late is what it was, if the call is over
            raise
        if call is not None:
            call.receive(data)
        return data

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> "_Stream":
        """The same connection, encrypted."""
        return _Stream(
            self._inner.start_tls(ssl_context, server_hostname, _left_s(self._call, timeout))
        )

    def get_extra_info(self, info: str) -> Any:
        """Extra information that httpcore asks a connection for."""
        return self._inner.get_extra_info(info)

    def close(self) -> None:
        """Closes it."""
        self._inner.close()


def _left_s(call: BoundedCall | None, timeout: float | None) -> float | None:
    return timeout if call is None else call.left_s(timeout)
