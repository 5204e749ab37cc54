"""Figures as values: what was measured, with its interval, its unit, and over how many it is. Only
here it is decided how a number is written.
"""

from dataclasses import dataclass
from enum import StrEnum

from dynagrag.evaluation.bootstrap_intervals import MIN_PAIRS, DifferenceVerdict, Interval
from dynagrag.evaluation.several_comparisons import HOLM

POINTS = 100
NOTHING = "-"
"""Stands where there is no figure: nothing was there to take it of."""


class Unit(StrEnum):
    """Unit of a value, which decides how it is written."""

    SHARE = "share"
    """A fraction of 1, written in points: 100 is everything."""
    POINTS = "points"
    """The same, in points already."""
    FRACTION = "fraction"
    """A number of about 1 that is no share, such as an area under a curve."""
    COEFFICIENT = "coefficient"
    """Agreement or correlation, -1 to 1."""
    GRADE = "grade"
    COUNT = "count"
    MEAN_COUNT = "mean count"
    """How many of a thing on the average, such as calls a question."""
    MS = "ms"
    SECONDS = "s"

    @property
    def scale(self) -> float:
        """Factor by which a value is shown."""
        return POINTS if self is Unit.SHARE else 1

    def digits(self, value: float) -> int:
        """Digits behind the point that a value is worth."""
        if self is Unit.MS:
            return 0 if abs(value) >= 100 else 2
        return {Unit.FRACTION: 3, Unit.COEFFICIENT: 2, Unit.GRADE: 2, Unit.COUNT: 0}.get(self, 1)


@dataclass(frozen=True, slots=True)
class Figure:
    """A value, None where there is nothing to take it of; `low` and `high` bound its 95 % interval.

    `n`: over how many it is, where others beside it are over more. `is_difference`: it is written
    with its sign.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    unit: Unit = Unit.SHARE
    n: int | None = None
    is_difference: bool = False

    @classmethod
    def of(
        cls, interval: Interval, unit: Unit = Unit.SHARE, is_difference: bool = False
    ) -> "Figure":
        """The figure of a mean with its interval."""
        return cls(
            interval.mean, interval.low, interval.high, unit=unit, is_difference=is_difference
        )

    @classmethod
    def bounded(
        cls,
        value: float | None,
        bounds: tuple[float, float] | None,
        unit: Unit = Unit.SHARE,
        is_difference: bool = False,
    ) -> "Figure":
        """The figure of a value whose interval may be missing."""
        low, high = bounds or (None, None)
        return cls(value, low, high, unit=unit, is_difference=is_difference)

    @property
    def shown(self) -> float | None:
        """The value as it is written: a share in points."""
        return None if self.value is None else self.unit.scale * self.value

    @property
    def shown_bounds(self) -> tuple[float, float] | None:
        """The bounds of the interval on the same scale."""
        if self.low is None or self.high is None:
            return None
        return self.unit.scale * self.low, self.unit.scale * self.high

    def text(self) -> str:
        """VALUE, VALUE (LOW to HIGH), or VALUE (N); a dash for nothing."""
        if self.shown is None:
            return NOTHING
        if (bounds := self.bounds_text()) or self.n is None:
            return self.value_text() + (f" ({bounds})" if bounds else "")
        return f"{self.value_text()} ({self.n})"

    def value_text(self) -> str:
        """The value alone."""
        return NOTHING if self.shown is None else self._written(self.shown)

    def bounds_text(self) -> str:
        """LOW to HIGH; empty without an interval."""
        bounds = self.shown_bounds
        return "" if bounds is None else f"{self._written(bounds[0])} to {self._written(bounds[1])}"

    def _written(self, value: float) -> str:
        return f"{value:{'+' if self.is_difference else ''},.{self.unit.digits(value)}f}"


def count(value: int) -> Figure:
    """How many."""
    return Figure(value, unit=Unit.COUNT)


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """An arm against the baseline on the same items: the difference with its interval, over `num`
    of them. `holds`: whether it does among several comparisons; None where that wasn't asked.
    """

    arm: str
    baseline: str
    difference: Figure
    num: int
    holds: bool | None = None

    @property
    def verdict(self) -> DifferenceVerdict:
        """Whether the difference is more than chance, and which way."""
        bounds = self.difference.shown_bounds
        return DifferenceVerdict.UNCLEAR if bounds is None else Interval(0.0, *bounds).verdict

    def text(self) -> str:
        """In plain words, after a comma: ", +2.0 points against naive (95 % interval ...): ..."."""
        if self.difference.shown_bounds == (0.0, 0.0):
            return f", the same as {self.baseline}"
        against = f", {self.difference.value_text()} points against {self.baseline}"
        if self.difference.shown_bounds is None:
            return f"{against}, without an interval"
        if self.num < MIN_PAIRS:
            seen = "too few to tell"
        elif self.verdict is DifferenceVerdict.UNCLEAR:
            seen = "that may be chance"
        elif self.holds is False:
            seen = (
                f"{self.arm} is {self.verdict}, but among the comparisons of this run that may be"
                f" chance ({HOLM})"
            )
        else:
            seen = f"{self.arm} is {self.verdict}, by more than chance"
        return f"{against} (95 % interval {self.difference.bounds_text()}): {seen}"
