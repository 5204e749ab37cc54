"""What an ingest of given documents would do: which are new, changed, moved or unchanged.

A given passage is one document of one turn, one passage and one chunk, its whole text, blank space and all; a document of turns is split as
a file would be. The uri is "SOURCE#PLACE", places from 1; what has no title is called by the uri's last part.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from dynagrag.errors import LoadError
from dynagrag.ids import content_id
from dynagrag.ingest.given.corpus import GivenCorpus, GivenDocument, GivenPassage, content_hashes
from dynagrag.ingest.plan import IngestPlan, PlannedDocument
from dynagrag.ingest.split import chunk_passages, make_document, split_passages
from dynagrag.protocols import GraphStore
from dynagrag.schema import Chunk, Document, LoadedSource, Passage, SourceTurn, Turn
from dynagrag.settings import CHUNK_PROFILES, ChunkProfile

SPLITTER = "given-1"
"""In the ids of passages that are a whole given text, as `split.SPLITTER` is in those of others."""
PLACE = "place"
"""In a document's `meta`: its place in its source. Its uri names no file, but a row of one."""


@dataclass(frozen=True, slots=True)
class GivenPlan(IngestPlan):
    """A plan whose missing documents stay unless they are to be removed, also where another has their place. `stays`: their ids."""

    stays: frozenset[str] = frozenset()

    @property
    def document_ids(self) -> frozenset[str]:
        """All documents that the run is about; those that stay are among them, so that nothing takes them for an earlier version."""
        return super(GivenPlan, self).document_ids | self.stays  # slots make another class: a bare super() would name the one before


def given_ids(corpus: GivenCorpus, workspace: str) -> tuple[str, ...]:
    """The ids of a corpus's documents in a workspace, in order: to find again what was given."""
    return tuple(content_id("document", workspace, sha256) for sha256 in content_hashes(corpus.documents))


def plan_given(
    corpora: Iterable[GivenCorpus],
    store: GraphStore,
    extractor_name: str,
    profile: ChunkProfile = CHUNK_PROFILES["default"],
    removes_missing: bool = False,
) -> IngestPlan:
    """Compares given documents with the store. Nothing is written.

    A new text replaces the one that stood at its place. A text that is there already replaces nobody: where a line was deleted and those
    below moved up, the deleted one is in `missing`, and the others keep their places for as long as it stays. Where missing documents are
    removed, `missing` names those that are replaced too. A text that another corpus of this run holds is a double.

    Raises LoadError where a document has no words.
    """
    stored = {d.id: d for d in store.documents()}
    passages: dict[str, list[str]] = defaultdict(list)
    for passage in store.passages() if stored else ():  # all at once: one by one, thousands of reads
        passages[passage.document_id].append(passage.id)
    by_uri: dict[str, list[str]] = defaultdict(list)
    for old in stored.values():
        by_uri[old.uri].append(old.id)
    corpora = tuple(corpora)
    made: dict[str, PlannedDocument] = {}
    num_doubles = 0
    for corpus in corpora:
        for place, (given, sha256) in enumerate(zip(corpus.documents, content_hashes(corpus.documents), strict=True), start=1):
            document, turns, own = _stored_form(given, sha256, store.workspace, corpus.source, place, profile)
            if document.id in made:
                num_doubles += 1
                continue
            chunks = _chunks(given, document, own, profile)
            live = store.live_spans(document.id) if document.id in stored else {}
            to_extract = tuple(c for c in chunks if live.get((c.start, c.end)) != extractor_name)
            is_same = passages.get(document.id) == [p.id for p in own] and not set(live) - {(c.start, c.end) for c in chunks}
            made[document.id] = PlannedDocument(document, turns, own, chunks, to_extract, (), document.id in stored and is_same)
    planned: list[PlannedDocument] = []
    unchanged: list[Document] = []
    left = {uri: others for uri, ids in by_uri.items() if (others := tuple(i for i in ids if i not in made))}
    waiting = _waiting(made, stored, left)
    for id_, item in made.items():
        if id_ in waiting:
            old = stored[id_]
            item = replace(item, document=replace(item.document, uri=old.uri, title=old.title, meta=old.meta))
        replaces = () if id_ in waiting else left.get(item.document.uri, ())
        has_moved = item.is_stored and stored[id_].uri != item.document.uri
        if item.to_extract or replaces or has_moved or not item.is_stored:
            planned.append(replace(item, replaces=replaces))
        else:
            unchanged.append(item.document)
    replaced = {id_ for item in planned for id_ in item.replaces}
    gone = _missing(stored.values(), {c.source for c in corpora}, made)
    missing = gone if removes_missing else tuple(d for d in gone if d.id not in replaced)
    stays = frozenset() if removes_missing else frozenset(d.id for d in missing)
    return GivenPlan(tuple(planned), tuple(unchanged), (), num_doubles, missing, removes_missing, stays)


def _stored_form(
    given: GivenDocument, sha256: str, workspace: str, source: str, place: int, profile: ChunkProfile
) -> tuple[Document, tuple[Turn, ...], tuple[Passage, ...]]:
    uri = f"{source}#{place}"
    title = given.title if given.title.strip() else PurePath(uri).name
    source_turns = (SourceTurn(given.text),) if isinstance(given, GivenPassage) else given.turns
    if not any(turn.text.strip() for turn in source_turns):
        raise LoadError(f"{source}, document {place} ({title!r}) has no words; leave it out")
    loaded = LoadedSource(uri, "given", source_turns, sha256, title, meta={PLACE: str(place)})
    document, turns = make_document(loaded, workspace, uri)
    if not isinstance(given, GivenPassage):
        return document, turns, split_passages(document, turns, profile)
    end = len(document.text)
    return document, turns, (Passage(content_id("passage", document.id, 0, end, SPLITTER), document.id, 0, 0, end, 0, 0),)


def _chunks(given: GivenDocument, document: Document, passages: Sequence[Passage], profile: ChunkProfile) -> tuple[Chunk, ...]:
    if not isinstance(given, GivenPassage):
        return chunk_passages(document, passages, profile)
    return tuple(Chunk(document.id, p.start, p.end, (p,)) for p in passages)


def _waiting(made: Mapping[str, PlannedDocument], stored: Mapping[str, Document], left: Iterable[str]) -> set[str]:
    """Stored documents that moved, but not yet: at their new place (a uri of `left`) is one whose text is gone, or another that waits."""
    movers = {d.document.uri: id_ for id_, d in made.items() if id_ in stored and stored[id_].uri != d.document.uri}
    waiting = set()
    held = list(left)
    while held:
        id_ = movers.pop(held.pop(), None)
        if id_ is not None:
            waiting.add(id_)
            held.append(stored[id_].uri)
    return waiting


def _missing(stored: Iterable[Document], sources: set[str], here: Container[str]) -> tuple[Document, ...]:
    """Documents whose text their source has no more."""
    return tuple(d for d in stored if PLACE in d.meta and d.id not in here and d.uri.rpartition("#")[0] in sources)


__all__ = ["PLACE", "given_ids", "plan_given"]
