"""An evaluation of entities from a set's name to its folder, with the models of the settings."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from dynagrag.config.settings import Settings
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Embedder
from dynagrag.evaluation.entities.entity_report import EntityRun
from dynagrag.evaluation.entities.entity_resolution import (
    THRESHOLDS,
    EntityResult,
    Missed,
    evaluate_entities,
)
from dynagrag.evaluation.entities.entity_sets import EntitySet, load_entity_set
from dynagrag.evaluation.frame.experiment import Experiment
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.frame.running import MeteredModel, metered_model, run_experiment
from dynagrag.graph_store.derived.glossary import glossary_text
from dynagrag.ingest.load.glossary_file import GlossaryFile, read_glossary_file
from dynagrag.wiring import concurrency_of, make_embedder


def run_entities(
    dataset: str,
    data: Path,
    settings: Settings,
    has_summaries: bool = False,
    thresholds: tuple[float, ...] = (),
    max_calls: int | None = None,
    glossaries: Sequence[Path] = (),
    out: Path | None = None,
) -> tuple[EntityRun, EntityResult]:
    """Runs it with the models of the settings; its folder and its figures. Replies are kept in the
    home folder, so the same run asks nothing twice.
    """
    if out is not None:
        check_folder(out)
    entity_set = load_entity_set(dataset, data)
    files = [read_glossary_file(path) for path in glossaries]
    with metered_model(settings, "entities", max_calls) as metered:
        experiment = EntityExperiment(
            entity_set,
            make_embedder(settings),
            settings,
            metered,
            has_summaries,
            files,
            thresholds or THRESHOLDS,
        )
        return run_experiment(experiment, settings.home, out)


class EntityExperiment(Experiment[Missed, EntityResult, EntityRun]):
    """Names of a set, joined by rules, by a model where there is one, and by cosines. It is worked
    out in one go, so it has no lines on the way.
    """

    run_kind = EntityRun

    def __init__(
        self,
        entity_set: EntitySet,
        embedder: Embedder,
        settings: Settings,
        metered: MeteredModel | None,
        has_summaries: bool,
        glossaries: Sequence[GlossaryFile],
        thresholds: Sequence[float],
    ) -> None:
        self.name = f"entities-{entity_set.name}"
        self._set, self._embedder, self._settings = entity_set, embedder, settings
        self._metered, self._has_summaries = metered, has_summaries
        self._glossaries, self._thresholds = glossaries, thresholds

    def made_with(self) -> Mapping[str, JsonValue]:
        """The set, what joins its names, and the models."""
        identity = self._embedder.identity
        items = (
            str(part)
            for item in self._set.items
            for part in (item.name, item.summary, item.cluster)
        )
        pairs = (f"{pair.i} {pair.j} {pair.is_same}" for pair in self._set.pairs)
        glossaries = (glossary_text(glossary.rows) for glossary in self._glossaries)
        return {
            "dataset": self._set.name,
            "has_summaries": self._has_summaries,
            "glossaries": [glossary.name for glossary in self._glossaries],
            "thresholds": list(self._thresholds),
            "llm": self._metered.model.identity if self._metered else None,
            "embedder": f"{identity.name} ({identity.dimension} dimensions)",
            "asked": content_id(*items, *pairs, *glossaries),
        }

    def summarize(self, lines: Sequence[Missed], path: Path) -> EntityResult:
        """Consolidates the names, and compares with what the set says."""
        model = self._metered.model if self._metered else None
        result = evaluate_entities(
            self._set,
            self._embedder,
            has_summaries=self._has_summaries,
            glossaries=self._glossaries,
            judge=self._metered.chat if self._metered else None,
            judge_name=model.name if model else "",
            one_block_a_call=model.is_small if model else False,
            max_concurrency=concurrency_of(model, self._settings) if model else 1,
            thresholds=self._thresholds,
        )
        return result.model_copy(update={"run": str(path)})

    def write_rows(self, run: EntityRun, result: EntityResult) -> None:
        """The pairs that nothing can find."""
        run.write_rows(run.lines_file, result.missed)
