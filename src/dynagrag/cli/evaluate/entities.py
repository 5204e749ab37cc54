"""`dynagrag evaluate entities`: how well consolidation finds the names that are one entity."""

from pathlib import Path
from typing import Annotated

import typer

from dynagrag.cli.evaluate.shared import MAX_CALLS, OUT, say_experiment
from dynagrag.cli.options import EMBEDDER, JSON, LLM, VERBOSE
from dynagrag.cli.terminal import EXIT_SET_ASIDE, read_settings, set_up_log

DATASET = Annotated[
    str,
    typer.Option(
        "--dataset",
        help=(
            "Set: ditto-NAME (labelled pairs in Ditto's format; NAME is a part of the file's name),"
            " apollo13-aliases, spacelog-aliases, or spacelog-MISSION such as spacelog-a11."
        ),
    ),
]
DATA = Annotated[
    Path,
    typer.Option(
        "--data",
        help="Folder of the data sets, the folder of entity sets in it, or the file of the set.",
    ),
]
SUMMARIES = Annotated[
    bool,
    typer.Option(
        "--with-summaries",
        help="Give each name the other columns of its record as a summary. Default: bare names.",
    ),
]
GLOSSARY = Annotated[
    list[Path] | None,
    typer.Option(
        "--glossary",
        metavar="FILE",
        help="Merge by this glossary too, as `ingest --glossary` does; may be repeated.",
    ),
]
THRESHOLD = Annotated[
    list[float] | None,
    typer.Option(
        "--threshold",
        min=-1,
        max=1,
        help=(
            "A row of the table of thresholds for this cosine (-1 to 1); may be repeated. Default:"
            " seven rows from 0.55 to 0.95."
        ),
    ),
]


def entities(
    dataset: DATASET,
    data: DATA,
    with_summaries: SUMMARIES = False,
    glossary: GLOSSARY = None,
    threshold: THRESHOLD = None,
    llm: LLM = None,
    embedder: EMBEDDER = None,
    out: OUT = None,
    max_calls: MAX_CALLS = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Measure how well names of one entity are merged. The set says which are one. Measures
    blocking, pairs, clusters and model calls.

    Without --llm only the rules decide; with it the model judges too. Equal names always count as
    one entity, whatever the set says.
    """
    set_up_log(verbose)
    from dynagrag.evaluation.entities.entity_run import run_entities

    settings = read_settings(llm, embedder)
    run, result = run_entities(
        dataset,
        data,
        settings,
        with_summaries,
        tuple(threshold or ()),
        max_calls,
        glossary or (),
        out,
    )
    say_experiment(run, result, as_json)
    return EXIT_SET_ASIDE if result.set_aside else 0
