"""The kept run of a calibration: verdicts.jsonl (what the judge said of each row), rows.jsonl (the
rows, for people), and how both are read: whether the judge is reliable, figures by set, subset and
length, what it got wrong.
"""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.frame.experiment_run import ONE_ARM, ExperimentRun
from dynagrag.evaluation.frame.figures import Figure, Unit, count
from dynagrag.evaluation.frame.lines_file import read_lines
from dynagrag.evaluation.frame.report import (
    FEW_ITEMS,
    BarChart,
    Case,
    Cases,
    Listing,
    Report,
    Section,
    Table,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.frame.results import Result
from dynagrag.evaluation.judge.calibration_figures import (
    AnyAgreement,
    GradesAgreement,
    PairsAgreement,
    SetAgreement,
    grade_of,
)
from dynagrag.evaluation.judge.calibration_sets import CalibrationRow, RowKind
from dynagrag.evaluation.judge.judge_replies import JudgeLine
from dynagrag.evaluation.judge.reliability import (
    MIN_ROWS,
    NOT_KNOWN,
    NOT_RELIABLE,
    THRESHOLD,
    why_not,
)

ROWS = "rows.jsonl"
_NUM_READ = 5
"""How many rows of each set that the judge got most wrong are shown."""
WORDS: Mapping[str, str] = {
    "accuracy": (
        "share of the judge's verdicts that people share, in points; of grades: in the same fifth"
        " of the scale"
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
    "points": (
        "accuracy: 100 is everything; kappa and r are from -1 to 1. Of verdicts that could be read;"
        " a tie agrees with nobody"
    ),
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


class VerdictLine(JudgeLine):
    """A judge's verdict on a row."""

    set: str
    row: str
    verdict: float | None
    ms: float

    @property
    def key(self) -> tuple[str, str]:
        """The set and the row."""
        return ONE_ARM, row_id(self.set, self.row)


def row_id(set_name: str, row: str) -> str:
    """A row's id among the rows of all sets."""
    return f"{set_name} {row}"


class KnownRow(BaseModel):
    """A row as people read it."""

    model_config = ConfigDict(frozen=True)

    set: str
    id: str
    kind: RowKind
    subset: str
    question: str
    texts: tuple[str, ...]
    references: tuple[str, ...]
    people: float

    @classmethod
    def of(cls, row: CalibrationRow) -> "KnownRow":
        """A row, cut where it is very long."""
        return cls(
            set=row.set,
            id=row.id,
            kind=row.kind,
            subset=row.subset,
            question=shortened(row.question),
            texts=tuple(map(shortened, row.texts)),
            references=tuple(map(shortened, row.references)),
            people=row.people,
        )


class CalibrationResult(Result):
    """How far a judge agrees with people, by set. `sizes`: how many rows each set has of which some
    were drawn; `notes`: what was passed over in each, and how often.
    """

    verdict: str
    judge: str
    sets: dict[str, AnyAgreement]
    threshold: float = THRESHOLD
    seed: int = SEED
    sizes: dict[str, int] = Field(default_factory=dict)
    notes: dict[str, dict[str, int]] = Field(default_factory=dict)
    run: str = ""


class CalibrationRun(ExperimentRun[VerdictLine, CalibrationResult]):
    """The folder of a run that calibrates a judge."""

    line_kind = VerdictLine
    lines_file = "verdicts.jsonl"
    command = "dynagrag evaluate judge --calibrate"
    evaluates = "calibration"
    what = "a judge against people"
    noun = "row"
    result_kind = CalibrationResult

    def rows(self) -> list[KnownRow]:
        """The rows in their order."""
        return read_lines(self.path / ROWS, KnownRow)

    def report(self) -> Report:
        """Whether the judge can be believed, and on what."""
        result = self.result()
        rows = ", ".join(f"{name} ({own.n})" for name, own in result.sets.items())
        is_few = min(own.n for own in result.sets.values()) < FEW_ITEMS
        few = f" Fewer than {FEW_ITEMS} rows of a set: its intervals say little." if is_few else ""
        return Report(
            title=f"{result.judge}: agreement with people",
            asked=(
                f"{result.judge} judged rows that people had judged before: how often does it say"
                f" the same? Rows: {rows}."
            ),
            conclusion=f"{result.verdict}.{few}",
            is_warned=result.verdict.startswith((NOT_RELIABLE, NOT_KNOWN)),
            about=(
                f"Reliable means a kappa whose interval begins at {result.threshold} or more,"
                f" on at least {MIN_ROWS} rows, and at most one verdict in ten that could not be"
                " read. What is known of a judge here is shown with its later verdicts.",
            ),
            notes=tuple(
                f"{name}: {num} x {note}"
                for name, notes in result.notes.items()
                for note, num in notes.items()
            ),
            results=tuple(_results(result.sets)),
            words=WORDS,
            cases=tuple(_wrong(self.rows(), {line.key[1]: line for line in self.lines()})),
        )


def verdict_on_judge(judge: str, sets: Mapping[str, SetAgreement], threshold: float) -> str:
    """The first words of a report: on which sets the judge can be believed."""
    parts = []
    for words, is_reliable in ((NOT_RELIABLE, False), (NOT_KNOWN, None), ("reliable", True)):
        shown = []
        for name, own in sets.items():
            if own.is_reliable is not is_reliable:
                continue
            kappa = "kappa can't be told" if own.kappa is None else f"kappa {_kappa(own).text()}"
            why = (
                ""
                if is_reliable
                else f", {why_not(own.kappa, own.kappa_interval, own.unreadable, own.n, threshold)}"
            )
            shown.append(f"{name} ({kappa}{why})")
        if shown:
            parts.append(f"{words}: {judge} on {', '.join(shown)}")
    return "; ".join(parts)


def _kappa(own: SetAgreement) -> Figure:
    return Figure.bounded(own.kappa, own.kappa_interval, Unit.COEFFICIENT)


def _results(sets: Mapping[str, AnyAgreement]) -> Iterator[Section]:
    agreed = {
        name: Figure.bounded(own.accuracy, own.accuracy_interval) for name, own in sets.items()
    }
    rows = tuple(
        (
            name,
            (
                count(own.n),
                agreed[name],
                _kappa(own),
                Figure.bounded(own.pearson, own.pearson_interval, Unit.COEFFICIENT)
                if isinstance(own, GradesAgreement)
                else Figure(None),
                {True: "yes", False: "no", None: "not known"}[own.is_reliable],
                count(own.flips),
                count(own.ties),
                count(own.unreadable),
                Figure(own.ms, unit=Unit.MS),
            ),
        )
        for name, own in sets.items()
    )
    heads = (
        "set",
        "rows",
        "accuracy",
        "kappa",
        "r",
        "reliable",
        "flips",
        "ties",
        "unreadable",
        "ms",
    )
    bars = {name: own for name, own in agreed.items() if own.shown_bounds is not None}
    yield Section(
        tables=(Table(heads, rows, main="kappa"),),
        pictures=(BarChart("Accuracy by set, with 95 % intervals", bars),) if bars else (),
        after=tuple(line for name, own in sets.items() for line in _more(name, own)),
    )
    yield Section(
        "By subset and by length",
        tables=tuple(
            Table(
                ("part", "rows", "accuracy", "kappa"),
                tuple(
                    (
                        name,
                        (
                            count(part.n),
                            Figure.bounded(part.accuracy, part.accuracy_interval),
                            Figure(part.kappa, unit=Unit.COEFFICIENT),
                        ),
                    )
                    for name, part in (*own.subsets.items(), *own.lengths.items())
                ),
                title=set_name,
                main="accuracy",
            )
            for set_name, own in sets.items()
            if own.subsets
        ),
    )


def _more(name: str, own: AnyAgreement) -> Iterator[str]:
    """Figures that only sets of pairs, or of grades, have, in words."""
    if isinstance(own, PairsAgreement):
        both = (
            ""
            if own.accuracy_by_odds is None
            else f", with both orders' odds together {Figure(own.accuracy_by_odds).text()}"
        )
        yield f"{name}: accuracy without ties {Figure(own.accuracy_without_ties).text()}{both}"
        yield (
            f"{name}: the longer output wins {Figure(own.longer_wins).text()} % of the decided"
            f" pairs; with people {Figure(own.longer_wins_with_people).text()} %"
        )
    if isinstance(own, GradesAgreement):
        judge, people = (
            Figure(value, unit=Unit.COEFFICIENT).text()
            for value in (own.judge_with_length, own.people_with_length)
        )
        yield f"{name}: grades with length, r: judge {judge}, people {people}"


def _wrong(rows: Sequence[KnownRow], lines: Mapping[str, VerdictLine]) -> Iterator[Cases]:
    """By set the rows that were judged most otherwise than by people, or not readable."""
    by_set: dict[str, list[tuple[float, KnownRow]]] = {}
    for row in rows:
        own = by_set.setdefault(row.set, [])
        if off := _off(row, lines[row_id(row.set, row.id)].verdict):
            own.append((off, row))
    for name, own in by_set.items():
        own.sort(key=lambda pair: (-pair[0], pair[1].id))
        cases = tuple(_case(row, lines[row_id(name, row.id)]) for _, row in own[:_NUM_READ])
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
    verdict = "could not be read" if line.verdict is None else f"{line.verdict:g}"
    orders = ", then ".join("?" if own is None else f"{own:g}" for own in line.orders)
    subset = f"{row.subset}; " if row.subset else ""
    return Case(
        text=row.question,
        value=f"{subset}people {row.people:g}, judge {verdict}"
        + (f" ({orders})" if orders else ""),
        warning=line.note,
        listings=(
            Listing.of("Judged" if len(row.texts) == 1 else "Compared", row.texts),
            Listing.of("References", row.references),
        ),
    )
