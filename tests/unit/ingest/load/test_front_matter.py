"""Front matter names a document's title and day, and is nobody's words."""

from pathlib import Path

import pytest

from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load.read import load_source

TALK = "**Ida:** The gate sticks.\n\n**Odd:** Then we grease it.\n\n**Ida:** Before noon, please.\n"
TURNS = [
    ("Ida", "The gate sticks."),
    ("Odd", "Then we grease it."),
    ("Ida", "Before noon, please."),
]


def load(tmp_path: Path, text: str, name: str) -> LoadedSource:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return load_source(tmp_path / name)


def turns(source: LoadedSource) -> list[tuple[str | None, str]]:
    return [(turn.speaker, turn.text) for turn in source.turns]


@pytest.mark.parametrize("name", ["talk.md", "talk.txt"])
def test_title_and_day_are_the_documents_and_a_sections_heading_loses(
    tmp_path: Path, name: str
) -> None:
    head = "---\ntitle: 'The gate'\ndate: 2024-05-31\ntags: [lock, boats]\n---\n\n"
    source = load(tmp_path, f"{head}## Listen\n\n{TALK}", name)
    assert (source.title, source.meta["date"]) == ("The gate", "2024-05-31")
    assert turns(source) == [(None, "Listen"), *TURNS]
    assert "of its front matter not read: 'tags'" in source.notes
    assert source.labels[0].lines[0] == 9, "lines keep their numbers"


def test_a_heading_that_repeats_the_title_is_no_turn(tmp_path: Path) -> None:
    source = load(tmp_path, f"---\ntitle: The gate\n---\n# The gate\n\n{TALK}", "talk.md")
    assert (source.title, turns(source)) == ("The gate", TURNS)


def test_prose_captions_and_tables_have_the_title_of_their_front_matter(tmp_path: Path) -> None:
    head = "---\nTitle: The gate\n...\n"
    prose = load(tmp_path, f"{head}# A walk\n\nIt rains.\n", "a.md")
    assert (prose.title, turns(prose)) == ("The gate", [(None, "A walk"), (None, "It rains.")])
    cues = load(tmp_path, f"{head}1\n00:00:01,000 --> 00:00:03,000\nIt rains.\n", "b.txt")
    assert (cues.title, cues.turns[0].start_s) == ("The gate", 1.0)
    rows = "| Speaker | Text |\n| --- | --- |\n| Ida | It rains. |\n| Odd | So it does. |\n"
    table = load(tmp_path, f"{head}\n# Rain\n\n{rows}", "c.md")
    assert (table.title, table.turns[-1].speaker) == ("The gate", "Odd")


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2024-05-31T10:00:00Z", "2024-05-31"),
        ("31 mai 2024", "2024-05-31"),
        ("May 31, 2024", "2024-05-31"),
        ("05/06/2024", None),
        ("spring", None),
        ("2024-13-31", None),
    ],
)
def test_a_day_is_read_where_it_can_mean_one_alone_else_noted(
    tmp_path: Path, written: str, day: str | None
) -> None:
    source = load(tmp_path, f"---\ntitle: Gate\ndate: {written}\n---\n{TALK}", "a.md")
    assert source.meta.get("date") == day
    is_noted = any("isn't read; write it as 2024-05-31" in note for note in source.notes)
    assert is_noted is (day is None)


def test_front_matter_that_is_no_yaml_is_read_line_by_line(tmp_path: Path) -> None:
    source = load(tmp_path, f"---\ntitle: The gate: a day\nby: Ida\n---\n{TALK}", "a.txt")
    assert (source.title, turns(source)) == ("The gate: a day", TURNS)
    assert "its front matter is no YAML and was read line by line" in source.notes
    deep = load(tmp_path, f"---\ntitle: {'[' * 9000}\n---\n{TALK}", "b.md")
    assert deep.refused is None
    assert turns(deep)[-3:] == TURNS


@pytest.mark.parametrize("name", ["talk.md", "talk.txt"])
def test_talk_and_prose_between_rules_are_no_front_matter(tmp_path: Path, name: str) -> None:
    talk = "Ida: It rains.\n\nOdd: So it does.\n\nIda: All day.\n"
    spoken = load(tmp_path, f"---\n\n{talk}\n---\n\nOdd: Now it snows.\n", name)
    assert [turn.text for turn in spoken.turns if turn.speaker][:2] == ["It rains.", "So it does."]
    prose = load(tmp_path, "---\n\nA walk by the sea.\n\n---\n\nMore of it.\n", name)
    assert "A walk by the sea." in {turn.text for turn in prose.turns}
    records = "---\nspeaker: Ida\ntime: 0:0{0}\ntext: It rains in part {0}.\n"
    rows = load(tmp_path, "".join(records.format(n) for n in range(1, 5)), name)
    assert len(rows.turns) == 4 if name == "talk.txt" else rows.turns
