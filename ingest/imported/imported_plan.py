"""Plans an ingest of imported documents: which are new, changed, moved or unchanged.

An imported passage is one document of one turn, one passage and one chunk, its whole text, blank
space and all; a document of turns is split as a file would be. The uri is "SOURCE#PLACE", places
from 1; a document without a title is called by the uri's last part.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath

from dynagrag.config.settings import CHUNK_PROFILES, ChunkProfile
from dynagrag.core.errors import LoadError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import RecordStore
from dynagrag.core.schema import Chunk, Document, LoadedSource, Passage, SourceTurn, Turn
from dynagrag.ingest.imported.imported_corpus import (
    ImportedCorpus,
    ImportedDocument,
    ImportedPassage,
    content_hashes,
)
from dynagrag.ingest.kept_title import kept_title
from dynagrag.ingest.plan import IngestPlan, PlannedDocument
from dynagrag.ingest.split import chunk_passages, make_document, split_passages

SPLITTER = "given-1"
"""In the ids of passages that are a whole given text, as `split.SPLITTER` is in those of others."""
PLACE = "place"
"""In a document's `meta`: its place in its source. Its uri names no file, but a row of one."""


@dataclass(frozen=True, slots=True)
class ImportedPlan(IngestPlan):
    """A plan whose missing documents stay unless they are to be removed, also where another has
    their place. `stays`: their ids.
    """

    stays: frozenset[str] = frozenset()

    @property
    def document_ids(self) -> frozenset[str]:
        """All documents that the run is about; those that stay are among them, so that nothing
        takes them for an earlier version.
        """
        # Slots make another class: a bare super() would name the one before.
        return super(ImportedPlan, self).document_ids | self.stays


def imported_ids(corpus: ImportedCorpus, workspace: str) -> tuple[str, ...]:
    """The ids of a corpus's documents in a workspace, in order, to find them again."""
    return tuple(
        content_id("document", workspace, sha256) for sha256 in content_hashes(corpus.documents)
    )


def plan_imported(
    corpora: Iterable[ImportedCorpus],
    store: RecordStore,
    extractor_name: str,
    profile: ChunkProfile = CHUNK_PROFILES["default"],
    removes_missing: bool = False,
) -> IngestPlan:
    """Compares imported documents with the store. Nothing is written.

    A new text replaces the one that stood at its place. A text that is there already replaces
    nobody: where a line was deleted and those below moved up, the deleted one is in `missing`, and
    the others keep their places for as long as it stays. Where missing documents are removed,
    `missing` names those that are replaced too. A text that another corpus of this run holds is a
    double.

    Raises LoadError where a document has no words.
    """
    corpora, stored = tuple(corpora), _Stored.of(store)
    made, num_doubles = _compare(corpora, stored, extractor_name, profile)
    left = stored.left_by(made)
    waiting = _waiting(made, stored.documents, left)
    settled = [_settle(item, stored, left, is_waiting=id_ in waiting) for id_, item in made.items()]
    planned = tuple(item for item in settled if item.has_work)
    unchanged = tuple(item.as_stored for item in settled if not item.has_work)
    # Documents whose text their source has no more.
    sources = {corpus.source for corpus in corpora}
    left_out = [d for d in stored.documents.values() if PLACE in d.meta and d.id not in made]
    missing = tuple(d for d in left_out if d.uri.rpartition("#")[0] in sources)
    if not removes_missing:
        replaced = {id_ for item in planned for id_ in item.replaces}
        missing = tuple(document for document in missing if document.id not in replaced)
    stays = frozenset() if removes_missing else frozenset(document.id for document in missing)
    return ImportedPlan(planned, unchanged, (), num_doubles, missing, removes_missing, stays=stays)


@dataclass(frozen=True, slots=True)
class _Stored:
    """A store's documents and passages, read at once: one by one would be thousands of reads.
    `passages`: ids by document, in order.
    """

    store: RecordStore
    documents: Mapping[str, Document]
    passages: Mapping[str, list[str]]

    @classmethod
    def of(cls, store: RecordStore) -> "_Stored":
        documents = {document.id: document for document in store.documents()}
        passages: dict[str, list[str]] = defaultdict(list)
        for passage in store.passages() if documents else ():
            passages[passage.document_id].append(passage.id)
        return cls(store, documents, passages)

    def compared(
        self,
        document: Document,
        turns: tuple[Turn, ...],
        passages: tuple[Passage, ...],
        chunks: tuple[Chunk, ...],
        extractor: str,
    ) -> PlannedDocument:
        """A document with those of its chunks that aren't stored as this extractor's."""
        is_here = document.id in self.documents
        live = self.store.live_spans(document.id) if is_here else {}
        to_extract = tuple(c for c in chunks if live.get((c.start, c.end)) != extractor)
        same_passages = self.passages.get(document.id) == [passage.id for passage in passages]
        is_left_over = live.keys() - {(chunk.start, chunk.end) for chunk in chunks}
        is_stored = is_here and same_passages and not is_left_over
        return PlannedDocument(document, turns, passages, chunks, to_extract, (), is_stored)

    def left_by(self, made: Container[str]) -> dict[str, tuple[str, ...]]:
        """uri -> the ids of the documents there that are not among those made."""
        left: dict[str, tuple[str, ...]] = defaultdict(tuple)
        for document in self.documents.values():
            if document.id not in made:
                left[document.uri] += (document.id,)
        return left


def _compare(
    corpora: Iterable[ImportedCorpus], stored: _Stored, extractor_name: str, profile: ChunkProfile
) -> tuple[dict[str, PlannedDocument], int]:
    """Each imported document once, by id, with the chunks of it that the store lacks; and how many
    were doubles.
    """
    made: dict[str, PlannedDocument] = {}
    num_doubles = 0
    for corpus in corpora:
        hashes = content_hashes(corpus.documents)
        for place, (imported, sha256) in enumerate(zip(corpus.documents, hashes, strict=True), 1):
            source = _loaded(imported, sha256, corpus.source, place)
            document, turns = make_document(source, stored.store.workspace, source.path)
            if document.id in made:
                num_doubles += 1
                continue
            if isinstance(imported, ImportedPassage):
                # One passage and one chunk, all of its text.
                end = len(document.text)
                passage_id = content_id("passage", document.id, 0, end, SPLITTER)
                passages: tuple[Passage, ...]
                passages = (Passage(passage_id, document.id, 0, 0, end, 0, 0),)
                chunks: tuple[Chunk, ...] = (Chunk(document.id, 0, end, passages),)
            else:
                passages = split_passages(document, turns, profile)
                chunks = chunk_passages(document, passages, profile)
            made[document.id] = stored.compared(document, turns, passages, chunks, extractor_name)
    return made, num_doubles


def _loaded(imported: ImportedDocument, sha256: str, source: str, place: int) -> LoadedSource:
    """An imported document as if it had been loaded. Raises LoadError where it has no words."""
    uri = f"{source}#{place}"
    title = imported.title if imported.title.strip() else PurePath(uri).name
    if isinstance(imported, ImportedPassage):
        turns: tuple[SourceTurn, ...] = (SourceTurn(imported.text),)
    else:
        turns = imported.turns
    if not any(turn.text.strip() for turn in turns):
        raise LoadError(f"{source}, document {place} ({title!r}) has no words; leave it out")
    return LoadedSource(uri, "given", turns, sha256, title, meta={PLACE: str(place)})


def _settle(
    item: PlannedDocument, stored: _Stored, left: Mapping[str, tuple[str, ...]], is_waiting: bool
) -> PlannedDocument:
    """The document with those that it replaces. One that waits replaces nobody, and stays where it
    is stored, under its title there.
    """
    document, own = item.document, stored.documents.get(item.document.id)
    if is_waiting and own is not None:
        at_old_place = replace(document, uri=own.uri, title=own.title, meta=own.meta)
        return replace(item, document=at_old_place)
    replaces = left.get(document.uri, ())
    before = [stored.documents[id_] for id_ in replaces]
    before = [own, *before] if own is not None else before
    title = next(filter(None, (kept_title(earlier.meta) for earlier in before)), "")
    has_moved = own is not None and own.uri != document.uri
    return replace(item, replaces=replaces, title=title, has_moved=has_moved)


def _waiting(
    made: Mapping[str, PlannedDocument], stored: Mapping[str, Document], left: Iterable[str]
) -> set[str]:
    """Stored documents that moved, but not yet: at their new place (a uri of `left`) is one whose
    text is gone, or another that waits.
    """
    uris = {id_: item.document.uri for id_, item in made.items() if id_ in stored}
    movers = {uri: id_ for id_, uri in uris.items() if stored[id_].uri != uri}
    waiting = set()
    held = list(left)
    while held:
        id_ = movers.pop(held.pop(), None)
        if id_ is not None:
            waiting.add(id_)
            held.append(stored[id_].uri)
    return waiting


__all__ = ["PLACE", "imported_ids", "plan_imported"]
