"""The kept run of pruners: measured.jsonl (what each pruner's scores are worth on each question),
and how it is read: what each one's scores put first, beside the best untrained one, and where the
first did worst.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import (
    BaseModel,
    ConfigDict,
    JsonValue,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from dynagrag.core.text import plural
from dynagrag.evaluation.frame.experiment_run import ExperimentRun
from dynagrag.evaluation.frame.figures import POINTS, ArmComparison, Figure
from dynagrag.evaluation.frame.report import (
    FEW_ITEMS,
    BarChart,
    Case,
    Cases,
    Column,
    Report,
    Section,
    Table,
    few,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.frame.results import Result
from dynagrag.evaluation.pruning.pruner_figures import BASELINES, KeptPrunerFigures
from dynagrag.evaluation.pruning.pruning_measures import (
    BUDGET,
    EDGE_AP,
    NAMES,
    NEAR,
    NODE_AP,
    RANDOM,
    SUPPORT,
)
from dynagrag.registry.pruners import PRUNERS

# The order of retrieval first, which the others change.
_NONE, *_OTHERS = (f"{row.name}: {row.explanation}" for row in PRUNERS.values())
WORDS: Mapping[str, str] = {
    "pruner": "; ".join(
        (
            "what gives scores",
            _NONE,
            f"{NEAR}: the better subgraph first, by hops, then as the prior",
            f"{RANDOM}: by chance",
            *_OTHERS,
            "else a checkpoint",
        )
    ),
    NODE_AP: (
        "average precision of the ranking of entities by their scores; what no subgraph holds"
        " counts as not found"
    ),
    EDGE_AP: "the same of pairs of entities",
    SUPPORT: f"share of what supports the answer among the {BUDGET} best entities",
    "points": "100 is everything",
    "95 % interval": interval_meaning("questions"),
}
_NUM_READ = 6


Bounds = tuple[float, float]


class MeasuredLine(BaseModel):
    """The measures of a pruner on one question, 0 to 1 each."""

    model_config = ConfigDict(frozen=True)

    question: str
    text: str
    pruner: str
    measures: dict[str, float]


class PrunerResult(Result):
    """Figures of pruners on the questions of a `dataset` (and its `part`) or of a `workspace` (with
    as many `documents`): `set` names either. `intervals`: of the means, by pruner and measure.
    """

    dataset: str | None = None
    part: str | None = None
    workspace: str | None = None
    set: str
    documents: int | None = None
    questions: int
    pruners: dict[str, KeptPrunerFigures]
    intervals: dict[str, dict[str, Bounds]]
    run: str

    @model_serializer(mode="wrap")
    def _of_its_kind(self, handler: SerializerFunctionWrapHandler) -> dict[str, JsonValue]:
        """Without what the other kind of source has."""
        others = ("dataset", "part") if self.dataset is None else ("workspace", "documents")
        return {name: value for name, value in handler(self).items() if name not in others}


class PrunerRun(ExperimentRun[MeasuredLine, PrunerResult]):
    """The folder of a run of pruners. It is worked out in one go, without a language model."""

    line_kind = MeasuredLine
    lines_file = "measured.jsonl"
    command = "dynagrag evaluate pruner"
    evaluates = "pruners"
    what = "pruners"
    noun = "question"
    result_kind = PrunerResult

    def report(self) -> Report:
        """The report of the run."""
        result = self.result()
        names = short_names(result.pruners)
        nodes = {
            names[name]: Figure.bounded(own.means[NODE_AP], result.intervals[name][NODE_AP])
            for name, own in result.pruners.items()
        }
        sentences = []
        for name, own in result.pruners.items():
            beside = against_best(own, names[name], own.best_untrained) if own.gains else ""
            reached = Figure(own.means[NODE_AP]).text()
            sentences.append(f"{names[name]}: {NODE_AP} {reached}{beside}.")
        if result.questions < FEW_ITEMS:
            sentences.append(few("question"))
        return Report(
            title=f"{result.set}: what pruners put first",
            asked=(
                f"{plural(result.questions, 'question')} that no pruner of this set was trained on:"
                " which scores put first what supports the answer? Pruners:"
                f" {', '.join(names.values())}."
            ),
            conclusion=" ".join(sentences),
            notes=tuple(pruner_notes(result.pruners)),
            results=(
                Section(
                    tables=tuple(pruner_tables(result.pruners, result.intervals)),
                    pictures=(BarChart(f"{NODE_AP} by pruner, with 95 % intervals", nodes),),
                ),
            ),
            words=WORDS,
            cases=(_worst(self.lines(), names),),
        )


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Each pruner as it is shown: a checkpoint by its folder's name, where that is no other's."""
    names = tuple(names)
    last = [Path(name).name for name in names]
    return {name: Path(name).name if last.count(Path(name).name) == 1 else name for name in names}


def pruner_notes(pruners: Mapping[str, KeptPrunerFigures]) -> Iterator[str]:
    """Remarks on the figures."""
    for num in {own.n_edge_ap for own in pruners.values() if 0 < own.n_edge_ap < own.n}:
        yield f"{EDGE_AP} is of the {num} questions that pairs support"
    names = short_names(pruners)
    yield from (f"{names[name]}: {own.note}" for name, own in pruners.items() if own.note)


def pruner_tables(
    pruners: Mapping[str, KeptPrunerFigures], intervals: Mapping[str, Mapping[str, Bounds]]
) -> Iterator[Table]:
    """The figures of each pruner, and its gains over the untrained ones."""
    heads, names = ("pruner", *NAMES), short_names(pruners)
    reached = tuple(
        (
            names[name],
            tuple(
                Figure.bounded(own.means.get(measure), intervals[name].get(measure))
                for measure in NAMES
            ),
        )
        for name, own in pruners.items()
    )
    yield Table(
        heads,
        reached,
        title="By pruner, in points, with 95 % intervals",
        main=NODE_AP,
        is_of_arms=True,
    )
    for other in BASELINES:
        gains = tuple(
            (names[name], gain_figures(own, other))
            for name, own in pruners.items()
            if other in own.gains
        )
        if gains:
            yield Table(heads, gains, f"Against {other}, on the same questions", main=NODE_AP)


def gain_figures(
    own: KeptPrunerFigures, other: str, measures: Sequence[str] = NAMES
) -> tuple[Figure, ...]:
    """Each measure's difference from another pruner; of nothing where there is none."""
    gains = own.gains.get(other, {})
    return tuple(
        Figure.of(gains[name], is_difference=True) if name in gains else Figure(None)
        for name in measures
    )


def against_best(own: KeptPrunerFigures, name: str, best: str) -> str:
    """A comparison with the best untrained pruner, called `best`, in words after a comma."""
    gain = Figure.of(own.gains[own.best_untrained][NODE_AP], is_difference=True)
    return ArmComparison(name, best, gain, own.n).text()


def _worst(lines: Sequence[MeasuredLine], names: Mapping[str, str]) -> Cases:
    """The questions on which the first pruner's entities are ranked worst, with what each pruner
    reaches there.
    """
    texts, values = {}, dict[str, dict[str, float]]()
    for line in lines:
        texts[line.question] = line.text
        values.setdefault(line.question, {})[line.pruner] = line.measures[NODE_AP]
    first = next(iter(names))
    ranked = sorted(values, key=lambda question: (values[question][first], question))[:_NUM_READ]
    colours = {name: i for i, name in enumerate(names)}
    cases = (
        Case(
            shortened(texts[question]),
            f"{names[first]}: {NODE_AP} {POINTS * values[question][first]:.0f}",
            columns=tuple(
                Column(names[name], f"{POINTS * own:.0f}", colours[name])
                for name, own in values[question].items()
            ),
        )
        for question in ranked
    )
    return Cases(f"The worst questions of {names[first]}, by {NODE_AP}", tuple(cases))
