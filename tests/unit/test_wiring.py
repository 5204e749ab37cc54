"""The tables of what a user may name: each row makes what it says, and is told where a name is
wrong and in the help.
"""

import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer.main

from dynagrag import wiring
from dynagrag.cli.main import app
from dynagrag.cli.train_soft_prompt import HELP
from dynagrag.config.settings import CHUNK_PROFILES, PROFILES, Profile, Settings
from dynagrag.core.errors import SettingsError, UsageError
from dynagrag.core.protocols import GraphStore
from dynagrag.core.schema import Graph, Snapshot
from dynagrag.evaluation.graphqa.graph_methods import MAJORITY, METHODS, TRAINED
from dynagrag.fakes import FakeChat
from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS
from dynagrag.graph_store.sqlite_store.store import SqliteStore
from dynagrag.ingest.extract.llm_extractor import ExtractionOptions
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.grag_search import GRAG_CUT
from dynagrag.retrieval.passages import PassageScores
from dynagrag.workspace import address as address_module

SNAPSHOT = Snapshot(
    "w",
    "1",
    {},
    {},
    (),
    np.zeros((0, 3), np.float32),
    {},
    Graph((), (), np.zeros((0, 3)), np.zeros((0, 3)), ()),
)
USES_INDEX = {"dynagrag", "dynagrag-cosine"}


@pytest.mark.parametrize("name", wiring.RETRIEVERS)
def test_a_retriever_has_the_name_of_its_row_and_asks_for_the_index_only_where_it_uses_it(
    name: str,
) -> None:
    asked: list[Profile] = []

    def make_index(cut: Profile) -> EgoIndex:
        asked.append(cut)
        return EgoIndex.build(SNAPSHOT.graph, cut)

    for profile in PROFILES.values():
        asked.clear()
        made = wiring.make_retriever(name, SNAPSHOT, profile, PassageScores(SNAPSHOT), make_index)
        assert made.name == name
        assert asked == (
            [GRAG_CUT]
            if name == "grag"
            else [profile]
            if name in USES_INDEX and profile.has_ego_graphs
            else []
        )


@pytest.mark.parametrize("name", wiring.TRAVERSALS)
def test_a_traversal_has_the_name_of_its_row(name: str) -> None:
    assert wiring.make_traversal(name, PROFILES["default"]).name == name


def test_steps_of_a_question_are_read_where_bridge_ppr_ranks() -> None:
    able = {
        (name, profile)
        for name in wiring.RETRIEVERS
        for profile in PROFILES
        if wiring.can_split(name, profile)
    }
    own = {
        (name, profile)
        for name in ("dynagrag", "dynagrag-cosine")
        for profile in ("default", "graph", "global")
    }
    assert able == own | {("bridge-ppr", profile) for profile in PROFILES}


def test_a_model_is_opened_for_the_extractor_that_asks_one_alone() -> None:
    assert [name for name in wiring.EXTRACTORS if wiring.extractor_choice(name).needs_model] == [
        "llm"
    ]
    assert [name for name in wiring.EXTRACTORS if wiring.extractor_choice(name).takes_imported] == [
        "file"
    ]


def test_extractors_are_made_or_say_what_they_lack() -> None:
    rest = (None, None, CHUNK_PROFILES["default"], ExtractionOptions(), Settings())
    assert wiring.make_extractor("fast", *rest).name == "fast-3"
    with pytest.raises(SettingsError, match="no language model"):
        wiring.make_extractor("llm", *rest)
    with pytest.raises(UsageError, match="ingest the file again"):
        wiring.make_extractor("file", *rest)


@pytest.mark.parametrize(
    ("table", "make"),
    [
        (wiring.RETRIEVERS, lambda: wiring.can_split("magic", "default")),
        (wiring.TRAVERSALS, lambda: wiring.make_traversal("magic", PROFILES["default"])),
        (wiring.PRUNERS, lambda: wiring.make_pruner("magic")),
        (
            wiring.EXTRACTORS,
            lambda: wiring.make_extractor(
                "magic", None, None, CHUNK_PROFILES["default"], ExtractionOptions(), Settings()
            ),
        ),
    ],
)
def test_an_unknown_name_is_told_every_row_and_what_it_is(
    table: Mapping[str, wiring.Choice[Any]], make: Any
) -> None:
    with pytest.raises(UsageError) as caught:
        make()
    assert "magic" in str(caught.value)
    assert all(f"{name} ({choice.what})" in str(caught.value) for name, choice in table.items())


@pytest.mark.parametrize(
    ("command", "option", "table"),
    [
        ("ask", "retriever", wiring.RETRIEVERS),
        ("ask", "traversal", wiring.TRAVERSALS),
        ("ask", "pruner", wiring.PRUNERS),
        ("ingest", "extractor", wiring.EXTRACTORS),
    ],
)
def test_the_help_names_every_row(command: str, option: str, table: Mapping[str, Any]) -> None:
    params = typer.main.get_command(app).commands[command].params  # type: ignore[attr-defined]
    text = next(param.help for param in params if param.name == option)
    assert [name for name in table if name not in re.split(r"[\s,.:;]", text)] == []


def test_every_method_that_is_trained_has_its_command() -> None:
    assert list(HELP) == list(TRAINED)
    assert set(SYSTEMS) <= set(TRAINED)
    assert set(typer.main.get_command(app).commands["train"].commands) == {"pruner", *TRAINED}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("command", "option", "names"),
    [
        (("ask",), "soft", SYSTEMS),
        (("train", "g-retriever"), "workspace", SYSTEMS),
        (("evaluate", "graphqa"), "method", (MAJORITY, *METHODS)),
    ],
)
def test_the_help_names_every_soft_method_and_no_other(
    command: Sequence[str], option: str, names: Collection[str]
) -> None:
    found: Any = typer.main.get_command(app)
    for name in command:
        found = found.commands[name]
    text = next(param.help for param in found.params if param.name == option)
    words = {
        word
        for word in re.split(r"[\s,.:;()]", re.sub("`.*?`", "", text))
        if not word.startswith("-")
    }
    assert {word for word in words if "-" in word or word in {MAJORITY, *METHODS}} == set(names)


@pytest.mark.parametrize(
    "spec", ["rules", "model", "rules+model", "nli:a+b", "rules+nli:a+b+model"]
)
def test_checkers_are_named_as_they_were_asked_for(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a+b").mkdir()
    (tmp_path / "a+b" / "config.json").touch()
    assert wiring.make_checker(spec, _chat(), Settings()).name == spec


def test_the_checker_that_is_chosen_by_itself_asks_a_model_that_is_not_small() -> None:
    chosen = [
        wiring.make_checker("auto", chat, Settings()).name
        for chat in (None, _chat(is_small=True), _chat())
    ]
    assert chosen == ["rules", "rules", "rules+model"]


@pytest.mark.parametrize(
    "spec", ["", "magic", "rules+magic", "rules+", "nli", "nli:", "rules:x", "rules+rules"]
)
def test_a_wrong_checker_is_refused(spec: str) -> None:
    with pytest.raises(UsageError, match=r"known: rules|names one twice|nli:FOLDER"):
        wiring.make_checker(spec, _chat(), Settings())


@pytest.mark.parametrize(
    ("spec", "asks", "without"),
    [
        ("rules", False, "rules"),
        ("rules+model", True, "rules+model"),
        ("model+nli:a/b+model", True, "model+model"),
        ("nli:a+b/model", False, ""),
        ("nli:org/my+model", True, "model"),
        ("nlimodel", False, "nlimodel"),
    ],
)
def test_the_parts_of_a_checker_say_whether_they_ask_the_model_or_load_one(
    spec: str, asks: bool, without: str
) -> None:
    assert (wiring.asks_model(spec), wiring.without_weights(spec)) == (asks, without)


def test_a_checker_that_needs_a_model_says_so() -> None:
    with pytest.raises(SettingsError, match="--llm"):
        wiring.make_checker("rules+model", None, Settings())


def test_a_small_model_s_default_has_short_prompts_of_ego_graphs() -> None:
    assert [
        wiring.make_profile("default", chat).name for chat in (None, _chat(), _chat(is_small=True))
    ] == ["default", "default", "graph"]
    assert [
        wiring.make_profile(name, _chat(is_small=True)).name for name in ("graph", "paper")
    ] == ["graph", "paper"]


def _chat(is_small: bool = False) -> MeteredChat:
    return MeteredChat(
        FakeChat(is_small=is_small),
        Journal(Path(tempfile.mkdtemp()) / "journal.sqlite"),
        workspace="w",
    )


def test_a_store_of_a_row_alone_is_opened_at_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    def make(address: str, folder: Path, workspace: str, settings: Settings) -> GraphStore:
        opened.append((address, workspace))
        return SqliteStore(folder / "other.sqlite", workspace)

    row = wiring.StoreChoice(make, lambda address: address.partition("?")[0])
    monkeypatch.setattr(address_module, "STORES", {**wiring.STORES, "other": row})
    assert address_module.shown_address("other://here?password=x") == "other://here"
    address_module.open_store(tmp_path, "w", Settings(store="other://here")).close()
    assert opened == [("other://here", "w")]


def test_the_embedded_store_has_one_address() -> None:
    assert address_module.shown_address("sqlite") == "sqlite"
    with pytest.raises(UsageError, match="sqlite alone"):
        address_module.shown_address("sqlite://elsewhere")
