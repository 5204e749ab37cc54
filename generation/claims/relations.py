"""What small words and the order of nouns say: "from Ann to Leo", "by 5 percent", "the union sued the company"."""

from collections.abc import Iterator

from dynagrag.generation.claims.lexicon import senses
from dynagrag.generation.claims.reading import Reading
from dynagrag.generation.claims.roles import is_be, occurrences
from dynagrag.words import FUNCTION_WORDS

_OPPOSED = (
    ("for", "against"),
    ("from", "to"),
    ("by", "to"),
    ("before", "after"),
    ("above", "below"),
    ("over", "under"),
    ("into", "from"),
    ("with", "without"),
    ("until", "after"),
    ("since", "until"),
    ("inside", "outside"),
)
_PREPOSITIONS = frozenset(word for pair in _OPPOSED for word in pair)
_REACH = 3


def preposition_gap(claim: Reading, line: Reading) -> str:
    """A word before a thing that the line has another one before, which says the opposite; in words."""
    theirs = list(_governed(line))
    for word, thing in _governed(claim):
        others = {other for other, same in theirs if same == thing}
        against = sorted(other for other in others if (word, other) in _OPPOSED or (other, word) in _OPPOSED)
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
            (j for j in behind if words[j].text[0].isalnum() and (j in reading.in_names or words[j].low not in FUNCTION_WORDS)), None
        )
        if thing is not None:
            yield word.low, words[thing].stem


def order_gap(claim: Reading, at: int, line: Reading) -> bool:
    """Whether the line gives the nouns round the claim's verb in the other order: who sued whom. For nouns that are no names."""
    mine = _around(claim, at)
    if mine is None:
        return False
    places = [around for i in occurrences(line, claim.words[at].stem) if (around := _around(line, i)) is not None]
    is_same = any(_alike(mine, other) for other in places)
    return not is_same and any(_alike(mine, (other[1], other[0])) for other in places)


def _alike(one: tuple[str, str], other: tuple[str, str]) -> bool:
    return bool(senses(one[0]) & senses(other[0])) and bool(senses(one[1]) & senses(other[1]))


def _around(reading: Reading, at: int) -> tuple[str, str] | None:
    """(who does it, to whom): the nouns next to a verb, the other way round in "was sued by"; None where one is missing."""
    words = reading.words
    content = [i for i in reading.content() if i != at and words[i].clause == words[at].clause]
    before, after = [i for i in content if i < at], [i for i in content if i > at]
    if not before or not after:
        return None
    ends = words[before[-1]].stem, words[after[0]].stem
    is_passive = any(is_be(w) for w in words[max(0, at - 3) : at])
    is_by = any(w.low == "by" for w in words[at + 1 : at + 4])
    if is_passive:
        return (ends[1], ends[0]) if is_by else None
    return ends
