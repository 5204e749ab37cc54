"""Which files paths, folders and patterns mean."""

import os
from pathlib import Path

import pytest

from dynagrag.core.errors import LoadError
from dynagrag.ingest.load import find_sources


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    folder = tmp_path / "talks"
    for name in ("b.vtt", "a.txt", "deep/c.srt", ".hidden.txt", ".git/d.txt", "deep/[x].md"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("words")
    return folder


def names(folder: Path, *given: str | Path) -> list[str]:
    return [
        str(path.relative_to(folder)) for path in find_sources([folder / item for item in given])
    ]


def test_a_folder_means_its_files_at_any_depth_sorted_without_hidden_ones(talks: Path) -> None:
    assert names(talks, "") == ["a.txt", "b.vtt", "deep/[x].md", "deep/c.srt"]


def test_patterns_and_names_with_brackets_are_found(talks: Path) -> None:
    assert names(talks, "*.txt") == ["a.txt"]
    assert names(talks, "**/*.srt", "deep/[x].md") == ["deep/c.srt", "deep/[x].md"]
    assert sorted(names(talks, "**")) == ["a.txt", "b.vtt", "deep/[x].md", "deep/c.srt"]
    assert names(talks, "d*") == ["deep/[x].md", "deep/c.srt"]


def test_a_file_named_twice_also_through_a_link_comes_once_in_the_given_order(talks: Path) -> None:
    (talks / "z.vtt").symlink_to(talks / "a.txt")
    assert names(talks, "b.vtt", "", "b.vtt", "z.vtt") == [
        "b.vtt",
        "a.txt",
        "deep/[x].md",
        "deep/c.srt",
    ]


def test_link_loops_and_pipes_in_a_folder_do_not_hang(talks: Path) -> None:
    (talks / "deep" / "up").symlink_to(talks)
    (talks / "self").symlink_to(talks / "self")
    os.mkfifo(talks / "pipe")
    assert names(talks, "") == ["a.txt", "b.vtt", "deep/[x].md", "deep/c.srt"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nowhere.vtt", "no such file or folder"),
        ("*.nothing", "no file matches"),
        ("empty", "holds no file"),
        ("images", "none of them text"),
    ],
)
def test_what_means_no_file_is_an_error_that_names_it(
    talks: Path, given: str, message: str
) -> None:
    (talks / "empty").mkdir()
    (talks / "images").mkdir()
    (talks / "images" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 100)
    with pytest.raises(LoadError, match=message) as caught:
        find_sources([talks / "a.txt", talks / given])
    assert given in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_path_that_is_none_is_an_error() -> None:
    with pytest.raises(LoadError, match="no path"):
        find_sources([""])


def test_an_unreadable_file_beside_a_good_one_is_left_for_the_loader_to_refuse(talks: Path) -> None:
    (talks / "noise.bin").write_bytes(b"\0" * 100)
    assert "noise.bin" in names(talks, "")
