"""Uploaded files: safe names, one file a content, and nothing kept of what can't be read."""

import errno
import io
import os
import zipfile
from contextlib import suppress
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag.config.settings import load_settings
from dynagrag.core.errors import LoadError, WorkspaceError
from dynagrag.ui.ingest import upload_folder
from dynagrag.ui.ingest.source_reading import SourceInput, pasted, read_all
from dynagrag.ui.safe_name import safe_name

TALK = b"WEBVTT\n\n00:00:00.000 --> 00:00:09.000\n<v Leo>Ada Byron founded Acme Works.\n"


def _keep(folder: Path, name: str, content: bytes) -> tuple[str | None, str, str]:
    kept = upload_folder.keep(folder, name, io.BytesIO(content))
    return kept.source.refused, kept.source.path, kept.note or kept.replaced


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("talk.vtt", "talk.vtt"),
        ("../../x.vtt", "x.vtt"),
        ("..\\..\\x.vtt", "x.vtt"),
        ("/etc/passwd", "passwd"),
        ("C:\\talks\\x.txt", "x.txt"),
        (".hidden.txt", "hidden-7088147c.txt"),
        ("a\0b\nc.txt", "a_b_c-14f94fba.txt"),
        ("Talk – 第一回 🎉 [dQw4w9WgXcQ].en.vtt", "Talk – 第一回 🎉 [dQw4w9WgXcQ].en.vtt"),
        ("Ärger, Teil 2.vtt", "Ärger, Teil 2.vtt"),
        ("a" * 500 + ".vtt", "a" * 111 + "-8f716e0d.vtt"),
    ],
)
def test_a_name_is_reduced_to_one_that_leads_nowhere_else(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@pytest.mark.parametrize("name", ["", "..", "../", "...", "\0", "/", "\0/\0"])
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


@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from(["", "会" * 60, "\0"]))
def test_two_names_that_a_folder_can_tell_apart_stay_two(one: str, other: str, before: str) -> None:
    made = {}
    for name in (one, other):
        with suppress(LoadError):
            made[normalize("NFC", before + name).replace("\\", "/").rpartition("/")[2].strip()] = (
                safe_name(before + name + ".vtt")
            )
    assert len(set(made.values())) == len(made)
    assert all(safe_name(name) == name for name in made.values())


def test_names_that_differ_behind_what_is_cut_are_two_files(tmp_path: Path) -> None:
    for number, name in enumerate(
        ["会" * 50 + "一.vtt", "会" * 50 + "二.vtt", "\x01.vtt", "\x02.vtt"]
    ):
        assert _keep(tmp_path, name, TALK.replace(b"Leo", b"Leo %d" % number))[2].startswith(
            "is kept as "
        )
    assert len(upload_folder.kept_files(tmp_path)) == 4


def test_two_files_of_one_name_that_come_together_are_both_kept(tmp_path: Path) -> None:
    other = TALK.replace(b"Leo", b"Ines")
    _keep(tmp_path, "same-2.vtt", TALK.replace(b"Leo", b"Zoe"))
    inputs = [
        SourceInput("same.vtt", io.BytesIO(content), str(number))
        for number, content in enumerate([TALK, other, TALK])
    ]
    rows = read_all(tmp_path, inputs, lambda *_: None)
    assert [row.name for row in rows] == ["same.vtt", "same-3.vtt", "same.vtt"]
    assert "is kept as same-3.vtt" in rows[1].notes
    assert [(tmp_path / name).read_bytes() for name in ("same.vtt", "same-3.vtt")] == [TALK, other]
    assert [row.replaced for row in rows] == ["", "", ""]


class _FullDisk(io.BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_refuses_one_file_and_leaves_nothing_of_it(tmp_path: Path) -> None:
    inputs = [
        SourceInput("big.vtt", _FullDisk(), "1"),
        SourceInput("talk.vtt", io.BytesIO(TALK), "2"),
    ]
    rows = read_all(tmp_path, inputs, lambda *_: None)
    assert [(row.name, row.is_unread) for row in rows] == [("big.vtt", True), ("talk.vtt", False)]
    assert rows[0].refused.startswith("No space left on device; free some space")
    assert [path.name for path in tmp_path.iterdir()] == ["talk.vtt"]


def test_what_a_kill_left_of_an_upload_goes_but_not_one_under_way(tmp_path: Path) -> None:
    for name in (".partial-old.vtt", ".partial-new.vtt"):
        (tmp_path / name).write_bytes(TALK)
    os.utime(tmp_path / ".partial-old.vtt", (1e9, 1e9))
    upload_folder.sweep(tmp_path)
    upload_folder.sweep(tmp_path / "no such")
    assert [path.name for path in tmp_path.iterdir()] == [".partial-new.vtt"]


def test_a_file_is_kept_and_read(tmp_path: Path) -> None:
    refused, path, said = _keep(tmp_path / "uploads", "../../talk.vtt", TALK)
    assert (refused, path, said) == (None, str(tmp_path / "uploads" / "talk.vtt"), "")
    assert [p.name for p in tmp_path.rglob("*")] == ["uploads", "talk.vtt"]


def test_the_same_name_is_replaced_and_the_same_content_kept_once(tmp_path: Path) -> None:
    _keep(tmp_path, "talk.vtt", TALK)
    assert _keep(tmp_path, "talk.vtt", TALK)[2] == "was here already, unchanged"
    assert _keep(tmp_path, "other.vtt", TALK)[1:] == (
        str(tmp_path / "talk.vtt"),
        "has the same content as talk.vtt, which is here already",
    )
    assert _keep(tmp_path, "talk.vtt", TALK.replace(b"Leo", b"Ines"))[2] == "talk.vtt"
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
def test_what_cannot_be_read_is_refused_and_not_kept(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    assert reason in str(_keep(tmp_path, name, content)[0])
    assert list(tmp_path.iterdir()) == []


def test_a_zip_bomb_and_a_file_that_is_too_large_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "would grow from" in str(_keep(tmp_path, "bomb.docx", _zip_bomb())[0])
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
    inputs = [
        SourceInput("talk.vtt", io.BytesIO(TALK), "1"),
        SourceInput(str(tmp_path / "in")),
        SourceInput(str(tmp_path / "no")),
        pasted("A/B", "Hi."),
    ]
    rows = read_all(tmp_path / "up", inputs, lambda *_: None)
    by_name = {row.name: row for row in rows}
    talk = by_name["talk.vtt"]
    assert (
        talk.format,
        talk.num_turns,
        talk.num_words,
        talk.speakers,
        talk.start_s,
        talk.end_s,
    ) == ("vtt", 1, 5, ("Leo",), 0, 9)
    assert (talk.upload_id, talk.origin) == ("1", talk.path)
    assert talk.first == (("Leo", 0.0, "Ada Byron founded Acme Works."),)
    assert by_name["a.txt"].origin == str(tmp_path / "in")
    assert "binary" in by_name["b.bin"].refused
    assert "no such file or folder" in by_name["no"].refused
    assert by_name["A-B.txt"].title == "A-B"
