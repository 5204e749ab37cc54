"""Figures of pruners beside each other, and beside the untrained ones, on the same questions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, JsonValue, model_serializer, model_validator

from dynagrag.core.protocols import Pruner
from dynagrag.evaluation.bootstrap_intervals import (
    DifferenceVerdict,
    Interval,
    intervals,
    share_intervals,
    student_interval,
)
from dynagrag.evaluation.pruning.pruning_example import PruningExample
from dynagrag.evaluation.pruning.pruning_measures import (
    EDGE_AP,
    NAMES,
    NEAR,
    NODE_AP,
    measure_pruner,
    untrained_pruner,
)
from dynagrag.registry.pruners import PRUNERS

BASELINES = (*PRUNERS, NEAR)
"""The untrained pruners, which a trained one has to beat: every one of the registry, and NearFirst.
One more here may change whether a trained pruner becomes its workspace's default.
"""
MIN_GROUPS = 8
"""Documents, or entities asked about, below which an interval over them tells nothing."""
_AGAINST, _DIGITS = "against_", 6
ByQuestion = Mapping[str, Mapping[str, float]]
"""Measures by question."""
_Of = Callable[[Mapping[str, Sequence[float]]], dict[str, Interval]]


@dataclass(frozen=True, slots=True)
class Gain:
    """Gain of a pruner over another on the same questions: the means of the differences by measure,
    with 95 % intervals.

    `by_group`: the difference in average precision over nodes, the mean over groups (documents,
    entities asked about) of their questions' means; questions of one group are alike, so this is
    what tells of other groups. Groups are few, so its interval is Student's: that of resamples is
    too narrow (docs/decisions/0076).
    """

    measures: Mapping[str, Interval]
    by_group: Interval


@dataclass(frozen=True, slots=True)
class PrunerFigures:
    """Of one pruner: the means by measure with 95 % intervals, and its gains over the untrained
    ones but itself, by their names.

    `note`: what to know of them, empty where there is nothing. `by_question`: the measures of each
    question by its id. `num_groups`: how many documents, or entities asked about, the questions are
    of.
    """

    name: str
    n: int
    means: Mapping[str, Interval]
    against: Mapping[str, Gain] = field(default_factory=dict)
    note: str = ""
    by_question: ByQuestion = field(default_factory=dict)
    num_groups: int = 0

    @property
    def num_with_pairs(self) -> int:
        """On how many of the questions pairs support the answer: edge_ap is the mean over these."""
        return sum(EDGE_AP in row for row in self.by_question.values())

    @property
    def best_untrained(self) -> str:
        """The untrained pruner that ranks nodes best on these questions."""
        return min(self.against, key=lambda name: self.against[name].measures[NODE_AP].mean)

    @property
    def beats_untrained(self) -> bool:
        """Whether its average precision over nodes is above that of the best untrained one by more
        than chance: over the questions, and over the groups that they are of, of which it takes
        MIN_GROUPS; and that over edges isn't below that of any of them by more than chance.
        """
        if not self.against or self.num_groups < MIN_GROUPS:
            return False
        gain = self.against[self.best_untrained]
        return (
            gain.measures[NODE_AP].verdict is gain.by_group.verdict is DifferenceVerdict.BETTER
            and not self._better_over_pairs
        )

    @property
    def _better_over_pairs(self) -> list[str]:
        """The untrained pruners that rank edges better, by more than chance."""
        edges = {
            name: gain.measures[EDGE_AP]
            for name, gain in self.against.items()
            if EDGE_AP in gain.measures
        }
        return [name for name, own in edges.items() if own.verdict is DifferenceVerdict.WORSE]

    def verdict(self) -> str:
        """How it does beside the best untrained one, in words, which go on "it"."""
        other = f"the untrained `{self.best_untrained}`"
        nodes = self.against[self.best_untrained].measures[NODE_AP]
        if self.beats_untrained:
            return f"is better than {other}"
        if nodes.verdict is DifferenceVerdict.WORSE:
            return f"is worse than {other}"
        if nodes.verdict is DifferenceVerdict.BETTER and self._better_over_pairs:
            return (
                f"is better than {other} over entities, and worse over pairs of them than"
                f" `{self._better_over_pairs[0]}`, so not in all"
            )
        unproven = f"is not shown to be better than {other}"
        return (
            f"{unproven}, which takes {MIN_GROUPS} documents"
            if self.num_groups < MIN_GROUPS
            else unproven
        )


class KeptPrunerFigures(BaseModel):
    """The figures of a pruner as runs and checkpoints keep them, rounded: the means by measure, and
    the gains over the untrained ones by their names and by measure. `n`: questions; `n_edge_ap`:
    those of them that pairs support.

    In JSON it is {"n", "n_edge_ap", measures, "against_prior": {measure: [mean, low, high]},
    "against_none", "against_near", "note"}; no "note" where it is empty, and nothing of a pruner
    against itself.
    """

    model_config = ConfigDict(frozen=True)

    n: int
    n_edge_ap: int = 0
    means: dict[str, float]
    gains: dict[str, dict[str, Interval]]
    note: str = ""

    @classmethod
    def of(cls, own: PrunerFigures) -> "KeptPrunerFigures":
        """The figures that were worked out."""
        return cls(
            n=own.n,
            n_edge_ap=own.num_with_pairs,
            means={name: round(value.mean, _DIGITS) for name, value in own.means.items()},
            gains={
                other: {
                    name: Interval(*(round(x, _DIGITS) for x in (v.mean, v.low, v.high)))
                    for name, v in gain.measures.items()
                }
                for other, gain in own.against.items()
            },
            note=own.note,
        )

    @property
    def best_untrained(self) -> str:
        """The untrained pruner but itself that ranks nodes best; empty where none was measured."""
        return min(self.gains, key=lambda name: self.gains[name][NODE_AP].mean, default="")

    @model_validator(mode="before")
    @classmethod
    def _from_flat(cls, found: object) -> object:
        if not isinstance(found, dict) or "means" in found:
            return found
        gains = {other: found.get(f"{_AGAINST}{other}") for other in BASELINES}
        return {
            **{name: found[name] for name in ("n", "n_edge_ap", "note") if name in found},
            "means": {name: found[name] for name in NAMES if name in found},
            "gains": {
                other: {name: Interval(*bounds) for name, bounds in own.items()}
                for other, own in gains.items()
                if own
            },
        }

    @model_serializer
    def _flat(self) -> dict[str, JsonValue]:
        gains: dict[str, JsonValue] = {
            f"{_AGAINST}{other}": {n: [v.mean, v.low, v.high] for n, v in own.items()}
            for other, own in self.gains.items()
        }
        note: dict[str, JsonValue] = {"note": self.note} if self.note else {}
        return {"n": self.n, "n_edge_ap": self.n_edge_ap, **self.means, **gains, **note}


def compare_pruners(
    pruners: Mapping[str, Pruner | ByQuestion], examples: Sequence[PruningExample]
) -> list[PrunerFigures]:
    """The figures of each on the same questions, of which there is one at least. One whose measures
    are there already is given by them. The untrained ones are measured too, whether they are among
    them or not.
    """
    measured = {
        name: own if isinstance(own, Mapping) else measure_pruner(own, examples)
        for name, own in pruners.items()
    }
    untrained = {
        name: measured.get(name) or measure_pruner(untrained_pruner(name), examples)
        for name in BASELINES
    }
    group_of = {example.id: example.group for example in examples}
    return [
        PrunerFigures(
            name,
            len(own),
            _means(own, share_intervals),
            {
                other: _gain(own, theirs, group_of)
                for other, theirs in untrained.items()
                if other != name
            },
            by_question=own,
            num_groups=len({*group_of.values()}),
        )
        for name, own in measured.items()
    ]


def _gain(own: ByQuestion, other: ByQuestion, group_of: Mapping[str, str]) -> Gain:
    gains = {
        id_: {name: value - other[id_][name] for name, value in row.items()}
        for id_, row in own.items()
    }
    by_group: dict[str, list[float]] = {}
    for id_, row in gains.items():
        by_group.setdefault(group_of[id_], []).append(row[NODE_AP])
    return Gain(
        _means(gains, intervals),
        student_interval([sum(rows) / len(rows) for rows in by_group.values()]),
    )


def _means(rows: ByQuestion, of: _Of) -> dict[str, Interval]:
    columns = {name: [row[name] for row in rows.values() if name in row] for name in NAMES}
    return {name: of({name: column})[name] for name, column in columns.items() if column}


def figures_json(figures: Sequence[PrunerFigures]) -> dict[str, JsonValue]:
    """{"NAME": what `KeptPrunerFigures` writes}."""
    return {own.name: KeptPrunerFigures.of(own).model_dump(mode="json") for own in figures}


def rounded_bounds(figures: Sequence[PrunerFigures]) -> dict[str, dict[str, tuple[float, float]]]:
    """The intervals of the means, by pruner and measure."""
    return {
        own.name: {
            name: (round(value.low, _DIGITS), round(value.high, _DIGITS))
            for name, value in own.means.items()
        }
        for own in figures
    }
