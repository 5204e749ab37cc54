"""Talk of an English answer about its sources: citation marks, and talk of passages and graphs."""

import re

_LABEL = r"E\d{1,4}(?:\.\d{1,3}){0,3}"
_LABELS = rf"{_LABEL}(?:\s{{0,8}}(?:[,;&]|\band)\s{{0,8}}{_LABEL})*"
_FEW = _LABELS[:-1] + "{0,3}"
"""Bounds on the parts of a pattern that are tried at every word."""
_OPEN = r"\s{0,8}[\[(](?:found:\s{0,8})?"
MARK = re.compile(rf"{_OPEN}(?:see\s{{1,8}})?{_LABELS}[\s,;]{{0,8}}[\])]", re.IGNORECASE)
OPEN_MARK = re.compile(rf"{_OPEN}(?:{_LABELS})?[\s,;]{{0,8}}E?\s{{0,8}}\Z", re.IGNORECASE)
"""A mark that an answer without an end broke off."""
_GIVEN = r"(?:(?:provided|given|cited|listed|retrieved|available)\s+){1,3}"
_NOUN = (
    r"(?:(?:sub-?graphs?|knowledge\s+graphs?|passages?|excerpts?|evidence(?:\s+lines?)?|context)"
    r"(?:\s+\d{1,3}\b)?"
    rf"|(?:(?:evidence|lines?|passages?|sources?)\s+)?{_FEW})(?!\w)"
)
_THEM = rf"(?:the\s+)?(?:{_GIVEN}(?:entities|relations|graphs?|{_NOUN})|{_NOUN})"
_ALONE = r"(?!\s+(?:of|for|with|between|to|against)\b)"
"""The words that follow tell a source ("in the context, ...") from a word of the text ("in the
context of the war").
"""
_PREFIX = (
    r"(?:according\s+to|based\s+on|as\s+(?:stated|mentioned|said|shown|described)\s+(?:in|by)|per)"
)
_SAYS = (
    r"(?:says?|states?|stated|shows?|showed|mentions?|mentioned|indicates?|suggests?|describes?"
    r"|reports?|notes?|tells?(?:\s+us)?)"
)
SOURCE = re.compile(
    rf"\b{_PREFIX}\s+(?:{_THEM}|the\s+graphs?\b){_ALONE},?\s*"
    rf"|\b(?:in|from)\s+(?:the\s+(?:graphs?\b|{_NOUN})"
    rf"|(?:the\s+)?{_GIVEN}(?:entities|relations|graphs?|{_NOUN})"
    rf"|sub-?graphs?(?:\s+\d{{1,3}})?\b|(?:lines?\s+)?{_FEW}(?!\w)){_ALONE},?\s*"
    rf"|\b{_THEM}\s+{_SAYS}\s+(?:that\s+)?",
    re.IGNORECASE,
)
SOURCE_DENIES = re.compile(rf"\b{_THEM}\s+(?:do|does|did)(?:\s+not|n['’]t)\b", re.IGNORECASE)
BARE_LABEL = re.compile(rf"[,;]?\s{{0,8}}(?<!\bthe )(?<!\ban )\b{_LABELS}(?!\w)")
"""A label by itself; "the E40" is a road."""
