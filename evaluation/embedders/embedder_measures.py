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

from pydantic import BaseModel, ConfigDict, JsonValue

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Embedder
from dynagrag.core.text import cut, duration_text, plural
from dynagrag.evaluation.bootstrap_intervals import (
    MIN_PAIRS,
    SEED,
    Interval,
    intervals,
    share_intervals,
)
from dynagrag.evaluation.embedders.made_lookups import made_lookups
from dynagrag.evaluation.evidence.evidence_measures import (
    NUM_FIRST,
    NUM_SHOWN,
    EvidenceMeasurer,
    EvidenceOutcome,
    EvidenceShares,
    NothingFits,
    columns_of,
)
from dynagrag.evaluation.evidence.evidence_questions import (
    EvidenceQuestion,
    load_evidence_questions,
)
from dynagrag.evaluation.frame.experiment import ItemExperiment, Watch
from dynagrag.evaluation.frame.experiment_run import ExperimentRun
from dynagrag.evaluation.frame.figures import Figure, Unit, count
from dynagrag.evaluation.frame.report import (
    FEW_ITEMS,
    BarChart,
    Case,
    Cases,
    Listing,
    Report,
    Section,
    Table,
    few,
    interval_meaning,
)
from dynagrag.evaluation.frame.results import Result
from dynagrag.evaluation.frame.running import run_experiment
from dynagrag.evaluation.question_sets.question_set import DataFile
from dynagrag.evaluation.several_comparisons import corrected
from dynagrag.ingest.pipeline import Progress
from dynagrag.models.known_embedders import KNOWN_EMBEDDERS
from dynagrag.workspace.embedded_copies import EmbeddedCopy, EmbeddingEstimate, copying_lock
from dynagrag.workspace.facade import Workspace, open_workspace

NUM_MADE = 100
"""Questions that are made where no file is named."""
_MEASURES = ("first", "first_3", "shown")
_FOUND = "first_3"
"""What "finds" means in the sentences: the words that answer are in the first three clips."""
_MAX_CASES = 20


class EmbedderOutcome(EvidenceOutcome):
    """What was shown of a question by one embedder's vectors. `ms`: of embedding and asking."""

    embedder: str
    ms: float

    @property
    def key(self) -> tuple[str, str]:
        """The embedder, and the question."""
        return self.embedder, self.question


class EmbedderDifference(BaseModel):
    """A candidate minus the workspace's own embedder, on the same questions that something answers.
    `more` and `fewer`: questions that only the one or only the other finds. `holds`: whether it is
    more than chance, among all candidates (Holm).
    """

    model_config = ConfigDict(frozen=True)

    difference: float
    low: float
    high: float
    more: int
    fewer: int
    p_holm: float
    holds: bool


class EmbedderFigures(BaseModel):
    """One embedder. `intervals` and `kinds`: by measure, and by kind of question the share that is
    found in the first three. `seconds`: to embed all of the workspace, estimated; `vector_bytes`:
    of its vectors, `model_bytes` of the model's file (None where it isn't known).
    """

    model_config = ConfigDict(frozen=True)

    intervals: dict[str, Interval]
    kinds: dict[str, float]
    nothing_fits: NothingFits
    ms: float
    num_vectors: int
    seconds: float
    vector_bytes: int
    model_bytes: int | None


class EmbeddersResult(Result):
    """`n` questions, of which `num_answerable` have an answer; `is_made`: they were made of the
    workspace. `differences`: by candidate and measure. `sentences`: what it comes to, one a
    candidate.
    """

    n: int
    num_answerable: int
    is_made: bool
    baseline: str
    embedders: dict[str, EmbedderFigures]
    differences: dict[str, dict[str, EmbedderDifference]]
    sentences: list[str]
    missing: list[str]
    run: str


class EmbeddersRun(ExperimentRun[EmbedderOutcome, EmbeddersResult]):
    """The folder of a comparison of embedders."""

    evaluates, what, noun = "embedders", "embedders compared", "question"
    command = "dynagrag evaluate embedders"
    lines_file, line_kind, result_kind = "questions.jsonl", EmbedderOutcome, EmbeddersResult

    def report(self) -> Report:
        """The report of the run."""
        result = self.result()
        notes = []
        if result.is_made:
            notes.append(
                "The questions were made of the recordings' own words (a question that is asked in"
                " them, for its reply; the commoner half of a line's words, for the line). Search"
                " by words finds much of that, so embedders may differ more on questions of yours:"
                " give them with --questions."
            )
        if result.num_answerable < FEW_ITEMS:
            notes.append(few("question"))
        if result.missing:
            notes.append(
                f"{plural(len(result.missing), 'text')} of decisive words stand nowhere in the"
                f" documents, and count as not shown, such as: {cut(result.missing[0], 80)}"
            )
        found = {
            name: Figure.of(own.intervals[_FOUND])
            for name, own in result.embedders.items()
            if own.intervals
        }
        kinds = sorted({kind for own in result.embedders.values() for kind in own.kinds})
        tables = [
            Table(
                ("embedder", *(_HEADS[measure] for measure in _MEASURES), *_NOTHING_FITS_WORDS),
                tuple(
                    (
                        name,
                        (
                            *(Figure.of(own.intervals[m]) for m in _MEASURES if own.intervals),
                            Figure(own.nothing_fits.answerable),
                            Figure(own.nothing_fits.unanswerable),
                        ),
                    )
                    for name, own in result.embedders.items()
                ),
                title=f"In points, of {plural(result.num_answerable, 'question')} with an answer",
                main=_HEADS[_FOUND],
                is_of_arms=True,
            )
        ]
        if len(kinds) > 1:
            rows = (
                (name, tuple(Figure(own.kinds.get(kind)) for kind in kinds))
                for name, own in result.embedders.items()
            )
            title = f"{_HEADS[_FOUND].capitalize()}, by kind of question"
            tables.append(Table(("embedder", *kinds), tuple(rows), title=title, is_of_arms=True))
        return Report(
            title="Embedders",
            asked=(
                f"{plural(result.n, 'question')}, {result.num_answerable} with an answer: with"
                " which embedder's vectors is it shown, and how early?"
            ),
            conclusion=" ".join(result.sentences) if found else "No question has an answer.",
            notes=tuple(notes),
            results=(
                Section(
                    tables=tuple(tables),
                    pictures=(
                        (BarChart(f"Answers {_HEADS[_FOUND]}, with 95 % intervals", found),)
                        if found
                        else ()
                    ),
                ),
            ),
            words={
                "first": "share of the questions whose answering words are in the first clip",
                "first 3": "share of those whose answering words are in the first three",
                "shown": f"share of those whose answering words are among the {NUM_SHOWN} shown",
                **_NOTHING_FITS_WORDS,
                "points": "100 is every question",
                "95 % interval": interval_meaning("questions"),
            },
            costs=(Section(tables=(_costs(result),)),),
            cases=(Cases("Questions on which embedders differ", tuple(self._cases(result))),),
        )

    def _cases(self, result: EmbeddersResult) -> Iterator[Case]:
        by_question: dict[str, dict[str, EmbedderOutcome]] = {}
        for line in self.lines():
            by_question.setdefault(line.question, {})[line.embedder] = line
        differing = [
            own
            for own in by_question.values()
            if len({_is_found(line) for line in own.values()}) > 1
        ]
        for own in differing[:_MAX_CASES]:
            places = (f"{name}: {_place(line)}" for name, line in own.items())
            yield Case(
                next(iter(own.values())).text,
                "; ".join(places),
                listings=tuple(
                    Listing.of(name, line.shown[:1], "nothing") for name, line in own.items()
                ),
            )


_HEADS = {"first": "first", "first_3": "first 3", "shown": "shown"}
_NOTHING_FITS_WORDS = {
    "nothing fits, wrongly": (
        "share of the questions with an answer of which it was said that nothing fits"
    ),
    "nothing fits, rightly": (
        "share of the questions without one of which it was said that nothing fits"
    ),
}


def _costs(result: EmbeddersResult) -> Table:
    rows = (
        (
            name,
            (
                Figure(own.seconds, unit=Unit.SECONDS),
                Figure(own.vector_bytes / 1e6, unit=Unit.MEAN_COUNT),
                Figure(
                    None if own.model_bytes is None else own.model_bytes / 1e6, unit=Unit.MEAN_COUNT
                ),
                Figure(own.ms, unit=Unit.MS),
                count(own.num_vectors),
            ),
        )
        for name, own in result.embedders.items()
    )
    heads = ("embedder", "to embed all", "vectors, MB", "model, MB", "a question", "vectors")
    return Table(heads, tuple(rows), title="What they cost on this machine", is_of_arms=True)


def _is_found(line: EvidenceOutcome) -> bool:
    return line.place is not None and line.place <= NUM_FIRST


def _place(line: EvidenceOutcome) -> str:
    return f"clip {line.place}" if line.place else "not shown"


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
        num = len(columns[first].get(_FOUND, ()))
        differences: dict[str, dict[str, EmbedderDifference]] = {arm: {} for arm in candidates}
        for measure in _MEASURES if num else ():
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
                sentence(arm, first, num, differences[arm][_FOUND], figures[arm])
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
                for measure in _MEASURES
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


def sentence(
    candidate: str, own: str, num: int, found: EmbedderDifference, cost: EmbedderFigures
) -> str:
    """What a comparison comes to, in plain words: of `num` questions with an answer."""
    net = found.more - found.fewer
    if not (found.more or found.fewer):
        what = f"finds the same as {own}, of {plural(num, 'question')}"
    else:
        how_many = f"{abs(net)} {'more' if net > 0 else 'fewer'}" if net else "as many"
        low, high = (f"{num * bound:+.0f}" for bound in (found.low, found.high))
        than = f"than {own}" if net else f"as {own}"
        what = (
            f"finds {how_many} of {num} {than} in the first three clips (95 % interval {low} to"
            f" {high})"
        )
        if num < MIN_PAIRS:
            what += ", too few questions to tell"
        elif found.holds:
            what += ", by more than chance"
        elif net:
            what += ", which may be chance"
    model = f", beside {cost.model_bytes / 1e6:,.0f} MB of the model" if cost.model_bytes else ""
    return (
        f"{candidate} {what}; a switch embeds for some {duration_text(cost.seconds)} and takes"
        f" {cost.vector_bytes / 1e6:,.1f} MB until it is done{model}."
    )


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
