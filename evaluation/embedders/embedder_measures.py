"""A workspace asked with its own vectors and with those of other embedders, on the same questions:
`dynagrag evaluate embedders`.

Each candidate gets a copy of the workspace's records, with its own vectors and graph
(`workspace/embedded_copies.py`), which is what a switch would make; the workspace itself is only
asked. `dynagrag embedder use` goes on from the copy.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from pydantic import JsonValue

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Embedder
from dynagrag.evaluation.bootstrap_intervals import (
    SEED,
    intervals,
    share_intervals,
)
from dynagrag.evaluation.embedders.embedder_figures import (
    FOUND,
    MEASURES,
    EmbedderDifference,
    EmbedderFigures,
    EmbedderOutcome,
    EmbeddersResult,
    sentence,
)
from dynagrag.evaluation.embedders.embedder_report import EmbeddersRun
from dynagrag.evaluation.embedders.made_lookups import made_lookups
from dynagrag.evaluation.evidence.evidence_measures import (
    EvidenceMeasurer,
    EvidenceShares,
    columns_of,
)
from dynagrag.evaluation.evidence.evidence_questions import (
    EvidenceQuestion,
    load_evidence_questions,
)
from dynagrag.evaluation.frame.experiment import ItemExperiment, Watch
from dynagrag.evaluation.frame.running import run_experiment
from dynagrag.evaluation.question_sets.question_set import DataFile
from dynagrag.evaluation.several_comparisons import corrected
from dynagrag.ingest.pipeline import Progress
from dynagrag.models.known_embedders import KNOWN_EMBEDDERS
from dynagrag.workspace.embedded_copies import EmbeddedCopy, EmbeddingEstimate, copying_lock
from dynagrag.workspace.facade import Workspace, open_workspace

NUM_MADE = 100
"""Questions that are made where no file is named."""


class EmbedderExperiment(
    ItemExperiment[EvidenceQuestion, EmbedderOutcome, EmbeddersResult, EmbeddersRun]
):
    """Questions, each asked with the vectors of every embedder; the first is the workspace's."""

    run_kind, name = EmbeddersRun, "embedders"

    def __init__(
        self,
        space: Workspace,
        candidates: Mapping[str, Embedder],
        questions: Sequence[EvidenceQuestion],
        file: DataFile | None,
        progress: Progress,
    ) -> None:
        """`candidates`: by their specs. UsageError where there is none beside the workspace's own,
        or two are one.
        """
        own = space.embedder.identity
        self._specs = {own.name: space.settings.embedder}
        self._embedders = {own.name: space.embedder}
        for spec, embedder in candidates.items():
            identity = embedder.identity
            if identity == own:
                continue
            if identity.name in self._embedders:
                raise UsageError(
                    f"two of the candidates are called {identity.name}; name one of them, or give"
                    " their folders different names"
                )
            self._specs[identity.name], self._embedders[identity.name] = spec, embedder
        if len(self._embedders) < 2:
            raise UsageError(
                f"workspace {space.name!r} has the embedder {own.name} already; name others as"
                " --candidates (`dynagrag models list` shows some)"
            )
        self.items, self._file, self._space, self._progress = questions, file, space, progress
        self.arms = tuple(self._embedders)
        self._opened = ExitStack()
        self._measurers = {own.name: EvidenceMeasurer(space)}
        self._missing = [
            words for item in questions for words in self._measurers[own.name].missing(item)
        ]
        self._estimates: dict[str, EmbeddingEstimate] = {}
        self._version = space.store.version()

    def close(self) -> None:
        """Releases the copies."""
        self._opened.close()

    def made_with(self) -> Mapping[str, JsonValue]:
        """The questions, the workspace, and the embedders."""
        dimensions = {name: own.identity.dimension for name, own in self._embedders.items()}
        return {
            "workspace": self._space.name,
            "arms": list(self.arms),
            "dimensions": dict(dimensions),
            "graph": self._space.store.digest(),
            "files": {self._file.name: self._file.sha256} if self._file else {},
            "questions": len(self.items),
            "asked": content_id(*map(str, self.items)),
        }

    def estimate(self, arm: str, items: Sequence[EvidenceQuestion]) -> object | None:
        """What it takes to embed the workspace; None of its own embedder."""
        return None if arm == self.arms[0] else self._estimate(arm)

    def warm_up(self, arm: str, item: EvidenceQuestion) -> None:
        """Makes and opens the copy, and asks once."""
        if arm not in self._measurers:
            copy = EmbeddedCopy.to_try(self._space.parts, self._embedders[arm])
            copy.prepare_to_ask(self._progress)
            opened = Workspace(
                self._space.store.workspace,
                copy.folder,
                self._space.settings.model_copy(update={"store": "sqlite"}),
                embedder=self._embedders[arm],
            )
            self._opened.callback(opened.close)
            self._measurers[arm] = EvidenceMeasurer(opened)
        self._measurers[arm].measure(item)

    def measure(self, item: EvidenceQuestion, arm: str) -> EmbedderOutcome:
        """One question, by one embedder's vectors."""
        began = perf_counter()
        found = self._measurers[arm].measure(item)
        ms = 1000 * (perf_counter() - began)
        return EmbedderOutcome(**dict(found), embedder=arm, ms=round(ms, 2))

    def summarize(self, lines: Sequence[EmbedderOutcome], path: Path) -> EmbeddersResult:
        """The figures of each embedder, and of each candidate against the workspace's own.

        Raises:
            WorkspaceError: The workspace was written to meanwhile, so embedders were asked of
            different things.
        """
        if self._space.store.version() != self._version:
            raise WorkspaceError(
                f"workspace {self._space.name!r} was written to while embedders were compared; wait"
                " until its ingest is done and run this again (what was embedded stays)"
            )
        by_arm = {arm: [line for line in lines if line.embedder == arm] for arm in self.arms}
        columns = {arm: columns_of(own) for arm, own in by_arm.items()}
        first, *candidates = self.arms
        num = len(columns[first].get(FOUND, ()))
        differences: dict[str, dict[str, EmbedderDifference]] = {arm: {} for arm in candidates}
        for measure in MEASURES if num else ():
            base = columns[first][measure]
            own = {
                arm: [a - b for a, b in zip(columns[arm][measure], base, strict=True)]
                for arm in candidates
            }
            found = intervals(own)
            holds = corrected({arm: asdict(one) for arm, one in found.items()}, own)
            for arm, each in found.items():
                rounded = each.rounded(4)
                differences[arm][measure] = EmbedderDifference(
                    difference=rounded.mean,
                    low=rounded.low,
                    high=rounded.high,
                    more=sum(value > 0 for value in own[arm]),
                    fewer=sum(value < 0 for value in own[arm]),
                    **holds[arm],
                )
        figures = {arm: self._figures(arm, own) for arm, own in by_arm.items()}
        return EmbeddersResult(
            n=len(self.items),
            num_answerable=num,
            is_made=self._file is None,
            baseline=first,
            embedders=figures,
            differences=differences,
            sentences=[
                sentence(arm, first, num, differences[arm][FOUND], figures[arm])
                for arm in candidates
                if num
            ],
            missing=self._missing,
            run=str(path),
        )

    def _figures(self, arm: str, lines: Sequence[EmbedderOutcome]) -> EmbedderFigures:
        columns, estimate = columns_of(lines), self._estimate(arm)
        answered = [line for line in lines if line.is_answerable]
        kinds = sorted({line.kind for line in answered if line.kind})
        return EmbedderFigures(
            intervals={
                measure: share_intervals({measure: columns[measure]})[measure].rounded(4)
                for measure in MEASURES
                if measure in columns
            },
            kinds={
                kind: EvidenceShares.of([o for o in answered if o.kind == kind]).first_3 or 0.0
                for kind in kinds
            },
            nothing_fits=EvidenceShares.of(lines).nothing_fits,
            ms=round(median(line.ms for line in lines), 1),
            num_vectors=estimate.num_vectors,
            seconds=round(estimate.seconds_of_all, 1),
            vector_bytes=estimate.size_bytes,
            model_bytes=_model_bytes(self._specs[arm]),
        )

    def _estimate(self, arm: str) -> EmbeddingEstimate:
        if arm not in self._estimates:
            copy = EmbeddedCopy.to_try(self._space.parts, self._embedders[arm])
            self._estimates[arm] = copy.estimate()
        return self._estimates[arm]


def _model_bytes(spec: str) -> int | None:
    """Of a model's file on this machine; None of a server's, and where it isn't known."""
    if (row := KNOWN_EMBEDDERS.get(spec)) is not None:
        return row.size_bytes
    place = Path(spec.removeprefix("torch:")).expanduser()
    if place.is_dir():
        return max((f.stat().st_size for f in place.rglob("*") if f.is_file()), default=None)
    return place.stat().st_size if place.is_file() else None


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """What is compared, on which questions: those of a file, else `num_made` that are made. Of a
    file the first `limit`.
    """

    candidates: tuple[str, ...]
    workspace: str | None = None
    questions: Path | None = None
    num_made: int = NUM_MADE
    limit: int | None = None
    out: Path | None = None


def evaluate_embedders(
    settings: Settings,
    options: EmbedderOptions,
    watch: Watch | None = None,
    embedders: Mapping[str, Embedder] | None = None,
    own: Embedder | None = None,
) -> tuple[EmbeddersRun, EmbeddersResult]:
    """Compares, or goes on with a run that was stopped; the run and its result.

    `embedders`: the candidates by their specs, `own`: the workspace's, where they are open already.

    Raises LoadError for what is wrong in the file, UsageError for candidates that are none,
    WorkspaceError where there is no such workspace or nothing in it to ask about, or another
    process makes copies of it.
    """
    watch = watch or Watch()
    with (
        open_workspace(options.workspace, settings=settings, create=False, embedder=own) as space,
        _opened(settings, options.candidates, embedders) as candidates,
        copying_lock(space.parts),
    ):
        space.parts.check_whole()
        if options.questions is not None:
            questions, file = load_evidence_questions(options.questions)
            questions = questions[: options.limit]
        else:
            file = None
            questions = made_lookups(space.current_graph.snapshot(), options.num_made, SEED)
            if not questions:
                raise WorkspaceError(
                    f"workspace {space.name!r} has no line to ask about; ingest more, or give"
                    " questions of your own with --questions"
                )
        experiment = EmbedderExperiment(space, candidates, questions, file, watch.tell)
        try:
            return run_experiment(experiment, settings.home, options.out, watch)
        finally:
            experiment.close()


@contextmanager
def _opened(
    settings: Settings, specs: Sequence[str], embedders: Mapping[str, Embedder] | None
) -> Iterator[Mapping[str, Embedder]]:
    """The candidates, each of which embeds a word before anything else is done."""
    with ExitStack() as stack:
        found: dict[str, Any] = dict(embedders or {})
        for spec in specs:
            if spec not in found:
                found[spec] = wiring.make_embedder(settings.model_copy(update={"embedder": spec}))
                if hasattr(found[spec], "close"):
                    stack.callback(found[spec].close)
            found[spec].embed_query("ready?")
        yield {spec: found[spec] for spec in specs}
