"""Yes against no by log probabilities: how they are summed, asked for, cached and counted, and what
happens where there are none.
"""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynagrag.config.settings import Settings
from dynagrag.core.errors import BudgetError, ModelRefusedError, ModelUnavailableError
from dynagrag.core.protocols import ChatModel, FirstWord, FirstWordModel, Prompt
from dynagrag.core.schema import Usage
from dynagrag.fakes import FakeChat, FakeWordChat, FakeYesNoChat
from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.chat_models import open_chat_model
from dynagrag.models.metered_chat import Budget, MeteredChat
from dynagrag.models.yes_no import YES_NO, difference, word_logprobs

PROMPT = Prompt("check_claim", "Answer yes or no.", "Is it so?")


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    opened = Journal(tmp_path / "journal.db")
    yield opened
    opened.close()


def openai_model(stub: OpenAIStubServer) -> ChatModel:
    return open_chat_model("openai:m", Settings(openai_base_url=stub.base_url, max_retries=0))


def compared(model: ChatModel) -> FirstWord:
    assert isinstance(model, FirstWordModel)
    return model.first_word(PROMPT, YES_NO)


def test_spellings_of_a_word_are_summed() -> None:
    top = [
        ("Yes", math.log(0.3)),
        (" yes", math.log(0.2)),
        ("YES", math.log(0.1)),
        ("No", math.log(0.1)),
        ("no", math.log(0.2)),
        ("So", -9.0),
    ]
    assert difference(word_logprobs(top, YES_NO)) == pytest.approx(math.log(0.6 / 0.3))


def test_a_word_that_is_not_among_the_likeliest_counts_as_the_least_likely_one() -> None:
    assert difference(
        word_logprobs([("no", math.log(0.9)), ("maybe", math.log(0.01))], YES_NO)
    ) == pytest.approx(math.log(0.01 / 0.9))


@pytest.mark.parametrize("top", [[], [("<think>", -0.01), ("yes", -7.0)]])
def test_a_reply_that_begins_otherwise_says_neither(top: list[tuple[str, float]]) -> None:
    assert difference(word_logprobs(top, YES_NO)) is None


def test_words_of_the_callers_choice_are_compared() -> None:
    top = [
        ("4", math.log(0.5)),
        (" 3", math.log(0.25)),
        ("3", math.log(0.05)),
        ("So", math.log(0.01)),
    ]
    assert word_logprobs(top, "12345") == pytest.approx(
        [math.log(share) for share in (0.01, 0.01, 0.3, 0.5, 0.01)]
    )
    assert word_logprobs([("So", -0.1)], "12345") == ()
    assert word_logprobs([], "12345") is None


def test_a_server_is_asked_for_one_token_and_the_likeliest_in_its_place() -> None:
    with OpenAIStubServer(FakeYesNoChat(lambda prompt: -1.5)) as stub:
        model = openai_model(stub)
        found = compared(model)
        assert difference(found.logprobs) == pytest.approx(-1.5)
        assert found.prompt_tokens > 0
        assert (
            stub.requests[0]["logprobs"],
            stub.requests[0]["top_logprobs"],
            stub.requests[0]["max_tokens"],
        ) == (True, 20, 1)
        model.close()


def test_a_server_without_log_probabilities_tells_nothing(openai_stub: OpenAIStubServer) -> None:
    model = openai_model(openai_stub)
    assert compared(model).logprobs is None
    openai_stub.fail_next(Fault.BAD_REQUEST)  # as models that think refuse them
    assert compared(model).logprobs is None
    model.close()


@pytest.mark.parametrize(
    "logprobs",
    [
        7,
        [],
        {"content": None},
        {"content": []},
        {"content": [{"top_logprobs": None}]},
        {"content": [{"top_logprobs": [{"token": "yes"}]}]},
        {"content": [{"top_logprobs": [{"token": "yes", "logprob": "much"}]}]},
        {"content": [{"top_logprobs": ["yes"]}]},
    ],
)  # fmt: skip
def test_garbled_log_probabilities_tell_nothing(logprobs: object) -> None:
    class Garbled(OpenAIStubServer):
        def answer(self, path, body, authorization):  # type: ignore[no-untyped-def]
            status, text = super().answer(path, body, authorization)
            reply = json.loads(text)
            reply["choices"][0]["logprobs"] = logprobs
            return status, json.dumps(reply)

    with Garbled() as stub:
        model = openai_model(stub)
        assert compared(model).logprobs is None
        model.close()


def test_log_probabilities_beyond_all_bounds_are_bounded() -> None:
    assert difference(
        word_logprobs([("yes", 1e300), ("no", -math.inf), ("so", math.nan)], YES_NO)
    ) == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("fault", "error"),
    [(Fault.UNAUTHORIZED, ModelRefusedError), (Fault.SERVER_ERROR, ModelUnavailableError)],
)
def test_other_faults_are_errors(
    openai_stub: OpenAIStubServer, fault: Fault, error: type[Exception]
) -> None:
    model = openai_model(openai_stub)
    openai_stub.fail_next(fault)
    with pytest.raises(error):
        compared(model)
    model.close()


def test_a_comparison_is_cached_counted_and_forgotten_with_its_document(journal: Journal) -> None:
    model = FakeYesNoChat(lambda prompt: 2.5)
    chat = MeteredChat(model, journal, workspace="w")
    assert [chat.yes_no(PROMPT, stage="check", documents=("a",)) for _ in range(2)] == [2.5, 2.5]
    assert model.num_calls == 1
    used = chat.usage("check")
    assert (used.calls, used.cached, used.completion_tokens) == (1, 1, 1)
    assert used.prompt_tokens > 0
    journal.forget_documents(["a"])
    chat.yes_no(PROMPT, stage="check", documents=("a",))
    assert model.num_calls == 2


def test_words_are_compared_once_by_each_choice_of_them(journal: Journal) -> None:
    model = FakeWordChat(lambda prompt: {"1": 0.75, "2": 0.25})
    chat = MeteredChat(model, journal, workspace="w")
    found = [chat.first_word(PROMPT, words, stage="judge") for words in ("12", "12", "21", "AB")]
    assert found[0] == found[1] == pytest.approx((math.log(0.75), math.log(0.25)))
    assert found[2] == pytest.approx((math.log(0.25), math.log(0.75)))
    assert found[3] == ()
    assert (model.num_calls, chat.usage("judge").cached) == (3, 1)


def test_a_model_that_tells_no_words_is_asked_once(journal: Journal) -> None:
    model = FakeWordChat(lambda prompt: None)
    chat = MeteredChat(model, journal, workspace="w")
    assert [chat.first_word(PROMPT, "12", stage="judge") for _ in range(2)] == [None, None]
    assert model.num_calls == 1
    assert (
        MeteredChat(FakeChat(), journal, workspace="w", budget=Budget(max_calls=0)).first_word(
            PROMPT, "12", stage="judge"
        )
        is None
    )


def test_a_model_that_once_did_not_tell_is_not_asked_again(journal: Journal) -> None:
    model = FakeYesNoChat(lambda prompt: None)
    chat = MeteredChat(model, journal, workspace="w")
    assert [chat.yes_no(PROMPT, stage="check") for _ in range(3)] == [None, None, None]
    assert model.num_calls == 1


def test_a_model_of_another_kind_costs_no_call(journal: Journal) -> None:
    chat = MeteredChat(FakeChat(), journal, workspace="w", budget=Budget(max_calls=0))
    assert chat.yes_no(PROMPT, stage="check") is None
    assert chat.usage() == Usage()


def test_a_comparison_beyond_the_budget_is_not_made(journal: Journal) -> None:
    model = FakeYesNoChat(lambda prompt: 1.0)
    chat = MeteredChat(model, journal, workspace="w", budget=Budget(max_calls=1))
    chat.yes_no(PROMPT, stage="check")
    with pytest.raises(BudgetError):
        chat.yes_no(Prompt("check_claim", "", "Another?"), stage="check")
    assert model.num_calls == 1


def test_a_comparison_that_fails_is_in_the_ledger(journal: Journal) -> None:
    def fail(prompt: Prompt) -> float:
        raise ModelUnavailableError("gone")

    chat = MeteredChat(FakeYesNoChat(fail), journal, workspace="w")
    with pytest.raises(ModelUnavailableError):
        chat.yes_no(PROMPT, stage="check")
    assert chat.usage("check").calls == 1
