"""The pages that an answer leads to: Why and Source."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from ask_pages import QUESTION, asked, choice, words

from dynagrag.workspace.conversations import ConversationBook


def test_why_tells_passages_ego_graphs_prompts_and_intermediate_answers(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    asked(panel, profile="graph")
    page = panel("ask.why_page").run()
    assert not page.exception
    assert not page.error
    assert [tab.label for tab in page.tabs] == ["Passages", "Ego-graphs", "Prompts", "Answers"]
    assert "Order of the walk: 1 **" in words(page)
    assert any("E1" in code.value for code in page.code)
    assert "helpfulness" in words(page)
    for sentence in (
        r"\d+ passages? ranked, \d+ of them in prompts",
        r"\d+ candidate ego-graphs? looked at, [1-9]\d* accepted",
    ):
        assert re.search(sentence, words(page))
    for sentence in (
        r"\d+ prompts? of [\d,]+ tokens in all",
        r"\d+ intermediate answers?, \d+ of them helpful",
    ):
        assert re.search(sentence, words(page))
    assert re.search(
        r"E\d+", page.expander[0].markdown[0].value
    )  # marks are the labels of the prompts
    assert re.search(
        r"relevance [\d.]+, coherence [\d.]+, detail [\d.]+ (of 5 by the judge|by the formula)",
        words(page),
    )


def test_why_names_the_pruner_that_was_chosen(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    assert choice(page, "Pruner").options == ["Trained where that is better", "None", "Untrained"]
    asked(panel, profile="graph")
    assert "what the pruner (untrained prior) scores low" in words(panel("ask.why_page").run())
    asked(panel, "Who works at Borealis Labs?", profile="graph", pruner="none")
    assert "There was no pruner, so all score alike" in words(panel("ask.why_page").run())


def test_why_of_a_plain_retriever_and_before_any_question(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    assert "No question has been answered" in panel("ask.why_page").run().info[0].value
    page = panel("ask.ask_page").run()
    next(s for s in page.selectbox if s.label == "Retriever").set_value("naive").run()
    page.chat_input[0].set_value(QUESTION).run()
    why = panel("ask.why_page").run()
    assert not why.exception
    assert "no subgraphs" in words(why)


def test_without_a_model_why_says_that_none_was_asked(
    book: ConversationBook, panel: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(panel)
    assert "No model was asked" not in words(panel("ask.why_page").run())
    monkeypatch.delenv("DYNAGRAG_LLM")
    asked(panel, "Who works at Borealis Labs?")
    shown = words(panel("ask.why_page").run())
    assert "No model was asked: this is what one would be shown" in shown
    assert "What the model was shown" not in shown


def test_a_link_opens_the_transcript_at_its_turn_with_the_words_marked(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    asked(panel)
    answer = book.all()[0].exchanges[0].answers[0].answer
    assert answer
    citation = answer.citations[0]
    page = panel("ask.source_page")
    page.query_params["document"] = answer.trace.document_ids[citation.id]
    page.query_params["start"], page.query_params["end"] = str(citation.start), str(citation.end)
    page.run()
    assert page.header[0].value == "board"
    assert ":blue[**Maria**] :gray[0\\:00 · turn 1]" in words(page)
    assert ":orange-background[Acme Works acquired Borealis Labs" in words(page)


def test_a_document_that_is_gone_and_numbers_that_are_none(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.source_page")
    page.query_params["document"] = "gone"
    assert "no longer in the workspace" in page.run().warning[0].value
    from dynagrag.ui import state

    session = state.session()
    assert session is not None
    page = panel("ask.source_page")
    page.query_params["document"] = session.space.store.documents()[0].id
    page.query_params["start"], page.query_params["end"] = "-3", "9" * 50
    assert not page.run().exception
    assert "turn 1" in words(page)
