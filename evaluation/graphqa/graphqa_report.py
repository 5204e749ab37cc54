"""The kept run over GraphQA: answers.jsonl (what the method said to each question, and its scores),
and how it is read: how right the answers are by each scorer, what papers printed, and answers that
are wrong.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from dynagrag.core.text import plural
from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.frame.experiment_run import ONE_ARM, ExperimentLine, ExperimentRun
from dynagrag.evaluation.frame.figures import POINTS, Figure
from dynagrag.evaluation.frame.report import (
    FEW_ITEMS,
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
from dynagrag.evaluation.graphqa.graph_methods import MAJORITY
from dynagrag.evaluation.graphqa.hallucination import NamedSupport, hallucination_section
from dynagrag.evaluation.graphqa.published_figures import Published, published_of

_SCORED: Mapping[str, Mapping[str, str]] = {
    "label": {
        "paper_compat": (
            "as the papers' code scores: the first of the labels that stands anywhere in the answer"
        ),
        "strict": "the label as a word of its own, and not both",
    },
    "short": {
        "paper_compat": (
            "as the papers' code scores: the right words stand anywhere in the answer, of the same"
            " case"
        ),
        "strict": (
            "the right words are whole words of the answer's first item, and not beside their"
            " opposite"
        ),
    },
    "list": {
        "paper_compat": (
            "as the papers' code scores: a right answer stands anywhere, inside words too; F1 can"
            " pass 1"
        ),
        "strict": "whole words of an item; each item and each right answer count once",
        "hit": "share of the questions of which a right answer is said",
        "hits@1": "share of those whose first item (paper_compat: first line) is right",
    },
}
WORDS: Mapping[str, str] = {
    "unparsable": "share of answers that say nothing that could be right or wrong",
    "published": (
        "what papers and reruns printed for this set, in percent, each with its language model,"
        " rows and scorer"
    ),
    "points": "all measures: 100 is everything",
    "95 % interval": interval_meaning("questions"),
}
_NUM_READ = 6
_MEASURES = ("accuracy", "hit", "hits@1", "f1", "precision", "recall")
_MAIN_MEASURES = ("accuracy", "hit", "hits@1", "f1")
"""Those that `--json` names first, None where a set has another."""


class GraphAnswerLine(ExperimentLine):
    """A method's answer to one question, and what each scorer makes of it, by measure. `support`:
    what it named, where it was asked.
    """

    question: str
    text: str
    answer: str
    gold: tuple[str, ...]
    scores: dict[str, dict[str, float]]
    support: NamedSupport | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The question; a run has one method."""
        return ONE_ARM, self.question


class GraphQaResult(Result):
    """The scores of a method's answers to `n` questions. `measures`: by scorer, shares of 1;
    `scorer`: that whose figures stand first. `learned`: how many of the rows its checkpoint
    learned; `majority`: the share of the questions for which the answer is right that most of them
    share; `published`: figures for the same method and set; `hallucination`: None where no support
    was asked for.
    """

    dataset: str
    method: str
    variant: str
    split: str
    lm: str | None = None
    trained_on: str | None = None
    learned: int = 0
    form: str
    scorer: str
    n: int
    left_out: dict[str, int] = Field(default_factory=dict)
    measures: dict[str, dict[str, Interval]]
    embedder: str | None = None
    majority: float
    published: list[Published] = Field(default_factory=list)
    hallucination: dict[str, Interval | None] | None = None
    run: str = ""

    @model_serializer(mode="wrap")
    def _in_order(self, as_usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """With the means of the scorer that stands first, before the measures, and the verdict,
        after them; without what this run doesn't have.
        """
        means = {name: own.mean for name, own in self.own_measures.items()}
        found: dict[str, Any] = {}
        for name, value in as_usual(self).items():
            if name == "measures":
                found |= dict.fromkeys(_MAIN_MEASURES) | means
            if name == "run":
                found["verdict"] = self.verdict
            if value is not None or name not in ("embedder", "hallucination"):
                found[name] = value
        return found

    @property
    def own_measures(self) -> Mapping[str, Interval]:
        """Those of the scorer that stands first."""
        return self.measures[self.scorer]

    @property
    def verdict(self) -> str:
        """Whether the method is above the answer that most rows share, in a sentence."""
        right = self.own_measures[main_measure(self.own_measures)].times(POINTS)
        majority = POINTS * self.majority
        learned = f", on rows of which it learned {self.learned}" if self.learned else ""
        seen = f"{self.variant}: {right.text(unit=' % right')} by {self.scorer}{learned}"
        if self.method == MAJORITY and round(right.mean, 6) == round(majority, 6):
            return f"{seen}: always the answer that most of these rows share."
        above = "not told apart from"
        if right.low > majority:
            above = "above"
        if right.high < majority:
            above = "below"
        return f"{seen}, {above} the {majority:.1f} % of the answer that most rows share."


def main_measure(measures: Collection[str]) -> str:
    """The one that a method is judged by: accuracy, of lists the hit."""
    return "accuracy" if "accuracy" in measures else "hit"


class GraphQaRun(ExperimentRun[GraphAnswerLine, GraphQaResult]):
    """A run of one method. What was answered is kept as it comes; a run that was stopped goes
    on.
    """

    line_kind = GraphAnswerLine
    lines_file = "answers.jsonl"
    command = "dynagrag evaluate graphqa"
    evaluates = "graphqa"
    what = "questions over graphs"
    noun = "question"
    result_kind = GraphQaResult

    def report(self) -> Report:
        """How right it is, beside what papers printed."""
        result = self.result()
        support = result.hallucination
        return Report(
            title=f"{result.dataset}: {result.variant}",
            asked=(
                f"{plural(result.n, 'question')} over graphs, {result.split} rows, answered by"
                f" {result.variant} with {result.lm or 'no model'}: how many are right?"
            ),
            conclusion=result.verdict,
            notes=(
                *(f"{num:,} left out: {reason}" for reason, num in result.left_out.items()),
                *((few("question"),) if result.n < FEW_ITEMS else ()),
            ),
            results=(
                _measures(result),
                *([hallucination_section(support)] if support else []),
                Section(tables=tuple(_elsewhere(result.dataset))),
            ),
            words={**_SCORED[result.form], **WORDS},
            cases=(_wrong(self.lines(), result.scorer),),
        )


def _measures(result: GraphQaResult) -> Section:
    names = tuple(dict.fromkeys(name for own in result.measures.values() for name in own))
    rows = tuple(
        (scorer, tuple(Figure.of(own[name]) if name in own else "" for name in names))
        for scorer, own in result.measures.items()
    )
    table = Table(("scorer", *names), rows, main=main_measure(result.own_measures))
    return Section(tables=(table,), after=tuple(_published(result)))


def _published(result: GraphQaResult) -> Iterator[str]:
    """The figures that were printed for the same, each with ours by the same scorer where we have
    that.
    """
    trained = (
        f", trained on {result.trained_on}"
        if result.trained_on not in (None, result.dataset)
        else ""
    )
    if not result.published:
        with_lm = f" with {result.lm}" if result.lm else ""
        yield f"published: none for {result.variant} of {result.dataset}{with_lm}{trained}"
    for own in result.published:
        scorer = own.scorer if own.scorer in result.measures else result.scorer
        found = result.measures[scorer].get(own.metric)
        ours = f"{result.lm or 'no model'}{trained}, {result.split} rows, {scorer}, n {result.n:,}"
        beside = "" if found is None else f"; here {POINTS * found.mean:.2f} ({ours})"
        yield f"published: {own.metric} {own.value:.2f} ({own.source}: {own.how}){beside}"


def _elsewhere(dataset: str) -> Iterator[Table]:
    """A table for each model, rows and scorer, with a row for each system and source."""
    tables: dict[str, dict[str, dict[str, str]]] = {}
    for system, owns in published_of(dataset).items():
        for own in owns:
            rows = tables.setdefault(own.how, {})
            rows.setdefault(f"{system}: {own.source}", {})[own.metric] = f"{own.value:.2f}"
    for how, rows in tables.items():
        measures = [name for name in _MEASURES if any(name in found for found in rows.values())]
        cells = tuple(
            (name, tuple(found.get(measure, "") for measure in measures))
            for name, found in rows.items()
        )
        yield Table(("published", *measures), cells, title=f"Elsewhere, in percent: {how}")


def _wrong(lines: Sequence[GraphAnswerLine], scorer: str) -> Cases:
    wrong = [line for line in lines if not line.scores[scorer][main_measure(line.scores[scorer])]]
    cases = tuple(
        Case(
            shortened(line.text),
            f"right: {shortened(', '.join(line.gold))}",
            columns=(Column("answer", text=shortened(line.answer)),),
        )
        for line in wrong[:_NUM_READ]
    )
    return Cases(f"Answers that are wrong by the scorer {scorer}", cases)
