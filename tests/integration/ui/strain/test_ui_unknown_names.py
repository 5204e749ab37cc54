"""The page Ask tells of a name that no document has, above the nearest lines."""

from collections.abc import Callable
from typing import Any

from ask_pages import asked, words

from dynagrag.workspace.conversations import ConversationBook


def test_a_name_that_no_document_has_is_told_on_the_page(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = asked(panel, "What did Ginsburg say about Acme Works?")
    assert any(
        warning.value.startswith("The name Ginsburg occurs nowhere in these documents")
        for warning in page.warning
    )
    known = asked(panel, "What did Maria say about Acme Works?")
    assert "The name Maria occurs nowhere" not in words(known)
