"""Talks in eleven languages in one workspace, and podcasts in six in another, each asked questions
in its own words: the line that answers is shown early, without a language model and with an
embedder of English.
"""

from pathlib import Path

from dynagrag.config.settings import load_settings
from dynagrag.evaluation.evidence.evidence_measures import (
    EvidenceOptions,
    EvidenceResult,
    evaluate_evidence,
)
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.ingest_job import IngestOptions

TALKS = Path(__file__).parents[2] / "language_talks"
PODCASTS = Path(__file__).parents[2] / "language_podcasts"


def shown_of(folder: Path) -> EvidenceResult:
    settings = load_settings()
    with open_workspace(folder.name, settings=settings, create=True) as space:
        space.ingest(sorted(folder.glob("*.txt")), IngestOptions(extractor="fast"))
    return evaluate_evidence(settings, EvidenceOptions(folder / "questions.jsonl", folder.name))[1]


def test_lines_that_answer_are_shown_in_any_language() -> None:
    shown = shown_of(TALKS)
    assert shown.missing == []
    firsts = {kind: own.first or 0.0 for kind, own in shown.kinds.items()}
    assert len(firsts) == 11
    assert min(firsts.values()) >= 0.5, firsts
    assert (shown.first or 0.0) >= 0.78, firsts
    assert (shown.first_3 or 0.0) >= 0.92, {k: own.first_3 for k, own in shown.kinds.items()}


def test_each_kind_of_question_finds_its_line_in_six_languages() -> None:
    """Kinds: who, when, how many, why, where, a comparison; six of each."""
    shown = shown_of(PODCASTS)
    assert shown.missing == []
    early = {kind: own.first_3 for kind, own in shown.kinds.items() if own.first_3 is not None}
    assert len(early) == 6
    assert min(early.values()) >= 0.8, early
    assert (shown.first or 0.0) >= 0.75, {k: own.first for k, own in shown.kinds.items()}
    assert (shown.first_3 or 0.0) >= 0.9, early
