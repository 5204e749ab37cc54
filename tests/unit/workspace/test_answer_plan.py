"""What options come to: an answer's plan is made once, and tells why where that isn't plain."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dynagrag import AskOptions, Filters, IngestOptions, open_workspace
from dynagrag.config.settings import PROFILES
from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.core.schema import Verdict
from dynagrag.fakes import FakeChat, FakeEmbedder
from dynagrag.generation.answer_plan import EVERY_CLAIM, NOTHING_REFUSED, STATED_ALONE
from dynagrag.retrieval.nearness import NearOrPassages
from dynagrag.retrieval.steiner.fact_search import TripleSearch
from dynagrag.workspace.asking import AnswerOverrides
from dynagrag.workspace.facade import Workspace


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    talk = tmp_path / "talk.txt"
    talk.write_text("ADA: Leo founded Analytical Engines.\nLEO: It rained in Delft.\n")
    with open_workspace("plans", chat_model=FakeChat(), embedder=FakeEmbedder()) as opened:
        opened.ingest([talk], IngestOptions(extractor="fast"))
        yield opened


def test_options_are_resolved_into_what_they_name(space: Workspace) -> None:
    options = AskOptions(
        retriever="triples", traversal="bfs", profile="graph", pruner="none", is_strict=True
    )
    plan = space.questions.plan(options, chat=None)
    assert isinstance(plan.retriever, NearOrPassages)
    assert isinstance(plan.retriever.inner, TripleSearch)
    assert (plan.traversal.name, plan.profile) == ("bfs", PROFILES["graph"])
    assert plan.kept_claims == STATED_ALONE
    assert (plan.chat, plan.soft, plan.embedder) == (None, None, space.embedder)


@pytest.mark.parametrize(
    ("is_small", "options", "kept"),
    [
        (True, AskOptions(), NOTHING_REFUSED),
        (False, AskOptions(), EVERY_CLAIM),
        (True, AskOptions(is_strict=False), EVERY_CLAIM),
        (True, AskOptions(profile="paper"), EVERY_CLAIM),
        (False, AskOptions(profile="paper", is_strict=True), STATED_ALONE),
    ],
)
def test_a_small_model_is_not_trusted_with_what_no_line_states(
    space: Workspace, is_small: bool, options: AskOptions, kept: frozenset[Verdict]
) -> None:
    chat = space.parts.metered(None, model=FakeChat(is_small=is_small))
    assert space.questions.plan(options, chat).kept_claims == kept


def test_overrides_come_before_options(space: Workspace) -> None:
    retriever = space.questions.plan(AskOptions(retriever="rrf"), None).retriever
    overrides = AnswerOverrides(PROFILES["paper"], lambda *_: retriever, max_concurrency=1)
    plan = space.questions.plan(AskOptions(profile="graph"), None, overrides)
    assert (plan.profile, plan.retriever) == (PROFILES["paper"], retriever)
    assert plan.max_concurrency == 1


def test_a_retriever_is_kept_for_the_next_question_with_the_same_filters(
    space: Workspace,
) -> None:
    plan, same = (space.questions.plan(AskOptions(), None) for _ in range(2))
    assert (same.view, same.retriever) == (plan.view, plan.retriever)
    filtered = space.questions.plan(AskOptions(filters=Filters(speakers=("Leo",))), None)
    assert filtered.view.snapshot.version != plan.view.snapshot.version
    assert filtered.retriever is not plan.retriever
    other = AnswerOverrides(make_retriever=lambda *_: filtered.retriever)
    space.questions.plan(AskOptions(), None, other)
    assert space.questions.plan(AskOptions(), None).retriever is plan.retriever


@pytest.mark.parametrize(
    ("calls", "wanted"), [(None, 8), (100, 8), (11, 8), (6, 3), (3, 1), (1, 1)]
)
def test_there_are_no_more_prompts_than_calls(
    space: Workspace, calls: int | None, wanted: int
) -> None:
    chat = space.parts.metered(calls)  # scores, merge and checker take three
    plan = space.questions.plan(AskOptions(profile="global", max_calls=calls), chat)
    assert plan.profile.num_prompts == wanted
    told = f"{wanted} of 8 parts at most were read, since --max-calls {calls} has room for no more"
    assert plan.notes == ((told,) if wanted < 8 else ())
    passages = space.questions.plan(AskOptions(max_calls=calls), chat)
    assert passages.profile == PROFILES["default"]


@pytest.mark.parametrize(
    ("options", "calls", "wanted"),
    [
        (AskOptions(profile="global", is_split=True, max_calls=7), 7, 3),  # the split takes one
        (AskOptions(profile="graph", max_calls=8), 8, 5),
        (AskOptions(profile="graph", max_calls=5), 5, 2),
        (AskOptions(profile="graph", max_calls=3), 3, 1),
        (AskOptions(retriever="triples", max_calls=5), 5, 2),
    ],
)
def test_subgraphs_and_steps_are_counted_among_the_calls(
    space: Workspace, options: AskOptions, calls: int, wanted: int
) -> None:
    plan = space.questions.plan(options, space.parts.metered(calls))
    assert plan.profile.num_prompts == wanted
    assert any("room for no more" in note for note in plan.notes) is (wanted < 5)


@pytest.mark.parametrize(
    "options",
    [
        AskOptions(retriever="nobody"),
        AskOptions(profile="nobody"),
        AskOptions(traversal="nobody"),
        AskOptions(profile="graph", pruner="nobody"),
        AskOptions(soft="nobody"),
    ],
)
def test_a_name_that_is_none_is_refused_before_anything_is_asked(
    space: Workspace, options: AskOptions
) -> None:
    with pytest.raises(UsageError, match="nobody"):
        space.questions.plan(options, chat=None)


def test_there_is_no_plan_for_an_empty_workspace() -> None:
    with (
        open_workspace("empty", embedder=FakeEmbedder()) as empty,
        pytest.raises(WorkspaceError, match="workspace 'empty' is empty"),
    ):
        empty.questions.plan(AskOptions(), None)
