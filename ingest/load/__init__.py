"""Reads transcripts and documents into turns: find the files, tell each one's format by its
content, what it says as turns.

`load_source` never raises for a bad file: what could not be read is a `LoadedSource` with its
reason in `refused`.
"""

from dynagrag.ingest.load.read import file_sha256, inspect_row, load_source
from dynagrag.ingest.load.sources import FoundSources, find_sources
from dynagrag.ingest.load.whole_turns import turns_of

__all__ = [
    "FoundSources",
    "file_sha256",
    "find_sources",
    "inspect_row",
    "load_source",
    "turns_of",
]
