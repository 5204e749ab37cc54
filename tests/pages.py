"""What tests do with a page of the app that AppTest runs."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

QUESTIONS: list[dict[str, Any]] = [
    {"question": "Who founded Corvus Partners?", "answer": "Ada Byron", "documents": ["board"]},
    {
        "question": "Where is Borealis Labs located?",
        "answer": "Port Arthur",
        "documents": ["board"],
    },
    {"question": "Who works at Borealis Labs?", "answer": "Grace Hopper", "documents": ["board"]},
]
"""A file of questions on the meeting of `ask_pages`."""


def until(page: Any, is_so: Callable[[], bool], seconds: float = 120.0) -> None:
    """Draws the page again and again until it is so."""
    give_up_at = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < give_up_at, words(page)
        time.sleep(0.05)
        page.run()
        assert not page.exception, page.exception


def words(page: Any) -> str:
    """Everything that is shown, labels too, as Markdown."""
    return "\n".join(
        f"{getattr(e, 'label', '')} {getattr(e, 'value', '')} {getattr(e, 'text', '')}"
        for e in page.main
    )


def has(page: Any, label: str) -> bool:
    """Whether there is a button of this label."""
    return any(button.label == label for button in page.button)


def press(page: Any, label: str) -> None:
    """Presses the first button of this label."""
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception, page.exception


def shown(page: Any) -> str:
    """As it is read: without the escapes of Markdown."""
    return words(page).replace("\\", "").replace("\u2060", "")


# ----------------------------------------------------------------------------------------- Evaluate


def as_lines(rows: list[dict[str, Any]]) -> bytes:
    """A file of JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def upload(page: Any, name: str = "mine.jsonl", content: bytes = as_lines(QUESTIONS)) -> None:
    """Brings a file of questions."""
    page.file_uploader[0].set_value([(name, content, "")]).run()
    assert not page.exception, page.exception


def choose(page: Any, measure: str) -> None:
    """Chooses what to measure."""
    page.radio(key="evaluate_measure").set_value(measure).run()
    assert not page.exception, page.exception


def estimate(page: Any) -> None:
    """Asks for the estimate, and waits for it."""
    press(page, "Estimate")
    until(
        page,
        lambda: "calls" in shown(page) and any("arm" in button.label for button in page.button),
    )


def run_it(page: Any) -> None:
    """Estimates and runs to the end."""
    estimate(page)
    press(page, next(button.label for button in page.button if "×" in button.label))
    until(page, lambda: bool(page.success or page.error))


def kept_runs(home: Path) -> list[str]:
    """The names of all runs' folders."""
    return sorted(path.name for path in (home / "evaluation" / "runs").glob("*"))
