"""Uploaded files: safe names, one file a content, and nothing kept of what can't be read."""

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.errors import LoadError, WorkspaceError
from dynagrag.settings import load_settings
from dynagrag.ui.ingest import upload_folder
from dynagrag.ui.ingest.source_reading import Brought, pasted, read_all
from dynagrag.ui.safe_name import safe_name

TALK = b"WEBVTT\n\n00:00:00.000 --> 00:00:09.000\n<v Leo>Ada Byron founded Acme Works.\n"


def _keep(folder: Path, name: str, content: bytes) -> tuple[str | None, str, str]:
    source, said = upload_folder.keep(folder, name, io.BytesIO(content))
    return source.refused, source.path, said


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("talk.vtt", "talk.vtt"),
        ("../../x.vtt", "x.vtt"),
        ("..\\..\\x.vtt", "x.vtt"),
        ("/etc/passwd", "passwd"),
        ("C:\\talks\\x.txt", "x.txt"),
        (".hidden.txt", "hidden.txt"),
        ("a\0b\nc.txt", "a_b_c.txt"),
        ("Ärger, Teil 2.vtt", "Ärger, Teil 2.vtt"),
        ("a" * 500 + ".vtt", "a" * 120 + ".vtt"),
    ],
)
def test_a_name_is_reduced_to_one_that_leads_nowhere_else(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@pytest.mark.parametrize("name", ["", "..", "../", "...", "\0", "/", "☃/☃"])
def test_a_name_of_which_nothing_is_left_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="rename it"):
        safe_name(name)
    assert "rename it" in str(_keep(tmp_path, name, TALK)[0])


@given(st.text(max_size=300))
def test_whatever_the_name_the_file_is_in_the_folder(name: str) -> None:
    folder = Path("/uploads")
    try:
        made = folder / safe_name(name)
    except LoadError:
        return
    assert made.parent == folder
    assert made.name not in ("", ".", "..")
    assert len(made.name.encode()) <= 255
    assert not made.name.startswith(".")


def test_a_file_is_kept_and_read(tmp_path: Path) -> None:
    refused, path, said = _keep(tmp_path / "uploads", "../../talk.vtt", TALK)
    assert (refused, path, said) == (None, str(tmp_path / "uploads" / "talk.vtt"), "")
    assert [p.name for p in tmp_path.rglob("*")] == ["uploads", "talk.vtt"]


def test_the_same_name_is_replaced_and_the_same_content_kept_once(tmp_path: Path) -> None:
    _keep(tmp_path, "talk.vtt", TALK)
    assert _keep(tmp_path, "talk.vtt", TALK)[2] == "was here already, unchanged"
    assert _keep(tmp_path, "other.vtt", TALK)[1:] == (str(tmp_path / "talk.vtt"), "has the same content as talk.vtt, which is here already")
    assert "takes the place" in _keep(tmp_path, "talk.vtt", TALK.replace(b"Leo", b"Ines"))[2]
    assert [p.name for p in tmp_path.iterdir()] == ["talk.vtt"]
    assert b"Ines" in (tmp_path / "talk.vtt").read_bytes()


def _zip_bomb() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 210_000_000)
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.vtt", b"", "is empty"),
        ("photo.png", b"\x89PNG\r\n\x1a\n" + bytes(100), "PNG image"),
        ("fake.vtt", b"no cue at all", "is named .vtt but holds no cue times"),
        ("talk.docx", b"PK\x03\x04 broken", "broken zip or DOCX"),
        ("x.zip", b"", "is empty"),
    ],
)
def test_what_cannot_be_read_is_refused_and_not_kept(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    assert reason in str(_keep(tmp_path, name, content)[0])
    assert list(tmp_path.iterdir()) == []


def test_a_zip_bomb_and_a_file_that_is_too_large_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "unpacks to" in str(_keep(tmp_path, "bomb.docx", _zip_bomb())[0])
    monkeypatch.setattr(upload_folder, "MAX_BYTES", 100)
    assert "is larger than" in str(_keep(tmp_path, "long.txt", b"words " * 100)[0])
    assert list(tmp_path.iterdir()) == []


def test_a_refused_file_leaves_the_one_of_its_name(tmp_path: Path) -> None:
    _keep(tmp_path, "talk.vtt", TALK)
    assert _keep(tmp_path, "talk.vtt", b"")[0] is not None
    assert (tmp_path / "talk.vtt").read_bytes() == TALK


def test_only_what_lies_in_the_folder_is_discarded(tmp_path: Path) -> None:
    outside = tmp_path / "mine.txt"
    outside.write_bytes(TALK)
    folder = tmp_path / "uploads"
    _keep(folder, "talk.vtt", TALK)
    upload_folder.discard(folder, outside)
    upload_folder.discard(folder, folder / ".." / "mine.txt")
    assert outside.exists()
    assert upload_folder.not_ingested(folder, {upload_folder.sha256_of(outside)}) == []
    upload_folder.discard(folder, upload_folder.not_ingested(folder, ())[0])
    assert upload_folder.kept_files(folder) == []


@pytest.mark.parametrize("name", ["../w", "/etc", "a/b", ""])
def test_a_workspace_that_cannot_be_called_so_has_no_folder(name: str) -> None:
    with pytest.raises(WorkspaceError, match="cannot be a workspace's name"):
        upload_folder.folder_of(load_settings(), name)


def test_rows_say_how_each_was_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("LEO: Hello there.\nMARIA: Good day to you.\n")
    (tmp_path / "in" / "b.bin").write_bytes(bytes(range(256)))
    brought = [
        Brought("talk.vtt", io.BytesIO(TALK), "1"),
        Brought(str(tmp_path / "in")),
        Brought(str(tmp_path / "no")),
        pasted("A/B", "Hi."),
    ]
    rows = read_all(tmp_path / "up", brought, lambda *_: None)
    by_name = {row.name: row for row in rows}
    talk = by_name["talk.vtt"]
    assert (talk.format, talk.num_turns, talk.num_words, talk.speakers, talk.start_s, talk.end_s) == ("vtt", 1, 5, ("Leo",), 0, 9)
    assert (talk.brought, talk.given) == ("1", talk.path)
    assert talk.first == (("Leo", 0.0, "Ada Byron founded Acme Works."),)
    assert by_name["a.txt"].given == str(tmp_path / "in")
    assert "binary" in by_name["b.bin"].refused
    assert "no such file or folder" in by_name["no"].refused
    assert by_name["A-B.txt"].title == "A-B"
