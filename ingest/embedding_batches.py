"""Sizes of batches of texts to embed: few enough that a pause is obeyed within a second, enough to
keep a server busy.
"""

import math
from collections.abc import Iterator, Sequence

FEWEST, MOST = 8, 512
_WANTED_S = 0.4
_IS_WORK = 1.5
"""Twice the texts in less than this many times the time: what is waited for is a connection, and
more at once costs nothing.
"""
_MAX_CHARS = 1200
_PER_TEXT = 20


class BatchSizes:
    """Sizes of batches for an embedder that is not known before. One text loads it. From then on
    the size is what takes the wanted time at the last batch's speed; but where twice the texts take
    hardly longer, as over a network, it is doubled. It is counted in texts and in their work,
    whichever is full first: sentences that come after names are longer.
    """

    def __init__(self) -> None:
        self._size = 1
        self._most_work = math.inf
        self._last = (0, 0.0)
        self._is_rest = False

    def batches(self, works: Sequence[int]) -> Iterator[slice]:
        """Slices of texts, each text being its `embedding_work`, of the size that is right at the
        time. Call `took` before asking for the next.
        """
        start = 0
        while start < len(works):
            end, work = start + 1, works[start]
            while (
                end < len(works)
                and end - start < self._size
                and work + works[end] <= self._most_work
            ):
                work += works[end]
                end += 1
            self._is_rest = end == len(works) and end - start < self._size
            yield slice(start, end)
            start = end

    def took(self, num_texts: int, work: int, seconds: float) -> None:
        """Texts and seconds of the last batch."""
        if self._is_rest:  # of a kind
            return
        if self._size == 1:
            self._size = FEWEST
            return
        # Whether the time of two batches hardly depends on their sizes.
        (few, few_s), (many, many_s) = sorted((self._last, (num_texts, seconds)))
        is_waiting = many >= 2 * few and many_s < _IS_WORK * few_s
        is_first = self._last[0] == 0
        is_slow = 2 * seconds > _WANTED_S and not is_first and not is_waiting
        growth = _WANTED_S / seconds if is_slow else 2.0
        self._size = max(FEWEST, min(MOST, int(growth * num_texts)))
        self._most_work = growth * work
        self._last = num_texts, seconds


def embedding_work(text: str) -> int:
    """A text's share of the time that embedding takes: its characters as far as models read them,
    and a bit for each text.
    """
    return _PER_TEXT + min(len(text), _MAX_CHARS)
