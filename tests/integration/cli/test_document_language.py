"""A document's language: found at ingest, shown, named by a person, kept."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GERMAN = """\
Anna: Der Haushalt der Stadt wurde gestern vom Rat beschlossen, und die Mühle wird neu gebaut.
Bernd: Die Kosten für den Umbau der Mühle sind noch nicht bekannt, sagte die Stadt gestern.
"""
ENGLISH = """\
Ann: The council has passed the budget of the town, and the mill is going to be rebuilt.
Ben: Nobody knows what it is going to cost, and we do not have the money for the bridge.
"""


@pytest.fixture
def rat(server: object, cli: Callable[..., Any], tmp_path: Path) -> Path:
    """A workspace of a German and an English talk, and their folder."""
    (tmp_path / "rat.txt").write_text(GERMAN, encoding="utf-8")
    (tmp_path / "council.txt").write_text(ENGLISH, encoding="utf-8")
    assert cli("ingest", str(tmp_path), "--extractor", "fast").code == 0
    return tmp_path


def languages(cli: Callable[..., Any]) -> dict[str, str]:
    return {row["title"]: row["language"] for row in cli("documents", "--json").json}


def test_the_language_is_found_and_shown(rat: Path, cli: Callable[..., Any]) -> None:
    assert languages(cli) == {"rat": "de", "council": "en"}
    assert "words, German, Anna, Bernd" in cli("documents").out
    shown = cli("inspect", str(rat / "rat.txt"))
    assert "words, German" in shown.out
    assert cli("inspect", str(rat / "rat.txt"), "--json").json["language"] == "de"


def test_a_language_that_a_person_names_stays(rat: Path, cli: Callable[..., Any]) -> None:
    done = cli("set-language", "rat", "Dutch")
    assert (done.code, done.out.strip().endswith("rat is in Dutch now")) == (0, True)
    assert languages(cli)["rat"] == "nl"
    again = cli("ingest", str(rat), "--extractor", "fast", "--json")
    assert again.code == 0, again.err
    (rat / "rat.txt").write_text(GERMAN + "Anna: Das war alles.\n", encoding="utf-8")
    assert cli("ingest", str(rat), "--extractor", "fast").code == 0
    assert languages(cli) == {"rat": "nl", "council": "en"}


def test_an_ingest_names_the_language_of_its_files(rat: Path, cli: Callable[..., Any]) -> None:
    named = cli(
        "ingest", str(rat / "rat.txt"), "--extractor", "fast", "--language", "Luxembourgish"
    )
    assert named.code == 2
    assert "unknown language 'Luxembourgish'; give its ISO 639-1 code" in named.err
    assert cli("ingest", str(rat / "rat.txt"), "--extractor", "fast", "--language", "da").code == 0
    assert languages(cli) == {"rat": "da", "council": "en"}


def test_what_cannot_be_a_language_is_refused(rat: Path, cli: Callable[..., Any]) -> None:
    for reference, language, reason in (
        ("rat", "xx", "unknown language 'xx'"),
        ("nobody", "de", "no document 'nobody'"),
    ):
        refused = cli("set-language", reference, language)
        assert refused.code == 2
        assert reason in refused.err
    assert languages(cli) == {"rat": "de", "council": "en"}
