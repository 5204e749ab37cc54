"""The password before the app: without a session's cookie a request gets the page that asks for it,
and nothing of Streamlit's.
"""

import asyncio
import secrets
import time
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from dynagrag.ui.serving.guess_checker import GuessChecker, TooManyGuessesError

if TYPE_CHECKING:
    from jinja2 import Template

SESSION_S = 12 * 3600.0
_TEMPLATE = "sign_in.html.jinja"
_FORM = "application/x-www-form-urlencoded"
_FORM_TIMEOUT_S = 10
_MAX_FORM_BYTES = 10_000
_POLICY_VIOLATION = 1008
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    ),
}


async def _body(request: Request) -> bytes | None:
    """The request's body; None if it is longer than a password can be."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > _MAX_FORM_BYTES:
            return None
    return bytes(body)


class SignIn:
    """ASGI middleware: lets through what carries the cookie of a session that began with the
    password.
    """

    def __init__(self, app: ASGIApp, guesses: GuessChecker, port: int) -> None:
        self._app = app
        self._guesses = guesses
        self._cookie = (  # a browser sends a host's cookies to all of its ports
            f"dynagrag_session_{port}"
        )
        self._ends_at: dict[str, float] = {}
        """When each session ends. They are this process's own: all end with it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, takes a password, or answers 401 (a WebSocket: 403)."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif scope["type"] == "http" and _is_form(scope):
            await (await self._take(Request(scope, receive)))(scope, receive, send)
        elif (
            self._ends_at.get(HTTPConnection(scope).cookies.get(self._cookie, ""), 0.0)
            > time.monotonic()
        ):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(_POLICY_VIOLATION)(scope, receive, send)
        elif scope["method"] in ("GET", "HEAD") and "text/html" in Headers(scope=scope).get(
            "accept", ""
        ):
            await _page(401)(scope, receive, send)
        else:
            await PlainTextResponse("dynagrag: sign in first\n", 401, headers=_HEADERS)(
                scope, receive, send
            )

    async def _take(self, request: Request) -> Response:
        """A form is a password, since Streamlit has none: leads back to the page that was asked
        for, or says what was wrong.
        """
        try:
            async with asyncio.timeout(_FORM_TIMEOUT_S):
                body = await _body(request)
        except (TimeoutError, ClientDisconnect):
            return _page(408, "That came too slowly.")
        if body is None:
            return _page(413, "That is no password.")
        guess = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
        try:
            if not await self._guesses.is_right(
                guess, request.client.host if request.client else ""
            ):
                return _page(401, "That is not the password.")
        except TooManyGuessesError as err:
            wait_s = int(err.wait_s) + 1
            spoken = (
                f"{wait_s} second{'s' * (wait_s != 1)}"
                if wait_s < 90
                else f"{-(-wait_s // 60)} minutes"
            )
            return _page(
                429,
                f"Too many wrong passwords. Try again in {spoken}.",
                {"Retry-After": str(wait_s)},
            )
        # the request's own address, relative to itself: a path such as //evil.example/ leads
        # nowhere else
        path = "./" + quote(request.url.path.rpartition("/")[2], safe="%")
        query = f"?{request.url.query}" if request.url.query else ""
        reply = RedirectResponse(path + query, status_code=303)
        now = time.monotonic()
        self._ends_at = {token: end for token, end in self._ends_at.items() if end > now}
        token = secrets.token_urlsafe(32)
        self._ends_at[token] = now + SESSION_S
        reply.set_cookie(
            self._cookie,
            token,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return reply


def _is_form(scope: Scope) -> bool:
    return (
        scope["method"] == "POST"
        and Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower() == _FORM
    )


def _page(status: int, error: str = "", headers: dict[str, str] | None = None) -> Response:
    logo = resources.files("dynagrag.ui").joinpath("logo.svg").read_text(encoding="utf-8")
    return HTMLResponse(
        _template().render(logo=logo, error=error), status, headers=_HEADERS | (headers or {})
    )


@cache
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined

    text = resources.files("dynagrag.ui.serving").joinpath(_TEMPLATE).read_text(encoding="utf-8")
    return Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(text)
