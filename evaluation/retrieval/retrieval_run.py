"""An evaluation of retrieval from its options to its folder: every arm is asked every question, and
what it brought is written down.

Runs lie in HOME/evaluation/runs.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from dynagrag.checkpoints.checkpoints import digest_of
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Embedder, Pruner
from dynagrag.core.schema import Filters, Snapshot
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.frame.report import shortened
from dynagrag.evaluation.question_sets.gold_resolver import Resolver, Target, missing_gold
from dynagrag.evaluation.question_sets.question_set import Scope
from dynagrag.evaluation.ranking_measures import check_library
from dynagrag.evaluation.results.run_folder import RunFolder
from dynagrag.evaluation.results.run_settings import RunSettings
from dynagrag.evaluation.results.run_summary import whole_summary
from dynagrag.evaluation.retrieval.evaluated_workspace import EvaluatedWorkspace, open_evaluated
from dynagrag.evaluation.retrieval.retrieval_report import render_report
from dynagrag.evaluation.retrieval.retriever_arms import DEPTH, SPLIT, make_arms, profiles_of
from dynagrag.evaluation.retrieval.retriever_bench import RetrieverBench, passage_words
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions, RunPlan, plan_run
from dynagrag.ingest.pipeline import Progress
from dynagrag.retrieval.filters import apply_filters


def evaluate_retrieval(
    settings: Settings,
    options: EvaluateOptions,
    progress: Progress | None = None,
    embedder: Embedder | None = None,
) -> tuple[RunFolder, dict[str, Any]]:
    """Runs an evaluation, or resumes one; the run's folder and its summary.

    Raises UsageError and LoadError for what was given wrong, before anything is embedded;
    StoppedRunError on Ctrl-C.
    """
    check_library()
    plan = plan_run(options, settings)
    show = progress or (lambda *_: None)
    with open_evaluated(settings, options, plan.loaded, show, embedder) as place:
        snapshot = place.space.current_graph.snapshot()
        resolver = Resolver(snapshot, place.find)
        targets = {question.id: resolver.target(question.gold) for question in plan.questions}
        _check(snapshot, targets, place)
        made_with = _made_with(plan, options, place, snapshot)
        run = RunFolder.begin(settings.home, made_with.dataset, made_with.to_json(), options.out)
        with run.asking(plan.num_lines):
            for scope in plan.scopes:
                _Work(run, place, snapshot, plan, targets, show, place.pruner).ask(scope)
            lines = run.lines()
            notes = Counter(plan.loaded.notes) + Counter(place.notes)
            summary = whole_summary(run.path, made_with, lines, targets, notes)
            run.finish(summary, passage_words(lines, snapshot))
            run.write_report(render_report(run))
    return run, summary


def _check(snapshot: Snapshot, targets: Mapping[str, Target], place: EvaluatedWorkspace) -> None:
    if not snapshot.passages:
        raise WorkspaceError(
            f"workspace {place.space.name!r} has no passages; ingest something first"
        )
    if not any(target.units for target in targets.values()):
        names = ", ".join(repr(shortened(name)) for name in missing_gold(targets)[:3])
        raise UsageError(
            f"nothing of what should be found is in workspace {place.space.name!r}, e.g. {names};"
            " check the titles and paths"
        )
    place.check_embedder()


def _made_with(
    plan: RunPlan, options: EvaluateOptions, place: EvaluatedWorkspace, snapshot: Snapshot
) -> RunSettings:
    identity, chat, profiles = (
        place.embedder.identity,
        place.space.models.chat_model,
        profiles_of(plan.arms),
    )
    return RunSettings(
        dataset=plan.loaded.name,
        half=options.half,
        scopes=plan.scopes,
        questions=len(plan.questions),
        measure=plan.loaded.main_measure,
        arms=plan.arms,
        baseline=plan.baseline,
        extractor=options.extractor if plan.loaded.corpus else None,
        llm=chat.identity if SPLIT in plan.arms and chat else None,
        embedder=f"{identity.name} ({identity.dimension} dimensions)",
        workspace=place.space.name,
        passages=len(snapshot.passages),
        entities=len(snapshot.graph.entities),
        relations=len(snapshot.graph.relations),
        graph=place.space.store.digest(),
        files={file.name: file.sha256 for file in (*plan.loaded.files, *place.files)},
        asked=content_id(
            *(part for question in plan.questions for part in (question.id, question.text))
        ),
        depth=DEPTH,
        seed=SEED,
        profiles={name: asdict(profile) for name, profile in profiles.items()},
        prompts=plan.prompts,
        pruner=digest_of(options.pruner) if options.pruner else "",
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """What is left to ask in a run."""

    run: RunFolder
    place: EvaluatedWorkspace
    snapshot: Snapshot
    plan: RunPlan
    targets: Mapping[str, Target]
    progress: Progress
    pruner: Pruner | None

    def ask(self, scope: Scope) -> None:
        """Asks all that has no line yet; documents of a set one after the other, so that only one's
        indexes are held.
        """
        done: dict[str, set[str]] = {}
        for line in self.run.lines():
            if line.scope == scope:
                done.setdefault(line.question, set()).add(line.arm)
        is_apart = scope is Scope.DOCUMENT
        bench: RetrieverBench | None = None
        at: str | None = None
        for number, question in enumerate(self.plan.questions, start=1):
            have = frozenset(done.get(question.id, ()))
            if set(self.plan.arms) - have:
                if bench is None or (is_apart and question.document != at):
                    at = question.document
                    bench = self._bench(scope, at if is_apart else None)
                vector = self.place.embedder.embed_query(question.text)
                self.run.append(bench.ask(question, self.targets[question.id], vector, have))
            self.progress(f"ask ({scope})", number, len(self.plan.questions))

    def _bench(self, scope: Scope, document: str | None) -> RetrieverBench:
        """The arms on one document alone, or on the whole corpus."""
        space = self.place.space
        id_ = None if document is None else self.place.find(document)
        snapshot = (
            self.snapshot
            if id_ is None
            else apply_filters(self.snapshot, space.store, Filters(documents=(id_,)))
        )
        return RetrieverBench(
            scope,
            make_arms(self.plan.arms, space, snapshot, id_ is None, self.plan.prompts, self.pruner),
            Resolver(snapshot, self.place.find),
        )
