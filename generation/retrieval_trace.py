"""What a retrieval's trace tells of an answer, as plain values for JSON."""

from collections.abc import Mapping
from typing import Any

from dynagrag.schema import BridgeTrace, HardPrompt, Passage, PruneScores, Relation, Retrieval, Snapshot, Subgraph, Walk

_MAX_WORDS = 14
_MAX_DRAWN = 60
"""Nodes of a subgraph in a trace: those visited, and the best of the others."""
_MAX_LABELS = 3


def trace_of(retrieval: Retrieval, snapshot: Snapshot) -> dict[str, Any]:
    """Notes, every centre that was looked at with what became of it, and why the passages stand as they do."""
    told: dict[str, Any] = {
        "retriever": retrieval.retriever,
        "notes": list(retrieval.notes),
        "num_passages": len(retrieval.passages),
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
            "id": passage.id,
            "document_id": passage.document_id,
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
        if trace.steps:
            row["steps"] = round(parts.steps, 4)
        bridge = bridges.get(passage.id)
        if bridge is not None:
            row["over"] = bridge.name
            row["from_rank"] = place.get(bridge.source_id)
        rows.append(row)
    return {
        "linked": list(trace.linked),
        "facts": [{"text": text, "cosine": round(cosine, 4)} for text, cosine in trace.facts],
        "gate": round(trace.gate, 4),
        "steps": list(trace.steps),
        "ranked": rows,
    }


def _time(snapshot: Snapshot, passage: Passage) -> float | None:
    """When its first turn with a time begins."""
    turns = snapshot.turns.get(passage.document_id, ())[passage.first_turn : passage.last_turn + 1]
    return next((turn.start_s for turn in turns if turn.start_s is not None), None)


def drawn_subgraph(snapshot: Snapshot, subgraph: Subgraph, walk: Walk, relevance: PruneScores, prompt: HardPrompt) -> dict[str, Any]:
    """A subgraph as a picture needs it, with the sizes of the whole: `nodes` with the pruner's score, the place in the walk from 1 (None:
    not visited), its depth there, and the row of the node it was reached from; `edges` from head to tail between rows of `nodes`. What
    was pruned to fit the prompt is not `in_prompt`.
    """
    graph = snapshot.graph
    place = {node: number for number, node in enumerate(walk.order, start=1)}
    others = sorted((n for n in range(len(subgraph.nodes)) if n not in place), key=lambda n: (-float(relevance.nodes[n]), n))
    shown = [*walk.order, *others][:_MAX_DRAWN]
    row_of = {node: row for row, node in enumerate(shown)}
    nodes = []
    for node in shown:
        entity = graph.entities[subgraph.nodes[node]]
        nodes.append(
            {
                "id": entity.id,
                "name": entity.name,
                "type": entity.type,
                "weight": entity.weight,
                "hops": subgraph.hops[node],
                "score": round(float(relevance.nodes[node]), 4),
                "place": place.get(node),
                "depth": walk.depth.get(node),
                "parent": row_of.get(walk.parent.get(node, -1)),
                "in_prompt": node in prompt.nodes,
            }
        )
    edges = []
    for pair, ends in enumerate(subgraph.pairs.tolist()):
        if all(end in row_of for end in ends):
            edges += _edges(snapshot, subgraph, pair, row_of, float(relevance.edges[pair]), prompt)
    return {"nodes": nodes, "edges": edges, "num_nodes": len(subgraph.nodes), "num_edges": len(subgraph.pairs)}


def _edges(
    snapshot: Snapshot, subgraph: Subgraph, pair: int, row_of: Mapping[int, int], score: float, prompt: HardPrompt
) -> list[dict[str, Any]]:
    """An edge for each direction in which the two are related, heaviest label first."""
    graph = snapshot.graph
    row_of_id = {graph.entities[subgraph.nodes[node]].id: row_of[node] for node in subgraph.pairs[pair].tolist()}
    by_ends: dict[tuple[int, int], list[tuple[int, Relation]]] = {}
    for index in subgraph.pair_relations[pair]:
        relation = graph.relations[index]
        by_ends.setdefault((row_of_id[relation.head], row_of_id[relation.tail]), []).append((index, relation))
    made = []
    for (head, tail), found in sorted(by_ends.items()):
        found.sort(key=lambda item: (-item[1].weight, item[1].label))
        labels = [relation.label for _, relation in found]
        made.append(
            {
                "source": head,
                "target": tail,
                "labels": labels[:_MAX_LABELS] + (["…"] if len(labels) > _MAX_LABELS else []),
                "weight": sum(relation.weight for _, relation in found),
                "score": round(score, 4),
                "in_prompt": any(index in prompt.relations for index, _ in found),
            }
        )
    return made
