"""An evaluation of an extractor from its options to its folder: it reads every marked chunk, and
what it found is written down as it comes.

Runs lie in HOME/evaluation/runs; the replies of a model in HOME/evaluation/extraction, so that no
chunk is asked about twice.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dynagrag import wiring
from dynagrag.config.settings import ChunkProfile, Settings
from dynagrag.core.errors import SettingsError, UsageError
from dynagrag.core.protocols import ChatModel, Extraction, Extractor
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.extraction.extraction_folder import (
    ExtractionRun,
    FoundLine,
    FoundMention,
    FoundRelation,
)
from dynagrag.evaluation.extraction.extraction_gold import GoldSet, load_gold, shipped_gold
from dynagrag.evaluation.extraction.extraction_report import render_extraction_report
from dynagrag.evaluation.extraction.extraction_scores import extraction_scores
from dynagrag.evaluation.extraction.found_things import found_in
from dynagrag.evaluation.extraction.gold_work import GoldWork, gold_work
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.ingest.extract.llm_extractor import ExtractionOptions as LLMOptions
from dynagrag.ingest.pipeline import Progress
from dynagrag.ingest.plan import IngestEstimate, PromptingExtractor, estimate_run, span_tokens

_JOURNAL = Path("evaluation") / "extraction"
Span = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """What to measure: an `extractor`, fast or llm, on the chunks of `gold` (default: those that
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
    options: ExtractionOptions,
    progress: Progress | None = None,
    on_cost: Callable[[IngestEstimate], None] | None = None,
) -> tuple[ExtractionRun, dict[str, Any]]:
    """Runs an evaluation, or resumes one; the run's folder and its summary.

    `on_cost` is told what a model will cost, before it is asked. Raises UsageError, SettingsError
    and LoadError for what was given wrong, before anything is extracted; StoppedRunError on Ctrl-C;
    ModelError and BudgetError when going on makes no sense.
    """
    gold = _checked_gold(settings, options)
    with ExitStack() as stack:
        extractor, model, profile = _open_extractor(settings, options, stack)
        made_with = _made_with(gold, options, extractor, model)
        run = ExtractionRun.begin(settings.home, f"extraction-{gold.name}", made_with, options.out)
        with run.asking(len(gold.chunks)):
            work = _Work(
                run, gold_work(gold.chunks, profile), extractor, progress or (lambda *_: None)
            )
            if on_cost and (estimate := _estimate(work.left(), extractor, model, settings)):
                on_cost(estimate)
            work.extract()
            summary = _summary(run, gold, options, extractor, model)
            run.finish(summary, gold.chunks)
            run.write_report(render_extraction_report(run))
    return run, summary


def _checked_gold(settings: Settings, options: ExtractionOptions) -> GoldSet:
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
    return GoldSet(gold.name, gold.chunks[: options.limit], gold.file)


def _open_extractor(
    settings: Settings, options: ExtractionOptions, stack: ExitStack
) -> tuple[Extractor, ChatModel | None, ChunkProfile]:
    """The extractor with its model, where it asks one, with cache, ledger and budget around it; and
    the sizes that suit the model.
    """
    model = (
        wiring.make_chat_model(settings)
        if wiring.extractor_choice(options.extractor).needs_model
        else None
    )
    profile = wiring.make_chunk_profile(None, model)
    chat = None
    if model is not None:
        stack.callback(model.close)
        journal = wiring.make_journal(settings.home / _JOURNAL)
        stack.callback(journal.close)
        chat = wiring.make_metered(model, journal, "evaluate-extraction", options.max_calls, None)
    return (
        wiring.make_extractor(options.extractor, chat, model, profile, LLMOptions(), settings),
        model,
        profile,
    )


def _made_with(
    gold: GoldSet, options: ExtractionOptions, extractor: Extractor, model: ChatModel | None
) -> dict[str, Any]:
    return {
        "dataset": gold.name,
        "chunks": len(gold.chunks),
        "extractor": options.extractor,
        "rules": extractor.name,
        "llm": model.identity if model else None,
        "files": {gold.file.name: gold.file.sha256},
        "asked": gold.digest,
        "seed": options.seed,
    }


def _estimate(
    work: Sequence[GoldWork], extractor: Extractor, model: ChatModel | None, settings: Settings
) -> IngestEstimate | None:
    if model is None or not work or not isinstance(extractor, PromptingExtractor):
        return None
    items = [item for own in work for item in own.work]
    return estimate_run(
        [extractor.prompt_tokens(item) for item in items],
        [span_tokens(item) for item in items],
        is_small=model.is_small,
        is_judged=False,
        max_concurrency=wiring.concurrency_of(model, settings),
        seconds_per_call=None,
        price_of=settings.price_of,
    )


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be extracted in a run."""

    run: ExtractionRun
    every: Sequence[GoldWork]
    extractor: Extractor
    progress: Progress

    def left(self) -> list[GoldWork]:
        """The chunks that were not read yet, or not without an error."""
        done = {id_ for id_, line in self.run.by_chunk().items() if not line.errors}
        return [work for work in self.every if work.gold.id not in done]

    def extract(self) -> None:
        """Extracts what is left. A chunk is written down as soon as all of it is there; one of
        which a part failed at the end.
        """
        left = self.left()
        owner = {item.chunk.span: work for work in left for item in work.work}
        held: dict[str, dict[Span, Extraction]] = {work.gold.id: {} for work in left}
        num_done = len(self.every) - len(left)

        def on_chunk(made: Extraction) -> None:
            nonlocal num_done
            span = (made.document_id, made.start, made.end)
            work = owner[span]
            own = held[work.gold.id]
            own[span] = made
            if len(own) == len(work.work):
                num_done += 1
                self.run.append([_line(work, own.values())])
                self.progress("extract", num_done, len(self.every))

        failed: dict[str, list[str]] = {}
        for chunk, reason in self.extractor.extract(
            [item for work in left for item in work.work], on_chunk
        ):
            failed.setdefault(owner[chunk.span].gold.id, []).append(reason)
        torn = (
            _line(work, held[work.gold.id].values(), failed[work.gold.id])
            for work in left
            if work.gold.id in failed
        )
        self.run.append(torn)


def _line(work: GoldWork, made: Iterable[Extraction], errors: Sequence[str] = ()) -> FoundLine:
    extractions = tuple(made)
    return FoundLine(
        chunk=work.gold.id,
        mentions=tuple(FoundMention.of(m, work.start) for one in extractions for m in one.mentions),
        relations=tuple(
            FoundRelation.of(r, work.start) for one in extractions for r in one.relations
        ),
        num_passages=sum(len(item.chunk.passages) for item in work.work),
        errors=tuple(errors),
    )


def _summary(
    run: ExtractionRun,
    gold: GoldSet,
    options: ExtractionOptions,
    extractor: Extractor,
    model: ChatModel | None,
) -> dict[str, Any]:
    """What `--json` prints."""
    lines = run.by_chunk()
    return {
        "dataset": gold.name,
        "chunks": len(gold.chunks),
        "extractor": options.extractor,
        "llm": model.name if model else None,
        **extraction_scores(gold.chunks, found_in(gold.chunks, lines), options.seed),
        "dropped": dict(sorted(extractor.dropped.items())),
        "errors": sum(bool(line.errors) for line in lines.values()),
        "seed": options.seed,
        "run": str(run.path),
    }
