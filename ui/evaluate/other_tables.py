"""Runs that the app reads and doesn't begin as tables: a judge against people, pruners, and
any other kind.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.pruning.pruner_report import gain_cells, measure_cells, short_names
from dynagrag.evaluation.pruning.pruning_measures import NAMES
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


def pruner_rows(summary: Mapping[str, Any]) -> Iterator[Row]:
    """By pruner each measure with its interval, and how far it is from the prior on the same
    questions.
    """
    names = short_names(summary["pruners"])
    for name, own in summary["pruners"].items():
        row = {"Pruner": clean(names[name], 60)}
        cells = zip(
            NAMES,
            measure_cells(own, summary["intervals"][name]),
            gain_cells(own, "prior"),
            strict=True,
        )
        for measure, value, against in cells:
            row |= {measure: value} | (
                {f"{measure} against prior": against} if own.get("against_prior") else {}
            )
        yield row


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
