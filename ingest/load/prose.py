"""Plain text and Markdown: turns where speakers are named, else one turn a paragraph."""

import re

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import clock_seconds, collapse
from dynagrag.ingest.load.parsed import (
    Parsed,
    has_letter,
    paragraphs,
    speaker_or_none,
    without_tags,
)
from dynagrag.ingest.load.speakers import Labels, find_labels, is_aside, split_label

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)\s*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,4}[.)])[ \t]+")
_RULE = re.compile(r"\s{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_BOLD = re.compile(r"(\*\*|__)([^*_\n]{1,60})\1(.*)")
_BOLD_TIME = re.compile(
    r"\s*(?:[_*`(\[]{1,2})?((?:\d{1,4}:)?\d{1,4}:\d{2}(?:\.\d{1,3})?)"
    r"(?:[_*`)\]]{1,2})?\s*(:?)(?:\s+(.*)|)",
    re.ASCII,
)
# Links and emphasis: every repeat is bounded and stops at its own opening sign, so no line can make
# them slow.
_HTML_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*|/)?>")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,2000}(?:\s+\"[^\"]{0,300}\")?\)")
_STRONG = re.compile(r"(\*\*|__)(?=[^\s*_])([^*_]{1,500})(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*])([*_`])(?=[^\s*_`])([^*_`]{1,500})(?<=\S)\1(?![\w*])")


def parse_text(lines: list[str]) -> Parsed:
    """Turns of `SPEAKER: text` where the whole file reads so (format speaker-text), else one turn a
    paragraph (text).
    """
    blocks = paragraphs(lines)
    labels = find_labels(blocks)
    if labels.names:
        return Parsed(_speaker_turns(blocks, labels), format="speaker-text")
    return Parsed(tuple(SourceTurn(collapse(" ".join(block))) for block in blocks), format="text")


def _speaker_turns(blocks: list[list[str]], labels: Labels) -> tuple[SourceTurn, ...]:
    """A turn ends at the next label or blank line. A paragraph without a label goes on with the
    speaker, unless it is a heading, or a section's heading came.
    """
    turns: list[tuple[str | None, list[str]]] = []
    speaker: str | None = None
    for block in blocks:
        for at, line in enumerate(block):
            found = labels.split(line)
            if found is not None:
                speaker = found[0]
                turns.append((speaker, [found[1]]))
            elif at > 0 and not (line.rstrip().endswith(":") and labels.heads_section(line)):
                turns[-1][1].append(line)
            elif labels.heads_section(line):
                speaker = None
                turns.append((None, [line]))
            elif is_aside(" ".join(block)):
                turns.append((None, [line]))
            else:
                speaker = None if _is_heading(block) else speaker
                turns.append((speaker, [line]))
    return tuple(
        SourceTurn(collapse(" ".join(words)), speaker_or_none(name)) for name, words in turns
    )


def _is_heading(block: list[str]) -> bool:
    text = block[0].strip()
    if len(block) > 1 or len(text) > 80 or not has_letter(text) or text[-1] in ".?!…,;:\"”')]-":
        return False
    words = text.split()
    return (
        text.isupper()
        or text[0] == "#"
        or (text.istitle() and len(words) > 1)
        or words[0] in {"Chapter", "Part", "Section"}
    )


# ----------------------------------------------------------------------------------------- Markdown


def is_bold_speakers(lines: list[str]) -> bool:
    """Whether turns begin with bold names: with a time, or `**Name:** text` that reads as speakers
    over the whole file.
    """
    blocks = paragraphs(lines)
    openings = [_bold_head(block[0]) for block in blocks]
    heads = [head for head in openings if head]
    num_timed = sum(head[1] is not None for head in heads)
    if num_timed:
        return num_timed >= 0.2 * len(blocks)
    if len(heads) < 2:
        return False
    labels = [f"{head[0]}: {head[2] or 'x'}" if head else "-" for head in openings]
    return bool(find_labels([[label] for label in labels]).names)


def _bold_head(line: str) -> tuple[str, float | None, str] | None:
    """(name, seconds, rest) of `**Name** _00:01:02_ rest`, `**Name:** rest` or `**Name**: rest`."""
    match = _BOLD.fullmatch(line.strip()) if line.lstrip().startswith(("**", "__")) else None
    if match is None:
        return None
    name, rest = match[2].strip(), match[3]
    has_colon = name.endswith(":")
    name = name.rstrip(": ")
    if split_label(f"{name}: x") is None:
        return None
    time = _BOLD_TIME.fullmatch(rest.removeprefix(":"))
    if time is not None:
        return name, clock_seconds(time[1]), time[3] or ""
    if has_colon or rest.startswith(":"):
        return name, None, rest.removeprefix(":").strip()
    return None


def parse_markdown(lines: list[str]) -> Parsed:
    """Markdown with bold speakers, with `SPEAKER: text`, or prose, where headings are turns too.

    The title is the first heading of level 1, else the heading that the text begins with.
    """
    lines = _without_front_matter(lines)
    blocks = _markdown_blocks(lines)
    title = next(
        (collapse(text) for level, text in blocks if level == 1),
        collapse(blocks[0][1]) if blocks and blocks[0][0] else "",
    )
    if is_bold_speakers(lines):
        turns: list[tuple[str | None, float | None, list[str]]] = []
        for line in lines:
            head = _bold_head(line)
            heading = _HEADING.fullmatch(line)
            if head is not None:
                turns.append((head[0], head[1], [head[2]]))
            elif heading is not None:
                if _heading_text(heading[2]) != title:
                    turns.append((None, None, [heading[2]]))
                # Words below a heading belong to nobody until a name comes.
                turns.append((None, None, []))
            elif line.strip():
                if not turns:
                    turns.append((None, None, []))
                turns[-1][2].append(line)
        made = (
            SourceTurn(collapse(_without_markup(" ".join(words))), speaker_or_none(name), start)
            for name, start, words in turns
        )
        return Parsed(tuple(turn for turn in made if turn.text), title=title)
    plain = [line for line in lines if not _HEADING.fullmatch(line)]
    labels = find_labels(paragraphs(plain))
    if labels.names:
        return Parsed(_speaker_turns(paragraphs(plain), labels), title=title, format="speaker-text")
    return Parsed(tuple(SourceTurn(collapse(text)) for _, text in blocks), title=title)


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
