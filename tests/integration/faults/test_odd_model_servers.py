"""Whole ingests and questions on model servers that behave otherwise than most: what they cost, and
what is told. The table in docs/models.md names these tests.
"""

from collections.abc import Callable
from typing import Any

import pytest
from odd_model_server import (
    OddModelServer,
    breaks_off,
    cuts_prompts,
    prompt_of,
    reasoning,
    refusal,
    replied,
    short_context,
    small_batches,
    spent_quota,
    text_of,
    without_formats,
)

from dynagrag.fakes.fake_server import OpenAIStubServer

Point = Callable[..., None]


@pytest.fixture
def ten_chunks(corpus: Any) -> list[Any]:
    return [
        corpus.write(f"talk-{i}.vtt", [("Leo", f"Ada Byron founded Acme{i} Works.")])
        for i in range(10)
    ]


def words_of_prompts(server: OpenAIStubServer) -> list[str]:
    return [r["messages"][-1]["content"] for r in server.requests if "messages" in r]


@pytest.mark.parametrize(
    ("num_thoughts", "begin", "is_read"),
    [
        (1200, None, True),
        (5000, None, True),
        (5000, "<think>\n", True),
        (5000, "", True),
        (10**6, None, False),
    ],
)
def test_ten_chunks_cost_a_reasoning_model_twelve_calls_at_most(
    cli: Any,
    point_at_models: Point,
    ten_chunks: list[Any],
    num_thoughts: int,
    begin: str | None,
    is_read: bool,
) -> None:
    with OddModelServer(reasoning(num_thoughts, begin)) as server:
        point_at_models(server)
        done = cli("ingest", *ten_chunks)
        asked = [words for words in words_of_prompts(server) if "<excerpt>" in words]
        assert len(asked) <= 12
    assert done.code == (0 if is_read else 3), done
    if is_read:
        assert cli("graph", "stats", "--json").json["relations"] == 10
    else:
        assert "used up before its answer began" in done.out


@pytest.mark.parametrize(("num_thoughts", "begin"), [(1200, None), (1200, "<think>\n"), (30, "")])
def test_a_reasoning_model_answers_and_its_thoughts_are_not_shown(
    cli: Any, point_at_models: Point, ten_chunks: list[Any], num_thoughts: int, begin: str | None
) -> None:
    with OddModelServer(reasoning(num_thoughts, begin)) as server:
        point_at_models(server)
        cli("ingest", *ten_chunks, "--extractor", "fast")
        done = cli("ask", "Who founded Acme3 Works?", "--profile", "graph")
    assert done.code == 0, done
    assert "Ada Byron founded Acme" in done.out
    assert "think" not in done.out
    assert "Hmm" not in done.out


def test_a_source_that_speaks_of_a_mark_of_thoughts_is_read_and_answered(
    cli: Any, server: OpenAIStubServer, corpus: Any
) -> None:
    said = "We split at </think> there. Ada Byron founded Acme Works </think> then."
    path = corpus.write("a.vtt", [("Leo", said), ("Maria", "Acme Works is located in Delft.")])
    done = cli("ingest", path)
    assert done.code == 0, done
    answered = cli("ask", "Where did we split at </think>?", "--profile", "graph")
    assert answered.code == 0, answered
    assert "We split at </think> there" in answered.out
    assert "the reply does not fit" not in answered.out + answered.err


@pytest.mark.parametrize(
    "events", [(), ('{"error": {"message": "upstream connection lost", "code": 502}}',)]
)
def test_half_a_merged_answer_is_replaced_by_a_whole_one(
    cli: Any, point_at_models: Point, ten_chunks: list[Any], events: tuple[str, ...]
) -> None:
    with OddModelServer(breaks_off(*events)) as server:
        point_at_models(server)
        cli("ingest", *ten_chunks, "--extractor", "fast")
        found = cli("ask", "Who founded Acme3 Works?", "--profile", "graph", "--json").json
        shown = cli("ask", "Who founded Acme3 Works?", "--profile", "graph")
    assert found["answer"].startswith("The transcript says")
    assert "never acquired" not in found["answer"]
    assert "the merge broke off" in found["trace"]["merge"]
    assert (events == ()) is ("upstream connection lost" not in found["trace"]["merge"])
    assert "never acquired" not in shown.out


def test_a_spent_quota_stops_an_ingest_at_its_first_reply(
    cli: Any, point_at_models: Point, ten_chunks: list[Any]
) -> None:
    with OddModelServer(spent_quota) as server:
        point_at_models(server)
        done = cli("ingest", *ten_chunks)
        assert done.code == 1, done
        assert "the account's quota is spent" in done.err
        assert server.counts.chat_calls == 1


def test_a_chunk_that_is_too_long_for_the_context_is_halved(
    cli: Any, point_at_models: Point, corpus: Any
) -> None:
    turns = [("Leo", f"Ada Byron founded Acme{i} Works. It rains.") for i in range(90)]
    path = corpus.write("a.vtt", turns)
    with OddModelServer() as server:
        point_at_models(server)
        cli("ingest", path, "--workspace", "whole")
        whole = cli("graph", "stats", "--json", "--workspace", "whole").json["relations"]
        longest = max(len(prompt_of(r)) for r in server.requests if "messages" in r)
    with OddModelServer(short_context(longest * 3 // 4)) as server:
        point_at_models(server)
        done = cli("ingest", path, "--workspace", "halved")
        assert done.code == 0, done
        assert "chunks halved" in done.out
        assert "stay unmerged" not in done.out
        assert cli("graph", "stats", "--json", "--workspace", "halved").json["relations"] == whole


def test_a_context_that_is_too_short_for_any_chunk_stops_the_run(
    cli: Any, point_at_models: Point, ten_chunks: list[Any]
) -> None:
    with OddModelServer(short_context(100)) as server:
        point_at_models(server)
        done = cli("ingest", *ten_chunks)
    assert done.code == 1, done
    assert "its context is too short" in done.err


def test_what_an_embedder_refuses_is_known_before_calls_are_paid_for(
    cli: Any, point_at_models: Point, monkeypatch: pytest.MonkeyPatch, ten_chunks: list[Any]
) -> None:
    def one_dimension_alone(body: Any, whole: Any) -> Any:
        return whole() if body["input"] == ["dimension"] else refusal("the input is too long")

    monkeypatch.setenv("DYNAGRAG_EMBEDDER", "openai:e")
    with OddModelServer(embedding_quirk=one_dimension_alone) as server:
        point_at_models(server)
        done = cli("ingest", *ten_chunks)
        assert done.code == 1, done
        assert "the input is too long" in done.err
        assert server.counts.chat_calls == 0


def test_small_batches_of_embeddings_are_no_obstacle(
    cli: Any, point_at_models: Point, monkeypatch: pytest.MonkeyPatch, ten_chunks: list[Any]
) -> None:
    monkeypatch.setenv("DYNAGRAG_EMBEDDER", "openai:e")
    with OddModelServer(embedding_quirk=small_batches(3, 422)) as server:
        point_at_models(server)
        assert cli("ingest", *ten_chunks).code == 0
        assert cli("graph", "stats", "--json").json["relations"] == 10


def test_a_server_without_schemas_reads_and_answers(
    cli: Any, point_at_models: Point, ten_chunks: list[Any]
) -> None:
    with OddModelServer(without_formats("json_schema", "json_object")) as server:
        point_at_models(server)
        done = cli("ingest", *ten_chunks)
        assert done.code == 0, done
        assert cli("graph", "stats", "--json").json["relations"] == 10
        assert cli("ask", "Who founded Acme3 Works?").code == 0


def test_prompts_that_a_server_cuts_in_silence_are_said(
    command: Any, point_at_models: Point, ten_chunks: list[Any]
) -> None:
    with OddModelServer(cuts_prompts(100)) as server:
        point_at_models(server)
        done = command("ingest", *ten_chunks)
    assert done.code == 0, done
    assert done.err.count("num_ctx") == 1, done.err


def test_answers_are_asked_for_in_the_language_of_the_question(
    cli: Any, point_at_models: Point, ten_chunks: list[Any]
) -> None:
    def obedient(body: Any, whole: Any) -> Any:
        """Answers in German where it is told to, and asked so."""
        user = body["messages"][-1]["content"]
        is_asked = "in German, the language of the question" in user and "Wer" in user
        text = text_of(whole())
        return replied(body, text.replace("The transcript says", "Es heißt") if is_asked else text)

    with OddModelServer(obedient) as server:
        point_at_models(server)
        cli("ingest", *ten_chunks, "--extractor", "fast")
        for profile in ("default", "graph", "global"):
            found = cli("ask", "Wer gründete Acme3 Works?", "--profile", profile, "--json").json
            assert found["answer"].startswith("Es heißt"), profile
