"""The only module that names every implementation: settings and words of the command line in, objects behind the protocols out."""

from collections.abc import Callable, Mapping
from pathlib import Path

from dynagrag.errors import SettingsError, UsageError
from dynagrag.generation.traversal import BFS, DSABFS
from dynagrag.graph_store.sqlite_store.store import SqliteStore
from dynagrag.ingest.extract.fast_extractor import FastExtractor
from dynagrag.ingest.extract.llm_extractor import ExtractionOptions, LLMExtractor
from dynagrag.journal.journal import Journal
from dynagrag.models.catalog import CATALOG
from dynagrag.models.chat import open_chat_model
from dynagrag.models.embedders import open_embedder
from dynagrag.models.metered import Budget, MeteredChat
from dynagrag.protocols import ChatModel, Embedder, Extractor, GraphStore, Pruner, Retriever, Traversal
from dynagrag.retrieval.bridge.bridge_search import BridgeSearch
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.ego.ego_search import CosineEgoSearch, DiverseEgoSearch
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.plain_search import BM25Search, HybridSearch, NaiveSearch, RRFSearch
from dynagrag.retrieval.prune import UntrainedPrior
from dynagrag.schema import Snapshot
from dynagrag.settings import CHUNK_PROFILES, PROFILES, ChunkProfile, Profile, Settings

EMBEDDED = "sqlite"
"""The address of the embedded store."""
GRAPH_FILE = "graph.sqlite"
"""The embedded store's file in a workspace's folder."""


def _sqlite(address: str, folder: Path, workspace: str, settings: Settings) -> GraphStore:
    return SqliteStore(folder / GRAPH_FILE, workspace)


def _neo4j(address: str, folder: Path, workspace: str, settings: Settings) -> GraphStore:
    from dynagrag.graph_store.neo4j_store.store import Neo4jStore

    return Neo4jStore(
        address,
        workspace,
        username=settings.neo4j_username,
        password=settings.neo4j_password.get_secret_value() if settings.neo4j_password else "",
        database=settings.neo4j_database,
        cache=folder / "cache.sqlite",
    )


STORES: Mapping[str, Callable[[str, Path, str, Settings], GraphStore]] = {
    EMBEDDED: _sqlite,
    **dict.fromkeys(("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"), _neo4j),
}
"""What opens a store, of (address, the workspace's folder, its name, settings), by the scheme of its address."""
RETRIEVERS = ("dynagrag", "dynagrag-cosine", "bridge-ppr", "naive", "bm25", "hybrid", "rrf")
TRAVERSALS = ("dsa-bfs", "bfs")
EXTRACTORS = ("llm", "fast", "file")
NO_LLM = (
    "no language model is configured (looked for --llm, DYNAGRAG_LLM, .env and settings.toml); "
    "name one, e.g. --llm openai:NAME or --llm qwen, or make the graph without a model: --extractor fast"
)


def make_journal(folder: Path) -> Journal:
    """The workspace's own journal: reply cache, ledger, set-aside list, jobs."""
    return Journal(folder / "journal.sqlite")


def make_embedder(settings: Settings) -> Embedder:
    """The embedder of the settings."""
    return open_embedder(settings.embedder, settings)


def make_chat_model(settings: Settings) -> ChatModel | None:
    """The language model of the settings; None where none is configured."""
    return open_chat_model(settings.llm, settings) if settings.llm else None


def make_metered(model: ChatModel, journal: Journal, workspace: str, max_calls: int | None, max_tokens: int | None) -> MeteredChat:
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
    is_here = model is not None and (model.name in CATALOG or model.name.startswith(("gguf:", "local:")))
    return 1 if is_here else settings.max_concurrency


def make_extractor(
    kind: str, chat: MeteredChat | None, model: ChatModel | None, profile: ChunkProfile, options: ExtractionOptions, settings: Settings
) -> Extractor:
    """The extractor asked for."""
    if kind == "fast":
        return FastExtractor()
    if kind == "file":
        raise UsageError("chunks of a given file are not extracted alone; ingest the file again")
    if kind != "llm":
        raise UsageError(f"unknown extractor {kind!r}; known: {', '.join(EXTRACTORS)}")
    if chat is None or model is None:
        raise SettingsError(NO_LLM)
    return LLMExtractor(chat, model.identity, profile, options, concurrency_of(model, settings))


def make_profile(name: str) -> Profile:
    """The answering profile asked for."""
    if name not in PROFILES:
        raise UsageError(f"unknown profile {name!r}; known: {', '.join(PROFILES)}")
    return PROFILES[name]


def make_retriever(
    name: str, snapshot: Snapshot, profile: Profile, passages: PassageScores, make_index: Callable[[], EgoIndex]
) -> Retriever:
    """The retrieval arm asked for; the ego-graph index is made only for arms that use it."""
    if name in ("dynagrag", "dynagrag-cosine"):
        ranker = BridgeSearch(snapshot, passages) if profile.passage_ranking == "bridge" else None
        arm = DiverseEgoSearch if name == "dynagrag" else CosineEgoSearch
        return arm(snapshot, make_index(), profile, passages, ranker)
    if name == "bridge-ppr":
        return BridgeSearch(snapshot, passages)
    if name == "naive":
        return NaiveSearch(snapshot, passages)
    if name == "bm25":
        return BM25Search(snapshot, passages)
    if name == "hybrid":
        return HybridSearch(snapshot, passages)
    if name == "rrf":
        return RRFSearch(snapshot, passages)
    raise UsageError(f"unknown retriever {name!r}; known: {', '.join(RETRIEVERS)}")


def can_split(retriever: str, profile: str) -> bool:
    """Whether a retriever ranks passages by the steps of a question that was split too."""
    is_ranking = make_profile(profile).passage_ranking == "bridge"
    return retriever == "bridge-ppr" or (retriever in ("dynagrag", "dynagrag-cosine") and is_ranking)


def make_traversal(name: str, profile: Profile) -> Traversal:
    """The traversal asked for."""
    if name == "bfs":
        return BFS()
    if name == "dsa-bfs":
        return DSABFS(level_penalty=profile.level_penalty)
    raise UsageError(f"unknown traversal {name!r}; known: {', '.join(TRAVERSALS)}")


def make_pruner() -> Pruner:
    """The pruner: an untrained prior, labelled as such."""
    return UntrainedPrior()
