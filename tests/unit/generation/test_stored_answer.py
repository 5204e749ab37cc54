"""The stored form of an answer: written and read back, it is the same answer."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dynagrag import AskOptions, open_workspace
from dynagrag.core.errors import ModelUnavailableError
from dynagrag.core.schema import Answer
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply, unsettled_reply
from dynagrag.generation.stored_answer import answer_json, answer_of

QUESTION = "Who works at Acme Works and who acquired Borealis Labs?"
WORDS = """Maria: Acme Works acquired Borealis Labs.
Leo: Ada Byron works at Acme Works. Grace Hopper works at Borealis Labs.
Maria: Borealis Labs is located in Port Arthur."""


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Callable[..., Answer]]:
    (tmp_path / "board.txt").write_text(WORDS, encoding="utf-8")
    with open_workspace("w", embedder=FakeEmbedder(64), chat_model=FakeChat()) as space:
        space.ingest([tmp_path])
        yield (
            lambda chat, options: (
                space.ask(QUESTION, options, chat_model=chat())
                if chat
                else space.evidence(QUESTION, options)
            )
        )


def code_finds(prompt: Any, schema: Any) -> str:
    """Two claims without a mark: a line states the first, none the second."""
    if schema is None or "citations" not in schema["properties"]:
        return simple_reply(prompt, schema)
    return json.dumps(
        {"answer": "Ada Byron works at Acme Works. Ines resigned in Delft.", "citations": []}
    )


NO = '{"answer": "", "citations": [], "enough_evidence": false}'
CASES: dict[str, tuple[Callable[[], FakeChat] | None, AskOptions]] = {
    "merged": (lambda: FakeChat(unsettled_reply), AskOptions(profile="graph")),
    "split": (lambda: FakeChat(unsettled_reply), AskOptions(profile="graph", is_split=True)),
    "paper": (FakeChat, AskOptions(profile="paper")),
    "plain": (FakeChat, AskOptions(retriever="bm25")),
    "passages alone": (FakeChat, AskOptions()),
    "without a model": (None, AskOptions(profile="graph")),
    "found by code": (lambda: FakeChat(code_finds, identity="finds"), AskOptions(retriever="bm25")),
    "strict": (
        lambda: FakeChat(code_finds, identity="finds"),
        AskOptions(retriever="bm25", is_strict=True),
    ),
    "abstained": (
        lambda: FakeChat(lambda prompt, schema: NO, identity="abstains"),
        AskOptions(profile="graph"),
    ),
    "a failed part": (
        lambda: FakeChat(
            unsettled_reply, script=[ModelUnavailableError("a hiccup")], identity="fails"
        ),
        AskOptions(profile="graph"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_was_stored_is_the_answer(ask: Callable[..., Answer], case: str) -> None:
    answer = ask(*CASES[case])
    read = answer_of(json.loads(json.dumps(answer_json(answer))))
    assert read == replace(
        answer, usage=replace(answer.usage, seconds=round(answer.usage.seconds, 3))
    )


def test_the_cases_differ_in_what_claims_may_lack(ask: Callable[..., Answer]) -> None:
    told = {case: answer_json(ask(*CASES[case])) for case in CASES}
    assert {case for case, form in told.items() if form.get("claims")} == set(CASES) - {
        "without a model",
        "abstained",
    }
    assert {case for case, form in told.items() if form.get("claim_lines")} >= {
        "found by code",
        "strict",
    }
    assert [claim["text"] for claim in told["strict"]["claims_left_out"]] == [
        "Ines resigned in Delft."
    ]
    assert told["found by code"]["claims"][0]["found"] == list(told["found by code"]["claim_lines"])


def test_the_cases_differ_in_what_a_trace_may_lack(ask: Callable[..., Answer]) -> None:
    told = {case: set(answer_json(ask(*CASES[case]))["trace"]) for case in CASES}
    may_lack = {"passages", "failed_intermediate_answers", "reason", "merge"}
    assert {case: keys & may_lack for case, keys in told.items()} == {
        "merged": {"passages", "merge"},
        "split": {"passages", "merge"},
        "paper": {"merge"},
        "plain": set(),
        "found by code": set(),
        "strict": set(),
        "passages alone": {"passages"},
        "without a model": {"passages"},
        "abstained": {"passages", "reason"},
        "a failed part": {"passages", "failed_intermediate_answers", "merge"},
    }


def test_what_an_earlier_version_did_not_tell_is_empty(ask: Callable[..., Answer]) -> None:
    stored = answer_json(ask(*CASES["merged"]))
    for key in ("labels", "stretches", "merge"):
        del stored["trace"][key]
    stored["trace"] |= {"uncited_sentences": 1, "weak_citations": 2}  # which claims have replaced
    for key in ("claims", "claim_lines", "claims_checked_by", "claims_left_out"):
        del stored[key]
    del stored["trace"]["passages"]["steps"]
    for passage in stored["trace"]["passages"]["ranked"]:
        del passage["document_id"]
    for intermediate in stored["intermediate"]:
        del intermediate["score_parts"]
        intermediate.pop("claims", None)
    read = answer_of(stored)
    assert (read.trace.labels, read.trace.merge, read.windows) == ((), "", ())
    assert read.trace.ranking
    assert read.trace.ranking.steps == ()
    assert {passage.document_id for passage in read.trace.ranking.passages} == {""}
    assert (read.claims, read.lines, read.checked_by, read.left_out) == ((), {}, "", ())
    assert all(
        not intermediate.score_parts and not intermediate.claims
        for intermediate in read.intermediate
    )


@pytest.mark.parametrize("key", ["trace", "usage", "citations", "intermediate"])
def test_what_is_no_answer_is_an_error(ask: Callable[..., Answer], key: str) -> None:
    stored = answer_json(ask(FakeChat, AskOptions(profile="graph")))
    del stored[key]
    with pytest.raises(KeyError):
        answer_of(stored)
