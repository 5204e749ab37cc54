"""Questions on their way: a reload, a stop, a deletion, and a process that ended."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from ask_pages import QUESTION, asked, words

from dynagrag.config.settings import load_settings
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.workspace.conversations import (
    Conversation,
    ConversationBook,
    Exchange,
    as_markdown,
    new_id,
)


def test_a_question_on_its_way_is_not_asked_twice_and_survives_a_reload(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dynagrag.ui import state
    from dynagrag.ui.ask import pending
    from dynagrag.workspace.asking import AskOptions

    page = panel("ask.ask_page").run()
    session = state.session()
    assert session is not None
    conversation = Conversation(page.query_params["conversation"])
    for _ in range(2):
        pending.ask(session, conversation, QUESTION, [AskOptions()], None, state.settings())
    work = pending.work_of(session, conversation.id)
    assert work is not None
    assert work.wait(30)
    again = panel("ask.ask_page")
    again.query_params["conversation"] = conversation.id
    assert words(again.run()).count(QUESTION) == 1
    assert len(book.all()[0].exchanges) == 1


def test_an_answer_that_quotes_a_document_deleted_meanwhile_is_not_kept(
    book: ConversationBook,
    server: OpenAIStubServer,
    panel: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from dynagrag.ui import state
    from dynagrag.ui.ask import pending
    from dynagrag.workspace.asking import AskOptions
    from dynagrag.workspace.facade import open_workspace

    session = state.session()
    assert session is not None
    conversation = Conversation(new_id())
    slow = server.answer

    def answer_once_deleted(*args: Any) -> Any:
        reply = slow(*args)
        with open_workspace("default") as other:
            if other.store.documents():
                other.documents.delete("board")
        return reply

    monkeypatch.setattr(server, "answer", answer_once_deleted)
    pending.ask(
        session, conversation, QUESTION, [AskOptions()], state.chat_model(), state.settings()
    )
    work = pending.work_of(session, conversation.id)
    assert work is not None
    assert work.wait(60)
    (exchange,) = book.conversation(conversation.id).exchanges
    assert "deleted meanwhile" in exchange.answers[0].error
    assert session.space.journal.rows("SELECT count(*) FROM replies")[0][0] == 0


def test_a_question_that_cannot_be_kept_is_not_asked_and_given_back(
    book: ConversationBook, server: OpenAIStubServer, panel: Callable[[str], Any]
) -> None:
    (load_settings().workspaces_dir / "default" / "conversations").write_text(
        "in the way", encoding="utf-8"
    )
    server.reset()
    page = asked(panel)
    assert "cannot be kept" in page.error[0].value
    assert page.text_area[0].value == QUESTION
    assert server.counts.chat_calls == 0


def test_a_question_whose_process_ended_is_there_as_interrupted(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    id_ = new_id()
    book.put(id_, Exchange(new_id(), QUESTION, "2026-01-01", ()))
    page = panel("ask.ask_page")
    page.query_params["conversation"] = id_
    assert "interrupted" in words(page.run())
    assert "*interrupted*" in as_markdown(book.conversation(id_), "default")
    assert panel("ask.why_page").run().info


def test_a_question_is_stopped_though_its_model_stalls(
    book: ConversationBook,
    server: OpenAIStubServer,
    panel: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from dynagrag.ui import state
    from dynagrag.ui.ask import pending
    from dynagrag.workspace.asking import AskOptions

    session = state.session()
    assert session is not None
    conversation = Conversation(new_id())
    go_on = threading.Event()
    quick = server.answer
    monkeypatch.setattr(
        server, "answer", lambda *args: quick(*args) if not go_on.wait(30) or True else None
    )
    pending.ask(
        session, conversation, QUESTION, [AskOptions()], state.chat_model(), state.settings()
    )
    work = pending.work_of(session, conversation.id)
    assert work is not None
    pending.stop(session, conversation, work)
    assert pending.work_of(session, conversation.id) is None
    go_on.set()
    assert work.wait(60)
    (exchange,) = book.conversation(conversation.id).exchanges
    assert "Stopped" in exchange.answers[0].error
