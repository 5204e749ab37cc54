"""PDF, DOCX, RTF and HTML, through pypdf, python-docx, striprtf and beautifulsoup4: their words as
lines, which are then read as plain text is.
"""

import io
import logging
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import collapse
from dynagrag.ingest.load.field_names import SPEAKER, TEXT, field_name
from dynagrag.ingest.load.html_text import FURNITURE, HEADING, first_inside, html_words
from dynagrag.ingest.load.label_shapes import Shape, ends_sentence, no_person, shape_of
from dynagrag.ingest.load.parsed import (
    DATE_KEY,
    MAX_FILE_BYTES,
    MAX_HTML_BYTES,
    MAX_TREE_BYTES,
    Parsed,
    split_lines,
)
from dynagrag.ingest.load.prose import parse_text
from dynagrag.ingest.load.saved_chat import parse_saved_chat
from dynagrag.ingest.load.tables import columns_of, has_times, is_table_of_turns, parse_table

_SHORT_LINE = 0.75
"""A line shorter than this share of its page's long lines ends a paragraph: PDF has no paragraphs,
only lines.
"""
_PDF_WORK, _PDF_WORK_PER_BYTE = 300_000, 30
"""The bytes of content that may be read of a PDF: packed, they are a fifth to a tenth of it."""
_REPEATED, _OPERATOR = 10, 10
"""The weight of a byte of content that another page had, and of an operator (also in a form that
pages call).
"""
_TABLE = "\ufffc"
"""Where a table of turns stood in a page: the mark of an embedded thing."""
_MOST_IN_QUOTATION = 200
"""Elements and texts."""
_FEWEST_ATTRIBUTED = 2
_TEMPLATE_DAY = date(2013, 12, 23)
_TELLING = re.compile(r"[^\W\d_]{2}")
"""A page's title has a word of two letters; "M:" tells nothing."""
_CUT_LABEL = re.compile(r"(?m)^(?!#)[ \t]*([^\s:.!?][^\n:!?]{0,39})\n\s*:(?=\s)")
"""A label in a block of its own whose colon opens the next one: `<p>Ann</p>: Yes.`"""
_TEMPLATE_TITLES = frozenset({"Word Document", "Document", "untitled"})
_WORD_HEAD = re.compile(r"[^\W\d_]+-$")


def _as_text(text: str) -> Parsed:
    """A document's lines in the forms that transcripts have when they are saved as a document."""
    return parse_text(split_lines(text))


@contextmanager
def _parser_errors(what: str) -> Iterator[None]:
    """A library's failure on a broken file as our error: it raises exceptions of every kind."""
    try:
        yield
    except LoadError:
        raise
    except Exception as err:
        raise LoadError(f"broken {what}; open it and save it again") from err


# ---------------------------------------------------------------------------------------------- PDF


def parse_pdf(data: bytes) -> Parsed:
    """The paragraphs of a PDF's text layer.

    Raises:
        LoadError: Encrypted, broken, or without any text (a scan).
    """
    with _parser_errors("PDF"):
        from pypdf import PasswordType, PdfReader

        # pypdf logs every oddity that it mends; what it cannot mend, it raises.
        logging.getLogger("pypdf").setLevel(logging.CRITICAL)
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
            raise LoadError("is encrypted; remove its password and try again")
        work = _PdfWork(len(data))
        pages = [work.text_of(page) for page in reader.pages]
        blank = [str(number) for number, page in enumerate(pages, 1) if not page.strip()]
        if len(blank) == len(pages):
            raise LoadError("has no text layer (a scan?); run text recognition (OCR) on it first")
        title = reader.metadata.title if reader.metadata else None
        parsed = _as_text("\n".join(_with_paragraphs(page) for page in pages))
        notes = parsed.notes
        if blank:
            more = f" and {len(blank) - 10} more" if len(blank) > 10 else ""
            which = f"page{'s' if len(blank) > 1 else ''} {', '.join(blank[:10])}{more}"
            notes += (f"no text on {which}",)
        title = title if isinstance(title, str) and title != "untitled" else ""
        meta = _date_meta(_pdf_date(reader))
        return replace(parsed, title=title, notes=notes, format=None, meta=meta)


def _pdf_date(reader: Any) -> Any:
    """When a PDF says it was made; None where it doesn't, or not as PDF writes dates."""
    with suppress(ValueError, TypeError, OverflowError):
        return reader.metadata.creation_date if reader.metadata else None
    return None


def _date_meta(made: Any) -> dict[str, str]:
    """A document's own day, for its `meta`."""
    return {DATE_KEY: made.date().isoformat()} if isinstance(made, datetime) else {}


class _PdfWork:
    """The budget for reading a PDF. Pages may share one stream and forms may call forms, so that a
    small file says to read gigabytes.
    """

    def __init__(self, num_bytes: int) -> None:
        self._left = _PDF_WORK + _PDF_WORK_PER_BYTE * num_bytes
        self._seen: set[int] = set()

    def text_of(self, page: Any) -> str:
        """A page's text. LoadError once a file of this size has asked for too much."""
        content = page.get_contents()
        data = b"" if content is None else content.get_data()
        self._spend(len(data) * (_REPEATED if hash(data) in self._seen else 1))
        self._seen.add(hash(data))
        text: str = page.extract_text(visitor_operand_before=lambda *_: self._spend(_OPERATOR))
        self._spend(len(text))
        return text

    def _spend(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            raise LoadError(
                "repeats its content far beyond its size; print it to a new PDF, or save its text"
            )


def _with_paragraphs(page: str) -> str:
    """A page's lines with a blank one after each that is too short to be followed by more of its
    paragraph; hyphenated words joined.
    """
    lines = [line.rstrip() for line in page.split("\n")]
    lengths = sorted(len(line) for line in lines if line)
    width = lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0
    made: list[str] = []
    for at, line in enumerate(lines):
        following = lines[at + 1].lstrip() if at + 1 < len(lines) else ""
        if made and made[-1].endswith("\xad"):
            line = made.pop()[:-1] + line.lstrip()
        if following[:1].islower() and _WORD_HEAD.search(line[-40:]):
            line = line[:-1] + "\xad"
        made.append(line)
        if line and len(line) < _SHORT_LINE * width and not following[:1].islower():
            made.append("")
    return "\n".join(made).replace("\xad", "")


# --------------------------------------------------------------------------------------------- DOCX


def parse_docx(data: bytes) -> Parsed:
    """The paragraphs and tables of a DOCX in order; a table with a header such as Speaker | Text is
    turns, another one is one turn per row.

    Raises:
        LoadError: A broken one.
    """
    with _parser_errors("DOCX"):
        import docx
        from docx.table import Table

        document = docx.Document(io.BytesIO(data))
        parts: list[Parsed] = []
        texts: list[str] = []
        title = document.core_properties.title or ""
        title = "" if title in _TEMPLATE_TITLES else title
        headings = {s.style_id for s in document.styles if s.name in {"Title", "Heading 1"}}
        for item in document.iter_inner_content():
            if isinstance(item, Table):
                parts += [_flushed(texts), _table(item)]
                continue
            texts.append(item.text)
            if not title and item._p.style in headings and item.text.strip():
                title = item.text
        parts.append(_flushed(texts))
        return Parsed(
            tuple(turn for part in parts for turn in part.turns),
            title=title,
            notes=tuple(note for part in parts for note in part.notes),
            meta=_date_meta(_docx_date(document)),
            labels=tuple(label for part in parts for label in part.labels),
        )


def _docx_date(document: Any) -> Any:
    """When a DOCX says it was made, else last saved; None where it has only the date of the
    template that python-docx makes all its files of.
    """
    with suppress(ValueError, TypeError, OverflowError):
        properties = document.core_properties
        made = properties.created or properties.modified
        return None if made is not None and made.date() == _TEMPLATE_DAY else made
    return None


def zip_format(data: bytes) -> str:
    """docx or xlsx, for a zip that is one and may be unpacked.

    Raises:
        LoadError: Another archive, a broken one, or one that grows beyond its size.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as err:
        raise LoadError(f"broken zip or DOCX ({err}); open it and save it again") from err
    names = {info.filename for info in infos}
    num_bytes = sum(info.file_size for info in infos)
    form = next((form for part, form in _ZIP_FORMATS.items() if part in names), "")
    if not form:
        kind = next(
            (kind for part, kind in _ZIP_KINDS if any(name.startswith(part) for name in names)),
            "a zip archive",
        )
        raise LoadError(
            f"is {kind}, which isn't read;"
            f" {'unpack it' if kind == 'a zip archive' else 'save it as DOCX, PDF or text'} first"
        )
    for info in infos:
        if info.file_size > _FREE_EXPANSION_BYTES + _MAX_EXPANSION * info.compress_size:
            raise LoadError(
                f"{info.filename} in it would grow from {info.compress_size:,} to"
                f" {info.file_size:,} bytes, as no document's part does: it is made to fill the"
                " memory; don't open it, and get the document anew from somebody you trust"
            )
    if num_bytes > MAX_FILE_BYTES:
        raise LoadError(
            f"unpacks to {num_bytes:,} bytes, at most {MAX_FILE_BYTES:,} are read; split it or save"
            " it without images"
        )
    return form


_ZIP_FORMATS = {"word/document.xml": "docx", "xl/workbook.xml": "xlsx"}
_WHOLE = 0.7
"""Of the lines of an RTF file, those that end a sentence, where each is a paragraph."""
_MAX_EXPANSION = 200
_FREE_EXPANSION_BYTES = 16_000_000
"""Text shrinks to a tenth, a long table of few words to a hundredth."""
_ZIP_KINDS = (
    ("xl/", "a binary Excel workbook"),
    ("ppt/", "a PowerPoint file"),
    ("META-INF/container.xml", "an EPUB"),
    ("content.xml", "an OpenDocument file"),
)


def _flushed(texts: list[str]) -> Parsed:
    """The turns of the paragraphs gathered so far, which are then forgotten."""
    text = "\n\n".join(texts)
    texts.clear()
    return _as_text(text) if text.strip() else Parsed(())


def _table(table: Any) -> Parsed:
    rows = list(_rows(table))
    if rows and len(rows[0]) > 1 and (columns_of(rows) is not None or has_times(rows)):
        return parse_table(list(enumerate(rows, 1)), "|")
    # A table without a header may have its speakers in a column.
    parsed = parse_text(["\t".join(map(collapse, row)) for row in rows])
    if parsed.format != "text":
        return parsed
    texts = [" | ".join(filter(None, map(collapse, row))) for row in rows]
    return Parsed(tuple(SourceTurn(text) for text in texts if text))


def _rows(table: Any) -> Iterator[list[str]]:
    """The texts of each row's cells; a cell that spans columns comes once, one that spans rows
    comes in each of them.

    python-docx's own `row.cells` climbs up all rows for each such cell, and lists a cell once for
    every column that it claims to span.
    """
    from docx.table import _Cell

    above: dict[int, str] = {}
    num_chars = 0
    for row in table.rows:
        at, here = row._tr.grid_before, dict[int, str]()
        for tc in row._tr.tc_lst:
            continued = above.get(at) if tc.vMerge == "continue" else None
            here[at] = _Cell(tc, table).text if continued is None else continued
            num_chars += len(here[at])
            at += max(1, tc.grid_span)
        if num_chars > MAX_TREE_BYTES:
            raise LoadError(
                f"has a table of more than {MAX_TREE_BYTES:,} characters; split it, or save it"
                " as CSV"
            )
        yield list(here.values())
        above = here


# ---------------------------------------------------------------------------------------------- RTF


def is_rtf(text: str) -> bool:
    """Whether a text is RTF."""
    return text.lstrip().startswith("{\\rtf")


def parse_rtf(text: str) -> Parsed:
    """The paragraphs of an RTF file.

    Raises:
        LoadError: Too large, or broken.
    """
    if len(text) > MAX_TREE_BYTES:
        raise LoadError(
            f"is {len(text):,} characters of RTF, at most {MAX_TREE_BYTES:,} are read; save it as"
            " text"
        )
    with _parser_errors("RTF"):
        from striprtf.striprtf import rtf_to_text

        words = rtf_to_text(text, errors="replace")
        filled = [line for line in words.split("\n") if line.strip()]
        # Some programs end a paragraph where the screen does.
        are_whole = sum(map(ends_sentence, filled)) >= _WHOLE * len(filled)
        return replace(_as_text(words.replace("\n", "\n\n") if are_whole else words), format=None)


# --------------------------------------------------------------------------------------------- HTML


def parse_html(text: str) -> Parsed:
    """The words of a page's blocks, scripts and styles left out; `<title>`, else the first heading,
    is the title, where it has a word.

    Raises:
        LoadError: Too large or too deeply nested.
    """
    if len(text) > MAX_HTML_BYTES:
        raise LoadError(
            f"is {len(text):,} characters of HTML, at most {MAX_HTML_BYTES:,} are read; save its"
            " text instead"
        )
    with _parser_errors("HTML"):
        from bs4 import BeautifulSoup

        # lxml: the standard library's parser needs quadratic time for broken tags (60 s for 1 MB of
        # "<v ").
        soup = BeautifulSoup(text, "lxml")
        chat = parse_saved_chat(soup)
        if chat is not None:
            return chat
        headings = (own for own in (soup.title, soup.find("h1")) if own is not None)
        titles = (collapse(own.get_text()) for own in headings)
        title = next((own for own in titles if _TELLING.search(own)), "")
        tables = list(_elements_of_turns(soup))
        words = _CUT_LABEL.sub(r"\1:", "".join(html_words(soup, marks_headings=True)))
        parsed = _with_tables(words, tables)
        beside = [own for own in soup.find_all(FURNITURE) if own.get_text().strip()]
        notes: tuple[str, ...] = ("the page's menus and footer left out",) if beside else ()
        is_attributed = any(map(_is_attributed, soup.find_all(True)))
        if is_attributed and not any(turn.speaker for turn in parsed.turns):
            notes += ("its elements have attributes that say who speaks, which were not read",)
        turns = tuple(replace(own, text=own.text.removeprefix(HEADING)) for own in parsed.turns)
        return replace(parsed, turns=turns, title=title, notes=(*notes, *parsed.notes), format=None)


def _elements_of_turns(soup: Any) -> Iterator[Parsed]:
    """The tables of a page that are turns, its elements whose attributes say who speaks, and its
    quotations where several have somebody's name below them, each replaced by a mark.
    """
    spoken = _attributed_turns(soup)
    if spoken:
        yield from spoken
        return
    quotations = {id(quotation): quotation for quotation in soup.find_all("blockquote")}
    names = {at: name for at, own in quotations.items() if (name := _quoted_name(own))}
    are_voices = 1 < len(set(names.values())) < len(names)
    for element in soup.find_all(["table", "blockquote"]):
        if element.name == "blockquote" and are_voices and id(element) in names:
            name = names[id(element)]
            below = element.find(["footer", "cite"]).extract().get_text()
            turns = [SourceTurn(collapse("".join(html_words(element))), name)]
            if collapse(below).strip("-–—―~ ") != name:
                turns.append(SourceTurn(collapse(below)))
            yield Parsed(tuple(turns))
            element.replace_with(f"\n\n{_TABLE}\n\n")
        elif element.name == "table" and element.find("table") is None:
            rows = [
                [collapse(cell.get_text(" ")) for cell in row.find_all(["td", "th"])]
                for row in element.find_all("tr")
            ]
            rows = [row for row in rows if any(row)]
            if is_table_of_turns(rows):
                with suppress(LoadError):
                    yield parse_table(list(enumerate(rows, 1)), "|")
                    element.replace_with(f"\n\n{_TABLE}\n\n")


def _attributed_turns(soup: Any) -> list[Parsed]:
    """The turns of elements with a speaker's attribute (`data-speaker="Ann" data-start="3.1"`),
    each replaced by a mark; none where fewer than two have one.
    """
    elements: list[tuple[Any, dict[str, str]]] = []
    inside: set[int] = set()
    for element in soup.find_all(True):
        # Words of a turn may have its speaker again: the outer element is the turn.
        is_within = id(element.parent) in inside
        if is_within or _is_attributed(element):
            inside.add(id(element))
            if not is_within and element.get_text().strip():
                elements.append((element, _data_of(element)))
    keys = list(dict.fromkeys(key for _, own in elements for key in own))
    if len(elements) < _FEWEST_ATTRIBUTED or any(field_name(key) in TEXT for key in keys):
        return []
    texts = [collapse("".join(html_words(element))) for element, _ in elements]
    if sum(len(text.split()) for text in texts) < _FEWEST_ATTRIBUTED * len(texts):
        return []  # an element a word
    rows = [[*keys, "text"]]
    for (_, own), text in zip(elements, texts, strict=True):
        rows.append([*(own.get(key, "") for key in keys), text])
    parsed = parse_table(list(enumerate(rows, 1)), "|")
    if len(parsed.turns) != len(elements):
        return []
    for element, _ in elements:
        element.replace_with(f"\n\n{_TABLE}\n\n")
    first, *others = parsed.turns
    return [replace(parsed, turns=(first,)), *(Parsed((turn,)) for turn in others)]


def _data_of(element: Any) -> dict[str, str]:
    """The data attributes of an element that hold anything."""
    return {
        name.removeprefix("data-"): value
        for name, value in element.attrs.items()
        if name.startswith("data-") and isinstance(value, str) and value.strip()
    }


def _is_attributed(element: Any) -> bool:
    """Whether an attribute of an element says who speaks."""
    names = map(field_name, _data_of(element))
    return any(name.startswith("speaker") and name in SPEAKER for name in names)


def _quoted_name(quotation: Any) -> str:
    """Who is quoted, as the element below the words says; empty where none names a person."""
    inside = list(first_inside(quotation, _MOST_IN_QUOTATION))
    below = next((own for own in inside if own.name in {"footer", "cite"}), None)
    if below is None or any(own.name in {"blockquote", "table"} for own in inside):
        return ""
    name = below if below.name == "cite" else below.find("cite") or below
    label = collapse(name.get_text()).lstrip("-–—―~ ").partition(",")[0].strip()
    return label if shape_of(label) is Shape.NAME and no_person(label) is None else ""


def _with_tables(text: str, tables: list[Parsed]) -> Parsed:
    """The turns of a text, and those of tables where its marks stand."""
    if not tables:
        return _as_text(text)
    parts: list[Parsed] = []
    for at, between in enumerate(text.split(_TABLE)):
        parts += [_as_text(between)] if between.strip() else []
        parts += tables[at : at + 1]
    return Parsed(
        tuple(turn for part in parts for turn in part.turns),
        notes=tuple(note for part in parts for note in part.notes),
        labels=tuple(label for part in parts for label in part.labels),
    )
