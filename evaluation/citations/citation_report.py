"""A run of citations as a report: figures by checker and kind, and the claims that the first
checker got wrong, to read.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dynagrag.core.schema import Verdict
from dynagrag.core.text import plural
from dynagrag.evaluation.citations.citation_folder import (
    CheckLine,
    CitationRun,
    KnownClaim,
    lines_by_checker,
)
from dynagrag.evaluation.results.html_report import (
    Bars,
    Case,
    Cases,
    Column,
    Lines,
    Listing,
    Report,
    Section,
    Table,
    compared,
    interval_meaning,
    render,
)
from dynagrag.evaluation.results.report_plots import cost_points, quality_bars
from dynagrag.evaluation.results.run_folder import shortened
from dynagrag.evaluation.results.run_summary import FEW_QUESTIONS, POINTS

_NUM_READ = 3
"""How many claims of each kind that the first checker got wrong are shown."""

WORDS: Mapping[str, str] = {
    "checker": (
        "what gives verdicts: rules, a language model, a classifier, or several; the first row is"
        " the one that is measured"
    ),
    "balanced accuracy": (
        "the mean of true kept and false caught: 50 is what always saying the same gets"
    ),
    "true kept": "share of the true claims with the verdict stated",
    "false caught": (
        "share of the false claims with another verdict: the mean over kinds of falseness, each"
        " kind behind it"
    ),
    "AUROC": (
        "how well the checker's score puts true claims before false ones: 0.5 is chance, 1 is"
        " always (area under the ROC curve)"
    ),
    "ms": "milliseconds a claim, the median",
    "points": "all but AUROC and ms: 100 is everything",
    "95 % interval": interval_meaning("sources"),
    "stated, contradicted, not found": (
        "a line says so; a line says otherwise; no line that was looked at says either"
    ),
}


def render_citation_report(run: CitationRun) -> str:
    """The report of a run that is done."""
    return render(citation_report(run), run.head)


def citation_report(run: CitationRun) -> Report:
    """What the page says."""
    summary, lines = run.summary(), lines_by_checker(run.lines())
    checkers: Mapping[str, Mapping[str, Any]] = summary["checkers"]
    first = next(iter(checkers))
    own = checkers[first]
    counts = (
        f"{plural(summary['claims'], 'claim')}, {own['num_true']} of them true and"
        f" {sum(own['num_false'].values())}"
    )
    return Report(
        title=f"{summary['dataset']}: what checkers find out about claims",
        asked=(
            f"{counts} false, were each checked against lines: do the checkers tell them apart?"
            f" Checkers: {', '.join(checkers)}."
        ),
        conclusion=_conclusion(first, own, summary),
        notes=(
            *(f"{count} x {name}" for name, count in summary["notes"].items()),
            *(
                f"{name}: {plural(own['errors'], 'claim')} not checked in full"
                for name, own in checkers.items()
                if own["errors"]
            ),
        ),
        results=tuple(_results(summary)),
        words=WORDS,
        costs=_costs(checkers),
        cases=tuple(_wrong(run.claims(), lines, first)),
    )


def _conclusion(first: str, own: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    balanced, kept, caught, *_ = cells(own)
    few = (
        f" Fewer than {FEW_QUESTIONS} claims: the intervals say little."
        if summary["claims"] < FEW_QUESTIONS
        else ""
    )
    if own["balanced"] is None:
        return (
            f"{first}: true kept {kept}, false caught {caught}; without both kinds of claims"
            f" nothing more can be said.{few}"
        )
    chance = (
        " The interval reaches 50, which is what always saying the same gets."
        if own["interval"] and own["interval"][0] <= 0.5
        else ""
    )
    return (
        f"{first}: balanced accuracy {balanced}, {kept} % of the true claims kept and {caught} % of"
        f" the false ones caught.{chance}{few}"
    )


def _results(summary: Mapping[str, Any]) -> Iterator[Section]:
    checkers: Mapping[str, Mapping[str, Any]] = summary["checkers"]
    first = next(iter(checkers))
    kinds = list(checkers[first]["false_caught"])
    heads = (
        "checker",
        "balanced accuracy, 95 % interval",
        "true kept",
        "false caught",
        "AUROC",
        "ms",
        *(f"caught: {kind}" for kind in kinds),
    )
    rows = tuple(
        (name, (*cells(own), *(points(own["false_caught"][kind]) for kind in kinds)))
        for name, own in checkers.items()
    )
    balanced = _balanced(checkers)
    bounds = {
        name: dict(
            zip(("low", "high"), (POINTS * v for v in checkers[name]["interval"]), strict=True)
        )
        for name in balanced
    }
    yield Section(
        tables=(Table(heads, rows, main=heads[1], is_of_arms=True),),
        bars=(
            (
                Bars(
                    "Balanced accuracy by checker, with 95 % intervals",
                    quality_bars(balanced, bounds),
                ),
            )
            if balanced
            else ()
        ),
        after=tuple(
            _difference(name, found, first, summary["claims"])
            for name, found in summary["differences"].items()
        ),
    )
    names = [verdict.value for verdict in Verdict]
    yield Section(
        "Verdicts given",
        tables=tuple(
            Table(
                ("claims", *(name.replace("_", " ") for name in names)),
                tuple(
                    (group, tuple(str(counts[name]) for name in names))
                    for group, counts in own["verdicts"].items()
                ),
                title=checker,
            )
            for checker, own in checkers.items()
        ),
    )


def _balanced(checkers: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    return {
        name: POINTS * own["balanced"]
        for name, own in checkers.items()
        if own["balanced"] is not None
    }


def _difference(name: str, found: Mapping[str, Any], first: str, num_claims: int) -> str:
    low, high = found["interval"]
    own = {"difference": POINTS * found["difference"], "low": POINTS * low, "high": POINTS * high}
    return f"{name}{compared(name, own, first, num_claims)}."


def _costs(checkers: Mapping[str, Mapping[str, Any]]) -> tuple[Section, ...]:
    balanced = _balanced(checkers)
    if len(balanced) < 2:
        return ()
    plot = cost_points({name: checkers[name]["ms"] for name in balanced}, balanced)
    points = Lines(
        "Cost against quality",
        plot,
        "milliseconds a claim (log scale)",
        "balanced accuracy, points",
        is_points=True,
    )
    return (Section(before=("Higher is better, further left is faster.",), lines=(points,)),)


def cells(own: Mapping[str, Any]) -> list[str]:
    """Balanced accuracy with its interval, true kept, false caught (mean over kinds), AUROC,
    milliseconds.
    """
    low_high = (
        f" ({points(own['interval'][0])} to {points(own['interval'][1])})"
        if own["interval"]
        else ""
    )
    caught = list(own["false_caught"].values())
    mean = points(sum(caught) / len(caught)) if caught else "-"
    area = "-" if own["auroc"] is None else f"{own['auroc']:.3f}"
    time = f"{own['ms']:,.{0 if own['ms'] >= 100 else 2}f}"
    return [points(own["balanced"]) + low_high, points(own["true_kept"]), mean, area, time]


def points(share: float | None) -> str:
    """A share of 1 in points; a dash for none."""
    return "-" if share is None else f"{POINTS * share:.1f}"


def _wrong(
    claims: Sequence[KnownClaim], lines: Mapping[str, Mapping[str, CheckLine]], first: str
) -> Iterator[Cases]:
    """By kind some of the claims that the first checker judged wrongly."""
    by_kind: dict[str, list[KnownClaim]] = {}
    for claim in claims:
        if (lines[first][claim.id].verdict is Verdict.STATED) != claim.is_true:
            by_kind.setdefault(
                "true claims" if claim.is_true else claim.kind or claim.label, []
            ).append(claim)
    for kind, own in sorted(by_kind.items()):
        yield Cases(
            f"What {first} got wrong: {kind} ({len(own)})",
            tuple(_case(claim, lines) for claim in own[:_NUM_READ]),
        )


def _case(claim: KnownClaim, lines: Mapping[str, Mapping[str, CheckLine]]) -> Case:
    own = {name: found[claim.id] for name, found in lines.items()}
    named = {row for line in own.values() for row in line.rows}
    known = [words for row, words in claim.lines.items() if row not in named]
    return Case(
        text=shortened(claim.text),
        value=f"{claim.kind or claim.label}, {plural(claim.num_lines, 'line')} to check it against",
        listings=(Listing.of("Lines that decide it, named by no checker", known),),
        columns=tuple(_column(i, name, line, claim) for i, (name, line) in enumerate(own.items())),
    )


def _column(colour: int, checker: str, line: CheckLine, claim: KnownClaim) -> Column:
    is_right = (line.verdict is Verdict.STATED) == claim.is_true
    return Column(
        name=f"{checker}: {line.verdict.value.replace('_', ' ')}{'' if is_right else ' (wrong)'}",
        value="" if line.score is None else f"score {line.score:.2f}",
        colour=colour,
        warning=shortened(line.error or line.reason),
        listings=(
            Listing.of(
                "", [claim.lines[row] for row in line.rows if row in claim.lines], "no line"
            ),
        ),
    )
