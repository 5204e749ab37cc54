"""The workspace that a run asks: the user's own, or one that holds the set's corpus.

Corpora lie in HOME/evaluation/workspaces, by content and embedder, so that a second run embeds
nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import PARSING_EXTRACTOR, Embedder, Extractor
from dynagrag.evaluation.question_sets.gold_resolver import FindDocument, finder
from dynagrag.evaluation.question_sets.json_rows import find_file, read_rows
from dynagrag.evaluation.question_sets.published_sets import MULTIHOP
from dynagrag.evaluation.question_sets.question_set import DataFile, EvaluationSet
from dynagrag.evaluation.retrieval.retriever_arms import SPLIT
from dynagrag.evaluation.retrieval.run_options import FILE, EvaluateOptions
from dynagrag.graph_store.rules import check_asking_embedder
from dynagrag.ingest.extract.fast_extractor import FastExtractor
from dynagrag.ingest.imported.imported_corpus import (
    ImportedCorpus,
    ImportedPassage,
    ImportedTurns,
    content_hashes,
    join_extractions,
    read_imported,
)
from dynagrag.ingest.imported.imported_extractor import ImportedExtractor
from dynagrag.ingest.imported.imported_plan import imported_ids
from dynagrag.ingest.pipeline import Progress
from dynagrag.registry.stores import EMBEDDED
from dynagrag.retrieval.pruning.gcn_pruner import GcnPruner
from dynagrag.workspace.facade import Workspace, open_workspace


@dataclass(frozen=True, slots=True)
class EvaluatedWorkspace:
    """An open workspace, how its documents are found by the set's names, what was passed over, the
    files of extractions, and the pruner of the arm `gcn`, where one was named.
    """

    space: Workspace
    embedder: Embedder
    find: FindDocument
    notes: Mapping[str, int]
    files: tuple[DataFile, ...]
    pruner: GcnPruner | None = None

    def ids(self, documents: Iterable[str]) -> tuple[str, ...]:
        """The ids of the documents by these names that are there."""
        return tuple(id_ for name in documents if (id_ := self.find(name)) is not None)

    def check_embedder(self) -> None:
        """Raises EmbedderMismatchError where another embedder made the workspace's vectors."""
        check_asking_embedder(self.space.name, self.space.store.embedder(), self.embedder.identity)


@contextmanager
def open_evaluated(
    settings: Settings,
    options: EvaluateOptions,
    loaded: EvaluationSet,
    progress: Progress,
    embedder: Embedder | None,
) -> Iterator[EvaluatedWorkspace]:
    """The workspace of the set's corpus, made where it isn't there, or the user's own where the set
    has no corpus. A pruner is opened before anything is ingested: LoadError or UsageError where it
    can't be used.
    """
    if not loaded.corpus:
        with open_workspace(
            options.workspace, settings=settings, create=False, embedder=embedder
        ) as space:
            yield EvaluatedWorkspace(
                space,
                space.embedder,
                finder(space.current_graph.snapshot().documents),
                {},
                (),
                _pruner(options, space.embedder),
            )
        return
    corpus, files = _corpus(loaded, options)
    own = embedder or wiring.make_embedder(settings)
    # made here, since the workspace has another home
    chat = wiring.make_chat_model(settings) if SPLIT in options.arms else None
    try:
        pruner = _pruner(options, own)
        extractor = _extractor(corpus, options.extractor)
        name = f"{loaded.name}-{options.extractor}-{_corpus_key(corpus, extractor, own)}"
        there = settings.model_copy(
            update={"home": settings.home / "evaluation", "store": EMBEDDED}
        )
        with open_workspace(name, settings=there, chat_model=chat, embedder=own) as space:
            # most arms need no index, and those that do make it
            prepared = space.ingest_jobs.prepare_imported([corpus], extractor, has_index=False)
            # where all is there, not even the graph is looked over: at 6,000 passages that takes
            # half a minute
            if prepared.plan.documents or not space.store.is_derived_current():
                prepared.run_to_its_end(progress)
            ids = dict(
                zip(
                    (d.key for d in loaded.corpus),
                    imported_ids(corpus, space.store.workspace),
                    strict=True,
                )
            )
            dropped = {f"dropped: {reason}": count for reason, count in corpus.dropped.items()}
            yield EvaluatedWorkspace(space, own, ids.get, dropped, files, pruner)
    finally:
        if chat is not None:
            chat.close()
        if embedder is None and hasattr(own, "close"):
            own.close()


def _pruner(options: EvaluateOptions, embedder: Embedder) -> GcnPruner | None:
    return GcnPruner.open(options.pruner, embedder.identity) if options.pruner else None


def _corpus(
    loaded: EvaluationSet, options: EvaluateOptions
) -> tuple[ImportedCorpus, tuple[DataFile, ...]]:
    """The set's corpus as it is ingested, with the extractions of a file where they were asked
    for.
    """
    documents = [
        ImportedTurns(d.title, d.turns) if d.turns else ImportedPassage(d.title, d.text)
        for d in loaded.corpus
    ]
    corpus = ImportedCorpus(tuple(documents), source=loaded.name)
    if options.extractor != FILE:
        return corpus, ()
    assert options.data is not None
    path = options.given or find_file(
        options.data / MULTIHOP, f"{loaded.name.replace('-', '_')}_openie_reference"
    )
    return join_extractions(corpus, read_imported(path)), (read_rows(path)[1],)


def _extractor(corpus: ImportedCorpus, name: str) -> Extractor:
    if name == FILE:
        return ImportedExtractor(corpus)
    if name == PARSING_EXTRACTOR:
        from dynagrag.ingest.extract.spacy_extractor import SpacyExtractor

        return SpacyExtractor(titles=corpus.titles)
    return FastExtractor(titles=corpus.titles)


def _corpus_key(corpus: ImportedCorpus, extractor: Extractor, embedder: Embedder) -> str:
    identity = embedder.identity
    return content_id(
        version("dynagrag"),
        extractor.name,
        identity.name,
        identity.dimension,
        *content_hashes(corpus.documents),
    )[:12]
