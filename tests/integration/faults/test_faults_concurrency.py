"""Several ingests into one workspace at once: the graph is that of one ingest of the files as they
are in the end.
"""

import sqlite3
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from ingests import ONE, PATIENCE_S, TWO, WatchedModels, digest

from dynagrag import IngestOptions
from dynagrag.core.errors import StoreError
from dynagrag.core.protocols import Extraction
from dynagrag.fakes import FakeChat, simple_reply
from dynagrag.workspace.facade import Workspace

OpenSpace = Callable[..., Workspace]


class SlowModels(WatchedModels):
    """Models that take a little while."""

    delay_s = 0.02

    def before_reply(self, num_asked: int) -> None:
        time.sleep(self.delay_s)


@pytest.fixture
def model(point_at_models: Callable[..., None]) -> Iterator[SlowModels]:
    models = SlowModels()
    with models.server() as server:
        point_at_models(server, max_concurrency=2)
        yield models


def _all_end_well(processes: Sequence["subprocess.Popen[str]"]) -> None:
    ends = [(*process.communicate(timeout=120), process.returncode) for process in processes]
    assert [code for _, _, code in ends] == [0] * len(ends), ends


def _is_sound(file: Path) -> bool:
    db = sqlite3.connect(file)
    try:
        return bool(db.execute("PRAGMA integrity_check").fetchone()[0] == "ok")
    finally:
        db.close()


def test_four_ingests_of_the_same_overlapping_and_different_files_at_once_make_one_graph(
    any_store: str, model: SlowModels, cli: Any, start: Any, corpus: Any, home: Path
) -> None:
    paths = corpus.many(5, num_turns=25)
    shares = (paths[0:3], paths[0:3], paths[2:4], paths[3:5])
    _all_end_well([start("ingest", *share, "-w", "shared") for share in shares])
    assert [job["status"] for job in cli("jobs", "-w", "shared", "--json").json] == ["done"] * 4
    num_asked = Counter(model.prompts)
    assert cli("ingest", *paths, "-w", "whole").code == 0
    assert digest(cli, "shared") == digest(cli, "whole")
    model.prompts.clear()
    assert cli("ingest", *paths, "-w", "shared").code == 0
    assert [p for p in model.prompts if p in num_asked] == [], (
        "a call was made again whose reply was stored"
    )
    assert (
        cli("graph", "stats", "-w", "shared", "--json").json
        == cli("graph", "stats", "-w", "whole", "--json").json
    )
    folder = home / "workspaces" / "shared"
    assert all(_is_sound(file) for file in folder.glob("*.sqlite"))
    assert list((folder / "jobs").iterdir()) == []


def test_one_of_several_ingests_is_killed_and_the_others_and_its_resumption_make_it_good(
    model: SlowModels, cli: Any, start: Any, corpus: Any
) -> None:
    model.delay_s = 0.1
    paths = corpus.many(6, num_turns=25)
    processes = [start("ingest", *paths[i : i + 3], "-w", "shared") for i in (0, 1, 3)]
    deadline = time.monotonic() + PATIENCE_S
    while sum(model.prompts.values()) < 6 and time.monotonic() < deadline:
        time.sleep(0.01)
    processes[0].kill()
    _all_end_well(processes[1:])
    jobs = cli("jobs", "-w", "shared", "--json").json
    killed = [job for job in jobs if job["status"] != "done"]
    for job in killed:  # it may have been killed before it was a job
        assert job["status"] == "interrupted"
        assert cli("jobs", "resume", job["id"], "-w", "shared").code == 0
    assert cli("ingest", *paths, "-w", "shared").code == 0
    assert cli("ingest", *paths, "-w", "whole").code == 0
    assert digest(cli, "shared") == digest(cli, "whole")


# ------------------------------------------------------------------------ interleaved, step by step


class Interleaved(FakeChat):
    """Does something else at its first extraction, in the middle of the run that asks it."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        def rule(prompt: Any, schema: Any) -> str:
            if self._todo:
                self._todo.pop()()
            return simple_reply(prompt, schema)

        super().__init__(rule)
        self._todo = [meanwhile]


def _alone(open_space: OpenSpace, paths: Sequence[Path]) -> Workspace:
    alone = open_space("alone")
    alone.ingest(paths)
    return alone


def test_the_version_that_is_in_the_file_wins_though_the_earlier_ingest_ends_last(
    open_space: OpenSpace, corpus: Any
) -> None:
    path = corpus.write("a.vtt", ONE)

    def edit_and_ingest() -> None:
        corpus.write("a.vtt", TWO)
        open_space().ingest([path])

    space = open_space(chat=Interleaved(edit_and_ingest))
    space.ingest([path])
    assert [j.status for j in space.jobs()] == ["done", "done"]
    assert space.stats() == _alone(open_space, [path]).stats()
    assert all(b"Byron" not in f.read_bytes() for f in space.folder.rglob("*") if f.is_file())


def test_the_version_that_ends_last_wins_where_the_file_is_gone(
    open_space: OpenSpace, corpus: Any
) -> None:
    path = corpus.write("a.vtt", ONE)

    def edit_ingest_and_delete() -> None:
        corpus.write("a.vtt", TWO)
        open_space().ingest([path])
        path.unlink()

    space = open_space(chat=Interleaved(edit_ingest_and_delete))
    space.ingest([path])
    corpus.write("a.vtt", ONE)
    assert space.stats() == _alone(open_space, [path]).stats()


def test_a_version_that_a_later_ingest_is_at_is_left_to_it(
    open_space: OpenSpace, corpus: Any
) -> None:
    """The first ingest ends while the second one is at work on the file's next version."""
    path = corpus.write("a.vtt", ONE)
    is_asked, may_end = threading.Event(), threading.Event()

    def slow(prompt: Any, schema: Any) -> str:
        is_asked.set()
        may_end.wait(20)
        return simple_reply(prompt, schema)

    first = threading.Thread(target=open_space(chat=FakeChat(slow)).ingest, args=([path],))
    first.start()
    assert is_asked.wait(20)
    corpus.write("a.vtt", TWO)
    seen: list[tuple[int, list[str]]] = []

    def end_the_first() -> None:
        may_end.set()
        first.join(20)
        seen.append((len(space.store.documents()), [j.status for j in space.jobs()]))

    chat = Interleaved(end_the_first)
    space = open_space(chat=chat)
    space.ingest([path])
    assert seen == [(2, ["done", "running"])]
    assert space.stats() == _alone(open_space, [path]).stats()


def test_a_new_version_of_a_file_that_an_earlier_ingest_took_for_unchanged(
    open_space: OpenSpace, corpus: Any
) -> None:
    one, two = corpus.write("a.vtt", ONE), corpus.write("b.vtt", corpus.meeting(1))
    open_space().ingest([one])

    def edit_and_ingest() -> None:
        corpus.write("a.vtt", TWO)
        open_space().ingest([one])

    space = open_space(chat=Interleaved(edit_and_ingest))
    space.ingest([one, two])
    assert space.stats() == _alone(open_space, [one, two]).stats()


def test_a_document_that_is_deleted_elsewhere_in_the_middle_is_put_back_without_a_call(
    open_space: OpenSpace, corpus: Any
) -> None:
    path = corpus.write("a.vtt", corpus.meeting(1, 60))

    def delete() -> None:
        store = open_space().store  # as another machine would, which sees no jobs of this one
        store.delete_document(store.documents()[0].id)

    chat = Interleaved(delete)
    space = open_space(chat=chat)
    space.ingest([path])
    alone_chat = FakeChat()
    alone = open_space("alone", chat=alone_chat)
    alone.ingest([path])
    assert space.stats() == alone.stats()
    assert chat.num_calls == alone_chat.num_calls


def test_another_extractor_on_the_same_file_at_once_leaves_no_mixture(
    open_space: OpenSpace, corpus: Any
) -> None:
    path = corpus.write("a.vtt", corpus.meeting(1, 60))
    space = open_space(
        chat=Interleaved(
            lambda: open_space().ingest(
                [path], IngestOptions(extractor="fast", chunk_profile="small")
            )
        )
    )
    space.ingest([path])
    assert space.stats() == _alone(open_space, [path]).stats()


def test_chunks_that_the_plan_took_for_granted_are_made_again_where_they_went(
    open_space: OpenSpace, corpus: Any
) -> None:
    turns = [("Leo", "Lise Ross founded Marked Mills."), *corpus.meeting(1, 60)]
    one, two = corpus.write("a.vtt", turns), corpus.write("b.vtt", corpus.meeting(2, 60))
    spoiled = open_space(
        chat=FakeChat(
            lambda prompt, schema: (
                "no JSON" if "Marked" in prompt.user else simple_reply(prompt, schema)
            )
        )
    )
    assert len(spoiled.prepare_ingest([one]).run().set_aside) == 1

    def extract_otherwise() -> None:
        open_space().ingest([one], IngestOptions(extractor="fast"))

    space = open_space(chat=Interleaved(extract_otherwise))
    space.ingest([one, two])
    assert space.journal.set_asides() == ()
    assert space.stats() == _alone(open_space, [one, two]).stats()


def test_what_comes_while_the_graph_is_derived_is_derived_by_whoever_stored_it(
    open_space: OpenSpace, corpus: Any
) -> None:
    one, two = corpus.write("a.vtt", ONE), corpus.write("b.vtt", TWO)
    space = open_space()
    real = space.store.write_graph
    other = open_space().prepare_ingest([two])

    def write_graph(*args: Any) -> None:
        planned = other.plan.documents[0]
        other.parts.store.put_document(planned.document, planned.turns, planned.passages)
        real(*args)

    space.store.write_graph = write_graph  # type: ignore[method-assign]
    space.ingest([one])
    assert not space.store.is_derived_current()
    other.run()
    assert space.store.is_derived_current()
    assert space.stats() == _alone(open_space, [one, two]).stats()


def test_passages_that_vanish_under_the_derivation_are_no_failure(
    open_space: OpenSpace, corpus: Any
) -> None:
    one, two = corpus.write("a.vtt", ONE), corpus.write("b.vtt", corpus.meeting(1, 30))
    space = open_space()
    space.ingest([two])
    real, left = space.store.vectors, [2]

    def vectors(*args: Any) -> Any:
        if left:  # as another process would, twice
            left.pop()
            store = open_space().store
            document = next(d for d in store.documents() if d.title == "b")
            store.put_document(
                document, store.turns(document.id), store.passages(document.id)[: len(left) + 1]
            )
            raise StoreError("1 passage vectors are missing")
        return real(*args)

    space.store.vectors = vectors  # type: ignore[method-assign]
    space.ingest([one])
    assert left == []
    assert {e.key for e in space.graph().entities} >= {"ada byron", "acme works"}


def test_a_failure_that_no_other_process_made_is_raised(open_space: OpenSpace, corpus: Any) -> None:
    space = open_space()

    def vectors(*args: Any) -> Any:
        raise StoreError("1 passage vectors are missing")

    space.store.vectors = vectors  # type: ignore[method-assign]
    with pytest.raises(StoreError, match="1 passage vectors"):
        space.ingest([corpus.write("a.vtt", ONE)])


def test_a_question_in_the_middle_of_an_ingest_waits_for_nothing_and_derives_nothing(
    open_space: OpenSpace, corpus: Any
) -> None:
    one, two = corpus.write("a.vtt", ONE), corpus.write("b.vtt", TWO)
    answers: list[str] = []

    def ask() -> None:
        reader = open_space()
        began = time.monotonic()
        answers.append(reader.evidence("Who founded Acme Works?").evidence[0].quote)
        assert time.monotonic() - began < 60  # it would wait for the ingest, which waits for it
        assert not reader.store.is_derived_current()

    open_space().ingest([one])
    space = open_space(chat=Interleaved(ask))
    space.ingest([two])
    assert "Ada Byron founded Acme Works." in answers[0]


def test_extractions_are_stored_while_another_process_holds_the_workspace(
    open_space: OpenSpace, corpus: Any
) -> None:
    path = corpus.write("a.vtt", corpus.meeting(1, 60))
    holder, space = open_space(), open_space()
    stored: list[Extraction] = []
    real = space.store.put_extractions

    def put_extractions(extractions: Sequence[Extraction]) -> None:
        real(extractions)
        stored.extend(extractions)

    space.store.put_extractions = put_extractions  # type: ignore[method-assign]
    run = threading.Thread(target=space.ingest, args=([path],))
    with holder.parts.writing():
        run.start()
        deadline = time.monotonic() + PATIENCE_S
        while (
            sum(bool(e.relations) for e in stored) < 4 or space.journal.jobs()[0].stage != "wait"
        ) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not holder.store.is_derived_current()
    run.join(PATIENCE_S)
    assert holder.store.is_derived_current()
    assert holder.stats() == _alone(open_space, [path]).stats()
