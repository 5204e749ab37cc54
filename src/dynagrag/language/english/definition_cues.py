"""How English texts say that two names are of one thing, and that a short form is of a long one."""

import re

BRACKETED = re.compile(
    r"\(\s*(?:the |or |also |i\.e\.,? |called |abbreviated |abbreviated as )*[\"“]?$"
)
"""Before a short form in brackets: `the lunar module (called the "LM"`."""
CUE_BEFORE = re.compile(
    r"(?:,\s*|\s+[—–-]\s+|\s+)(?:or|called|so-called|known as|abbreviated(?: as| to)?|(?:which"
    r" )?(?:we|they|you) call(?: it)?)\s+"
    r"(?:the |an? )?[\"“]?$"
)
"""Between a long form and its short form: `the lunar module, or LM`."""
CUE_AFTER = re.compile(
    r"['’]?s?[\"”]?\s*(?:[(,:—–]|\s-\s|(?=\s(?:or|is|means|for|stands|stood|short)\b))\s*"
    r"(?:(?:or|that is|that's|which is|which are|is|i\.e\.,?|meaning|means|stands for|standing"
    r" for|stood for|short for|for|namely)\s+)*"
    r"(?:(?:the|an?|our|your)\s+)?[\"“]?"
)
"""Between a short form and its long form: `LM stands for lunar module`, `LM (the lunar module`."""
ALIAS = re.compile(
    r"\b(?:also (?:commonly |formerly |widely )?(?:known|called|referred to|spelled|written)(?: as|"
    r" by)?|better known (?:as|by)|"
    r"a\.?k\.?a\.?|st(?:ands|ood) for|short for|an? (?:abbreviation|acronym|alias|nickname|synonym)"
    r" (?:for|of)|"
    r"(?:formerly|previously) (?:known as|called))"
    r"\s{0,2},?\s{1,2}(?:simply |just |either )?(?:the |an? )?[\"“]?(?=\w)",
    re.IGNORECASE,
)
"""Between two names of one thing: `Hercules, also known as Heracles`."""
LEAD = re.compile(
    r"[\"”]?\s{0,2}[,(—–-]?\s{0,2}"
    r"(?:(?:who|which|that|and|or|is|was|are|were|now|then|later|sometimes|often|commonly"
    r"|formally|officially)\s{1,2}){0,4}$",
    re.IGNORECASE,
)
"""Words that may stand between the first of two such names and the cue: `, who was later`."""
MORE_BEFORE = re.compile(r"(?:[-–—/'’]|\b[A-Z0-9][\w'’.-]*[^\S\n])$")
"""Before a name: it is the end of a longer one."""
MORE_AFTER = re.compile(
    r"[-–—/'’](?=\w)(?!s\b)|[^\S\n](?:[A-Z0-9]|(?:of|and|for|&) (?:the )?[A-Z])"
)
"""Behind a name: it is the beginning of a longer one."""
