"""Runs that the app reads and doesn't begin as tables: a judge against people, and any
other kind.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.results.run_summary import POINTS
from dynagrag.ui.safe_markdown import clean

Row = dict[str, Any]


def calibration_rows(summary: Mapping[str, Any]) -> Iterator[Row]:
    """By set: how often the judge says what people say."""
    for name, own in summary["sets"].items():
        row = {
            "Set": name,
            "rows": own["n"],
            "accuracy, %": _points(own["accuracy"]),
            "95 %": _bounds(own.get("accuracy_interval")),
        }
        kappa = own["kappa"]
        row |= {
            "kappa": "can't be told" if kappa is None else f"{kappa:.2f}",
            "reliable": {True: "yes", None: "not known"}.get(own["is_reliable"], "no"),
        }
        yield row | {noun: own[noun] for noun in ("flips", "ties", "unreadable")}


def any_rows(value: Any) -> Sequence[Row]:
    """Whatever of a summary is a table."""
    if (
        not isinstance(value, Mapping)
        or not value
        or not all(isinstance(own, Mapping) for own in value.values())
    ):
        return ()
    return [
        {"": clean(name)} | {clean(k): _flat(v) for k, v in own.items() if _flat(v) is not None}
        for name, own in value.items()
    ]


def _flat(value: Any) -> Any:
    if isinstance(value, Mapping) and {"mean", "low", "high"} <= value.keys():
        return Interval.of(value).text(digits=3)
    return (
        f"{value:.3f}"
        if isinstance(value, float)
        else value
        if isinstance(value, int | str)
        else None
    )


def _points(value: float | None) -> float | None:
    return None if value is None else round(POINTS * value, 1)


def _bounds(found: Sequence[float] | None) -> str:
    return "" if not found else f"{POINTS * found[0]:.1f} to {POINTS * found[1]:.1f}"
