"""The only module that names every implementation: settings and words of the command line in, objects behind the protocols out."""

from collections.abc import Callable
from pathlib import Path

from dynagrag.errors import SettingsError, UsageError
from dynagrag.generation.traversal import BFS, DSABFS
from dynagrag.graph_store.sqlite_store import SqliteStore
from dynagrag.ingest.extract import ExtractionOptions, LLMExtractor
from dynagrag.ingest.fast import FastExtractor
from dynagrag.models.catalog import CATALOG
from dynagrag.models.chat import open_chat_model
from dynagrag.models.embedders import open_embedder
from dynagrag.models.journal import Journal
from dynagrag.models.metered import Budget, MeteredChat
from dynagrag.protocols import ChatModel, Embedder, Extractor, GraphStore, Pruner, Retriever, Traversal
from dynagrag.retrieval.arms import DynaGrag, DynaGragCosine
from dynagrag.retrieval.bridge_arm import BridgeSearch
from dynagrag.retrieval.ego_index import EgoIndex
from dynagrag.retrieval.passages import PassageScores
from dynagrag.retrieval.plain import BM25Search, HybridSearch, NaiveSearch, RRFSearch
from dynagrag.retrieval.prune import UntrainedPrior
from dynagrag.schema import Snapshot
from dynagrag.settings import CHUNK_PROFILES, PROFILES, ChunkProfile, Profile, Settings

RETRIEVERS = ("dynagrag", "dynagrag-cosine", "bridge-ppr", "naive", "bm25", "hybrid", "rrf")
TRAVERSALS = ("dsa-bfs", "bfs")
EXTRACTORS = ("llm", "fast", "file")
EMBEDDED = "sqlite"
_NEO4J_SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
_GRAPH_FILE = "graph.sqlite"
_ADDRESS_FILE = "store"
NO_LLM = (
    "no language model is configured (looked for --llm, DYNAGRAG_LLM, .env and settings.toml); "
    "name one, e.g. --llm openai:NAME or --llm qwen, or make the graph without a model: --extractor fast"
)


def has_store(folder: Path) -> bool:
    """Whether a workspace is in a folder, or its store's address."""
    return (folder / _GRAPH_FILE).is_file() or (folder / _ADDRESS_FILE).is_file()


def has_embedded(folder: Path) -> bool:
    """Whether an embedded store's file is in a folder."""
    return (folder / _GRAPH_FILE).is_file()


def shown_address(address: str) -> str:
    """An address as it may be shown: scheme, host and port. UsageError where it is none, without repeating it."""
    if address == EMBEDDED:
        return address
    if address.partition("://")[0] not in _NEO4J_SCHEMES:
        raise UsageError(f"that store's address lacks its scheme; write {EMBEDDED}, or an address such as bolt://HOST:7687")
    from dynagrag.graph_store.neo4j_connection import checked_address

    return checked_address(address)


def store_address(folder: Path, settings: Settings) -> str:
    """Where a workspace's graph lives: what was asked for, else where it was last, else NEO4J_URI for a new one, else `sqlite`."""
    if settings.store is not None:
        return settings.store
    if (folder / _ADDRESS_FILE).is_file():
        return (folder / _ADDRESS_FILE).read_text(encoding="utf-8").strip()
    if (folder / _GRAPH_FILE).is_file() or settings.neo4j_uri is None:
        return EMBEDDED
    return settings.neo4j_uri


def make_store(folder: Path, workspace: str, settings: Settings) -> GraphStore:
    """The workspace's graph store, in the folder or at the settings' address."""
    address = store_address(folder, settings)
    shown_address(address)
    store: GraphStore
    if address == EMBEDDED:
        store = SqliteStore(folder / _GRAPH_FILE, workspace)
    else:
        from dynagrag.graph_store.neo4j_store import Neo4jStore

        store = Neo4jStore(
            address,
            workspace,
            username=settings.neo4j_username,
            password=settings.neo4j_password.get_secret_value() if settings.neo4j_password else "",
            database=settings.neo4j_database,
            cache=folder / "cache.sqlite",
        )
    return store


def remember_store(folder: Path, settings: Settings) -> None:
    """Keeps a workspace's address for commands that don't name one."""
    address = store_address(folder, settings)
    path = folder / _ADDRESS_FILE
    if (settings.store is not None or address != EMBEDDED) and (not path.is_file() or path.read_text(encoding="utf-8").strip() != address):
        path.write_text(f"{address}\n", encoding="utf-8")


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
        arm = DynaGrag if name == "dynagrag" else DynaGragCosine
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
