"""Subtitle files beside WebVTT and SubRip, and what is refused by its name."""

import json
from pathlib import Path

import pytest

from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load import load_source
from dynagrag.ingest.load.whole_turns import turns_of

Row = tuple[str | None, float | None, float | None, str]


def load(folder: Path, name: str, content: str | bytes) -> LoadedSource:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return load_source(path)


def rows(source: LoadedSource) -> list[Row]:
    assert source.refused is None, source.refused
    return [(turn.speaker, turn.start_s, turn.end_s, turn.text) for turn in source.turns]


ASS = (
    "[Script Info]\nTitle: Boat yard\nScriptType: v4.00+\n\n[V4+ Styles]\n"
    "Format: Name, Fontname, Fontsize\nStyle: Default,Arial,20\n\n[Events]\n"
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    "Dialogue: 0,0:00:05.00,0:00:06.50,Default,Per,0,0,0,,Then {\\b1}tar{\\b0} it, twice.\n"
    "Comment: 0,0:00:00.00,0:00:09.00,Default,,0,0,0,,typeset later\n"
    "Dialogue: 0,0:00:01.00,0:00:03.00,Default,Ida,0,0,0,,The hull\\Nis dry.\n"
    "Dialogue: 1,0:00:01.00,0:00:03.00,Default,Ida,0,0,0,,{\\blur4}The hull\\Nis dry.\n"
    "Dialogue: 0,0:00:01.00,0:00:09.00,Default,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}\n"
)
SSA = (
    "[Script Info]\nScriptType: v4.00\n\n[V4 Styles]\nFormat: Name, Fontname\n"
    "Style: Default,Arial\n\n[Events]\n"
    "Format: Marked, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    "Dialogue: Marked=0,0:00:01.00,0:00:03.00,Default,Ida,0,0,0,,The hull is dry.\n"
)
SAMI = (
    '<SAMI><HEAD><TITLE>Yard</TITLE><STYLE TYPE="text/css"><!-- P {} --></STYLE></HEAD><BODY>\n'
    "<SYNC Start=1000><P Class=ENCC>The hull<br>is &quot;dry&quot;.\n"
    "<SYNC Start=2500><P Class=ENCC>&nbsp;\n"
    "<SYNC Start=4000><P Class=ENCC><i>Tar</i> it.\n</BODY></SAMI>\n"
)
TTML_HEAD = (
    '<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml"'
    ' xmlns:ttm="http://www.w3.org/ns/ttml#metadata"'
    ' xmlns:ttp="http://www.w3.org/ns/ttml#parameter" '
)
AGENTS = (
    '<head><metadata><ttm:title>Yard</ttm:title><ttm:agent xml:id="i"><ttm:name>Ida</ttm:name>'
    '</ttm:agent><ttm:agent xml:id="p"><ttm:name>Per</ttm:name></ttm:agent></metadata></head>'
)


@pytest.mark.parametrize(
    ("name", "content", "form", "expected"),
    [
        (
            "a.ass",
            ASS,
            "ass",
            [("Ida", 1.0, 3.0, "The hull is dry."), ("Per", 5.0, 6.5, "Then tar it, twice.")],
        ),
        ("a.txt", SSA, "ass", [("Ida", 1.0, 3.0, "The hull is dry.")]),
        (
            "a.ass",
            ASS.replace("Ida", "")
            .replace("Per", "")
            .replace("The hull", "Anna: The hull")
            .replace("Then", "Bob: Then"),
            "ass",
            [("Anna", 1.0, 3.0, "The hull is dry."), ("Bob", 5.0, 6.5, "Then tar it, twice.")],
        ),
        (
            "a.smi",
            SAMI,
            "sami",
            [(None, 1.0, 2.5, 'The hull is "dry".'), (None, 4.0, None, "Tar it.")],
        ),
        (
            "a.sub",
            "{1}{1}25.0\n{25}{75}The hull|is {y:i}dry.\n{100}{125}Tar it.\n",
            "microdvd",
            [(None, 1.0, 3.0, "The hull is dry."), (None, 4.0, 5.0, "Tar it.")],
        ),
        (
            "a.sub",
            # a caption that is a number, in frame 2: no rate stands so late
            "{2}{30}25\n{100}{125}Tar it.\n",
            "microdvd",
            [(None, None, None, "25"), (None, None, None, "Tar it.")],
        ),
        (
            "a.sub",
            "{25}{75}The hull is dry.\n{100}{125}Tar it.\n",
            "microdvd",
            [(None, None, None, "The hull is dry."), (None, None, None, "Tar it.")],
        ),
        (
            "a.txt",
            "[10][30]The hull|is dry.\n[40][50]/Tar it.\n",
            "mpl2",
            [(None, 1.0, 3.0, "The hull is dry."), (None, 4.0, 5.0, "Tar it.")],
        ),
        (
            "a.sub",
            "{0}{0}23.976\n{24}{}The hull\n{96}{120}is dry.\n",
            "microdvd",
            [(None, 1.001, None, "The hull"), (None, 4.004, 5.005, "is dry.")],
        ),
        (
            "a.lrc",
            "[00:01]The hull\n[00:03]is dry.\n",
            "lrc",
            [(None, 1.0, None, "The hull"), (None, 3.0, None, "is dry.")],
        ),
        (
            "a.txt",
            "[ti:x]\n[00:01:50]The hull\n[00:03:00]is dry.\n",
            "lrc",
            [(None, 1.5, None, "The hull"), (None, 3.0, None, "is dry.")],
        ),
        (
            "a.lrc",
            "[ti:Yard]\n[offset:500]\n[00:01.50]The <00:01.90>hull\n[00:03.50][00:09.50]is dry\n",
            "lrc",
            [
                (None, 1.0, None, "The hull"),
                (None, 3.0, None, "is dry"),
                (None, 9.0, None, "is dry"),
            ],
        ),
        (
            "a.ttml",
            TTML_HEAD
            + 'ttp:tickRate="1000">'
            + AGENTS
            + '<body begin="10s"><div ttm:agent="i"><p begin="1000t" end="3000t">The <span>hull'
            "</span><br/>is dry.</p>"
            '<p begin="00:00:05.000" dur="1.5s" ttm:agent="p">Tar it.</p></div></body></tt>',
            "ttml",
            [("Ida", 11.0, 13.0, "The hull is dry."), ("Per", 15.0, 16.5, "Tar it.")],
        ),
        (
            "a.ttml",
            TTML_HEAD
            + ">"
            + AGENTS
            + '<body><div><p begin="1s" end="2s"><span ttm:agent="i">The hull.</span><br/>'
            '<span ttm:agent="p">Is it dry?</span></p></div></body></tt>',
            "ttml",
            [("Ida", 1.0, 2.0, "The hull."), ("Per", 1.0, 2.0, "Is it dry?")],
        ),
        (
            "a.xml",
            TTML_HEAD
            + 'ttp:frameRate="25"><body><div><p><span begin="00:00:01:05" end="3s">The hull'
            '</span> is <span begin="75f" end="00:00:04:00">dry.</span></p></div></body></tt>',
            "ttml",
            [(None, 1.2, 3.0, "The hull"), (None, None, None, "is"), (None, 3.0, 4.0, "dry.")],
        ),
        (
            "a.dfxp",
            TTML_HEAD.replace("http://www.w3.org/ns/ttml", "http://www.w3.org/2006/10/ttaf1")
            + '><body><div><p begin="1500ms" end="2m">Anna: Yes, Bob.</p>'
            '<p begin="0:03:00" end="0:03:02">Bob: No.</p></div></body></tt>',
            "ttml",
            [("Anna", 1.5, 120.0, "Yes, Bob."), ("Bob", 180.0, 182.0, "No.")],
        ),
        (
            "a.xml",
            '<timedtext><text t="1000" d="2000">The hull</text><text t="3000" d="500">is dry</text>'
            "</timedtext>",
            "youtube-xml",
            [(None, 1.0, 3.0, "The hull"), (None, 3.0, 3.5, "is dry")],
        ),
    ],
)
def test_a_subtitle_file_is_read_with_its_speakers_and_times(
    tmp_path: Path, name: str, content: str, form: str, expected: list[Row]
) -> None:
    source = load(tmp_path, name, content)
    assert rows(source) == expected
    assert source.format == form


def test_an_ass_file_may_begin_with_a_comment_and_have_its_columns_in_any_order(
    tmp_path: Path,
) -> None:
    text = (
        "; made by hand\n[Script Info]\n\n[Events]\nFormat: Start, End, Name, Text\n"
        "Dialogue: 0:00:01.00,0:00:03.00,Ida,The hull, at last, is dry.\n"
    )
    source = load(tmp_path, "a.ass", text)
    assert rows(source) == [("Ida", 1.0, 3.0, "The hull, at last, is dry.")]


def test_what_an_ass_file_shows_twice_or_draws_is_left_out_with_a_note(tmp_path: Path) -> None:
    source = load(tmp_path, "a.ass", ASS)
    assert source.title == "Boat yard"
    assert source.notes == ("1 comment left out", "2 drawings or copies left out")


def test_cues_of_json_objects_have_the_speakers_that_those_name(tmp_path: Path) -> None:
    cues = [
        ("00:01.000 --> 00:03.000", {"speakerName": "Ida", "spokenText": "The hull is dry."}),
        ("00:04.000 --> 00:05.000", {"speakerName": "Per", "spokenText": "Tar it."}),
    ]
    text = "WEBVTT\n\n" + "\n\n".join(f"{time}\n{json.dumps(own)}" for time, own in cues)
    assert rows(load(tmp_path, "a.vtt", text)) == [
        ("Ida", 1.0, 3.0, "The hull is dry."),
        ("Per", 4.0, 5.0, "Tar it."),
    ]


def test_of_several_languages_in_a_sami_file_the_first_is_read(tmp_path: Path) -> None:
    both = SAMI.replace(
        "\n<SYNC Start=2500>", "\n<P Class=NOCC>Skroget er tørt.\n<SYNC Start=2500>"
    )
    source = load(tmp_path, "a.smi", both)
    assert [turn.text for turn in source.turns] == ['The hull is "dry".', "Tar it."]
    assert source.notes == ("of 2 languages (ENCC, NOCC) the first is read",)


def test_of_several_languages_in_a_ttml_file_the_first_is_read(tmp_path: Path) -> None:
    divs = "".join(
        f'<div xml:lang="{language}"><p begin="1s" end="2s">{text}</p></div>'
        for language, text in (("en", "The hull is dry."), ("nb", "Skroget er tørt."))
    )
    source = load(tmp_path, "a.ttml", f"<tt><body>{divs}</body></tt>")
    assert rows(source) == [(None, 1.0, 2.0, "The hull is dry.")]
    assert source.notes == ("of 2 languages the first (en) is read",)


def test_frames_without_a_rate_give_no_times_and_say_so(tmp_path: Path) -> None:
    (note,) = load(tmp_path, "a.sub", "{25}{75}The hull is dry.\n{100}{125}Tar it.\n").notes
    assert "how many a second" in note


def test_subtitles_are_turns_of_whole_sentences_as_captions_are(tmp_path: Path) -> None:
    text = "[00:01.00]so the hull\n[00:03.00]is dry and\n[00:05.00]we tar it.\n"
    assert [turn.text for turn in turns_of(load(tmp_path, "a.lrc", text))] == [
        "so the hull is dry and we tar it."
    ]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.scc", "Scenarist_SCC V1.0\n\n00:00:01:00\t9420 9420 94ae\n", "Scenarist SCC"),
        ("a.stl", b"850STL25.01" + b"\x00" * 1013, "EBU STL"),
        ("a.stl", "$FontName = Arial\n00:00:01:00 , 00:00:02:00 , The hull\n", "Spruce STL"),
        ("a.stl", "00:00:01:00,00:00:02:00,The hull\n", "Spruce STL"),
        ("a.sub", "[INFORMATION]\n[TITLE]x\n00:00:01.00,00:00:02.00\nx[br]y\n", "SubViewer"),
        ("a.idx", "# VobSub index file, v7\nsize: 720x576\n", "VobSub"),
        ("a.sup", b"PG\x00\x01\x5f\x90\x00\x00\x00\x00\x16\x00\x13", "Blu-ray"),
        ("a.eaf", "<?xml version='1.0'?><ANNOTATION_DOCUMENT/>", "no tier with words"),
        ("a.TextGrid", 'File type = "ooTextFile"\nObject class = "TextGrid"\n', "Praat"),
        ("a.ass", "just words", "named .ass"),
        ("a.ttml", "just words", "named .ttml"),
        ("a.ttml", '<tt><body><div><p begin="soon">x</p></div></body></tt>', "no time"),
    ],
)
def test_a_form_that_is_not_read_is_refused_by_its_name(
    tmp_path: Path, name: str, content: str | bytes, reason: str
) -> None:
    refused = load(tmp_path, name, content).refused
    assert refused is not None
    assert reason in refused
    assert "\n" not in refused


@pytest.mark.parametrize(
    "text",
    ["$price = 5, she said.\n", "[Events]\nOn Monday we tar the hull.\n", "PG-13, he said: £5.\n"],
)
def test_plain_words_that_begin_as_such_a_form_does_are_read(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, "a.txt", text.encode("cp1252")).refused is None
