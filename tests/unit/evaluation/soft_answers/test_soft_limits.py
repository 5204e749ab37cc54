"""Where a soft prompt of a workspace ends: too long texts, too little memory, options that would do
nothing; and what it never learns.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch
from torch import Tensor

from dynagrag import wiring
from dynagrag.cli.main import app
from dynagrag.config.settings import Settings
from dynagrag.core.errors import ModelError, UsageError
from dynagrag.evaluation.pruning.pruning_example import Part
from dynagrag.fakes import FakeChat
from dynagrag.generation.soft_prompt.soft_example import SoftExample
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel
from dynagrag.training.soft_prompt import soft_prompt_training
from dynagrag.training.soft_prompt.soft_prompt_examples import WorkspaceSoftExamples
from dynagrag.training.soft_prompt.soft_prompt_training import SoftTraining
from dynagrag.workspace.facade import AskOptions, open_workspace

pytestmark = pytest.mark.slow

Train = Callable[..., SoftTraining]
ASKED = "What does the Odyssey feed?"


def test_a_question_too_long_or_too_large_for_memory_is_refused_as_ask_does(
    train: Train, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    train("prompt-tuning")
    with open_workspace("w", settings=settings) as space:
        long = (
            "a prompt of [0-9,]+ tokens doesn't fit into tiny, whose context has 2,048; ask a"
            " shorter question, or train before a model"
        )
        with pytest.raises(UsageError, match=long) as raised:
            space.ask(f"{ASKED} {'the ' * 2400}", AskOptions(soft="prompt-tuning"))
        assert "--" not in str(raised.value)

        def full(self: SoftPromptModel, examples: Sequence[SoftExample]) -> None:
            raise torch.OutOfMemoryError("CUDA out of memory")

        monkeypatch.setattr(SoftPromptModel, "replies", full)
        with pytest.raises(
            ModelError,
            match=(
                "a question to prompt-tuning with tiny doesn't fit into memory; ask a shorter one,"
                " or free"
            ),
        ):
            space.ask(ASKED, AskOptions(soft="prompt-tuning"))


def test_texts_longer_than_the_model_reads_are_told_with_an_option_of_this_training(
    train: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tiny_llama import tiny_llama

    from dynagrag.generation.soft_prompt.language_model import LanguageModel

    narrow = LanguageModel(*tiny_llama(max_tokens=128), "tiny")
    monkeypatch.setattr(soft_prompt_training, "load_language_model", lambda *_: narrow)
    with pytest.raises(
        UsageError,
        match="doesn't fit into tiny, whose context has 128; take one that reads more, with --lm",
    ):
        train("prompt-tuning")


def test_options_that_would_do_nothing_beside_a_trained_system_are_refused(
    train: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    train("prompt-tuning")

    def ask(*words: str) -> int:
        return int(
            app(
                ["ask", ASKED, "-w", "w", "--soft", "prompt-tuning", "--json", *words],
                standalone_mode=False,
            )
        )

    for option, value in (
        ("--retriever", "naive"),
        ("--retriever", "dynagrag"),
        ("--profile", "default"),
    ):
        with pytest.raises(
            UsageError,
            match=rf"a trained system \(--soft\) retrieves by itself; leave out {option}",
        ):
            ask(option, value)
    monkeypatch.setattr(
        wiring, "make_chat_model", lambda settings: FakeChat() if settings.llm else None
    )
    monkeypatch.setenv("DYNAGRAG_CHECKER", "rules")
    with pytest.raises(UsageError, match="the checker in use asks none: leave out --llm"):
        ask("--llm", "openai:fake")
    monkeypatch.setenv("DYNAGRAG_CHECKER", "rules+model")
    assert ask("--llm", "openai:fake") == 0


def test_rows_at_most_are_those_of_each_part_and_answers_that_are_cut_are_told(
    train: Train, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(soft_prompt_training, "MAX_LABEL", 2)
    made = train("prompt-tuning", max_rows=10)
    assert made.questions == dict.fromkeys((part.value for part in Part), 10)
    told = [record.message for record in caplog.records if "cut" in record.message]
    assert len(told) == 1
    assert (
        "of 20 answers are longer than 2 tokens and are cut there, so their ends, and the marks of"
        " lines there, can't be learned" in told[0]
    )


def test_what_chooses_the_epoch_and_what_is_measured_is_not_learned(
    train: Train, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, list[str]] = {"learned": [], "chosen by": [], "measured": []}
    loss = SoftPromptModel.loss

    def watched(self: SoftPromptModel, examples: Sequence[SoftExample]) -> Tensor:
        seen["learned" if self.tokens.training else "chosen by"] += [
            one.question for one in examples
        ]
        return loss(self, examples)

    def answers(self: SoftPromptModel, examples: Sequence[SoftExample]) -> list[str]:
        seen["measured"] += [one.question for one in examples]
        return [""] * len(examples)

    monkeypatch.setattr(SoftPromptModel, "loss", watched)
    monkeypatch.setattr(SoftPromptModel, "answers", answers)
    train("prompt-tuning", max_rows=12)
    with open_workspace("w", settings=settings) as space:
        parts = WorkspaceSoftExamples(space, "prompt-tuning", None).found.parts
    expected = {
        part: sorted(f"Question: {question.text}\n\nAnswer:" for question, _ in parts[part][:12])
        for part in Part
    }
    assert sorted(seen["learned"]) == expected[Part.TRAIN]
    assert sorted(seen["chosen by"]) == expected[Part.VALIDATION]
    assert sorted(seen["measured"]) == sorted(2 * expected[Part.TEST]), (
        "by the trained one and by the untrained one"
    )
