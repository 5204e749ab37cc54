"""Questions for who says what of something: "What did Ann say about the mill?", "What is Ann's view
on it?", "Who asked about the mill?", "Who mentioned Bob?" (docs/papers.md, Lines, step 9). Only
English is read so.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from dynagrag.generation.evidence_sentences.asked_words import verbs_of_saying
from dynagrag.generation.support import WORD, content_stems
from dynagrag.language.english.inflection import verb_bases
from dynagrag.language.sentences import Span
from dynagrag.language.words import COMMON_WORDS, FUNCTION_WORDS, HONORIFICS, MONTHS, WEEKDAYS


class TalkKind(Enum):
    """What is asked for."""

    SAID = auto()
    """Somebody's words about it."""
    ASKED = auto()
    """Who asked about it."""
    NAMED = auto()
    """Who named it, or said it."""


@dataclass(frozen=True, slots=True)
class AskedTalk:
    """Such a question. `labels`: of those whose words it asks for; nobody's where it asks who.
    `topic`: what they speak of, as the question has it. `names`: the words of names in it,
    case-folded, without speakers' where it says more. `verb`: where the verb or noun that asks
    stands.
    """

    kind: TalkKind
    labels: frozenset[str]
    topic: str
    names: frozenset[str]
    verb: Span


_ASK = ("ask", "wonder", "question", "inquire", "enquire")
_NAME = (
    "mention name cite quote raise discuss describe invoke say bring refer allude talk speak point"
).split()
_OF_TALK = ("mention", "describe", "discuss", "explain", "answer", "cite", "quote")
"""What they have as an object is what is spoken of."""
_NO_NAMES = COMMON_WORDS | HONORIFICS | set(MONTHS) | set(WEEKDAYS)


def _is_form(word: str, verbs: Iterable[str]) -> bool:
    """Whether a word in small letters is a form of one of these verbs. Small words aren't looked
    up: the dictionary takes most of a second to load.
    """
    return word not in FUNCTION_WORDS and not verb_bases(word).isdisjoint(verbs)


_WHO = re.compile(
    r"^\W*(?:who(?:ever)?|(?:which|what)(?: [\w'’\-]+){1,3}?)(?: else| all)?"
    r"(?: (?:was it|is it) (?:that|who))?(?: (?:has|have|had|first|also|even|ever))*"
    r" (?P<verb>want(?:s|ed) to know|(?P<word>[a-z]+)(?: up| out)?)\b",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:about|regarding|concerning)\b", re.IGNORECASE)
_LEADS_ON = re.compile(
    r"^\W*(?:(?:more|specifically|exactly|directly) )?(?:on|of|towards?)\b", re.IGNORECASE
)
_OF_ASKING = content_stems("question questions something anything")


def asked_talk(question: str, people: Iterable[frozenset[str]]) -> AskedTalk | None:
    """What a question asks so; None of any other. `people`: the labels of each whom it names."""
    labels = frozenset[str]().union(*people)
    found = _who(question, labels) or _somebodys(question, labels)
    if found is None or not content_stems(found.topic):
        return None
    return found


def _who(question: str, labels: frozenset[str]) -> AskedTalk | None:
    match = _WHO.match(question)
    if match is None:
        return None
    word = (match["word"] or "").casefold()
    is_asking = not word or _is_form(word, _ASK)
    if not is_asking and not _is_form(word, _NAME):
        return None
    rest = question[match.end() :]
    about = _ABOUT.search(rest)
    named = content_stems(" ".join(labels)) | _OF_ASKING | content_stems(" ".join(HONORIFICS))
    if about and content_stems(rest[: about.start()]) <= named:
        rest = rest[about.end() :]  # whoever was asked is no topic
    kind = TalkKind.ASKED if is_asking else TalkKind.NAMED
    return AskedTalk(kind, frozenset(), rest, _names(rest, labels), match.span("verb"))


def _somebodys(question: str, labels: frozenset[str]) -> AskedTalk | None:
    verbs = verbs_of_saying(question, labels)
    if not verbs:
        return None
    start, end = verbs[-1]
    rest = question[end:]
    if (about := _ABOUT.search(rest)) or (about := _LEADS_ON.match(rest)):
        rest = rest[about.end() :]
    elif not _is_form(question[start:end].casefold(), _OF_TALK):
        return None
    return AskedTalk(TalkKind.SAID, labels, rest, _names(rest, labels), (start, end))


def _names(topic: str, labels: frozenset[str]) -> frozenset[str]:
    """The words of a topic with a capital, but titles, months and days; none where it has no other.
    Where something else is said too, the names of those who are asked for don't count.
    """
    words = [word for word in WORD.findall(topic) if len(word) > 1]
    if all(word[0].isupper() for word in words) and len(words) > 4:
        return frozenset()
    return frozenset(
        word.casefold() for word in words if word[0].isupper() and word.casefold() not in _NO_NAMES
    ) - {word.casefold() for label in labels for word in WORD.findall(label)}


_FILLERS = r"(?:(?:so|and|but|well|um|uh|okay|ok|yeah|right|now|oh|then|i mean|you know)\b\W*)*"
_VERB = "do|does|did|is|are|was|were|can|could|will|would|should|shall|has|have|had|am"
_PERSON = r"i\b|you\b|we\b|they\b"
_SUBJECT = rf"(?:{_PERSON}|he|she|it|there|that|this|these|those|the|an?|any|anybody|anyone|people)"
_ASKS = "what|who|where|when|why|how|which|whose"
_OPENS_QUESTION = re.compile(
    rf"^\W*{_FILLERS}(?:(?:{_ASKS})(?: (?!{_PERSON})[\w'’]+){{0,3}}? (?:{_VERB})"
    rf"|(?:(?:{_VERB})(?:n['’]t)?|don['’]t|won['’]t|can['’]t)) {_SUBJECT}\b",
    re.IGNORECASE,
)
_SAYS_ASKING = re.compile(
    r"\b(?:(?:i|we)(?:['’](?:m|re|d)| am| are| was)? (?:\w+ )?(?:ask|asking|wonder|wondering"
    r"|wondered|curious|(?:like|want|wanted|love) to (?:ask|know|hear))"
    r"|(?:my|a|one|another|the|last) question\b|(?:can|could|would|will) you (?:\w+ )?"
    r"(?:tell|explain|say|clarify|elaborate))\b",
    re.IGNORECASE,
)


def is_asking(text: str, is_question: bool) -> bool:
    """Whether a sentence asks: by its mark, by the form of a question where a recogniser set no end
    to it, or by saying so ("I was wondering about the mill.").
    """
    if is_question or _SAYS_ASKING.search(text):
        return True
    return not text.rstrip().endswith((".", "!")) and bool(_OPENS_QUESTION.match(text))
