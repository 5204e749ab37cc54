"""Contractions of English speech: isn't, we're, there's been."""

import re
from collections.abc import Sequence

_WRITTEN_OUT: Sequence[tuple[re.Pattern[str], str]] = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        (r"\b([Cc])an['’]t\b", r"\1annot"),
        (r"\b([Ww])on['’]t\b", r"\1ill not"),
        (r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should)n['’]t\b", r"\1 not"),
        (r"\bI['’]m\b", "I am"),
        (r"\b([Ww]e|[Yy]ou|[Tt]hey)['’]re\b", r"\1 are"),
        (r"\b(I|[Ww]e|[Yy]ou|[Tt]hey)['’]ve\b", r"\1 have"),
        (r"\b(I|[Ww]e|[Yy]ou|[Tt]hey|[Hh]e|[Ss]he|[Ii]t)['’]ll\b", r"\1 will"),
        (r"\b([Ii]t|[Hh]e|[Ss]he|[Tt]hat|[Tt]here)['’]s been\b", r"\1 has been"),
    )
)
TOKENISED = re.compile(r" (?=['’](?:s|m|d|re|ve|ll|t)\b|n['’]t\b|[.,;:!?](?:\s|$))")
"""The gaps that a tokenised text has before its endings and marks: `It 's late .`"""


def written_out(text: str) -> str:
    """With its contractions written out, as far as they can be only one thing: `he's been` is has,
    `he's late` may be either and stays.
    """
    for pattern, by in _WRITTEN_OUT:
        text = pattern.sub(by, text)
    return text
