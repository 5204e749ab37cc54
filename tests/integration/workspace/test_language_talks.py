"""Talks in eleven languages in one workspace, each asked eight questions in its own words: the line
that answers is shown early, without a language model and with an embedder of English.
"""

from pathlib import Path

import pytest

from dynagrag.config.settings import load_settings
from dynagrag.evaluation.evidence.evidence_measures import (
    EvidenceOptions,
    EvidenceResult,
    evaluate_evidence,
)
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.ingest_job import IngestOptions

TALKS = Path(__file__).parents[2] / "language_talks"


@pytest.fixture(scope="module")
def shown() -> EvidenceResult:
    settings = load_settings()
    talks = sorted(TALKS.glob("*.txt"))
    with open_workspace("languages", settings=settings, create=True) as space:
        space.ingest(talks, IngestOptions(extractor="fast"))
    return evaluate_evidence(settings, EvidenceOptions(TALKS / "questions.jsonl", "languages"))[1]


def test_lines_that_answer_are_shown_in_any_language(shown: EvidenceResult) -> None:
    assert shown.missing == []
    firsts = {kind: own.first or 0.0 for kind, own in shown.kinds.items()}
    assert len(firsts) == 11
    assert min(firsts.values()) >= 0.5, firsts
    assert (shown.first or 0.0) >= 0.78, firsts
    assert (shown.first_3 or 0.0) >= 0.92, {k: own.first_3 for k, own in shown.kinds.items()}
