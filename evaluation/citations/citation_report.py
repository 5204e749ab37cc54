"""A run of citations as one HTML file: figures by checker and kind, and the claims that the first checker got wrong, to read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagrag.evaluation.citations.citation_folder import CheckLine, CitationRun, KnownClaim, lines_by_checker
from dynagrag.evaluation.results.html_report import flat, report_template
from dynagrag.evaluation.results.report_plots import WIDTH, quality_bars
from dynagrag.evaluation.results.run_folder import shortened
from dynagrag.evaluation.results.run_summary import FEW_QUESTIONS, POINTS
from dynagrag.schema import Verdict

_NUM_READ = 3
"""How many claims of each kind that the first checker got wrong are shown."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a checker found out about a claim, as the report shows it."""

    checker: str
    verdict: str
    is_right: bool
    score: str
    reason: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """A claim to read: its label, the lines that are known to decide it, what each checker found out."""

    text: str
    label: str
    num_lines: int
    known: tuple[str, ...]
    found: tuple[Found, ...]


def render_citation_report(run: CitationRun) -> str:
    """The report of a run that is done."""
    summary, lines = run.summary(), lines_by_checker(run.lines())
    checkers: Mapping[str, Mapping[str, Any]] = summary["checkers"]
    first = next(iter(checkers))
    kinds = list(checkers[first]["false_caught"])
    balanced = {name: POINTS * own["balanced"] for name, own in checkers.items() if own["balanced"] is not None}
    bounds = {name: dict(zip(("low", "high"), (POINTS * v for v in checkers[name]["interval"]), strict=True)) for name in balanced}
    return report_template("citations.html.jinja").render(
        summary=summary,
        head=run.head,
        settings=list(flat(run.settings)),
        first=first,
        kinds=kinds,
        rows=[(name, cells(own), [points(own["false_caught"][kind]) for kind in kinds]) for name, own in checkers.items()],
        verdicts=[(name, group, own["verdicts"][group]) for name, own in checkers.items() for group in own["verdicts"]],
        names=[verdict.value for verdict in Verdict],
        bars=quality_bars(balanced, bounds) if balanced else None,
        wrong=_wrong(run.claims(), lines, first),
        width=WIDTH,
        few=FEW_QUESTIONS,
    )


def cells(own: Mapping[str, Any]) -> list[str]:
    """Balanced accuracy with its interval, true kept, false caught (mean over kinds), AUROC, milliseconds."""
    low_high = f" ({points(own['interval'][0])} to {points(own['interval'][1])})" if own["interval"] else ""
    caught = list(own["false_caught"].values())
    mean = points(sum(caught) / len(caught)) if caught else "-"
    area = "-" if own["auroc"] is None else f"{own['auroc']:.3f}"
    time = f"{own['ms']:,.{0 if own['ms'] >= 100 else 2}f}"
    return [points(own["balanced"]) + low_high, points(own["true_kept"]), mean, area, time]


def points(share: float | None) -> str:
    """A share of 1 in points; a dash for none."""
    return "-" if share is None else f"{POINTS * share:.1f}"


def _wrong(claims: Sequence[KnownClaim], lines: Mapping[str, Mapping[str, CheckLine]], first: str) -> list[tuple[str, int, list[Read]]]:
    """(Kind, how many were judged wrongly, some of them)."""
    by_kind: dict[str, list[KnownClaim]] = {}
    for claim in claims:
        if (lines[first][claim.id].verdict is Verdict.STATED) != claim.is_true:
            by_kind.setdefault("true claims" if claim.is_true else claim.kind or claim.label, []).append(claim)
    return [(kind, len(own), [_read(claim, lines) for claim in own[:_NUM_READ]]) for kind, own in sorted(by_kind.items())]


def _read(claim: KnownClaim, lines: Mapping[str, Mapping[str, CheckLine]]) -> Read:
    own = {name: found[claim.id] for name, found in lines.items()}
    named = {row for line in own.values() for row in line.rows}
    return Read(
        text=shortened(claim.text),
        label=claim.kind or claim.label,
        num_lines=claim.num_lines,
        known=tuple(words for row, words in claim.lines.items() if row not in named),
        found=tuple(_found(name, line, claim) for name, line in own.items()),
    )


def _found(checker: str, line: CheckLine, claim: KnownClaim) -> Found:
    return Found(
        checker=checker,
        verdict=line.verdict.value,
        is_right=(line.verdict is Verdict.STATED) == claim.is_true,
        score="" if line.score is None else f"{line.score:.2f}",
        reason=shortened(line.error or line.reason),
        lines=tuple(claim.lines[row] for row in line.rows if row in claim.lines),
    )
