"""A file of a test's own, as the loader reads it."""

import json
from pathlib import Path
from typing import Any

from dynagrag.core.schema import LoadedSource
from dynagrag.ingest.load import load_source

Row = tuple[str | None, float | None, float | None, str]


def load(folder: Path, name: str, content: Any) -> LoadedSource:
    """Text as it stands, anything else as JSON."""
    path = folder / name
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return load_source(path)


def rows(source: LoadedSource) -> list[Row]:
    """Who says what, from when until when."""
    assert source.refused is None, source.refused
    return [(turn.speaker, turn.start_s, turn.end_s, turn.text) for turn in source.turns]
