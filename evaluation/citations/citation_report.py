"""The kept run of an evaluation of citations: checks.jsonl (what each checker found out about each
claim), claims.jsonl (the claims, for people), and how both are read: figures by checker and kind,
and the claims that the first checker got wrong.
"""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from dynagrag.core.schema import ClaimCheck, Verdict
from dynagrag.core.text import plural
from dynagrag.evaluation.citations.checker_scores import CheckerDifference, CheckerFigures
from dynagrag.evaluation.citations.claim_sets import LabelledClaim
from dynagrag.evaluation.frame.experiment_run import ExperimentLine, ExperimentRun
from dynagrag.evaluation.frame.figures import ArmComparison, Figure, Unit, count
from dynagrag.evaluation.frame.lines_file import read_lines
from dynagrag.evaluation.frame.report import (
    FEW_ITEMS,
    BarChart,
    Case,
    Cases,
    Column,
    Listing,
    Report,
    ScatterChart,
    Section,
    Table,
    few,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.frame.results import Result

CLAIMS = "claims.jsonl"
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
    "caught: a kind": "false caught, of the claims of one kind",
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
    "not checked": "in a language that the checker does not read, or its model did not answer",
}


class CheckLine(ExperimentLine):
    """A checker's finding about a claim. `error`: what it went without, such as a model that did
    not answer.
    """

    checker: str
    claim: str
    verdict: Verdict
    rows: tuple[int, ...]
    score: float | None
    reason: str
    ms: float
    error: str = ""

    @classmethod
    def of(cls, checker: str, claim: str, check: ClaimCheck, ms: float) -> "CheckLine":
        """The line of a check."""
        return cls(
            checker=checker,
            claim=claim,
            verdict=check.verdict,
            rows=check.lines,
            score=check.score,
            reason=check.reason,
            ms=round(ms, 3),
            error=check.note,
        )

    @property
    def key(self) -> tuple[str, str]:
        """The checker, and the claim."""
        return self.checker, self.claim

    @property
    def failure(self) -> str:
        """The parts that it went without."""
        return self.error

    def check(self) -> ClaimCheck:
        """As the checker gave it."""
        return ClaimCheck(self.verdict, self.rows, self.score, self.reason, self.error)


class KnownClaim(BaseModel):
    """A claim as people read it: `lines` are those that state it or that a checker named, by row;
    `num_lines` how many there are.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    text: str
    is_true: bool
    kind: str
    label: str
    num_lines: int
    lines: dict[int, str]


class CitationResult(Result):
    """Result of an evaluation of citations. `differences`: of the other checkers from the
    `baseline`. `notes`: claims that were left out, by reason.
    """

    dataset: str
    claims: int
    checkers: dict[str, CheckerFigures]
    baseline: str
    differences: dict[str, CheckerDifference]
    seed: int
    notes: dict[str, int]
    run: str


class CitationRun(ExperimentRun[CheckLine, CitationResult]):
    """The folder of a run of citations."""

    line_kind = CheckLine
    lines_file = "checks.jsonl"
    command = "dynagrag evaluate citations"
    evaluates = "citations"
    what = "claims checked"
    noun = "claim"
    tells_failures = True
    result_kind = CitationResult

    def claims(self) -> list[KnownClaim]:
        """The claims in their order."""
        return read_lines(self.path / CLAIMS, KnownClaim)

    def report(self) -> Report:
        """The report of the run."""
        result = self.result()
        first = result.checkers[result.baseline]
        kinds = ", ".join(f"{num} {kind}" for kind, num in first.num_false.items())
        by_checker: dict[str, dict[str, CheckLine]] = {}
        for line in self.lines():  # of a claim that was checked again the last counts
            by_checker.setdefault(line.checker, {})[line.claim] = line
        verdict_tables = (
            Table(
                ("claims", *(verdict.value for verdict in Verdict)),
                tuple(
                    (group, tuple(count(counts.get(verdict, 0)) for verdict in Verdict))
                    for group, counts in own.verdicts.items()
                ),
                title=name,
            )
            for name, own in result.checkers.items()
        )
        return Report(
            title=f"{result.dataset}: what checkers find out about claims",
            asked=(
                f"{plural(result.claims, 'claim')}, {first.num_true} true,"
                f" {sum(first.num_false.values())} false ({kinds}), were each checked against"
                f" lines: do the checkers tell them apart? Checkers: {', '.join(result.checkers)}."
            ),
            conclusion=_conclusion(result),
            notes=(
                *(f"{num} x {name}" for name, num in result.notes.items()),
                *(
                    f"{name}: {plural(own.errors, 'claim')} not checked in full; the same command"
                    f" with --out {result.run} tries them again"
                    for name, own in result.checkers.items()
                    if own.errors
                ),
            ),
            results=(_figures(result), Section("Verdicts given", tables=tuple(verdict_tables))),
            words=WORDS,
            costs=tuple(_costs(result)),
            cases=tuple(_wrong(self.claims(), by_checker, result.baseline)),
        )


def known_claim(labelled: LabelledClaim, named: set[int]) -> KnownClaim:
    """A claim for people, with the lines that state it and those `named` by a checker."""
    lines = labelled.claim.lines
    wanted = {0} if len(lines) == 1 else named.union(*labelled.gold)
    return KnownClaim(
        id=labelled.id,
        text=labelled.claim.text,
        is_true=labelled.is_true,
        kind=labelled.kind,
        label=labelled.label,
        num_lines=len(lines),
        lines={
            row: shortened(f"{line.speaker}: {line.text}" if line.speaker else line.text)
            for row, line in enumerate(lines)
            if row in wanted
        },
    )


def _conclusion(result: CitationResult) -> str:
    name, own = result.baseline, result.checkers[result.baseline]
    kept, caught = Figure(own.true_kept).text(), Figure(own.mean_caught).text()
    unsure = f" {few('claim')}" if result.claims < FEW_ITEMS else ""
    if own.balanced is None:
        return (
            f"{name}: true kept {kept}, false caught {caught}; without both kinds of claims nothing"
            f" more can be said.{unsure}"
        )
    chance = (
        " The interval reaches 50, which is what always saying the same gets."
        if own.interval and own.interval[0] <= 0.5
        else ""
    )
    return (
        f"{name}: balanced accuracy {_balanced(own).text()}, {kept} % of the true claims kept and"
        f" {caught} % of the false ones caught.{chance}{unsure}"
    )


def _balanced(own: CheckerFigures) -> Figure:
    return Figure.bounded(own.balanced, own.interval)


def _figures(result: CitationResult) -> Section:
    kinds = list(result.checkers[result.baseline].false_caught)
    heads = ("checker", "balanced accuracy", "true kept", "false caught", "AUROC", "ms")
    rows = tuple(
        (
            name,
            (
                _balanced(own),
                Figure(own.true_kept),
                Figure(own.mean_caught),
                Figure(own.auroc, unit=Unit.FRACTION),
                Figure(own.ms, unit=Unit.MS),
                *(Figure(own.false_caught[kind]) for kind in kinds),
            ),
        )
        for name, own in result.checkers.items()
    )
    table = Table(
        (*heads, *(f"caught: {kind}" for kind in kinds)),
        rows,
        title="In points, with 95 % intervals",
        main="balanced accuracy",
        is_of_arms=True,
    )
    balanced = {
        name: _balanced(own) for name, own in result.checkers.items() if own.balanced is not None
    }
    comparisons = (
        ArmComparison(
            name,
            result.baseline,
            Figure.bounded(own.difference, own.interval, is_difference=True),
            result.claims,
        )
        for name, own in result.differences.items()
    )
    lines = (
        f"{name}: of the true claims that it kept, {Figure(own.right_line).text()} % with the right"
        " line."
        for name, own in result.checkers.items()
        if own.right_line is not None
    )
    return Section(
        tables=(table,),
        pictures=(BarChart("Balanced accuracy by checker, with 95 % intervals", balanced),)
        if balanced
        else (),
        after=(*(f"{own.arm}{own.text()}." for own in comparisons), *lines),
    )


def _costs(result: CitationResult) -> Iterator[Section]:
    points = {
        name: (own.ms, shown)
        for name, own in result.checkers.items()
        if (shown := Figure(own.balanced).shown) is not None
    }
    if len(points) > 1:
        yield Section(
            before=("Higher is better, further left is faster.",),
            pictures=(
                ScatterChart(
                    "Cost against quality",
                    "milliseconds a claim (log scale)",
                    "balanced accuracy, points",
                    points,
                ),
            ),
        )


def _wrong(
    claims: Sequence[KnownClaim], lines: Mapping[str, Mapping[str, CheckLine]], first: str
) -> Iterator[Cases]:
    """By kind some of the claims that the first checker judged wrongly."""
    by_kind: dict[str, list[KnownClaim]] = {}
    for claim in claims:
        if (lines[first][claim.id].verdict is Verdict.STATED) != claim.is_true:
            kind = "true claims" if claim.is_true else claim.kind or claim.label
            by_kind.setdefault(kind, []).append(claim)
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
        name=f"{checker}: {line.verdict.value}{'' if is_right else ' (wrong)'}",
        value="" if line.score is None else f"score {line.score:.2f}",
        colour=colour,
        warning=shortened(line.error or line.reason),
        listings=(
            Listing.of(
                "", [claim.lines[row] for row in line.rows if row in claim.lines], "no line"
            ),
        ),
    )
