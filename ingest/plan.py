"""Plans an ingest before anything is stored: which sources are new, changed, unchanged or refused,
and an estimate of its cost.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from dynagrag.config.settings import ChunkProfile
from dynagrag.core.ids import estimate_tokens
from dynagrag.core.protocols import RecordStore
from dynagrag.core.schema import Chunk, ChunkWork, Document, LoadedSource, Passage, Turn
from dynagrag.ingest.earlier_readings import EarlierReadings, mark_of
from dynagrag.ingest.kept_language import kept_language
from dynagrag.ingest.kept_title import kept_title, titled
from dynagrag.ingest.load import load_source
from dynagrag.ingest.load.label_report import FileReading
from dynagrag.ingest.load.sources import RealPaths
from dynagrag.ingest.load.speaker_audit import with_doubts
from dynagrag.ingest.load.speaker_names import (
    SpeakerNames,
    check_known,
    kept_names,
    labels_of,
    renamed,
    with_labels,
)
from dynagrag.ingest.split import chunk_passages, document_id_of, make_document, split_passages
from dynagrag.ingest.whole_files import FileState, WholeFiles, state_of

AS_LABELLED = SpeakerNames()
AS_FOUND: Mapping[str, str] = {}

_REPLY_TOKENS_PER_CHUNK_TOKEN = {True: 2.5, False: 0.8}
"""Completion tokens per chunk token, by is_small, for the estimate: a model of 1.5 billion
parameters gave 2 to 3.
"""
_ASSUMED_SECONDS = {True: 30.0, False: 4.0}
"""Seconds per call, by is_small, until the workspace's own ledger knows better."""


@runtime_checkable
class PromptingExtractor(Protocol):
    """An extractor that asks a model, so its cost can be estimated."""

    def prompt_tokens(self, work: ChunkWork) -> int:
        """Estimated prompt tokens of the chunk's first call, schema included."""

    def ask_once(self, work: ChunkWork) -> None:
        """Makes the chunk's first call, whose reply is in the cache when the chunk is extracted.
        Raises ModelError as the model does.
        """


@dataclass(frozen=True, slots=True)
class PlannedDocument:
    """A document to store, its chunks, those still to extract, and the earlier versions it
    replaces. `is_whole`: the chunks are all it has; else only those that an earlier run set aside.
    `extracted_by`: whose records of it the run replaces; "" where there are none.
    `has_other_speakers`, `has_other_language`: than it is stored with. `title`: one that a person
    gave it, or an earlier version of its file. `has_moved`: it is stored under another path.
    """

    document: Document
    turns: tuple[Turn, ...]
    passages: tuple[Passage, ...]
    chunks: tuple[Chunk, ...]
    to_extract: tuple[Chunk, ...]
    replaces: tuple[str, ...]
    is_stored: bool
    is_whole: bool = True
    extracted_by: str = ""
    has_other_speakers: bool = False
    has_other_language: bool = False
    title: str = ""
    has_moved: bool = False

    @property
    def is_changed(self) -> bool:
        """Whether it replaces an earlier version of its file, or itself with other speakers or in
        another language.
        """
        return bool(self.replaces) or self.has_other_speakers or self.has_other_language

    @property
    def has_work(self) -> bool:
        """Whether the store has to change for it."""
        return bool(self.to_extract or self.replaces) or self.has_moved or not self.is_stored

    @property
    def as_stored(self) -> Document:
        """The document as it is stored. What is extracted knows it by its file's own title, so that
        a given one costs no calls.
        """
        return titled(self.document, self.title)

    @property
    def work(self) -> list[ChunkWork]:
        """The chunks still to extract."""
        return [ChunkWork(self.document, self.turns, chunk) for chunk in self.to_extract]


@dataclass(frozen=True, slots=True)
class IngestEstimate:
    """Made before the run, for a run without repairs; replies in the cache cost nothing. `money`
    only where prices are set.
    """

    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    money: float | None = None


@dataclass(frozen=True, slots=True)
class IngestPlan:
    """The documents with something to do, those with nothing to do, the refused sources, and how
    many doubles were passed over.

    `missing`: documents whose file was under one of the folders and is no longer there;
    `removes_missing`: the run deletes them. `speaker_names`: what speakers of all its documents are
    called in place of their labels, "" for nobody. `readings`: what became of the labels of the
    files that are new or changed. `marks`: by document, of those that were read
    (`earlier_readings`). `whole`: the files that were known to be whole; `files`: by uri, as this
    plan, of `planned_ns` (nanoseconds since 1970), found them.
    """

    documents: tuple[PlannedDocument, ...]
    unchanged: tuple[Document, ...]
    refused: tuple[LoadedSource, ...]
    num_doubles: int = 0
    missing: tuple[Document, ...] = ()
    removes_missing: bool = False
    speaker_names: Mapping[str, str] = field(default_factory=dict)
    readings: tuple[FileReading, ...] = ()
    marks: Mapping[str, str] = field(default_factory=dict)
    whole: WholeFiles = field(default_factory=lambda: WholeFiles(""))
    files: Mapping[str, FileState] = field(default_factory=dict)
    planned_ns: int = 0

    @property
    def changed(self) -> tuple[PlannedDocument, ...]:
        """Whole documents that take the place of earlier ones."""
        return tuple(d for d in self.documents if d.is_whole and d.is_changed)

    @property
    def moved(self) -> tuple[PlannedDocument, ...]:
        """Whole documents that are stored, as they are, under another path."""
        return tuple(d for d in self.documents if d.is_whole and d.has_moved and not d.is_changed)

    @property
    def new(self) -> tuple[PlannedDocument, ...]:
        """The other whole documents."""
        return tuple(
            d for d in self.documents if d.is_whole and not d.has_moved and not d.is_changed
        )

    @property
    def num_chunks(self) -> int:
        """Chunks to extract."""
        return sum(len(d.to_extract) for d in self.documents)

    @property
    def extracted_before(self) -> Mapping[str, int]:
        """Extractors whose records the run replaces, with the number of their documents."""
        return Counter(d.extracted_by for d in self.documents if d.extracted_by)

    @property
    def document_ids(self) -> frozenset[str]:
        """All documents that the run is about."""
        return frozenset({d.document.id for d in self.documents} | {d.id for d in self.unchanged})


def uri_of(path: str | Path) -> str:
    """A path as documents are known by; bytes of a name that are no text are written as escapes."""
    return _as_text(str(Path(path).resolve()))


def _as_text(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()


def make_plan(
    sources: Iterable[Path],
    store: RecordStore,
    profile: ChunkProfile,
    extractor_name: str,
    folders: Sequence[Path] = (),
    removes_missing: bool = False,
    names: SpeakerNames = AS_LABELLED,
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
    left_out: Sequence[LoadedSource] = (),
    language: str = "",
    languages: Mapping[str, str] = AS_FOUND,
) -> IngestPlan:
    """Reads the sources and compares them with the store. Nothing is written. A file that was read
    before, as it would be read now, isn't parsed again (`earlier_readings`), unless this run gives
    its speakers names or it another language. `folders`: where files that are gone are looked for.

    `names`: what speakers are called; what a document keeps of an earlier ingest stays where these
    say nothing. UsageError where they name who doesn't speak. `left_out`: what stood beside the
    sources and is refused unread.
    `language`: the code (ISO 639-1) of all the sources'; empty: as it is kept, else found.
    `languages`: those of single files by their names, before it.
    """
    sources = list(sources)
    stored = {d.id: d for d in store.documents()}
    by_uri: dict[str, list[str]] = {}
    for document in stored.values():
        by_uri.setdefault(document.uri, []).append(document.id)
    planned: dict[str, PlannedDocument] = {}
    unchanged: dict[str, Document] = {}
    refused = list(left_out)
    readings: list[FileReading] = []
    num_doubles = 0
    labels: dict[str, list[str]] = {}
    marks: dict[str, str] = {}
    planned_ns, real = time.time_ns(), RealPaths()
    uris = {path: _as_text(real.of(path)) or uri_of(path) for path in sources}
    files: dict[str, FileState] = {}
    whole = WholeFiles.read(store, profile, extractor_name)
    earlier = EarlierReadings(store, stored, by_uri)
    for number, (path, uri) in enumerate(uris.items()):
        progress("read", number, len(sources))
        own_language = languages.get(path.name) or language
        state = state_of(path)
        id_ = "" if names.of_file(path.name) else whole.document_of(uri, state)
        if by_uri.get(uri) == [id_] and own_language in {"", kept_language(stored[id_].meta)}:
            labels.setdefault(path.name, [])
            unchanged[id_] = stored[id_]
            continue
        known = None if names.of_file(path.name) else earlier.of_file(path, uri, own_language)
        if known is not None and known[0].id not in planned:
            before, its_turns = known
            old = tuple(i for i in by_uri[uri] if i != before.id)
            again = _plan_document(before, its_turns, store, profile, extractor_name, old, before)
            if not again.has_work:
                labels.setdefault(path.name, [])
                unchanged[before.id] = before
                files[uri] = (before.id, *state)
                continue
        source = load_source(path)
        if source.refused is not None:
            refused.append(source)
            continue
        kept, title, given_language = _kept(
            stored, source.sha256, store.workspace, by_uri.get(uri, ())
        )
        given = names.of_file(path.name)
        own_labels = labels_of(with_labels(source, given, kept))
        labels.setdefault(path.name, []).extend((*own_labels, *kept.values()))
        source = with_doubts(renamed(source, given, kept))
        code = own_language or given_language
        document, turns = make_document(source, store.workspace, uri, code)
        if document.id in planned or document.id in unchanged:
            num_doubles += 1
            continue
        old = tuple(i for i in by_uri.get(document.uri, ()) if i != document.id)
        own = stored.get(document.id)
        plan = _plan_document(document, turns, store, profile, extractor_name, old, own)
        plan = replace(plan, title=title)
        files[uri] = (document.id, *state)
        if plan.has_work:
            planned[document.id] = plan
            readings.append(FileReading.of(source))
        else:
            unchanged[document.id] = plan.as_stored
            if own is not None:
                marks[own.id] = mark_of(own, store.turns(own.id))
    check_known(names, labels)
    # Another source of this run holds it: then it has moved and isn't gone (log.txt -> log.1.txt).
    here = planned.keys() | unchanged.keys()
    documents = tuple(_settled(p, stored, here) for p in planned.values())
    marks |= {p.document.id: mark_of(p.as_stored, p.turns) for p in documents}
    gone = [d for d in stored.values() if d.id not in here and _may_be_gone(d)]
    missing = find_missing(gone, folders, set(uris.values()))
    called: dict[str, str] = {}
    for document in (*[p.document for p in documents], *unchanged.values()):
        called |= kept_names(document.meta)
    return IngestPlan(
        documents,
        tuple(unchanged.values()),
        tuple(refused),
        num_doubles,
        missing,
        removes_missing,
        called,
        tuple(readings),
        marks,
        whole,
        files,
        planned_ns,
    )


def _may_be_gone(document: Document) -> bool:
    """Unless it is a row of an imported corpus (`imported_corpus`) whose file is there."""
    return "place" not in document.meta or _is_gone(document.uri.rpartition("#")[0])


def _kept(
    stored: Mapping[str, Document], sha256: str, workspace: str, same_uri: Iterable[str]
) -> tuple[dict[str, str], str, str]:
    """The names of speakers, the title and the language that a document of this content keeps,
    else those of an earlier version of its file.
    """
    own = stored.get(document_id_of(workspace, sha256))
    earlier = [stored[id_].meta for id_ in same_uri]
    metas = [own.meta] if own is not None else earlier
    # A version may have been stored and not yet have taken the place of the one before: then that
    # one may have been renamed since.
    titles = map(kept_title, [*metas, *earlier])
    languages = map(kept_language, [*metas, *earlier])
    return (
        next(filter(None, map(kept_names, metas)), {}),
        next(filter(None, titles), ""),
        next(filter(None, languages), ""),
    )


def _settled(
    planned: PlannedDocument, stored: Mapping[str, Document], here: Collection[str]
) -> PlannedDocument:
    """The document with what it replaces, which no other source of the run holds: that one was
    moved, and its title with it.
    """
    replaces = tuple(id_ for id_ in planned.replaces if id_ not in here)
    own = stored.get(planned.document.id)
    is_another = planned.replaces and not replaces and not (own and kept_title(own.meta))
    return replace(planned, replaces=replaces, title="" if is_another else planned.title)


def find_missing(
    documents: Iterable[Document], folders: Sequence[Path], present: Collection[str] = ()
) -> tuple[Document, ...]:
    """The documents whose file was under one of these folders, at any depth, and is no longer
    there. `present`: uris of files that are.
    """
    roots = [Path(uri_of(folder)) for folder in folders]
    return tuple(
        d
        for d in documents
        if d.uri not in present
        and any(Path(d.uri).is_relative_to(root) for root in roots)
        and _is_gone(d.uri)
    )


def _is_gone(uri: str) -> bool:
    """Whether the system says that no such file is there; a folder that may not be looked into is
    no proof.
    """
    try:
        os.lstat(uri)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def make_retry_plan(places: Iterable[tuple[str, int, int]], store: RecordStore) -> IngestPlan:
    """The chunks at these places (document id, start, end) again, from the documents as they are
    stored; a place that fits no passage any more is passed over.
    """
    stored = {d.id: d for d in store.documents()}
    by_document: dict[str, list[tuple[int, int]]] = {}
    for document_id, start, end in places:
        if document_id in stored:
            by_document.setdefault(document_id, []).append((start, end))
    planned: list[PlannedDocument] = []
    for document_id, spans in by_document.items():
        passages = store.passages(document_id)
        held = [(s, e, tuple(p for p in passages if s <= p.start and p.end <= e)) for s, e in spans]
        chunks = tuple(Chunk(document_id, s, e, own) for s, e, own in held if own)
        if not chunks:
            continue
        document, turns = stored[document_id], store.turns(document_id)
        # A version of which nothing could be extracted left the one before in place: now it may
        # take its place.
        versions = [d.id for d in stored.values() if d.uri == document.uri]
        is_empty = not store.live_spans(document_id)
        replaces = tuple(id_ for id_ in versions if is_empty and id_ != document_id)
        planned.append(
            PlannedDocument(
                document, turns, passages, chunks, chunks, replaces, True, is_whole=False
            )
        )
    replaced = {old for p in planned for old in p.replaces}
    return IngestPlan(
        tuple(p for p in planned if p.document.id not in replaced or p.replaces), (), ()
    )


def _plan_document(
    document: Document,
    turns: Sequence[Turn],
    store: RecordStore,
    profile: ChunkProfile,
    extractor_name: str,
    replaces: tuple[str, ...],
    stored: Document | None,
) -> PlannedDocument:
    passages = split_passages(document, turns, profile)
    chunks = chunk_passages(document, passages, profile)
    live = store.live_spans(document.id) if stored else {}
    planned = PlannedDocument(document, tuple(turns), passages, chunks, chunks, replaces, False)
    if stored is None:
        return planned
    # Turns that were other ones before, or somebody else's: what was extracted there may name the
    # old ones.
    before = {(turn.start, turn.end, turn.speaker) for turn in store.turns(document.id)}
    others = [t for t in turns if (t.start, t.end, t.speaker) not in before]
    live = store.live_spans(document.id)
    to_extract = tuple(
        c
        for c in chunks
        if live.get((c.start, c.end)) != extractor_name
        or any(t.start < c.end and c.start < t.end for t in others)
    )
    extractors = [name for name in live.values() if name != extractor_name and to_extract]
    has_other_speakers = kept_names(stored.meta) != kept_names(document.meta)
    # What an older version stored has none, and is as it was found.
    has_other_language = kept_language(stored.meta) != kept_language(document.meta)
    same_passages = [p.id for p in store.passages(document.id)] == [p.id for p in passages]
    left_over = live.keys() - {(c.start, c.end) for c in chunks}
    return replace(
        planned,
        to_extract=to_extract,
        is_stored=same_passages
        and not (left_over or others or has_other_speakers or has_other_language),
        extracted_by=extractors[0] if extractors else "",
        has_other_speakers=has_other_speakers,
        has_other_language=has_other_language,
        has_moved=stored.uri != document.uri,
    )


def estimate_run(
    chunk_prompt_tokens: Sequence[int],
    chunk_tokens: Sequence[int],
    *,
    is_small: bool,
    is_judged: bool,
    max_concurrency: int,
    seconds_per_call: float | None,
    price_of: Callable[[int, int], float | None],
    thoughts_per_call: int = 0,
) -> IngestEstimate:
    """The estimate of a run over these chunks; consolidation by a model (`is_judged`) is taken as
    one call in ten chunks. `price_of`: the price of so many tokens of prompts and replies.
    `thoughts_per_call`: tokens that a model thinks before it answers, which are paid for as replies
    are.
    """
    num_chunks = len(chunk_prompt_tokens)
    merge_calls = -(-num_chunks // 10) if is_judged else 0
    prompt_tokens = sum(chunk_prompt_tokens) + 800 * merge_calls
    reply_tokens = int(_REPLY_TOKENS_PER_CHUNK_TOKEN[is_small] * sum(chunk_tokens))
    calls = num_chunks + merge_calls
    completion_tokens = reply_tokens + 200 * merge_calls + thoughts_per_call * calls
    per_call = seconds_per_call if seconds_per_call is not None else _ASSUMED_SECONDS[is_small]
    seconds = per_call * calls / max_concurrency
    money = price_of(prompt_tokens, completion_tokens)
    return IngestEstimate(calls, prompt_tokens, completion_tokens, seconds, money)


def span_tokens(work: ChunkWork) -> int:
    """Estimated tokens of a chunk's own text."""
    return estimate_tokens(work.document.text[work.chunk.start : work.chunk.end])
