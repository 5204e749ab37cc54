"""`dynagrag train METHOD --workspace`: soft prompts for a workspace's own questions."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.terminal import ProgressBars, in_line, read_settings, say, say_json
from dynagrag.core.errors import UsageError
from dynagrag.core.text import plural

if TYPE_CHECKING:
    from dynagrag.checkpoints.training_loop import Epoch

TRAINED_ON = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        "-w",
        help=(
            "For g-retriever, grag, graph-token and prompt-tuning: train on this workspace's"
            " questions, for `dynagrag ask --soft`, in place of a set. Three documents or more."
        ),
    ),
]
QUESTIONS = Annotated[
    Path | None,
    typer.Option(
        "--questions",
        metavar="FILE",
        help=(
            "For --workspace: questions that `dynagrag evaluate questions` made of it, edited or"
            " not. Default: made now, without a model."
        ),
    ),
]


class ToldEpochs:
    """Says epochs as they end, where they are to be said, and knows whether there was any."""

    def __init__(self, say_epoch: "Callable[[Epoch], None] | None") -> None:
        self._say_epoch = say_epoch
        self._is_any = False

    def __call__(self, epoch: "Epoch") -> None:
        """An epoch ended."""
        self._is_any = True
        if self._say_epoch:
            self._say_epoch(epoch)

    def say_done_before(self, epochs: "Sequence[Epoch]") -> None:
        """Says that nothing was left to train, where that is so."""
        if not self._is_any:
            say(
                f"this training was done already, with {plural(len(epochs), 'epoch')}; to train"
                " anew, name another folder with --out"
            )


def check_soft_source(
    method: str, workspace: str | None, questions: Path | None, of_set: tuple[object, ...]
) -> None:
    """UsageError unless there is either a workspace or all of a set: its name, folder and --out, in
    this order.
    """
    from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS

    if workspace is None and (None in of_set or questions is not None):
        raise UsageError(
            "give either --dataset SET --data FOLDER --out FOLDER, or --workspace NAME, perhaps"
            " with --questions FILE"
        )
    if workspace is not None and any(own is not None for own in of_set[:2]):
        raise UsageError(
            "a workspace (--workspace NAME) and a set (--dataset SET --data FOLDER) exclude each"
            " other: give one"
        )
    if workspace is not None and method not in SYSTEMS:
        raise UsageError(
            f"{method} answers no workspace's questions; --workspace is for {', '.join(SYSTEMS)}"
        )


def train_on_own_workspace(
    method: str,
    workspace: str,
    models: tuple[str | None, str | None],
    how: dict[str, Any],
    as_json: bool,
    say_epoch: "Callable[[Epoch], None]",
) -> int:
    """Trains and says what it is worth. `models`: embedder and store, as options have them."""
    from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS
    from dynagrag.training.soft_prompt.soft_prompt_training import (
        WorkspaceSoftOptions,
        train_soft_on_workspace,
    )

    options = WorkspaceSoftOptions(method=method, workspace=workspace, **how)
    settings = read_settings(None, models[0], store=models[1])
    with ProgressBars(as_json) as progress:
        told = ToldEpochs(None if as_json else say_epoch)
        made = train_soft_on_workspace(settings, options, progress, told)
    found = made.figures
    if as_json:
        epochs = [{"loss": e.loss, "validation": -e.validation} for e in made.epochs]
        counts = {"questions": made.questions, "left_out": made.left_out}
        say_json(
            {
                "folder": str(made.folder),
                "method": method,
                "workspace": workspace,
                **counts,
                "epochs": epochs,
                "test": asdict(found),
            }
        )
        return 0
    told.say_done_before(made.epochs)
    train, validation, test = made.questions.values()
    say(
        f"questions: {train} to train on, {validation} to choose the epoch by, {test} of other"
        " documents to measure on"
    )
    for reason, count in made.left_out.items():
        say(f"  left out: {count} x {reason}")
    read, lines = (
        "the same",
        f"a line that states it stands in the text of {100 * found.with_line:.0f} %",
    )
    if not SYSTEMS[method].parts.has_text:
        read, lines = "the graph's", f"{method} itself reads no text"
    say(
        f"on {plural(found.n, 'question')} of documents that it did not see {100 * found.right:.0f}"
        f" % of its replies hold the answer; the language model alone, with {read} text:"
        f" {100 * found.untrained:.0f} %; {lines}"
    )
    use = method if options.out is None else options.out
    say(
        in_line(
            f"checkpoint: {made.folder}; ask it: dynagrag ask -w {workspace} --soft {use} QUESTION"
        )
    )
    return 0
