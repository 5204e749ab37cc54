"""Checks of words: opposites, replaced and added words, small words and comparisons."""

import difflib
import itertools
from collections.abc import Iterator
from functools import lru_cache

from dynagrag.generation.claims.claim_lexicon import CONVERSE, DEGREES, OPPOSED_PREPOSITIONS
from dynagrag.generation.claims.comparison import Comparison, Gap
from dynagrag.generation.claims.reading import Reading, read, same_word
from dynagrag.generation.claims.stance import opposite_of
from dynagrag.generation.claims.word_senses import lemma, senses
from dynagrag.language.words import FUNCTION_WORDS

_CONVERSE = frozenset(map(lemma, CONVERSE))
_OPPOSED = {
    word: frozenset(other for pair in OPPOSED_PREPOSITIONS if word in pair for other in pair)
    - {word}
    for word in itertools.chain(*OPPOSED_PREPOSITIONS)
}
"""By preposition, those that say the opposite."""
_REACH = 3
"""Words behind a preposition among which its thing stands."""
_MAX_COMPARED = 20
"""Comparisons of a text that are looked at."""
_MAX_WORDS = 2
"""That are replaced by others, or added."""
_SAME_TEXT = 0.7
"""From this ratio of common words on, the claim repeats the sentence, so that another word in one's
place changes it.
"""


def opposite_gap(comparison: Comparison) -> Gap | None:
    """A word in whose place the sentence has its opposite.

    Catches "the drogue is on" of "the drogue is off". Passes "was not on" of "was off", and "A is
    faster than B" of "B is slower than A".
    """
    claim, sentence = comparison.claim, comparison.sentence
    pair = opposite_of(claim, sentence)
    if pair is None or _is_compared_round(claim.text, sentence.text, pair):
        return None
    mine, theirs = pair
    is_of_both = lemma(mine) in _CONVERSE or mine in ("before", "after")
    return Gap(f"says {theirs!r}, not {mine!r}", is_against=not is_of_both)


def replaced_gap(comparison: Comparison) -> Gap | None:
    """A word of the claim between two others that stand side by side in the sentence with another
    word between them.

    Catches "we met Ada in old Bonn" of "we met Ada in old Rome". Passes "the doctor left" of "the
    physician left".
    """
    mine, theirs = comparison.claim.content_and_names(), comparison.sentence.content_and_names()
    matcher = difflib.SequenceMatcher(
        None, [w.stem for w in mine], [w.stem for w in theirs], autojunk=False
    )
    if matcher.ratio() < _SAME_TEXT:
        return None
    their_senses = {sense for word in theirs for sense in senses(word.stem)}
    for kind, a, b, c, d in matcher.get_opcodes():
        is_name = a == 0 and 0 in comparison.claim.in_names
        if kind != "replace" or is_name or max(b - a, d - c) > _MAX_WORDS:
            continue
        for word in mine[a:b]:
            is_telling = len(word.low) > 1 or word.low.isdigit()
            is_there = word.stem in their_senses or any(
                same_word(word.low, other.low) for other in theirs
            )
            if is_telling and not is_there:
                return Gap(f"says {theirs[c].text!r}, not {word.text!r}")
    return None


def added_gap(comparison: Comparison) -> Gap | None:
    """Words of the claim, one behind the other, of which the sentence has none.

    Catches "the old blue pump failed" of "the pump failed". Passes "the old pump failed" of it: the
    share of words tells of single ones.
    """
    telling, missing = set(comparison.telling_words()), list[int]()
    for i in comparison.claim.content():
        is_missing = i in telling and i not in comparison.content_there
        missing = [*missing, i] if is_missing else []
        if len(missing) == _MAX_WORDS:
            words = " ".join(comparison.claim.words[k].low for k in missing)
            return Gap(f"says nothing of {words!r}")
    return None


def order_gap(comparison: Comparison) -> Gap | None:
    """The sentence compares the other way round, or has an opposite small word before a thing.

    Catches "London is larger than Paris" of "Paris is larger than London", "from Ann to Leo" of
    "from Leo to Ann". Passes "for the budget" of "first for the budget, then against the budget".
    """
    claim, sentence = comparison.claim, comparison.sentence
    if _is_compared_round(claim.text, sentence.text):
        return Gap("has it the other way round", is_against=True)
    theirs = list(_governed(sentence))
    for word, thing in _governed(claim):
        others = {other for other, same in theirs if same == thing}
        opposed = others & _OPPOSED[word]
        if opposed and word not in others:
            return Gap(f"says {min(opposed)!r}, not {word!r}")
    return None


def _governed(reading: Reading) -> Iterator[tuple[str, str]]:
    """(preposition, stem of the thing behind it)."""
    for i, word in reading.outside_names():
        if word.low not in _OPPOSED:
            continue
        for j in range(i + 1, min(len(reading.words), i + 1 + _REACH)):
            thing = reading.words[j]
            is_content = j in reading.in_names or thing.low not in FUNCTION_WORDS
            if is_content and not thing.is_mark:
                yield word.low, thing.stem
                break


def _is_compared_round(claim: str, sentence: str, words: tuple[str, str] | None = None) -> bool:
    """Whether the claim compares by one word (faster) what the sentence compares by another the
    other way round; by default by the same.
    """
    return any(
        ((degree, other) == words if words else degree == other)
        and before & theirs_after
        and after & theirs_before
        for degree, before, after in _compared(claim)
        for other, theirs_before, theirs_after in _compared(sentence)
    )


@lru_cache(maxsize=1024)
def _compared(text: str) -> frozenset[tuple[str, frozenset[str], frozenset[str]]]:
    """(the word that compares, the words before it, the words behind "than"), each without those of
    the other side.
    """
    lows = [word.low for word in read(text).words]
    found = set()
    for than in [i for i, low in enumerate(lows) if low == "than"][:_MAX_COMPARED]:
        near = range(than - 1, max(-1, than - 4), -1)
        at = next((i for i in near if lows[i].endswith("er") or lows[i] in DEGREES), None)
        if at is not None:
            before = frozenset(lows[:at])
            after = frozenset(low for low in lows[than + 1 :] if low.isalnum())
            found.add((lows[at], before - after, after - before))
    return frozenset(found)
