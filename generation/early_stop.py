"""When one intermediate answer is enough, so that no other prompt has to be asked (docs/papers.md,
Answers, step 1).
"""

from collections.abc import Mapping, Sequence

from dynagrag.core.schema import CheckedClaim, Line, Verdict
from dynagrag.generation.helpfulness import num_telling
from dynagrag.generation.support import WORD, content_stems

_LEAST_SHARE = 0.5
"""Of the question's content words."""


def settles(question: str, claims: Sequence[CheckedClaim], lines: Mapping[str, Line]) -> bool:
    """Whether lines state all that an answer claims, it tells more than the question does, and it
    is about what is asked: it or the lines that state it hold the question's names and numbers, and
    half of its content words. A question that needs several steps holds words of all of them.

    `lines`: what the answer was written from, by label.
    """
    if not all(claim.verdict is Verdict.STATED for claim in claims):
        return False
    if not num_telling(question, claims):
        return False
    stating = [lines[label] for claim in claims for label in claim.lines if label in lines]
    said = [claim.text.removeprefix(claim.question) for claim in claims]
    said += [f"{line.text} {line.speaker or ''} {line.title}" for line in stating]
    text = " ".join(said)
    held, asked = content_stems(text), content_stems(question)
    has_names = _names(question) <= set(WORD.findall(text.casefold()))
    return has_names and len(asked & held) >= _LEAST_SHARE * len(asked)


def _names(question: str) -> frozenset[str]:
    """Its words with a capital, but for the first word, and its numbers; casefolded."""
    return frozenset(
        word.casefold()
        for i, word in enumerate(WORD.findall(question))
        if word.isdigit() or (i and word[0].isupper())
    )
