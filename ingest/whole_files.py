"""Which files a workspace holds whole, so that an ingest that finds them as they were has nothing
to read, hash or compare: a note kept with the workspace, for one version of its store.

A file is as it was where its size and its time of change are. The note holds for the readers, the
sizes of passages and the extractor that it was made with, and until anything else is stored; then
files are read again, and it is made anew.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dynagrag.config.settings import ChunkProfile
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import RecordStore
from dynagrag.ingest.earlier_readings import reader_version

NOTE = "whole files"
_CLOCK_NS = 2_000_000_000
"""A file that changed within a clock's step before it was looked at may change again unseen."""

FileState = tuple[str, int, int]
"""The document of a file, its bytes and its time of change (nanoseconds since 1970)."""


def state_of(path: Path) -> tuple[int, int]:
    """A file's bytes and time of change; (-1, -1) where nobody may know."""
    try:
        found = path.stat()
    except OSError:
        return -1, -1
    return found.st_size, found.st_mtime_ns


@dataclass(frozen=True, slots=True)
class WholeFiles:
    """`made_with`: a hash of readers, sizes and extractor; `files`: by the hash of their uri, since
    a note may outlive a document; `note`: as it was read, to tell whether another run has kept its
    own since.
    """

    made_with: str
    files: Mapping[str, FileState] = field(default_factory=dict)
    note: str = ""

    @classmethod
    def read(cls, store: RecordStore, profile: ChunkProfile, extractor: str) -> "WholeFiles":
        """Those of the store's version; none where it, or what reads and extracts, is another."""
        reader, note = reader_version(), store.note(NOTE)
        made_with = content_id(reader, repr(profile), extractor)
        kept = _read(note)
        is_of_now = kept.get("version") == store.version() and kept.get("made_with") == made_with
        files = kept["files"] if reader and is_of_now else {}
        return cls(made_with, files, note)

    def document_of(self, uri: str, state: tuple[int, int]) -> str:
        """The id of the document that a file in this state is; empty where nobody knows."""
        id_, *before = self.files.get(content_id(uri), ("", -1, -1))
        return id_ if id_ and tuple(before) == state else ""


def keep_whole_files(
    store: RecordStore,
    before: WholeFiles,
    found: Mapping[str, FileState],
    now_ns: int,
    unsure: Collection[str] = (),
) -> None:
    """Notes the files that a run found or made whole, and those that were known before it, for the
    store's version. `unsure`: documents that others are at, or that lack something.
    """
    known = before.files if store.note(NOTE) == before.note else {}
    own = {content_id(uri): state for uri, state in found.items()}
    files = {
        uri: state
        for uri, state in {**known, **own}.items()
        if state[0] not in unsure and 0 <= state[2] < now_ns - _CLOCK_NS
    }
    _write(store, {"made_with": before.made_with, "files": files})


@contextmanager
def carried_over(store: RecordStore) -> Iterator[None]:
    """What is done inside, a correction or a deletion, leaves the other files as they are."""
    kept = _read(store.note(NOTE))
    was_of_now = kept.get("version") == store.version()
    yield
    if kept:
        _write(store, kept if was_of_now else {"files": {}})


def _write(store: RecordStore, kept: Mapping[str, Any]) -> None:
    """The note for the store's version, of documents that are there."""
    stored = {document.id for document in store.documents()}
    files = {uri: state for uri, state in kept["files"].items() if state[0] in stored}
    made = {**kept, "files": files, "version": store.version()}
    note = json.dumps(made, sort_keys=True) if files else ""
    if note != store.note(NOTE):
        store.set_note(NOTE, note)


def _read(note: str) -> dict[str, Any]:
    """The note; empty where it can't be read."""
    try:
        kept = json.loads(note or "{}")
        kept["files"] = {
            uri: (str(id_), int(size), int(at)) for uri, (id_, size, at) in kept["files"].items()
        }
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}
    return dict(kept)
