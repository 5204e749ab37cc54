"""Stretches of talk around a sentence: the question that it replies to, and whole sentences after
and before it, of any speaker.
"""

from collections.abc import Callable, Sequence

from dynagrag.generation.evidence_sentences.line_index import PassageSentence
from dynagrag.generation.evidence_sentences.line_kinds import is_aside
from dynagrag.generation.support import WORD
from dynagrag.language.english.data import words_of
from dynagrag.language.sentences import Span
from dynagrag.language.word_class import WordClass

MAX_WORDS = 80
"""Of a stretch that is more than the one sentence, which is whole whatever its length."""
MAX_GROWN_WORDS = 120
"""Of one that is joined with another, or goes on to a reply."""
MAX_TURNS = 4
"""That a stretch goes from its sentence, or a question from its reply."""
_QUESTION_SHARE = 0.6
"""Of a stretch's words that a question and all up to its reply may take."""
_MAX_ASSENT_WORDS = 2
_OPENS_REPLY = words_of(WordClass.YES_OR_NO) | {"actually", "no", "well"}


def stretch_around(
    around: Sequence[PassageSentence],
    at: int,
    is_free: Callable[[PassageSentence], bool] = lambda sentence: True,
) -> Span:
    """First and last of the sentences (as `LineIndex.around` gives them) that are read with one;
    none that isn't free.

    A question that names a speaker begins an exchange: nothing is taken from beyond it.
    """
    first, last = at, at
    num_words = around[at].num_words
    asked = question_before(around, at)
    if asked is not None and all(map(is_free, around[asked:at])):
        with_question = sum(s.num_words for s in around[asked : at + 1])
        if with_question <= _QUESTION_SHARE * MAX_WORDS:
            first, num_words = asked, with_question
    while True:
        size = last - first
        for place in (last + 1, first - 1):
            if not 0 <= place < len(around):
                continue
            other = around[place]
            is_next = place > last and other.opens_exchange
            is_past = place < first and around[first].opens_exchange
            if is_next or is_past or not is_free(other) or not _is_near(other, around[at]):
                continue
            if num_words + other.num_words <= MAX_WORDS:
                num_words += other.num_words
                first, last = min(first, place), max(last, place)
        if last - first == size:
            return first, last


def with_reply(
    around: Sequence[PassageSentence],
    at: int,
    stretch: Span,
    is_free: Callable[[PassageSentence], bool] = lambda sentence: True,
) -> Span:
    """A stretch of `stretch_around` with the turn that follows it where it ends on a question, with
    what comes after a reply of a few words or with a yes or no, and with the sentence that its last
    speaker goes on with where it ends on a short assent, as far as they are free. Sentences before
    `at` make room.
    """
    first, last = stretch
    while last + 1 < len(around) and _leads_on(around, stretch[1], last):
        if around[last + 1].opens_exchange or not is_free(around[last + 1]):
            break
        if _num_words(around, at, last + 1) > MAX_GROWN_WORDS:
            break
        last += 1
        while first < at and _num_words(around, first, last) > MAX_WORDS:
            first += 1
    return first, last


def _leads_on(around: Sequence[PassageSentence], end: int, last: int) -> bool:
    """Whether what is wanted comes after `last`: it asks, is an aside, replies to a question by a
    few words, or is a few words after which its speaker goes on; or it is amid the turn that
    replies to `end`, a question, or before one that begins with yes, no or the like.
    """
    sentence, following = around[last], around[last + 1]
    if sentence.is_question or is_aside(sentence.text) or _replies_shortly(around, last):
        return True
    is_reply = last > end and around[end].is_question
    if following.turn_index != sentence.turn_index:
        opening = WORD.search(following.text)
        return is_reply and opening is not None and opening.group().casefold() in _OPENS_REPLY
    return is_reply or sentence.says_nothing or sentence.num_words <= _MAX_ASSENT_WORDS


def _replies_shortly(around: Sequence[PassageSentence], last: int) -> bool:
    """Whether a question and a few words are the last that is said."""
    asked = last
    while asked > 0 and last - asked < MAX_TURNS and not around[asked].is_question:
        asked -= 1
    return 0 < _num_words(around, asked + 1, last) <= _MAX_ASSENT_WORDS and (
        around[asked].is_question
    )


def _num_words(around: Sequence[PassageSentence], first: int, last: int) -> int:
    return sum(s.num_words for s in around[first : last + 1])


def question_before(around: Sequence[PassageSentence], at: int) -> int | None:
    """The nearest question of somebody else that a sentence replies to; None where it asks itself,
    or nobody asked.
    """
    return next(iter(questions_before(around, at)), None)


def questions_before(around: Sequence[PassageSentence], at: int) -> list[int]:
    """Those of somebody else in the same exchange, the nearest first."""
    reply = around[at]
    found: list[int] = []
    if reply.is_question or reply.turn is None:
        return found
    for place in range(at - 1, -1, -1):
        asked = around[place]
        if not _is_near(asked, reply):
            break
        if asked.turn_index < reply.turn_index and asked.is_question:
            if asked.speaker != reply.speaker:
                found.append(place)
            if asked.opens_exchange:
                break
    return found


def _is_near(one: PassageSentence, other: PassageSentence) -> bool:
    return (
        one.document_id == other.document_id and abs(one.turn_index - other.turn_index) <= MAX_TURNS
    )
