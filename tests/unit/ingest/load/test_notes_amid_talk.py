"""`(Applause)` and its like, amid what somebody says: nobody's, and the speaker goes on."""

from pathlib import Path

import pytest

from dynagrag.ingest.load import load_source

SAID = ("We built the mill in the spring of that year.", "It burned down in the autumn, sadly.")
NOTES = (
    "(Pause)",
    "[Laughter]",
    "(Long pause.)",
    "[crosstalk]",
    "(Beifall bei der SPD)",
    "(Rires.)",
    "(At this point the witness rests\nand drinks some water.)",
)


def _turns(path: Path, text: str) -> list[tuple[str | None, str]]:
    path.write_text(text)
    return [(turn.speaker, " ".join(turn.text.split())) for turn in load_source(path).turns]


@pytest.mark.parametrize("note", NOTES)
@pytest.mark.parametrize(
    ("head", "speakers"),
    [
        ("{}: ", ("ANN LEE", "BEN OAK")),
        ("**{}:** ", ("Ann Lee", "Ben Oak")),
        ("[00:0{}:01] {}: ", ("Ann Lee", "Ben Oak")),
        ("{}. ", ("M. Lee", "Mme Oak")),
        ("{}:\n", ("Ann Lee (SPD)", "Ben Oak (CDU/CSU)")),
    ],
)
def test_the_speaker_goes_on_behind_a_note(
    tmp_path: Path, head: str, speakers: tuple[str, str], note: str
) -> None:
    parts = []
    for number in range(6):
        name = speakers[number % 2]
        label = head.format(number, name) if head.count("{}") > 1 else head.format(name)
        parts.append(f"{label}{SAID[0]} That was {number}.\n\n{note}\n\n{SAID[1]} So be {number}.")
    turns = _turns(tmp_path / "talk.md", "\n\n".join(parts))
    expected = [
        own
        for number in range(6)
        for own in (
            (speakers[number % 2], f"{SAID[0]} That was {number}."),
            (None, " ".join(note.split())),
            (speakers[number % 2], f"{SAID[1]} So be {number}."),
        )
    ]
    assert turns[:-1] == expected[:-1]
    assert turns[-1][1] == expected[-1][1]


def test_of_several_notes_in_a_row_each_is_nobodys(tmp_path: Path) -> None:
    text = "\n\n".join(
        f"{name}: That was {number}. (Laughter.) [Applause] And now the mill (in May) (or June)."
        for number, name in enumerate(("Ann", "Ben", "Ann", "Ben"))
    )
    assert _turns(tmp_path / "talk.txt", text)[:4] == [
        ("Ann", "That was 0."),
        (None, "(Laughter.)"),
        (None, "[Applause]"),
        ("Ann", "And now the mill (in May) (or June)."),
    ]


@pytest.mark.parametrize(
    ("last", "speaker"),
    [("Thank you all for coming.", "Ann"), ("The sitting was closed at noon.", None)],
)
def test_last_words_behind_applause_are_the_speakers_where_they_address_somebody(
    tmp_path: Path, last: str, speaker: str | None
) -> None:
    text = "\n\n".join(
        f"{name}: I have a word to say on point {number}."
        for number, name in enumerate(("Ann", "Ben", "Ann", "Ben", "Ann"))
    )
    assert _turns(tmp_path / "talk.txt", f"{text}\n\n(Applause)\n\n{last}\n")[-1] == (speaker, last)
