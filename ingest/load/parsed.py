"""The result of a parser for one file, the limits every parser keeps, and the few text rules they
share.
"""

import html
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from dynagrag.core.errors import LoadError
from dynagrag.core.schema import LabelDecision, LabelFate, SourceTurn
from dynagrag.core.text import collapse, plural
from dynagrag.ingest.load.cue_stamps import unread_cue_stamps
from dynagrag.ingest.load.label_shapes import is_aside
from dynagrag.ingest.load.speech_share import speech_notes
from dynagrag.ingest.load.times import time_notes

MAX_FILE_BYTES = 200_000_000
"""A day of speech is about 1 MB of text; what is larger is no transcript."""
MAX_TREE_BYTES = 64_000_000
"""JSON and XML: their parsers need up to twenty times the file's size of memory."""
MAX_HTML_BYTES = 16_000_000
"""beautifulsoup4 reads about 1 MB a second."""
MAX_TURN_CHARS = 1_000_000
MAX_SPEAKER_CHARS = 200
MAX_TURNS = 1_000_000
MAX_LINES = 5_000_000

_LINE_ENDS = re.compile(r"\r\n?")
CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]")
MARKS = re.compile("[\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
"""What isn't seen: direction of writing, soft hyphens, spaces without width. The joiners that
scripts and emoji need (U+200C, U+200D) aren't among them.
"""
# Only tags that captions and Markdown really use: "a < b" and "<laughs>" are words. Each
# alternative is bounded by the next "<".
_TAGS = re.compile(
    r"</?(?:i|b|u|s|em|strong|small|sup|sub|font|span|c|v|ruby|rt|lang|br|p|div|a|img"
    r"|center)(?:[\s.][^<>]*|/)?>|<\d{1,3}:[\d:.]{1,20}>",
    re.IGNORECASE,
)
_LONG_REFERENCE = re.compile(r"&#(?:[0-9]{20,}|[xX][0-9a-fA-F]{20,});?")

_PRODUCT = r"(?:transcript(?:ion)?s?|(?:closed )?caption(?:s|ing)?|subtitl(?:es?|ing))"
_AUTO = r"(?:auto(?:matic(?:ally)?)?|machine|computer|ai)"
_AUTO_PRODUCT = rf"{_AUTO}(?:[- ](?:generated|created|made|transcribed))?[- ]{_PRODUCT}"
_BY = (
    rf"(?:(?:{_AUTO_PRODUCT}|{_PRODUCT})(?: (?:was|were))?(?: \w+ed| made)?|transcribed|captioned"
    r"|subtitled) by:?|untertitel(?:ung)?:? (?:von|durch|der|des)|sous-titr(?:es|age)(?: \w+s)? par"
    r"|subtítulos(?: \w+s)? por|sottotitoli (?:creati da|a cura di)"
)
_BRACKETED_MAKER = re.compile(rf"(?i:{_AUTO_PRODUCT}\b|{_BY}\s)")
# Without brackets it must go on with a name and end there: "Transcribed by hand, they ..." is said.
_MAKER = re.compile(
    rf"(?i:{_AUTO_PRODUCT})\.?|(?i:{_BY}) (?:https?://\S+|[A-Z0-9]\S*(?: (?:[A-Z&]\S*|and|of|the))"
    r"{0,6})"
)
"""The first line or cue of a program's file, or the last."""

MEDIA_KEY = "media_url"
"""The key of a recording's address in its document's `meta`."""

DATE_KEY = "date"
"""The key of a document's own day (ISO) in its `meta`."""
IN_FIELD = "the file's form has it as its speaker"
_MAX_PLACES = 3


def is_address(text: str) -> bool:
    """Whether it is an address of the web, with a host."""
    try:
        parts = urlsplit(text)
    except ValueError:  # brackets that are no address of the sixth version
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file's turns in order. `title` is the document's own, empty where it has none."""

    turns: tuple[SourceTurn, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    meta: dict[str, str] = field(default_factory=dict)
    format: str | None = None
    """A closer name than the one the file was told by (speaker-text for text), else None."""
    labels: tuple[LabelDecision, ...] = ()
    """What became of each label, where the form leaves that open; `checked` adds the speakers that
    stand in the form's own field, and counts.
    """


def without_tags(text: str) -> str:
    """Caption text without its markup tags, entities decoded."""
    text = _TAGS.sub("", text) if "<" in text else text
    if "&" not in text:
        return text
    # html.unescape gives U+FFFD for a number that is no character, but raises where it has more
    # digits than int() takes.
    return html.unescape(_LONG_REFERENCE.sub("\ufffd", text))


def is_makers_line(text: str) -> bool:
    """Whether a whole line is what a program or transcriber adds: `Transcribed by Anna Berg`,
    `[Auto-generated transcript. It may have errors.]`
    """
    text = collapse(text).strip("-–—*♪_ ")
    if (text[:1], text[-1:]) in {("[", "]"), ("(", ")")}:
        return bool(_BRACKETED_MAKER.match(text[1:-1].strip()))
    return bool(_MAKER.fullmatch(text))


def without_makers_lines(parsed: Parsed) -> Parsed:
    """A file's turns without a first or last one that its maker adds, with a note of its words."""
    turns, notes = parsed.turns, parsed.notes
    for at in (0, -1):
        if len(turns) > 1 and is_makers_line(turns[at].text):
            notes += (f"the line of its maker left out: {collapse(turns[at].text)[:80]}",)
            turns = turns[1:] if at == 0 else turns[:-1]
    return replace(parsed, turns=turns, notes=notes)


def has_letter(text: str) -> bool:
    """Whether there is anything that a name could be made of."""
    return any(ch.isalpha() for ch in text)


def speaker_or_none(name: str | None) -> str | None:
    """A speaker's label with single spaces. None when empty or when it names nobody (`??`,
    `(note)`).
    """
    label = collapse(name or "").strip("*")
    if label[:1] == label[-1:] == "_":
        label = label.strip("_")
    bare = label.partition("(")[0]
    return label if label and any(ch.isalnum() for ch in bare) else None


def split_lines(text: str) -> list[str]:
    """The lines of a text, whichever line ends it has.

    Raises:
        LoadError: More lines, or a longer line, than any transcript has.
    """
    text = MARKS.sub("", _LINE_ENDS.sub("\n", text))
    if text.count("\n") > MAX_LINES:
        raise LoadError(f"has more than {MAX_LINES:,} lines; split it into smaller files")
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_TURN_CHARS:
            raise LoadError(
                f"line {number} is {len(line):,} characters long, at most {MAX_TURN_CHARS:,} can be"
                " read; break it into lines"
            )
    return lines


def paragraphs(lines: Iterable[str]) -> list[list[str]]:
    """Runs of lines between blank ones."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return blocks if blocks[-1] else blocks[:-1]


def checked(parsed: Parsed) -> Parsed:
    """The turns within the limits, without empty ones and without characters that no text holds;
    what has nothing but marks of sounds under it is nobody's label, nor is what is longer than any
    name.

    Raises:
        LoadError: No words at all, hardly any that are speech, too many turns, or a turn that is
            too long.
    """
    turns = tuple(turn for turn in parsed.turns if turn.text)
    if len(turns) > MAX_TURNS:
        raise LoadError(
            f"has {len(turns):,} turns, at most {MAX_TURNS:,} can be read; split it into smaller"
            " files"
        )
    for number, turn in enumerate(turns, 1):
        if len(turn.text) > MAX_TURN_CHARS:
            raise LoadError(
                f"turn {number} is {len(turn.text):,} characters long, at most {MAX_TURN_CHARS:,}"
                " can be read; break it into paragraphs"
            )
    num_bad = 0

    def clean(text: str) -> str:
        nonlocal num_bad
        bare = MARKS.sub("", text)
        cleaned, count = CONTROLS.subn("\ufffd", text if len(bare) == len(text) else collapse(bare))
        num_bad += count
        return cleaned

    saying = {turn.speaker for turn in turns if not is_aside(turn.text)}
    endless = {name for name in saying if name is not None and len(name) > MAX_SPEAKER_CHARS}
    num_endless = sum(turn.speaker in endless for turn in turns)
    saying -= endless
    turns = tuple(
        SourceTurn(
            clean(t.text),
            clean(t.speaker) or None if t.speaker is not None and t.speaker in saying else None,
            _finite(t.start_s),
            _finite(t.end_s),
        )
        for t in turns
        if MARKS.sub("", t.text).strip()
    )
    if not turns:
        raise LoadError("holds no words; check that it is the file you meant")
    title = clean(collapse(parsed.title))[:300]
    meta = {key: clean(value) for key, value in parsed.meta.items()}
    notes = parsed.notes
    if num_bad:
        notes = (*notes, f"{plural(num_bad, 'control or broken character')} replaced by U+FFFD")
    if num_endless:
        notes += (
            f"{plural(num_endless, 'turn')} left to nobody: the speaker's name has more than"
            f" {MAX_SPEAKER_CHARS} characters",
        )
    notes += (*speech_notes(turns), *time_notes(turns), *unread_cue_stamps(turns))
    return replace(
        parsed,
        turns=turns,
        title=title,
        meta=meta,
        notes=tuple(clean(note) for note in notes),
        labels=_counted([replace(d, text=clean(d.text)) for d in parsed.labels], turns),
    )


def _counted(
    decisions: Iterable[LabelDecision], turns: Iterable[SourceTurn]
) -> tuple[LabelDecision, ...]:
    """The decisions with what each speaker says, and one for each speaker without; speakers
    first, each kind by its words.
    """
    own: dict[str, list[SourceTurn]] = {}
    for turn in turns:
        if turn.speaker is not None:
            own.setdefault(turn.speaker, []).append(turn)
    made = {d.text: d for d in decisions if d.fate is not LabelFate.SPEAKER or d.text in own}
    for label, spoken in own.items():
        known = made.get(label) or LabelDecision(label, LabelFate.SPEAKER, IN_FIELD)
        times = [turn.start_s for turn in spoken if turn.start_s is not None]
        made[label] = replace(
            known,
            num_turns=len(spoken),
            num_words=sum(len(turn.text.split()) for turn in spoken),
            times_s=tuple(times[:_MAX_PLACES]),
        )
    fates = list(LabelFate)
    return tuple(sorted(made.values(), key=lambda d: (fates.index(d.fate), -d.num_words, d.text)))


def _finite(seconds: float | None) -> float | None:
    return round(seconds, 3) if seconds is not None and math.isfinite(seconds) else None
