"""Whether a line gives another place, of the same kind, for what is in one place only: another
state, country or circuit.
"""

from collections.abc import Iterable, Iterator
from functools import cache

from dynagrag.generation.claims.claim_lexicon import ARTICLES, BE, OPENS_STATEMENT, RELATIVE
from dynagrag.generation.claims.comparison import Comparison, Gap
from dynagrag.generation.claims.denials import denied_words
from dynagrag.generation.claims.name_match import Span
from dynagrag.generation.claims.reading import Reading
from dynagrag.generation.claims.roles import is_auxiliary, is_be
from dynagrag.generation.claims.stance import stance_gap
from dynagrag.generation.claims.word_senses import alike, lemma, senses
from dynagrag.language.english.data import groups_of, values_of
from dynagrag.language.thesaurus import GroupKind
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import FUNCTION_WORDS

_AT = frozenset(("in", "from", "of"))
"""Prepositions before the place where something is, or comes from: in, from, out of."""
_ONCE = frozenset(
    map(lemma, "born die bury happen occur originate arise crash explode sink".split())
)
"""What happens in one place."""
_ONCE_SUFFERED = frozenset(
    map(lemma, "base convict found hold kill locate murder prosecute sentence situate try".split())
)
"""What is done in one place, where "was" stands before it: was convicted in."""
_MANY = frozenset("and all another both each every few many most other several some".split())
_INDEFINITE = frozenset(("a", "an", "any", "no", *_MANY))
_PAST_BE = frozenset(("was", "were"))
_REACH = 8
"""Words behind a verb among which its place stands."""


def place_gap(comparison: Comparison) -> Gap | None:
    """The sentence says that the same thing is, or happened, in another place of the same kind, of
    which it can have one only.

    Catches "the case comes from Florida" of "the case comes from Georgia", "it was in the Eleventh
    Circuit" of "it was not in the Eleventh Circuit but in the Ninth". Passes "they sell cars in
    Florida" of "they sell cars in Georgia", "in Atlanta" of "in Georgia", and lists.
    """
    claim, sentence = comparison.claim, comparison.sentence
    for span in claim.names:
        kind = _kind(claim, span)
        if kind is None or not _is_at(claim, span) or not _is_unsaid(comparison, span):
            continue
        others = [other for other in sentence.names if _is_of_kind(sentence, other, kind[0])]
        told = [other for other in others if _is_at(sentence, other)]
        if len({_kind(sentence, other) for other in others}) != 1 or not told:
            continue
        if _is_of_same(comparison, span, told[0]):
            said = _text(sentence, told[0])
            return Gap(f"says {said!r}, not {_text(claim, span)!r}", is_against=True)
    return None


def _text(reading: Reading, span: Span) -> str:
    return " ".join(word.text for word in reading.words[slice(*span)])


@cache
def _kinds() -> dict[str, str]:
    """By place, a word for its kind."""
    groups = groups_of(GroupKind.EXCLUSIVE_PLACES)
    return {place.replace("_", " "): group[0] for group in groups for place in group}


_ORDINALS = frozenset(values_of(WordClass.ORDINAL))


def _kind(reading: Reading, span: Span) -> tuple[str, str] | None:
    """A name's kind and which one of the kind it is; None of a name that is of none."""
    lows = [word.low for word in reading.words[slice(*span)] if word.low not in ARTICLES]
    name = " ".join(lows)
    if name in _kinds():
        return _kinds()[name], name
    if len(lows) > 1 and lows[0] in _ORDINALS:
        return " ".join(lows[1:]), lows[0]  # Ninth Circuit
    return None


def _is_at(reading: Reading, span: Span) -> bool:
    """Whether a name tells where: behind a preposition, or behind a place in it (in Atlanta,
    Georgia).
    """
    at = span[0] - 1
    inner = next((start for start, end in reading.names if end == at), None)
    if reading.word(at).text == "," and inner is not None:
        at = inner - 1
    while reading.word(at).low in ARTICLES:
        at -= 1
    return reading.word(at).low in _AT


def _is_unsaid(comparison: Comparison, span: Span) -> bool:
    """Whether the sentence lacks a place of the claim, or only denies it."""
    claim, sentence = comparison.claim, comparison.sentence
    same = [name for name in sentence.names if _kind(sentence, name) == _kind(claim, span)]
    if not same:
        return not comparison.is_named(span)
    return all(_is_denied(sentence, name) for name in same)


def _is_denied(sentence: Reading, span: Span) -> bool:
    return all(denied_words(sentence)[i] for i in _telling(sentence, range(*span)))


def _telling(reading: Reading, places: Iterable[int]) -> list[int]:
    return [
        i
        for i in places
        if reading.words[i].low not in FUNCTION_WORDS and not reading.words[i].is_mark
    ]


def _is_of_kind(sentence: Reading, span: Span, kind: str) -> bool:
    """Whether the sentence tells with a name, undenied, of a place of this kind."""
    found = _kind(sentence, span)
    return found is not None and found[0] == kind and not _is_denied(sentence, span)


def _is_of_same(comparison: Comparison, span: Span, other: Span) -> bool:
    """Whether claim and sentence tell the two places of one thing, in one way, and the sentence
    holds nothing back but that it may deny the claim's place.
    """
    verb = _verb(comparison, span)
    rest = [name for name in comparison.claim.names if name != span]
    if verb is None or not _is_one_thing(comparison, verb):
        return False
    if not all(comparison.is_named(name) for name in rest):
        return False
    gap = stance_gap(comparison)
    if gap and not (gap.is_against and comparison.has_name(span)):
        return False
    return any(at < other[0] <= at + _REACH for at in _told(comparison, verb, other))


def _verb(comparison: Comparison, span: Span) -> int | None:
    """The claim's verb before its place, where it tells of one place only: "was in", "was born in",
    "comes from", "took place in".
    """
    claim, predicate = comparison.claim, comparison.predicate
    if predicate is None:
        be = [i for i, word in claim.outside_names() if is_be(word) and i < span[0]]
        is_bare = bool(be) and all(
            word.low in FUNCTION_WORDS for word in claim.words[be[0] + 1 : span[0]]
        )
        return be[0] if is_bare else None
    at, stem, follows = predicate.at, predicate.stem, claim.word(predicate.at + 1).low
    is_suffered = any(is_be(word) for word in claim.words[max(0, at - 3) : at])
    is_once = (
        stem in _ONCE
        or (stem in _ONCE_SUFFERED and is_suffered)
        or (stem == lemma("take") and follows == "place")
        or (stem == lemma("come") and follows in ("from", "out"))
    )
    return at if is_once and at < span[0] else None


def _is_one_thing(comparison: Comparison, verb: int) -> bool:
    """Whether what stands before the claim's verb is one known thing, and the sentence has it."""
    claim, sentence = comparison.claim, comparison.sentence
    before = [i for i in range(verb) if not is_auxiliary(claim.words[i])]
    telling = _telling(claim, before) or before
    if not before or any(claim.words[i].low in _INDEFINITE for i in before):
        return False
    last = telling[-1]
    low = claim.words[last].low
    is_plural = low.endswith("s") and not low.endswith("ss")
    if (last == 0 or last not in claim.in_names) and (is_plural or telling == before):
        return False  # the cars were, Cars were; Thomas too
    named = {i for span in claim.names if comparison.is_named(span) for i in range(*span)}
    return all(i in named or _has_one(sentence, claim.words[i].stem) for i in telling)


def _has_one(sentence: Reading, stem: str) -> bool:
    """Whether a sentence has a word, and never speaks of another or of several: another trial."""
    wanted = senses(stem)
    places = [i for i, word in enumerate(sentence.words) if word.stem in wanted]
    return bool(places) and all(
        _MANY.isdisjoint(word.low for word in sentence.words[max(0, i - 2) : i]) for i in places
    )


def _told(comparison: Comparison, verb: int, other: Span) -> Iterator[int]:
    """Where the sentence says the claim's verb of the place that it gives; for "is in" also where
    the thing itself stands right before it: "the Drew case out of the Ninth Circuit".
    """
    sentence, predicate = comparison.sentence, comparison.predicate
    if predicate is None:
        be = comparison.claim.words[verb].low
        places = [i for i, word in sentence.outside_names() if _is_same_be(word.low, be)]
        lead = max(_telling(sentence, range(other[0])), default=other[0])
        things = {comparison.claim.words[i].stem for i in _telling(comparison.claim, range(verb))}
        is_beside = not any(word.low in BE for word in sentence.words[lead : other[0]])
        places += [lead] if is_beside and sentence.words[lead].stem in things else []
    else:
        stems = alike(predicate.stem)
        places = [at for at in comparison.places if sentence.words[at].stem in stems]
    for at in places:
        between = sentence.words[at + 1 : other[0]]
        if not any(w.low in _ENDS or w.text in _MARKS for w in between):
            yield at


def _is_same_be(low: str, be: str) -> bool:
    return low in BE and (low in _PAST_BE) == (be in _PAST_BE)


_ENDS, _MARKS = RELATIVE | OPENS_STATEMENT, frozenset(";.!?")
