"""Sentences of somebody's own held against a workspace: stated, contradicted or not found, and by
which lines.

The way of the claims of an answer from which a model saw no line: each claim is searched for in the
whole workspace, and a checker reads the nearest lines.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dynagrag.core.errors import UsageError
from dynagrag.core.schema import CheckedClaim, Citation, Usage, Verdict
from dynagrag.core.text import short
from dynagrag.generation.answer_plan import AnswerPlan
from dynagrag.generation.citations import to_citation
from dynagrag.generation.claims.answer_claims import WrittenFrom, final_claims
from dynagrag.generation.claims.claim_search import ClaimSearch

_NUM_NEAREST = 2


@dataclass(frozen=True, slots=True)
class CheckedStatement:
    """A text with a verdict on each of its claims.

    Args:
        text: As it was given.
        claims: In the order of the text, with the labels of the lines that decide them.
        nearest: The labels of the nearest lines to a claim that was not found, by the claim's text.
        lines: All lines that are named, by label.
        checked_by: The checker.
        notes: What was out of the ordinary, a sentence each.
        doubtful: Titles of the lines' documents whose speakers are doubtful.
        usage: What a model was asked for it.
    """

    text: str
    claims: tuple[CheckedClaim, ...]
    nearest: Mapping[str, tuple[str, ...]]
    lines: Mapping[str, Citation]
    checked_by: str
    notes: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


def check_statement(text: str, plan: AnswerPlan) -> CheckedStatement:
    """Holds a text against the view of a plan, by the plan's checker. UsageError where the text
    states nothing.
    """
    search = ClaimSearch(plan.view.passages, plan.embedder, {})
    checked = final_claims(WrittenFrom(text, {}), plan.checker, (), search)
    if not checked.claims:
        raise UsageError(
            f'nothing is stated in it: {short(text)}; write a sentence, such as "The mill burned in'
            ' 1912." (questions are for `dynagrag ask`)'
        )
    nearest = {
        claim.text: tuple(search.nearest(claim.text).lines)[:_NUM_NEAREST]
        for claim in checked.claims
        if claim.verdict is Verdict.NOT_FOUND and claim.num_searched
    }
    named = [label for own in checked.claims for label in own.lines or nearest.get(own.text, ())]
    labels = {label: f"E{number}" for number, label in enumerate(dict.fromkeys(named), start=1)}
    snapshot = plan.view.snapshot
    found = {new: search.evidence[label] for label, new in labels.items()}
    documents = {line.document_id: snapshot.documents[line.document_id] for line in found.values()}
    return CheckedStatement(
        text=text,
        claims=tuple(
            replace(claim, lines=tuple(labels[label] for label in claim.lines))
            for claim in checked.claims
        ),
        nearest={of: tuple(labels[label] for label in own) for of, own in nearest.items()},
        lines={label: to_citation(line, snapshot) for label, line in found.items()},
        checked_by=checked.checked_by,
        notes=(*plan.notes, *checked.notes),
        doubtful=tuple(own.title for own in documents.values() if own.has_doubtful_speakers),
        usage=plan.chat.usage() if plan.chat else Usage(),
    )
