"""Times in shapes that a program made up: read where they run forward, else noted."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load.read import load_source

TALK = [
    (4, "Ines Roth", "The lock gate sticks again, I see."),
    (9, "Odd Berg", "Is it the hinge or the weed?"),
    (16, "Ines Roth", "The hinge. It has no grease left."),
    (62, "Odd Berg", "Then we grease it before noon."),
    (71, "Ines Roth", "And count the boats while we wait."),
    (130, "Odd Berg", "Eleven so far, and a raft."),
]
Writer = Callable[[int, str, str], str]


def load(tmp_path: Path, lines: list[str], name: str = "talk.txt") -> LoadedSource:
    (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return load_source(tmp_path / name)


def written(write: Writer) -> list[str]:
    return [write(*own) for own in TALK]


@pytest.mark.parametrize(
    "write",
    [
        lambda s, who, text: f"@{s // 60:02}m{s % 60:02}s +3s | {who}: {text}",
        lambda s, who, text: f"@{s // 60:02}m{s % 60:02}s +3s | {who} | {text}",
        lambda s, who, text: f"[{s // 60}m{s % 60}s] {who}: {text}",
        lambda s, who, text: f"[0h{s // 60}m{s % 60}s]\n{who}: {text}\n",
        lambda s, who, text: f"<{s // 60:02}:{s % 60:02}> {who}: {text}",
        lambda s, who, text: f"{{{s // 60:02}:{s % 60:02}}} {who}: {text}",
        lambda s, who, text: f"t={s}.0s {who}: {text}",
        lambda s, who, text: f"offset={s * 1000}ms {who}: {text}",
        lambda s, who, text: f"T+{s // 60:02}:{s % 60:02} {who}: {text}",
        lambda s, who, text: f"{who} (t={s}s): {text}",
        lambda s, who, text: f"{who}: {text} [{s // 60}m {s % 60}s]",
        lambda s, who, text: f"{s // 60}\u2032{s % 60:02}\u2033 {who}: {text}",
        lambda s, who, text: f"{s // 60} min {s % 60} sec - {who}: {text}",
        lambda s, who, text: f"00:{s // 60:02}:{s % 60:02};00 {who}: {text}",
        lambda s, who, text: f"00_{s // 60:02}_{s % 60:02} {who}: {text}",
        lambda s, who, text: f"[{s}.0s - {s + 3}.0s] {who}: {text}",
        lambda s, who, text: f"{s}s > {who}: {text}",
    ],
)
@pytest.mark.parametrize("name", ["talk.txt", "talk.md"])
def test_stamps_of_any_shape_are_times(tmp_path: Path, write: Writer, name: str) -> None:
    source = load(tmp_path, written(write), name)
    turns = [(turn.start_s, turn.speaker, turn.text) for turn in source.turns]
    assert turns == TALK
    assert any("times read from marks such as" in note for note in source.notes)


def test_a_length_behind_a_stamp_says_when_it_ends(tmp_path: Path) -> None:
    source = load(tmp_path, written(lambda s, who, text: f"@{s}s +2.5s {text}"))
    assert [turn.end_s for turn in source.turns] == [s + 2.5 for s, _, _ in TALK]


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ([f"@{s}s {who}: {text}" for s, who, text in reversed(TALK)], 1),
        (["A walk by the lock", "", *(f"{s:05}.3> {text}" for s, _, text in TALK)], 3),
        ([f"00.00.{s:02} {text}" for s, _, text in TALK[:3]], 1),
        ([f"c{s}/{s + 3} {text}" for s, _, text in TALK], 1),
    ],
)
def test_marks_like_clocks_that_are_not_read_are_noted_with_their_line(
    tmp_path: Path, lines: list[str], line: int
) -> None:
    source = load(tmp_path, lines)
    assert {turn.start_s for turn in source.turns} == {None}
    notes = [own for own in source.notes if own.startswith("clock-like marks recur")]
    assert len(notes) == 1
    assert f": line {line} (" in notes[0]


@pytest.mark.parametrize(
    "lines",
    [
        ["12m04s Ida Holm", "12m09s Per Dahl", "12m31s Ulf Ek", "13m02s Eva Lind"],
        [f"1.{n} The gate is part {n} of the lock." for n in range(1, 9)],
        [f"[{n}] Roth, I. The lock gate. Kiel." for n in range(1, 9)],
        [f"{year}. A gate was built." for year in (1911, 1925, 1950, 1981)],
        ["- Boil it (5m 30s).", "- Stir (2m 10s).", "- Let it rest.", "- Serve (1m 5s)."],
    ],
)
def test_counts_results_and_years_are_no_times(tmp_path: Path, lines: list[str]) -> None:
    source = load(tmp_path, lines)
    assert {turn.start_s for turn in source.turns} == {None}
    words = " ".join(turn.text for turn in source.turns)
    assert all(word in words for line in lines for word in line.split()[1:])
