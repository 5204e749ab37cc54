"""One file in, one LoadedSource out: bytes, encoding, format, turns; and what a user is shown of
it.
"""

import hashlib
import logging
import os
import stat
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from dynagrag.core.errors import LoadError
from dynagrag.core.files.regular_files import IRREGULAR
from dynagrag.core.schema import LoadedSource
from dynagrag.core.text import collapse, short
from dynagrag.ingest.load import foreign, sniff
from dynagrag.ingest.load.aligned_forms import parse_aligned
from dynagrag.ingest.load.captions import parse_captions
from dynagrag.ingest.load.chat_form import is_chat, parse_chat
from dynagrag.ingest.load.clock_forms import (
    parse_air_to_ground,
    parse_mission_clock,
    parse_spacelog,
)
from dynagrag.ingest.load.cue_stamps import with_cue_stamps
from dynagrag.ingest.load.documents import (
    is_rtf,
    parse_docx,
    parse_html,
    parse_pdf,
    parse_rtf,
    zip_format,
)
from dynagrag.ingest.load.encoding import binary_kind, decode
from dynagrag.ingest.load.europarl import parse_europarl
from dynagrag.ingest.load.fountain import parse_fountain
from dynagrag.ingest.load.front_matter import split_front_matter
from dynagrag.ingest.load.json_forms import parse_json
from dynagrag.ingest.load.line_records import parse_log_lines
from dynagrag.ingest.load.mail_form import is_mail, parse_mail
from dynagrag.ingest.load.parsed import (
    MAX_FILE_BYTES,
    MAX_TREE_BYTES,
    Parsed,
    checked,
    split_lines,
    without_makers_lines,
)
from dynagrag.ingest.load.praat import is_text_grid, parse_text_grid
from dynagrag.ingest.load.prose import parse_markdown, parse_text
from dynagrag.ingest.load.spreadsheet import parse_xlsx
from dynagrag.ingest.load.stamp_shapes import with_clocks
from dynagrag.ingest.load.subtitles import (
    parse_ass,
    parse_lrc,
    parse_microdvd,
    parse_mpl2,
    parse_sami,
)
from dynagrag.ingest.load.tables import parse_csv
from dynagrag.ingest.load.xml_forms import parse_xml
from dynagrag.language.document_language import found_language

logger = logging.getLogger(__name__)

_LINE_PARSERS = {
    "ass": parse_ass,
    "microdvd": parse_microdvd,
    "mpl2": parse_mpl2,
    "lrc": parse_lrc,
    "mission-clock": parse_mission_clock,
    "spacelog": parse_spacelog,
    "air-to-ground": parse_air_to_ground,
    "fountain": parse_fountain,
    "aligned": parse_aligned,
    "europarl": parse_europarl,
    "csv": parse_csv,
    "text": parse_text,
}
_TEXT_FORMS = (
    ("rtf", is_rtf, parse_rtf),
    ("praat", is_text_grid, parse_text_grid),
    ("mail", is_mail, parse_mail),
    ("chat", is_chat, lambda text: parse_chat(split_lines(text))),
)
"""Forms that their first line names."""
_TREE_PARSERS = {"html": parse_html, "sami": parse_sami, "xml": parse_xml}


@dataclass(slots=True)
class _Reading:
    """The reading of a file so far, so that a refusal can still tell how far it came."""

    sha256: str = ""
    format: str | None = None
    encoding: str | None = None
    notes: tuple[str, ...] = ()


def file_sha256(path: Path) -> str:
    """The hash of a file's bytes, as `load_source` gives it; "" where they can't be read."""
    reading = _Reading()
    with suppress(LoadError, OSError, ValueError, MemoryError):
        _read_bytes(path, reading)
    return reading.sha256


def load_source(path: Path) -> LoadedSource:
    """Reads one file. Never raises for a bad one: `refused` is then the reason in one line, with
    the remedy, without the path.

    `format` is what the content is, whatever the name says; `title` the document's own, else the
    file's name without its ending; `notes` what a user should know (an encoding that was guessed,
    empty cues, pages without text).
    """
    path = Path(path)
    reading = _Reading()
    try:
        parsed = _parse(_read_bytes(path, reading), path.suffix.lower(), reading)
        parsed = checked(without_makers_lines(parsed))
    except (
        Exception
    ) as err:  # the border: whatever a parser trips over, the other files of the folder are read
        reason = _reason(err, reading)
        logger.debug("%s refused: %s", path, reason, exc_info=not isinstance(err, LoadError))
        return LoadedSource(
            path=str(path),
            format=reading.format,
            sha256=reading.sha256,
            title=_title_of(path),
            encoding=reading.encoding,
            notes=reading.notes,
            refused=reason,
        )
    form = parsed.format or reading.format or "text"
    meta = (
        {"format": form}
        | ({"encoding": reading.encoding} if reading.encoding else {})
        | parsed.meta
    )
    return LoadedSource(
        path=str(path),
        format=form,
        turns=parsed.turns,
        sha256=reading.sha256,
        title=parsed.title or _title_of(path),
        encoding=reading.encoding,
        notes=reading.notes + parsed.notes,
        meta=meta,
        labels=parsed.labels,
    )


def inspect_row(source: LoadedSource) -> dict[str, object]:
    """How a file was read, for programs: `{path, format, language, turns: [{speaker, start_s,
    end_s, text}], labels: [{text, fate, why, num_turns, num_words, times_s, lines}], refused}`.
    """
    turns = [
        {"speaker": turn.speaker, "start_s": turn.start_s, "end_s": turn.end_s, "text": turn.text}
        for turn in source.turns
    ]
    return {
        "path": source.path,
        "format": source.format,
        "language": found_language("\n".join(turn.text for turn in source.turns)),
        "turns": turns,
        "labels": [asdict(label) for label in source.labels],
        "refused": source.refused,
    }


def _reason(err: Exception, reading: _Reading) -> str:
    if isinstance(err, LoadError):
        return collapse(str(err))
    if isinstance(err, OSError):
        what = (err.strerror or str(err)).lower()
        remedy = "change its permissions" if isinstance(err, PermissionError) else "check the path"
        return f"could not be opened: {what}; {remedy}"
    if isinstance(err, MemoryError):
        return "needs more memory than there is; split it into smaller files"
    if isinstance(err, RecursionError):
        return "is nested too deeply; save it as plain text"
    form = reading.format or "any known format"
    return (
        f"could not be read as {form} ({type(err).__name__}: {short(str(err), 80)}); save it as"
        " plain text, and report the file"
    )


def _title_of(path: Path) -> str:
    return collapse(path.stem).encode("utf-8", "replace").decode() or path.name


def _read_bytes(path: Path, reading: _Reading) -> bytes:
    info = os.stat(path)
    if stat.S_ISDIR(info.st_mode):
        raise LoadError(
            "is a folder; give the files in it, or the folder to a command that takes folders"
        )
    if not stat.S_ISREG(info.st_mode):
        raise LoadError(IRREGULAR)
    if info.st_size > MAX_FILE_BYTES:
        raise LoadError(
            f"is {info.st_size:,} bytes large, at most {MAX_FILE_BYTES:,} are read; split it into"
            " smaller files"
        )
    with path.open("rb") as file:
        data = file.read(MAX_FILE_BYTES)
    reading.sha256 = hashlib.sha256(data).hexdigest()
    if not data.strip():
        raise LoadError("is empty; check that it was written completely")
    return data


def _parse(data: bytes, suffix: str, reading: _Reading) -> Parsed:
    kind = binary_kind(data[:65_536])
    if kind == "PDF":
        reading.format = "pdf"
        return parse_pdf(data)
    if kind == "zip":
        reading.format = "docx" if suffix == ".docx" else None
        reading.format = zip_format(data)
        parsed = parse_docx(data) if reading.format == "docx" else parse_xlsx(data)
        return replace(parsed, format=reading.format)
    foreign.check_bytes(data[:1024])
    decoded = decode(data)
    reading.encoding, reading.notes = decoded.encoding, decoded.notes
    text = decoded.text
    foreign.check_text(text)
    for form, is_form, parse in _TEXT_FORMS:
        if is_form(text):
            reading.format = form
            return parse(text)
    tree = sniff.tree_format(text, suffix)
    if tree is not None:
        parsed_tree = _parse_tree(text, tree, suffix, reading)
        if parsed_tree is not None:
            return parsed_tree
    head, lines = split_front_matter(split_lines(text))
    return head.applied_to(_parse_lines(lines, suffix, reading, text, head.title))


def _parse_lines(lines: list[str], suffix: str, reading: _Reading, text: str, title: str) -> Parsed:
    """A file of lines, by the form that they are in; `title`: the one that its head names."""
    lines, notes = with_cue_stamps(lines)
    reading.notes += notes
    reading.format = sniff.line_format(lines, suffix)
    if reading.format == "text":
        records = parse_log_lines(lines)
        if records is not None:
            return records
        lines, notes = with_clocks(lines)
        if notes:  # with clocks it may be another form
            reading.notes += notes
            reading.format = sniff.line_format(lines, suffix)
    if reading.format in {"vtt", "srt", "sbv"}:
        return parse_captions(lines, reading.format)
    if reading.format == "json":
        return parse_json(text)
    if reading.format == "markdown":
        return parse_markdown(lines, title)
    return _LINE_PARSERS[reading.format](lines)


def _parse_tree(text: str, form: str, suffix: str, reading: _Reading) -> Parsed | None:
    """A JSON, XML, SAMI or HTML file; None for a text that only begins as JSON does."""
    if len(text) > MAX_TREE_BYTES:
        raise LoadError(
            f"is {len(text):,} characters of {form}, at most {MAX_TREE_BYTES:,} are read; split it"
            " into smaller files"
        )
    if form != "json":
        reading.format = form
        return _TREE_PARSERS[form](text)
    try:
        return parse_json(text)
    except LoadError as err:
        if suffix in {".txt", ".md", ".markdown", ".csv"} and str(err).startswith("malformed JSON"):
            return None
        reading.format = "json"
        raise
