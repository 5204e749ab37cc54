"""The time that a run will still take, estimated from its progress and corrected with each step."""

from collections import deque
from dataclasses import dataclass, field

from dynagrag.core.text import duration_text

_WINDOW_S = 30.0
_MIN_S = 2.0
_MIN_SHARE = 0.01
_STAGES = ("read", "store", "extract", "records")
"""After these all texts are still to be embedded."""
_LOADS_FIRST = "embed"
"""The stage whose first step loads a model, so that its time tells nothing of the others."""
_EMBEDDING_S = 0.06
"""Seconds a passage, with its mentions and relations, until this machine's own speed is seen:
measured with MiniLM on one core.
"""


@dataclass(slots=True)
class TimeLeft:
    """Estimates how long the rest of a run takes from how far it is. A stage's speed is that of its
    last half minute.

    Args:
        num_passages: How many passages are still to be embedded once all is extracted; 0: not
        known, and then not counted.
    """

    num_passages: int = 0
    _stage: str = ""
    _seen: deque[tuple[float, int]] = field(default_factory=deque)
    _left_s: float | None = None
    _estimated_at: float = 0.0

    def tell(self, stage: str, done: int, total: int, now: float) -> None:
        """Takes in how far the run is at a time, in seconds of any clock."""
        if stage != self._stage or (self._seen and done < self._seen[-1][1]):
            self._stage, self._left_s = stage, None
            self._seen.clear()
        if self._seen and done == self._seen[-1][1]:
            return  # looked at between two steps of a slow model
        if stage == _LOADS_FIRST and len(self._seen) == 1 and not self._seen[0][1]:
            self._seen.clear()
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[1][0] > _WINDOW_S:
            self._seen.popleft()
        (began, first), (last, latest) = self._seen[0], self._seen[-1]
        moved, seconds = latest - first, last - began
        if total > 1 and moved and seconds >= _MIN_S and latest >= _MIN_SHARE * total:
            later = self.num_passages * _EMBEDDING_S if stage in _STAGES else 0.0
            self._left_s = (total - latest) * seconds / moved + later
            self._estimated_at = now

    def seconds(self, now: float) -> float | None:
        """Seconds left at a time; None while that can't be told."""
        return None if self._left_s is None else max(0.0, self._left_s - (now - self._estimated_at))

    def text(self, now: float) -> str:
        """The time left in words; empty while it is unknown."""
        left = self.seconds(now)
        if left is None:
            return ""
        if left < 10:
            return "a few seconds left"
        return f"about {duration_text(round(left, -1) if left < 90 else left)} left"
