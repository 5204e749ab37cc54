"""A judge's calibration in words, and as one HTML file: whether it is reliable, figures by set, subset and length, what it got wrong."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagrag.evaluation.judge.calibration_figures import grade_of
from dynagrag.evaluation.judge.calibration_folder import CalibrationRun, KnownRow, VerdictLine
from dynagrag.evaluation.judge.calibration_sets import RowKind
from dynagrag.evaluation.judge.reliability import MAX_UNREADABLE
from dynagrag.evaluation.results.html_report import flat, report_template
from dynagrag.evaluation.results.run_summary import FEW_QUESTIONS

NOT_RELIABLE = "not reliable for this"
_NUM_READ = 5
"""How many rows of each set that the judge got most wrong are shown."""


@dataclass(frozen=True, slots=True)
class Read:
    """A row to read: what people and the judge said of it."""

    question: str
    subset: str
    people: str
    judge: str
    note: str
    texts: tuple[str, ...]
    references: tuple[str, ...]


def verdict_on_judge(judge: str, figures: Mapping[str, Mapping[str, Any]], threshold: float) -> str:
    """The first line of a report: on which sets the judge can be believed."""
    bad, good = ([name for name, own in figures.items() if own["is_reliable"] is wanted] for wanted in (False, True))
    parts = []
    if bad:
        parts.append(f"{NOT_RELIABLE}: {judge} on {', '.join(_with_reason(name, figures[name], threshold) for name in bad)}")
    if good:
        parts.append(f"reliable: {judge} on {', '.join(_with_kappa(name, figures[name]) for name in good)}")
    return "; ".join(parts)


def _with_kappa(name: str, own: Mapping[str, Any]) -> str:
    return f"{name} (kappa {number(own['kappa'])})"


def _with_reason(name: str, own: Mapping[str, Any], threshold: float) -> str:
    if own["unreadable"] > MAX_UNREADABLE * own["n"]:
        return f"{name} ({own['unreadable']} of {own['n']} verdicts could not be read)"
    if own["kappa"] is None:
        return f"{name} (kappa can't be told: all verdicts are the same)"
    return f"{name} (kappa {number(own['kappa'])}, below {threshold:g})"


def calibration_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a report."""
    yield summary["verdict"]
    width = max(6, *(len(name) for name in summary["sets"])) + 2
    yield f"{'set':<{width}}{'rows':>6}  {'accuracy':<20}{'kappa':<22}{'r':<22}{'flips':>6}{'ties':>6}{'unreadable':>12}{'ms':>9}"
    for name, own in summary["sets"].items():
        yield f"{name:<{width}}" + _row(own)
    for name, own in summary["sets"].items():
        for title, key in (("by subset", "subsets"), ("by length", "lengths")):
            parts = ", ".join(f"{part} {percent(found['accuracy'])} of {found['n']}" for part, found in own[key].items())
            yield f"{name} {title}, accuracy: {parts}"
        yield from _more(name, own)
    for name, notes in summary["notes"].items():
        for note, count in notes.items():
            yield f"{name}: {count} x {note}"
    yield "accuracy in percent, kappa and r from -1 to 1, with 95 % intervals; of verdicts that could be read; a tie agrees with nobody"
    if any(own["n"] < FEW_QUESTIONS for own in summary["sets"].values()):
        yield f"fewer than {FEW_QUESTIONS} rows of a set: its intervals say little"


def _row(own: Mapping[str, Any]) -> str:
    cells = cells_of(own)
    return f"{cells[0]:>6}  {cells[1]:<20}{cells[2]:<22}{cells[3]:<22}{cells[4]:>6}{cells[5]:>6}{cells[6]:>12}{cells[7]:>9}"


def cells_of(own: Mapping[str, Any]) -> list[str]:
    """Rows, accuracy, kappa, r, flips, ties, unreadable ones, milliseconds: of one set, as they are shown."""
    agreed = percent(own["accuracy"]) + _interval(own["accuracy_interval"], percent)
    beyond = number(own["kappa"]) + _interval(own["kappa_interval"], number)
    r = number(own["pearson"]) + _interval(own["pearson_interval"], number) if "pearson" in own else "-"
    return [str(own["n"]), agreed, beyond, r, str(own["flips"]), str(own["ties"]), str(own["unreadable"]), f"{own['ms']:,.0f}"]


def _more(name: str, own: Mapping[str, Any]) -> Iterator[str]:
    if "longer_wins" in own:
        both = f", with both orders' odds together {percent(own['accuracy_by_odds'])}" if own["accuracy_by_odds"] is not None else ""
        yield f"{name}: accuracy without ties {percent(own['accuracy_without_ties'])}{both}"
        with_people = percent(own["longer_wins_with_people"])
        yield f"{name}: the longer output wins {percent(own['longer_wins'])} of the decided pairs; with people {with_people}"
    if "judge_with_length" in own:
        yield f"{name}: grades with length, r: judge {number(own['judge_with_length'])}, people {number(own['people_with_length'])}"


def _interval(bounds: Sequence[float] | None, shown: Any) -> str:
    return f" ({shown(bounds[0])} to {shown(bounds[1])})" if bounds else ""


def percent(share: float | None) -> str:
    """A share of 1 in percent; a dash for none."""
    return "-" if share is None else f"{100 * share:.1f}"


def number(value: float | None) -> str:
    """A coefficient; a dash for none."""
    return "-" if value is None else f"{value:.2f}"


def render_calibration_report(run: CalibrationRun) -> str:
    """The report of a run that is done."""
    summary = run.summary()
    return report_template("calibration.html.jinja").render(
        summary=summary,
        head=run.head,
        settings=list(flat(run.settings)),
        rows=[(name, cells_of(own)) for name, own in summary["sets"].items()],
        parts=[
            (
                name,
                part,
                str(found["n"]),
                percent(found["accuracy"]) + _interval(found["accuracy_interval"], percent),
                number(found["kappa"]),
            )
            for name, own in summary["sets"].items()
            for key in ("subsets", "lengths")
            for part, found in own[key].items()
        ],
        more=[line for name, own in summary["sets"].items() for line in _more(name, own)],
        wrong=_wrong(run.rows(), run.by_row()),
        is_reliable=not summary["verdict"].startswith(NOT_RELIABLE),
        few=FEW_QUESTIONS,
        fewest=min(own["n"] for own in summary["sets"].values()),
    )


def _wrong(rows: Sequence[KnownRow], lines: Mapping[tuple[str, str], VerdictLine]) -> list[tuple[str, int, list[Read]]]:
    """(Set, how many were judged otherwise than by people or not readable, those that were furthest off)."""
    by_set: dict[str, list[tuple[float, KnownRow]]] = {}
    for row in rows:
        by_set.setdefault(row.set, [])
        if off := _off(row, lines[row.set, row.id].verdict):
            by_set[row.set].append((off, row))
    found = []
    for name, own in by_set.items():
        own.sort(key=lambda pair: (-pair[0], pair[1].id))
        found.append((name, len(own), [_read(row, lines[row.set, row.id]) for _, row in own[:_NUM_READ]]))
    return found


def _off(row: KnownRow, verdict: float | None) -> float:
    """How far a verdict is from what people said; 0 the same. One that can't be read is half off."""
    if verdict is None:
        return 0.5
    if row.kind is RowKind.GRADE:
        return float(abs(grade_of(row.people) - round(verdict)))
    return abs(row.people - verdict)


def _read(row: KnownRow, line: VerdictLine) -> Read:
    said = "could not be read" if line.verdict is None else f"{line.verdict:g}"
    orders = "" if not line.orders else " (" + ", then ".join("?" if own is None else f"{own:g}" for own in line.orders) + ")"
    return Read(row.question, row.subset, f"{row.people:g}", said + orders, line.note, row.texts, row.references)
