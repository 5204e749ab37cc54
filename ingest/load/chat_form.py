"""CHAT, the transcripts of CHILDES and TalkBank (`.cha`): `*CHI:` lines are speech, `%mor:` lines
say something about it, `@Participants` has the names.

Own code: pylangacq reads it, but needs a compiled library of 5 MB for what is 100 lines here.
"""

import re
from collections.abc import Sequence

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import collapse, plural
from dynagrag.ingest.load.parsed import Parsed, speaker_or_none

_HEAD = re.compile(r"@(?:UTF8|Begin|Font|Window|PID)\b")
_BULLET = re.compile("\x15(\\d{1,9})_(\\d{1,9})-?\x15|\u2022(\\d{1,9})_(\\d{1,9})\u2022")
_SPEECH = re.compile(r"\*([^\s:]{1,20}):\s*(.*)", re.DOTALL)
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_CODE = re.compile(r"(?<!\S)(?:&[=*]\S*|\([.\d:]{1,8}\)|\+\S*|0\S*)(?!\S)")
"""What happens, pauses, ways of linking, and words that weren't said."""
_FILLER = re.compile(r"(?<!\S)&[-+~]?(?=\w)")
_FORM = re.compile(r"(?<=\w)@[a-z:$]{1,12}")
_SIGNS = re.compile(r"[<>^\u02c8\u02cc\u2191\u2193\u201e\u2021\u2308-\u230b]|(?<=[^\W\d_]):+(?!\d)")
_INNER = re.compile(r"\((\w{1,20})\)")
_END = re.compile(r"\+(?:\.\.\.|/\.|//\.|\.\.\?|/\?|!\?|\"/\.|\"\.)\s*$")
_SPACED_END = re.compile(r"\s+([.?!,;])")


def is_chat(text: str) -> bool:
    """Whether a text begins as CHAT does."""
    return _HEAD.match(text[:200].lstrip("\ufeff \n")) is not None


def parse_chat(lines: Sequence[str]) -> Parsed:
    """The utterances of a CHAT file, in the words that were said, without codes and tiers about
    the speech.

    Raises:
        LoadError: It has no utterance.
    """
    names: dict[str, str] = {}
    title, turns, num_beside = "", list[SourceTurn](), 0
    for line in _joined(lines):
        if line.startswith("@Participants"):
            names = _participants(line.partition(":")[2])
        elif line.startswith(("@Title", "@Situation")) and not title:
            title = line.partition(":")[2].strip()
        elif line.startswith("%"):
            num_beside += 1
        elif (match := _SPEECH.match(line)) is not None:
            turns += _turn(names.get(match[1], match[1]), match[2])
    if not turns:
        raise LoadError("is a CHAT file without an utterance (*CHI: ...); check that it is whole")
    notes = (
        (f"{plural(num_beside, 'line')} about the speech (%...) left out",) if num_beside else ()
    )
    return Parsed(tuple(turns), title=title, notes=notes, format="chat")


def _joined(lines: Sequence[str]) -> list[str]:
    """The file's lines; what begins with a tab goes on with the one before."""
    made: list[str] = []
    for line in lines:
        if line[:1] in "\t " and line.strip() and made:
            made[-1] += " " + line.strip()
        elif line.strip():
            made.append(line.strip())
    return made


def _participants(text: str) -> dict[str, str]:
    """`CHI Ross Target_Child, FAT Brian Father` by code: the name, else the role."""
    names = {}
    for own in text.split(","):
        parts = own.split()
        if len(parts) >= 2:
            name = parts[1] if len(parts) > 2 else parts[-1]
            names[parts[0]] = name.replace("_", " ")
    return names


def _turn(speaker: str, text: str) -> list[SourceTurn]:
    bullets = list(_BULLET.finditer(text))
    start = end = None
    if bullets:
        times = [int(own) / 1000 for match in bullets for own in match.groups() if own]
        start, end = min(times), max(times)
    words = spoken(_BULLET.sub(" ", text))
    return [SourceTurn(words, speaker_or_none(speaker), start, end)] if words else []


def spoken(text: str) -> str:
    """The words of an utterance without CHAT's codes. What was said twice or broken off
    stays.
    """
    text = _END.sub("...", text.strip()) if "..." in text[-8:] else _END.sub(".", text.strip())
    text = _BRACKETS.sub(" ", text)
    text = _CODE.sub(" ", text)
    text = _FORM.sub("", _FILLER.sub("", text))
    text = _INNER.sub(r"\1", _SIGNS.sub("", text))
    words = _SPACED_END.sub(r"\1", collapse(text.replace("_", " ")))
    return words if any(ch.isalnum() for ch in words) else ""
