"""A file that was read before as it would be read now isn't parsed again; whatever decides how it
is read leads to a new reading.
"""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import CHUNK_PROFILES
from dynagrag.core.code_version import code_files
from dynagrag.core.protocols import Extraction
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore
from dynagrag.ingest import earlier_readings
from dynagrag.ingest import plan as plans
from dynagrag.ingest.kept_language import in_language
from dynagrag.ingest.kept_title import titled
from dynagrag.ingest.load.speaker_names import SpeakerNames

_TALK = """Anna: Shall we meet at the weir at noon?
Ben: I can't, my ferry leaves at ten.
Anna: Then we meet at the mill, if you like.
Ben: Yes, I would like that. I will bring the map.
"""


@dataclass
class _Space:
    """A store that keeps what plans say; `parsed`: the files that the last plan parsed."""

    store: SqliteStore
    folder: Path
    parsed: list[str]

    def write(self, name: str, text: str = _TALK) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def plan(self, *paths: Path, extractor: str = "x", **options: Any) -> plans.IngestPlan:
        self.parsed.clear()
        profile = options.pop("profile", CHUNK_PROFILES["default"])
        return plans.make_plan(paths, self.store, profile, extractor, **options)

    def ingest(self, *paths: Path, extractor: str = "x", **options: Any) -> plans.IngestPlan:
        made = self.plan(*paths, extractor=extractor, **options)
        for own in made.documents:
            id_ = own.document.id
            self.store.put_document(own.as_stored, own.turns, own.passages)
            self.store.put_extractions(
                [Extraction(id_, c.start, c.end, extractor, (), ()) for c in own.to_extract]
            )
            for old in own.replaces:
                self.store.delete_document(old)
        earlier_readings.keep_marks(self.store, made.marks)
        return made


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Space]:
    with closing(SqliteStore(tmp_path / "graph.sqlite", "w")) as store:
        made = _Space(store, tmp_path, [])
        load = plans.load_source
        monkeypatch.setattr(
            plans, "load_source", lambda path: made.parsed.append(path.name) or load(path)
        )
        yield made


@pytest.fixture
def talk(space: _Space) -> Path:
    """A file that was ingested."""
    path = space.write("talk.txt")
    assert [own.document.title for own in space.ingest(path).new] == ["talk"]
    assert space.parsed == ["talk.txt"]
    return path


def test_what_is_as_it_was_is_not_parsed_again(space: _Space, talk: Path) -> None:
    version = space.store.version()
    made = space.ingest(talk, space.write("other.txt", _TALK.replace("noon", "ten")))
    assert space.parsed == ["other.txt"]
    assert made.unchanged == tuple(d for d in space.store.documents() if d.title == "talk")
    assert [own.document.title for own in made.new] == ["other"]
    assert space.store.version() != version
    version = space.store.version()
    made = space.ingest(talk, space.folder / "other.txt")
    assert space.parsed == []
    assert {d.title for d in made.unchanged} == {"talk", "other"}
    assert made.documents == made.readings == ()
    assert space.store.version() == version


def test_a_changed_file_is_read_and_replaces_its_document(space: _Space, talk: Path) -> None:
    space.write("talk.txt", _TALK + "Anna: Good.\n")
    made = space.ingest(talk)
    assert space.parsed == ["talk.txt"]
    assert len(made.changed) == 1
    assert not space.ingest(talk).documents
    assert space.parsed == []


@pytest.mark.parametrize(
    "options",
    [
        {"names": SpeakerNames({"Ben": "Ben Ames"})},
        {"names": SpeakerNames({}, {"talk.txt": {"Ben": "Ben Ames"}})},
        {"language": "de"},
        {"languages": {"talk.txt": "de"}},
        {"extractor": "y"},
        {"profile": replace(CHUNK_PROFILES["default"], passage_words=8)},
    ],
)
def test_what_this_run_gives_is_heard(space: _Space, talk: Path, options: dict[str, Any]) -> None:
    made = space.ingest(talk, **options)
    assert space.parsed == ["talk.txt"]
    assert len(made.documents) == 1
    stays = {key: options[key] for key in ("extractor", "profile") if key in options}
    assert not space.plan(talk, **stays).documents  # names and language are kept
    assert space.parsed == []


def test_what_this_run_gives_to_others_or_gave_before_changes_nothing(
    space: _Space, talk: Path
) -> None:
    other = space.write("other.txt", _TALK.replace("noon", "ten"))
    space.ingest(talk, other, names=SpeakerNames({}, {"other.txt": {"Ben": "Bo"}}), language="de")
    space.ingest(talk, other, names=SpeakerNames({}, {"other.txt": {"Ben": "Bo"}}), language="de")
    assert space.parsed == ["other.txt"]


@pytest.mark.parametrize("version", ["another", ""])
def test_another_reader_reads_again_once(
    space: _Space, talk: Path, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(earlier_readings, "reader_version", lambda: version)
    assert len(space.ingest(talk).unchanged) == 1
    assert space.parsed == ["talk.txt"]
    space.ingest(talk)
    assert space.parsed == ([] if version else ["talk.txt"])


@pytest.mark.parametrize("note", ["", "no JSON", "[]", '{"another": "mark"}'])
def test_without_a_mark_it_is_read_again_once(space: _Space, talk: Path, note: str) -> None:
    space.store.set_note(earlier_readings.NOTE, note)
    assert len(space.ingest(talk).unchanged) == 1
    assert space.parsed == ["talk.txt"]
    space.ingest(talk)
    assert space.parsed == []


def test_what_changed_in_the_store_is_read_again(space: _Space, talk: Path) -> None:
    (document,) = space.store.documents()
    turns, passages = space.store.turns(document.id), space.store.passages(document.id)
    other_turns = [replace(turn, speaker="Nobody") for turn in turns]
    for stored, spoken in (
        (titled(document, "The weir"), turns),
        (in_language(document, "de"), turns),
        (document, other_turns),
    ):
        space.store.put_document(stored, spoken, passages)
        made = space.ingest(talk)
        assert space.parsed == ["talk.txt"]
        assert bool(made.documents) == (spoken is not turns)
        space.ingest(talk)
        assert space.parsed == []


def test_a_file_elsewhere_is_read_and_a_copy_is_a_double(space: _Space, talk: Path) -> None:
    copy = space.write("copy.txt")
    made = space.ingest(talk, copy)
    assert space.parsed == ["copy.txt"]
    assert made.num_doubles == 1
    assert len(space.ingest(copy).moved) == 1  # its form may be told by its name
    assert space.parsed == ["copy.txt"]
    made = space.ingest(talk, copy)  # moved back
    assert len(made.moved) == made.num_doubles == 1


def test_refused_files_are_read_again(space: _Space) -> None:
    path = space.write("empty.txt", " ")
    for _ in range(2):
        assert len(space.ingest(path, space.folder / "none.txt").refused) == 2
        assert space.parsed == ["empty.txt", "none.txt"]


def test_marks_go_with_their_documents(space: _Space, talk: Path) -> None:
    (document,) = space.store.documents()
    assert list(json.loads(space.store.note(earlier_readings.NOTE))) == [document.id]
    space.store.delete_document(document.id)
    earlier_readings.keep_marks(space.store, {})
    assert space.store.note(earlier_readings.NOTE) == ""


def test_the_readers_version_is_of_all_that_readers_import() -> None:
    """Settings decide what a document is cut into, which is compared; a glossary is no source."""
    hashed = {reader.__name__ for reader in earlier_readings.READERS}
    hashed |= {"dynagrag.config", "dynagrag.graph_store.derived.glossary"}
    imported = {
        name
        for file in code_files(earlier_readings.READERS)
        if file.suffix == ".py"
        for name in re.findall(r"^ *(?:from|import) (dynagrag\.[\w.]+)", file.read_text(), re.M)
    }
    assert "dynagrag.core.text" in imported
    assert {
        name for name in imported if not any(f"{name}.".startswith(f"{own}.") for own in hashed)
    } == set()
    assert len(earlier_readings.reader_version()) == 32
