"""Language models as soft prompts load them."""

from pathlib import Path

import pytest
import torch
from tiny_llama import tiny_llama

from dynagrag.config.settings import Settings
from dynagrag.core.errors import ModelError, UsageError
from dynagrag.generation.soft_prompt.language_model import LanguageModel
from dynagrag.generation.soft_prompt.precision import Precision

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A model of Hugging Face, saved."""
    model, tokenizer = tiny_llama()
    model.save_pretrained(tmp_path / "lm")
    tokenizer.save_pretrained(tmp_path / "lm")
    return str(tmp_path / "lm")


def test_a_folder_is_loaded_frozen_in_the_precision_that_was_asked_for(
    folder: str, home: Path
) -> None:
    from dynagrag.checkpoints.devices import has_bfloat16
    from dynagrag.generation.soft_prompt.language_model import load_language_model

    settings = Settings(home=home)
    auto = Precision.BFLOAT16 if has_bfloat16(torch.device("cpu")) else Precision.FLOAT32
    for precision, found in (
        (Precision.FLOAT32, Precision.FLOAT32),
        (Precision.BFLOAT16, Precision.BFLOAT16),
        (Precision.AUTO, auto),
    ):
        lm = load_language_model(folder, settings, precision, device="cpu")
        assert (lm.precision, lm.width, lm.name) == (found, 128, folder)
        assert not any(value.requires_grad for value in lm.model.parameters())


def test_a_models_digest_is_one_in_any_precision_and_another_after_a_fine_tune(
    folder: str, home: Path, tmp_path: Path
) -> None:
    from dynagrag.generation.soft_prompt.language_model import load_language_model

    model, tokenizer = tiny_llama()
    model.save_pretrained(tmp_path / "shards", max_shard_size="300KB")
    tokenizer.save_pretrained(tmp_path / "shards")
    assert len(list((tmp_path / "shards").glob("*.safetensors"))) > 1
    loaded = [
        load_language_model(where, Settings(home=home), precision, device="cpu").digest
        for where in (folder, str(tmp_path / "shards"))
        for precision in (Precision.FLOAT32, Precision.BFLOAT16)
    ]
    assert len({*loaded, LanguageModel(model, tokenizer, "tiny").digest}) == 1
    with torch.no_grad():
        for value in model.parameters():
            value.mul_(1 + 1e-4)
    assert LanguageModel(model, tokenizer, "tiny").digest not in loaded


@pytest.mark.parametrize(
    "err",
    [
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory"),
        RuntimeError("not enough memory: you tried to allocate 9 bytes"),
    ],
)
def test_a_model_that_memory_does_not_hold_is_refused_in_a_line(
    folder: str, home: Path, monkeypatch: pytest.MonkeyPatch, err: Exception
) -> None:
    from transformers import AutoModelForCausalLM

    from dynagrag.generation.soft_prompt.language_model import load_language_model
    from dynagrag.generation.soft_prompt.soft_prompt_model import (
        EncoderOptions,
        SoftPromptModel,
        SoftPromptOptions,
    )

    lm = LanguageModel(*tiny_llama(), "tiny")
    with pytest.raises(
        ModelError,
        match="what is learned before tiny doesn't fit into memory; train with smaller sizes",
    ):
        SoftPromptModel(lm, SoftPromptOptions(EncoderOptions(dimension=10**11, width=16_384)))

    def full(*_: object, **__: object) -> None:
        raise err

    monkeypatch.setattr(AutoModelForCausalLM, "from_pretrained", full)
    with pytest.raises(
        ModelError,
        match=(
            f"{folder} doesn't fit into memory; take a smaller model, or free some of the machine's"
        ),
    ):
        load_language_model(folder, Settings(home=home), device="cpu")


def test_a_device_that_is_not_there_is_refused(folder: str, home: Path) -> None:
    from dynagrag.generation.soft_prompt.language_model import load_language_model

    with pytest.raises(UsageError, match="the device 'warp' can't be used here"):
        load_language_model(folder, Settings(home=home), device="warp")


@pytest.mark.parametrize("is_fast", [True, False])
def test_a_text_is_cut_where_its_tokens_are(is_fast: bool) -> None:
    model, tokenizer = tiny_llama()

    class Slow:
        is_fast, chat_template, bos_token_id, eos_token_id = False, None, None, 4

        def __call__(
            self, text: str, add_special_tokens: bool, **how: bool
        ) -> dict[str, list[int]]:
            return {"input_ids": tokenizer(text, add_special_tokens=False)["input_ids"]}

        def decode(self, ids: list[int]) -> str:
            return str(tokenizer.decode(ids))

    lm = LanguageModel(model, tokenizer if is_fast else Slow(), "tiny")
    assert lm.cut("a cat can fly", 3) == "a cat can"
    assert lm.cut("a cat can fly", 4) == lm.cut("a cat can fly", 9) == "a cat can fly"
    assert lm.cut("a cat can fly", 0) == ""


def test_words_that_look_like_a_special_token_are_words() -> None:
    model, tokenizer = tiny_llama()
    lm = LanguageModel(model, tokenizer, "tiny")
    assert lm.pieces.end in tokenizer("the cat </s> the cat", add_special_tokens=False)["input_ids"]
    assert lm.pieces.end not in lm.ids("the cat </s> the cat")
    assert lm.cut("the cat </s> the cat", 2) == "the cat"
