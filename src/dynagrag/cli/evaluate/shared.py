"""Shared by the commands of `dynagrag evaluate`: options, each with one wording, and what is read
and said alike.
"""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from dynagrag.cli.terminal import in_line, say, say_json
from dynagrag.core.errors import UsageError
from dynagrag.registry.choices import Use, listed
from dynagrag.registry.extractors import EXTRACTORS

if TYPE_CHECKING:
    from dynagrag.evaluation.frame.experiment_run import AnyRun
    from dynagrag.evaluation.frame.results import Result

K = TypeVar("K", bound=StrEnum)

DATA = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="FOLDER",
        help=(
            "Folder of the published sets: multihop/ and transcript_qa/ with .jsonl or .jsonl.gz"
            " files, talk/locomo/ with .json or .json.gz files. Texts are embedded once, in"
            " HOME/evaluation/workspaces."
        ),
    ),
]
EXTRACTOR = Annotated[
    str,
    typer.Option(
        "--extractor",
        help=f"How to build the graph of the set: {listed(EXTRACTORS, Use.SET)}.",
    ),
]
GIVEN = Annotated[
    Path | None,
    typer.Option(
        "--given",
        metavar="FILE",
        help="File of extractions, for --extractor file. Default: SET_openie_reference in --data.",
    ),
]
HALF = Annotated[
    str,
    typer.Option(
        "--half", help="Which rows: tuning (even, counted from 0), reporting (odd) or all."
    ),
]
PART = Annotated[
    str | None,
    typer.Option(
        "--part", help="For qmsum: which file, such as train_25 for qmsum_train_25. Default: val."
    ),
]
BASELINE = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        help="Arm to compare the others with. Default: naive, else the first of the arms.",
    ),
]
LIMIT = Annotated[
    int | None,
    typer.Option(
        "--limit", min=1, help="Ask only this many questions, from the first. Default: all."
    ),
]
OUT = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help=(
            "Folder of the run. A stopped run in it is resumed. Default: a folder in"
            " HOME/evaluation/runs."
        ),
    ),
]
MAX_CALLS = Annotated[
    int | None,
    typer.Option(
        "--max-calls",
        min=1,
        help="Stop before models are called more often than this in all. Default: no limit.",
    ),
]


def names_in(text: str) -> tuple[str, ...]:
    """The names of a list that is separated by commas, each once."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def one_of(option: str, value: str, known: type[K]) -> K:
    """The member of an enumeration that has this value. UsageError, with all values, where none
    has.
    """
    if value not in [k.value for k in known]:
        raise UsageError(
            f"{option} {value!r} is unknown; known: {', '.join(k.value for k in known)}"
        )
    return known(value)


def given_ones(**values: Any) -> dict[str, Any]:
    """The options that were given; the others have the defaults of the run."""
    return {name: value for name, value in values.items() if value is not None}


def say_estimate(estimate: object, of: str = "") -> None:
    """Prints on stderr what a run, or a part of it, will take."""
    sys.stderr.write(f"estimate for {of}: {estimate}\n" if of else f"estimate: {estimate}\n")


def say_experiment(run: "AnyRun", result: "Result", as_json: bool) -> None:
    """The result of a run for programs, or its report and where it lies for people."""
    if as_json:
        say_json(result.as_json())
        return
    from dynagrag.evaluation.frame.terminal import report_lines

    where = (f"run: {run.path}", f"report: {run.path / 'report.html'}")
    for line in (*report_lines(run.whole_report()), *where):
        say(in_line(line))  # kinds, types and subsets are a file's or a model's words
