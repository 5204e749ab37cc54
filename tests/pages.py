"""What tests do with a page of the app that AppTest runs."""

import time
from collections.abc import Callable
from typing import Any


def until(page: Any, is_so: Callable[[], bool], seconds: float = 30.0) -> None:
    """Draws the page again and again until it is so."""
    give_up_at = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < give_up_at, words(page)
        time.sleep(0.05)
        page.run()
        assert not page.exception, page.exception


def words(page: Any) -> str:
    """Everything that is shown, labels too, as Markdown."""
    return "\n".join(f"{getattr(e, 'label', '')} {getattr(e, 'value', '')} {getattr(e, 'text', '')}" for e in page.main)


def has(page: Any, label: str) -> bool:
    """Whether there is a button of this label."""
    return any(button.label == label for button in page.button)


def press(page: Any, label: str) -> None:
    """Presses the first button of this label."""
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, page.exception
