"""Questions that are refused, or that fail, where an answer is there already: their words stay in
sight until they are let go.
"""

import errno
from collections.abc import Callable
from typing import Any

from ask_pages import asked
from pages import has, press

from dynagrag.core.errors import StoreError
from dynagrag.ui.ask import pending
from dynagrag.workspace.conversations import ConversationBook

LONG = "Who? " * 1_000


def _refused(page: Any) -> list[str]:
    """The words that are given back beside the question's box."""
    assert not page.main.error
    return [area.value for area in page.text_area]


def test_a_question_that_is_too_long_stays_above_the_box_until_it_is_dismissed(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = asked(panel)
    page.chat_input[0].set_value(LONG).run()
    page.run()
    assert "has 5,000 characters" in page.error[0].value
    assert _refused(page) == [LONG]
    press(page, "Dismiss")
    assert (page.error.len, _refused(page)) == (0, [])
    assert len(book.all()[0].exchanges) == 1


def test_it_stays_until_another_one_is_asked(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = asked(panel)
    page.chat_input[0].set_value(LONG).run()
    page.chat_input[0].set_value(LONG + "!").run()
    assert _refused(page) == [LONG + "!"]
    page.chat_input[0].set_value("Where is Borealis Labs located?").run()
    assert (page.error.len, _refused(page)) == (0, [])


def test_a_suggestion_that_cannot_be_kept_is_asked_once(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: Any
) -> None:
    page = asked(panel)
    tries: list[str] = []

    def full(session: Any, conversation: Any, text: str, *_: Any) -> None:
        tries.append(text)
        raise StoreError(
            "the conversation cannot be kept (No space left on device); free some space"
        )

    monkeypatch.setattr(pending, "ask", full)
    pills = page.button_group[0]
    pills.set_value(pills.options[0]).run()
    page.run()
    assert len(tries) == 1
    assert _refused(page) == tries
    assert "No space left on device" in page.error[0].value


def test_a_question_that_failed_has_nothing_to_stop(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: Any
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pending, "_answer_all", full)
    page = asked(panel)
    assert "No space left on device" in page.error[0].value
    assert (has(page, "Stop"), has(page, "Close")) == (False, True)
