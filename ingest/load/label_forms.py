"""The forms in which text files name speakers: where labels stand, and which lines have one.

A form is a row of `FORMS`. All rows are tried on the whole file; those in which it reads are its
forms, and then each head in them is a label.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache

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
    is_function_word,
    is_titled,
    shape_of,
)
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass

_HEAD_LINES = 20
_MOST_LETTERS = 3
_MAX_WORD = 4
"""Letters of what may be a sentence of a word: `Okay.`"""


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line without blank space round it. `opens`: it begins a paragraph or a cue."""

    text: str
    number: int
    opens: bool
    is_indented: bool = False
    is_outside: bool = False
    """A page's head or foot, where lines are numbered: nobody's, and the end of nothing."""
    answers: bool = False
    """What a witness answers, cut off behind the dashes of `Where?---At the weir.`"""


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
    """One place where labels stand. `pattern`, a regular expression, is matched at the beginning of
    a line and, behind a line break, of the next; `signs`: a line without one of them can't match.
    """

    place: str
    format: str
    pattern: str
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
        if MARKED_HEADING.match(line.text) and "#" not in self.pattern[:3]:
            return None
        if self.signs and not any(sign in line.text for sign in self.signs):
            return None
        follows = at + 1 < len(lines) and not lines[at + 1].opens
        below = [lines[at + 1].text] if follows else [""]
        for item in lines[at + 2 : at + 4] if follows and self.is_long else ():
            below.append(item.text)
        match = _compiled(self.pattern).match("\n".join([line.text, *below, ""]))
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


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """At the first file, as all of them take a third of a second."""
    return re.compile(pattern)


MARKED_HEADING = re.compile(r"#{1,6}[ \t]")
_ESCAPED = re.compile(r"\\([^\w\s])")
_CLOCKS = ("before", "inside", "behind", "then")


def plain_label(text: str) -> str:
    """A label as it is shown: without marks of emphasis, escapes and quotes round it."""
    label = collapse(_ESCAPED.sub(r"\1", text)).strip('*`"“” ')
    if label[:1] == label[-1:] == "_":
        label = label.strip("_")
    label = _MANNER.sub("", _APART.sub("", label))
    return label.rstrip(" |·•–—")


_APART = re.compile(r"~\s+")
"""WhatsApp's mark of who isn't among one's contacts."""
_MANNER = re.compile(
    r"[ \t]*\((?:(?:on|off)[- ]camera|voice-?over|(?:via|on|by) (?:the )?(?:tele)?phone"
    r"|cont['’]?d\.?|v\.?[ ]?o\.?|o\.?[ ]?[sc]\.?"
    r"|pinned|edited|forwarded|bot|bearbeitet|angepinnt|modifiée?|editad[oa])\)$",
    re.IGNORECASE,
)
"""How somebody is seen or heard or a message is marked, which is no part of a name."""


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
_INITIAL_DOT = r"(?:(?<=\b[^\W\d_])\.(?=[ ,.])|(?<=[^\W\d_]{2} [^\W\d_])\.(?=[^\W\d_]\.))"
_SHORT_TITLES = words_of(WordClass.SHORT_TITLE)
_ASIDE = re.compile(r"[,(（]")
_TWO_INITIALS = re.compile(r" [^\W\d_]\.[^\W\d_]$")
"""Whose last stop stands for both: `HOLM A.P. I have.`"""
_INITIALS = re.compile(r" [^\W\d_]\.(?: ?[^\W\d_]\.?)?(?=,|$)")


def name_of(label: str) -> str:
    """A label without party and office: `ROSSI (Misto), segretario`."""
    return _ASIDE.split(label, maxsplit=1)[0].strip()


def is_capital_or_titled(label: str) -> bool:
    """By the name, whatever party or office stands behind it."""
    return name_of(label).isupper() or is_titled(label)


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
            yield replace(head, label=f"{label}.") if _TWO_INITIALS.search(label) else head


def _before_dashes(heads: Sequence[Head], lines: Sequence[TextLine]) -> Iterator[Head]:
    """What stands before a dash at the beginning of a paragraph; letters, at any line, where two or
    more come back: `P.– Who?`.
    """
    counts = Counter(head.label for head in heads if len(head.label) <= _MOST_LETTERS)
    letters = {label for label, n in counts.items() if n > 1 and label[0].isupper()}
    for head in heads:
        is_letters = len(letters) > 1 and head.label in counts and head.label[0].isupper()
        if is_letters or lines[head.at].opens or lines[head.at].is_indented:
            yield head


def _behind_titles(heads: Sequence[Head], lines: Sequence[TextLine]) -> Iterator[Head]:
    """The heads whose name reads as one, where names come back, with or without an office."""
    named = [
        head
        for head in heads
        if head.label.casefold().rsplit(maxsplit=1)[-1] not in _SHORT_TITLES
        and shape_of(head.label.partition(" ")[2]) is not Shape.SENTENCE
    ]
    counts = Counter(name_of(head.label) for head in named)
    if 2 * len(named) >= len(heads) and sum(n > 1 for n in counts.values()) > 1:
        yield from named


def _defined_initials(heads: Sequence[Head], lines: Sequence[TextLine]) -> Iterator[Head]:
    """Initials that stand in brackets above the first of them: `Guest: Rosa Lind (RL)`."""
    for head in heads:
        bracket = f"({head.label})"
        if head.label.isupper() and any(bracket in line.text for line in lines[:_HEAD_LINES]):
            yield head


def _colon_form(lead: str) -> LabelForm:
    return LabelForm(
        "before a colon",
        "speaker-text",
        rf"{_BEFORE}{lead}{_LABEL_COLON}",
        Proof.COLON,
        signs=(":", "："),
    )


CHAT = "behind a time and From"
"""A log of messages, also below a transcript of what was said meanwhile."""
ACTIONS = "behind an asterisk"
"""`* nick waves`, where others speak as `<nick> Hi`."""
FORMS: tuple[LabelForm, ...] = (
    LabelForm(
        "in bold before a colon",
        "markdown",
        rf"{_BEFORE}(?:[-+*][ \t]+)?{_MARK}(?:(?P<inside>{ANY_CLOCK})[ \t]*)?{_LABEL}[ \t]*"
        rf"(?P<behind>{ANY_CLOCK})?(?::[ \t]*(?P=mark)|(?P=mark)[ \t]*:)"
        rf"(?:[ \t]*(?P<then>{MARKED_CLOCK}))?{_REST}",
        Proof.COLON,
        signs=("**", "__"),
        is_sure=True,
    ),
    LabelForm(
        "in bold beside a time",
        "markdown",
        rf"{_BEFORE}{_MARK}{_LABEL}(?P=mark)[ \t]*(?P<inside>{ANY_CLOCK})[ \t]*:?(?=\s){_REST}",
        Proof.TIMES,
        signs=("**", "__"),
        is_sure=True,
    ),
    LabelForm(
        "in bold behind a time",
        "markdown",
        rf"(?P<before>{ANY_CLOCK})[ \t]*(?:[-–—][ \t]*)?{_MARK}{_LABEL}(?P=mark)[ \t]*:?{_REST}",
        Proof.TIMES,
        signs=("**", "__"),
        is_sure=True,
    ),
    LabelForm(
        CHAT,
        "otter-text",
        rf"(?P<before>{CLOCK})[ \t]+From[ \t]+{_LABEL}(?:[ \t]+[Tt]o[ \t]+[^:\n]{{1,60}})?"
        rf"[ \t]*:{_REST}",
        Proof.TIMES,
        signs=("From",),
        is_sure=True,
    ),
    LabelForm(
        "in the field From above words",
        "speaker-text",
        r"From:[ \t]+(?P<label>[^\s:<][^:<\n]{0,60}?)[ \t]*(?:[<(][^<>()\n]*[\d@][^<>()\n]*[>)])?"
        r"(?:\n[^\W\d_]{2,12}:[ \t]+[^\n]+){2,3}(?=\n)",
        Proof.COVER,
        signs=("From:",),
        is_sure=True,
        is_long=True,
    ),
    LabelForm(
        "in the line above a quoted message",
        "speaker-text",
        r"(?:>[> ]*)?[^\n<>]{0,80}?(?P<label>[^\W\d_a-z][^\s<>]*(?:[ ][^\W\d_a-z][^\s<>]*){0,4})"
        r"[ ](?:<[^<>\s@]+@[^<>\s]+>|\[mailto:[^\]\s]+\])[^\n:]{0,20}:(?=\n)",
        Proof.ADDRESS,
        signs=("@",),
        is_sure=True,
    ),
    LabelForm(
        "between initials and a time, and once more",
        "otter-text",
        rf"(?:[^\W\d_]{{1,3}}\n)?{_ANY_LABEL}\n(?:{_SPELT})?(?P<behind>{CLOCK})\n"
        rf"(?P=label) {_SPELT}(?=\n)",
        Proof.TIMES,
        is_sure=True,
        is_long=True,
    ),
    LabelForm(
        "on the line below a time",
        "otter-text",
        rf"#{{0,6}}[ \t]*(?P<before>{LONE_CLOCK})\n[*_]{{0,3}}{_ANY_LABEL}[*_]{{0,3}}:?(?=\n)",
        Proof.TIMES,
        is_sure=True,
    ),
    LabelForm(
        "on the line above a time",
        "otter-text",
        rf"[*_]{{0,3}}{_ANY_LABEL}[*_]{{0,3}}:?\n(?P<behind>{LONE_CLOCK})(?=\n)",
        Proof.TIMES,
        is_sure=True,
    ),
    LabelForm(
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
    LabelForm(
        "beside a time, on a line of their own",
        "otter-text",
        rf"{_LABEL}[ \t](?P<behind>{CLOCK})[ \t]*:?{_BELOW}",
        Proof.TIMES,
        signs=(":",),
    ),
    LabelForm(
        "behind a time, on a line of their own",
        "otter-text",
        rf"#{{0,6}}[ \t]*(?P<before>{ANY_CLOCK})[ \t]*(?:[-–—|][ \t]*)?{_LABEL}[ \t]*:?{_BELOW}",
        Proof.TIMES,
        signs=(":",),
    ),
    LabelForm(
        "before a time and words",
        "otter-text",
        rf"{_LABEL}[ \t]+(?P<inside>{MARKED_CLOCK})[ \t]*:?[ \t]+(?P<rest>\S.*)",
        Proof.TIMES,
        signs=(":",),
        only_opening=True,
    ),
    _colon_form(r"(?:>>+[ \t]*)?"),
    LabelForm(
        "before a colon without a space",
        "speaker-text",
        rf"{_BEFORE}{_LABEL}:(?=[^\W\d_]){_REST}",
        Proof.COVER,
        signs=(":",),
    ),
    LabelForm(
        "before a full stop",
        "speaker-text",
        rf"{_BEFORE}(?P<label>{_TITLE_AND_DOT}[^\W\d_](?:[^:.\n\t]|{_INITIAL_DOT}){{0,59}}?)"
        r"\.(?![ \t]*[^\W\d_]\.)[ \t]+(?P<rest>\S.*)",
        Proof.COVER,
        signs=(".",),
        keep=_before_stops,
    ),
    LabelForm(
        "before a full stop, behind a title",
        "speaker-text",
        rf"{_BEFORE}(?P<label>{_ANY_TITLE}[^\W\d_](?:[^:.\n\t]|{_INITIAL_DOT}){{1,79}}?)"
        r"\.(?![ \t]*[^\W\d_]\.)[ \t]+(?P<rest>\S.*)",
        Proof.COVER,
        signs=(".",),
        only_opening=True,
        keep=_behind_titles,
    ),
    LabelForm(
        "as initials that the head gives in brackets",
        "speaker-text",
        r"(?P<label>[^\W\d_]{1,3})[ \t]+(?P<rest>\S.*)",
        Proof.COVER,
        keep=_defined_initials,
        only_opening=True,
    ),
    LabelForm(
        "before a wide gap",
        "speaker-text",
        rf"{_BEFORE}[○◯]?(?:{_LABEL}(?<![.,;!?])[ ]{{2,}}|{_DASH})(?P<rest>\S.*)",
        Proof.COVER,
        signs=("  ", "――", "──", "——"),
    ),
    LabelForm(
        "in a list before a colon",
        "speaker-text",
        rf"(?:[-–—+•]|\*(?!\*))[ \t]*{_LABEL_COLON}",
        Proof.COVER,
        signs=(":", "："),
    ),
    LabelForm(
        "in brackets",
        "speaker-text",
        rf"{_BEFORE}(?:\[(?=[^\]\n]*\])|<[ ]?[@+%~&]?[ ]?|【){_LABEL}[\]>】][ \t]*[:：]?"
        r"[ \t]+(?P<rest>\S.*)",
        Proof.COVER,
        signs=("[", "<", "【"),
    ),
    LabelForm(
        "before an angle",
        "speaker-text",
        rf"{_BEFORE}(?P<label>[^\s<>]{{1,40}})[ \t]*>[ \t]+(?P<rest>\S.*)",
        Proof.COVER,
        signs=(">",),
    ),
    LabelForm(
        "before a stroke",
        "speaker-text",
        rf"{_BEFORE}{_LABEL}[ \t]*\|[ \t]+(?P<rest>[^|\n]+)(?=\n)",
        Proof.COVER,
        signs=("|",),
    ),
    LabelForm(
        ACTIONS,
        "speaker-text",
        rf"{_BEFORE}\*[ ](?P<label>[^\s:*]{{1,40}})[ ]+(?P<rest>\S.*)",
        Proof.COVER,
        signs=("*",),
    ),
    LabelForm(
        "in brackets, on a line of their own",
        "speaker-text",
        rf"[(\[]{_LABEL}[)\]][ \t]*:?{_BELOW}",
        Proof.COVER,
        signs=("(", "["),
        only_opening=True,
    ),
    LabelForm(
        "before a tab",
        "speaker-text",
        rf"{_BEFORE}{_LABEL}\t+(?:(?P<inside>{ANY_CLOCK})[ \t]*\t)?"
        r"(?P<rest>[^\t\n]*\S[^\t\n]*)(?=\n)",
        Proof.COVER,
        signs=("\t",),
    ),
    LabelForm(
        "before a dash",
        "speaker-text",
        rf"{_BEFORE}{_LABEL}(?:\.?[ \t]*[—–]{{1,2}}|\.-|[ \t]+-)(?:[ \t]+(?P<rest>.*)|(?=\n))",
        Proof.COVER,
        signs=("—", "–", "-"),
        keep=_before_dashes,
    ),
    LabelForm(
        "in bold, without a colon",
        "markdown",
        rf"(?:\*\*(?P<before>{MARKED_CLOCK})\*\*[ \t]*)?"
        rf"{_MARK}{_LABEL}\.?(?P=mark)(?:[ \t]*[-–—]{{1,2}}[ \t]*[*_][^*_\n]+[*_](?=\n)"
        r"|[ \t]*(?:[ \t]|[-–—]{1,2}[ \t])[ \t]*(?P<rest>[^\s–—-].*)|(?=\n))",
        Proof.COVER,
        signs=("**", "__"),
        is_sure=True,
        only_opening=True,
    ),
    LabelForm(
        "as headings",
        "markdown",
        rf"#{{1,6}}[ \t]+{_LABEL}[ \t]*(?P<inside>{ANY_CLOCK})?[ \t]*:?[ \t]*#*(?=\n)",
        Proof.COVER,
        signs=("#",),
    ),
    LabelForm(
        "on a line of their own",
        "speaker-text",
        rf"{_LABEL}(?=\n)",
        Proof.COVER,
        only_opening=True,
    ),
)
CUE_FORMS = (
    _colon_form(r"(?:(?:>>+|[-–—])[ \t]*)?"),
    LabelForm(
        "in brackets",
        "speaker-text",
        rf"(?:[-–—][ \t]*)?[\[<【(]{_LABEL}[\]>】)][ \t]*[:：]?(?:[ \t]+(?P<rest>\S.*)|{_BELOW})",
        Proof.COVER,
        signs=("[", "<", "【", "("),
    ),
    next(form for form in FORMS if form.place == "on a line of their own"),
)
"""Those of captions, where dashes begin another voice."""
