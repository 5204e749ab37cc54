"""The language of each file before its ingest: as it was found, and another one that a visitor
picks.
"""

from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from dynagrag.core.schema import Document
from dynagrag.ingest.kept_language import kept_language
from dynagrag.ingest.plan import uri_of
from dynagrag.language.identification import UNKNOWN
from dynagrag.ui import state
from dynagrag.ui.ingest.source_reading import SourceRow
from dynagrag.ui.ingest.sources_view import pick_row
from dynagrag.ui.language_box import pick_language

_STATE = "file_languages"


def languages_of(rows: Sequence[SourceRow], documents: Iterable[Document]) -> dict[str, str]:
    """The code of each file that was read, by its path: as it was picked here, else as a person
    named it before, else as it was found.
    """
    kept: dict[str, str] = {}
    for document in documents:
        if code := kept_language(document.meta):
            kept |= {document.uri: code, document.sha256: code}
    picked = state.remembered(_STATE, {})
    return {
        row.path: picked.get(row.name)
        or kept.get(row.sha256)
        or kept.get(uri_of(row.path))
        or row.language
        for row in rows
        if not row.refused
    }


def ask(rows: Sequence[SourceRow], codes: Mapping[str, str]) -> dict[str, str]:
    """A box for the file that is picked; the codes that were picked here so far, by the names of
    the files. `codes`: by path, as they are now.
    """
    read = [row for row in rows if not row.refused]
    if read:
        with st.expander("Languages: correct what was found"):
            # those that couldn't be told first: they need a person most
            row = pick_row(sorted(read, key=lambda r: codes[r.path] != UNKNOWN), key="language_of")
            own = codes[row.path]
            chosen = pick_language(
                own,
                help="Its sentences are parted by this language's rules, and its words are searched"
                " by its stems.",
                key=f"language_{row.path}",
            )
            if chosen is not None and chosen != own:
                state.remember(_STATE, state.remembered(_STATE, {}) | {row.name: chosen})
                st.rerun()  # the table above shows it
    names = {row.name for row in read}
    picked: dict[str, str] = state.remembered(_STATE, {})
    return {name: code for name, code in picked.items() if name in names}


def forget() -> None:
    """Drops what was picked: it is the run's now, and the documents keep it."""
    state.remember(_STATE, {})
