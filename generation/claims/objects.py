"""To whom or what something is done: the objects of a claim's verb and of a line's."""

import itertools
from collections.abc import Callable, Iterator, Sequence

from dynagrag.generation.claims.lexicon import (
    GOVERNING,
    JOINS,
    OBJECT_PRONOUNS,
    OPENS_STATEMENT,
    PRONOUNS,
    TIMES,
)
from dynagrag.generation.claims.reading import Reading
from dynagrag.generation.claims.roles import DOER, Predicate, by_phrase, is_auxiliary
from dynagrag.generation.claims.word_senses import PAST
from dynagrag.language.words import COMMON_VERBS, DETERMINERS

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
    near = list(
        itertools.takewhile(
            lambda i: i in claim.in_names or claim.words[i].low not in GOVERNING, behind
        )
    )
    named = [end - 1 for start, end in claim.names if start in near]
    nouns = [i for i in near if i in claim.content()]
    return named or nouns[-1:]


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
    words = line.words
    if by_phrase(line, at):
        before = frozenset(range(at))
        return before if before & line.in_names else None
    follows = words[at + 1] if at + 1 < len(words) else None
    is_relative = any(
        word.low in OBJECT_PRONOUNS for word in words[max(0, at - _OBJECT_REACH) : at]
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
        first not in line.in_names and words[first].low in GOVERNING | PRONOUNS - DETERMINERS
    ):
        return None
    return frozenset(region)


def _says_nothing(line: Reading, i: int) -> bool:
    word = line.words[i]
    return (
        not word.text[0].isalnum() or word.low in DETERMINERS | JOINS or word.low.endswith(_ADVERB)
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
            words[i].low in TIMES
            and i + 1 < len(words)
            and (words[i + 1].low in PRONOUNS or words[i + 1].low.endswith("ing"))
        )
        if (
            is_stop
            or words[i].low in OPENS_STATEMENT
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
        or not (line.words[k].low in JOINS or line.words[k].low.endswith(_ADVERB))
    )


def _is_verb(line: Reading, i: int) -> bool:
    word = line.words[i]
    is_past = word.low in PAST or (word.low.endswith("ed") and len(word.low) > 4)
    return i not in line.in_names and (
        is_past or is_auxiliary(word) or (word.low in COMMON_VERBS and word.low.endswith("s"))
    )
