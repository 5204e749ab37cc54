"""What a judge's verdicts on one set come to: agreement with people, flips, ties, what could not be
read; by subset and by length.

Agreement is of the rows whose verdict could be read, whose number stands beside it. A tie is a
verdict that agrees with nobody: where people judged pairs, they chose one.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dynagrag.evaluation.bootstrap_intervals import RESAMPLES, SEED
from dynagrag.evaluation.judge.agreement_measures import Estimate, Rated, accuracy, kappa, pearson
from dynagrag.evaluation.judge.calibration_folder import VerdictLine
from dynagrag.evaluation.judge.calibration_sets import CalibrationRow, RowKind
from dynagrag.evaluation.judge.judge_model import TIE
from dynagrag.evaluation.judge.reliability import THRESHOLD, is_reliable

_NUM_CATEGORIES = {RowKind.RIGHT: 2, RowKind.PAIR: 3, RowKind.GRADE: 5}
_POINTS_PER_GRADE = 20
"""People gave 0 to 100 where a judge gives 1 to 5."""
_BUCKETS = (
    ("up to 10 words", 10),
    ("11 to 40 words", 40),
    ("41 to 150 words", 150),
    ("over 150 words", math.inf),
)


def set_figures(
    kind: RowKind,
    rows: Sequence[CalibrationRow],
    lines: Mapping[str, VerdictLine],
    threshold: float = THRESHOLD,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """The figures of one set; `lines` by row id, one for each row."""
    own = [lines[row.id] for row in rows]
    read = [row for row in rows if lines[row.id].verdict is not None]
    rated = [_rated(row, lines[row.id]) for row in read]
    size, is_graded = _NUM_CATEGORIES[kind], kind is RowKind.GRADE
    agreed, beyond_chance = (
        accuracy(rated, size, seed, resamples),
        kappa(rated, size, seed, resamples, is_graded=is_graded),
    )
    unreadable = len(rows) - len(read)
    found: dict[str, Any] = {
        "n": len(rows),
        "accuracy": agreed.value,
        "kappa": beyond_chance.value,
        "flips": sum(line.is_flip for line in own),
        "ties": sum(kind is RowKind.PAIR and line.verdict == TIE for line in own),
        "unreadable": unreadable,
        "accuracy_interval": agreed.bounds(),
        "kappa_interval": beyond_chance.bounds(),
        "is_reliable": is_reliable(
            beyond_chance.value, beyond_chance.bounds(), unreadable, len(rows), threshold
        ),
    }
    if is_graded:
        found |= _graded(rated, read, seed, resamples)
    if kind is RowKind.PAIR:
        found |= _of_pairs(read, lines, seed, resamples)
    groups = {"subsets": _by_subset, "lengths": _by_length}
    return (
        found
        | {name: _parts(read, lines, kind, key) for name, key in groups.items()}
        | {"ms": _median_ms(own)}
    )


def grade_of(rating: float) -> int:
    """0 to 100 as 1 to 5: twenty points each."""
    return min(5, int(rating // _POINTS_PER_GRADE) + 1)


def _rated(row: CalibrationRow, line: VerdictLine) -> Rated:
    verdict = line.verdict
    assert verdict is not None, "only rows that could be read are rated"
    if row.kind is RowKind.GRADE:
        return Rated(
            row.group, grade_of(row.people) - 1, math.floor(verdict + 0.5) - 1, row.people, verdict
        )
    return Rated(row.group, int(row.people), int(verdict))


def _graded(
    rated: Sequence[Rated], read: Sequence[CalibrationRow], seed: int, resamples: int
) -> dict[str, Any]:
    """Pearson's r with people, and of both with length."""
    found = pearson(rated, seed, resamples)
    words = [float(row.words[0]) for row in read]
    by_length = [
        (Rated(r.group, 0, 0, length, r.judge_grade), Rated(r.group, 0, 0, length, r.people_grade))
        for r, length in zip(rated, words, strict=True)
    ]
    judge, people = ([pair[i] for pair in by_length] for i in (0, 1))
    return {
        "pearson": found.value,
        "pearson_interval": found.bounds(),
        "judge_with_length": pearson(judge, seed, 1).value,
        "people_with_length": pearson(people, seed, 1).value,
    }


def _of_pairs(
    read: Sequence[CalibrationRow], lines: Mapping[str, VerdictLine], seed: int, resamples: int
) -> dict[str, Any]:
    """Agreement without ties; of both orders' odds together, which need no tie; how often the
    longer output won, with judge and people.
    """
    decided = [row for row in read if lines[row.id].verdict != TIE]
    alone = accuracy([_rated(row, lines[row.id]) for row in decided], 3, seed, resamples)
    told = [(row, odds) for row in read if (odds := lines[row.id].odds) is not None]
    summed = accuracy(
        [Rated(row.group, int(row.people), 1 if odds > 0 else 2) for row, odds in told],
        3,
        seed,
        resamples,
    )
    unequal = [row for row in decided if row.words[0] != row.words[1]]
    longer = [1 if row.words[0] > row.words[1] else 2 for row in unequal]
    return {
        "accuracy_without_ties": alone.value,
        "accuracy_without_ties_interval": alone.bounds(),
        "accuracy_by_odds": summed.value if told else None,
        "longer_wins": _share(
            [lines[row.id].verdict == place for row, place in zip(unequal, longer, strict=True)]
        ),
        "longer_wins_with_people": _share(
            [row.people == place for row, place in zip(unequal, longer, strict=True)]
        ),
    }


def _share(truths: Sequence[bool]) -> float | None:
    return round(sum(truths) / len(truths), 4) if truths else None


def _by_subset(row: CalibrationRow) -> str:
    return row.subset


def _by_length(row: CalibrationRow) -> str:
    """A text by its words; a pair by which of the two people prefer."""
    if row.kind is RowKind.PAIR:
        better, other = row.words if row.people == 1 else row.words[::-1]
        return (
            "the better one is longer"
            if better > other
            else "the better one is shorter"
            if better < other
            else "equally long"
        )
    return next(name for name, most in _BUCKETS if row.words[0] <= most)


def _parts(
    read: Sequence[CalibrationRow],
    lines: Mapping[str, VerdictLine],
    kind: RowKind,
    key: Callable[[CalibrationRow], str],
) -> dict[str, Any]:
    names = sorted(
        {key(row) for row in read},
        key=lambda name: (
            [own for own, _ in _BUCKETS].index(name) if name in dict(_BUCKETS) else -1,
            name,
        ),
    )
    found = {}
    for name in names:
        rated = [_rated(row, lines[row.id]) for row in read if key(row) == name]
        agreed, beyond = _alone(accuracy, rated, kind), _alone(kappa, rated, kind)
        found[name] = {
            "n": len(rated),
            "accuracy": agreed.value,
            "accuracy_interval": agreed.bounds(),
            "kappa": beyond.value,
        }
    return found


def _alone(measure: Callable[..., Estimate], rated: Sequence[Rated], kind: RowKind) -> Estimate:
    options = {"is_graded": True} if measure is kappa and kind is RowKind.GRADE else {}
    return measure(rated, _NUM_CATEGORIES[kind], resamples=1000, **options)


def _median_ms(lines: Sequence[VerdictLine]) -> float:
    from statistics import median

    return round(median(line.ms for line in lines), 1)
