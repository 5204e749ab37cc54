"""The app as a process of its own on a free port, and a real Chromium that remembers every request
it made.

    with AppServer() as app, browser() as chromium:
        page = chromium.open(app.url("graph"))
        ...
        assert chromium.foreign(app.origin) == []

The app gets the environment as it is when the object is made: fixtures that point at a temporary
home and a stub of the models come first.
"""

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkstemp
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

import pytest
from warm_python import APP, WarmProcess

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

_IN_CI = os.environ.get("CI") == "true"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    # Whatever a page asks for elsewhere is seen as a request, and goes nowhere.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
_SCREENSHOTS = Path(__file__).parents[2] / ".screenshots"
PHONE = (390, 844)
DESKTOP = (1280, 900)
PATIENCE_S = 120.0
"""How long a page, an element or the server is waited for; what is there is never waited for, so
only a busy machine needs it.
"""


class AppServer:
    """`dynagrag serve` on the loopback; ends with its block, and whatever it started with it."""

    def __init__(self, env: Mapping[str, str] | None = None, *options: str) -> None:
        self._env = dict(os.environ) | dict(env or {})
        self._options = options
        handle, name = mkstemp(prefix="dynagrag-app-", suffix=".log")
        os.close(handle)
        self._log = Path(name)
        self._process: WarmProcess | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "AppServer":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
        self._log.unlink()

    def url(self, page: str = "", **parameters: str) -> str:
        """The address of a page, e.g. `url("graph", workspace="demo")`."""
        return f"{self.origin}/{page}" + (f"?{urlencode(parameters)}" if parameters else "")

    def log(self) -> str:
        """What it wrote to stdout and stderr so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def start(self, timeout_s: float = PATIENCE_S) -> None:
        """Starts it (again, after `stop`) and waits until it answers."""
        command = ["-m", "dynagrag.cli", "serve", "--port", str(self.port), *self._options]
        with self._log.open("ab") as log:
            self._process = WarmProcess(
                command,
                env=self._env,
                stdout=log.fileno(),
                stderr=log.fileno(),
                is_alone=True,
                modules=APP,
            )
        deadline = time.monotonic() + timeout_s
        while not self._is_healthy():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise AssertionError(f"the app did not start:\n{self.log()}")
            time.sleep(0.1)

    def _is_healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.origin}/_stcore/health", timeout=5) as reply:
                return bool(reply.status == 200)
        except urllib.error.HTTPError as err:
            return err.code == 401  # it asks for its password
        except OSError:
            return False

    def end_command(self) -> bool:
        """Ends the command alone, as a terminal or service manager would; whether the app has ended
        with it.
        """
        assert self._process is not None
        self._process.terminate()
        self._process.wait(timeout=30)
        return not self._is_healthy()

    def stop(self) -> None:
        """Ends it and its children, as the machine's shutdown would; a second time does nothing."""
        if self._process is None:
            return
        for sign in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, sign)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=5)
        self._process = None


class Chromium:
    """A browser whose pages' requests, WebSocket bytes, errors and dialogs are kept."""

    def __init__(self, made: "Browser") -> None:
        self._made = made
        self._contexts: list[BrowserContext] = []
        self.requests: list[str] = []
        """The address of every request and WebSocket, in order."""
        self.errors: list[str] = []
        """Errors on the console, and exceptions that nothing caught."""
        self.dialogs: list[str] = []
        """What pages said in `alert` and its like: a script that text smuggled in."""
        self.received_bytes = 0
        """Payload of what came over WebSockets."""

    def context(
        self, size: tuple[int, int] = DESKTOP, *, is_dark: bool = False
    ) -> "BrowserContext":
        """A visitor of their own (cookies, storage), watched."""
        context = self._made.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if is_dark else "light",
            accept_downloads=True,
        )
        context.set_default_timeout(1000 * PATIENCE_S)
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("page", self._watch)
        self._contexts.append(context)
        return context

    def leave(self) -> None:
        """Closes all pages; the browser stays."""
        for context in self._contexts:
            context.close()
        self._contexts.clear()

    def open(self, url: str, size: tuple[int, int] = DESKTOP, *, is_dark: bool = False) -> "Page":
        """A page of a new visitor, once Streamlit has run it to its end."""
        page = self.context(size, is_dark=is_dark).new_page()
        page.goto(url)
        settled(page)
        return page

    def foreign(self, origin: str) -> list[str]:
        """The requests that left this origin, however they were made."""
        host = urlsplit(origin).netloc
        return [
            url
            for url in self.requests
            if not url.startswith(("data:", "blob:", "about:")) and urlsplit(url).netloc != host
        ]

    def _watch(self, page: "Page") -> None:
        page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type == "error" else None,
        )
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        page.on("websocket", self._listen)

    def _listen(self, made: object) -> None:
        made.on("framereceived", self._count)  # type: ignore[attr-defined]
        self.requests.append(made.url)  # type: ignore[attr-defined]

    def _count(self, payload: str | bytes) -> None:
        self.received_bytes += len(payload)


_IS_SETTLED = """() => {
    const app = document.querySelector('[data-testid="stApp"]')
    const main = document.querySelector('[data-testid="stMainBlockContainer"]')
    return app?.dataset.testConnectionState === 'CONNECTED'
        && app.dataset.testScriptState === 'notRunning'
        && main?.querySelector('[data-testid="stElementContainer"]')
        && !main.querySelector('[data-stale="true"]')
}"""
_IS_AT_REST = """() => document.getAnimations().every(
    made => made.playState !== 'running' || made.effect?.getComputedTiming().endTime === Infinity
)"""


def settled(page: "Page", timeout_s: float = PATIENCE_S) -> None:
    """Waits until the app has run the page and nothing is running any more."""
    for _ in range(2):  # what the first look found may be the moment before a rerun
        page.wait_for_function(_IS_SETTLED, timeout=1000 * timeout_s)
        page.wait_for_timeout(150)


def at_rest(page: "Page") -> None:
    """Waits until colours and places have changed to their end; what turns for ever isn't waited
    for.
    """
    page.wait_for_function(_IS_AT_REST)


def serious(page: "Page", *, only_colours: bool = False) -> list[str]:
    """What axe finds serious on a page, rule and place; `only_colours`: by the rules that another
    theme could break.
    """
    from axe_playwright_python.sync_playwright import Axe

    options: dict[str, object] = {"resultTypes": ["violations"]}
    if only_colours:
        options["runOnly"] = ["color-contrast", "link-in-text-block"]
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{v['id']}: {v['help']}: {[n['target'] for n in v['nodes']][:3]}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]


def shoot(page: "Page", name: str) -> None:
    """Keeps what a page looks like in `.screenshots`, for people, where SCREENSHOTS is set; each
    takes half a second.
    """
    if os.environ.get("SCREENSHOTS"):
        _SCREENSHOTS.mkdir(exist_ok=True)
        page.screenshot(path=str(_SCREENSHOTS / f"{name}.png"))


@contextmanager
def launched() -> Iterator["Browser"]:
    """Headless Chromium. Skips where there is none, which in CI is a failure.

    While it is open, `asyncio.run` can't be used on this thread.
    """
    if not Path(CHROMIUM).exists():
        remedy = f"no browser at {CHROMIUM}: `apt-get install chromium`, or name one in CHROMIUM"
        if _IN_CI:
            pytest.fail(f"in CI the browser's tests must run: {remedy}")
        pytest.skip(remedy)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, headless=True, args=_FLAGS)
        try:
            yield made
        finally:
            made.close()


@contextmanager
def browser() -> Iterator[Chromium]:
    """A browser for this block alone; see `launched`."""
    with launched() as made:
        yield Chromium(made)
