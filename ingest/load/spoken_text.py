"""Text and Markdown that name speakers or times: their lines cut into turns.

The form is found first (`speakers.py`); then one pass over the lines cuts them. Words behind a
label that names nobody are nobody's, whoever spoke before.
"""

import re
import sys
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from dynagrag.core.schema import LabelDecision, SourceTurn
from dynagrag.core.text import UNSPACED, collapse
from dynagrag.ingest.load.clocks import (
    ANY_CLOCK,
    CLOCK,
    MARKED_CLOCK,
    Clock,
    lone_clock,
    read_clock,
)
from dynagrag.ingest.load.cue_stamps import is_cue_stamp
from dynagrag.ingest.load.form_choice import may_read
from dynagrag.ingest.load.label_forms import FORMS, Head, TextLine
from dynagrag.ingest.load.label_shapes import ends_sentence, is_aside, split_asides
from dynagrag.ingest.load.paragraph_times import ParagraphTimes
from dynagrag.ingest.load.parsed import Parsed, has_letter, is_makers_line, speaker_or_none
from dynagrag.ingest.load.speakers import (
    MAX_PLACES,
    RECURS,
    STOP_PLACE,
    Labels,
    find_labels,
    label_notes,
    unnamed_voices,
    unread_witnesses,
    with_lone_label,
)
from dynagrag.ingest.load.speech_signs import has_speakers_words

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*)")
_WIDE_BLANK = re.compile(r"[^\S \t\n]")
"""Blank space of other widths: no-break, ideographic."""
_ESCAPED_CLOCK = re.compile(rf"\\([\[(]){CLOCK}\\?[\])]")
_LEADING = re.compile(rf"({ANY_CLOCK})(?:[ \t]*[-–][ \t]*|[ \t]+|$)(.*)", re.ASCII)
_TRAILING = re.compile(rf"(.*?)(?<![ \t])[ \t]+({MARKED_CLOCK})$", re.ASCII)
_ANY = re.compile(CLOCK, re.ASCII)
_LONG_CLOCK = re.compile(r"\d{1,2}:\d{2}:\d{2}$", re.ASCII)
_COUNTED = re.compile(r"[ \t]{0,8}(\d{1,2})([ \t]{2,}(?=\S)|[ \t]*$)")
_MARGINS = (
    re.compile(r"(?:(?<=\S)[ \t]{2,}|^[ \t]+)(\d{1,4})[ \t]*$"),
    re.compile(r"^[ \t]*(\d{1,4})(?:[ \t]{2,}(?=\S)|[ \t]*$)"),
)
_NUMBERED = re.compile(r"[ \t]*[\[(¶]?(\d{1,4}(?:\.\d{1,3}){0,2})[.)\]]?[ \t]+(?=\S)")
_FEWEST_NUMBERED = 6
_FOOT = re.compile(
    r"(\S.{2,80}?)(?:[ ]{3,}|\t+)(?:[^\W\d_]{1,7}\.?[ ])?(\d{1,4})"
    r"|(?:[^\W\d_]{1,7}\.?[ ])?(\d{1,4})(?:[ ]{3,}|\t+)(\S.{2,80})"
)
"""`Steen, Session 1        Page 2`."""
_MINUTE = re.compile(r"[ \t]*(\d{1,3})['’′]?[ \t]{2,}(?=\S)")
_NOTE = re.compile(r"[ \t]+[^\W\d_]{1,12}:(?=\s)")
_ANSWER = re.compile(r"(?<=[?.!\"'”’])-{3}(?!-)|(?<=\?)(?:--|[—–])(?=[^\W_])")
_LEAST_LINES_OF_PAGE, _MOST_LINES_OF_PAGE = 10, 30
_WITHIN = re.compile(rf"(?:\S+[ \t]+){{1,4}}{MARKED_CLOCK}", re.ASCII)
_NO_WORDS = re.compile(
    r"[^\w\s]{3,}|[\d.:]+|\{[^{}]+\}|.*©.*"
    r"|(?:[^\W\d_][^._:\n]{0,40}:?[ \t]*(?:\.{5,}|_{4,})[ \t]*)+"
)
"""A rule, a time that counts nothing, an export's `{Reactions}`, whose rights they are, what is to
be filled in: `Signed: ......`
"""
_NO_TALK = re.compile(r"[<§=|].*|[^.!?]*\.(?:docx?|odt|pdf|rtf|txt|mp[34]|wav)\b[^.!?]*", re.DOTALL)
"""What nobody says, in a paragraph: `<May> - 2 references`, `§ 10 Ferry`, `4:12 in May.docx`."""
_SWORN = re.compile(
    r"[^\Wa-z][^,:a-z]{2,60}[^\Wa-z],\s(?:[^\W\d_A-Z].*:|.*\b(?:sworn|affirmed)\b.*[.:])"
    r"|[^\W\d_a-z].*\b(?:sworn|affirmed)\b.*:",
    re.DOTALL,
)
"""How a court says who is heard: `ROSA LIND, called as a witness, testified as follows:`."""
_MOST_OATH_CHARS, _MOST_OATH_LINES = 300, 5
_QUOTED = re.compile(r"(?:>[ ]?)+(?=[^\s>])|>+$")
"""Before each line of a quoted message."""
_SHOUTED = re.compile(r"[^\W\d_][^\n!?,;:a-z]{4,60}[^\W_]")
_MOST_FOOT_WORDS = 12
_FEW_WORDS, _HALF = 4, 0.5
_PAGE_NUMBER = re.compile(
    r"[-–—]?[ ]?(?:[^\W\d_]{1,7}\.?[ ](?=\d+[ ]?[^\d\n]))?(\d{1,4})"
    r"(?:[ ]?(?:/|[^\W\d_]{1,4})[ ]?\d{1,4})?[ ]?[-–—]?"
)
"""`7`, `- 7 -`, `Page 7 of 9`; `Part 7` is a heading."""
_FEWEST_TURNS, _FEW_LONG = 6, 0.2
_LEAST_QUOTED_CHARS = 10
_SENTENCE_GAP = re.compile(r"(?<=[.!?…])[\"”’»*_]*\s+|(?<=[。！？])")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_MOST_CLOSING_WORDS = 14
"""Of a last line behind applause: `The sitting was closed at noon.`"""
_MANY_WORDS = 20


@dataclass(frozen=True, slots=True)
class _Clocks:
    """Where a file's lines have clocks, beside those of its labels."""

    leads: bool = False
    ends: bool = False
    alone: bool = False
    is_labelled: bool = False
    """Whether a label stands beside nearly each of them, so that those without are nobody's."""


@dataclass(slots=True)
class _OpenTurn:
    """A turn that is being read; `label`: what its words stand behind, a speaker or not."""

    speaker: str | None
    label: str | None
    number: int
    clock: Clock | None = None
    lines: list[str] = field(default_factory=list)
    is_aside: bool = False


def filled_lines(lines: Iterable[str]) -> list[TextLine]:
    """The lines that hold anything, each with its number and whether it begins a paragraph; what
    is answered behind dashes has a line of its own.
    """
    made: list[TextLine] = []
    opens = True
    lines = _without_paragraph_numbers(_without_some_numbers(list(lines)))
    outside = _page_feet(lines)
    lines, notes = _without_minutes(lines)
    outside |= notes
    bare = _without_numbers(lines)
    is_numbered = bare != lines
    is_split = False  # by the edge of a page, amid a sentence
    for number, line in enumerate(bare, 1):
        text = _WIDE_BLANK.sub(" ", line.replace("\u3000", "  ")).strip()
        if text:
            text = _ESCAPED_CLOCK.sub(lambda match: match[0].replace("\\", ""), text)
            is_outside = is_numbered and _COUNTED.match(lines[number - 1]) is None
            is_outside = is_outside or number in outside
            begins = opens and not (is_split and text[0].islower())
            made.append(TextLine(text, number, begins, line[:2].isspace(), is_outside))
            is_split = is_outside
        # Between numbered lines a blank one is the edge of a page.
        opens = not text and not (is_numbered and _COUNTED.match(lines[number - 1]) is None)
    return _with_answers(made)


def _with_answers(lines: list[TextLine]) -> list[TextLine]:
    """The lines, cut where a witness answers in the paragraph that asks: `Where?---At the weir.`"""
    num_asked = sum(line.text.count("?") for line in lines)
    num_answers = sum(bool(_ANSWER.search(line.text)) for line in lines)
    if num_answers < RECURS or num_answers < 0.3 * num_asked:
        return lines
    made: list[TextLine] = []
    is_answered = False
    for line in lines:
        parts = [part.strip() for part in _ANSWER.split(line.text)]
        for number, words in enumerate(parts):
            is_answer = bool(number) or (is_answered and not line.opens)
            if words:
                opens = line.opens and not number
                made.append(replace(line, text=words, opens=opens, answers=is_answer))
        is_answered = not parts[-1]
    return made


def _page_feet(lines: list[str]) -> set[int]:
    """The numbers of the lines that are a page's foot, words that come again with its number on the
    same line, and of the running heads beside them.
    """
    feet: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, line in enumerate(lines, 1):
        if match := _FOOT.fullmatch(line.strip()):
            feet[match[1] or match[4]].append((number, int(match[2] or match[3])))
    found = {
        number
        for own in feet.values()
        if len(own) > 1 and all(a < b for (_, a), (_, b) in pairwise(own))
        for number, _ in own
    }
    filled = [number for number, line in enumerate(lines, 1) if line.strip()]
    beside = {b if a in found else a for a, b in pairwise(filled) if (a in found) != (b in found)}
    counts = Counter(lines[number - 1].strip() for number in beside)
    return found | {number for number in beside if counts[lines[number - 1].strip()] > 1}


def _without_minutes(lines: list[str]) -> tuple[list[str], set[int]]:
    """The lines without a column of minutes before what is said, as somebody who sits in a class
    writes them, and the numbers of the lines between that have a label and no minute: their notes.
    """
    counted = {at: match for at, line in enumerate(lines) if (match := _MINUTE.match(line))}
    minutes = [int(match[1]) for match in counted.values()]
    is_column = len(set(minutes)) < len(minutes) and minutes == sorted(minutes)
    num_filled = sum(bool(line.strip()) for line in lines)
    if not is_column or len(counted) < max(_FEWEST_NUMBERED, 0.5 * num_filled):
        return lines, set()
    made = [line[counted[at].end() :] if at in counted else line for at, line in enumerate(lines)]
    first = min(counted)
    notes = {
        at + 1
        for at, line in enumerate(lines)
        if at > first and at not in counted and _NOTE.match(line)
    }
    return made, notes


def _without_some_numbers(lines: list[str]) -> list[str]:
    """The lines without the numbers of each fifth or tenth one in a margin."""
    for margin in _MARGINS:
        counted = {at: match for at, line in enumerate(lines) if (match := margin.search(line))}
        numbers = [int(match[1]) for match in counted.values()]
        steps = list(pairwise(zip(counted, numbers, strict=True)))
        num_fit = sum(m - n == at - before in {5, 10} for (before, n), (at, m) in steps)
        if len(numbers) > RECURS and num_fit >= 0.8 * len(steps):
            return [
                line[: counted[at].start()] + line[counted[at].end() :] if at in counted else line
                for at, line in enumerate(lines)
            ]
    return lines


def _without_paragraph_numbers(lines: list[str]) -> list[str]:
    """The lines without the numbers that count most paragraphs: `2.3 JH - Yes.`; what has a number
    of a higher order and is no sentence is a heading.
    """
    found = {at: match for at, line in enumerate(lines) if (match := _NUMBERED.match(line))}
    numbers = {at: tuple(map(int, match[1].split("."))) for at, match in found.items()}
    num_filled = sum(bool(line.strip()) for line in lines)
    is_few = len(numbers) < max(_FEWEST_NUMBERED, 0.6 * num_filled)
    if is_few or _without_numbers(lines) != lines:
        return lines
    steps = list(pairwise(numbers.values()))
    if sum(_follows(number, other) for number, other in steps) < 0.9 * len(steps):
        return lines
    depth = max(Counter(map(len, numbers.values())).items(), key=lambda item: item[1])[0]
    made = list(lines)
    for at, match in found.items():
        words = lines[at][match.end() :]
        is_heading = len(numbers[at]) < depth and not ends_sentence(words)
        made[at] = f"# {words}" if is_heading else words
    return made


def _follows(number: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether a number is the next one, at any level: 2.13, 3, 3.1."""
    place = next((n for n, (a, b) in enumerate(zip(number, other, strict=False)) if a != b), None)
    if place is None:
        return len(other) == len(number) + 1 and other[-1] in {0, 1}
    return other[place] == number[place] + 1 and all(n in {0, 1} for n in other[place + 1 :])


def _without_numbers(lines: list[str]) -> list[str]:
    """The lines without a column of numbers that counts them, page by page, as courts have it."""
    counted = {at: match for at, line in enumerate(lines) if (match := _COUNTED.match(line))}
    numbers = [int(match[1]) for match in counted.values()]
    num_steps = 1 + sum(b in {a + 1, 1} for a, b in pairwise(numbers))
    num_filled = sum(bool(line.strip()) for line in lines)
    is_column = numbers.count(1) >= 1 and max(numbers, default=0) <= _MOST_LINES_OF_PAGE
    if len(numbers) < max(_LEAST_LINES_OF_PAGE, 0.8 * num_filled) or not is_column:
        return lines
    if num_steps < 0.9 * len(numbers):
        return lines
    margins = [len(own[2]) for own in counted.values() if own.end() < len(own.string)]
    margin = min(margins, default=0)
    return [
        line[counted[at].start(2) + margin :] if at in counted else line
        for at, line in enumerate(lines)
    ]


def _is_numbered(lines: Sequence[str]) -> bool:
    lines = list(lines)
    return _without_numbers(_without_paragraph_numbers(_without_some_numbers(lines))) != lines


def spoken_format(lines: list[str]) -> str | None:
    """The name of the form in which a text names speakers or times; None where it does neither."""
    filled = filled_lines(lines)
    labels = find_labels(filled)
    return _format(labels, _clock_places(filled, labels))


def is_spoken_markdown(lines: list[str]) -> bool:
    """Whether `spoken_format` is markdown; labels are looked for only where a line has its marks,
    since to find them is most of a file's reading.
    """
    filled = filled_lines(lines)
    return (
        any(may_read(filled, form) for form in FORMS if form.format == "markdown")
        and spoken_format(lines) == "markdown"
    )


def _format(labels: Labels, clocks: _Clocks) -> str | None:
    if labels.form is None:
        return "youtube-text" if clocks.leads or clocks.alone else None
    has_dates = any(head.clock and head.clock.date for head in labels.heads.values())
    num_timed = sum(head.clock is not None for head in labels.heads.values())
    if labels.form.format == "speaker-text" and not has_dates and (
        clocks.leads or 2 * num_timed > len(labels.heads)
    ):  # fmt: skip
        return "youtube-text"
    return labels.form.format


def parse_spoken(
    lines: Sequence[str],
    prose: Sequence[SourceTurn],
    title: str = "",
    plain: Callable[[str], str] = collapse,
    times: ParagraphTimes | None = None,
) -> Parsed:
    """Turns of a text that names speakers or times, without the heading that is its `title`; its
    `prose`, with a note on what recurs, where it does neither. `plain` takes marks off the words;
    `times` were taken off the lines before.
    """
    times = times or ParagraphTimes()
    filled = filled_lines(lines)
    labels = find_labels(filled)
    clocks = _clock_places(filled, labels)
    if labels.form is None:
        labels = with_lone_label(filled, labels, bool(clocks.leads or times.starts))
    form = _format(labels, clocks) or ("timed-text" if times.starts else None)
    if form is None:
        decisions = _decisions(labels, ())
        notes = (*label_notes(labels), *_missed_clocks(filled, 0), *unnamed_voices(filled))
        notes += (*unread_witnesses(filled),)
        return Parsed(tuple(prose), title=title, notes=notes, labels=decisions)
    cutter = _Cutter(filled, labels, clocks, title, times)
    cutter.cut()
    turns, remarks = _with_times(cutter.turns, plain)
    if times.starts:
        turns = _with_paragraph_times(turns, cutter.turns, times)
    num_timed = sum(turn.start_s is not None for turn in turns)
    return Parsed(
        tuple(turn for turn in turns if turn.text),
        title=title,
        notes=(
            *cutter.notes,
            *times.notes(),
            *(["the numbers of its lines left out"] if _is_numbered(lines) else []),
            *remarks,
            *label_notes(labels),
            *_missed_clocks(filled, num_timed),
        ),
        format=form,
        labels=_decisions(labels, cutter.turns),
    )


# ------------------------------------------------------------------------------------------- clocks


def _clock_places(lines: Sequence[TextLine], labels: Labels) -> _Clocks:
    """Where clocks stand. Without labels, those that stand alone are enough where a fifth of the
    lines are such, or where they are a cue's; before words, half of the lines or paragraphs must
    have one.
    """
    inside = {
        at for head in labels.heads.values() for at in range(head.at, head.at + head.num_lines)
    }
    others = [line for at, line in enumerate(lines) if at not in inside]
    alone = [clock for line in others if (clock := lone_clock(line.text))]
    has_cues = any(is_cue_stamp(line.text) for line in others)
    leading = [
        (line, clock)
        for line in others
        if (match := _LEADING.fullmatch(line.text)) and (clock := read_clock(match[1]))
    ]
    trailing = [
        clock
        for line in lines
        if (match := _TRAILING.fullmatch(line.text)) and (clock := read_clock(match[2]))
    ]
    if labels.form is not None:
        num_timed = sum(head.clock is not None for head in labels.heads.values())
        # Each line of a chat has its date; a line without a name is the program's.
        is_chat = any(head.clock and head.clock.date for head in labels.heads.values())
        share = 0.5 if is_chat else 0.7
        is_labelled = num_timed > 1 and num_timed >= share * (num_timed + len(leading))
        return _Clocks(
            leads=(is_labelled or len(leading) >= 2)
            and bool(leading)
            and _is_ordered(clock for _, clock in leading),
            is_labelled=is_labelled,
            ends=len(trailing) >= 2 and _is_ordered(trailing),
            alone=bool(alone) and (has_cues or _is_ordered(alone)),
        )
    found = [clock for _, clock in leading]
    if has_cues:
        return _Clocks(leads=_is_ordered(found), alone=True)
    is_early = any(_LEADING.fullmatch(line.text) for line in lines[:3])
    if not found or not is_early or not _is_ordered(found):
        return _Clocks()
    if 0.2 * len(lines) <= len(alone) < len(lines):
        return _Clocks(leads=True, alone=True)
    num_blocks = sum(line.opens for line in lines)
    num_open = sum(line.opens for line, _ in leading)
    is_half = len(found) >= 0.5 * len(lines) or (num_blocks > 1 and num_open >= 0.5 * num_blocks)
    return _Clocks(leads=len(found) >= 2 and is_half, alone=len(found) >= 2 and is_half)


def _is_ordered(clocks: Iterable[Clock]) -> bool:
    times = [clock.start_s for clock in clocks]
    return 1 + sum(b >= a for a, b in pairwise(times)) >= 0.9 * len(times)


def _with_times(
    turns: Sequence[_OpenTurn], plain: Callable[[str], str]
) -> tuple[list[SourceTurn], list[str]]:
    """The turns as they are kept. Times of day are kept where they are all of one day; beside them
    no other is, since nothing says whether 9:04 is hours.
    """
    clocks = [turn.clock for turn in turns if turn.clock]
    days = {clock.date for clock in clocks if clock.date}
    is_of_day = any(clock.is_of_day for clock in clocks)
    made = []
    for turn in turns:
        clock = turn.clock
        if clock is not None and (clock.is_of_day != is_of_day or (len(days) > 1 and clock.date)):
            clock = None
        made.append(
            SourceTurn(
                collapse(plain(collapse(" ".join(turn.lines)))),
                speaker_or_none(turn.speaker),
                clock.start_s if clock else None,
                clock.end_s if clock else None,
            )
        )
    note = f"its times are those of {len(days)} days, and left out; split it into a file a day"
    return made, [note] if len(days) > 1 else []


def _with_paragraph_times(
    turns: Sequence[SourceTurn], cut: Sequence[_OpenTurn], times: ParagraphTimes
) -> list[SourceTurn]:
    """The turns with the times of their paragraphs, where those have some."""
    following = [*(own.number for own in cut[1:]), sys.maxsize]
    made = []
    for turn, own, end in zip(turns, cut, following, strict=True):
        start_s, end_s = times.of_lines(own.number, end)
        if start_s is not None or end_s is not None:
            turn = replace(turn, start_s=start_s, end_s=end_s)
        made.append(turn)
    return made


# ------------------------------------------------------------------------------------------ cutting


@dataclass(slots=True)
class _Cutter:
    """Cuts the lines of a file into turns."""

    lines: Sequence[TextLine]
    labels: Labels
    clocks: _Clocks
    title: str
    times: ParagraphTimes
    turns: list[_OpenTurn] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    speaker: str | None = None
    label: str | None = None
    pending: Clock | None = None
    """The clock above, which holds until the next one."""

    is_set_in: bool = False
    """Whether names are set in, as in a script: what isn't is nobody's."""

    asking: tuple[str | None, str | None] | None = None
    """(speaker, label) of who asks, while a witness answers in the same paragraph."""

    has_narrator: bool = False
    """Whether its paragraphs without a label are told by somebody who isn't named."""

    are_quotations_set_off: bool = False
    """Whether what Markdown quotes (`> Advertisement`) stands outside of the turns."""

    is_play: bool = False
    """Whether labels stand before full stops, as in plays."""

    are_turns_quoted: bool = False
    """Whether turns stand in quotations, as in minutes: what doesn't is nobody's."""

    quoted: set[int] = field(default_factory=set)
    """Lines of paragraphs that repeat what stands elsewhere, as a page sets off a quotation."""

    closing: set[int] = field(default_factory=set)
    """Lines of paragraphs that may be the report's again, behind what was said last."""

    def _is_report(self) -> bool:
        """Whether it begins with a paragraph of its own."""
        heads = self.labels.heads
        first = min(heads, default=0)
        opening = [line.text for line in self.lines[:first] if ends_sentence(line.text)]
        is_told = max((len(text.split()) for text in opening), default=0) >= _MANY_WORDS
        return is_told and not any(head.clock or head.is_bare for head in heads.values())

    def _closing(self) -> set[int]:
        """The last paragraph of a report that has no label, before a heading or at the end: `She
        took no money, so I bought the hat.`
        """
        heads = self.labels.heads
        last = max((at for at, head in heads.items() if self.labels.speaker_of(head)), default=0)
        opening = [at for at in range(last + 1, len(self.lines)) if self.lines[at].opens]
        ends = (at for at in opening if at in heads or _HEADING.fullmatch(self.lines[at].text))
        end = next(ends, len(self.lines))
        return {max(own)} if (own := [at for at in opening if at < end]) else set()

    def _quoted(self) -> set[int]:
        """Paragraphs of one line without a label whose sentences all come twice."""
        heads = self.labels.heads
        words = [heads[at].rest if at in heads else line.text for at, line in enumerate(self.lines)]
        counts = Counter(sentence for own in words for sentence in _sentences(own))
        return {
            at
            for at, own in enumerate(words)
            if at not in heads
            and self.lines[at].opens
            and (at + 1 == len(words) or self.lines[at + 1].opens)
            and len(own) >= _LEAST_QUOTED_CHARS * (1 if _UNSPACED.search(own) else 3)
            and all(counts[sentence] > 1 for sentence in _sentences(own))
        }

    def _has_one_paragraph_each(self) -> bool:
        """Whether hardly any turn but the last has a second paragraph."""
        heads = self.labels.heads
        order = sorted(heads)
        longer = {
            bisect(order, at)
            for at, line in enumerate(self.lines)
            if line.opens and at not in heads and ends_sentence(line.text)
        }
        num_long = len(longer - {0, len(order)})
        return len(heads) >= _FEWEST_TURNS and num_long <= _FEW_LONG * len(heads)

    def _tail(self) -> set[int]:
        """The paragraphs behind the last turn and its own: who somebody is, when it ended."""
        last = max(self.labels.heads, default=0)
        if self.labels.heads[last].is_bare:
            return set()
        return {at for at in range(last + 1, len(self.lines)) if self.lines[at].opens}

    def _page_edges(self) -> set[int]:
        """Lines of page numbers and running heads, amid what somebody says: paragraphs of a line
        that count up, or that come again beside a number or often.
        """
        heads, lines = self.labels.heads, self.lines
        lone = [
            at
            for at, line in enumerate(lines)
            if line.opens and at not in heads and (at + 1 == len(lines) or lines[at + 1].opens)
        ]
        numbers = {at: int(m[1]) for at in lone if (m := _PAGE_NUMBER.fullmatch(lines[at].text))}
        counts = Counter(lines[at].text for at in lone if not ends_sentence(lines[at].text))
        running = {at for at in lone if counts[lines[at].text] > 1 and at not in numbers}
        beside = {at for at in running if not numbers.keys().isdisjoint({at - 1, at + 1})}
        is_rising = len(numbers) > 1 and all(a < b for a, b in pairwise(numbers.values()))
        pages = set(numbers) if is_rising or beside else set()
        often = {at for at in running if counts[lines[at].text] > 2}
        return {at for at in pages | beside | often if not is_aside(lines[at].text)}

    def _has_narrator(self) -> bool:
        """Whether a report has few other paragraphs of its own between the turns."""
        heads = self.labels.heads
        first = min(heads, default=0)
        num_others = sum(
            line.opens and at not in heads and not is_aside(line.text)
            for at, line in enumerate(self.lines)
            if at > first
        )
        return 0 < 3 * num_others <= len(heads)

    def cut(self) -> None:
        """Fills `turns`."""
        heads = self.labels.heads
        spoken = [at for at, head in heads.items() if self.labels.speaker_of(head)]
        num_set_in = sum(self.lines[at].is_indented for at in spoken)
        self.is_set_in = bool(spoken) and num_set_in >= 0.8 * len(spoken)
        is_report = self._is_report()
        self.has_narrator = is_report and self._has_narrator()
        self.closing = self._closing() if is_report else set()
        self.quoted = self._quoted()
        edges = self._page_edges()
        form = self.labels.form
        self.is_play = form is not None and form.place == STOP_PLACE
        num_quoted = sum(self.lines[at].text[0] == ">" for at in heads)
        self.are_quotations_set_off = (
            form is not None and form.format == "markdown" and not num_quoted
        )
        self.are_turns_quoted = len(heads) > 1 and num_quoted >= 0.8 * len(heads)
        if self.has_narrator:
            self.notes.append(
                "it begins without a name, so its few paragraphs without one are nobody's"
            )
        elif self.closing:
            self.notes.append("it begins without a name, so its last paragraph is nobody's")
        elif self._has_one_paragraph_each() and (tail := self._tail()):
            self.closing = tail
            self.notes.append(
                "each of its turns is a paragraph, so what follows the last one is nobody's"
            )
        at = 0
        while at < len(self.lines):
            head = self.labels.heads.get(at)
            if head is not None:
                self._begin(head)
                at += head.num_lines
                continue
            line = self.lines[at]
            if line.opens and self.asking:
                (self.speaker, self.label), self.asking = self.asking, None
                self.turns.append(_OpenTurn(self.speaker, self.label, line.number))
            if line.is_outside or at in edges:
                self.turns.append(_OpenTurn(None, None, line.number, None, [line.text], True))
                at += 1
                continue
            alone = lone_clock(line.text) if self.clocks.alone else None
            if alone is not None:
                self.pending = alone
                self.turns.append(self._open(line, alone))
            elif at in {0, len(self.lines) - 1} and is_makers_line(line.text):
                self.notes.append(f"the line of its maker left out: {line.text}")
            elif (heading := _HEADING.fullmatch(line.text)) or self._is_nobodys(at):
                self._leave(line, heading)
            else:
                at += self._go_on(at)
                continue
            at += 1

    def _open(self, line: TextLine, clock: Clock) -> _OpenTurn:
        """A turn that a clock begins; nobody's where the others have a label."""
        speaker = None if self.clocks.is_labelled else self.speaker
        return _OpenTurn(speaker, self.label if speaker else None, line.number, clock)

    def _begin(self, head: Head) -> None:
        line = self.lines[head.at]
        self.asking = (self.asking or (self.speaker, self.label)) if line.answers else None
        self.speaker = self.labels.speaker_of(head)
        self.label = head.label
        if head.clock is not None and self.clocks.alone:
            self.pending = None
        turn = _OpenTurn(self.speaker, head.label, line.number, head.clock or self.pending)
        words = head.rest
        if self.speaker is None:
            words = " ".join(item.text for item in self.lines[head.at : head.at + head.num_lines])
            match = _LEADING.fullmatch(words) if head.clock else None
            words = match[2] if match else words
        self.turns.append(turn)
        self._add(turn, words)
        if self.speaker is None and self._is_empty(head):
            self.turns.pop()

    def _is_empty(self, head: Head) -> bool:
        """Whether nothing but a time stands behind a head: a mark in the recording."""
        following = head.at + head.num_lines
        return (
            head.clock is not None
            and not head.rest
            and (following == len(self.lines) or following in self.labels.heads)
        )

    def _add(self, turn: _OpenTurn, words: str) -> None:
        match = _TRAILING.fullmatch(words) if self.clocks.ends else None
        if match is not None:
            words = match[1]
            turn.clock = turn.clock or read_clock(match[2])
        words = _QUOTED.sub("", words) if words[:1] == ">" else words
        # `MAVIS. (stirring) Same as you.`, in a play, is a direction; elsewhere they do it.
        is_done = words[:1] in "([" and not (self.is_play and words[:1] == "(")
        if turn.is_aside or turn.speaker is None or is_done:
            turn.lines.append(words)
            return
        said, *others = split_asides(words)
        turn.lines.append(said)
        for aside, more in zip(others[::2], others[1::2], strict=True):
            self.turns.append(_OpenTurn(None, None, turn.number, None, [aside], is_aside=True))
            if more:
                own = _OpenTurn(turn.speaker, turn.label, turn.number, None, [more])
                self.turns.append(own)

    def _leave(self, line: TextLine, heading: re.Match[str] | None) -> None:
        """A heading or the like: it and what stands below are nobody's until a label comes."""
        self.speaker = self.label = None
        words = heading[1].rstrip("# ") if heading else line.text
        if heading is None or collapse(words).strip("*_") != self.title:
            self.turns.append(_OpenTurn(None, None, line.number, None, [words]))
        self.turns.append(_OpenTurn(None, None, line.number))

    def _is_nobodys(self, at: int) -> bool:
        """A heading without marks, what programs add at the end, their messages, and lines outside
        of the speech of a script.
        """
        line = self.lines[at]
        if self.labels.form is None or self._is_below_name():
            return False
        if at in self.closing or at in self.quoted or self._is_no_talk(at) or self._leads_on(at):
            return True
        is_outside = self.has_narrator or (self.is_set_in and not line.is_indented)
        is_outside = is_outside or self.labels.is_script
        if line.opens and is_outside and not is_aside(line.text):
            return True
        is_quoted = line.text[0] == ">"
        if line.opens and (self.are_quotations_set_off if is_quoted else self.are_turns_quoted):
            return True
        if self.speaker and line.opens and self.labels.has_sentences and self._is_list(at):
            return True
        if _NO_WORDS.fullmatch(line.text) and (line.opens or not has_letter(line.text)):
            return True
        is_shouted = line.text.isupper() and _SHOUTED.fullmatch(_ANY.sub("", line.text).strip())
        if is_shouted and (at + 1 in self.labels.heads or at + 1 == len(self.lines)):
            return True
        above = self.lines[at - 1] if at else line
        is_behind_aside = (line.opens or above.opens) and is_aside(above.text)
        is_end = at + 1 == len(self.lines) or self._is_no_talk(at + 1)
        is_end = is_end and line.number not in self.times.starts
        is_short = len(line.text.split()) <= _MOST_CLOSING_WORDS
        if is_behind_aside and is_end and is_short and not has_speakers_words(line.text):
            return True
        is_alone = line.opens and (at + 1 == len(self.lines) or self.lines[at + 1].opens)
        num_words = len(line.text.split())
        is_ended = ends_sentence(" ".join(split_asides(line.text)[::2]))
        if is_aside(line.text) or is_ended or num_words > _MOST_FOOT_WORDS:
            return False
        is_last = at > max(self.labels.heads, default=0)
        if not is_alone:
            return is_last and _LONG_CLOCK.search(line.text) is not None
        is_between = (
            self.labels.has_sentences
            and self.labels.coverage >= _HALF
            and (num_words <= _FEW_WORDS or is_last or at + 1 in self.labels.heads)
        )
        names = (label for label in self.labels.verdicts if len(label.split()) > 1)
        return (
            _is_heading(line.text)
            or is_between
            or (is_last and _ANY.search(line.text) is not None)
            or any(line.text.startswith(f"{name} ") for name in names)
        )

    def _leads_on(self, at: int) -> bool:
        """Whether a paragraph of a line ends open where no words of its own can follow:
        `Whereupon,` above a name in capitals, `Chat:` above labels.
        """
        line, below = self.lines[at], self.lines[at + 1 : at + 2]
        if not (line.opens and below):
            return False
        is_above_capitals = line.text[-1] == "," and below[0].opens and below[0].text.isupper()
        is_above_labels = line.text[-1] == ":" and at + 1 in self.labels.heads
        return is_above_capitals or (is_above_labels and not below[0].opens)

    def _is_no_talk(self, at: int) -> bool:
        """Whether a paragraph begins here that can't be said, whoever spoke before."""
        line = self.lines[at]
        if not (line.opens or line.is_indented):
            return False
        text = self._paragraph(at)
        is_mark = _NO_TALK.fullmatch(text) and line.opens and not ends_sentence(text)
        return bool(is_mark or (len(text) <= _MOST_OATH_CHARS and _SWORN.fullmatch(text)))

    def _paragraph(self, at: int) -> str:
        """The next few lines, to a head, the end of their paragraph or a colon."""
        words = [self.lines[at].text]
        for below in range(at + 1, min(at + _MOST_OATH_LINES, len(self.lines))):
            if self.lines[below].opens or below in self.labels.heads or words[-1][-1] == ":":
                break
            words.append(self.lines[below].text)
        return "\n".join(words)

    def _is_list(self, at: int) -> bool:
        """Whether a paragraph is several short lines without the end of a sentence."""
        end = at + 1
        while end < len(self.lines) and not self.lines[end].opens:
            end += 1
        lines = self.lines[at:end]
        return len(lines) > 1 and not any(
            at + n in self.labels.heads
            or ends_sentence(line.text)
            or len(line.text.split()) > _MOST_FOOT_WORDS
            for n, line in enumerate(lines)
        )

    def _is_below_name(self) -> bool:
        """Whether a name has no words yet: those that come are its own, `(quietly)` too."""
        return bool(self.turns and self.turns[-1].label) and not any(self.turns[-1].lines)

    def _go_on(self, at: int) -> int:
        """Adds a line of words, or a paragraph of nobody's; returns how many lines."""
        line = self.lines[at]
        match = _LEADING.fullmatch(line.text) if self.clocks.leads else None
        clock = read_clock(match[1]) if match else None
        if match is not None and clock is not None:
            self.turns.append(self._open(line, clock))
            self._add(self.turns[-1], match[2])
            return 1
        num_lines = self._lines_of_aside(at)
        # In other brackets may be words: `{Houston, we've had a problem.}`
        is_mark = line.opens and line.text.lstrip("*_")[:1] == "["
        has_no_more = is_mark and at + num_lines in self.labels.heads
        if num_lines and (has_no_more or not self._is_below_name()):
            words = [item.text for item in self.lines[at : at + num_lines]]
            begun = self.turns[-1] if self.turns and not any(self.turns[-1].lines) else None
            clock = begun.clock if begun else None  # of the line above
            self.turns.append(_OpenTurn(None, None, line.number, clock, words, is_aside=True))
            return num_lines
        if self._begins_turn(at):
            self.turns.append(_OpenTurn(self.speaker, self.label, line.number))
        self._add(self.turns[-1], line.text)
        return 1

    def _lines_of_aside(self, at: int) -> int:
        """How many lines of `(Applause)` begin here: a line, or a whole paragraph; else 0."""
        if is_aside(self.lines[at].text):
            return 1
        if not self.lines[at].opens:
            return 0
        end = at + 1
        while end < len(self.lines) and not self.lines[end].opens:
            end += 1
        words = " ".join(line.text for line in self.lines[at:end])
        return end - at if is_aside(words) else 0

    def _begins_turn(self, at: int) -> bool:
        """Whether a line of words begins a turn: a paragraph that no time holds together."""
        if not self.turns or self.turns[-1].is_aside:
            return True
        line, last = self.lines[at], self.turns[-1]
        if line.number in self.times.starts and any(last.lines):
            return True
        if not line.opens or not any(last.lines):
            return False
        has_own_time = self.clocks.ends and _TRAILING.fullmatch(line.text) is not None
        return last.clock is None or has_own_time


def _sentences(text: str) -> list[str]:
    """The sentences of a line, without what marks a quotation."""
    parts = (part.strip("*_>\"“”„«»「」‘’' ") for part in _SENTENCE_GAP.split(text))
    return [part for part in parts if part]


def _is_heading(text: str) -> bool:
    if len(text) > 80 or not has_letter(text) or text[-1] in ".?!…,;:\"”')]-":
        return False
    words = text.split()
    return (
        text.isupper()
        or text[0] == "#"
        or (text.istitle() and len(words) > 1)
        or words[0] in {"Chapter", "Part", "Section"}
    )


# ---------------------------------------------------------------------------------------- decisions


def _decisions(labels: Labels, turns: Sequence[_OpenTurn]) -> tuple[LabelDecision, ...]:
    """What became of each label, with the lines where it stands and what stands behind it."""
    behind: dict[str, list[_OpenTurn]] = defaultdict(list)
    for turn in turns:
        if turn.label is not None and any(turn.lines):
            behind[turn.label].append(turn)
    places: dict[str, list[int]] = defaultdict(list)
    for number, head in zip(labels.numbers, (labels.heads or labels.unused).values(), strict=True):
        places[head.label].append(number)
    made = []
    for label, verdict in labels.verdicts.items():
        own = behind[label]
        times = [turn.clock.start_s for turn in own if turn.clock]
        made.append(
            LabelDecision(
                label,
                verdict.fate,
                verdict.why,
                num_turns=len(own) if labels.form else len(places[label]),
                num_words=sum(len(text.split()) for turn in own for text in turn.lines),
                times_s=tuple(times[:MAX_PLACES]),
                lines=tuple(places[label][:MAX_PLACES]),
            )
        )
    return tuple(made)


def _missed_clocks(lines: Sequence[TextLine], num_timed: int) -> list[str]:
    """A note on clocks that recur in a text none of which was taken."""
    timed = [line.number for line in lines if _has_clock(line.text)] if not num_timed else []
    if len(timed) < RECURS:
        return []
    return [f"no time taken, though {len(timed)} lines have one, first line {timed[0]}"]


def _has_clock(text: str) -> bool:
    return bool(
        _LEADING.fullmatch(text)
        or _TRAILING.fullmatch(text)
        or _WITHIN.match(text)
        or lone_clock(text)
    )
