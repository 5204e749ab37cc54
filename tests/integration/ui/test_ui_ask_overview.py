"""The page Ask where nothing was asked yet, its chips, and its notes."""

from collections.abc import Callable
from typing import Any

from ask_pages import QUESTION, asked, words

from dynagrag.workspace.conversations import NOTES, ConversationBook


def test_a_workspace_shows_what_is_in_it_and_a_suggested_question_is_asked(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    assert not page.exception
    shown = words(page)
    assert ":gray[27 words ·] [English](" in shown
    assert "**Maria** :gray[" in shown
    pills, topics = page.button_group
    assert any(name.startswith("Borealis Labs") for name in topics.options)
    assert "What did Maria say about Borealis Labs?" in pills.options
    pills.set_value("What did Maria say about Borealis Labs?").run()
    (conversation,) = book.all()
    assert [exchange.asked for exchange in conversation.exchanges] == [
        "What did Maria say about Borealis Labs?"
    ]
    assert conversation.exchanges[0].answers


def test_what_is_talked_about_is_asked_about_by_a_click(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    topics = page.button_group[1]
    topics.set_value(
        next(name for name in topics.options if name.startswith("Borealis Labs"))
    ).run()
    (conversation,) = book.all()
    assert [exchange.asked for exchange in conversation.exchanges] == [
        "What is said about Borealis Labs?"
    ]


def test_nothing_can_be_clicked_while_a_chip_is_wrong_nor_is_it_asked_later(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    page.text_input(key="filter_since").set_value("soon").run()
    assert [group.disabled for group in page.button_group] == [True, True]
    page.text_input(key="filter_since").set_value("").run()
    assert [group.disabled for group in page.button_group] == [False, False]
    assert not book.all()


def test_chips_narrow_the_question_and_say_so(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    next(box for box in page.multiselect if box.label == "Only these speakers").set_value(
        ["Leo"]
    ).run()
    page.chat_input[0].set_value(QUESTION).run()
    kept = book.all()[0].exchanges[0].answers[0].answer
    assert kept is not None
    assert {line.speaker for line in kept.evidence} == {"Leo"}


def test_a_chip_that_is_no_time_is_told_of_and_nothing_is_asked(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = asked(panel)
    page.text_input(key="filter_since").set_value("soon").run()
    assert "is no time" in page.error[0].value
    assert QUESTION in words(page)
    assert page.chat_input[0].disabled


def test_a_time_that_ends_before_it_begins_is_told_of(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    page.text_input(key="filter_since").set_value("1:00:00")
    page.text_input(key="filter_until").set_value("0:30:00").run()
    assert "is before From" in page.error[0].value
    assert page.chat_input[0].disabled


def test_an_answer_is_saved_to_notes_that_a_new_conversation_leaves_alone(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = asked(panel)
    (exchange,) = book.all()[0].exchanges
    page.button(key=f"save_{exchange.id}").click().run()
    assert page.button(key=f"save_{exchange.id}").disabled
    assert book.conversation(NOTES).exchanges == (exchange,)
    page.button(key="delete_conversation").click().run()
    page.button(key="go_notes").click().run()
    assert QUESTION in words(page)
    assert len(page.chat_input) == 0
    page.button(key=f"remove_{exchange.id}").click().run()
    assert book.conversation(NOTES).exchanges == ()
    page.button(key="leave_notes").click().run()
    assert len(page.chat_input) == 1


def test_deleting_a_document_takes_the_notes_that_quote_it_along(
    book: ConversationBook, panel: Callable[[str], Any], cli: Any
) -> None:
    page = asked(panel)
    page.button(key=f"save_{book.all()[0].exchanges[0].id}").click().run()
    assert cli("delete", "board", "-y").code == 0
    assert book.conversation(NOTES).exchanges == ()


def test_an_answer_is_copied_as_text_and_as_markdown(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = asked(panel)
    text, markdown = (code.value for code in page.code)
    assert text.startswith(f"{QUESTION}\n\n")
    assert "board, Maria, 0:00: “Acme Works acquired Borealis Labs." in text
    assert markdown.startswith(f"## {QUESTION}\n")
    assert "- [1] board, Maria, 0:00:" in markdown
