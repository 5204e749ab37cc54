"""Every format by a small sample: what becomes a turn, a speaker and a time."""

from pathlib import Path

import pytest

from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load import inspect_row, load_source

Row = tuple[str | None, float | None, float | None, str]


def load(folder: Path, name: str, content: str | bytes) -> LoadedSource:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return load_source(path)


def rows(source: LoadedSource) -> list[Row]:
    assert source.refused is None, source.refused
    return [(turn.speaker, turn.start_s, turn.end_s, turn.text) for turn in source.turns]


ANNA_BOB: list[Row] = [("Anna", 1.0, 2.5, "Hello there."), ("Bob", 2.5, 4.0, "Hi, Anna.")]

VTT = (
    "WEBVTT\n"
    "\n"
    "00:01.000 --> 00:02.500\n"
    "<v Anna>Hello there.</v>\n"
    "\n"
    "name\n"
    "00:00:02.500 --> 00:00:04.000 align:start\n"
    "<v.loud Bob>Hi, Anna.\n"
)
SRT = (
    "1\n"
    "00:00:01,000 --> 00:00:02,500\n"
    "Anna: Hello\n"
    "there.\n"
    "\n"
    "2\n"
    "00:00:02,500 --> 00:00:04,000\n"
    "Bob: Hi, Anna.\n"
)
SBV = "0:00:01.000,0:00:02.500\nAnna: Hello there.\n\n0:00:02.500,0:00:04.000\nBob: Hi, Anna.\n"
PODCAST = """{"version": "1.0.0", "segments": [
 {"speaker": "Anna", "startTime": 1, "endTime": 2.5, "body": "Hello there."},
 {"speaker": "Bob", "startTime": 2.5, "endTime": 4, "body": "Hi, Anna."}]}"""
WHISPERX = """{"segments": [{"start": 1, "end": 2.5, "text": " Hello there.",
  "speaker": "Anna", "words": []},
 {"start": 2.5, "end": 4, "text": " Hi, Anna.", "speaker": "Bob"}], "language": "en"}"""
ASSEMBLYAI = """{"id": "x", "utterances": [
 {"speaker": "Anna", "start": 1000, "end": 2500, "text": "Hello there."},
 {"speaker": "Bob", "start": 2500, "end": 4000, "text": "Hi, Anna."}]}"""
OYEZ = """{"id": 1, "title": "Argument", "transcript": {"title": "A v. B", "sections": [
 {"turns": [{"start": 1, "stop": 2.5, "speaker": {"name": "Anna"},
   "text_blocks": [{"text": "Hello"}, {"text": "there."}]}]},
 {"turns": [{"start": 2.5, "stop": 4, "speaker": {"name": "Bob"},
   "text_blocks": [{"text": "Hi, Anna."}]}]}]}}"""
OYEZ_FLAT = """{"case": "A v. B", "title": "Argument", "turns": [
 {"speaker": "Anna", "role": null, "start": 1, "stop": 2.5, "text": "Hello there."},
 {"speaker": "Bob", "role": "x", "start": 2.5, "stop": 4, "text": "Hi, Anna."}]}"""
TURNS = """[{"speaker": "Anna", "start": 1, "end": 2.5, "text": "Hello there."},
 {"speaker": "Bob", "start": "0:02.5", "end": "00:00:04", "text": "Hi, Anna."}]"""
TURN_LINES = (
    '{"speaker": "Anna", "start": 1, "end": 2.5, "text": "Hello there."}\n{"speaker": "Bob",'
    ' "start": 2.5, "end": 4, "text": "Hi, Anna."}\n'
)
MISSION_JSON = """[{"id": 0, "start": 1, "end": 2.5, "source": "Anna", "line": 1,
  "message": "{Hello} there.", "tokens": ["a greeting"]},
 {"id": 1, "start": 2.5, "end": 4, "source": "Bob", "line": 4, "message": "Hi, Anna."}]"""
CSV = 'start,end,speaker,text\n1,2.5,Anna,Hello there.\n2.5,4,Bob,"Hi, Anna."\n'
SEMICOLONS = (
    "Speaker;Start Time;End Time;Content\nAnna;00:00:01;0:02,5;Hello there.\nBob;2,5;4;Hi, Anna.\n"
)
TSV_MS = (
    "start_ms\tend_ms\tname\tmessage\n1000\t2500\tAnna\tHello there.\n2500\t4000\tBob\tHi, Anna.\n"
)


@pytest.mark.parametrize(
    ("name", "content", "form"),
    [
        ("a.vtt", VTT, "vtt"),
        ("a.srt", SRT, "srt"),
        ("a.sbv", SBV, "sbv"),
        ("a.json", PODCAST, "podcast-json"),
        ("a.json", WHISPERX, "whisperx-json"),
        ("a.json", ASSEMBLYAI, "assemblyai-json"),
        ("a.json", OYEZ, "oyez-json"),
        ("a.json", OYEZ_FLAT, "oyez-json"),
        ("a.json", TURNS, "turns-json"),
        ("a.jsonl", TURN_LINES, "turns-json"),
        ("a.json", MISSION_JSON, "mission-json"),
        ("a.csv", CSV, "csv"),
        ("a.csv", SEMICOLONS, "csv"),
        ("a.tsv", TSV_MS, "csv"),
    ],
)
@pytest.mark.parametrize("ending", ["own", "none", "txt", "crlf"])
def test_a_form_with_speakers_and_times_is_read_whatever_its_name_and_line_ends(
    tmp_path: Path, name: str, content: str, form: str, ending: str
) -> None:
    name = {"none": "a", "txt": "a.txt"}.get(ending, name)
    source = load(tmp_path, name, content.replace("\n", "\r\n") if ending == "crlf" else content)
    assert rows(source) == ANNA_BOB
    assert source.format == form


@pytest.mark.parametrize(
    ("name", "content", "form", "expected"),
    [
        (
            "a.txt",
            (
                "Anna  0:01  \n"
                "Hello there.\n"
                "\n"
                "Bob  1:00:02  \n"
                "Hi.\n"
                "You.\n"
                "\n"
                "Transcribed by https://otter.ai\n"
            ),
            "otter-text",
            [("Anna", 1.0, None, "Hello there."), ("Bob", 3602.0, None, "Hi. You.")],
        ),
        (
            "a.txt",
            "Anna (0:01):\nHello there.\n\nBob (0:02):\nHi.\n\nMore.\n",
            "otter-text",
            [("Anna", 1.0, None, "Hello there."), ("Bob", 2.0, None, "Hi. More.")],
        ),
        (
            "a.txt",
            "0:00\nHello there.\nAgain.\n0:02\nHi.\n",
            "youtube-text",
            [(None, 0.0, None, "Hello there. Again."), (None, 2.0, None, "Hi.")],
        ),
        (
            "a.txt",
            "00:00:00 Hello there.\n\n01:00:02 Hi.\n",
            "youtube-text",
            [(None, 0.0, None, "Hello there."), (None, 3602.0, None, "Hi.")],
        ),
        (
            "a.txt",
            "[00:01] Anna: Hello.\n[00:02] Bob: Hi.\n[00:03] Anna: Bye.\n",
            "youtube-text",
            [("Anna", 1.0, None, "Hello."), ("Bob", 2.0, None, "Hi."), ("Anna", 3.0, None, "Bye.")],
        ),
        (
            "a.xml",
            (
                '<?xml version="1.0" encoding="utf-8" ?><transcript><text start="1"'
                ' dur="1.5">it&amp;#39;s &lt;i>so&lt;/i></text><text start="5"'
                ' dur="1"></text></transcript>'
            ),
            "youtube-xml",
            [(None, 1.0, 2.5, "it's so")],
        ),
        (
            "a.xml",
            '<timedtext><body><p t="1000" d="1500">it <s>is</s></p></body></timedtext>',
            "youtube-xml",
            [(None, 1.0, 2.5, "it is")],
        ),
        (
            "a.txt",
            (
                "[55 46 11 - 55 46 27] CDR\n{Roger}. Good.\n1> a note\n\n[55 48 40 -] CAPCOM\nA"
                " -\n\n[55 48 45] CMP\nGo.\n> note\n\n[- 55 49 12] CAPCOM\n- b\n\n[ - ]"
                " ??\nc\n\n[59 00 00 - 59 00 01] (note)\n<< d >>\n"
            ),
            "mission-clock",
            [
                ("CDR", 200771.0, 200787.0, "Roger. Good."),
                ("CAPCOM", 200920.0, None, "A -"),
                ("CMP", 200925.0, None, "Go."),
                ("CAPCOM", None, 200952.0, "- b"),
                (None, None, None, "c"),
                (None, 212400.0, 212401.0, "<< d >>"),
            ],
        ),
        (
            "a.txt",
            (
                "# comment\n[-00:00:00:10]\n_page : 1\n_note: x\nLCC: 10, 9\n\n"
                "[01:00:00:02]\nCC:  Hello\n     there [glossary:X|ex] [glossary:Y].\n"
                "CDR / LMP: Roger\n_page : 2\n\n[01:00:00:03]\nnobody's words\n"
            ),
            "spacelog",
            [
                ("LCC", -10.0, None, "10, 9"),
                ("CC", 86402.0, None, "Hello there ex Y."),
                ("CDR / LMP", 86402.0, None, "Roger"),
                (None, 86403.0, None, "nobody's words"),
            ],
        ),
        (
            "a.md",
            "# Talk\n\n**Anna** _00:00:01_\n\nHello\nthere.\n\n**Bob** _01:00:02_\n\nHi.\n",
            "markdown",
            [("Anna", 1.0, None, "Hello there."), ("Bob", 3602.0, None, "Hi.")],
        ),
        (
            "a.md",
            "# Talk\n\n**Anna:** Hello.\n\n**Bob**: Hi.\n\n## Part two\n\n**Anna:** Bye.\n",
            "markdown",
            [
                ("Anna", None, None, "Hello."),
                ("Bob", None, None, "Hi."),
                (None, None, None, "Part two"),
                ("Anna", None, None, "Bye."),
            ],
        ),
        (
            "a.md",
            (
                "---\nx: y\n---\n# Talk\n\nSome [linked](http://a.b) **prose**\nwrapped.\n\n*"
                " one\n* two\n\nSub\n---\nsnake_case_name 2*3*4\n"
            ),
            "markdown",
            [
                (None, None, None, text)
                for text in (
                    "Talk",
                    "Some linked prose wrapped.",
                    "one",
                    "two",
                    "Sub",
                    "snake_case_name 2*3*4",
                )
            ],
        ),
        (
            "a.txt",
            "One paragraph,\nhard-wrapped.\n\n\nAnother.\n",
            "text",
            [(None, None, None, "One paragraph, hard-wrapped."), (None, None, None, "Another.")],
        ),
    ],
)
def test_a_form_without_ends_speakers_or_times_has_none_there(
    tmp_path: Path, name: str, content: str, form: str, expected: list[Row]
) -> None:
    source = load(tmp_path, name, content)
    assert rows(source) == expected
    assert source.format == form


def test_cue_markup_entities_and_comments_are_no_words(tmp_path: Path) -> None:
    vtt = (
        "WEBVTT - My talk\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nNOTE\nnobody says"
        " this\n\n00:01.000 --> 00:02.000\nthis<00:00:01.500><c.red> is</c> <i>R&amp;D</i>, a"
        " <laughs> 1 < 2\n\n00:02.000 --> 00:03.000\n\n00:03.000 --> 00:04.000\n<v Ann B>Yes.</v>"
        " <v Bob>No\nway.\n00:04.000 --> 00:05.000\nnext\n"
    )
    source = load(tmp_path, "a.vtt", vtt)
    assert rows(source) == [
        (None, 1.0, 2.0, "this is R&D, a <laughs> 1 < 2"),
        ("Ann B", 3.0, 4.0, "Yes."),
        ("Bob", 3.0, 4.0, "No way."),
        (None, 4.0, 5.0, "next"),
    ]
    assert source.title == "My talk"
    assert source.notes == ("1 empty cue left out",)


def test_srt_without_numbers_blank_lines_inside_and_overrides_keeps_every_word(
    tmp_path: Path,
) -> None:
    srt = (
        "00:00:01,000 --> 00:00:02,000\n"
        "{\\an8}<font color='#fff'>Hi</font>\n"
        "\n"
        "after a blank line\n"
        "\n"
        "00:00:03,000 --> 00:00:04,000\n"
        "x --> y\n"
        "2\n"
        "00:00:05,000 --> 00:00:06,000\n"
        "1984\n"
    )
    assert rows(load(tmp_path, "a.srt", srt)) == [
        (None, 1.0, 2.0, "Hi after a blank line"),
        (None, 3.0, 4.0, "x --> y"),
        (None, 5.0, 6.0, "1984"),
    ]


def test_captions_agree_with_webvtt_py_where_it_can_read(tmp_path: Path) -> None:
    webvtt = pytest.importorskip("webvtt", reason="webvtt-py is not installed")
    cues = [
        f"{n}\n00:{n:02}:00.{n:03} --> 00:{n:02}:30.500 line:0\nwords <b>number</b> {n}\nand more\n"
        for n in range(50)
    ]
    text = "WEBVTT\nKind: captions\n\nNOTE x\n\n" + "\n".join(cues)
    theirs = [
        (
            c.start_time.in_milliseconds() / 1000,
            c.end_time.in_milliseconds() / 1000,
            " ".join(c.text.split()),
        )
        for c in webvtt.WebVTT.from_string(text).captions
    ]
    assert [row[1:] for row in rows(load(tmp_path, "a.vtt", text))] == theirs


@pytest.mark.parametrize(
    "text",
    [
        (
            "Note: be careful.\n"
            "\n"
            "Some prose.\n"
            "\n"
            "Note: again.\n"
            "\n"
            "More prose: it goes on.\n"
            "\n"
            "Note: third."
        ),
        (
            "He said: we meet at 10:30.\n"
            "\n"
            "See https://example.org/a:b and go.\n"
            "\n"
            "Dear all:\n"
            "\n"
            "This is it."
        ),
        (
            "Engine: a machine.\n\nRotor: a part.\n\nStator: one.\n\nShaft: one.\n\nGear:"
            " one.\n\nBelt: one.\n\nPump: one."
        ),
        "Chapter 1: The start\n\nProse here.\n\nChapter 2: The end\n\nProse there.",
        "Title: A talk\n\nDate: 2024-01-01\n\nIt was a dark night.",
        (
            "Welcome to it.\n"
            "\n"
            "Engines: they are big.\n"
            "\n"
            "Pumps: they are small.\n"
            "\n"
            "Tanks: round.\n"
            "\n"
            "The engine works well and people like it."
        ),
        "Conclusion: it works.",
        "Paris: a city in France.",
        "10:30 we met at the\nstation and went on\nto the city.\n\nAnother paragraph.",
    ],
)
def test_a_colon_in_prose_is_no_speaker(tmp_path: Path, text: str) -> None:
    source = load(tmp_path, "a.txt", text)
    assert source.format == "text"
    assert [turn.text for turn in source.turns] == [
        " ".join(block.split()) for block in text.split("\n\n")
    ]
    assert not any(turn.speaker for turn in source.turns)


def test_speaker_text_goes_on_to_the_next_label_and_leaves_asides_and_headings_to_nobody(
    tmp_path: Path,
) -> None:
    text = (
        "Interview with Anna\n\nAnna: First line\nwraps here: so.\n\nStill"
        " Anna.\n\n(Applause)\n\nMore.\n\nBOB SMITH: Yes.\nDr. Jane O'Neil-Smith: Ok.\nAnna:"
        " No.\n\nCHAPTER TWO\n\nSome prose.\n\nBOB SMITH: Right.\n"
    )
    source = load(tmp_path, "a.txt", text)
    assert source.format == "speaker-text"
    assert [(turn.speaker, turn.text) for turn in source.turns] == [
        (None, "Interview with Anna"),
        ("Anna", "First line wraps here: so."),
        ("Anna", "Still Anna."),
        (None, "(Applause)"),
        ("Anna", "More."),
        ("BOB SMITH", "Yes."),
        ("Dr. Jane O'Neil-Smith", "Ok."),
        ("Anna", "No."),
        (None, "CHAPTER TWO"),
        (None, "Some prose."),
        ("BOB SMITH", "Right."),
    ]


def test_a_few_turns_are_enough_where_every_paragraph_has_a_label(tmp_path: Path) -> None:
    assert [
        turn.speaker
        for turn in load(tmp_path, "a.txt", "A talk\n\nAlice: Hello.\n\nBob: Hi: you.\n").turns
    ] == [None, "Alice", "Bob"]
    assert [turn.speaker for turn in load(tmp_path, "a.txt", "FLIGHT: Go.\n").turns] == ["FLIGHT"]
    assert [
        turn.speaker
        for turn in load(tmp_path, "a.txt", "john: hi\nmary: hello\njohn: so\nmary: yes\n").turns
    ] == ["john", "mary"] * 2


@pytest.mark.parametrize(
    ("codec", "bom", "said"),
    [
        ("utf-8", b"\xef\xbb\xbf", "utf-8"),
        ("utf-16-le", b"\xff\xfe", "utf-16-le"),
        ("utf-16-be", b"\xfe\xff", "utf-16-be"),
        ("utf-16-le", b"", "utf-16-le"),
        ("utf-16-be", b"", "utf-16-be"),
        ("latin-1", b"", "latin-1"),
    ],
)
def test_encodings_are_read_and_said(tmp_path: Path, codec: str, bom: bytes, said: str) -> None:
    source = load(
        tmp_path,
        "a.txt",
        bom + "Anna: Grüße aus Köln, schön.\n\nBob: Ça va, très bien.\n".encode(codec),
    )
    assert [(turn.speaker, turn.text) for turn in source.turns] == [
        ("Anna", "Grüße aus Köln, schön."),
        ("Bob", "Ça va, très bien."),
    ]
    assert source.encoding == said
    assert source.meta["encoding"] == said
    assert bool(source.notes) == (said != "utf-8")


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("“Naïve” – 5 € for a café.", "cp1252"),
        ("Привет, как дела? Сегодня мы говорим о космосе. " * 4, "cp1251"),
        ("こんにちは、今日は宇宙について話します。" * 4, "shift_jis"),
        (
            "Zażółć gęślą jaźń. Dzień dobry, jak się masz? Wszystko w porządku, dziękuję bardzo. "
            * 3,
            "cp1250",
        ),
    ],
)
def test_other_encodings_are_told_by_their_statistics(
    tmp_path: Path, text: str, codec: str
) -> None:
    source = load(tmp_path, "a.txt", text.encode(codec))
    assert source.turns[0].text == " ".join(text.split())
    assert any("statistics" in note for note in source.notes)


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("こんにちは、今日は宇宙について話します。", "iso-2022-jp"),
        ("ｺﾝﾆﾁﾊ、今日は", "iso-2022-jp-ext"),
        ("①今日は", "iso-2022-jp-2004"),
        ("안녕하세요 세계", "iso-2022-kr"),
    ],
)
@pytest.mark.parametrize("head", ["", "words " * 20_000])
def test_7_bit_encodings_are_told_by_their_escapes(
    tmp_path: Path, head: str, text: str, codec: str
) -> None:
    source = load(tmp_path, "a.txt", f"{head}{text}".encode(codec))
    assert source.turns[0].text == head + text
    assert source.encoding == codec
    assert source.notes == (f"read as {codec.upper()}, by its escape sequences",)


def test_7_bit_chinese_is_refused_and_a_terminals_colours_are_words(tmp_path: Path) -> None:
    assert "ISO-2022" in (load(tmp_path, "a.txt", b"\x1b$)A\x0e=;\x0f").refused or "")
    assert load(tmp_path, "a.txt", b"\x1b[31mred\x1b(B\x1b[m and words").encoding == "utf-8"


def test_utf8_that_was_cut_inside_a_character_stays_utf8(tmp_path: Path) -> None:
    source = load(tmp_path, "a.txt", "Привет мир, как дела сегодня".encode()[:-1])
    assert source.encoding == "utf-8"
    assert source.turns[0].text == "Привет мир, как дела сегодн\ufffd"


def test_nul_and_lone_surrogates_never_reach_a_turn(tmp_path: Path) -> None:
    source = load(tmp_path, "a.json", '[{"text": "a\\u0000b\\ud800c", "speaker": "X\\udc00"}]')
    assert rows(source) == [("X\ufffd", None, None, "a\ufffdb\ufffdc")]
    assert source.notes == ("3 control or broken characters replaced by U+FFFD",)
    text = load(
        tmp_path,
        "a.txt",
        "a line with one NUL\0 in it and enough words that it is no binary file at all",
    )
    assert "\0" not in text.turns[0].text


def test_csv_with_unquoted_commas_in_its_last_column_keeps_the_words(tmp_path: Path) -> None:
    source = load(tmp_path, "a.csv", "start,speaker,text\n1,Anna,hello, you, there\n2,Bob,\n")
    assert [turn.text for turn in source.turns] == ["hello, you, there"]
    assert len(source.notes) == 2


def test_title_is_the_documents_own_else_the_files_name(tmp_path: Path) -> None:
    assert load(tmp_path, "my-talk.txt", "words").title == "my-talk"
    assert load(tmp_path, "a.json", OYEZ_FLAT).title == "A v. B: Argument"
    assert load(tmp_path, "a.md", "prose\n\n# Late title\n").title == "Late title"
    assert load(tmp_path, "b.md", "prose\n\n## A section\n").title == "b"


def test_inspect_row_has_exactly_the_promised_fields(tmp_path: Path) -> None:
    source = load(tmp_path, "a.srt", SRT)
    row = inspect_row(source)
    assert len(source.labels) == 2
    assert row == {
        "path": str(tmp_path / "a.srt"),
        "format": "srt",
        "language": "en",
        "turns": [{"speaker": s, "start_s": a, "end_s": b, "text": t} for s, a, b, t in ANNA_BOB],
        "labels": [
            {
                "text": label.text,
                "fate": "speaker",
                "why": label.why,
                "num_turns": label.num_turns,
                "num_words": label.num_words,
                "times_s": label.times_s,
                "lines": label.lines,
            }
            for label in source.labels
        ],
        "refused": None,
    }
