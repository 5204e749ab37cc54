"""The app in a real browser, from an empty home to an export, on both stores; screenshots go to `.screenshots`.

Axe looks at every page in both themes; no request leaves the app's origin, though a transcript and the answers that repeat it try to.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from app_server import DESKTOP, PHONE, AppServer, Chromium, settled

from dynagrag.fakes.server import OpenAIStubServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = "![p](http://evil.example/pixel.png) <img src=http://evil.example/i.png> <script>alert(1)</script> [go](javascript:alert(2))"
TURNS = [
    ("Maria", f"Acme Works acquired Borealis Labs. {HOSTILE}"),
    ("Leo", "Ada Byron works at Acme Works. Ada Byron founded Corvus Partners."),
    ("Maria", "Borealis Labs is located in Port Arthur. Corvus Partners invested in Acme-Works."),
    ("Leo", "Grace Hopper works at Borealis Labs."),
]
_SCREENSHOTS = Path(__file__).parents[2] / ".screenshots"
PAGES = ("", "why", "graph", "ingest", "curate", "workspaces", "source")


@pytest.fixture
def app(server: OpenAIStubServer, any_store: str) -> Iterator[AppServer]:
    """The app with an empty home, workspaces on either store, models on the loopback."""
    with AppServer() as made:
        yield made


def shoot(page: "Page", name: str) -> None:
    """Keeps what a page looks like, for people."""
    _SCREENSHOTS.mkdir(exist_ok=True)
    page.screenshot(path=str(_SCREENSHOTS / f"{name}.png"))


def serious(page: "Page") -> list[str]:
    """What axe finds serious on a page: rule and place."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {v['help']}: {[n['target'] for n in v['nodes']][:3]}" for v in found if v["impact"] in ("serious", "critical")]


def go(page: "Page", name: str) -> None:
    """Goes to a page by the navigation, as a visitor would."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True).click()
    page.wait_for_url(re.compile(f"/{'' if name == 'Ask' else name.lower()}(\\?|$)"))
    settled(page)


def test_from_an_empty_workspace_to_an_export(
    app: AppServer, chromium: Chromium, corpus: Any, any_store: str, cli: Callable[..., Any]
) -> None:
    store_name = "sqlite" if any_store == "sqlite" else "neo4j"
    first = corpus.write("board.vtt", TURNS)
    page = chromium.open(app.url("ingest"), DESKTOP)

    page.locator('input[type="file"]').set_input_files([str(first)])
    page.get_by_role("button", name="Start", exact=True).click(timeout=120_000)
    page.get_by_text(re.compile("[Dd]one\\.")).first.wait_for(timeout=120_000)
    settled(page)
    shoot(page, f"ingest-{store_name}")

    go(page, "Ask")
    box = page.get_by_placeholder("Ask about these transcripts")
    box.fill("Who founded Corvus Partners?")
    box.press("Enter")
    page.get_by_text("Why this answer").wait_for(timeout=60_000)
    settled(page)
    assert "<script>alert(1)</script>" in page.get_by_test_id("stMainBlockContainer").inner_text()
    shoot(page, f"ask-{store_name}")

    with page.context.expect_page() as opened:
        page.locator('a[href^="source?"]').first.click()
    source = opened.value
    settled(source)
    shown = source.get_by_test_id("stMainBlockContainer").inner_text()
    assert "Maria · 0:00 · turn 1" in shown
    assert "Acme Works acquired Borealis Labs." in shown
    marked = source.locator('[data-testid="stMarkdownContainer"] span[style*="background"], .stMarkdownColoredBackground').first
    assert "Acme Works acquired Borealis Labs." in marked.inner_text()
    shoot(source, f"source-{store_name}")

    page.get_by_text("Why this answer").click()
    page.get_by_role("tab", name="Ego-graphs").wait_for()
    settled(page)
    shoot(page, f"why-{store_name}")

    go(page, "Ask")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    exported = download.value.path().read_text(encoding="utf-8")
    assert "## Who founded Corvus Partners?" in exported
    assert "- [E1] board" in exported

    go(page, "Curate")
    page.get_by_role("tab", name="Merges made").click()
    shoot(page, f"curate-{store_name}")
    page.get_by_role("button", name="Undo", exact=True).first.click()
    page.get_by_role("button", name="Undo this").wait_for(timeout=60_000)
    assert cli("graph", "merges").out == "no merges\n"

    go(page, "Graph")
    page.locator("canvas").first.wait_for(timeout=60_000)
    page.wait_for_timeout(1_500)  # the drawing comes to rest
    shoot(page, f"graph-{store_name}")

    go(page, "Ask")
    page.reload()
    settled(page)
    assert "Who founded Corvus Partners?" in page.get_by_test_id("stMainBlockContainer").inner_text()
    assert chromium.foreign(app.origin) == []
    assert chromium.dialogs == []


def test_axe_finds_nothing_serious_on_any_page_in_either_theme(
    app: AppServer, chromium: Chromium, corpus: Any, cli: Callable[..., Any], any_store: str
) -> None:
    if any_store != "sqlite":
        pytest.skip("the pages are the same on both stores")
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0
    assert cli("ask", "Who founded Corvus Partners?").code == 0
    found: list[str] = []
    for is_dark in (False, True):
        for name in PAGES:
            page = chromium.open(app.url(name), DESKTOP, is_dark=is_dark)
            found += [f"{name or 'ask'}{' dark' if is_dark else ''}: {line}" for line in serious(page)]
            shoot(page, f"page-{name or 'ask'}{'-dark' if is_dark else ''}")
            page.context.close()
    assert found == []
    assert chromium.foreign(app.origin) == []


def test_a_question_is_asked_by_keyboard_alone_in_the_order_of_the_page(
    app: AppServer, chromium: Chromium, corpus: Any, cli: Callable[..., Any], any_store: str
) -> None:
    if any_store != "sqlite":
        pytest.skip("the pages are the same on both stores")
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0
    page = chromium.open(app.url(""))
    wanted = ["Why", "Workspaces", "Options", "Conversations", "Ask about these transcripts"]
    reached: list[str] = []
    for _ in range(40):
        page.keyboard.press("Tab")
        name = page.evaluate("() => { const e = document.activeElement; return e.getAttribute('placeholder') || e.innerText || '' }")
        reached += [one for one in wanted if one not in reached and one in name]
        if reached == wanted:
            break
    assert reached == wanted
    page.keyboard.type("Who founded Corvus Partners?")
    page.keyboard.press("Enter")
    page.get_by_text("Why this answer").wait_for(timeout=60_000)


def test_what_a_person_would_type_is_a_page(app: AppServer, chromium: Chromium, any_store: str) -> None:
    if any_store != "sqlite":
        pytest.skip("the pages are the same on both stores")
    for name in ("ask", *PAGES):
        page = chromium.open(app.url(name))
        assert page.get_by_text("Page not found").count() == 0
        page.context.close()


def test_pages_fit_a_phone(app: AppServer, chromium: Chromium, corpus: Any, cli: Callable[..., Any], any_store: str) -> None:
    if any_store != "sqlite":
        pytest.skip("the pages are the same on both stores")
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0
    for name in PAGES:
        page = chromium.open(app.url(name), PHONE)
        wide = page.evaluate("() => document.querySelector('[data-testid=\"stMainBlockContainer\"]').scrollWidth - window.innerWidth")
        assert wide <= 0, f"{name} is {wide} pixels too wide"
        shoot(page, f"phone-{name or 'ask'}")
        page.context.close()
