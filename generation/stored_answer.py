"""The stored form of an answer: what `ask --json` prints, and what conversations keep."""

from dataclasses import asdict
from typing import Any

from dynagrag.schema import Answer


def answer_json(answer: Answer) -> dict[str, Any]:
    """An answer for programs. Whether a model answered, from which evidence, and what came from the cache is in the trace."""
    usage = answer.usage
    more = {
        "answered_by_model": answer.is_answered_by_model,
        "cached_replies": usage.cached,
        "evidence": [asdict(c) for c in answer.evidence],
        "stretches": [asdict(s) for s in answer.stretches],
    }
    return {
        "question": answer.question,
        "answer": answer.text,
        "abstained": answer.is_abstained,
        "citations": [asdict(c) for c in answer.citations],
        "intermediate": [asdict(a) for a in answer.intermediate],
        "trace": dict(answer.trace) | more,
        "usage": {
            "calls": usage.calls,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "seconds": round(usage.seconds, 3),
        },
    }
