"""Errors whose remedy leads somewhere: what they name can be done, and helps."""

import errno
import io
import os
import zipfile
from pathlib import Path

import pytest

from dynagrag.cli.main import run
from dynagrag.config.own_seal import is_own, seal
from dynagrag.config.settings import known_secrets, load_settings, own_settings
from dynagrag.config.settings_file import settings_file
from dynagrag.core.errors import EmbedderMismatchError, LoadError, SettingsError
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.evaluation.frame.kept_run import read_head
from dynagrag.graph_store.rules import check_asking_embedder, check_embedder
from dynagrag.ingest.load import load_source


@pytest.mark.parametrize("check", [check_embedder, check_asking_embedder])
def test_the_same_embedder_with_another_dimension_is_not_told_to_use_itself(
    check: object,
) -> None:
    assert callable(check)
    stored, now = EmbedderIdentity("openai:e", 384), EmbedderIdentity("openai:e", 768)
    with pytest.raises(EmbedderMismatchError) as caught:
        check("w", stored, now)
    assert "has another model under this name" in str(caught.value)
    assert "--embedder" not in str(caught.value)
    with pytest.raises(EmbedderMismatchError, match="use --embedder openai:e"):
        check("w", stored, EmbedderIdentity("minilm", 384))


def test_settings_of_another_user_are_told_with_the_way_to_ones_own() -> None:
    settings_file().mkdir(parents=True)  # as unreadable to root as a closed file to others
    with pytest.raises(SettingsError, match="set DYNAGRAG_HOME to a folder of your own"):
        load_settings()


@pytest.mark.parametrize("text", ['{"format": 1, "set', "[]", '{"format": 1, "settings": {}}'])
def test_a_cut_run_says_how_to_begin_again(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(LoadError) as caught:
        read_head(tmp_path)
    assert f"move {tmp_path} away, or name another folder with --out" in str(caught.value)


@pytest.mark.parametrize("part", ["word/document.xml", "word/styles.xml", "word/media/image1.png"])
def test_a_bomb_in_a_docx_is_refused_as_one(tmp_path: Path, part: str) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        if part != "word/document.xml":
            archive.writestr("word/document.xml", "<x/>")
        archive.writestr(part, b" " * 50_000_000)
    (tmp_path / "a.docx").write_bytes(data.getvalue())
    refused = load_source(tmp_path / "a.docx").refused or ""
    assert f"{part} in it would grow from" in refused
    assert "get the document anew" in refused


@pytest.mark.parametrize(
    ("number", "remedy"),
    [(errno.ENOSPC, "free some space"), (errno.EROFS, "set DYNAGRAG_HOME to a folder of your own")],
)
def test_an_error_of_the_system_names_what_helps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int, remedy: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), "some/file")

    monkeypatch.setattr("dynagrag.cli.job_commands.read_settings", refuse)
    assert run(["jobs"]) == 1
    err = capsys.readouterr().err
    assert (len(err.splitlines()), "some/file" in err, remedy in err) == (1, True, True)


def test_a_dotenv_that_is_a_pipe_is_refused_and_waited_for_nowhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / ".env")
    with pytest.raises(SettingsError, match=r"the \.env of this folder is no regular file"):
        load_settings()
    assert own_settings()
    assert isinstance(known_secrets(), tuple)


def test_a_key_of_the_seal_that_is_a_pipe_is_none(home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    os.mkfifo(home / "job_key")
    assert not is_own("text", "seal")
    assert is_own("text", seal("text"))  # a key takes its place


def test_a_run_whose_settings_are_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run.json")
    with pytest.raises(LoadError, match="is no regular file"):
        read_head(tmp_path)
