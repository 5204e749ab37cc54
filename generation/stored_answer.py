"""The stored form of an answer, which `ask --json` prints and conversations keep.

Its keys are older than the types and stay as they are; the tables say which of them a field goes
by. Whether a model answered, from which evidence, and what came from the cache is in the trace.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from dynagrag.core.schema import (
    Answer,
    AnswerTrace,
    CandidateTrace,
    CheckedClaim,
    Citation,
    Clip,
    EdgeTrace,
    EvidenceLine,
    FactTrace,
    IntermediateAnswer,
    NodeTrace,
    OtherPerson,
    PassageTrace,
    PassageWindow,
    PromptTrace,
    RankingTrace,
    SoftTrace,
    SubgraphTrace,
    Usage,
)

T = TypeVar("T")

_ACCEPTED = {"is_accepted": "accepted"}
_IN_PROMPT = {"is_in_prompt": "in_prompt"}
_RANKING = {"passages": "ranked"}
_PROMPT = {
    "walked": "traversal",
    "num_unvisited": "unvisited",
    "num_tokens": "context_tokens",
    "num_lines_cut": "lines_cut",
    "labels": "evidence",
    "text": "prompt",
    "num_nodes_in": "nodes_in_prompt",
    "num_relations_in": "edges_in_prompt",
}
_TRACE = {
    "ranking": "passages",
    "prompts": "subgraphs",
    "failures": "failed_intermediate_answers",
}
_OF_ONE_SYSTEM = ("mask", "prize")
_LEFT_OUT_WHEN_EMPTY = (
    "passages",
    "failed_intermediate_answers",
    "reason",
    "merge",
    "soft",
    "languages",
    "fallback",
)


# -------------------------------------------------------------------------------------------- write


def answer_json(answer: Answer) -> dict[str, Any]:
    """An answer for programs."""
    usage = answer.usage
    more = {
        "answered_by_model": answer.is_answered_by_model,
        "cached_replies": usage.cached,
        "evidence": [asdict(c) for c in answer.evidence],
        "stretches": [asdict(w) for w in answer.windows],
    }
    if answer.clips:
        more["clips"] = [asdict(c) for c in answer.clips]
    return {
        "question": answer.question,
        "answer": answer.text,
        "abstained": answer.is_abstained,
        "answerable": answer.answerable,
        "nothing_fits": answer.is_nothing_fitting,
        "unsupported": answer.is_unsupported,
        "unknown_names": {name: list(nearest) for name, nearest in answer.unknown_names.items()},
        "quiet_speakers": list(answer.quiet_speakers),
        "other_person": asdict(answer.other_person) if answer.other_person else None,
        "unread_language": answer.unread_language,
        "unjudged_language": answer.unjudged_language,
        "question_language": answer.question_language,
        "lines_language": answer.lines_language,
        "citations": [asdict(c) for c in answer.citations],
        **_claims_json(answer),
        "intermediate": [_intermediate_json(a) for a in answer.intermediate],
        "trace": _trace_json(answer.trace) | more,
        "usage": {
            "calls": usage.calls,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "seconds": round(usage.seconds, 3),
        },
    }


def _claims_json(answer: Answer) -> dict[str, Any]:
    """Of an answer whose claims were checked; an earlier version's, and one without a model, have
    none.
    """
    if not answer.checked_by:
        return {}
    return {
        "claims": [_claim_json(c) for c in answer.claims],
        "claim_lines": {label: asdict(c) for label, c in answer.lines.items()},
        "claims_checked_by": answer.checked_by,
        "claims_left_out": [_claim_json(c) for c in answer.left_out],
    }


def _intermediate_json(answer: IntermediateAnswer) -> dict[str, Any]:
    row = asdict(answer) | {"claims": [_claim_json(c) for c in answer.claims]}
    return {key: value for key, value in row.items() if value or key != "claims"}


def _claim_json(claim: CheckedClaim) -> dict[str, Any]:
    return asdict(claim) | {"found": list(claim.found)}


def _trace_json(trace: AnswerTrace) -> dict[str, Any]:
    ranking = trace.ranking
    ranked = ranking and _row(ranking, _RANKING) | {
        "facts": [_row(f) for f in ranking.facts],
        "ranked": [_passage_json(p) for p in ranking.passages],
    }
    row = _row(trace, _TRACE) | {
        "candidates": [_row(c, _ACCEPTED) for c in trace.candidates],
        "passages": ranked,
        "subgraphs": [_prompt_json(p) for p in trace.prompts],
        "soft": _row(trace.soft) if trace.soft else None,
    }
    return {key: value for key, value in row.items() if value or key not in _LEFT_OUT_WHEN_EMPTY}


def _passage_json(passage: PassageTrace) -> dict[str, Any]:
    row = _row(passage)
    if passage.steps is None:
        del row["steps"]
    if passage.over is None:
        del row["over"], row["from_rank"]
    return row


def _prompt_json(prompt: PromptTrace) -> dict[str, Any]:
    """The prompt's row, with its subgraph's in it."""
    row = _row(prompt, _PROMPT)
    drawn: SubgraphTrace | None = row.pop("subgraph")
    if drawn is not None:
        row |= _row(drawn) | {
            "nodes": [_drawn_json(n) for n in drawn.nodes],
            "edges": [_drawn_json(e) for e in drawn.edges],
        }
    return row


def _drawn_json(value: NodeTrace | EdgeTrace) -> dict[str, Any]:
    """A node or edge without the fields that only some systems fill."""
    row = _row(value, _IN_PROMPT)
    return {key: own for key, own in row.items() if own is not None or key not in _OF_ONE_SYSTEM}


def _row(value: Any, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A value's fields in their order, by their keys."""
    row = {}
    for field in fields(value):
        own = getattr(value, field.name)
        if isinstance(own, tuple):
            own = list(own)
        elif isinstance(own, Mapping):
            own = dict(own)
        row[(names or {}).get(field.name, field.name)] = own
    return row


# --------------------------------------------------------------------------------------------- read


def answer_of(stored: Mapping[str, Any]) -> Answer:
    """An answer as `answer_json` wrote it; fields that an earlier version didn't have are empty.
    Seconds are those of the stored form.

    Raises KeyError, TypeError, ValueError or AttributeError where it is no such form, or a field of
    it holds what it can't.
    """
    trace, usage = stored["trace"], stored["usage"]
    answer = Answer(
        question=stored["question"],
        text=stored["answer"],
        is_abstained=stored["abstained"],
        citations=tuple(_value(Citation, c) for c in stored["citations"]),
        intermediate=tuple(
            _value(IntermediateAnswer, {**a, "claims": _claims_of(a.get("claims", ()))})
            for a in stored["intermediate"]
        ),
        evidence=tuple(_value(EvidenceLine, c) for c in trace["evidence"]),
        trace=_trace_of(trace),
        usage=_value(Usage, usage | {"cached": trace["cached_replies"]}),
        is_answered_by_model=trace["answered_by_model"],
        windows=tuple(_value(PassageWindow, w) for w in trace.get("stretches", ())),
        claims=_claims_of(stored.get("claims", ())),
        lines={label: _value(Citation, c) for label, c in stored.get("claim_lines", {}).items()},
        checked_by=stored.get("claims_checked_by", ""),
        left_out=_claims_of(stored.get("claims_left_out", ())),
        answerable=stored.get("answerable"),
        is_nothing_fitting=stored.get("nothing_fits", False),
        unknown_names={
            name: tuple(nearest) for name, nearest in stored.get("unknown_names", {}).items()
        },
        quiet_speakers=tuple(stored.get("quiet_speakers", ())),
        other_person=_other_person_of(stored.get("other_person")),
        unread_language=stored.get("unread_language", ""),
        unjudged_language=stored.get("unjudged_language", ""),
        question_language=stored.get("question_language", ""),
        lines_language=stored.get("lines_language", ""),
        clips=tuple(_value(Clip, c) for c in trace.get("clips", ())),
    )
    return _answer_type().validate_python(asdict(answer))


def _other_person_of(stored: Mapping[str, Any] | None) -> OtherPerson | None:
    if stored is None:
        return None
    return OtherPerson(stored["asked"], stored["other"], _value(Citation, stored["line"]))


@cache
def _answer_type() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)


def _claims_of(stored: Iterable[Mapping[str, Any]]) -> tuple[CheckedClaim, ...]:
    return tuple(_value(CheckedClaim, c) for c in stored)


def _trace_of(stored: Mapping[str, Any]) -> AnswerTrace:
    more = {
        "candidates": tuple(_value(CandidateTrace, c, _ACCEPTED) for c in stored["candidates"]),
        "passages": _ranking_of(stored["passages"]) if "passages" in stored else None,
        "subgraphs": tuple(_prompt_of(p) for p in stored["subgraphs"]),
        "soft": _value(SoftTrace, stored["soft"]) if "soft" in stored else None,
    }
    return _value(AnswerTrace, {**stored, **more}, _TRACE)


def _ranking_of(stored: Mapping[str, Any]) -> RankingTrace:
    facts = tuple(_value(FactTrace, f) for f in stored["facts"])
    ranked = tuple(_value(PassageTrace, p) for p in stored["ranked"])
    return _value(RankingTrace, {**stored, "facts": facts, "ranked": ranked}, _RANKING)


def _prompt_of(stored: Mapping[str, Any]) -> PromptTrace:
    drawn = None
    if "nodes" in stored:
        nodes = tuple(_value(NodeTrace, n, _IN_PROMPT) for n in stored["nodes"])
        edges = tuple(_value(EdgeTrace, e, _IN_PROMPT) for e in stored["edges"])
        drawn = _value(SubgraphTrace, {**stored, "nodes": nodes, "edges": edges})
    return _value(PromptTrace, {**stored, "subgraph": drawn}, _PROMPT)


def _value(kind: type[T], stored: Mapping[str, Any], names: Mapping[str, str] | None = None) -> T:
    """A row as a value; keys that it has no field for are passed over."""
    values = {}
    for field in fields(kind):  # type: ignore[arg-type]
        key = (names or {}).get(field.name, field.name)
        if key in stored:
            value = stored[key]
            values[field.name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)
