"""Every loader on files that no program writes: turns or a reason, in work that grows as the file
does. `make fuzz` goes on for longer.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hostile_files import FORMS, check_reading, docx_of, pdf_of
from hypothesis import HealthCheck, given, settings

from dynagrag.ingest.load import load_source


@pytest.mark.parametrize("form", FORMS)
def test_a_file_of_any_form_is_turns_or_a_reason(tmp_path: Path, form: str) -> None:
    suffix, files = FORMS[form]

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=files)
    def read(data: bytes) -> None:
        path = tmp_path / f"a{suffix}"
        path.write_bytes(data)
        check_reading(path)

    read()


def _num_lines_run(read: Callable[[], Any]) -> int:
    """How many lines of Python a call runs: work counted, not timed."""
    num_lines = 0

    def local(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal num_lines
        num_lines += event == "line"
        return local

    before = sys.gettrace()
    sys.settrace(lambda frame, event, arg: local)
    try:
        read()
    finally:
        sys.settrace(before)
    return num_lines


_ROW = "<w:tr><w:tc><w:tcPr><w:vMerge{}/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr>"
_GROWING: dict[str, Callable[[int], bytes]] = {
    "a.vtt": lambda n: b"WEBVTT\n\n" + b"00:01.000 --> 00:02.000\n<v Ann>x</v>\n<v Bob>y\n\n" * n,
    "a.srt": lambda n: b"1\n00:00:01,000 --> 00:00:02,000\nA: x\n" * n,
    "a.sbv": lambda n: b"0:00:01.000,0:00:02.000\nA: x\n\n" * n,
    "a.json": lambda n: (
        b'[{"text": "x", "start": 1, "speaker": {"name": "A"}}' + b', {"text": "y"}' * n + b"]"
    ),
    "words.json": lambda n: (
        b'{"results": {"transcripts": [{"transcript": "'
        + b"x. " * n
        + b'"}], "items": ['
        + b",".join(
            b'{"start_time": "%d", "alternatives": [{"content": "x."}], "speaker_label": "%d"}'
            % (at, at // 3 % 2)
            for at in range(n)
        )
        + b"]}}"
    ),
    "unknown.json": lambda n: (
        b'{"a": {"log": [' + b",".join([b'{"who": "A", "line": "x", "b": {"c": [1]}}'] * n) + b"]}}"
    ),
    "a.ttml": lambda n: b"<tt><body>" + b'<p begin="1s">a<br/>b</p>' * n + b"</body></tt>",
    "nested.ttml": lambda n: (
        b"<tt>" + b'<div begin="1s">' * n + b"<p>a</p>" + b"</div>" * n + b"</tt>"
    ),
    "a.smi": lambda n: b"<SAMI><BODY>" + b"<SYNC Start=1><P Class=E>x<P Class=F>y" * n,
    "a.ass": lambda n: (
        b"[Events]\n" + b"Dialogue: 0,0:00:01.00,0:00:02.00,D,A,0,0,0,,{\\i1}x\\Ny\n" * n
    ),
    "stamps.txt": lambda n: b"".join(
        b"@%dm%02ds +5s | Ann: Yes, [3m 2s] it is.\n" % divmod(at, 60) for at in range(n)
    ),
    "unread_stamps.txt": lambda n: b"".join(b"%05d.3> It is.\n" % (at * 7) for at in range(n)),
    "a.lrc": lambda n: b"[00:01.00][00:02.00]x\n" * n,
    "labels.txt": lambda n: b"0.5\t1.5\tx\n" * n,
    "a.csv": lambda n: b"start,text\n" + b"1,x,y,,\n" * n,
    "a.md": lambda n: b"**A** _0:01_ *x* [y](z)\n\n## h\n- i\n" * n,
    "otter.txt": lambda n: b"Anna  0:01\nHi.\n\n" * n,
    "clock.txt": lambda n: b"[1 2 3 - 1 2 4] A\nx\n# B\ny\n> z\n" * n,
    "spacelog.txt": lambda n: b"[00:00:00:01]\nA: [glossary:x|y]\nB: y\n" * n,
    "speakers.txt": lambda n: b"".join(b"ANNA B%d: x\n\nBOB: y\n" % i for i in range(n)),
    "nested.xml": lambda n: b"<transcript>" + b"<text>a" * n + b"</text>" * n + b"</transcript>",
    "flat.xml": lambda n: (
        b"<timedtext><body>" + b'<p t="1">a<s>b</s></p>' * n + b"</body></timedtext>"
    ),
    "unknown.xml": lambda n: (
        b"<a><b>"
        + b"".join(b'<c>A</c><d x="%d"/><e f="g">Yes. <h i="1">No</h></e>' % at for at in range(n))
        + b"</b></a>"
    ),
    "unknown_words.xml": lambda n: (
        b"<a>" + b"".join(b'<b c="A"><d e="%d">x.</d></b>' % at for at in range(n)) + b"</a>"
    ),
    "labels.srt": lambda n: b"".join(
        b"%d\n00:%02d:%02d,000 --> 00:%02d:%02d,900\nANNA %s: Is it you, BO? BO %s: Yes.\n\n"
        % (at, *divmod(at, 60), *divmod(at, 60), b"AB"[at % 2 :] * at, b"BA"[at % 2 :] * at)
        for at in range(n)
    ),
    "wide.tsv": lambda n: b"\n".join(
        [b"start\ttext" + b"\tx" * n, *(b"%d\tWell, then." % at + b"\t7" * n for at in range(9))]
    ),
    "nested.html": lambda n: b"<html><body>" + b"<div><b>x" * n,
    "closed.html": lambda n: b"<html><body>" + b"<table><td></p></li></b>x" * n,
    "merged.docx": lambda n: docx_of(
        "<w:tbl>" + _ROW.format(' w:val="restart"') + _ROW.format("") * n + "</w:tbl>"
    ),
    "paragraphs.docx": lambda n: docx_of("<w:p><w:r><w:t>x</w:t></w:r></w:p>" * n),
    "operators.pdf": lambda n: pdf_of(b"BT /A 9 Tf (word) Tj ET " * n),
}


@pytest.mark.parametrize("name", _GROWING)
def test_reading_a_file_twice_as_long_is_at_most_twice_the_work(tmp_path: Path, name: str) -> None:
    path = tmp_path / name

    def work(size: int) -> int:
        path.write_bytes(_GROWING[name](size))
        return _num_lines_run(lambda: load_source(path))

    work(80)  # imports and first uses
    small, middle, large = work(20), work(40), work(80)
    assert large - middle <= 2.2 * (middle - small) + 50


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("dropped.html", b"<html><body>x " + b"<i></i><svg></svg>" * 20_000),
        (
            "nested.xml",
            b"<transcript>" + b"<text>a" * 20_000 + b"</text>" * 20_000 + b"</transcript>",
        ),
        ("nested_p.xml", b"<timedtext>" + b"<p>a" * 20_000 + b"</p>" * 20_000 + b"</timedtext>"),
        (
            "wide.docx",
            docx_of(
                "<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan"
                ' w:val="90000000"/></w:tcPr>'
                "<w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
            ),
        ),
        ("pages.pdf", pdf_of(b"BT /A 9 Tf (a few words) Tj ET " * 100, num_pages=200)),
        ("forms.pdf", pdf_of(b"/F Do " * 400, form=b"BT /A 9 Tf (word) Tj ET " * 200)),
    ],
)
def test_a_small_file_that_asks_for_much_work_is_read_or_refused_at_once(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    start = time.process_time()
    source = check_reading(path)
    assert time.process_time() - start < 2
    assert "repeats its content" in source.refused if source.refused else len(source.turns) == 1


def test_signs_of_emphasis_without_an_end_cost_no_more_than_other_words(tmp_path: Path) -> None:
    path = tmp_path / "a.fountain"
    head = "INT. HALL - DAY\n\nANNA\nHi.\n\n"
    path.write_text(f"{head}BO\n{'*a _b ' * 100_000}\n\nANNA\n*Not* **very _well_**.\n")
    start = time.process_time()
    source = check_reading(path)
    assert time.process_time() - start < 2
    assert source.turns[-1].text == "Not very well."


def test_a_speaker_whose_name_has_no_end_is_nobody_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        json.dumps([{"speaker": "A" * 100_000, "text": "Hi."}, {"speaker": "Bo", "text": "Yes."}])
    )
    source = check_reading(path)
    assert [(turn.speaker, turn.text) for turn in source.turns] == [(None, "Hi."), ("Bo", "Yes.")]
    assert any("1 turn left to nobody" in note for note in source.notes)


def test_a_table_of_more_columns_than_any_tool_writes_is_read_by_its_first(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    header = ["start", "speaker", "text", *(f"c{at}" for at in range(20_000))]
    body = [[f"{at * 3}", "Ann", "Well, then.", *["7"] * 20_000] for at in range(9)]
    path.write_text("\n".join("\t".join(row) for row in [header, *body]))
    start = time.process_time()
    source = check_reading(path)
    assert time.process_time() - start < 4
    assert [(turn.speaker, turn.start_s) for turn in source.turns[:2]] == [("Ann", 0), ("Ann", 3)]
    assert any("and 19992 more" in note for note in source.notes)


def test_marks_that_no_reader_sees_leave_no_empty_turn_and_no_blank_at_an_end(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"text": "word \u200b", "speaker": "\ufeff"}, {"text": "\u200b"}]))
    assert [(turn.text, turn.speaker) for turn in check_reading(path).turns] == [("word", None)]
