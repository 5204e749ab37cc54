"""Which options change something under which profile, and what becomes of those that don't."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from dynagrag import AskOptions, IngestOptions, WorkspaceRetriever, open_workspace, wiring
from dynagrag.config.settings import PROFILES, Settings
from dynagrag.core.errors import UsageError
from dynagrag.fakes.fake_models import FakeChat, FakeEmbedder
from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS
from dynagrag.registry.retrievers import RETRIEVERS
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.option_uses import (
    OPTION_USES,
    WayToAnswer,
    changes_something,
    unused,
    without_unused,
)

QUESTION = "Who founded Analytical Engines?"
REFUSED = {
    "default": {"traversal", "pruner"},
    "graph": set[str](),
    "global": {"traversal", "pruner"},
    "paper": {"is_split"},
}
"""By profile what its own retriever doesn't use."""
SAID = {"global": {"profile"}, "graph": {"profile"}}
"""By profile what needs a language model beside what needs one under each."""
NAMED: dict[str, Any] = {
    "profile": "graph",
    "retriever": "triples",
    "traversal": "bfs",
    "pruner": "none",
    "is_split": True,
    "is_strict": True,
    "max_calls": 9,
}
"""A value for each option that has a row."""


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    talk = tmp_path / "talk.txt"
    talk.write_text("ADA: Leo founded Analytical Engines.\nLEO: It rained in Delft.\n")
    with open_workspace("uses", chat_model=FakeChat(), embedder=FakeEmbedder()) as opened:
        opened.ingest([talk], IngestOptions(extractor="fast"))
        yield opened


def own(profile: str, has_model: bool = True) -> WayToAnswer:
    retriever = "dynagrag" if PROFILES[profile].has_ego_graphs else "bridge-ppr"
    return WayToAnswer(retriever, PROFILES[profile], has_model=has_model)


def test_each_option_but_filters_and_the_system_has_a_row() -> None:
    has_row = {row.field for row in OPTION_USES}
    assert has_row == {field.name for field in fields(AskOptions)} - {
        "filters",
        "soft",
        "is_reranked",
    }
    assert has_row == set(NAMED)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_refuses_what_it_does_not_use(profile: str) -> None:
    for name, value in NAMED.items():
        options, way = AskOptions(**{name: value}), own(profile)
        if name in REFUSED[profile]:
            with pytest.raises(UsageError, match=r"would change nothing: .*profile"):
                list(unused(options, Settings(), way))
            assert without_unused(options, way) == AskOptions()
        else:
            assert list(unused(options, Settings(), way)) == []
            assert without_unused(options, way) == options
        assert changes_something(name, way) is (name not in REFUSED[profile])


@pytest.mark.parametrize("profile", PROFILES)
def test_without_a_model_it_is_told_what_needs_one(profile: str) -> None:
    needs = {"is_strict", "max_calls"} | SAID.get(profile, set())
    for name in set(NAMED) - REFUSED[profile]:
        sentences = list(unused(AskOptions(**{name: NAMED[name]}), Settings(), own(profile, False)))
        assert [s.endswith("that needs a language model") for s in sentences] == [True] * (
            name in needs
        )


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_trained_system_has_a_profile_and_a_retriever_of_its_own(name: str) -> None:
    system = SYSTEMS[name]
    way = WayToAnswer(system.retriever, system.profile, soft=system)
    refused = {"profile", "retriever", "is_split"}
    refused |= set() if system.parts.has_text else {"traversal", "pruner"}
    assert {field for field in NAMED if not changes_something(field, way)} == refused
    with pytest.raises(UsageError, match="leave out --profile"):
        list(unused(AskOptions(profile="default"), Settings(), way))


@pytest.mark.parametrize("retriever", RETRIEVERS)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_retriever_of_subgraphs_is_refused_where_none_are_read(
    profile: str, retriever: str
) -> None:
    row, chosen = RETRIEVERS[retriever], PROFILES[profile]
    way = WayToAnswer(wiring.retriever_name(retriever, chosen), chosen, retriever)
    brings = {name for name, other in PROFILES.items() if row.brings_subgraphs(other)}
    if retriever == "dynagrag" and profile not in brings:
        (sentence,) = unused(AskOptions(retriever=retriever), Settings(), way)
        assert sentence.endswith("for ego-graphs take --profile graph"), "its name of old"
    elif brings and profile not in brings:
        with pytest.raises(UsageError, match=f"take --profile .*{min(brings - {'global'})}"):
            list(unused(AskOptions(retriever=retriever), Settings(), way))
    else:
        assert list(unused(AskOptions(retriever=retriever), Settings(), way)) == []
    assert (
        changes_something("traversal", way)
        is changes_something("pruner", way)
        is (profile in brings)
    )


def test_profile_graph_without_ego_graphs_is_told_to_be_as_the_default(space: Workspace) -> None:
    notes = space.questions.plan(AskOptions(profile="graph", retriever="bm25"), None).notes
    assert notes == (
        "--profile graph changes nothing: profile graph answers as default does, since retriever"
        " bm25 brings no ego-graphs; leave out --retriever",
    )


@pytest.mark.parametrize(
    "options",
    [
        {"traversal": "bfs"},
        {"pruner": "none"},
        {"retriever": "dynagrag-cosine"},
        {"profile": "global", "retriever": "pcst"},
        {"retriever": "naive", "is_split": True},
    ],
)
def test_the_library_refuses_it_before_the_model_is_asked(
    space: Workspace, options: dict[str, Any]
) -> None:
    chat = FakeChat()
    with pytest.raises(UsageError, match="would change nothing"):
        space.ask(QUESTION, AskOptions(**options), history=[("Who?", "Leo.")], chat_model=chat)
    assert not chat.prompts


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("traversal", "bfs"),
        ("pruner", "none"),
        ("soft", "grag"),
        ("is_split", True),
        ("is_strict", True),
        ("max_calls", 3),
    ],
)
def test_retrieval_alone_refuses_what_only_answers_use(
    space: Workspace, name: str, value: object
) -> None:
    options = AskOptions(profile="graph", **{name: value})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=f"{name} would change nothing"):
        WorkspaceRetriever(workspace=space, options=options).invoke(QUESTION)


def test_a_setting_is_told_and_not_refused(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNAGRAG_PRUNER", "none")
    monkeypatch.setenv("DYNAGRAG_PROFILE", "global")
    with open_workspace("uses", chat_model=FakeChat(), embedder=FakeEmbedder()) as opened:
        answer = opened.ask(QUESTION)
        assert answer.trace.profile == "global", "the setting stands in for the option"
        told = (
            "the setting pruner (DYNAGRAG_PRUNER in the environment) changes nothing here: no"
            " subgraphs are read under profile global with retriever bridge-ppr, which a pruner"
            " scores; leave it out, or take --profile graph"
        )
        assert told in answer.trace.notes
        assert opened.questions.unused_options(AskOptions(profile="graph"), FakeChat()) == ()
        assert opened.ask(QUESTION, AskOptions(profile="graph")).trace.profile == "graph"


@pytest.mark.parametrize(
    ("options", "retriever"),
    [
        (AskOptions(), "bridge-ppr"),
        (AskOptions(retriever="dynagrag"), "bridge-ppr"),
        (AskOptions(profile="global"), "bridge-ppr"),
        (AskOptions(profile="graph"), "dynagrag"),
        (AskOptions(profile="paper"), "dynagrag"),
        (AskOptions(profile="paper", retriever="naive"), "naive"),
    ],
)
def test_the_trace_names_the_retriever_that_ran(
    space: Workspace, options: AskOptions, retriever: str
) -> None:
    assert space.evidence(QUESTION, options).trace.retriever == retriever
