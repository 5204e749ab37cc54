"""An evaluation from its options to its folder: the set is read, its corpus put into a workspace of its own, and every arm is asked.

Corpora lie in HOME/evaluation/workspaces, by content and embedder, so that a second run embeds nothing; runs in HOME/evaluation/runs.
"""

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dynagrag import wiring
from dynagrag.errors import DynaGragError, EmbedderMismatchError, SettingsError, UsageError, WorkspaceError
from dynagrag.evaluation.gold import FindDocument, Resolver, Target, finder, missing_gold
from dynagrag.evaluation.html_report import render_report
from dynagrag.evaluation.intervals import RESAMPLES, SEED
from dynagrag.evaluation.json_rows import find_file, read_rows
from dynagrag.evaluation.measures import check_library
from dynagrag.evaluation.own_questions import load_own
from dynagrag.evaluation.published_sets import MULTIHOP, load_set
from dynagrag.evaluation.retriever_bench import DEPTH, Arm, RetrieverBench, passage_words
from dynagrag.evaluation.run_folder import RunFolder, check_folder, library_versions, new_folder, shortened
from dynagrag.evaluation.sets import DataFile, EvalQuestion, EvaluationSet, Half, Scope
from dynagrag.evaluation.summary import whole_summary
from dynagrag.ids import content_id
from dynagrag.ingest.extract.fast_extractor import FastExtractor
from dynagrag.ingest.given.given_corpus import GivenCorpus, GivenPassage, GivenTurns, content_hashes, join_extractions, read_given
from dynagrag.ingest.given.given_extractor import GivenExtractor
from dynagrag.ingest.given.given_plan import given_ids
from dynagrag.ingest.pipeline import Progress
from dynagrag.protocols import Embedder, Extractor
from dynagrag.retrieval.ego.ego_index import EgoIndex
from dynagrag.retrieval.filters import apply_filters
from dynagrag.retrieval.passages import PassageScores
from dynagrag.schema import Filters, Snapshot, Vector
from dynagrag.settings import PROFILES, Settings
from dynagrag.workspace.facade import Workspace, open_workspace

_LOG = logging.getLogger(__name__)
CONTROLS = ("naive", "bm25", "rrf", "hybrid")
"""Arms that always run: what a graph has to beat."""
SPLIT = "split"
BY_PROFILE = {"default": "default", "paper": "paper", SPLIT: "default"}
"""Arms that are the retriever `dynagrag` under a profile; other arms are the names of retrievers. Of `split` a model splits the question
first.
"""
EXTRACTORS = ("fast", "file")


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """What to evaluate: a set by name from the folder `data`, or a file of one's own `questions` on the `workspace`.

    `scopes` None: all that the set has. `limit`: so many questions at most. `given`: a file of extractions, in place of the set's own.
    """

    dataset: str | None = None
    data: Path | None = None
    questions: Path | None = None
    workspace: str | None = None
    arms: tuple[str, ...] = ("default",)
    extractor: str = "fast"
    half: Half = Half.ALL
    scope: Scope | None = None
    baseline: str = "naive"
    limit: int | None = None
    part: str | None = None
    given: Path | None = None
    out: Path | None = None


class StoppedRunError(DynaGragError):
    """Ctrl-C in a run: says how to go on."""

    exit_code = 130


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the questions are asked: an open workspace, how its documents are found by the set's names, and what was passed over."""

    space: Workspace
    embedder: Embedder
    find: FindDocument
    notes: Mapping[str, int]
    files: tuple[DataFile, ...]


def evaluate_retrieval(
    settings: Settings, options: EvaluateOptions, progress: Progress | None = None, embedder: Embedder | None = None
) -> tuple[RunFolder, dict[str, Any]]:
    """Runs an evaluation, or goes on with one; the run's folder and its summary.

    Raises UsageError and LoadError for what was given wrong, before anything is embedded; StoppedRunError on Ctrl-C.
    """
    check_library()
    arms = arm_names(options)
    if SPLIT in arms and not settings.llm:
        raise SettingsError(f"the arm {SPLIT} asks a language model to split each question: name one with --llm, e.g. --llm qwen")
    if options.out is not None:
        check_folder(options.out)
    loaded = _load(options)
    questions = _chosen(loaded, options)
    show = progress or (lambda *_: None)
    with _opened(settings, options, loaded, show, embedder) as place:
        snapshot = place.space.snapshot()
        resolver = Resolver(snapshot, place.find)
        targets = {question.id: resolver.target(question.gold) for question in questions}
        _check(snapshot, targets, place)
        made_with = _made_with(options, loaded, questions, arms, place, snapshot)
        run = RunFolder.open(options.out or _folder(settings, made_with), made_with, library_versions())
        _LOG.info("run in %s", run.path)
        scopes = _scopes(loaded, options)
        with run.asking(len(scopes) * len(questions) * len(arms)):
            try:
                for scope in scopes:
                    _Work(run, place, snapshot, questions, targets, arms, show).ask(scope)
            except KeyboardInterrupt:
                raise StoppedRunError(f"interrupted; what was measured is kept: the same command with --out {run.path} goes on") from None
            lines = run.lines()
            summary = whole_summary(run, lines, targets, Counter(loaded.notes) + Counter(place.notes))
            run.finish(summary, passage_words(lines, snapshot))
            run.write_report(render_report(run))
    return run, summary


def arm_names(options: EvaluateOptions) -> tuple[str, ...]:
    """The arms asked for, then the controls, each once. UsageError for a name that is none."""
    names = tuple(dict.fromkeys([*options.arms, *CONTROLS]))
    known = (*BY_PROFILE, *(name for name in wiring.RETRIEVERS if name != "dynagrag"))
    for name in (*names, options.baseline):
        if name not in known:
            raise UsageError(f"unknown arm {name!r}; known: {', '.join(known)}")
    if options.baseline not in names:
        raise UsageError(f"the baseline {options.baseline!r} is not among the arms; add it with --arms")
    return names


# ------------------------------------------------------------------------------------------------------- what is asked


def _load(options: EvaluateOptions) -> EvaluationSet:
    if (options.dataset is None) == (options.questions is None):
        raise UsageError("name what to evaluate: --dataset NAME --data FOLDER, or --questions FILE with --workspace")
    if options.extractor not in EXTRACTORS:
        raise UsageError(f"unknown extractor {options.extractor!r}; known: {', '.join(EXTRACTORS)}")
    if options.questions is not None:
        return load_own(options.questions)
    assert options.dataset is not None
    if options.data is None:
        raise UsageError(f"say where {options.dataset} lies: --data FOLDER, the folder that holds multihop/ and transcript_qa/")
    return load_set(options.dataset, options.data, options.part)


def _chosen(loaded: EvaluationSet, options: EvaluateOptions) -> tuple[EvalQuestion, ...]:
    chosen = tuple(q for q in loaded.questions if options.half.holds(q.row))[: options.limit]
    if not chosen:
        raise UsageError(f"the half {options.half} of {loaded.name} has no question; take --half all")
    return chosen


def _scopes(loaded: EvaluationSet, options: EvaluateOptions) -> tuple[Scope, ...]:
    if options.scope is None:
        return loaded.scopes
    if options.scope not in loaded.scopes:
        raise UsageError(f"{loaded.name} has no scope {options.scope}; it has: {', '.join(loaded.scopes)}")
    return (options.scope,)


def _check(snapshot: Snapshot, targets: Mapping[str, Target], place: _Place) -> None:
    if not snapshot.passages:
        raise WorkspaceError(f"workspace {place.space.name!r} has no passages; ingest something first")
    if not any(target.units for target in targets.values()):
        names = ", ".join(repr(shortened(name)) for name in missing_gold(targets)[:3])
        raise UsageError(f"nothing of what should be found is in workspace {place.space.name!r}, e.g. {names}; check the titles and paths")
    stored = place.space.store.embedder()
    if stored is not None and stored != place.embedder.identity:
        raise EmbedderMismatchError(
            f"workspace {place.space.name!r} was embedded by {stored.name} ({stored.dimension} dimensions), but the embedder is "
            f"{place.embedder.identity.name} ({place.embedder.identity.dimension}); use --embedder {stored.name}"
        )


# ------------------------------------------------------------------------------------------------------ where it is asked


@contextmanager
def _opened(
    settings: Settings, options: EvaluateOptions, loaded: EvaluationSet, progress: Progress, embedder: Embedder | None
) -> Iterator[_Place]:
    """The workspace of the set's corpus, made where it isn't there, or the user's own."""
    if not loaded.corpus:
        with open_workspace(options.workspace, settings=settings, create=False, embedder=embedder) as space:
            yield _Place(space, space.embedder, finder(space.snapshot().documents), {}, ())
        return
    corpus, files = _corpus(loaded, options)
    own = embedder or wiring.make_embedder(settings)
    chat = wiring.make_chat_model(settings) if SPLIT in options.arms else None  # here, since the workspace has another home
    try:
        extractor = FastExtractor(titles=corpus.titles) if options.extractor == "fast" else GivenExtractor(corpus)
        name = f"{loaded.name}-{options.extractor}-{_corpus_key(corpus, extractor, own)}"
        there = settings.model_copy(update={"home": settings.home / "evaluation", "store": wiring.EMBEDDED})
        with open_workspace(name, settings=there, chat_model=chat, embedder=own) as space:
            _ingest(space, corpus, extractor, progress)
            ids = dict(zip((d.key for d in loaded.corpus), given_ids(corpus, space.name), strict=True))
            dropped = {f"dropped: {reason}": count for reason, count in corpus.dropped.items()}
            yield _Place(space, own, ids.get, dropped, files)
    finally:
        if chat is not None:
            chat.close()
        if embedder is None and hasattr(own, "close"):
            own.close()


def _ingest(space: Workspace, corpus: GivenCorpus, extractor: Extractor, progress: Progress) -> None:
    """Puts the corpus in; where all of it is there, not even the graph is looked over: at 6,000 passages that takes half a minute."""
    prepared = space.prepare_given([corpus], extractor, has_index=False)  # most arms need none, and those that do make it
    if prepared.plan.documents or not space.store.is_derived_current():
        prepared.run_to_its_end(progress)


def _corpus(loaded: EvaluationSet, options: EvaluateOptions) -> tuple[GivenCorpus, tuple[DataFile, ...]]:
    """The set's corpus as it is ingested, with the extractions of a file where they were asked for."""
    documents = [GivenTurns(d.title, d.turns) if d.turns else GivenPassage(d.title, d.text) for d in loaded.corpus]
    corpus = GivenCorpus(tuple(documents), source=loaded.name)
    if options.extractor == "fast":
        return corpus, ()
    assert options.data is not None
    path = options.given or find_file(options.data / MULTIHOP, f"{loaded.name.replace('-', '_')}_openie_reference")
    return join_extractions(corpus, read_given(path)), (read_rows(path)[1],)


def _corpus_key(corpus: GivenCorpus, extractor: Extractor, embedder: Embedder) -> str:
    identity = embedder.identity
    return content_id(version("dynagrag"), extractor.name, identity.name, identity.dimension, *content_hashes(corpus.documents))[:12]


def _folder(settings: Settings, made_with: Mapping[str, Any]) -> Path:
    """A run of the same settings that was stopped, else a new one."""
    runs = settings.home / "evaluation" / "runs"
    for path in sorted(runs.glob(f"*-{made_with['dataset']}-*"), reverse=True):
        if RunFolder.is_unfinished(path, made_with):
            return path
    return new_folder(runs, made_with["dataset"])


# --------------------------------------------------------------------------------------------------------------- asking


@dataclass(slots=True)
class _Work:
    """What is left to ask in a run."""

    run: RunFolder
    place: _Place
    snapshot: Snapshot
    questions: Sequence[EvalQuestion]
    targets: Mapping[str, Target]
    arms: Sequence[str]
    progress: Progress

    def ask(self, scope: Scope) -> None:
        """Asks all that has no line yet; documents of a set one after the other, so that only one's indexes are held."""
        done: dict[str, set[str]] = {}
        for line in self.run.lines():
            if line.scope == scope:
                done.setdefault(line.question, set()).add(line.arm)
        is_apart = scope is Scope.DOCUMENT
        asker: RetrieverBench | None = None
        at: str | None = None
        for number, question in enumerate(self.questions, start=1):
            have = frozenset(done.get(question.id, ()))
            if set(self.arms) - have:
                if asker is None or (is_apart and question.document != at):
                    at = question.document
                    asker = self._asker(scope, at if is_apart else None)
                self.run.append(asker.ask(question, self.targets[question.id], self._vector(question), have))
            self.progress(f"ask ({scope})", number, len(self.questions))

    def _vector(self, question: EvalQuestion) -> Vector:
        return self.place.embedder.embed_query(question.text)

    def _asker(self, scope: Scope, document: str | None) -> RetrieverBench:
        space = self.place.space
        id_ = None if document is None else self.place.find(document)
        snapshot = self.snapshot if id_ is None else apply_filters(self.snapshot, space.store, Filters(documents=(id_,)))
        return RetrieverBench(scope, _arms(self.arms, space, snapshot, is_whole=id_ is None), Resolver(snapshot, self.place.find))


def _arms(names: Sequence[str], space: Workspace, snapshot: Snapshot, is_whole: bool) -> Iterator[Arm]:
    """The arms on one snapshot, as the workspace makes them; they share its lookups."""
    passages = PassageScores(snapshot)
    for name in names:
        profile = wiring.make_profile(BY_PROFILE.get(name, "default"))

        def index(profile: Any = profile) -> EgoIndex:
            folder = space.folder / "index" / profile.name
            return EgoIndex.open(folder, snapshot, profile) if is_whole else EgoIndex.build(snapshot.graph, profile)

        of_profile = "bridge-ppr" if profile.passage_ranking == "bridge" else "dynagrag"
        retriever = wiring.make_retriever(of_profile if name in BY_PROFILE else name, snapshot, profile, passages, index)
        if name == SPLIT:
            chat = space.metered(None)
            assert chat is not None  # else the run was refused
            yield Arm(name, retriever, profile.num_subgraphs, partial(space.split, chat=chat))
        else:
            yield Arm(name, retriever, profile.num_subgraphs)


# ------------------------------------------------------------------------------------------------------------ what it was


def _made_with(
    options: EvaluateOptions,
    loaded: EvaluationSet,
    questions: Sequence[EvalQuestion],
    arms: Sequence[str],
    place: _Place,
    snapshot: Snapshot,
) -> dict[str, Any]:
    """Whatever changes a line of the run: a run is only gone on with where all of it is the same."""
    identity, store = place.embedder.identity, place.space.store
    return {
        "dataset": loaded.name,
        "half": options.half,
        "scopes": list(_scopes(loaded, options)),
        "questions": len(questions),
        "measure": loaded.main_measure,
        "arms": list(arms),
        "baseline": options.baseline,
        "extractor": options.extractor if loaded.corpus else None,
        **({"llm": place.space.chat_model.identity} if SPLIT in arms and place.space.chat_model else {}),
        "embedder": f"{identity.name} ({identity.dimension} dimensions)",
        "workspace": place.space.name,
        "passages": len(snapshot.passages),
        "entities": len(snapshot.graph.entities),
        "relations": len(snapshot.graph.relations),
        "graph": store.digest(),
        "files": {file.name: file.sha256 for file in (*loaded.files, *place.files)},
        "asked": content_id(*(part for q in questions for part in (q.id, q.text))),
        "depth": DEPTH,
        "seed": SEED,
        "resamples": RESAMPLES,
        "profiles": {name: asdict(PROFILES[BY_PROFILE[name]]) for name in arms if name in BY_PROFILE},
        "dynagrag": version("dynagrag"),
    }


__all__ = ["CONTROLS", "EXTRACTORS", "EvaluateOptions", "StoppedRunError", "arm_names", "evaluate_retrieval"]
