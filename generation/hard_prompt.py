"""Writes a subgraph and its evidence as text for a model (DynaGRAG, section 3.4; docs/papers.md, Hard prompt).

The form of each line is in `prompt_lines`. Nodes stand in pre-order, children in the order of visit, numbered 1, 1.1, 1.2, ...; relations
stand under the later of their two nodes, so that every reference points back. Under a budget, whole lines go, lowest score first.
"""

from collections.abc import Callable, Sequence

from dynagrag.generation.evidence import first_word, holds, line_of, shortened
from dynagrag.generation.prompt_cut import LineCut, NodeLine, RelationLine
from dynagrag.generation.prompt_lines import left_out_line, node_body, node_line, relation_body, relation_line
from dynagrag.schema import Evidence, HardPrompt, PruneScores, Snapshot, Subgraph, Walk

MAX_SUMMARIES, MAX_SUMMARY_WORDS = 2, 60
"""Of each node and relation: so many summaries, those nearest to the question, of so many words each."""
EVIDENCE_SHARE = 0.5
"""Of a budget, what evidence may take before graph lines do; what the graph leaves over goes to more evidence."""
LEFT_OUT_CHARS = len(left_out_line(9999, 9999)) + 1

Nearest = Callable[[Sequence[str]], Sequence[float]]
"""Similarities of texts with the question, in their order; higher is nearer."""


def write_hard_prompt(
    snapshot: Snapshot,
    subgraph: Subgraph,
    walk: Walk,
    scores: PruneScores,
    evidence: Sequence[Evidence],
    *,
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
        token_budget: Most tokens (characters / 4) of the text, or None. Less than the root's bare line and the first words of the first
            evidence need is exceeded by those two lines and no more.
        nearest: How near summaries are to the question (asked once, for all of which there are more than two); None takes the first two.

    Returns:
        The text, the evidence that is in it (shortened as shown), and how many lines, evidence included, were left out.
    """
    layout = _Layout(snapshot, subgraph, walk, scores, _Shorten(nearest))
    if token_budget is None:
        return layout.render(evidence, 0)
    return _fit(layout, evidence, 4 * token_budget)


def write_evidence_prompt(evidence: Sequence[Evidence], token_budget: int | None = None) -> HardPrompt:
    """Evidence lines alone, best first, within the budget: what a plain arm puts before the model. The first is always there."""
    budget = None if token_budget is None else 4 * token_budget
    shown = tuple(evidence) if budget is None else _first_that_fit(evidence, budget - LEFT_OUT_CHARS)
    num_out = len(evidence) - len(shown)
    lines = [line_of(e) for e in shown] + ([left_out_line(num_out, 0)] if num_out else [])
    return HardPrompt("\n".join(lines), shown, num_lines_cut=num_out)


def _fit(layout: "_Layout", evidence: Sequence[Evidence], budget: int) -> HardPrompt:
    """Evidence to its share, graph lines to the rest, then more evidence while there is room."""
    shown = _first_that_fit(evidence, int(budget * EVIDENCE_SHARE))
    num_cut = layout.cut(budget - LEFT_OUT_CHARS - sum(len(line_of(e)) + 1 for e in shown), shown)
    prompt = layout.render(shown, num_cut + len(evidence) - len(shown))
    if len(prompt.text) > budget:
        layout.drop_root_summaries()
        shown = tuple(shortened(e, max(budget - layout.num_chars(()) - LEFT_OUT_CHARS, 0)) or first_word(e) for e in shown[:1])
        return layout.render(shown, num_cut + len(evidence) - len(shown))
    labels = {e.label for e in shown}
    for extra in evidence:
        if extra.label not in labels and len(prompt.text) + len(line_of(extra)) < budget:
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

    def __init__(self, snapshot: Snapshot, subgraph: Subgraph, walk: Walk, scores: PruneScores, shorten: "_Shorten") -> None:
        self._walk = walk
        graph = snapshot.graph
        node_scores = scores.nodes.tolist()
        entities = {node: graph.entities[subgraph.nodes[node]] for node in walk.order}
        self._passages = {node: frozenset(graph.entity_passages[subgraph.nodes[node]]) for node in walk.order}
        self._names = {node: tuple(n.casefold() for n in {e.name, *e.aliases, *e.keys}) for node, e in entities.items()}
        self._nodes = [NodeLine(node, node_scores[node], entities[node].weight) for node in _pre_order(walk)]
        self._relations = _relation_lines(snapshot, subgraph, walk, scores, [line.node for line in self._nodes])
        relations = {line.relation: graph.relations[line.relation] for line in self._relations}
        self._records = {index: [snapshot.records[i] for i in relation.record_ids] for index, relation in relations.items()}
        shorten.prepare([*(e.summaries for e in entities.values()), *(r.summaries for r in relations.values())])
        self._node_bodies = {v: node_body(e.name, node_scores[v], shorten(e.summaries)) for v, e in entities.items()}
        self._relation_bodies = {
            line.relation: relation_body(relations[line.relation].label, line.score, shorten(relations[line.relation].summaries))
            for line in self._relations
        }
        root = walk.order[0]
        self._bare_root = node_body(entities[root].name, node_scores[root], ())
        self._cited: dict[Evidence, tuple[frozenset[int], frozenset[int]]] = {}

    def drop_root_summaries(self) -> None:
        """The last thing that can go."""
        self._node_bodies[self._walk.order[0]] = self._bare_root

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
        nodes, relations = frozenset(line.node for line in self._nodes), frozenset(line.relation for line in self._relations)
        return HardPrompt("\n".join(lines), tuple(evidence), num_lines_cut, nodes, relations)

    def _lines(self, evidence: Sequence[Evidence]) -> list[str]:
        node_texts, relation_texts = self._texts(evidence)
        under: dict[int, list[str]] = {line.node: [node_texts[line.node]] for line in self._nodes}
        for line, text in zip(self._relations, relation_texts, strict=True):
            under[line.under].append(text)
        return [text for texts in under.values() for text in texts]

    def _texts(self, evidence: Sequence[Evidence]) -> tuple[dict[int, str], list[str]]:
        """(node -> its line, the relation lines)."""
        number = self._numbers()
        cited = [(item.label, *self._lines_citing(item)) for item in evidence]
        nodes = {
            v: node_line(number[v], self._node_bodies[v], [label for label, found, _ in cited if v in found])
            for v in (line.node for line in self._nodes)
        }
        relations = []
        for line in self._relations:
            labels = [label for label, _, found in cited if line.relation in found]
            body = self._relation_bodies[line.relation]
            relations.append(relation_line(number[line.under], line.is_tree, number[line.head], number[line.tail], body, labels))
        return nodes, relations

    def _lines_citing(self, item: Evidence) -> tuple[frozenset[int], frozenset[int]]:
        """(nodes of the passage that the span names or that speak it, relations with a quote inside the span)."""
        if item not in self._cited:
            said = f"{item.speaker or ''}\n{item.quote}".casefold()
            inside = (node for node, passages in self._passages.items() if item.id in passages)
            nodes = frozenset(node for node in inside if any(name in said for name in self._names[node]))
            relations = frozenset(
                index
                for index, records in self._records.items()
                if any(holds(item, r.document_id, r.quote_start, r.quote_end) for r in records)
            )
            self._cited[item] = (nodes, relations)
        return self._cited[item]

    def _numbers(self) -> dict[int, str]:
        numbers: dict[int, str] = {}
        num_children: dict[int, int] = {}
        for line in self._nodes:
            parent = self._walk.parent[line.node]
            num_children[parent] = num_children.get(parent, 0) + 1
            numbers[line.node] = f"{numbers[parent]}.{num_children[parent]}" if parent >= 0 else "1"
        return numbers


def _relation_lines(
    snapshot: Snapshot, subgraph: Subgraph, walk: Walk, scores: PruneScores, pre_order: Sequence[int]
) -> list[RelationLine]:
    """By the pre-order of the node they stand under; there tree lines first, then by the other end, then the heavier first."""
    graph = snapshot.graph
    position = {node: i for i, node in enumerate(pre_order)}
    lines: list[tuple[tuple[int, bool, int, int, int], RelationLine]] = []
    pairs = zip(subgraph.pairs.tolist(), subgraph.pair_relations, scores.edges.tolist(), strict=True)
    for (a, b), relations, score in pairs:
        if a not in position or b not in position:
            continue
        other, under = sorted((a, b), key=position.__getitem__)
        is_tree = walk.parent[a] == b or walk.parent[b] == a
        for index in relations:
            relation = graph.relations[index]
            head, tail = (a, b) if graph.entities[subgraph.nodes[a]].id == relation.head else (b, a)
            key = (position[under], not is_tree, position[other], -relation.weight, index)
            lines.append((key, RelationLine(index, head, tail, under, score, relation.weight, is_tree)))
    return [line for _, line in sorted(lines, key=lambda keyed: keyed[0])]


def _pre_order(walk: Walk) -> list[int]:
    order: list[int] = []
    stack = [walk.order[0]]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(walk.children.get(node, ())))
    return order


class _Shorten:
    """The nearest two summaries in their given order, cut to 60 words each. Equally near: the earlier."""

    def __init__(self, nearest: Nearest | None) -> None:
        self._nearest = nearest
        self._similarity: dict[str, float] = {}

    def prepare(self, every: Sequence[Sequence[str]]) -> None:
        """Asks once for all texts between which a choice has to be made."""
        if self._nearest:
            texts = list(dict.fromkeys(text for summaries in every if len(summaries) > MAX_SUMMARIES for text in summaries))
            self._similarity = dict(zip(texts, self._nearest(texts), strict=True)) if texts else {}

    def __call__(self, summaries: Sequence[str]) -> Sequence[str]:
        ranked = sorted(range(len(summaries)), key=lambda i: (-self._similarity.get(summaries[i], 0.0), i))[:MAX_SUMMARIES]
        return [_first_words(summaries[i]) for i in sorted(ranked)]


def _first_words(text: str) -> str:
    words = text.split()
    return text if len(words) <= MAX_SUMMARY_WORDS else " ".join(words[:MAX_SUMMARY_WORDS]) + " …"
