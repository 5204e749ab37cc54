"""How a text says what it says: does it deny, hedge, plan, ask, or speak of all or only some?"""

from dynagrag.generation.claims.claim_lexicon import (
    ALMOST,
    CONDITIONAL,
    EXCLUSIVE,
    FUTURE,
    MAJORITY,
    POSSIBLE,
    RELATIVE_TIMES,
    SELDOM,
    UNIVERSAL,
)
from dynagrag.generation.claims.comparison import Comparison, Gap
from dynagrag.generation.claims.denials import denial_gap
from dynagrag.generation.claims.moods import mood_gap
from dynagrag.generation.claims.reading import Reading
from dynagrag.generation.claims.reports import are_both_unheld
from dynagrag.generation.claims.word_senses import PARTICIPLES, PAST, lemma, senses

_REACH = 8
_RIGHT_BEFORE = 3
_AS_IT_IS_SAID = (UNIVERSAL, EXCLUSIVE, MAJORITY, SELDOM, ALMOST, RELATIVE_TIMES)
"""Kinds of words that a claim has only where the line has one of the kind."""


def stance_gap(comparison: Comparison) -> Gap | None:
    """The two differ in what they deny, hold back, ask, or say of all.

    Catches "Smith was fired" of "Smith was never fired", "the tank leaks" of "the tank may leak",
    "all cells failed" of "cell 1 failed". Passes "Smith was fired" of "Smith was fired, not
    promoted", "asked whether it leaks" of "Does it leak?".
    """
    claim, sentence, attribution = comparison.claim, comparison.sentence, comparison.attribution
    denial = "" if are_both_unheld(comparison) else denial_gap(claim, sentence)
    if denial:
        return Gap(denial, is_against=True)
    if attribution.is_asked:
        is_question = sentence.is_question or "whether" in sentence.lows
        return None if is_question else Gap("does not ask it")
    at = comparison.predicate.at if comparison.predicate else None
    mood = mood_gap(claim, at, sentence, _place(comparison), attribution.is_opinion)
    reason = mood or quantifier_gap(claim, sentence) or _undone(comparison)
    return Gap(reason) if reason else None


def _undone(comparison: Comparison) -> str:
    """Whether the claim tells as done what the line only names behind "to", "of" or "for", in
    words: "is on course to win", "close to winning".
    """
    claim, line, predicate = comparison.claim, comparison.sentence, comparison.predicate
    if predicate is None or not comparison.places or not _is_done(claim, predicate.at):
        return ""
    is_named = all(_is_only_named(line, at) for at in comparison.places)
    return "does not say that it was done" if is_named else ""


def _is_done(claim: Reading, at: int) -> bool:
    """Whether a verb of a claim is a past or a perfect: won, has won, was won."""
    before = [word.low for word in claim.words[max(0, at - _RIGHT_BEFORE) : at]]
    low = claim.words[at].low
    is_past = low.endswith("ed") or low in PAST or low in PARTICIPLES
    is_held = "to" in before or not _MODAL.isdisjoint(before)
    return (is_past or not _PERFECT.isdisjoint(before)) and not is_held


def _is_only_named(line: Reading, at: int) -> bool:
    """Whether a verb stands behind "to" (build, be built) or as an "-ing" behind "to", "of" or
    "for", under a word that doesn't say that it happens.
    """
    low, before = line.words[at].low, at - 1
    is_ing = low.endswith("ing")
    while line.word(before).low.endswith("ly") or line.word(before).low in ("be", "not"):
        before -= 1
    is_passive = "be" in (line.word(at - 1).low, line.word(at - 2).low)
    is_base = not (is_ing or low.endswith("ed") or (low in PAST or low in PARTICIPLES))
    if line.word(before).low not in (_OPENS_ING if is_ing else _OPENS_BASE):
        return False
    head = before - 2 if line.word(before - 1).low == "together" else before - 1
    serves = line.word(head).low.endswith("ed") and line.word(head - 1).text == ","
    if serves or line.word(head).stem in _HAPPENS:
        return False  # "cells, wired to provide power" provide it
    return is_ing or is_base or is_passive


_MODAL = FUTURE | POSSIBLE | CONDITIONAL
_PERFECT = frozenset(("has", "have", "had"))
_OPENS_ING = frozenset(("to", "of", "for"))
_OPENS_BASE = frozenset(("to", "because"))
"""Because stands for every "due to", also for that of "due to close"."""
_HAPPENS = frozenset(map(lemma, "manage happen use get have go on come help able force".split()))
"""Words behind which "to" and a verb say that it happens: managed to, went on to."""


def _place(comparison: Comparison) -> int | None:
    """The word of the sentence at which it says what the claim says: the predicate's, else that
    with most of the claim's words around.
    """
    claim, words = comparison.claim, comparison.sentence.words
    wanted = {sense for i in claim.content() for sense in senses(claim.words[i].stem)}
    wanted |= {claim.words[i].stem for i in claim.in_names}
    hits = [i for i, word in enumerate(words) if word.stem in wanted]

    def num_around(place: int) -> int:
        clause = words[place].clause
        return sum(abs(place - i) <= _REACH and words[i].clause == clause for i in hits)

    return max(comparison.places or hits, key=lambda i: (num_around(i), -i), default=None)


def quantifier_gap(claim: Reading, line: Reading) -> str:
    """A word of the claim for how many, how often or when (all, rarely, next) where the line has
    none of the kind, in words. "Nearly 400" says how many by its number.
    """
    mine = {w.low for i, w in claim.outside_names() if not claim.word(i + 1).text[:1].isdigit()}
    for words in _AS_IT_IS_SAID:
        if mine & words and not line.lows & words:
            return f"does not say {min(mine & words)!r}"
    return ""
