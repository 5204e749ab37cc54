"""What tests do with the page Ask, and the meeting that they ask about."""

from collections.abc import Callable
from typing import Any

TURNS = [
    ("Maria", "Acme Works acquired Borealis Labs. We looked at this for some time."),
    (
        "Leo",
        "Ada Byron works at Acme Works. ![x](http://evil.example/p.png) <script>alert(1)</script>",
    ),
    ("Maria", "Borealis Labs is located in Port Arthur."),
]
QUESTION = "Who works at Acme Works?"


def words(page: Any) -> str:
    """All that a page says."""
    shown = [*page.markdown, *page.caption, *page.title, *page.error, *page.warning, *page.info]
    return "\n".join(str(element.value) for element in shown)


def asked(
    panel: Callable[[str], Any],
    question: str = QUESTION,
    profile: str = "default",
    pruner: str = "auto",
) -> Any:
    """The page Ask after a question was asked and answered."""
    page = panel("ask.ask_page").run()
    if profile != "default":
        choice(page, "Profile").set_value(profile).run()
    if pruner != "auto":
        choice(page, "Pruner").set_value(pruner).run()
    page.chat_input[0].set_value(question).run()
    assert not page.exception
    return page


def choice(page: Any, label: str) -> Any:
    """The box of choices with this label."""
    return next(box for box in page.selectbox if box.label == label)


def switch(page: Any, label: str) -> Any:
    """The switch whose label begins so."""
    return next(toggle for toggle in page.toggle if toggle.label.startswith(label))
