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


def _read(tmp_path: Path, name: str, text: str) -> list[tuple[str | None, str]]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return [(turn.speaker, turn.text) for turn in load_source(tmp_path / name).turns]


def _srt(*cues: str) -> str:
    return "\n".join(
        f"{n}\n00:00:{n:02},000 --> 00:00:{n:02},900\n{text}\n" for n, text in enumerate(cues)
    )


def test_a_label_behind_a_sentence_in_the_same_line_begins_another_voice(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        "a.srt",
        _srt(
            "NORA: Did you feed the hens?",
            "ILYA: I did. NORA: Both times?",
            "All of them, at six. ILYA: The notice says: never at noon.",
            "NORA: Fine! VET: May I come in?",
            "ILYA: Do. NORA: Mind the step.",
        ),
    )
    assert found == [
        ("NORA", "Did you feed the hens?"),
        ("ILYA", "I did."),
        ("NORA", "Both times?"),
        ("NORA", "All of them, at six."),
        ("ILYA", "The notice says: never at noon."),
        ("NORA", "Fine!"),
        ("VET", "May I come in?"),
        ("ILYA", "Do."),
        ("NORA", "Mind the step."),
    ]


def test_names_in_brackets_may_stand_above_what_is_said(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        "a.srt",
        _srt(
            "[NORA] Wo ist der Schlüssel?",
            "[ILYA]\nAm Haken.",
            "[Schritte]",
            "[NORA] Da ist er nicht.",
            "Da hängt der Hut.",
            "[ILYA]\nUnter dem Hut.",
            "[NORA] Ach so.",
        ),
    )
    assert [speaker for speaker, _ in found] == [
        "NORA", "ILYA", None, "NORA", "NORA", "ILYA", "NORA",
    ]  # fmt: skip
    assert found[1] == ("ILYA", "Am Haken.")


def test_classes_with_a_colour_each_are_voices(tmp_path: Path) -> None:
    head = (
        "WEBVTT\n\nSTYLE\n::cue(.nora) { color: #ff0; }\n\n"
        "STYLE\n::cue(c.ilya) {\n  background-color: black;\n  color: aqua;\n}\n"
    )
    said = [
        "<c.nora>Where is it?</c>",
        "<c.ilya>- On the hook.</c>\n<c.nora>- It\nis not.</c>",
        "[a door]",
        "<c.ilya>Then under the hat.</c>",
    ]
    cues = "".join(f"\n00:0{n}.000 --> 00:0{n}.900\n{text}\n" for n, text in enumerate(said))
    assert _read(tmp_path, "a.vtt", head + cues) == [
        ("nora", "Where is it?"),
        ("ilya", "- On the hook."),
        ("nora", "- It is not."),
        (None, "[a door]"),
        ("ilya", "Then under the hat."),
    ]
    one_colour = head.replace("aqua", "#ff0")
    assert {speaker for speaker, _ in _read(tmp_path, "b.vtt", one_colour + cues)} == {None}


def test_ttml_labels_begin_lines_within_a_cue(tmp_path: Path) -> None:
    cues = "".join(
        f'<p begin="{n}s" end="{n}.9s">{text}</p>'
        for n, text in enumerate(
            ["Nora: Did you feed<br/>the hens?<br/>Ilya: I did", "Nora: Both?<br/>Ilya: Both"]
        )
    )
    text = f'<tt xmlns="http://www.w3.org/ns/ttml"><body><div>{cues}</div></body></tt>'
    assert _read(tmp_path, "a.ttml", text) == [
        ("Nora", "Did you feed the hens?"),
        ("Ilya", "I did"),
        ("Nora", "Both?"),
        ("Ilya", "Both"),
    ]


def test_where_dashes_part_unnamed_voices_a_label_holds_for_its_sentence(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        "a.srt",
        _srt(
            "NORA: Who left the gate\nopen?",
            "- I did.\n- You?",
            "ILYA: It was the wind that",
            "came in at night.",
            "It always is.",
            "- Is it?\n- Yes.",
            "NORA: No.",
            "ILYA: Yes.",
        ),
    )
    assert found[4:7] == [
        ("ILYA", "came in at night."),
        (None, "It always is."),
        (None, "- Is it?"),
    ]


_COLOURS = "WEBVTT\n\nSTYLE\n::cue(.ben) { color: #ff0; }\n\nSTYLE\n::cue(.ida) { color: #0ff; }\n"


def _vtt(*cues: str) -> str:
    return _COLOURS + "".join(
        f"\n00:0{n}.000 --> 00:0{n}.900\n{text}\n" for n, text in enumerate(cues)
    )


def test_spans_within_a_voice_are_of_that_voice(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        "a.vtt",
        _vtt("<c.ben>Hi <c.yellow>you</c> and me.</c>", "<c.ida.bg_black>Hello.</c>"),
    )
    assert found == [("ben", "Hi you and me."), ("ida", "Hello.")]


def test_names_in_the_words_stand_before_classes(tmp_path: Path) -> None:
    said = ["<c.ben>Nora: Is it dry?</c>", "<c.ida>Ilya: It is.</c>"] * 3
    found = _read(tmp_path, "a.vtt", _vtt(*said))
    assert [speaker for speaker, _ in found] == ["Nora", "Ilya"] * 3


def test_few_cues_with_classes_name_nobody(tmp_path: Path) -> None:
    found = _read(
        tmp_path, "a.vtt", _vtt("<c.ben>Hi.</c>", "<c.ida>Hm.</c>", "So.", "It is.", "No.")
    )
    assert {speaker for speaker, _ in found} == {None}


def test_words_before_a_colon_within_a_line_are_no_label(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        "a.srt",
        _srt("Nora: It leaks. And note: at night.", "Ilya: I know.", "Nora: Do you?", "Ilya: Yes."),
    )
    assert found[0] == ("Nora", "It leaks. And note: at night.")
