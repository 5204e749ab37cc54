"""Where the marks of the report's plots go. Coordinates are those of an SVG of WIDTH; the template
draws them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dynagrag.core.text import cut

WIDTH = 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, 122, 14, 50
_HEIGHT = 300
_ROW = 34
_CHARACTER = 8.4
"""About the width of a character."""
_MAX_NAME, _MAX_LABEL = 24, 14
"""Characters of an arm's name for which there is room beside a bar, and behind a point."""
_BESIDE = 11
"""From a point to its label."""
_LABEL_GAP = 17
"""Labels nearer to each other than this would overlap."""
_NICE = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis with what it says."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Bar:
    """An arm's mean with its interval."""

    arm: str
    colour: int
    y: float
    start: float
    end: float
    low: float
    high: float
    text: str

    @property
    def label(self) -> str:
        """The name as far as there is room for it."""
        return cut(self.arm, _MAX_NAME)


@dataclass(frozen=True, slots=True)
class BarPlot:
    """Quality by arm."""

    height: float
    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """An arm's line, or its one point; the label stands at (label_x, label_y)."""

    arm: str
    colour: int
    points: tuple[tuple[float, float], ...]
    label_x: float
    label_y: float

    @property
    def label(self) -> str:
        """The name as far as there is room for it."""
        return cut(self.arm, _MAX_LABEL)

    @property
    def is_apart(self) -> bool:
        """Whether the label was pushed away from the last point, so that a line must join them."""
        x, y = self.points[-1]
        return abs(self.label_y - 5 - y) > _LABEL_GAP / 2 or self.label_x - x > 2 * _BESIDE

    @property
    def path(self) -> str:
        """The points as an SVG polyline has them."""
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.points)


@dataclass(frozen=True, slots=True)
class LinePlot:
    """Series between two axes."""

    height: float
    series: tuple[Series, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    left: float = _LEFT
    right: float = WIDTH - _RIGHT
    top: float = _TOP
    bottom: float = _HEIGHT - _BOTTOM


def quality_bars(means: Mapping[str, float], bounds: Mapping[str, Mapping[str, float]]) -> BarPlot:
    """A bar an arm: the mean in points, with the interval of the mean."""
    top = _round_up(max([*means.values(), *(b["high"] for b in bounds.values()), 1]))
    start = 14 + _CHARACTER * max((len(cut(arm, _MAX_NAME)) for arm in means), default=0)
    width = WIDTH - start - 48

    def x(value: float) -> float:
        return start + width * value / top

    bars = tuple(
        Bar(
            arm,
            i,
            _TOP + i * _ROW,
            start,
            x(mean),
            x(bounds[arm]["low"]),
            x(bounds[arm]["high"]),
            f"{mean:.1f}",
        )
        for i, (arm, mean) in enumerate(means.items())
    )
    ticks = tuple(Tick(x(v), f"{v:g}") for v in _steps(0, top))
    return BarPlot(_TOP + len(bars) * _ROW + _BOTTOM - 14, bars, ticks)


def recall_curves(curves: Mapping[str, Sequence[float]]) -> LinePlot:
    """Recall in points at each depth, from 1."""
    depth = max((len(curve) for curve in curves.values()), default=1)
    low, high = (
        0.0,
        _round_up(100 * max((max(curve, default=0) for curve in curves.values()), default=1)),
    )

    def x(k: int) -> float:
        return _across((k - 1) / max(depth - 1, 1))

    lines = {
        arm: tuple((x(k), _up(100 * v, low, high)) for k, v in enumerate(curve, start=1))
        for arm, curve in curves.items()
    }
    ticks = tuple(Tick(x(k), str(k)) for k in range(1, depth + 1))
    return LinePlot(_HEIGHT, _labelled(lines), ticks, _y_ticks(low, high))


def cost_points(costs: Mapping[str, float], quality: Mapping[str, float]) -> LinePlot:
    """A point an arm: what a question costs (logarithmic) against quality in points."""
    costs = {arm: max(cost, 0.01) for arm, cost in costs.items()}
    first, last = (
        math.floor(math.log10(min(costs.values()))),
        math.ceil(math.log10(max(costs.values())) + 1e-9),
    )
    last = max(last, first + 1)
    step = 5 if max(quality.values()) - min(quality.values()) < 25 else 10
    low = step * math.floor(min(quality.values()) / step)
    high = max(step * math.ceil(max(quality.values()) / step), low + step)

    def x(cost: float) -> float:
        return _across((math.log10(cost) - first) / (last - first))

    points = {arm: ((x(costs[arm]), _up(quality[arm], low, high)),) for arm in costs}
    ticks = tuple(Tick(x(10.0**e), f"{10.0**e:g}") for e in range(first, last + 1))
    return LinePlot(_HEIGHT, _labelled(points, beside=True), ticks, _y_ticks(low, high))


def _across(share: float) -> float:
    return _LEFT + share * (WIDTH - _LEFT - _RIGHT)


def _up(value: float, low: float, high: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (value - low) / (high - low)


def _labelled(
    lines: Mapping[str, tuple[tuple[float, float], ...]], beside: bool = False
) -> tuple[Series, ...]:
    """Each series with its label at its end (beside its point), labels pushed apart from top to
    bottom, then back inside.
    """
    wanted = sorted(lines, key=lambda arm: (lines[arm][-1][1], arm))
    y: dict[str, float] = {}
    above = -_LABEL_GAP * 1.0
    for arm in wanted:
        y[arm] = above = max(lines[arm][-1][1], above + _LABEL_GAP)
    below = _HEIGHT - _BOTTOM + _LABEL_GAP * 1.0
    for arm in reversed(wanted):
        y[arm] = below = min(y[arm], below - _LABEL_GAP)
    last = [points[-1] for points in lines.values()]
    x = {
        arm: _clear_x(own[-1][0], y[arm], last) if beside else WIDTH - _RIGHT + 10
        for arm, own in lines.items()
    }
    return tuple(
        Series(arm, i, points, x[arm], y[arm] + 5) for i, (arm, points) in enumerate(lines.items())
    )


def _clear_x(x: float, y: float, points: Sequence[tuple[float, float]]) -> float:
    """Where a label beside its point at x begins: behind other points that it would lie upon."""
    width = _CHARACTER * _MAX_LABEL
    for other, level in sorted(points):
        if other > x and abs(level - y) < _LABEL_GAP / 2 and other < x + width:
            x = other
    return x + _BESIDE


def _y_ticks(low: float, high: float) -> tuple[Tick, ...]:
    return tuple(Tick(_up(v, low, high), f"{v:g}") for v in _steps(low, high))


def _steps(low: float, high: float) -> list[float]:
    """Four to seven round values from low to high."""
    raw = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(raw)) if raw > 0 else 1.0
    step = next((n * unit for n in _NICE if n * unit >= raw), 10 * unit)
    count = math.floor((high - low) / step + 1e-9)
    return [low + i * step for i in range(count + 1)]


def _round_up(points: float) -> float:
    return min(100.0, max(10.0, 10.0 * math.ceil(points / 10)))
