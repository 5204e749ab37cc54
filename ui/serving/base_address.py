"""Tells Streamlit's page where its server is: at the origin. Left to itself it looks below each
page's own path first, where nothing is, and every page but the first begins with two requests that
fail.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SCRIPT = "window.__streamlit = {BACKEND_BASE_URL: window.location.origin + '/'}"
_HEAD = b"<head>"
_TAG = f"<script>{SCRIPT}</script>".encode()


class BaseAddress:
    """Puts the script at the head of each HTML page that Streamlit serves."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hands on; a page is held back until it is whole."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        # a browser that asks for a page gets it as it is, not compressed
        if any(name == b"accept" and b"text/html" in value for name, value in scope["headers"]):
            scope = {
                **scope,
                "headers": [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"],
            }
        start: Message | None = None
        body = b""

        async def changed(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_html(message):
                start = message
            elif message["type"] == "http.response.body" and start is not None:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    body = body.replace(_HEAD, _HEAD + _TAG, 1)
                    MutableHeaders(raw=start["headers"])["content-length"] = str(len(body))
                    await send(start)
                    await send({"type": "http.response.body", "body": body})
            else:
                await send(message)

        await self._app(scope, receive, changed)


def _is_html(message: Message) -> bool:
    headers = MutableHeaders(raw=list(message["headers"]))
    return (
        message["status"] == 200
        and headers.get("content-type", "").startswith("text/html")
        and "content-encoding" not in headers
    )
