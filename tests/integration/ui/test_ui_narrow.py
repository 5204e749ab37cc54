"""The app in narrow windows: heads in one line, no cut words, no empty holes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from app_server import AppServer, Chromium, settled
from ask_pages import QUESTION, TURNS

if TYPE_CHECKING:
    from playwright.sync_api import Page

TABLET, PHONE = (820, 1000), (390, 844)


@pytest.fixture
def asked(app: AppServer, chromium: Chromium, corpus: Any, cli: Callable[..., Any]) -> "Page":
    """The page Ask after a question."""
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0
    page = chromium.open(app.url(""), TABLET)
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill(QUESTION)
    box.press("Enter")
    page.get_by_role("button", name="Export").wait_for()
    settled(page)
    return page


def test_badges_and_buttons_of_a_conversation_and_a_drawing_fit_the_window(
    app: AppServer, asked: "Page"
) -> None:
    for size in (TABLET, PHONE):
        assert_conversation_fits(asked, size)
    asked.set_viewport_size({"width": TABLET[0], "height": TABLET[1]})
    asked.goto(app.url("graph"))
    drawing = asked.locator(".st-key-graph_drawn canvas").first
    drawing.wait_for()
    box = drawing.bounding_box()
    assert box is not None
    assert box["height"] <= 0.65 * TABLET[0], "no higher than the narrow window is wide"


def assert_conversation_fits(asked: "Page", size: tuple[int, int]) -> None:
    """The buttons stand in one line, and badges show all their words."""
    asked.set_viewport_size({"width": size[0], "height": size[1]})
    settled(asked)
    tops = []
    for name in ("Options", "Conversations", "Export"):
        box = asked.get_by_role("button", name=name).first.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= size[0]
        tops.append(round(box["y"]))
    assert len(set(tops)) == 1, tops
    right, height_of_line, height = asked.evaluate(
        """() => {
            const badge = document.createElement('span')
            badge.className = 'stMarkdownBadge'
            badge.textContent = 'not found'
            const text = document.querySelector('[data-testid="stMain"] [data-testid="stMarkdown"]')
            text.append(badge)
            const line = badge.getBoundingClientRect().height
            badge.textContent = 'not found in any line that was checked '.repeat(9)
            const box = badge.getBoundingClientRect()
            return [box.right, line, box.height]
        }"""
    )
    assert right <= size[0], "a long badge stays within the window"
    assert height > 1.5 * height_of_line, "and shows its words in several lines"
