"""How a text holds back from stating what it says: it asks, plans, wishes, or sets a condition."""

import re
from collections.abc import Sequence

from dynagrag.generation.claims.claim_lexicon import (
    ALMOST,
    ASKING,
    AUXILIARIES,
    BACKSHIFTED,
    CONDITIONAL,
    FORMER,
    FUTURE,
    HEARSAY,
    LIST_MARKS,
    OPENS_OBJECT,
    POSSIBLE,
    SELDOM,
    WANTED,
    WISHED_FOR,
)
from dynagrag.generation.claims.reading import Reading, Word
from dynagrag.generation.claims.word_senses import PAST, is_irregular, lemma, told_forms
from dynagrag.language.english.verbs import BASES

_BEFORE, _BEHIND = 6, 2
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
    if _is_imperative(reading, at) or _is_told_to(reading, start, at):
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


def _is_told_to(reading: Reading, start: int, at: int) -> bool:
    """Whether the sentence from `start` on opens with what somebody is to do, and nobody is named
    before a word who does it: the research and the search of "Do your research and find a lawyer".
    """
    while reading.word(start).low in _BEFORE_COMMAND:
        start += 1
    first = reading.word(start)
    if not start < at or first.low not in BASES or start in reading.in_names:
        return False
    between = reading.words[start + 1 : at]
    opener = between[0].low if between else ""
    if opener not in OPENS_OBJECT - {"that"} or reading.word(at - 1).low == "you":
        return False
    return _SUBJECTS.isdisjoint(word.low for word in between[1:])


_BEFORE_COMMAND = frozenset("please just so and then okay ok well now also first , -".split())
_SUBJECTS = frozenset("i we he she it they there who which that because but ; :".split())


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
