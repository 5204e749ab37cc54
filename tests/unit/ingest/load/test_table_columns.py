"""Tables whose columns their cells tell: headers in any language, ranges of times, workbooks."""

import io
import json
from datetime import time, timedelta
from pathlib import Path
from time import process_time

import pytest

from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load import load_source

Row = tuple[str | None, float | None, float | None, str]


def load(folder: Path, name: str, content: str | bytes) -> LoadedSource:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return load_source(path)


def rows(source: LoadedSource) -> list[Row]:
    assert source.refused is None, source.refused
    return [(turn.speaker, turn.start_s, turn.end_s, turn.text) for turn in source.turns]


TALK: list[Row] = [
    ("Ida", 1.5, None, "The hull is dry, at last."),
    ("Per", 4.25, None, "Since when?"),
    ("Ida", 7.0, None, "Since yesterday evening."),
    ("Per", 12.0, None, "Then let us tar it twice."),
]
TIMES = ("1,5", "4,25", "7,0", "12,0")
CLOCKS = ("0:00:01.500", "0:00:04.250", "0:00:07.000", "0:00:12.000")


def table(header: str, order: str, times: tuple[str, ...], delimiter: str = ";") -> str:
    """The talk with the columns n(umber), s(peaker), c(time), t(ext), r(emark) in an order."""
    lines = [header]
    for at, ((speaker, _, _, text), clock) in enumerate(zip(TALK, times, strict=True)):
        cells = {"n": str(at + 1), "s": speaker, "c": clock, "t": text, "r": "x" if at else ""}
        own = [str(cells[key]) for key in order]
        lines.append(delimiter.join(f'"{cell}"' if delimiter in cell else cell for cell in own))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", table("Mówca;Treść;Czas", "stc", CLOCKS)),
        ("a.csv", table("Nr;Czas;Mówca;Wypowiedź;Uwagi", "ncstr", TIMES)),
        ("a.tsv", table("Sprecher\tText\tZeit", "stc", TIMES, "\t")),
        ("a.csv", table("Temps|Locuteur|Texte", "cst", CLOCKS, "|")),
        ("a.csv", table("Hablante;Hora;Texto", "sct", TIMES)),
        ("a.txt", table("Ora\tChi\tCosa", "cst", CLOCKS, "\t")),
        ("a.csv", table("Orador,Fala,Início", "stc", CLOCKS, ",")),
        ("a.csv", table("Tijd;Spreker;Tekst", "cst", CLOCKS)),
        ("a.csv", table("Čas;Mluvčí;Promluva", "cst", TIMES)),
        ("a.csv", table("Время;Кто;Реплика", "cst", CLOCKS)),
        ("a.csv", table("話者,発言,時刻", "stc", CLOCKS, ",")),
        ("a.csv", table("Project Hull;;\nMówca;Treść;Czas", "stc", CLOCKS)),
        ("a.csv", table("Start,Interviewee,Text", "cst", CLOCKS, ",").replace("viewee", "viewer")),
    ],
)
def test_columns_are_told_by_their_cells_whatever_their_header(
    tmp_path: Path, name: str, content: str
) -> None:
    source = load(tmp_path, name, content)
    expected = TALK
    if "Interviewer" in content:  # nothing says that a column beside a known header is speakers
        expected = [(None, *row[1:]) for row in TALK]
    assert rows(source) == expected


def test_a_note_says_which_columns_the_cells_decided(tmp_path: Path) -> None:
    source = load(tmp_path, "a.csv", table("Nr;Czas;Mówca;Wypowiedź;Uwagi", "ncstr", TIMES))
    assert source.notes == (
        "columns by their cells: text 'Wypowiedź', speaker 'Mówca', start 'Czas'; not read: 'Nr',"
        " 'Uwagi'",
    )


RANGES: list[Row] = [
    ("Ida", 0.0, 7.0, "The hull is dry."),
    ("Per", 7.0, 14.8, "Since when?"),
    ("Ida", 14.8, 62.5, "Since yesterday."),
]


@pytest.mark.parametrize("mark", [" - ", "-", " – ", " --> "])
@pytest.mark.parametrize("header", ["Timespan,Content,Speaker", "Zeit,Inhalt,Sprecher"])
def test_a_column_of_ranges_is_start_and_end(tmp_path: Path, header: str, mark: str) -> None:
    spans = [("0:00.0", "0:07.0"), ("0:07.0", "0:14.8"), ("0:14.8", "1:02.5")]
    lines = [header] + [
        f"{start}{mark}{end},{text},{speaker}"
        for (start, end), (speaker, _, _, text) in zip(spans, RANGES, strict=True)
    ]
    assert rows(load(tmp_path, "a.csv", "\n".join(lines))) == RANGES


def test_a_table_of_a_docx_may_have_ranges_and_a_header_in_another_language(
    tmp_path: Path,
) -> None:
    import docx

    document = docx.Document()
    own = document.add_table(rows=0, cols=3)
    cells = [("Zeitraum", "Inhalt", "Wer"), ("0:00.0 - 0:07.0", "The hull is dry.", "Ida")]
    cells += [("0:07.0 - 0:14.8", "Since when?", "Per")]
    cells += [("0:14.8 - 1:02.5", "Since yesterday.", "Ida")]
    for row in cells:
        for cell, text in zip(own.add_row().cells, row, strict=True):
            cell.text = text
    data = io.BytesIO()
    document.save(data)
    assert rows(load(tmp_path, "a.docx", data.getvalue())) == RANGES


def test_the_rows_of_a_workbook_are_turns_and_other_sheets_are_named(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Talk"
    sheet.append(["Mówca", "Czas", "Treść"])
    sheet.append(["Ida", time(0, 0, 1, 500_000), "The hull is dry."])
    sheet.append(["Per", time(0, 0, 4), "Since when, please?"])
    sheet.append(["Ida", timedelta(hours=1, seconds=9), "Since yesterday."])
    book.create_sheet("Codes").append(["dry", "tar"])
    data = io.BytesIO()
    book.save(data)
    source = load(tmp_path, "a.xlsx", data.getvalue())
    assert [row[:2] for row in rows(source)] == [("Ida", 1.5), ("Per", 4.0), ("Ida", 3609.0)]
    assert source.format == "xlsx"
    assert source.notes[0] == "of its sheets Talk is read, not 'Codes'"


def test_a_workbook_that_claims_to_be_huge_is_read_at_once(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    for row in (("Wer", "Wann", "Was"), *((own[0], own[1], own[3]) for own in TALK)):
        sheet.append(list(row))
    sheet.cell(1_048_576, 16_384, "x")
    data = io.BytesIO()
    book.save(data)
    start = process_time()
    assert [row[0] for row in rows(load(tmp_path, "a.xlsx", data.getvalue()))] == [
        own[0] for own in TALK
    ]
    assert process_time() - start < 10


def test_a_table_without_a_header_is_read_by_its_cells(tmp_path: Path) -> None:
    lines = [
        f"{speaker}\t\t0:00:0{start}.5\t{start}.5\t0:00:0{start + 1}.25\t{start + 1}.25\t{text}"
        for start, (speaker, _, _, text) in zip((1, 3, 6), RANGES, strict=True)
    ]
    found = rows(load(tmp_path, "a.txt", "\n".join(lines)))
    assert [row[:3] for row in found] == [
        ("Ida", 1.5, 2.25),
        ("Per", 3.5, 4.25),
        ("Ida", 6.5, 7.25),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            "Zeile;Gruppe;Rolle;Satz\n"
            + "".join(
                f"{n};{'AB'[n % 2]} Nord;{('Chef', 'Gast')[n // 2 % 2]};Das Boot ist nass.\n"
                for n in range(8)
            ),
            "could have its speaker in more than one column ('Gruppe', 'Rolle'); name the right one"
            " 'speaker' in the first line",
        ),
        (
            "Wer;Hier;Dort\n"
            + "".join(
                f"{'Ida Per'.split()[n % 2]};Das Boot ist nass {n}.;Båten er våt nå {n}.\n"
                for n in range(6)
            ),
            "could have its text in more than one column ('Hier', 'Dort'); name the right one"
            " 'text' in the first line",
        ),
    ],
)
def test_columns_that_cells_do_not_decide_are_named_with_the_remedy(
    tmp_path: Path, content: str, reason: str
) -> None:
    refused = load(tmp_path, "a.csv", content).refused
    assert refused == reason
    word = "speaker" if "Gruppe" in reason else "text"
    mended = content.replace("Rolle" if word == "speaker" else "Hier", word, 1)
    source = load(tmp_path, "a.csv", mended)
    assert source.refused is None
    assert {turn.speaker for turn in source.turns} == (
        {"Chef", "Gast"} if word == "speaker" else {"Ida", "Per"}
    )


def test_numbers_of_rows_and_scores_are_no_times(tmp_path: Path) -> None:
    lines = ["Id;Wert;Wer;Satz"] + [
        f"{at};0,{9 - at};{speaker};{text}" for at, (speaker, _, _, text) in enumerate(TALK)
    ]
    assert all(row[1] is None for row in rows(load(tmp_path, "a.csv", "\n".join(lines))))


def test_cells_of_markup_are_told_by_their_words(tmp_path: Path) -> None:
    content = (
        "Participant,Quote,Timestamp,Tags\nP1,<p>The hull is <em>dry</em>.</p>,0:12,boat\n"
        "P2,<p>Since when?</p>,0:20,time\n"
    )
    assert rows(load(tmp_path, "a.csv", content)) == [
        ("P1", 12.0, None, "The hull is dry."),
        ("P2", 20.0, None, "Since when?"),
    ]


def test_markup_in_a_cell_is_no_words(tmp_path: Path) -> None:
    content = 'speaker,text\nIda,"<p>The hull is <b>dry</b>.</p><p>At&nbsp;last.</p>"\n'
    assert rows(load(tmp_path, "a.csv", content)) == [
        ("Ida", None, None, "The hull is dry. At last.")
    ]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("Sprecher;Zeit;Inhalt", ("1", "2")),
        ("Osoba;Czas;Treść", ("Prof. Ida Lund-Holm (Uniwersytet Warszawski)", "dr Per Moe")),
        ("Kto;Kiedy;Co", ("B1", "I")),
    ],
)
def test_speakers_may_be_numbers_or_long_names(
    tmp_path: Path, header: str, names: tuple[str, str]
) -> None:
    content = table(header, "sct", CLOCKS).replace("Ida", names[0]).replace("Per", names[1])
    expected = [names[at % 2] for at in range(len(TALK))]
    assert [row[0] for row in rows(load(tmp_path, "a.csv", content))] == expected


def test_values_that_come_in_blocks_are_topics(tmp_path: Path) -> None:
    lines = ["Thema;Satz"] + [
        f"{'Teer' if at < 4 else 'Lack'};Das Boot ist nass {at}." for at in range(8)
    ]
    source = load(tmp_path, "a.csv", "\n".join(lines))
    assert {turn.speaker for turn in source.turns} <= {None} or source.refused is not None


@pytest.mark.parametrize(
    "days",
    [
        ("2024-04-25T09:00:01Z", "2024-04-25T09:00:09Z", "2024-04-25T09:01:09Z"),
        ("25.04.2024 09:00:01", "25.04.2024 09:00:09", "25.04.2024, 9:01:09"),
    ],
)
@pytest.mark.parametrize("header", ["timestamp;speaker;text", "Datum;Wer;Was"])
def test_dates_of_a_table_count_from_the_first(
    tmp_path: Path, days: tuple[str, ...], header: str
) -> None:
    lines = [f"{day};{row[0]};{row[3]}" for day, row in zip(days, TALK, strict=False)]
    source = load(tmp_path, "a.csv", "\n".join([header, *lines]))
    assert [row[:2] for row in rows(source)] == [("Ida", 0.0), ("Per", 8.0), ("Ida", 68.0)]
    assert "times count from the first turn's date, 2024-04-25 09:00:01 UTC" in source.notes


def test_a_column_for_each_speaker_is_read_with_its_header_as_the_name(tmp_path: Path) -> None:
    lines = ["Begin Time - hh:mm:ss.ms\tEnd Time - hh:mm:ss.ms\tIda\tPer"] + [
        f"0:00:0{at}.5\t0:00:0{at + 1}.0\t{text if speaker == 'Ida' else ''}"
        f"\t{text if speaker == 'Per' else ''}"
        for at, (speaker, _, _, text) in enumerate(TALK)
    ]
    source = load(tmp_path, "a.txt", "\n".join(lines))
    assert rows(source) == [
        (speaker, at + 0.5, at + 1.0, text) for at, (speaker, _, _, text) in enumerate(TALK)
    ]
    assert source.notes == ("a column for each speaker: 'Ida', 'Per'",)


def test_a_column_with_no_name_above_it_is_nobodys_voice(tmp_path: Path) -> None:
    lines = ["Begin Time - hh:mm:ss.ms;Ida"] + [
        f"0:00:0{at}.5;{text if speaker == 'Ida' else ''};{text if speaker == 'Per' else ''}"
        for at, (speaker, _, _, text) in enumerate(TALK)
    ]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(lines))
    source = load_source(path)
    assert "report the file" not in (source.refused or "")
    assert not any(turn.speaker for turn in source.turns)


def test_a_table_in_a_page_is_turns_among_its_text(tmp_path: Path) -> None:
    cells = [("Zeit", "Wer", "Was"), *((f"0:0{at}", row[0], row[3]) for at, row in enumerate(TALK))]
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
    page = f"<html><body><p>Before it.</p><table>{body}</table><p>Behind it.</p></body></html>"
    assert [row[:2] for row in rows(load(tmp_path, "a.html", page))] == [
        (None, None),
        ("Ida", 0.0),
        ("Per", 1.0),
        ("Ida", 2.0),
        ("Per", 3.0),
        (None, None),
    ]


def test_timecodes_with_semicolons_alone_are_times(tmp_path: Path) -> None:
    content = "Speaker,Start Time,Text\nIda,00;00;01;05,The hull is dry.\nPer,00;00;03;20,When?\n"
    assert [row[:2] for row in rows(load(tmp_path, "a.csv", content))] == [
        ("Ida", 1.2),
        ("Per", 3.8),
    ]


def test_quotation_marks_in_a_tab_separated_file_may_be_words(tmp_path: Path) -> None:
    content = 'speaker\tstart\ttext\nIda\t1\t"Dry" is what I said.\nPer\t4\t"When?" he asked.\n'
    assert [row[3] for row in rows(load(tmp_path, "a.tsv", content))] == [
        '"Dry" is what I said.',
        '"When?" he asked.',
    ]


@pytest.mark.parametrize(
    "data",
    [
        [{"p": row[0], "q": row[1], "r": row[3]} for row in TALK],
        {str(at): {"kto": row[0], "od": row[1], "co": row[3]} for at, row in enumerate(TALK)},
        {"wer": [row[0] for row in TALK], "ab": [row[1] for row in TALK],
         "was": [row[3] for row in TALK]},
        {"columns": ["a", "b", "c"], "data": [[row[1], row[0], row[3]] for row in TALK]},
    ],
)  # fmt: skip
def test_json_whose_keys_nobody_knows_is_read_by_its_values(tmp_path: Path, data: object) -> None:
    source = load(tmp_path, "a.json", json.dumps(data))
    assert rows(source) == TALK
    assert source.notes[0] == "an unknown JSON form"


def test_a_table_may_have_comments_above_it_and_count_samples(tmp_path: Path) -> None:
    head = "No\tTalker\tOnset (samples)\tOffset (samples)\tUtterance\n"
    body = "".join(
        f"{at}\t{row[0]}\t{round(8000 * row[1])}\t{round(8000 * row[1]) + 7000}\t{row[3]}\n"
        for at, row in enumerate(TALK)
    )
    with_rate = load(
        tmp_path, "a.tsv", "# coder: ME, twice\n# sampling rate: 8000 Hz\n" + head + body
    )
    assert [(t.speaker, t.start_s, t.text) for t in with_rate.turns] == [
        (row[0], row[1], row[3]) for row in TALK
    ]
    without = load(tmp_path, "b.tsv", head + body)
    assert [(t.speaker, t.start_s) for t in without.turns] == [(row[0], None) for row in TALK]
    assert "they count samples" in " ".join(without.notes)


@pytest.mark.parametrize("names", [("Absender", "Rolle"), ("发送方", "角色")])
def test_a_column_of_roles_beside_one_of_senders_is_not_the_speaker(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    roles = {"Ida": "Kundin", "Per": "Agent"}
    body = "".join(f'2023/11/4 14:02:{at:02},{row[0]},{roles[row[0]]},"{row[3]}"\n'
                   for at, row in enumerate(TALK))  # fmt: skip
    source = load(tmp_path, "a.csv", f"t,{names[0]},{names[1]},x\n{body}")
    assert [turn.speaker for turn in source.turns] == [row[0] for row in TALK]


def test_an_offset_without_an_onset_is_where_a_turn_begins(tmp_path: Path) -> None:
    body = "".join(f'{row[1]},{row[0]},"{row[3]}"\n' for row in TALK)
    source = load(tmp_path, "a.csv", "offset,speaker,text\n" + body)
    assert [turn.start_s for turn in source.turns] == [row[1] for row in TALK]


def test_cells_beyond_the_header_are_refused_with_what_to_name(tmp_path: Path) -> None:
    source = load(tmp_path, "a.csv", "Zeit;Wer;Was\n0:01;Ida;x y\n0:05;Anna;; word\n")
    assert source.refused is not None
    assert "more than one column ('Was', ''); name the right one 'text'" in source.refused
