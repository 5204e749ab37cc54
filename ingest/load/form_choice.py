"""In which forms a file reads, and which of them are its own."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from dynagrag.ingest.load.label_forms import (
    CHAT,
    FORMS,
    Head,
    LabelForm,
    Proof,
    TextLine,
    is_capital_or_titled,
    name_of,
)
from dynagrag.ingest.load.label_shapes import (
    Shape,
    is_aside,
    is_dash,
    no_person,
    reads_as_heading,
    shape_of,
    without_turn_numbers,
)

_COVERED = 0.4
_RUN = 3
"""So many numbers that count up are no parts of names or texts."""
_COUNTER = re.compile(r"(?P<word>[^\W\d_]{0,5}\.?)[ ]?(?P<number>\d{1,4})[.):]?[ ]+(?=[^\W\d_])")
_SECOND_PART = re.compile(r"([^\W\d_][^:\n]{0,30}):(?=\s)")
_MOST_ASIDE_LINES = 5
_FEW = 6
"""So few labels need no repetition where every paragraph has one."""
_SURE_SHARE = 0.6
"""Before a colon stand also those that are in bold; whose names half are, has no such form."""
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
    asides = _asides(lines)
    made = []
    for form in forms:
        found: Iterable[Head] = _heads(form, lines)
        if form.keep is not None:
            found = form.keep(list(found), lines)
        heads = {head.at: head for head in _without_counters(list(found))}
        if heads:
            made.append(FormReading(form, heads, _coverage(heads, lines, asides)))
    return made


def may_read(lines: Sequence[TextLine], form: LabelForm) -> bool:
    """Whether any line may have a head of this form: without one the file isn't in it."""
    return next(_heads(form, lines), None) is not None


def _without_counters(heads: list[Head]) -> list[Head]:
    """Heads without the number before a name that counts up from head to head, `Q4 Chair`, or
    behind one that counts its own turns.
    """
    labels = without_turn_numbers([head.label for head in heads])
    heads = [replace(head, label=label) for head, label in zip(heads, labels, strict=True)]
    heads = _with_second_parts(heads)
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


def _with_second_parts(heads: list[Head]) -> list[Head]:
    """Heads with what always stands behind their label, before a colon of its own: a name on the
    screen may hold one, `Trustee: Plots`.
    """
    behind: dict[str, list[re.Match[str] | None]] = {}
    for head in heads:
        behind.setdefault(head.label, []).append(_SECOND_PART.match(head.rest))
    parts = {
        label: first
        for label, found in behind.items()
        if (first := found[0] and found[0][1])
        and len(found) > 1
        and all(match is not None and match[1] == first for match in found)
    }
    return [
        replace(
            head,
            label=f"{head.label}: {part}",
            rest=head.rest[len(part) + 1 :].lstrip(),
        )
        if (part := parts.get(head.label))
        else head
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


def _asides(lines: Sequence[TextLine]) -> frozenset[int]:
    """The lines, and those of paragraphs, that say what happens: `(Applause)`."""
    found = {at for at, line in enumerate(lines) if is_aside(line.text)}
    starts = [at for at, line in enumerate(lines) if line.opens]
    for start, end in pairwise([*starts, len(lines)]):
        if end - start <= _MOST_ASIDE_LINES and is_aside(
            " ".join(line.text for line in lines[start:end])
        ):
            found.update(range(start, end))
    return frozenset(found)


def _coverage(heads: dict[int, Head], lines: Sequence[TextLine], asides: frozenset[int]) -> float:
    """Which share of the paragraphs or, if that is more, of the lines a head begins. A paragraph
    below a head that has its line to itself is the same one; one (a title) doesn't count, nor does
    what nobody says.
    """
    beside = asides - heads.keys()
    num_blocks = sum(line.opens and at not in beside for at, line in enumerate(lines))
    num_open = num_below = 0
    for head in heads.values():
        num_open += head.opens
        below = head.at + head.num_lines
        num_below += (
            head.is_bare and below < len(lines) and lines[below].opens and below not in heads
        )
    num_lines = sum(not line.is_outside and at not in beside for at, line in enumerate(lines))
    num_lines -= sum(head.num_lines - 1 for head in heads.values())
    by_block = num_open / max(1, num_open, num_blocks - num_below - 1)
    return max(by_block, len(heads) / max(1, num_lines), _coverage_of_indents(heads, lines))


def _coverage_of_indents(heads: dict[int, Head], lines: Sequence[TextLine]) -> float:
    """Which share of the paragraphs begins with a head, from the first head on, where paragraphs
    are set off by indents and labels are in capitals or have titles, as in the records of a
    congress.
    """
    indented = [at for at in heads if lines[at].is_indented and not lines[at].opens]
    if 2 * len(indented) < len(heads) or len(heads) < _FEW:
        return 0.0
    if not all(is_capital_or_titled(head.label) for head in heads.values()):
        return 0.0
    body = lines[min(heads) :]
    return len(heads) / sum(line.opens or line.is_indented for line in body)


def choose(readings: Sequence[FormReading], lines: Sequence[TextLine]) -> list[FormReading]:
    """The forms that are the file's: the one with most heads among those in which it reads, the
    first of equals, with another that goes with it; none where none is sure.
    """
    proven = [reading for reading in readings if _PROOFS[reading.form.proof](reading, lines)]
    if not proven:
        return []
    chat = next((r for r in readings if r.form.place == CHAT and _is_chat(r, lines)), None)
    if chat is not None and (above := _above(chat, readings, lines)):
        # What ran beside a recording has another clock, which its times would be taken for.
        untimed = {at: replace(head, clock=None) for at, head in chat.heads.items()}
        return [*choose(above, lines), replace(chat, heads=untimed)]
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


def _is_chat(reading: FormReading, lines: Sequence[TextLine]) -> bool:
    """Few messages show it where each says to whom it went."""
    is_sent = all(" to " in lines[at].text.casefold() for at in reading.heads)
    return is_sent or _proven_by_times(reading, lines)


def _above(
    chat: FormReading, readings: Sequence[FormReading], lines: Sequence[TextLine]
) -> list[FormReading]:
    """The readings of a transcript that is above a log of messages; none where none is proven."""
    first = min(chat.heads)
    above = [
        replace(reading, heads=heads)
        for reading in readings
        if (heads := {at: head for at, head in reading.heads.items() if at < first})
    ]
    proven = [r for r in above if len(r.heads) > 1 and _PROOFS[r.form.proof](r, lines)]
    return above if proven else []


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
    return (
        len(set(labels)) < len(labels)
        and all(map(is_capital_or_titled, labels))
        and _coverage({**reading.heads, **best.heads}, lines, _asides(lines)) >= _COVERED
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
        names[name_of(label)] += n
    repeated = [n for n in names.values() if n > 1]
    num_repeated = sum(repeated)
    return (
        len(repeated) >= 2
        and num_repeated >= 4
        and reading.coverage >= _COVERED
        and num_repeated >= 0.5 * len(reading.heads)
    )


_PROOFS: dict[Proof, Callable[[FormReading, Sequence[TextLine]], bool]] = {
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
