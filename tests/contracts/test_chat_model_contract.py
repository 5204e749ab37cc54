"""What every chat model does, by the protocol `ChatModel`."""

import io
import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, suppress
from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr

from dynagrag.config.settings import Settings
from dynagrag.core.errors import CutOffReplyError
from dynagrag.core.protocols import ChatModel, FirstWordModel, Prompt
from dynagrag.fakes import FakeChat
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.chat_models import open_chat_model
from dynagrag.models.error_translation import Endpoint
from dynagrag.models.known_models import CATALOG
from dynagrag.models.langchain_chat import LangChainChat
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.models.yes_no import difference

PROMPT = Prompt("p", "You extract data as JSON.", "Ada is 36. Give name and age.")
YES_NO = Prompt("p", "Answer with one word, yes or no.", "Ada is 36. Is Ada 36? Answer yes or no.")


class Person(BaseModel):
    name: str
    age: int


def _fake(stub: OpenAIStubServer, models_dir: Path) -> ChatModel:
    return FakeChat()


def _openai(stub: OpenAIStubServer, models_dir: Path) -> ChatModel:
    return open_chat_model("openai:m", Settings(openai_base_url=stub.base_url, max_retries=0))


def _langchain(stub: OpenAIStubServer, models_dir: Path) -> ChatModel:
    from langchain_openai import ChatOpenAI
    from openai import DefaultHttpxClient

    # One of its own: LangChain's default is shared by all models of an address, and a later stub
    # may get the port of a closed one.
    client = DefaultHttpxClient()
    model = ChatOpenAI(
        model="m",
        base_url=stub.base_url,
        api_key=SecretStr("none"),
        max_retries=0,
        temperature=0,
        http_client=client,
    )
    return LangChainChat(
        model, endpoint=Endpoint("x:m"), identity="x:m", is_small=False, on_close=client.close
    )


def _gguf(stub: OpenAIStubServer, models_dir: Path) -> ChatModel:
    return open_chat_model(f"gguf:{_file(models_dir)}", Settings())


def _local(stub: OpenAIStubServer, models_dir: Path) -> ChatModel:
    """Loaded, which takes long and says nothing."""
    model = open_chat_model(f"local:{_file(models_dir)}", Settings())
    assert isinstance(model, FirstWordModel)
    with redirect_stderr(io.StringIO()) as said:
        model.first_word(YES_NO, ("yes", "no"))
    assert "Converting" not in said.getvalue(), "a bar of transformers' own"
    return model


def _file(models_dir: Path) -> Path:
    path = models_dir / CATALOG["smollm2"].file
    if not path.is_file():
        pytest.skip("run `dynagrag models pull smollm2` to have this test")
    return path


_REAL = [
    pytest.mark.model,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


@pytest.fixture(scope="module")
def loaded() -> Iterator[dict[object, ChatModel]]:
    """Real models, loaded once for all tests; one that a test has closed loads again."""
    models: dict[object, ChatModel] = {}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            os, "sched_getaffinity", lambda pid: {0}, raising=False
        )  # llama.cpp's threads wait for each other busily, beside other workers for long
        yield models
    for made in models.values():
        made.close()


@pytest.fixture(
    params=[
        _fake,
        _openai,
        _langchain,
        pytest.param(_gguf, marks=_REAL),
        pytest.param(_local, marks=_REAL),
    ]
)
def model(
    request: pytest.FixtureRequest, models_dir: Path, loaded: dict[object, ChatModel]
) -> Iterator[ChatModel]:
    make: Callable[[OpenAIStubServer, Path], ChatModel] = request.param
    with OpenAIStubServer() as stub:
        if make in (_gguf, _local):
            if make not in loaded:
                loaded[make] = make(stub, models_dir)
            yield loaded[make]
        else:
            made = make(stub, models_dir)
            yield made
            made.close()


def test_it_names_itself(model: ChatModel) -> None:
    assert model.name
    assert model.identity
    assert isinstance(model.is_small, bool)


def test_it_replies_by_schema_counts_tokens_and_says_when_it_was_cut_off(model: ChatModel) -> None:
    whole = model.complete(PROMPT, Person, 60)
    if not whole.is_cut_off:  # a very small model may ramble inside a string
        Person.model_validate_json(whole.text)
    assert whole.prompt_tokens > 0
    assert whole.completion_tokens > 0
    assert whole.seconds >= 0
    cut = model.complete(PROMPT, Person, 2)
    assert cut.is_cut_off


def test_the_same_prompt_gives_the_same_reply_from_several_threads(model: ChatModel) -> None:
    with ThreadPoolExecutor(3) as pool:
        texts = set(pool.map(lambda _: model.complete(PROMPT, Person, 12).text, range(3)))
    assert len(texts) == 1


def test_it_streams_free_text(model: ChatModel) -> None:
    pieces: list[str] = []
    with suppress(CutOffReplyError):  # raised after the last piece
        pieces.extend(
            model.stream(Prompt("p", "", '[E1] BOB "Ada works at Acme."\nSay hello.'), 40)
        )
    assert all(pieces)
    assert "".join(pieces).strip()


def test_it_compares_yes_with_no_the_same_each_time_where_it_can(model: ChatModel) -> None:
    if isinstance(model, FirstWordModel):
        found = [model.first_word(YES_NO, ("yes", "no")) for _ in range(2)]
        first, second = (difference(own.logprobs) for own in found)
        assert first is None or math.isfinite(first)
        assert first == (None if second is None else pytest.approx(second, abs=0.05))
        assert found[0].prompt_tokens > 0
    else:
        assert isinstance(model, FakeChat | LangChainChat), "every other kind can"


@pytest.mark.model
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_llama_cpp_and_transformers_compare_one_model_alike(
    models_dir: Path, loaded: dict[object, ChatModel]
) -> None:
    differences = []
    for make in (_gguf, _local):
        model = loaded.setdefault(
            make, open_chat_model(f"{make.__name__[1:]}:{_file(models_dir)}", Settings())
        )
        assert isinstance(model, FirstWordModel)
        differences.append(difference(model.first_word(YES_NO, ("yes", "no")).logprobs))
    assert differences[0] == pytest.approx(differences[1], abs=0.5)


@pytest.mark.model
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_transformers_answers_by_schema_and_streams(
    models_dir: Path, tmp_path: Path, loaded: dict[object, ChatModel]
) -> None:
    model = loaded.setdefault(_local, open_chat_model(f"local:{_file(models_dir)}", Settings()))
    journal = Journal(tmp_path / "j.db")
    chat = MeteredChat(model, journal, workspace="w")
    person = chat.ask(PROMPT, Person, stage="s", max_tokens=60)
    assert person.name
    assert chat.usage().completion_tokens > 5
    with pytest.raises(CutOffReplyError):
        list(model.stream(Prompt("p", "", "Count to a hundred."), 4))
    journal.close()


def test_closing_twice_is_fine(model: ChatModel) -> None:
    model.close()
    model.close()
