"""A drawing of the app in a real browser: whether it is there, where its nodes are, and moving
one.
"""

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Page

_CIRCLE = re.compile(
    r'<path d="M1 0A1 1[^"]*" transform="matrix\(([-\d.]+),0,0,[-\d.]+,([-\d.]+),([-\d.]+)\)"'
)
_SVG_ICON = (-62, 27)
"""The middle of the icon that saves an SVG, from the drawing's upper right corner."""
_NUM_MOVES = 10


@dataclass(frozen=True, slots=True)
class Circle:
    """A node as it is drawn, in pixels of the drawing."""

    radius: float
    x: float
    y: float


class Drawing:
    """The drawing on a page (the first, if there are several)."""

    def __init__(self, page: "Page") -> None:
        self._page = page
        self._frame = page.locator(".echarts-container").first

    def wait(self, num_nodes: int | None = None, timeout_s: float = 60.0) -> None:
        """Until it is painted (with so many nodes)."""
        words = "A drawing of" if num_nodes is None else f"A drawing of {num_nodes} entities"
        self._page.wait_for_function(
            "words => document.querySelector('.echarts-container')"
            "?.getAttribute('aria-label')?.startsWith(words)",
            arg=words,
            timeout=1000 * timeout_s,
        )
        self._page.evaluate(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def num_colours(self) -> int:
        """How many colours its picture has: 1 while it is blank."""
        script = """frame => {
            const canvas = frame.querySelector('canvas')
            const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
            return new Set(new Uint32Array(pixels.data.buffer)).size
        }"""
        return int(self._frame.evaluate(script))

    def save_svg(self, path: Path) -> str:
        """What the icon saves, as text."""
        box = self._box()
        with self._page.expect_download() as saved:
            self._page.mouse.click(box["x"] + box["width"] + _SVG_ICON[0], box["y"] + _SVG_ICON[1])
        saved.value.save_as(path)
        return path.read_text(encoding="utf-8")

    def circles(self, folder: Path) -> list[Circle]:
        """Its nodes, in the order that they were given in."""
        return [
            Circle(*map(float, found))
            for found in _CIRCLE.findall(self.save_svg(folder / "drawing.svg"))
        ]

    def drag(self, circle: Circle, dx: float, dy: float) -> float:
        """Moves a node by so many pixels; seconds for each step of the mouse, until it was
        drawn.
        """
        box, mouse = self._box(), self._page.mouse
        x, y = box["x"] + circle.x, box["y"] + circle.y
        mouse.move(x, y)
        mouse.down()
        start = time.perf_counter()
        for step in range(1, _NUM_MOVES + 1):
            mouse.move(x + dx * step / _NUM_MOVES, y + dy * step / _NUM_MOVES)
            self._page.evaluate("() => new Promise(requestAnimationFrame)")
        seconds = (time.perf_counter() - start) / _NUM_MOVES
        mouse.up()
        return seconds

    def click(self, circle: Circle) -> None:
        """Clicks a node."""
        box = self._box()
        self._page.mouse.click(box["x"] + circle.x, box["y"] + circle.y)

    def _box(self) -> "FloatRect":
        self._frame.scroll_into_view_if_needed()
        box = self._frame.bounding_box()
        assert box is not None
        return box
