"""Whether people speak in a text: what tells the labels of speakers from fields (`Price:`), terms
(`Halyard:`) and headings, which stand before colons too and come back as well.

Each sign is a row of SIGNS with its points. No sign needs to know a language; lists of English and
German only add to them (figures: docs/decisions/0047-whether-people-speak.md).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from dynagrag.ingest.load.label_shapes import Shape, ends_sentence, is_titled, shape_of
from dynagrag.language.english.data import words_of as english
from dynagrag.language.german.data import words_of as german
from dynagrag.language.word_class import WordClass

ENOUGH = 2
"""From so many points on, people speak."""
_OF_SPEAKERS = english(WordClass.OF_SPEAKERS) | german(WordClass.OF_SPEAKERS)
_FIRST_PERSON = english(WordClass.FIRST_PERSON) | german(WordClass.FIRST_PERSON)
_QUESTION = re.compile(r"[?？؟՞]|[;\u037e]$|か[。」]?$")
_CODE = re.compile(r"[{}<>/\\=;'\"]|:(?!\s)|^[-#]")
_PARTY = re.compile(r"[ ][(\[]\w+(?:[ /-]\w+)*[)\]]$")
"""`(CDU/CSU)`."""
_NUMBERED = re.compile(
    r"[^\W\d_]{1,12}(?:[ ][^\W\d_]{1,12}){0,2}[ _#-]{0,2}\d{1,2}|\+[\d ()-]+|[\w.]+\d{1,4}"
)
_LAST_NUMBER = re.compile(r"[ ]?\d+$")
_TAIL = re.compile(r"[,(（]")
_WORD = re.compile(r"[^\W\d_]+")
_CALLED = re.compile(
    r"(?<![.!?…] )(?<=\s)([^\W\d_a-z][\w'’-]*)(?!\w|['’-]\w|:)"
    r"|(?<!\w)([^\W\d_a-z][\w'’-]*)(?=[,?!])"
)
_MAX_CASELESS = 30
"""So many labels are enough to look for."""
_BACK, _FEWEST = 0.2, 4
_LONG_RUN = 4


@dataclass(frozen=True, slots=True)
class Block:
    """A label and the words behind it, to the end of their paragraph."""

    label: str
    words: str


@dataclass(frozen=True, slots=True)
class _Sign:
    points: int
    what: str
    test: Callable[[Sequence[Block]], bool]


def why_nobody_speaks(
    blocks: Sequence[Block], is_likely: bool, is_of_captions: bool = False
) -> str | None:
    """What speaks against it that people speak; None where they do. `is_likely`: they do where
    little speaks against it, as in captions, which are no list of questions, or in so few turns
    that they show nothing.
    """
    shown = [sign for sign in SIGNS if sign.test(blocks)]
    against = ", ".join(sign.what for sign in shown if sign.points < 0)
    points = sum(sign.points for sign in shown)
    is_likely = is_likely and all(sign.points > -2 for sign in shown)
    if points >= ENOUGH or (is_likely and (is_of_captions or not _question_label(blocks))):
        return None
    return against or "nothing shows that people speak"


def _share(blocks: Sequence[Block], test: Callable[[Block], bool]) -> float:
    return sum(map(test, blocks)) / len(blocks) if blocks else 0.0


# ------------------------------------------------------------------------------------ for people


def _are_names(blocks: Sequence[Block]) -> bool:
    counts = Counter(block.label for block in blocks)
    return _share(blocks, lambda block: _is_name(block.label, counts[block.label])) >= 0.2


def _is_name(label: str, count: int) -> bool:
    """A title, an office, a party, a number or capitals that come back, or a first and a last word
    with a capital.
    """
    bare = _TAIL.split(label, maxsplit=1)[0].strip()
    if not bare or _CODE.search(label):
        return False
    if is_titled(bare) or label[len(bare) :].lstrip()[:1] in {"(", "（"}:
        return True
    if any(ch.isdigit() for ch in bare):
        return count > 1 and _NUMBERED.fullmatch(bare) is not None
    if bare.isupper():
        return len(bare) > 1 and count > 1
    words = bare.split()
    has_capitals = words[0][0].isupper() and words[-1][0].isupper()
    return len(words) > 1 and has_capitals and shape_of(bare) is Shape.NAME


def _is_somebody_named(blocks: Sequence[Block]) -> bool:
    """`Otto, is it?`, `I'm Otto`; in a script without capitals, under another label."""
    called = {word for block in blocks for word in called_words(block.words)}
    texts: dict[str, list[str]] = defaultdict(list)
    for block in blocks:
        texts[block.label].append(block.words)
    caseless = [label for label in texts if not any(ch.isupper() or ch.islower() for ch in label)]
    return any(not called.isdisjoint(_names_in(label)) for label in texts) or any(
        part in " ".join(own)
        for label in caseless[:_MAX_CASELESS]
        for part in _parts_of(label)
        for other, own in texts.items()
        if other != label
    )


def called_words(text: str) -> set[str]:
    """Words with a capital amid a sentence, or before a comma or the end of a question or shout."""
    return {match[1] or match[2] for match in _CALLED.finditer(text)}


def _names_in(label: str) -> set[str]:
    words = [word.strip(".") for word in _TAIL.split(label, maxsplit=1)[0].split()]
    names = [word for word in words if len(word) > 1 and word[0].isupper() and not is_titled(word)]
    return {*names, *(name.capitalize() for name in names)}


def _parts_of(label: str) -> list[str]:
    """What may be a name in a label of a script without capitals; a title may stand at its end."""
    bare = _TAIL.split(label, maxsplit=1)[0].strip()
    return [part for part in {bare, bare[:2], *bare.split()} if len(part) > 1]


def _asks(block: Block) -> bool:
    return _QUESTION.search(block.words) is not None


def _are_questions_asked(blocks: Sequence[Block]) -> bool:
    return _share(blocks, _asks) >= 0.05 and not _question_label(blocks)


def _do_answers_say_i(blocks: Sequence[Block]) -> bool:
    """In an interview who answers speaks of themselves; in a list of questions who asks does."""
    asking = _question_label(blocks)
    answers = [own for label, own in _by_numberless(blocks).items() if label != asking]
    return bool(asking) and _share(answers[0], lambda block: says_i(block.words)) >= 0.3


def _question_label(blocks: Sequence[Block]) -> str:
    """The one of two labels under which all questions stand, three or more, and nothing else,
    neither being a name: questions and answers, which may be of people or not. Else empty.
    """
    by_label = _by_numberless(blocks)
    if len(by_label) != 2 or _are_names(blocks):
        return ""
    shares = {label: _share(own, _asks) for label, own in by_label.items()}
    asking, other = sorted(shares, key=lambda label: -shares[label])
    is_list = len(by_label[asking]) > 2 and shares[asking] >= 0.8 and shares[other] <= 0.2
    return asking if is_list else ""


def _by_numberless(blocks: Sequence[Block]) -> dict[str, list[Block]]:
    """Blocks by label, without a number at its end where that comes once: `Question 3`."""
    counts = Counter(block.label for block in blocks)
    made: dict[str, list[Block]] = defaultdict(list)
    for block in blocks:
        is_once = counts[block.label] == 1
        made[_LAST_NUMBER.sub("", block.label) if is_once else block.label].append(block)
    return made


def _share_of_speakers_words(blocks: Sequence[Block]) -> float:
    """How much of what is said holds I, you and the like, in English or German."""
    return _share(blocks, lambda own: has_speakers_words(own.words))


def has_speakers_words(words: str) -> bool:
    """Whether it holds I, you and the like, in English or German."""
    return not _OF_SPEAKERS.isdisjoint(_WORD.findall(words.casefold()))


def says_i(words: str) -> bool:
    """Whether somebody speaks of themselves, in English or German."""
    return not _FIRST_PERSON.isdisjoint(_WORD.findall(words.casefold()))


# ---------------------------------------------------------------------------------- against people


def _is_order_fixed(blocks: Sequence[Block]) -> bool:
    """As the fields of records: each label has one that always follows it and one that always
    stands before it. Two alternate in talk, too.
    """
    counts = Counter(block.label for block in blocks)
    labels = [block.label for block in blocks if counts[block.label] > 1]
    steps = Counter((a, b) for a, b in pairwise(labels) if a != b)
    after: dict[str, int] = defaultdict(int)
    before: dict[str, int] = defaultdict(int)
    for (a, b), count in steps.items():
        after[a], before[b] = max(after[a], count), max(before[b], count)
    num_fixed = sum(n for (a, b), n in steps.items() if 1 < n == after[a] == before[b])
    return len(set(labels)) > 2 and num_fixed >= 0.85 * steps.total()


def _runs(blocks: Sequence[Block]) -> list[str]:
    """The labels at each change of the label, without party or office."""
    names = (_TAIL.split(block.label, maxsplit=1)[0].strip() for block in blocks)
    return [name for name, _ in groupby(names)]


def _share_back(runs: Sequence[str]) -> float:
    """Of the changes, those back to a label that had a turn before; 1 where there is none."""
    return (len(runs) - len(set(runs))) / (len(runs) - 1) if len(runs) > 1 else 1.0


def _is_none_back(blocks: Sequence[Block]) -> bool:
    """No label has a turn after another's, and none goes on for long, as who gives a talk does."""
    runs = _runs(blocks)
    return 2 < len(blocks) < _LONG_RUN * len(runs) and not _share_back(runs)


def _are_entries(blocks: Sequence[Block]) -> bool:
    """As in a bibliography, a programme or a list of works, behind whose names nobody says I. In
    each of 124 transcripts a quarter of the changes or more go back to somebody.
    """
    runs = _runs(blocks)
    is_of_names = _are_names(blocks) and _share(blocks, lambda b: says_i(b.words)) >= 0.7
    return len(runs) >= _FEWEST and _share_back(runs) < _BACK and not is_of_names


def _are_definitions(blocks: Sequence[Block]) -> bool:
    """`the right side.`: without a capital, but with the end of a sentence."""
    return (
        _share(blocks, lambda b: b.words[:1].islower()) >= 0.5
        and _share(blocks, lambda b: ends_sentence(b.words)) >= 0.5
    )


def _go_on_small(blocks: Sequence[Block]) -> bool:
    """`14:11 Ida: foul`, behind names with capitals, and hardly a question: a record of what each
    did or is to do; who types so in a chat asks more.
    """
    is_small = _share(blocks, lambda b: b.words[:1].islower() and not b.label.islower()) >= 0.8
    return is_small and _share(blocks, _asks) < 0.25


def _may_end(words: str) -> bool:
    """Whether it ends as sentences do, or is of a script that may have no sign for that: Thai."""
    letters = [ch for ch in words if ch.isalpha()]
    is_caseless = bool(letters) and not any(ch.isascii() or ch.islower() for ch in letters)
    return is_caseless or ends_sentence(words)


def _is_code(label: str) -> bool:
    label = _PARTY.sub("", label)
    bare = _TAIL.split(label, maxsplit=1)[0].strip()
    has_digit = any(ch.isdigit() for ch in bare)
    return bool(_CODE.search(label)) or (has_digit and not _NUMBERED.fullmatch(bare))


SIGNS = (
    _Sign(2, "labels read as names, titles or handles", _are_names),
    _Sign(2, "somebody of a label is named in what is said", _is_somebody_named),
    _Sign(2, "something is asked", _are_questions_asked),
    _Sign(2, "who answers says I", _do_answers_say_i),
    _Sign(1, "words mean who speaks or is spoken to",
          lambda blocks: _share_of_speakers_words(blocks) >= 0.2),
    _Sign(1, "most of them do", lambda blocks: _share_of_speakers_words(blocks) >= 0.7),
    _Sign(-1, "no sentences stand behind labels",
          lambda blocks: _share(blocks, lambda b: _may_end(b.words)) < 0.2),
    _Sign(-2, "labels come in a fixed order, as the fields of records", _is_order_fixed),
    _Sign(-6, "hardly any label comes back after another, as in a list of entries", _are_entries),
    _Sign(-1, "no label comes back after another", _is_none_back),
    _Sign(-1, "what stands behind labels begins in small letters", _go_on_small),
    _Sign(-2, "definitions stand behind labels", _are_definitions),
    _Sign(-4, "labels are code", lambda blocks: _share(blocks, lambda b: _is_code(b.label)) >= 0.5),
)  # fmt: skip
"""What is weighed. Points and bounds were set on 71 transcripts, 200 pieces of meetings and 249
texts in which nobody speaks.
"""
