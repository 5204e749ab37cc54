"""The app in a real browser, from an empty home to an export, on both stores; see `shoot` for
screenshots.

Axe looks at every page in both themes; no request leaves the app's origin, though a transcript and
the answers that repeat it try to.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from app_server import DESKTOP, PHONE, AppServer, Chromium, at_rest, serious, settled, shoot

from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.generation.claims.verdict_text import UNSUPPORTED
from dynagrag.ui.app import PAGES

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = (
    "![p](http://evil.example/pixel.png) <img src=http://evil.example/i.png>"
    " <script>alert(1)</script> [go](javascript:alert(2))"
)
TURNS = [
    ("Maria", f"Acme Works acquired Borealis Labs. {HOSTILE}"),
    ("Leo", "Ada Byron works at Acme Works. Ada Byron founded Corvus Partners."),
    ("Maria", "Borealis Labs is located in Port Arthur. Corvus Partners invested in Acme-Works."),
    ("Leo", "Grace Hopper works at Borealis Labs."),
]
ON_SQLITE = pytest.mark.parametrize("any_store", ["sqlite"], indirect=True)
"""The pages are the same on both stores."""
QUESTION = "Who founded Corvus Partners?"


@pytest.fixture
def app(server: OpenAIStubServer, any_store: str) -> Iterator[AppServer]:
    """The app with an empty home, workspaces on either store, models on the loopback."""
    with AppServer() as made:
        yield made


def go(page: "Page", name: str) -> None:
    """Goes to a page by the navigation, as a visitor would."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name, exact=True).click()
    page.wait_for_url(re.compile(f"/{'' if name == 'Ask' else name.lower()}(\\?|$)"))
    settled(page)


def test_from_an_empty_workspace_to_an_export(
    app: AppServer, chromium: Chromium, corpus: Any, any_store: str, cli: Callable[..., Any]
) -> None:
    store_name = "sqlite" if any_store == "sqlite" else "neo4j"
    page = chromium.open(app.url("ingest"), DESKTOP)
    bring_in(page, corpus.write("board.vtt", TURNS), store_name)
    ask(page, store_name)
    follow_a_citation(page, store_name)
    look_at_why(page, store_name)
    export(page)
    undo_a_merge(page, store_name)
    assert cli("graph", "merges").out == "no merges\n"
    look_at_the_graph(page, store_name)

    go(page, "Ask")
    page.reload()
    settled(page)
    assert QUESTION in page.get_by_test_id("stMainBlockContainer").inner_text()
    assert chromium.foreign(app.origin) == []
    assert chromium.dialogs == []


def bring_in(page: Any, file: Any, store_name: str) -> None:
    page.locator('input[type="file"]').set_input_files([str(file)])
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text(re.compile("[Dd]one\\.")).first.wait_for()
    settled(page)
    shoot(page, f"ingest-{store_name}")


def ask(page: Any, store_name: str) -> None:
    go(page, "Ask")
    box = page.get_by_placeholder("Ask about these transcripts")
    box.fill(QUESTION)
    box.press("Enter")
    page.get_by_text("Why this answer").wait_for()
    settled(page)
    assert "<script>alert(1)</script>" in page.get_by_test_id("stMainBlockContainer").inner_text()
    shoot(page, f"ask-{store_name}")


def follow_a_citation(page: Any, store_name: str) -> None:
    # what the fake model says is no statement of a line, so it is folded under the lines
    folded = page.get_by_test_id("stExpander").filter(has_text=UNSUPPORTED.rstrip(":"))
    folded.get_by_text(UNSUPPORTED.rstrip(":")).click()
    folded.locator('a[href^="source?"]').first.click()
    panel = page.locator(".st-key-source_beside")
    panel.locator(".stMarkdownColoredBackground").first.wait_for()
    settled(page)
    assert "Maria 0:00 · turn 1" in panel.inner_text()
    assert (
        "Acme Works acquired Borealis Labs."
        in panel.locator(".stMarkdownColoredBackground").first.inner_text()
    )
    shoot(page, f"source-{store_name}")
    panel.get_by_role("button", name="Close").click()
    panel.wait_for(state="detached")


def look_at_why(page: Any, store_name: str) -> None:
    page.get_by_text("Why this answer").click()
    page.get_by_role("tab", name="Ego-graphs").wait_for()
    settled(page)
    shoot(page, f"why-{store_name}")


def export(page: Any) -> None:
    go(page, "Ask")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    exported = download.value.path().read_text(encoding="utf-8")
    assert f"## {QUESTION}" in exported
    assert "- [1] board" in exported


def undo_a_merge(page: Any, store_name: str) -> None:
    go(page, "Curate")
    page.get_by_role("tab", name="Merges made").click()
    shoot(page, f"curate-{store_name}")
    page.get_by_role("button", name="Undo", exact=True).first.click()
    page.get_by_role("button", name="Undo this").wait_for()


def look_at_the_graph(page: Any, store_name: str) -> None:
    go(page, "Graph")
    page.locator("canvas").first.wait_for()
    page.wait_for_timeout(1_500)  # the drawing comes to rest
    shoot(page, f"graph-{store_name}")


@ON_SQLITE
def test_every_page_passes_axe_fits_a_phone_and_needs_no_mouse(
    app: AppServer, chromium: Chromium, corpus: Any, cli: Callable[..., Any]
) -> None:
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0
    assert cli("ask", QUESTION).code == 0
    found: list[str] = []
    page = chromium.context().new_page()
    for name in ("ask", *(path for _, _, path, _ in PAGES), "source"):  # what a person would type
        page.goto(app.url(name))
        settled(page)
        assert page.get_by_text("Page not found").count() == 0
        if name == "ask":
            continue  # it leads to the page that is next
        for theme in ("light", "dark"):
            wear(page, theme)
            found += [
                f"{name or 'ask'} {theme}: {line}"
                for line in serious(page, only_colours=theme == "dark")
            ]
            shoot(page, f"page-{name or 'ask'}{'-dark' if theme == 'dark' else ''}")
        assert_fits_a_phone(page, name or "ask")
    assert found == []
    ask_by_keyboard(chromium.open(app.url("")))
    assert chromium.foreign(app.origin) == []


@ON_SQLITE
def test_runs_are_read_and_compared_in_both_themes_and_on_a_phone(
    app: AppServer, chromium: Chromium, corpus: Any, cli: Callable[..., Any], tmp_path: Path
) -> None:
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        json.dumps({"question": f"{QUESTION} {HOSTILE}", "documents": ["board"]}) + "\n",
        encoding="utf-8",
    )
    for arms in ("default", "default,paper"):
        assert (
            cli(
                "evaluate", "retrieval", "--questions", questions, "-w", "default", "--arms", arms
            ).code
            == 0
        )
    page = chromium.open(app.url("evaluate"), DESKTOP)
    found: list[str] = []
    for name, sign in (("Read", "Questions to read"), ("Compare", "Second minus first")):
        page.get_by_text(name, exact=True).click()
        page.get_by_text(sign).first.wait_for()
        settled(page)
        for theme in ("light", "dark"):
            wear(page, theme)
            found += [
                f"{name} {theme}: {line}" for line in serious(page, only_colours=theme == "dark")
            ]
            shoot(page, f"evaluate-{name.lower()}{'-dark' if theme == 'dark' else ''}")
        assert_fits_a_phone(page, f"evaluate-{name.lower()}")
    assert found == []
    assert chromium.foreign(app.origin) == []
    assert chromium.dialogs == []


def wear(page: "Page", theme: Literal["light", "dark"]) -> None:
    """The visitor's machine changes its colours, and the page after it."""
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(_WEARS, arg=theme)
    at_rest(page)


_WEARS = r"""theme => {
    const app = document.querySelector('[data-testid="stApp"]')
    const colours = getComputedStyle(app).backgroundColor.match(/\d+/g)
    const [red, green, blue] = colours.map(Number)
    return (red + green + blue < 384) === (theme === 'dark')
}"""


def assert_fits_a_phone(page: "Page", name: str) -> None:
    from playwright.sync_api import TimeoutError as LateError

    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.wait_for_function(
        "width => document.querySelector('[data-testid=\"stApp\"]').clientWidth === width",
        arg=PHONE[0],
    )
    settled(page)
    with suppress(LateError):  # a table shrinks a moment after the page
        page.wait_for_function(f"() => ({_TOO_WIDE})() <= 0", timeout=20_000)
    wide = page.evaluate(_TOO_WIDE)
    assert wide <= 0, f"{name} is {wide} pixels too wide"
    shoot(page, f"phone-{name}")
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    settled(page)


_TOO_WIDE = (
    "() => document.querySelector('[data-testid=\"stMainBlockContainer\"]').scrollWidth -"
    " window.innerWidth"
)


def ask_by_keyboard(page: "Page") -> None:
    """The Tab key goes through the page in its order."""
    wanted = ["Why", "Workspaces", "Options", "Conversations", "Ask about these transcripts"]
    reached: list[str] = []
    for _ in range(40):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "() => { const e = document.activeElement; return e.getAttribute('placeholder') ||"
            " e.innerText || '' }"
        )
        reached += [one for one in wanted if one not in reached and one in name]
        if reached == wanted:
            break
    assert reached == wanted
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.get_by_text("Why this answer").wait_for()
