"""Which labels of a file are speakers, judged over the whole file.

First the form is found: where labels stand. In it every head is a label. What names no person is
told by what it is; what is neither has turns of nobody, never of whoever spoke before.
"""

import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dynagrag.core.schema import LabelDecision, LabelFate
from dynagrag.core.text import plural, short
from dynagrag.ingest.load.label_forms import (
    ACTIONS,
    CUE_FORMS,
    FORMS,
    MARKED_HEADING,
    FormReading,
    Head,
    LabelForm,
    Proof,
    TextLine,
    choose,
    is_capital_or_titled,
    read_forms,
)
from dynagrag.ingest.load.label_shapes import (
    Shape,
    ends_sentence,
    is_clause,
    is_dash,
    is_function_word,
    is_listed,
    is_titled,
    no_person,
    reads_as_heading,
    shape_of,
)
from dynagrag.ingest.load.speech_signs import Block, called_words, why_nobody_speaks
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass

_FULL = 0.8
"""From this share of labelled paragraphs on, each is taken to begin with a label."""
_EVERY = 0.9
_HALF = 0.4
_BY_LINE = 0.75
"""From this share of labelled lines on, each line is a turn."""
_MOST_FRONT_LINES = 20
_MAX_ITEM_WORDS = 12
_MAX_ODD_WORDS = 8
_OFFICE = re.compile(r",| \(")
_OFFICE_WORDS = range(3, 6)
"""Words of a name behind an office of several words: `Ministr dopravy Jan Holz`."""
_STOP_WITHIN = re.compile(r"\w{4}\.\s|[!?…;]\s")
_COLON_PLACE = "before a colon"
RECURS = 3
"""So often a name or a clock has to come to be missed."""
MAX_PLACES = 3
_ID = re.compile(
    r"(?:\d+[ \t.:)-]*)?\"?(?P<name>[^\W\d_][^\"\n]{0,79}?)\"?(?:[ \t]*\(\d+\))?(?:[-/]\d+)?"
)
_GUARDED = {
    "in bold before a colon",
    "in bold, without a colon",
    "in brackets",
    "before a full stop",
    "before a wide gap",
    "before a tab",
}
"""Forms whose heads end what somebody says, in whatever form the file is."""
_EFFECTS, _SOUNDS = words_of(WordClass.SOUND_EFFECT), words_of(WordClass.SOUND)
_PLAIN = next(form for form in FORMS if form.place == _COLON_PLACE)
_STOP = next(form for form in FORMS if form.place == "before a full stop")


@dataclass(frozen=True, slots=True)
class HeadVerdict:
    """What became of a label, and why in a short phrase."""

    fate: LabelFate
    why: str


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one file: each one's verdict, and the heads where turns begin, by line."""

    form: LabelForm | None = None
    verdicts: dict[str, HeadVerdict] = field(default_factory=dict)
    heads: dict[int, Head] = field(default_factory=dict)
    coverage: float = 0.0
    has_sentences: bool = False
    """Whether what is said ends as sentences do."""
    unused: dict[int, Head] = field(default_factory=dict)
    """What stands where labels might, in a file in which nobody is taken for a speaker."""
    why_unused: str = ""
    place: str = ""
    numbers: tuple[int, ...] = ()
    """The number of each head's line or cue, or of those that are unused."""

    def speaker_of(self, head: Head) -> str | None:
        """Whose words stand behind a head; None for nobody's."""
        return head.label if self.verdicts[head.label].fate is LabelFate.SPEAKER else None


def find_labels(lines: Sequence[TextLine], forms: Sequence[LabelForm] = FORMS) -> Labels:
    """The labels of a file's filled lines; none where it reads in no form. Labels that were seen
    and not taken are then among the verdicts.
    """
    readings = read_forms(lines, forms)
    chosen = choose(readings, lines)
    plain = next((r for r in readings if r.form.place == _COLON_PLACE), None)
    if not chosen:
        return _without_form(lines, plain)
    heads = {at: head for reading in reversed(chosen) for at, head in reading.heads.items()}
    heads = _without_clauses(dict(sorted(heads.items())))
    facts = _file_facts(lines, heads, chosen)
    verdicts = {label: _verdict(label, facts) for label in facts.by_label}
    speakers = {label for label, v in verdicts.items() if v.fate is LabelFate.SPEAKER}
    named = [head for head in heads.values() if not is_dash(head.label)]
    num_spoken = sum(head.label in speakers for head in named)
    if not speakers or (len(speakers) == 1 and 2 * num_spoken <= len(named)):
        return _without_form(lines, plain)
    if forms is FORMS and not facts.is_timed:
        voices = [h for h in heads.values() if h.label in speakers or is_dash(h.label)]
        blocks = _blocks(voices, facts)
        is_full = chosen[0].form.proof is Proof.COLON and len(blocks) >= 0.75 * len(heads)
        against = why_nobody_speaks(blocks, is_full)
        if against is not None:
            return _without_form(lines, chosen[0], against)
    for at in facts.front | _listed_names(heads, facts):
        if heads[at].label in speakers:
            del heads[at]
    if facts.is_bare:
        # Where names have a line to themselves, a clause before a colon is part of a paragraph.
        clauses = [
            at
            for at, head in heads.items()
            if not head.is_bare and head.label not in speakers and _is_clause_like(head.label)
        ]
        for at in clauses:
            del heads[at]
    left = {head.label for head in heads.values()}
    verdicts = {label: verdict for label, verdict in verdicts.items() if label in left}
    strays = [
        *_stray_heads(lines, plain, chosen, heads, speakers),
        *_heads_of_others(lines, readings, chosen, speakers),
    ]
    for head in strays:
        if heads.setdefault(head.at, head) is head:
            verdicts.setdefault(head.label, HeadVerdict(LabelFate.NOBODY, _NOT_IN_FORM))
    best = max(chosen, key=lambda reading: len(reading.heads))
    heads = dict(sorted(heads.items()))
    numbers = tuple(lines[at].number for at in heads)
    return Labels(best.form, verdicts, heads, facts.coverage, facts.has_sentences, numbers=numbers)


def cue_labels(cues: Sequence[Sequence[str]]) -> tuple[Labels, dict[tuple[int, int], int]]:
    """The labels of captions, and the place of each cue's lines (cue, line) among their lines."""
    lines: list[TextLine] = []
    places: dict[tuple[int, int], int] = {}
    for number, cue in enumerate(cues):
        is_open = False
        for at, text in enumerate(cue):
            if text.strip():
                places[number, at] = len(lines)
                lines.append(TextLine(text.strip(), number + 1, not is_open))
                is_open = True
    return find_labels(lines, CUE_FORMS), places


def speakers_of_ids(names: Sequence[str]) -> list[str | None] | None:
    """The speakers in what stands above the times of captions: `1 "Hana Sato" (3046621184)`; None
    where that is only numbers or the like.
    """
    found = [match["name"].strip() if (match := _ID.fullmatch(name)) else None for name in names]
    fit = [
        name if name and shape_of(name) is Shape.NAME and no_person(name) is None else None
        for name in found
    ]
    own = [name for name in fit if name]
    is_of_people = len(set(own)) > 1 or any(" " in name for name in own)
    is_back = len(set(own)) < len(own) or len(own) == 1
    return fit if own and is_of_people and is_back and 2 * len(own) >= len(names) else None


def cue_decisions(labels: Labels, starts: Mapping[int, float | None]) -> tuple[LabelDecision, ...]:
    """What became of each label of captions; `starts`: when each cue begins, by its number."""
    own: dict[str, list[tuple[Head, int]]] = defaultdict(list)
    for number, head in zip(labels.numbers, (labels.heads or labels.unused).values(), strict=True):
        own[head.label].append((head, number))
    made = []
    for label, verdict in labels.verdicts.items():
        times = [start for _, number in own[label] if (start := starts.get(number)) is not None]
        made.append(
            LabelDecision(
                label,
                verdict.fate,
                verdict.why,
                num_turns=len(own[label]),
                num_words=sum(len(head.rest.split()) for head, _ in own[label]),
                times_s=tuple(times[:MAX_PLACES]),
                lines=(),
            )
        )
    return tuple(made)


def label_notes(labels: Labels, place: str = "line") -> list[str]:
    """Notes on labels that are neither a speaker nor known to be none, and on what comes back
    before a colon in a file none of whose labels was taken.
    """
    numbers: dict[str, int] = {}
    heads = [head.label for head in (labels.heads or labels.unused).values()]
    for number, label in zip(labels.numbers, heads, strict=True):
        numbers.setdefault(label, number)
    unknown = [
        label
        for label, verdict in labels.verdicts.items()
        if verdict.fate is LabelFate.NOBODY and not verdict.why.startswith("no person")
    ]
    notes = []
    if unknown:
        shown = ", ".join(f"{short(label)} ({place} {numbers[label]})" for label in unknown[:3])
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        which = "words behind it are" if len(unknown) == 1 else "words behind them are"
        notes.append(
            f"{plural(len(unknown), 'label')} may be no name, the {which} nobody's: {shown}{more}"
        )
    if not labels.heads:
        label, count = Counter(heads).most_common(1)[0] if heads else ("", 0)
        if count >= RECURS:
            notes.append(
                f"no speaker taken, though {short(label)} {labels.place} {count} times,"
                f" first in {place} {numbers[label]}"
                f"{f': {labels.why_unused}' if labels.why_unused else ''}"
            )
    return notes


_NOT_IN_FORM = "it stands where the file's labels don't, or doesn't read as a name"
_ADDRESS_OR_LIST = "no person: comes before a list"


def _without_form(
    lines: Sequence[TextLine], reading: FormReading | None, against: str = ""
) -> Labels:
    """The labels that recur in a file in which no form is sure, or nobody speaks in it: all are
    words of the text.
    """
    if reading is None:
        return Labels()
    why = against or f"too few lines of the file begin with a label ({reading.coverage:.0%})"
    verdicts = {
        label: HeadVerdict(LabelFate.NO_LABEL, no_person(label) or why)
        for label, count in reading.counts.items()
        if count > 1
    }
    numbers = tuple(lines[at].number for at in reading.heads)
    place = f"stands {reading.form.place}"
    return Labels(
        verdicts=verdicts, unused=reading.heads, why_unused=against, numbers=numbers, place=place
    )


def _without_clauses(heads: dict[int, Head]) -> dict[int, Head]:
    """The heads without those that are the first words of somebody whose name has the line above:
    `One question: how many?`, which comes once.
    """
    counts = Counter(head.label for head in heads.values())
    ends = {head.at + head.num_lines for head in heads.values() if head.is_bare}
    if len(ends) < 2:
        return heads
    return {
        at: head
        for at, head in heads.items()
        if at not in ends or head.is_bare or counts[head.label] > 1
    }


def _listed_names(heads: dict[int, Head], facts: "_FileFacts") -> set[int]:
    """Lines of the heads below a marked heading where none but the last has words: a list of who
    took part.
    """
    by_section: dict[int, list[int]] = defaultdict(list)
    for at in heads:
        by_section[facts.sections[at]].append(at)
    return {
        at
        for own in by_section.values()
        for at in own
        if len(own) > 1
        and all(heads[n].is_bare and n + heads[n].num_lines in heads for n in own[:-1])
    }


def _blocks(heads: Sequence[Head], facts: "_FileFacts") -> list[Block]:
    said = (
        Block(head.label, " ".join(filter(None, [head.rest, *facts.words_below(head)])))
        for head in heads
    )
    return [block for block in said if block.words]


def _stray_heads(
    lines: Sequence[TextLine],
    plain: FormReading | None,
    chosen: Sequence[FormReading],
    heads: dict[int, Head],
    speakers: set[str],
) -> Iterator[Head]:
    """Heads outside of the file's form: a known speaker's; in another form than that of colons what
    reads as a full name before one; and, where each line has a label, what stands in its place.
    """
    covered = {at for head in heads.values() for at in range(head.at, head.at + head.num_lines)}
    is_plain = any(reading.form.place == _COLON_PLACE for reading in chosen)
    coverage = max(reading.coverage for reading in chosen)
    for at, head in (plain.heads if plain else {}).items():
        if at in covered or is_plain:
            continue
        is_marked = lines[at].text[0] in "*_"
        may_open = head.opens or lines[at].is_indented
        if head.label in speakers or (may_open and (is_marked or _is_full_name(head.label))):
            yield head
    if is_plain and coverage >= _HALF:
        is_by_line = len(heads) >= _BY_LINE * len(lines)
        is_full = coverage >= _EVERY
        is_bare = sum(head.is_bare for head in heads.values()) >= 0.7 * len(heads)
        for at, line in enumerate(lines):
            if at not in covered and (line.opens or is_by_line):
                odd = _PLAIN.head(lines, at)
                if odd is not None and _could_be_label(odd, is_bare, is_by_line or is_full):
                    yield odd


def _heads_of_others(
    lines: Sequence[TextLine],
    readings: Sequence[FormReading],
    chosen: Sequence[FormReading],
    speakers: set[str],
) -> Iterator[Head]:
    """Heads at the beginning of a paragraph in a form that the file hasn't got, of somebody known
    or, so that nobody's words are another's, of what comes back or reads as a full name.
    """
    places = {reading.form.place for reading in chosen}
    if "in brackets" in places:
        actions = next((r for r in readings if r.form.place == ACTIONS), None)
        yield from (h for h in (actions.heads if actions else {}).values() if h.label in speakers)
    covered = {
        at
        for reading in chosen
        for head in reading.heads.values()
        for at in range(head.at, head.at + head.num_lines)
    }
    for reading in readings:
        if reading.form.place not in _GUARDED or reading.form.place in places:
            continue
        counts = reading.counts
        for at, head in reading.heads.items():
            if at in covered or not (head.opens or lines[at].is_indented) or head.is_bare:
                continue
            is_label = no_person(head.label) is None and (
                is_capital_or_titled(head.label)
                if reading.form is _STOP
                else counts[head.label] > 1 or _is_full_name(head.label)
            )
            if head.label in speakers or is_label:
                yield head
    if _STOP.place in places:
        yield from _short_sentences(lines, covered)


def _short_sentences(lines: Sequence[TextLine], covered: set[int]) -> Iterator[Head]:
    """Where labels stand before full stops: what may be one and may be a sentence."""
    opening = [at for at, line in enumerate(lines) if line.opens or line.is_indented]
    num_others = sum(at not in covered for at in opening)
    is_full = 2 * num_others <= len(opening)
    for at in opening:
        head = _STOP.head(lines, at) if at not in covered else None
        if head is None or shape_of(head.label) is not Shape.NAME:
            continue
        if is_full or len(head.label.split()) > 1:
            yield head


def _could_be_label(head: Head, is_bare: bool, has_each: bool) -> bool:
    """Whether what stands before a colon is short, no sentence, and placed as the others are.
    `has_each`: each other turn of the file has a label.
    """
    if head.clock is not None or len(head.label.split()) > _MAX_ODD_WORDS:
        return False
    if _STOP_WITHIN.search(head.label) or is_bare != head.is_bare:
        return False
    return is_bare or has_each or not is_clause(head.label)


def _is_clause_like(label: str) -> bool:
    return shape_of(label) is not Shape.NAME and len(label.split()) > 1


def _is_full_name(label: str) -> bool:
    return shape_of(label) is Shape.NAME and (len(label.split()) > 1 or label.isupper())


@dataclass(frozen=True, slots=True)
class _FileFacts:
    """What a label is judged by: the heads of a file and what stands behind them."""

    lines: Sequence[TextLine]
    by_label: dict[str, list[Head]]
    ends: dict[int, int]
    """The line behind the words of the head on a line."""
    coverage: float
    is_sure: bool
    """Whether whatever stands in the file's form is a label."""
    has_sentences: bool
    """Whether what is said ends as sentences do."""
    is_bare: bool
    """Whether labels have a line to themselves."""
    is_capital: bool
    is_timed: bool
    """Whether a time stands beside nearly each label."""
    style: str
    """How all labels that come back are written; empty where they differ."""
    num_heads: int
    num_repeated: int
    """Heads of labels that come back."""
    first_words: frozenset[str]
    """First words of the labels that come back."""
    front: frozenset[int]
    """Lines of the heads before anyone speaks."""
    small_words: frozenset[str]
    sections: dict[int, int]
    """The section of each head's line, by marked headings."""
    spoken_sections: set[int]
    """Those in which labels stand that come back."""
    label_words: Counter[str]
    """In how many labels each word of a label is."""
    are_short: bool
    """Whether most labels that come back, of several, are a word."""
    names: Counter[str]
    """How many labels have a name, whatever stands behind it."""
    called: set[str]
    """Words that may call or name somebody."""

    def words_below(self, head: Head) -> list[str]:
        """The lines below a head, to the next head or the end of their paragraph."""
        first = head.at + head.num_lines
        below: list[str] = []
        for line in self.lines[first : self.ends[head.at]]:
            if line.opens and (below or head.rest):
                break
            below.append(line.text)
        return below


def _file_facts(
    lines: Sequence[TextLine], heads: dict[int, Head], chosen: Sequence[FormReading]
) -> _FileFacts:
    by_label: dict[str, list[Head]] = defaultdict(list)
    for head in heads.values():
        by_label[head.label].append(head)
    ended: dict[str, list[bool]] = defaultdict(list)
    for head, end in _spans(heads, lines):
        ended[head.label].append(ends_sentence(_last_words(lines, head, end)))
    # Of those who say any sentence: labels of lists are among the rest.
    spoken = [is_ended for own in ended.values() if any(own) for is_ended in own]
    has_sentences = 2 * len(spoken) >= len(heads) and sum(spoken) >= _FULL * len(spoken)
    repeated = [label for label, own in by_label.items() if len(own) > 1]
    marked = [
        at for at, line in enumerate(lines) if at not in heads and MARKED_HEADING.match(line.text)
    ]
    sections = {at: bisect(marked, at) for at in heads}
    said = [
        word
        for at, line in enumerate(lines)
        for word in (heads[at].rest if at in heads else line.text).split()
    ]
    return _FileFacts(
        lines=lines,
        by_label=by_label,
        ends={head.at: end for head, end in _spans(heads, lines)},
        coverage=max(reading.coverage for reading in chosen),
        is_sure=all(r.form.is_sure or r.form.proof is Proof.TIMES for r in chosen),
        has_sentences=has_sentences,
        is_bare=sum(head.is_bare for head in heads.values()) >= 0.7 * len(heads),
        is_capital=sum(head.label.isupper() for head in heads.values()) >= _EVERY * len(heads),
        is_timed=sum(head.clock is not None for head in heads.values()) >= _FULL * len(heads),
        style=styles.pop() if len(styles := {_style(label) for label in repeated}) == 1 else "",
        num_heads=len(heads),
        num_repeated=sum(len(by_label[label]) for label in repeated),
        first_words=frozenset(label.split()[0] for label in repeated),
        front=frozenset(head.at for head in _front_matter(heads, lines))
        if has_sentences
        else frozenset(),
        small_words=frozenset(word.strip(".,;:!?\"'()") for word in said if word[:1].islower()),
        sections=sections,
        spoken_sections={sections[head.at] for label in repeated for head in by_label[label]},
        names=Counter(_OFFICE.split(label, maxsplit=1)[0] for label in by_label),
        label_words=Counter(word for label in by_label for word in set(label.split())),
        are_short=2 * sum(" " not in label for label in repeated) >= len(repeated) > 1,
        called=called_words(" ".join(said)),
    )


def _spans(heads: dict[int, Head], lines: Sequence[TextLine]) -> Iterator[tuple[Head, int]]:
    """Each head with the line behind its words."""
    order = [*heads, len(lines)]
    yield from zip(heads.values(), order[1:], strict=True)


def _last_words(lines: Sequence[TextLine], head: Head, end: int) -> str:
    """The last line of the first paragraph behind a head."""
    last = head.rest
    for line in lines[head.at + head.num_lines : end]:
        if line.opens and last:
            break
        last = line.text
    return last


def _front_matter(heads: dict[int, Head], lines: Sequence[TextLine]) -> Iterator[Head]:
    """Heads before anyone speaks, with no sentence behind them: `Ort: Bonn`. One whose label comes
    back is among them where it stands between others in their paragraph: `Interviewer: Dr. Voss`.
    """
    counts = Counter(head.label for head in heads.values())
    is_spaced = 2 * sum(head.opens for head in heads.values()) > len(heads)
    for head, end in _spans(heads, lines):
        if (
            head.at > _MOST_FRONT_LINES
            or ends_sentence(_last_words(lines, head, end))
            or len(head.rest.split()) > _MAX_ITEM_WORDS
        ):
            return
        is_within = is_spaced and not head.opens and end in heads and not lines[end].opens
        if not is_within and (counts[head.label] > 1 or is_titled(head.label)):
            return
        yield head


def _verdict(label: str, facts: _FileFacts) -> HeadVerdict:
    reason = next((why for test in _NO_PERSON if (why := test(label, facts))), None)
    if reason is not None:
        return HeadVerdict(LabelFate.NOBODY, reason)
    heads = facts.by_label[label]
    if facts.is_sure:
        return HeadVerdict(LabelFate.SPEAKER, "stands where the file's labels do")
    if len(heads) > 1:
        return HeadVerdict(LabelFate.SPEAKER, f"comes {len(heads)} times where labels stand")
    shown = _once_a_name(label, heads[0], facts)
    if shown is not None:
        return HeadVerdict(LabelFate.SPEAKER, shown)
    return HeadVerdict(LabelFate.NOBODY, "comes once, and nothing shows that it is a name")


def _says_no_sentence(label: str, facts: _FileFacts) -> str | None:
    """`Next meeting: 11 November`, once, where others say sentences."""
    heads = facts.by_label[label]
    if len(heads) > 1 or not facts.has_sentences or facts.is_timed or not heads[0].rest:
        return None
    is_item = _is_item(heads[0].rest) and not any(map(ends_sentence, facts.words_below(heads[0])))
    return "comes once, with no sentence behind it" if is_item else None


def _is_sentence(label: str, facts: _FileFacts) -> str | None:
    if shape_of(label) is Shape.SENTENCE or (
        len(facts.by_label[label]) == 1 and reads_as_heading(label)
    ):
        return "no person: reads as a sentence or a list"
    return None


def _is_cue(label: str, facts: _FileFacts) -> str | None:
    """Music beside effects, in a script for radio."""
    has_effects = any(own.casefold() in _EFFECTS for own in facts.by_label)
    is_cue = label.casefold() in _EFFECTS or (has_effects and label.casefold() in _SOUNDS)
    return "no person: a cue of sounds" if is_cue else None


def _heads_list(label: str, facts: _FileFacts) -> str | None:
    """Nothing but addresses, items of a list or, where others say sentences, lines without an end
    stand behind it.
    """
    num_lines = 0
    for head in facts.by_label[label]:
        below = facts.words_below(head)
        words = [head.rest] if head.rest else below
        if words and is_listed(words[0]):
            num_lines += 2
        elif head.rest or not facts.has_sentences or not all(map(_is_item, below)):
            return None
        else:
            num_lines += len(below)
    # One line is enough below a numbered head: `Tagesordnungspunkt 3`.
    return _ADDRESS_OR_LIST if num_lines > 1 or (num_lines and label[-1].isdigit()) else None


def _is_item(words: str) -> bool:
    return len(words.split()) <= _MAX_ITEM_WORDS and not ends_sentence(words)


def _is_in_another_section(label: str, facts: _FileFacts) -> str | None:
    """Below a heading under which nobody speaks whose label comes back: `**The Salt Road:** ...`
    below what an interview is followed by.
    """
    heads = facts.by_label[label]
    sections = {facts.sections[head.at] for head in heads}
    if len(heads) > 1 or not facts.spoken_sections or sections & facts.spoken_sections:
        return None
    return "stands below a heading under which the others don't speak"


def _says_nothing(label: str, facts: _FileFacts) -> str | None:
    if any(head.rest or facts.ends[head.at] > head.at + head.num_lines
           for head in facts.by_label[label]):  # fmt: skip
        return None
    return "no person: nothing is said under it"


def _stands_in_front(label: str, facts: _FileFacts) -> str | None:
    is_in_front = all(head.at in facts.front for head in facts.by_label[label])
    return "no person: stands before anyone speaks" if is_in_front else None


_NO_PERSON = (
    lambda label, facts: no_person(label),
    _is_cue,
    _is_sentence,
    _says_nothing,
    _heads_list,
    _stands_in_front,
    _is_in_another_section,
    _says_no_sentence,
)
"""What a label can be that is no person, in order of asking."""


def _is_one_of(label: str, facts: _FileFacts) -> bool:
    """Whether a label of one word is somebody's: a part of another label, named in what is said, or
    as short as those that come back.
    """
    return (
        facts.label_words[label] > 1
        or facts.are_short
        or not facts.called.isdisjoint({label, label.capitalize()})
    )


def _style(label: str) -> str:
    """Whether its words are in capitals: all, some (`La señora SANZ`), or none."""
    if label.isupper():
        return "capitals"
    return "mixed" if any(w.isupper() and len(w) > 2 for w in label.split()) else "plain"


def _once_a_name(label: str, head: Head, facts: _FileFacts) -> str | None:
    """What shows that a label that comes once is a name."""
    shape, words = shape_of(label), label.split()
    is_word = len(words) == 1 and not is_titled(label) and (
        is_function_word(label) or label.casefold() in facts.small_words
    )  # fmt: skip
    is_written = shape is Shape.NAME or len(words) == 1 or not any(ch.isalpha() for ch in label)
    if facts.is_timed and head.clock and is_written:
        return "stands beside a time, as the others do"
    if facts.style == "mixed" and _style(label) != "plain":
        is_alike = _style(label) == "mixed"
        return "written as the labels that come back" if is_alike else None
    if facts.names[_OFFICE.split(label, maxsplit=1)[0]] > 1:
        return "a name that comes back, with an office"
    known = facts.num_repeated + 1
    if facts.coverage * known >= _FULL * facts.num_heads or not facts.first_words:
        is_label = (
            shape is Shape.NAME
            or len(words) == 1
            or ("," in label and shape_of(label.partition(",")[0]) is Shape.NAME)
            or (len(words) in _OFFICE_WORDS and words[0][0].isupper() and words[-1][0].isupper())
        )
        return "every turn of the file begins with a label" if is_label and not is_word else None
    if shape is not Shape.NAME:
        return None
    if words[0] in facts.first_words:
        return "begins as a label that comes back"
    if facts.is_capital:
        is_alike = len(words) > 1 or is_titled(label) or _is_one_of(label, facts)
        return "in capitals, as the others are" if label.isupper() and is_alike else None
    is_named = (
        len(words) > 1
        or is_titled(label)
        or label.isupper()
        or any(ch.isdigit() or ch in "_@." for ch in label)
        or (facts.is_bare and head.is_bare and not is_word)
    )
    return "reads as a name where labels stand" if is_named else None
