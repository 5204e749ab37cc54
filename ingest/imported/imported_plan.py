"""Plans an ingest of imported documents: which are new, changed, moved or unchanged.

An imported passage is one document of one turn, one passage and one chunk, its whole text, blank
space and all; a document of turns is split as a file would be. The uri is "SOURCE#PLACE", places from 1;
what has no title is called by the uri's last part.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
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
        return (
            super(ImportedPlan, self).document_ids | self.stays
        )  # slots make another class: a bare super() would name the one before


def imported_ids(corpus: ImportedCorpus, workspace: str) -> tuple[str, ...]:
    """The ids of a corpus's documents in a workspace, in order: to find again what was given."""
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
    """Compares given documents with the store. Nothing is written.

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
    missing = _missing(stored.documents.values(), {corpus.source for corpus in corpora}, made)
    if not removes_missing:
        replaced = {id_ for item in planned for id_ in item.replaces}
        missing = tuple(document for document in missing if document.id not in replaced)
    stays = frozenset() if removes_missing else frozenset(document.id for document in missing)
    return ImportedPlan(planned, unchanged, (), num_doubles, missing, removes_missing, stays=stays)


@dataclass(frozen=True, slots=True)
class _Stored:
    """What a store holds, read at once: one by one would be thousands of reads. `passages`: ids by
    document, in order.
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

    def live_spans(self, document_id: str) -> Mapping[tuple[int, int], str]:
        """Who extracted what of a document; nothing of one that isn't stored."""
        return self.store.live_spans(document_id) if document_id in self.documents else {}

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
    """Each given document once, by id, with the chunks of it that the store lacks; and how many
    were doubles.
    """
    made: dict[str, PlannedDocument] = {}
    num_doubles = 0
    for corpus in corpora:
        for place, (given, sha256) in enumerate(
            zip(corpus.documents, content_hashes(corpus.documents), strict=True), start=1
        ):
            source = _loaded(given, sha256, corpus.source, place)
            document, turns = make_document(source, stored.store.workspace, source.path)
            if document.id in made:
                num_doubles += 1
                continue
            passages, chunks = _split(given, document, turns, profile)
            live = stored.live_spans(document.id)
            spans = {(chunk.start, chunk.end) for chunk in chunks}
            to_extract = tuple(
                chunk for chunk in chunks if live.get((chunk.start, chunk.end)) != extractor_name
            )
            is_whole = stored.passages.get(document.id) == [
                p.id for p in passages
            ] and spans.issuperset(live)
            is_stored = document.id in stored.documents and is_whole
            made[document.id] = PlannedDocument(
                document, turns, passages, chunks, to_extract, (), is_stored
            )
    return made, num_doubles


def _loaded(given: ImportedDocument, sha256: str, source: str, place: int) -> LoadedSource:
    """A given document as if it had been loaded. Raises LoadError where it has no words."""
    uri = f"{source}#{place}"
    title = given.title if given.title.strip() else PurePath(uri).name
    turns = (SourceTurn(given.text),) if isinstance(given, ImportedPassage) else given.turns
    if not any(turn.text.strip() for turn in turns):
        raise LoadError(f"{source}, document {place} ({title!r}) has no words; leave it out")
    return LoadedSource(uri, "given", turns, sha256, title, meta={PLACE: str(place)})


def _split(
    given: ImportedDocument, document: Document, turns: Sequence[Turn], profile: ChunkProfile
) -> tuple[tuple[Passage, ...], tuple[Chunk, ...]]:
    """Passages and chunks: of a given passage one each, all of its text."""
    if not isinstance(given, ImportedPassage):
        passages = split_passages(document, turns, profile)
        return passages, chunk_passages(document, passages, profile)
    end = len(document.text)
    passage = Passage(
        content_id("passage", document.id, 0, end, SPLITTER), document.id, 0, 0, end, 0, 0
    )
    return (passage,), (Chunk(document.id, 0, end, (passage,)),)


def _settle(
    item: PlannedDocument, stored: _Stored, left: Mapping[str, tuple[str, ...]], is_waiting: bool
) -> PlannedDocument:
    """The document with those that it replaces. One that waits replaces nobody, and stays where it
    is stored, under its title there.
    """
    if is_waiting:
        old = stored.documents[item.document.id]
        return replace(
            item, document=replace(item.document, uri=old.uri, title=old.title, meta=old.meta)
        )
    replaces = left.get(item.document.uri, ())
    before = [
        stored.documents[id_] for id_ in (item.document.id, *replaces) if id_ in stored.documents
    ]
    title = next(filter(None, (kept_title(document.meta) for document in before)), "")
    own = stored.documents.get(item.document.id)
    return replace(
        item,
        replaces=replaces,
        title=title,
        has_moved=own is not None and own.uri != item.document.uri,
    )


def _waiting(
    made: Mapping[str, PlannedDocument], stored: Mapping[str, Document], left: Iterable[str]
) -> set[str]:
    """Stored documents that moved, but not yet: at their new place (a uri of `left`) is one whose
    text is gone, or another that waits.
    """
    movers = {
        d.document.uri: id_
        for id_, d in made.items()
        if id_ in stored and stored[id_].uri != d.document.uri
    }
    waiting = set()
    held = list(left)
    while held:
        id_ = movers.pop(held.pop(), None)
        if id_ is not None:
            waiting.add(id_)
            held.append(stored[id_].uri)
    return waiting


def _missing(
    stored: Iterable[Document], sources: set[str], here: Container[str]
) -> tuple[Document, ...]:
    """Documents whose text their source has no more."""
    return tuple(
        d
        for d in stored
        if PLACE in d.meta and d.id not in here and d.uri.rpartition("#")[0] in sources
    )


__all__ = ["PLACE", "imported_ids", "plan_imported"]
