"""To whom or what something is done: the objects of a claim's verb and of a line's."""

from collections.abc import Callable, Sequence

from dynagrag.generation.claims.claim_lexicon import (
    GOVERNING,
    JOINS,
    OBJECT_PRONOUNS,
    OPENS_STATEMENT,
    PRONOUNS,
    TIMES,
)
from dynagrag.generation.claims.reading import NO_WORD, Reading
from dynagrag.generation.claims.roles import DOER, Predicate, by_phrase, is_auxiliary
from dynagrag.generation.claims.word_senses import PAST
from dynagrag.language.words import COMMON_VERBS, DETERMINERS

_ADVERB = "ly"
_STOPS = frozenset(";.!?")
_OPENS_NO_OBJECT = GOVERNING | (PRONOUNS - DETERMINERS)
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
    start, stop = predicate.at + 1, _statement_end(claim, predicate.at)
    governing = (i for i, word in claim.outside_names() if i >= start and word.low in GOVERNING)
    near = range(start, min(stop, next(governing, stop)))
    named = [end - 1 for first, end in claim.names if first in near]
    return named or [i for i in claim.content() if i in near][-1:]


def is_done_to_other(
    claim: Reading, predicate: Predicate, line: Reading, places: Sequence[int], has: Found
) -> bool:
    """Whether the line has an object of the claim, but not among those of its verb, which stands at
    these places.
    """
    regions = [_region(line, at) for at in places]
    known = [region for region in regions if region is not None]
    if len(known) < len(regions):
        return False
    everywhere = frozenset(range(len(line.words)))
    return any(
        has(i, everywhere) and not any(has(i, region) for region in known)
        for i in objects(claim, predicate)
    )


def _region(line: Reading, at: int) -> frozenset[int] | None:
    """Where a verb's objects stand; None where they may be anywhere: "that Ann wrote", "Ann wrote
    it", "directed by Ann, it ...".
    """
    words, follows = line.words, line.word(at + 1)
    if by_phrase(line, at):
        before = frozenset(range(at))
        return before if before & line.in_names else None
    if words[at].low.endswith(DOER) or follows is NO_WORD:
        return None
    near = {word.low for word in words[max(0, at - _OBJECT_REACH) : at]}
    if near & OBJECT_PRONOUNS and (not follows.is_word or is_auxiliary(follows)):
        return None
    region = range(at + 1, _statement_end(line, at))
    first = next((i for i in region if _says_something(line, i)), None)
    if first is None or (first not in line.in_names and words[first].low in _OPENS_NO_OBJECT):
        return None
    return frozenset(region)


def _says_something(line: Reading, i: int) -> bool:
    """Whether a word is of a name, or no mark, determiner, joint or adverb."""
    word = line.words[i]
    return i in line.in_names or not (
        word.is_mark or word.low in DETERMINERS | JOINS or word.low.endswith(_ADVERB)
    )


def _statement_end(line: Reading, at: int) -> int:
    """Where what is said with a verb ends: the next sentence, statement or verb that is joined to
    it, once something stands between.
    """
    words = line.words
    is_told = False
    for i in range(at + 1, len(words)):
        word, follows = words[i], line.word(i + 1)
        is_stop = word.text in _STOPS and follows.clause != words[at].clause
        is_time = word.low in TIMES and (follows.low in PRONOUNS or follows.low.endswith("ing"))
        is_end = is_stop or is_time or word.low in OPENS_STATEMENT
        if i not in line.in_names and (is_end or (is_told and _joins_verb(line, i))):
            return i
        is_told |= _says_something(line, i) and not _is_verb(line, i)
    return len(words)


def _joins_verb(line: Reading, i: int) -> bool:
    """Whether "and", "but" or a comma stands before another verb, or before a name and its verb."""
    if line.words[i].low not in {"and", "or", "but", ","}:
        return False
    while i not in line.in_names and (
        line.word(i).low in JOINS or line.word(i).low.endswith(_ADVERB)
    ):
        i += 1
    subject_end = next((end for start, end in line.names if start == i), i)
    return _is_verb(line, subject_end)


def _is_verb(line: Reading, i: int) -> bool:
    word = line.word(i)
    is_past = word.low in PAST or (word.low.endswith("ed") and len(word.low) > 4)
    is_present = word.low in COMMON_VERBS and word.low.endswith("s")
    return i not in line.in_names and (is_past or is_present or is_auxiliary(word))
