"""Trained soft prompts on the pages Ask and Why."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from ask_pages import QUESTION, asked, choice, words

from dynagrag.generation.soft_prompt import soft_checkpoint
from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions
from dynagrag.generation.soft_prompt.language_model import LanguageModel
from dynagrag.generation.soft_prompt.prompt_layout import LayoutOptions
from dynagrag.generation.soft_prompt.soft_answers import KIND
from dynagrag.generation.soft_prompt.soft_checkpoint import network_of
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftPromptOptions
from dynagrag.schema import EmbedderIdentity
from dynagrag.settings import load_settings
from dynagrag.training.checkpoints import Checkpoint, save_checkpoint
from dynagrag.workspace.conversations import ConversationBook
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.workspace_soft_prompt import soft_prompt_folder

Keep = Callable[..., None]


@pytest.fixture
def keep(book: ConversationBook, monkeypatch: pytest.MonkeyPatch) -> Keep:
    """Puts an untrained network as a system's checkpoint into the workspace, before a tiny language model of random weights."""
    from tiny_llama import tiny_llama

    lm = LanguageModel(*tiny_llama(max_tokens=2048), "smollm2")
    monkeypatch.setattr(soft_checkpoint, "load_language_model", lambda *_: lm)
    monkeypatch.setattr("dynagrag.workspace.workspace_soft_prompt.CATALOG", {})
    with open_workspace("default") as space:
        identity = space.store.embedder()
    assert identity

    def write(method: str, embedder: EmbedderIdentity = identity) -> None:
        is_grag = method == "grag"
        encoder = EncoderOptions(embedder.dimension, width=16, num_layers=1, is_pruned=is_grag, is_two_way=is_grag)
        model = SoftPromptModel(lm, SoftPromptOptions(encoder, projection=32, layout=LayoutOptions(768, 48, 8)))
        kept = Checkpoint(
            kind=KIND,
            network=network_of(method, lm, model.options),
            embedder=embedder.name,
            dimension=embedder.dimension,
            made_with={},
            figures={},
            versions={},
        )
        save_checkpoint(soft_prompt_folder(load_settings(), "default", method), kept, model.tokens.state_dict())

    return write


def shown(page: Any) -> str:
    """What a page says, without the marks that keep it from being Markdown."""
    return words(page).replace("\\", "")


def ask_with(panel: Callable[[str], Any], soft: str) -> None:
    page = panel("ask.page").run()
    choice(page, "Answered by").set_value(soft).run()
    page.chat_input[0].set_value(QUESTION).run()
    assert not page.exception
    assert not page.error


def test_without_a_trained_soft_prompt_the_page_says_how_to_train_one(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    page = panel("ask.page").run()
    assert choice(page, "Answered by").options == ["The language model"]
    assert "dynagrag train g-retriever --workspace default" in shown(page)


def test_what_fits_is_offered_and_what_does_not_is_named_with_its_reason(
    keep: Keep, book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    keep("grag")
    keep("g-retriever", EmbedderIdentity("other", 8))
    page = panel("ask.page").run()
    assert choice(page, "Answered by").options == ["The language model", "GRAG, trained (with smollm2)"]
    assert "G-Retriever, trained: it was trained on vectors of other (8 numbers)" in shown(page)


def test_grag_answers_and_why_shows_its_masks(keep: Keep, book: ConversationBook, panel: Callable[[str], Any]) -> None:
    keep("grag")
    ask_with(panel, "grag")
    kept = book.all()[0].exchanges[-1].answers[0]
    assert (kept.retriever, kept.llm) == ("soft:grag", "grag with smollm2")
    assert kept.answer
    assert kept.answer.trace.soft
    assert f"a trained soft prompt · {kept.answer.trace.soft.prompt_tokens:,} + " in shown(panel("ask.page").run())
    page = panel("ask.why_page").run()
    assert not page.exception
    assert "GRAG, trained" in shown(page)
    assert "what GRAG's soft pruning left little of" in shown(page)
    assert re.search(
        r"grag with smollm2 read 1 soft token, then \d+ tokens of text \(\d+ of \d+ lines, \d+ of them evidence\)", shown(page)
    )
    assert "grag with smollm2 answered in one reply of" in shown(page)
    assert any("Masks" in own.label for own in page.expander)
    masks = next(own.value for own in page.dataframe if "mask" in own.value.columns and "kind" in own.value.columns)
    assert set(masks["kind"]) == {"entity", "fact"}
    assert masks["mask"].between(0, 1).all()


def test_why_shows_the_prizes_of_the_tree_of_pcst_and_of_g_retriever(
    keep: Keep, book: ConversationBook, panel: Callable[[str], Any]
) -> None:
    keep("g-retriever")
    page = panel("ask.page").run()
    choice(page, "Retriever").set_value("pcst").run()
    page.chat_input[0].set_value(QUESTION).run()
    for way in ("pcst", "soft:g-retriever"):
        if way != "pcst":
            ask_with(panel, "g-retriever")
        assert book.all()[0].exchanges[-1].answers[0].retriever == way
        why = panel("ask.why_page").run()
        assert not why.exception
        prizes = next(own.value for own in why.dataframe if "prize" in own.value.columns and "kind" in own.value.columns)
        assert prizes["prize"].max() >= 1
        assert list(prizes["prize"]) == sorted(prizes["prize"], reverse=True)
        assert "got prizes by rank" in shown(why)


def test_a_plain_answer_has_neither(book: ConversationBook, panel: Callable[[str], Any]) -> None:
    asked(panel, profile="graph")
    why = panel("ask.why_page").run()
    assert not any(own.label.startswith(("Masks", "Prizes")) for own in why.expander)
