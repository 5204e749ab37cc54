"""An evaluation of entities from a set's name to its folder, with the models of the settings."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dynagrag.config.settings import Settings
from dynagrag.core.ids import content_id
from dynagrag.evaluation.entities.entity_folder import EntityRun, MissedLine
from dynagrag.evaluation.entities.entity_report import render_entity_report
from dynagrag.evaluation.entities.entity_resolution import (
    THRESHOLDS,
    EntityReport,
    evaluate_entities,
)
from dynagrag.evaluation.entities.entity_sets import EntitySet, load_entity_set
from dynagrag.evaluation.results.run_folder import check_folder
from dynagrag.graph_store.derived.glossary import glossary_text
from dynagrag.ingest.load.glossary_file import GlossaryFile, read_glossary_file
from dynagrag.wiring import (
    concurrency_of,
    make_chat_model,
    make_embedder,
    make_journal,
    make_metered,
)

_JOURNAL = Path("evaluation") / "entities"


def run_entities(
    dataset: str,
    data: Path,
    settings: Settings,
    has_summaries: bool = False,
    thresholds: tuple[float, ...] = (),
    max_calls: int | None = None,
    glossaries: Sequence[Path] = (),
    out: Path | None = None,
) -> tuple[EntityRun, EntityReport]:
    """Runs it with the models of the settings; its folder and its figures. Replies are kept in the
    home folder, so the same run asks nothing twice.
    """
    if out is not None:
        check_folder(out)
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
        embedder = make_embedder(settings)
        chosen = thresholds or THRESHOLDS
        report = evaluate_entities(
            entity_set,
            embedder,
            has_summaries=has_summaries,
            glossaries=files,
            thresholds=chosen,
            **judging,
        )
    made_with = {
        "dataset": entity_set.name,
        "has_summaries": has_summaries,
        "glossaries": [glossary.name for glossary in files],
        "thresholds": list(chosen),
        "llm": model.identity if model else None,
        "embedder": f"{embedder.identity.name} ({embedder.identity.dimension} dimensions)",
        "asked": _digest(entity_set, files),
    }
    run = EntityRun.begin(settings.home, f"entities-{entity_set.name}", made_with, out)
    with run.asking(0):
        run.finish(asdict(report), [MissedLine(**asdict(missed)) for missed in report.missed])
        run.write_report(render_entity_report(run))
    return run, report


def _digest(entity_set: EntitySet, glossaries: Sequence[GlossaryFile]) -> str:
    """Of all names, what is one, and the glossaries."""
    items = (
        str(part) for item in entity_set.items for part in (item.name, item.summary, item.cluster)
    )
    pairs = (f"{pair.i} {pair.j} {pair.is_same}" for pair in entity_set.pairs)
    return content_id(*items, *pairs, *(glossary_text(glossary.rows) for glossary in glossaries))
