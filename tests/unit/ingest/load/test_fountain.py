"""Screenplays in Fountain: who speaks, by the rules of the format."""

from pathlib import Path

from tests.loaded import load

SCRIPT = """Title: _**The Weir**_
Author: Ada Holm
Notes:
    A first draft.

.THE YARD

Rain on a tin roof. OTTO (50) waits.

OTTO
(to the dog)
You were *told* to stay.
(it doesn't)
So stay.

LENA (O.S.) (CONT'D)
Otto? /* cut: she shouts */ Are you [[check the name]] there?
{blank}
I can hear you.

@deForest ^
~La la la, the weir

!OTTO
!walks off.

CUT TO:

INT./EXT. VAN - DAY

# Act two

= They drive.

=====

LENA
It rains.

OTTO

Nobody speaks below a blank line.

> THE END <
"""


def test_names_parentheses_and_forced_marks_are_read_by_the_rules(tmp_path: Path) -> None:
    source = load(tmp_path, "weir.fountain", SCRIPT.replace("{blank}", "  "))
    assert (source.format, source.title) == ("fountain", "The Weir")
    assert [(turn.speaker, turn.text) for turn in source.turns] == [
        (None, "Title: The Weir Author: Ada Holm Notes: A first draft."),
        (None, "THE YARD"),
        (None, "Rain on a tin roof. OTTO (50) waits."),
        (None, "(to the dog)"),
        ("OTTO", "You were told to stay."),
        (None, "(it doesn't)"),
        ("OTTO", "So stay."),
        ("LENA", "Otto? Are you there? I can hear you."),
        ("deForest", "La la la, the weir"),
        (None, "OTTO walks off."),
        (None, "CUT TO:"),
        (None, "INT./EXT. VAN - DAY"),
        (None, "Act two"),
        (None, "They drive."),
        ("LENA", "It rains."),
        (None, "OTTO"),
        (None, "Nobody speaks below a blank line."),
        (None, "THE END"),
    ]
    assert "2 notes of its writer left out" in source.notes


def test_a_screenplay_saved_as_text_is_read_as_one(tmp_path: Path) -> None:
    text = (
        "EXT. QUAI - NUIT\n\nLa pluie.\n\nMARION\nTu viens ?\n\nLe bateau part.\n\nJULES (V.O.)\n"
        "Non.\n\nMarion rit.\n\nMARION\nMoi non plus.\n"
    )
    source = load(tmp_path, "quai.txt", text)
    assert [(turn.speaker, turn.text) for turn in source.turns if turn.speaker] == [
        ("MARION", "Tu viens ?"),
        ("JULES", "Non."),
        ("MARION", "Moi non plus."),
    ]
