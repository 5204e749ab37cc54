"""What small words, comparisons and the words beside each other say: "from Ann to Leo", "larger than
Paris", "five fuel cells", "approved the budget and rejected the report".
"""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dynagrag.generation.claims.lexicon import PAST, PRONOUNS, lemma, senses
from dynagrag.generation.claims.quantities import Quantity, quantities
from dynagrag.generation.claims.reading import Reading, read
from dynagrag.generation.claims.roles import (
    DOER,
    Predicate,
    by_phrase,
    is_auxiliary,
)
from dynagrag.language.english.data import groups_of, words_of
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_VERBS, DETERMINERS, FUNCTION_WORDS

_OPPOSED = groups_of(GroupKind.OPPOSED_PREPOSITIONS)
_PREPOSITIONS = frozenset(word for pair in _OPPOSED for word in pair)
_REACH = 3


def preposition_gap(claim: Reading, line: Reading) -> str:
    """A word before a thing that the line has another one before, which says the opposite; in
    words.
    """
    theirs = list(_governed(line))
    for word, thing in _governed(claim):
        others = {other for other, same in theirs if same == thing}
        against = sorted(
            other for other in others if (word, other) in _OPPOSED or (other, word) in _OPPOSED
        )
        if against and word not in others:
            return f"says {against[0]!r}, not {word!r}"
    return ""


def _governed(reading: Reading) -> Iterator[tuple[str, str]]:
    """(preposition, stem of the thing behind it)."""
    words = reading.words
    for i, word in enumerate(words):
        if word.low not in _PREPOSITIONS or i in reading.in_names:
            continue
        behind = range(i + 1, min(len(words), i + 1 + _REACH))
        thing = next(
            (
                j
                for j in behind
                if words[j].text[0].isalnum()
                and (j in reading.in_names or words[j].low not in FUNCTION_WORDS)
            ),
            None,
        )
        if thing is not None:
            yield word.low, words[thing].stem


def is_compared_round(claim: str, line: str, mine: str = "", theirs: str = "") -> bool:
    """Whether the claim compares by one word (faster) what the line compares by another the other
    way round; by default by the same.
    """
    return any(
        ((degree, other) == (mine, theirs) if mine else degree == other)
        and before & theirs_after
        and after & theirs_before
        for degree, before, after in _compared(claim)
        for other, theirs_before, theirs_after in _compared(line)
    )


@lru_cache(maxsize=1024)
def _compared(text: str) -> frozenset[tuple[str, frozenset[str], frozenset[str]]]:
    """(the word that compares, the words before it, the words behind "than"), each without those of
    the other side.
    """
    lows = [word.low for word in read(text).words]
    found = set()
    for than in [i for i, low in enumerate(lows) if low == "than"][:_MAX_COMPARED]:
        at = next(
            (
                i
                for i in range(than - 1, max(-1, than - 4), -1)
                if lows[i].endswith("er") or lows[i] in _DEGREES
            ),
            None,
        )
        if at is not None:
            before, after = (
                frozenset(lows[:at]),
                frozenset(low for low in lows[than + 1 :] if low.isalnum()),
            )
            found.add((lows[at], before - after, after - before))
    return frozenset(found)


# ----------------------------------------------------------------------------- what belongs to what

_NEXT = re.compile(r"[\s\[\]-]*(?P<word>\d|[^\W\d_]+(?:['’\-][^\W\d_]+)*)")
_COMPOUND = re.compile(r"-(?=[^\W\d_])")
"""Behind a number that tells what a thing is like, not how many there are: a three-year-old school,
a two-seat car.
"""
_ONE = re.compile(r"\bone\b", re.IGNORECASE)
_OF_THOSE = re.compile(
    r"\s+of\s+(?:(?:all|the|its|his|her|their|our|these|those)\s+)+", re.IGNORECASE
)
_SHARE = re.compile(
    r"\b(?:of|in|out of)\s+(?:(?:all|the|its|his|her|their|our|these|those|every)\s+)*$",
    re.IGNORECASE,
)
"""Before the number of all, of which a part is counted: two of the five, one in five."""
_DEGREES = frozenset("more less fewer worse".split())
_MAX_COMPARED = 20
"""Comparisons of a text that are looked at."""
_MAX_THING_WORDS = 3


@dataclass(frozen=True, slots=True)
class _Counted:
    """A number and the words behind it, up to the first that ends the phrase: 3, (primari,
    rechargeabl, batteri). `is_part`: "3 of the".
    """

    number: Quantity
    things: tuple[str, ...]
    is_part: bool

    @property
    def is_one(self) -> bool:
        """Whether it is "one of the", which is no number anywhere else."""
        return self.number.text.casefold() == "one"


def number_binding_gap(claim: str, line: str) -> str:
    """A number that the line has, but of another thing than the claim; in words, empty where there
    is none.

    "Five fuel cells" of a line with three fuel cells and five batteries. Things are compared by the
    last word of their phrase; where the line has several phrases that end so, by those that share
    most of the claim's other words; "two of the" by its "one of the", if any.
    """
    theirs = (*_counted(line), *_ones_of(line))
    for mine in (*_counted(claim), *_ones_of(claim)):
        same = [
            other
            for other in theirs
            if senses(mine.things[-1]) & {sense for s in other.things for sense in senses(s)}
        ]
        if not mine.is_part:
            same = [other for other in same if not other.is_one]
        if not same:
            continue
        most = max(len(set(mine.things) & set(other.things)) for other in same)
        nearest = [other for other in same if len(set(mine.things) & set(other.things)) == most]
        if mine.is_part:
            nearest = [other for other in nearest if other.is_part] or (
                [] if mine.is_one else nearest
            )
        if nearest and not any(mine.number.agrees(other.number) for other in nearest):
            return f"says {nearest[0].number.text} of it, not {mine.number.text}"
    return ""


def _ones_of(text: str) -> Iterator[_Counted]:
    for match in _ONE.finditer(text):
        of = _OF_THOSE.match(text, match.end())
        if of and (things := tuple(lemma(word) for word in _things(text, of.end()))):
            yield _Counted(Quantity(*match.span(), match[0], match[0], 1.0), things, is_part=True)


def _counted(text: str) -> Iterator[_Counted]:
    for number in quantities(text):
        is_count = number.date is None and number.value is not None and not number.looks_like_year
        if (
            is_count
            and not _COMPOUND.match(text, number.end)
            and not _SHARE.search(text[: number.start])
        ):
            of = _OF_THOSE.match(text, number.end)  # two of the five engines are two engines
            total = next((q for q in quantities(text) if of and q.start == of.end()), None)
            start = total.end if total else of.end() if of else number.end
            things = tuple(lemma(word) for word in _things(text, start))
            if things:
                yield _Counted(number, things, bool(of))


def _things(text: str, start: int) -> list[str]:
    """The words behind a number; other numbers among them are passed over with their units: cells
    of "31 individual 1 volt cells".
    """
    found: list[str] = []
    numbers = {q.start: q for q in quantities(text)}
    at = start
    while len(found) < _MAX_THING_WORDS and (word := _NEXT.match(text, at)):
        inner = numbers.get(word.start("word"))
        if found and inner:
            unit = _NEXT.match(text, inner.end)
            at = unit.end() if inner.unit and unit else inner.end
            continue
        if word["word"][0].isdigit() or word["word"].casefold() in FUNCTION_WORDS:
            break
        found.append(word["word"])
        at = word.end()
    return found


# ------------------------------------------------------------------------ to whom something is done

_GOVERNING = words_of(WordClass.GOVERNING)
_OPENS_STATEMENT = words_of(WordClass.STATEMENT_OPENER)
_TIMES = frozenset("before after until since".split())
_JOINS = frozenset("and or but then , also not never later only just both".split())
_PRONOUNS_OF_OBJECTS = frozenset(("which", "that", "whom", "what"))
_ADVERB = "ly"
_OBJECT_REACH = 5
"""Words before a verb among which a relative pronoun is its object: "that the young Ann wrote"."""
Found = Callable[[int, frozenset[int]], bool]
"""Whether the line has a word of the claim, by its place, in a region of its own."""


def objects(claim: Reading, predicate: Predicate) -> list[int]:
    """The places of the claim's objects: names, else the last noun, behind the verb and before a
    preposition; before "was directed by".
    """
    if predicate.is_passive:
        return [end - 1 for _, end in claim.names if end <= predicate.at]
    behind = range(predicate.at + 1, _statement_end(claim, predicate.at))
    told = list(
        itertools.takewhile(
            lambda i: i in claim.in_names or claim.words[i].low not in _GOVERNING, behind
        )
    )
    named = [end - 1 for start, end in claim.names if start in told]
    nouns = [i for i in told if i in claim.content()]
    return named or nouns[-1:]


def is_done_to_other(
    claim: Reading, predicate: Predicate, line: Reading, places: Sequence[int], has: Found
) -> bool:
    """Whether the line has an object of the claim, but not among those of its verb, which stands at
    these places.
    """
    regions = [_region(line, at) for at in places]
    told = [region for region in regions if region is not None]
    if len(told) < len(regions):
        return False
    everywhere = frozenset(range(len(line.words)))
    return any(
        has(i, everywhere) and not any(has(i, region) for region in told)
        for i in objects(claim, predicate)
    )


def _region(line: Reading, at: int) -> frozenset[int] | None:
    """Where a verb's objects stand; None where they may be anywhere: "that Ann wrote", "Ann wrote
    it", "directed by Ann, it ...".
    """
    words = line.words
    if by_phrase(line, at):
        before = frozenset(range(at))
        return before if before & line.in_names else None
    follows = words[at + 1] if at + 1 < len(words) else None
    is_relative = any(
        word.low in _PRONOUNS_OF_OBJECTS for word in words[max(0, at - _OBJECT_REACH) : at]
    )
    if (
        words[at].low.endswith(DOER)
        or follows is None
        or (is_relative and (not follows.is_word or is_auxiliary(follows)))
    ):
        return None
    region = range(at + 1, _statement_end(line, at))
    first = next((i for i in region if i in line.in_names or not _says_nothing(line, i)), None)
    if first is None or (
        first not in line.in_names and words[first].low in _GOVERNING | PRONOUNS - DETERMINERS
    ):
        return None
    return frozenset(region)


def _says_nothing(line: Reading, i: int) -> bool:
    word = line.words[i]
    return (
        not word.text[0].isalnum() or word.low in DETERMINERS | _JOINS or word.low.endswith(_ADVERB)
    )


def _statement_end(line: Reading, at: int) -> int:
    """Where what is said with a verb ends: the next sentence, statement or verb that is joined to
    it, once something stands between.
    """
    words = line.words
    for i in range(at + 1, len(words)):
        if i in line.in_names:
            continue
        is_told = any(
            k in line.in_names or not _says_nothing(line, k)
            for k in range(at + 1, i)
            if not _is_verb(line, k)
        )
        is_stop = words[i].text in {";", ".", "!", "?"} and (
            i + 1 == len(words) or words[i + 1].clause != words[at].clause
        )
        is_time = (
            words[i].low in _TIMES
            and i + 1 < len(words)
            and (words[i + 1].low in PRONOUNS or words[i + 1].low.endswith("ing"))
        )
        if (
            is_stop
            or words[i].low in _OPENS_STATEMENT
            or is_time
            or (is_told and _joins_verb(line, i))
        ):
            return i
    return len(words)


def _joins_verb(line: Reading, i: int) -> bool:
    """Whether "and", "but" or a comma stands before another verb, or before a name and its verb."""
    if line.words[i].low not in {"and", "or", "but", ","}:
        return False
    following = next(_past_joins(line, i), None)
    if following is None:
        return False
    subject_end = next((end for start, end in line.names if start == following), following)
    return subject_end < len(line.words) and _is_verb(line, subject_end)


def _past_joins(line: Reading, i: int) -> Iterator[int]:
    return (
        k
        for k in range(i, len(line.words))
        if k in line.in_names
        or not (line.words[k].low in _JOINS or line.words[k].low.endswith(_ADVERB))
    )


def _is_verb(line: Reading, i: int) -> bool:
    word = line.words[i]
    is_past = word.low in PAST or (word.low.endswith("ed") and len(word.low) > 4)
    return i not in line.in_names and (
        is_past or is_auxiliary(word) or (word.low in COMMON_VERBS and word.low.endswith("s"))
    )
