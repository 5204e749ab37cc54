"""How much of what should be found stands in prompts, and that all arms have equal room."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynagrag import wiring
from dynagrag.config.settings import PROFILES
from dynagrag.core.schema import Evidence, Question, Retrieval, Snapshot
from dynagrag.evaluation.retrieval.prompt_arms import (
    make_prompt_arm,
    prompt_recall,
    with_equal_room,
)
from dynagrag.fakes import FakeEmbedder
from dynagrag.generation.answer import answer_question
from dynagrag.generation.answer_plan import AnswerPlan, FilteredView
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.retrieval.passages import PassageScores

Span = tuple[str, int, int]
_spans = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.integers(1, 12)).map(
        lambda s: (s[0], s[1], s[1] + s[2])
    ),
    max_size=5,
)


def evidence(spans: list[Span]) -> list[Evidence]:
    return [
        Evidence(f"E{i}", "p", document, start, end, "x" * (end - start))
        for i, (document, start, end) in enumerate(spans, start=1)
    ]


def letters_of(spans: list[Span]) -> set[tuple[str, int]]:
    return {(document, at) for document, start, end in spans for at in range(start, end)}


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 30)), min_size=1, max_size=4),
    _spans,
    st.integers(0, 2),
)
def test_it_is_the_share_of_letters_that_are_quoted(
    lengths: list[tuple[str, int]], quoted: list[Span], num_missing: int
) -> None:
    gold = [(document, 0, length) for document, length in lengths]
    shares = [
        len(letters_of([span]) & letters_of(quoted)) / len(letters_of([span])) for span in gold
    ]
    found = prompt_recall([[[span]] for span in gold], num_missing, evidence(quoted))
    assert found == pytest.approx(sum(shares) / (len(gold) + num_missing))


@given(_spans, _spans, _spans)
def test_more_evidence_never_lowers_it_and_any_of_several_places_will_do(
    gold: list[Span], quoted: list[Span], more: list[Span]
) -> None:
    once = prompt_recall([[gold]], 0, evidence(quoted))
    assert 0 <= once <= prompt_recall([[gold]], 0, evidence([*quoted, *more])) <= 1
    assert prompt_recall([[gold, more]], 0, evidence(quoted)) == max(
        once, prompt_recall([[more]], 0, evidence(quoted))
    )


def test_without_any_gold_nothing_is_found() -> None:
    assert (
        prompt_recall([], 0, evidence([("a", 0, 3)]))
        == prompt_recall([], 2, evidence([("a", 0, 3)]))
        == 0
    )


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("has_passages", [True, False])
def test_every_arm_has_as_many_prompts_of_as_many_tokens(name: str, has_passages: bool) -> None:
    equal, default = with_equal_room(PROFILES[name], has_passages), PROFILES["default"]
    assert (equal.num_prompts, equal.subgraph_token_budget) == (
        default.num_prompts,
        default.subgraph_token_budget,
    )


class Asked:
    """A retriever that brings nothing and keeps how much it was asked for."""

    name = "asked"

    def __init__(self) -> None:
        self.limits: list[tuple[int, int]] = []

    def retrieve(self, question: Question, num_passages: int, num_subgraphs: int) -> Retrieval:
        """Nothing."""
        self.limits.append((num_passages, num_subgraphs))
        return Retrieval(self.name, ())


@pytest.mark.parametrize("name", PROFILES)
def test_prompts_are_made_of_as_many_passages_as_an_answer_takes(
    moon_snapshot: Snapshot, name: str
) -> None:
    profile, retriever = PROFILES[name], Asked()
    lines = LineIndex(PassageScores(moon_snapshot))
    embedder = FakeEmbedder(moon_snapshot.passage_vectors.shape[1])
    question = Question("Who lands?", embedder.embed_query("Who lands?"))
    make_prompt_arm(name, retriever, profile, lines, embedder).written(question)
    plan = AnswerPlan(
        view=FilteredView.of(moon_snapshot),
        profile=profile,
        retriever=retriever,
        pruner=wiring.make_pruner(),
        traversal=wiring.make_traversal("dsa-bfs", profile),
        embedder=embedder,
        checker=RulesChecker(),
        chat=None,
    )
    answer_question(question, plan)
    assert len(set(retriever.limits)) == 1
