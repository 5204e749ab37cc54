"""What a transcript's own words make impossible about its speakers: somebody thanks themselves by
name, says "I'm Anna" under Ben, is asked by name while another label answers each time; and two
labels that never meet, which may be one person.

A name counts only where it addresses somebody (after a greeting or thanks, or between a comma and
the sentence's end), is no part of reported speech, and belongs to one label alone. Who is asked by
name at the end of a turn should speak next. One turn where another does is chance; it is a finding
where the same label answers twice in a row, or where two labels answer for each other.

Rules and their bounds were set on some files and measured on others
(tests/unit/ingest/load/test_speaker_audit.py).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby, pairwise

from dynagrag.core.schema import SPEAKER_DOUBTS, Document, LoadedSource, SourceTurn, Turn
from dynagrag.core.text import clock, collapse, cut
from dynagrag.ingest.load.speaker_names import alike
from dynagrag.ingest.load.whole_turns import turns_of
from dynagrag.language.sentences import sentence_spans
from dynagrag.language.words import HONORIFICS, LETTERS_OF_OFFICE, ROLE_NOUNS

DOUBTFUL = 2
"""From so many findings on, a file's speakers are doubtful."""
_THANKS = (
    r"(?:many )?thanks(?: (?:so|very) much| a lot| again)?|thank you(?: (?:so|very) much| again)?"
    r"|(?:vielen |herzlichen )?dank|danke(?: schön| sehr)?|merci(?: beaucoup)?"
    r"|(?:muchas )?gracias|grazie(?: mille)?|obrigad[oa]|dank je"
)
_GREETINGS = (
    r"hi(?: there)?|hello|hey|welcome(?: back)?|good (?:morning|afternoon|evening|night)|bye"
    r"|goodbye|congratulations|hallo|guten (?:morgen|tag|abend)|bonjour|bonsoir|hola"
    r"|buenos días|buenas tardes|ciao|buongiorno"
)
_FILLERS = (
    "and|so|but|okay|ok|well|now|yes|yeah|no|oh|right|great|good|perfect|all right|und|ja|nein"
)
_INTRODUCTIONS = (
    r"i am|i['’]m|my name is|my name['’]s|ich bin|ich heiße|mein name ist|je suis"
    r"|je m['’]appelle|me llamo|mi nombre es|soy|mi chiamo|meu nome é"
)
_TITLES = "herr|frau|señora|señor|monsieur|madame|mme|signora|signor|med|pd|hon"
_TITLE_WORDS = frozenset((*_TITLES.split("|"), "the", "el", "la", "le", "phd", "grad", "postdoc"))
_REPORTING = re.compile(
    r"[\"“”„«»:]|\b(?:said|says|say|told|asked|asks|called|calls|wrote|writes|was like|sagte|sagt"
    r"|fragte|dit|dijo)\b",
    re.IGNORECASE,
)
_YOU = re.compile(r"\b(?:you|your|you['’]re|du|dein|deine|vous|votre|tu|usted|tú)\b", re.IGNORECASE)
_ASKING = re.compile(r"(?:tell|please|go|start|give|explain|sag|bitte|erzähl)\b", re.IGNORECASE)
_LISTED = re.compile(r"[^\W\d_a-zß-ÿ]\w+(?:,| and | und )")
_LIST_BEFORE = re.compile(r"(?:,|\band|\bund)\s+[^\W\d_a-zß-ÿ]\w+$")
_SELF = re.compile(rf"(?:\b(?:{_INTRODUCTIONS})\b|\bit['’]s me|\bthis is\b)", re.IGNORECASE)
_LOWER = re.compile(r"[^\W\d_A-ZÀ-Þ]{2}")
_CODE = re.compile(r"(?:speaker|sprecher|spk|unknown)[ _]?\w{1,3}", re.IGNORECASE)
_NAME_WORD = re.compile(r"[^\W\d_][^\W\d_’'-]*(?:['’-][^\W\d_]+)*")
_MAX_NAMED = 400
"""Labels of a file: more are no conversation."""
_RECENT = 3
_MAX_LINES = 3
_MANY = 5
_MAX_CHARS_SHOWN = 120
_MAX_LABEL_CHARS = 200
_MAX_REPORT_CHARS = 200
"""How far before "I'm Ben" it may stand that somebody else said so."""


class AuditKind(StrEnum):
    """Kinds of findings."""

    ADDRESSES_SELF = "addresses_self"
    INTRODUCED_AS_OTHER = "introduced_as_other"
    OTHER_SPEAKS = "other_speaks"
    NEVER_MEET = "never_meet"


@dataclass(frozen=True, slots=True)
class AuditLine:
    """A turn that shows a finding; `turn` counts from 1."""

    turn: int
    speaker: str
    start_s: float | None
    words: str

    def text(self) -> str:
        """In one line."""
        at = "" if self.start_s is None else f" ({clock(self.start_s)})"
        return f"turn {self.turn}{at}, {self.speaker}: {self.words}"


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """What can't be of some labels, in a sentence (`what`), with the turns that show it. NEVER_MEET
    is no contradiction, and has no turns.
    """

    kind: AuditKind
    labels: tuple[str, ...]
    what: str
    lines: tuple[AuditLine, ...]

    def text(self) -> str:
        """In one line."""
        return (
            f"{self.what}: {'; '.join(map(AuditLine.text, self.lines))}"
            if self.lines
            else self.what
        )


@dataclass(frozen=True, slots=True)
class _Address:
    """A label that a turn speaks to. `is_thanked`: for what was just said; `is_asked`: to speak
    next; `is_last`: at the turn's end, in an answer or to ask. Not `is_sure`: a name alone, which
    may be one's own.
    """

    label: str
    is_thanked: bool = False
    is_asked: bool = False
    is_last: bool = False
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class _Turned:
    """Evidence for who speaks beside `line`: `expected` is named there, `found` speaks."""

    expected: str
    found: str
    line: AuditLine


def audit_speakers(turns: Sequence[SourceTurn]) -> tuple[AuditFinding, ...]:
    """The findings, in the order of their first lines; turns without a speaker are passed over.

    A file whose labels are codes (Speaker 1) has none but of labels that never meet.
    """
    labels = list(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))
    names = _Names(labels[:_MAX_NAMED])
    speakers = [names.person_of.get(turn.speaker or "", turn.speaker or "") for turn in turns]
    found: list[AuditFinding] = []
    turned: list[_Turned] = []
    for place, turn in enumerate(turns):
        own = speakers[place]
        if not own:
            continue
        text = collapse(turn.text)  # patterns of a blank or two take long on a million
        line = AuditLine(place + 1, turn.speaker or "", turn.start_s, cut(text, _MAX_CHARS_SHOWN))
        for other in dict.fromkeys(names.introduced(text)):
            if other != own:
                what = f"{own} says to be {other}"
                found.append(
                    AuditFinding(AuditKind.INTRODUCED_AS_OTHER, (own, other), what, (line,))
                )
        addresses = list(names.addresses(text))
        if any(address.label == own and address.is_sure for address in addresses):
            what = f"{own} speaks to {own}"
            found.append(AuditFinding(AuditKind.ADDRESSES_SELF, (own,), what, (line,)))
        turned += _turned(speakers, place, addresses, line)
    runs = [label for label, _ in groupby(speakers)]
    found += _others_speaking(
        turned, {own for own, num in Counter(runs).items() if own and num > 1}
    )
    found += _never_meeting(labels, [turn.speaker for turn in turns if turn.speaker])
    return tuple(sorted(found, key=lambda finding: finding.lines[0].turn if finding.lines else 0))


def spoken_turns(document: Document, turns: Sequence[Turn]) -> list[SourceTurn]:
    """A document's turns with their words, as they are stored."""
    return [SourceTurn(document.text[t.start : t.end], t.speaker, t.start_s) for t in turns]


def are_doubtful(findings: Sequence[AuditFinding]) -> bool:
    """Whether so much can't be that the file's speakers should be looked at."""
    return sum(own.kind is not AuditKind.NEVER_MEET for own in findings) >= DOUBTFUL


def with_doubts(source: LoadedSource) -> LoadedSource:
    """The source, marked in its `meta` where its speakers are doubtful."""
    findings = audit_speakers(turns_of(source))
    if not are_doubtful(findings):
        return source
    return replace(source, meta={**source.meta, SPEAKER_DOUBTS: str(len(findings))})


# ------------------------------------------------------------------------------------------- naming


class _Names:
    """The labels of one file by the names that people call them: first, last and whole name, with
    a title or without. A name of two labels tells nothing.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        forms = {label: name_forms(label) for label in labels}
        self.person_of = {label: _whole_name(label, forms) for label in labels}
        owners = defaultdict[str, set[str]](set)
        for label, own in forms.items():
            for form in own:
                owners[form].add(label)
        persons = {form: {self.person_of[label] for label in own} for form, own in owners.items()}
        self._label_of = {form: next(iter(own)) for form, own in persons.items() if len(own) == 1}
        any_name = "|".join(map(re.escape, sorted(self._label_of, key=len, reverse=True)))
        titles = "|".join(map(re.escape, sorted(HONORIFICS)))
        name = rf"(?:(?i:{titles}|{_TITLES})\.?\s+)*(?P<name>{any_name or '(?!)'})(?![\w'’-])"
        whole = rf"{name}(?!\s+[^\W\d_a-zß-ÿ])"  # no other surname behind it
        begin = rf"^(?:(?i:{_FILLERS})[,.]?\s+){{0,2}}"
        self._greeted = re.compile(
            rf"{begin}(?:(?P<thanks>(?i:{_THANKS}))|(?i:{_GREETINGS})) ?,? {whole}"
            rf"(?!\s+(?i:here|speaking|hier)\b)"
        )
        self._alone = re.compile(rf"{begin}{name}\s*[?!.,]*$")
        self._first = re.compile(rf"{begin}{name} ?, (?P<rest>.+)$", re.DOTALL)
        self._last = re.compile(rf"^(?P<before>.+?) ?, {name} ?[?!.…]*$", re.DOTALL)
        self._introduced = re.compile(rf"(?:^|[.!?,;]\s+|\band\s+)(?i:{_INTRODUCTIONS})\s+{whole}")

    def introduced(self, text: str) -> Iterator[str]:
        """The labels that a turn's speaker says to be."""
        if self._label_of:
            for match in self._introduced.finditer(text):
                before = text[max(0, match.start() - _MAX_REPORT_CHARS) : match.start()]
                if not is_reported(before.rsplit(". ", 1)[-1]):
                    yield self._label_of[match["name"]]

    def addresses(self, text: str) -> Iterator[_Address]:
        """The labels that a turn speaks to, in order. What is asked counts at the turn's end, what
        is thanked for at its beginning.
        """
        if not self._label_of:
            return
        spans = sentence_spans(text)
        for number, (start, end) in enumerate(spans):
            sentence = text[start:end]
            if not is_reported(sentence) and (address := self._address(sentence)):
                yield replace(
                    address,
                    is_thanked=address.is_thanked and number == 0,
                    is_asked=address.is_asked and number >= len(spans) - 2,
                    is_last=address.is_last and number == len(spans) - 1,
                )

    def _address(self, sentence: str) -> _Address | None:
        is_question = sentence.rstrip().endswith(("?", "？"))
        if match := self._greeted.search(sentence):
            label = self._label_of[match["name"]]
            return _Address(label, is_thanked=bool(match["thanks"]), is_asked=is_question)
        if match := self._alone.search(sentence):
            return _Address(self._label_of[match["name"]], is_asked=True, is_sure=False)
        if (match := self._first.search(sentence)) and not _LISTED.match(match["rest"]):
            rest = match["rest"]
            is_asked = is_question or bool(_ASKING.match(rest))
            if is_asked or _YOU.search(rest):
                return _Address(self._label_of[match["name"]], is_asked=is_asked)
        if match := self._last.search(sentence):
            before = match["before"]
            is_call = not _LOWER.search(before.split()[-1])  # "FLIGHT, GNC.": the caller's own name
            if not (is_call or _LIST_BEFORE.search(before) or _SELF.search(before)):
                return _Address(self._label_of[match["name"]], is_asked=is_question, is_last=True)
        return None


def name_forms(label: str) -> set[str]:
    """The names that a label's owner is called by; none of a code, a role or a paragraph."""
    if len(label) > _MAX_LABEL_CHARS:
        return set()
    bare = re.split(r"[(,\[]", label, maxsplit=1)[0]
    no_names = HONORIFICS | ROLE_NOUNS | LETTERS_OF_OFFICE | _TITLE_WORDS
    words = [
        word
        for word in _NAME_WORD.findall(re.sub(r"[._@]", " ", bare))
        if len(word) > 1 and word.casefold() not in no_names
    ]
    is_role = bool(words) and bare.split()[-1].casefold() in ROLE_NOUNS
    if not words or is_role or re.search(r"\d", bare):
        return set()
    forms = {words[0], words[-1], f"{words[0]} {words[-1]}", " ".join(words)}
    shaped = {form.title() for form in forms if form.isupper() or form.islower()}
    return forms | shaped


def _whole_name(label: str, forms: Mapping[str, Set[str]]) -> str:
    """The label that has this one's name and more, as EMIL KRASNY of KRASNY; itself where there is
    none, or several.
    """
    own = forms[label]
    wider = [other for other, more in forms.items() if own and own < more]
    return wider[0] if len(wider) == 1 else label


def is_reported(sentence: str) -> bool:
    """Whether it tells what somebody said, or quotes."""
    return bool(_REPORTING.search(sentence))


# ---------------------------------------------------------------------------------- who speaks next


def _turned(
    speakers: Sequence[str], place: int, addresses: Sequence[_Address], line: AuditLine
) -> Iterator[_Turned]:
    """Who speaks after a turn that asks by name, and before one that thanks by name; an empty
    speaker is nobody.
    """
    own = speakers[place]
    following = speakers[place + 1] if place + 1 < len(speakers) else ""
    recent = speakers[max(0, place - _RECENT) : place]
    asked = [address for address in addresses if address.is_asked or address.is_last]
    if asked and asked[-1].label != own and following not in ("", own):
        label = asked[-1].label
        is_answer = not asked[-1].is_asked and label in recent
        yield _Turned(label, label if is_answer else following, line)
    thanked = next((address.label for address in addresses if address.is_thanked), own)
    if thanked != own and recent and recent[-1] not in ("", own):
        yield _Turned(thanked, thanked if thanked in recent else recent[-1], line)


def _others_speaking(turned: Sequence[_Turned], often: Set[str]) -> Iterator[AuditFinding]:
    """Where somebody is named and the same other label speaks twice in a row, where two labels
    speak for each other, and where one who never speaks when named is spoken for by somebody who
    comes `often`; the first two never across a turn that is right.
    """
    by_name = defaultdict[str, list[_Turned]](list)
    for own in turned:
        by_name[own.expected].append(own)
    alone: dict[tuple[str, str], _Turned] = {}
    for name, events in by_name.items():
        for other, run in groupby(events, lambda event: event.found):
            first, *more = run
            if other == name:
                continue
            if more:
                yield _other_speaks(name, other, [first.line, *(own.line for own in more)])
            else:
                alone[name, other] = first
    for (name, other), event in alone.items():
        answered = [own.line.turn for own in by_name[name] if own.found == name]
        back = alone.get((other, name))
        if back is None:
            if not answered and other in often:
                yield _other_speaks(name, other, [event.line])
        elif name < other:
            answered += [own.line.turn for own in by_name[other] if own.found == other]
            lines = sorted((event.line, back.line), key=lambda line: line.turn)
            if not any(lines[0].turn <= turn <= lines[1].turn for turn in answered):
                yield _other_speaks(name, other, lines)


def _other_speaks(name: str, other: str, lines: Sequence[AuditLine]) -> AuditFinding:
    what = f"{name} is named, and {other} speaks"
    return AuditFinding(AuditKind.OTHER_SPEAKS, (name, other), what, tuple(lines[:_MAX_LINES]))


def _never_meeting(labels: Sequence[str], spoken: Sequence[str]) -> Iterator[AuditFinding]:
    """Labels that look like one person's and never speak one after the other; of codes (Speaker 2,
    Speaker 5) those of which one begins where the other has ended.
    """
    runs = [label for label, _ in groupby(spoken)]
    beside = {frozenset(pair) for pair in pairwise(runs)}
    pairs = [pair for pair in alike(labels) if frozenset(pair) not in beside]
    places = defaultdict[str, list[int]](list)
    for place, label in enumerate(runs):
        places[label].append(place)
    codes = [label for label in labels if _CODE.fullmatch(label) and len(places[label]) >= _MANY]
    pairs += [
        (first, second)
        for first in codes
        for second in codes
        if places[first][-1] < places[second][0] and frozenset((first, second)) not in beside
    ]
    for first, second in pairs:
        yield AuditFinding(
            AuditKind.NEVER_MEET,
            (first, second),
            f"{first} and {second} never speak one after the other: are they one person?",
            (),
        )
