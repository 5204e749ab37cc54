"""The words of a subgraph's lines, made as they are asked for (docs/papers.md, Hard prompt)."""

from collections.abc import Callable, Mapping, Sequence

from dynagrag.core.schema import Evidence, PruneScores, Snapshot, Subgraph
from dynagrag.generation.evidence import holds
from dynagrag.generation.prompt_cut import NodeLine, RelationLine
from dynagrag.generation.prompt_lines import node_body, node_line, relation_body, relation_line

MAX_SUMMARIES, MAX_SUMMARY_WORDS = 2, 60
"""Of each node and relation: so many summaries, those nearest to the question, of so many words
each.
"""

Nearest = Callable[[Sequence[str]], Sequence[float]]
"""Similarities of texts with the question, in their order; higher is nearer."""


class SubgraphLines:
    """What the line of each node and relation of a subgraph says, whichever of them are written in
    the end.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        subgraph: Subgraph,
        scores: PruneScores,
        nearest: Nearest | None = None,
    ) -> None:
        """`nearest`: how near summaries are to the question; None takes the first two."""
        self._snapshot, self._subgraph, self._nearest = snapshot, subgraph, nearest
        self._node_scores: list[float] = scores.nodes.tolist()
        self._edge_scores: list[float] = scores.edges.tolist()
        self._node_bodies: dict[int, str] = {}
        self._relation_bodies: dict[int, tuple[str, str]] = {}
        self._names: dict[int, tuple[str, ...]] = {}
        self._is_cited: dict[tuple[str, Evidence, int], bool] = {}

    def node(self, node: int) -> NodeLine:
        """The line of a local node."""
        return NodeLine(
            node,
            self._node_scores[node],
            self._snapshot.graph.entities[self._subgraph.nodes[node]].weight,
        )

    def relations(self, pair: int, under: int, is_tree: bool) -> list[RelationLine]:
        """The lines of a pair's relations; they stand under one of its two nodes."""
        a, b = self._subgraph.pairs[pair].tolist()
        graph, score = self._snapshot.graph, self._edge_scores[pair]
        lines = []
        for index in self._subgraph.pair_relations[pair]:
            relation = graph.relations[index]
            head, tail = (
                (a, b) if graph.entities[self._subgraph.nodes[a]].id == relation.head else (b, a)
            )
            lines.append(RelationLine(index, head, tail, under, score, relation.weight, is_tree))
        return lines

    def node_text(self, node: int, number: str, evidence: Sequence[Evidence]) -> str:
        """A node's line, with the labels of the evidence of its passages that names it, or that it
        speaks.
        """
        if node not in self._node_bodies:
            self._node_bodies[node] = self._node_body(node, has_summaries=True)
        return node_line(
            number,
            self._node_bodies[node],
            [e.label for e in evidence if self._names_node(e, node)],
        )

    def relation_text(
        self, line: RelationLine, numbers: Mapping[int, str], evidence: Sequence[Evidence]
    ) -> str:
        """A relation's line, with the labels of the evidence that holds one of its quotes.
        `numbers`: of the nodes that it names.
        """
        if line.relation not in self._relation_bodies:
            relation = self._snapshot.graph.relations[line.relation]
            self._relation_bodies[line.relation] = relation_body(
                relation.label, line.score, self._shown(relation.summaries)
            )
        labels = [e.label for e in evidence if self._holds_quote(e, line.relation)]
        body = self._relation_bodies[line.relation]
        return relation_line(
            numbers[line.under], line.is_tree, numbers[line.head], numbers[line.tail], body, labels
        )

    def drop_summaries(self, node: int) -> None:
        """Leaves the node's line its name and score alone."""
        self._node_bodies[node] = self._node_body(node, has_summaries=False)

    def _node_body(self, node: int, has_summaries: bool) -> str:
        entity = self._snapshot.graph.entities[self._subgraph.nodes[node]]
        return node_body(
            entity.name,
            self._node_scores[node],
            self._shown(entity.summaries) if has_summaries else (),
        )

    def _shown(self, summaries: Sequence[str]) -> list[str]:
        """The nearest two in their given order, cut to 60 words each. Equally near: the earlier."""
        near = (
            self._nearest(summaries)
            if self._nearest and len(summaries) > MAX_SUMMARIES
            else [0.0] * len(summaries)
        )
        ranked = sorted(range(len(summaries)), key=lambda i: (-near[i], i))[:MAX_SUMMARIES]
        return [_first_words(summaries[i]) for i in sorted(ranked)]

    def _names_node(self, item: Evidence, node: int) -> bool:
        key = ("node", item, node)
        if key not in self._is_cited:
            graph, index = self._snapshot.graph, self._subgraph.nodes[node]
            if node not in self._names:
                entity = graph.entities[index]
                self._names[node] = tuple(
                    name.casefold() for name in {entity.name, *entity.aliases, *entity.keys}
                )
            said = f"{item.speaker or ''}\n{item.quote}".casefold()
            self._is_cited[key] = item.id in graph.entity_passages[index] and any(
                name in said for name in self._names[node]
            )
        return self._is_cited[key]

    def _holds_quote(self, item: Evidence, relation: int) -> bool:
        key = ("relation", item, relation)
        if key not in self._is_cited:
            records = (
                self._snapshot.records[id_]
                for id_ in self._snapshot.graph.relations[relation].record_ids
            )
            self._is_cited[key] = any(
                holds(item, r.document_id, r.quote_start, r.quote_end) for r in records
            )
        return self._is_cited[key]


def _first_words(text: str) -> str:
    words = text.split()
    return text if len(words) <= MAX_SUMMARY_WORDS else " ".join(words[:MAX_SUMMARY_WORDS]) + " …"
