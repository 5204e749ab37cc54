"""Plain text and Markdown: turns where speakers or times are named, else one a paragraph."""

import re
from dataclasses import replace

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import collapse
from dynagrag.ingest.load.parsed import Parsed, paragraphs, without_tags
from dynagrag.ingest.load.spoken_text import parse_spoken

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)\s*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,4}[.)])[ \t]+")
_RULE = re.compile(r"\s{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
# Links and emphasis: every repeat is bounded and stops at its own opening sign, so no line can make
# them slow.
_HTML_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*|/)?>")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,2000}(?:\s+\"[^\"]{0,300}\")?\)")
_STRONG = re.compile(r"(\*\*|__)(?=[^\s*_])([^*_]{1,500})(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*])([*_`])(?=[^\s*_`])([^*_`]{1,500})(?<=\S)\1(?![\w*])")


def parse_text(lines: list[str]) -> Parsed:
    """Turns where the text names speakers or times, else one a paragraph (format text)."""
    prose = [SourceTurn(collapse(" ".join(block))) for block in paragraphs(lines)]
    parsed = parse_spoken(lines, prose)
    return parsed if parsed.format else replace(parsed, format="text")


def parse_markdown(lines: list[str]) -> Parsed:
    """Markdown that names speakers or times, or prose, where headings are turns too.

    The title is the first heading of level 1, else the heading that the text begins with.
    """
    lines = _without_front_matter(lines)
    blocks = _markdown_blocks(lines)
    title = next(
        (collapse(text) for level, text in blocks if level == 1),
        collapse(blocks[0][1]) if blocks and blocks[0][0] else "",
    )
    prose = [SourceTurn(collapse(text)) for _, text in blocks]
    return parse_spoken(lines, prose, title, _without_markup)


def _without_front_matter(lines: list[str]) -> list[str]:
    if lines and lines[0].strip() == "---":
        end = next(
            (at for at, line in enumerate(lines[1:200], 1) if line.strip() in {"---", "..."}), None
        )
        if end is not None:
            return lines[end + 1 :]
    return lines


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
            elif _RULE.fullmatch(line) or line.lstrip().startswith(("```", "~~~")):
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
