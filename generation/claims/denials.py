"""Whether a text denies what another says."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from dynagrag.generation.claims.claim_lexicon import (
    AUXILIARIES,
    DENIALS,
    FAILURES,
    LIST_MARKS,
    LITTLE_WORDS,
    NEGATIONS,
    PRONOUNS,
    UNTRUE,
)
from dynagrag.generation.claims.reading import Reading, Word
from dynagrag.generation.claims.word_senses import lemma, opposed, senses
from dynagrag.language.words import DETERMINERS, FUNCTION_WORDS

DENIES = "denies it"
"""The gap of a sentence that denies the claim."""
_REACH = 8


def denial_gap(claim: Reading, line: Reading) -> str:
    """Whether one of the two denies what the other says, in words; empty where they agree.

    A denial of what the other doesn't speak of is none.
    """
    if any(_is_undenied(claim, at, line) for at in denials_of(claim)):
        return "does not deny it"
    denials = denials_of(line)
    kept = [at for at in denials if not _is_set_right(line, at, claim)]
    if any(_is_denied(line, at, claim) for at in kept):
        return DENIES
    return _repeated_denial(claim, line) if kept == denials else ""


def _is_undenied(claim: Reading, at: int, line: Reading) -> bool:
    """Whether the claim denies with a word what the line says without a denial."""
    if any(opposed(word.stem) & line.stems for word in claim.words[at + 1 : at + 4]):
        return False  # "was not on" of "was off"
    scope = [i for i in _scope(claim, at) if senses(claim.words[i].stem) & line.stems]
    if not scope:
        return not denials_of(line)
    theirs = denied_words(line)
    places = (j for i in scope for j in _places(line, claim.words[i].stem))
    return denied_words(claim)[_most_telling(claim, scope)] and not any(theirs[j] for j in places)


def _is_denied(line: Reading, at: int, claim: Reading) -> bool:
    """Whether the line denies with a word, wherever it says it, what the claim never denies."""
    mine, theirs = denied_words(claim), denied_words(line)
    scope = [j for j in _scope(line, at) if theirs[j] and _places(claim, line.words[j].stem)]
    if not scope:
        return False
    stem = line.words[_most_telling(line, scope)].stem
    if any(not theirs[j] for j in _places(line, stem)):
        stems = {line.words[j].stem for j in scope}
        stem = next((s for s in stems if all(theirs[j] for j in _places(line, s))), "")
        if not stem or _says_behind(line, at, claim, theirs):
            return False  # "didn't sell it in May, he sold it in June"
    if any(mine[i] for i in _places(claim, stem)):
        return False
    # "denied that the pilot left" denies the pilot too, and "the pilot didn't leave" does not
    agreed = [any(mine[i] for i in _places(claim, line.words[j].stem)) for j in scope]
    return sum(agreed) * 2 <= len(agreed)


def _says_behind(line: Reading, at: int, claim: Reading, denied: list[bool]) -> bool:
    """Whether the line says a content word of the claim behind a place only, without a denial."""
    places = (_places(line, claim.words[i].stem) for i in (*claim.content(), *claim.in_names))
    return any(found and all(j > at and not denied[j] for j in found) for found in places)


def _is_set_right(line: Reading, at: int, claim: Reading) -> bool:
    """Whether the line says "not A but B" with this "not", and the claim has B and not all of A."""
    but = next(
        (i for i in range(at, len(line.words)) if line.words[i].low == "but"), len(line.words)
    )
    denied = {line.words[i].stem for i in _scope(line, at) if i < but}
    behind = {w.stem for w in line.words[but + 1 :] if w.is_word and w.low not in FUNCTION_WORDS}
    behind -= {word.stem for word in line.words[: but + 1]}
    return not behind.isdisjoint(claim.stems) and not denied <= claim.stems


def _repeated_denial(claim: Reading, line: Reading) -> str:
    """Whether one of the two has the other's words with a "not" between them ("I'm not sure about
    it"), whatever the line denies elsewhere.
    """
    mine, theirs = _content_steps(claim), _content_steps(line)
    for j in theirs.denied:
        num = _num_shared(theirs, j, mine)
        others = (  # with the same word before them, or one that shares what stands before it
            k
            for k in {*range(1, len(theirs.lows))} - theirs.denied
            if theirs.stems[k - 1] == theirs.stems[j - 1] or theirs.lows[k - 1] in LIST_MARKS
        )
        if num and not any(theirs.run(j, theirs, k) >= num for k in others):
            return DENIES
    for i in mine.denied:
        if _num_shared(mine, i, theirs) and not any(
            theirs.stems[k] in mine.stems[i:] for k in theirs.denied | theirs.reached
        ):
            return "does not deny it"
    return ""


@dataclass(frozen=True, slots=True)
class _Steps:
    """A text's words and marks but for those that say little; which of them a "not" stands before,
    and which any denial reaches.
    """

    lows: tuple[str, ...]
    stems: tuple[str, ...]
    denied: frozenset[int]
    reached: frozenset[int]

    def run(self, at: int, other: "_Steps", place: int) -> int:
        """How many words the two have in common from these places on."""
        pairs = zip(self.stems[at:], other.stems[place:], strict=False)
        return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _content_steps(reading: Reading) -> _Steps:
    denials = {at for at in denials_of(reading) if reading.words[at].low in _DENIES_NEXT}
    reached = denied_words(reading)
    kept = [
        i
        for i, word in enumerate(reading.words)
        if i not in denials and word.low not in LITTLE_WORDS
    ]
    return _Steps(
        tuple(reading.words[i].low for i in kept),
        tuple(reading.words[i].stem for i in kept),
        frozenset(
            k
            for k in range(1, len(kept))
            if not denials.isdisjoint(range(kept[k - 1] + 1, kept[k]))
        ),
        frozenset(k for k, i in enumerate(kept) if reached[i]),
    )


_DENIES_NEXT = frozenset(("not", "never"))
_SAYS_NOTHING = (
    AUXILIARIES
    | DETERMINERS
    | PRONOUNS
    | frozenset("in on at of to for by with from about as into".split())
)


def _num_shared(denying: _Steps, at: int, other: _Steps) -> int:
    """How many words behind a "not" the other text has without one, where they say something or are
    its last; 0 for none.
    """
    runs = [
        (k, denying.run(at, other, k))
        for k in range(1, len(other.lows))
        if other.stems[k - 1] == denying.stems[at - 1]
    ]
    shared = [
        num
        for k, num in runs
        if k not in other.denied | other.reached
        and (
            not _SAYS_NOTHING.issuperset(other.lows[k : k + num])
            or (num and not any(low.isalnum() for low in other.lows[k + num :]))
        )
    ]
    return max(shared, default=0)


def _most_telling(reading: Reading, places: list[int]) -> int:
    """The first place that isn't in a name: in "denied that Smith was fired" it is the firing that
    is denied.
    """
    return next((i for i in places if i not in reading.in_names), places[0])


def _places(reading: Reading, stem: str) -> list[int]:
    wanted = senses(stem)
    return [
        i for i, w in enumerate(reading.words) if w.stem in wanted and w.low not in FUNCTION_WORDS
    ]


def denied_words(reading: Reading) -> list[bool]:
    """Whether each word is denied: in the scope of an odd number of denials."""
    denied = [False] * len(reading.words)
    for at in denials_of(reading):
        for i in _scope(reading, at):
            denied[i] = not denied[i]
    return denied


def _scope(reading: Reading, at: int) -> list[int]:
    """The words that a denial reaches: those that follow in its clause, function words aside; out
    of quotation marks it doesn't reach.
    """
    words = reading.words
    commas = (i for i in range(at + 1, len(words) - 1) if words[i].text == ",")
    end = next((i for i in commas if at == 0 or _begins_anew(words, i + 1)), len(words))
    reach = [*range(at + 1, min(end, _quote_end(words, at), at + 1 + _REACH))]
    if words[at].low == "no":  # "saw no fire" denies the seeing, too
        before = range(at - 1, max(-1, at - 4), -1)
        reach[:0] = itertools.takewhile(lambda i: words[i].low not in _ENDS_DENIAL, before)
    return [
        i
        for i in reading.same_clause(at, reach)
        if not words[i].is_mark and words[i].low not in FUNCTION_WORDS
    ]


def _begins_anew(words: Sequence[Word], at: int) -> bool:
    """Whether behind a comma another statement begins: with a pronoun, or with "and" and a verb of
    its own.
    """
    return words[at].low in PRONOUNS or (
        words[at].low == "and"
        and any(word.low in AUXILIARIES for word in words[at + 1 : at + 1 + _SUBJECT])
    )


_SUBJECT = 5


def _quote_end(words: Sequence[Word], at: int) -> int:
    """Where the quotation marks close in which a word stands; the text's end where it stands in
    none.
    """
    if sum(word.text in _QUOTES for word in words[:at]) % 2 == 0:
        return len(words)
    return next((i for i in range(at + 1, len(words)) if words[i].text in _QUOTES), len(words))


_QUOTES = frozenset('"“”')
_ENDS_DENIAL = _QUOTES | frozenset(", and but or".split())


def denials_of(reading: Reading) -> list[int]:
    """Places of the words that deny."""
    found = []
    for i, word in reading.outside_names():
        leads, follows = reading.word(i - 1).low, reading.word(i + 1).low
        if not _NO_DENIALS.isdisjoint(((leads, word.low), (word.low, follows))):
            continue
        if (
            word.low in NEGATIONS
            or word.stem in _DENIAL_STEMS
            or (follows == "to" and word.stem in _FAILURE_STEMS)
            or (follows == "that" and word.low in UNTRUE)
        ):
            found.append(i)
    return found


_NO_DENIALS = frozenset(
    (
        ("not", "only"),
        ("no", "doubt"),
        ("without", "doubt"),
        *((word, mark) for word in ("no", "negative") for mark in ".,"),  # they answer
    )
)


_DENIAL_STEMS, _FAILURE_STEMS = frozenset(map(lemma, DENIALS)), frozenset(map(lemma, FAILURES))
