"""What a benchmark measured, a line a measurement: printed, and appended to a file where one is
named.
"""

from pathlib import Path


class ResultLines:
    """Prints lines, and keeps them."""

    def __init__(self, out: Path | None) -> None:
        self._out = out

    def line(self, text: str) -> None:
        """One line."""
        print(text, flush=True)
        if self._out is not None:
            with self._out.open("a", encoding="utf-8") as handle:
                handle.write(text + "\n")

    def rate(self, what: str, num: int, seconds: float) -> None:
        """So many in so much time."""
        self.line(f"{what:<58} {num:>9,} in {seconds:7.1f} s = {num / seconds:>9,.0f} a second")
