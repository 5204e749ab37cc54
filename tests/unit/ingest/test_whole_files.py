"""Files that a workspace holds whole aren't looked into again; what changes one of them, or what
would be made of it, leads to a new reading.
"""

import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dynagrag import IngestOptions, open_workspace
from dynagrag.config.settings import CHUNK_PROFILES
from dynagrag.curation import corrections
from dynagrag.fakes import FakeEmbedder
from dynagrag.ingest import earlier_readings, plan
from dynagrag.ingest.load import sources
from dynagrag.ingest.whole_files import NOTE, WholeFiles
from dynagrag.workspace.facade import Workspace

TALK = "Anna: Shall we meet at Weir {0} at noon?\nBen: My ferry to Weir {0} leaves at ten.\n"


@pytest.fixture
def space() -> Iterator[Workspace]:
    with open_workspace("w", embedder=FakeEmbedder()) as made:
        yield made


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    """Three files, written an hour ago."""
    folder = tmp_path / "talks"
    folder.mkdir()
    for number in range(3):
        _write(folder / f"talk{number}.txt", TALK.format(number))
    return folder


@pytest.fixture
def looked_into(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that plans hash or parse."""
    names: list[str] = []

    def noted(read: Callable[[Path], Any]) -> Callable[[Path], Any]:
        return lambda path: (names.append(path.name), read(path))[1]

    monkeypatch.setattr(plan, "load_source", noted(plan.load_source))
    monkeypatch.setattr(
        earlier_readings.load, "file_sha256", noted(earlier_readings.load.file_sha256)
    )
    return names


def _write(path: Path, text: str, seconds_ago: float = 3600) -> None:
    path.write_text(text, encoding="utf-8")
    at = path.stat().st_mtime - seconds_ago
    os.utime(path, (at, at))


def _ingest(space: Workspace, *paths: Path, **options: object) -> list[int]:
    """How many are new, replaced and unchanged."""
    report = space.ingest(paths, IngestOptions(**{"extractor": "fast"} | options))  # type: ignore[arg-type]
    return [len(report.added), len(report.replaced), len(report.unchanged)]


def test_files_that_are_as_they_were_are_not_looked_into(
    space: Workspace, talks: Path, looked_into: list[str]
) -> None:
    assert _ingest(space, talks) == [3, 0, 0]
    digest = space.store.digest()
    looked_into.clear()
    assert _ingest(space, talks) == [0, 0, 3]
    _write(talks / "talk3.txt", TALK.format(3))
    assert _ingest(space, talks) == [1, 0, 3]
    (talks / "talk3.txt").unlink()
    assert _ingest(space, talks, remove_missing=True) == [0, 0, 3]
    assert space.store.digest() == digest
    assert _ingest(space, talks / "talk1.txt") == [0, 0, 1]
    assert set(looked_into) == {"talk3.txt"}


@pytest.mark.parametrize("seconds_ago", [1800, 3600], ids=["later", "another size"])
def test_a_file_that_changed_is_read_again(
    space: Workspace, talks: Path, looked_into: list[str], seconds_ago: float
) -> None:
    _ingest(space, talks)
    looked_into.clear()
    text = TALK.format(7) if seconds_ago == 1800 else TALK.format(17)
    _write(talks / "talk1.txt", text, seconds_ago)
    assert _ingest(space, talks) == [0, 1, 2]
    assert set(looked_into) == {"talk1.txt"}


def test_a_file_that_changed_as_it_was_read_is_not_taken_for_whole(
    space: Workspace, talks: Path, looked_into: list[str]
) -> None:
    _write(talks / "talk1.txt", TALK.format(1), seconds_ago=0)
    _ingest(space, talks)
    looked_into.clear()
    assert _ingest(space, talks) == [0, 0, 3]
    assert set(looked_into) == {"talk1.txt"}


@pytest.mark.parametrize(
    "options", [{"chunk_profile": "small"}, {"language": "de"}], ids=["sizes", "language"]
)
def test_another_way_to_read_looks_again(
    space: Workspace, talks: Path, looked_into: list[str], options: dict[str, object]
) -> None:
    _ingest(space, talks)
    looked_into.clear()
    _ingest(space, talks, **options)
    assert set(looked_into) == {f"talk{number}.txt" for number in range(3)}


def test_a_correction_and_a_deletion_leave_the_other_files_known(
    space: Workspace, talks: Path, looked_into: list[str]
) -> None:
    _ingest(space, talks)
    looked_into.clear()
    corrections.rename(space, "anna", "Anna Berg", by="me")
    gone, _ = space.documents.delete("talk2.txt")
    assert gone.id not in space.store.note(NOTE)
    (talks / "talk2.txt").unlink()
    assert _ingest(space, talks) == [0, 0, 2]
    assert not looked_into


def test_a_note_that_cannot_be_read_costs_a_look_and_no_more(space: Workspace, talks: Path) -> None:
    _ingest(space, talks)
    profile, name = CHUNK_PROFILES["default"], "fast"
    kept = json.loads(space.store.note(NOTE))
    cut: list[dict[str, Any]] = [{"a": 1}, {"a": ["x", 1]}, {"a": ["x", "y", 1]}]
    of_now = [json.dumps({**kept, "files": files}) for files in cut]
    for note in ("{", "[]", '{"files": 3}', '{"version": "x", "files": {"a": 1}}', *of_now):
        space.store.set_note(NOTE, note)
        assert not WholeFiles.read(space.store, profile, name).files
        assert _ingest(space, talks) == [0, 0, 3]


def test_no_name_of_a_file_stands_in_the_note(space: Workspace, talks: Path) -> None:
    _ingest(space, talks)
    note = space.store.note(NOTE)
    assert note
    assert "talk" not in note


def test_where_paths_lead_is_what_the_system_says(tmp_path: Path) -> None:
    rng = random.Random(1)
    folders = [tmp_path]
    for number in range(12):
        folder = rng.choice(folders) / f"f{number}"
        if rng.random() < 0.4:
            folder.symlink_to(rng.choice(folders), target_is_directory=True)
        else:
            folder.mkdir()
        folders.append(folder)
    for number in range(20):
        path = rng.choice(folders) / f"file{number}"
        path.write_text("x") if rng.random() < 0.6 else path.symlink_to(rng.choice(folders))
    real = sources.RealPaths()
    for folder in folders:
        for name in (*os.listdir(folder), "", ".", "..", "none", "f1/../f2"):
            path = os.path.join(folder, name)
            assert real.of(path) == os.path.realpath(path)
