"""The figures of a judge's verdicts on one set: agreement with people, flips, ties, what could not
be read; by subset and by length.

Agreement is of the rows whose verdict could be read, whose number stands beside it. A tie is a
verdict that agrees with nobody: where people judged pairs, they chose one.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from dynagrag.evaluation.bootstrap_intervals import RESAMPLES, SEED
from dynagrag.evaluation.judge.agreement_measures import Rated, accuracy, kappa, pearson
from dynagrag.evaluation.judge.calibration_sets import CalibrationRow, RowKind
from dynagrag.evaluation.judge.judge_model import TIE
from dynagrag.evaluation.judge.judge_replies import JudgeLine
from dynagrag.evaluation.judge.reliability import THRESHOLD, is_reliable

Bounds: TypeAlias = tuple[float, float]

_NUM_CATEGORIES = {RowKind.RIGHT: 2, RowKind.PAIR: 3, RowKind.GRADE: 5}
_POINTS_PER_GRADE = 20
"""People gave 0 to 100 where a judge gives 1 to 5."""
_BUCKETS = (
    ("up to 10 words", 10),
    ("11 to 40 words", 40),
    ("41 to 150 words", 150),
    ("over 150 words", math.inf),
)
_RESAMPLES_OF_PART = 1000


class PartAgreement(BaseModel):
    """The agreement on the `n` rows of a part of a set that could be read."""

    model_config = ConfigDict(frozen=True)

    n: int
    accuracy: float | None
    accuracy_interval: Bounds | None = None
    kappa: float | None


class SetAgreement(BaseModel):
    """The agreement on a set. `n`: all of its rows, also those that could not be read;
    `is_reliable`: None where that can't be told; `ms`: the median of a row.
    """

    model_config = ConfigDict(frozen=True)

    n: int
    accuracy: float | None
    kappa: float | None
    flips: int
    ties: int
    unreadable: int
    accuracy_interval: Bounds | None = None
    kappa_interval: Bounds | None = None
    is_reliable: bool | None = None
    subsets: dict[str, PartAgreement] = Field(default_factory=dict)
    lengths: dict[str, PartAgreement] = Field(default_factory=dict)
    ms: float | None = None

    @model_serializer(mode="wrap")
    def _in_order(self, as_usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Fields that only some sets have stand before the parts."""
        found: dict[str, Any] = as_usual(self)
        last = {name: found.pop(name) for name in ("subsets", "lengths", "ms")}
        return found | last


class GradesAgreement(SetAgreement):
    """Of a set of grades also Pearson's r with people, and of both with the length of what is
    graded.
    """

    pearson: float | None
    pearson_interval: Bounds | None = None
    judge_with_length: float | None = None
    people_with_length: float | None = None


class PairsAgreement(SetAgreement):
    """Of a set of pairs also the accuracy without ties, and that of both orders' odds together,
    which need no tie; and how often the longer output won, with judge and people.
    """

    accuracy_without_ties: float | None
    accuracy_without_ties_interval: Bounds | None = None
    accuracy_by_odds: float | None = None
    longer_wins: float | None = None
    longer_wins_with_people: float | None = None


AnyAgreement: TypeAlias = SetAgreement | GradesAgreement | PairsAgreement


def set_agreement(
    kind: RowKind,
    rows: Sequence[CalibrationRow],
    lines: Mapping[str, JudgeLine],
    threshold: float = THRESHOLD,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> AnyAgreement:
    """The figures of one set; `lines` by row id, one for each row."""
    own = [lines[row.id] for row in rows]
    read = [row for row in rows if lines[row.id].verdict is not None]
    rated = [_rated(row, lines[row.id]) for row in read]
    size, is_graded = _NUM_CATEGORIES[kind], kind is RowKind.GRADE
    agreed = accuracy(rated, size, seed, resamples)
    beyond_chance = kappa(rated, size, seed, resamples, is_graded=is_graded)
    unreadable = len(rows) - len(read)
    found = SetAgreement(
        n=len(rows),
        accuracy=agreed.value,
        kappa=beyond_chance.value,
        flips=sum(line.is_flip for line in own),
        ties=sum(kind is RowKind.PAIR and line.verdict == TIE for line in own),
        unreadable=unreadable,
        accuracy_interval=agreed.bounds(),
        kappa_interval=beyond_chance.bounds(),
        is_reliable=is_reliable(
            beyond_chance.value, beyond_chance.bounds(), unreadable, len(rows), threshold
        ),
        subsets=_parts(read, lines, kind, lambda row: row.subset),
        lengths=_parts(read, lines, kind, _length_of),
        ms=round(median(line.ms for line in own), 1),
    )
    if is_graded:
        return _with_grades(found, rated, read, seed, resamples)
    if kind is RowKind.PAIR:
        return _with_pairs(found, read, lines, seed, resamples)
    return found


def grade_of(rating: float) -> int:
    """0 to 100 as 1 to 5: twenty points each."""
    return min(5, int(rating // _POINTS_PER_GRADE) + 1)


def _rated(row: CalibrationRow, line: JudgeLine) -> Rated:
    verdict = line.verdict
    assert verdict is not None, "only rows that could be read are rated"
    if row.kind is RowKind.GRADE:
        return Rated(
            row.group, grade_of(row.people) - 1, math.floor(verdict + 0.5) - 1, row.people, verdict
        )
    return Rated(row.group, int(row.people), int(verdict))


def _with_grades(
    found: SetAgreement,
    rated: Sequence[Rated],
    read: Sequence[CalibrationRow],
    seed: int,
    resamples: int,
) -> GradesAgreement:
    r = pearson(rated, seed, resamples)
    lengths = [float(row.words[0]) for row in read]
    judge, people = [], []
    for own, length in zip(rated, lengths, strict=True):
        judge.append(Rated(own.group, 0, 0, length, own.judge_grade))
        people.append(Rated(own.group, 0, 0, length, own.people_grade))
    return GradesAgreement(
        **dict(found),
        pearson=r.value,
        pearson_interval=r.bounds(),
        judge_with_length=pearson(judge, seed, 1).value,
        people_with_length=pearson(people, seed, 1).value,
    )


def _with_pairs(
    found: SetAgreement,
    read: Sequence[CalibrationRow],
    lines: Mapping[str, JudgeLine],
    seed: int,
    resamples: int,
) -> PairsAgreement:
    decided = [row for row in read if lines[row.id].verdict != TIE]
    alone = accuracy([_rated(row, lines[row.id]) for row in decided], 3, seed, resamples)
    with_odds = [(row, odds) for row in read if (odds := lines[row.id].odds) is not None]
    summed = accuracy(
        [Rated(row.group, int(row.people), 1 if odds > 0 else 2) for row, odds in with_odds],
        3,
        seed,
        resamples,
    )
    unequal = [row for row in decided if row.words[0] != row.words[1]]
    longer = [1 if row.words[0] > row.words[1] else 2 for row in unequal]
    pairs = list(zip(unequal, longer, strict=True))
    return PairsAgreement(
        **dict(found),
        accuracy_without_ties=alone.value,
        accuracy_without_ties_interval=alone.bounds(),
        accuracy_by_odds=summed.value if with_odds else None,
        longer_wins=_share([lines[row.id].verdict == place for row, place in pairs]),
        longer_wins_with_people=_share([row.people == place for row, place in pairs]),
    )


def _share(truths: Sequence[bool]) -> float | None:
    return round(sum(truths) / len(truths), 4) if truths else None


def _length_of(row: CalibrationRow) -> str:
    """A text by its words; a pair by which of the two people prefer."""
    if row.kind is not RowKind.PAIR:
        return next(name for name, most in _BUCKETS if row.words[0] <= most)
    better, other = row.words if row.people == 1 else row.words[::-1]
    if better == other:
        return "equally long"
    return "the better one is longer" if better > other else "the better one is shorter"


def _parts(
    read: Sequence[CalibrationRow],
    lines: Mapping[str, JudgeLine],
    kind: RowKind,
    part_of: Callable[[CalibrationRow], str],
) -> dict[str, PartAgreement]:
    places = {name: place for place, (name, _) in enumerate(_BUCKETS)}
    names = sorted({part_of(row) for row in read}, key=lambda name: (places.get(name, -1), name))
    size, found = _NUM_CATEGORIES[kind], {}
    for name in names:
        rated = [_rated(row, lines[row.id]) for row in read if part_of(row) == name]
        agreed = accuracy(rated, size, resamples=_RESAMPLES_OF_PART)
        beyond_chance = kappa(
            rated, size, resamples=_RESAMPLES_OF_PART, is_graded=kind is RowKind.GRADE
        )
        found[name] = PartAgreement(
            n=len(rated),
            accuracy=agreed.value,
            accuracy_interval=agreed.bounds(),
            kappa=beyond_chance.value,
        )
    return found
