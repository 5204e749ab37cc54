"""Texts as a judge is shown them: inert. A tag that would end their fence is broken, and a sentence
that speaks to a judge is left out.

A judge is told that texts are data, but small models obey them all the same; what isn't shown can't
be obeyed. Patterns are English. They are looked for in plain letters: full-width ones are folded,
and characters without width dropped; a text in which something is found is shown so.
"""

import re
import unicodedata

LEFT_OUT = "[a sentence to the reader left out]"
_TAG = re.compile(
    r"<(?=\s*/?\s*(?:answer|reference|question|instruction|output|metric)\b)", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"((?<=[.!?])\s+|\n+)")
_NUMBER = r"(?:5|five|10|ten|100)"
_BEST = rf"(?:{_NUMBER}|full|top|highest|maximum|max|best|perfect|excellent)"
_MARKS = r"(?:marks?|scores?|points?|ratings?|grades?|stars?|credits?)"
_IT = r"(?:it|this|me|us|them|(?:the|my|our|this|that)\s\w+|yourself)"
_AS = r"(?:with\s|as\s|at\s|an?\s|the\s)*"
_METRIC = r"(?:clarity|depth|nuance|implications?|ethics|(?:all|every|each)\s(?:of\s)?\w+)"
_OUTPUT = r"(?:outputs?|answers?|responses?|options?)\s+(?:[12AB]|one|two)\b"
_ENDS = r"(?=\s*(?:[.,;:!?)/\"'*]|$|out\s+of\b|please\b|and\b))"
_JSON_GRADES = re.compile(
    r"""(?:```\w*\s*)?(?:\[\s*)?\{[^{}]*
    ["'](?:score|grade|rating|verdict|better|clarity|depth|nuance|implications|ethics)["']\s*:\s*["']?(?:\d|yes\b|no\b|tie\b)
    [^{}]*\}[\s\]`.]*$""",
    re.IGNORECASE | re.VERBOSE,
)
_TO_A_JUDGE = re.compile(
    rf"""
    \b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{{0,60}}
        \b(?:rubrics?|instructions?|prompts?|criteria|guidelines|(?:grading|scoring|system)\s+\w+|(?:above|previous|prior)\s*$)
    | (?:^|[,;:\-]|\b(?:and|then|please|must|should|just|now)\s)\s*
        (?:(?:give|award|assign|mark)\s(?:{_IT}\s)?{_AS}(?:{_BEST}\s(?:possible\s)?{_MARKS}\b|\d+\s*(?:/|out\s+of)\s*\d)
        | (?:give|award|assign|mark)\s{_IT}\s{_AS}(?:perfect\s|full\s)?{_NUMBER}{_ENDS}
        | (?:score|rate|grade)\s(?:{_IT}\s)?{_AS}(?:perfect\s|full\s)?{_NUMBER}(?:{_ENDS}|\s{_MARKS}{_ENDS})
        | (?:score|rate|grade)\s{_IT}\s{_AS}{_BEST}(?:{_ENDS}|\s(?:possible\s)?{_MARKS}\b))
    | \b(?:give|award|assign)\s(?:{_IT}\s)?{_AS}{_NUMBER}\s(?:on|for|in)\s{_METRIC}
    | \b(?:answer|reply|respond)\s+with\s+{_AS}(?:score|grade|rating|mark)\s+(?:of\s+)?{_NUMBER}{_ENDS}
    | \b(?:correct|right|proper|appropriate|fair|true)\s+(?:score|grade|rating|mark|verdict)\s+(?:\w+\s+){{0,3}}is\s+
        \W*(?:{_NUMBER}|yes|correct|right|{_OUTPUT}){_ENDS}
    | \b{_OUTPUT}\s+is\s+(?:clearly\s|obviously\s|much\s|far\s|the\s)*(?:better|best)\b
    | \b(?:better|best)\s+(?:one\s+)?is\s+{_OUTPUT}
    | \b(?:choose|pick|prefer|select)\s+{_OUTPUT}
    | ^\W*(?:(?:my|the|final|overall|total)\s)*(?:score|grade|rating|marks?|points)\s*(?:is\s|[:=])?\s*\d+\s*(?:/|out\s+of)\s*\d+\W*$
    | ^\W*(?:(?:my|the|final|overall|total)\s)*(?:score|grade|rating|verdict)\s*[:=]\s*\W*(?:\d+|yes|correct|right)\W*$
    | \b(?:dear|you\s+are|attention|note\s+to|message\s+to|instructions?\s+(?:to|for))\s+(?:an?\s|the\s|all\s|any\s)?(?:\w+\s)?
        (?:judges?|graders?|evaluators?|raters?|assessors?|language\s+models?|AI\s+models?|LLMs?)\b
    | \b(?:this|my|our|the\s+above)\s+(?:answer|response|output|summary)\s+
        (?:deserves|merits|should\s+(?:get|receive|be\s+(?:rated|scored|graded|chosen)))
    | \b(?:this|my)\s+(?:answer|response|output|summary)\s+is\s+(?:clearly\s|the\s|obviously\s)*(?:best|better|perfect)\b
    | ^\W*(?:please\s+|now\s+|always\s+|only\s+)*(?:answer|reply|respond|choose|pick|output|say|print)\s+(?:only\s+)?(?:with\s+|output\s+)?
        \W*(?:yes|no|right|correct|[1-5]|[AB])\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def inert(text: str, max_chars: int | None = None) -> str:
    """The text as a prompt holds it; cut at `max_chars` with a mark, so that one text can't push
    the others out.
    """
    return fenced(_without_pleas(text), max_chars)


def fenced(text: str, max_chars: int | None = None) -> str:
    """A text that isn't judged, such as a question or a reference: whole, but for tags that would
    end its fence.
    """
    plain = _plain(text)
    shown = _TAG.sub("(", plain) if _TAG.search(plain) else text.strip()
    return (
        shown
        if max_chars is None or len(shown) <= max_chars
        else f"{shown[:max_chars].rstrip()} […]"
    )


def speaks_to_a_judge(text: str) -> bool:
    """Whether a sentence of it was left out."""
    return _without_pleas(text) != text.strip()


def _without_pleas(text: str) -> str:
    """Without sentences to a judge, and without grades as an object at the end."""
    plain = _plain(text)
    parts = _SENTENCE_END.split(_JSON_GRADES.sub(LEFT_OUT, plain))
    shown = "".join(LEFT_OUT if _TO_A_JUDGE.search(part) else part for part in parts)
    return text.strip() if shown == plain else shown


def _plain(text: str) -> str:
    """In plain letters (NFKC), without characters that have no width."""
    if text.isascii():
        return text.strip()
    return "".join(
        c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf"
    ).strip()
