"""The app for tests: a page by itself, the whole app in a process, and a real browser."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from app_server import AppServer, Chromium, launched
from ask_pages import TURNS

from dynagrag.config.settings import load_settings
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.ui import background
from dynagrag.workspace.conversations import ConversationBook

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from streamlit.testing.v1 import AppTest


@pytest.fixture
def panel() -> Iterator[Callable[[str], "AppTest"]]:
    """A page of the app by its module in `dynagrag.ui`, e.g. `panel("ask.ask_page").run()`; the
    workspaces that it opens are closed.
    """
    from streamlit.testing.v1 import AppTest

    from dynagrag.ui import state

    yield lambda name: AppTest.from_string(
        f"from dynagrag.ui.{name} import page\n\npage()\n", default_timeout=120
    )
    state.close_all()


@pytest.fixture
def book(server: OpenAIStubServer, corpus: Any, cli: Callable[..., Any]) -> ConversationBook:
    """The conversations of a workspace of one meeting."""
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0
    return ConversationBook(load_settings().workspaces_dir / "default")


@pytest.fixture
def keep(book: ConversationBook, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts an untrained network as a system's checkpoint into the workspace of one meeting, e.g.
    `keep("grag")`.
    """
    from untrained_soft_prompts import UntrainedSoftPrompts

    return UntrainedSoftPrompts(monkeypatch)


@pytest.fixture
def evaluate_page(
    server: OpenAIStubServer,
    panel: Callable[[str], "AppTest"],
    corpus: Any,
    cli: Callable[..., Any],
) -> Iterator[Callable[[], "AppTest"]]:
    """The page Evaluate on a workspace of one meeting, each time as another visitor's."""
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0
    yield lambda: panel("evaluate.page").run()
    background.wait_for_all()


@pytest.fixture
def app(server: OpenAIStubServer) -> Iterator[AppServer]:
    """The app in a process of its own, with the test's home and the stub for both models."""
    with AppServer() as running:
        yield running


@pytest.fixture(scope="session")
def one_browser() -> Iterator["Browser"]:
    with launched() as made:
        yield made


@pytest.fixture
def chromium(one_browser: "Browser") -> Iterator[Chromium]:
    """A real browser without any page yet; what its pages ask for is in `requests`, and `foreign`
    says which of it left the app.
    """
    made = Chromium(one_browser)
    yield made
    made.leave()
