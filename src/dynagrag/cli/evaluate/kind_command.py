"""The command of a kind of evaluation that only needs data: made of its row in
`evaluation/kinds.py`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from dynagrag.cli.evaluate.shared import OUT, say_estimate, say_experiment
from dynagrag.cli.options import JSON, VERBOSE
from dynagrag.cli.terminal import EXIT_SET_ASIDE, ProgressBars, read_settings, set_up_log
from dynagrag.evaluation.kinds import EvaluationKind

DATA = Annotated[
    Path, typer.Option("--data", metavar="PATH", help="File or folder of what is measured.")
]
LIMIT = Annotated[
    int | None,
    typer.Option(
        "--limit", min=1, help="Measure only this many items, from the first. Default: all."
    ),
]


def command_of(kind: EvaluationKind) -> Callable[..., int]:
    """The command; typer reads its options from the signature. It gives EXIT_SET_ASIDE where items
    failed.
    """

    def command(
        data: DATA,
        limit: LIMIT = None,
        out: OUT = None,
        as_json: JSON = False,
        verbose: VERBOSE = False,
    ) -> int:
        set_up_log(verbose)
        from dynagrag.evaluation.frame.experiment import Watch
        from dynagrag.evaluation.frame.running import run_experiment

        settings = read_settings()
        experiment = kind.experiment(settings, data, limit)
        with ProgressBars(as_json) as progress:
            watch = Watch(progress, lambda arm, estimate: say_estimate(estimate, arm))
            run, result = run_experiment(experiment, settings.home, out, watch)
        say_experiment(run, result, as_json)
        return EXIT_SET_ASIDE if run.failures() else 0

    command.__doc__ = kind.help
    return command
