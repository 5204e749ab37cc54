"""Parts of English speech and its transcripts that state nothing: fillers, calls, courtesies,
notes.
"""

import re

from dynagrag.language.english.data import words_of
from dynagrag.language.patterns import any_of
from dynagrag.language.word_class import WordClass

_OPENERS = (
    "okay|ok|well|yeah|uh|um|eh|er|ah|hmm|uh-huh|mm-hmm|oh|and|but"
    r"|so(?! (?:far|long|much|many|that|called|few)\b)"
)
_OPENERS_WITH_A_MARK = "no|yes|right|roger|alright|affirmative|negative|actually|i mean|you know"
"""Without a comma or the like behind them they may say something: `No one came.`"""
INTERJECTIONS = re.compile(
    rf"^(?:(?:(?:{_OPENERS})\b|(?:{_OPENERS_WITH_A_MARK})(?= ?[,.-]))[,. -]*)+(?=\w)", re.IGNORECASE
)
"""Openings of a sentence that are no part of its statement."""
HEMMING = re.compile(r"^(?:(?:mm|hm|hmm|mhm)\b[,. ]*)+(?=\w)", re.IGNORECASE)
NEW_CLAUSE = re.compile(
    r" (?:the|a|an|i|i'm|we|we're|we've|you|you're|it|it's|there|this|that|let's)\b", re.IGNORECASE
)
"""Behind a name: somebody is spoken to by it, and what is said to them begins."""
TITLE_BEFORE_NAME = re.compile(r"\b(?:Mr|Mrs|Ms|Madam|Dr)\.? $")
_FORMULAS = (
    "may it please (?:the|this) (?:court|board|commission|committee|council)",
    "(?:is there |do you have )?anything (?:further|else|more)(?: (?:to add|you want to add))?",
    "(?:i|we) welcome (?:the court['’]s|your|any) questions",
    "(?:any|no|are there any)(?: further| other| more)? questions",
    "(?:the )?case is submitted",
    "(?:you may|may i) (?:proceed|begin|continue)(?: whenever you(?:['’]re| are) ready)?",
    "rebuttal",
)
"""Of hearings, where they are all that is said."""
COURTESY = re.compile(rf"\b(?:{'|'.join(_FORMULAS)})\b", re.IGNORECASE)
SELF_INTRODUCTION = re.compile(r"\b(?:i['’]m|i am|my name(?: is|['’]s))\b", re.IGNORECASE)
SHOW_NOTE = re.compile(
    r"\s*(?:show\s*notes|links?(?:\s+mentioned)?|resources|timestamps|chapters|outline"
    r"|sponsors?|transcript|subscribe|follow\s+us|music\s+by|produced\s+by|table\s+of\s+contents)\b"
    r"\s*(?:[:—-]|$)|\s*\(?\d{1,2}:\d{2}(?::\d{2})?\)?\s*[-—–:|]?\s+\S",
    re.IGNORECASE,
)
"""Begins a line of show notes, by a word or by a time."""
_QUANTITIES = words_of(WordClass.CARDINAL) | {"half", "quarter", "dozen", "percent"}
NUMBER = re.compile(rf"\d|\b(?:{any_of(_QUANTITIES)})\b", re.IGNORECASE)
"""In figures or words."""
OF_SPEAKERS = rf"{any_of(words_of(WordClass.OF_SPEAKERS))}|this|these"
"""Part of an expression: words that mean something else in another's mouth."""
OF_THE_LINES = re.compile(
    r"\b(?:excerpts?|passages?|transcripts?|(?:the|these|those|which|given|above) lines?|evidence"
    r" lines?|E\d+|according to the text)\b",
    re.IGNORECASE,
)
"""Speaks of the lines that a question was written from."""
NUMERAL = re.compile(r"(?<![\w.,:/-])\d+(?:[.,:]\d+)*(?![\w/-]|[.,:]\d)")
"""A number in figures that stands by itself."""
