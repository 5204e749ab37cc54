"""What an answer tells of how it came about: each reason and number, for a retrieval that was made
by hand.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynagrag.config.settings import PROFILES
from dynagrag.core.protocols import Prompt
from dynagrag.core.schema import Answer, Candidate, Question, Retrieval, ScoredPassage, Snapshot
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.generation.answer import ABSTENTION, answer_question
from dynagrag.generation.answer_plan import AnswerPlan, FilteredView
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.stored_answer import answer_json, answer_of
from dynagrag.generation.traversal import BFS
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior
from dynagrag.workspace.text_reports import trace_lines

PAPER = PROFILES["paper"]
DECLINES = '{"answer": "", "citations": [], "enough_evidence": false}'


class HandMadeRetriever:
    """Brings what it was given, and remembers how much it was asked for."""

    name = "by hand"

    def __init__(self, retrieval: Retrieval) -> None:
        self._retrieval = retrieval
        self.asked: list[tuple[int, int]] = []

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        self.asked.append((num_passages, num_subgraphs))
        return self._retrieval


def both_passages(snapshot: Snapshot) -> Retrieval:
    return Retrieval("by hand", tuple(ScoredPassage(passage, 1.0) for passage in snapshot.passages))


def ego_graphs(snapshot: Snapshot, *centres: int) -> Retrieval:
    """With the nodes of one hop, the first centre's the best."""
    graph = snapshot.graph
    made = EgoIndex.build(graph, PAPER).subgraphs(np.array(centres), np.zeros(len(graph.entities)))
    return Retrieval(
        "by hand",
        (),
        tuple(replace(one, score=0.123456 - place / 10) for place, one in enumerate(made)),
    )


@pytest.fixture
def answer(moon_snapshot: Snapshot, tmp_path: Path) -> Iterator[Callable[..., Answer]]:
    """Answers from a retrieval, which a function makes of the snapshot; the rule is the model's."""
    journal = Journal(tmp_path / "journal.sqlite")

    def call(
        retrieval: Retrieval, rule: Callable[[Prompt, Any], str] | None = None, **more: Any
    ) -> Answer:
        chat = MeteredChat(FakeChat(rule), journal, workspace="w", use_cache=False)
        retriever = more.pop("retriever", None) or HandMadeRetriever(retrieval)
        plan = AnswerPlan(
            view=FilteredView.of(moon_snapshot),
            profile=PAPER,
            retriever=retriever,
            pruner=UntrainedPrior(),
            traversal=BFS(),
            embedder=FakeEmbedder(4),
            checker=RulesChecker(),
            chat=chat,
            notes=more.pop("notes", ()),
        )
        question = Question("Who lands?", np.array([1, 0, 0, 0], np.float32))
        return answer_question(question, plan, **more)

    yield call
    journal.close()


def test_nothing_retrieved_is_an_abstention_that_says_so_without_a_call(
    answer: Callable[..., Answer],
) -> None:
    given = answer(Retrieval("by hand", ()))
    assert (given.text, given.is_abstained, given.trace.reason, given.usage.calls) == (
        ABSTENTION,
        True,
        "nothing was retrieved",
        0,
    )


def test_an_abstention_keeps_the_replies_that_declined_and_the_failures_apart(
    answer: Callable[..., Answer], moon_snapshot: Snapshot
) -> None:
    def rule(prompt: Prompt, schema: Any) -> str:
        return (
            "no JSON"
            if '[1] "Houston"' in prompt.user or prompt.name.endswith(".repair")
            else DECLINES
        )

    given = answer(ego_graphs(moon_snapshot, 0, 1), rule)
    assert given.trace.reason == "no prompt held enough evidence"
    assert [
        (a.centre, a.helpfulness, a.scored_by, a.has_enough_evidence) for a in given.intermediate
    ] == [("Crew", 0.0, "none", False)]
    assert len(given.trace.failures) == 1
    assert given.is_abstained


def test_one_useful_answer_is_kept_as_what_the_final_one_was_made_of(
    answer: Callable[..., Answer], moon_snapshot: Snapshot
) -> None:
    pieces: list[str] = []
    given = answer(both_passages(moon_snapshot), on_text=pieces.append)
    assert [a.answer for a in given.intermediate] == [given.text] == pieces
    assert (given.trace.merge, given.trace.merge_prompt, given.trace.failures) == ("", "", ())


def test_ten_passages_a_subgraph_are_asked_for(
    answer: Callable[..., Answer], moon_snapshot: Snapshot
) -> None:
    retriever = HandMadeRetriever(both_passages(moon_snapshot))
    answer(both_passages(moon_snapshot), retriever=retriever)
    assert retriever.asked == [(50, 5)]


def test_the_retriever_s_notes_come_before_the_question_s(
    answer: Callable[..., Answer], moon_snapshot: Snapshot
) -> None:
    retrieval = replace(
        both_passages(moon_snapshot), notes=("no facts are stored", "the graph is empty")
    )
    assert answer(retrieval, notes=("it was rewritten",)).trace.notes[:3] == (
        "no facts are stored",
        "the graph is empty",
        "it was rewritten",
    )


def test_what_the_model_cited_stays_where_it_put_it_and_each_claim_has_a_verdict(
    answer: Callable[..., Answer], moon_snapshot: Snapshot
) -> None:
    said = "Leo sold the tram [E1]. The crew lands on the Moon [E3]. Houston guides the crew."

    given = answer(
        both_passages(moon_snapshot),
        lambda prompt, schema: json.dumps({"answer": said, "citations": []}),
    )
    assert (given.text, given.trace.labels, given.checked_by) == (said, ("E1", "E3"), "rules")
    told = [(said[c.start : c.end], c.verdict.value, c.cited, c.lines) for c in given.claims]
    assert told == [
        ("Leo sold the tram [E1].", "not found", ("E1",), ()),
        ("The crew lands on the Moon [E3].", "stated", ("E3",), ("E3",)),
        ("Houston guides the crew.", "stated", (), ("E2",)),
    ]
    assert {label: line.quote for label, line in given.lines.items()} == {
        "E2": "Houston guides the crew."
    }


def names_all(prompt: Prompt, schema: Any) -> str:
    """Names all three entities, whatever the prompt holds; the judge gives no verdict."""
    if prompt.name == "helpfulness":
        return "no verdict"
    if prompt.name != "intermediate":
        return simple_reply(prompt, schema)
    label = prompt.user.partition("\n[E")[2].partition("]")[0]
    return json.dumps(
        {
            "answer": f"Houston guides the crew. The crew lands on the Moon [E{label}].",
            "citations": [],
        }
    )


def test_a_single_answer_is_scored_by_its_claims(
    answer: Callable[..., Answer], moon_snapshot: Snapshot
) -> None:
    given = answer(ego_graphs(moon_snapshot, 0), names_all)
    assert [(a.scored_by, a.score_parts["stated"], len(a.claims)) for a in given.intermediate] == [
        ("claims", 1.0, 2)
    ]


def test_an_answer_that_code_finds_a_line_for_counts_though_it_cites_nothing(
    answer: Callable[..., Answer], moon_snapshot: Snapshot
) -> None:
    given = answer(
        both_passages(moon_snapshot),
        lambda prompt, schema: '{"answer": "Houston guides the crew.", "citations": []}',
    )
    assert (given.text, given.citations, given.is_abstained) == (
        "Houston guides the crew.",
        (),
        False,
    )
    assert [claim.found for claim in given.claims] == [("E2",)]
    assert answer(
        both_passages(moon_snapshot),
        lambda prompt, schema: '{"answer": "Leo sold the tram.", "citations": []}',
    ).is_abstained


def test_a_prompt_in_the_trace_is_told_whole(
    answer: Callable[..., Answer], moon_snapshot: Snapshot
) -> None:
    trace = answer(ego_graphs(moon_snapshot, 0), names_all).trace
    told = [
        (
            p.centre,
            p.score,
            p.walked,
            p.num_unvisited,
            p.pruner,
            p.num_lines_cut,
            p.labels,
            p.evidence_ids,
            p.num_nodes_in,
            p.num_relations_in,
        )
        for p in trace.prompts
    ]
    labels, ids = ("E1", "E2", "E3"), ("p0", "p0", "p1")
    assert told == [
        ("Crew", 0.1235, ("Crew", "Houston", "Moon"), 0, "untrained prior", 0, labels, ids, 3, 2)
    ]
    assert trace.document_ids == {"p0": "doc", "p1": "doc"}
    assert (
        trace.retriever,
        trace.profile,
        trace.num_passages,
        trace.ranking,
        trace.candidates,
    ) == ("by hand", "paper", 0, None, ())
    prompt = trace.prompts[0]
    assert prompt.num_tokens == -(-len(prompt.text) // 4)
    assert trace.instructions.startswith("You answer a question from evidence.")


@pytest.mark.parametrize("kind", ["ego-graph", "tree"])
def test_subgraphs_are_called_as_the_retriever_calls_them(
    answer: Callable[..., Answer], moon_snapshot: Snapshot, kind: str
) -> None:
    centre = moon_snapshot.graph.entities[0]
    candidate = Candidate(centre.id, centre.name, 0.5, is_accepted=True, reason="nearest")
    told = answer(
        replace(ego_graphs(moon_snapshot, 0), candidates=(candidate,), subgraph_kind=kind)
    )
    assert f"  + {kind} of Crew (0.50): nearest" in list(trace_lines(told.trace))
    assert answer_of(answer_json(told)).trace.subgraph_kind == kind
    older = answer_json(told)
    del older["trace"]["subgraph_kind"]
    assert answer_of(older).trace.subgraph_kind == "ego-graph"
