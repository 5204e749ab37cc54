"""Writes a subgraph and its evidence as text for a model (DynaGRAG, section 3.4; docs/papers.md,
Hard prompt).

The form of each line is in `prompt_lines`. Nodes stand in pre-order, children in the order of
visit, numbered 1, 1.1, 1.2, ...; relations stand under the later of their two nodes, so that every
reference points back. Under a budget, whole lines go, lowest score first.
"""

from collections.abc import Sequence

from dynagrag.core.schema import Evidence, HardPrompt, PruneScores, Snapshot, Subgraph, Walk
from dynagrag.generation.evidence import first_word, line_of, shortened
from dynagrag.generation.prompt_cut import LineCut, RelationLine
from dynagrag.generation.prompt_lines import left_out_line
from dynagrag.generation.prompt_room import PromptRoom
from dynagrag.generation.subgraph_lines import Nearest, SubgraphLines

EVIDENCE_SHARE = 0.5
"""Of a budget, what evidence may take before graph lines do; what the graph leaves over goes to
more evidence.
"""
LEFT_OUT_CHARS = len(left_out_line(9999, 9999)) + 1


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
    """The visited part of a subgraph, its relations, then the evidence lines; graph lines name the
    evidence that holds their words.

    Args:
        snapshot: Where names, labels, summaries and records come from.
        subgraph: The ego-graph.
        walk: Which of its nodes are written, in which tree.
        scores: Shown with two decimals; decide what goes first under a budget.
        evidence: Best first. Under a budget the first is always there, cut at the end of a sentence
        where it must be.
        token_budget: Most tokens (characters / 4) of the text, or None. Less than the root's bare
        line and the first words of the first
            evidence need is exceeded by those two lines and no more.
        nearest: How near summaries are to the question; None takes the first two.

    Returns:
        The text, the evidence that is in it (shortened as shown), and how many lines, evidence
        included, were left out.
    """
    layout = _Layout(SubgraphLines(snapshot, subgraph, scores, nearest), subgraph, walk)
    if token_budget is None:
        return layout.render(evidence, 0)
    return _fit(layout, evidence, 4 * token_budget)


def write_evidence_prompt(
    evidence: Sequence[Evidence], token_budget: int | None = None
) -> HardPrompt:
    """Evidence lines alone, best first, within the budget: what a plain arm puts before the model.
    The first is always there.
    """
    budget = None if token_budget is None else 4 * token_budget
    shown = (
        tuple(evidence) if budget is None else _first_that_fit(evidence, budget - LEFT_OUT_CHARS)
    )
    num_out = len(evidence) - len(shown)
    lines = [line_of(e) for e in shown] + ([left_out_line(num_out, 0)] if num_out else [])
    return HardPrompt("\n".join(lines), shown, num_lines_cut=num_out)


def room_for_walk(
    snapshot: Snapshot,
    subgraph: Subgraph,
    scores: PruneScores,
    evidence: Sequence[Evidence],
    *,
    token_budget: int,
    nearest: Nearest | None = None,
) -> PromptRoom:
    """Takes as many nodes as `write_hard_prompt` can then write without cutting a line, under the
    same budget with the same evidence.
    """
    shown, num_chars = _shares(evidence, 4 * token_budget)
    return PromptRoom(
        SubgraphLines(snapshot, subgraph, scores, nearest), subgraph, shown, num_chars
    )


def _shares(evidence: Sequence[Evidence], budget: int) -> tuple[tuple[Evidence, ...], int]:
    """The evidence that comes before the graph's lines, and how many characters it leaves them,
    line ends included.
    """
    shown = _first_that_fit(evidence, int(budget * EVIDENCE_SHARE))
    return shown, budget - LEFT_OUT_CHARS - sum(len(line_of(e)) + 1 for e in shown)


def _fit(layout: "_Layout", evidence: Sequence[Evidence], budget: int) -> HardPrompt:
    """Evidence to its share, graph lines to the rest, then more evidence while there is room."""
    shown, num_chars = _shares(evidence, budget)
    num_cut = layout.cut(num_chars, shown)
    prompt = layout.render(shown, num_cut + len(evidence) - len(shown))
    if len(prompt.text) > budget:
        layout.drop_root_summaries()
        shown = tuple(
            shortened(e, max(budget - layout.num_chars(()) - LEFT_OUT_CHARS, 0)) or first_word(e)
            for e in shown[:1]
        )
        return layout.render(shown, num_cut + len(evidence) - len(shown))
    labels = {e.label for e in shown}
    for extra in evidence:
        if extra.label not in labels and len(prompt.text) + len(line_of(extra)) < budget:
            more = layout.render((*shown, extra), num_cut + len(evidence) - len(shown) - 1)
            if len(more.text) <= budget:
                shown, prompt = (*shown, extra), more
    return prompt


def _first_that_fit(evidence: Sequence[Evidence], num_chars: int) -> tuple[Evidence, ...]:
    """Evidence in its order while there is room: the first shortened where it must be, later ones
    whole or not at all.
    """
    shown: list[Evidence] = []
    for item in evidence:
        if not shown:
            item = shortened(item, num_chars - 1) or first_word(item)
        if not shown or len(line_of(item)) < num_chars:
            shown.append(item)
            num_chars -= len(line_of(item)) + 1
    return tuple(shown)


class _Layout:
    """Which nodes and relations are written. Cutting takes from it; rendering numbers what is
    left.
    """

    def __init__(self, lines: SubgraphLines, subgraph: Subgraph, walk: Walk) -> None:
        self._words, self._walk = lines, walk
        self._nodes = [lines.node(node) for node in _pre_order(walk)]
        self._relations = _relation_lines(
            lines, subgraph, walk, [line.node for line in self._nodes]
        )

    def drop_root_summaries(self) -> None:
        """The last thing that can go."""
        self._words.drop_summaries(self._walk.order[0])

    def num_chars(self, evidence: Sequence[Evidence]) -> int:
        """Characters of the graph lines, a line end each."""
        return sum(len(line) + 1 for line in self._lines(evidence))

    def cut(self, max_chars: int, evidence: Sequence[Evidence]) -> int:
        """Takes lines until the graph has at most `max_chars` or there is nothing to take; how many
        went.
        """
        node_texts, relation_texts = self._texts(evidence)
        node_chars = {node: len(text) + 1 for node, text in node_texts.items()}
        relation_chars = [len(text) + 1 for text in relation_texts]
        cut = LineCut(self._walk, self._nodes, self._relations, node_chars, relation_chars)
        num_lines = cut.take(sum(node_chars.values()) + sum(relation_chars) - max_chars)
        self._nodes = [line for line in self._nodes if line.node in cut.kept_nodes]
        self._relations = [
            line for i, line in enumerate(self._relations) if i in cut.kept_relations
        ]
        return num_lines

    def render(self, evidence: Sequence[Evidence], num_lines_cut: int) -> HardPrompt:
        """The text as it stands now."""
        lines = self._lines(evidence) + [line_of(item) for item in evidence]
        if num_lines_cut or self._walk.num_unvisited:
            lines.append(left_out_line(num_lines_cut, self._walk.num_unvisited))
        nodes, relations = (
            frozenset(line.node for line in self._nodes),
            frozenset(line.relation for line in self._relations),
        )
        return HardPrompt("\n".join(lines), tuple(evidence), num_lines_cut, nodes, relations)

    def _lines(self, evidence: Sequence[Evidence]) -> list[str]:
        node_texts, relation_texts = self._texts(evidence)
        under: dict[int, list[str]] = {line.node: [node_texts[line.node]] for line in self._nodes}
        for line, text in zip(self._relations, relation_texts, strict=True):
            under[line.under].append(text)
        return [text for texts in under.values() for text in texts]

    def _texts(self, evidence: Sequence[Evidence]) -> tuple[dict[int, str], list[str]]:
        """(node -> its line, the relation lines)."""
        numbers = self._numbers()
        nodes = {
            line.node: self._words.node_text(line.node, numbers[line.node], evidence)
            for line in self._nodes
        }
        return nodes, [
            self._words.relation_text(line, numbers, evidence) for line in self._relations
        ]

    def _numbers(self) -> dict[int, str]:
        numbers: dict[int, str] = {}
        num_children: dict[int, int] = {}
        for line in self._nodes:
            parent = self._walk.parent[line.node]
            num_children[parent] = num_children.get(parent, 0) + 1
            numbers[line.node] = f"{numbers[parent]}.{num_children[parent]}" if parent >= 0 else "1"
        return numbers


def _relation_lines(
    lines: SubgraphLines, subgraph: Subgraph, walk: Walk, pre_order: Sequence[int]
) -> list[RelationLine]:
    """By the pre-order of the node they stand under; there tree lines first, then by the other end,
    then the heavier first.
    """
    position = {node: i for i, node in enumerate(pre_order)}
    found: list[tuple[tuple[int, bool, int, float, int], RelationLine]] = []
    for pair, (a, b) in enumerate(subgraph.pairs.tolist()):
        if a not in position or b not in position:
            continue
        other, under = sorted((a, b), key=position.__getitem__)
        is_tree = walk.parent[a] == b or walk.parent[b] == a
        for line in lines.relations(pair, under, is_tree):
            found.append(
                ((position[under], not is_tree, position[other], -line.weight, line.relation), line)
            )
    return [line for _, line in sorted(found, key=lambda keyed: keyed[0])]


def _pre_order(walk: Walk) -> list[int]:
    order: list[int] = []
    stack = [walk.order[0]]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(walk.children.get(node, ())))
    return order
