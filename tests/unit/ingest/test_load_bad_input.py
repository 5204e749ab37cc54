"""Bad files: each is refused with one line that says what is wrong and what to do, quickly, and
nothing raises.
"""

import os
import time
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynagrag.ingest.load import find_sources, inspect_row, load_source, read
from dynagrag.ingest.load.parsed import Parsed

_SLOW, _LINEAR = 2, 6
"""On a slow machine reading may take so many times its bound, if four times the text take no more
than so many times longer: four times are linear, sixteen the square.
"""

CUE = "1\n00:00:01,000 --> 00:00:02,000\n"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", b"", "is empty"),
        ("a.vtt", b" \n\n", "is empty"),
        ("a.txt", bytes(range(256)) * 40, "binary file"),
        ("a.txt", b"\0" * 1000, "binary file"),
        (
            "a.txt",
            bytes((i * 7919) % 128 + 128 for i in range(3000)),
            "encoding that is not recognised",
        ),
        ("a.txt", b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "PNG image"),
        ("a.mp3", b"ID3\x03\0\0\0" + b"\0" * 600, "transcribe it first"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "save it as DOCX"),
        (
            "a.vtt",
            b"WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n\n00:03.000 --> 00:0x.000\nYou\n",
            "line 6: malformed cue timing '00:03.000 --> 00:0x.000'",
        ),
        ("a.vtt", b"WEBVTT\n\n00:01.000 -> 00:02.000\nHi\n", "line 3: malformed cue timing"),
        ("a.vtt", b"WEBVTT\n\n", "no cue"),
        ("a.vtt", b"not a caption file", "named .vtt"),
        ("a.srt", b"1\n00:00:01,000 --> \nHi\n", "line 2: malformed cue timing"),
        ("a.srt", b"just words", "named .srt"),
        (
            "a.sbv",
            b"0:00:01.000,0:00:02.000\nHi\n\n0:00:03.000,0:0y\nYou\n",
            "line 4: malformed cue timing",
        ),
        ("a.json", b'{"segments": [\n{"text": }]}', "line 2, column 10"),
        ("a.json", b"no json", "malformed JSON at line 1"),
        ("a.json", b"[" * 100_000, "nested too deeply"),
        ("a.json", b'{"text": ' + b"9" * 5000 + b"}", "malformed JSON"),
        (
            "a.json",
            b'{"foo": 1, "bar": []}',
            "not a transcript: its keys are foo, bar; known are a list of {speaker",
        ),
        ("a.json", b'[{"name": "x"}]', "records with the keys name"),
        ("a.json", b"[1, 2]", "a list of int"),
        ("a.json", b'"words"', "not a transcript: a JSON str"),
        ("a.json", b'{"segments": []}', "list of segments is empty"),
        ("a.json", b'[{"text": "a"}, 7]', "turns[1] is '7'"),
        (
            "a.json",
            b'{"segments": [{"text": "a", "start": "soon"}]}',
            "segments[0].start is no time (found 'soon')",
        ),
        ("a.json", b'{"segments": [{"text": ["a"]}]}', "segments[0].text"),
        ("a.csv", b"a,b\n1,2\n", "no column for the text (found 'a', 'b')"),
        ("a.csv", b'start,text\n1,ok\n2,"never closed\n', "malformed CSV before line 3"),
        ("a.csv", b"start,text\nsoon,hello\n", "line 2: 'soon' is no time"),
        ("a.xml", b"<a><b></a>", "malformed XML at line 1"),
        ("a.xml", b"<other><p>x</p></other>", "root 'other'"),
        (
            "a.xml",
            b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><transcript>&a;</transcript>',
            "XML entities",
        ),
        ("a.pdf", b"%PDF-1.4\ngarbage", "broken PDF; open it and save it again"),
        ("a.pdf", b"words", "named .pdf"),
        ("a.docx", b"PK\x03\x04garbage", "broken zip or DOCX"),
        ("a.docx", b"words", "named .docx"),
        ("a.html", b"<html><script>x</script></html>", "holds no words"),
    ],
)
def test_a_bad_file_is_refused_with_its_reason_in_one_line(
    tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    source = load_source(path)
    assert source.refused is not None
    assert reason in source.refused
    assert "\n" not in source.refused
    assert source.turns == ()
    assert inspect_row(source)["refused"] == source.refused


@pytest.mark.parametrize(
    ("name", "head", "tail"),
    [
        ("a.txt", "", ""),
        ("a.md", "# T\n\n", ""),
        ("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n", "\n"),
        ("a.srt", CUE, "\n"),
        ("a.csv", "start,text\n1,", "\n"),
        ("a.json", '[{"text": "', '"}]'),
        ("a.html", "<p>", "</p>"),
        ("a", "", ""),
    ],
)
def test_a_line_of_50_mb_is_refused_within_seconds(
    tmp_path: Path, name: str, head: str, tail: str
) -> None:
    path = tmp_path / name

    def refused_after(num_words: int) -> float:
        path.write_text(head + "word " * num_words + tail)
        start = time.process_time()
        source = load_source(path)
        assert source.refused is not None
        assert "at most" in source.refused
        return time.process_time() - start

    took = refused_after(10_000_000)
    assert took < 10 * _SLOW
    assert took < 10 or took < _LINEAR * refused_after(2_500_000)


def test_a_file_over_the_limit_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with path.open("wb") as file:
        file.truncate(200_000_001)
    start = time.process_time()
    assert "200,000,001 bytes" in (load_source(path).refused or "")
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<v ",
        "<b ",
        "[",
        "[a](",
        "![",
        "**",
        "*",
        "_",
        "`",
        "# ",
        "> ",
        "{",
        '"',
        "(",
        "a:",
        "A: ",
        "&",
        "- ",
        "|",
        "\\",
        "=",
        "\t",
        " ",
        "0:0",
        "00:00:0",
        "-->",
        "00:01.000 --> ",
        "A1:",
        "a  1:11 ",
        "\n- ",
        "\n**a",
        "A B: x\n",
        "\n1\n",
        "[1 1 1 ",
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.vtt", "a.csv", "a.html", "a.json"])
def test_no_repeated_sign_makes_reading_slow(tmp_path: Path, name: str, piece: str) -> None:
    head = {"a.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n", "a.csv": "start,text\n1,"}.get(name, "")
    path = tmp_path / name

    def read_in(size: int) -> float:
        path.write_text(head + "x" + piece * (size // len(piece)) + "\nx")
        start = time.process_time()
        load_source(path)
        return time.process_time() - start

    took = read_in(100_000)
    assert took < 2 * _SLOW
    assert took < 2 or took < _LINEAR * read_in(25_000)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (os.mkdir, "is a folder"),
        (os.mkfifo, "no regular file"),
        (lambda p: None, "could not be opened: no such file"),
    ],
)
def test_what_is_no_file_is_refused_unopened(tmp_path: Path, make: object, reason: str) -> None:
    path = tmp_path / "a.vtt"
    make(path)  # type: ignore[operator]
    assert reason in (load_source(path).refused or "")


def test_a_device_and_a_link_to_itself_are_refused(tmp_path: Path) -> None:
    assert "no regular file" in (load_source(Path("/dev/zero")).refused or "")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert "could not be opened" in (load_source(loop).refused or "")


def test_no_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("words")
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)  # root may read everything
    try:
        assert "permission denied; change its permissions" in (load_source(path).refused or "")
    finally:
        os.seteuid(user)


@pytest.mark.parametrize(
    ("member", "kind"),
    [
        ("xl/workbook.xml", "Excel workbook"),
        ("ppt/a.xml", "PowerPoint"),
        ("content.xml", "OpenDocument"),
        ("readme.txt", "zip archive"),
    ],
)
def test_a_zip_that_is_no_docx_says_what_it_is(tmp_path: Path, member: str, kind: str) -> None:
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, "x")
    assert kind in (load_source(path).refused or "")


def test_a_zip_bomb_is_refused_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("word/document.xml", b"\0" * 200_000_001)
    start = time.process_time()
    assert "to 200,000,001 bytes" in (load_source(path).refused or "")
    assert time.process_time() - start < 1


_PIECES = st.sampled_from(
    [
        "WEBVTT",
        "\n",
        "\n\n",
        "00:00:01.000 --> 00:00:02.000",
        "00:00:01,000 --> ",
        "0:00:01.000,0:00:02.000",
        "<v Ann>",
        "</v>",
        "Ann: hi",
        "1",
        "[55 46 11 -",
        "] CDR",
        "[00:00:00:01]",
        "_page : 1",
        "Ann  0:01",
        "0:01",
        "**Ann** _0:01_",
        "# T",
        "{",
        "}",
        "[",
        "]",
        '"text"',
        ":",
        ",",
        '"',
        "start,text",
        "<p>",
        "<?xml",
        "<transcript>",
        "%PDF-",
        "PK\x03\x04",
        "\ufeff",
        "\0",
        "é",
        "\u2028",
        " ",
        "\t",
        "-",
        "> x",
        "---",
        "===",
        "word",
    ]
)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(str.encode),
        st.lists(_PIECES, max_size=25).map(lambda parts: "".join(parts).encode()),
    ),
    suffix=st.sampled_from(
        [
            "",
            ".txt",
            ".vtt",
            ".srt",
            ".sbv",
            ".json",
            ".jsonl",
            ".csv",
            ".md",
            ".html",
            ".xml",
            ".pdf",
            ".docx",
        ]
    ),
)
def test_any_bytes_under_any_name_are_turns_or_a_reason_and_never_raise(
    tmp_path: Path, data: bytes, suffix: str
) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(data)
    source = load_source(path)
    assert (source.refused is None) == bool(source.turns)
    for turn in source.turns:
        assert turn.text == " ".join(turn.text.split())
        assert turn.text
        assert "\0" not in turn.text + (turn.speaker or "")
        (turn.text + (turn.speaker or "")).encode("utf-8")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nx {} y\n"),
        ("a.md", "x {} y"),
        ("a.xml", "<transcript><text start='1'>x &amp;{} y</text></transcript>"),
    ],
)
@pytest.mark.parametrize("number", ["#" + "9" * 5000 + ";", "#x" + "f" * 5000 + ";"])
def test_a_reference_to_no_character_is_one_that_is_replaced(
    tmp_path: Path, name: str, content: str, number: str
) -> None:
    path = tmp_path / name
    path.write_text(content.format(number if name == "a.xml" else "&" + number))
    source = load_source(path)
    assert [turn.text for turn in source.turns] == ["x \ufffd y"], source.refused


def test_a_parser_that_fails_refuses_its_file_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(lines: list[str]) -> Parsed:
        raise ValueError(f"of {len(lines)}\nlines")

    monkeypatch.setitem(read._LINE_PARSERS, "spacelog", fail)
    (tmp_path / "a.txt").write_text("[00:00:00:01]\nA: x\n")
    (tmp_path / "b.txt").write_text("words")
    bad, good = (load_source(path) for path in find_sources([tmp_path]).files)
    assert (
        bad.refused
        == "could not be read as spacelog (ValueError: 'of 3 lines'); save it as plain text, and"
        " report the file"
    )
    assert good.refused is None


def test_a_folder_that_may_be_listed_but_not_entered_stops_no_other() -> None:
    user = os.geteuid()
    with (
        TemporaryDirectory() as place
    ):  # pytest's own folders are closed to the user that root becomes here
        closed = Path(place, "closed")
        closed.mkdir()
        (closed / "a.txt").write_text("words")
        Path(place, "b.txt").write_text("words")
        Path(place).chmod(0o755)
        closed.chmod(0o744 if user == 0 else 0o400)
        if user == 0:
            os.seteuid(65534)
        try:
            found = [load_source(path) for path in find_sources([place]).files]
        finally:
            os.seteuid(user)
            closed.chmod(0o700)
    assert [source.refused and source.refused.partition(";")[0] for source in found] == [
        None,
        "could not be opened: permission denied",
    ]


def test_a_docx_without_its_parts_is_broken_in_plain_words(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
        archive.writestr("word/document.xml", "<x/>")
    assert load_source(tmp_path / "a.docx").refused == "broken DOCX; open it and save it again"
