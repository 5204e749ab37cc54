"""Forms of captions and transcripts that aren't read: each is refused by its name, with what to do.

Read as text they would be turns of timings, codes and markup.
"""

import re
from dataclasses import dataclass

from dynagrag.core.errors import LoadError

_AS_CAPTIONS = "convert it to SRT or WebVTT (Subtitle Edit and ffmpeg do)"
_AS_EXPORT = "export it as text, CSV or SRT"


@dataclass(frozen=True, slots=True)
class _Foreign:
    name: str
    sign: re.Pattern[str]
    remedy: str


def _row(name: str, sign: str, remedy: str = _AS_CAPTIONS) -> _Foreign:
    return _Foreign(name, re.compile(sign), remedy)


_TEXTS = (
    _row("Scenarist SCC captions", r"Scenarist_SCC V"),
    _row(
        "Spruce STL subtitles",
        r"(?://[^\n]*\n|\s)*\$(?:Font|Horz|Vert|Tape|Color|Text|Fade)\w*\s*=|"
        r"\d\d:\d\d:\d\d[:;.]\d\d\s*,\s*\d\d:\d\d:\d\d[:;.]\d\d\s*,",
    ),
    _row("SubViewer subtitles", r"\[(?:INFORMATION|SUBTITLE|BEGIN)\]\s*\n\s*\["),
    _row("a VobSub index", r"# VobSub index file"),
    _row("JACOsub subtitles", r"#T(?:IMERES)?\s*\d+\s*\n"),
    _row("QuickTime text", r"\{QTtext\}"),
    _row("Avid captions", r"@ This file written with the Avid Caption"),
)
_ROOTS = {
    "USFSubtitles": ("Universal Subtitle Format", _AS_CAPTIONS),
    "DCSubtitle": ("D-Cinema subtitles", _AS_CAPTIONS),
    "SubtitleReel": ("D-Cinema subtitles", _AS_CAPTIONS),
    "window": ("RealText", _AS_CAPTIONS),
    "fcpxml": ("a Final Cut Pro project", "export its captions as SRT or iTT"),
    "xmeml": ("an editing project (Final Cut Pro XML)", "export its captions as SRT"),
    "segmented-transcription": (
        "a segmented EXMARaLDA transcription",
        "export it as a basic transcription (.exb)",
    ),
    "FinalDraft": ("a Final Draft script", "export it as text or PDF"),
}
_BINARIES = (
    (re.compile(rb".{3}STL\d\d\.\d\d", re.DOTALL), "EBU STL subtitles"),
    (
        re.compile(rb"PG.{4}\x00{4}[\x14-\x17\x80]", re.DOTALL),
        "Blu-ray subtitles, which are pictures,",
    ),
    (re.compile(rb"\x00\x00\x01\xba"), "VobSub subtitles, which are pictures,"),
)


def check_text(text: str) -> None:
    """LoadError for a text whose beginning is of a form that isn't read."""
    head = text[:2000].lstrip()
    found = next((own for own in _TEXTS if own.sign.match(head)), None)
    if found is not None:
        raise LoadError(f"is {found.name}, which isn't read; {found.remedy}")


def check_bytes(head: bytes) -> None:
    """LoadError for a binary file of subtitles."""
    name = next((name for sign, name in _BINARIES if sign.match(head)), None)
    if name is not None:
        raise LoadError(f"is {name} and can't be read; {_AS_CAPTIONS}")


def foreign_root(name: str) -> str:
    """The refusal of XML with such a root; "" for a root that nobody knows."""
    known = _ROOTS.get(name)
    return f"is {known[0]}, which isn't read; {known[1]}" if known is not None else ""
