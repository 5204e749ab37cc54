"""Chooses the implementations that a workspace uses: settings and words of the command line in,
objects behind the protocols out.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from dynagrag.config.key_hosts import check_store_host
from dynagrag.config.settings import CHUNK_PROFILES, PROFILES, ChunkProfile, Profile, Settings
from dynagrag.core.errors import SettingsError, UsageError
from dynagrag.core.files.private_files import close_to_others
from dynagrag.core.protocols import (
    Asker,
    ChatModel,
    ClaimChecker,
    Embedder,
    Extractor,
    GraphStore,
    Pruner,
    Retriever,
    Traversal,
)
from dynagrag.core.schema import Snapshot
from dynagrag.generation.claims.combined_checker import CombinedChecker
from dynagrag.generation.claims.model_checker import ModelChecker
from dynagrag.generation.claims.nli_checker import open_nli_checker
from dynagrag.generation.claims.rules_checker import RulesChecker
from dynagrag.generation.traversal import BFS, DSABFS
from dynagrag.graph_store.sqlite_store.store import SqliteStore
from dynagrag.ingest.extract.fast_extractor import FastExtractor
from dynagrag.ingest.extract.llm_extractor import ExtractionOptions, LLMExtractor
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.catalog import CATALOG
from dynagrag.models.chat_models import open_chat_model
from dynagrag.models.embedders import open_embedder
from dynagrag.models.metered_chat import Budget, MeteredChat
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.ego_search import CosineEgoSearch, DiverseEgoSearch
from dynagrag.retrieval.ego.grag_search import GRAG_CUT, GragSearch
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.plain_search import BM25Search, HybridSearch, NaiveSearch, RRFSearch
from dynagrag.retrieval.pruning.no_pruner import NoPruner
from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior
from dynagrag.retrieval.steiner.fact_search import SteinerSearch, TripleSearch
from dynagrag.retrieval.union_search import UnionSearch

EMBEDDED = "sqlite"
"""The address of the embedded store."""
GRAPH_FILE = "graph.sqlite"
"""The embedded store's file in a workspace's folder."""
JOURNAL_FILE = "journal.sqlite"
"""The journal's file there."""


def _sqlite(address: str, folder: Path, workspace: str, settings: Settings) -> GraphStore:
    return SqliteStore(folder / GRAPH_FILE, workspace)


def _sqlite_address(address: str) -> str:
    if address != EMBEDDED:
        raise UsageError(
            f"the embedded store lies in the workspace's folder; its address is {EMBEDDED} alone"
        )
    return address


def _neo4j(address: str, folder: Path, workspace: str, settings: Settings) -> GraphStore:
    from dynagrag.graph_store.neo4j_store.store import Neo4jStore

    check_store_host(settings, address)
    return Neo4jStore(
        address,
        workspace,
        username=settings.neo4j_username,
        password=settings.neo4j_password.get_secret_value() if settings.neo4j_password else "",
        database=settings.neo4j_database,
        cache=folder / "cache.sqlite",
    )


def _neo4j_address(address: str) -> str:
    from dynagrag.graph_store.neo4j_store.connection import checked_address

    return checked_address(address)


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """`open` makes it, of (address, the workspace's folder, its name, settings); `checked_address`
    is the address as it may be shown.

    `checked_address` raises UsageError where the address can't be one, without repeating it.
    """

    open: Callable[[str, Path, str, Settings], GraphStore]
    checked_address: Callable[[str], str]


STORES: Mapping[str, StoreChoice] = {
    EMBEDDED: StoreChoice(_sqlite, _sqlite_address),
    **dict.fromkeys(
        ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"),
        StoreChoice(_neo4j, _neo4j_address),
    ),
}
"""Stores by the scheme of their addresses."""
NO_LLM = (
    "no language model is configured (looked for --llm, DYNAGRAG_LLM, .env and settings.toml); name"
    " one, e.g. --llm openai:NAME or --llm qwen, or make the graph without a model: --extractor"
    " fast"
)


def make_journal(folder: Path) -> Journal:
    """The workspace's own journal: reply cache, ledger, set-aside list, jobs. Others are shut out
    of the folder first.
    """
    close_to_others(folder)
    return Journal(folder / JOURNAL_FILE)


def make_embedder(settings: Settings) -> Embedder:
    """The embedder of the settings."""
    return open_embedder(settings.embedder, settings)


def make_chat_model(settings: Settings) -> ChatModel | None:
    """The language model of the settings; None where none is configured."""
    return open_chat_model(settings.llm, settings) if settings.llm else None


def make_metered(
    model: ChatModel,
    journal: Journal,
    workspace: str,
    max_calls: int | None,
    max_tokens: int | None,
) -> MeteredChat:
    """A model with cache, ledger, budget and repair around it."""
    budget = None if max_calls is None and max_tokens is None else Budget(max_calls, max_tokens)
    return MeteredChat(model, journal, workspace=workspace, budget=budget)


def make_chunk_profile(name: str | None, model: ChatModel | None) -> ChunkProfile:
    """The sizes asked for; by default `small` for small local models."""
    if name is None:
        name = "small" if model is not None and model.is_small else "default"
    if name not in CHUNK_PROFILES:
        raise UsageError(f"unknown chunk profile {name!r}; known: {', '.join(CHUNK_PROFILES)}")
    return CHUNK_PROFILES[name]


def concurrency_of(model: ChatModel | None, settings: Settings) -> int:
    """Calls at once: one for a model on this machine, which answers one at a time anyway."""
    return 1 if runs_here(model) else settings.max_concurrency


def runs_here(model: ChatModel | None) -> bool:
    """Whether a model runs in this process, so that a call costs nothing but time."""
    return model is not None and (
        model.name in CATALOG or model.name.startswith(("gguf:", "local:"))
    )


def make_profile(name: str, chat: Asker | ChatModel | None = None) -> Profile:
    """The answering profile asked for; `default` is `graph` for a small model, which loses its way
    in one long prompt.
    """
    if name not in PROFILES:
        raise UsageError(f"unknown profile {name!r}; known: {', '.join(PROFILES)}")
    return PROFILES["graph" if name == "default" and chat is not None and chat.is_small else name]


T = TypeVar("T")
C = TypeVar("C", bound="Choice[Any]")


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """What a user may name: one line on what it is, and what makes it."""

    what: str
    make: T


MakeExtractor = Callable[
    [MeteredChat | None, ChatModel | None, ChunkProfile, ExtractionOptions, Settings], Extractor
]
MakeIndex = Callable[[Profile], EgoIndex]
"""The ego-graphs of a snapshot, cut and pooled as a profile has it."""
MakeRetriever = Callable[[Snapshot, Profile, PassageScores, MakeIndex], Retriever]


def _never(profile: Profile) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class RetrieverChoice(Choice[MakeRetriever]):
    """`reads_steps`: whether it ranks passages by the steps of a split question too,
    `brings_subgraphs`: whether it brings any, under a profile.
    """

    reads_steps: Callable[[Profile], bool] = _never
    brings_subgraphs: Callable[[Profile], bool] = _never


@dataclass(frozen=True, slots=True)
class ExtractorChoice(Choice[MakeExtractor]):
    """`needs_model`: whether a language model is opened for it. `takes_imported`: whether it reads
    passages with their extractions.
    """

    needs_model: bool = False
    takes_imported: bool = False


def _has_bridge(profile: Profile) -> bool:
    return profile.passage_ranking == "bridge"


def _ego(kind: type[DiverseEgoSearch]) -> MakeRetriever:
    def make(
        snapshot: Snapshot, profile: Profile, passages: PassageScores, make_index: MakeIndex
    ) -> Retriever:
        ranker = BridgeSearch(snapshot, passages) if _has_bridge(profile) else None
        index = make_index(profile) if profile.has_ego_graphs else None
        return kind(snapshot, index, profile, passages, ranker)

    return make


def _grag(
    snapshot: Snapshot, profile: Profile, passages: PassageScores, make_index: MakeIndex
) -> Retriever:
    return GragSearch(snapshot, make_index(GRAG_CUT), profile, passages)


def _union(
    snapshot: Snapshot, profile: Profile, passages: PassageScores, make_index: MakeIndex
) -> Retriever:
    return UnionSearch(
        snapshot, BridgeSearch(snapshot, passages), SteinerSearch(snapshot, passages), passages
    )


def _has_ego_graphs(profile: Profile) -> bool:
    return profile.has_ego_graphs


def _of_passages(kind: Callable[[Snapshot, PassageScores], Retriever]) -> MakeRetriever:
    return lambda snapshot, profile, passages, make_index: kind(snapshot, passages)


def _always(profile: Profile) -> bool:
    return True


RETRIEVERS: Mapping[str, RetrieverChoice] = {
    "dynagrag": RetrieverChoice(
        "passages, and diverse ego-graphs where the profile has them",
        _ego(DiverseEgoSearch),
        _has_bridge,
        _has_ego_graphs,
    ),
    "dynagrag-cosine": RetrieverChoice(
        "the same, ego-graphs without diversity",
        _ego(CosineEgoSearch),
        _has_bridge,
        _has_ego_graphs,
    ),
    "bridge-ppr": RetrieverChoice("passages alone", _of_passages(BridgeSearch), _always),
    "pcst": RetrieverChoice(
        "G-Retriever's Steiner tree of entities and facts",
        _of_passages(SteinerSearch),
        brings_subgraphs=_always,
    ),
    "triples": RetrieverChoice(
        "the facts nearest the question, as KAPING has them",
        _of_passages(TripleSearch),
        brings_subgraphs=_always,
    ),
    "grag": RetrieverChoice(
        "GRAG's ego-graphs, by the mean of all their entities and facts",
        _grag,
        brings_subgraphs=_always,
    ),
    "union": RetrieverChoice(
        "passages of bridge-ppr and of pcst in turn, beside the tree",
        _union,
        brings_subgraphs=_always,
    ),
    "naive": RetrieverChoice("vectors", _of_passages(NaiveSearch)),
    "bm25": RetrieverChoice("words", _of_passages(BM25Search)),
    "hybrid": RetrieverChoice("scores of vectors and words, added", _of_passages(HybridSearch)),
    "rrf": RetrieverChoice("ranks by vectors and words, added", _of_passages(RRFSearch)),
}
TRAVERSALS: Mapping[str, Choice[Callable[[Profile], Traversal]]] = {
    "dsa-bfs": Choice(
        "near the question first",
        lambda profile: DSABFS(profile.level_penalty, profile.walk_follows_pruner),
    ),
    "bfs": Choice("level by level", lambda profile: BFS()),
}
PRUNERS: Mapping[str, Choice[Callable[[], Pruner]]] = {
    "none": Choice("all alike", NoPruner),
    "prior": Choice("by distance to the question, nothing learned", UntrainedPrior),
}
"""Those that need no training; a workspace's trained one is `workspace.workspace_pruner`'s
business.
"""


def _llm_extractor(
    chat: MeteredChat | None,
    model: ChatModel | None,
    profile: ChunkProfile,
    options: ExtractionOptions,
    settings: Settings,
) -> Extractor:
    if chat is None or model is None:
        raise SettingsError(NO_LLM)
    return LLMExtractor(chat, model.identity, profile, options, concurrency_of(model, settings))


def _no_file_extractor(*_: object) -> Extractor:
    raise UsageError("chunks of a given file are not extracted alone; ingest the file again")


EXTRACTORS: Mapping[str, ExtractorChoice] = {
    "llm": ExtractorChoice("a language model", _llm_extractor, needs_model=True),
    "fast": ExtractorChoice("names and words, without a model", lambda *_: FastExtractor()),
    "file": ExtractorChoice(
        "JSON lines with your own triples", _no_file_extractor, takes_imported=True
    ),
}


def _chosen(kind: str, name: str, choices: Mapping[str, C]) -> C:
    if name not in choices:
        known = ", ".join(f"{known} ({choice.what})" for known, choice in choices.items())
        raise UsageError(f"unknown {kind} {name!r}; known: {known}")
    return choices[name]


def extractor_choice(kind: str) -> ExtractorChoice:
    """What is known of an extractor before it is made."""
    return _chosen("extractor", kind, EXTRACTORS)


def make_extractor(
    kind: str,
    chat: MeteredChat | None,
    model: ChatModel | None,
    profile: ChunkProfile,
    options: ExtractionOptions,
    settings: Settings,
) -> Extractor:
    """The extractor asked for."""
    return extractor_choice(kind).make(chat, model, profile, options, settings)


def make_retriever(
    name: str, snapshot: Snapshot, profile: Profile, passages: PassageScores, make_index: MakeIndex
) -> Retriever:
    """The retriever asked for; the ego-graph index is made only for those that use it."""
    return _chosen("retriever", name, RETRIEVERS).make(snapshot, profile, passages, make_index)


def can_split(retriever: str, profile: str) -> bool:
    """Whether a retriever ranks passages by the steps of a question that was split too."""
    return _chosen("retriever", retriever, RETRIEVERS).reads_steps(make_profile(profile))


def brings_subgraphs(retriever: str, profile: Profile) -> bool:
    """Whether a retriever brings subgraphs, which a pruner scores."""
    return _chosen("retriever", retriever, RETRIEVERS).brings_subgraphs(profile)


def make_traversal(name: str, profile: Profile) -> Traversal:
    """The traversal asked for."""
    return _chosen("traversal", name, TRAVERSALS).make(profile)


def make_pruner(name: str = "prior") -> Pruner:
    """The untrained pruner asked for."""
    return _chosen("pruner", name, PRUNERS).make()


MakeChecker = Callable[[str, Asker | None, Settings], ClaimChecker]
"""Of what stands after the name's colon, the language model, and settings."""


def _model_checker(rest: str, chat: Asker | None, settings: Settings) -> ClaimChecker:
    if chat is None:
        raise SettingsError(f"checking claims by `model`: {NO_MODEL_TO_CHECK}")
    return ModelChecker(chat)


@dataclass(frozen=True, slots=True)
class CheckerChoice(Choice[MakeChecker]):
    """`asks_model`: whether it asks the language model. `loads_weights`: whether it loads a model
    of its own, whose place is given.
    """

    asks_model: bool = False
    loads_weights: bool = False


CHECKERS: Mapping[str, CheckerChoice] = {
    "rules": CheckerChoice(
        "numbers, names, denials and words, without a model", lambda *_: RulesChecker()
    ),
    "model": CheckerChoice("the language model", _model_checker, asks_model=True),
    "nli": CheckerChoice(
        "nli:FOLDER or nli:HUB-ID, a sequence classifier",
        lambda rest, chat, settings: open_nli_checker(rest, settings),
        loads_weights=True,
    ),
}
NO_MODEL_TO_CHECK = (
    "no language model is configured; name one, e.g. --llm openai:NAME or --llm qwen, or check by"
    " `rules` alone"
)
AUTO = "auto"
"""Rules, and a language model that is not small: docs/decisions.md, Checkers of claims."""
_NEXT_CHECKER = re.compile(rf"\+(?=(?:{'|'.join(CHECKERS)})(?:[+:]|$))")


def chosen_checker(spec: str, chat: Asker | ChatModel | None) -> str:
    """The names behind `auto`: the rules, and a language model where there is one that isn't
    small.
    """
    return spec if spec != AUTO else "rules" if chat is None or chat.is_small else "rules+model"


def asks_model(spec: str) -> bool:
    """Whether a checker, which isn't `auto`, asks the language model."""
    return any(
        (choice := CHECKERS.get(name.partition(":")[0])) and choice.asks_model
        for name in _NEXT_CHECKER.split(spec)
    )


def without_weights(spec: str) -> str:
    """The same checker without its parts that load a model of their own: it asks the language model
    as often.
    """
    names = _NEXT_CHECKER.split(spec)
    return "+".join(
        name
        for name in names
        if not ((choice := CHECKERS.get(name.partition(":")[0])) and choice.loads_weights)
    )


def make_checker(spec: str, chat: Asker | None, settings: Settings) -> ClaimChecker:
    """The checker of claims asked for: names of `CHECKERS` with + between them, or `auto`, the best
    that was measured for what is there.

    Raises UsageError for a name that is none, SettingsError where a model is missing.
    """
    names = _NEXT_CHECKER.split(chosen_checker(spec, chat))
    if len(set(names)) < len(names):
        raise UsageError(f"checker {spec!r} names one twice; name each once, with + between them")
    made = [_made_checker(name, chat, settings) for name in names]
    return made[0] if len(made) == 1 else CombinedChecker(made)


def _made_checker(spec: str, chat: Asker | None, settings: Settings) -> ClaimChecker:
    name, _, rest = spec.partition(":")
    needs_weights = name in CHECKERS and CHECKERS[name].loads_weights
    if needs_weights and not rest:
        raise UsageError(
            f"checker `{name}` needs a classifier: nli:FOLDER, or nli:HUB-ID, e.g."
            " nli:cross-encoder/nli-deberta-v3-small"
        )
    is_whole = bool(rest) == needs_weights  # else something stands behind another name
    return _chosen("checker", name if is_whole else f"{name}:{rest}", CHECKERS).make(
        rest, chat, settings
    )
