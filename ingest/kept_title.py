"""The title that a person gave a document, which stays with later versions of its file."""

from collections.abc import Mapping
from dataclasses import replace

from dynagrag.core.schema import Document

_KEY = "given_title"
"""In a document's meta."""


def kept_title(meta: Mapping[str, str]) -> str:
    """The title that a person gave; empty where the document has its file's own."""
    return meta.get(_KEY, "")


def titled(document: Document, title: str) -> Document:
    """The document under a person's title; as it is where that is empty."""
    if not title:
        return document
    return replace(document, title=title, meta={**document.meta, _KEY: title})
