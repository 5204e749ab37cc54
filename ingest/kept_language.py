"""The language that a person named for a document, which stays with later versions of its file."""

from collections.abc import Mapping
from dataclasses import replace

from dynagrag.core.schema import LANGUAGE_KEY, Document

_KEY = "given_language"
"""In a document's meta."""


def kept_language(meta: Mapping[str, str]) -> str:
    """The code (ISO 639-1) that a person named; empty where it is as found."""
    return meta.get(_KEY, "")


def in_language(document: Document, code: str) -> Document:
    """The document in a language that a person named; as it is where that is empty."""
    if not code:
        return document
    return replace(document, meta={**document.meta, LANGUAGE_KEY: code, _KEY: code})
