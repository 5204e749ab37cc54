"""A pause, in every stage: no further batch, call or step begins once it was asked for, and the job
goes on to the same graph.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.journal.jobs import JobCancelledError
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.ingest_job import IngestOptions, PreparedIngest

OpenSpace = Callable[..., Workspace]
STAGES = ("store", "extract", "records", "embed", "consolidate", "derive", "write graph")


@pytest.fixture(autouse=True)
def _looks_at_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynagrag.ingest.job_follower._NOTE_EVERY_S", 0.0)


def _run_paused(space: Workspace, prepared: PreparedIngest, stage: str) -> list[str]:
    """Runs it, and pauses it at the first step of a stage; the stages that were reported from then
    on.
    """
    after: list[str] = []

    def progress(now: str, done: int, total: int) -> None:
        if after or now == stage:
            after.append(now)
        if len(after) == 1 and prepared.job_id is not None:
            space.journal.job_book.cancel(prepared.job_id, is_pause=True)

    with pytest.raises(JobCancelledError, match="was paused; what was done is kept"):
        prepared.run(progress)
    return after


@pytest.mark.parametrize("stage", STAGES)
def test_a_pause_ends_the_run_at_the_next_step_and_resuming_gives_the_whole_graph(
    open_space: OpenSpace, corpus: Any, stage: str
) -> None:
    paths = corpus.many(3)
    whole, space = open_space("whole"), open_space("paused")
    whole.ingest(paths, IngestOptions(extractor="fast"))
    assert _run_paused(
        space, space.prepare_ingest(paths, IngestOptions(extractor="fast")), stage
    ) == [stage]
    (job,) = space.jobs()
    assert (job.status, job.is_paused, job.stage) == ("cancelled", True, stage)
    space.prepare_resume().run()
    assert space.jobs()[0].status == "done"
    assert space.store.is_derived_current()
    assert space.store.digest() == whole.store.digest()
    assert all(file.is_extracted for file in space.journal.job_files.of(1))


class _Pausing(FakeEmbedder):
    """Asks for a pause while its second batch of several texts is at work, and counts the
    batches.
    """

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.pause: Callable[[], object] = lambda: None

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.batches.append(len(texts))
        if len(self.batches) == 2:
            self.pause()
        return super().embed_documents(texts)


def test_no_batch_is_embedded_after_a_pause_and_those_before_are_kept(
    open_space: OpenSpace, corpus: Any
) -> None:
    embedder = _Pausing()
    space = open_space(embedder=embedder)
    prepared = space.prepare_ingest(corpus.many(3), IngestOptions(extractor="fast"))
    embedder.pause = lambda: space.journal.job_book.cancel(1, is_pause=True)
    with pytest.raises(JobCancelledError):
        prepared.run()
    assert embedder.batches == [1, 8]
    embedder.batches.clear()
    embedder.pause = lambda: None
    num_before = embedder.num_texts
    space.prepare_resume().run()
    again = open_space("again", embedder=FakeEmbedder())
    again.ingest(corpus.many(3), IngestOptions(extractor="fast"))
    assert num_before == 9
    assert embedder.num_texts == again.parts.models.embedder.num_texts


def test_a_pause_while_calls_are_in_flight_is_seen_before_they_end_and_their_replies_are_kept(
    open_space: OpenSpace, corpus: Any
) -> None:
    is_answered, prompts = threading.Event(), list[str]()

    def slow(prompt: Any, schema: Any) -> str:
        prompts.append(prompt.user)
        assert is_answered.wait(60)
        return simple_reply(prompt, schema)

    space = open_space(chat=FakeChat(slow))
    prepared = space.prepare_ingest(corpus.many(3, num_turns=40))
    ended: list[BaseException] = []

    def run() -> None:
        try:
            prepared.run()
        except JobCancelledError as err:
            ended.append(err)

    thread = threading.Thread(target=run)
    thread.start()
    _until(lambda: bool(prompts))
    book = space.journal.job_book
    book.cancel(1, is_pause=True)
    _until(lambda: book.job(1).status == "cancelled")
    assert thread.is_alive()
    num_asked = len(prompts)
    is_answered.set()
    thread.join(60)
    assert ended
    assert len(prompts) == num_asked
    space.prepare_resume().run()
    assert len(prompts) == len(set(prompts)), "a paid reply was asked for again"


def test_a_question_to_a_paused_workspace_does_not_do_the_rest_of_the_work(
    open_space: OpenSpace, corpus: Any
) -> None:
    embedder = FakeEmbedder()
    space = open_space(embedder=embedder)
    _run_paused(
        space, space.prepare_ingest(corpus.many(3), IngestOptions(extractor="fast")), "embed"
    )
    num_before = embedder.num_texts
    space.current_graph.snapshot()
    assert embedder.num_texts == num_before
    space.journal.job_book.leave(1)
    assert space.current_graph.snapshot().graph.entities


def _until(is_so: Callable[[], bool]) -> None:
    for _ in range(6000):
        if is_so():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it never came")
