"""An evaluation of retrieval from its options to its folder: every arm is asked every question, and
what it brought is written down.

Runs lie in HOME/evaluation/runs.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from pydantic import JsonValue

from dynagrag.checkpoints.checkpoints import digest_of
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import Filters
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.frame.experiment import ItemTrial, Keep, TrialExperiment, Watch
from dynagrag.evaluation.frame.report import shortened
from dynagrag.evaluation.frame.running import run_experiment
from dynagrag.evaluation.question_sets.gold_resolver import Resolver, missing_gold
from dynagrag.evaluation.question_sets.question_set import EvalQuestion, Scope
from dynagrag.evaluation.ranking_measures import check_library
from dynagrag.evaluation.retrieval.evaluated_workspace import EvaluatedWorkspace, open_evaluated
from dynagrag.evaluation.retrieval.retrieval_report import (
    PASSAGES,
    RetrievalLine,
    RetrievalResult,
    RetrievalRun,
    by_scope,
)
from dynagrag.evaluation.retrieval.retrieval_scores import scope_figures
from dynagrag.evaluation.retrieval.retriever_arms import (
    DEPTH,
    RERANKED,
    SPLIT,
    make_arms,
    profiles_of,
)
from dynagrag.evaluation.retrieval.retriever_bench import (
    PersonTeller,
    RetrieverBench,
    passage_words,
)
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions, RunPlan, plan_run
from dynagrag.generation.evidence_sentences.line_index import LineIndex
from dynagrag.ingest.pipeline import Progress
from dynagrag.retrieval.filters import apply_filters
from dynagrag.retrieval.passages import PassageScores

_MAX_LISTED = 20


def evaluate_retrieval(
    settings: Settings,
    options: EvaluateOptions,
    progress: Progress | None = None,
    embedder: Embedder | None = None,
) -> tuple[RetrievalRun, RetrievalResult]:
    """Runs an evaluation, or resumes one; the run and its result.

    Raises UsageError and LoadError for what was given wrong, before anything is embedded;
    StoppedRunError on Ctrl-C.
    """
    check_library()
    plan = plan_run(options, settings)
    show = progress or (lambda *_: None)
    with open_evaluated(settings, options, plan.loaded, show, embedder) as place:
        experiment = RetrievalExperiment(plan, options, place)
        return run_experiment(experiment, settings.home, options.out, Watch(progress))


@dataclass(frozen=True, slots=True)
class ScopedQuestion:
    """A question as it is asked: of its own document, or of the corpus."""

    scope: Scope
    question: EvalQuestion

    @property
    def id(self) -> str:
        """No other question's of the run."""
        return f"{self.scope} {self.question.id}"

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that it is asked of; empty: the corpus."""
        return self.question.documents_in(self.scope)


class RetrievalExperiment(
    TrialExperiment[ScopedQuestion, RetrievalLine, RetrievalResult, RetrievalRun]
):
    """Retrievers as arms, questions in every scope as items."""

    run_kind = RetrievalRun

    def __init__(self, plan: RunPlan, options: EvaluateOptions, place: EvaluatedWorkspace) -> None:
        self.name, self.arms = plan.loaded.name, plan.arms
        self.items = [
            ScopedQuestion(scope, question) for scope in plan.scopes for question in plan.questions
        ]
        self._plan, self._options, self._place = plan, options, place
        self._snapshot = place.space.current_graph.snapshot()
        resolver = Resolver(self._snapshot, place.find)
        self._targets = {q.id: resolver.target(q.gold) for q in plan.questions}
        if not self._snapshot.passages:
            raise WorkspaceError(
                f"workspace {place.space.name!r} has no passages; ingest something first"
            )
        if not any(target.units for target in self._targets.values()):
            names = ", ".join(repr(shortened(name)) for name in missing_gold(self._targets)[:3])
            raise UsageError(
                f"nothing of what should be found is in workspace {place.space.name!r}, e.g."
                f" {names}; check the titles and paths"
            )
        place.check_embedder()

    def made_with(self) -> Mapping[str, JsonValue]:
        """The questions, the graph that they are asked of, and the arms with their profiles.

        Without `llm` (which splits questions) and `pruner` where there is none, and without
        `prompts` where none are written: runs of before lack them too.
        """
        plan, place, graph = self._plan, self._place, self._snapshot.graph
        identity, chat = place.embedder.identity, place.space.models.chat_model
        llm = chat.identity if SPLIT in plan.arms and chat else None
        pruner = digest_of(self._options.pruner) if self._options.pruner else ""
        parts = (part for question in plan.questions for part in (question.id, question.text))
        return {
            "dataset": plan.loaded.name,
            "half": self._options.half,
            "scopes": list(plan.scopes),
            "questions": len(plan.questions),
            "measure": plan.loaded.main_measure,
            "arms": list(plan.arms),
            "baseline": plan.baseline,
            "extractor": self._options.extractor if plan.loaded.corpus else None,
            **({"llm": llm} if llm else {}),
            **({"reranker": place.space.settings.reranker} if RERANKED in plan.arms else {}),
            "embedder": f"{identity.name} ({identity.dimension} dimensions)",
            "workspace": place.space.name,
            "passages": len(self._snapshot.passages),
            "entities": len(graph.entities),
            "relations": len(graph.relations),
            "graph": place.space.store.digest(),
            "files": {file.name: file.sha256 for file in (*plan.loaded.files, *place.files)},
            "asked": content_id(*parts),
            "depth": DEPTH,
            "seed": SEED,
            "profiles": {name: asdict(own) for name, own in profiles_of(plan.arms).items()},
            **({"apart": list(plan.loaded.kinds_apart)} if plan.loaded.kinds_apart else {}),
            **({"other_person": True} if plan.loaded.kinds_apart else {}),
            **({"prompts": True} if plan.prompts else {}),
            **({"pruner": pruner} if pruner else {}),
        }

    def trials(self) -> list[ItemTrial[ScopedQuestion]]:
        """Question by question: all arms share its vector."""
        return [ItemTrial(arm, item) for item in self.items for arm in self.arms]

    def stage(self, trial: ItemTrial[ScopedQuestion]) -> str:
        """Scopes are followed one by one."""
        return f"ask ({trial.item.scope})"

    def measure_all(
        self, left: Sequence[ItemTrial[ScopedQuestion]], keep: Keep[RetrievalLine], watch: Watch
    ) -> None:
        """Questions of the same documents come one after the other, so that only these are held in
        indexes.
        """
        bench: RetrieverBench | None = None
        at: tuple[Scope, tuple[str, ...]] | None = None
        for item, trials in groupby(left, key=lambda trial: trial.item):
            have = frozenset(self.arms) - {trial.arm for trial in trials}
            if bench is None or at != (item.scope, item.documents):
                at = item.scope, item.documents
                place, plan, snapshot = self._place, self._plan, self._snapshot
                if ids := place.ids(item.documents):
                    snapshot = apply_filters(snapshot, place.space.store, Filters(documents=ids))
                lines = LineIndex(PassageScores(snapshot))
                arms = make_arms(plan.arms, place.space, lines, not ids, plan.prompts, place.pruner)
                teller = None
                if plan.loaded.kinds_apart:
                    teller = PersonTeller(lines, place.embedder, self.arms[0])
                bench = RetrieverBench(item.scope, arms, Resolver(snapshot, place.find), teller)
            vector = self._place.embedder.embed_query(item.question.text)
            keep(bench.ask(item.question, self._targets[item.question.id], vector, have))

    def summarize(self, lines: Sequence[RetrievalLine], path: Path) -> RetrievalResult:
        """The figures of every scope."""
        plan, missing = self._plan, missing_gold(self._targets)
        scopes = {
            scope: scope_figures(found, plan.arms, plan.baseline, plan.loaded.kinds_apart)
            for scope, found in by_scope(lines).items()
        }
        first = next(iter(scopes.values()))
        noted = Counter(plan.loaded.notes) + Counter(self._place.notes)
        if apart := sum(q.kind in plan.loaded.kinds_apart for q in plan.questions):
            noted[f"questions counted apart: {', '.join(plan.loaded.kinds_apart)}"] = apart
        lost = {"gold that names no passage, counted as not found": len(missing)} if missing else {}
        return RetrievalResult(
            dataset=plan.loaded.name,
            questions=first.questions,
            passages=len(self._snapshot.passages),
            arms=first.arms,
            half=self._options.half,
            measure=plan.loaded.main_measure,
            baseline=plan.baseline,
            intervals=first.intervals,
            scopes=scopes,
            notes={name: count for name, count in noted.items() if count} | lost,
            missing_gold=[shortened(name) for name in missing[:_MAX_LISTED]],
            run=str(path),
        )

    def write_rows(self, run: RetrievalRun, result: RetrievalResult) -> None:
        """The words of the passages."""
        run.write_rows(PASSAGES, passage_words(run.lines(), self._snapshot))
