"""Kinds of lines: filler, stage direction, call, heading or note, question."""

import re

from dynagrag.generation.claims.clauses import has_verb
from dynagrag.generation.support import WORD
from dynagrag.language.english.data import words_of
from dynagrag.language.english.spoken_lines import (
    COURTESY,
    NUMBER,
    SELF_INTRODUCTION,
    SHOW_NOTE,
)
from dynagrag.language.german import data as german
from dynagrag.language.identification import ENGLISH, UNKNOWN
from dynagrag.language.word_class import WordClass
from dynagrag.language.words import COMMON_WORDS, HONORIFICS

_ASIDE = re.compile(r"[(\[<*♪].{1,60}[)\]>*♪][.!?]?", re.DOTALL)
_MAX_ASIDE_WORDS = 3
_NOISE = re.compile(r"(?<!\{)\{[a-z][a-z ]{0,30}\}(?!\})")
"""As meeting corpora note it amid the words: "{vocalsound}", "{disfmarker}"."""
_REPLIES = words_of(WordClass.REPLY)
_CONTRACTED = re.compile(r"(?:n['’]t|['’](?:s|m|d|re|ve|ll))\b", re.IGNORECASE)
_CALLS = HONORIFICS | words_of(WordClass.CALL)
_FIRST_PERSON = words_of(WordClass.FIRST_PERSON) | german.words_of(WordClass.FIRST_PERSON)
_INTRODUCING = 3
"""Words from "my" to a name at most: "my name is Ann"."""
_MAX_FILLER_WORDS = 6
"""Beyond that many words something may be said even by words that say little."""
_LINK = re.compile(
    r"https?://|www\.|(?<![\w-])[\w-]+\.(?:com|org|net|io|fm|tv|ai)\b|@\w{2,}|#\w{2,}",
    re.IGNORECASE,
)
_ENDS = tuple(".!?…,;:\"'”’)]-—–。！？、」』؟،؛।;՞")
_MAX_HEADING_WORDS = 10
_QUESTION_END = re.compile(r"(?:[?？؟⁇]|か。)[\"'”’»)\]」』]*$")


def is_aside(text: str) -> bool:
    """A stage direction: a few words, all in brackets, such as "(Laughter.)"; or noises alone."""
    text, num_noises = _NOISE.subn("", text)
    text = text.strip()
    return (num_noises > 0 and not WORD.search(text)) or (
        bool(_ASIDE.fullmatch(text)) and len(WORD.findall(text)) <= _MAX_ASIDE_WORDS
    )


def is_filler(text: str) -> bool:
    """A few words that say little by themselves, and no number: "Okay, gotcha. Thanks."."""
    found = [word.casefold() for word in WORD.findall(_CONTRACTED.sub("", _NOISE.sub(" ", text)))]
    return (
        len(found) <= _MAX_FILLER_WORDS
        and not has_number(text)
        and all(w in COMMON_WORDS or w in _REPLIES or len(w) == 1 for w in found)
    )


def is_call(text: str, speakers: frozenset[str]) -> bool:
    """A few words that call, greet, thank or introduce a speaker, or a formula, and no more:
    "FLIGHT, EECOM.", "Hi, I'm Vic.", "Justice Kagan, anything further?".

    `speakers`: the words of their names, case-folded.
    """
    rest, num_formulas = COURTESY.subn(" ", SELF_INTRODUCTION.sub(" ", text))
    found = [word.casefold() for word in WORD.findall(rest)]
    is_addressed = num_formulas > 0 or not speakers.isdisjoint(found)
    return (
        is_addressed and len(found) <= _MAX_FILLER_WORDS and (speakers | _CALLS).issuperset(found)
    )


def introduces_itself(text: str, speaker: str | None) -> bool:
    """Whether it gives the name of who says it: "My name is Ann Lee, and I keep bees.", "Ich bin
    Jana."."""
    own = {word.casefold() for word in WORD.findall(speaker or "")}
    words = [word.casefold() for word in WORD.findall(text)]
    return any(
        word in own and not _FIRST_PERSON.isdisjoint(words[max(0, i - _INTRODUCING) : i])
        for i, word in enumerate(words)
    )


def is_heading(text: str, speaker: str | None) -> bool:
    """A heading or a line of show notes: nobody's words, short, no end of a sentence and no verb;
    or a link, or a list of times.
    """
    text = text.strip()
    if speaker is not None:
        return False
    if is_note(text):
        return True
    return (
        len(text.split()) <= _MAX_HEADING_WORDS and not text.endswith(_ENDS) and not has_verb(text)
    )


def is_note(text: str) -> bool:
    """A line of show notes, a link or a list of times."""
    text = text.strip()
    is_link = bool(_LINK.search(text)) and not has_verb(_LINK.sub(" ", text))
    return is_link or bool(SHOW_NOTE.match(text))


def says_nothing(text: str, speaker: str | None, language: str = ENGLISH) -> bool:
    """A filler, a stage direction, a heading or a line of show notes. A heading is told by its
    lack of a verb, which isn't known of other languages (ISO 639-1) than English.
    """
    if is_filler(text) or is_aside(text):
        return True
    if language in (ENGLISH, UNKNOWN):
        return is_heading(text, speaker)
    return speaker is None and is_note(text)


def is_question(text: str) -> bool:
    """Whether it ends with a question mark, or as Japanese questions do."""
    return bool(_QUESTION_END.search(text.rstrip()))


def has_number(text: str) -> bool:
    """Whether it holds a number, in figures or words."""
    return bool(NUMBER.search(text))
