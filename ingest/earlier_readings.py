"""Which stored documents are what reading their files again would give, so that unchanged files
aren't parsed again: a note kept with the workspace, not with its documents.

A document's mark is a hash of all that its reading depends on (the file's path; its bytes are in
the document's id) and of what it gave: title, text, turns and meta, with the names of speakers and
the language that people gave. Whatever changes one of these, in the file, in the store or in
dynagrag, leads to a new reading, as a mark that is lost does.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dynagrag import core, language
from dynagrag.core.code_version import code_version
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import RecordStore
from dynagrag.core.schema import Document, Turn
from dynagrag.graph_store.derived import speaker_roles
from dynagrag.ingest import kept_language, load, split

NOTE = "readings"
"""The name of the note: JSON {document id: mark}."""
READERS = (core, language, load, kept_language, split, speaker_roles)
"""The code that makes turns of a file's bytes: packages and modules."""
_LIBRARIES = (
    "beautifulsoup4",
    "chardet",
    "dateparser",
    "lemminflect",
    "lxml",
    "openpyxl",
    "py3langid",
    "pypdf",
    "python-docx",
    "PyYAML",
    "sentencex",
    "snowballstemmer",
    "stop-words",
    "striprtf",
)


def reader_version() -> str:
    """The version of the readers' code and of their libraries; "" where it isn't known."""
    return code_version(READERS, _LIBRARIES)


def mark_of(document: Document, turns: Iterable[Turn]) -> str:
    """The mark of a document with these turns, read by these readers; "" where their version isn't
    known.
    """
    reader = reader_version()
    if not reader:
        return ""
    spoken = [(turn.start, turn.end, turn.speaker, turn.start_s, turn.end_s) for turn in turns]
    meta = json.dumps(dict(document.meta), sort_keys=True)
    return content_id(
        reader, document.id, document.uri, document.title, document.text, meta, json.dumps(spoken)
    )


class EarlierReadings:
    """What a store knows of the files that earlier ingests read. `stored`: its documents by id;
    `by_uri`: their ids.
    """

    def __init__(
        self,
        store: RecordStore,
        stored: Mapping[str, Document],
        by_uri: Mapping[str, Sequence[str]],
    ) -> None:
        self._store, self._stored, self._by_uri = store, stored, by_uri
        self._marks = _kept_marks(store) if stored else {}

    def of_file(self, path: Path, uri: str, code: str) -> tuple[Document, tuple[Turn, ...]] | None:
        """The stored document that reading a file again would give, and its turns; None where the
        file, its readers, or what is stored isn't as it was then. `code`: of the language that this
        run gives (ISO 639-1); empty: none.
        """
        ids = self._by_uri.get(uri, ())
        if not any(id_ in self._marks for id_ in ids):
            return None
        id_ = split.document_id_of(self._store.workspace, load.file_sha256(path))
        if id_ not in ids or code not in {"", kept_language.kept_language(self._stored[id_].meta)}:
            return None
        turns = self._store.turns(id_)
        mark = mark_of(self._stored[id_], turns)
        return (self._stored[id_], turns) if mark and self._marks.get(id_) == mark else None


def keep_marks(store: RecordStore, marks: Mapping[str, str]) -> None:
    """Adds marks to the note, and drops those of documents that are gone."""
    before = _kept_marks(store)
    if before or marks:
        stored = {document.id for document in store.documents()}
        kept = {id_: mark for id_, mark in {**before, **marks}.items() if id_ in stored and mark}
        store.set_note(NOTE, json.dumps(kept, sort_keys=True) if kept else "")


def _kept_marks(store: RecordStore) -> dict[str, str]:
    """The marks by document; none where the note can't be read."""
    try:
        marks = json.loads(store.note(NOTE) or "{}")
    except ValueError:
        return {}
    return marks if isinstance(marks, dict) else {}
