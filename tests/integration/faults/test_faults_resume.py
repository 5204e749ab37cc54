"""An ingest that is run twice, killed and resumed, or out of budget; and what a changed document
costs.
"""

import os
import random
import signal
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from ingests import WatchedModels, digest, num_stored_replies

from dynagrag import IngestOptions
from dynagrag.core.errors import BudgetError
from dynagrag.fakes import FakeChat
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.workspace.facade import Workspace

OpenSpace = Callable[..., Workspace]
MAX_CONCURRENCY = 4


@pytest.mark.usefixtures("any_store")
def test_the_same_corpus_twice_is_the_same_graph_without_any_call(
    server: OpenAIStubServer, cli: Any, corpus: Any
) -> None:
    paths = corpus.many(3)
    assert cli("ingest", *paths).code == 0
    first = cli("graph", "stats", "--json").json
    assert first["entities"] > 20
    server.reset()
    again = cli("ingest", *paths)
    assert (again.code, server.counts.chat_calls, server.counts.embedding_calls) == (0, 0, 0), again
    assert cli("graph", "stats", "--json").json == first


def test_a_copy_under_another_name_is_no_second_document(
    open_space: OpenSpace, corpus: Any
) -> None:
    space = open_space()
    turns = corpus.meeting(1)
    space.ingest([corpus.write("a.vtt", turns)])
    before = space.stats()
    report = space.ingest([corpus.write("b.vtt", turns)])
    assert (report.num_chunks, space.stats()) == (0, before)


# ------------------------------------------------------------------------------------------ SIGKILL


class Killer(WatchedModels):
    """Counts the requests that models get and kills a process at one of them, before it is
    answered.
    """

    def __init__(self) -> None:
        super().__init__()
        self.num_requests = 0
        self.kill_at: int | None = None
        self.process: Any = None
        self._lock = threading.Lock()

    def before_reply(self, num_asked: int) -> None:
        self._count()

    def before_vectors(self, texts: Sequence[str]) -> None:
        self._count()

    def _count(self) -> None:
        with self._lock:
            self.num_requests += 1
            if self.num_requests == self.kill_at:
                os.kill(self.process.pid, signal.SIGKILL)

    def reset(self, kill_at: int | None) -> None:
        self.prompts.clear()
        self.num_requests, self.kill_at = 0, kill_at


def test_an_ingest_that_is_killed_anywhere_resumes_to_the_same_graph(
    point_at_models: Callable[..., None],
    corpus: Any,
    start: Any,
    cli: Any,
    home: Any,
    any_store: str,
) -> None:
    paths = corpus.many(6, num_turns=45)
    killer = Killer()
    with killer.server() as server:
        point_at_models(server, max_concurrency=MAX_CONCURRENCY)
        assert cli("ingest", *paths, "-w", "whole").code == 0
        expected = digest(cli, "whole")
        num_unique, num_requests = len(killer.prompts), killer.num_requests
        assert num_unique > 20
        points = [max(1, num_requests * share // 100) for share in (10, 50, 90)]
        points += (
            random.Random(5).sample(range(2, num_requests), 2) if any_store == "sqlite" else []
        )
        for number, point in enumerate(points):
            name = f"killed-{number}"
            killer.reset(point)
            killer.process = start("ingest", *paths, "-w", name)
            assert killer.process.wait(60) == -signal.SIGKILL
            num_first = sum(killer.prompts.values())
            stored = num_stored_replies(home / "workspaces" / name)
            killer.reset(None)
            resumed = cli("ingest", *paths, "-w", name)
            assert resumed.code == 0, resumed
            assert digest(cli, name) == expected, point
            num_second = sum(killer.prompts.values())
            assert num_second <= num_unique - stored, "a call was made again whose reply was stored"
            assert num_first + num_second <= num_unique + MAX_CONCURRENCY


# ------------------------------------------------------------------------------------------- budget


def test_the_call_after_the_budget_is_refused_and_a_later_run_goes_on(
    server: OpenAIStubServer, cli: Any, corpus: Any
) -> None:
    paths = corpus.many(4, num_turns=50)
    stopped = cli("ingest", *paths, "--max-calls", 10)
    assert server.counts.chat_calls == 10
    assert stopped.code == 1
    assert "budget of 10 model calls" in stopped.complaint(1)
    lines = stopped.out.splitlines()
    assert any("estimate: about" in line for line in lines)
    assert next(i for i, line in enumerate(lines) if "estimate" in line) < next(
        i for i, line in enumerate(lines) if "extracted" in line
    )
    kept = cli("graph", "stats", "--json").json
    assert (kept["chunks"], kept["documents"]) == (10, 4)
    assert kept["entities"] > 0
    assert cli("ingest", *paths).code == 0
    assert cli("ingest", *paths, "-w", "whole").code == 0
    assert digest(cli, "default") == digest(cli, "whole")
    num_prompts = len({str(r["messages"]) for r in server.requests if "messages" in r})
    assert (
        server.counts.chat_calls == 2 * num_prompts
    )  # two workspaces share no reply, and none was paid twice


def test_the_library_raises_the_spent_budget_after_it_kept_the_work(
    open_space: OpenSpace, corpus: Any
) -> None:
    chat = FakeChat()
    space = open_space(chat=chat)
    paths = corpus.many(2, num_turns=40)
    with pytest.raises(BudgetError, match="3 model calls"):
        space.ingest(paths, IngestOptions(max_calls=3))
    assert (chat.num_calls, space.stats().chunks) == (3, 3)
    assert space.journal.jobs()[-1].status == "stopped"
    with pytest.raises(BudgetError, match="2000 tokens"):
        space.ingest(paths, IngestOptions(max_tokens=2000))
    assert chat.num_calls == 3


def test_a_budget_that_ends_in_consolidation_is_reported_and_made_good_later(
    open_space: OpenSpace, corpus: Any
) -> None:
    paths = corpus.many(2, num_turns=40)
    whole = open_space("whole")
    num_chunks = whole.ingest(paths).num_chunks
    space = open_space()
    report = space.ingest(paths, IngestOptions(max_calls=num_chunks))
    assert any("budget" in note for note in report.graph.notes)
    space.ingest(paths)
    assert space.stats() == whole.stats()


def test_a_question_has_a_budget_too(open_space: OpenSpace, corpus: Any) -> None:
    from dynagrag import AskOptions

    chat = FakeChat()
    space = open_space(chat=chat)
    space.ingest(corpus.many(3))
    num_before = chat.num_calls
    answer = space.ask("Who works at Acme Works?", AskOptions(max_calls=2, profile="graph"))
    assert num_before < chat.num_calls <= num_before + 2
    assert any("has room for no more" in note for note in answer.trace.notes)
    num_before = chat.num_calls
    with pytest.raises(BudgetError):
        space.ask("Who leads Acme Works?", AskOptions(max_calls=1, is_split=True))
    assert chat.num_calls == num_before + 1


# --------------------------------------------------------------------------------- changed document


@pytest.mark.parametrize("edited", [259, 130, 3])
def test_only_the_changed_part_of_a_long_transcript_is_extracted_again(
    open_space: OpenSpace, corpus: Any, edited: int
) -> None:
    chat = FakeChat()
    space = open_space(chat=chat)
    turns = corpus.meeting(3, num_turns=260)
    path = corpus.write("long.vtt", turns)
    num_chunks = space.ingest([path]).num_chunks
    assert num_chunks > 15
    num_before = _num_extractions(chat)
    turns[edited] = (
        turns[edited][0],
        (
            "Wait. Sally Ride founded Zenith Rockets. That is all that I wanted to say about it"
            " today, I think."
        ),
    )
    corpus.write("long.vtt", turns)
    report = space.ingest([path])
    assert [d.title for d in report.replaced] == ["long"]
    num_again = _num_extractions(chat) - num_before
    assert 1 <= num_again <= 6, f"{num_again} of {num_chunks} chunks were extracted again"
    assert space.stats().documents == 1
    alone = open_space("alone")
    alone.ingest([path])
    assert space.store.digest() == alone.store.digest()


def _num_extractions(chat: FakeChat) -> int:
    return sum(prompt.name == "extract" for prompt in chat.prompts)


@pytest.mark.usefixtures("any_store")
def test_a_replaced_document_leaves_no_words_behind(open_space: OpenSpace, corpus: Any) -> None:
    space = open_space()
    path = corpus.write("a.vtt", [("Leo", "Quetzal Vane founded Umbra Foundry.")])
    space.ingest([path])
    corpus.write("a.vtt", [("Leo", "Ada Byron founded Acme Works.")])
    space.ingest([path])
    space.close()
    for file in space.folder.rglob("*"):
        if file.is_file():
            assert b"quetzal" not in file.read_bytes().lower(), file


@pytest.mark.usefixtures("any_store")
def test_another_extraction_of_a_chunk_replaces_its_records(
    open_space: OpenSpace, corpus: Any
) -> None:
    paths = corpus.many(2)
    space = open_space()
    space.ingest(paths)
    by_model = space.stats()
    space.ingest(paths, IngestOptions(extractor="fast"))
    assert {r.extractor.split("-")[0] for r in space.store.relation_records()} == {"fast"}
    space.ingest(paths)
    assert space.stats() == by_model
