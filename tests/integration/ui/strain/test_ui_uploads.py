"""Uploads that get in each other's way, or that the disk has no room for, without a browser: no
file is lost in silence.
"""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from pages import has, press, shown, until

from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.ui import background
from dynagrag.ui.ingest import upload_folder

TALK = b"WEBVTT\n\n00:00:00.000 --> 00:00:09.000\n<v Leo>Ada Byron founded Acme Works.\n"
OTHER = TALK.replace(b"Leo", b"Ines")


@pytest.fixture
def page(server: OpenAIStubServer, panel: Callable[[str], Any]) -> Iterator[Any]:
    yield panel("ingest.ingest_page").run()
    background.wait_for_all()


def _bring(page: Any, *files: tuple[str, bytes]) -> None:
    page.file_uploader[0].set_value([(name, content, "") for name, content in files]).run()


def _names(page: Any) -> list[str]:
    return list(page.dataframe[0].value["File"])


def test_names_that_are_alike_once_they_are_cut_are_two_files(page: Any) -> None:
    _bring(
        page,
        ("会" * 50 + "一.vtt", TALK),
        ("会" * 50 + "二.vtt", OTHER),
        ("same.vtt", TALK + b"\n"),
        ("same.vtt", OTHER + b"\n"),
    )
    until(page, lambda: has(page, "Start"))
    assert len(set(_names(page))) == 4
    assert not page.warning


def test_a_file_that_takes_an_earlier_ones_place_is_told_above_start(page: Any) -> None:
    _bring(page, ("talk.vtt", TALK))
    until(page, lambda: has(page, "Start"))
    press(page, "Start")
    until(page, lambda: bool(page.success))
    assert not page.warning
    _bring(page, ("talk.vtt", OTHER))
    until(page, lambda: has(page, "Start"))
    assert "talk.vtt has taken the place of the file talk.vtt" in page.warning[0].value.replace(
        "\\", ""
    ).replace("*", "")


def test_a_full_disk_is_told_of_its_file_which_is_read_once_there_is_room(
    page: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = upload_folder._copy

    def full(content: IO[bytes], file: IO[bytes]) -> int:
        if content.read() == OTHER:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        content.seek(0)
        return copy(content, file)

    monkeypatch.setattr(upload_folder, "_copy", full)
    _bring(page, ("talk.vtt", TALK), ("other.vtt", OTHER))
    until(page, lambda: has(page, "Start"))
    assert _names(page) == ["talk.vtt"]
    page.run()
    until(page, lambda: has(page, "Start"))
    assert [e.value.partition(";")[0].replace("\\", "") for e in page.error] == [
        "**other.vtt** was refused: No space left on device"
    ]
    assert [path.name for path in (home / "workspaces" / "default" / "uploads").iterdir()] == [
        "talk.vtt"
    ]
    monkeypatch.setattr(upload_folder, "_copy", copy)
    page.run()
    until(page, lambda: len(_names(page)) == 2)
    assert "refused" not in shown(page)


def test_what_a_kill_left_of_an_upload_goes_when_the_page_begins(
    server: OpenAIStubServer, panel: Callable[[str], Any], home: Path
) -> None:
    uploads = home / "workspaces" / "default" / "uploads"
    uploads.mkdir(parents=True)
    (uploads / ".partial-x.vtt").write_bytes(TALK)
    os.utime(uploads / ".partial-x.vtt", (1e9, 1e9))
    panel("ingest.ingest_page").run()
    assert not list(uploads.iterdir())


def test_a_file_that_another_visitors_has_replaced_since_it_was_seen_is_not_ingested(
    page: Any, panel: Callable[[str], Any], server: OpenAIStubServer
) -> None:
    _bring(page, ("talk.vtt", TALK))
    until(page, lambda: has(page, "Start"))
    other = panel("ingest.ingest_page").run()
    _bring(other, ("talk.vtt", OTHER))
    until(other, lambda: has(other, "Start"))
    press(page, "Start")
    assert "another file of this name has taken its place" in page.error[0].value
    background.wait_for_all()
    assert not any("Ada Byron" in str(request) for request in server.requests)
    press(other, "Start")
    until(other, lambda: bool(other.success))
