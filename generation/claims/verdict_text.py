"""Verdicts in words: the notes beside a claim, and the summary under an answer."""

import re
from collections import Counter
from collections.abc import Sequence

from dynagrag.core.schema import Answer, CheckedClaim, Citation, Verdict
from dynagrag.core.text import plural
from dynagrag.language.identification import UNKNOWN, language_name

NOT_FOUND = "not found in the sources"
UNSUPPORTED = "The model's answer isn't supported by these lines:"
NEAREST = "nearest to a claim that was not checked"
IDLE = "also cited, but not needed: other lines state it"
_MARK, _LABEL = re.compile(r"\[(E\d+)\]"), re.compile(r"\bE\d+\b")
_BRACKETS = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")


def verdict_note(claim: CheckedClaim) -> str:
    """The note beside a claim: "contradicted by E4", "not found: in none of 1,240 lines that could
    bear on it", "not checked (Finnish); nearest: E2", "found: E7"; empty for one that its own
    citations state.
    """
    if claim.verdict is Verdict.NOT_FOUND:
        return not_found_note(claim.num_searched)
    if claim.verdict is Verdict.NOT_CHECKED:
        language = language_name(claim.language) if claim.language not in ("", UNKNOWN) else ""
        why = "short answer" if claim.question else language
        why = f" ({why})" if why else ""
        nearest = f"; nearest: {', '.join(claim.lines)}" if claim.lines else ""
        return f"{claim.verdict.value}{why}{nearest}"
    if claim.verdict is Verdict.CONTRADICTED:
        return f"contradicted by {' and '.join(claim.lines)}"
    return f"found: {', '.join(claim.found)}" if claim.found else ""


def not_found_note(num_searched: int | None) -> str:
    """Where a claim wasn't found: in the lines that could bear on it, None where nobody searched
    for it.
    """
    if num_searched is None:
        return NOT_FOUND
    if not num_searched:
        return "not found: no line of the sources has its words"
    return f"not found: in none of {plural(num_searched, 'line')} that could bear on it"


def marked_text(answer: Answer) -> str:
    """The answer's text with a note behind each claim that needs one: lines that a checker found in
    brackets, all else in parentheses.
    """
    pieces, at = [], 0
    for claim in answer.claims:
        if note := verdict_note(claim):
            marked = f" [{note}]" if claim.verdict is Verdict.STATED else f" ({note})"
            pieces += [answer.text[at : claim.end], marked]
            at = claim.end
    return "".join(pieces) + answer.text[at:]


def in_text_order(answer: Answer) -> list[tuple[str, Citation]]:
    """All lines of an answer by label as its text names them, the first mark first; what it doesn't
    name comes after.
    """
    known = {label: line for label, _, line in shown_lines(answer)} | dict(idle_citations(answer))
    named = [label for label in _MARK.findall(answer.text) if label in known]
    return [(label, known[label]) for label in dict.fromkeys([*named, *known])]


def with_numbers(text: str, answer: Answer) -> str:
    """A text about an answer with its lines' labels as pages show them: 1, 2, 3; only in brackets,
    where marks and notes stand.
    """
    numbers = {
        label: str(number) for number, (label, _) in enumerate(in_text_order(answer), start=1)
    }

    def renamed(found: re.Match[str]) -> str:
        return _LABEL.sub(lambda label: numbers.get(label[0], label[0]), found[0])

    return _BRACKETS.sub(renamed, text)


def unstated_lines(answer: Answer) -> list[str]:
    """'not found in the sources: "..."' for each claim that needs a note, for where the text itself
    stands without them.
    """
    return [f'{note}: "{claim.text}"' for claim in answer.claims if (note := verdict_note(claim))]


def left_out_lines(answer: Answer) -> list[str]:
    """'contradicted by E4: "..."' for each claim that the answer goes without."""
    return [f'{verdict_note(claim)}: "{claim.text}"' for claim in answer.left_out]


def shown_lines(answer: Answer) -> list[tuple[str, str, Citation]]:
    """The lines under an answer: label, note, line; those of `idle_citations` aside.

    First those that the model cited, in its order ("" or "contradicts a claim"), then those that
    the checker found, in the order of the text, then those nearest to what wasn't checked.
    """
    against: set[str] = set()
    found: dict[str, Citation] = {}
    nearest: dict[str, Citation] = {}
    for claim in answer.claims:
        if claim.verdict is Verdict.CONTRADICTED:
            against.update(claim.lines)
        named = nearest if claim.verdict is Verdict.NOT_CHECKED else found
        named |= {label: answer.lines[label] for label in claim.found if label in answer.lines}
    idle = dict(idle_citations(answer))
    rows = [(label, "", line) for label, line in _cited(answer) if label not in idle]
    rows += [(label, f"found by {answer.checked_by}", line) for label, line in found.items()]
    rows += [(label, NEAREST, line) for label, line in nearest.items() if label not in found]
    return [
        (label, "; ".join(filter(None, ("contradicts a claim" * (label in against), note))), line)
        for label, note, line in rows
    ]


def idle_citations(answer: Answer) -> list[tuple[str, Citation]]:
    """Citations of the model beside the lines that state a claim: each claim that a line is cited
    for is stated, and none by it.
    """
    rows = []
    for label, line in _cited(answer):
        claims = [claim for claim in answer.claims if label in (*claim.cited, *claim.lines)]
        is_telling = any(
            claim.verdict is not Verdict.STATED or label in claim.lines for claim in claims
        )
        if claims and not is_telling:
            rows.append((label, line))
    return rows


def _cited(answer: Answer) -> list[tuple[str, Citation]]:
    """Labels and citations; an answer that an early version kept has no labels."""
    return list(zip(answer.trace.labels, answer.citations, strict=False))


def claims_summary(answer: Answer) -> str:
    """ "claims: 5 stated, 1 contradicted, 1 not found; checked by rules"; empty where nothing was
    checked.
    """
    if not answer.checked_by:
        return ""
    left_out = f"; left out: {_counts(answer.left_out)}" if answer.left_out else ""
    none = "none" if left_out else "none that could be checked"
    counts = _counts(answer.claims) if answer.claims else none
    return f"claims: {counts}{left_out}; checked by {answer.checked_by}"


def failures_summary(answer: Answer) -> str:
    """What was brought instead where nothing of the graph is near; how many intermediate answers
    are missing, and why the first is. Empty where nothing is.
    """
    failures = answer.trace.failures
    if not failures:
        return answer.trace.fallback
    whole = len(failures) + len(answer.intermediate)
    failed = (
        f"{len(failures)} of {whole} intermediate answers failed and are missing here:"
        f" {failures[0]}"
    )
    return "; ".join(filter(None, (answer.trace.fallback, failed)))


def _counts(claims: Sequence[CheckedClaim]) -> str:
    counts = Counter(claim.verdict for claim in claims)
    return ", ".join(
        f"{counts[verdict]} {verdict.value}"
        for verdict in Verdict
        if counts[verdict] or verdict is not Verdict.NOT_CHECKED
    )
