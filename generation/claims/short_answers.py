"""A short answer and its question as one statement: "Who signed it?", "Bob Hill" is "Bob Hill
signed it".

English alone, by the place of the auxiliary. Where the subject ends is not known without a parser,
so a question in which two words may be the verb makes no statement, and neither does an answer of
another kind than the one that was asked for: a date for a person.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dynagrag.core.schema import Claim
from dynagrag.generation.claims.claim_lexicon import NEGATIONS
from dynagrag.generation.claims.clauses import states_something
from dynagrag.generation.claims.quantities import quantities
from dynagrag.generation.support import content_stems
from dynagrag.language.english.data import values_of, words_of
from dynagrag.language.english.inflection import is_base, is_known, pasts, thirds
from dynagrag.language.english.verbs import BASES, base_of_third, is_participle, is_past
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import AUXILIARIES, COMMON_WORDS, DETERMINERS, MONTHS, WEEKDAYS

MAX_WORDS = 10
"""Of a short answer; more may be a sentence that the rules don't see as one."""
_BE, _DO = words_of(WordClass.BE), frozenset(("do", "does", "did"))
_HAVE = frozenset(("have", "has", "had"))
_NUMBERS = frozenset(values_of(WordClass.CARDINAL))
_PRONOUNS = words_of(WordClass.SUBJECT_PRONOUN) | {"there", "this", "that"}
_PREPOSITIONS = words_of(WordClass.GOVERNING)
_OF_NAMES = frozenset("of de del la van von and &".split())
_POSSESSIVE = ("'s", "’s")
_YES = frozenset("yes yeah yep correct right true indeed".split())
_NO = frozenset("no nope false".split())
_OPENING = re.compile(r"^(?:and|so|but|then|ok|okay|please)\b,?\s+", re.IGNORECASE)
_UNCLEAR = frozenset("any anybody anyone anything else ever if".split())
"""A question with one of these, or with a denial, makes no plain statement."""
_WORD = re.compile(r"\S+")
_FRAMES = tuple(
    re.compile(rf"{frame}[.!]?", re.IGNORECASE)
    for frame in (
        r"(?:it|that|this|the answer) (?:is|was) (?P<answer>[^,;:]+?)",
        r"(?P<answer>[^,;:]+?) (?:did|does|was|is|has|had|will)",
        r"(?P<answer>yes|no),? (?:it|that|this|there|s?he|they|we|i|you) \w+(?: not|n['’]t)?",
    )
)
_SAYS_WHEN = re.compile(
    rf"\d|\b(?:{'|'.join((*MONTHS, *WEEKDAYS))}|today|yesterday|tomorrow|tonight|noon|midnight|"
    r"(?:last|next|this) \w+|\w+ (?:ago|before|after|later))\b",
    re.IGNORECASE,
)
_SPANS = frozenset("year month day date time week century decade hour".split())
_ONLY_YEAR, _ONLY_DAY = re.compile(r"(?:1\d|20)\d\d"), re.compile(r"\d{1,2}(?:st|nd|rd|th)?\b.*")


@dataclass(frozen=True, slots=True)
class _Question:
    """`asks`: who, what, when, how, is; `noun`: what is counted or chosen of: "How many [people]",
    "Which [company]"; `rest`: the words behind, with the auxiliary, if there is one, first.
    """

    asks: str
    noun: tuple[str, ...]
    rest: tuple[str, ...]


def is_short_answer(words: str) -> bool:
    """Whether words that claim nothing alone may claim something with the question."""
    return bool(words) and len(words.split()) <= MAX_WORDS and not states_something(words)


def framed_answer(words: str) -> str:
    """The short answer in a sentence that says nothing of its own beside it: "It was Bob Hill",
    "Bob Hill did", "Yes, she did"; empty where it says more.
    """
    found = next((match for frame in _FRAMES if (match := frame.fullmatch(words.strip()))), None)
    return found["answer"] if found and is_short_answer(found["answer"]) else ""


def whole_claim(claim: Claim) -> Claim:
    """A claim that stands alone: of a short answer the statement that it makes with its question,
    or the two behind each other where no rule makes one.
    """
    if not claim.question:
        return claim
    text = statement(claim.question, claim.answer) or claim.text
    return replace(claim, text=text, question="")


def statement(question: str, answer: str) -> str | None:
    """The question and its short answer as one sentence; None where no rule makes one of them."""
    asked = _read(question)
    answer = answer.strip(" .!")
    if asked is None or not answer:
        return None
    if asked.asks == "is":
        opening = re.split(r"\W", answer.casefold(), maxsplit=1)[0]
        if answer.casefold() not in _YES | _NO or not asked.rest:
            return None
        return _sentence(_declared(asked.rest, is_denied=opening in _NO))
    if not _KINDS[asked.asks](answer):
        return None
    return _sentence(_with_answer(asked, answer))


def _sentence(words: Sequence[str] | None) -> str | None:
    if not words:
        return None
    text = " ".join(words)
    return f"{text[:1].upper()}{text[1:]}."


# ----------------------------------------------------------------------------------------- question


def _read(question: str) -> _Question | None:
    """The question in its parts; None of what is no single question of a known form."""
    text = _OPENING.sub("", question.strip(), count=1).rstrip(" ?!.")
    words = tuple(_WORD.findall(text))
    if len(words) < 2 or re.search(r"[?;:!]|, (?:and|or|but)\b|\bor\b", text):
        return None
    lows = {word.casefold().replace("’", "'") for word in words}
    if lows & (_UNCLEAR | NEGATIONS) or any(low.endswith("n't") for low in lows):
        return None
    first, second = words[0].casefold(), words[1].casefold()
    if first in AUXILIARIES:
        return _Question("is", (), words)
    if first in ("who", "whom"):
        return _Question("who", (), words[1:])
    if first in ("when", "where"):
        return _Question(first, (), words[1:])
    if first == "how" and second in ("many", "much"):
        return _of_noun("how", words[2:])
    if first == "how" and second not in AUXILIARIES:
        return _Question("how", (), words[2:])
    if first in ("what", "which"):
        if second in AUXILIARIES or _is_finite(second):
            return _Question("what", (), words[1:])
        asked = _of_noun("what", words[1:])
        is_time = asked is not None and asked.noun[-1:] and asked.noun[-1].casefold() in _SPANS
        return _Question("when", (), asked.rest) if asked and is_time else asked
    return None


def _of_noun(asks: str, words: Sequence[str]) -> _Question | None:
    """What is counted or chosen of ends where the auxiliary or the verb stands; None where none
    does.
    """
    for at, word in enumerate(words[:6]):
        if word.casefold() in AUXILIARIES or (at and _is_finite(word.casefold())):
            return _Question(asks, tuple(words[:at]), tuple(words[at:]))
    return None


def _is_finite(word: str) -> bool:
    return (
        is_past(word)
        or base_of_third(word) is not None
        or (word.endswith("ed") and is_known(word))  # died, sued
    )


# ---------------------------------------------------------------------------------------- statement


def _with_answer(asked: _Question, answer: str) -> Sequence[str] | None:
    """The statement's words: the answer in the place of what was asked for."""
    auxiliary = asked.rest[0].casefold() if asked.rest else ""
    own = _placed(asked, answer)
    if answer.split()[0].casefold() in COMMON_WORDS | _NUMBERS:
        own = f"{own[:1].lower()}{own[1:]}"
    if auxiliary not in AUXILIARIES:  # "Who signed the letter"
        is_of_subject = asked.asks in ("who", "what") or (asked.asks == "how" and asked.noun)
        return (own, *asked.rest) if is_of_subject else None
    behind = asked.rest[1:]
    if not behind:
        return None
    names_subject = behind[0].casefold() in DETERMINERS | _PRONOUNS or behind[0][0].isupper()
    is_office = auxiliary in _BE and asked.asks == "who" and not behind[0][0].isupper()
    is_manner = asked.asks in ("when", "where") or (asked.asks == "how" and not asked.noun)
    if auxiliary not in _DO and not is_manner and (is_office or not names_subject):
        return (own, *asked.rest)  # "Who was the mayor in 1982", "How many people were hurt"
    return _declared(asked.rest, own, is_object=auxiliary in _DO and not is_manner)


def _placed(asked: _Question, answer: str) -> str:
    """The answer with the words that it leaves out: "in" of a year, the noun of a number."""
    if asked.asks == "when" and _ONLY_YEAR.fullmatch(answer):
        return f"in {answer}"
    if asked.asks == "when" and answer.split()[0].casefold() in (*MONTHS,):
        is_day = any(character.isdigit() for character in answer)
        return f"{'on' if is_day else 'in'} {answer}"
    if asked.asks == "when" and (answer.casefold() in WEEKDAYS or _ONLY_DAY.fullmatch(answer)):
        return f"on {answer}"
    if asked.asks == "where" and answer[0].isupper():
        return f"in {answer}" if answer.split()[0].casefold() not in _PREPOSITIONS else answer
    if asked.asks == "how" and asked.noun and [q.text for q in quantities(answer)] == [answer]:
        return f"{answer} {' '.join(asked.noun)}"
    return answer


def _declared(
    words: Sequence[str], answer: str = "", *, is_object: bool = False, is_denied: bool = False
) -> Sequence[str] | None:
    """ "did Ann leave Hull" as "Ann left Hull", "was Ann there" as "Ann was there", with the answer
    behind it, or behind the verb where it is the object; None where more than one word may be the
    verb.
    """
    auxiliary, rest = words[0].casefold(), words[1:]
    end = _subject_end(auxiliary, rest, may_be_all=bool(answer))
    if end is None:
        return None
    subject, behind = rest[:end], rest[end:]
    own = (answer,) if answer else ()
    if is_denied:
        return (*subject, auxiliary, "not", *behind)
    if auxiliary not in _DO or not behind:
        return (*subject, auxiliary, *behind, *own)
    verb, form = behind[0].casefold(), {"did": pasts, "does": thirds}.get(auxiliary)
    verb = form(verb)[0] if form else verb
    if is_object and behind[-1].casefold() not in _PREPOSITIONS:  # but "What did Ann look for"
        return (*subject, verb, *own, *behind[1:])
    return (*subject, verb, *behind[1:], *own)


def _subject_end(auxiliary: str, words: Sequence[str], *, may_be_all: bool) -> int | None:
    """Where the subject behind an auxiliary ends; None where that isn't plain. `may_be_all`: it may
    go on to the end, as in "When is the next meeting".
    """
    if len(words) < 2:
        return len(words) or None
    if words[0].casefold() in _PRONOUNS:
        return 1
    may_be_verb = _is_participle if auxiliary in _BE | _HAVE else is_base
    named = _name_end(words)
    if named and not words[named - 1].endswith(_POSSESSIVE):
        is_verb = named < len(words) and may_be_verb(words[named].casefold())
        return named if auxiliary in _BE or is_verb else None
    first = max(named, 1) + (words[0].casefold() in DETERMINERS)
    no_verb_behind = DETERMINERS | _PREPOSITIONS | {"to"}
    places = [
        at
        for at in range(first, len(words))
        if may_be_verb(words[at].casefold()) and words[at - 1].casefold() not in no_verb_behind
    ]
    if may_be_all and words[-1].endswith("ing"):
        places = [at for at in places if at < len(words) - 1]
    if not places and auxiliary in _BE:  # "Was the meeting in Hull"
        ends = _PREPOSITIONS - {"of"}
        behind = (at for at in range(first, len(words)) if words[at].casefold() in ends)
        return next(behind, len(words) if may_be_all else None)
    return _only_verb(places, words)


def _only_verb(places: Sequence[int], words: Sequence[str]) -> int | None:
    """Of places where a verb may stand, the only one, or the only one of a common verb, or of such
    a verb before an object; "been" before any. None where it isn't plain.
    """
    if places and words[places[0]].casefold() == "been":
        return places[0]
    common = [at for at in places if words[at].casefold() in BASES]
    before_object = [at for at in common if at + 1 < len(words) and _opens_object(words[at + 1])]
    alone = (found[0] for found in (places, common, before_object) if len(found) == 1)
    return next(alone, None)


def _name_end(words: Sequence[str]) -> int:
    """How many words a name at the beginning has; 0 where none stands there."""
    at = end = 0
    while at < len(words):
        if words[at][0].isupper():
            end = at + 1
            if words[at].endswith(_POSSESSIVE):
                break
        elif not end or words[at].casefold() not in _OF_NAMES:
            break
        at += 1
    return end


def _opens_object(word: str) -> bool:
    return word[0].isupper() or word.casefold() in DETERMINERS | _PRONOUNS


def _is_participle(word: str) -> bool:
    return is_participle(word) or (len(word) > 5 and word.endswith("ing"))


def _has_name(answer: str) -> bool:
    return any(word[0].isupper() for word in answer.split())


_KINDS: dict[str, Callable[[str], bool]] = {
    "who": lambda answer: _has_name(answer) and not quantities(answer),
    "when": lambda answer: bool(_SAYS_WHEN.search(answer) or quantities(answer)),
    "how": lambda answer: bool(quantities(answer)),
    "where": lambda answer: not quantities(answer),
    "what": lambda answer: bool(content_stems(answer)),
}
"""What an answer must be to each question; of others no statement is made."""
