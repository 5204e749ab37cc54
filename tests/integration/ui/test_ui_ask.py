"""The page Ask: what is asked, with which options, and what is shown of an answer."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from ask_pages import QUESTION, TURNS, asked, choice, switch, words
from pages import press, until

from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.ui.first_visit import FOLDER_TO_READ
from dynagrag.workspace.conversations import ConversationBook


def test_without_a_workspace_a_visitor_is_told_where_to_begin(
    server: OpenAIStubServer, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    assert not page.exception
    assert "answers questions with the lines that say it" in words(page)
    assert "[Upload files or paste text](ingest?workspace=default)" in words(page)


def test_where_no_workspace_is_called_default_the_one_that_changed_last_is_open(
    server: OpenAIStubServer, panel: Callable[[str], Any], cli: Any, corpus: Any
) -> None:
    for name in ("first", "second"):
        assert cli("ingest", *corpus.many(1, num_turns=6), "-w", name).code == 0
    assert panel("ask.ask_page").run().query_params.get("workspace") is None
    assert panel("ask.ask_page").run().session_state["workspace"] == "second"
    assert cli("ingest", *corpus.many(1, num_turns=6), "-w", "default").code == 0
    assert cli("ingest", *corpus.many(2, num_turns=6), "-w", "second").code == 0
    assert panel("ask.ask_page").run().session_state["workspace"] == "default"


def test_a_folder_that_is_typed_at_the_first_visit_is_read_on_the_page_ingest(
    server: OpenAIStubServer, panel: Callable[[str], Any], corpus: Any
) -> None:
    (path,) = corpus.many(1, num_turns=6)
    page = panel("ask.ask_page").run()
    next(f for f in page.text_input if "folder" in f.label).set_value(str(path))
    press(page, "See how they are read")
    ingest = panel("ingest.ingest_page")
    for key in ("workspace", f"of_workspace_{FOLDER_TO_READ}"):
        ingest.session_state[key] = page.session_state[key]
    ingest.run()
    until(ingest, lambda: "1 new" in words(ingest))


def test_an_answer_has_links_to_its_sources_and_says_what_it_cost(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = asked(panel)
    shown = words(page)
    assert "](source?workspace=default&document=" in shown
    assert "model calls" in shown
    (conversation,) = book.all()
    (kept,) = conversation.exchanges[0].answers
    assert (kept.retriever, kept.error, kept.llm) == ("bridge-ppr", "", "openai:fake")
    assert kept.answer
    assert kept.answer.citations


def test_a_follow_up_is_asked_standing_alone(
    book: ConversationBook, server: OpenAIStubServer, panel: Callable[[str], Any]
) -> None:
    page = asked(panel)
    page.chat_input[0].set_value("And where is it?").run()
    (conversation,) = book.all()
    assert [e.asked for e in conversation.exchanges] == [QUESTION, "And where is it?"]
    assert len(conversation.history()) == 2


def test_two_retrievers_answers_stand_side_by_side(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    next(s for s in page.selectbox if s.label == "Compare with").set_value("hybrid").run()
    page.chat_input[0].set_value(QUESTION).run()
    (exchange,) = book.all()[0].exchanges
    assert [kept.retriever for kept in exchange.answers] == ["bridge-ppr", "hybrid"]
    assert "Vectors and words" in words(page)


def test_filters_reach_the_question_and_a_wrong_time_is_said_in_place(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    next(m for m in page.multiselect if m.label == "Only these speakers").set_value(["Leo"]).run()
    page.chat_input[0].set_value(QUESTION).run()
    answer = book.all()[0].exchanges[0].answers[0].answer
    assert answer
    assert {c.speaker for c in answer.evidence} == {"Leo"}
    next(t for t in page.text_input if t.label == "From").set_value("soon").run()
    assert "soon" in page.error[0].value


def test_a_model_that_is_down_is_said_and_the_question_kept(
    book: ConversationBook,
    server: OpenAIStubServer,
    panel: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DYNAGRAG_MAX_RETRIES", "0")
    server.fail_next(Fault.UNAUTHORIZED, 20)
    page = asked(panel)
    assert page.error
    assert "sk-CANARY" not in words(page)
    (exchange,) = book.all()[0].exchanges
    assert (exchange.asked, bool(exchange.answers[0].error)) == (QUESTION, True)


def test_a_question_is_split_where_that_is_chosen_and_why_tells_its_steps(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    switch(page, "Split").set_value(True).run()
    page.chat_input[0].set_value("Where does Ada work and who founded Borealis Labs?").run()
    assert not page.exception
    assert not page.error
    why = panel("ask.why_page").run()
    assert "split into: Where does Ada work / who founded Borealis Labs?" in words(why).replace(
        "\\", ""
    )
    assert "what the question's steps changed" in words(why)


def test_beside_a_retriever_that_asks_it_whole_a_question_is_split_for_the_other(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    switch(page, "Split").set_value(True).run()
    next(s for s in page.selectbox if s.label == "Compare with").set_value("naive").run()
    page.chat_input[0].set_value(QUESTION).run()
    answers = book.all()[0].exchanges[0].answers
    assert [kept.error for kept in answers] == ["", ""]
    assert [
        "the model found no steps in it" in kept.answer.trace.notes
        for kept in answers
        if kept.answer
    ] == [True, False]


def test_a_model_that_cannot_be_had_splits_nothing(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = panel("ask.ask_page").run()
    switch(page, "Split").set_value(True).run()
    monkeypatch.setenv("DYNAGRAG_LLM", "gguf:/nowhere/model.gguf")
    page.chat_input[0].set_value(QUESTION).run()
    assert not page.error
    assert "Ada Byron works at Acme Works" in words(page)


def test_without_a_model_no_question_can_be_split(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = panel("ask.ask_page").run()
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


def test_another_model_is_chosen_for_a_visit(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    next(s for s in page.selectbox if s.label == "Language model").set_value("").run()
    page.chat_input[0].set_value(QUESTION).run()
    assert "No language model is set" in words(page)
    next(s for s in page.selectbox if s.label == "Language model").set_value("openai:fake").run()
    page.chat_input[0].set_value(QUESTION).run()
    assert [e.answers[0].llm for e in book.all()[0].exchanges] == ["", "openai:fake"]


def test_a_question_of_ten_thousand_characters_is_refused_and_shown_again(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
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


def test_names_in_a_selectbox_are_as_they_are(
    server: OpenAIStubServer, corpus: Any, cli: Any, panel: Callable[[str], Any]
) -> None:
    assert cli("ingest", corpus.write("meeting_3.5-final.vtt", TURNS), "-y").code == 0
    page = panel("ask.ask_page").run()
    assert next(m for m in page.multiselect if m.label == "Only these documents").options == [
        "meeting_3.5-final"
    ]
    assert (
        next(s for s in page.selectbox if s.label == "Language model").options[0] == "openai:fake"
    )


def test_a_workspace_s_name_in_the_address_bar_that_can_be_none_is_said(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    for name in ("../../etc", "A" * 5000, "%00"):
        page = panel("ask.ask_page")
        page.query_params["workspace"] = name
        page.run()
        assert "cannot be a workspace" in page.error[0].value
        assert len(page.error[0].value) < 400


def test_what_was_found_out_about_an_answer_is_shown_and_kept_to_when_strict(
    book: ConversationBook,
    server: OpenAIStubServer,
    panel: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DYNAGRAG_CHECKER", "rules")

    reply = json.dumps(
        {"answer": "Ada Byron works at Acme Works. Ines sold the tram.", "citations": []}
    )
    rewritten = json.dumps({"question": "Who works for Acme Works?"})
    server.chat.then(reply, rewritten, reply)
    page = panel("ask.ask_page").run()
    next(s for s in page.selectbox if s.label == "Retriever").set_value("naive").run()
    page.chat_input[0].set_value(QUESTION).run()
    assert "found:" in words(page)
    assert "not found: no line of the sources has its words]" in words(page)
    assert "Claims: 1 stated, 0 contradicted, 1 not found; checked by rules" in words(page).replace(
        "\\", ""
    )
    switch(page, "Only what the sources state").set_value(True).run()
    page.chat_input[0].set_value(QUESTION).run()
    answer = book.all()[0].exchanges[1].answers[0].answer
    assert answer
    assert answer.text == "Ada Byron works at Acme Works."
    assert "left out: 0 stated, 0 contradicted, 1 not found" in words(page).replace("\\", "")


def test_the_profile_of_the_settings_is_the_page_s_and_its_retrievers_are_offered(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNAGRAG_PROFILE", "graph")
    page = panel("ask.ask_page").run()
    assert choice(page, "Profile").value == "graph"
    assert (
        choice(page, "Retriever").options[0] == "The profile's own: DynaGRAG's diverse ego-graphs"
    )
    choice(page, "Order of subgraphs").set_value("bfs").run()
    choice(page, "Profile").set_value("default").run()
    retrievers = choice(page, "Retriever").options
    assert retrievers[0] == "The profile's own: Passages over the graph (Bridge-PPR)"
    assert not any("DynaGRAG" in label for label in retrievers), "it reads no ego-graphs"
    page.chat_input[0].set_value(QUESTION).run()
    assert not page.exception
    kept = book.all()[0].exchanges[-1].answers[0]
    assert (kept.retriever, kept.error) == ("bridge-ppr", ""), "what has no effect is left out"
