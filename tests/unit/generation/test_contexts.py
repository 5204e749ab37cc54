"""The prompts of a question: their budget has room for the question, and their summaries are those nearest to it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynagrag.generation.context import Context, build_contexts
from dynagrag.generation.evidence import speaker_spans
from dynagrag.generation.hard_prompt import LEFT_OUT_CHARS, write_evidence_prompt
from dynagrag.generation.reply_types import IntermediateReply
from dynagrag.generation.traversal import BFS
from dynagrag.models.metered_chat import prompt_tokens
from dynagrag.prompts import render
from dynagrag.protocols import Prompt
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.prune import UntrainedPrior
from dynagrag.schema import Evidence, Question, Retrieval, ScoredPassage, Snapshot
from dynagrag.settings import PROFILES

VECTOR = np.array([1, 0, 0, 0], np.float32)


@pytest.fixture
def contexts() -> Callable[..., list[Context]]:
    """The prompts of the paper's profile with so many tokens."""

    def made(snapshot: Snapshot, question: str, retrieval: Retrieval, num_tokens: int = 1500) -> list[Context]:
        profile = replace(PROFILES["paper"], subgraph_token_budget=num_tokens, num_subgraphs=1)
        parts = (PassageScores(snapshot), UntrainedPrior(), BFS(), profile)
        return build_contexts(snapshot, Question(question, VECTOR), retrieval, *parts)

    return made


def whole_request(question: str, context: Context) -> int:
    system, user = render("intermediate", question=question, context=context.prompt.text)
    return prompt_tokens(Prompt("intermediate", system, user), IntermediateReply)


def long_document(snapshot: Snapshot) -> tuple[Snapshot, Retrieval]:
    """One passage a line; each line is ranked."""
    text = "\n".join(f"Line {i:03} says a little more." for i in range(200))
    size = len("Line 000 says a little more.")
    passages = tuple(
        replace(snapshot.passages[0], id=f"p{i:03}", index=i, start=i * (size + 1), end=i * (size + 1) + size, last_turn=0)
        for i in range(200)
    )
    document = replace(snapshot.documents["doc"], text=text)
    made = replace(snapshot, documents={"doc": document}, turns={}, passages=passages, passage_vectors=np.zeros((200, 4), np.float32))
    return made, Retrieval("by hand", tuple(ScoredPassage(passage, 1.0) for passage in passages))


def test_a_long_question_takes_its_room_from_the_evidence(contexts: Callable[..., list[Context]], moon_snapshot: Snapshot) -> None:
    snapshot, retrieval = long_document(moon_snapshot)
    numbers = []
    for question in ("Why?", "Why, " * 200 + "why?"):
        (context,) = contexts(snapshot, question, retrieval, num_tokens=1000)
        assert 980 < whole_request(question, context) <= 1000
        numbers.append(len(context.prompt.evidence))
    assert numbers[0] > numbers[1] + 20


def test_a_node_is_told_by_the_summaries_nearest_to_the_question(contexts: Callable[..., list[Context]], moon_snapshot: Snapshot) -> None:
    crew, *others = moon_snapshot.graph.entities
    summaries = ("it is far", "it is near", "a person wrote this", "it is nearer")
    graph = replace(moon_snapshot.graph, entities=(replace(crew, summaries=summaries), *others))
    vectors = np.array([[0.9, 0, 0.1, 0], [-0.5, 0.8, 0, 0], [0.6, 0.8, 0, 0]], np.float32)
    rows = {"it is nearer": 0, "it is far": 1, "it is near": 2}
    snapshot = replace(moon_snapshot, graph=graph, summary_rows=rows, summary_vectors=vectors)
    (subgraph,) = EgoIndex.build(graph, PROFILES["paper"]).subgraphs(np.array([0]), np.zeros(3))
    (context,) = contexts(snapshot, "Who lands?", Retrieval("by hand", (), (subgraph,)))
    assert context.prompt.text.splitlines()[0].partition(": ")[2].partition(" [E")[0] == "it is near | it is nearer"


def test_a_passage_of_a_document_without_turns_is_one_span(moon_snapshot: Snapshot) -> None:
    passage = moon_snapshot.passages[0]
    assert speaker_spans(replace(moon_snapshot, turns={}), passage) == [("p0", "doc", passage.start, passage.end)]


def test_a_line_is_shown_while_it_fits_with_its_end_and_the_words_on_what_is_left_out() -> None:
    first = Evidence("E1", "p", "d", 0, 9, "one two three")
    size = len('[E1] "one two three"\n')
    for length in range(40, 60):
        second, third = (Evidence(label, "p", "d", 0, 9, "x" * length) for label in ("E2", "E3"))
        for budget in range(15, 40):
            prompt = write_evidence_prompt([first, second, third], budget)
            room = 4 * budget - LEFT_OUT_CHARS - size
            assert len(prompt.evidence) == 1 + min(2, max(0, room) // (length + len('[E2] ""\n'))), (length, budget)
