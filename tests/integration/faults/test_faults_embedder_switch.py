"""On both stores: a workspace gets another embedder, and is killed on the way: questions are
answered with the old vectors all the while, and in the end the vectors are those made fresh.
"""

import json
import signal
import subprocess
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from warm_python import run_warm
from workspace_contents import silent

from dynagrag.config.settings import load_settings
from dynagrag.core.errors import EmbedderMismatchError, UsageError, WorkspaceError
from dynagrag.core.schema import VectorKind
from dynagrag.evaluation.embedders.embedder_measures import EmbedderOptions, evaluate_embedders
from dynagrag.fakes import FakeEmbedder
from dynagrag.upkeep.embedder_switch import estimate_switch, give_up_switch, switch_embedder
from dynagrag.upkeep.workspace_backup import back_up, restore
from dynagrag.workspace.facade import Workspace

QUESTION = "Who works at Acme Works?"
WORKER = """
import json, os, signal, sys
from dynagrag import open_workspace
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.graph_store.neo4j_store.graph_writer import GraphWriter
from dynagrag.graph_store.sqlite_store.sqlite_graph import SqliteDerivedGraph
from dynagrag.upkeep import embedder_switch
from dynagrag.upkeep.embedder_switch import switch_embedder

given = json.loads(sys.argv[1])
num_steps, is_switching, real_remove = 0, False, embedder_switch.remove_copies


def step(stage, done, total):
    global num_steps, is_switching
    num_steps, is_switching = num_steps + 1, stage == "switch"
    if num_steps == given["dies_at"] or [stage, done] == given["dies_at"]:
        os.kill(os.getpid(), signal.SIGKILL)


def remove(parts, *names):
    if given["dies_at"] == "after" and not names:
        os.kill(os.getpid(), signal.SIGKILL)
    return real_remove(parts, *names)


def dying(real):
    def call(*args):
        if is_switching and given["dies_at"] == "inside":
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args)

    return call


# in the transaction, behind the vectors
GraphWriter.plan = dying(GraphWriter.plan)
SqliteDerivedGraph._write_graph = staticmethod(dying(SqliteDerivedGraph._write_graph))
embedder_switch.remove_copies = remove
wide = FakeEmbedder(given["dimension"], "next")
with open_workspace(given["workspace"], chat_model=FakeChat(), embedder=wide) as space:
    switch_embedder(space, wide, step)
print(num_steps)
"""


def run(workspace: str, dies_at: object, dimension: int = 48) -> "subprocess.CompletedProcess[str]":
    given = json.dumps({"workspace": workspace, "dies_at": dies_at, "dimension": dimension})
    return run_warm(["-c", WORKER, given])


def assert_same_vectors(space: Workspace, fresh: Workspace) -> None:
    assert space.store.embedder() == fresh.store.embedder()
    assert space.store.digest() == fresh.store.digest()
    assert space.store.is_derived_current()
    graph, expected = space.store.graph(), fresh.store.graph()
    assert [e.id for e in graph.entities] == [e.id for e in expected.entities]
    np.testing.assert_allclose(graph.entity_vectors, expected.entity_vectors, atol=1e-6)
    np.testing.assert_allclose(graph.relation_vectors, expected.relation_vectors, atol=1e-6)
    for kind in (VectorKind.PASSAGE, VectorKind.MENTION, VectorKind.RECORD, VectorKind.LABEL):
        ids = fresh.store.vector_ids(kind)
        assert space.store.vector_ids(kind) == ids, kind
        np.testing.assert_array_equal(
            space.store.vectors(kind, ids), fresh.store.vectors(kind, ids)
        )


@pytest.fixture
def paths(corpus: Any) -> list[Path]:
    made: list[Path] = corpus.many(3, num_turns=20)
    return made


def test_a_switch_that_is_killed_again_and_again_ends_as_one_made_fresh(
    any_store: str, open_space: Callable[..., Workspace], paths: list[Path], tmp_path: Path
) -> None:
    open_space("w").ingest(paths)
    wide = FakeEmbedder(48, "next")
    fresh = open_space("w", embedder=wide, at=tmp_path / "fresh", store="sqlite")
    fresh.ingest(paths)
    moments: list[object] = [2, 6, ["embed", 0], 9, "inside", 12, ["switch", 0]]
    for moment in moments if any_store == "sqlite" else moments[2::2]:
        died = run("w", moment)
        assert died.returncode == -signal.SIGKILL, (moment, died)
        space = open_space("w")
        assert space.store.embedder() == FakeEmbedder().identity, moment
        assert space.ask(QUESTION).evidence, moment
    died = run("w", "after")
    assert died.returncode == -signal.SIGKILL, died
    switched = open_space("w", embedder=wide)
    assert_same_vectors(switched, fresh)
    assert switched.ask(QUESTION).evidence
    nearest = switched.store.nearest(VectorKind.PASSAGE, wide.embed_query(QUESTION), 3)
    assert [id_ for id_, _ in nearest] == [
        id_ for id_, _ in fresh.store.nearest(VectorKind.PASSAGE, wide.embed_query(QUESTION), 3)
    ]
    with pytest.raises(EmbedderMismatchError, match="dynagrag embedder use fake"):
        open_space("w").ask(QUESTION)
    with pytest.raises(UsageError, match="has the embedder next already"):
        switch_embedder(switched, wide, silent)


def test_a_switch_that_is_killed_at_random_moments_answers_meanwhile_and_ends_as_made_fresh(
    any_store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """benchmarks/embedder_switch.py, with 3,000 documents and more kills."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "benchmarks"))
    measured, lines = import_module("embedder_switch").measured, import_module("result_lines")
    asked, differing = measured(tmp_path, any_store, 24, 2, lines.ResultLines(None))
    assert differing == "nothing"
    assert asked.errors == []
    assert asked.num_answered == asked.num > 0


def test_questions_are_answered_at_every_step_of_a_switch(
    any_store: str, open_space: Callable[..., Workspace], paths: list[Path]
) -> None:
    open_space("w").ingest(paths)
    wide, answered = FakeEmbedder(48, "next"), []

    def step(stage: str, done: int, total: int) -> None:
        is_switched = [stage, done] == ["switch", 1]
        space = open_space("w", embedder=wide if is_switched else FakeEmbedder())
        answered.append(bool(space.ask(QUESTION).evidence))

    switch_embedder(open_space("w"), wide, step)
    assert len(answered) > 10
    assert all(answered)


def test_a_comparison_of_embedders_leaves_either_store_as_it_was(
    any_store: str, open_space: Callable[..., Workspace], paths: list[Path]
) -> None:
    space, wide = open_space("w"), FakeEmbedder(48, "next")
    space.ingest(paths)
    before = space.store.version(), space.store.digest(), space.store.embedder()
    options = EmbedderOptions(("next",), "w", num_made=6)
    result = evaluate_embedders(space.settings, options, None, {"next": wide}, FakeEmbedder())[1]
    assert result.embedders["next"].num_vectors == result.embedders["fake"].num_vectors > 0
    assert (space.store.version(), space.store.digest(), space.store.embedder()) == before
    wide.num_texts = 0
    switch_embedder(space, wide, silent)
    assert wide.num_texts == 0
    assert open_space("w", embedder=wide).ask(QUESTION).evidence


def test_a_killed_switch_goes_on_where_it_stopped(
    open_space: Callable[..., Workspace], paths: list[Path]
) -> None:
    space = open_space("w")
    space.ingest(paths)
    assert run("w", ["switch", 0]).returncode == -signal.SIGKILL
    wide = FakeEmbedder(48, "next")
    found = estimate_switch(space, wide)
    assert found.num_done == found.num_vectors > 0
    assert (found.before.name, found.size_bytes) == ("fake", found.num_vectors * 48 * 4)
    wide.num_texts = 0
    switch_embedder(space, wide, silent)
    assert wide.num_texts == 0
    assert not (space.folder / "next-embedder").exists()


def test_an_ingest_between_two_runs_of_a_switch_is_part_of_it(
    any_store: str, open_space: Callable[..., Workspace], paths: list[Path], tmp_path: Path
) -> None:
    space = open_space("w")
    space.ingest(paths[:2])
    assert run("w", ["switch", 0]).returncode == -signal.SIGKILL
    space.ingest(paths[2:])
    wide = FakeEmbedder(48, "next")
    switch_embedder(space, wide, silent)
    fresh = open_space("w", embedder=wide, at=tmp_path / "fresh", store="sqlite")
    fresh.ingest(paths)
    assert_same_vectors(space, fresh)


def test_a_deletion_takes_its_document_out_of_an_unfinished_switch_too(
    open_space: Callable[..., Workspace], paths: list[Path], tmp_path: Path
) -> None:
    space = open_space("w")
    space.ingest(paths)
    assert run("w", ["switch", 0]).returncode == -signal.SIGKILL
    assert (space.folder / "next-embedder").is_dir()
    space.documents.delete(str(paths[0]))
    assert not (space.folder / "next-embedder").exists()
    wide = FakeEmbedder(48, "next")
    switch_embedder(space, wide, silent)
    fresh = open_space("w", embedder=wide, at=tmp_path / "fresh", store="sqlite")
    fresh.ingest(paths[1:])
    assert_same_vectors(space, fresh)


def test_a_switch_meets_an_ingest_and_takes_what_it_brought(
    open_space: Callable[..., Workspace], paths: list[Path], tmp_path: Path
) -> None:
    space = open_space("w")
    space.ingest(paths[:2])
    wide, came = FakeEmbedder(48, "next"), []

    def step(stage: str, done: int, total: int) -> None:
        if stage == "switch" and not came:
            came.append(open_space("w").ingest(paths[2:]))

    switch_embedder(space, wide, step)
    fresh = open_space("w", embedder=wide, at=tmp_path / "fresh", store="sqlite")
    fresh.ingest(paths)
    assert_same_vectors(space, fresh)


def test_a_workspace_that_changes_all_the_while_is_left_as_it_was(
    open_space: Callable[..., Workspace], corpus: Any, paths: list[Path]
) -> None:
    space = open_space("w")
    space.ingest(paths[:1])
    more = iter(corpus.write(f"more{i}.vtt", [("Leo", f"Ada {i} ran.")]) for i in range(9))

    def step(stage: str, done: int, total: int) -> None:
        if stage == "switch":
            open_space("w").ingest([next(more)])

    with pytest.raises(WorkspaceError, match="written to in each of 5 rounds"):
        switch_embedder(space, FakeEmbedder(48, "next"), step)
    assert space.store.embedder() == FakeEmbedder().identity
    assert space.ask(QUESTION) is not None
    assert give_up_switch(space)
    assert not give_up_switch(space)


def test_another_embedder_than_that_of_an_unfinished_switch_begins_anew(
    open_space: Callable[..., Workspace], paths: list[Path]
) -> None:
    space = open_space("w")
    space.ingest(paths[:1])
    assert run("w", ["switch", 0], dimension=16).returncode == -signal.SIGKILL
    assert estimate_switch(space, FakeEmbedder(48, "next")).num_done == 0
    switch_embedder(space, FakeEmbedder(48, "next"), silent)
    assert space.store.embedder() == FakeEmbedder(48, "next").identity


def test_one_process_at_a_time_gives_a_workspace_another_embedder(
    open_space: Callable[..., Workspace], paths: list[Path]
) -> None:
    space, seen = open_space("w"), []
    space.ingest(paths[:1])

    def step(stage: str, done: int, total: int) -> None:
        if stage == "switch" and not seen:
            other = run("w", None)
            seen.append(other.returncode)
            assert "another process gives workspace 'w' another embedder" in other.stderr
            with pytest.raises(WorkspaceError, match="another process"):
                give_up_switch(open_space("w"))

    switch_embedder(space, FakeEmbedder(48, "next"), step)
    assert seen == [1]


def test_a_backup_holds_the_vectors_of_its_moment(
    open_space: Callable[..., Workspace], paths: list[Path], tmp_path: Path
) -> None:
    space, wide = open_space("w"), FakeEmbedder(48, "next")
    space.ingest(paths)
    assert run("w", ["switch", 0]).returncode == -signal.SIGKILL
    back_up(space, tmp_path / "before.dynagrag", is_forced=False, progress=silent)
    switch_embedder(space, wide, silent)
    back_up(space, tmp_path / "after.dynagrag", is_forced=False, progress=silent)
    for name, embedder in (("before", FakeEmbedder()), ("after", wide)):
        at = tmp_path / name
        restore(tmp_path / f"{name}.dynagrag", load_settings(home=at), "w", silent)
        restored = open_space("w", embedder=embedder, at=at)
        assert restored.store.embedder() == embedder.identity
        assert restored.ask(QUESTION).evidence


def test_a_workspace_without_vectors_has_nothing_to_switch(
    open_space: Callable[..., Workspace],
) -> None:
    with pytest.raises(WorkspaceError, match="has no vectors yet; ingest with --embedder"):
        estimate_switch(open_space("w"), FakeEmbedder(48, "next"))
