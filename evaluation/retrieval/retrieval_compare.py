"""Two runs of retrieval on the same questions: the second minus the first by scope, arm and
measure.
"""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from dynagrag.core.errors import UsageError
from dynagrag.evaluation.frame.experiment_run import differing_settings
from dynagrag.evaluation.frame.figures import Figure, Unit
from dynagrag.evaluation.frame.report import Section, Table
from dynagrag.evaluation.frame.run_comparison import HEADS, RunComparison, compared_row
from dynagrag.evaluation.retrieval.retrieval_report import (
    SCOPE_TITLES,
    WORDS,
    Asked,
    RetrievalLine,
    RetrievalRun,
    by_scope,
    points_change,
)
from dynagrag.evaluation.retrieval.retrieval_scores import (
    PointsDifference,
    differences,
    means_of,
    median_ms,
    names_of,
)


class ArmInBoth(BaseModel):
    """An arm's means in both runs, as fractions of 1; `ms` the median."""

    model_config = ConfigDict(frozen=True)

    first: dict[str, float]
    second: dict[str, float]


class ScopeComparison(BaseModel):
    """The arms of one scope. `intervals`: of the differences, by arm and measure."""

    model_config = ConfigDict(frozen=True)

    arms: dict[str, ArmInBoth]
    intervals: dict[str, dict[str, PointsDifference]]


class RetrievalComparison(RunComparison):
    """Two runs of retrieval side by side."""

    scopes: dict[str, ScopeComparison]

    @property
    def sections(self) -> Sequence[Section]:
        """A table a scope, and what the arms took."""
        return [
            Section(
                SCOPE_TITLES.get(scope, scope) if len(self.scopes) > 1 else "",
                tables=(
                    Table(
                        HEADS,
                        tuple(
                            compared_row(
                                arm,
                                name,
                                Figure(own.arms[arm].first[name]),
                                Figure(own.arms[arm].second[name]),
                                points_change(found),
                            )
                            for arm, changes in own.intervals.items()
                            for name, found in changes.items()
                        ),
                    ),
                ),
                after=tuple(
                    f"{arm}: {_ms(both.first)} ms / {_ms(both.second)} ms"
                    for arm, both in own.arms.items()
                ),
            )
            for scope, own in self.scopes.items()
        ]

    @property
    def words(self) -> Mapping[str, str]:
        """As in the report of one run."""
        return {name: said for name, said in WORDS.items() if name not in ("arm", "points")}


def _ms(means: Mapping[str, float]) -> str:
    return Figure(means["ms"], unit=Unit.MS).text()


def compare(first: RetrievalRun, second: RetrievalRun) -> RetrievalComparison:
    """second - first by scope, arm and measure, on the same questions, with what else was different
    between the runs.

    Raises UsageError where the questions or scopes differ, no arm is in both, or a run lacks lines.
    """
    old, new = _counted(first), _counted(second)
    if set(old) != set(new):
        raise UsageError(
            f"the runs were made in other scopes: {', '.join(old)} in {first.path},"
            f" {', '.join(new)} in {second.path}; run one of them again with the other's --scope"
        )
    for run, found in ((first, old), (second, new)):
        for arms in found.values():
            ids = [set(own) for own in arms.values()]
            if any(own != ids[0] for own in ids):  # lines were lost, whatever the result says
                raise run.stopped()
    for scope in old:
        texts, others = (
            {(line.question, line.text) for line in next(iter(own.values())).values()}
            for own in (old[scope], new[scope])
        )
        if texts != others:
            raise UsageError(
                f"the runs asked different questions: {len(texts - others)} of {len(texts)} in"
                f" {first.path} are not in {second.path}, and {len(others - texts)} of"
                f" {len(others)} the other way; compare runs of the same set, half and limit"
            )
    shared = [arm for arm in next(iter(old.values())) if arm in next(iter(new.values()))]
    if not shared:
        raise UsageError(
            f"no arm is in both runs: {', '.join(first.settings['arms'])} in one,"
            f" {', '.join(second.settings['arms'])} in the other"
        )
    return RetrievalComparison(
        runs=(str(first.path), str(second.path)),
        questions=len(next(iter(next(iter(old.values())).values()))),
        differing=differing_settings(first, second),
        left_out=sorted(
            {a for found in (*old.values(), *new.values()) for a in found} - set(shared)
        ),
        scopes={scope: _compared(old[scope], new[scope], shared) for scope in old},
    )


def _counted(run: RetrievalRun) -> dict[str, dict[str, dict[str, RetrievalLine]]]:
    """The lines of a run by scope, arm and question, without questions of kinds that its figures
    leave out.
    """
    apart = run.settings.get("apart", ())
    return by_scope(line for line in run.lines() if line.kind not in apart)


def _compared(old: Asked, new: Asked, arms: Sequence[str]) -> ScopeComparison:
    questions = list(old[arms[0]])
    names = names_of(run[arm][q] for run in (old, new) for arm in arms for q in questions)
    before, after = (
        {arm: {n: [run[arm][q].measures[n] for q in questions] for n in names} for arm in arms}
        for run in (old, new)
    )
    return ScopeComparison(
        arms={
            arm: ArmInBoth(
                first=means_of(before[arm]) | {"ms": median_ms(old[arm].values())},
                second=means_of(after[arm]) | {"ms": median_ms(new[arm].values())},
            )
            for arm in arms
        },
        intervals=differences(after, before),
    )
