"""An evaluation of entities from a set's name to its report, with the models of the settings."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from dynagrag.evaluation.entities.entity_resolution import THRESHOLDS, EntityReport, evaluate_entities
from dynagrag.evaluation.entities.entity_sets import load_entity_set
from dynagrag.ingest.load.glossary_file import read_glossary_file
from dynagrag.settings import Settings
from dynagrag.wiring import concurrency_of, make_chat_model, make_embedder, make_journal, make_metered

_JOURNAL = Path("evaluation") / "entities"


def run_entities(
    dataset: str,
    data: Path,
    settings: Settings,
    has_summaries: bool = False,
    thresholds: tuple[float, ...] = (),
    max_calls: int | None = None,
    glossaries: Sequence[Path] = (),
) -> EntityReport:
    """Runs it with the models of the settings. Replies are kept in the home folder, so the same run asks nothing twice."""
    entity_set = load_entity_set(dataset, data)
    files = [read_glossary_file(path) for path in glossaries]
    with ExitStack() as stack:
        judging: dict[str, Any] = {}
        model = make_chat_model(settings)
        if model is not None:
            stack.callback(model.close)
            journal = make_journal(settings.home / _JOURNAL)
            stack.callback(journal.close)
            judging = {
                "judge": make_metered(model, journal, "evaluate-entities", max_calls, None),
                "judge_name": model.name,
                "one_block_a_call": model.is_small,
                "max_concurrency": concurrency_of(model, settings),
            }
        return evaluate_entities(
            entity_set,
            make_embedder(settings),
            has_summaries=has_summaries,
            glossaries=files,
            thresholds=thresholds or THRESHOLDS,
            **judging,
        )
