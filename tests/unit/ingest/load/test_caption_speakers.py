"""Who speaks in captions that name speakers only where they change."""

from pathlib import Path

from dynagrag.ingest.load import load_source


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
    srt = "\n".join(f"{n}\n00:00:{n:02},000 --> 00:00:{n:02},900\n{text}\n" for n, text in enumerate(said))
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
