"""Which embedders were trained on English alone, and what to take for other languages.

Of an embedder that isn't in the catalogue nothing is known, and nothing is said.
"""

from collections.abc import Sequence

from dynagrag.core.embedder_names import name_without_prefix
from dynagrag.models.known_embedders import KNOWN_EMBEDDERS, KnownEmbedder, known_by_name

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
    return (
        f"the embedder {_own_name(embedder)} was trained on English and finds less in"
        f" {_enumerated(languages)}; {_command(workspace)} takes one for"
        f" {_several().languages} (a download of {_several().size_bytes / 1e6:,.0f} MB)"
    )


def languages_apart_line(question: str, lines: str, workspace: str = "") -> str:
    """That a question is in another language than the lines shown for it (their names), and what
    finds more.
    """
    return (
        f"{languages_apart_note(question, lines)} ({_command(workspace)}, a download of"
        f" {_several().size_bytes / 1e6:,.0f} MB)"
    )


def languages_apart_note(question: str, lines: str) -> str:
    """The same without the command; empty without languages."""
    if not question:
        return ""
    return (
        f"the question is in {question}, these lines in {lines}: ask in {lines}, or take a"
        " multilingual embedder"
    )


def _several() -> KnownEmbedder:
    """The catalogue's first embedder of several languages."""
    return next(row for row in KNOWN_EMBEDDERS.values() if row.languages != _ENGLISH)


def _command(workspace: str) -> str:
    where = f" -w {workspace}" if workspace else ""
    return f"`dynagrag embedder use {_several().name}{where}`"


def _enumerated(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _own_name(embedder: str) -> str:
    return name_without_prefix(embedder).removeprefix(_SERVER)
