r"""Writes a subgraph and its evidence as text for a model (DynaGRAG, section 3.4; docs/papers.md,
Hard prompt).

    INDENT[1.2] "name" (0.83): summary | summary [E1][E4]     a node; two spaces a level
    INDENT  - [1] --"label"--> [1.2] (0.55): summary [E2]     under a node: a relation between it
                                                              and its parent
    INDENT  = [1.2] --"label"--> [1.1] (0.40): summary        under a node: a relation to a node
                                                              that stands before it
    [E3] SPEAKER 0:12 "quote"                                 evidence (`evidence`)
    (left out: 5 lines, 12 nodes)                             last, where something was left out

Nodes stand in pre-order, children in the order of visit, numbered 1, 1.1, 1.2, ...; relations stand
under the later of their two nodes, so that every reference points back. Under a budget, whole lines
go, lowest score first.

Each line has one form, so that a parser can read back exactly what was written. Names and labels
are JSON strings, as quotes are. Summaries are put on one line (blank space collapsed; empty ones
vanish) and joined by " | "; in them a backslash, a bar and the bracket of "[E3" get a backslash,
control characters become \uXXXX.
"""

import heapq
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynagrag.core.schema import Evidence, HardPrompt, PruneScores, Snapshot, Subgraph, Walk
from dynagrag.generation.evidence import (
    CHARS_PER_TOKEN,
    CONTROL_CHARS,
    LABEL_START,
    as_json,
    evidence_that_fits,
    first_word,
    holds,
    line_of,
    one_line,
    shortened,
)

MAX_SUMMARIES, MAX_SUMMARY_WORDS = 2, 60
"""Of each node and relation: so many summaries, those nearest to the question, of so many words
each, unless all are written.
"""
SUMMARY_JOIN = " | "
EVIDENCE_SHARE = 0.5
"""Evidence's share of a budget before graph lines are written; room that they leave goes to more
evidence.
"""
_LEFT_OUT = "(left out: {} lines, {} nodes)"
LEFT_OUT_LINE = re.compile(r"\(left out: (?P<lines>[0-9]+) lines, (?P<nodes>[0-9]+) nodes\)")
_LEAST_LINE = len('[1] "" (0.00)\n')
LEFT_OUT_CHARS = len(_LEFT_OUT.format(9999, 9999)) + 1
"""Room for that line, with the line end before it."""
_IN_SUMMARY = re.compile(rf"{LABEL_START}|[\\|]|[{CONTROL_CHARS}]")

Similarities = Callable[[Sequence[str]], Sequence[float]]
"""Of texts with the question, in their order; higher is nearer."""


def write_hard_prompt(
    snapshot: Snapshot,
    subgraph: Subgraph,
    walk: Walk,
    scores: PruneScores,
    evidence: Sequence[Evidence],
    *,
    token_budget: int | None = None,
    similarities: Similarities | None = None,
    has_all_summaries: bool = False,
    evidence_share: float = EVIDENCE_SHARE,
) -> HardPrompt:
    """The visited part of a subgraph, its relations, then the evidence lines; graph lines name the
    evidence that holds their words.

    Under a budget evidence is written to its share, graph lines to the rest, then more evidence
    while there is room.

    Args:
        snapshot: Where names, labels, summaries and records come from.
        subgraph: The ego-graph.
        walk: Which of its nodes are written, in which tree.
        scores: Shown with two decimals; decide what goes first under a budget.
        evidence: Best first. Under a budget the first is always there, cut at the end of a sentence
        where it must be.
        token_budget: Most tokens (characters / 4) of the text, or None. Less than the root's bare
        line and the first words of the first evidence need is exceeded by those two lines and no
        more.
        similarities: How near summaries are to the question; None takes the first.
        has_all_summaries: Each node and relation has all its summaries, whole. Under a budget that
            has no room for them, as many as let every line fit, the nearest first, and two where
            none do.
        evidence_share: Of the budget, for evidence before graph lines are written.

    Returns:
        The text, the evidence that is in it (shortened as shown), and how many lines, evidence
        included, were left out.
    """

    def graph_text(max_summaries: int) -> _GraphText:
        lines = GraphLines(snapshot, subgraph, scores, similarities, max_summaries)
        return _GraphText(lines, subgraph, walk)

    most = MAX_SUMMARIES
    if has_all_summaries:
        most = max(MAX_SUMMARIES + 1, _most_summaries(snapshot, subgraph, walk))
    if token_budget is None:
        return graph_text(most).prompt(evidence, 0)
    max_chars = CHARS_PER_TOKEN * token_budget
    shown, max_graph_chars = _shares(evidence, max_chars, evidence_share)
    # the largest number with which every line fits; more summaries never make a line shorter, and
    # a walk of more lines than could fit is not written to find that out
    has_chance = _LEAST_LINE * len(walk.order) <= max_graph_chars
    numbers = range(MAX_SUMMARIES + 1, most + 1 if has_chance else 0)
    num_more = bisect_left(
        numbers, True, key=lambda n: graph_text(n).num_chars(shown) > max_graph_chars
    )
    graph = graph_text(MAX_SUMMARIES + num_more)
    num_cut = graph.cut(max_graph_chars, shown)
    prompt = graph.prompt(shown, num_cut + len(evidence) - len(shown))
    if len(prompt.text) > max_chars:
        graph.lines.drop_summaries(walk.order[0])  # the last thing that can go
        num_graph_chars = sum(len(line) + 1 for line in graph.text_lines(()))
        chars_left = max(max_chars - num_graph_chars - LEFT_OUT_CHARS, 0)
        shown = tuple(shortened(e, chars_left) or first_word(e) for e in shown[:1])
        return graph.prompt(shown, num_cut + len(evidence) - len(shown))
    labels = {e.label for e in shown}
    for item in evidence:
        if item.label not in labels and len(prompt.text) + len(line_of(item)) < max_chars:
            longer = graph.prompt((*shown, item), num_cut + len(evidence) - len(shown) - 1)
            if len(longer.text) <= max_chars:
                shown, prompt = (*shown, item), longer
    return prompt


def _most_summaries(snapshot: Snapshot, subgraph: Subgraph, walk: Walk) -> int:
    """Of any node that is visited, and of any relation."""
    graph = snapshot.graph
    texts = [graph.entities[subgraph.nodes[node]].summaries for node in walk.order]
    texts += [graph.relations[i].summaries for own in subgraph.pair_relations for i in own]
    return max(map(len, texts))


def write_evidence_prompt(
    evidence: Sequence[Evidence], token_budget: int | None = None
) -> HardPrompt:
    """A plain arm's prompt: evidence lines alone, best first, within the budget. The first is
    always there.
    """
    shown = tuple(evidence)
    if token_budget is not None:
        shown = evidence_that_fits(evidence, CHARS_PER_TOKEN * token_budget - LEFT_OUT_CHARS)
    num_out = len(evidence) - len(shown)
    lines = [line_of(e) for e in shown] + ([_LEFT_OUT.format(num_out, 0)] if num_out else [])
    return HardPrompt("\n".join(lines), shown, num_lines_cut=num_out)


def is_left_out_line(line: str) -> bool:
    """Whether a prompt's line only tells what is not there."""
    return LEFT_OUT_LINE.fullmatch(line) is not None


def _shares(
    evidence: Sequence[Evidence], max_chars: int, evidence_share: float
) -> tuple[tuple[Evidence, ...], int]:
    """The evidence that comes before the graph's lines, and how many characters it leaves them,
    line ends included.
    """
    shown = evidence_that_fits(evidence, int(max_chars * evidence_share))
    return shown, max_chars - LEFT_OUT_CHARS - sum(len(line_of(e)) + 1 for e in shown)


# ------------------------------------------------------------------------------------ graph's lines


@dataclass(frozen=True, slots=True)
class RelationLine:
    """A relation's line: its index in the graph, the local nodes of its ends, the node that it
    stands under (the later end).
    """

    relation: int
    head: int
    tail: int
    under: int
    score: float
    weight: float
    is_tree: bool


@dataclass(frozen=True, slots=True)
class NodeLine:
    """A node's line; `weight` breaks ties between equal scores."""

    node: int
    score: float
    weight: float


class GraphLines:
    """The lines of a subgraph's nodes and relations, each made when it is needed, whichever of them
    are written in the end.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        subgraph: Subgraph,
        scores: PruneScores,
        similarities: Similarities | None = None,
        max_summaries: int = MAX_SUMMARIES,
    ) -> None:
        """`similarities`: of summaries with the question; None takes the first. `max_summaries`: of
        each line.
        """
        self._snapshot, self._subgraph, self._similarities = snapshot, subgraph, similarities
        self._max_summaries = max_summaries
        self._node_scores: list[float] = scores.nodes.tolist()
        self._edge_scores: list[float] = scores.edges.tolist()
        self._node_bodies: dict[int, str] = {}
        self._relation_bodies: dict[int, tuple[str, str]] = {}
        self._names: dict[int, tuple[str, ...]] = {}
        self._is_cited: dict[tuple[str, Evidence, int], bool] = {}

    def node(self, node: int) -> NodeLine:
        """The line of a local node."""
        entity = self._snapshot.graph.entities[self._subgraph.nodes[node]]
        return NodeLine(node, self._node_scores[node], entity.weight)

    def relations(self, pair: int, under: int, is_tree: bool) -> list[RelationLine]:
        """The lines of a pair's relations; they stand under one of its two nodes."""
        a, b = self._subgraph.pairs[pair].tolist()
        graph, score = self._snapshot.graph, self._edge_scores[pair]
        lines = []
        for index in self._subgraph.pair_relations[pair]:
            relation = graph.relations[index]
            is_from_a = graph.entities[self._subgraph.nodes[a]].id == relation.head
            head, tail = (a, b) if is_from_a else (b, a)
            lines.append(RelationLine(index, head, tail, under, score, relation.weight, is_tree))
        return lines

    def node_text(self, node: int, number: str, evidence: Sequence[Evidence]) -> str:
        """A node's line, with the labels of the evidence of its passages that names it, or that it
        speaks.
        """
        if node not in self._node_bodies:
            entity = self._snapshot.graph.entities[self._subgraph.nodes[node]]
            self._node_bodies[node] = self._node_body(node, self._summary(entity.summaries))
        labels = _labels(e for e in evidence if self._names_node(e, node))
        return f"{_indent(number)}[{number}] {self._node_bodies[node]}{labels}"

    def relation_text(
        self, line: RelationLine, numbers: Mapping[int, str], evidence: Sequence[Evidence]
    ) -> str:
        """A relation's line, with the labels of the evidence that holds one of its quotes; the
        arrow is the stored direction. `numbers`: of the nodes that it names.
        """
        if line.relation not in self._relation_bodies:
            relation = self._snapshot.graph.relations[line.relation]
            self._relation_bodies[line.relation] = (
                f"--{as_json(relation.label)}-->",
                f"({line.score:.2f}){self._summary(relation.summaries)}",
            )
        arrow, rest = self._relation_bodies[line.relation]
        labels = _labels(e for e in evidence if self._holds_quote(e, line.relation))
        return (
            f"{_indent(numbers[line.under])}  {'-' if line.is_tree else '='}"
            f" [{numbers[line.head]}] {arrow} [{numbers[line.tail]}] {rest}{labels}"
        )

    def drop_summaries(self, node: int) -> None:
        """Leaves the node's line its name and score alone."""
        self._node_bodies[node] = self._node_body(node, "")

    def _node_body(self, node: int, summary: str) -> str:
        """A node's line without its number."""
        name = self._snapshot.graph.entities[self._subgraph.nodes[node]].name
        return f"{as_json(name)} ({self._node_scores[node]:.2f}){summary}"

    def _summary(self, summaries: Sequence[str]) -> str:
        """The nearest in their given order; two are cut to 60 words each. Equally near: the
        earlier.
        """
        similarities: Sequence[float] = [0.0] * len(summaries)
        if self._similarities and len(summaries) > self._max_summaries:
            similarities = self._similarities(summaries)
        nearest = sorted(range(len(summaries)), key=lambda i: (-similarities[i], i))
        shown = []
        for i in sorted(nearest[: self._max_summaries]):
            words = summaries[i].split()
            is_whole = len(words) <= MAX_SUMMARY_WORDS or self._max_summaries > MAX_SUMMARIES
            shown.append(summaries[i] if is_whole else f"{' '.join(words[:MAX_SUMMARY_WORDS])} …")
        text = join_summaries(shown)
        return f": {text}" if text else ""

    def _names_node(self, item: Evidence, node: int) -> bool:
        key = ("node", item, node)
        if key not in self._is_cited:
            graph, index = self._snapshot.graph, self._subgraph.nodes[node]
            if node not in self._names:
                entity = graph.entities[index]
                self._names[node] = tuple(
                    name.casefold() for name in {entity.name, *entity.aliases, *entity.keys}
                )
            words = f"{item.speaker or ''}\n{item.quote}".casefold()
            self._is_cited[key] = item.id in graph.entity_passages[index] and any(
                name in words for name in self._names[node]
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


def join_summaries(summaries: Sequence[str]) -> str:
    """All summaries on one line, unambiguously."""

    def escaped(match: re.Match[str]) -> str:
        char = match.group()
        return f"\\{char}" if char in "\\|[" else f"\\u{ord(char):04x}"

    lines = [one_line(summary) for summary in summaries]
    return SUMMARY_JOIN.join(_IN_SUMMARY.sub(escaped, line) for line in lines if line)


def _indent(number: str) -> str:
    return "  " * number.count(".")


def _labels(evidence: Iterable[Evidence]) -> str:
    marks = "".join(f"[{e.label}]" for e in evidence)
    return f" {marks}" if marks else ""


# -------------------------------------------------------------------------- what is written and cut


class _GraphText:
    """The nodes and relations of a walk that are written. Cutting takes from them; writing numbers
    those that are left.
    """

    def __init__(self, lines: GraphLines, subgraph: Subgraph, walk: Walk) -> None:
        self.lines, self._walk = lines, walk
        pre_order, stack = list[int](), [walk.order[0]]
        while stack:
            node = stack.pop()
            pre_order.append(node)
            stack.extend(reversed(walk.children.get(node, ())))
        self._nodes = [lines.node(node) for node in pre_order]
        # relations by the node they stand under; there tree lines first, then by the other end,
        # then the heavier first
        place = {node: i for i, node in enumerate(pre_order)}
        found: list[tuple[tuple[int, bool, int, float, int], RelationLine]] = []
        for pair, (a, b) in enumerate(subgraph.pairs.tolist()):
            if a not in place or b not in place:
                continue
            other, under = sorted((a, b), key=place.__getitem__)
            is_tree = walk.parent[a] == b or walk.parent[b] == a
            for line in lines.relations(pair, under, is_tree):
                key = (place[under], not is_tree, place[other], -line.weight, line.relation)
                found.append((key, line))
        self._relations = [line for _, line in sorted(found, key=lambda keyed: keyed[0])]

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

    def prompt(self, evidence: Sequence[Evidence], num_lines_cut: int) -> HardPrompt:
        """The text as it stands now."""
        lines = self.text_lines(evidence) + [line_of(item) for item in evidence]
        if num_lines_cut or self._walk.num_unvisited:
            lines.append(_LEFT_OUT.format(num_lines_cut, self._walk.num_unvisited))
        return HardPrompt(
            "\n".join(lines),
            tuple(evidence),
            num_lines_cut,
            frozenset(line.node for line in self._nodes),
            frozenset(line.relation for line in self._relations),
        )

    def num_chars(self, evidence: Sequence[Evidence]) -> int:
        """Of the graph's lines, with their ends."""
        return sum(len(line) + 1 for line in self.text_lines(evidence))

    def text_lines(self, evidence: Sequence[Evidence]) -> list[str]:
        """The graph's lines in their order."""
        node_texts, relation_texts = self._texts(evidence)
        under: dict[int, list[str]] = {line.node: [node_texts[line.node]] for line in self._nodes}
        for line, text in zip(self._relations, relation_texts, strict=True):
            under[line.under].append(text)
        return [text for texts in under.values() for text in texts]

    def _texts(self, evidence: Sequence[Evidence]) -> tuple[dict[int, str], list[str]]:
        """(node -> its line, the relation lines)."""
        numbers: dict[int, str] = {}
        num_children: dict[int, int] = {}
        for line in self._nodes:
            parent = self._walk.parent[line.node]
            num_children[parent] = num_children.get(parent, 0) + 1
            numbers[line.node] = f"{numbers[parent]}.{num_children[parent]}" if parent >= 0 else "1"
        nodes = {
            node: self.lines.node_text(node, number, evidence) for node, number in numbers.items()
        }
        return nodes, [
            self.lines.relation_text(line, numbers, evidence) for line in self._relations
        ]


class LineCut:
    """Takes lines from a tree of nodes until enough characters are gone (docs/papers.md, Hard
    prompt, step 4).

    The lowest score goes first; of equals the lighter, then the later. A node goes only as a leaf,
    with every relation line that names it. The last line that ties a node to its parent goes only
    with the node. The root stays.
    """

    def __init__(
        self,
        walk: Walk,
        nodes: Sequence[NodeLine],
        relations: Sequence[RelationLine],
        node_chars: Mapping[int, int],
        relation_chars: Sequence[int],
    ) -> None:
        self._walk, self._relations = walk, relations
        self._node_chars, self._relation_chars = node_chars, relation_chars
        self._node = {line.node: line for line in nodes}
        self._position = {line.node: i for i, line in enumerate(nodes)}
        self._num_children = {line.node: len(walk.children.get(line.node, ())) for line in nodes}
        self._touching: dict[int, list[int]] = {line.node: [] for line in nodes}
        self._num_ties = dict.fromkeys(self._node, 0)
        for i, line in enumerate(relations):
            self._touching[line.head].append(i)
            self._touching[line.tail].append(i)
            self._num_ties[line.under] += line.is_tree
        self.kept_nodes = set(self._node)
        self.kept_relations = set(range(len(relations)))

    def take(self, num_chars: int) -> int:
        """Takes at least `num_chars` (line ends counted) where there is so much to take; how many
        lines went.
        """
        heap = [(line.score, line.weight, -i, 0, i) for i, line in enumerate(self._relations)]
        heap += [self._entry(node) for node in self.kept_nodes if self._is_leaf(node)]
        heapq.heapify(heap)
        num_lines = len(self.kept_nodes) + len(self.kept_relations)
        while heap and num_chars > 0:
            _, _, _, is_node, key = heapq.heappop(heap)
            if is_node:
                touching = self.kept_relations.intersection(self._touching[key])
                self.kept_relations -= touching
                self.kept_nodes.remove(key)
                num_chars -= self._node_chars[key]
                num_chars -= sum(self._relation_chars[i] for i in touching)
                parent = self._walk.parent[key]
                self._num_children[parent] -= 1
                if self._is_leaf(parent):
                    heapq.heappush(heap, self._entry(parent))
            elif key in self.kept_relations:
                line = self._relations[key]
                if line.is_tree and self._num_ties[line.under] == 1:
                    continue  # it goes with the node alone
                self._num_ties[line.under] -= line.is_tree
                self.kept_relations.remove(key)
                num_chars -= self._relation_chars[key]
        return num_lines - len(self.kept_nodes) - len(self.kept_relations)

    def _is_leaf(self, node: int) -> bool:
        return not self._num_children[node] and self._walk.parent[node] >= 0

    def _entry(self, node: int) -> tuple[float, float, int, int, int]:
        line = self._node[node]
        return (line.score, line.weight, -self._position[node], 1, node)


# --------------------------------------------------------------------------------------- walk's end


def walk_budget(
    snapshot: Snapshot,
    subgraph: Subgraph,
    scores: PruneScores,
    evidence: Sequence[Evidence],
    *,
    token_budget: int,
    similarities: Similarities | None = None,
    evidence_share: float = EVIDENCE_SHARE,
) -> "WalkBudget":
    """Takes as many nodes as `write_hard_prompt` can then write without cutting a line, under the
    same budget with the same evidence.
    """
    shown, max_chars = _shares(evidence, CHARS_PER_TOKEN * token_budget, evidence_share)
    lines = GraphLines(snapshot, subgraph, scores, similarities)
    return WalkBudget(lines, subgraph, shown, max_chars)


class WalkBudget:
    """Takes a walk's nodes until one doesn't fit with its line and those of its relations with the
    nodes taken before (docs/papers.md, DSA-BFS, step 5). Lines are those of the prompt to the
    character, since numbers follow the order of the visit.
    """

    def __init__(
        self, lines: GraphLines, subgraph: Subgraph, evidence: Sequence[Evidence], max_chars: int
    ) -> None:
        """`max_chars`: of the graph's lines, with their ends. `evidence`: the lines below them,
        which they name.
        """
        self._lines, self._evidence = lines, evidence
        self._pairs: list[list[tuple[int, int]]] = [[] for _ in subgraph.nodes]
        for pair, (a, b) in enumerate(subgraph.pairs.tolist()):
            self._pairs[a].append((b, pair))
            self._pairs[b].append((a, pair))
        self._numbers: dict[int, str] = {}
        self._num_children: dict[int, int] = {}
        self.num_chars_left = max_chars

    def takes(self, node: int, parent: int) -> bool:
        """Whether a node is taken; `parent`: -1 for the centre."""
        place = self._num_children.get(parent, 0) + 1
        self._numbers[node] = "1" if parent < 0 else f"{self._numbers[parent]}.{place}"
        texts = [self._lines.node_text(node, self._numbers[node], self._evidence)]
        for other, pair in self._pairs[node]:
            if other in self._numbers:
                # the later in pre-order
                under = max(node, other, key=lambda n: [*map(int, self._numbers[n].split("."))])
                texts += [
                    self._lines.relation_text(line, self._numbers, self._evidence)
                    for line in self._lines.relations(pair, under, is_tree=other == parent)
                ]
        num_chars = sum(len(text) + 1 for text in texts)
        if num_chars > self.num_chars_left:
            del self._numbers[node]
            return False
        self._num_children[parent] = place
        self.num_chars_left -= num_chars
        return True
