"""Two runs on the same questions, side by side: the second minus the first, as a typed value and as
a report.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from dynagrag.core.text import plural
from dynagrag.evaluation.bootstrap_intervals import DifferenceVerdict, Interval
from dynagrag.evaluation.frame.figures import Figure
from dynagrag.evaluation.frame.report import Report, Row, Section, interval_meaning
from dynagrag.evaluation.frame.results import Result

HEADS = ("arm", "measure", "first", "second", "difference", "second is")
"""Of a table of `compared_row`s."""
_NOT_APART = "not told apart"


class RunComparison(Result, ABC):
    """Base of all comparisons. `differing`: the settings in which the runs differ, as the first and
    the second have them; `left_out`: arms that only one of them has.
    """

    runs: tuple[str, str]
    questions: int
    differing: dict[str, list[JsonValue]]
    left_out: list[str]

    @property
    def how(self) -> str:
        """In what, or by whose judgement, the second is compared with the first."""
        return "in points"

    @property
    @abstractmethod
    def sections(self) -> Sequence[Section]:
        """The figures of both."""

    @property
    def words(self) -> Mapping[str, str]:
        """The measures, explained."""
        return {}

    def report(self) -> Report:
        """The report of the run."""
        first, second = self.runs
        sections = tuple(self.sections)
        seen = [cells[-1] for own in sections for table in own.tables for _, cells in table.rows]
        better, worse = (
            seen.count(verdict.value)
            for verdict in (DifferenceVerdict.BETTER, DifferenceVerdict.WORSE)
        )
        left_out = [f"in one run only: {', '.join(self.left_out)}"] if self.left_out else []
        return Report(
            title=f"{second} minus {first}",
            asked=(
                f"{plural(self.questions, 'question')}; second minus first, {self.how}, with paired"
                " 95 % intervals"
            ),
            conclusion=(
                f"Of {plural(len(seen), 'figure')} the second run is better in {better} and worse"
                f" in {worse}; the others are {_NOT_APART}."
            ),
            notes=(
                *(f"{name}: {old} / {new}" for name, (old, new) in self.differing.items()),
                *left_out,
            ),
            results=sections,
            words=dict(self.words) | {"95 % interval": interval_meaning("questions")},
        )


def compared_row(arm: str, measure: str, first: Figure, second: Figure, change: Figure) -> Row:
    """A measure of an arm in both runs."""
    bounds = change.shown_bounds
    verdict = Interval(0.0, *bounds).verdict if bounds else DifferenceVerdict.UNCLEAR
    seen = _NOT_APART if verdict is DifferenceVerdict.UNCLEAR else verdict.value
    return arm, (measure, first, second, change, seen)
