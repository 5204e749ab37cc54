"""A window of 320 pixels: no page has to be scrolled sideways, and every button is within it."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from app_server import AppServer, Chromium, settled, shoot
from ask_pages import QUESTION, TURNS

from dynagrag.ui.app import PAGES

if TYPE_CHECKING:
    from playwright.sync_api import Page

NARROW = (320, 640)
LONG = "Rhabarberbarbarabarbarbarenbartbarbier" * 3
_OVER = """() => {
    const main = document.querySelector('[data-testid="stMain"]')
    const wide = [document.scrollingElement, main].filter(box => box.scrollWidth > box.clientWidth)
    const isOut = element => {
        const box = element.getBoundingClientRect()
        // these scroll by themselves
        const scrolls = '[role="tablist"], [data-testid="stDataFrame"]'
        const own = element.parentElement.closest(scrolls)
        const isSeen = element.checkVisibility({ visibilityProperty: true }) && box.width > 1
        return isSeen && !own && (box.right > innerWidth + 1 || box.left < -1)
    }
    const places = ':is([data-testid="stMain"], [data-testid="stPopoverBody"])'
    const out = [...document.querySelectorAll(`${places} :is(button, input, textarea, a)`)]
    const described = one => {
        const right = one.getBoundingClientRect().right
        return `${one.tagName} "${one.innerText || one.ariaLabel}" ends at ${right}`
    }
    return [
        ...wide.map(box => `${box.tagName} is ${box.scrollWidth} wide`),
        ...out.filter(isOut).map(described),
    ]
}"""


def over(page: "Page") -> list[str]:
    """What is wider than the window, once the page has come to rest."""
    from playwright.sync_api import TimeoutError as LateError

    settled(page)
    with suppress(LateError):  # a table shrinks a moment after the page
        page.wait_for_function(f"() => ({_OVER})().length === 0", timeout=3_000)
    return list(page.evaluate(_OVER))


def test_no_page_is_wider_than_320_pixels_and_every_button_is_within_them(
    app: AppServer, chromium: Chromium, corpus: Any, cli: Callable[..., Any]
) -> None:
    talk = [
        *TURNS,
        (LONG[:60], f"{LONG} acquired Borealis Labs. See https://example.org/{LONG}/{LONG}."),
    ]
    assert (
        cli(
            "ingest", corpus.write(f"{LONG}.vtt", talk), corpus.write("board.vtt", TURNS), "-y"
        ).code
        == 0
    )
    assert cli("ask", QUESTION).code == 0
    page = chromium.open(app.url(), NARROW)
    found: list[str] = []

    def look(name: str) -> None:
        found.extend(f"{name}: {line}" for line in over(page))
        shoot(page, f"narrow-{name}")

    box = page.get_by_placeholder("Ask about these transcripts")
    look("ask-overview")
    box.fill(f"{QUESTION} {LONG}")
    box.press("Enter")
    page.get_by_text("Why this answer").wait_for()
    look("answer")
    for chip in ("Options", "Conversations", "Documents", "Time"):
        page.get_by_test_id("stApp").get_by_role("button", name=chip).first.click()
        look(f"ask-{chip.lower()}")
        page.keyboard.press("Escape")
    page.locator('a[href^="source?"]').first.click()
    page.locator(".st-key-source_beside").wait_for()
    look("beside")
    for path in [path for _, _, path, _ in PAGES if path]:
        page.goto(app.url(path))
        look(path)
    page.goto(app.url("source"))
    look("source")
    page.goto(app.url("curate", entity="Borealis Labs"))
    look("curate-edit")
    page.goto(app.url("workspaces"))
    settled(page)
    for name in ("Rename", "Delete"):
        page.get_by_role("button", name=name, exact=True).first.click()
        look(f"workspaces-{name.lower()}")
        page.keyboard.press("Escape")
    page.goto(app.url("ingest"))
    settled(page)
    page.locator('input[type="file"]').set_input_files(
        [str(corpus.write(f"new-{LONG}.vtt", [*talk, ("Leo", "More.")]))]
    )
    page.get_by_role("button", name="Start", exact=True).wait_for()
    look("ingest-preview")
    assert found == []
    assert chromium.foreign(app.origin) == []
