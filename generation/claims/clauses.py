"""The clauses of a sentence that state something of their own, found by English word lists: there
is no parser here, so what isn't plain stays one clause. A clause has its own subject and verb, or
shares the first clause's subject, which then completes it.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from dynagrag.generation.claims.claim_lexicon import (
    ADVERBS,
    ARTICLES,
    ASKING,
    ASSURING,
    AUXILIARIES,
    NEGATED_AUXILIARIES,
    OPENS_NO_SUBJECT,
    QUANTIFIERS,
    RELATIVE,
    SAYING,
    SUBJECT_PRONOUNS,
    THINKING,
)
from dynagrag.generation.claims.word_senses import PARTICIPLES, PAST, told_forms
from dynagrag.language.sentences import num_words
from dynagrag.language.words import COMMON_VERBS, DETERMINERS

_AUXILIARIES = AUXILIARIES | NEGATED_AUXILIARIES
_PAST = PAST | {"cut", "hit", "put", "quit", "shut"}
_PRESENT = frozenset(verb for verb in COMMON_VERBS if verb.endswith("s") and "'" not in verb) - {
    "lets",
    "lots",
    "sounds",
}
_REPORTING = SAYING | ASKING | THINKING | ASSURING
_REPORTS = told_forms(_REPORTING) | _REPORTING
_DETERMINERS = DETERMINERS | QUANTIFIERS
_OPENS_REPORT = (["that"], ["if"], ["whether"], ["how"], ["why"], ["what"])
_JOINT = re.compile(
    r"(?P<semicolon>;)\s+|,\s+(?P<which>which|who)\s+|"
    r"(?P<comma>,)?\s+(?P<word>and|but|while|whereas)\s+"
)
_MARK = re.compile(r"\[E\d+\]")
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|\([^)]*\)")
_WORD = re.compile(r"[^\s,;:.!?]+(?:\.\d+)?")
_LISTED = re.compile(r",|;|\band\b|\bor\b|&")
_BEFORE_STOP = re.compile(r"\s+(?=[.,;!?])")
_MAX_SUBJECT_WORDS = 8
_MAX_ANTECEDENT_WORDS = 10
_MAX_PART_SUBJECT_WORDS = 3
"""Longer ones are oftener lists than subjects: "mystery and horror film starring Ann, directed"."""
_MIN_CLAIM_WORDS = 4


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence, from `start` to `end`, and its words as they stand alone."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _SubjectAndVerb:
    """A clause's subject, the auxiliaries of its first verb, and what comes after the verb.
    `is_report`: somebody says something in it.
    """

    subject: str
    auxiliaries: str
    rest: str
    is_participle: bool
    is_report: bool


def clauses(sentence: str) -> list[Clause]:
    """The clauses in order, at least one; marks like [E1] stay in the spans and are no words of a
    clause.
    """
    words = _MARK.sub(lambda mark: " " * len(mark[0]), sentence)
    found: list[Clause] = []
    start, prefix = 0, ""
    for joint in _joints(words):
        before = _joined(f"{prefix} {words[start : joint.start()]}")
        completion = _completion(_parts(before), joint, words[joint.end() :])
        if completion is not None:
            found.append(Clause(start, joint.start(), before))
            start, prefix = joint.end(), completion
    return [*found, Clause(start, len(sentence), _joined(f"{prefix} {words[start:]}"))]


@lru_cache(maxsize=4096)
def independent_parts(sentence: str) -> tuple[str, ...]:
    """The parts of a sentence that could be sentences themselves: each with a subject and a verb of
    its own; the whole where it has one.
    """
    words = _MARK.sub(lambda mark: " " * len(mark[0]), sentence)
    parts, start = [], 0
    for joint in _joints(words):
        following = words[joint.end() :]
        right = following[: stop.start()] if (stop := _JOINT.search(following)) else following
        before, behind = words[: joint.start()].split(), right.split()
        if not before or not behind:
            continue  # "and ;", or a text that opens with "and"
        own = None if joint["which"] else _parts(right)
        is_listed = joint["word"] and not joint["comma"] and _is_list(before[-1], behind[0])
        is_plain = (
            own
            and own.subject.casefold() not in RELATIVE
            and len(own.subject.split()) <= _MAX_PART_SUBJECT_WORDS
        )
        if is_plain and not is_listed and _parts(_joined(words[start : joint.start()])):
            parts.append(_joined(words[start : joint.start()]))
            start = joint.end()
    return (*parts, _joined(words[start:]))


def _is_list(before: str, behind: str) -> bool:
    """Whether two words round an "and" are of a list: two names, or a number: "Ann and Bob", "cells
    1 and 3".
    """
    return behind[0].isdigit() or (before[0].isupper() and behind[0].isupper())


@lru_cache(maxsize=4096)
def is_joint(sentence: str) -> bool:
    """Whether something is joined in what it says: by "and", "but", a semicolon or ", which". "Ann
    and Bob met" joins those who did it.
    """
    own = _parts(sentence)
    subject = sentence.find(own.subject) + len(own.subject) if own else 0
    return any(joint.start() >= subject for joint in _joints(sentence))


def states_something(text: str) -> bool:
    """Whether a text says something of something, rather than only naming things ("Ada Byron, Acme
    Works and Delft").
    """
    words = _MARK.sub(" ", text)
    return _parts(words) is not None or any(
        num_words(part) >= _MIN_CLAIM_WORDS for part in _LISTED.split(words)
    )


def has_verb(text: str) -> bool:
    """Whether a word of a text is plainly its verb, with something before it."""
    return _parts(_MARK.sub(" ", text)) is not None


def _joined(text: str) -> str:
    return _BEFORE_STOP.sub("", " ".join(text.split()))


def _joints(words: str) -> list[re.Match[str]]:
    """The places where a clause may end: none within quotation marks or brackets."""
    quoted = [match.span() for match in _QUOTED.finditer(words)]
    return [
        joint
        for joint in _JOINT.finditer(words)
        if not any(start < joint.start() < end for start, end in quoted)
    ]


def _completion(left: _SubjectAndVerb | None, joint: re.Match[str], following: str) -> str | None:
    """What the words after a joint lack to stand alone: nothing where they have a subject, else
    that subject; None where they can't.
    """
    if left is None:
        return None
    right = following[: stop.start()] if (stop := _JOINT.search(following)) else following
    if joint["which"]:
        return _antecedent(left) if _opens_with_verb(right) else None
    own = _parts(right)
    is_set_apart = joint["semicolon"] or joint["comma"]
    if own is not None and (is_set_apart or own.subject.casefold() in SUBJECT_PRONOUNS):
        return None if left.is_report and not joint["semicolon"] and not own.is_report else ""
    if joint["semicolon"] or joint["word"] in ("while", "whereas") or left.is_report:
        return None
    return _shared_subject(left, right)


def _antecedent(left: _SubjectAndVerb) -> str | None:
    """What "which" stands for: all that follows the verb, where that is no clause itself."""
    words = left.rest.split()
    is_plain = (
        1 < len(words) <= _MAX_ANTECEDENT_WORDS
        and not left.is_report
        and words[0].casefold() not in OPENS_NO_SUBJECT
    )
    return left.rest if is_plain and _parts(left.rest) is None else None


def _shared_subject(left: _SubjectAndVerb, right: str) -> str | None:
    """The first clause's subject, with its auxiliaries where the words go on with another
    participle: "was inspected and repaired".
    """
    words = [word.casefold() for word in _WORD.findall(right)]
    verb = next((word for word in words if word not in ADVERBS), "")
    if verb in _AUXILIARIES:
        return left.subject
    if not left.auxiliaries:
        return left.subject if verb in _PRESENT or _is_past(verb) else None
    return (
        f"{left.subject} {left.auxiliaries}"
        if left.is_participle and (_is_past(verb) or verb in PARTICIPLES)
        else None
    )


def _opens_with_verb(text: str) -> bool:
    words = [word.casefold() for word in _WORD.findall(text)[:2]]
    return bool(words) and (words[0] in _AUXILIARIES or words[0] in _PRESENT or _is_past(words[0]))


def _is_past(word: str) -> bool:
    return word in _PAST or (len(word) > 4 and word.endswith("ed"))


def _parts(text: str) -> _SubjectAndVerb | None:
    """A clause cut at its first verb; None where no word is plainly one, or nothing stands before
    it.
    """
    words = list(_WORD.finditer(text))
    low = [word[0].casefold().replace("’", "'") for word in words]
    i = next(
        (
            i
            for i in range(1, min(len(words), _MAX_SUBJECT_WORDS + 1))
            if _is_verb(words[i][0], low[i - 1]) or _is_present(low, i)
        ),
        None,
    )
    if (
        i is None or low[0] in OPENS_NO_SUBJECT
    ):  # "If A, B and C": what is said depends on how it begins
        return None
    first, last = 0, i
    while first < last and low[first] in ADVERBS:
        first += 1
    while last > first and low[last - 1] in ADVERBS:
        last -= 1
    if first == last:
        return None
    verb = i
    while verb < len(low) and (low[verb] in _AUXILIARIES or low[verb] in ADVERBS):
        verb += 1
    chain = " ".join(word[0] for word in words[i:verb])
    is_participle = (
        bool(chain) and verb < len(low) and (_is_past(low[verb]) or low[verb] in PARTICIPLES)
    )
    after = verb if chain and not is_participle else verb + 1
    rest = text[words[after].start() :].strip(" .!?") if after < len(words) else ""
    is_report = not {*low[i : after + 1]}.isdisjoint(_REPORTS) and (
        low[after : after + 1] in _OPENS_REPORT or _parts(rest) is not None
    )
    subject = text[words[first].start() : words[last - 1].end()]
    is_whole = subject.count("(") == subject.count(")") and not set(subject) & set('"“”')
    return _SubjectAndVerb(subject, chain, rest, is_participle, is_report) if is_whole else None


def _is_present(low: list[str], i: int) -> bool:
    """Whether a word is the present tense of any verb: "Bob leads the office". A plural has no
    article behind it.
    """
    is_third = low[i].endswith("s") and not low[i].endswith(("ss", "us", "is")) and low[i].isalpha()
    return (
        is_third
        and i + 1 < len(low)
        and (low[i + 1] in ARTICLES or low[i + 1][0].isdigit())
        and low[i - 1] not in _DETERMINERS | OPENS_NO_SUBJECT
    )


def _is_verb(word: str, before: str) -> bool:
    low = word.casefold().replace("’", "'")
    if low in _AUXILIARIES:
        return before not in _DETERMINERS
    if before in _DETERMINERS or word != low:  # a capital amid a sentence is a name's
        return False
    return (
        low in _PRESENT
        or low in _REPORTS
        or _is_past(low)
        or (before in SUBJECT_PRONOUNS and low in COMMON_VERBS)
    )
