"""Which files paths, folders and patterns mean."""

import os
import socket
from contextlib import closing
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
    found = find_sources([folder / item for item in given])
    return [str(path.relative_to(folder)) for path in found.files]


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


@pytest.fixture
def elsewhere(talks: Path) -> Path:
    """A folder beside the one that is ingested, whose name begins alike."""
    folder = talks.parent / "talks-private"
    folder.mkdir()
    (folder / "id_rsa").write_text("a key")
    return folder


@pytest.mark.parametrize("given", ["", "*", "**", "**/*.txt", "deep", "d*"])
@pytest.mark.parametrize("is_folder", [False, True])
def test_links_that_lead_out_of_a_folder_are_left_out_and_named(
    talks: Path, elsewhere: Path, given: str, is_folder: bool
) -> None:
    to = os.path.relpath(elsewhere if is_folder else elsewhere / "id_rsa", talks / "deep")
    (talks / "deep" / "extra.txt").symlink_to(to)
    found = find_sources([talks / given])
    assert not [path for path in found.files if "private" in os.path.realpath(path)]
    if given != "*" and not (is_folder and given == "**/*.txt"):  # which doesn't hold it
        (left,) = found.left_out
        assert left.path.startswith(str(talks / "deep" / "extra.txt"))
        assert f"is a link out of the folder, to {elsewhere}" in (left.refused or "")
    followed = find_sources([talks / given], follows_links=True)
    assert followed.left_out == ()
    if given in ("", "deep", "d*"):
        assert any(os.path.realpath(p) == str(elsewhere / "id_rsa") for p in followed.files)


def test_links_of_links_and_folders_that_are_links_lead_out_no_more(
    talks: Path, elsewhere: Path
) -> None:
    (talks / "one").symlink_to("two")
    (talks / "two").symlink_to(elsewhere)
    (talks / "deep" / "three.txt").symlink_to("../one/id_rsa")
    found = find_sources([talks])
    assert {Path(left.path).name for left in found.left_out} == {"one", "two", "three.txt"}
    assert names(talks, "") == ["a.txt", "b.vtt", "deep/[x].md", "deep/c.srt"]


def test_links_within_a_folder_are_followed_also_where_the_folder_is_reached_by_a_link(
    talks: Path,
) -> None:
    (talks / "deep" / "b.vtt").symlink_to("../b.vtt")
    (talks / "shallow").symlink_to("deep")
    link = talks.parent / "link"
    link.symlink_to(talks)
    found = find_sources([link])
    assert found.left_out == ()
    assert {os.path.realpath(path) for path in found.files} == {
        str(path)
        for path in talks.rglob("[!.]*")
        if path.is_file()
        and ".git" not in path.parts
        and not path.is_symlink()
        and "shallow" not in path.parts
    }


def test_a_link_that_is_named_itself_is_read(talks: Path, elsewhere: Path) -> None:
    (talks / "extra.txt").symlink_to(elsewhere / "id_rsa")
    found = find_sources([talks / "extra.txt"])
    assert (len(found.files), found.left_out) == (1, ())


def test_what_is_no_file_is_named_with_its_reason(talks: Path) -> None:
    os.mkfifo(talks / "pipe")
    (talks / "nowhere").symlink_to("gone\nfor good")
    (talks / "round").symlink_to("about")
    (talks / "about").symlink_to("round")
    (talks / "null").symlink_to("/dev/null")
    with closing(socket.socket(socket.AF_UNIX)) as made:
        made.bind(os.path.relpath(talks / "socket"))
    reasons = {Path(left.path).name: left.refused or "" for left in find_sources([talks]).left_out}
    assert reasons.keys() == {"pipe", "nowhere", "round", "about", "null", "socket"}
    assert all("is no regular file" in reasons[name] for name in ("pipe", "null", "socket"))
    assert reasons["nowhere"] == "is a link to gone for good, where no file is"
    assert "is a link to about" in reasons["round"]


def test_a_folder_that_holds_nothing_but_what_is_left_out_says_so(
    tmp_path: Path, elsewhere: Path
) -> None:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "extra.txt").symlink_to(elsewhere / "id_rsa")
    with pytest.raises(LoadError, match=r"left out: extra\.txt is a link out"):
        find_sources([folder])


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


def test_a_link_that_may_not_be_followed_is_left_out(
    talks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (talks / "cwd").symlink_to("/proc/1/cwd")

    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    real = os.path.realpath
    monkeypatch.setattr(
        os.path, "realpath", lambda path: refuse(path) if Path(path).name == "cwd" else real(path)
    )
    found = find_sources([talks])
    assert [Path(left.path).name for left in found.left_out] == ["cwd"]
    assert len(found.files) == 4
