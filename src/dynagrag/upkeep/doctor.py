"""Checks that tell a user why something doesn't work before they find out: installation, settings,
models, store, workspace; and repairs.

Nothing here needs a model or an embedder that loads: the graph is derived again in memory, without
vectors, to see whether it is the one that is stored. A repair embeds only where vectors are
missing.
"""

import importlib.metadata
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dynagrag.config.settings import Settings
from dynagrag.core.errors import DynaGragError, SettingsError, WorkspaceError
from dynagrag.core.files.private_files import is_open_to_others, make_folder
from dynagrag.core.files.read_only import is_read_only
from dynagrag.core.protocols import Embedder, GraphStore, RecordStore, StoreUpkeep
from dynagrag.core.schema import EmbedderIdentity, Finding, Vector, VectorKind, Vectors
from dynagrag.core.text import plural
from dynagrag.graph_store.derived.derive import derive
from dynagrag.graph_store.derived.embedded_texts import mention_texts, record_texts
from dynagrag.graph_store.derived.graph_digest import digest
from dynagrag.graph_store.derived.live_mentions import counting_mentions
from dynagrag.graph_store.derived.two_step_mean import VectorTable
from dynagrag.graph_store.rules import REPAIR, missing_ids
from dynagrag.graph_store.transfer import is_unfinished
from dynagrag.registry.stores import STORES
from dynagrag.wiring import make_chat_model, make_embedder
from dynagrag.workspace.address import (
    check_named_here,
    name_in_store,
    store_address,
    workspace_meant,
)
from dynagrag.workspace.facade import Workspace, open_workspace
from dynagrag.workspace.workspace_catalog import workspace_names
from dynagrag.workspace.workspace_embedder import EmbedderOpener

_EXTRAS = {
    "sentence_transformers": ("local", "embedders but the default one"),
    "xllamacpp": ("gguf", "gguf: models and qwen"),
    "transformers": ("local", "local: models"),
    "spacy": ("spacy", "--extractor spacy"),
    "langchain": ("providers", "LangChain provider strings"),
    **{
        row.library: (row.needs_extra, f"graphs in {row.product}")
        for row in STORES.values()
        if row.library
    },
}
_MAX_RECORDS_DERIVED = 500_000
"""Deriving takes about 10 s and half a gigabyte for this many; beyond it the digest is taken as
stored.
"""
_AGAIN = "run the ingest again, or `dynagrag doctor --repair`"


def check(settings: Settings, workspace: str | None) -> list[Finding]:
    """All checks, in the order in which a user would mend them. Changes nothing, but finishes a
    deletion that was interrupted.
    """
    found = [
        Finding(
            "version",
            True,
            f"dynagrag {importlib.metadata.version('dynagrag')}, Python {sys.version.split()[0]}",
        ),
        _home(settings),
    ]
    for module, (extra, use) in _EXTRAS.items():
        words = f"not installed; {use} need pip install 'dynagrag[{extra}]'"
        if importlib.util.find_spec(module) is not None:
            words = f"installed, for {use}"
        found.append(Finding(module, True, words))
    found.append(_language_model(settings))
    of_embedder, identity = _embedder(settings)

    def inside(space: Workspace) -> list[Finding]:
        if space.settings.embedder == settings.embedder:
            return _inside(space, identity)
        of_own, own = _embedder(space.settings)
        return [replace(of_own, what=f"embedder of {space.name}"), *_inside(space, own)]

    return [*found, of_embedder, *_workspace(settings, workspace, inside, _health)]


def repair(settings: Settings, workspace: str | None) -> list[Finding]:
    """Mends what the store can mend and derives the graph again; what was done, a line each."""
    return _workspace(
        settings,
        workspace,
        _repair,
        lambda store: [Finding("repair", True, line) for line in store.repair()],
    )


# ------------------------------------------------------------------------------------- installation


def _home(settings: Settings) -> Finding:
    try:
        make_folder(settings.home)
    except OSError as err:
        return Finding("home", False, f"{settings.home}: {err.strerror}", "set DYNAGRAG_HOME")
    if os.access(settings.home, os.W_OK):
        return Finding("home", True, str(settings.home))
    if is_read_only(settings.home):
        words = f"{settings.home} is on a file system that is mounted read-only"
        return Finding("home", False, words, "mount it writable, or set DYNAGRAG_HOME to a copy")
    words = f"{settings.home} may not be written to"
    return Finding("home", False, words, "set DYNAGRAG_HOME")


def _language_model(settings: Settings) -> Finding:
    if settings.llm is None:
        return Finding(
            "language model",
            True,
            "none configured (--llm, DYNAGRAG_LLM); --extractor fast and evidence work without",
        )
    try:
        model = make_chat_model(settings)
    except DynaGragError as err:
        return Finding("language model", False, str(err))
    assert model is not None
    model.close()
    return Finding(
        "language model",
        True,
        f"{model.name}{' (small: short chunks, worked example)' if model.is_small else ''}",
    )


def _embedder(settings: Settings) -> tuple[Finding, EmbedderIdentity | None]:
    try:
        embedder = make_embedder(settings)
        length = len(embedder.embed_query("ready?"))
    except DynaGragError as err:
        return Finding("embedder", False, str(err)), None
    return (
        Finding("embedder", True, f"{embedder.identity.name}, {length} dimensions"),
        embedder.identity,
    )


@dataclass(slots=True)
class _EmbedderWhenNeeded:
    """Opened at the first text, so that a workspace whose vectors are all there can be mended where
    no embedder loads.
    """

    settings: Settings
    opened: Embedder | None = None

    def _open(self) -> Embedder:
        if self.opened is None:
            try:
                opened = make_embedder(self.settings)
                _ = opened.identity  # loads it
            except DynaGragError as err:
                raise SettingsError(
                    f"vectors are missing, and the embedder cannot be opened to make them: {err}"
                ) from err
            self.opened = opened
        return self.opened

    @property
    def identity(self) -> EmbedderIdentity:
        """The real one's."""
        return self._open().identity

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The real one's."""
        return self._open().embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        """The real one's."""
        return self._open().embed_query(text)


# ---------------------------------------------------------------------------------------- workspace


def _workspace(
    settings: Settings,
    workspace: str | None,
    look: Callable[[Workspace], list[Finding]],
    look_at_server: Callable[[GraphStore], list[Finding]],
) -> list[Finding]:
    """Findings of `look` in the workspace; that there is none is a finding where the user named it.
    A server is looked at either way, since what is wrong with it keeps a workspace from being made
    there.
    """
    try:
        names, name = workspace_names(settings), workspace_meant(workspace, settings)
    except WorkspaceError as err:
        return [Finding("workspace", False, str(err))]
    folder = settings.workspaces_dir / name
    address, kept = store_address(folder, settings), name_in_store(folder, name)
    there = ", ".join(names) or "none"
    nothing = Finding(
        "workspace",
        workspace is None,
        f"{name!r} does not exist yet; there: {there}",
        "`dynagrag ingest` makes it",
    )
    try:
        if not address.is_embedded:
            check_named_here(folder, settings)
            # In a folder of its own: looking makes no workspace and remembers no address.
            with (
                TemporaryDirectory() as passing,
                closing(address.open(Path(passing), kept, settings)) as store,
            ):
                if not store.exists():
                    return [*look_at_server(store), nothing]
        elif name not in names:
            return [nothing]
        space = open_workspace(
            name, settings=settings, create=False, embedder=EmbedderOpener(_EmbedderWhenNeeded)
        )
    except DynaGragError as err:
        return [Finding(f"workspace {name}", False, str(err))]
    with space:
        try:
            return look(space)
        except DynaGragError as err:
            return [Finding(f"workspace {name}", False, str(err))]


def _health(store: StoreUpkeep) -> list[Finding]:
    return [replace(found, remedy="") if found.is_ok else found for found in store.health()]


def _inside(space: Workspace, embedder: EmbedderIdentity | None) -> list[Finding]:
    store = space.store
    looks: list[tuple[str, Callable[[], Iterable[Finding]]]] = [
        (f"workspace {space.name}", lambda: [_summary(space)]),
        ("privacy", lambda: [_privacy(space)]),
        ("store", lambda: _health(store)),
        ("copy", lambda: _copy(store)),
        ("graph", lambda: _graph(space, embedder)),
        ("vectors", lambda: _vectors(store, embedder)),
        ("set aside", lambda: [_set_aside(space)]),
        ("jobs", lambda: [_jobs(space)]),
    ]
    if is_unfinished(store):  # a part that isn't there yet is no finding
        looks = [look for look in looks if look[0] not in ("graph", "vectors")]
    found: list[Finding] = []
    for what, look in looks:
        try:
            found.extend(look())
        except DynaGragError as err:  # the next look may still find something
            found.append(Finding(what, False, str(err)))
    return found


def _summary(space: Workspace) -> Finding:
    num_documents, num_chunks = len(space.store.documents()), space.store.num_chunks()
    finding = (
        f"{plural(num_documents, 'document')}, {plural(num_chunks, 'chunk')},"
        f" digest {space.store.digest()[:12]}; {space.store.address()}"
    )
    return Finding(f"workspace {space.name}", True, finding)


def _privacy(space: Workspace) -> Finding:
    """Opening it has closed the folder to others, where that could be done."""
    if is_open_to_others(space.folder):
        return Finding(
            "privacy",
            False,
            f"other users can look into {space.folder}",
            f"let its owner run `chmod -R go= {space.folder}`",
        )
    return Finding("privacy", True, "the folder is its owner's alone")


def _copy(store: RecordStore) -> list[Finding]:
    if not is_unfinished(store):
        return []
    return [
        Finding(
            "copy",
            False,
            "a copy into this workspace was not finished",
            "run the same `dynagrag graph copy` or `restore` again",
        )
    ]


def _graph(space: Workspace, embedder: EmbedderIdentity | None) -> list[Finding]:
    """Whether the graph is that of the records: by the store's own count, and by deriving it
    again.
    """
    store = space.store
    if not store.documents():
        return [Finding("graph", True, "no documents yet")]
    if not store.is_derived_current():
        older = "older than the records"
        if embedder is not None and space.current_graph.is_derived_when_read():
            return [Finding("graph", True, f"{older}; the next question derives it again")]
        return [Finding("graph", False, older, _AGAIN)]
    found = [Finding("graph", True, "derived from the records as they are")]
    stored, again = store.digest(), derived_digest(store)
    if again is None:
        return [
            *found,
            Finding("digest", True, f"{stored[:12]}, not derived again: too many records"),
        ]
    if stored == again:
        return [*found, Finding("digest", True, f"{stored[:12]}, derived again the same")]
    words = f"stored {stored[:12]}, derived again {again[:12]}"
    return [*found, Finding("digest", False, words, REPAIR)]


def derived_digest(store: GraphStore) -> str | None:
    """The digest of the graph that the records and the stored merges give; None where there are too
    many records for a quick look.

    A digest holds no vectors, so rows of zeros stand for them: nothing is embedded or read.
    """
    stored = store.records()
    if len(stored.mentions) + len(stored.relations) > _MAX_RECORDS_DERIVED:
        return None
    documents = {d.id: d for d in stored.documents}
    counted = counting_mentions(stored.mentions, len(stored.passages))
    graph = derive(
        store.workspace,
        stored.mentions,
        stored.relations,
        documents=documents,
        num_passages=len(stored.passages),
        consolidation=store.consolidation(),
        edits=stored.edits,
        mention_vectors=_no_vectors(mention_texts(counted)),
        record_vectors=_no_vectors(record_texts(stored.relations)),
    )
    return digest(graph)


def _no_vectors(ids: Iterable[str]) -> VectorTable:
    known = tuple(ids)
    return VectorTable.of(known, np.zeros((len(known), 1), dtype=np.float32))


def _vectors(store: GraphStore, embedder: EmbedderIdentity | None) -> list[Finding]:
    stored = store.embedder()
    passages = store.passages()
    if stored is None:
        return [Finding("vectors", not passages, "none yet", _AGAIN if passages else "")]
    words = f"of {stored.name} ({stored.dimension} dimensions)"
    found = [Finding("vectors", True, words)]
    if embedder is not None and embedder != stored:
        words += f", but the embedder is {embedder.name} ({embedder.dimension})"
        found = [Finding("vectors", False, words, f"use --embedder {stored.name}")]
    missing = missing_ids([p.id for p in passages], set(store.vector_ids(VectorKind.PASSAGE)))
    if missing and store.is_derived_current():
        found.append(Finding("vectors", False, f"{len(missing)} passages have none", _AGAIN))
    return found


def _set_aside(space: Workspace) -> Finding:
    num = len(space.journal.set_asides())
    if not num:
        return Finding("set aside", True, "no chunk")
    return Finding("set aside", False, plural(num, "chunk"), "the same ingest tries them again")


def _jobs(space: Workspace) -> Finding:
    """A job that says that it is running but whose process is gone was interrupted."""
    interrupted = [job for job in space.journal.jobs() if job.status == "interrupted"]
    if not interrupted:
        return Finding("jobs", True, "none was interrupted")
    which = ", ".join(str(job.id) for job in interrupted)
    return Finding(
        "jobs",
        False,
        f"interrupted: {which}",
        "`dynagrag jobs resume N` ends each",
    )


# ------------------------------------------------------------------------------------------- repair


def _repair(space: Workspace) -> list[Finding]:
    # Before the lock: a server's store lends nobody the right to derive while an index of its is
    # missing.
    done = [Finding("repair", True, line) for line in space.store.repair()]
    if is_unfinished(space.store):  # a graph of half the records would be no repair
        return [*done, *_copy(space.store)]
    with space.parts.writing():
        before = space.store.digest()
        graph = space.parts.deriver(None).rederive()
        after = space.store.digest()
    same = "the same as before" if before == after else f"was {before[:12]}"
    finding = (
        f"derived again: {plural(graph.num_entities, 'entity', 'entities')},"
        f" {plural(graph.num_relations, 'relation')}, digest"
        f" {after[:12]} ({same})"
    )
    return [*done, Finding("repair", True, finding)]
