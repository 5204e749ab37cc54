"""What a retrieval's trace tells of an answer, as plain values for JSON."""

from typing import Any

from dynagrag.schema import BridgeTrace, Passage, Retrieval, Snapshot

_MAX_WORDS = 14


def trace_of(retrieval: Retrieval, snapshot: Snapshot) -> dict[str, Any]:
    """Notes, every centre that was looked at with what became of it, and why the passages stand as they do."""
    told: dict[str, Any] = {
        "retriever": retrieval.retriever,
        "notes": list(retrieval.notes),
        "candidates": [
            {"entity": c.name, "score": round(c.score, 4), "accepted": c.is_accepted, "reason": c.reason} for c in retrieval.candidates
        ],
    }
    if retrieval.trace is not None:
        told["passages"] = _passages(retrieval, retrieval.trace, snapshot)
    return told


def _passages(retrieval: Retrieval, trace: BridgeTrace, snapshot: Snapshot) -> dict[str, Any]:
    """Entities that the question names, its nearest facts, the gate, and of each passage its score's parts and the bridge into it."""
    bridges = {bridge.passage_id: bridge for bridge in trace.bridges}
    place = {scored.passage.id: rank for rank, scored in enumerate(retrieval.passages, start=1)}
    rows = []
    for scored, parts in zip(retrieval.passages, trace.parts, strict=True):
        passage = scored.passage
        row: dict[str, Any] = {
            "document": snapshot.documents[passage.document_id].title,
            "start": passage.start,
            "end": passage.end,
            "start_s": _time(snapshot, passage),
            "words": " ".join(snapshot.passage_text(passage).split()[:_MAX_WORDS]),
            "score": round(scored.score, 4),
            "first_stage": round(parts.first, 4),
            "graph": round(parts.graph, 4),
            "bridge": round(parts.bridge, 4),
            "around": round(parts.around, 4),
        }
        bridge = bridges.get(passage.id)
        if bridge is not None:
            row["over"] = bridge.name
            row["from_rank"] = place.get(bridge.source_id)
        rows.append(row)
    return {
        "linked": list(trace.linked),
        "facts": [{"text": text, "cosine": round(cosine, 4)} for text, cosine in trace.facts],
        "gate": round(trace.gate, 4),
        "ranked": rows,
    }


def _time(snapshot: Snapshot, passage: Passage) -> float | None:
    """When its first turn with a time begins."""
    turns = snapshot.turns.get(passage.document_id, ())[passage.first_turn : passage.last_turn + 1]
    return next((turn.start_s for turn in turns if turn.start_s is not None), None)
