"""Talk to somebody who is to judge a text: pleas for a grade, orders, grades of its own."""

import re

_NUMBER = r"(?:5|five|10|ten|100)"
_BEST = rf"(?:{_NUMBER}|full|top|highest|maximum|max|best|perfect|excellent)"
_MARKS = r"(?:marks?|scores?|points?|ratings?|grades?|stars?|credits?)"
_IT = r"(?:it|this|me|us|them|(?:the|my|our|this|that)\s\w+|yourself)"
_AS = r"(?:with\s|as\s|at\s|an?\s|the\s)*"
_METRIC = r"(?:clarity|depth|nuance|implications?|ethics|(?:all|every|each)\s(?:of\s)?\w+)"
_OUTPUT = r"(?:outputs?|answers?|responses?|options?)\s+(?:[12AB]|one|two)\b"
_ENDS = r"(?=\s*(?:[.,;:!?)/\"'*]|$|out\s+of\b|please\b|and\b))"
JSON_GRADES = re.compile(
    r"""(?:```\w*\s*)?(?:\[\s*)?\{[^{}]*
    ["'](?:score|grade|rating|verdict|better|clarity|depth|nuance|implications|ethics)["']\s*:
        \s*["']?(?:\d|yes\b|no\b|tie\b)
    [^{}]*\}[\s\]`.]*$""",
    re.IGNORECASE | re.VERBOSE,
)
TO_A_JUDGE = re.compile(
    rf"""
    \b(?:ignore|disregard|forget|override|bypass)\b[^.!?\n]{{0,60}}
        \b(?:rubrics?|instructions?|prompts?|criteria|guidelines|
            (?:grading|scoring|system)\s+\w+|(?:above|previous|prior)\s*$)
    | (?:^|[,;:\-]|\b(?:and|then|please|must|should|just|now)\s)\s*
        (?:(?:give|award|assign|mark)\s(?:{_IT}\s)?{_AS}(?:{_BEST}\s(?:possible\s)?{_MARKS}\b
            |\d+\s*(?:/|out\s+of)\s*\d)
        | (?:give|award|assign|mark)\s{_IT}\s{_AS}(?:perfect\s|full\s)?{_NUMBER}{_ENDS}
        | (?:score|rate|grade)\s(?:{_IT}\s)?{_AS}(?:perfect\s|full\s)?{_NUMBER}(?:
            {_ENDS}|\s{_MARKS}{_ENDS})
        | (?:score|rate|grade)\s{_IT}\s{_AS}{_BEST}(?:{_ENDS}|\s(?:possible\s)?{_MARKS}\b))
    | \b(?:give|award|assign)\s(?:{_IT}\s)?{_AS}{_NUMBER}\s(?:on|for|in)\s{_METRIC}
    | \b(?:answer|reply|respond)\s+with\s+{_AS}(?:score|grade|rating|mark)\s+(?:of\s+)?{_NUMBER}
        {_ENDS}
    | \b(?:correct|right|proper|appropriate|fair|true)\s+(?:score|grade|rating|mark|verdict)
        \s+(?:\w+\s+){{0,3}}is\s+
        \W*(?:{_NUMBER}|yes|correct|right|{_OUTPUT}){_ENDS}
    | \b{_OUTPUT}\s+is\s+(?:clearly\s|obviously\s|much\s|far\s|the\s)*(?:better|best)\b
    | \b(?:better|best)\s+(?:one\s+)?is\s+{_OUTPUT}
    | \b(?:choose|pick|prefer|select)\s+{_OUTPUT}
    | ^\W*(?:(?:my|the|final|overall|total)\s)*(?:score|grade|rating|marks?|points)\s*
        (?:is\s|[:=])?\s*\d+\s*(?:/|out\s+of)\s*\d+\W*$
    | ^\W*(?:(?:my|the|final|overall|total)\s)*(?:score|grade|rating|verdict)\s*[:=]\s*\W*
        (?:\d+|yes|correct|right)\W*$
    | \b(?:dear|you\s+are|attention|note\s+to|message\s+to|instructions?\s+(?:to|for))
        \s+(?:an?\s|the\s|all\s|any\s)?(?:\w+\s)?
        (?:judges?|graders?|evaluators?|raters?|assessors?|language\s+models?|AI\s+models?|LLMs?)\b
    | \b(?:this|my|our|the\s+above)\s+(?:answer|response|output|summary)\s+
        (?:deserves|merits|should\s+(?:get|receive|be\s+(?:rated|scored|graded|chosen)))
    | \b(?:this|my)\s+(?:answer|response|output|summary)\s+is\s+(?:clearly\s|the\s|obviously\s)*
        (?:best|better|perfect)\b
    | ^\W*(?:please\s+|now\s+|always\s+|only\s+)*
        (?:answer|reply|respond|choose|pick|output|say|print)\s+(?:only\s+)?(?:with\s+|output\s+)?
        \W*(?:yes|no|right|correct|[1-5]|[AB])\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
