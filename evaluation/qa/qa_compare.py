"""Two runs of answers to the same questions, side by side: the second minus the first by arm."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from dynagrag.core.errors import UsageError
from dynagrag.evaluation.frame.experiment_run import differing_settings
from dynagrag.evaluation.frame.figures import Figure
from dynagrag.evaluation.frame.report import Row, Section, Table
from dynagrag.evaluation.frame.run_comparison import HEADS, RunComparison, compared_row
from dynagrag.evaluation.qa.answer_scores import MEASURES
from dynagrag.evaluation.qa.qa_report import (
    TITLES,
    WORDS,
    QaResult,
    QaRun,
    cost_figure,
)
from dynagrag.evaluation.qa.qa_summary import MeasureDifference, arm_scores, differences

_COSTS = "costs"


class AnswersInBoth(BaseModel):
    """An arm in both runs: its means of 0 to 1, and among them its `costs` a question."""

    model_config = ConfigDict(frozen=True)

    differences: dict[str, MeasureDifference]
    first: dict[str, float | dict[str, float]]
    second: dict[str, float | dict[str, float]]

    def rows(self, arm: str) -> Iterator[Row]:
        """A row a measure that both have."""
        for name, own in self.differences.items():
            first, second = (
                Figure(value) if isinstance(value := run.get(name), float) else Figure(None)
                for run in (self.first, self.second)
            )
            yield compared_row(arm, TITLES[name], first, second, own.figure)

    def cost(self) -> str:
        """The cost of a question in both."""
        shown = []
        for run in (self.first, self.second):
            costs = run[_COSTS]
            assert isinstance(costs, dict), "they are the only mapping among the figures"
            calls, tokens = (
                cost_figure(name, costs[name]).text() for name in ("calls", "prompt_tokens")
            )
            shown.append(f"{calls} calls, {tokens} prompt tokens")
        return f"{' / '.join(shown)} a question"


class QaComparison(RunComparison):
    """Two runs of answers side by side."""

    arms: dict[str, AnswersInBoth]

    @property
    def sections(self) -> Sequence[Section]:
        """All arms by measure, and what they took."""
        rows = tuple(row for arm, own in self.arms.items() for row in own.rows(arm))
        costs = tuple(f"{arm}: {own.cost()}" for arm, own in self.arms.items())
        return [Section(tables=(Table(HEADS, rows),), after=costs)]

    @property
    def words(self) -> Mapping[str, str]:
        """The measures, as in the report of one run."""
        return {name: WORDS[name] for name in map(TITLES.__getitem__, MEASURES) if name in WORDS}


def compare_qa(first: QaRun, second: QaRun) -> QaComparison:
    """second - first by arm and measure over the answerable questions that have it in both, with
    what else was different between the runs.

    Raises UsageError where the questions or what should be answered differ, or no arm is in both.
    """
    questions = first.questions()
    asked, again = (
        {(q.id, q.text, q.answers, q.is_answerable) for q in own}
        for own in (questions, second.questions())
    )
    if asked != again:
        raise UsageError(
            f"the runs asked different questions: {len(asked - again)} of {len(asked)} in"
            f" {first.path} are not in {second.path}, and {len(again - asked)} of {len(again)} the"
            " other way; compare runs of the same set, half, kind and limit"
        )
    if first.settings["scope"] != second.settings["scope"]:
        raise UsageError(
            f"the runs were made in other scopes: {first.settings['scope']} and"
            f" {second.settings['scope']}; compare one with one"
        )
    wanted = {question.id: question.wanted() for question in questions}
    old, new = arm_scores(first.answers(), wanted), arm_scores(second.answers(), wanted)
    arms: list[list[str]] = [list(run.settings["arms"]) for run in (first, second)]
    shared = [arm for arm in arms[0] if arm in arms[1]]
    if not shared:
        raise UsageError(
            f"no arm is in both runs: {', '.join(arms[0])} in one, {', '.join(arms[1])} in the"
            " other"
        )
    answerable = [question.id for question in questions if question.is_answerable]
    results = first.result(), second.result()
    return QaComparison(
        runs=(str(first.path), str(second.path)),
        questions=len(questions),
        differing=differing_settings(first, second),
        left_out=sorted({*arms[0], *arms[1]} - set(shared)),
        arms={
            arm: AnswersInBoth(
                differences=differences(new.get(arm, {}), old.get(arm, {}), answerable),
                first=_figures(results[0], arm),
                second=_figures(results[1], arm),
            )
            for arm in shared
        },
    )


def _figures(result: QaResult, arm: str) -> dict[str, float | dict[str, float]]:
    own = result.arms[arm]
    return {name: own[name] for name in MEASURES if name in own} | {_COSTS: result.costs[arm]}
