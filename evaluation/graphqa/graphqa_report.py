"""A run over GraphQA as a report: how right the answers are by each scorer, what papers printed,
and answers that are wrong.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from dynagrag.core.text import plural
from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.report import (
    Case,
    Cases,
    Column,
    Report,
    Section,
    Table,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.graphqa.graph_methods import MAJORITY
from dynagrag.evaluation.graphqa.graph_scorers import Scorer
from dynagrag.evaluation.graphqa.graphqa_folder import GraphAnswerLine, GraphQaRun
from dynagrag.evaluation.graphqa.hallucination import hallucination_section
from dynagrag.evaluation.graphqa.published_figures import published_of
from dynagrag.evaluation.results.run_summary import FEW, FEW_QUESTIONS, POINTS

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
    "95 % interval": interval_meaning("questions"),
}
_NUM_READ = 6
_MEASURES = ("accuracy", "hit", "hits@1", "f1", "precision", "recall")


def render_graphqa_report(run: GraphQaRun) -> str:
    """The report of a run that is done."""
    return render(graphqa_report(run.summary(), run.lines()), run.head)


def graphqa_report(summary: Mapping[str, Any], lines: Sequence[GraphAnswerLine]) -> Report:
    """What the page says."""
    asked = (
        f"{plural(summary['n'], 'question')} over graphs, {summary['split']} rows, answered by"
        f" {summary['variant']}"
    )
    few = (f"{FEW[:1].upper()}{FEW[1:]}.",) if summary["n"] < FEW_QUESTIONS else ()
    return Report(
        title=f"{summary['dataset']}: {summary['variant']}",
        asked=f"{asked} with {summary['lm'] or 'no model'}: how many are right?",
        conclusion=conclusion(summary),
        notes=few,
        results=(
            _results(summary),
            *([hallucination_section(own)] if (own := summary.get("hallucination")) else []),
        ),
        words={**_SCORED[summary["form"]], **WORDS},
        cases=(_wrong(lines, summary["scorer"]),),
    )


def measure_of(measures: Collection[str]) -> str:
    """The one that a method is judged by: accuracy, of lists the hit."""
    return "accuracy" if "accuracy" in measures else "hit"


def conclusion(summary: Mapping[str, Any]) -> str:
    """Whether the method is above the answer that most rows share, in a sentence."""
    own = summary["measures"][summary["scorer"]]
    right, majority = Interval.of(own[measure_of(own)], POINTS), POINTS * summary["majority"]
    learned = (
        f", on rows of which it learned {summary['learned']}" if summary.get("learned") else ""
    )
    said = f"{summary['variant']}: {right.text(unit=' % right')} by {summary['scorer']}{learned}"
    if summary["method"] == MAJORITY and round(right.mean, 6) == round(majority, 6):
        return f"{said}: always the answer that most of these rows share."
    above = (
        "above"
        if right.low > majority
        else "below"
        if right.high < majority
        else "not told apart from"
    )
    return f"{said}, {above} the {majority:.1f} % of the answer that most rows share."


def _results(summary: Mapping[str, Any]) -> Section:
    measures = summary["measures"]
    names = tuple(dict.fromkeys(name for own in Scorer for name in measures[own]))
    rows = tuple(
        (
            own.value,
            tuple(_cell(measures[own][name]) if name in measures[own] else "" for name in names),
        )
        for own in Scorer
    )
    return Section(
        tables=(
            Table(
                ("scorer", *(f"{name}, 95 % interval" for name in names)), rows, title="In points"
            ),
            *_elsewhere(summary["dataset"]),
        ),
    )


def _elsewhere(dataset: str) -> Iterator[Table]:
    """A table for each model, rows and scorer, with a row for each system and source."""
    tables: dict[str, dict[str, dict[str, str]]] = {}
    for system, owns in published_of(dataset).items():
        for own in owns:
            tables.setdefault(own.how, {}).setdefault(f"{system}: {own.source}", {})[own.metric] = (
                f"{own.value:.2f}"
            )
    for how, rows in tables.items():
        measures = [name for name in _MEASURES if any(name in found for found in rows.values())]
        cells = tuple(
            (name, tuple(found.get(measure, "") for measure in measures))
            for name, found in rows.items()
        )
        yield Table(("published", *measures), cells, title=f"Elsewhere, in percent: {how}")


def _cell(found: Mapping[str, float]) -> str:
    return Interval.of(found, POINTS).text()


def _wrong(lines: Sequence[GraphAnswerLine], scorer: str) -> Cases:
    wrong = [line for line in lines if not line.scores[scorer][measure_of(line.scores[scorer])]][
        :_NUM_READ
    ]
    cases = tuple(
        Case(
            shortened(line.text),
            f"right: {shortened(', '.join(line.gold))}",
            columns=(Column("answer", text=shortened(line.answer)),),
        )
        for line in wrong
    )
    return Cases(f"Answers that are wrong by the scorer {scorer}", cases)
