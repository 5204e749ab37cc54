"""Trained soft prompts on the pages Ask and Why."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from ask_pages import QUESTION, asked, choice, words

from dynagrag.core.schema import EmbedderIdentity
from dynagrag.workspace.conversations import ConversationBook, exchange_as_text

Keep = Callable[..., None]


def shown(page: Any) -> str:
    """What a page says, without the marks that keep it from being Markdown."""
    return words(page).replace("\\", "")


def ask_with(panel: Callable[[str], Any], soft: str) -> None:
    page = panel("ask.ask_page").run()
    choice(page, "Answered by").set_value(f"soft:{soft}").run()
    page.chat_input[0].set_value(QUESTION).run()
    assert not page.exception
    assert not page.error


def test_without_a_trained_soft_prompt_the_page_says_how_to_train_one(
    book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    page = panel("ask.ask_page").run()
    assert choice(page, "Answered by").options == ["The language model"]
    assert "dynagrag train g-retriever --workspace default" in shown(page)


def test_what_fits_is_offered_and_what_does_not_is_named_with_its_reason(
    keep: Keep, book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    keep("grag")
    keep("g-retriever", EmbedderIdentity("other", 8))
    page = panel("ask.ask_page").run()
    assert choice(page, "Answered by").options == [
        "The language model",
        "GRAG, trained (with smollm2)",
    ]
    assert "G-Retriever, trained: it was trained on vectors of other (8 numbers)" in shown(page)


def test_grag_answers_and_why_shows_its_masks(
    keep: Keep, book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    keep("grag")
    ask_with(panel, "grag")
    kept = book.all()[0].exchanges[-1].answers[0]
    assert (kept.retriever, kept.llm) == ("soft:grag", "grag with smollm2")
    assert kept.answer
    assert kept.answer.trace.soft
    assert f"a trained soft prompt · {kept.answer.trace.soft.prompt_tokens:,} + " in shown(
        panel("ask.ask_page").run()
    )
    page = panel("ask.why_page").run()
    assert not page.exception
    assert "GRAG, trained" in shown(page)
    assert "what GRAG's soft pruning left little of" in shown(page)
    assert re.search(
        r"grag with smollm2 read 1 soft token, then \d+ tokens of text \(\d+ of \d+ lines, \d+ of"
        r" them evidence\)",
        shown(page),
    )
    assert "grag with smollm2 answered in one reply of" in shown(page)
    assert any("Masks" in own.label for own in page.expander)
    masks = next(
        own.value
        for own in page.dataframe
        if "Mask" in own.value.columns and "Kind" in own.value.columns
    )
    assert set(masks["Kind"]) == {"entity", "fact"}
    assert masks["Mask"].between(0, 1).all()


def test_why_shows_the_prizes_of_the_tree_of_pcst_and_of_g_retriever(
    keep: Keep, book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    keep("g-retriever")
    page = panel("ask.ask_page").run()
    choice(page, "Retriever").set_value("pcst").run()
    page.chat_input[0].set_value(QUESTION).run()
    for way in ("pcst", "soft:g-retriever"):
        if way != "pcst":
            ask_with(panel, "g-retriever")
        assert book.all()[0].exchanges[-1].answers[0].retriever == way
        why = panel("ask.why_page").run()
        assert not why.exception
        prizes = next(
            own.value
            for own in why.dataframe
            if "Prize" in own.value.columns and "Kind" in own.value.columns
        )
        assert prizes["Prize"].max() >= 1
        assert list(prizes["Prize"]) == sorted(prizes["Prize"], reverse=True)
        assert "got prizes by rank" in shown(why)


def disabled(page: Any) -> set[str]:
    """The labels of the choices that can't be made."""
    return {box.label for box in [*page.selectbox, *page.toggle] if box.disabled}


def test_what_has_no_effect_on_what_is_chosen_is_disabled_and_says_why(
    keep: Keep, book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    keep("grag")
    keep("graph-token")
    page = panel("ask.ask_page").run()
    assert disabled(page) == {"Order of subgraphs", "Pruner"}
    assert "nothing that is chosen reads subgraphs as text" in choice(page, "Pruner").help
    choice(page, "Profile").set_value("graph").run()
    assert disabled(page) == set()
    choice(page, "Answered by").set_value("soft:grag").run()
    assert disabled(page) == {"Retriever", "Profile", "Split the question"}
    for label in ("Retriever", "Profile"):
        assert choice(page, label).help == "No effect: GRAG finds its evidence in its own way"
    choice(page, "Answered by").set_value("soft:graph-token").run()
    assert disabled(page) == {
        "Retriever",
        "Profile",
        "Split the question",
        "Order of subgraphs",
        "Pruner",
    }
    choice(page, "Compare with").set_value("dynagrag").run()
    assert disabled(page) == {"Retriever"}


@pytest.mark.parametrize("is_soft_first", [True, False])
def test_a_soft_prompt_and_a_retriever_are_compared_and_each_answer_says_what_made_it(
    keep: Keep, book: ConversationBook, panel: Callable[[str], Any], is_soft_first: bool
) -> None:
    keep("grag")
    page = panel("ask.ask_page").run()
    if is_soft_first:
        choice(page, "Answered by").set_value("soft:grag").run()
        choice(page, "Compare with").set_value("naive").run()
    else:
        choice(page, "Retriever").set_value("naive").run()
        choice(page, "Compare with").set_value("soft:grag").run()
    page.chat_input[0].set_value(QUESTION).run()
    assert not page.exception
    assert not page.error
    exchange = book.all()[0].exchanges[-1]
    ways = ["soft:grag", "naive"]
    assert [kept.retriever for kept in exchange.answers] == (ways if is_soft_first else ways[::-1])
    by_model = next(kept for kept in exchange.answers if kept.retriever == "naive")
    assert by_model.answer
    assert by_model.answer.trace.soft is None
    assert "**GRAG, trained** :gray[with smollm2]" in shown(page)
    assert f"**Vectors** :gray[with {by_model.llm}]" in shown(page)
    said = exchange_as_text(exchange)
    assert "(soft:grag, grag with smollm2)" in said
    assert f"(naive, {by_model.llm})" in said


def test_a_plain_answer_has_neither(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    asked(panel, profile="graph")
    why = panel("ask.why_page").run()
    assert not any(own.label.startswith(("Masks", "Prizes")) for own in why.expander)
