"""Finds names for labels that are none: what a speaker calls themselves ("Speaker 3: Hi, I'm
Ifeoma."), and whom the head of a transcript names ("INTERVIEWER: Rosa Lind" above turns of "Q").
A name is offered to the user, never taken, since people also speak for others.

After "my name is" stands a name. After "I'm" may stand anything ("I'm Swedish"), so that counts in
three cases: behind a greeting, where another speaker uses the name, or in the label's first turn
unless the word ends as words of origin do (-ish, -ese).
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from shlex import quote

from dynagrag.core.schema import SourceTurn
from dynagrag.core.text import clock, collapse, cut
from dynagrag.ingest.load.speaker_audit import AuditLine, is_reported, name_forms
from dynagrag.language.words import COMMON_WORDS, HONORIFICS, ROLE_NOUNS

_NAMING = (
    r"my name is|my name['’]s|ich heiße|mein name ist|je m['’]appelle|me llamo|mi nombre es"
    r"|mi chiamo|(?:o )?meu nome é|mijn naam is|jag heter|jeg heter|nazywam się|mam na imię"
)
_TITLE = rf"(?:(?i:{'|'.join(map(re.escape, sorted(HONORIFICS)))})\.? )?"
_WORD = r"[^\W\d_a-zß-ÿ][^\W\d_]*(?:['’-][^\W\d_]+)*"
_JOINT = r"(?:(?:van|von|de|da|del|der|bin|al|[A-Z]\.) ){0,2}"
_NAME = rf"{_TITLE}(?P<name>{_WORD}(?: {_JOINT}{_WORD}){{0,2}})"
_END = r"(?= ?(?:[.,;!?…—–-]|$)| (?:and|from|with|here|und|aus|von|et|de|y|e|och|i)\b)"
_NAMED = re.compile(rf"\b(?i:{_NAMING}) {_NAME}(?!['’-]?\w)")
_I_AM = re.compile(
    rf"(?P<greeting>\b(?i:hi|hello|hey|welcome|good (?:morning|afternoon|evening))\b[^.?!]{{0,40}}"
    rf"[.,!]? ?)?\b(?i:i['’]m|i am) {_NAME}{_END}"
)
_ORIGIN = re.compile(r".*(?:ish|ese|an|ic|ist|im|ch|eek|iss|ab)$", re.IGNORECASE)
"""Swedish, Chinese, American, Catholic, Buddhist, Muslim, French, Greek, Swiss, Arab."""
_MAX_CHARS_SHOWN = 120
_HEAD_TURNS = 40
_HEAD_LINE = re.compile(rf"(?P<field>[^\W\d_][^:\n]{{0,40}}?)[ ]?[:：] *{_NAME}")
_FIELDS = {
    "q": ("interviewer", "interviewed by", "question"),
    "a": ("interviewee", "narrator", "respondent", "answer"),
}
"""The fields of a head that say who has a label of a letter."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """A label, a name for it, and the turn that says so: the speaker's own, or a line of the head,
    which is nobody's.
    """

    label: str
    name: str
    line: AuditLine

    @property
    def option(self) -> str:
        """The option of `dynagrag ingest` that gives the label this name."""
        return f"--speaker-map {quote(f'{self.label}={self.name}')}"

    def text(self) -> str:
        """One line for the terminal, without the option."""
        at = "" if self.line.start_s is None else f" ({clock(self.line.start_s)})"
        source = "says to be" if self.line.speaker else "is, by the transcript's head,"
        return f"{self.label} {source} {self.name}: turn {self.line.turn}{at}, “{self.line.words}”"


def introductions(turns: Sequence[SourceTurn]) -> tuple[Introduction, ...]:
    """Introductions in the order of the labels, at most one a label.

    A label gets none where it is a name itself, where its names don't hold each other ("Ann" and
    "Ann Lee" do), or where another label has or gets the same name.
    """
    labels = dict.fromkeys(turn.speaker for turn in turns if turn.speaker)
    unnamed = {label for label in labels if not name_forms(label)}
    if not unnamed:
        return ()
    known = {form.casefold() for label in labels for form in name_forms(label)}
    begun: set[str] = set()
    found: dict[str, dict[str, AuditLine]] = defaultdict(dict)
    for label, name, line in _names_in_head(turns, unnamed):
        found[label].setdefault(name, line)
    for place, turn in enumerate(turns):
        label = turn.speaker or ""
        if label not in unnamed:
            continue
        text = collapse(turn.text)
        for name in _names(text, turns, label, is_first=label not in begun):
            line = AuditLine(place + 1, label, turn.start_s, cut(text, _MAX_CHARS_SHOWN))
            found[label].setdefault(name, line)
        begun.add(label)
    takers = defaultdict[str, set[str]](set)
    for label, names in found.items():
        for name in names:
            takers[name].add(label)
    return tuple(
        Introduction(label, name, found[label][name])
        for label in labels
        for name in [_longest(found.get(label, {}))]
        if name and len(takers[name]) == 1 and name.casefold() not in known
    )


def _names_in_head(
    turns: Sequence[SourceTurn], unnamed: set[str]
) -> Iterator[tuple[str, str, AuditLine]]:
    """Yields (label, name, line) of the fields in the head, which ends where a label speaks."""
    for place, turn in enumerate(turns[:_HEAD_TURNS]):
        if turn.speaker:
            return
        text = collapse(turn.text)
        match = _HEAD_LINE.fullmatch(text)
        for label in unnamed if match else ():
            own = label.strip(". ").casefold()
            if match and match["field"].casefold() in (own, *_FIELDS.get(own, ())):
                yield label, match["name"], AuditLine(place + 1, "", turn.start_s, text)


def _names(text: str, turns: Sequence[SourceTurn], label: str, *, is_first: bool) -> Iterator[str]:
    """Yields the names that a turn's speaker gives; `is_first`: it is the label's first turn."""
    for match in _NAMED.finditer(text):
        if _is_own(text, match.start(), match["name"]):
            yield match["name"]
    for match in _I_AM.finditer(text):
        name = match["name"]
        if not _is_own(text, match.start(), name):
            continue
        is_likely = match["greeting"] or (is_first and not _ORIGIN.fullmatch(name))
        if is_likely or _is_said_by_others(name, turns, label):
            yield name


def _is_own(text: str, start: int, name: str) -> bool:
    """Whether a match is the speaker's own name: no common word, title or role ("I'm Doctor"), and
    not what they report somebody to have said.
    """
    first = name.split()[0].casefold()
    no_names = COMMON_WORDS | HONORIFICS | ROLE_NOUNS
    sentence = re.split(r"[.?!] ", text[:start])[-1]
    return first not in no_names and not is_reported(sentence)


def _is_said_by_others(name: str, turns: Sequence[SourceTurn], label: str) -> bool:
    called = re.compile(rf"\b{re.escape(name.split()[0])}\b")
    return any(turn.speaker != label and called.search(turn.text) for turn in turns)


def _longest(names: dict[str, AuditLine]) -> str:
    """The longest name where it holds the words of all the others, else ""."""
    longest = max(names, key=len, default="")
    return longest if all(set(name.split()) <= set(longest.split()) for name in names) else ""
