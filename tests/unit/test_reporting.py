"""What the command line prints of a report."""

import pytest

from dynagrag.core.schema import Usage
from dynagrag.ingest.graph_deriver import GraphReport
from dynagrag.ingest.pipeline import IngestReport
from dynagrag.workspace.text_reports import ingest_report_lines


@pytest.mark.parametrize(
    ("seconds", "line"),
    [
        (
            {"store": 0.1, "extract": 0.4, "embed": 110.0, "consolidate": 4.0, "index": 1.5},
            (
                "extracted 76 chunks in 0.4 s, all in 116.0 s (loading and running the embedder"
                " 110.0 s)"
            ),
        ),
        (
            {"extract": 60.0, "embed": 20.0, "index": 20.0},
            (
                "extracted 76 chunks in 60.0 s, all in 100.0 s (loading and running the embedder"
                " 20.0 s, index 20.0 s)"
            ),
        ),
        ({"extract": 0.1, "embed": 0.9}, "extracted 76 chunks in 0.1 s, all in 1.0 s"),
        ({}, "extracted 76 chunks in 0.0 s, all in 0.0 s"),
    ],
)
def test_the_report_says_what_took_the_time(seconds: dict[str, float], line: str) -> None:
    report = IngestReport((), (), (), (), (), 76, (), GraphReport(0, 0, 0.0, 0.0, 0, ()), seconds)
    assert next(ingest_report_lines(report, None)) == line


def test_one_of_a_kind_is_said_as_one() -> None:
    report = IngestReport((), (), (), (), (), 1, (), GraphReport(1, 1, 0.0, 0.0, 1, ()), {})
    lines = "\n".join(ingest_report_lines(report, Usage(calls=1, cached=1)))
    assert "extracted 1 chunk in" in lines
    assert "model: 1 call, " in lines
    assert ", 1 reply from the cache" in lines
    assert "graph: 1 entity, 1 relation, 1 merge;" in lines
