"""A run of pruners as a report: what each one's scores put first, beside the best untrained one,
and where the first did worst.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dynagrag.core.text import plural
from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.frame.figures import Figure
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.report import (
    BarChart,
    Case,
    Cases,
    Column,
    Report,
    Section,
    Table,
    compared,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.pruning.pruner_figures import BASELINES
from dynagrag.evaluation.pruning.pruner_folder import PrunerRun
from dynagrag.evaluation.pruning.pruning_measures import BUDGET, EDGE_AP, NAMES, NODE_AP, SUPPORT
from dynagrag.evaluation.results.run_summary import FEW_QUESTIONS, POINTS

WORDS: Mapping[str, str] = {
    "pruner": (
        "what gives scores; none: all alike, so the order of retrieval; near: the better subgraph"
        " first, by hops, then as the prior; random: by chance; prior: by distance to the question,"
        " untrained; else a checkpoint"
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


def render_pruner_report(run: PrunerRun) -> str:
    """The report of a run that is done."""
    return render(pruner_report(run), run.head)


def pruner_report(run: PrunerRun) -> Report:
    """What the page says."""
    summary = run.summary()
    names = short_names(summary["pruners"])
    num = plural(summary["questions"], "question")
    with_pairs = {
        own["n_edge_ap"]
        for own in summary["pruners"].values()
        if 0 < own.get("n_edge_ap", 0) < own["n"]
    }
    asked = (
        f"{num} that no pruner of this set was trained on: which scores put first what supports the"
        " answer?"
    )
    return Report(
        title=f"{summary['set']}: what pruners put first",
        asked=f"{asked} Pruners: {', '.join(names.values())}.",
        conclusion=_conclusion(summary, names),
        notes=(
            *(
                f"{EDGE_AP} is of the {num_pairs} questions that pairs support"
                for num_pairs in with_pairs
            ),
            *(
                f"{names[name]}: {own['note']}"
                for name, own in summary["pruners"].items()
                if "note" in own
            ),
        ),
        results=(_results(summary, names),),
        words=WORDS,
        cases=(_worst(run, names),),
    )


def short_names(names: Sequence[str] | Mapping[str, Any]) -> dict[str, str]:
    """Each pruner as it is shown: a checkpoint by its folder's name, where that is no other's."""
    last = [Path(name).name for name in names]
    return {name: Path(name).name if last.count(Path(name).name) == 1 else name for name in names}


def _conclusion(summary: Mapping[str, Any], names: Mapping[str, str]) -> str:
    few = (
        f" Fewer than {FEW_QUESTIONS} questions: the intervals say little."
        if summary["questions"] < FEW_QUESTIONS
        else ""
    )
    return " ".join(_sentence(names[name], own) for name, own in summary["pruners"].items()) + few


def _sentence(name: str, own: Mapping[str, Any]) -> str:
    """Beside the best untrained pruner but itself."""
    against = {
        other: own[f"against_{other}"][NODE_AP] for other in BASELINES if f"against_{other}" in own
    }
    best = min(against, key=lambda other: against[other][0], default="")
    points = (
        dict(
            zip(
                ("difference", "low", "high"),
                (POINTS * value for value in against[best]),
                strict=True,
            )
        )
        if best
        else None
    )
    return f"{name}: {NODE_AP} {POINTS * own[NODE_AP]:.1f}{compared(name, points, best, own['n'])}."


def _results(summary: Mapping[str, Any], names: Mapping[str, str]) -> Section:
    pruners: Mapping[str, Mapping[str, Any]] = summary["pruners"]
    heads = ("pruner", *(f"{name}, 95 % interval" for name in NAMES))
    rows = tuple(
        (names[name], tuple(measure_cells(own, summary["intervals"][name])))
        for name, own in pruners.items()
    )
    apart = {
        other: tuple(
            (names[name], tuple(gain_cells(own, other)))
            for name, own in pruners.items()
            if own.get(f"against_{other}")
        )
        for other in BASELINES
    }
    nodes = {
        names[name]: Figure(own[NODE_AP], *summary["intervals"][name][NODE_AP])
        for name, own in pruners.items()
    }
    return Section(
        tables=(
            Table(heads, rows, title="By pruner, in points", main=heads[1], is_of_arms=True),
            *(
                Table(heads, cells, f"Against {other}, on the same questions", main=heads[1])
                for other, cells in apart.items()
                if cells
            ),
        ),
        pictures=(BarChart(f"{NODE_AP} by pruner, with 95 % intervals", nodes),),
    )


def measure_cells(own: Mapping[str, Any], bounds: Mapping[str, Sequence[float]]) -> list[str]:
    """Each measure in points with its interval; a dash where no question has it."""
    return [_bounded(own[name], bounds[name], "") if name in own else "-" for name in NAMES]


def gain_cells(own: Mapping[str, Any], other: str, names: Sequence[str] = NAMES) -> list[str]:
    """Each measure's difference from another pruner in points, with its interval; a dash where
    there is none.
    """
    found = own.get(f"against_{other}", {})
    return [
        _bounded(found[name][0], found[name][1:], "+") if name in found else "-" for name in names
    ]


def _bounded(mean: float, bounds: Sequence[float], sign: str) -> str:
    return Interval(mean, *bounds).times(POINTS).text(sign)


def _worst(run: PrunerRun, names: Mapping[str, str]) -> Cases:
    """The questions on which the first pruner's entities are ranked worst, with what each pruner
    reaches there.
    """
    texts, values = {}, dict[str, dict[str, float]]()
    for line in run.lines():
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
