"""The retrieval's part of an answer's trace: candidates, the ranking of passages, and each subgraph
as a picture needs it.
"""

from collections.abc import Mapping
from dataclasses import replace

from dynagrag.core.schema import (
    BridgeTrace,
    CandidateTrace,
    EdgeTrace,
    FactTrace,
    HardPrompt,
    NodeTrace,
    PassageTrace,
    PromptTrace,
    PruneScores,
    RankingTrace,
    Relation,
    Retrieval,
    Snapshot,
    Subgraph,
    SubgraphTrace,
    Walk,
)

_MAX_WORDS = 14
_MAX_DRAWN = 60
"""Nodes of a subgraph in a trace: those visited, and the best of the others."""
_MAX_LABELS = 3


def candidate_traces(retrieval: Retrieval) -> tuple[CandidateTrace, ...]:
    """Every centre that was looked at, with what became of it."""
    return tuple(
        CandidateTrace(
            entity=c.name, score=round(c.score, 4), is_accepted=c.is_accepted, reason=c.reason
        )
        for c in retrieval.candidates
    )


def ranking_trace(retrieval: Retrieval, snapshot: Snapshot) -> RankingTrace | None:
    """Of each passage its score's parts and the bridge into it; None where the retriever tells
    nothing of it.
    """
    trace = retrieval.trace
    if trace is None:
        return None
    return RankingTrace(
        linked=trace.linked,
        facts=tuple(FactTrace(text=text, cosine=round(cosine, 4)) for text, cosine in trace.facts),
        gate=round(trace.gate, 4),
        steps=trace.steps,
        passages=_passages(retrieval, trace, snapshot),
    )


def _passages(
    retrieval: Retrieval, trace: BridgeTrace, snapshot: Snapshot
) -> tuple[PassageTrace, ...]:
    bridges = {bridge.passage_id: bridge for bridge in trace.bridges}
    place = {scored.passage.id: rank for rank, scored in enumerate(retrieval.passages, start=1)}
    rows = []
    for scored, parts in zip(retrieval.passages, trace.parts, strict=True):
        passage, bridge = scored.passage, bridges.get(scored.passage.id)
        turns = snapshot.turns.get(passage.document_id, ())
        own_turns = turns[passage.first_turn : passage.last_turn + 1]
        row = PassageTrace(
            document=snapshot.documents[passage.document_id].title,
            id=passage.id,
            document_id=passage.document_id,
            start=passage.start,
            end=passage.end,
            # when it begins, or its first turn with a time
            start_s=next(
                (t.second_of(passage.start) for t in own_turns if t.start_s is not None), None
            ),
            words=" ".join(snapshot.passage_text(passage).split()[:_MAX_WORDS]),
            score=round(scored.score, 4),
            first_stage=round(parts.first, 4),
            graph=round(parts.graph, 4),
            bridge=round(parts.bridge, 4),
            around=round(parts.around, 4),
            steps=round(parts.steps, 4) if trace.steps else None,
            over=bridge.name if bridge else None,
            from_rank=place.get(bridge.source_id) if bridge else None,
        )
        rows.append(row)
    return tuple(rows)


def subgraph_trace(
    snapshot: Snapshot, subgraph: Subgraph, walk: Walk, relevance: PruneScores, prompt: HardPrompt
) -> SubgraphTrace:
    """The nodes that were visited, in the order of the walk, and the best of the others, with the
    edges between them. What was pruned to fit the prompt is not `is_in_prompt`.
    """
    graph = snapshot.graph
    place = {node: number for number, node in enumerate(walk.order, start=1)}
    others = sorted(
        (n for n in range(len(subgraph.nodes)) if n not in place),
        key=lambda n: (-float(relevance.nodes[n]), n),
    )
    shown = [*walk.order, *others][:_MAX_DRAWN]
    row_of = {node: row for row, node in enumerate(shown)}
    nodes = []
    for node in shown:
        entity = graph.entities[subgraph.nodes[node]]
        row = NodeTrace(
            id=entity.id,
            name=entity.name,
            type=entity.type,
            weight=entity.weight,
            hops=subgraph.hops[node],
            score=round(float(relevance.nodes[node]), 4),
            place=place.get(node),
            depth=walk.depth.get(node),
            parent=row_of.get(walk.parent.get(node, -1)),
            is_in_prompt=node in prompt.nodes,
            prize=None if subgraph.node_prizes is None else round(subgraph.node_prizes[node], 4),
        )
        nodes.append(row)
    edges: list[EdgeTrace] = []
    for pair, ends in enumerate(subgraph.pairs.tolist()):
        if all(end in row_of for end in ends):
            edges += _edges(snapshot, subgraph, pair, row_of, float(relevance.edges[pair]), prompt)
    return SubgraphTrace(
        nodes=tuple(nodes),
        edges=tuple(edges),
        num_nodes=len(subgraph.nodes),
        num_edges=sum(map(len, subgraph.pair_relations)),
    )


def with_masks(
    prompt: PromptTrace, nodes: Mapping[str, float], pairs: Mapping[tuple[str, str], float]
) -> PromptTrace:
    """The prompt's subgraph with the masks that a trained system's soft pruning gave its nodes and
    edges, by ids.
    """
    drawn = prompt.subgraph
    if drawn is None or not nodes:
        return prompt
    ids = [node.id for node in drawn.nodes]
    masked = tuple(replace(node, mask=_mask(nodes.get(node.id))) for node in drawn.nodes)
    edges = []
    for edge in drawn.edges:
        a, b = ids[edge.source], ids[edge.target]
        edges.append(replace(edge, mask=_mask(pairs.get((min(a, b), max(a, b))))))
    return replace(prompt, subgraph=replace(drawn, nodes=masked, edges=tuple(edges)))


def _mask(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _edges(
    snapshot: Snapshot,
    subgraph: Subgraph,
    pair: int,
    row_of: Mapping[int, int],
    score: float,
    prompt: HardPrompt,
) -> list[EdgeTrace]:
    """An edge for each direction in which the two are related, heaviest label first."""
    graph = snapshot.graph
    row_of_id = {
        graph.entities[subgraph.nodes[node]].id: row_of[node]
        for node in subgraph.pairs[pair].tolist()
    }
    by_ends: dict[tuple[int, int], list[tuple[int, Relation]]] = {}
    for index in subgraph.pair_relations[pair]:
        relation = graph.relations[index]
        by_ends.setdefault((row_of_id[relation.head], row_of_id[relation.tail]), []).append(
            (index, relation)
        )
    made = []
    for (head, tail), found in sorted(by_ends.items()):
        found.sort(key=lambda item: (-item[1].weight, item[1].label))
        labels = tuple(relation.label for _, relation in found)
        edge = EdgeTrace(
            source=head,
            target=tail,
            labels=labels[:_MAX_LABELS] + (("…",) if len(labels) > _MAX_LABELS else ()),
            weight=sum(relation.weight for _, relation in found),
            score=round(score, 4),
            is_in_prompt=any(index in prompt.relations for index, _ in found),
            prize=None if subgraph.pair_prizes is None else round(subgraph.pair_prizes[pair], 4),
        )
        made.append(edge)
    return made
