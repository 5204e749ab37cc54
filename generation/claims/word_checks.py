"""Checks of words: opposites, replaced and added words, small words and comparisons."""

import difflib
import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache

from dynagrag.generation.claims.claim_lexicon import (
    ARTICLES,
    CARDINALS,
    CONVERSE,
    DEGREES,
    OPPOSED_PREPOSITIONS,
    PLAIN_VERBS,
    PUT_TOGETHER,
)
from dynagrag.generation.claims.comparison import Comparison, Gap
from dynagrag.generation.claims.denials import denied_words
from dynagrag.generation.claims.reading import Reading, Word, read, same_word
from dynagrag.generation.claims.word_senses import is_irregular, lemma, near_verbs, opposed, senses
from dynagrag.language.words import COMMON_VERBS, FUNCTION_WORDS

_CONVERSE = frozenset(map(lemma, CONVERSE))
_PLAIN = frozenset(map(lemma, PLAIN_VERBS))
_NEEDLESS = _PLAIN | frozenset(map(lemma, PUT_TOGETHER))
_VERB_ENDINGS = ("ed", "ing")
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


def opposite_of(claim: Reading, line: Reading) -> tuple[str, str] | None:
    """A word of the claim in whose place the line has its opposite, and doesn't deny that.

    A small word must stand beside the same one: "is on", "is off"; "before the test", "after the
    test".
    """
    mine, theirs = denied_words(claim), denied_words(line)
    for i, word in claim.outside_names():
        if word.stem in line.stems:
            continue
        others = opposed(word.stem) - claim.stems
        for j, other in enumerate(line.words):
            if other.stem not in others or mine[i] != theirs[j]:
                continue
            if word.low not in FUNCTION_WORDS or any(
                _neighbour(claim, i, step) == _neighbour(line, j, step) != "" for step in (-1, 1)
            ):
                return word.low, other.low
    return None


_PASSED_OVER = ARTICLES | frozenset("still now just already again all also".split())


def _neighbour(reading: Reading, at: int, step: int) -> str:
    """The stem of the next word that counts; empty where a mark or the text's end comes first."""
    at += step
    while reading.word(at).low in _PASSED_OVER:
        at += step
    return "" if reading.word(at).is_mark else reading.word(at).stem


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
    is_same_text = matcher.ratio() >= _SAME_TEXT
    unsaid: frozenset[str] = frozenset() if is_same_text else _may_be_unsaid(comparison)
    for kind, a, b, c, d in matcher.get_opcodes():
        is_name = a == 0 and 0 in comparison.claim.in_names
        if kind != "replace" or is_name or max(b - a, d - c) > _MAX_WORDS:
            continue
        if not is_same_text and (a == 0 or b == len(mine)):
            continue  # of a longer sentence, only what stands between two common words
        for word in mine[a:b]:
            if word.stem not in unsaid and _is_missing(word, theirs):
                return Gap(f"says {theirs[c].text!r}, not {word.text!r}")
    return None


def _may_be_unsaid(comparison: Comparison) -> frozenset[str]:
    """Stems of the claim that a longer sentence needn't have in so many words."""
    predicate = comparison.predicate
    if predicate is None or not comparison.says(predicate):
        return _NEEDLESS
    return _NEEDLESS | {predicate.stem}


def described_gap(comparison: Comparison) -> Gap | None:
    """A word right before a thing, which the sentence always says with another word before it.

    Catches "retired seniors" of "all the working seniors". Passes it of "seniors".
    """
    claim, sentence = comparison.claim, comparison.sentence
    mine, theirs = frozenset(claim.content()), frozenset(sentence.content())
    for i in sorted(i for i in mine if i + 1 in mine):
        if not _is_missing(claim.words[i], sentence.words):
            continue
        stem = claim.words[i + 1].stem
        before = [j - 1 for j, word in enumerate(sentence.words) if word.stem == stem]
        if before and all(
            j in theirs and sentence.words[j].stem not in claim.stems for j in before
        ):
            return Gap(f"says {sentence.words[before[0]].text!r}, not {claim.words[i].text!r}")
    return None


def verb_gap(comparison: Comparison) -> Gap | None:
    """The claim's verb, or one near it, is nowhere in the sentence.

    Catches "Ann cancelled the campaign" of "Ann launched the campaign". Passes "took part", whose
    verb says little.
    """
    claim, predicate = comparison.claim, comparison.predicate
    if predicate is None or predicate.stem in _PLAIN or comparison.says(predicate):
        return None
    low = claim.words[predicate.at].low
    is_verb = low.endswith(_VERB_ENDINGS) or is_irregular(low) or low in COMMON_VERBS
    if not is_verb or not comparison.sentence.stems.isdisjoint(near_verbs(predicate.stem)):
        return None
    return Gap(f"does not say {low!r}")


def _is_missing(word: Word, theirs: Sequence[Word]) -> bool:
    """Whether a word that tells something has none of these that may say the same."""
    if word.low in CARDINALS or word.low.isdigit():
        return False  # of numbers another check tells
    is_telling = len(word.low) > 1
    wanted = near_verbs(word.stem)
    return is_telling and not any(
        other.stem in wanted or word.stem in senses(other.stem) or same_word(word.low, other.low)
        for other in theirs
    )


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
