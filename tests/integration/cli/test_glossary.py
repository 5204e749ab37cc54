"""`ingest --glossary`: stored, in force in later ingests, listed, replaced, taken back, in backups;
refused before anything is done.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_SAID = [
    ("Maria", "Then the LM was cold. We switched the LM on, said Leo."),
    ("Leo", "I think the Lunar Module was cold before. And Eagle was the name of Aquarius."),
    ("Maria", "So we called Aquarius again. And we asked Houston about the LM."),
]


@pytest.fixture
def ingest(cli: Callable[..., Any], corpus: Any, server: object) -> Callable[..., Any]:
    """Ingests one transcript, with more arguments."""
    path = corpus.write("one.vtt", _SAID)
    return lambda *more: cli("ingest", path, "--extractor", "fast", "-y", *more)


@pytest.fixture
def glossary(tmp_path: Path) -> Path:
    path = tmp_path / "moon.csv"
    path.write_text(
        "term,aliases,definition\n"
        "Lunar Module,LM;Aquarius;Spider,It lands on the Moon.\n"
        "X,AGC\n"
        "Y,AGC\n"
    )
    return path


def _names(cli: Callable[..., Any], name: str) -> set[str]:
    shown = cli("graph", "show", name, "--json").json
    return {shown["name"], *shown["aliases"]}


def test_a_glossary_is_said_stored_and_listed(
    ingest: Callable[..., Any], cli: Callable[..., Any], glossary: Path
) -> None:
    said = ingest("--glossary", glossary)
    assert said.code == 0
    assert "glossary moon.csv: 3 terms, 5 aliases" in said.out
    assert "'agc' stands for several things (X, Y; lines 3, 4); it is left apart" in said.out
    assert _names(cli, "LM") == {"Lunar Module", "LM", "Aquarius", "Spider"}
    assert "It lands on the Moon." in cli("graph", "show", "Aquarius").out
    assert "glossary moon.csv: 3 terms, 5 aliases" in cli("graph", "edits").out
    listed = next(
        line for line in cli("graph", "stats").out.splitlines() if line.startswith("glossary")
    )
    assert [
        (g["name"], g["num_terms"]) for g in cli("graph", "stats", "--json").json["glossaries"]
    ] == [("moon.csv", 3)]
    undo = listed.partition("remove it with `dynagrag ")[2].rstrip("`").split()
    assert cli(*undo).code == 0
    assert _names(cli, "Aquarius") == {"Aquarius"}
    assert cli("graph", "stats", "--json").json["glossaries"] == []


@pytest.mark.parametrize(
    "command", [("show", "Spider"), ("near", "spider"), ("rename", "Spider", "Lander")]
)
def test_a_name_that_only_the_glossary_gives_finds_its_thing(
    ingest: Callable[..., Any], cli: Callable[..., Any], glossary: Path, command: tuple[str, ...]
) -> None:
    """No text holds it; `graph show` lists it under the thing's other names."""
    assert ingest("--glossary", glossary).code == 0
    done = cli("graph", *command)
    assert done.code == 0, done.err
    assert "Lunar Module" in done.out or "Lander" in done.out or "LM" in done.out


def test_terms_that_the_sources_do_not_name_are_told(
    ingest: Callable[..., Any], glossary: Path
) -> None:
    told = "2 of 3 terms of moon.csv named nothing that was found in the sources: 'X', 'Y'"
    assert told in ingest("--glossary", glossary).out
    assert ingest("--glossary", glossary, "--json").json["glossaries"][0]["not_found"] == ["X", "Y"]
    glossary.write_text("term,aliases\nLunar Module,LM\n")
    said = ingest("--glossary", glossary).out
    assert "glossary moon.csv: 1 term, 1 alias\n" in said
    assert "named nothing" not in said


def test_names_that_are_plain_words_in_the_sources_are_told(
    cli: Callable[..., Any], corpus: Any, server: object, glossary: Path
) -> None:
    said = [
        (
            "Maria",
            (
                f"So the court met in room {n}. And this was their {'fourth' if n < 2 else 'other'}"
                " try."
            ),
        )
        for n in range(9)
    ]
    path = corpus.write(
        "one.vtt", [(name, f"{text} {'Then Leo spoke with Houston. ' * 12}") for name, text in said]
    )
    glossary.write_text("term,aliases\nFourth Circuit,the Fourth\ncourt,Bench\n")
    done = cli("ingest", path, "--extractor", "fast", "-y", "--glossary", glossary)
    assert (
        "moon.csv has names that the sources use as plain words, which stand for the terms now:"
        " 'the Fourth';" in done.out
    )
    report = cli("ingest", path, "--extractor", "fast", "-y", "--glossary", glossary, "--json").json
    assert report["glossaries"][0]["plain_words"] == ["the Fourth"]
    glossary.write_text("term,aliases\nFourth Circuit,Fourth Cir.\n")
    assert (
        "plain words"
        not in cli("ingest", path, "--extractor", "fast", "-y", "--glossary", glossary).out
    )


def test_it_holds_in_later_ingests_and_is_stored_once(
    ingest: Callable[..., Any], cli: Callable[..., Any], corpus: Any, glossary: Path
) -> None:
    assert ingest().code == 0
    assert "LM" not in _names(cli, "Aquarius")
    assert ingest("--glossary", glossary).code == 0  # nothing new but the glossary
    assert ingest("--glossary", glossary).code == 0
    glossary.unlink()
    more = corpus.write("two.vtt", [("Ines", "Then Spider flew. And I saw Spider over Houston.")])
    assert cli("ingest", more, "--extractor", "fast", "-y").code == 0
    assert {"LM", "Spider"} <= _names(cli, "Aquarius")
    assert len(cli("graph", "edits", "--json").json) == 1


def test_a_file_of_the_same_name_takes_its_place(
    ingest: Callable[..., Any], cli: Callable[..., Any], glossary: Path
) -> None:
    assert ingest("--glossary", glossary).code == 0
    glossary.write_text("term,aliases\nLunar Module,LM\n")
    assert ingest("--glossary", glossary).code == 0
    assert _names(cli, "Aquarius") == {"Aquarius"}
    assert [edit["state"] for edit in cli("graph", "edits", "--json").json] == [
        "in force",
        "undone",
    ]


def test_it_goes_into_a_backup(
    ingest: Callable[..., Any],
    cli: Callable[..., Any],
    glossary: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ingest("--glossary", glossary).code == 0
    before = cli("graph", "stats", "--json").json
    assert cli("backup", tmp_path / "w.zip").code == 0
    monkeypatch.setenv("DYNAGRAG_HOME", str(tmp_path / "elsewhere"))
    assert cli("restore", tmp_path / "w.zip").code == 0
    after = cli("graph", "stats", "--json").json
    assert (after["digest"], after["glossaries"]) == (before["digest"], before["glossaries"])


def test_a_bad_glossary_is_refused_before_anything_is_done(
    ingest: Callable[..., Any], cli: Callable[..., Any], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("one,two\nx,y\n")
    assert f"glossary {bad}, line 1: the columns are 'one,two'" in ingest(
        "--glossary", bad
    ).complaint(1)
    assert "can't be read" in ingest("--glossary", tmp_path / "none.csv").complaint(1)
    assert cli("graph", "stats").code != 0  # no workspace was made


def test_two_files_of_one_name_are_refused_before_anything_is_done(
    ingest: Callable[..., Any], cli: Callable[..., Any], glossary: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other" / glossary.name
    other.parent.mkdir()
    other.write_text("term,aliases\nCapCom,Capsule Communicator\n")
    said = ingest("--glossary", glossary, "--glossary", other).complaint(2)
    assert "two glossaries are called 'moon.csv'" in said
    assert cli("graph", "stats").code != 0  # no workspace was made
    assert ingest("--glossary", glossary, "--glossary", glossary).code == 0
