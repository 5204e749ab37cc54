"""What becomes of a label, judged over the whole file: what it can be that is no person, and what
shows that one that comes once is a name.
"""

import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dynagrag.core.schema import LabelFate
from dynagrag.ingest.load.form_choice import FormReading
from dynagrag.ingest.load.label_forms import MARKED_HEADING, Head, Proof, TextLine, name_of
from dynagrag.ingest.load.label_shapes import (
    Shape,
    ends_sentence,
    is_function_word,
    is_listed,
    is_titled,
    no_person,
    reads_as_heading,
    shape_of,
)
from dynagrag.ingest.load.speech_signs import called_words, says_i
from dynagrag.language.english.data import words_of
from dynagrag.language.word_class import WordClass

_FULL = 0.8
"""From this share of labelled paragraphs on, each is taken to begin with a label."""
_EVERY = 0.9
_MOST_FRONT_LINES = 20
_MAX_ITEM_WORDS = 12
_OFFICE_WORDS = range(3, 6)
"""Words of a name behind an office of several words: `Ministr dopravy Jan Holz`."""
_EFFECTS, _SOUNDS = words_of(WordClass.SOUND_EFFECT), words_of(WordClass.SOUND)
_ADDRESS_OR_LIST = "no person: comes before a list"


@dataclass(frozen=True, slots=True)
class HeadVerdict:
    """What became of a label, and why in a short phrase."""

    fate: LabelFate
    why: str


@dataclass(frozen=True, slots=True)
class FileFacts:
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
    are_capital: bool
    """Whether what labels that come back say begins with capitals, nearly always."""
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
    first: int
    """The line of the first label that comes back."""
    has_effects: bool
    """Whether sounds are cued, as in a script for radio."""
    are_words: bool
    """Whether each label is a word."""

    def words_below(self, head: Head) -> list[str]:
        """The lines below a head, to the next head or the end of their paragraph."""
        first = head.at + head.num_lines
        below: list[str] = []
        for line in self.lines[first : self.ends[head.at]]:
            if line.opens and (below or head.rest):
                break
            below.append(line.text)
        return below


def file_facts(
    lines: Sequence[TextLine], heads: dict[int, Head], chosen: Sequence[FormReading]
) -> FileFacts:
    """The facts of a file that reads in some forms and has those heads."""
    by_label: dict[str, list[Head]] = defaultdict(list)
    for head in heads.values():
        by_label[head.label].append(head)
    ended: dict[str, list[bool]] = defaultdict(list)
    for head, end in _spans(heads, lines):
        if head.label.casefold() in _EFFECTS:
            continue
        last = _last_words(lines, head, end)
        ended[head.label].append(ends_sentence(head.rest) or ends_sentence(last))
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
    return FileFacts(
        lines=lines,
        has_effects=any(label.casefold() in _EFFECTS for label in by_label),
        are_words=not any(" " in label for label in by_label),
        by_label=by_label,
        ends={head.at: end for head, end in _spans(heads, lines)},
        coverage=max(reading.coverage for reading in chosen),
        is_sure=all(r.form.is_sure or r.form.proof is Proof.TIMES for r in chosen),
        has_sentences=has_sentences,
        are_capital=_are_capital([h for label in repeated for h in by_label[label]]),
        is_bare=sum(head.is_bare for head in heads.values()) >= 0.7 * len(heads),
        is_capital=sum(head.label.isupper() for head in heads.values()) >= _EVERY * len(heads),
        is_timed=sum(head.clock is not None for head in heads.values()) >= _FULL * len(heads),
        style=styles.pop() if len(styles := {_style(label) for label in repeated}) == 1 else "",
        num_heads=len(heads),
        num_repeated=sum(len(by_label[label]) for label in repeated),
        front=frozenset(head.at for head in _front_matter(heads, lines))
        if has_sentences
        else frozenset(),
        small_words=frozenset(word.strip(".,;:!?\"'()") for word in said if word[:1].islower()),
        sections=sections,
        spoken_sections={sections[head.at] for label in repeated for head in by_label[label]},
        names=Counter(name_of(label) for label in by_label),
        label_words=Counter(word for label in by_label for word in _words_of(label)),
        are_short=2 * sum(" " not in label for label in repeated) >= len(repeated) > 1,
        called=called_words(" ".join(said)),
        first=min((by_label[label][0].at for label in repeated), default=0),
    )


def _are_capital(heads: Sequence[Head]) -> bool:
    letters = [head.rest[0] for head in heads if head.rest[:1].isalpha()]
    return bool(letters) and sum(ch.isupper() for ch in letters) >= _EVERY * len(letters)


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


def verdict_of(label: str, facts: FileFacts) -> HeadVerdict:
    """What becomes of a label; nobody's where nothing shows that it is a name."""
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


def _says_no_sentence(label: str, facts: FileFacts) -> str | None:
    """`Next meeting: 11 November`, once, where others say sentences."""
    heads = facts.by_label[label]
    if len(heads) > 1 or not facts.has_sentences or facts.is_timed or not heads[0].rest:
        return None
    is_item = _is_item(heads[0].rest) and not any(map(ends_sentence, facts.words_below(heads[0])))
    return "comes once, with no sentence behind it" if is_item else None


def _goes_on(label: str, facts: FileFacts) -> str | None:
    """`RESOLVED: that the goat be fed.`, once, where others begin with a capital."""
    heads = facts.by_label[label]
    is_word = " " not in label and not is_titled(label)
    if len(heads) > 1 or not (is_word and heads[0].rest[:1].islower() and facts.are_capital):
        return None
    return "comes once, and its words go on in small letters"


_MAX_SHORTENED = 4
"""Letters of a shortened word: `Capt.`"""


def _is_sentence(label: str, facts: FileFacts) -> str | None:
    is_back = len(facts.by_label[label]) > 1
    last = label.split()[-1]
    is_ended = label[-1] in "!?…" or (last.find(".") == len(last) - 1 > _MAX_SHORTENED)
    is_set_off = facts.is_sure and is_back and not is_ended  # ranks and degrees
    if (shape_of(label) is Shape.SENTENCE and not is_set_off) or (
        not is_back and reads_as_heading(label)
    ):
        return "no person: reads as a sentence or a list"
    return None


def _is_cue(label: str, facts: FileFacts) -> str | None:
    """Music beside effects, in a script for radio."""
    is_cue = label.casefold() in _EFFECTS or (facts.has_effects and label.casefold() in _SOUNDS)
    return "no person: a cue of sounds" if is_cue else None


def _heads_list(label: str, facts: FileFacts) -> str | None:
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


def _lists_labels(label: str, facts: FileFacts) -> str | None:
    """`Cast: NORA, 40; PIM, her son` or `Witness: Per Aas, engineer.`, once, before labels of
    others.
    """
    heads = facts.by_label[label]
    words = heads[0].rest
    is_in_front = heads[0].at <= _MOST_FRONT_LINES
    if len(heads) > 1 or not is_in_front or "?" in words or says_i(words):
        return None
    others = {name_of(own) for own in facts.by_label if own != label}
    named = [
        own
        for own in others
        if own in words and re.search(rf"(?<!\w){re.escape(own)}(?!\w)", words)
    ]
    is_introduced = any(
        " " in own and re.match(rf"{re.escape(own)}\s*(?:[,(]|\.?$)", words) for own in named
    )
    is_list = len(named) > 1 and not ends_sentence(words)
    return "no person: it lists who speaks" if is_list or is_introduced else None


def _is_item(words: str) -> bool:
    return len(words.split()) <= _MAX_ITEM_WORDS and not ends_sentence(words)


def _words_of(label: str) -> set[str]:
    return {word.strip(",.()") for word in label.split()}


def _is_in_another_section(label: str, facts: FileFacts) -> str | None:
    """Below a heading under which nobody speaks whose label comes back: `**The Salt Road:** ...`
    below what an interview is followed by.
    """
    heads = facts.by_label[label]
    sections = {facts.sections[head.at] for head in heads}
    if len(heads) > 1 or not facts.spoken_sections or sections & facts.spoken_sections:
        return None
    if is_titled(label) or any(facts.label_words[word] > 1 for word in _words_of(label)):
        return None
    return "stands below a heading under which the others don't speak"


def _says_nothing(label: str, facts: FileFacts) -> str | None:
    if any(head.rest or facts.ends[head.at] > head.at + head.num_lines
           for head in facts.by_label[label]):  # fmt: skip
        return None
    return "no person: nothing is said under it"


def _stands_in_front(label: str, facts: FileFacts) -> str | None:
    is_in_front = all(head.at in facts.front for head in facts.by_label[label])
    return "no person: stands before anyone speaks" if is_in_front else None


_NO_PERSON = (
    lambda label, facts: no_person(label),
    _is_cue,
    _is_sentence,
    _says_nothing,
    _heads_list,
    _lists_labels,
    _stands_in_front,
    _is_in_another_section,
    _says_no_sentence,
    _goes_on,
)
"""What a label can be that is no person, in order of asking."""


def _is_one_of(label: str, facts: FileFacts) -> bool:
    """Whether a label of one word is somebody's: a part of another label, named in what is said, as
    short as those that come back, or before a sentence where each line has a label of a word.
    """
    are_words = facts.coverage >= _FULL and facts.are_words
    return (
        facts.label_words[label] > 1
        or (are_words and facts.has_sentences)
        or facts.are_short
        or not facts.called.isdisjoint({label, label.capitalize()})
    )


def _is_above(label: str, facts: FileFacts) -> bool:
    """Whether its name stands above the first turn, as in a list of who takes part."""
    name = name_of(label)
    return any(
        name in line.text and re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", line.text)
        for line in facts.lines[: min(facts.first, _MOST_FRONT_LINES)]
    )


def _style(label: str) -> str:
    """Whether its words are in capitals: all, some (`La señora SANZ`), or none."""
    if label.isupper():
        return "capitals"
    return "mixed" if any(w.isupper() and len(w) > 2 for w in label.split()) else "plain"


def _is_surname(name: str) -> bool:
    """`Meyer` or `müller-lang`, before a comma."""
    return shape_of(name) is Shape.NAME or len(name.split()) == 1


def _once_a_name(label: str, head: Head, facts: FileFacts) -> str | None:
    """What shows that a label that comes once is a name."""
    shape, words = shape_of(label), label.split()
    if label[0].isupper() and is_titled(label) and len(words) <= _OFFICE_WORDS.start:
        shape = Shape.NAME  # `Audience member`
    is_word = len(words) == 1 and not is_titled(label) and (
        is_function_word(label) or label.casefold() in facts.small_words
    )  # fmt: skip
    is_written = shape is Shape.NAME or len(words) == 1 or not any(ch.isalpha() for ch in label)
    if facts.is_timed and head.clock and is_written:
        return "stands beside a time, as the others do"
    if facts.style == "mixed" and _style(label) != "plain":
        is_alike = _style(label) == "mixed"
        return "written as the labels that come back" if is_alike else None
    if head.at > facts.first and shape is Shape.NAME and not is_word and _is_above(label, facts):
        return "named above the talk"
    if facts.names[name_of(label)] > 1:
        return "a name that comes back, with an office"
    known = facts.num_repeated + 1
    if facts.coverage * known >= _FULL * facts.num_heads or not facts.num_repeated:
        is_label = (
            shape is Shape.NAME
            or len(words) == 1
            or ("," in label and _is_surname(label.partition(",")[0]))
            or (len(words) in _OFFICE_WORDS and words[0][0].isupper() and words[-1][0].isupper())
        )
        return "every turn of the file begins with a label" if is_label and not is_word else None
    if shape is not Shape.NAME:
        return None
    if facts.is_capital:
        is_alike = len(words) > 1 or is_titled(label) or _is_one_of(label, facts)
        return "in capitals, as the others are" if label.isupper() and is_alike else None
    is_named = (
        len(words) > 1
        or is_titled(label)
        or label.isupper()
        or any(ch.isdigit() or ch in "_@." for ch in label)
        or (facts.is_bare and head.is_bare and not is_word)
        or (not is_word and says_i(" ".join([head.rest, *facts.words_below(head)])))
    )
    return "reads as a name where labels stand" if is_named else None
