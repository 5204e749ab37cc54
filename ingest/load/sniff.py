"""Which format a decoded file is in, by its content first and by its name where the content doesn't
say.
"""

import re

from dynagrag.core.errors import LoadError
from dynagrag.ingest.load.aligned_forms import aligned_form
from dynagrag.ingest.load.captions import is_timing
from dynagrag.ingest.load.clock_forms import is_air_to_ground, is_mission_clock, is_spacelog
from dynagrag.ingest.load.europarl import is_europarl
from dynagrag.ingest.load.fountain import is_fountain
from dynagrag.ingest.load.spoken_text import is_spoken_markdown, spoken_format
from dynagrag.ingest.load.subtitles import (
    has_lrc_time,
    is_ass,
    is_lrc,
    is_microdvd,
    is_mpl2,
)
from dynagrag.ingest.load.tables import csv_delimiter, headless, is_timed_table, table_start
from dynagrag.ingest.load.xml_speech import FORMS

_JSON_HEAD = re.compile(r"\{\s*[\"}]|\[\s*[\[{\"\]]")
_HTML_TAG = re.compile(
    r"<(?:html|head|body|title|p|div|h[1-6]|table|article|section|br|!--)[\s>/-]", re.IGNORECASE
)
_FIRST_TAG = re.compile(r"<([^\W\d][\w:.-]{0,60})(?:\s[^<>]*)?>")
_VTT_HEAD = re.compile(r"WEBVTT(?:[ \t-]|$)")
_SAMPLE_LINES = 4000
_BY_SUFFIX = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".csv": "csv",
    ".tsv": "csv",
    ".fountain": "fountain",
    ".spmd": "fountain",
}
_MARKDOWN = frozenset({".md", ".markdown"})
_TABLES = frozenset({".csv", ".tsv", ".tab", ".txt", ""})
_HTML = frozenset({".html", ".htm", ".xhtml"})
_XML = frozenset(
    {".xml", ".ttml", ".dfxp", ".itt", ".eaf", ".exb", ".trs", ".fln", ".flk", ".tei", ".akn"}
)
_XML_ROOTS = tuple(
    f"<{root.casefold()}" for root in (*FORMS, "ANNOTATION_DOCUMENT", "basic-transcription")
)
_XML_HEADS = ("<?xml", "<transcript", "<timedtext", "<tt", "<!doctype trans", *_XML_ROOTS)
_PROMISES = {
    ".vtt": "no cue times such as 00:00:01.000 --> 00:00:04.000",
    ".srt": "no cue times such as 00:00:01,000 --> 00:00:04,000",
    ".sbv": "no cue times such as 0:00:01.000,0:00:04.000",
    **dict.fromkeys(sorted(_XML), "no XML"),
    ".textgrid": "no Praat TextGrid",
    ".cha": "no CHAT transcript (@UTF8, @Begin)",
    ".otr": "no JSON",
    ".rtf": "no RTF",
    ".xlsx": "no Excel workbook",
    ".ass": "no [Events] with lines of dialogue",
    ".ssa": "no [Events] with lines of dialogue",
    ".smi": "no SAMI",
    ".lrc": "no lines such as [00:12.50]words",
    ".pdf": "no PDF",
    ".docx": "no DOCX",
}


def tree_format(text: str, suffix: str) -> str | None:
    """json, xml, sami or html for a text that is no lines but a tree; None for lines. `suffix` is
    lower-case, with its dot.
    """
    head = text[:4096].lstrip().lower()
    if _JSON_HEAD.match(head):
        return "json"
    if head.startswith("<"):
        if head.startswith("<sami"):
            return "sami"
        if head.startswith("<!doctype html") or "<html" in head[:1000]:
            return "html"
        if suffix in _XML or head.startswith(_XML_HEADS):
            return "xml"
        if _HTML_TAG.match(head) and not is_europarl(head.split("\n")):
            return "html"
        if suffix not in _HTML and _is_one_tree(text):
            return "xml"
    return "html" if suffix in _HTML else None


def _is_one_tree(text: str) -> bool:
    """Whether a text begins with an element and ends with the end of one of its name."""
    first = _FIRST_TAG.match(text.lstrip()[:400])
    return first is not None and text.rstrip().endswith(f"</{first[1]}>")


def line_format(lines: list[str], suffix: str) -> str:
    """The format of a file of lines: captions, a clock form, csv, markdown or text.

    Raises:
        LoadError: The name promises a format (.vtt, .json, ...) and the content is no known one.
    """
    head = lines[:_SAMPLE_LINES]
    filled = [line for line in head if line.strip()]
    caption = _caption_form(filled, suffix) if filled else None
    if caption is not None:
        return caption
    if aligned_form(head) is not None:
        return "aligned"
    for form, is_form in _LINE_FORMS:
        if is_form(head):
            return form
    if suffix in {".json", ".jsonl", ".ndjson"}:
        return "json"
    if suffix == ".lrc" and any(map(has_lrc_time, head)):
        return "lrc"
    rows = filled[table_start(filled) :]
    is_table = rows and (csv_delimiter(rows[0]) is not None or headless(rows) is not None)
    is_table = is_table or (suffix in _TABLES and is_timed_table(rows))
    if suffix not in _MARKDOWN and is_table and len(filled) > 1:
        return "csv"
    if suffix in _MARKDOWN:
        return "markdown"
    has_form = suffix in _PROMISES or suffix in _BY_SUFFIX
    spoken = spoken_format(head) if has_form else None
    if suffix in _PROMISES and spoken not in _TIMED:
        raise LoadError(
            f"is named {suffix} but holds {_PROMISES[suffix]}; correct it, or give it the ending"
            " .txt if it is plain text"
        )
    if suffix in _BY_SUFFIX and (spoken not in _TIMED):
        return _BY_SUFFIX[suffix]
    return "markdown" if not has_form and is_spoken_markdown(head) else "text"


_LINE_FORMS = (
    ("europarl", is_europarl),
    ("ass", is_ass),
    ("microdvd", is_microdvd),
    ("mpl2", is_mpl2),
    ("lrc", is_lrc),
    ("mission-clock", is_mission_clock),
    ("spacelog", is_spacelog),
    ("air-to-ground", is_air_to_ground),
    ("fountain", is_fountain),
)
_TIMED = {"otter-text", "youtube-text"}
"""What is told by its times, whatever ending it has."""


def _caption_form(filled: list[str], suffix: str) -> str | None:
    if _VTT_HEAD.match(filled[0]):
        return "vtt"
    if any(is_timing(line, "sbv") for line in (filled if suffix == ".sbv" else filled[:1])):
        return "sbv"
    # Markdown may have subtitles below a heading: then they are read with what else it holds.
    first = filled[1:2] if filled[0].strip().isdigit() else filled[:1]
    if suffix in _MARKDOWN and not any(is_timing(line, "srt") for line in first):
        return None
    is_named = suffix in {".vtt", ".srt"} and any("-->" in line for line in filled)
    if not is_named and not any(is_timing(line, "srt") for line in filled[:3]):
        return None
    timing = next((line for line in filled if is_timing(line, "srt")), "")
    return "vtt" if "." in timing.partition("-->")[0] and suffix != ".srt" else "srt"
