"""A file's labels are data: what became of each, and why; what isn't taken is said."""

from pathlib import Path

import pytest

from dynagrag.core.schema import LabelDecision, LabelFate, LoadedSource
from dynagrag.ingest.load import load_source


def load(folder: Path, name: str, text: str) -> LoadedSource:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    source = load_source(path)
    assert source.refused is None, source.refused
    return source


def test_speakers_of_a_field_have_their_turns_words_and_first_times(tmp_path: Path) -> None:
    rows = ["0,Ann,one two", "3,Bob,three", "5,Ann,four", "7,Ann,five", "9,Ann,six", "11,,seven"]
    why = "the file's form has it as its speaker"
    assert load(tmp_path, "a.csv", "\n".join(["start,speaker,text", *rows])).labels == (
        LabelDecision("Ann", LabelFate.SPEAKER, why, 4, 5, (0.0, 5.0, 7.0)),
        LabelDecision("Bob", LabelFate.SPEAKER, why, 1, 1, (3.0,)),
    )


def test_each_label_of_a_text_has_its_fate_and_the_lines_where_it_stands(tmp_path: Path) -> None:
    text = (
        "Anna: It burned.\n\nBob: When?\n\nLinks:\n- https://x.org\n\nAnna: In May.\n\n"
        "Bob: I see.\n\nA word from Max: buy mills.\n\nAnna: Bye.\n"
    )
    source = load(tmp_path, "a.txt", text)
    made = [(d.text, d.fate, d.num_turns, d.num_words, d.lines) for d in source.labels]
    assert made == [
        ("Anna", LabelFate.SPEAKER, 3, 5, (1, 8, 14)),
        ("Bob", LabelFate.SPEAKER, 2, 3, (3, 10)),
        ("A word from Max", LabelFate.NOBODY, 1, 6, (12,)),
        ("Links", LabelFate.NOBODY, 1, 3, (5,)),
    ]
    assert source.notes == (
        "1 label may be no name, the words behind it are nobody's: 'A word from Max' (line 12)",
    )


def test_labels_of_captions_have_their_first_times(tmp_path: Path) -> None:
    words = ["Ann: Hi.", "Bob: Hi.", "Ann: Go on.", "Bob: No.", "Summary: it burned."]
    cues = [f"00:0{n}.000 --> 00:0{n}.900\n{text}\n" for n, text in enumerate(words)]
    source = load(tmp_path, "a.vtt", "WEBVTT\n\n" + "\n".join(cues))
    made = [(d.text, d.fate, d.num_turns, d.times_s) for d in source.labels]
    assert made == [
        ("Ann", LabelFate.SPEAKER, 2, (0.0, 2.0)),
        ("Bob", LabelFate.SPEAKER, 2, (1.0, 3.0)),
        ("Summary", LabelFate.NOBODY, 1, (4.0,)),
    ]
    assert source.turns[-1].speaker is None


@pytest.mark.parametrize(
    "odd",
    [
        "My last point: it was dark.",
        "Somebody at the back of the hall: louder, please.",
        "Some hon. members: Hear, hear.",
        "NOTE TO SELF: buy mills.",
        "  what i mean is: nothing.",
    ],
)
def test_words_behind_a_label_that_is_not_taken_are_never_the_last_speakers(
    tmp_path: Path, odd: str
) -> None:
    turns = ["Anna: It burned.", "Bob: When?", "Anna: In May.", odd, "Bob: I see."]
    for between in ("\n", "\n\n"):
        source = load(tmp_path, "a.txt", between.join(turns))
        speakers = [turn.speaker for turn in source.turns]
        assert speakers == ["Anna", "Bob", "Anna", None, "Bob"], between


def test_names_and_times_that_recur_and_are_not_taken_are_said_with_their_line(
    tmp_path: Path,
) -> None:
    prose = ["It was a long day, and nothing else happened until the evening came."] * 9
    named = [*prose[:3], "Anna: it burned.", *prose[:3], "Anna: yes.", *prose, "Anna: no."]
    assert load(tmp_path, "a.txt", "\n\n".join(named)).notes == (
        "no speaker taken, though 'Anna' stands before a colon 3 times, first in line 7; where"
        " such labels are speakers: --speaker-map Anna=Anna, for each of them",
    )
    timed = [*prose[:3], "[0:12] a noise", *prose[:3], "[0:45] a noise", *prose, "[1:30] the end"]
    assert load(tmp_path, "b.txt", "\n\n".join(timed)).notes == (
        "no time taken, though 3 lines have one, first line 7",
    )


def test_marks_of_direction_and_what_has_no_width_are_in_no_word_or_label(tmp_path: Path) -> None:
    source = load(
        tmp_path,
        "a.txt",
        "\u202bדנה\u200f: של\u2066ום.\u202c\n\n\ufeffאורי: ע\u200bל\u00adיך.\n\nדנה: כן.\n",
    )
    assert [(turn.speaker, turn.text) for turn in source.turns] == [
        ("דנה", "שלום."),
        ("אורי", "עליך."),
        ("דנה", "כן."),
    ]


@pytest.mark.parametrize(
    ("ids", "speakers"),
    [
        (['1 "Ann Lee" (99)', '2 "Bob" (7)', '3 "Ann Lee" (99)'], ["Ann Lee", "Bob", "Ann Lee"]),
        (["Ann Lee-0", "Bob-1", "Ann Lee-2"], ["Ann Lee", "Bob", "Ann Lee"]),
        (["Slide 1", "Slide 2", "Slide 3"], [None] * 3),
        (["cue-1", "cue-2", "cue-3"], [None] * 3),
        (["3fa85f64-5717-4562-b3fc/1-0", "3fa85f64-5717-4562-b3fc/2-0", "x"], [None] * 3),
    ],
)
def test_names_above_the_times_of_captions_are_speakers(
    tmp_path: Path, ids: list[str], speakers: list[str | None]
) -> None:
    cues = [f"{name}\n00:0{n}.000 --> 00:0{n}.900\nSo it is.\n" for n, name in enumerate(ids)]
    source = load(tmp_path, "a.vtt", "WEBVTT\n\n" + "\n".join(cues))
    assert [turn.speaker for turn in source.turns] == speakers


def test_another_voice_within_a_cue_is_not_the_named_one(tmp_path: Path) -> None:
    cues = ["ANN: Hi.\nBOB: Hello.", "ANN: How are you?\n- Fine.", "BOB: Good."]
    text = "\n".join(f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{c}\n" for n, c in enumerate(cues))
    source = load(tmp_path, "a.srt", text)
    assert [turn.speaker for turn in source.turns] == ["ANN", "BOB", "ANN", None, "BOB"]


def test_speakers_in_the_first_column_of_a_table_without_a_header(tmp_path: Path) -> None:
    import docx

    document = docx.Document()
    rows = [("Ann", "Hi."), ("Bob", "Hello."), ("Ann", "It burned."), ("Bob", "When?")]
    table = document.add_table(rows=len(rows), cols=2)
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    document.save(str(tmp_path / "a.docx"))
    made = [(turn.speaker, turn.text) for turn in load_source(tmp_path / "a.docx").turns]
    assert made == rows


def test_a_reporters_paragraphs_between_the_turns_are_nobodys(tmp_path: Path) -> None:
    told = "The mill at the weir is quiet now, and the yard that once was full of carts is empty."
    turns = ["Anna: It burned.", "Bob: When?", "Anna: In May."]
    text = [f"{told} Nobody has worked there since May.", *turns, "She laughs.", "Bob: And then?"]
    source = load(tmp_path, "a.txt", "\n\n".join(text))
    assert [turn.speaker for turn in source.turns] == [None, "Anna", "Bob", "Anna", None, "Bob"]
    assert "it begins without a name" in source.notes[0]


def test_who_speaks_once_below_another_heading_is_told_by_the_parts_of_a_name(
    tmp_path: Path,
) -> None:
    text = (
        "## Opening\n\n**Reeve Ada Holm:** Good evening.\n\n**The Salt Road:** A book.\n\n"
        "## Questions\n\n**Holm:** Who is first?\n\n**Per Aas:** I am.\n\n**Holm:** Go on.\n\n"
        "**Per Aas:** When will it open?\n\n**Holm:** In May.\n"
    )
    made = [(turn.speaker, turn.text) for turn in load(tmp_path, "a.md", text).turns]
    assert made[:3] == [
        ("Reeve Ada Holm", "Good evening."),
        (None, "The Salt Road: A book."),
        (None, "Questions"),
    ]
    assert {speaker for speaker, _ in made[3:]} == {"Holm", "Per Aas"}


def test_a_log_and_a_sentence_before_a_colon_name_nobody(tmp_path: Path) -> None:
    log = tmp_path / "app.txt"
    rows = [("INFO scheduler", "starting"), ("WARN backup", "file locked"), ("INFO backup", "ok")]
    log.write_text(
        "".join(f"2024-02-11 03:00:0{n} {w}: {t}\n" for n, (w, t) in enumerate(rows * 3))
    )
    assert {turn.speaker for turn in load_source(log).turns} == {None}
    talk = tmp_path / "talk.txt"
    said = "Frau Voss, Sie waren dabei. Ich sage es so: Wir haben es alle verschlafen."
    talk.write_text(f"Karin Voss:\nGuten Morgen.\n\nOtto Lenz:\nDanke.\n\n{said}\n\n" * 3)
    source = load_source(talk)
    assert {turn.speaker for turn in source.turns} <= {"Karin Voss", "Otto Lenz", None}
    assert said in " ".join(turn.text for turn in source.turns)
