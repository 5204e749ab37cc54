"""Fountain, the plain text of screenplays (fountain.io/syntax): names in capitals above what they
say. Whatever else stands in it is nobody's: action, headings of scenes, transitions, notes.
"""

import re
from collections.abc import Sequence
from itertools import groupby

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import collapse, plural
from dynagrag.ingest.load.parsed import Parsed, has_letter

_SCENE = re.compile(r"(?:INT|EXT|EST|INT\.?/EXT|I/E)[. ]|\.(?!\.)\w", re.IGNORECASE)
_CUE = re.compile(r"(?P<mark>@?)(?P<name>[^(^]+?)[ \t]*(?:\([^()]*\)[ \t]*)*\^?")
_TRANSITION = re.compile(r"[^a-z]+TO:|>.*")
_MARK = re.compile(r"^(?:[!~]|>[ \t]*|#{1,6}[ \t]*|=+[ \t]*|\.(?=\w))|[ \t]*<$")
_BONEYARD = re.compile(r"/\*(?:(?!/\*).)*?\*/", re.DOTALL)
_NOTE = re.compile(r"(?<![ \t])[ \t]*\[\[(?:(?!\[\[).)*?\]\]", re.DOTALL)
# Each stops at the next sign of its own kind, so no line can make them slow.
_STARS = re.compile(r"(?<![\\*])(\*{1,3})(?=[^\s*])((?:\\.|[^*\\\n])++)(?<=\S)\1")
_UNDERLINED = re.compile(r"(?<!\\)_(?=[^\s_])((?:\\.|[^_\\\n])++)(?<=\S)_")
_TITLE_KEY = re.compile(r"[^\s:][^:\n]{0,40}:(?:[ \t].*)?")
_FEWEST_CUES, _MOST_CUE_CHARS = 3, 100


def is_fountain(lines: Sequence[str]) -> bool:
    """Whether a text that doesn't say so is one: a scene's heading, and names in capitals that come
    back right above words, none of them set in.
    """
    blocks = _blocks(lines)
    has_scene = any(_SCENE.match(block[0]) and block[0][0] != "." for block in blocks)
    names = [name for block in blocks if (name := _name_of(block)) and not block[0][:1].isspace()]
    return has_scene and len(names) >= _FEWEST_CUES and len(set(names)) < len(names)


def parse_fountain(lines: Sequence[str]) -> Parsed:
    """The turns of a screenplay; `(sotto)` below a name is nobody's."""
    text, num_cut = _BONEYARD.subn("", "\n".join(lines))
    text, num_notes = _NOTE.subn("", text)
    blocks = _blocks(text.split("\n"))
    turns: list[SourceTurn] = []
    title = ""
    if blocks and _TITLE_KEY.fullmatch(blocks[0][0]) and not _TRANSITION.fullmatch(blocks[0][0]):
        words = " ".join(map(_plain, blocks[0]))
        turns.append(SourceTurn(words))
        is_title = words.casefold().startswith("title:")
        title = _plain(blocks[0][0].partition(":")[2]) if is_title else ""
        blocks = blocks[1:]
    for block in blocks:
        name = _name_of(block)
        if not name:
            turns.append(SourceTurn(" ".join(map(_plain, block))))
            continue
        for is_manner, said in groupby(block[1:], _is_manner):
            turns.append(SourceTurn(" ".join(map(_plain, said)), None if is_manner else name))
    num_left = num_cut + num_notes
    notes = (f"{plural(num_left, 'note')} of its writer left out",) if num_left else ()
    turns = [turn for turn in turns if turn.text]
    return Parsed(tuple(turns), title=title, notes=notes, format="fountain")


def _blocks(lines: Sequence[str]) -> list[list[str]]:
    """Runs of lines between empty ones; one of two blanks holds what is said together."""
    runs = groupby(lines, lambda line: bool(line.strip()) or line == "  ")
    blocks = [[line for line in run if line.strip()] for is_filled, run in runs if is_filled]
    return [block for block in blocks if block]


def _name_of(block: Sequence[str]) -> str:
    """Who speaks in a block; empty where it is no dialogue."""
    first = block[0].strip()
    match = _CUE.fullmatch(first) if len(first) <= _MOST_CUE_CHARS else None
    if len(block) < 2 or match is None or first[0] in "!>#=~[." or _SCENE.match(first):
        return ""
    name = match["name"].strip()
    is_name = has_letter(name) and (match["mark"] or name.isupper())
    return name if is_name and not _TRANSITION.fullmatch(first) else ""


def _is_manner(line: str) -> bool:
    line = line.strip()
    return line[:1] == "(" and line[-1:] == ")"


def _plain(line: str) -> str:
    """A line without marks of Fountain."""
    line = _MARK.sub("", collapse(line))
    for _ in range(2):  # what is bold may have italics in it
        line = _UNDERLINED.sub(r"\1", _STARS.sub(r"\2", line))
    return collapse(line.replace("\\", ""))
