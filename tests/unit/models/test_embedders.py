import timeit

import numpy as np
import pytest
from pydantic import SecretStr

from dynagrag.config.settings import Settings
from dynagrag.core.errors import ModelError, ModelRefusedError, ModelUnavailableError, SettingsError
from dynagrag.fakes import FakeEmbedder
from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.models.embedders import OpenAIEmbedder, open_embedder


def settings(stub: OpenAIStubServer, **more: object) -> Settings:
    return Settings(**({"openai_base_url": stub.base_url, "max_retries": 0} | more))  # type: ignore[arg-type]


def test_vectors_come_back_in_order_across_batches(openai_stub: OpenAIStubServer) -> None:
    embedder = OpenAIEmbedder("openai:m", settings(openai_stub))
    texts = [f"text number {i} about {'engines' if i % 2 else 'bananas'}" for i in range(600)]
    vectors = embedder.embed_documents(texts)
    np.testing.assert_allclose(vectors, FakeEmbedder().embed_documents(texts), atol=1e-6)
    assert openai_stub.counts.embedding_calls == 3
    assert {len(r["input"]) for r in openai_stub.requests} == {256, 88}
    assert embedder.identity.dimension == 32
    assert openai_stub.counts.embedding_calls == 3, "the dimension is known by then"
    embedder.close()


def test_queries_are_asked_together_and_as_each_by_itself(openai_stub: OpenAIStubServer) -> None:
    embedder = OpenAIEmbedder("openai:m", settings(openai_stub, query_prefix="query: "))
    texts = ["Who came?", "Where to?", "Who came?"]
    vectors = embedder.embed_queries(texts)
    assert openai_stub.counts.embedding_calls == 1
    np.testing.assert_array_equal(vectors, [embedder.embed_query(text) for text in texts])
    embedder.close()


def test_a_server_without_base64_is_asked_for_floats() -> None:
    class Floats(OpenAIStubServer):
        def answer(self, path, body, authorization):  # type: ignore[no-untyped-def]
            if body.get("encoding_format") == "base64":
                return (
                    400,
                    (
                        '{"error": {"message": "encoding_format base64 is not supported", "type":'
                        ' "x"}}'
                    ),
                )
            return super().answer(path, body, authorization)

    with Floats() as stub:
        embedder = OpenAIEmbedder("openai:m", settings(stub))
        np.testing.assert_allclose(
            embedder.embed_query("a cat"), FakeEmbedder().embed_query("a cat"), atol=1e-6
        )
        embedder.close()


def test_prefixes_of_the_settings_are_sent_and_named(openai_stub: OpenAIStubServer) -> None:
    embedder = OpenAIEmbedder(
        "openai:m", settings(openai_stub, query_prefix="query: ", document_prefix="passage: ")
    )
    embedder.embed_query("a")
    embedder.embed_documents(["b", ""])
    assert [r["input"] for r in openai_stub.requests] == [["query: a"], ["passage: b", "passage: "]]
    assert embedder.identity.name != OpenAIEmbedder("openai:m", settings(openai_stub)).identity.name
    embedder.close()


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault.UNAUTHORIZED, ModelRefusedError),
        (Fault.TOO_MANY, ModelUnavailableError),
        (Fault.SERVER_ERROR, ModelUnavailableError),
        (Fault.GARBAGE, ModelUnavailableError),
        (Fault.DROP, ModelUnavailableError),
    ],
)
def test_a_fault_is_ours_and_shows_no_key(
    openai_stub: OpenAIStubServer, fault: Fault, error: type[ModelError]
) -> None:
    embedder = OpenAIEmbedder(
        "openai:m", settings(openai_stub, openai_api_key=SecretStr("sk-CANARY"))
    )
    openai_stub.fail_next(fault)
    with pytest.raises(error) as caught:
        embedder.embed_documents(["a"])
    assert "CANARY" not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)
    embedder.close()


def test_vectors_that_change_their_dimension_are_an_error(openai_stub: OpenAIStubServer) -> None:
    embedder = OpenAIEmbedder("openai:m", settings(openai_stub))
    embedder.embed_query("a")
    openai_stub.embedder = FakeEmbedder(48)
    with pytest.raises(ModelError, match="48"):
        embedder.embed_query("a")
    embedder.close()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai:m", "OPENAI_API_KEY"),
        ("qwen", "no embedder"),
        ("", "no embedder"),
        ("ollama:nomic-embed-text", "http://localhost:11434/v1"),
    ],
)
def test_a_spec_that_cannot_be_opened_is_said(spec: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        open_embedder(spec, Settings())


def test_a_folder_or_name_that_is_not_there_is_said_at_the_first_use() -> None:
    with pytest.raises(SettingsError, match="no embedder folder"):
        _ = open_embedder("/no/such/folder", Settings()).identity
    with pytest.raises(ModelUnavailableError, match="minilm"):
        _ = open_embedder("org/model", Settings()).identity


def test_minilm_is_known_without_loading_it() -> None:
    identity = open_embedder("minilm", Settings()).identity
    assert (identity.name, identity.dimension) == ("minilm", 384)


def test_embedding_many_short_texts_costs_little(openai_stub: OpenAIStubServer) -> None:
    embedder = OpenAIEmbedder("openai:m", settings(openai_stub))
    embedder.embed_query("warm")
    texts = [f"passage {i} about engine {i % 37}" for i in range(1600)]
    times_s = timeit.repeat(lambda: embedder.embed_documents(texts), number=1, repeat=5)
    assert (
        min(times_s) < 1.0
    )  # about 0.1 s on an idle machine; the best of five, as others run beside
    embedder.close()
