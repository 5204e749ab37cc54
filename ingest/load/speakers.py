"""Which labels of a file are speakers, judged over the whole file.

First the form is found: where labels stand. In it every head is a label. What names no person is
told by what it is; what is neither has turns of nobody, never of whoever spoke before.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from shlex import quote

from dynagrag.core.ids import entity_key
from dynagrag.core.role_labels import is_role_label
from dynagrag.core.schema import LabelDecision, LabelFate
from dynagrag.core.text import plural, short
from dynagrag.ingest.load.clocks import is_timetable
from dynagrag.ingest.load.form_choice import FormReading, choose, read_forms
from dynagrag.ingest.load.label_forms import (
    ACTIONS,
    CHAT,
    CUE_FORMS,
    FORMS,
    Head,
    LabelForm,
    Proof,
    TextLine,
    is_capital_or_titled,
)
from dynagrag.ingest.load.label_shapes import (
    Shape,
    ends_sentence,
    is_aside,
    is_clause,
    is_dash,
    no_person,
    reads_as_heading,
    shape_of,
)
from dynagrag.ingest.load.label_verdicts import FileFacts, HeadVerdict, file_facts, verdict_of
from dynagrag.ingest.load.speech_signs import Block, says_i, why_nobody_speaks

_EVERY = 0.9
_HALF = 0.4
_MOST_KEY_LINES = 30
_FEW = 6
"""So few turns show too little of anything."""
_BY_LINE = 0.75
"""From this share of labelled lines on, each line is a turn."""
_MAX_ODD_WORDS = 8
_STOP_WITHIN = re.compile(r"\w{4}\.\s|[!?…;]\s")
_COLON_PLACE = "before a colon"
STOP_PLACE = "before a full stop"
RECURS = 3
"""So often a name or a clock has to come to be missed."""
MAX_PLACES = 3
_ID = re.compile(
    r"(?:\d+[ \t.:)-]*)?\"?(?P<name>[^\W\d_][^\"\n]{0,79}?)\"?(?:[ \t]*\(\d+\))?(?:[-/]\d+)?"
)
_BY = re.compile(r"(?:[A-Z -]*EXAMINATION )?BY (?P<name>(?:MR|MRS|MS|MISS|DR)\.? [^\d:]{1,40}):?")
"""Above what counsel asks in a deposition."""
_WITNESS = re.compile(
    r"<?(?P<name>[^\Wa-z][^,:;<>a-z]{2,60}),[ ](?:(?:re)?called|(?:re)?sworn|(?:re)?affirmed)\b",
)
"""Above what a witness answers in Australia: `<ROSA LIND, sworn`."""
_UNNAMED = "――"
_NUMBERED_NAME = re.compile(
    r"[^\w\n]{0,4}(?:(?P<initials>(?:[^\W\d_a-z]\.? ?){1,3})|(?P<role>[^\W\d_]{3,20}))[ .-]{0,3}"
    r"(?:(?:[Nn][or]\.?|№|#) ?)?(?P<number>\d{1,3})[^\w\n]{1,4}"
    r"(?P<name>[^\W\d_][^\d\n,;:(]{3,50}?)(?:[,(].{0,100})?[^\w\n)]{0,4}"
)
_VOICE = re.compile(r"[–—―-][ ]?(?=\w|[¿¡])")
_MANNER = re.compile(r"[ \t]*[(\[](?=[^\W\dA-Z])[^\W\d_A-Z][^()\[\]]{0,60}[)\]]$")
_GUARDED = {
    "in bold before a colon",
    "in bold, without a colon",
    "in brackets",
    STOP_PLACE,
    "before a wide gap",
    "before a tab",
}
"""Forms whose heads end what somebody says, in whatever form the file is."""
_PLAIN = next(form for form in FORMS if form.place == _COLON_PLACE)
_STOP = next(form for form in FORMS if form.place == STOP_PLACE)


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
    has_chat_below: bool = False
    """Whether a log of messages follows, whose times count from elsewhere."""

    is_script: bool = False
    """Whether labels say how something is said, so that what has none is a direction."""
    lone: str = ""
    """The only name of a text, before its first words, where that isn't enough."""

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
    heads = _without_clauses(dict(sorted(heads.items())), lines)
    plain_heads = _without_manner(heads)
    changed = {head.label for at, head in heads.items() if head != plain_heads[at]}
    are_capital = all(head.label.isupper() for head in plain_heads.values())
    is_script = len(changed) > 1 or (bool(changed) and are_capital)
    heads = plain_heads
    facts = file_facts(lines, heads, chosen)
    verdicts = {label: verdict_of(label, facts) for label in facts.by_label}
    speakers = {label for label, v in verdicts.items() if v.fate is LabelFate.SPEAKER}
    named = [head for head in heads.values() if not is_dash(head.label)]
    num_spoken = sum(head.label in speakers for head in named)
    if not speakers or (len(speakers) == 1 and 2 * num_spoken <= len(named)):
        return _without_form(lines, plain)
    if is_timetable(head.clock for head in heads.values() if head.clock) and not (
        facts.has_sentences
    ):
        return _without_form(lines, chosen[0], "its times are those of a timetable")
    if not facts.is_timed and not _are_spelt_out(facts):
        voices = [h for h in heads.values() if h.label in speakers or is_dash(h.label)]
        blocks = _blocks(voices, facts)
        is_back = facts.num_repeated > 0 or facts.coverage >= _BY_LINE
        is_short = len(blocks) < _FEW and len(blocks) >= 0.75 * len(heads) and is_back
        are_captions = forms is not FORMS
        is_likely = are_captions or (is_short and chosen[0].form.proof is Proof.COLON)
        against = why_nobody_speaks(blocks, is_likely, are_captions)
        if against is not None:
            return _without_form(lines, chosen[0], against)
    for at in facts.front | _listed_names(heads, facts):
        if heads[at].label in speakers:
            del heads[at]
    if facts.is_bare:
        # Where names have a line to themselves, a clause before a colon is part of a paragraph.
        heads = {
            at: head
            for at, head in heads.items()
            if head.is_bare
            or head.label in speakers
            or shape_of(head.label) is Shape.NAME
            or " " not in head.label
        }
    strays = [
        *_stray_heads(lines, plain, chosen, heads, speakers),
        *_heads_of_others(lines, readings, chosen, speakers),
    ]
    first_words = {at + head.num_lines for at, head in heads.items() if head.is_bare}
    for head in strays:
        if head.at in first_words and head.label not in speakers:
            continue  # `CITRIS, right. Yes.` below a name on a line of its own
        if heads.setdefault(head.at, head) is head:
            verdicts.setdefault(head.label, HeadVerdict(LabelFate.NOBODY, _NOT_IN_FORM))
    best = max(chosen, key=lambda reading: len(reading.heads))
    heads = dict(sorted(heads.items()))
    asking = _examiners(heads, lines)
    heads = {at: replace(head, label=asking.get(at, head.label)) for at, head in heads.items()}
    verdicts |= dict.fromkeys(asking.values(), HeadVerdict(LabelFate.SPEAKER, _EXAMINES))
    answers = _answers(lines)
    heads = dict(sorted({**heads, **answers}.items()))
    verdicts |= {
        head.label: HeadVerdict(LabelFate.NOBODY, "no person: a witness who isn't named")
        if is_dash(head.label)
        else HeadVerdict(LabelFate.SPEAKER, "answers, as a line above says")
        for head in answers.values()
    }
    chats = [r for r in chosen if r.form.place == CHAT] if len(chosen) > 1 else []
    wrote = [head.label for reading in chats for head in reading.heads.values()]
    verdicts |= dict.fromkeys(wrote, HeadVerdict(LabelFate.SPEAKER, "wrote a message"))
    left = {head.label for head in heads.values()}
    verdicts = {label: verdict for label, verdict in verdicts.items() if label in left}
    numbers = tuple(lines[at].number for at in heads)
    return Labels(
        best.form,
        verdicts,
        heads,
        facts.coverage,
        facts.has_sentences,
        numbers=numbers,
        has_chat_below=bool(chats),
        is_script=is_script,
    )


def _are_spelt_out(facts: FileFacts) -> bool:
    """Whether lines above the talk say whom two labels or more stand for: `P. = Rosa Lind`."""
    above = "\n".join(line.text for line in facts.lines[: min(facts.first, _MOST_KEY_LINES)])
    return (
        sum(
            re.search(rf"(?<![\w-]){re.escape(label)}\.?[ ]?=[ ]?[^\W\d_]", above) is not None
            for label, own in facts.by_label.items()
            if len(own) > 1
        )
        > 1
    )


def _examiners(heads: Mapping[int, Head], lines: Sequence[TextLine]) -> dict[int, str]:
    """Who asks in a court, by the lines of `Q.`: `BY MS. HAND:` above them, in English."""
    found: dict[int, str] = {}
    asking = ""
    for at, line in enumerate(lines):
        match = _BY.fullmatch(line.text)
        asking = match["name"] if match else asking
        if asking and at in heads and heads[at].label == "Q":
            found[at] = asking
    return found


def _answers(lines: Sequence[TextLine]) -> dict[int, Head]:
    """What is answered behind dashes, by its line: by whom the line above says that was sworn in,
    in English, else by nobody.
    """
    found: dict[int, Head] = {}
    witness = _UNNAMED
    for at, line in enumerate(lines):
        if line.text[0] == "<" or line.opens:
            match = _WITNESS.match(line.text)
            is_left = line.text[0] == "<" and "WITHDREW" in line.text
            witness = match["name"] if match else _UNNAMED if is_left else witness
        if line.answers:
            found[at] = Head(at, 1, witness, None, line.text, opens=False)
    return found


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


def with_lone_label(lines: Sequence[TextLine], labels: Labels, is_timed: bool) -> Labels:
    """The labels of a text none of whose labels was taken, with the one name that its first words
    stand behind: a speaker where it has times and nobody asks anything, as in a memo.
    """
    named = [
        head
        for head in labels.unused.values()
        if shape_of(head.label) is Shape.NAME
        and no_person(head.label) is None
        and not reads_as_heading(head.label)
    ]
    text = " ".join(line.text for line in lines)
    if len(named) != 1 or named[0].at:
        return labels
    head = named[0]
    is_talk = says_i(text)
    if not is_timed or not is_talk or "?" in text:
        return replace(labels, lone=head.label) if is_timed or is_talk else labels
    verdict = HeadVerdict(LabelFate.SPEAKER, "the file's only name, before its first words")
    return Labels(_PLAIN, {head.label: verdict}, {head.at: head}, numbers=(lines[0].number,))


def unnamed_voices(lines: Sequence[TextLine]) -> list[str]:
    """A note where paragraphs ask and those below them answer, as people do, all without a name; a
    dash before each shows that they do.
    """
    paragraphs: list[str] = []
    for line in lines:
        if line.opens or not paragraphs or _VOICE.match(line.text):
            paragraphs.append(line.text)
        else:
            paragraphs[-1] += f" {line.text}"
    asks = [text.rstrip("*_ ").endswith("?") for text in paragraphs]
    pairs = [at for at in range(len(asks) - 1) if asks[at] and not asks[at + 1]]
    blocks = [
        Block(label, paragraphs[at + n])
        for at in pairs
        for n, label in enumerate(("Question", "Answer"))
    ]
    have_dashes = all(_VOICE.match(block.words) for block in blocks)
    is_talk = have_dashes or why_nobody_speaks(blocks, False) is None
    if len(pairs) < RECURS or 6 * len(pairs) < len(asks) or not is_talk:
        return []
    return [
        f"{len(pairs)} paragraphs ask and the next ones answer, none with a name, so all are"
        " nobody's: put a name and a colon before each, or give them all to one with"
        " --speaker-map (the label - is nobody)"
    ]


def unread_witnesses(lines: Sequence[TextLine]) -> list[str]:
    """A note on paragraphs that are a witness's number and name (`P.W. 4 Rosa Lind`, `Witness 2:
    Odd Berg`), as depositions have them above what each states: none of it is given to them.
    """
    found: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for at, line in enumerate(lines):
        is_alone = line.opens and (at + 1 == len(lines) or lines[at + 1].opens)
        match = _NUMBERED_NAME.fullmatch(line.text) if is_alone else None
        is_mark = match and (match["initials"] or is_role_label(entity_key(match["role"])))
        if match and is_mark and shape_of(match["name"]) is Shape.NAME:
            mark = match["initials"] or match["role"]
            found[mark].append((int(match["number"]), line.number, line.text))
    for own in found.values():
        if len(own) > 1 and all(a < b for (a, *_), (b, *_) in pairwise(own)):
            _, number, text = own[0]
            return [
                f"{len(own)} lines are a number and a name, such as line {number}"
                f" ({short(text, 40)}); what stands below them is nobody's: put the name and a"
                " colon before what each says"
            ]
    return []


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
    if labels.has_chat_below:
        notes.append("the times of the chat below the transcript are by another clock, left out")
    if labels.lone:
        notes.append(
            f"no speaker taken, though {short(labels.lone)} stands before the first words:"
            " others may speak too; name who does with --speaker-map (the label - is nobody)"
        )
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
                f"{f': {labels.why_unused}' if labels.why_unused else ''}; where such labels are"
                f" speakers: --speaker-map {quote(f'{label}={label}')}, for each of them"
            )
    return notes


_EXAMINES = "asks, as a line above says"
_NOT_IN_FORM = "it stands where the file's labels don't, or doesn't read as a name"


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


def _without_manner(heads: dict[int, Head]) -> dict[int, Head]:
    """The heads without how something is said, `OTTO (quietly)`, where the name is alone, too."""
    names = {head.label for head in heads.values()}
    return {
        at: replace(head, label=name)
        if (name := _MANNER.sub("", head.label)) != head.label and name in names
        else head
        for at, head in heads.items()
    }


def _without_clauses(heads: dict[int, Head], lines: Sequence[TextLine]) -> dict[int, Head]:
    """The heads without those that are the first words of somebody whose name has the line above:
    `One question: how many?` or `And now?`, which comes once.
    """
    counts = Counter(head.label for head in heads.values())
    ends = {head.at + head.num_lines for head in heads.values() if head.is_bare}
    if len(ends) < 2:
        return heads
    return {
        at: head
        for at, head in heads.items()
        if at not in ends
        or counts[head.label] > 1
        or (head.is_bare and not ends_sentence(lines[at].text))
    }


def _listed_names(heads: dict[int, Head], facts: FileFacts) -> set[int]:
    """Lines of the heads below a marked heading where none but the last has words: a list of who
    took part.
    """
    by_section: dict[int, list[int]] = defaultdict(list)
    for at in heads:
        by_section[facts.sections[at]].append(at)
    return {
        at
        for own in by_section.values()
        if len(own) > 1
        and all(heads[n].is_bare and n + heads[n].num_lines in heads for n in own[:-1])
        for at in own
    }


def _blocks(heads: Sequence[Head], facts: FileFacts) -> list[Block]:
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
    first = min((at for at, head in heads.items() if head.label in speakers), default=0)
    num_lines = sum(not is_aside(line.text) for line in lines[first:])
    is_by_line = len(heads) >= _BY_LINE * num_lines
    for at, head in (plain.heads if plain else {}).items():
        if at in covered or is_plain:
            continue
        if at < first and not ends_sentence(head.rest):  # `Host: Ada Holm`, above the talk
            continue
        is_marked = lines[at].text[0] in "*_" or (is_by_line and at > max(heads))
        may_open = head.opens or lines[at].is_indented or is_by_line
        if head.label in speakers or (may_open and (is_marked or _is_full_name(head.label))):
            yield head
    if is_plain and coverage >= _HALF:
        # Where each turn has its time, a line without is of the message above it.
        is_timed = sum(head.clock is not None for head in heads.values()) >= _EVERY * len(heads)
        is_bare = sum(head.is_bare for head in heads.values()) >= 0.7 * len(heads)
        for at, line in enumerate(lines):
            if at > first and at not in covered and (line.opens or is_by_line):
                odd = _PLAIN.head(lines, at)
                if odd is None or (is_timed and not _is_full_name(odd.label)):
                    continue
                if _could_be_label(odd, is_bare, is_by_line or coverage >= _EVERY):
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


def _is_full_name(label: str) -> bool:
    return shape_of(label) is Shape.NAME and (len(label.split()) > 1 or label.isupper())
