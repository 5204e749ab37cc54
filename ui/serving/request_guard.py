"""Which requests the app answers: those for a host that it is served as, from pages of its own.

A page elsewhere whose name was made to resolve to this machine (DNS rebinding) speaks to us as its
own origin, and sends its own name as `Host`: names that aren't ours are refused. Any other page
sends an `Origin` that differs from `Host`, in its port at least. It is refused before Streamlit
sees it, which would ask another server for this machine's external address.
"""

import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from dynagrag.core.errors import SettingsError

_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s\[\]:/?#@\\,]+)(?::(\d{1,5}))?")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_POLICY_VIOLATION = 1008
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches what listens on it; False where that can't be told."""
    return address.lower() == "localhost" or (
        _is_ip(address) and ipaddress.ip_address(address).is_loopback
    )


class ServedHosts:
    """The hosts that the app is served as: loopback, the address that it listens on, and names that
    were allowed.

    Listening on all addresses, it is served as any of them: an address, unlike a name, can't be
    made to lead here. Raises SettingsError where an allowed name can't be one.
    """

    def __init__(self, address: str, allowed: Sequence[str] = ()) -> None:
        for name in allowed:
            if (found := _HOST.fullmatch(name)) is None or found[2] or "*" in name:
                raise SettingsError(
                    f"{name!r} cannot be the name of a host; give it without scheme, port and path,"
                    " e.g. talks.example.com"
                )
        self._names = {*_LOOPBACK, _plain(address), *map(_plain, allowed)}
        self._is_any_ip = _is_ip(address) and ipaddress.ip_address(address).is_unspecified

    def have(self, name: str) -> bool:
        """Whether a host, without a port, is one of them."""
        return _plain(name) in self._names or (self._is_any_ip and _is_ip(_plain(name)))


class RequestGuard:
    """ASGI middleware that refuses other hosts and origins, and sends `headers` with every reply
    that doesn't have them.
    """

    def __init__(self, app: ASGIApp, hosts: ServedHosts, headers: dict[str, str]) -> None:
        self._app = app
        self._hosts = hosts
        self._headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or refuses it with 403."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        host = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if host is None or not self._hosts.have(host[1]):
            refusal = (
                "the app is not served under this name. If it is yours: dynagrag serve --allow-host"
                " NAME"
            )
        elif any(not _is_same(origin, host) for origin in origins):
            refusal = "a page of another origin asked for this. Open the app by its own address"
        else:
            refusal = None
        if refusal is None:
            await self._app(scope, receive, self._with_headers(send))
        elif scope["type"] == "websocket":
            await WebSocketClose(_POLICY_VIOLATION)(scope, receive, send)
        else:
            await PlainTextResponse(f"dynagrag: {refusal}\n", status_code=403)(
                scope, receive, self._with_headers(send)
            )

    def _with_headers(self, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        return send_with_headers


def _is_same(origin: str, host: re.Match[str]) -> bool:
    """Whether an `Origin` is that of pages from this `Host`; a port that goes without saying may be
    said.
    """
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    found = _HOST.fullmatch(parts.netloc)
    default = _DEFAULT_PORTS.get(parts.scheme)
    if (
        found is None
        or default is None
        or (parts.path, parts.query, parts.fragment) != ("", "", "")
    ):
        return False
    return (_plain(found[1]), found[2] or default) == (_plain(host[1]), host[2] or default)


def _plain(name: str) -> str:
    """A host in one spelling: lower case, no root dot, no brackets."""
    return name.lower().removesuffix(".").strip("[]")


def _is_ip(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
