"""The tables of what a user may name: each row makes what it says, and is told where a name is
wrong and in the help.
"""

import re
import subprocess
import sys
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
from dynagrag.graph_store.sqlite_store.sqlite_store import SqliteStore
from dynagrag.ingest.extract.llm_extractor import ExtractionOptions
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.registry import stores
from dynagrag.registry.checkers import CHECKERS
from dynagrag.registry.choices import Choice, Use, names_for
from dynagrag.registry.extractors import EXTRACTORS
from dynagrag.registry.profiles import PROFILE_ROWS
from dynagrag.registry.pruners import PRUNERS
from dynagrag.registry.retrievers import RETRIEVERS
from dynagrag.registry.stores import STORES, StoreAddress, StoreChoice
from dynagrag.registry.traversals import TRAVERSALS
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.grag_search import GRAG_CUT
from dynagrag.retrieval.passages import PassageScores
from dynagrag.workspace.address import open_store

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


@pytest.mark.parametrize("name", RETRIEVERS)
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
        assert asked == ([GRAG_CUT] if name == "grag" else [profile] if name in USES_INDEX else [])


@pytest.mark.parametrize("name", TRAVERSALS)
def test_a_traversal_has_the_name_of_its_row(name: str) -> None:
    assert wiring.make_traversal(name, PROFILES["default"]).name == name


def test_steps_of_a_question_are_read_where_bridge_ppr_ranks() -> None:
    able = {
        (name, profile)
        for name in RETRIEVERS
        for profile in PROFILES
        if wiring.can_split(name, PROFILES[profile])
    }
    own = {
        (name, profile)
        for name in ("dynagrag", "dynagrag-cosine")
        for profile in ("default", "graph", "global")
    }
    assert able == own | {("bridge-ppr", profile) for profile in PROFILES}


def test_a_model_is_opened_for_the_extractor_that_asks_one_alone() -> None:
    assert [name for name, row in EXTRACTORS.items() if row.needs_model] == ["llm"]
    assert [name for name, row in EXTRACTORS.items() if row.takes_imported] == ["file"]
    assert wiring.extractor_choice("gliner:any/hub-name").name == "gliner"


def test_extractors_are_made_or_say_what_they_lack() -> None:
    rest = (None, None, CHUNK_PROFILES["default"], ExtractionOptions(), Settings())
    assert wiring.make_extractor("fast", *rest).name == "fast-4"
    with pytest.raises(SettingsError, match="no language model"):
        wiring.make_extractor("llm", *rest)
    with pytest.raises(UsageError, match="ingest the file again"):
        wiring.make_extractor("file", *rest)


@pytest.mark.parametrize(
    ("table", "make"),
    [
        (RETRIEVERS, lambda: wiring.can_split("magic", PROFILES["default"])),
        (TRAVERSALS, lambda: wiring.make_traversal("magic", PROFILES["default"])),
        (PRUNERS, lambda: wiring.make_pruner("magic")),
        (
            EXTRACTORS,
            lambda: wiring.make_extractor(
                "magic", None, None, CHUNK_PROFILES["default"], ExtractionOptions(), Settings()
            ),
        ),
    ],
)
def test_an_unknown_name_is_told_every_row_and_what_it_is(
    table: Mapping[str, Choice[Any]], make: Any
) -> None:
    with pytest.raises(UsageError) as caught:
        make()
    assert "magic" in str(caught.value)
    assert all(f"{name} ({row.sentence}" in str(caught.value) for name, row in table.items())


@pytest.mark.parametrize(
    ("command", "option", "table"),
    [
        ("ask", "retriever", RETRIEVERS),
        ("ask", "traversal", TRAVERSALS),
        ("ask", "pruner", PRUNERS),
        ("ask", "profile", PROFILE_ROWS),
        ("ingest", "extractor", EXTRACTORS),
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


def test_a_small_model_s_default_looks_first_at_the_best_lines() -> None:
    assert [
        wiring.make_profile("default", chat).stops_early
        for chat in (None, _chat(), _chat(is_small=True))
    ] == [False, False, True]
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

    row = StoreChoice(
        name="other",
        sentence="another",
        label="Another",
        make=make,
        product="Other",
        schemes=("other",),
        example="other://HOST",
        checked_address=lambda address: address.partition("?")[0],
    )
    monkeypatch.setitem(stores.STORES, "other", row)
    assert StoreAddress("other://here?password=x").shown == "other://here"
    open_store(tmp_path, "w", Settings(store="other://here")).close()
    assert opened == [("other://here", "w")]


def test_the_embedded_store_has_one_address() -> None:
    assert StoreAddress("sqlite").shown == "sqlite"
    assert [StoreAddress(text).is_embedded for text in ("sqlite", "sqlite://elsewhere")] == [
        True,
        False,
    ]
    with pytest.raises(UsageError, match="sqlite alone"):
        _ = StoreAddress("sqlite://elsewhere").shown


@pytest.mark.parametrize("text", ["", "here", "http://here", "://", "SQLITE"])
def test_an_address_of_no_store_is_told_what_one_looks_like(text: str) -> None:
    with pytest.raises(UsageError, match=r"write sqlite, or an address such as bolt://HOST:7687$"):
        _ = StoreAddress(text).shown


def test_every_row_of_every_table_has_its_words_and_is_used_somewhere() -> None:
    tables: tuple[Mapping[str, Choice[Any]], ...] = (
        CHECKERS,
        EXTRACTORS,
        PROFILE_ROWS,
        PRUNERS,
        RETRIEVERS,
        STORES,
        TRAVERSALS,
    )
    for rows in tables:
        labels = [row.label for row in rows.values()]
        assert len(set(labels)) == len(labels)  # a box of the app knows a choice by its label
        for name, row in rows.items():
            assert (row.name, bool(row.sentence), row.sentence[-1:] in ".,;") == (name, True, False)
            assert row.uses


def test_every_profile_has_its_words() -> None:
    assert {name: row.make() for name, row in PROFILE_ROWS.items()} == PROFILES


def test_words_are_read_without_any_implementation() -> None:
    code = (
        "import sys, pkgutil, importlib, dynagrag.registry as r\n"
        "for m in pkgutil.iter_modules(r.__path__):"
        " importlib.import_module(f'dynagrag.registry.{m.name}')\n"
        "print([m for m in sys.modules if m in ('numpy', 'pydantic') or m.startswith('dynagrag.')"
        " and m.split('.')[1] not in ('core', 'config', 'registry', 'moved_modules')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_name_is_offered_only_where_it_may_be_used() -> None:
    for use, offered, other in (
        (Use.SET, "fast", "llm"),
        (Use.APP, "llm", "file"),
        (Use.COMMAND, "file", None),
    ):
        names = names_for(EXTRACTORS, use)
        assert offered in names
        assert other not in names
    assert "dynagrag" not in names_for(RETRIEVERS, Use.ARM)
