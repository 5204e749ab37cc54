"""How well checkers tell claims that lines state from those that they don't: pairs, WiCE dev, the
demo, a QMSum meeting. A table each.

    python benchmarks/citations.py PAIRS.jsonl ... [--data FOLDER] [--checker rules,rules+model]
    [--limit N] [--out FILE]

Runs `dynagrag evaluate citations` in this process, with the model of the settings (DYNAGRAG_LLM).
PAIRS are claims from gold triples of 2WikiMultihopQA training rows, a file a seed: half are true,
the others have another year, another name, a negation, another relation or swapped ends. `--data`
is the folder of the published sets, for WiCE and QMSum. The demo's transcripts and the meeting are
kept in the workspaces citations-demo and citations-qmsum, which need no embedder. A run that was
stopped is resumed.
"""

import argparse
import os
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from result_lines import ResultLines

from dynagrag import load_settings
from dynagrag.config.settings import Settings
from dynagrag.demo import transcripts
from dynagrag.evaluation.citations.citation_run import CitationOptions, evaluate_citations
from dynagrag.evaluation.frame.terminal import report_lines
from dynagrag.evaluation.question_sets.published_sets import load_set
from dynagrag.fakes import FakeEmbedder
from dynagrag.ingest.extract.fast_extractor import FastExtractor
from dynagrag.ingest.imported.imported_corpus import ImportedTurns
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.ingest_job import IngestOptions

DEMO, MEETING = "citations-demo", "citations-qmsum"


def make_workspaces(settings: Settings, data: Path | None) -> Iterator[str]:
    """The workspaces of the demo and, with `data`, of QMSum's first validation meeting; what is
    there is left as it is.
    """
    with open_workspace(DEMO, settings=settings, embedder=FakeEmbedder()) as space:
        space.ingest([str(path) for path in transcripts()], IngestOptions(extractor="fast"))
    yield DEMO
    if data is not None:
        meeting = load_set("qmsum", data).corpus[0]
        with open_workspace(MEETING, settings=settings, embedder=FakeEmbedder()) as space:
            space.ingest_jobs.ingest_imported(
                [ImportedTurns(meeting.title, meeting.turns)], FastExtractor()
            )
        yield MEETING


def show_cost(checker: str, cost: object) -> None:
    """On stderr: it is no result."""
    print(f"estimate for {checker}: {cost}", file=sys.stderr)


def main() -> None:
    """Parses, measures, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", nargs="*", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--checker", default="rules")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()

    settings = load_settings()
    shared = CitationOptions(
        checkers=tuple(options.checker.split(",")), limit=options.limit, seed=options.seed
    )
    sets = [replace(shared, pairs=path) for path in options.pairs]
    sets += [replace(shared, dataset="wice", data=options.data)] if options.data else []
    sets += [replace(shared, workspace=name) for name in make_workspaces(settings, options.data)]

    say = ResultLines(options.out).line
    machine = (
        f"{os.cpu_count()} cores of a shared {platform.system()} {platform.machine()} machine,"
        f" Python {platform.python_version()}"
    )
    limit = f"the first {options.limit} claims of each" if options.limit else "all claims"
    say(
        f"# benchmarks/citations.py, {time.strftime('%Y-%m-%d')}, {machine}; model"
        f" {settings.llm or 'none'}; {limit}; seed {options.seed}"
    )
    for chosen in sets:
        run, _ = evaluate_citations(settings, chosen, on_cost=show_cost)
        say("")
        for line in report_lines(run.report()):
            say(line)


if __name__ == "__main__":
    main()
