"""A workspace's own embedder: found again where nobody names one, and never by the word of a folder
alone.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dynagrag.config.settings import Settings, load_settings
from dynagrag.core.errors import EmbedderMismatchError
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.fakes import FakeEmbedder
from dynagrag.graph_store.rules import check_asking_embedder
from dynagrag.upkeep.embedder_switch import switch_embedder
from dynagrag.workspace.facade import Workspace, open_workspace
from dynagrag.workspace.ingest_job import IngestOptions
from dynagrag.workspace.own_embedder import (
    EMBEDDER_FILE,
    probable_embedder,
    remember_embedder,
    with_own_embedder,
)
from dynagrag.workspace.workspace_embedder import EmbedderOpener

BGE, MINILM = EmbedderIdentity("bge-small", 384), EmbedderIdentity("minilm", 384)
OTHERS = EmbedderIdentity("openai:text", 8)


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (None, "minilm"),
        (MINILM, "minilm"),
        (BGE, "bge-small"),
        (EmbedderIdentity("bge-small prefix='passage: '", 384), "bge-small"),
        (EmbedderIdentity("bge-small", 8), "minilm"),
        (OTHERS, "minilm"),
    ],
)
def test_an_embedder_of_the_catalogue_is_known_by_its_name(
    tmp_path: Path, stored: EmbedderIdentity | None, expected: str
) -> None:
    assert with_own_embedder(tmp_path, stored, load_settings()).embedder == expected


def test_what_somebody_names_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember_embedder(tmp_path, "bge-small", BGE)
    named = load_settings(embedder="e5-small")
    assert with_own_embedder(tmp_path, BGE, named).embedder == "e5-small"
    assert probable_embedder(tmp_path, named).embedder == "e5-small"
    monkeypatch.setenv("DYNAGRAG_EMBEDDER", "minilm")
    assert with_own_embedder(tmp_path, BGE, load_settings()).embedder == "minilm"


def test_a_folder_is_found_again_by_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "models" / "mine"
    model.mkdir(parents=True)
    monkeypatch.chdir(model.parent)
    remember_embedder(tmp_path, "mine", EmbedderIdentity("mine", 12))
    monkeypatch.chdir(tmp_path)
    own = with_own_embedder(tmp_path, EmbedderIdentity("mine", 12), load_settings())
    assert own.embedder == str(model)
    assert probable_embedder(tmp_path, load_settings()).embedder == str(model)


def test_what_is_kept_of_another_embedder_than_the_stores_is_not_taken(tmp_path: Path) -> None:
    remember_embedder(tmp_path, "openai:text", OTHERS)
    settings = load_settings()
    assert with_own_embedder(tmp_path, OTHERS, settings).embedder == "openai:text"
    assert with_own_embedder(tmp_path, BGE, settings).embedder == "bge-small"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "no json",
        '{"spec": "bge-small"}',
        json.dumps({"spec": ["x"], "name": "openai:text", "dimension": 8}),
        json.dumps({"spec": "openai:text", "name": "openai:text", "dimension": 8}),
        json.dumps({"spec": "/evil", "name": "openai:text", "dimension": 8, "seal": "00"}),
        '{"spec": "/evil", "name": "openai:text", "dimension": 8, "seal": "\\ud800"}',
        '{"spec": "bge-small", "name": "openai:text", "dimension": 1e999}',
        '{"spec": "\\ud800", "name": "openai:text", "dimension": 8, "seal": ["00"]}',
    ],
)
def test_what_only_a_folder_names_is_not_opened(tmp_path: Path, text: str) -> None:
    (tmp_path / EMBEDDER_FILE).write_text(text, encoding="utf-8")
    assert with_own_embedder(tmp_path, OTHERS, load_settings()).embedder == "minilm"
    assert probable_embedder(tmp_path, load_settings()).embedder == "minilm"


def test_a_folder_that_cannot_be_written_is_said_and_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    remember_embedder(tmp_path / "gone", "bge-small", BGE)
    assert "later commands need --embedder bge-small" in caplog.text


@pytest.mark.parametrize(
    ("stored", "remedy"),
    [
        (BGE, "use --embedder bge-small, or have it embedded anew by `dynagrag embedder use minil"),
        (EmbedderIdentity("minilm prefix='x'", 384), "behind another DYNAGRAG_DOCUMENT_PREFIX"),
        (EmbedderIdentity("minilm", 12), "another model under this name now"),
    ],
)
def test_another_embedder_is_told_with_the_remedy(stored: EmbedderIdentity, remedy: str) -> None:
    with pytest.raises(EmbedderMismatchError, match=remedy):
        check_asking_embedder("w", stored, MINILM)


def made_by(*embedders: FakeEmbedder) -> Callable[[Settings], FakeEmbedder]:
    """Fakes by their names as specs."""
    by_name = {embedder.identity.name: embedder for embedder in embedders}
    return lambda settings: by_name[settings.embedder]


def opened(settings: Settings) -> Workspace:
    fakes = FakeEmbedder(384, "minilm"), FakeEmbedder(48, "other")
    return open_workspace("talks", settings=settings, embedder=EmbedderOpener(made_by(*fakes)))


def test_a_switch_is_followed_by_later_commands_and_by_who_has_it_open(tmp_path: Path) -> None:
    path = tmp_path / "mill.txt"
    path.write_text("Ann: The mill ground rye until 1931.\nBen: Who owned it?\n", encoding="utf-8")
    plain = load_settings()
    with opened(plain) as space:
        space.ingest([path], IngestOptions(extractor="fast"))
        assert space.ask("What did the mill grind?").evidence
        with opened(load_settings(embedder="other")) as other:
            switch_embedder(other, other.embedder, lambda *_: None)
        assert space.ask("What did the mill grind?").evidence, "it has it open"
        assert space.settings.embedder == "other"
    with opened(plain) as later:
        assert later.settings.embedder == "other"
        assert later.ask("What did the mill grind?").evidence
        again = tmp_path / "kiln.txt"
        again.write_text("Cleo: The kiln needs nine hours.\n", encoding="utf-8")
        later.ingest([again], IngestOptions(extractor="fast"))
    with opened(load_settings(embedder="minilm")) as named:
        with pytest.raises(EmbedderMismatchError, match="use --embedder other"):
            named.ask("What did the mill grind?")
        path.write_text("Ann: The mill ground oats.\n", encoding="utf-8")
        with pytest.raises(EmbedderMismatchError, match="use --embedder other"):
            named.ingest([path], IngestOptions(extractor="fast"))


def test_naming_it_once_is_remembered(tmp_path: Path) -> None:
    path = tmp_path / "mill.txt"
    path.write_text("Ann: The mill ground rye until 1931.\n", encoding="utf-8")
    with opened(load_settings(embedder="other")) as space:
        space.ingest([path], IngestOptions(extractor="fast"))
        (space.folder / EMBEDDER_FILE).unlink()
    with opened(load_settings()) as space, pytest.raises(EmbedderMismatchError):
        space.ask("What did the mill grind?")
    with opened(load_settings(embedder="other")) as space:
        space.ask("What did the mill grind?")
    with opened(load_settings()) as space:
        assert space.ask("What did the mill grind?").evidence
