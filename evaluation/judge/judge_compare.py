"""Two runs of judged answers to the same questions by the same judge, side by side: the second
minus the first by arm.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

from dynagrag.core.errors import UsageError
from dynagrag.evaluation.frame.experiment_run import differing_settings
from dynagrag.evaluation.frame.figures import Figure, Unit, count
from dynagrag.evaluation.frame.report import Row, Section, Table
from dynagrag.evaluation.frame.run_comparison import HEADS, RunComparison
from dynagrag.evaluation.judge.arm_statistics import pair_points, paired_difference
from dynagrag.evaluation.judge.judge_options import PAIRWISE
from dynagrag.evaluation.judge.judge_report import WORDS, JudgeRun
from dynagrag.evaluation.judge.judge_summary import grades_of

TOTAL, WIN_RATE = "total", "win_rate"
_UNITS = {TOTAL: Unit.GRADE, WIN_RATE: Unit.SHARE}
"""Of the measures: points of 25, and shares of the pairs."""
_TITLES = {TOTAL: "total of 25", WIN_RATE: "wins and half the ties"}


class MeasureInBoth(BaseModel):
    """A measure of an arm in both runs: its means over the `n` questions that both have."""

    model_config = ConfigDict(frozen=True)

    first: float
    second: float
    difference: float
    low: float
    high: float
    verdict: str
    n: int

    def row(self, arm: str, measure: str) -> Row:
        """A row of the comparison."""
        unit = _UNITS[measure]
        first, second = (Figure(value, unit=unit) for value in (self.first, self.second))
        change = Figure(self.difference, self.low, self.high, unit, is_difference=True)
        return arm, (_TITLES[measure], first, second, change, count(self.n), self.verdict)


class JudgedComparison(RunComparison):
    """Two judged runs side by side; `judge`: the identity of the judge of both."""

    judge: str
    arms: dict[str, dict[str, MeasureInBoth]]

    @model_serializer(mode="wrap")
    def _in_order(self, as_usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The judge stands with the questions."""
        found: dict[str, Any] = as_usual(self)
        return {name: found[name] for name in ("runs", "questions", "judge")} | found

    @property
    def how(self) -> str:
        """By whose grades."""
        return f"as {self.judge.partition(' ')[0]} judged both"

    @property
    def sections(self) -> Sequence[Section]:
        """All arms by measure."""
        rows = tuple(
            own.row(arm, measure)
            for arm, measures in self.arms.items()
            for measure, own in measures.items()
        )
        return [Section(tables=(Table((*HEADS[:-1], "questions", HEADS[-1]), rows),))]

    @property
    def words(self) -> Mapping[str, str]:
        """The measures, as in the report of one run."""
        return {name: WORDS[name] for name in ("total, total of 25", _TITLES[WIN_RATE])}


def why_not_comparable(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """Why two runs of these settings can't be compared; empty where they can."""
    if first.get("asked") != second.get("asked"):
        return "they asked different questions"
    if first.get("judge") != second.get("judge"):
        judges = " and ".join(str(own.get("judge")).partition(" ")[0] for own in (first, second))
        same = (
            " in two versions or with other parameters"
            if len(set(judges.split(" and "))) == 1
            else ""
        )
        return f"the judges are {judges}{same}, and grades of two judges are on two scales"
    if first.get("prompts") != second.get("prompts"):
        return "the judge was asked in other words"
    if not set(first.get("forms", ())) & set(second.get("forms", ())):
        return "one has grades alone, the other pairs alone"
    if not set(first.get("arms", ())) & set(second.get("arms", ())):
        return "no arm is in both"
    return ""


def compare_judged(first: JudgeRun, second: JudgeRun) -> JudgedComparison:
    """second - first by arm, over the questions that both have: totals in points of 25, pairs (of
    one baseline) as shares of 1.

    Raises UsageError where they share no questions, judge, form or arm.
    """
    if why := why_not_comparable(first.settings, second.settings):
        raise UsageError(
            f"{first.path} and {second.path} can't be compared: {why}; compare runs of the same"
            " questions by the same --judge-llm"
        )
    arms: list[list[str]] = [list(run.settings["arms"]) for run in (first, second)]
    old, new = _values(first), _values(second)
    if first.settings["baseline"] != second.settings["baseline"]:
        old, new = ({TOTAL: own[TOTAL]} for own in (old, new))
    shared = [arm for arm in arms[0] if arm in arms[1]]
    return JudgedComparison(
        runs=(str(first.path), str(second.path)),
        questions=first.settings["questions"],
        judge=first.settings["judge"],
        differing=differing_settings(first, second),
        left_out=sorted({*arms[0], *arms[1]} - set(shared)),
        arms={arm: _in_both(arm, old, new) for arm in shared},
    )


_Values = dict[str, dict[str, dict[str, float]]]
"""Measure -> arm -> question -> value."""


def _values(run: JudgeRun) -> _Values:
    lines = list(run.judged().values())
    found: _Values = {TOTAL: {}, WIN_RATE: {}}
    for (question, arm), own in grades_of(lines).items():
        if own.total is not None:
            found[TOTAL].setdefault(arm, {})[question] = own.total
    for line in lines:
        if line.against and line.verdict is not None and PAIRWISE in run.settings["forms"]:
            found[WIN_RATE].setdefault(line.arm, {})[line.question] = pair_points(line.verdict)
    return found


def _in_both(arm: str, old: _Values, new: _Values) -> dict[str, MeasureInBoth]:
    found = {}
    for measure in old:
        before, after = old[measure].get(arm, {}), new[measure].get(arm, {})
        both = [question for question in before if question in after]
        here, there = ([own[question] for question in both] for own in (after, before))
        if (change := paired_difference(here, there)) is not None:
            found[measure] = MeasureInBoth(
                first=sum(there) / len(there),
                second=sum(here) / len(here),
                difference=change.difference,
                low=change.low,
                high=change.high,
                verdict=change.verdict,
                n=len(both),
            )
    return found
