"""Files as no program writes them, by form: built of each form's own parts, of hostile words, and
of too much of either.

`check_reading` is what every file must pass: turns or one line of reason, no more words than the
file can hold, and the same on the way to passages.
"""

import io
import json
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from hypothesis import strategies as st

from dynagrag.config.settings import CHUNK_PROFILES
from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load import load_source
from dynagrag.ingest.split import chunk_passages, make_document, split_passages

PACKED = {".docx": 2000, ".pdf": 200}
"""How many letters a byte of a packed file may hold."""
_UNEXPECTED = "could not be read as"
_WORDS = st.one_of(
    st.sampled_from(
        [
            *(
                "word",
                "Anna",
                "Hello there.",
                "1",
                "0:01",
                "00:00:01",
                "-",
                "é",
                "日本",
                "\u2028",
                "\x85",
                "\x1b[2J",
                "\0",
                "\ufeff",
            ),
            *(
                "&#" + "9" * 5000 + ";",
                "&#x" + "f" * 5000,
                "&#0;",
                "&#xd800;",
                "&amp;#39;",
                "&lt;b&gt;",
                "&",
                "&nosuch;",
                "&#",
            ),
            *(
                "<b>",
                "</b>",
                "<v Ann>",
                "</v>",
                "<c.x.y>",
                "<",
                ">",
                "<!--",
                "<![CDATA[",
                "{\\an8}",
                "{",
                "}",
                "[glossary:x|",
                "[",
                "]",
            ),
            *(
                "**",
                "__",
                "`",
                "[a](b)",
                "![",
                '"',
                '""',
                "'",
                ",",
                ";",
                "|",
                "\t",
                "9" * 400,
                "1e999",
                "NaN",
                "-1",
                "\ud800",
            ),
        ]
    ),
    st.text(max_size=8),
)
_TEXT = st.lists(_WORDS, max_size=5).map(" ".join)
_TIME = st.one_of(
    st.sampled_from(
        [
            "00:00:01.000",
            "00:00:01,000",
            "0:01",
            "9999:59:59.999",
            "00:0x.000",
            "",
            "-1",
            "1e99",
            "99" * 30,
            "٣:٠١",
            "1,5",
        ]
    ),
    st.integers(-5, 10**6).map(str),
)
_NAME = st.sampled_from(
    ["Anna", "BOB", "Dr. Lee (chair)", "??", "", "a:b", "Ann " * 20, "<b>", "&#" + "1" * 5000 + ";"]
)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _blocks(
    block: st.SearchStrategy[str], head: str = "", tail: str = ""
) -> st.SearchStrategy[bytes]:
    """Blocks between a head and a tail, the last block many times."""

    def joined(blocks: list[str], times: int) -> bytes:
        return _bytes(head + "".join(blocks) + (blocks[-1] * times if blocks else "") + tail)

    return st.builds(joined, st.lists(block, max_size=4), st.sampled_from([0, 0, 1, 30]))


def _lines(form: str, **parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.fixed_dictionaries(parts).map(lambda found: form.format(**found))


_SAID: dict[str, st.SearchStrategy[str]] = {"a": _TIME, "b": _TIME, "name": _NAME, "text": _TEXT}
_KEYS = (
    *("results", "channels", "alternatives", "words", "items", "monologues", "elements", "word"),
    *("speaker_labels", "offset", "duration", "timestamp", "events", "segs", "utf8", "channel"),
    *(
        "text",
        "body",
        "message",
        "transcript",
        "content",
        "utterance",
        "text_blocks",
        "speaker",
        "source",
        "name",
        "start",
        "startTime",
    ),
    *("end", "stop", "turns", "segments", "utterances", "sections", "case", "title", "annotations"),
)
_JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _TEXT, _TIME, st.just(10**400)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5)
    ),
    max_leaves=20,
)
_RECORDS = st.lists(
    st.dictionaries(st.sampled_from(_KEYS), st.one_of(_TEXT, _TIME, _JSON), max_size=5), max_size=4
)
_TRANSCRIPT = st.one_of(
    _RECORDS,
    _JSON,
    st.builds(
        lambda key, records: {key: records},
        st.sampled_from(
            ["turns", "segments", "utterances", "results", "words", "monologues", "events", "data"]
        ),
        _RECORDS,
    ),
    st.builds(
        lambda parts: {"transcript": {"sections": [{"turns": part} for part in parts]}},
        st.lists(_RECORDS, max_size=3),
    ),
)


def _tree(
    tags: tuple[str, ...], attributes: st.SearchStrategy[str], text: st.SearchStrategy[str]
) -> st.SearchStrategy[str]:
    """Nested elements, as often as not one in itself many times."""

    def wrapped(tag: str, held: list[str], inner: str, times: int) -> str:
        return f"<{tag}{held[0]}>" * times + inner + f"</{tag}>" * times

    def around(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        held = st.lists(attributes, min_size=1, max_size=1)
        one = st.builds(
            wrapped, st.sampled_from(tags), held, inner, st.sampled_from([1, 1, 1, 2, 40])
        )
        return st.lists(one, max_size=4).map("".join)

    return st.recursive(text, around, max_leaves=12)


_XML_TEXT = _TEXT.map(lambda text: escape(text.replace("\0", "")))
_YOUTUBE = st.builds(
    "<{0}>{1}</{0}>".format,
    st.sampled_from(["transcript", "timedtext", "other"]),
    _tree(
        ("text", "p", "s", "body", "b"),
        st.builds(
            ' {}="{}" {}="{}"'.format,
            st.sampled_from(["start", "t"]),
            _TIME.map(escape),
            st.sampled_from(["dur", "d"]),
            _TIME.map(escape),
        ),
        _XML_TEXT,
    ),
)
_HTML = _tree(
    (
        "p",
        "div",
        "svg",
        "script",
        "pre",
        "br",
        "table",
        "td",
        "li",
        "title",
        "head",
        "b",
        "object",
        "template",
        "ul",
    ),
    st.sampled_from(["", " class=x", ' a="', " <"]),
    _TEXT,
)
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_CELL = (
    "<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan"
    ' w:val="{}"/><w:vMerge/></w:tcPr><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>'
)
_WORD_TREE = _tree(
    ("w:p", "w:r", "w:t", "w:tbl", "w:tr", "w:tc", "w:hyperlink", "w:tcPr", "w:pPr", "w:sdt"),
    st.sampled_from(["", ' w:val="9999999"', ' w:val="x"']),
    st.one_of(
        _XML_TEXT,
        st.builds(
            _CELL.format, st.sampled_from(["1", "0", "-1", "3", "999999999", "x"]), _XML_TEXT
        ),
    ),
)


def docx_of(body: str) -> bytes:
    """A DOCX with this in its body."""
    parts = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    types = "application/vnd.openxmlformats-"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        rels = f'<Default Extension="rels" ContentType="{types}package.relationships+xml"/>'
        main = (
            '<Override PartName="/word/document.xml"'
            f' ContentType="{types}officedocument.wordprocessingml.document.main+xml"/>'
        )
        archive.writestr(
            "[Content_Types].xml", f'<Types xmlns="{parts}/content-types">{rels}{main}</Types>'
        )
        relation = f'<Relationship Id="r1" Type="{office}" Target="word/document.xml"/>'
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{parts}/relationships">{relation}</Relationships>',
        )
        archive.writestr(
            "word/document.xml",
            _bytes(f'<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'),
        )
    return packed.getvalue()


def pdf_of(content: bytes, num_pages: int = 1, form: bytes = b"") -> bytes:
    """A PDF whose pages all show one stream, which may call the form /F; the form may call
    itself.
    """
    kids = b" ".join(b"%d 0 R" % (number + 10) for number in range(num_pages))
    resources = b"<< /Font << /A 5 0 R >> /XObject << /F 4 0 R >> >>"
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: (
            b"<< /Type /Pages /Kids ["
            + kids
            + b"] /Count %d /MediaBox [0 0 600 800] >>" % num_pages
        ),
        3: b"<< /Length %d >>\nstream\n" % len(content) + content + b"\nendstream",
        4: (
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources "
            + resources
            + b" /Length %d >>\nstream\n" % len(form)
            + form
        ),
        5: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    }
    objects[4] += b"\nendstream"
    page = b"<< /Type /Page /Parent 2 0 R /Contents 3 0 R /Resources " + resources + b" >>"
    objects |= {number + 10: page for number in range(num_pages)}
    made, places = b"%PDF-1.4\n", dict[int, int]()
    for number, body in objects.items():
        places[number] = len(made)
        made += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    rows = b"".join(b"%d 1\n%010d 00000 n \n" % (number, place) for number, place in places.items())
    start = len(made)
    return (
        made
        + b"xref\n0 1\n0000000000 65535 f \n"
        + rows
        + b"trailer << /Size 9999 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % start
    )


_OPERATORS = st.sampled_from(
    [
        b"BT /A 9 Tf (word) Tj ET ",
        b"(\\377x) Tj ",
        b"[(a) 9 (b)] TJ ",
        b"q ",
        b"Q ",
        b"/F Do ",
        b"BI ID x EI ",
        b"1 0 0 1 9 9 cm ",
        b"T* ",
        b"<",
    ]
)
_STREAM = st.builds(
    lambda parts, times: b"".join(parts) * times,
    st.lists(_OPERATORS, max_size=6),
    st.sampled_from([1, 1, 20]),
)

_KINDS = st.sampled_from(["Dialogue", "Comment", "Picture", ""])
_ASS_HEAD = (
    "[Script Info]\nTitle: x\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR,"
    " MarginV, Effect, Text\n"
)
_TTML = _tree(
    ("div", "p", "span", "br", "body", "head", "agent", "name"),
    st.builds(
        ' begin="{}" end="{}" dur="{}" agent="{}"'.format,
        _TIME.map(escape),
        st.one_of(_TIME, st.sampled_from(["15t", "12f", "1.5s", "3h", "00:00:01:12"])).map(escape),
        _TIME.map(escape),
        st.sampled_from(["a1", "a1 a2", "", "x"]),
    ),
    _XML_TEXT,
)

FORMS: dict[str, tuple[str, st.SearchStrategy[bytes]]] = {
    "vtt": (
        ".vtt",
        _blocks(_lines("{a} --> {b}\n<v {name}>{text}\n{text}\n\n", **_SAID), "WEBVTT\n\n"),
    ),
    "srt": (".srt", _blocks(_lines("1\n{a} --> {b}\n{name}: {text}\n\n", **_SAID))),
    "sbv": (
        ".sbv",
        _blocks(_lines("{a},{b}\n{name}: {text}\n\n", **_SAID), "0:00:01.000,0:00:02.000\nx\n\n"),
    ),
    "youtube-text": (".txt", _blocks(_lines("{a}\n{text}\n", **_SAID), "0:00\nx\n0:01\ny\n")),
    "otter": (
        ".txt",
        _blocks(
            _lines("{name}  {a}\n{text}\n\n", **_SAID), "Anna  0:01\nHi.\n\nBob  0:02\nHi.\n\n"
        ),
    ),
    "mission-clock": (
        ".txt",
        _blocks(_lines("[1 2 3 - {a}] {name}\n{text}\n# {name}\n", **_SAID), "[1 2 3] A\nHi.\n"),
    ),
    "spacelog": (
        ".txt",
        _blocks(
            _lines("[00:00:00:01]\n_page: 1\n{name}: {text}\n {text}\n", **_SAID),
            "[00:00:00:01]\nA: x\n",
        ),
    ),
    "speaker-text": (
        ".txt",
        _blocks(_lines("{name}: {text}\n\n", **_SAID), "ANNA: x\n\nBOB: y\n\nANNA: z\n\n"),
    ),
    "markdown": (
        ".md",
        _blocks(_lines("**{name}** _{a}_ {text}\n# {text}\n- {text}\n> {text}\n\n", **_SAID)),
    ),
    "csv": (
        ".csv",
        _blocks(_lines("{a},{b},{name},{text}\n", **_SAID), "start,end,speaker,text\n"),
    ),
    "labels": (
        ".txt",
        _blocks(_lines("{a}\t{b}\t{text}\n", **_SAID), "0.5\t1.5\tx\n2.5\t3.5\ty\n"),
    ),
    "cells": (
        ".csv",
        _blocks(_lines("{a};{name};{text}\n", **_SAID), "Zeit;Wer;Was\n0:01;Ida;x y\n"),
    ),
    "paragraph-times": (
        ".txt",
        _blocks(_lines("{name}: {text} #{a}-1#\n\n", **_SAID), "A: x #00:00:01-0#\n\n"),
    ),
    "chat": (
        ".cha",
        _blocks(
            _lines("*{name}:\t{text} &=x [: {text}] .\n%com:\t{text}\n", **_SAID),
            "@UTF8\n@Participants:\tCHI Ida Target_Child\n",
        ),
    ),
    "europarl": (
        ".txt",
        _blocks(_lines('<SPEAKER ID=1 NAME="{name}">\n{text}\n<P>\n', **_SAID), "<CHAPTER ID=1>\n"),
    ),
    "ctm": (".ctm", _blocks(_lines("x 1 {a} {b} {text}\n", **_SAID), "x 1 1.0 0.5 a\n" * 3)),
    "mail": (
        ".eml",
        _blocks(
            _lines("{name}: {text}\n", **_SAID),
            "From: A <a@x.org>\nDate: Thu, 25 Apr 2024 09:00:01 +0000\nMessage-ID: <1>\n",
        ),
    ),
    "praat": (
        ".TextGrid",
        _blocks(
            _lines('{a}\n{b}\n"{text}"\n', **_SAID),
            'File type = "ooTextFile"\n"TextGrid"\n0\n9\n<exists>\n1\n'
            '"IntervalTier"\n"A"\n0\n9\n3\n',
        ),
    ),
    "rtf": (
        ".rtf",
        _blocks(_lines("\\pard {name}: {text}\\par\n", **_SAID), "{\\rtf1 A: x\\par\n"),
    ),
    "elan": (
        ".eaf",
        _blocks(
            _lines(
                '<TIER TIER_ID="{name}"><ANNOTATION><ALIGNABLE_ANNOTATION TIME_SLOT_REF1="{a}">'
                "<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
                "</TIER>\n",
                **_SAID,
            ),
            "<ANNOTATION_DOCUMENT>",
        ).map(lambda data: data + b"</ANNOTATION_DOCUMENT>"),
    ),
    "tei": (
        ".xml",
        _blocks(_lines('<u who="#{name}" start="{a}"><seg>{text}</seg></u>', **_SAID), "<TEI>").map(
            lambda data: data + b"</TEI>"
        ),
    ),
    "json": (".json", _TRANSCRIPT.map(lambda value: json.dumps(value).encode())),
    "jsonl": (
        ".jsonl",
        st.lists(_JSON, max_size=4).map(
            lambda rows: b"\n".join(json.dumps(row).encode() for row in rows)
        ),
    ),
    "youtube-xml": (".xml", _YOUTUBE.map(_bytes)),
    "ttml": (
        ".ttml",
        st.builds(
            '<tt frameRate="{}" tickRate="{}" frameRateMultiplier="{}">{}</tt>'.format,
            st.sampled_from(["25", "0", "x", ""]),
            st.sampled_from(["10000000", "0", "-1", "9" * 400]),
            st.sampled_from(["1000 1001", "1:0", "0 0", ""]),
            _TTML,
        ).map(_bytes),
    ),
    "ass": (
        ".ass",
        _blocks(
            _lines("{kind}: 0,{a},{b},Default,{name},0,0,0,,{text}\n", **_SAID, kind=_KINDS),
            _ASS_HEAD + "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,x\n",
        ),
    ),
    "sami": (
        ".smi",
        _blocks(_lines("<SYNC Start={a}><P Class={name}>{text}\n", **_SAID), "<SAMI><BODY>"),
    ),
    "microdvd": (".sub", _blocks(_lines("{{{a}}}{{{b}}}{text}\n", **_SAID), "{1}{1}25\n{5}{9}x\n")),
    "mpl2": (".txt", _blocks(_lines("[{a}][{b}]{text}\n", **_SAID), "[5][9]x\n[9][12]y\n")),
    "lrc": (".lrc", _blocks(_lines("[{a}]{text}\n", **_SAID), "[00:01.00]x\n[00:02.00]y\n")),
    "html": (".html", _HTML.map(lambda tree: _bytes(f"<html><body>{tree}"))),
    "docx": (".docx", _WORD_TREE.map(docx_of)),
    "pdf": (".pdf", st.builds(pdf_of, _STREAM, st.integers(0, 3), _STREAM)),
    "encoded": (
        ".txt",
        st.builds(
            lambda text, name: text.encode(name, "replace"),
            st.lists(
                st.sampled_from(
                    ["こんにちは。", "안녕 ", "Grüße ", "Привет ", "words ", "\x1b", "\n"]
                ),
                max_size=20,
            ).map("".join),
            st.sampled_from(
                [
                    "iso2022_jp",
                    "iso2022_jp_2",
                    "iso2022_kr",
                    "shift_jis",
                    "euc_jp",
                    "utf-16",
                    "utf-16-le",
                    "utf-7",
                    "hz",
                    "cp1251",
                ]
            ),
        ),
    ),
}
"""Each form's usual ending, and files of it."""


def check_reading(path: Path) -> LoadedSource:
    """Reads a file as an ingest does, and asserts what holds for every file."""
    source = load_source(path)
    assert (source.refused is None) == bool(source.turns)
    assert _UNEXPECTED not in (source.refused or ""), source.refused
    assert "\n" not in (source.refused or "")
    num_bytes = path.stat().st_size
    assert (
        sum(len(turn.text) for turn in source.turns) <= 100 + PACKED.get(path.suffix, 3) * num_bytes
    )
    for turn in source.turns:
        assert turn.text
        assert turn.text == " ".join(turn.text.split())
        assert "\0" not in turn.text + (turn.speaker or "")
        (turn.text + (turn.speaker or "")).encode("utf-8")
    if source.refused is None:
        document, turns = make_document(source, "w", str(path))
        for profile in CHUNK_PROFILES.values():
            chunk_passages(document, split_passages(document, turns, profile), profile)
    return source
