"""Ego-graphs are prompted as a union with ranked passages: few graph lines, no room left empty, no
line in two prompts, the best clip in the first.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynagrag.config.settings import PROFILES, Profile
from dynagrag.core.ids import estimate_tokens
from dynagrag.core.schema import (
    BridgeTrace,
    Candidate,
    Graph,
    Question,
    Retrieval,
    ScoredPassage,
    ScoredTurn,
    Snapshot,
)
from dynagrag.generation.answer_prompt import AnswerPrompt
from dynagrag.generation.answer_prompts import write_prompts
from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS
from dynagrag.generation.traversal import DSABFS
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior

GRAPH = PROFILES["graph"]
NUM_LINES = 400
TURNS = (ScoredTurn("doc", 0, 0.5),)


@pytest.fixture
def crowd(
    make_graph: Callable[..., Graph], moon_snapshot: Snapshot
) -> Callable[..., list[AnswerPrompt]]:
    """The prompts over a document of so many lines, a passage each, with two ego-graphs of 60
    nodes: odd passages hold those of the second.
    """
    text = "\n".join(f"Line {i:03} says a little more about it." for i in range(NUM_LINES))
    size = len("Line 000 says a little more about it.")
    graph = make_graph(
        120,
        [(0, i, "l", 1) for i in range(1, 60)] + [(60, i, "l", 1) for i in range(61, 120)],
    )
    odd = tuple(f"p{i:03}" for i in range(1, NUM_LINES, 2))
    graph = replace(graph, entity_passages=((),) * 60 + (odd,) + ((),) * 59)
    dimension = graph.entity_vectors.shape[1]

    def made(
        num_lines: int = NUM_LINES,
        turns: tuple[ScoredTurn, ...] = TURNS,
        gate: float = 1.0,
        profile: Profile = GRAPH,
    ) -> list[AnswerPrompt]:
        passages = tuple(
            replace(
                moon_snapshot.passages[0],
                id=f"p{i:03}",
                index=i,
                start=i * (size + 1),
                end=i * (size + 1) + size,
                last_turn=0,
            )
            for i in range(num_lines)
        )
        snapshot = replace(
            moon_snapshot,
            documents={"doc": replace(moon_snapshot.documents["doc"], text=text)},
            turns={},
            passages=passages,
            passage_vectors=np.ones((num_lines, dimension), np.float32),
            graph=graph,
            records={},
            summary_rows={},
        )
        subgraphs = EgoIndex.build(graph, GRAPH).subgraphs(np.array([0, 60]), np.zeros(120))
        ranked = tuple(ScoredPassage(own, 1 - own.index / 1000) for own in passages)
        centre = Candidate("e", "Crew", 0.5, is_accepted=True, reason="")
        trace = BridgeTrace((), (), gate, (), ())
        found = Retrieval("by hand", ranked, subgraphs, (centre,), trace=trace, turns=turns)
        asked = Question("Who?", np.ones(dimension, np.float32))
        parts = (PassageScores(snapshot), UntrainedPrior(), DSABFS(), profile)
        return write_prompts(snapshot, asked, found, *parts)

    return made


def graph_chars(prompt: AnswerPrompt) -> int:
    return sum(len(own) + 1 for own in prompt.hard.text.splitlines() if not own.startswith("[E"))


def test_graph_lines_are_few_and_passages_fill_the_rest(
    crowd: Callable[..., list[AnswerPrompt]],
) -> None:
    first, *others = crowd()
    room = estimate_tokens(first.hard.text)
    assert [bool(own.drawn) for own in (first, *others)] == [False, True, True, False, False]
    for prompt in others[:2]:
        assert prompt.hard.num_nodes > 1
        assert graph_chars(prompt) <= 4 * room * (GRAPH.graph_share or 0) + 40
        assert room - 15 < estimate_tokens(prompt.hard.text) <= room + 10


def test_no_line_is_in_two_prompts_and_passages_of_the_ego_graph_come_first(
    crowd: Callable[..., list[AnswerPrompt]],
) -> None:
    shown = [[int(e.id[1:]) for e in prompt.hard.evidence] for prompt in crowd()[:3]]
    numbers = [number for own in shown for number in own]
    assert len(numbers) == len(set(numbers))
    first, without, with_odd = shown
    assert first == [*range(len(first))]
    assert without == [*range(len(first), len(first) + len(without))], "it holds no passage"
    assert with_odd == [n for n in range(NUM_LINES) if n % 2 and n > without[-1]][: len(with_odd)]


def test_where_the_first_prompt_holds_all_those_of_the_ego_graph_come_again(
    crowd: Callable[..., list[AnswerPrompt]],
) -> None:
    first, second = crowd(6)
    assert [e.id for e in first.hard.evidence] == [f"p{i:03}" for i in range(6)]
    assert [e.id for e in second.hard.evidence] == ["p001", "p003", "p005"]
    assert [e.label for e in second.hard.evidence] == ["E2", "E4", "E6"]


def test_where_the_graph_counts_little_prompts_hold_passages_in_their_order(
    crowd: Callable[..., list[AnswerPrompt]],
) -> None:
    prompts = crowd(gate=0.4)
    assert [bool(own.drawn) for own in prompts] == [False] * 5
    shown = [int(e.id[1:]) for prompt in prompts for e in prompt.hard.evidence]
    assert shown == [*range(len(shown))]


def test_what_a_retriever_without_turns_brings_is_prompted_as_its_paper_has_it(
    crowd: Callable[..., list[AnswerPrompt]],
) -> None:
    first, *others = crowd(turns=())
    assert len(others) == 1, "a subgraph without passages has no prompt"
    assert len({e.id for e in others[0].hard.evidence}) <= 3
    assert len(first.hard.evidence) > 10


def test_a_trained_system_reads_a_few_lines_of_its_tree_and_passages_in_one_prompt(
    crowd: Callable[..., list[AnswerPrompt]],
) -> None:
    profile = SYSTEMS["g-retriever"].profile
    (prompt,) = crowd(profile=profile)
    room = estimate_tokens(prompt.hard.text)
    assert prompt.hard.num_nodes > 1
    assert graph_chars(prompt) <= 4 * room * 0.15 + 40
    shown = [e.id for e in prompt.hard.evidence]
    assert shown == [f"p{i:03}" for i in range(len(shown))], "the best passages, each once"
    (alone,) = crowd(profile=profile, gate=0.4)
    assert alone.drawn is None
    assert [e.id for e in alone.hard.evidence][: len(shown)] == shown
    three = crowd(profile=SYSTEMS["grag"].profile)
    assert [bool(own.drawn) for own in three] == [True, True, False]
    labels = [e.label for own in three for e in own.hard.evidence]
    assert len(labels) == len(set(labels))
