"""Plain text and Markdown: turns where speakers or times are named, else one a paragraph."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import collapse, short
from dynagrag.ingest.load.cue_stamps import with_cue_stamps, without_cue_numbers
from dynagrag.ingest.load.line_records import parse_line_records
from dynagrag.ingest.load.paragraph_times import take_times, without_frames
from dynagrag.ingest.load.parsed import Parsed, paragraphs, without_tags
from dynagrag.ingest.load.speech_signs import says_i
from dynagrag.ingest.load.spoken_text import parse_spoken
from dynagrag.ingest.load.stamp_shapes import unread_stamps, with_clocks
from dynagrag.ingest.load.tables import is_table_of_turns, parse_table

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)\s*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,4}[.)])[ \t]+")
_RULE = re.compile(r"\s{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_FENCE = re.compile(r"\s*(?:`{3,}[^`]*|~{3,}.*)")
_TABLE_RULE = re.compile(r"\s{0,3}\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?")
_STROKE = re.compile(r"(?<!\\)\|")
# Links and emphasis: every repeat is bounded and stops at its own opening sign, so no line can make
# them slow.
_HTML_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*|/)?>")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,2000}(?:\s+\"[^\"]{0,300}\")?\)")
_STRONG = re.compile(r"(\*\*|__)(?=[^\s*_])([^*_]{1,500})(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*])([*_`])(?=[^\s*_`])([^*_`]{1,500})(?<=\S)\1(?![\w*])")


_BY = re.compile(
    r"\b(?i:by|von|par|por|di|door|av|af|przez):? (?:(?:[^\W\d_]+\.?|the) ){0,3}?"
    r"(?P<name>(?:[A-Z][^\W\d_]*[.]? ){1,3}[A-Z][^\W\d_]+)"
)
_MOST_HEADS, _MAX_HEAD, _SAYING_I = 4, 160, 0.3


def parse_text(lines: list[str]) -> Parsed:
    """Turns where the text names speakers or times, else one a paragraph (format text)."""
    records = parse_line_records(lines)
    if records is not None:
        return records
    lines, notes_of_cues = with_cue_stamps(lines)
    lines, notes = without_frames(without_cue_numbers(lines))
    lines, notes_of_stamps = with_clocks(lines)
    lines, times = take_times(lines)
    prose = [SourceTurn(collapse(" ".join(block))) for block in paragraphs(lines)]
    parsed = parse_spoken(lines, prose, times=times)
    notes = (*notes_of_cues, *notes, *notes_of_stamps, *parsed.notes)
    notes += (*_unread(lines, parsed), *_byline(parsed))
    return replace(parsed, format=parsed.format or "text", notes=notes)


def _byline(parsed: Parsed) -> tuple[str, ...]:
    """A note on a head that names somebody, as a sermon's does, above a text that says I and has no
    speaker.
    """
    if any(turn.speaker for turn in parsed.turns):
        return ()
    heads = [turn.text for turn in parsed.turns[:_MOST_HEADS]]
    named = next((match for text in heads if (match := _BY.search(text[:_MAX_HEAD]))), None)
    num_own = sum(says_i(turn.text) for turn in parsed.turns)
    if named is None or num_own < max(2, _SAYING_I * len(parsed.turns)):
        return ()
    return (
        f"no speaker taken, though its head says {short(collapse(named[0]), 60)} and the text says"
        f" I: where it is theirs, --speaker-map '-={collapse(named['name'])}'",
    )


def _unread(lines: list[str], parsed: Parsed) -> tuple[str, ...]:
    """A note on what looks like times in lines none of which was read."""
    is_timed = any(turn.start_s is not None for turn in parsed.turns)
    return (
        ()
        if is_timed or any("no time taken" in note for note in parsed.notes)
        else unread_stamps(lines)
    )


def parse_markdown(lines: list[str], title: str = "") -> Parsed:
    """Markdown that names speakers or times, or prose, where headings are turns too.

    Without a `title` of its own it is the first heading of level 1, else the heading that the text
    begins with.
    """
    tables = list(_tables_of_turns(lines))
    return _with_tables(lines, tables, title) if tables else _parse_untabled(lines, title)


def _parse_untabled(lines: list[str], title: str) -> Parsed:
    lines = ["" if _FENCE.fullmatch(line) else line for line in lines]
    lines, notes = with_clocks(without_cue_numbers(lines))
    lines, times = take_times(lines)
    blocks = _markdown_blocks(lines)
    title = title or next(
        (collapse(text) for level, text in blocks if level == 1),
        collapse(blocks[0][1]) if blocks and blocks[0][0] else "",
    )
    prose = [SourceTurn(collapse(text)) for _, text in blocks]
    parsed = parse_spoken(lines, prose, title, _without_markup, times)
    return replace(parsed, notes=(*notes, *parsed.notes, *_unread(lines, parsed), *_byline(parsed)))


def _tables_of_turns(lines: list[str]) -> Iterator[tuple[int, int, Parsed]]:
    """(first line, the line behind it, its turns) of each table that has a column of speakers or
    times beside that of words. One whose times are none is prose.
    """
    at = 1
    while at < len(lines):
        is_head = bool(_TABLE_RULE.fullmatch(lines[at]))
        at += 1
        if not is_head:
            continue
        first = at - 2
        while at < len(lines) and lines[at].lstrip().startswith("|"):
            at += 1
        numbers = [first, *range(first + 2, at)]
        rows = [(number + 1, _cells(lines[number])) for number in numbers]
        if is_table_of_turns([row for _, row in rows]):
            with suppress(LoadError):
                yield first, at, parse_table(rows, "|")


def _with_tables(lines: list[str], tables: list[tuple[int, int, Parsed]], title: str) -> Parsed:
    """The turns of tables, and what stands between them as a text of its own."""
    parts: list[Parsed] = []
    done = 0
    for first, end, table in tables:
        turns = (replace(own, text=_without_markup(own.text)) for own in table.turns)
        parts += [_parse_untabled(lines[done:first], title), replace(table, turns=tuple(turns))]
        done = end
    parts.append(_parse_untabled(lines[done:], title))
    return Parsed(
        tuple(turn for part in parts for turn in part.turns),
        title=parts[0].title,
        notes=tuple(note for part in parts for note in part.notes),
        labels=tuple(label for part in parts for label in part.labels),
        format="markdown",
    )


def _cells(row: str) -> list[str]:
    """The cells of a table's row; a stroke within one is escaped."""
    cells = _STROKE.split(row.strip().removeprefix("|").removesuffix("|"))
    return [collapse(cell).replace("\\|", "|") for cell in cells]


def _markdown_blocks(lines: list[str]) -> list[tuple[int, str]]:
    """(level, plain text) of each heading, paragraph and list item; the level is 0 but for
    headings.
    """
    blocks: list[tuple[int, list[str]]] = []
    for run in paragraphs(lines):
        current: list[str] = []
        for line in run:
            heading = _HEADING.fullmatch(line)
            if heading is not None:
                blocks += [(0, current), (len(heading[1]), [_heading_text(heading[2])])]
                current = []
            elif current and _UNDERLINE.fullmatch(line):
                blocks.append((1 if "=" in line else 2, current))
                current = []
            elif _RULE.fullmatch(line):
                blocks.append((0, current))
                current = []
            elif _ITEM.match(line):
                blocks.append((0, current))
                current = [_ITEM.sub("", line, count=1)]
            else:
                current.append(line.lstrip().removeprefix(">"))
        blocks.append((0, current))
    plain = [(level, _without_markup(" ".join(words))) for level, words in blocks]
    return [(level, text) for level, text in plain if text.strip()]


def _heading_text(text: str) -> str:
    return collapse(_without_markup(text.rstrip().rstrip("#")))


def _without_markup(text: str) -> str:
    """The words without links' addresses, HTML tags and emphasis signs."""
    text = _HTML_TAG.sub("", text) if "<" in text else text
    text = _LINK.sub(r"\1", text) if "](" in text else text
    text = _STRONG.sub(r"\2", text)
    return without_tags(_EMPHASIS.sub(r"\2", text))
