"""The recording of a transcript: which file or address it is, and at which second the cited words
are.
"""

import wave
from pathlib import Path

import pytest

from dynagrag.core.schema import Document, Turn
from dynagrag.ui.ask.recording import (
    Recording,
    address_of,
    at_second,
    find_recording,
    read_recording,
    start_of,
)


def write_wav(path: Path, seconds: int) -> Path:
    with wave.open(str(path), "wb") as made:
        made.setparams((1, 1, 1000, 0, "NONE", ""))
        made.writeframes(b"\x80" * 1000 * seconds)
    return path


def turns(*times: float) -> list[Turn]:
    return [Turn(str(row), "d", row, row, row + 1, None, time) for row, time in enumerate(times)]


@pytest.mark.parametrize(
    ("transcript", "media"),
    [("talk.vtt", "talk.mp3"), ("talk.en.vtt", "talk.MP4"), ("talk.json", "talk.wav")],
)
def test_a_recording_is_found_beside_its_transcript_or_in_the_folder(
    tmp_path: Path, transcript: str, media: str
) -> None:
    uri = str(tmp_path / "texts" / transcript)
    folder = tmp_path / "sounds"
    folder.mkdir()
    (tmp_path / "texts").mkdir()
    assert find_recording(uri, folder) is None
    (folder / media).touch()
    assert find_recording(uri, None) is None
    assert find_recording(uri, folder) == folder / media
    (tmp_path / "texts" / media).touch()
    assert find_recording(uri, folder) == tmp_path / "texts" / media


def test_meetings_of_other_days_are_not_taken_for_one_nor_is_a_link_that_leads_away(
    tmp_path: Path,
) -> None:
    (tmp_path / "meeting.mp3").touch()
    assert find_recording(str(tmp_path / "meeting.2024-01-05.vtt"), None) is None
    assert find_recording(str(tmp_path / "meeting.pt-BR.vtt"), None) == tmp_path / "meeting.mp3"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "talk.mp3").symlink_to(tmp_path / "meeting.mp3")
    assert find_recording(str(tmp_path / "sub" / "talk.vtt"), None) is None
    assert find_recording(str(tmp_path / ("a" * 252 + ".md")), None) is None


def test_a_recording_tells_how_long_it_is(tmp_path: Path) -> None:
    assert read_recording(write_wav(tmp_path / "a.wav", 7)) == Recording(tmp_path / "a.wav", 7.0)


@pytest.mark.parametrize(
    "content", [b"", b"WEBVTT\n\nno sound at all", b"RIFF\x00\x00\x00\x00WAVE"]
)
def test_what_is_no_recording_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.wav").write_bytes(content)
    found = read_recording(tmp_path / "a.wav")
    assert found.error
    assert found.duration_s is None


HEADS = {
    ".webm": b"\x1aE\xdf\xa3\x9fB\x86\x81",
    ".ogv": b"OggS\x00\x02",
    ".mov": b"\x00\x00\x00\x14ftypqt  ",
    ".aac": b"\xff\xf1P\x80",
}


@pytest.mark.parametrize("suffix", HEADS)
def test_a_file_whose_length_is_not_read_is_known_by_its_first_bytes(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"a{suffix.upper()}"
    path.write_bytes(HEADS[suffix] + bytes(100))
    assert read_recording(path) == Recording(path, None)
    others = [head for other, head in HEADS.items() if other != suffix]
    for content in (
        b"",
        b"\xff",
        b"<html>no film</html>",
        b"\xff\xfb\x90\x00",
        b"\x00\x00\x00\x14",
        *others,
    ):  # the fourth is MP3
        path.write_bytes(content)
        assert f"is no {suffix} file" in read_recording(path).error


@pytest.mark.parametrize("head", [b"ID3\x04", b"ADIF", b"\xff\xf9"])
def test_sound_with_a_tag_before_it_is_sound(tmp_path: Path, head: bytes) -> None:
    (tmp_path / "a.aac").write_bytes(head + bytes(100))
    assert not read_recording(tmp_path / "a.aac").error


@pytest.mark.parametrize("atom", [b"moov", b"wide", b"mdat", b"free", b"skip"])
def test_older_quicktime_films_begin_with_other_atoms(tmp_path: Path, atom: bytes) -> None:
    (tmp_path / "a.mov").write_bytes(b"\x00\x00\x00\x08" + atom)
    assert not read_recording(tmp_path / "a.mov").error


@pytest.mark.parametrize(
    ("duration", "times", "at", "start", "said"),
    [
        (60.0, (0.0, 50.0), 50.0, 50.0, ""),
        (None, (0.0, 5000.0), 5000.0, 5000.0, ""),
        (600.0, (201_000.0, 201_500.0), 201_400.0, 400.0, "taken to begin at 55:50:00"),
        (60.0, (0.0, 300.0), 30.0, 30.0, "may not fit"),
        (60.0, (0.0, 300.0), 200.0, None, "is not in it"),
        (9000.0, (0.0, 50.0), 50.0, 50.0, ""),
    ],
)
def test_a_recording_shorter_than_its_transcript_is_told_of(
    duration: float | None, times: tuple[float, ...], at: float, start: float | None, said: str
) -> None:
    found, note = start_of(Recording(Path("a.wav"), duration), turns(*times), at)
    assert found == start
    assert said in note
    assert bool(said) == bool(note)


def test_the_address_is_what_the_file_says_or_that_of_the_video_which_names_it() -> None:
    def of(uri: str, **meta: str) -> str:
        return address_of(Document("d", "w", "t", uri, "s", "x", meta))

    assert of("/a/talk.json", media_url="https://example.org/a.mp3") == "https://example.org/a.mp3"
    assert of("/a/talk.json", media_url="javascript:alert(1)") == ""
    assert of("/a/Talk [dQw4w9WgXcQ].en.vtt") == "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
    assert of("/a/[short].vtt") == ""
    assert of("/a/talk.json", media_url="https://[bad") == ""


def test_an_address_opens_at_the_second() -> None:
    assert (
        at_second("https://www.youtube.com/watch?v=abc", 75.9)
        == "https://www.youtube.com/watch?v=abc&t=75s"
    )
    assert at_second("https://youtu.be/abc", 75) == "https://youtu.be/abc?t=75s"
    assert at_second("https://example.org/a.mp3#x", 75) == "https://example.org/a.mp3#t=75"
    assert at_second("https://notyoutube.com/a", -1) == "https://notyoutube.com/a#t=0"
