"""Conversations on the page Ask: kept, shown again, exported, deleted."""

from collections.abc import Callable
from typing import Any

import pytest
from ask_pages import QUESTION, TURNS, asked, switch, words

from dynagrag.config.settings import load_settings
from dynagrag.workspace.conversations import (
    ConversationBook,
    Exchange,
    KeptAnswer,
    as_markdown,
    new_id,
)


def test_a_conversation_is_there_again_after_a_reload(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    first = asked(panel)
    again = panel("ask.ask_page")
    again.query_params["conversation"] = first.query_params["conversation"]
    assert QUESTION in words(again.run())
    assert len(book.all()) == 1


def test_a_language_that_the_embedder_does_not_read_is_told_once_a_conversation(
    corpus: Any,
    cli: Callable[..., Any],
    server: object,
    panel: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DYNAGRAG_EMBEDDER", "openai:all-MiniLM-L6-v2")
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0
    page = panel("ask.ask_page").run()
    page.chat_input[0].set_value(QUESTION).run()
    told = "he question is in German, these lines in English"
    assert told not in words(page)
    page.chat_input[0].set_value("Wer hat die Werke der Stadt gegründet?").run()
    page.chat_input[0].set_value("Wer arbeitet in den Werken der Stadt?").run()
    assert not page.error
    assert words(page).count(told) == 1


def test_a_visitor_who_has_asked_nothing_begins_at_the_page_s_head(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    comes_into_view = '"name": "asked"'
    page = asked(panel)
    assert comes_into_view in page.get("bidi_component")[-1].proto.json
    other = panel("ask.ask_page").run()
    assert QUESTION in words(other)
    assert comes_into_view not in other.get("bidi_component")[-1].proto.json
    other.chat_input[0].set_value("Who works at Borealis Labs?").run()
    assert comes_into_view in other.get("bidi_component")[-1].proto.json


def test_a_damaged_conversation_and_an_answer_of_another_version_leave_the_page_at_work(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    first = asked(panel)
    (kept,) = (load_settings().workspaces_dir / "default" / "conversations").iterdir()
    text = kept.read_text(encoding="utf-8")
    kept.write_text(text.replace('"cached_replies"', '"cached"'), encoding="utf-8")
    again = panel("ask.ask_page")
    again.query_params["conversation"] = first.query_params["conversation"]
    assert "cannot be shown" in again.run().error[0].value
    assert len(again.chat_input) == 1
    kept.write_text("{", encoding="utf-8")
    again = panel("ask.ask_page")
    again.query_params["conversation"] = first.query_params["conversation"]
    assert "damaged" in again.run().warning[0].value
    again.chat_input[0].set_value(QUESTION).run()
    assert not again.error
    assert [c.exchanges[0].asked for c in book.all()] == [QUESTION]


def test_a_long_conversation_shows_its_last_exchanges(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    id_ = new_id()
    for number in range(25):
        book.put(
            id_,
            Exchange(
                new_id(), f"question number {number}", "2026", (KeptAnswer("naive", error="no"),)
            ),
        )
    page = panel("ask.ask_page")
    page.query_params["conversation"] = id_
    shown = words(page.run())
    assert "question number 24" in shown
    assert "question number 4" not in shown
    switch(page, "Show 5 earlier").set_value(True).run()
    assert "question number 0" in words(page)


def test_a_new_conversation_and_a_deletion(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = asked(panel)
    page.button(key="new_conversation").click().run()
    assert QUESTION not in [m.value for m in page.markdown]
    page.button(key=f"go_{book.all()[0].id}").click().run()
    page.button(key="delete_conversation").click().run()
    assert book.all() == ()


def test_an_export_holds_questions_answers_and_sources(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    asked(panel)
    text = as_markdown(book.all()[0], "default")
    assert f"## {QUESTION}" in text
    assert "- [1] board" in text
    assert "tokens" in text


def test_deleting_a_document_takes_the_answers_that_quote_it_along(
    book: ConversationBook, panel: Callable[[str], Any], cli: Any
) -> None:
    asked(panel)
    assert cli("delete", "board", "-y").code == 0
    assert book.all() == ()
