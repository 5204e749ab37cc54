"""The protocols that an application's own stores and models implement, by their public name."""

from dynagrag.core.protocols import (
    Asker,
    ChatModel,
    ClaimChecker,
    Embedder,
    Extractor,
    FirstWordModel,
    GraphStore,
    ModelReply,
    Prompt,
    Pruner,
    Retriever,
    Traversal,
)

__all__ = [
    "Asker",
    "ChatModel",
    "ClaimChecker",
    "Embedder",
    "Extractor",
    "FirstWordModel",
    "GraphStore",
    "ModelReply",
    "Prompt",
    "Pruner",
    "Retriever",
    "Traversal",
]
