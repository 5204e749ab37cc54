"""How well checkers tell claims that lines state from those that they don't: pairs, claims and
short answers by hand, WiCE dev, the demo, two QMSum meetings, a conversation. A table each.

    python benchmarks/citations.py PAIRS.jsonl ... [--data FOLDER] [--checker rules,rules+model]
    [--limit N] [--out FILE]

Runs `dynagrag evaluate citations` in this process, with the model of the settings (DYNAGRAG_LLM).
PAIRS are claims from gold triples of 2WikiMultihopQA training rows, one file per seed: half are
true, the others have another year, another name, a negation, another relation or swapped ends.
`--data` is the folder of the published sets, for WiCE, QMSum and LoCoMo. The demo's
transcripts, the meetings and the conversation are kept in workspaces, which need no embedder. A
run that was stopped is resumed.
"""

import argparse
import gzip
import json
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
from dynagrag.core.protocols import Embedder
from dynagrag.core.schema import SourceTurn
from dynagrag.demo import transcripts
from dynagrag.evaluation.citations.citation_run import CitationOptions, evaluate_citations
from dynagrag.evaluation.frame.terminal import report_lines
from dynagrag.evaluation.question_sets.published_sets import load_set
from dynagrag.fakes import FakeEmbedder
from dynagrag.ingest.extract.fast_extractor import FastExtractor
from dynagrag.ingest.imported.imported_corpus import ImportedTurns
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.ingest_job import IngestOptions

DEMO, CONVERSATION = "citations-demo", "citations-locomo"
MEETINGS = {"citations-qmsum": 0, "citations-qmsum-13": 13}
"""Places in QMSum's validation set."""


def make_workspaces(
    settings: Settings, data: Path | None, embedder: Embedder | None = None
) -> Iterator[str]:
    """The workspaces of the demo and, with `data`, of two of QMSum's validation meetings and
    LoCoMo's first conversation; what is there is left as it is. `embedder`: the settings' by
    default.
    """
    with open_workspace(DEMO, settings=settings, embedder=embedder) as space:
        space.ingest([str(path) for path in transcripts()], IngestOptions(extractor="fast"))
    yield DEMO
    if data is not None:
        corpus = load_set("qmsum", data).corpus
        talks = {
            name: ImportedTurns(corpus[place].title, corpus[place].turns)
            for name, place in MEETINGS.items()
        }
        talks[CONVERSATION] = ImportedTurns("talk", tuple(conversation_turns(data)))
        for name, turns in talks.items():
            with open_workspace(name, settings=settings, embedder=embedder) as space:
                space.ingest_jobs.ingest_imported([turns], FastExtractor())
            yield name


def conversation_turns(data: Path) -> Iterator[SourceTurn]:
    """The turns of LoCoMo's first conversation, of all its sessions."""
    conversations = gzip.decompress((data / "talk" / "locomo" / "locomo5.json.gz").read_bytes())
    first = json.loads(conversations)[0]["conversation"]
    for name, session in first.items():
        if name.startswith("session_") and isinstance(session, list):
            for turn in session:
                yield SourceTurn(text=turn["text"], speaker=turn["speaker"])


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
    sets += [replace(shared, dataset=name) for name in ("gold", "short")]
    sets += [replace(shared, dataset="wice", data=options.data)] if options.data else []
    workspaces = make_workspaces(settings, options.data, FakeEmbedder())
    sets += [replace(shared, workspace=name) for name in workspaces]

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
