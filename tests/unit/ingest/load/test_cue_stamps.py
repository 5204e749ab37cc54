"""Subtitles' times amid other text are times, whatever number or mark stands beside them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load.read import load_source

CUES = [
    (1, "00:00:00,000", "00:00:04,500", "The ferry is late, says the board."),
    (2, "00:00:04,500", "00:00:17,000", "Then we walk along the pier."),
    (3, "00:00:17,000", "00:00:29,250", "And count the gulls on the way."),
]
TURNS = [(0.0, 4.5, CUES[0][3]), (4.5, 17.0, CUES[1][3]), (17.0, 29.25, CUES[2][3])]
Writer = Callable[[int, str, str], str]
SHAPES: dict[str, Writer] = {
    "number": lambda n, a, b: f"{n} {a} --> {b}",
    "number in code": lambda n, a, b: f"`{n} {a} --> {b}`",
    "number in bold, in a list": lambda n, a, b: f"- **{n}** {a} --> {b}",
    "heading": lambda n, a, b: f"### {n} {a} --> {b}",
    "brackets": lambda n, a, b: f"[{n}] {a} -> {b}",
    "hash": lambda n, a, b: f"#{n} {a} → {b}",
    "full stop": lambda n, a, b: f"{n}. {a} – {b}",
    "bracket": lambda n, a, b: f"{n}) [{a} => {b}]",
    "stroke": lambda n, a, b: f"{n:03} | {a} --> {b} |",
    "behind": lambda n, a, b: f"{a} --> {b} ({n})",
    "word": lambda n, a, b: f"Cue {n}: {a} --> {b}",
    "settings": lambda n, a, b: f"{n} {a} --> {b} align:start position:0%",
    "number above": lambda n, a, b: f"{n}\n{a} --> {b}",
}


def load(tmp_path: Path, text: str, name: str) -> LoadedSource:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return load_source(tmp_path / name)


def cues(write: Writer) -> str:
    return "\n".join(f"{write(n, a, b)}\n{words}\n" for n, a, b, words in CUES)


def spans(source: LoadedSource) -> list[tuple[float | None, float | None, str]]:
    return [(turn.start_s, turn.end_s, turn.text) for turn in source.turns]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["talk.txt", "talk.srt"])
def test_a_cues_number_or_mark_beside_its_times_is_no_word(
    tmp_path: Path, shape: str, name: str
) -> None:
    assert spans(load(tmp_path, cues(SHAPES[shape]), name)) == TURNS


@pytest.mark.parametrize("shape", SHAPES)
def test_cues_below_a_heading_of_markdown_are_timed(tmp_path: Path, shape: str) -> None:
    source = load(tmp_path, f"# The pier\n\n{cues(SHAPES[shape])}", "talk.md")
    assert (source.title, spans(source)) == ("The pier", TURNS)


def test_cues_are_timed_wherever_they_begin_and_in_blocks_of_code(tmp_path: Path) -> None:
    head = "# The pier\n\nA walk.\n\nBy the sea.\n\nIn May.\n\n```srt\n"
    source = load(tmp_path, f"{head}{cues(SHAPES['number above'])}```\n", "talk.md")
    assert spans(source)[-3:] == TURNS
    assert [turn.text for turn in source.turns[:-3]] == ["A walk.", "By the sea.", "In May."]


def test_words_behind_a_numbered_stamp_are_its_words(tmp_path: Path) -> None:
    text = "\n".join(f"{n} {a} --> {b} {words}" for n, a, b, words in CUES)
    assert spans(load(tmp_path, text, "talk.txt")) == TURNS


def test_one_stamp_or_stamps_out_of_order_are_no_words(tmp_path: Path) -> None:
    one = load(tmp_path, "An essay.\n\nOn a film.\n\nLong.\n\n7 0:03 → 0:09\n\nIt ends.\n", "a.md")
    assert spans(one)[-1] == (3.0, 9.0, "It ends.")
    text = "".join(f"{n} {a} --> {b}\n{words}\n\n" for n, a, b, words in reversed(CUES))
    back = load(tmp_path, f"# Pier\n\n{text}", "b.md")
    assert spans(back) == TURNS[::-1]
    assert any("times run backwards" in note for note in back.notes)


def test_an_agenda_keeps_its_hours_and_a_numbered_speaker_stays_one(tmp_path: Path) -> None:
    agenda = "1. 9:00 – 10:30\nOpening.\n\n2. 10:30 – 11:00\nCoffee.\n\n3. 11:00 – 12:00\nBoats.\n"
    source = load(tmp_path, f"# Day\n\n{agenda}", "day.md")
    assert any("9:00 – 10:30" in turn.text for turn in source.turns)
    spoken = "".join(
        f"Speaker {1 + n % 2} {a} --> {b}\n{words}\n\n" for n, a, b, words in CUES
    ).replace(",", ".")
    labels = [turn.speaker for turn in load(tmp_path, spoken, "talk.txt").turns]
    assert labels == ["Speaker 2", "Speaker 1", "Speaker 2"]


def test_times_that_stay_among_words_are_noted(tmp_path: Path) -> None:
    source = load(tmp_path, "The storm, 0:03 --> 0:09, is loud.\n\nThen it rains.\n", "a.txt")
    assert "times among the words of 1 turn, such as 0:03 --> 0:09" in source.notes
