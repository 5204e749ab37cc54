"""Who speaks in captions that name speakers only where they change."""

from pathlib import Path

from dynagrag.ingest.load import load_source, turns_of


def test_srt_labels_at_a_change_of_speaker_hold_until_the_next_change(tmp_path: Path) -> None:
    said = [
        "welcome",
        "Anna Lee: hello",
        "and welcome.",
        "(Laughter)",
        "To all.",
        "Bob: hi",
        "- Who is that?",
        "me",
        "Anna: so",
        "10:30 it was",
        "Bob: yes",
        "Bob: (laughs)",
        "Anna: bye",
        ">> Stop!",
    ]
    srt = "\n".join(
        f"{n}\n00:00:{n:02},000 --> 00:00:{n:02},900\n{text}\n" for n, text in enumerate(said)
    )
    (tmp_path / "a.srt").write_text(srt, encoding="utf-8")
    found = [(turn.speaker, turn.text) for turn in load_source(tmp_path / "a.srt").turns]
    assert found == [
        (None, "welcome"),
        ("Anna Lee", "hello"),
        ("Anna Lee", "and welcome."),
        (None, "(Laughter)"),
        ("Anna Lee", "To all."),
        ("Bob", "hi"),
        (None, "- Who is that?"),
        (None, "me"),
        ("Anna", "so"),
        ("Anna", "10:30 it was"),
        ("Bob", "yes"),
        ("Bob", "(laughs)"),
        ("Anna", "bye"),
        (None, ">> Stop!"),
    ]


def test_two_dashes_go_on_with_the_same_speaker_and_one_begins_another(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    lines = [
        "Ann: It began because we did",
        "-- I think it was the first week of April.",
        "- Was it?",
        "Bob: Yes.",
        "--and so on.",
        "Ann: No.",
        "Bob: Yes.",
    ]
    path.write_text(
        "\n\n".join(
            f"{i}\n00:00:0{i},000 --> 00:00:0{i + 1},000\n{line}" for i, line in enumerate(lines)
        ),
        encoding="utf-8",
    )
    source = load_source(path)
    assert [turn.speaker for turn in source.turns] == [
        "Ann",
        "Ann",
        None,
        "Bob",
        "Bob",
        "Ann",
        "Bob",
    ]
    assert (
        turns_of(source)[0].text
        == "It began because we did -- I think it was the first week of April."
    )
