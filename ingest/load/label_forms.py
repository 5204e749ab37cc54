"""The forms in which text files name speakers: where labels stand, and which lines have one.

A form is a row of `FORMS`. All rows are tried on the whole file; those in which it reads are its
forms, and then each head in them is a label.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

from dynagrag.core.text import collapse
from dynagrag.ingest.load.clocks import (
    ANY_CLOCK,
    CLOCK,
    LONE_CLOCK,
    MARKED_CLOCK,
    Clock,
    read_clock,
)
from dynagrag.ingest.load.label_shapes import (
    Shape,
    is_dash,
    is_function_word,
    is_titled,
    no_person,
    reads_as_heading,
    shape_of,
)
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass

_COVERED = 0.4
_HEAD_LINES = 20
_RUN = 3
"""So many numbers that count up are no parts of names or texts."""
_COUNTER = re.compile(r"(?P<word>[^\W\d_]{0,5}\.?)[ ]?(?P<number>\d{1,4})[.):]?[ ]+(?=[^\W\d_])")
_MAX_WORD = 4
"""Letters of what may be a sentence of a word: `Okay.`"""
_FEW = 6
"""So few labels need no repetition where every paragraph has one."""
_SOME, _MOST = 0.3, 0.5
_FULL = 0.9
_SURE_SHARE = 0.6
"""Before a colon stand also those that are in bold; whose names half are, has no such form."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line without blank space round it. `opens`: it begins a paragraph or a cue."""

    text: str
    number: int
    opens: bool
    is_indented: bool = False
    is_outside: bool = False
    """A page's head or foot, where lines are numbered: nobody's, and the end of nothing."""


@dataclass(frozen=True, slots=True)
class Head:
    """A label where a form has them: on the line `at` of a file's filled lines and, in some forms,
    on the next; `rest` stands behind it.
    """

    at: int
    num_lines: int
    label: str
    clock: Clock | None
    rest: str
    opens: bool

    @property
    def is_bare(self) -> bool:
        """Whether the label has its line to itself."""
        return not self.rest


class Proof(Enum):
    """What a form must show to be a file's form."""

    TIMES = "times"
    """A clock beside each label."""
    COLON = "colon"
    """Labels that come back, at most paragraphs or where speakers change."""
    COVER = "cover"
    """Several labels that come back, at half of the paragraphs."""
    ADDRESS = "address"
    """Two heads or more, each with an address."""


@dataclass(frozen=True, slots=True)
class LabelForm:
    """One place where labels stand. `pattern` is matched at the beginning of a line and, behind a
    line break, of the next; `signs`: a line without one of them can't match.
    """

    place: str
    format: str
    pattern: re.Pattern[str]
    proof: Proof
    signs: tuple[str, ...] = ()
    is_sure: bool = False
    """Whether what stands there is a label, whatever it looks like."""
    only_opening: bool = False
    keep: Callable[[Sequence["Head"], Sequence[TextLine]], Iterator["Head"]] | None = None
    """Which of the heads that match in a file it has, judged together."""
    is_long: bool = False
    """Whether it reaches over four lines."""

    def head(self, lines: Sequence[TextLine], at: int) -> Head | None:
        """The head on a line."""
        line = lines[at]
        if line.is_outside:
            return None
        if self.only_opening and not (line.opens or line.is_indented):
            return None
        if MARKED_HEADING.match(line.text) and "#" not in self.pattern.pattern[:3]:
            return None
        if self.signs and not any(sign in line.text for sign in self.signs):
            return None
        follows = at + 1 < len(lines) and not lines[at + 1].opens
        below = [lines[at + 1].text] if follows else [""]
        for item in lines[at + 2 : at + 4] if follows and self.is_long else ():
            below.append(item.text)
        match = self.pattern.match("\n".join([line.text, *below, ""]))
        if match is None:
            return None
        groups = match.groupdict()
        label = groups.get("dash") or plain_label(match["label"])
        if self.proof is Proof.TIMES and (label[:1], label[-1:]) in {("[", "]"), ("<", ">")}:
            label = label[1:-1].strip()
        if not label:
            return None
        clock = next((groups[name] for name in _CLOCKS if groups.get(name)), None)
        return Head(
            at,
            match.group().count("\n") + 1,
            label,
            read_clock(clock) if clock else None,
            _closed(groups.get("rest") or ""),
            line.opens,
        )


MARKED_HEADING = re.compile(r"#{1,6}[ \t]")
_ESCAPED = re.compile(r"\\([^\w\s])")
_CLOCKS = ("before", "inside", "behind", "then")


def plain_label(text: str) -> str:
    """A label as it is shown: without marks of emphasis, escapes and quotes round it."""
    label = collapse(_ESCAPED.sub(r"\1", text)).strip('*`"“” ')
    if label[:1] == label[-1:] == "_":
        label = label.strip("_")
    label = _MANNER.sub("", label.removeprefix("~"))
    return label.rstrip(" |·•–—")


_MANNER = re.compile(
    r"[ \t]*\((?:(?:on|off)[- ]camera|voice-?over|(?:via|on|by) (?:the )?(?:tele)?phone)\)$",
    re.IGNORECASE,
)
"""How somebody is seen or heard, which is no part of a name."""


def _closed(rest: str) -> str:
    """The words behind a label without a mark of emphasis that was opened before it."""
    words = rest.strip()
    mark = words[-2:]
    return words[:-2].rstrip() if mark in {"**", "__"} and words.count(mark) == 1 else words


_BEFORE = rf"(?:>[ \t]+)?(?:(?P<before>{ANY_CLOCK})[ \t]*(?:[-–—|][ \t]*|:(?=\s)[ \t]*)?(?=\S))?"
_LABEL = r"(?P<label>(?![-–—+•*>#][ \t])[^\s:：|][^:：\n\t]{0,79}?(?:[ \t]\([^()\n]{1,120}\))?)"
_ANY_LABEL = _LABEL.replace("[^:：\\n\\t]", "[^\\n\\t]")
"""On a line with nothing but a time: `External: Zoe (guest)`."""
_DASH = r"(?P<dash>―{2}|─{2}|—{2})(?=[^\x00-\u2fff])"
"""Before words of scripts without spaces."""
_REST = r"[ \t]*(?P<rest>.*)"
_BELOW = rf"(?=\n(?!{ANY_CLOCK})\S)"
"""Words stand on the next line."""
_SPELT = r"\d{1,3} [^\W\d_]{1,9}(?:,? \d{1,2} [^\W\d_]{1,9}){0,2}"
_MARK = r"(?P<mark>\*\*|__)"
_COLON = r"[ \t]*(?:：|:(?=[\s*_]|$))"
_LABEL_COLON = (
    rf"[*_]{{0,3}}{_LABEL}[*_]{{0,3}}(?:[ \t]*(?P<inside>{ANY_CLOCK}))?[*_]{{0,3}}"
    rf"{_COLON}[*_]{{0,3}}"
    rf"(?:[ \t]*(?P<behind>{MARKED_CLOCK}))?{_REST}"
)
_TITLE_AND_DOT = (
    rf"(?:(?i:{'|'.join(sorted(words_of(WordClass.LABEL_TITLE, WordClass.SHORT_TITLE)))})\.[ \t]+)?"
)


_ANY_TITLE = (
    rf"(?:(?i:{'|'.join(sorted(words_of(WordClass.LABEL_TITLE, WordClass.SHORT_TITLE)))})\.?"
    r"|[^\W\d_a-z][^\W\d_]{0,4}\.)[ \t]+"
)
"""One that is known, or any that is shortened: `Abg. Wirth`, `M. le président`."""
_INITIAL_DOT = r"(?<=\b[^\W\d_])\.(?=[ ,.])"
_SHORT_TITLES = words_of(WordClass.SHORT_TITLE)
_ASIDE = re.compile(r"[,(（]")
_INITIALS = re.compile(r" [^\W\d_]\.(?: ?[^\W\d_]\.?)?(?=,|$)")


def is_capital_or_titled(label: str) -> bool:
    """By the name, without its party or office: `ROSSI (Misto), segretario`."""
    name = _ASIDE.split(label, maxsplit=1)[0]
    return name.isupper() or is_titled(label)


def _is_title_or_reply(label: str) -> bool:
    """`MR` of `MR. OTT:`, `OK`, `Okay, Jack`."""
    is_reply = len(label) > 1 and is_function_word(label.partition(",")[0])
    return is_reply or label.split()[-1].casefold() in _SHORT_TITLES


def _before_stops(heads: Sequence[Head], lines: Sequence[TextLine]) -> Iterator[Head]:
    """What before a full stop is a label and no sentence of a word: in capitals or with a title; a
    prefix that comes back, with a word in capitals or where none is in capitals; letters that
    come back, at any line (`Q.` and `A.`).
    """
    heads = [head for head in heads if not _is_title_or_reply(head.label)]
    opening = {head.at for head in heads if lines[head.at].opens or lines[head.at].is_indented}
    counts = Counter(head.label for head in heads if head.at in opening)
    all_counts = Counter(head.label for head in heads)
    letters = {label for label, n in all_counts.items() if n > 1 and len(label) == 1}
    is_plain = not any(n > 1 and is_capital_or_titled(label) for label, n in counts.items())
    for head in heads:
        label = head.label
        has_capitals = any(len(word) > 1 and word.isupper() for word in label.split())
        is_name = is_plain and len(label) > _MAX_WORD and shape_of(label) is Shape.NAME
        is_label = (
            (len(label) > 1 and is_capital_or_titled(label))
            or (counts[label] > 1 and has_capitals)
            or (counts[label] > 2 and is_name)
            or _INITIALS.search(label) is not None
        )
        if (is_label and head.at in opening) or (len(letters) > 1 and label in letters):
            yield head


def _behind_titles(heads: Sequence[Head], lines: Sequence[TextLine]) -> Iterator[Head]:
    """The heads whose name reads as one, where names come back, with or without an office."""
    named = [
        head
        for head in heads
        if head.label.casefold().rsplit(maxsplit=1)[-1] not in _SHORT_TITLES
        and shape_of(head.label.partition(" ")[2]) is not Shape.SENTENCE
    ]
    counts = Counter(_ASIDE.split(head.label)[0] for head in named)
    if 2 * len(named) >= len(heads) and sum(n > 1 for n in counts.values()) > 1:
        yield from named


def _defined_initials(heads: Sequence[Head], lines: Sequence[TextLine]) -> Iterator[Head]:
    """Initials that stand in brackets above the first of them: `Guest: Rosa Lind (RL)`."""
    for head in heads:
        bracket = f"({head.label})"
        if head.label.isupper() and any(bracket in line.text for line in lines[:_HEAD_LINES]):
            yield head


def _form(
    place: str,
    format: str,
    pattern: str,
    proof: Proof,
    signs: tuple[str, ...] = (),
    is_sure: bool = False,
    only_opening: bool = False,
    keep: Callable[[Sequence[Head], Sequence[TextLine]], Iterator[Head]] | None = None,
    is_long: bool = False,
) -> LabelForm:
    compiled = re.compile(pattern)
    return LabelForm(place, format, compiled, proof, signs, is_sure, only_opening, keep, is_long)


def _colon_form(lead: str) -> LabelForm:
    return _form(
        "before a colon",
        "speaker-text",
        rf"{_BEFORE}{lead}{_LABEL_COLON}",
        Proof.COLON,
        signs=(":", "："),
    )


ACTIONS = "behind an asterisk"
"""`* nick waves`, where others speak as `<nick> Hi`."""
FORMS: tuple[LabelForm, ...] = (
    _form(
        "in bold before a colon",
        "markdown",
        rf"{_BEFORE}(?:[-+*][ \t]+)?{_MARK}(?:(?P<inside>{ANY_CLOCK})[ \t]*)?{_LABEL}[ \t]*"
        rf"(?P<behind>{ANY_CLOCK})?(?::[ \t]*(?P=mark)|(?P=mark)[ \t]*:)"
        rf"(?:[ \t]*(?P<then>{MARKED_CLOCK}))?{_REST}",
        Proof.COLON,
        signs=("**", "__"),
        is_sure=True,
    ),
    _form(
        "in bold beside a time",
        "markdown",
        rf"{_BEFORE}{_MARK}{_LABEL}(?P=mark)[ \t]*(?P<inside>{ANY_CLOCK})[ \t]*:?(?=\s){_REST}",
        Proof.TIMES,
        signs=("**", "__"),
        is_sure=True,
    ),
    _form(
        "in bold behind a time",
        "markdown",
        rf"(?P<before>{ANY_CLOCK})[ \t]*(?:[-–—][ \t]*)?{_MARK}{_LABEL}(?P=mark)[ \t]*:?{_REST}",
        Proof.TIMES,
        signs=("**", "__"),
        is_sure=True,
    ),
    _form(
        "behind a time and From",
        "otter-text",
        rf"(?P<before>{CLOCK})[ \t]+From[ \t]+{_LABEL}(?:[ \t]+[Tt]o[ \t]+[^:\n]{{1,60}})?"
        rf"[ \t]*:{_REST}",
        Proof.TIMES,
        signs=("From",),
        is_sure=True,
    ),
    _form(
        "in the field From above words",
        "speaker-text",
        r"From:[ \t]+(?P<label>[^\s:<][^:<\n]{0,60}?)[ \t]*(?:[<(][^<>()\n]*[\d@][^<>()\n]*[>)])?"
        r"(?:\n[^\W\d_]{2,12}:[ \t]+[^\n]+){2,3}(?=\n)",
        Proof.COVER,
        signs=("From:",),
        is_sure=True,
        is_long=True,
    ),
    _form(
        "in the line above a quoted message",
        "speaker-text",
        r"(?:>[> ]*)?[^\n<>]{0,80}?(?P<label>[^\W\d_a-z][^\s<>]*(?:[ ][^\W\d_a-z][^\s<>]*){0,4})"
        r"[ ](?:<[^<>\s@]+@[^<>\s]+>|\[mailto:[^\]\s]+\])[^\n:]{0,20}:(?=\n)",
        Proof.ADDRESS,
        signs=("@",),
        is_sure=True,
    ),
    _form(
        "between initials and a time, and once more",
        "otter-text",
        rf"(?:[^\W\d_]{{1,3}}\n)?{_ANY_LABEL}\n(?:{_SPELT})?(?P<behind>{CLOCK})\n"
        rf"(?P=label) {_SPELT}(?=\n)",
        Proof.TIMES,
        is_sure=True,
        is_long=True,
    ),
    _form(
        "on the line below a time",
        "otter-text",
        rf"#{{0,6}}[ \t]*(?P<before>{LONE_CLOCK})\n[*_]{{0,3}}{_ANY_LABEL}[*_]{{0,3}}:?(?=\n)",
        Proof.TIMES,
        is_sure=True,
    ),
    _form(
        "on the line above a time",
        "otter-text",
        rf"[*_]{{0,3}}{_ANY_LABEL}[*_]{{0,3}}:?\n(?P<behind>{LONE_CLOCK})(?=\n)",
        Proof.TIMES,
        is_sure=True,
    ),
    _form(
        "beside a time, on a line of their own",
        "otter-text",
        rf"#{{0,6}}[ \t]*{_ANY_LABEL}(?:,?[ \t]*(?P<inside>{MARKED_CLOCK})"
        rf"|(?:[ \t]{{2,}}|\t)(?P<behind>{CLOCK})"
        rf"|[ \t]+[—–-][ \t]+(?:[^\W\d_]{{2,12}}[ \t]+[^\W\d_]{{1,4}}[ \t]+)?(?P<then>{CLOCK}))"
        r"[ \t]*:?(?=\n)",
        Proof.TIMES,
        signs=(":",),
        is_sure=True,
    ),
    _form(
        "beside a time, on a line of their own",
        "otter-text",
        rf"{_LABEL}[ \t](?P<behind>{CLOCK})[ \t]*:?{_BELOW}",
        Proof.TIMES,
        signs=(":",),
    ),
    _form(
        "behind a time, on a line of their own",
        "otter-text",
        rf"#{{0,6}}[ \t]*(?P<before>{ANY_CLOCK})[ \t]*(?:[-–—|][ \t]*)?{_LABEL}[ \t]*:?{_BELOW}",
        Proof.TIMES,
        signs=(":",),
    ),
    _form(
        "before a time and words",
        "otter-text",
        rf"{_LABEL}[ \t]+(?P<inside>{MARKED_CLOCK})[ \t]*:?[ \t]+(?P<rest>\S.*)",
        Proof.TIMES,
        signs=(":",),
        only_opening=True,
    ),
    _colon_form(r"(?:>>+[ \t]*)?"),
    _form(
        "before a colon without a space",
        "speaker-text",
        rf"{_BEFORE}{_LABEL}:(?=[^\W\d_]){_REST}",
        Proof.COVER,
        signs=(":",),
    ),
    _form(
        "before a full stop",
        "speaker-text",
        rf"{_BEFORE}(?P<label>{_TITLE_AND_DOT}[^\W\d_](?:[^:.\n\t]|{_INITIAL_DOT}){{0,59}}?)"
        r"\.(?![ \t]*[^\W\d_]\.)[ \t]+(?P<rest>\S.*)",
        Proof.COVER,
        signs=(".",),
        keep=_before_stops,
    ),
    _form(
        "before a full stop, behind a title",
        "speaker-text",
        rf"{_BEFORE}(?P<label>{_ANY_TITLE}[^\W\d_](?:[^:.\n\t]|{_INITIAL_DOT}){{1,79}}?)"
        r"\.(?![ \t]*[^\W\d_]\.)[ \t]+(?P<rest>\S.*)",
        Proof.COVER,
        signs=(".",),
        only_opening=True,
        keep=_behind_titles,
    ),
    _form(
        "as initials that the head gives in brackets",
        "speaker-text",
        r"(?P<label>[^\W\d_]{1,3})[ \t]+(?P<rest>\S.*)",
        Proof.COVER,
        keep=_defined_initials,
        only_opening=True,
    ),
    _form(
        "before a wide gap",
        "speaker-text",
        rf"{_BEFORE}[○◯]?(?:{_LABEL}(?<![.,;!?])[ ]{{2,}}|{_DASH})(?P<rest>\S.*)",
        Proof.COVER,
        signs=("  ", "――", "──", "——"),
    ),
    _form(
        "in a list before a colon",
        "speaker-text",
        rf"(?:[-–—+•]|\*(?!\*))[ \t]*{_LABEL_COLON}",
        Proof.COVER,
        signs=(":", "："),
    ),
    _form(
        "in brackets",
        "speaker-text",
        rf"{_BEFORE}(?:\[(?=[^\]\n]*\])|<[ ]?[@+%~&]?[ ]?|【){_LABEL}[\]>】][ \t]*[:：]?"
        r"[ \t]+(?P<rest>\S.*)",
        Proof.COVER,
        signs=("[", "<", "【"),
    ),
    _form(
        ACTIONS,
        "speaker-text",
        rf"{_BEFORE}\*[ ](?P<label>[^\s:*]{{1,40}})[ ]+(?P<rest>\S.*)",
        Proof.COVER,
        signs=("*",),
    ),
    _form(
        "in brackets, on a line of their own",
        "speaker-text",
        rf"[(\[]{_LABEL}[)\]][ \t]*:?{_BELOW}",
        Proof.COVER,
        signs=("(", "["),
        only_opening=True,
    ),
    _form(
        "before a tab",
        "speaker-text",
        rf"{_BEFORE}{_LABEL}\t+(?:(?P<inside>{ANY_CLOCK})[ \t]*\t)?"
        r"(?P<rest>[^\t\n]*\S[^\t\n]*)(?=\n)",
        Proof.COVER,
        signs=("\t",),
    ),
    _form(
        "before a dash",
        "speaker-text",
        rf"{_BEFORE}{_LABEL}(?:\.?[ \t]*[—–]{{1,2}}|[ \t]+-)(?:[ \t]+(?P<rest>.*)|(?=\n))",
        Proof.COVER,
        signs=("—", "–", "-"),
        only_opening=True,
    ),
    _form(
        "in bold, without a colon",
        "markdown",
        rf"{_MARK}{_LABEL}\.?(?P=mark)(?:[ \t]*[-–—]{{1,2}}[ \t]*[*_][^*_\n]+[*_](?=\n)"
        r"|[ \t]+(?P<rest>\S.*)|(?=\n))",
        Proof.COVER,
        signs=("**", "__"),
        is_sure=True,
        only_opening=True,
    ),
    _form(
        "as headings",
        "markdown",
        rf"#{{1,6}}[ \t]+{_LABEL}[ \t]*(?P<inside>{ANY_CLOCK})?[ \t]*:?[ \t]*#*(?=\n)",
        Proof.COVER,
        signs=("#",),
    ),
    _form(
        "on a line of their own",
        "speaker-text",
        rf"{_LABEL}(?=\n)",
        Proof.COVER,
        only_opening=True,
    ),
)
_OF_CUES = {"in brackets", "in brackets, on a line of their own", "on a line of their own"}
CUE_FORMS = (
    _colon_form(r"(?:(?:>>+|[-–—])[ \t]*)?"),
    *(form for form in FORMS if form.place in _OF_CUES),
)
"""Those of captions, where dashes begin another voice."""
_OF_MAIL = {"in the field From above words", "in the line above a quoted message"}
_TOGETHER = (
    {"before a colon", "before a full stop", "before a wide gap"},
    {"in bold before a colon", "in bold, without a colon"},
    _OF_MAIL,
)
"""Forms that stand in one file: a court's `THE COURT:` beside `Q.` and `A.`."""


@dataclass(frozen=True, slots=True)
class FormReading:
    """A file read in one form: its heads by the line on which they stand."""

    form: LabelForm
    heads: dict[int, Head]
    coverage: float

    @property
    def counts(self) -> Counter[str]:
        """How often each label comes."""
        return Counter(head.label for head in self.heads.values())


def read_forms(lines: Sequence[TextLine], forms: Sequence[LabelForm] = FORMS) -> list[FormReading]:
    """The file in each form that it has heads of, in order of the table."""
    num_blocks = sum(line.opens for line in lines)
    made = []
    for form in forms:
        found: Iterable[Head] = _heads(form, lines)
        if form.keep is not None:
            found = form.keep(list(found), lines)
        heads = {head.at: head for head in _without_counters(list(found))}
        if heads:
            made.append(FormReading(form, heads, _coverage(heads, lines, num_blocks)))
    return made


def _without_counters(heads: list[Head]) -> list[Head]:
    """Heads without the number before a name that counts up from head to head: `Q4 Chair`."""
    counted = {head.at: match for head in heads if (match := _COUNTER.match(head.label))}
    numbers = [int(match["number"]) for match in counted.values()]
    if len(numbers) < _RUN or not all(a < b for a, b in pairwise(numbers)):
        return heads
    if len({match["word"] for match in counted.values()}) > 1:
        return heads
    return [
        replace(head, label=head.label[counted[head.at].end() :]) if head.at in counted else head
        for head in heads
    ]


def _heads(form: LabelForm, lines: Sequence[TextLine]) -> Iterator[Head]:
    at = 0
    while at < len(lines):
        head = form.head(lines, at)
        if head is not None and _is_label(head.label, form):
            yield head
            at += head.num_lines
        else:
            at += 1


def _is_label(label: str, form: LabelForm) -> bool:
    if form.is_sure:
        # A line of words above a time that follows it.
        words = label.split()
        is_sentence = len(words) > 2 and label[-1] in ".!?…" and len(words[-1]) > 5
        return form.proof is not Proof.TIMES or not is_sentence
    return is_dash(label) or shape_of(label) is not Shape.SENTENCE


def _coverage(heads: dict[int, Head], lines: Sequence[TextLine], num_blocks: int) -> float:
    """Which share of the paragraphs or, if that is more, of the lines a head begins. A paragraph
    below a head that has its line to itself is the same one; one (a title) doesn't count.
    """
    num_open = num_below = 0
    for head in heads.values():
        num_open += head.opens
        below = head.at + head.num_lines
        num_below += (
            head.is_bare and below < len(lines) and lines[below].opens and below not in heads
        )
    num_lines = sum(not line.is_outside for line in lines)
    num_lines -= sum(head.num_lines - 1 for head in heads.values())
    by_block = num_open / max(1, num_open, num_blocks - num_below - 1)
    return max(by_block, len(heads) / max(1, num_lines))


def choose(readings: Sequence[FormReading], lines: Sequence[TextLine]) -> list[FormReading]:
    """The forms that are the file's: the one with most heads among those in which it reads, the
    first of equals, with another that goes with it; none where none is sure.
    """
    proven = [reading for reading in readings if _PROOFS[reading.form.proof](reading, lines)]
    if not proven:
        return []
    best = max(proven, key=lambda reading: len(reading.heads))
    sure = [reading for reading in proven if reading.form.is_sure]
    if sure and not best.form.is_sure:
        surest = max(sure, key=_weight)
        best = surest if _weight(surest) >= _SURE_SHARE * len(best.heads) else best
    group = next((own for own in _TOGETHER if best.form.place in own), set())
    others = [r for r in readings if r.form.place in group and r is not best]
    return [best] + [
        other
        for other in others
        if (other in proven and not best.form.is_sure)
        or group is _OF_MAIL
        or _goes_with(other, best, lines)
    ]


def _weight(reading: FormReading) -> int:
    """How many heads, or lines of such as reach over several."""
    heads = reading.heads.values()
    return sum(head.num_lines for head in heads) if reading.form.is_long else len(heads)


def _goes_with(reading: FormReading, best: FormReading, lines: Sequence[TextLine]) -> bool:
    """Whether what stands in another form beside that of the file are labels too: in capitals or
    with a title, and one of them comes back.
    """
    labels = [
        head.label
        for at, head in reading.heads.items()
        if at not in best.heads and no_person(head.label) is None
    ]
    num_blocks = sum(line.opens for line in lines)
    return (
        len(set(labels)) < len(labels)
        and all(map(is_capital_or_titled, labels))
        and _coverage({**reading.heads, **best.heads}, lines, num_blocks) >= _COVERED
    )


def _proven_by_times(reading: FormReading, lines: Sequence[TextLine]) -> bool:
    heads = reading.heads.values()
    named = [head for head in heads if shape_of(head.label) is not Shape.SENTENCE]
    times = [head.clock.start_s for head in named if head.clock]
    num_ordered = 1 + sum(b >= a for a, b in pairwise(times))
    if not times or len(named) < 0.8 * len(heads) or num_ordered < 0.8 * len(times):
        return False
    num_labels = len({head.label for head in named})
    comes_back = num_labels <= 0.75 * len(named) or len(named) <= _FEW
    return comes_back and (reading.coverage >= _COVERED or (len(named) >= 4 and num_labels >= 2))


def _proven_by_colons(reading: FormReading, lines: Sequence[TextLine]) -> bool:
    counts = _speaker_counts(reading, lines)
    repeated = [label for label, n in counts.items() if n > 1]
    if 2 * counts.total() <= len(reading.heads):
        return False
    if reading.coverage >= _COVERED and (counts.total() > 1 or all(map(str.isupper, counts))):
        return True
    strong = [label for label in repeated if shape_of(label) is Shape.NAME]
    return (len(strong) >= 2 and sum(counts[label] for label in strong) >= 4) or any(
        label.isupper() and counts[label] >= 3 for label in strong
    )


def _proven_by_cover(reading: FormReading, lines: Sequence[TextLine]) -> bool:
    counts = _speaker_counts(reading, lines)
    names: Counter[str] = Counter()
    for label, n in counts.items():
        names[_ASIDE.split(label)[0].strip()] += n
    repeated = [n for n in names.values() if n > 1]
    num_repeated = sum(repeated)
    return (
        len(repeated) >= 2
        and num_repeated >= 4
        and reading.coverage >= _COVERED
        and num_repeated >= 0.5 * len(reading.heads)
    )


_PROOFS = {
    Proof.TIMES: _proven_by_times,
    Proof.COLON: _proven_by_colons,
    Proof.COVER: _proven_by_cover,
    Proof.ADDRESS: lambda reading, lines: len(reading.heads) > 1,
}


def _speaker_counts(reading: FormReading, lines: Sequence[TextLine]) -> Counter[str]:
    """How often each label comes that counts for its form."""
    counts = reading.counts.items()
    return Counter({label: n for label, n in counts if may_be_speaker(label, n, reading, lines)})


def may_be_speaker(label: str, count: int, reading: FormReading, lines: Sequence[TextLine]) -> bool:
    """Whether a label counts for its form: by its shape, and as no word of a heading."""
    return (
        is_dash(label)
        or ((reading.form.is_sure or shape_of(label) is not Shape.SENTENCE)
        and no_person(label) is None
        and not (count == 1 and reads_as_heading(label))
        and not (count == 1 and shape_of(label) is Shape.DOUBTFUL and not reading.form.is_sure
                 and reading.coverage < 0.8))
    )  # fmt: skip
