"""Yes against no as the first word of a reply, out of the log probabilities of its tokens."""

import math
from collections.abc import Iterable

MIN_MASS = 0.01
"""What yes and no together must have: a model that thinks first, or replies with something else, says neither."""
_LEAST = -100.0
"""Servers write anything from here down to minus infinity for never."""
TOP_TOKENS = 20
"""As many as the OpenAI protocol gives."""


def difference(top: Iterable[tuple[str, float]]) -> float | None:
    """log p(yes) - log p(no) of a token's likeliest texts with their log probabilities, summed over case and blank space around them.

    A word that is not among them counts as much as the least likely one that is. None where both are all but impossible.
    """
    top = [(text, min(0.0, max(_LEAST, logprob))) for text, logprob in top if not math.isnan(logprob)]
    yes, no = (sum(math.exp(logprob) for text, logprob in top if text.strip().casefold() == word) for word in ("yes", "no"))
    if yes + no < MIN_MASS:
        return None
    floor = math.exp(min(logprob for _, logprob in top))
    return math.log(yes or floor) - math.log(no or floor)
