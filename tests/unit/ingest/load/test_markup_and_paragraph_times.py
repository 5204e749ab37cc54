"""Markup in fields, times at the ends of paragraphs, and what is no speech at all."""

from pathlib import Path

import pytest
from loaded import load, rows

from dynagrag.ingest.load import load_source


def stamp(seconds: float, shown: str) -> str:
    return f'<span class="timestamp" data-timestamp="{seconds}">{shown}</span>'


def test_a_field_of_html_is_read_as_its_words_with_its_times(tmp_path: Path) -> None:
    text = (
        f"<p>{stamp(5.2, '00:05')} <b>Ida:</b> The hull is dry&nbsp;now.</p>"
        f"<p>{stamp(12.25, '00:12')}&nbsp;<b>Per:</b> How <i>long</i>?<br></p>"
        f"<p>{stamp(65, '1:05')}Ida: Since noon &amp; before. {stamp(70.5, '1:10')} Tar it.</p>"
        f"<p>{stamp(80, '1:20')} Per: Yes, {stamp(81, '1:21')} twice.</p>"
    )
    source = load(tmp_path, "a.otr", {"text": text, "media": "hull.mp3", "media-time": 90})
    assert rows(source) == [
        ("Ida", 5.2, None, "The hull is dry now."),
        ("Per", 12.25, None, "How long?"),
        ("Ida", 65.0, None, "Since noon & before."),
        ("Ida", 70.5, None, "Tar it."),
        ("Per", 80.0, None, "Yes, twice."),
    ]
    assert "times in the midst of paragraphs left out: 1" in source.notes


def test_words_with_times_of_their_own_in_a_page_give_a_paragraph_its_time(tmp_path: Path) -> None:
    page = (
        "<html><body><article><section>"
        '<p><span data-m="1500" data-d="300">The </span><span data-m="1800" data-d="300">hull. '
        '</span></p><p><span data-m="4000" data-d="300">Since </span>'
        '<span data-m="4300" data-d="300">when? </span></p></section></article></body></html>'
    )
    assert rows(load(tmp_path, "a.html", page)) == [
        (None, 1.5, None, "The hull."),
        (None, 4.0, None, "Since when?"),
    ]


def test_markup_in_the_texts_of_segments_is_no_words(tmp_path: Path) -> None:
    data = [
        {"speaker": "Ida", "start": 1, "text": "<div>The hull is <b>dry</b>.</div>"},
        {"speaker": "Per", "start": 4, "text": "<p>Since &lt;when&gt;?</p>"},
        {"speaker": "Ida", "start": 7, "text": "if a <b, then tar"},
    ]
    assert [row[3] for row in rows(load(tmp_path, "a.json", data))] == [
        "The hull is dry.",
        "Since <when>?",
        "if a <b, then tar",
    ]


def test_a_text_that_is_all_of_a_json_file_is_read_by_its_lines(tmp_path: Path) -> None:
    text = "Ida: The hull is dry.\nPer: Since when?\nIda: Since noon.\nPer: Then tar it."
    assert [row[0] for row in rows(load(tmp_path, "a.json", {"text": text}))] == [
        "Ida",
        "Per",
        "Ida",
        "Per",
    ]


ENDS = (
    "I: Is the hull dry? #00:00:06-4#\n\nB: Since noon. #00:00:12-9#\n\n"
    "And tarred, twice. #00:00:15-0#\n\nI: Twice? #00:01:02-3#\n\nB: Yes. #00:01:04-0#\n"
)
BY_ENDS = [
    ("I", None, 6.4, "Is the hull dry?"),
    ("B", 6.4, 12.9, "Since noon."),
    ("B", 12.9, 15.0, "And tarred, twice."),
    ("I", 15.0, 62.3, "Twice?"),
    ("B", 62.3, 64.0, "Yes."),
]


def test_a_time_at_the_end_of_a_paragraph_is_its_end_and_the_next_ones_start(
    tmp_path: Path,
) -> None:
    assert rows(load(tmp_path, "a.txt", ENDS)) == BY_ENDS
    assert rows(load(tmp_path, "a.md", ENDS)) == BY_ENDS


def test_such_times_are_read_in_rtf_and_docx(tmp_path: Path) -> None:
    import docx

    paragraphs = [line for line in ENDS.split("\n") if line]
    rtf = "{\\rtf1\\ansi" + "".join(f"\\pard {line}\\par\n" for line in paragraphs) + "}"
    assert rows(load(tmp_path, "a.rtf", rtf)) == BY_ENDS
    document = docx.Document()
    for line in paragraphs:
        document.add_paragraph(line)
    document.save(str(tmp_path / "a.docx"))
    assert rows(load_source(tmp_path / "a.docx")) == BY_ENDS


def test_a_time_before_a_paragraph_is_its_start(tmp_path: Path) -> None:
    text = (
        "#00:00:00-5# I: Is the hull dry?\n#00:00:06-4# B: Since noon.\n"
        "#00:00:15-0# I: Twice?\n#00:01:02-3# B: Yes.\n"
    )
    assert [row[:3] for row in rows(load(tmp_path, "a.txt", text))] == [
        ("I", 0.5, None),
        ("B", 6.4, None),
        ("I", 15.0, None),
        ("B", 62.3, None),
    ]


def test_a_time_on_a_line_of_its_own_below_a_paragraph_ends_it(tmp_path: Path) -> None:
    text = "The hull is dry.\n#00:00:06-4#\nSince noon, at least.\n#00:00:12-9#\n"
    assert rows(load(tmp_path, "a.txt", text)) == [
        (None, None, 6.4, "The hull is dry."),
        (None, 6.4, 12.9, "Since noon, at least."),
    ]


def test_a_times_numbers_are_no_words_without_speakers_either(tmp_path: Path) -> None:
    text = "The hull is dry. #00:00:06-4#\n\nSince noon #00:00:08-0# at least. #00:00:12-9#\n"
    source = load(tmp_path, "a.txt", text)
    assert [turn.text for turn in source.turns] == ["The hull is dry.", "Since noon at least."]
    assert source.notes == ("times in the midst of paragraphs left out: 1",)


@pytest.mark.parametrize(
    "line",
    [
        '<turn who="a1" ref="x"><seg xml:id="s1" n="2"/>ja</turn>',
        "U29tZSBrZXlzIGFuZCBtb3Jl4oCmIGJhc2U2NCBhbmQ= 9f86d081884c7d659a2feaa0c55ad015",
        '{"id": "7f3a", "v": [1, 2, {"k": "x"}], "type": "note"}',
        "SPEAKER yard 1 12.480 3.120 <NA> <NA> <NA> <NA>",
        "0.0012 0.4471 -0.3391 0.0082 17 4 0.9982",
    ],
)
def test_markup_keys_and_numbers_are_not_taken_for_speech_in_silence(
    tmp_path: Path, line: str
) -> None:
    source = load(tmp_path, "a.txt", "\n\n".join(f"{line}" for _ in range(8)))
    assert source.refused is not None or any("markup, keys or numbers" in n for n in source.notes)


@pytest.mark.parametrize(
    "line",
    [
        "<Media omitted>",
        "We have 7 boats, 12 oars, and 3.5 litres of tar [laughs].",
        "----------------------------------------",
        "Donaudampfschifffahrtsgesellschaftskapitän",
        "The model writes </think> when it is done, as <b>many</b> do.",
    ],
)
def test_speech_with_a_few_signs_is_speech(tmp_path: Path, line: str) -> None:
    text = "\n\n".join([line, "So we tarred the hull, and then we waited for it to dry."] * 4)
    source = load(tmp_path, "a.txt", text)
    assert source.refused is None
    assert not any("markup, keys or numbers" in note for note in source.notes)


def test_tags_between_long_paragraphs_are_noted(tmp_path: Path) -> None:
    words = "So we tarred the hull, and then we waited for it to dry in the sun of the yard. " * 4
    text = "\n\n".join(f'<topic nr="{at}"> {words}' for at in range(4))
    assert (
        load(tmp_path, "a.txt", text).notes[-1].startswith("4 turns hold markup, such as '<topic")
    )
