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
    OPENS_STATEMENT,
    PART_SUBORDINATORS,
    PRONOUNS_OF_OTHERS,
    QUANTIFIERS,
    RELATIVE,
    SAYING,
    SUBJECT_PRONOUNS,
    THINKING,
)
from dynagrag.generation.claims.word_senses import PARTICIPLES, PAST, told_forms
from dynagrag.language.english.verbs import BASES, base_of_third
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
_NO_SUBJECT = _DETERMINERS | OPENS_NO_SUBJECT
_PLAIN_VERBS = _PRESENT | _REPORTS
_OPENS_REPORT = (["that"], ["if"], ["whether"], ["how"], ["why"], ["what"])
_CONJUNCTIONS = ("and", "but", "while", "whereas")


def _joint_of(*words: str) -> str:
    """A pattern of what may stand between two clauses: a semicolon, ", which", or these words."""
    return (
        r"(?P<semicolon>;)\s+|,\s+(?P<which>which|who)\s+"
        rf"|(?P<comma>,)?\s+(?P<word>{'|'.join(words)})\s+"
    )


_JOINT = re.compile(_joint_of(*_CONJUNCTIONS))
_HANGS = PART_SUBORDINATORS | OPENS_STATEMENT
_PART_JOINT = re.compile(
    _joint_of(*_CONJUNCTIONS, *sorted(PART_SUBORDINATORS))
    + r"|,\s+(?=(?:I|we|We)\s)"  # my son slept, I watched
)
_OPENING_CLAUSE = re.compile(
    rf"\s*(?P<lead>[^,;]{{1,30}},\s+)?(?:while|as|{'|'.join(sorted(PART_SUBORDINATORS))})\s+(?P<first>[^,;]+),\s+",
    re.IGNORECASE,
)
"""A clause before the one that it hangs on."""
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
    if opening := _OPENING_CLAUSE.match(words):
        lead, first, rest = opening["lead"] or "", opening["first"], words[opening.end() :]
        if _parts(first) and _has_own_subject(_JOINT.split(rest, maxsplit=1)[0]):
            return (_joined(lead + first), *independent_parts(lead + rest))
    parts, start = [], 0
    for joint in _joints(words, _PART_JOINT):
        right = _PART_JOINT.split(words[joint.end() :], maxsplit=1)[0]
        before, behind = words[: joint.start()].split(), right.split()
        if joint["which"] or not before or not behind:
            continue  # "and ;", or a text that opens with "and"
        # "Ann and Bob", "cells 1 and 3" are lists
        is_named = behind[0][0].isupper() and behind[0] != "I"
        is_listed = behind[0].isdigit() or (before[-1][0].isupper() and is_named)
        own = _parts(right)
        is_plain = (
            own is not None
            and own.subject.casefold() not in RELATIVE
            and len(own.subject.split()) <= _MAX_PART_SUBJECT_WORDS
            and not (is_listed and joint["word"] and not joint["comma"])
            and (joint["word"] not in PART_SUBORDINATORS or _has_own_subject(right))
        )
        left = _joined(words[start : joint.start()])
        is_spliced = not (joint["word"] or joint["semicolon"])
        if is_spliced and not _HANGS.isdisjoint(left.casefold().split()):
            continue  # "if you call, we come"
        if is_plain and _parts(left):
            parts.append(left)
            start = joint.end()
    return (*parts, _joined(words[start:]))


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


def _has_own_subject(text: str) -> bool:
    """Whether a clause tells who does what in it: "she left" speaks of somebody before it."""
    own = _parts(text)
    return own is not None and own.subject.casefold() not in PRONOUNS_OF_OTHERS


def _joined(text: str) -> str:
    return _BEFORE_STOP.sub("", " ".join(text.split()))


def _joints(words: str, joint: re.Pattern[str] = _JOINT) -> list[re.Match[str]]:
    """The places where a clause may end: none within quotation marks or brackets."""
    quoted = [match.span() for match in _QUOTED.finditer(words)]
    return [
        found
        for found in joint.finditer(words)
        if not any(start < found.start() < end for start, end in quoted)
    ]


def _completion(left: _SubjectAndVerb | None, joint: re.Match[str], following: str) -> str | None:
    """The words that those after a joint lack to stand alone: none where they have a subject, else
    that subject; None where they can't stand alone.
    """
    if left is None:
        return None
    right = _JOINT.split(following, maxsplit=1)[0]
    if joint["which"]:
        return left.rest if _is_antecedent(left) and _begins_with_verb(right) else None
    own = _parts(right)
    is_set_apart = joint["semicolon"] or joint["comma"]
    if own is not None and (is_set_apart or own.subject.casefold() in SUBJECT_PRONOUNS):
        return None if left.is_report and not joint["semicolon"] and not own.is_report else ""
    if joint["semicolon"] or joint["word"] in ("while", "whereas") or left.is_report:
        return None
    words = [word.casefold() for word in _WORD.findall(right)]
    verb = next((word for word in words if word not in ADVERBS), "")
    if verb in _AUXILIARIES:
        return left.subject
    if not left.auxiliaries:
        return left.subject if verb in _PRESENT or _is_past(verb) else None
    if left.is_participle and (_is_past(verb) or verb in PARTICIPLES):
        return f"{left.subject} {left.auxiliaries}"  # "was inspected and repaired"
    return None


def _is_antecedent(left: _SubjectAndVerb) -> bool:
    """Whether "which" stands for all that follows the verb: a few words, and no clause."""
    words = left.rest.split()
    if left.is_report or not 1 < len(words) <= _MAX_ANTECEDENT_WORDS:
        return False
    return words[0].casefold() not in OPENS_NO_SUBJECT and _parts(left.rest) is None


def _begins_with_verb(text: str) -> bool:
    first = next(_WORD.finditer(text), None)
    low = first[0].casefold() if first else ""
    return low in _AUXILIARIES or low in _PRESENT or _is_past(low)


def _is_past(word: str) -> bool:
    return word in _PAST or (len(word) > 4 and word.endswith("ed"))


def _parts(text: str) -> _SubjectAndVerb | None:
    """A clause cut at its first verb; None where no word is plainly one, or nothing stands before
    it.
    """
    words = list(_WORD.finditer(text))
    low = [word[0].casefold().replace("’", "'") for word in words]
    if not low or low[0] in OPENS_NO_SUBJECT:
        return None  # "If A, B and C": what it says depends on how it begins
    near = range(1, min(len(words), _MAX_SUBJECT_WORDS + 1))
    i = next((i for i in near if _is_verb(words[i][0], low[i - 1]) or _is_present(low, i)), None)
    if i is None:
        return None
    subject_words = [k for k in range(i) if low[k] not in ADVERBS]
    if not subject_words:
        return None
    subject = text[words[subject_words[0]].start() : words[subject_words[-1]].end()]
    if subject.count("(") != subject.count(")") or set(subject) & set('"“”'):
        return None
    verb = i
    while verb < len(low) and (low[verb] in _AUXILIARIES or low[verb] in ADVERBS):
        verb += 1
    is_participle = i < verb < len(low) and (_is_past(low[verb]) or low[verb] in PARTICIPLES)
    after = verb if i < verb and not is_participle else verb + 1
    rest = text[words[after].start() :].strip(" .!?") if after < len(words) else ""
    is_report = not _REPORTS.isdisjoint(low[i : after + 1]) and (
        low[after : after + 1] in _OPENS_REPORT or _parts(rest) is not None
    )
    chain = " ".join(word[0] for word in words[i:verb])
    return _SubjectAndVerb(subject, chain, rest, is_participle, is_report)


def _is_present(low: list[str], i: int) -> bool:
    """Whether a word is the present tense of any verb: "Bob leads the office". A plural has no
    article behind it.
    """
    word, follows = low[i], "".join(low[i + 1 : i + 2])
    is_third = word.isalpha() and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    has_object = follows in ARTICLES or follows[:1].isdigit()
    return is_third and has_object and low[i - 1] not in _NO_SUBJECT


def _is_verb(word: str, before: str) -> bool:
    low = word.casefold().replace("’", "'")
    if low in _AUXILIARIES:
        return before not in _DETERMINERS
    if before in _DETERMINERS or word != low:  # a capital amid a sentence is a name's
        return False
    is_of_pronoun = before in SUBJECT_PRONOUNS and (low in COMMON_VERBS or low in BASES)
    return low in _PLAIN_VERBS or base_of_third(low) is not None or _is_past(low) or is_of_pronoun
