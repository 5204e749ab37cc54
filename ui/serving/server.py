"""Streamlit's server with our front before it: host and origin are checked, the password is asked
for, then Streamlit gets the request.
"""

import base64
import hashlib
import re
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

from dynagrag.config.passwords import check_hash
from dynagrag.core.errors import SettingsError
from dynagrag.ui.serving.base_address import SCRIPT, BaseAddress
from dynagrag.ui.serving.guess_checker import GuessChecker
from dynagrag.ui.serving.request_guard import RequestGuard, ServedHosts, is_loopback
from dynagrag.ui.serving.sign_in import SignIn

OPTIONS: dict[str, Any] = {
    "server.headless": True,
    "server.fileWatcherType": "none",
    "server.enableXsrfProtection": True,
    "server.enableCORS": True,
    "server.enableAgentApi": False,
    "server.maxUploadSize": 200,
    "browser.gatherUsageStats": False,
    "runner.magicEnabled": False,
    # 0.16 s after every run of a page with LangChain loaded; Python collects when it needs to
    "runner.postScriptGC": False,
    "client.showErrorDetails": "none",
    "client.toolbarMode": "viewer",
    # for which it asks another server for this machine's external address
    "logger.hideWelcomeMessage": True,
    "theme.light.primaryColor": "#1558c0",
    "theme.light.textColor": "#0b0f14",  # captions are 60 % of it: 4.5 to 1 on white
    # 4.5 to 1 both under white words on a button and, as a tab's name, on this background
    "theme.dark.primaryColor": "#2472e8",
    "theme.dark.backgroundColor": "#050505",
    "theme.dark.secondaryBackgroundColor": "#1c1c1c",
}
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_is_served = False


def is_served() -> bool:
    """Whether this process serves the app behind its front; `streamlit run` would serve the pages
    without it.
    """
    return _is_served


def serve_app(
    address: str,
    port: int,
    *,
    allowed_hosts: Sequence[str] = (),
    password_hash: str | None = None,
    started: Callable[[], None],
) -> None:
    """Serves the app until the process is told to end; calls `started` once it listens.

    Raises SettingsError where other machines could reach it and there is no password, or a value
    can't be what it is meant to be.
    """
    global _is_served
    if password_hash is not None:
        check_hash(password_hash)
    elif not is_loopback(address):
        raise SettingsError(
            f"other machines can reach {address or 'this address'}, so the app needs a password:"
            " add --password, or set DYNAGRAG_PASSWORD"
        )
    front = [
        Middleware(RequestGuard, hosts=ServedHosts(address, allowed_hosts), headers=reply_headers())
    ]
    if password_hash is not None:
        front.append(Middleware(SignIn, guesses=GuessChecker(password_hash), port=port))
    front.append(Middleware(BaseAddress))

    @asynccontextmanager
    async def announced(_app: st.App) -> AsyncIterator[None]:
        started()
        yield

    _is_served = True
    pages = Path(str(resources.files("dynagrag.ui"))) / "app.py"
    sys.argv = [str(pages)]  # whose folder Streamlit puts on the path
    st.App(pages, lifespan=announced, middleware=front).run(
        config=OPTIONS | {"server.address": address, "server.port": port}
    )


def reply_headers() -> dict[str, str]:
    """Headers that tell browsers that no page elsewhere may frame or read the app, and that it
    fetches nothing from elsewhere.
    """
    page = resources.files("streamlit").joinpath("static", "index.html").read_text(encoding="utf-8")
    hashes = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        for script in (SCRIPT, *_SCRIPT.findall(page))
    ]
    policy = {
        "default-src": "'self'",
        # eval: the drawing's functions (ui/drawing/*.js) reach ECharts as text.
        # blob: ui/ask/source_panel.js reaches the browser as text, which Streamlit makes a module
        # of. Inline scripts: Streamlit's own and base_address.py's.
        "script-src": " ".join(
            ["'self'", "'unsafe-eval'", "blob:", *(f"'sha256-{one}'" for one in hashes)]
        ),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "media-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "X-Frame-Options": "DENY",
        "X-Content-Type-Options": "nosniff",
        # a stricter one makes browsers send `Origin: null` with the sign-in form
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
