"""Chat models by their spec, and what a user is told when one fails."""

import logging
import pickle
import time
from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr

from dynagrag.config.scrubbing import scrubbed
from dynagrag.config.settings import Settings
from dynagrag.core.errors import (
    CutOffReplyError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
    SettingsError,
)
from dynagrag.core.protocols import Prompt
from dynagrag.fakes import FakeChat
from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.chat_models import open_chat_model
from dynagrag.models.chat_names import is_small_name
from dynagrag.models.error_translation import Endpoint
from dynagrag.models.langchain_chat import LangChainChat
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.models.transformers_chat import usual_dtype

PROMPT = Prompt("p", "Be brief.", "Hello")
KEY = "sk-CANARY-123"


class Reply(BaseModel):
    name: str
    size: int


def settings(stub: OpenAIStubServer | None = None, **more: object) -> Settings:
    base_url = {"openai_base_url": stub.base_url} if stub else {}
    return Settings(**({"max_retries": 0, "timeout_s": 5} | base_url | more))  # type: ignore[arg-type]


def test_a_reply_is_asked_for_by_schema_and_counted(openai_stub: OpenAIStubServer) -> None:
    model = open_chat_model("openai:some-model", settings(openai_stub))
    reply = model.complete(PROMPT, Reply, 77)
    Reply.model_validate_json(reply.text)
    request = openai_stub.requests[0]
    assert request["model"] == "some-model"
    assert request["temperature"] == 0
    assert request["max_tokens"] == 77
    assert request["response_format"]["json_schema"]["schema"]["required"] == ["name", "size"]
    assert [m["role"] for m in request["messages"]] == ["system", "user"]
    assert reply.prompt_tokens > 0
    assert not reply.is_cut_off
    model.close()


def test_a_cut_off_reply_keeps_its_text(openai_stub: OpenAIStubServer) -> None:
    model = open_chat_model("openai:m", settings(openai_stub))
    openai_stub.fail_next(Fault.CUT_OFF)
    reply = model.complete(PROMPT, Reply, 100)
    assert reply.is_cut_off
    assert reply.text
    model.close()


def test_a_stream_comes_in_pieces_and_says_when_it_was_cut_off(
    openai_stub: OpenAIStubServer,
) -> None:
    openai_stub.chat.then("one two three four five", "one two three four five")
    model = open_chat_model("openai:m", settings(openai_stub))
    pieces = list(model.stream(PROMPT, 100))
    assert len(pieces) > 1
    assert "".join(pieces) == "one two three four five"
    openai_stub.fail_next(Fault.CUT_OFF)
    with pytest.raises(CutOffReplyError):
        list(model.stream(PROMPT, 100))
    model.close()


@pytest.mark.parametrize(
    ("fault", "error", "said"),
    [
        (Fault.UNAUTHORIZED, ModelRefusedError, "OPENAI_API_KEY"),
        (Fault.FORBIDDEN, ModelRefusedError, "OPENAI_API_KEY"),
        (Fault.NOT_FOUND, ModelRefusedError, "model's name"),
        (Fault.BAD_REQUEST, ModelRefusedError, "400"),
        (Fault.TOO_MANY, ModelUnavailableError, "DYNAGRAG_REQUESTS_PER_MINUTE"),
        (Fault.SERVER_ERROR, ModelUnavailableError, "500"),
        (Fault.GARBAGE, ModelUnavailableError, "OPENAI_BASE_URL"),
        (Fault.DROP, ModelUnavailableError, "cannot be reached"),
        (Fault.HANG, ModelUnavailableError, "DYNAGRAG_TIMEOUT_S"),
    ],
)
@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_fault_is_one_line_with_host_and_remedy_and_no_key(
    openai_stub: OpenAIStubServer,
    caplog: pytest.LogCaptureFixture,
    fault: Fault,
    error: type[ModelError],
    said: str,
    is_streamed: bool,
) -> None:
    caplog.set_level(logging.DEBUG)
    timeout_s = 0.3 if fault is Fault.HANG else 5
    model = open_chat_model(
        "openai:m", settings(openai_stub, openai_api_key=SecretStr(KEY), timeout_s=timeout_s)
    )
    openai_stub.fail_next(fault)
    with pytest.raises(error) as caught:
        list(model.stream(PROMPT, 100)) if is_streamed else model.complete(PROMPT, Reply, 100)
    logging.getLogger("test").exception("as a careless caller would log it", exc_info=caught.value)
    message = str(caught.value)
    assert said in message
    assert "127.0.0.1" in message
    assert "openai:m" in message
    assert "\n" not in message
    assert KEY not in message + caplog.text + repr(caught.value.__cause__)
    model.close()


def test_a_server_that_is_not_there_is_said(openai_stub: OpenAIStubServer) -> None:
    given = settings(openai_stub)
    openai_stub.close()
    model = open_chat_model("openai:m", given)
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        model.complete(PROMPT, None, 10)
    model.close()


def test_a_passing_fault_is_retried_with_a_limit(openai_stub: OpenAIStubServer) -> None:
    model = open_chat_model("openai:m", settings(openai_stub, max_retries=2))
    openai_stub.fail_next(Fault.TOO_MANY)
    openai_stub.fail_next(Fault.SERVER_ERROR)
    assert model.complete(PROMPT, Reply, 100).text
    openai_stub.fail_next(Fault.SERVER_ERROR, 9)
    with pytest.raises(ModelUnavailableError):
        model.complete(PROMPT, Reply, 100)
    assert openai_stub.counts.chat_calls == 6
    model.close()


def test_an_invalid_reply_of_a_server_is_repaired(
    openai_stub: OpenAIStubServer, tmp_path: Path
) -> None:
    model, journal = open_chat_model("openai:m", settings(openai_stub)), Journal(tmp_path / "j.db")
    openai_stub.fail_next(Fault.INVALID)
    reply = MeteredChat(model, journal, workspace="w").ask(PROMPT, Reply, stage="s", max_tokens=100)
    assert isinstance(reply, Reply)
    assert openai_stub.counts.chat_calls == 2
    assert KEY.encode() not in (tmp_path / "j.db").read_bytes()
    model.close()
    journal.close()


def test_a_server_that_knows_only_the_newer_limit_gets_that() -> None:
    class Newer(OpenAIStubServer):
        def answer(self, path, body, authorization):  # type: ignore[no-untyped-def]
            if "max_tokens" in body:
                return (
                    400,
                    (
                        '{"error": {"message": "Unsupported parameter: use max_completion_tokens'
                        ' instead", "type": "x"}}'
                    ),
                )
            return super().answer(path, body, authorization)

    with Newer() as stub:
        model = open_chat_model("openai:m", settings(stub))
        assert model.complete(PROMPT, Reply, 70).text
        assert "".join(model.stream(PROMPT, 80))
        assert [r["max_completion_tokens"] for r in stub.requests] == [70, 80]
        model.close()


def test_a_refused_temperature_is_said_with_its_setting() -> None:
    class Stubborn(OpenAIStubServer):
        def answer(self, path, body, authorization):  # type: ignore[no-untyped-def]
            return (
                400,
                (
                    '{"error": {"message": "Unsupported value: temperature does not support 0",'
                    ' "type": "x"}}'
                ),
            )

    with Stubborn() as stub:
        model = open_chat_model("openai:m", settings(stub))
        with pytest.raises(ModelRefusedError, match="DYNAGRAG_TEMPERATURE"):
            model.complete(PROMPT, None, 10)
        model.close()


def test_the_rate_of_requests_is_limited(openai_stub: OpenAIStubServer) -> None:
    model = open_chat_model("openai:m", settings(openai_stub, requests_per_minute=600))
    model.complete(PROMPT, None, 10)
    began = time.perf_counter()
    for _ in range(3):
        model.complete(PROMPT, None, 10)
    assert time.perf_counter() - began > 0.2
    model.close()


def test_identity_holds_what_changes_a_reply_and_no_secret(openai_stub: OpenAIStubServer) -> None:
    with_user = openai_stub.base_url.replace("://", "://user:secret@")
    models = [
        open_chat_model(
            "openai:m", settings(openai_base_url=with_user, openai_api_key=SecretStr(KEY))
        ),
        open_chat_model("openai:m", settings(openai_stub, temperature=0.5)),
        open_chat_model("openai:other", settings(openai_stub)),
        open_chat_model("openai:m", settings(openai_base_url="http://127.0.0.1:9/v1")),
    ]
    identities = [m.identity for m in models]
    assert len(set(identities)) == 4
    assert not any(word in identity for identity in identities for word in ("secret", "user", KEY))
    for model in models:
        model.close()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai:gpt", "OPENAI_API_KEY, or OPENAI_BASE_URL"),
        ("nonsense", "openai:NAME"),
        ("gguf:", "openai:NAME"),
        ("noprovider:x", "noprovider"),
        ("anthropic:claude", "langchain-anthropic"),
        ("qwen", "dynagrag models pull qwen"),
        ("minilm", "embedder"),
        ("gguf:/no/such.gguf", "no model file"),
        ("local:/no/such", "no model"),
    ],
)
def test_a_spec_that_cannot_be_opened_is_one_line_with_the_remedy(spec: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_chat_model(spec, settings())
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (Path.touch, (Path("exploded"),))


@pytest.mark.parametrize("spec", ["gguf:{}", "local:{}"])
@pytest.mark.parametrize("name", ["model.pkl", "model.gguf", "pytorch_model.bin"])
def test_a_pickle_offered_as_a_model_is_refused_unopened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(SettingsError, match="pickle"):
        open_chat_model(spec.format(tmp_path / name), settings())
    assert not (tmp_path / "exploded").exists()


def test_a_file_that_is_no_gguf_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_text("hello")
    with pytest.raises(SettingsError, match="not a GGUF"):
        open_chat_model(f"gguf:{tmp_path / 'model.gguf'}", settings())


def test_azure_is_asked_through_langchain(
    openai_stub: OpenAIStubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", openai_stub.base_url.removesuffix("/v1"))
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_VERSION", "2025-01-01")
    model = open_chat_model("azure_openai:my-deployment", settings())
    Reply.model_validate_json(model.complete(PROMPT, Reply, 100).text)
    openai_stub.fail_next(Fault.UNAUTHORIZED)
    with pytest.raises(ModelRefusedError) as caught:
        model.complete(PROMPT, Reply, 100)
    assert KEY not in str(caught.value)
    model.close()


def test_a_provider_with_its_own_structured_output_is_held_to_the_limit(
    openai_stub: OpenAIStubServer,
) -> None:
    from langchain_openai import ChatOpenAI
    from openai import DefaultHttpxClient

    client = DefaultHttpxClient()  # LangChain's default is shared by all models of an address
    chat = ChatOpenAI(
        model="m",
        base_url=openai_stub.base_url,
        api_key=SecretStr("none"),
        max_retries=0,
        http_client=client,
    )
    model = LangChainChat(chat, endpoint=Endpoint("other:m"), identity="m", is_small=False)
    Reply.model_validate_json(model.complete(PROMPT, Reply, 55).text)
    assert model.complete(PROMPT, None, 56).text
    assert "".join(model.stream(PROMPT, 57))
    assert [
        r.get("max_tokens") or r.get("max_completion_tokens") for r in openai_stub.requests
    ] == [55, 56, 57]
    assert chat.max_tokens is None
    client.close()


def test_scrubbing_takes_given_and_look_alike_keys() -> None:
    assert (
        scrubbed("Incorrect API key: sk-proj-abc***xyz, or hunter2.", ["hunter2"])
        == "Incorrect API key: (key), or (key)."
    )


@pytest.mark.parametrize(
    ("name", "is_small"),
    [
        ("qwen2.5:1.5b", True),
        ("SmolLM2-135M-Instruct", True),
        ("llama-3.1-8B", False),
        ("gpt-5-mini", False),
        ("Qwen3-30B-A3B", False),
    ],
)
def test_small_models_are_told_by_their_names(name: str, is_small: bool) -> None:
    assert is_small_name(name) is is_small


def test_the_stub_counts_messages_and_schema() -> None:
    with OpenAIStubServer(FakeChat(lambda prompt, schema: "{}")) as stub:
        model = open_chat_model("openai:m", settings(stub))
        model.complete(Prompt("p", "12345", "678"), None, 10)
        assert stub.counts.prompt_chars == 8
        model.complete(Prompt("p", "12345", "678"), Reply, 10)
        assert stub.counts.prompt_chars > 16 + 60
        model.close()


@pytest.mark.parametrize(
    ("device", "has_matrix_units", "dtype"),
    [
        ("cpu", True, "bfloat16"),
        ("cpu", False, "float32"),
        ("cuda:1", False, "bfloat16"),
        ("mps", False, "float16"),
    ],
)
def test_a_local_model_has_half_precision_where_it_is_multiplied_in_hardware(
    device: str, has_matrix_units: bool, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    told = {"amx_bf16": has_matrix_units}
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: told, raising=False)
    assert usual_dtype(device) == getattr(torch, dtype)
