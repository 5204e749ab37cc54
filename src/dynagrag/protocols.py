"""The protocols that an application's own stores and models implement, by their public name."""

from dynagrag.core.protocols import (
    Asker,
    ChatModel,
    ClaimChecker,
    DerivedGraph,
    Embedder,
    Extractor,
    FirstWordModel,
    GraphStore,
    ModelReply,
    Prompt,
    Pruner,
    RecordStore,
    Retriever,
    StoreUpkeep,
    Traversal,
    VectorStore,
)

__all__ = [
    "Asker",
    "ChatModel",
    "ClaimChecker",
    "DerivedGraph",
    "Embedder",
    "Extractor",
    "FirstWordModel",
    "GraphStore",
    "ModelReply",
    "Prompt",
    "Pruner",
    "RecordStore",
    "Retriever",
    "StoreUpkeep",
    "Traversal",
    "VectorStore",
]
