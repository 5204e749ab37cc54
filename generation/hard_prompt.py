"""Writes a subgraph and its evidence as text for a model, without loss in full mode (DynaGRAG, section 3.4; methods spec, 3.10).

The form of each line is in `prompt_lines`. Nodes stand in pre-order, children in the order of visit, numbered 1, 1.1, 1.2, ...; relations
stand under the later of their two nodes, so that every reference points back. Under a budget, whole lines go, lowest score first.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from dynagrag.generation.evidence import first_word, holds, line_of, shortened
from dynagrag.generation.prompt_cut import LineCut, NodeLine, RelationLine
from dynagrag.generation.prompt_lines import left_out_line, node_line, relation_line
from dynagrag.schema import Evidence, HardPrompt, PruneScores, Snapshot, Subgraph, Walk

MAX_SUMMARIES, MAX_SUMMARY_WORDS = 2, 60
EVIDENCE_SHARE = 0.5
"""Of a budget, what evidence may take before graph lines do; what the graph leaves over goes to more evidence."""
_LEFT_OUT_CHARS = len(left_out_line(9999, 9999)) + 1

Nearest = Callable[[Sequence[str]], Sequence[float]]
"""Similarities of texts with the question, in their order; higher is nearer."""


def write_hard_prompt(
    snapshot: Snapshot,
    subgraph: Subgraph,
    walk: Walk,
    scores: PruneScores,
    evidence: Sequence[Evidence],
    *,
    mode: Literal["full", "compact"] = "compact",
    token_budget: int | None = None,
    nearest: Nearest | None = None,
) -> HardPrompt:
    """The visited part of a subgraph, its relations, then the evidence lines; graph lines name the evidence that holds their words.

    Args:
        snapshot: Where names, labels, summaries and records come from.
        subgraph: The ego-graph.
        walk: Which of its nodes are written, in which tree.
        scores: Shown with two decimals; decide what goes first under a budget.
        evidence: Best first. Under a budget the first is always there, cut at the end of a sentence where it must be.
        mode: `full` writes every summary; `compact` the two nearest to the question, 60 words of each.
        token_budget: Most tokens (characters / 4) of the text, or None. Less than the root's bare line and the first words of the first
            evidence need is exceeded by those two lines and no more.
        nearest: How near summaries are to the question (asked once, for all that have more than two); None keeps the given order.

    Returns:
        The text, the evidence that is in it (shortened as shown), and how many lines, evidence included, were left out.
    """
    layout = _Layout(snapshot, subgraph, walk, scores)
    if mode == "compact":
        layout.shorten_summaries(nearest)
    if token_budget is None:
        return layout.render(evidence, 0)
    return _fit(layout, evidence, 4 * token_budget)


def write_evidence_prompt(evidence: Sequence[Evidence], token_budget: int | None = None) -> HardPrompt:
    """Evidence lines alone, best first, within the budget: what a plain arm puts before the model. The first is always there."""
    budget = None if token_budget is None else 4 * token_budget
    shown = tuple(evidence) if budget is None else _first_that_fit(evidence, budget - _LEFT_OUT_CHARS)
    num_out = len(evidence) - len(shown)
    lines = [line_of(e) for e in shown] + ([left_out_line(num_out, 0)] if num_out else [])
    return HardPrompt("\n".join(lines), shown, num_lines_cut=num_out)


def _fit(layout: "_Layout", evidence: Sequence[Evidence], budget: int) -> HardPrompt:
    """Evidence to its share, graph lines to the rest, then more evidence while there is room."""
    shown = _first_that_fit(evidence, int(budget * EVIDENCE_SHARE))
    num_cut = layout.cut(budget - _LEFT_OUT_CHARS - sum(len(line_of(e)) + 1 for e in shown), shown)
    prompt = layout.render(shown, num_cut + len(evidence) - len(shown))
    if len(prompt.text) > budget:
        layout.drop_root_summaries()
        shown = tuple(shortened(e, max(budget - layout.num_chars(()) - _LEFT_OUT_CHARS, 0)) or first_word(e) for e in shown[:1])
        return layout.render(shown, num_cut + len(evidence) - len(shown))
    labels = {e.label for e in shown}
    for extra in evidence:
        if extra.label not in labels:
            more = layout.render((*shown, extra), num_cut + len(evidence) - len(shown) - 1)
            if len(more.text) <= budget:
                shown, prompt = (*shown, extra), more
    return prompt


def _first_that_fit(evidence: Sequence[Evidence], num_chars: int) -> tuple[Evidence, ...]:
    """Evidence in its order while there is room: the first shortened where it must be, later ones whole or not at all."""
    shown: list[Evidence] = []
    for item in evidence:
        if not shown:
            item = shortened(item, num_chars - 1) or first_word(item)
        if not shown or len(line_of(item)) < num_chars:
            shown.append(item)
            num_chars -= len(line_of(item)) + 1
    return tuple(shown)


class _Layout:
    """Which nodes and relations are written, with which words. Cutting takes from it; rendering numbers what is left."""

    def __init__(self, snapshot: Snapshot, subgraph: Subgraph, walk: Walk, scores: PruneScores) -> None:
        self._snapshot, self._subgraph, self._walk = snapshot, subgraph, walk
        self._entities = {node: snapshot.graph.entities[subgraph.nodes[node]] for node in walk.order}
        node_scores = scores.nodes.tolist()
        self._nodes = [NodeLine(node, node_scores[node], self._entities[node].weight) for node in _pre_order(walk)]
        self._relations = self._relation_lines(scores)
        relations = snapshot.graph.relations
        self._node_summaries = {line.node: self._entities[line.node].summaries for line in self._nodes}
        self._relation_summaries = {line.relation: relations[line.relation].summaries for line in self._relations}

    def shorten_summaries(self, nearest: Nearest | None) -> None:
        """Keeps the nearest two of each node and relation, 60 words of each."""
        every = [*self._node_summaries.values(), *self._relation_summaries.values()]
        texts = list(dict.fromkeys(text for summaries in every if len(summaries) > MAX_SUMMARIES for text in summaries))
        similarity = dict(zip(texts, nearest(texts), strict=True)) if nearest and texts else {}
        self._node_summaries = {node: _compact(found, similarity) for node, found in self._node_summaries.items()}
        self._relation_summaries = {relation: _compact(found, similarity) for relation, found in self._relation_summaries.items()}

    def drop_root_summaries(self) -> None:
        """The last thing that can go."""
        self._node_summaries[self._nodes[0].node] = ()

    def num_chars(self, evidence: Sequence[Evidence]) -> int:
        """Characters of the graph lines, a line end each."""
        return sum(len(line) + 1 for line in self._lines(evidence))

    def cut(self, max_chars: int, evidence: Sequence[Evidence]) -> int:
        """Takes lines until the graph has at most `max_chars` or there is nothing to take; how many went."""
        node_texts, relation_texts = self._texts(evidence)
        node_chars = {node: len(text) + 1 for node, text in node_texts.items()}
        relation_chars = [len(text) + 1 for text in relation_texts]
        cut = LineCut(self._walk, self._nodes, self._relations, node_chars, relation_chars)
        num_lines = cut.take(sum(node_chars.values()) + sum(relation_chars) - max_chars)
        self._nodes = [line for line in self._nodes if line.node in cut.kept_nodes]
        self._relations = [line for i, line in enumerate(self._relations) if i in cut.kept_relations]
        return num_lines

    def render(self, evidence: Sequence[Evidence], num_lines_cut: int) -> HardPrompt:
        """The text as it stands now."""
        lines = self._lines(evidence) + [line_of(item) for item in evidence]
        if num_lines_cut or self._walk.num_unvisited:
            lines.append(left_out_line(num_lines_cut, self._walk.num_unvisited))
        return HardPrompt("\n".join(lines), tuple(evidence), num_lines_cut, len(self._nodes), len(self._relations))

    def _lines(self, evidence: Sequence[Evidence]) -> list[str]:
        node_texts, relation_texts = self._texts(evidence)
        under: dict[int, list[str]] = {line.node: [node_texts[line.node]] for line in self._nodes}
        for line, text in zip(self._relations, relation_texts, strict=True):
            under[line.under].append(text)
        return [text for texts in under.values() for text in texts]

    def _texts(self, evidence: Sequence[Evidence]) -> tuple[dict[int, str], list[str]]:
        """(node -> its line, the relation lines)."""
        number = self._numbers()
        node_texts = {
            line.node: node_line(
                number[line.node],
                self._entities[line.node].name,
                line.score,
                self._node_summaries[line.node],
                self._labels_of_node(line.node, evidence),
            )
            for line in self._nodes
        }
        relation_texts = [
            relation_line(
                number[line.under],
                line.is_tree,
                number[line.head],
                self._snapshot.graph.relations[line.relation].label,
                number[line.tail],
                line.score,
                self._relation_summaries[line.relation],
                self._labels_of_relation(line.relation, evidence),
            )
            for line in self._relations
        ]
        return node_texts, relation_texts

    def _numbers(self) -> dict[int, str]:
        numbers: dict[int, str] = {}
        num_children: dict[int, int] = {}
        for line in self._nodes:
            parent = self._walk.parent[line.node]
            num_children[parent] = num_children.get(parent, 0) + 1
            numbers[line.node] = f"{numbers[parent]}.{num_children[parent]}" if parent >= 0 else "1"
        return numbers

    def _labels_of_node(self, node: int, evidence: Sequence[Evidence]) -> list[str]:
        passages = self._snapshot.graph.entity_passages[self._subgraph.nodes[node]]
        return [item.label for item in evidence if item.id in passages]

    def _labels_of_relation(self, relation: int, evidence: Sequence[Evidence]) -> list[str]:
        records = [self._snapshot.records[i] for i in self._snapshot.graph.relations[relation].record_ids]
        return [item.label for item in evidence if any(holds(item, r.document_id, r.quote_start, r.quote_end) for r in records)]

    def _relation_lines(self, scores: PruneScores) -> list[RelationLine]:
        """By the pre-order of the node they stand under; there tree lines first, then by the other end, then the heavier first."""
        position = {line.node: i for i, line in enumerate(self._nodes)}
        parent, graph = self._walk.parent, self._snapshot.graph
        local = {index: node for node, index in enumerate(self._subgraph.nodes)}
        number = {graph.entities[index].id: node for index, node in local.items()}
        lines = []
        pairs = zip(self._subgraph.pairs.tolist(), self._subgraph.pair_relations, scores.edges.tolist(), strict=True)
        for (a, b), relations, score in pairs:
            if a not in position or b not in position:
                continue
            under = max(a, b, key=position.__getitem__)
            is_tree = parent[a] == b or parent[b] == a
            for index in relations:
                relation = graph.relations[index]
                lines.append(RelationLine(index, number[relation.head], number[relation.tail], under, score, relation.weight, is_tree))
        other = {line.relation: min(position[line.head], position[line.tail]) for line in lines}
        return sorted(lines, key=lambda r: (position[r.under], not r.is_tree, other[r.relation], -r.weight, r.relation))


def _pre_order(walk: Walk) -> list[int]:
    order: list[int] = []
    stack = [walk.order[0]]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(walk.children.get(node, ())))
    return order


def _compact(summaries: Sequence[str], similarity: Mapping[str, float]) -> tuple[str, ...]:
    """The nearest two in their given order, cut to 60 words each. Equal similarities: the earlier."""
    ranked = sorted(range(len(summaries)), key=lambda i: (-similarity.get(summaries[i], 0.0), i))[:MAX_SUMMARIES]
    return tuple(_first_words(summaries[i]) for i in sorted(ranked))


def _first_words(text: str) -> str:
    words = text.split()
    return text if len(words) <= MAX_SUMMARY_WORDS else " ".join(words[:MAX_SUMMARY_WORDS]) + " …"
