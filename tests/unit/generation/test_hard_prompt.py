"""The hard prompt: writing loses nothing, whatever the names; a cut leaves nothing dangling;
evidence is the documents' own words.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hard_prompt_parser import ParsedPrompt, parse_hard_prompt, split_summaries
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dynagrag.config.settings import PROFILES
from dynagrag.core.errors import DynaGragError
from dynagrag.core.ids import estimate_tokens
from dynagrag.core.schema import (
    Document,
    Entity,
    Evidence,
    Graph,
    HardPrompt,
    PruneScores,
    Question,
    Relation,
    RelationRecord,
    ScoredPassage,
    Snapshot,
    Subgraph,
    Turn,
    Walk,
)
from dynagrag.core.text import clock, seconds_of
from dynagrag.generation.evidence import (
    QuestionEvidence,
    evidence_line,
    one_line,
    passage_evidence,
    shortened,
    span_evidence,
    speaker_spans,
    turn_begun_by,
)
from dynagrag.generation.hard_prompt import (
    MAX_SUMMARIES,
    join_summaries,
    walk_budget,
    write_evidence_prompt,
    write_hard_prompt,
)
from dynagrag.generation.traversal import BFS, DSABFS, first_nodes
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.passages import PassageScores

HOSTILE = [
    '" (0.99): x',
    "a\nb",
    "[E1]",
    "x [E3]",
    "[ e2 ]",
    "\\[E1]",
    "a\\",
    "a | b",
    "|",
    "]--> [1.1]",
    "\u2028\u2029\x85",
    "\x1b[0m",
    "  ",
    "é",
    "[1.2]",
]
pieces = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=12))
texts = st.lists(pieces, max_size=3).map(" ".join)
names = texts.map(lambda text: text or "x")


def ego_graph(graph: Graph, centre: int) -> Subgraph:
    return EgoIndex.build(graph, PROFILES["graph"]).subgraphs(
        np.array([centre]), np.zeros(len(graph.entities))
    )[0]


@st.composite
def written(
    draw: st.DrawFn, max_summaries: int = 3
) -> tuple[Snapshot, Subgraph, Walk, PruneScores, tuple[Evidence, ...]]:
    """A random connected or unconnected subgraph with hostile texts, its walk, scores, and evidence
    for some records.
    """
    n = draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    summaries = st.lists(texts, max_size=max_summaries).map(tuple)
    entities = tuple(
        Entity(
            f"e{i}", f"e{i}", draw(names), "", (), (), "t", int(rng.integers(4)), draw(summaries)
        )
        for i in range(n)
    )
    text = draw(names) * 3
    relations, records = [], {}
    for j, (a, b) in enumerate(rng.integers(0, n, (draw(st.integers(0, 12)), 2)).tolist()):
        if a != b:
            start = int(rng.integers(0, len(text)))
            record = RelationRecord(
                f"r{j}",
                "d",
                0,
                9,
                "p",
                "",
                "",
                "",
                "",
                start,
                int(rng.integers(start, len(text))) + 1,
                0,
                "x",
            )
            records[record.id] = record
            relations.append(
                Relation(
                    f"l{j:02}",
                    f"e{a}",
                    f"e{b}",
                    draw(names),
                    1 + j % 2,
                    1,
                    draw(summaries),
                    (record.id,),
                )
            )
    vectors = rng.normal(size=(n, 3)).astype(np.float32)
    graph = Graph(
        entities,
        tuple(relations),
        vectors,
        rng.normal(size=(len(relations), 3)).astype(np.float32),
        ((),) * n,
    )
    snapshot = Snapshot(
        "w",
        "1",
        {"d": Document("d", "w", "t", "", "", text)},
        {},
        (),
        np.zeros((0, 3), np.float32),
        records,
        graph,
    )
    subgraph = ego_graph(graph, 0)
    spread = draw(st.sampled_from([0, 1]))  # 0: all alike, which a pruner may give
    nodes, edges = (
        spread * rng.random(len(part)) + (1 - spread) * draw(st.sampled_from([0, 0.5, 1]))
        for part in (subgraph.nodes, subgraph.pairs)
    )
    scores = PruneScores(
        nodes.astype(np.float32), edges.astype(np.float32), "test", is_trained=False
    )
    walk = draw(st.sampled_from([BFS(), DSABFS()])).walk(
        subgraph, vectors[0], scores, first_nodes(draw(st.integers(1, 8)))
    )
    speaker, start_s = draw(st.none() | names), draw(st.none() | st.floats(-9999, 999999))
    cited = [r for r in records.values() if rng.random() < 0.5]
    evidence = tuple(
        Evidence(
            f"E{i + 4}",
            r.id,
            "d",
            r.quote_start,
            r.quote_end,
            text[r.quote_start : r.quote_end],
            speaker,
            start_s,
        )
        for i, r in enumerate(cited)
    )
    return snapshot, subgraph, walk, scores, evidence


def lines_of(summaries: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one_line(s) for s in summaries if one_line(s))


def shown(score: float) -> float:
    return float(f"{score:.2f}")


@given(written(max_summaries=MAX_SUMMARIES))
@settings(max_examples=150, deadline=None)
def test_a_prompt_without_a_budget_loses_nothing(
    case: tuple[Snapshot, Subgraph, Walk, PruneScores, tuple[Evidence, ...]],
) -> None:
    snapshot, subgraph, walk, scores, evidence = case
    graph = snapshot.graph
    prompt = write_hard_prompt(snapshot, subgraph, walk, scores, evidence)
    parsed = parse_hard_prompt(prompt.text)
    visited = [graph.entities[subgraph.nodes[v]] for v in walk.order]
    assert Counter((n.name, n.score, n.summaries) for n in parsed.nodes) == Counter(
        (entity.name, shown(scores.nodes[v]), lines_of(entity.summaries))
        for v, entity in zip(walk.order, visited, strict=True)
    )
    # numbers stand for nodes: the tree they spell is the walk's
    node_of = {"1": 0}
    for parsed_node in parsed.nodes[1:]:
        parent, _, child = parsed_node.number.rpartition(".")
        node_of[parsed_node.number] = walk.children[node_of[parent]][int(child) - 1]
    assert [n.name for n in parsed.nodes] == [
        graph.entities[subgraph.nodes[node_of[n.number]]].name for n in parsed.nodes
    ]
    entity_of = {number: graph.entities[subgraph.nodes[v]].id for number, v in node_of.items()}
    labels = {
        i: tuple(
            e.label
            for e in evidence
            if any(
                e.start <= snapshot.records[r].quote_start
                and snapshot.records[r].quote_end <= e.end
                for r in graph.relations[i].record_ids
            )
        )
        for i in range(len(graph.relations))
    }
    expected = Counter()
    for (a, b), found, score in zip(
        subgraph.pairs.tolist(), subgraph.pair_relations, scores.edges.tolist(), strict=True
    ):
        if a in walk.parent and b in walk.parent:
            is_tree = walk.parent[a] == b or walk.parent[b] == a
            for i in found:
                r = graph.relations[i]
                expected[
                    r.head, r.label, r.tail, shown(score), lines_of(r.summaries), labels[i], is_tree
                ] += 1
    got = Counter(
        (entity_of[r.head], r.label, entity_of[r.tail], r.score, r.summaries, r.evidence, r.is_tree)
        for r in parsed.relations
    )
    assert got == expected
    assert [(e.label, e.speaker, e.start_s, e.quote) for e in parsed.evidence] == [
        (
            e.label,
            e.speaker or None,
            None if e.start_s is None else int(np.floor(e.start_s)),
            e.quote,
        )
        for e in evidence
    ]
    assert (parsed.num_lines_cut, parsed.num_nodes_unvisited) == (0, walk.num_unvisited)
    assert (prompt.num_nodes, prompt.num_edges) == (len(parsed.nodes), len(parsed.relations))


@given(written(), st.integers(0, 200))
@settings(max_examples=120, deadline=None)
def test_a_cut_prompt_keeps_its_budget_its_references_and_some_evidence(
    case: tuple[Snapshot, Subgraph, Walk, PruneScores, tuple[Evidence, ...]], budget: int
) -> None:
    snapshot, subgraph, walk, scores, evidence = case
    prompt = write_hard_prompt(snapshot, subgraph, walk, scores, evidence, token_budget=budget)
    parsed = parse_hard_prompt(prompt.text)
    if len(parsed.nodes) > 1 or len(parsed.evidence) > 1:
        assert estimate_tokens(prompt.text) <= budget
    assert bool(parsed.evidence) == bool(evidence)
    assert_nothing_dangles(parsed)
    whole = parse_hard_prompt(write_hard_prompt(snapshot, subgraph, walk, scores, evidence).text)
    num_whole, num_left = (
        len(p.nodes) + len(p.relations) + len(p.evidence) for p in (whole, parsed)
    )
    assert parsed.num_lines_cut == prompt.num_lines_cut == num_whole - num_left
    for item in prompt.evidence:
        assert item.quote == snapshot.text("d", item.start, item.end)
        assert item.quote


def assert_nothing_dangles(parsed: ParsedPrompt) -> None:
    numbers = {n.number for n in parsed.nodes}
    labels = {e.label for e in parsed.evidence}
    assert all(n.number == "1" or n.number.rpartition(".")[0] in numbers for n in parsed.nodes)
    assert all(set(line.evidence) <= labels for line in (*parsed.nodes, *parsed.relations))
    tied = {r.under for r in parsed.relations if r.is_tree}
    assert numbers - {"1"} <= tied, (
        "a node that is shown says how it hangs together with its parent"
    )


@given(written(), st.integers(40, 400), st.sampled_from([BFS(), DSABFS()]))
@settings(max_examples=150, deadline=None)
def test_a_walk_goes_on_while_all_lines_fit_and_no_further(
    case: tuple[Snapshot, Subgraph, Walk, PruneScores, tuple[Evidence, ...]],
    budget: int,
    traversal: BFS | DSABFS,
) -> None:
    snapshot, subgraph, _, scores, evidence = case

    def in_prompt(
        walk: Walk, token_budget: int | None = None
    ) -> tuple[frozenset[int], frozenset[int]]:
        prompt = write_hard_prompt(
            snapshot, subgraph, walk, scores, evidence, token_budget=token_budget
        )
        return prompt.nodes, prompt.relations

    takes = walk_budget(snapshot, subgraph, scores, evidence, token_budget=budget).takes
    walk = traversal.walk(subgraph, subgraph.x[0], scores, takes)
    longer = traversal.walk(subgraph, subgraph.x[0], scores, first_nodes(len(walk.order) + 1))
    if len(walk.order) > 1:
        assert in_prompt(walk, budget) == in_prompt(walk), "nothing that was visited is cut"
    if longer.order != walk.order:
        assert in_prompt(longer, budget) != in_prompt(longer), "one node more would not have fitted"


def test_the_lowest_scores_go_first(moon_snapshot: Snapshot) -> None:
    subgraph, walk = whole_moon(moon_snapshot)
    low_moon = [
        0.1 if moon_snapshot.graph.entities[v].name == "Moon" else 0.9 for v in subgraph.nodes
    ]
    scores = PruneScores(
        np.array(low_moon, np.float32), np.array([0.5, 0.5], np.float32), "test", is_trained=False
    )
    whole = write_hard_prompt(moon_snapshot, subgraph, walk, scores, ())
    less = write_hard_prompt(
        moon_snapshot, subgraph, walk, scores, (), token_budget=estimate_tokens(whole.text) - 1
    )
    assert [n.name for n in parse_hard_prompt(less.text).nodes] == ["Crew", "Houston"]
    assert less.text.endswith("\n(left out: 2 lines, 0 nodes)")


def whole_moon(snapshot: Snapshot) -> tuple[Subgraph, Walk]:
    subgraph = ego_graph(snapshot.graph, 0)
    flat = PruneScores(np.zeros(3, np.float32), np.zeros(2, np.float32), "test", is_trained=False)
    return subgraph, BFS().walk(subgraph, np.zeros(4, np.float32), flat, first_nodes(9))


def told_of(snapshot: Snapshot, num_summaries: int, num_words: int = 8) -> Snapshot:
    """The snapshot with so many summaries of its first entity, the last nearest to `NEAREST`."""
    words = " ".join(f"w{i}" for i in range(num_words - 1))
    summaries = tuple(f"telling{i} {words}" for i in range(num_summaries))
    crew, *others = snapshot.graph.entities
    crew = replace(crew, summaries=summaries)
    graph = replace(snapshot.graph, entities=(crew, *others))
    return replace(snapshot, graph=graph)


@pytest.mark.parametrize("num_summaries", [1, 2, 3, 20])
def test_all_summaries_are_written_whole_where_there_is_room(
    moon_snapshot: Snapshot, num_summaries: int
) -> None:
    snapshot = told_of(moon_snapshot, num_summaries, num_words=90)
    subgraph, walk = whole_moon(snapshot)
    scores = PruneScores(np.ones(3, np.float32), np.ones(2, np.float32), "t", is_trained=False)
    for budget in (None, 20_000):
        prompt = write_hard_prompt(
            snapshot, subgraph, walk, scores, (), token_budget=budget, has_all_summaries=True
        )
        (crew,) = (n for n in parse_hard_prompt(prompt.text).nodes if n.name == "Crew")
        assert crew.summaries == snapshot.graph.entities[0].summaries
        assert prompt.num_lines_cut == 0
    two = write_hard_prompt(snapshot, subgraph, walk, scores, ())
    (crew,) = (n for n in parse_hard_prompt(two.text).nodes if n.name == "Crew")
    assert len(crew.summaries) == min(2, num_summaries)
    assert all(len(summary.split()) == 61 for summary in crew.summaries), "cut, and marked so"


def test_of_all_summaries_those_nearest_the_question_stay_where_every_line_then_fits(
    moon_snapshot: Snapshot,
) -> None:
    snapshot = told_of(moon_snapshot, 20)
    subgraph, walk = whole_moon(snapshot)
    scores = PruneScores(np.ones(3, np.float32), np.ones(2, np.float32), "t", is_trained=False)

    def written(budget: int) -> HardPrompt:
        return write_hard_prompt(
            snapshot,
            subgraph,
            walk,
            scores,
            (),
            token_budget=budget,
            similarities=range_of,
            has_all_summaries=True,
        )

    def range_of(summaries: Sequence[str]) -> Sequence[float]:
        return [float(summary.partition(" ")[0].removeprefix("telling")) for summary in summaries]

    numbers = []
    for budget in range(90, 320, 5):
        prompt = written(budget)
        (crew,) = (n for n in parse_hard_prompt(prompt.text).nodes if n.name == "Crew")
        assert crew.summaries == snapshot.graph.entities[0].summaries[-len(crew.summaries) :]
        assert prompt.num_lines_cut == 0
        assert estimate_tokens(prompt.text) <= budget
        numbers.append(len(crew.summaries))
    assert numbers == sorted(numbers)
    assert set(range(4, 18)) <= set(numbers), "as many as there is room for"
    assert len(parse_hard_prompt(written(40).text).nodes) < 3, "below two whole lines go"


MOON_PROMPT = """\
[1] "Crew" (0.50): the crew [E2][E3]
  [1.1] "Houston" (0.25): the houston [E2]
    - [1.1] --"guides"--> [1] (0.75): Houston guides the crew. [E2]
  [1.2] "Moon" (0.12): the moon [E3]
    - [1] --"lands on"--> [1.2] (1.00): It lands. [E3]
[E1] CDR 0:00 "Engine start. The engine burns hot."
[E2] CC 1:12 "Houston guides the crew."
[E3] "The crew lands on the Moon. All is well.\""""


def test_the_form_of_a_prompt_is_this(moon_snapshot: Snapshot) -> None:
    subgraph, walk = whole_moon(moon_snapshot)
    scores = PruneScores(
        np.array([0.5, 0.25, 0.125], np.float32),
        np.array([0.75, 1.0], np.float32),
        "test",
        is_trained=False,
    )
    question = Question("q", np.array([1, 1, 0, 0], np.float32))
    evidence = QuestionEvidence(PassageScores(moon_snapshot), question).of_subgraph(
        subgraph, walk.order
    )
    assert write_hard_prompt(moon_snapshot, subgraph, walk, scores, evidence).text == MOON_PROMPT


class TestQuestionEvidence:
    question = Question("q", np.array([0.0, 1, 0.1, 0], dtype=np.float32))

    def of(
        self,
        snapshot: Snapshot,
        ranked: Sequence[ScoredPassage] = (),
        max_passages: int = 3,
        max_quotes: int = 8,
    ) -> QuestionEvidence:
        return QuestionEvidence(
            PassageScores(snapshot), self.question, ranked, max_passages, max_quotes
        )

    def test_passages_by_cosine_then_quotes_that_no_passage_holds(
        self, moon_snapshot: Snapshot
    ) -> None:
        subgraph, walk = whole_moon(moon_snapshot)
        evidence = self.of(moon_snapshot, max_passages=1)
        evidence.show([Evidence("E2", "other", "other document", 0, 9, "elsewhere")])
        found = evidence.of_subgraph(subgraph, walk.order)
        assert [(e.label, e.id, e.speaker, e.start_s) for e in found] == [
            ("E3", "p0", "CDR", 0.5),
            ("E4", "p0", "CC", 72.9),
            ("E5", "r1", None, None),
        ]
        assert found[2].quote == "The crew lands on the Moon."
        quotes = self.of(moon_snapshot, max_passages=0, max_quotes=1).of_subgraph(
            subgraph, walk.order
        )
        assert [(e.id, e.speaker, e.start_s) for e in quotes] == [("r0", "CC", 72.9)], (
            "speaker and time are those of the quote's own turn"
        )

    def test_the_nearer_passage_comes_first_whatever_its_place(
        self, moon_snapshot: Snapshot
    ) -> None:
        subgraph, walk = whole_moon(moon_snapshot)
        for best, other in ((0, 1), (1, 0)):
            question = Question("q", moon_snapshot.passage_vectors[best])
            scores = PassageScores(moon_snapshot)
            assert scores.dense(question.vector)[best] > scores.dense(question.vector)[other]
            found = QuestionEvidence(scores, question).of_subgraph(subgraph, walk.order)
            assert list(dict.fromkeys(e.id for e in found)) == [f"p{best}", f"p{other}"]
            quotes = QuestionEvidence(scores, question, max_passages=0).of_subgraph(
                subgraph, walk.order
            )
            assert [e.id for e in quotes] == [f"r{best}", f"r{other}"], (
                "a quote is as near as its passage"
            )

    def test_the_retrievers_order_comes_first(self, moon_snapshot: Snapshot) -> None:
        subgraph, walk = whole_moon(moon_snapshot)
        ranked = [ScoredPassage(moon_snapshot.passages[1], 9.0)]
        assert [e.id for e in self.of(moon_snapshot, ranked).of_subgraph(subgraph, walk.order)] == [
            "p1",
            "p0",
            "p0",
        ]

    def test_only_what_was_visited_counts(self, moon_snapshot: Snapshot) -> None:
        flat = PruneScores(
            np.zeros(3, np.float32), np.zeros(2, np.float32), "test", is_trained=False
        )
        houston = ego_graph(moon_snapshot.graph, 1)
        alone = BFS().walk(houston, np.zeros(4, np.float32), flat, first_nodes(1))
        assert [e.id for e in self.of(moon_snapshot).of_subgraph(houston, alone.order)] == [
            "p0",
            "p0",
        ]
        assert self.of(moon_snapshot, max_passages=0).of_subgraph(houston, alone.order) == ()

    def test_what_an_earlier_subgraph_showed_is_not_shown_again_unless_nothing_else_is_left(
        self, moon_snapshot: Snapshot
    ) -> None:
        subgraph, walk = whole_moon(moon_snapshot)
        evidence = self.of(moon_snapshot)
        evidence.show(
            self.of(moon_snapshot, max_passages=1, max_quotes=0).of_subgraph(subgraph, walk.order)
        )
        second = evidence.of_subgraph(subgraph, walk.order)
        assert [(e.label, e.id) for e in second] == [("E3", "p1")]
        evidence.show(second)
        third = evidence.of_subgraph(subgraph, walk.order)
        assert [(e.label, e.id) for e in third] == [("E1", "p0"), ("E2", "p0"), ("E3", "p1")], (
            "the same words keep their label"
        )


def test_a_passage_is_cut_where_the_speaker_changes_and_short_turns_are_left_out(
    moon_snapshot: Snapshot,
) -> None:
    first, turns = moon_snapshot.passages[0], moon_snapshot.turns["doc"]
    assert [(s[2], s[3]) for s in speaker_spans(moon_snapshot, first)] == [
        (t.start, t.end) for t in turns[:2]
    ]
    one_voice = replace(
        moon_snapshot, turns={"doc": tuple(replace(t, speaker="CDR") for t in turns)}
    )
    assert [(s[2], s[3]) for s in speaker_spans(one_voice, first)] == [(first.start, first.end)]
    short = replace(first, end=turns[0].end + 8)
    assert [(s[2], s[3]) for s in speaker_spans(moon_snapshot, short)] == [
        (turns[0].start, turns[0].end)
    ]


def test_a_quote_is_cut_at_a_sentence_and_else_at_a_word(moon_snapshot: Snapshot) -> None:
    p0 = moon_snapshot.passages[0]
    whole = span_evidence(moon_snapshot, "E1", p0.id, p0.document_id, p0.start, p0.end)
    assert shortened(whole, 999) is whole
    for room, words in (
        (70, "Engine start. The engine burns hot."),
        (40, "Engine start."),
        (26, "Engine"),
    ):
        cut = shortened(whole, room)
        assert cut is not None
        assert cut.quote == words == moon_snapshot.text(cut.document_id, cut.start, cut.end)
    assert shortened(whole, 5) is None


def test_plain_arms_show_evidence_alone_within_the_budget(moon_snapshot: Snapshot) -> None:
    evidence = passage_evidence(
        moon_snapshot, [ScoredPassage(p, 1.0) for p in moon_snapshot.passages]
    )
    assert write_evidence_prompt(evidence).text == "\n".join(MOON_PROMPT.split("\n")[-3:])
    less = write_evidence_prompt(evidence, token_budget=22)
    assert [e.label for e in less.evidence] == ["E1"]
    assert less.text.endswith("(left out: 2 lines, 0 nodes)")
    assert estimate_tokens(less.text) <= 22
    assert write_evidence_prompt((), 10).text == ""


def test_a_line_keeps_the_two_nearest_summaries_in_their_order(moon_snapshot: Snapshot) -> None:
    long = " ".join(f"w{i}" for i in range(80))
    entities = (
        replace(moon_snapshot.graph.entities[0], summaries=("one", "two", long)),
        *moon_snapshot.graph.entities[1:],
    )
    snapshot = replace(moon_snapshot, graph=replace(moon_snapshot.graph, entities=entities))
    subgraph, walk = whole_moon(snapshot)
    scores = PruneScores(np.zeros(3, np.float32), np.zeros(2, np.float32), "test", is_trained=False)
    asked: list[list[str]] = []

    def nearest(found: list[str]) -> list[float]:
        asked.append(list(found))
        return [float(len(text)) if text != "one" else 4.0 for text in found]

    root = parse_hard_prompt(
        write_hard_prompt(snapshot, subgraph, walk, scores, (), similarities=nearest).text
    ).nodes[0]
    assert root.summaries == ("one", " ".join(long.split()[:60]) + " …")
    assert asked == [["one", "two", long]], "one call, for what has more than two"
    in_order = parse_hard_prompt(
        write_hard_prompt(snapshot, subgraph, walk, scores, ()).text
    ).nodes[0]
    assert in_order.summaries == ("one", "two")


def test_what_is_left_of_the_budget_goes_to_more_evidence(moon_snapshot: Snapshot) -> None:
    subgraph, walk = whole_moon(moon_snapshot)
    scores = PruneScores(np.zeros(3, np.float32), np.zeros(2, np.float32), "test", is_trained=False)
    evidence = passage_evidence(
        moon_snapshot, [ScoredPassage(p, 1.0) for p in moon_snapshot.passages]
    )
    whole = write_hard_prompt(moon_snapshot, subgraph, walk, scores, evidence)
    prompt = write_hard_prompt(
        moon_snapshot,
        subgraph,
        walk,
        scores,
        evidence,
        token_budget=estimate_tokens(whole.text) + 9,
    )
    assert prompt.text == whole.text


@pytest.mark.parametrize(
    "text",
    [
        '[1] "a" (0.50): x\nhello',
        '[1] "a" (0.50)\n  - [1] --"l"--> [1.1] (0.50)',
        '  [1] "a" (0.50)',
        '[E1] "unclosed',
        "[1] a (0.50)",
    ],
)
def test_what_has_no_form_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(DynaGragError, match=r"hard prompt, line [12]: "):
        parse_hard_prompt(text)


@given(st.lists(texts, max_size=4))
@example(["a | b", "[E3]", "ends in [E3]", "\\[E3]", "\\", "a \\| b"])
def test_summaries_survive_and_never_look_like_citations(summaries: list[str]) -> None:
    line = join_summaries(summaries)
    assert split_summaries(line) == lines_of(tuple(summaries))
    assert len(line.splitlines()) <= 1
    assert "[E3]" not in line.replace("\\[E3]", "")


@given(st.integers(-400_000, 400_000))
def test_clock_times_read_back(seconds: int) -> None:
    assert seconds_of(clock(seconds)) == seconds


def test_evidence_lines_keep_speakers_apart_from_times_and_quotes() -> None:
    assert evidence_line("E1", "CC 2", 3723.9, "Go.") == '[E1] CC 2 1:02:03 "Go."'
    assert evidence_line("E1", "12:30 show", None, "[E9]") == '[E1] "12:30 show" "\\u005bE9]"'
    assert evidence_line("E1", "", -12.5, "x") == '[E1] -0:13 "x"'


def test_the_turn_of_an_offset_is_the_last_that_starts_before_it() -> None:
    turns = (Turn("a", "d", 0, 2, 5), Turn("b", "d", 1, 6, 9))
    assert [turn_begun_by(turns, offset) for offset in (1, 2, 5, 6, 99)] == [
        None,
        turns[0],
        turns[0],
        turns[1],
        turns[1],
    ]
