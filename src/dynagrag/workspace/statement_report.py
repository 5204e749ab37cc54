"""A checked statement as the terminal and programs get it."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from dynagrag.core.schema import CheckedClaim, Verdict
from dynagrag.core.text import cut
from dynagrag.generation.claims.verdict_text import not_found_note, verdict_note
from dynagrag.generation.statement_check import CheckedStatement
from dynagrag.workspace.text_reports import citation_line, usage_line

_MAX_TITLE = 60


def statement_lines(checked: CheckedStatement) -> Iterator[str]:
    """Each claim behind its verdict, with the lines that decide it or those nearest to it."""
    for claim in checked.claims:
        yield f"{_verdict(claim)}: {claim.text}"
        if claim.reason and claim.verdict is not Verdict.NOT_FOUND:
            yield f"  {claim.reason}"
        if claim.verdict is Verdict.NOT_FOUND:
            yield f"  {not_found_note(claim.num_searched).removeprefix('not found: ')}"
        mark = "" if claim.verdict in (Verdict.STATED, Verdict.CONTRADICTED) else " (nearest)"
        for label in claim.lines or checked.nearest.get(claim.text, ()):
            yield citation_line(f"[{label}]{mark}", checked.lines[label], claim.text)
    if checked.doubtful:
        titles = ", ".join(cut(title, _MAX_TITLE) for title in checked.doubtful)
        yield (
            f"  note: speakers doubtful in {titles}: what is said there speaks against them"
            " (`dynagrag inspect --speakers`)"
        )
    yield from (f"  note: {note}" for note in checked.notes)
    yield f"  checked by {checked.checked_by}"
    if checked.usage.calls or checked.usage.cached:
        yield f"  ({usage_line(checked.usage)})"


def _verdict(claim: CheckedClaim) -> str:
    if claim.verdict is not Verdict.NOT_CHECKED:
        return claim.verdict.value
    return verdict_note(claim).partition(";")[0]


def statement_json(checked: CheckedStatement) -> dict[str, Any]:
    """For programs; the claims and their lines as `ask --json` has them."""
    return {
        "text": checked.text,
        "claims": [
            asdict(claim) | {"nearest": list(checked.nearest.get(claim.text, ()))}
            for claim in checked.claims
        ],
        "claim_lines": {label: asdict(line) for label, line in checked.lines.items()},
        "claims_checked_by": checked.checked_by,
        "notes": list(checked.notes),
        "doubtful": list(checked.doubtful),
        "usage": asdict(checked.usage),
    }
