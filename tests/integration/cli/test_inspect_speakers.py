"""`dynagrag inspect --speakers`: of files and of what a workspace holds, and names to take."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag import open_workspace

TALK = """Ann: Welcome to the show, and to our guest.
Ben: Thank you, Ben. It rains a lot here.
Ann: Hello, Ann. So it does.
"""
UNNAMED = """Speaker 1: Welcome to the show, and to our guest.
Speaker 3: Hi, I'm Ifeoma, and I run the lab.
Speaker 1: Thank you for the words.
"""


@pytest.fixture
def talks(tmp_path: Path, cli: Callable[..., Any], server: object) -> Path:
    """Two files, which the workspace `talks` holds."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "show.txt").write_text(TALK)
    (folder / "lab.txt").write_text(UNNAMED)
    assert cli("ingest", folder, "-w", "talks", "--extractor", "fast").code == 0
    return folder


def test_speakers_of_stored_documents_are_checked(talks: Path, cli: Callable[..., Any]) -> None:
    found = cli("inspect", "--speakers", "-w", "talks")
    assert found.code == 0, found.err
    assert "show\n  speakers doubtful:\n    Ben speaks to Ben: turn 2, Ben: Thank you" in found.out
    assert "Speaker 3 says to be Ifeoma" in found.out
    one = cli("inspect", "--speakers", "-w", "talks", "show")
    assert "Ben speaks to Ben" in one.out
    assert "Ifeoma" not in one.out
    row = cli("inspect", "--speakers", "-w", "talks", "lab", "--json").json
    assert (row["document"], row["doubtful"]) == ("lab", False)
    assert [(own["label"], own["name"]) for own in row["introduced"]] == [("Speaker 3", "Ifeoma")]


def test_a_document_or_a_workspace_that_is_not_there_is_an_error_with_a_remedy(
    talks: Path, cli: Callable[..., Any]
) -> None:
    unknown = cli("inspect", "--speakers", "-w", "talks", "nothing")
    assert (unknown.code, "`dynagrag documents` lists them" in unknown.err) == (2, True)
    assert cli("inspect", "--speakers", "-w", "nowhere").code == 1
    without = cli("inspect", "-w", "talks")
    assert (without.code, "add it" in without.err) == (2, True)
    nothing = cli("inspect")
    assert (nothing.code, "name files" in nothing.err) == (2, True)


def test_a_name_that_a_speaker_gives_is_offered_and_taken_as_it_is_offered(
    talks: Path, cli: Callable[..., Any]
) -> None:
    path = talks / "lab.txt"
    shown = cli("inspect", "--speakers", path)
    assert "Speaker 3 says to be Ifeoma: turn 2, “Hi, I'm Ifeoma, and I run the lab.”" in shown.out
    assert "`dynagrag ingest --speaker-map 'Speaker 3=Ifeoma'` takes the name" in shown.out
    pairs = ("--speaker-map", "Speaker 3=Ifeoma", "--speaker-map", "Speaker 1=Ann Lee")
    taken = cli("ingest", path, "-w", "talks", "--extractor", "fast", *pairs)
    assert taken.code == 0, taken.err
    assert "says to be" not in cli("inspect", "--speakers", "-w", "talks", "lab").out


def test_the_report_of_an_ingest_calls_speakers_by_the_names_they_were_given(
    talks: Path, cli: Callable[..., Any]
) -> None:
    pairs = ("--speaker-map", "Speaker 3=Ann Lee", "--speaker-map", "Speaker 1=Ann Lee")
    given = cli("ingest", talks / "lab.txt", "-w", "other", "--extractor", "fast", *pairs)
    assert "lab.txt: Ann Lee (3 turns, 21 words)" in given.out
    left_out = cli(
        *("ingest", talks / "lab.txt", "-w", "third", "--extractor", "fast"),
        *("--speaker-map", "Speaker 3=-", "--json"),
    )
    (read,) = left_out.json["files"]
    assert read["names"] == {"Speaker 3": ""}
    kept = cli("ingest", talks / "lab.txt", "-w", "third", "--extractor", "fast").out
    assert "Speaker 3 (1 turn" not in kept


def test_a_role_is_somebody_else_in_each_file_until_a_person_says_who(
    tmp_path: Path, cli: Callable[..., Any], server: object
) -> None:
    talk = "Interviewer: What do you make?\n\nInterviewee: {}\n\n" * 3
    files = [tmp_path / name for name in ("glass.txt", "dress.txt")]
    for path, made in zip(files, ("I blow glass in Murano.", "I sew coats."), strict=True):
        path.write_text(talk.format(*[made] * 3), encoding="utf-8")
    shown = cli("inspect", "--speakers", files[0]).out
    assert "roles, which are somebody else's in each file: Interviewee, Interviewer\n" in shown

    def speakers(workspace: str, *options: str) -> list[str]:
        done = cli("ingest", *files, "-w", workspace, "--extractor", "fast", *options)
        assert done.code == 0, done.err
        with open_workspace(workspace) as space:
            entities = space.graph().entities
        return sorted(entity.name for entity in entities if entity.is_speaker)

    assert speakers("apart") == ["Interviewee", "Interviewee", "Interviewer", "Interviewer"]
    joined = ("--speaker-map", "Interviewer=Ann Lee")
    assert speakers("joined", *joined) == ["Ann Lee", "Interviewee", "Interviewee"]
