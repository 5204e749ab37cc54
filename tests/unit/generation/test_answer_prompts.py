"""The prompts of a question: their budget has room for the question, and their summaries are those
nearest to it.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynagrag.config.settings import PROFILES
from dynagrag.core.ids import estimate_tokens
from dynagrag.core.protocols import Prompt
from dynagrag.core.schema import (
    Evidence,
    Graph,
    Question,
    Retrieval,
    ScoredPassage,
    Snapshot,
    Subgraph,
)
from dynagrag.generation.answer_prompt import AnswerPrompt, all_evidence
from dynagrag.generation.answer_prompts import passages_that_fit, write_prompts
from dynagrag.generation.evidence import speaker_spans
from dynagrag.generation.hard_prompt import LEFT_OUT_CHARS, write_evidence_prompt
from dynagrag.generation.reply_types import IntermediateReply
from dynagrag.generation.traversal import BFS, DSABFS
from dynagrag.models.metered_chat import prompt_tokens
from dynagrag.prompts import render
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior

VECTOR = np.array([1, 0, 0, 0], np.float32)


@pytest.fixture
def prompts() -> Callable[..., list[AnswerPrompt]]:
    """The prompts of the paper's profile with so many tokens."""

    def made(
        snapshot: Snapshot,
        question: str,
        retrieval: Retrieval,
        num_tokens: int = 1500,
        **changes: bool,
    ) -> list[AnswerPrompt]:
        profile = replace(PROFILES["paper"], subgraph_token_budget=num_tokens, num_subgraphs=1)
        profile = replace(profile, **changes)  # type: ignore[arg-type]
        parts = (PassageScores(snapshot), UntrainedPrior(), BFS(), profile)
        return write_prompts(snapshot, Question(question, VECTOR), retrieval, *parts)

    return made


def whole_request(question: str, prompt: AnswerPrompt) -> int:
    system, user = render("intermediate", question=question, note="", context=prompt.hard.text)
    return prompt_tokens(Prompt("intermediate", system, user), IntermediateReply)


def long_document(snapshot: Snapshot) -> tuple[Snapshot, Retrieval]:
    """One passage a line; each line is ranked."""
    text = "\n".join(f"Line {i:03} says a little more." for i in range(200))
    size = len("Line 000 says a little more.")
    passages = tuple(
        replace(
            snapshot.passages[0],
            id=f"p{i:03}",
            index=i,
            start=i * (size + 1),
            end=i * (size + 1) + size,
            last_turn=0,
        )
        for i in range(200)
    )
    document = replace(snapshot.documents["doc"], text=text)
    made = replace(
        snapshot,
        documents={"doc": document},
        turns={},
        passages=passages,
        passage_vectors=np.zeros((200, 4), np.float32),
    )
    return made, Retrieval("by hand", tuple(ScoredPassage(passage, 1.0) for passage in passages))


def test_a_long_question_takes_its_room_from_the_evidence(
    prompts: Callable[..., list[AnswerPrompt]], moon_snapshot: Snapshot
) -> None:
    snapshot, retrieval = long_document(moon_snapshot)
    numbers = []
    for question in ("Why?", "Why, " * 200 + "why?"):
        (prompt,) = prompts(snapshot, question, retrieval, num_tokens=1000)
        assert 980 < whole_request(question, prompt) <= 1000
        numbers.append(len(prompt.hard.evidence))
    assert numbers[0] > numbers[1] + 20


@pytest.mark.parametrize(
    ("profile", "num_subgraphs", "share"),
    [("default", 1, 4), ("default", 3, 2), ("default", 9, 1), ("graph", 1, 1)],
)
def test_passages_have_the_room_that_subgraphs_leave_where_they_would_have_all(
    moon_snapshot: Snapshot, profile: str, num_subgraphs: int, share: int
) -> None:
    snapshot, ranked = long_document(moon_snapshot)
    (subgraph,) = EgoIndex.build(moon_snapshot.graph, PROFILES["paper"]).subgraphs(
        np.array([0]), np.zeros(3)
    )
    retrieval = replace(ranked, subgraphs=(subgraph,) * num_subgraphs)
    parts = (PassageScores(snapshot), UntrainedPrior(), BFS(), PROFILES[profile])
    passages = write_prompts(snapshot, Question("Why?", VECTOR), retrieval, *parts)[0]
    room = PROFILES[profile].subgraph_token_budget - whole_request(
        "Why?", replace(passages, hard=replace(passages.hard, text=""))
    )
    assert 0.8 * share * room < estimate_tokens(passages.hard.text) <= share * room


def test_a_node_is_told_by_the_summaries_nearest_to_the_question(
    prompts: Callable[..., list[AnswerPrompt]], moon_snapshot: Snapshot
) -> None:
    crew, *others = moon_snapshot.graph.entities
    summaries = ("it is far", "it is near", "a person wrote this", "it is nearer")
    graph = replace(moon_snapshot.graph, entities=(replace(crew, summaries=summaries), *others))
    vectors = np.array([[0.9, 0, 0.1, 0], [-0.5, 0.8, 0, 0], [0.6, 0.8, 0, 0]], np.float32)
    rows = {"it is nearer": 0, "it is far": 1, "it is near": 2}
    snapshot = replace(moon_snapshot, graph=graph, summary_rows=rows, summary_vectors=vectors)
    (subgraph,) = EgoIndex.build(graph, PROFILES["paper"]).subgraphs(np.array([0]), np.zeros(3))
    found = Retrieval("by hand", (), (subgraph,))
    (prompt,) = prompts(snapshot, "Who lands?", found, has_all_summaries=False)
    assert (
        prompt.hard.text.splitlines()[0].partition(": ")[2].partition(" [E")[0]
        == "it is near | it is nearer"
    )


def test_a_passage_of_a_document_without_turns_is_one_span(moon_snapshot: Snapshot) -> None:
    passage = moon_snapshot.passages[0]
    assert speaker_spans(replace(moon_snapshot, turns={}), passage) == [
        ("p0", "doc", passage.start, passage.end)
    ]


def test_a_line_is_shown_while_it_fits_with_its_end_and_the_words_on_what_is_left_out() -> None:
    first = Evidence("E1", "p", "d", 0, 9, "one two three")
    size = len('[E1] "one two three"\n')
    for length in range(40, 60):
        second, third = (Evidence(label, "p", "d", 0, 9, "x" * length) for label in ("E2", "E3"))
        for budget in range(15, 40):
            prompt = write_evidence_prompt([first, second, third], budget)
            room = 4 * budget - LEFT_OUT_CHARS - size
            assert len(prompt.evidence) == 1 + min(
                2, max(0, room) // (length + len('[E2] ""\n'))
            ), (length, budget)


def test_a_prompt_tells_the_trace_what_is_in_it(
    prompts: Callable[..., list[AnswerPrompt]], moon_snapshot: Snapshot
) -> None:
    (subgraph,) = EgoIndex.build(moon_snapshot.graph, PROFILES["paper"]).subgraphs(
        np.array([0]), np.zeros(3)
    )
    retrieval = Retrieval("by hand", (), (replace(subgraph, score=0.123456),))
    (prompt,) = prompts(moon_snapshot, "Who lands?", retrieval)
    trace = prompt.trace()
    assert (trace.centre, trace.score, trace.walked, trace.num_unvisited) == (
        "Crew",
        0.1235,
        ("Crew", "Houston", "Moon"),
        0,
    )
    assert (trace.text, trace.num_tokens) == (
        prompt.hard.text,
        estimate_tokens(prompt.hard.text),
    )
    assert (trace.labels, trace.evidence_ids) == (("E1", "E2", "E3"), ("p0", "p0", "p1"))
    assert (trace.num_nodes_in, trace.num_relations_in, trace.num_lines_cut) == (3, 2, 0)
    assert (trace.pruner, trace.subgraph) == (prompt.pruner, prompt.drawn)
    assert trace.pruner != "none"
    assert trace.subgraph is not None
    assert [node.name for node in trace.subgraph.nodes] == ["Crew", "Houston", "Moon"]
    assert list(all_evidence([prompt])) == ["E1", "E2", "E3"]


@pytest.mark.parametrize("ranking", ["bridge", "first"])
def test_ranked_passages_have_a_prompt_of_their_own_and_first(
    moon_snapshot: Snapshot, ranking: str
) -> None:
    (subgraph,) = EgoIndex.build(moon_snapshot.graph, PROFILES["paper"]).subgraphs(
        np.array([0]), np.zeros(3)
    )
    ranked = (
        ScoredPassage(moon_snapshot.passages[1], 0.9),
        ScoredPassage(moon_snapshot.passages[0], 0.5),
    )
    profile = replace(PROFILES["paper"], passage_ranking=ranking)
    retrieval = Retrieval("by hand", ranked, (subgraph,))
    made = write_prompts(
        moon_snapshot,
        Question("Who?", VECTOR),
        retrieval,
        PassageScores(moon_snapshot),
        UntrainedPrior(),
        BFS(),
        profile,
    )
    if ranking != "bridge":
        assert [prompt.centre for prompt in made] == ["Crew"]
        return
    assert [(prompt.centre, [e.id for e in prompt.hard.evidence]) for prompt in made] == [
        ("by hand", ["p0", "p0", "p1"]),
        ("Crew", ["p1", "p0", "p0"]),
    ]
    labels = [[e.label for e in prompt.hard.evidence] for prompt in made]
    assert labels == [["E1", "E2", "E3"], ["E3", "E1", "E2"]], "the same words, the same label"
    assert made[0].score == 0.5
    assert [*all_evidence(made)] == ["E1", "E2", "E3"]


def test_a_subgraph_s_prompt_keeps_to_its_budget(
    prompts: Callable[..., list[AnswerPrompt]], moon_snapshot: Snapshot
) -> None:
    (subgraph,) = EgoIndex.build(moon_snapshot.graph, PROFILES["paper"]).subgraphs(
        np.array([0]), np.zeros(3)
    )
    (whole,) = prompts(moon_snapshot, "Who lands?", Retrieval("by hand", (), (subgraph,)))
    room = whole_request("Who lands?", whole) - 10
    (cut,) = prompts(moon_snapshot, "Who lands?", Retrieval("by hand", (), (subgraph,)), room)
    assert whole_request("Who lands?", cut) <= room
    assert cut.trace().num_lines_cut > 0


def crowd(
    make_graph: Callable[..., Graph], snapshot: Snapshot, size: int
) -> tuple[Snapshot, Subgraph]:
    """One node with many around it; the passages hold the last one."""
    graph = make_graph(size, [(0, i, "l", 1) for i in range(1, size)])
    graph = replace(graph, entity_passages=((),) * (size - 1) + (("p0", "p1"),))
    made = replace(snapshot, graph=graph, records={}, summary_rows={})
    (subgraph,) = EgoIndex.build(graph, PROFILES["graph"]).subgraphs(np.array([0]), np.zeros(size))
    return made, subgraph


def test_a_walk_fills_the_prompt_and_under_the_paper_s_profile_visits_all_nodes_that_are_then_cut(
    make_graph: Callable[..., Graph], moon_snapshot: Snapshot
) -> None:
    snapshot, subgraph = crowd(make_graph, moon_snapshot, 90)
    question, retrieval = (
        Question("Who?", np.ones(snapshot.graph.entity_vectors.shape[1], np.float32)),
        Retrieval("by hand", (), (subgraph,)),
    )
    made = {}
    for name in ("graph", "paper"):
        profile = replace(PROFILES[name], subgraph_token_budget=750)
        passages = PassageScores(
            replace(snapshot, passage_vectors=np.ones((2, len(question.vector)), np.float32))
        )
        made[name] = write_prompts(
            snapshot, question, retrieval, passages, UntrainedPrior(), DSABFS(), profile
        )
    (filled,) = made["graph"]
    trace = filled.trace()
    assert len(trace.walked) == trace.num_nodes_in > 5
    assert (trace.num_lines_cut, trace.num_unvisited) == (0, 90 - trace.num_nodes_in)
    assert 740 < whole_request("Who?", filled) <= 750
    assert {e.id for e in filled.hard.evidence} == {"p0", "p1"}, (
        "evidence of a member that had no room"
    )
    (cut,) = made["paper"]
    assert len(cut.order) == 90 > cut.hard.num_nodes
    assert cut.num_unvisited == 0
    assert 740 < whole_request("Who?", cut) <= 750
    assert cut.hard.num_lines_cut > 0


def test_as_many_passages_as_fit_whole_and_one_in_any_case(moon_snapshot: Snapshot) -> None:
    snapshot, retrieval = long_document(moon_snapshot)
    size = len('[E1] "Line 000 says a little more."') + 6
    for num in (1, 2, 5):
        budget = -(-(num * size + LEFT_OUT_CHARS) // 4)
        assert len(passages_that_fit(snapshot, retrieval.passages, budget)) == num
        assert len(passages_that_fit(snapshot, retrieval.passages, budget - 1)) == max(1, num - 1)
    assert passages_that_fit(snapshot, (), 100) == []
    assert prompts_of(snapshot, ()) == []


def prompts_of(snapshot: Snapshot, passages: tuple[ScoredPassage, ...]) -> list[AnswerPrompt]:
    parts = (PassageScores(snapshot), UntrainedPrior(), BFS(), PROFILES["paper"])
    return write_prompts(snapshot, Question("Why?", VECTOR), Retrieval("by hand", passages), *parts)


def test_plain_passages_are_one_prompt_with_the_first_one_s_score(moon_snapshot: Snapshot) -> None:
    ranked = (
        ScoredPassage(moon_snapshot.passages[1], 0.9),
        ScoredPassage(moon_snapshot.passages[0], 0.5),
    )
    (prompt,) = prompts_of(moon_snapshot, ranked)
    assert (prompt.centre, prompt.score, prompt.order, prompt.drawn) == (
        "by hand",
        0.9,
        (),
        None,
    )
    assert [e.id for e in prompt.hard.evidence] == ["p1", "p0", "p0"]
