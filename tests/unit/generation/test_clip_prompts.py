"""The prompt of passages alone begins with the clips that are shown, turn by turn, and goes on with
what they leave of the passages.
"""

from dataclasses import replace

import numpy as np
import pytest

from dynagrag import wiring
from dynagrag.config.settings import PROFILES, Profile
from dynagrag.core.ids import estimate_tokens
from dynagrag.core.schema import (
    Answer,
    Candidate,
    Question,
    Retrieval,
    ScoredPassage,
    ScoredTurn,
    Snapshot,
)
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.answer import answer_question
from dynagrag.generation.answer_plan import AnswerPlan, FilteredView
from dynagrag.generation.answer_prompts import takes_clips
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.retrieval.ego.ego_index import EgoIndex
from tests.transcripts import DIMENSION, line_index, question

TURNS = [
    (("ANN", "BOB")[n % 2], f"The mill number {n} grinds rye. It is old, and as loud as {n} dogs.")
    for n in range(30)
]
ASKED = "Which mills grind rye and are old?"


class InOrder:
    """Ranks the passages as they stand, and their turns where it `ranks_turns`."""

    name = "in order"

    def __init__(self, snapshot: Snapshot, ranks_turns: bool) -> None:
        self.snapshot = snapshot
        (document,) = snapshot.documents
        self.turns = (ScoredTurn(document, 0, 0.5),) if ranks_turns else ()

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """As many as asked for."""
        ranked = [ScoredPassage(passage, 0.5) for passage in self.snapshot.passages]
        return Retrieval(self.name, tuple(ranked[:num_passages]), turns=self.turns)


def answered(profile: Profile, num_words: int = 40, ranks_turns: bool = True) -> Answer:
    view = FilteredView.of(line_index(TURNS, num_words).snapshot)
    plan = AnswerPlan(
        view=view,
        profile=profile,
        retriever=InOrder(view.snapshot, ranks_turns),
        pruner=wiring.make_pruner(),
        traversal=wiring.make_traversal("dsa-bfs", profile),
        embedder=FakeEmbedder(DIMENSION),
        checker=RulesChecker(),
        chat=None,
    )
    return answer_question(question(ASKED), plan)


@pytest.mark.parametrize("num_words", [20, 40, 200])
def test_the_lines_of_a_prompt_begin_with_what_is_shown_and_say_nothing_twice(
    num_words: int,
) -> None:
    answer = answered(PROFILES["default"], num_words)
    (prompt,) = answer.trace.prompts
    shown = [turn for clip in answer.clips for turn in clip.turns]
    assert len(answer.clips) > 1
    lines = prompt.text.splitlines()
    for number, (turn, line) in enumerate(zip(shown, lines, strict=False), start=1):
        assert line == f'[E{number}] {turn.speaker} "{turn.quote}"'
    for _, said in TURNS:
        for sentence in said.split(". "):
            assert prompt.text.count(sentence) == 1


def test_a_prompt_with_clips_keeps_to_its_budget() -> None:
    small = replace(PROFILES["default"], subgraph_token_budget=200)
    answer = answered(small)
    (prompt,) = answer.trace.prompts
    assert estimate_tokens(prompt.text) <= small.num_prompts * 200
    assert prompt.num_lines_cut > 0


def test_prompts_of_the_paper_and_of_plain_searches_take_no_clips(
    moon_snapshot: Snapshot,
) -> None:
    (subgraph,) = EgoIndex.build(moon_snapshot.graph, PROFILES["paper"]).subgraphs(
        np.array([0]), np.zeros(3)
    )
    turns = (ScoredTurn("doc", 0, 0.5),)
    assert takes_clips(PROFILES["default"], Retrieval("by hand", (), turns=turns))
    centre = Candidate("e", "Crew", 0.5, is_accepted=True, reason="")
    found = Retrieval("by hand", (), (subgraph,), (centre,), turns=turns)
    assert takes_clips(PROFILES["graph"], found)
    assert not takes_clips(PROFILES["graph"], replace(found, turns=()))
    assert not takes_clips(PROFILES["paper"], Retrieval("by hand", (), (subgraph,), turns=turns))
    assert not takes_clips(PROFILES["global"], Retrieval("by hand", (), turns=turns))
    plain = answered(PROFILES["default"], ranks_turns=False)
    assert plain.clips
    assert plain.trace.prompts[0].text.startswith(f'[E1] ANN "{TURNS[0][1]}"')
