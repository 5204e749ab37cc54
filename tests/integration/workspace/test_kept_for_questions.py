"""What one process leaves for the next one's first question: the same answers, nothing of what was
deleted, and nothing written while somebody else has the workspace.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag import AskOptions, IngestOptions
from dynagrag.core.schema import EditKind, Filters
from dynagrag.graph_store.derived.canonical import make_edit
from dynagrag.graph_store.derived.senses import documents_text
from dynagrag.workspace.facade import Workspace

OpenSpace = Callable[..., Workspace]
A = [("Leo", "Quetzal Vane founded Umbra Foundry. The quokka sleeps at Umbra Foundry.")]
B = [("Ines", "Ada Byron works at Acme Works. Acme Works makes lamps in Hull.")]
FILES = ["facts.safetensors", "words.safetensors"]
QUESTIONS = ("Who works at Acme Works?", "What did Leo say about Umbra Foundry?")


def answers(space: Workspace) -> list[tuple[object, ...]]:
    """What each answer says, and by which lines."""
    found: list[tuple[object, ...]] = []
    for question in QUESTIONS:
        answer = space.ask(question)
        found.append((answer.text, answer.evidence, answer.claims))
    return found


def anew(space: Workspace, open_space: OpenSpace) -> list[tuple[object, ...]]:
    """The answers by arrays that were not kept."""
    shutil.rmtree(space.folder / "index")
    return answers(open_space())


@pytest.fixture
def made(open_space: OpenSpace, corpus: Any) -> Workspace:
    space = open_space()
    space.ingest(
        [corpus.write("a.vtt", A), corpus.write("b.vtt", B)], IngestOptions(extractor="fast")
    )
    return space


def kept(space: Workspace) -> list[str]:
    """The names of the files."""
    return sorted(path.name for path in (space.folder / "index").glob("*"))


@pytest.mark.usefixtures("any_store")
def test_an_ingest_leaves_the_facts(
    made: Workspace, open_space: OpenSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kept(made) == FILES[:1]
    with monkeypatch.context() as patch:
        patch.setattr("dynagrag.retrieval.snapshots.read_facts", None)
        found = answers(made)
    assert found == anew(made, open_space)


def test_an_ingest_brings_words_up_to_date(
    made: Workspace, open_space: OpenSpace, corpus: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(made)
    more = corpus.write("c.vtt", [("Una", "Acme Works sold its lamps to the harbour.")])
    made.ingest([more], IngestOptions(extractor="fast"))
    with monkeypatch.context() as patch:
        patch.setattr("dynagrag.retrieval.snapshots.read_facts", None)
        patch.setattr("dynagrag.retrieval.corpus_words._DocumentTexts.terms", None)
        found = answers(open_space())
    assert found == anew(made, open_space)


@pytest.mark.parametrize("kind", [EditKind.RENAME, EditKind.SENSE, EditKind.MERGE])
def test_a_correction_leaves_them_as_they_are_then(
    made: Workspace, open_space: OpenSpace, kind: EditKind
) -> None:
    keys = ("acme works",) if kind is not EditKind.MERGE else ("acme works", "umbra foundry")
    documents = documents_text([made.documents.find("b").uri])
    edit = make_edit(
        kind, keys=keys, name="Great Mill", what=documents, by="u", at="2026-01-01T00:00:00Z"
    )
    with made.parts.writing():
        made.current_graph.store_edits([edit])
    assert kept(made) == FILES[:1]
    assert answers(made) == anew(made, open_space)


@pytest.mark.usefixtures("any_store")
def test_the_next_process_answers_as_the_first(
    made: Workspace, open_space: OpenSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = answers(made)
    assert kept(made) == FILES
    again = open_space()

    def fail(*_: object) -> None:
        raise AssertionError("all mentions were read again")

    monkeypatch.setattr("dynagrag.retrieval.snapshots.read_facts", fail)
    assert answers(again) == first


@pytest.mark.usefixtures("any_store")
def test_what_was_deleted_is_in_no_file(made: Workspace, open_space: OpenSpace) -> None:
    answers(made)
    holder = open_space()
    answers(holder)  # has the deleted words in memory
    made.documents.delete("a")
    assert not kept(made)
    answers(holder)
    answers(open_space())
    assert kept(made) == FILES
    for path in (made.folder / "index").iterdir():
        data = path.read_bytes().lower()
        assert b"quokka" not in data
        assert b"lamps" in data


def test_nothing_is_written_while_another_has_the_workspace(
    made: Workspace, open_space: OpenSpace
) -> None:
    shutil.rmtree(made.folder / "index")
    with open_space().parts.lock.hold():
        found = answers(made)
    assert not kept(made)
    assert answers(open_space()) == found
    assert kept(made) == FILES


def test_a_changed_file_is_read_anew(
    made: Workspace, open_space: OpenSpace, corpus: Any, tmp_path: Path
) -> None:
    answers(made)
    before = (made.folder / "index" / FILES[0]).read_bytes()
    changed = [("Ines", "Ada Byron works at Acme Works. Acme Works makes sails in Hull.")]
    made.ingest([corpus.write("b.vtt", changed)], IngestOptions(extractor="fast"))
    found = answers(open_space())
    alone = open_space(at=tmp_path / "anew")
    alone.ingest(
        [corpus.write("a.vtt", A), corpus.write("b.vtt", changed)],
        IngestOptions(extractor="fast"),
    )
    assert [row[0] for row in answers(alone)] == [row[0] for row in found]
    assert (made.folder / "index" / FILES[0]).read_bytes() != before


def test_filtered_questions_leave_nothing_of_their_part(
    made: Workspace, open_space: OpenSpace
) -> None:
    whole = answers(made)
    files = [(made.folder / "index" / name).read_bytes() for name in FILES]
    made.ask(QUESTIONS[0], AskOptions(filters=Filters(documents=("b",))))
    assert [(made.folder / "index" / name).read_bytes() for name in FILES] == files
    assert answers(open_space()) == whole
