"""An evaluation of an extractor from its options to its folder: it reads every marked chunk, and
what it found is written down as it comes.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import JsonValue

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError, UsageError
from dynagrag.core.protocols import Extraction
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.extraction.extraction_gold import (
    GoldChunk,
    GoldSet,
    load_gold,
    shipped_gold,
)
from dynagrag.evaluation.extraction.extraction_report import (
    CHUNKS,
    ExtractionResult,
    ExtractionRun,
)
from dynagrag.evaluation.extraction.extraction_scores import extraction_scores
from dynagrag.evaluation.extraction.found_lines import FoundLine, FoundMention, FoundRelation
from dynagrag.evaluation.extraction.found_things import found_in
from dynagrag.evaluation.extraction.gold_work import GoldWork, gold_work
from dynagrag.evaluation.frame.experiment import ItemTrial, Keep, TrialExperiment, Watch
from dynagrag.evaluation.frame.experiment_run import ONE_ARM
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.frame.running import MeteredModel, metered_model, run_experiment
from dynagrag.ingest.extract.llm_extractor import ExtractionOptions, LLMExtractor
from dynagrag.ingest.pipeline import Progress
from dynagrag.ingest.plan import IngestEstimate, PromptingExtractor, estimate_run, span_tokens
from dynagrag.models.reply_room import typical_thoughts

Span = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class ExtractionRunOptions:
    """Options of a run: an `extractor`, fast or llm, on the chunks of `gold` (default: those that
    are shipped), at most `limit` of them.
    """

    extractor: str = "fast"
    gold: Path | None = None
    limit: int | None = None
    seed: int = SEED
    out: Path | None = None
    max_calls: int | None = None


def evaluate_extraction(
    settings: Settings,
    options: ExtractionRunOptions,
    progress: Progress | None = None,
    on_cost: Callable[[IngestEstimate], None] | None = None,
) -> tuple[ExtractionRun, ExtractionResult]:
    """Runs an evaluation, or resumes one; the run and its result.

    `on_cost` is told what a model will cost, before it is asked. Raises UsageError, SettingsError
    and LoadError for what was given wrong, before anything is extracted; StoppedRunError on Ctrl-C;
    ModelError and BudgetError when going on makes no sense.
    """
    choice = wiring.extractor_choice(options.extractor)
    if choice.takes_imported:
        raise UsageError(
            f"--extractor {options.extractor} reads what others extracted; name one that reads"
            " texts: fast or llm"
        )
    if choice.needs_model and not settings.llm:
        raise SettingsError(
            f"--extractor {options.extractor} asks a language model: name one with --llm, e.g."
            " --llm qwen"
        )
    if options.out is not None:
        check_folder(options.out)
    gold = load_gold(options.gold or shipped_gold())
    gold = replace(gold, chunks=gold.chunks[: options.limit])

    def tell_cost(_arm: str, estimate: object) -> None:
        if on_cost is not None and isinstance(estimate, IngestEstimate):
            on_cost(estimate)

    opened = metered_model(settings, "extraction", options.max_calls)
    with opened if choice.needs_model else nullcontext() as metered:
        return run_experiment(
            ExtractionExperiment(gold, options, settings, metered),
            settings.home,
            options.out,
            Watch(progress, tell_cost if on_cost else None),
        )


class ExtractionExperiment(TrialExperiment[GoldChunk, FoundLine, ExtractionResult, ExtractionRun]):
    """Marked chunks as items, and one extractor, which takes them all at once."""

    run_kind = ExtractionRun
    arms = (ONE_ARM,)
    gives_up_after_failures = False  # the extractor does, where its model gives no reply

    def __init__(
        self,
        gold: GoldSet,
        options: ExtractionRunOptions,
        settings: Settings,
        metered: MeteredModel | None,
    ) -> None:
        self.name = f"extraction-{gold.name}"
        self.items = gold.chunks
        self._gold, self._options, self._settings = gold, options, settings
        self._model = metered.model if metered else None
        self._profile = wiring.make_chunk_profile(None, self._model)
        self._extractor = wiring.make_extractor(
            options.extractor,
            metered.chat if metered else None,
            self._model,
            self._profile,
            ExtractionOptions(),
            settings,
        )

    def made_with(self) -> Mapping[str, JsonValue]:
        """The marked chunks, the extractor and its model."""
        return {
            "dataset": self._gold.name,
            "chunks": len(self.items),
            "extractor": self._options.extractor,
            "rules": self._extractor.name,
            "llm": self._model.identity if self._model else None,
            "files": {self._gold.file.name: self._gold.file.sha256},
            "asked": self._gold.digest,
            "seed": self._options.seed,
        }

    def stage(self, trial: ItemTrial[GoldChunk]) -> str:
        """All chunks are followed together."""
        return "extract"

    def measure_all(
        self, left: Sequence[ItemTrial[GoldChunk]], keep: Keep[FoundLine], watch: Watch
    ) -> None:
        """A chunk is kept as soon as all of it is there; one of which a part failed at the end."""
        wanted = {trial.item.id for trial in left}
        # Chunks of one document are split together, so also those that are there already.
        all_work = gold_work(self.items, self._profile)
        left_work = [work for work in all_work if work.gold.id in wanted]
        if watch.estimate and (estimate := self._estimate(left_work)):
            watch.estimate(ONE_ARM, estimate)
        owner = {item.chunk.span: work for work in left_work for item in work.work}
        found: dict[str, dict[Span, Extraction]] = {work.gold.id: {} for work in left_work}

        def on_chunk(extraction: Extraction) -> None:
            span = (extraction.document_id, extraction.start, extraction.end)
            work = owner[span]
            own = found[work.gold.id]
            own[span] = extraction
            if len(own) == len(work.work):
                keep([_line(work, own.values())])

        failed = defaultdict[str, list[str]](list)
        every_item = [item for work in left_work for item in work.work]
        for chunk, reason in self._extractor.extract(every_item, on_chunk):
            failed[owner[chunk.span].gold.id].append(reason)
        keep(
            [
                _line(work, found[work.gold.id].values(), failed[work.gold.id])
                for work in left_work
                if work.gold.id in failed
            ]
        )
        if isinstance(self._extractor, LLMExtractor) and self._extractor.unreached:
            raise self._extractor.unreached  # what wasn't asked has no figures

    def _estimate(self, left: Sequence[GoldWork]) -> IngestEstimate | None:
        """Estimate of the model's calls; None without a model, or with nothing left."""
        if self._model is None or not left or not isinstance(self._extractor, PromptingExtractor):
            return None
        items = [item for work in left for item in work.work]
        return estimate_run(
            [self._extractor.prompt_tokens(item) for item in items],
            [span_tokens(item) for item in items],
            is_small=self._model.is_small,
            is_judged=False,
            max_concurrency=wiring.concurrency_of(self._model, self._settings),
            seconds_per_call=None,
            price_of=self._settings.price_of,
            thoughts_per_call=typical_thoughts(self._model),
        )

    def summarize(self, lines: Sequence[FoundLine], path: Path) -> ExtractionResult:
        """The figures of what was found in all chunks."""
        found = found_in(self.items, {line.chunk: line for line in lines})
        dropped = Counter[str]()
        for line in lines:
            dropped.update(line.dropped)
        return ExtractionResult(
            dataset=self._gold.name,
            chunks=len(self.items),
            extractor=self._options.extractor,
            llm=self._model.name if self._model else None,
            **dict(extraction_scores(self.items, found, self._options.seed)),
            dropped=dict(sorted(dropped.items())),
            errors=sum(bool(line.errors) for line in lines),
            seed=self._options.seed,
            run=str(path),
        )

    def write_rows(self, run: ExtractionRun, result: ExtractionResult) -> None:
        """The marked chunks, to be read beside what was found."""
        run.write_rows(CHUNKS, self.items)


def _line(work: GoldWork, made: Iterable[Extraction], errors: Sequence[str] = ()) -> FoundLine:
    extractions = tuple(made)
    dropped = Counter[str]()
    for extraction in extractions:
        dropped.update(extraction.dropped)
    return FoundLine(
        chunk=work.gold.id,
        mentions=tuple(FoundMention.of(m, work.start) for one in extractions for m in one.mentions),
        relations=tuple(
            FoundRelation.of(r, work.start) for one in extractions for r in one.relations
        ),
        num_passages=sum(len(item.chunk.passages) for item in work.work),
        errors=tuple(errors),
        dropped=dict(dropped),
    )
