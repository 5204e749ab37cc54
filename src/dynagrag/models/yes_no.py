"""The first word of a reply, out of the log probabilities of its tokens: yes against no, or one of
a few words.
"""

import math
from collections.abc import Iterable, Sequence

YES_NO = ("yes", "no")
MIN_MASS = 0.01
"""Least probability of the words together: a model that thinks first, or replies with something
else, says none of them.
"""
_LEAST = -100.0
"""Servers write anything from here down to minus infinity for never."""
TOP_TOKENS = 20
"""As many as the OpenAI protocol gives."""


def word_logprobs(
    top: Iterable[tuple[str, float]], words: Sequence[str]
) -> tuple[float, ...] | None:
    """The log probability of each word, of a token's likeliest texts with theirs, summed over case
    and blank space around them.

    A word that is not among them counts as much as the least likely one that is. Empty where all
    are all but impossible; None where there is no log probability.
    """
    chances: dict[str, list[float]] = {}
    for text, logprob in top:
        if not math.isnan(logprob):
            chance = math.exp(min(0.0, max(_LEAST, logprob)))
            chances.setdefault(text.strip().casefold(), []).append(chance)
    if not chances:
        return None
    sums = [sum(chances.get(word.casefold(), ())) for word in words]
    if sum(sums) < MIN_MASS:
        return ()
    floor = min(map(min, chances.values()))
    return tuple(math.log(own or floor) for own in sums)


def difference(logprobs: tuple[float, ...] | None) -> float | None:
    """log p(yes) - log p(no); None where they are all but impossible or not known."""
    return logprobs[0] - logprobs[1] if logprobs else None
