"""The folder of a run of citations: checks.jsonl (what each checker found out about each claim),
claims.jsonl (the claims, for people).
"""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from dynagrag.core.schema import ClaimCheck, Line, Verdict
from dynagrag.evaluation.citations.claim_sets import ClaimSet, LabelledClaim
from dynagrag.evaluation.results.lines_file import read_lines
from dynagrag.evaluation.results.run_folder import KeptRun, shortened

_CLAIMS = "claims.jsonl"


class CheckLine(BaseModel):
    """What a checker found out about a claim. `error`: what it went without, such as a model that
    did not answer.
    """

    model_config = ConfigDict(frozen=True)

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


class CitationRun(KeptRun[CheckLine]):
    """The folder of a run of citations."""

    line_kind = CheckLine
    lines_file = "checks.jsonl"
    command = "dynagrag evaluate citations"
    evaluates = "citations"

    def claims(self) -> list[KnownClaim]:
        """The claims in their order."""
        return read_lines(self.path / _CLAIMS, KnownClaim)

    def finish(self, summary: dict[str, Any], claims: ClaimSet) -> None:
        """Writes the claims with the lines that matter, then the summary, with which the run is
        done.
        """
        named: dict[str, set[int]] = {}
        for line in self.lines():
            named.setdefault(line.claim, set()).update(line.rows)
        self.write_rows(
            _CLAIMS, [_known(claim, named.get(claim.id, set())) for claim in claims.claims]
        )
        self.write_summary(summary)


def _known(labelled: LabelledClaim, named: set[int]) -> KnownClaim:
    lines = labelled.claim.lines
    wanted = sorted(named.union(*labelled.gold) | ({0} if len(lines) == 1 else set()))
    return KnownClaim(
        id=labelled.id,
        text=labelled.claim.text,
        is_true=labelled.is_true,
        kind=labelled.kind,
        label=labelled.label,
        num_lines=len(lines),
        lines={row: shortened(_words(lines[row])) for row in wanted},
    )


def _words(line: Line) -> str:
    return f"{line.speaker}: {line.text}" if line.speaker else line.text


def lines_by_checker(lines: Sequence[CheckLine]) -> dict[str, dict[str, CheckLine]]:
    """Checker -> claim id -> line; the last, where a claim was checked again."""
    found: dict[str, dict[str, CheckLine]] = {}
    for line in lines:
        found.setdefault(line.checker, {})[line.claim] = line
    return found
