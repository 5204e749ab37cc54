"""A done run as tables: by arm what it reached and what it took, with intervals, in points."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.judge.judge_compare import SCALES
from dynagrag.evaluation.judge.judge_compare import TITLES as JUDGED_TITLES
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judge_report import (
    cut_off_of,
    held_lines,
    holds_of,
    judge_notes,
    kind_rows,
    kind_title,
    stated_of,
)
from dynagrag.evaluation.judge.judge_summary import fewest_questions, is_graded
from dynagrag.evaluation.results.run_summary import FEW, FEW_QUESTIONS, POINTS
from dynagrag.ui.evaluate import other_tables
from dynagrag.ui.evaluate.kept_runs import (
    CALIBRATION,
    JUDGED,
    KeptView,
)
from dynagrag.ui.evaluate.other_tables import Row
from dynagrag.ui.safe_markdown import clean

_LIKE = {
    "words": "words",
    "citations": "citations",
    "context_tokens": "context tokens",
    "tokens": "all tokens",
    "calls": "calls",
    "seconds": "seconds",
}


@dataclass(frozen=True, slots=True)
class Table:
    """A table and what stands above it."""

    title: str
    rows: tuple[Row, ...]


def headline(view: KeptView) -> str:
    """The run in a sentence; of judged answers whether the judge can be believed."""
    summary = view.summary
    return str(summary.get("verdict", ""))


def notes(view: KeptView) -> list[str]:
    """What one must know beside the figures."""
    summary = view.summary
    questions = summary.get("questions")
    if view.kind == JUDGED:
        said, questions = [*judge_notes(summary), *held_lines(summary)], fewest_questions(summary)
    else:
        said = [f"{note} ({count:,})" for note, count in _counted(summary.get("notes") or {})]
    if isinstance(questions, int) and questions < FEW_QUESTIONS:
        said.append(FEW)
    return [f"{note[:1].upper()}{note[1:]}" for note in said]


def _counted(noted: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Notes with their counts; a run of several sets has them by set."""
    for name, found in noted.items():
        if isinstance(found, Mapping):
            yield from ((f"{name}: {note}", count) for note, count in found.items())
        else:
            yield name, found


def tables(view: KeptView) -> list[Table]:
    """All tables of a done run."""
    return list(_of_judged(view.summary) if view.kind == JUDGED else _of_others(view))


def _of_judged(summary: Mapping[str, Any]) -> Iterator[Table]:
    arms: Mapping[str, Mapping[str, Any]] = summary["arms"]
    if is_graded(summary):
        yield Table(
            "Grades, of 25 in all",
            tuple(
                {"Arm": arm, "total": _mean(own["total"]), "95 %": _range(own["total"])}
                | {f"against {summary['baseline']}": _interval(summary["differences"].get(arm), 2)}
                | {"holds": holds_of(summary["differences"].get(arm) or {})}
                | {metric: _rounded(own["metrics"].get(metric)) for metric in METRICS}
                | {"graded": own["graded"], "unreadable": own["unreadable"]}
                for arm, own in arms.items()
            ),
        )
    if summary["pairs"]:
        yield Table(
            f"In pairs with the answers of {summary['baseline']}",
            tuple(
                {"Arm": arm}
                | {
                    "won": own["wins"],
                    "lost": own["losses"],
                    "tied": own["ties"],
                    "by flips": own["flips"],
                }
                | {
                    "unreadable": own["unreadable"],
                    "wins and half the ties, %": _points((own["win_rate"] or {}).get("mean")),
                }
                | {"holds": holds_of(own)}
                for arm, own in summary["pairs"].items()
            ),
        )
    if kinds := tuple(
        {"Kind": clean(kind)} | dict(zip(("questions", *arms), cells, strict=True))
        for kind, cells in kind_rows(summary)
    ):
        yield Table(f"By kind of question, {kind_title(summary)}", kinds)
    yield Table(
        "What the answers are like, and what they took",
        tuple(
            {"Arm": arm, "cut off": cut_off_of(own), "stated claims": stated_of(own)}
            | {"same as baseline, %": _points(own.get("same_as_baseline"))}
            | {title: _rounded(own.get(name)) for name, title in _LIKE.items()}
            for arm, own in arms.items()
        ),
    )


def _of_others(view: KeptView) -> Iterator[Table]:
    summary = view.summary
    if view.kind == CALIBRATION:
        yield Table(
            "How far the judge agrees with people", tuple(other_tables.calibration_rows(summary))
        )
    else:
        for name, value in summary.items():
            if rows := other_tables.any_rows(value):
                yield Table(name.replace("_", " "), tuple(rows))


# -------------------------------------------------------------------------------------------- cells


def _points(value: float | None) -> float | None:
    return None if value is None else round(POINTS * value, 1)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _mean(found: Mapping[str, float] | None) -> float | None:
    return None if found is None else round(found["mean"], 2)


def _range(found: Mapping[str, float] | None) -> str:
    return "" if found is None else f"{found['low']:.2f} to {found['high']:.2f}"


def _interval(found: Mapping[str, float] | None, digits: int = 1) -> str:
    return "" if not found else Interval.of(found).text("+", digits)


# ------------------------------------------------------------------------------------------ compare


def compared_tables(found: Mapping[str, Any]) -> list[Table]:
    """The second run of judged answers minus the first, as `dynagrag evaluate compare` has it."""
    return [Table("Second run minus first", tuple(_judged_rows(found)))]


def _judged_rows(found: Mapping[str, Any]) -> Iterator[Row]:
    for arm, own in found["arms"].items():
        for name, row in own.items():
            shown = {
                key: SCALES[name] * row[key]
                for key in ("first", "second", "difference", "low", "high")
            }
            yield {
                "Arm": arm,
                "Measure": JUDGED_TITLES[name],
                "First": round(shown["first"], 2),
                "Second": round(shown["second"], 2),
                "Difference (95 %)": _interval(shown, 2),
                "Second is": row["verdict"],
                "questions": row["n"],
            }


def differing_rows(found: Mapping[str, Any]) -> list[Row]:
    """What else was different between the two runs."""
    return [
        {"Setting": name, "First": clean(old), "Second": clean(new)}
        for name, (old, new) in found["differing"].items()
    ]
