"""How many texts are embedded at once: few enough that a pause is obeyed within a second, enough to keep a server busy."""

from collections.abc import Iterator, Sequence

FEWEST, MOST = 8, 512
_WANTED_S = 0.4
_IS_WORK = 1.5
"""Twice the texts in less than this many times the time: what is waited for is a connection, and more at once costs nothing."""
_MAX_CHARS = 1200
_PER_TEXT = 20


class BatchSizes:
    """Sizes of batches for an embedder that is not known before. One text loads it. From then on the size is what takes the wanted time at
    the last batch's speed; but where twice the texts take hardly longer, as over a network, it is doubled.
    """

    def __init__(self) -> None:
        self._size = 1
        self._last = (0, 0.0)

    def batches(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        """The texts in batches of the size that is right then. Tell `took` before the next one is asked for."""
        start = 0
        while start < len(texts):
            size = self._size
            yield texts[start : start + size]
            start += size

    def took(self, num_texts: int, seconds: float) -> None:
        """What the last batch took."""
        if num_texts < self._size:  # the rest of a kind
            return
        before, before_s = self._last
        if num_texts == 1:
            self._size = FEWEST
            return
        if not before or 2 * seconds <= _WANTED_S or _is_waiting((num_texts, seconds), (before, before_s)):
            self._size = 2 * num_texts
        else:
            self._size = int(num_texts * _WANTED_S / seconds)
        self._size = max(FEWEST, min(MOST, self._size))
        self._last = num_texts, seconds


def _is_waiting(one: tuple[int, float], other: tuple[int, float]) -> bool:
    """Whether the time of two batches hardly depends on their sizes."""
    (few, few_s), (many, many_s) = sorted((one, other))
    return many >= 2 * few and many_s < _IS_WORK * few_s


def embedding_work(text: str) -> int:
    """What a text weighs in the time that embedding takes: its characters as far as models read them, and a bit for each text."""
    return _PER_TEXT + min(len(text), _MAX_CHARS)
