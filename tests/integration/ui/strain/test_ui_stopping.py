"""Stop while two ways of answering are compared: what the first has answered is kept and shown."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ask_pages import QUESTION, words

from dynagrag.ui.background import Work
from dynagrag.ui.state import WorkspaceSession
from dynagrag.workspace.conversations import Conversation, ConversationBook, new_id


class Comparison:
    """A question asked in two ways, the second of which stalls until `go_on` is set."""

    def __init__(self, session: WorkspaceSession, monkeypatch: pytest.MonkeyPatch) -> None:
        from dynagrag.ui import state
        from dynagrag.ui.ask import pending
        from dynagrag.workspace.asking import AskOptions

        self.session, self.conversation = session, Conversation(new_id())
        self.go_on, stalls, answer = threading.Event(), threading.Event(), pending._answer

        def slow(
            session: WorkspaceSession,
            conversation: Conversation,
            question: pending.PendingQuestion,
            *more: Any,
        ) -> Any:
            if question.row == 1:
                stalls.set()
                assert self.go_on.wait(60)
            return answer(session, conversation, question, *more)

        monkeypatch.setattr(pending, "_answer", slow)
        ways = [AskOptions(retriever="bm25"), AskOptions(retriever="naive")]
        pending.ask(session, self.conversation, QUESTION, ways, None, state.settings())
        work = pending.work_of(session, self.conversation.id)
        assert work is not None
        self.work: Work = work
        assert stalls.wait(60)

    def stop(self) -> None:
        from dynagrag.ui.ask import pending

        pending.stop(self.session, self.conversation, self.work)
        self.go_on.set()
        assert self.work.wait(60)


@pytest.fixture
def comparison(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Comparison]:
    from dynagrag.ui import state

    session = state.session()
    assert session is not None
    made = Comparison(session, monkeypatch)
    yield made
    made.go_on.set()


def test_the_answer_that_is_done_stays_beside_the_one_that_was_stopped(
    comparison: Comparison, book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    comparison.stop()
    (exchange,) = book.conversation(comparison.conversation.id).exchanges
    done, stopped = exchange.answers
    assert (done.retriever, done.error, stopped.retriever, stopped.answer) == (
        "bm25",
        "",
        "naive",
        None,
    )
    assert done.answer
    assert done.answer.evidence
    assert "Stopped" in stopped.error
    page = panel("ask.ask_page")
    page.query_params["conversation"] = comparison.conversation.id
    shown = words(page.run())
    assert "Ada Byron" in shown
    assert "Stopped" in shown


def test_an_answer_that_quotes_a_document_deleted_before_the_stop_is_not_kept(
    comparison: Comparison, book: ConversationBook
) -> None:
    from dynagrag.workspace.facade import open_workspace

    with open_workspace("default") as other:
        other.documents.delete("board")
    comparison.stop()
    kept = [
        kept
        for exchange in book.conversation(comparison.conversation.id).exchanges
        for kept in exchange.answers
    ]
    assert all(answer.answer is None for answer in kept)
