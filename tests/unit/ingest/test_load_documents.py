"""PDF, DOCX and HTML made on the spot."""

import io
from datetime import date, datetime
from pathlib import Path

import docx
import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen import canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer

from dynagrag.ingest.load import load_source

LONG = (
    "The crew of the ship had just finished their evening broadcast when a loud bang shook the"
    " whole stack. " * 4
)
OTHER = (
    "Controllers on the ground saw the pressure fall and asked each other what their numbers could"
    " mean now. " * 3
)


def pdf_of(paragraphs: list[str], title: str = "") -> bytes:
    buffer = io.BytesIO()
    style = getSampleStyleSheet()["BodyText"]
    flow = [
        part
        for text in paragraphs
        for part in ((PageBreak(),) if text == "\f" else (Paragraph(text, style), Spacer(1, 8)))
    ]
    SimpleDocTemplate(buffer, title=title).build(flow)
    return buffer.getvalue()


def test_pdf_paragraphs_are_turns_and_its_title_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf_of([LONG, OTHER, "\f", OTHER], "The accident"))
    source = load_source(path)
    assert [turn.text for turn in source.turns] == [
        " ".join(text.split()) for text in (LONG, OTHER, OTHER)
    ]
    assert (source.format, source.title, source.encoding) == ("pdf", "The accident", None)


def test_pdf_speaker_lines_are_turns_under_any_name(tmp_path: Path) -> None:
    path = tmp_path / "talk"
    path.write_bytes(pdf_of(["Anna: " + LONG, "Bob: Yes.", "Anna: " + OTHER, "Bob: Thank you."]))
    source = load_source(path)
    assert [turn.speaker for turn in source.turns] == ["Anna", "Bob", "Anna", "Bob"]
    assert source.turns[2].text == " ".join(OTHER.split())
    assert source.title == "talk"


def test_pdf_page_without_text_is_said_and_a_scan_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    pages = canvas.Canvas(str(path))
    pages.drawString(72, 720, "Only words on the first page.")
    pages.showPage()
    pages.rect(10, 10, 50, 50)
    pages.showPage()
    pages.save()
    source = load_source(path)
    assert [turn.text for turn in source.turns] == ["Only words on the first page."]
    assert source.notes == ("no text on page 2",)
    scan = canvas.Canvas(str(path))
    scan.rect(10, 10, 50, 50)
    scan.showPage()
    scan.save()
    assert "OCR" in (load_source(path).refused or "")


def test_encrypted_pdf_is_refused_with_the_remedy(tmp_path: Path) -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf_of(["secret words"]))))
    writer.encrypt("password", algorithm="RC4-128")
    path = tmp_path / "a.pdf"
    with path.open("wb") as file:
        writer.write(file)
    assert "remove its password" in (load_source(path).refused or "")


def test_truncated_pdf_is_refused_or_read_but_never_raises(tmp_path: Path) -> None:
    data = pdf_of([LONG])
    path = tmp_path / "a.pdf"
    for size in range(8, len(data), max(1, len(data) // 25)):
        path.write_bytes(data[:size])
        source = load_source(path)
        assert (source.refused is None) == bool(source.turns)


def test_docx_paragraphs_and_tables_come_in_order(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_heading("Minutes", level=1)
    document.add_paragraph("It began late.")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ["Item", "Owner", "Valve", "Anna"], strict=True):
        cell.text = text
    document.add_paragraph("It ended early.")
    document.save(str(tmp_path / "a.docx"))
    source = load_source(tmp_path / "a.docx")
    assert [turn.text for turn in source.turns] == [
        "Minutes",
        "It began late.",
        "Item | Owner",
        "Valve | Anna",
        "It ended early.",
    ]
    assert (source.format, source.title) == ("docx", "Minutes")


def test_docx_speakers_in_lines_and_in_a_table_are_recognised(tmp_path: Path) -> None:
    document = docx.Document()
    for text in ("Anna: Hello.", "Bob: Hi.", "Anna: Bye."):
        document.add_paragraph(text)
    table = document.add_table(rows=2, cols=3)
    for cell, text in zip(
        table._cells, ["Time", "Speaker", "Text", "0:05", "Cleo", "And I."], strict=True
    ):
        cell.text = text
    document.save(str(tmp_path / "talk.zip"))
    source = load_source(tmp_path / "talk.zip")
    assert [(turn.speaker, turn.start_s, turn.text) for turn in source.turns] == [
        ("Anna", None, "Hello."),
        ("Bob", None, "Hi."),
        ("Anna", None, "Bye."),
        ("Cleo", 5.0, "And I."),
    ]
    assert source.format == "docx"


@pytest.mark.parametrize("name", ["a.html", "a.txt", "a"])
def test_html_blocks_are_turns_without_scripts_styles_and_comments(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_text(
        "<!doctype html><html><head><title>My  talk &amp;"
        " more</title><style>p{}</style></head><body><script>var x ="
        " '<p>no</p>'</script><h1>Head</h1><p>One\n"
        " two <b>th</b>ree &lt;br&gt;</p><!-- no"
        " --><ul><li>a<li>b</ul><div>c<p>d</p>e</div></body></html>"
    )
    source = load_source(path)
    assert [turn.text for turn in source.turns] == [
        "Head",
        "One two three <br>",
        "a",
        "b",
        "c",
        "d",
        "e",
    ]
    assert (source.format, source.title) == ("html", "My talk & more")


def test_html_speakers_are_recognised_and_deep_nesting_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    path.write_text("<html><p>Anna: Hello.<p>Bob: Hi.<p>Anna: Bye." + "<div>" * 3000 + "deep")
    source = load_source(path)
    assert [turn.speaker for turn in source.turns[:3]] == ["Anna", "Bob", "Anna"]
    assert source.turns[-1].text.endswith("deep")


def test_a_documents_own_day_is_kept(tmp_path: Path) -> None:
    import docx

    made = docx.Document()
    made.add_paragraph("The mill was sold.")
    made.save(str(tmp_path / "template.docx"))
    made.core_properties.created = datetime(2024, 5, 6, 7, 8)
    made.save(str(tmp_path / "dated.docx"))
    (tmp_path / "a.pdf").write_bytes(pdf_of(["The mill was sold."]))
    today = datetime.now().date()
    assert "date" not in load_source(tmp_path / "template.docx").meta
    assert load_source(tmp_path / "dated.docx").meta["date"] == "2024-05-06"
    day = date.fromisoformat(load_source(tmp_path / "a.pdf").meta["date"])
    assert abs((day - today).days) <= 1


def test_a_label_whose_colon_opens_the_next_block_labels_it(tmp_path: Path) -> None:
    path = tmp_path / "talk.html"
    path.write_text(
        "<h3>Early days</h3><p><b>Ruiz</b></p>:&#9;Were the pumps old?"
        "<p><b>Vale</b>: They were, all of them.</p><p><b>Ruiz</b></p>: And loud?"
        "<p><b>Vale</b>: Not all.</p>",
        encoding="utf-8",
    )
    turns = [(turn.speaker, turn.text) for turn in load_source(path).turns]
    assert turns == [
        (None, "Early days"),
        ("Ruiz", "Were the pumps old?"),
        ("Vale", "They were, all of them."),
        ("Ruiz", "And loud?"),
        ("Vale", "Not all."),
    ]


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("<title>M:</title><h1>Pumps of Delft</h1>", "Pumps of Delft"),
        ("<title>M:</title>", "talk"),
        ("<title> - 1 -</title><h1>?</h1>", "talk"),
        ("<title>The pumps</title><h1>Delft</h1>", "The pumps"),
    ],
)
def test_a_page_s_title_without_a_word_is_passed_over(
    tmp_path: Path, head: str, title: str
) -> None:
    path = tmp_path / "talk.html"
    path.write_text(f"{head}<p>They were loud.</p>", encoding="utf-8")
    assert load_source(path).title == title
