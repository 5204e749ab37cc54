"""`dynagrag demo`: a real transcript into a graph, and three questions."""

from typing import Annotated

import typer

from dynagrag.cli.options import EMBEDDER, VERBOSE
from dynagrag.cli.terminal import ProgressBars, read_settings, say, set_up_log


def demo(
    no_cache: Annotated[
        bool,
        typer.Option(
            "--no-cache",
            help="Fetch the model (1.1 GB) and do everything live, in about half an hour.",
        ),
    ] = False,
    embedder: EMBEDDER = None,
    verbose: VERBOSE = False,
) -> int:
    """Ingest a real transcript (Apollo 13) and ask three questions. A real model's replies ship
    with dynagrag. The workspace `demo` is made afresh; one with documents or corrections of yours
    is left alone.
    """
    set_up_log(verbose)
    from dynagrag.demo import run_demo

    with ProgressBars(False) as progress:
        run_demo(read_settings(embedder=embedder), no_cache, say, progress)
    return 0
