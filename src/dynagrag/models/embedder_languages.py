"""Which embedders were trained on English alone, and what to take for other languages.

Of an embedder that isn't in the catalogue nothing is known, and nothing is said.
"""

from collections.abc import Sequence

from dynagrag.core.embedder_names import name_without_prefix
from dynagrag.models.known_embedders import KNOWN_EMBEDDERS, known_by_name

_ENGLISH = "English"
_SERVER = "openai:"


def is_english_alone(embedder: str) -> bool:
    """Whether vectors of this name are of an embedder that was trained on English alone."""
    row = known_by_name(_own_name(embedder))
    return row is not None and row.languages == _ENGLISH


def other_languages_line(embedder: str, languages: Sequence[str], workspace: str = "") -> str:
    """That such an embedder finds less in these languages (their names), and the command that
    changes it. `workspace`: its name, where the command needs one.
    """
    several = next(row for row in KNOWN_EMBEDDERS.values() if row.languages != _ENGLISH)
    where = f" -w {workspace}" if workspace else ""
    return (
        f"the embedder {_own_name(embedder)} was trained on English and finds less in"
        f" {_enumerated(languages)}; `dynagrag embedder use {several.name}{where}` takes one for"
        f" {several.languages} (a download of {several.size_bytes / 1e6:,.0f} MB)"
    )


def _enumerated(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _own_name(embedder: str) -> str:
    return name_without_prefix(embedder).removeprefix(_SERVER)
