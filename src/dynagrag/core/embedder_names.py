"""The names that vectors are stored under: an embedder's own, and the document prefix that was set,
which makes other vectors.
"""

_PREFIX = " prefix="


def stored_name(embedder: str, document_prefix: str | None) -> str:
    """The name of an embedder's vectors. `document_prefix` None: none was set."""
    return embedder if document_prefix is None else f"{embedder}{_PREFIX}{document_prefix!r}"


def name_without_prefix(stored: str) -> str:
    """The embedder's own name in that of its vectors."""
    return stored.partition(_PREFIX)[0]
