"""The pages Ask, Why and Source, without a browser."""

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag.errors import StoreError, UsageError
from dynagrag.fakes.server import Fault, OpenAIStubServer
from dynagrag.settings import load_settings
from dynagrag.workspace.conversations import Arm, Conversation, ConversationBook, Exchange, as_markdown, new_id

TURNS = [
    ("Maria", "Acme Works acquired Borealis Labs. We looked at this for some time."),
    ("Leo", "Ada Byron works at Acme Works. ![x](http://evil.example/p.png) <script>alert(1)</script>"),
    ("Maria", "Borealis Labs is located in Port Arthur."),
]
QUESTION = "Who works at Acme Works?"


@pytest.fixture
def ingested(server: OpenAIStubServer, corpus: Any, cli: Any) -> Path:
    """A workspace of one meeting; its folder."""
    path = corpus.write("board.vtt", TURNS)
    assert cli("ingest", path, "-y").code == 0
    return Path(path)


@pytest.fixture
def book(ingested: Path) -> ConversationBook:
    return ConversationBook(load_settings().workspaces_dir / "default")


def words(page: Any) -> str:
    """All that a page says."""
    shown = [*page.markdown, *page.caption, *page.title, *page.error, *page.warning, *page.info]
    return "\n".join(str(element.value) for element in shown)


def asked(panel: Callable[[str], Any], question: str = QUESTION) -> Any:
    page = panel("ask.page").run()
    page.chat_input[0].set_value(question).run()
    assert not page.exception
    return page


def switch(page: Any, label: str) -> Any:
    return next(toggle for toggle in page.toggle if toggle.label.startswith(label))


# ---------------------------------------------------------------------------------------------------------------- ask


def test_without_a_workspace_a_visitor_is_told_where_to_begin(server: OpenAIStubServer, panel: Callable[[str], Any]) -> None:
    page = panel("ask.page").run()
    assert not page.exception
    assert "Ingest" in page.info[0].value


def test_an_answer_has_links_to_its_sources_and_says_what_it_cost(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    page = asked(panel)
    shown = words(page)
    assert "](source?workspace=default&document=" in shown
    assert "model calls" in shown
    (conversation,) = book.all()
    (arm,) = conversation.exchanges[0].arms
    assert (arm.retriever, arm.error, arm.llm) == ("dynagrag", "", "openai:fake")
    assert arm.answer["citations"]


def test_a_conversation_is_there_again_after_a_reload(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    first = asked(panel)
    again = panel("ask.page")
    again.query_params["conversation"] = first.query_params["conversation"]
    assert QUESTION in words(again.run())
    assert len(book.all()) == 1


def test_a_follow_up_is_asked_standing_alone(book: ConversationBook, server: OpenAIStubServer, panel: Callable[[str], Any]) -> None:
    page = asked(panel)
    page.chat_input[0].set_value("And where is it?").run()
    (conversation,) = book.all()
    assert [e.asked for e in conversation.exchanges] == [QUESTION, "And where is it?"]
    assert len(conversation.history()) == 2


def test_two_arms_stand_side_by_side(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    page = panel("ask.page").run()
    next(s for s in page.selectbox if s.label == "Compare with").set_value("hybrid").run()
    page.chat_input[0].set_value(QUESTION).run()
    (exchange,) = book.all()[0].exchanges
    assert [arm.retriever for arm in exchange.arms] == ["dynagrag", "hybrid"]
    assert "Vectors and words" in words(page)


def test_filters_reach_the_question_and_a_wrong_time_is_said_in_place(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    page = panel("ask.page").run()
    next(m for m in page.multiselect if m.label == "Only these speakers").set_value(["Leo"]).run()
    page.chat_input[0].set_value(QUESTION).run()
    evidence = book.all()[0].exchanges[0].arms[0].answer["trace"]["evidence"]
    assert {c["speaker"] for c in evidence} == {"Leo"}
    next(t for t in page.text_input if t.label == "From").set_value("soon").run()
    assert "soon" in page.error[0].value


def test_a_model_that_is_down_is_said_and_the_question_kept(
    book: ConversationBook, server: OpenAIStubServer, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNAGRAG_MAX_RETRIES", "0")
    server.fail_next(Fault.UNAUTHORIZED, 20)
    page = asked(panel)
    assert page.error
    assert "sk-CANARY" not in words(page)
    (exchange,) = book.all()[0].exchanges
    assert (exchange.asked, bool(exchange.arms[0].error)) == (QUESTION, True)


def test_a_question_is_split_where_that_is_chosen_and_why_tells_its_steps(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    page = panel("ask.page").run()
    switch(page, "Split").set_value(True).run()
    page.chat_input[0].set_value("Where does Ada work and who founded Borealis Labs?").run()
    assert not page.exception
    assert not page.error
    why = panel("ask.why_page").run()
    assert "split into: Where does Ada work / who founded Borealis Labs?" in words(why).replace("\\", "")
    assert "what the question's steps changed" in words(why)


def test_beside_a_retriever_that_asks_it_whole_a_question_is_split_for_the_other(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.page").run()
    switch(page, "Split").set_value(True).run()
    next(s for s in page.selectbox if s.label == "Compare with").set_value("naive").run()
    page.chat_input[0].set_value(QUESTION).run()
    arms = book.all()[0].exchanges[0].arms
    assert [arm.error for arm in arms] == ["", ""]
    assert ["the model found no steps in it" in arm.answer["trace"]["notes"] for arm in arms if arm.answer] == [True, False]


def test_a_model_that_cannot_be_had_splits_nothing(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = panel("ask.page").run()
    switch(page, "Split").set_value(True).run()
    monkeypatch.setenv("DYNAGRAG_LLM", "gguf:/nowhere/model.gguf")
    page.chat_input[0].set_value(QUESTION).run()
    assert not page.error
    assert "Ada Byron works at Acme Works" in words(page)


def test_without_a_model_no_question_can_be_split(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = panel("ask.page").run()
    switch(page, "Split").set_value(True).run()
    monkeypatch.delenv("DYNAGRAG_LLM")
    page.run()
    assert switch(page, "Split").disabled
    page.chat_input[0].set_value(QUESTION).run()
    assert not page.error
    assert "No language model is set" in words(page)


def test_without_a_model_the_evidence_is_shown(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DYNAGRAG_LLM")
    shown = words(asked(panel))
    assert "No language model is set" in shown
    assert "Ada Byron works at Acme Works" in shown


def test_a_model_that_cannot_be_had_leaves_the_page_at_work(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNAGRAG_LLM", "gguf:/nowhere/model.gguf")
    page = asked(panel)
    assert "can't be used" in page.warning[0].value
    assert "No language model is set" in words(page)


def test_another_model_is_chosen_for_a_visit(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    page = panel("ask.page").run()
    next(s for s in page.selectbox if s.label == "Language model").set_value("").run()
    page.chat_input[0].set_value(QUESTION).run()
    assert "No language model is set" in words(page)
    next(s for s in page.selectbox if s.label == "Language model").set_value("openai:fake").run()
    page.chat_input[0].set_value(QUESTION).run()
    assert [e.arms[0].llm for e in book.all()[0].exchanges] == ["", "openai:fake"]


def test_a_question_of_ten_thousand_characters_is_refused_and_shown_again(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    page = panel("ask.page").run()
    page.chat_input[0].set_value("why " * 2500).run()
    assert "10,000 characters" in page.error[0].value
    assert page.text_area[0].value == ("why " * 2500)
    assert not book.all()


def test_markup_in_a_transcript_is_shown_as_it_stands(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DYNAGRAG_LLM")
    page = asked(panel, "Who works with a script?")
    assert r"\!\[x\]\(http\:" in words(page)
    assert "![x]" not in words(page)


def test_a_question_on_its_way_is_not_asked_twice_and_survives_a_reload(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dynagrag.ui import state
    from dynagrag.ui.ask import questions
    from dynagrag.workspace.facade import AskOptions

    page = panel("ask.page").run()
    desk = state.desk()
    assert desk is not None
    conversation = Conversation(page.query_params["conversation"])
    for _ in range(2):
        questions.ask(desk, conversation, QUESTION, [AskOptions()], None, state.settings())
    work = questions.work_of(desk, conversation.id)
    assert work is not None
    assert work.wait(30)
    again = panel("ask.page")
    again.query_params["conversation"] = conversation.id
    assert words(again.run()).count(QUESTION) == 1
    assert len(book.all()[0].exchanges) == 1


def test_a_damaged_conversation_and_an_answer_of_another_version_leave_the_page_at_work(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    first = asked(panel)
    (kept,) = (load_settings().workspaces_dir / "default" / "conversations").iterdir()
    text = kept.read_text(encoding="utf-8")
    kept.write_text(text.replace('"cached_replies"', '"cached"'), encoding="utf-8")
    again = panel("ask.page")
    again.query_params["conversation"] = first.query_params["conversation"]
    assert "Something went wrong" in again.run().error[0].value
    assert len(again.chat_input) == 1
    kept.write_text("{", encoding="utf-8")
    again = panel("ask.page")
    again.query_params["conversation"] = first.query_params["conversation"]
    assert "damaged" in again.run().warning[0].value
    again.chat_input[0].set_value(QUESTION).run()
    assert not again.error
    assert [c.exchanges[0].asked for c in book.all()] == [QUESTION]


def test_an_answer_that_quotes_a_document_deleted_meanwhile_is_not_kept(
    book: ConversationBook, server: OpenAIStubServer, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dynagrag.ui import state
    from dynagrag.ui.ask import questions
    from dynagrag.workspace.facade import AskOptions, open_workspace

    desk = state.desk()
    assert desk is not None
    conversation = Conversation(new_id())
    slow = server.answer

    def answer_once_deleted(*args: Any) -> Any:
        reply = slow(*args)
        with open_workspace("default") as other:
            if other.store.documents():
                other.delete("board")
        return reply

    monkeypatch.setattr(server, "answer", answer_once_deleted)
    questions.ask(desk, conversation, QUESTION, [AskOptions()], state.chat_model(), state.settings())
    work = questions.work_of(desk, conversation.id)
    assert work is not None
    assert work.wait(60)
    (exchange,) = book.conversation(conversation.id).exchanges
    assert "deleted meanwhile" in exchange.arms[0].error
    assert desk.space.journal.rows("SELECT count(*) FROM replies")[0][0] == 0


def test_a_question_that_cannot_be_kept_is_not_asked_and_given_back(
    book: ConversationBook, server: OpenAIStubServer, panel: Callable[[str], Any]
) -> None:
    (load_settings().workspaces_dir / "default" / "conversations").write_text("in the way", encoding="utf-8")
    server.reset()
    page = asked(panel)
    assert "cannot be kept" in page.error[0].value
    assert page.text_area[0].value == QUESTION
    assert server.counts.chat_calls == 0


def test_a_question_whose_process_ended_is_there_as_interrupted(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    id_ = new_id()
    book.put(id_, Exchange(new_id(), QUESTION, "2026-01-01", ()))
    page = panel("ask.page")
    page.query_params["conversation"] = id_
    assert "interrupted" in words(page.run())
    assert "*interrupted*" in as_markdown(book.conversation(id_), "default")
    assert panel("ask.why_page").run().info


def test_a_question_is_stopped_though_its_model_stalls(
    book: ConversationBook, server: OpenAIStubServer, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dynagrag.ui import state
    from dynagrag.ui.ask import questions
    from dynagrag.workspace.facade import AskOptions

    desk = state.desk()
    assert desk is not None
    conversation = Conversation(new_id())
    go_on = threading.Event()
    quick = server.answer
    monkeypatch.setattr(server, "answer", lambda *args: quick(*args) if not go_on.wait(30) or True else None)
    questions.ask(desk, conversation, QUESTION, [AskOptions()], state.chat_model(), state.settings())
    work = questions.work_of(desk, conversation.id)
    assert work is not None
    questions.stop(desk, conversation, work)
    assert questions.work_of(desk, conversation.id) is None
    go_on.set()
    assert work.wait(60)
    (exchange,) = book.conversation(conversation.id).exchanges
    assert "Stopped" in exchange.arms[0].error


def test_the_second_arm_s_quotes_count_for_a_deletion_and_the_first_arm_s_answer_for_a_follow_up(tmp_path: Path) -> None:
    def arm(text: str, document: str) -> Arm:
        trace = {"answered_by_model": True, "document_ids": {"x": document}}
        return Arm("naive", {"question": "q", "answer": text, "trace": trace})

    book, id_ = ConversationBook(tmp_path), new_id()
    book.put(id_, Exchange(new_id(), "q", "2026", (arm("first", "d1"), arm("second", "d2"))))
    assert book.conversation(id_).history() == [("q", "first")]
    assert book.keep_documents({"d1", "d2"}) == 0
    assert book.keep_documents({"d1"}) == 1
    assert book.all() == ()


def test_a_long_conversation_shows_its_last_exchanges(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    id_ = new_id()
    for number in range(25):
        book.put(id_, Exchange(new_id(), f"question number {number}", "2026", (Arm("naive", error="no"),)))
    page = panel("ask.page")
    page.query_params["conversation"] = id_
    shown = words(page.run())
    assert "question number 24" in shown
    assert "question number 4" not in shown
    switch(page, "Show 5 earlier").set_value(True).run()
    assert "question number 0" in words(page)


def test_names_in_a_selectbox_are_as_they_are(server: OpenAIStubServer, corpus: Any, cli: Any, panel: Callable[[str], Any]) -> None:
    assert cli("ingest", corpus.write("meeting_3.5-final.vtt", TURNS), "-y").code == 0
    page = panel("ask.page").run()
    assert next(m for m in page.multiselect if m.label == "Only these documents").options == ["meeting_3.5-final"]
    assert next(s for s in page.selectbox if s.label == "Language model").options[0] == "openai:fake"


def test_a_workspace_s_name_in_the_address_bar_that_can_be_none_is_said(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    for name in ("../../etc", "A" * 5000, "%00"):
        page = panel("ask.page")
        page.query_params["workspace"] = name
        page.run()
        assert "cannot be a workspace" in page.error[0].value
        assert len(page.error[0].value) < 400


def test_a_new_conversation_and_a_deletion(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    page = asked(panel)
    page.button(key="new_conversation").click().run()
    assert QUESTION not in [m.value for m in page.markdown]
    page.button(key=f"go_{book.all()[0].id}").click().run()
    page.button(key="delete_conversation").click().run()
    assert book.all() == ()


# ------------------------------------------------------------------------------------------------------ conversations


def test_an_export_holds_questions_answers_and_sources(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    asked(panel)
    text = as_markdown(book.all()[0], "default")
    assert f"## {QUESTION}" in text
    assert "- [E1] board" in text
    assert "tokens" in text


def test_deleting_a_document_takes_the_answers_that_quote_it_along(book: ConversationBook, panel: Callable[[str], Any], cli: Any) -> None:
    asked(panel)
    assert cli("delete", "board", "-y").code == 0
    assert book.all() == ()


def test_an_id_that_is_none_reaches_no_file(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("{}")
    for bad in ("../secret", "secret", "", "0" * 15, "G" * 16):
        with pytest.raises(UsageError):
            ConversationBook(tmp_path).conversation(bad)


def test_a_damaged_conversation_is_named_and_the_others_stay(tmp_path: Path) -> None:
    kept = ConversationBook(tmp_path)
    good, bad = new_id(), new_id()
    kept.put(good, Exchange(new_id(), "q", "2026", (Arm("naive", error="no"),)))
    (tmp_path / "conversations" / f"{bad}.json").write_text('{"exchanges": [{"id": 1}]}')
    assert [c.id for c in kept.all()] == [good]
    with pytest.raises(StoreError, match="damaged"):
        kept.conversation(bad)


# ---------------------------------------------------------------------------------------------------------------- why


def test_why_tells_passages_ego_graphs_prompts_and_intermediate_answers(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    asked(panel)
    page = panel("ask.why_page").run()
    assert not page.exception
    assert not page.error
    assert [tab.label for tab in page.tabs] == ["Passages", "Ego-graphs", "Prompts", "Answers"]
    assert "Order of the walk: 1 **" in words(page)
    assert any("E1" in code.value for code in page.code)
    assert "helpfulness" in words(page)
    assert re.search(r"relevance [\d.]+, coherence [\d.]+, detail [\d.]+ (of 5 by the judge|by the formula)", words(page))


def test_why_of_a_plain_arm_and_before_any_question(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    assert "No question has been answered" in panel("ask.why_page").run().info[0].value
    page = panel("ask.page").run()
    next(s for s in page.selectbox if s.label == "Retriever").set_value("naive").run()
    page.chat_input[0].set_value(QUESTION).run()
    why = panel("ask.why_page").run()
    assert not why.exception
    assert "no ego-graphs" in words(why)


# ------------------------------------------------------------------------------------------------------------- source


def test_a_link_opens_the_transcript_at_its_turn_with_the_words_marked(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    asked(panel)
    answer = book.all()[0].exchanges[0].arms[0].answer
    citation = answer["citations"][0]
    page = panel("ask.source_page")
    page.query_params["document"] = answer["trace"]["document_ids"][citation["id"]]
    page.query_params["start"], page.query_params["end"] = str(citation["start"]), str(citation["end"])
    page.run()
    assert page.header[0].value == "board"
    assert "**Maria** · 0:00 · turn 1" in words(page)
    assert ":orange-background[Acme Works acquired Borealis Labs" in words(page)


def test_a_document_that_is_gone_and_numbers_that_are_none(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    page = panel("ask.source_page")
    page.query_params["document"] = "gone"
    assert "no longer in the workspace" in page.run().warning[0].value
    from dynagrag.ui import state

    desk = state.desk()
    assert desk is not None
    page = panel("ask.source_page")
    page.query_params["document"] = desk.space.store.documents()[0].id
    page.query_params["start"], page.query_params["end"] = "-3", "9" * 50
    assert not page.run().exception
    assert "turn 1" in words(page)
