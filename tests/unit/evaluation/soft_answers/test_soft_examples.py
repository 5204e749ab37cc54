"""What of a workspace's questions a soft prompt reads and learns."""

import numpy as np
import pytest

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.schema import Evidence, Question
from dynagrag.evaluation.pruning.pruning_example import Part
from dynagrag.evaluation.pruning.training_questions import TrainingQuestion
from dynagrag.evaluation.questions.made_question import Provenance
from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS, soft_example
from dynagrag.generation.soft_prompt.soft_text import TokenBudget
from dynagrag.retrieval.passages import PassageScores
from dynagrag.training.soft_prompt.soft_prompt_examples import WorkspaceSoftExamples, line_of_answer
from dynagrag.workspace.facade import open_workspace

pytestmark = pytest.mark.slow

WIDE = TokenBudget(lambda text: len(text) // 4, 768)


@pytest.mark.parametrize("method", ["g-retriever", "grag"])
def test_the_graph_token_reads_a_pair_from_head_to_tail_with_the_vector_of_its_first_relation(
    settings: Settings, method: str
) -> None:
    system = SYSTEMS[method]
    with open_workspace("w", settings=settings) as space:
        snapshot = space.current_graph.snapshot()
        passages = PassageScores(snapshot)
        retriever = wiring.make_retriever(
            system.retriever, snapshot, system.profile, passages, space.current_graph.ego_index
        )
        question = Question(
            "What does the Odyssey feed?", space.embedder.embed_query("What does the Odyssey feed?")
        )
        subgraphs = retriever.retrieve(question, 5, system.profile.num_subgraphs).subgraphs
    entities, relations = snapshot.graph.entities, snapshot.graph.relations
    read = soft_example(snapshot, question, subgraphs, "").graphs
    assert len(read) == len(subgraphs) > 0
    assert sum(np.abs(arrays.y).sum() for arrays in read) > 0
    orders = set()
    for arrays, subgraph in zip(read, subgraphs, strict=True):
        ids = [entities[node].id for node in subgraph.nodes]
        firsts = [relations[own[0]] for own in subgraph.pair_relations]
        assert [(ids[head], ids[tail]) for head, tail in arrays.ends] == [
            (first.head, first.tail) for first in firsts
        ]
        assert np.array_equal(arrays.x, subgraph.x)
        assert np.array_equal(arrays.y, subgraph.y)
        orders |= {
            tuple(ends) == tuple(pair)
            for ends, pair in zip(arrays.ends.tolist(), subgraph.pairs.tolist(), strict=True)
        }
    assert orders == {True, False}, "some pairs stand the other way round in the subgraph"


def test_what_is_learned_cites_the_line_that_states_it(settings: Settings) -> None:
    with open_workspace("w", settings=settings) as space:
        asked = WorkspaceSoftExamples(space, "g-retriever", None)
        split = asked.examples(WIDE, lambda *_: None, max_rows=12)
    rows = [row for own in split.values() for row in own]
    assert any(row.has_line for row in rows)
    for row in rows:
        answer, _, mark = row.example.label.partition(" [")
        assert row.has_line == bool(mark)
        if row.has_line:
            line = next(
                own for own in row.example.description.splitlines() if own.startswith(f"[{mark}")
            )
            assert answer.casefold() in line.casefold()


def test_the_line_is_one_of_what_the_question_was_made_of_where_several_hold_the_answer() -> None:
    lines = [
        Evidence(f"E{i}", id_, "d", 0, 9, text)
        for i, (id_, text) in enumerate([("p", "an owl"), ("q", "The Owl"), ("r", "a cat")], 1)
    ]

    def cited(*passages: str, answer: str = "owl") -> str | None:
        found = line_of_answer(
            TrainingQuestion("1", "?", Provenance(passages=passages), None, answer=answer), lines
        )
        return found and found.label

    assert cited("q") == "E2"
    assert cited("r") == "E1"
    assert cited("q", answer="dog") is None


def test_a_line_is_read_where_its_own_line_begins_and_not_by_a_mark_behind_a_fact() -> None:
    from dynagrag.generation.soft_prompt.soft_answers import lines_read

    read = (
        '[1] Odyssey\n- [1] --"lost"--> [1.2] amps [E2][E3]\n[E1] EECOM 55:58:45: "The Odyssey lost'
        ' 53 amps."\n[E3] FLI'
    )
    assert lines_read(("E1", "E2", "E3", "E4"), read) == ("E1", "E3")


@pytest.mark.parametrize("method", ["g-retriever", "grag", "graph-token"])
def test_texts_are_whole_lines_that_fit_by_the_models_own_tokens_and_a_cited_line_is_among_them(
    settings: Settings, method: str
) -> None:
    with open_workspace("w", settings=settings) as space:
        asked = WorkspaceSoftExamples(space, method, None)
        whole = [
            row.example
            for row in asked.examples(TokenBudget(len, 10**9), lambda *_: None, 8)[Part.TRAIN]
        ]
        rows = asked.examples(TokenBudget(len, 700), lambda *_: None, 8)[Part.TRAIN]
    assert all(len(example.description) > 700 for example in whole), "all would be cut"
    num_with_line = 0
    for row in rows:
        text = row.example.description
        assert 0 < len(text) <= 700
        assert text.endswith("\n")
        lines = text.splitlines()
        assert all(line.endswith('"') for line in lines if line.startswith("[E")), (
            "none is cut within"
        )
        assert any(line.startswith("[E") for line in lines), "evidence keeps its share"
        mark = row.example.label.partition(" [")[2]
        assert row.has_line == bool(mark)
        assert not mark or any(line.startswith(f"[{mark}") for line in lines)
        num_with_line += row.has_line
    assert (num_with_line > 0) is (method != "graph-token"), (
        "what reads no text cites no line of it"
    )
