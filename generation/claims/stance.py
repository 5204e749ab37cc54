"""How a text says what it says: does it deny, hedge, plan, ask, or speak of all or only some?"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from dynagrag.generation.claims.claim_lexicon import (
    ALMOST,
    ARTICLES,
    ASKING,
    AUXILIARIES,
    BACKSHIFTED,
    CONDITIONAL,
    DENIALS,
    EXCLUSIVE,
    FAILURES,
    FORMER,
    FUTURE,
    HEARSAY,
    LIST_MARKS,
    LITTLE_WORDS,
    MAJORITY,
    NEGATIONS,
    OPENS_OBJECT,
    POSSIBLE,
    PRONOUNS,
    RELATIVE_TIMES,
    SELDOM,
    UNIVERSAL,
    UNTRUE,
    WANTED,
    WISHED_FOR,
)
from dynagrag.generation.claims.comparison import Comparison, Gap
from dynagrag.generation.claims.reading import Reading, Word
from dynagrag.generation.claims.word_senses import (
    PARTICIPLES,
    PAST,
    is_irregular,
    lemma,
    opposed,
    senses,
    told_forms,
)
from dynagrag.language.words import DETERMINERS, FUNCTION_WORDS

DENIES = "denies it"
"""The gap of a sentence that denies the claim."""
_BEFORE, _BEHIND = 6, 2
_REACH = 8
_MOODS = {
    "possible": POSSIBLE,
    "future": FUTURE,
    "wanted": WANTED,
    "conditional": CONDITIONAL,
}
_LESSENED = {"almost": ALMOST, "seldom": SELDOM, "former": FORMER}
"""Words that hold back when they stand right before the word."""
_PHRASES = {
    "future": ("going to", "about to"),
    "possible": HEARSAY,
    "question": ("asked if", "whether"),
}
_RIGHT_BEFORE = 3
_ENDS_SENTENCE = frozenset(".;!?")
_CONDITION = (
    r"(?<!\bas )(?<!\beven )\bif\b"
    r"|\bunless\b|\bassuming\b|\bas long as\b|\bin (?:case|the event)\b"
    r"|\bon condition\b|\bonly (?:if|once|with|after)\b"
)
_CONDITION_BEHIND = re.compile(
    rf"{_CONDITION}|\bprovid(?:ed|ing)(?: that| the| it| he| she| they| we)\b|\bor so\b"
)
"""Behind a verb; "he asked if" stands before what he asked."""
_CONDITION_BEFORE = re.compile(
    r"(?:^|[,:–—-] |\b(?:and|but|so|that|then) )"
    rf"(?:{_CONDITION}|provid(?:ed|ing)\b|suppos(?:e|ing)\b)"
    r"|^(?:had|should|were) (?:i|we|you|he|she|it|they|the|this|that|my|our)\b"
)
"""It opens the sentence or a part of it."""
_STEMS = {mood: frozenset(map(lemma, hints)) - {"let"} for mood, hints in _MOODS.items()}
"""Lets is no let's: what lets us move allows it."""
_HELD_BACK = {
    "possible": POSSIBLE | CONDITIONAL,
    "future": FUTURE | WANTED | {"going", "gonna", "about"},
}
"""Words that say a mood in another way."""
_WORDING = {
    "possible": "only holds it possible",
    "future": "speaks of what is to come",
    "wanted": "says what should be",
    "conditional": "sets a condition",
    "question": "only asks it",
    "almost": "says that it only nearly is so",
    "seldom": "says that it is so only now and then",
    "former": "says that it was so once",
}
_AS_IT_IS_SAID = (UNIVERSAL, EXCLUSIVE, MAJORITY, SELDOM, ALMOST, RELATIVE_TIMES)
"""Kinds of words that a claim has only where the line has one of the kind."""


def stance_gap(comparison: Comparison) -> Gap | None:
    """The two differ in what they deny, hold back, ask, or say of all.

    Catches "Smith was fired" of "Smith was never fired", "the tank leaks" of "the tank may leak",
    "all cells failed" of "cell 1 failed". Passes "Smith was fired" of "Smith was fired, not
    promoted", "asked whether it leaks" of "Does it leak?".
    """
    claim, sentence, attribution = comparison.claim, comparison.sentence, comparison.attribution
    if denial := denial_gap(claim, sentence):
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


def denial_gap(claim: Reading, line: Reading) -> str:
    """Whether one of the two denies what the other says, in words; empty where they agree.

    A denial of what the other doesn't speak of is none.
    """
    if any(_is_undenied(claim, at, line) for at in _denials(claim)):
        return "does not deny it"
    denials = _denials(line)
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
        return not _denials(line)
    theirs = _denied(line)
    places = (j for i in scope for j in _places(line, claim.words[i].stem))
    return _denied(claim)[_most_telling(claim, scope)] and not any(theirs[j] for j in places)


def _is_denied(line: Reading, at: int, claim: Reading) -> bool:
    """Whether the line denies with a word, wherever it says it, what the claim never denies."""
    mine, theirs = _denied(claim), _denied(line)
    scope = [j for j in _scope(line, at) if theirs[j] and _places(claim, line.words[j].stem)]
    if not scope:
        return False
    stem = line.words[_most_telling(line, scope)].stem
    if any(not theirs[j] for j in _places(line, stem)):
        stems = {line.words[j].stem for j in scope}
        stem = next((s for s in stems if all(theirs[j] for j in _places(line, s))), "")
        if not stem or _says_behind(line, at, claim, theirs):
            return False  # "didn't sell it in May, he sold it in June"
    return not any(mine[i] for i in _places(claim, stem))


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
    denials = {at for at in _denials(reading) if reading.words[at].low in _DENIES_NEXT}
    reached = _denied(reading)
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


def _denied(reading: Reading) -> list[bool]:
    """Whether each word is denied: in the scope of an odd number of denials."""
    denied = [False] * len(reading.words)
    for at in _denials(reading):
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


def _denials(reading: Reading) -> list[int]:
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


def _near(reading: Reading, at: int | None) -> Sequence[Word]:
    """The words round a place in its clause, names aside; of the whole text without a place."""
    if at is None:
        return [word for _, word in reading.outside_names()]
    start = max(0, at - _BEFORE)
    if reading.word(at - 1).low in LIST_MARKS and _is_finite_past(reading, at):
        start = at  # "promised to come and came"
    around = range(start, min(len(reading.words), at + _BEHIND + 1))
    clause = reading.same_clause(at, around)
    passed = reading.in_names | {i for i in around if i < at and _frames_fact(reading, i, at)}
    return [reading.words[i] for i in clause if i not in passed]


def _frames_fact(reading: Reading, i: int, at: int) -> bool:
    """Whether a modal word stands in a frame of what is so: "you will recall that it leaked". "We
    will see that it is shut" makes it so.
    """
    words = reading.words
    if words[i].low not in _FRAME_MODALS:
        return False
    knows = i + 1
    while knows < at and words[knows].low in _FRAME_ADVERBS:
        knows += 1
    behind = {word.low for word in words[knows + 1 : min(at, knows + 1 + _BEHIND_FRAME)]}
    is_told = knows < at and (
        words[knows].low in _KNOWING or (words[knows].low in _SEEING and "that" in behind)
    )
    return is_told and not (words[knows].low == "see" and reading.word(i - 1).low in ("i", "we"))


_FRAME_MODALS = frozenset("will would shall may might can should must".split())
_FRAME_ADVERBS = frozenset("all also both be already surely certainly no doubt well".split())
_KNOWING = frozenset("know remember aware recall".split())
_SEEING = frozenset("see note notice".split())
_BEHIND_FRAME = 6


def _is_finite_past(reading: Reading, at: int) -> bool:
    """Whether a word is a past that nothing before it governs, as in "has closed"."""
    low = reading.words[at].low
    before = {word.low for word in reading.words[max(0, at - _BEFORE) : at]}
    return (low in PAST or low.endswith("ed")) and before.isdisjoint(AUXILIARIES)


def moods(
    reading: Reading, at: int | None, without: frozenset[str] = frozenset()
) -> frozenset[str]:
    """The ways in which a text holds back from stating what it says at a word, `without` some
    words; of all of it by default.
    """
    near = [w for w in _near(reading, at) if w.text != "May" and w.low not in without]
    joined = " ".join(w.low for w in near)
    found = {
        mood
        for mood, hints in _MOODS.items()
        if any(w.low in hints or w.stem in _STEMS[mood] for w in near)
    }
    found |= {mood for mood, phrases in _PHRASES.items() if any(p in joined for p in phrases)}
    if WISHED_FOR.search(joined):
        found.add("wanted")
    if reading.is_question:
        found.add("question")
    if at is None:
        return frozenset(found | ({"conditional"} if _CONDITION_BEHIND.search(joined) else set()))
    before = {w.low for w in reading.words[max(0, at - _RIGHT_BEFORE) : at]}
    found |= {mood for mood, hints in _LESSENED.items() if hints & before}
    ends = (i for i in range(at - 1, -1, -1) if reading.words[i].text in _ENDS_SENTENCE)
    start = next(ends, -1) + 1
    if _CONDITION_BEHIND.search(" ".join(w.low for w in reading.words[at + 1 :])) or (
        _CONDITION_BEFORE.search(" ".join(w.low for w in reading.words[start:at]))
    ):
        found.add("conditional")
    if _is_imperative(reading, at):
        found.add("wanted")
    return frozenset(found)


def _is_imperative(reading: Reading, at: int) -> bool:
    """Whether a verb opens its sentence in its base form, or stands behind a name that is spoken
    to: "Sam, close the valve".
    """
    low = reading.words[at].low
    if at in reading.in_names or reading.word(at + 1).low not in OPENS_OBJECT:
        return False
    if low.endswith(("ed", "ing", "s")) or is_irregular(low):
        return False
    is_called = reading.word(at - 1).text == "," and at - 2 in reading.in_names
    return at == 0 or (is_called and at <= 4)


def mood_gap(
    claim: Reading,
    claim_at: int | None,
    line: Reading,
    line_at: int | None,
    is_opinion: bool = False,
) -> str:
    """The way in which the line holds back and the claim doesn't, in words; empty where there is
    none.
    """
    said = moods(claim, claim_at)
    if "question" in said and not line.is_question and line.lows.isdisjoint(_ASKS):
        return "does not ask it"
    theirs = moods(line, line_at)
    outright = moods(claim, claim_at, without=BACKSHIFTED)
    unsaid = {
        mood
        for mood in outright & _HELD_BACK.keys()
        if mood not in theirs and not line.lows & _HELD_BACK[mood]
    }
    if unsaid:
        return "states it outright" if "possible" in unsaid else "does not speak of what is to come"
    if "possible" in said or is_opinion:
        said |= _MOODS.keys()
    if "would" in claim.lows:
        said |= {"future"}  # "it will", told of another day
    gap = sorted(theirs - said - moods(claim, None))
    return _WORDING[gap[0]] if gap else ""


_ASKS = told_forms(ASKING) | {"whether", "ask", "asking", "question", "?"}


def quantifier_gap(claim: Reading, line: Reading) -> str:
    """A word of the claim for how many, how often or when (all, rarely, next) where the line has
    none of the kind, in words. "Nearly 400" says how many by its number.
    """
    mine = {w.low for i, w in claim.outside_names() if not claim.word(i + 1).text[:1].isdigit()}
    for words in _AS_IT_IS_SAID:
        if mine & words and not line.lows & words:
            return f"does not say {min(mine & words)!r}"
    return ""


def opposite_of(claim: Reading, line: Reading) -> tuple[str, str] | None:
    """A word of the claim in whose place the line has its opposite, and doesn't deny that.

    A small word must stand beside the same one: "is on", "is off"; "before the test", "after the
    test".
    """
    mine, theirs = _denied(claim), _denied(line)
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
