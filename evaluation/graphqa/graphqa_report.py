"""A run over GraphQA as a report: how right the answers are by each scorer, what papers printed, and answers that are wrong."""

from collections.abc import Mapping, Sequence
from typing import Any

from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.graphqa.graph_scorers import SCORERS
from dynagrag.evaluation.graphqa.graphqa_folder import GraphAnswerLine, GraphQaRun
from dynagrag.evaluation.results.html_report import Case, Cases, Column, Report, Section, Table, interval_meaning, render
from dynagrag.evaluation.results.run_folder import shortened
from dynagrag.evaluation.results.run_summary import FEW_QUESTIONS, POINTS
from dynagrag.text import plural

WORDS: Mapping[str, str] = {
    "paper_compat": "as the papers' code scores: the first of the labels that stands anywhere in the answer",
    "strict": "the label as a word of its own, and not both",
    "unparsable": "share of answers that give no label",
    "published": "what a paper printed for the method, with another language model and other rows",
    "95 % interval": interval_meaning("questions"),
}
_NUM_READ = 6


def render_graphqa_report(run: GraphQaRun) -> str:
    """The report of a run that is done."""
    return render(graphqa_report(run.summary(), run.lines()), run.head)


def graphqa_report(summary: Mapping[str, Any], lines: Sequence[GraphAnswerLine]) -> Report:
    """What the page says."""
    asked = f"{plural(summary['n'], 'question')} over graphs, {summary['split']} rows, answered by {summary['method']}"
    few = (f"Fewer than {FEW_QUESTIONS} questions: the intervals say little.",) if summary["n"] < FEW_QUESTIONS else ()
    return Report(
        title=f"{summary['dataset']}: {summary['method']}",
        asked=f"{asked} with {summary['lm'] or 'no model'}: how many are right?",
        conclusion=conclusion(summary),
        notes=few,
        results=(_results(summary),),
        words=WORDS,
        cases=(_wrong(lines),),
    )


def conclusion(summary: Mapping[str, Any]) -> str:
    """Whether the method is above the label that most rows have, in a sentence."""
    right, majority = Interval.of(summary["measures"]["strict"]["accuracy"], POINTS), POINTS * summary["majority"]
    above = "above" if right.low > majority else "below" if right.high < majority else "not told apart from"
    return f"{summary['method']}: {right.text(unit=' % right')}, {above} the {majority:.1f} % of the label that most have."


def _results(summary: Mapping[str, Any]) -> Section:
    names = tuple(summary["measures"]["strict"])
    rows = tuple((scorer, tuple(_cell(summary["measures"][scorer][name]) for name in names)) for scorer in SCORERS)
    published = tuple((own["source"], (f"{own['value']:.2f}",)) for own in summary["published"])
    return Section(
        tables=(
            Table(("scorer", *(f"{name}, 95 % interval" for name in names)), rows, title="In points"),
            *([Table(("published", "accuracy"), published, title="Elsewhere, with other models and rows")] if published else ()),
        ),
    )


def _cell(found: Mapping[str, float]) -> str:
    return Interval.of(found, POINTS).text()


def _wrong(lines: Sequence[GraphAnswerLine]) -> Cases:
    wrong = [line for line in lines if not line.scores["strict"]["accuracy"]][:_NUM_READ]
    cases = tuple(
        Case(
            shortened(line.text),
            f"right: {', '.join(line.gold)}",
            columns=(Column("answer", text=shortened(line.answer)),),
        )
        for line in wrong
    )
    return Cases("Answers that are wrong by the strict scorer", cases)
