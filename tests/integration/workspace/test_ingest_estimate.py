"""What an ingest is said to take: one call of a model in this process is timed, whose reply the run
then finds in the cache.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dynagrag.core.errors import ModelUnavailableError
from dynagrag.fakes import FakeChat
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.ingest_job import IngestOptions

LLM = IngestOptions(extractor="llm")
SPOKEN = "\n".join(
    f"LEO: Person Number{i} works at Company Letter{chr(65 + i)}. It rained in week {i}."
    for i in range(40)
)


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.txt"
    path.write_text(SPOKEN, encoding="utf-8")
    return path


def test_a_call_of_a_model_that_runs_here_is_timed_and_paid_for_once(
    talk: Path, open_space: Callable[..., Workspace]
) -> None:
    chat = FakeChat(name="local:fake", delay_s=0.05)
    prepared = open_space(chat=chat).prepare_ingest([talk], LLM)
    seconds = prepared.time_one_call()
    assert seconds is not None
    assert seconds >= 0.05
    assert len(chat.prompts) == 1
    assert prepared.time_one_call() == seconds  # from the cache
    estimate = prepared.estimate(seconds)
    assert estimate is not None
    assert estimate.seconds == pytest.approx(seconds * estimate.calls)
    report = prepared.run()
    assert report.stopped_by is None
    assert report.num_chunks == 2
    assert len({prompt.user for prompt in chat.prompts}) == len(chat.prompts)


def test_a_server_is_asked_for_nothing_before_the_run(
    talk: Path, open_space: Callable[..., Workspace]
) -> None:
    chat = FakeChat(name="openai:fake")
    prepared = open_space(chat=chat).prepare_ingest([talk], LLM)
    assert prepared.time_one_call() is None
    assert chat.prompts == []


def test_where_the_run_is_not_wanted_nothing_of_the_document_stays(
    talk: Path, open_space: Callable[..., Workspace]
) -> None:
    chat = FakeChat(name="local:fake")
    space = open_space(chat=chat)
    prepared = space.prepare_ingest([talk], LLM)
    prepared.time_one_call()
    prepared.forget_timed_call()
    prepared.time_one_call()
    assert len(chat.prompts) == 2


def test_a_call_that_fails_leaves_the_time_open(
    talk: Path, open_space: Callable[..., Workspace]
) -> None:
    chat = FakeChat(name="local:fake", script=[ModelUnavailableError("down")])
    assert open_space(chat=chat).prepare_ingest([talk], LLM).time_one_call() is None


def test_what_a_run_that_ended_early_was_told_stays_where_the_next_is_not_wanted(
    talk: Path, open_space: Callable[..., Workspace]
) -> None:
    chat = FakeChat(name="local:fake")
    space = open_space(chat=chat)
    report = space.prepare_ingest([talk], replace(LLM, max_calls=1)).run()
    assert report.stopped_by is not None
    prepared = space.prepare_ingest([talk], LLM)
    prepared.time_one_call()
    prepared.forget_timed_call()
    asked = [prompt.user for prompt in chat.prompts]
    assert space.prepare_ingest([talk], LLM).run().stopped_by is None
    assert chat.prompts[0].user not in [prompt.user for prompt in chat.prompts[len(asked) :]], (
        "it was answered before"
    )
