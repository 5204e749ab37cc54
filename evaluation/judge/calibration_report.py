"""A judge's calibration in words, and as a report: whether it is reliable, figures by set, subset
and length, what it got wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dynagrag.evaluation.frame.figures import Figure
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.report import (
    BarChart,
    Case,
    Cases,
    Listing,
    Report,
    Section,
    Table,
    interval_meaning,
)
from dynagrag.evaluation.judge.calibration_figures import grade_of
from dynagrag.evaluation.judge.calibration_folder import CalibrationRun, KnownRow, VerdictLine
from dynagrag.evaluation.judge.calibration_sets import RowKind
from dynagrag.evaluation.judge.reliability import MIN_ROWS, NOT_KNOWN, NOT_RELIABLE, why_not
from dynagrag.evaluation.results.run_summary import FEW_QUESTIONS

_NUM_READ = 5
"""How many rows of each set that the judge got most wrong are shown."""


def verdict_on_judge(judge: str, figures: Mapping[str, Mapping[str, Any]], threshold: float) -> str:
    """The first line of a report: on which sets the judge can be believed."""
    bad, unsure, good = (
        [name for name, own in figures.items() if own["is_reliable"] is wanted]
        for wanted in (False, None, True)
    )
    parts = []
    for words, names in ((NOT_RELIABLE, bad), (NOT_KNOWN, unsure)):
        if names:
            parts.append(
                f"{words}: {judge} on"
                f" {', '.join(_with_reason(name, figures[name], threshold) for name in names)}"
            )
    if good:
        parts.append(
            f"reliable: {judge} on"
            f" {', '.join(f'{name} ({_kappa(figures[name])})' for name in good)}"
        )
    return "; ".join(parts)


def _kappa(own: Mapping[str, Any]) -> str:
    return (
        f"kappa {number(own['kappa'])}{_interval(own['kappa_interval'], number)}"
        if own["kappa"] is not None
        else "kappa can't be told"
    )


def _with_reason(name: str, own: Mapping[str, Any], threshold: float) -> str:
    return (
        f"{name} ({_kappa(own)},"
        f" {why_not(own['kappa'], own['kappa_interval'], own['unreadable'], own['n'], threshold)})"
    )


def calibration_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a report."""
    yield summary["verdict"]
    width = max(6, *(len(name) for name in summary["sets"])) + 2
    yield (
        f"{'set':<{width}}{'rows':>6} "
        f" {'accuracy':<20}{'kappa':<22}{'r':<22}{'flips':>6}{'ties':>6}{'unreadable':>12}{'ms':>9}"
    )
    for name, own in summary["sets"].items():
        yield f"{name:<{width}}" + _row(own)
    for name, own in summary["sets"].items():
        for title, key in (("by subset", "subsets"), ("by length", "lengths")):
            parts = ", ".join(
                f"{part} {percent(found['accuracy'])} of {found['n']}"
                for part, found in own[key].items()
            )
            yield f"{name} {title}, accuracy: {parts}"
        yield from _more(name, own)
    for name, notes in summary["notes"].items():
        for note, count in notes.items():
            yield f"{name}: {count} x {note}"
    yield (
        "accuracy in percent, kappa and r from -1 to 1, with 95 % intervals; of verdicts that could"
        " be read; a tie agrees with nobody"
    )
    if any(own["n"] < FEW_QUESTIONS for own in summary["sets"].values()):
        yield f"fewer than {FEW_QUESTIONS} rows of a set: its intervals say little"


def _row(own: Mapping[str, Any]) -> str:
    cells = cells_of(own)
    return (
        f"{cells[0]:>6} "
        f" {cells[1]:<20}{cells[2]:<22}{cells[3]:<22}{cells[4]:>6}{cells[5]:>6}{cells[6]:>12}{cells[7]:>9}"
    )


def cells_of(own: Mapping[str, Any]) -> list[str]:
    """Rows, accuracy, kappa, r, flips, ties, unreadable ones, milliseconds: of one set, as they are
    shown.
    """
    agreed = percent(own["accuracy"]) + _interval(own["accuracy_interval"], percent)
    beyond = number(own["kappa"]) + _interval(own["kappa_interval"], number)
    r = (
        number(own["pearson"]) + _interval(own["pearson_interval"], number)
        if "pearson" in own
        else "-"
    )
    return [
        str(own["n"]),
        agreed,
        beyond,
        r,
        str(own["flips"]),
        str(own["ties"]),
        str(own["unreadable"]),
        f"{own['ms']:,.0f}",
    ]


def _more(name: str, own: Mapping[str, Any]) -> Iterator[str]:
    if "longer_wins" in own:
        both = (
            f", with both orders' odds together {percent(own['accuracy_by_odds'])}"
            if own["accuracy_by_odds"] is not None
            else ""
        )
        yield f"{name}: accuracy without ties {percent(own['accuracy_without_ties'])}{both}"
        with_people = percent(own["longer_wins_with_people"])
        yield (
            f"{name}: the longer output wins {percent(own['longer_wins'])} of the decided pairs;"
            f" with people {with_people}"
        )
    if "judge_with_length" in own:
        yield (
            f"{name}: grades with length, r: judge {number(own['judge_with_length'])}, people"
            f" {number(own['people_with_length'])}"
        )


def _interval(bounds: Sequence[float] | None, shown: Any) -> str:
    return f" ({shown(bounds[0])} to {shown(bounds[1])})" if bounds else ""


def percent(share: float | None) -> str:
    """A share of 1 in percent; a dash for none."""
    return "-" if share is None else f"{100 * share:.1f}"


def number(value: float | None) -> str:
    """A coefficient; a dash for none."""
    return "-" if value is None else f"{value:.2f}"


WORDS: Mapping[str, str] = {
    "accuracy": (
        "percent of the judge's verdicts that people share; of grades: in the same fifth of the"
        " scale"
    ),
    "reliable": (
        "whether kappa's interval begins at the threshold or above, on ten rows or more; no also"
        " where too much could not be read"
    ),
    "kappa": (
        "agreement beyond chance (Cohen's): 0 is what a judge gets that doesn't look, 1 is always;"
        " of grades weighted by squared distances"
    ),
    "r": "of grades alone: Pearson's correlation with people's ratings, -1 to 1",
    "95 % interval": interval_meaning("questions"),
    "flips": (
        "pairs are asked in both orders: a verdict that changes with the order, which makes it"
        " a tie"
    ),
    "ties": "pairs without a winner; a tie agrees with nobody, since people chose",
    "unreadable": "replies without a verdict: counted, never guessed, and in no other figure",
    "people, judge": (
        "of answers 1 right, 0 wrong; of pairs the better output, 1 or 2, and 0 a tie; of grades "
        "people's mean of 0 to 100, and the judge's 1 to 5"
    ),
    "ms": "milliseconds a row, the median",
}


def render_calibration_report(run: CalibrationRun) -> str:
    """The report of a run that is done."""
    return render(calibration_report(run), run.head)


def calibration_report(run: CalibrationRun) -> Report:
    """What the page says."""
    summary = run.summary()
    sets: Mapping[str, Mapping[str, Any]] = summary["sets"]
    rows = ", ".join(f"{name} ({own['n']})" for name, own in sets.items())
    few = (
        f" Fewer than {FEW_QUESTIONS} rows of a set: its intervals say little."
        if min(o["n"] for o in sets.values()) < FEW_QUESTIONS
        else ""
    )
    return Report(
        title=f"{summary['judge']}: agreement with people",
        asked=(
            f"{summary['judge']} judged rows that people had judged before: how often does it say"
            f" the same? Rows: {rows}."
        ),
        conclusion=f"{summary['verdict']}.{few}",
        is_warned=summary["verdict"].startswith((NOT_RELIABLE, NOT_KNOWN)),
        about=(
            (
                f"Reliable means a kappa whose interval begins at {summary['threshold']} or more,"
                f" on at least {MIN_ROWS} rows, and at most one verdict in ten that could not be"
                " read. What is known of a judge here is shown with its later verdicts."
            ),
        ),
        notes=tuple(
            f"{name}: {count} x {note}"
            for name, notes in summary["notes"].items()
            for note, count in notes.items()
        ),
        results=tuple(_results(sets)),
        words=WORDS,
        cases=tuple(_wrong(run.rows(), run.by_row())),
    )


def _results(sets: Mapping[str, Mapping[str, Any]]) -> Iterator[Section]:
    heads = ("set", "rows", "accuracy", "kappa", "r", "flips", "ties", "unreadable", "ms")
    table = Table(
        heads, tuple((name, tuple(cells_of(own))) for name, own in sets.items()), main="kappa"
    )
    agreed = {
        name: Figure(own["accuracy"], *own["accuracy_interval"])
        for name, own in sets.items()
        if own["accuracy_interval"]
    }
    bars = (BarChart("Accuracy by set, percent, with 95 % intervals", agreed),) if agreed else ()
    yield Section(
        tables=(table,),
        pictures=bars,
        after=tuple(line for name, own in sets.items() for line in _more(name, own)),
    )
    parts = {name: _parts(own) for name, own in sets.items()}
    tables = (
        Table(("part", "rows", "accuracy", "kappa"), rows, title=name, main="accuracy")
        for name, rows in parts.items()
        if rows
    )
    yield Section("By subset and by length", tables=tuple(tables))


def _parts(own: Mapping[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    rows = []
    for part, found in (item for key in ("subsets", "lengths") for item in own[key].items()):
        agreed = percent(found["accuracy"]) + _interval(found["accuracy_interval"], percent)
        rows.append((part, (str(found["n"]), agreed, number(found["kappa"]))))
    return tuple(rows)


def _wrong(
    rows: Sequence[KnownRow], lines: Mapping[tuple[str, str], VerdictLine]
) -> Iterator[Cases]:
    """By set the rows that were judged most otherwise than by people, or not readable."""
    by_set: dict[str, list[tuple[float, KnownRow]]] = {}
    for row in rows:
        by_set.setdefault(row.set, [])
        if off := _off(row, lines[row.set, row.id].verdict):
            by_set[row.set].append((off, row))
    for name, own in by_set.items():
        own.sort(key=lambda pair: (-pair[0], pair[1].id))
        cases = tuple(_case(row, lines[row.set, row.id]) for _, row in own[:_NUM_READ])
        yield Cases(f"{name}: {len(own)} judged otherwise than by people", cases)


def _off(row: KnownRow, verdict: float | None) -> float:
    """How far a verdict is from what people said; 0 the same. One that can't be read is half
    off.
    """
    if verdict is None:
        return 0.5
    if row.kind is RowKind.GRADE:
        return float(abs(grade_of(row.people) - round(verdict)))
    return abs(row.people - verdict)


def _case(row: KnownRow, line: VerdictLine) -> Case:
    said = "could not be read" if line.verdict is None else f"{line.verdict:g}"
    orders = (
        ""
        if not line.orders
        else " (" + ", then ".join("?" if own is None else f"{own:g}" for own in line.orders) + ")"
    )
    return Case(
        text=row.question,
        value=(
            f"{row.subset + '; ' if row.subset else ''}people {row.people:g}, judge {said}{orders}"
        ),
        warning=line.note,
        listings=(
            Listing.of("Judged" if len(row.texts) == 1 else "Compared", row.texts),
            Listing.of("References", row.references),
        ),
    )
