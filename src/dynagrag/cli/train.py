"""`dynagrag train`: what can be learned."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.evaluate.pruner import PRUNER_MEASURES
from dynagrag.cli.evaluate.shared import names_in
from dynagrag.cli.options import (
    DEVICE,
    EMBEDDER,
    JSON,
    PRUNING_DATA,
    PRUNING_PART,
    PRUNING_QUESTIONS,
    PRUNING_SET,
    PRUNING_WORKSPACE,
    STORE,
    VERBOSE,
    check_pruning_source,
)
from dynagrag.cli.terminal import ProgressBars, in_line, read_settings, say, say_json, set_up_log
from dynagrag.core.errors import UsageError
from dynagrag.core.text import plural

if TYPE_CHECKING:
    from dynagrag.checkpoints.training_loop import Epoch
    from dynagrag.config.settings import Settings
    from dynagrag.evaluation.pruning.pruner_figures import PrunerFigures
    from dynagrag.training.pruner.workspace_training import (
        WorkspaceTraining,
        WorkspaceTrainOptions,
    )

train_app = typer.Typer(
    help="Train what can be learned.", no_args_is_help=True, rich_markup_mode=None
)

OUT = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help=(
            "Folder of the checkpoint and its report. A training in it that was stopped goes on. "
            "Default for --workspace: the workspace's own."
        ),
    ),
]
FORM = Annotated[
    str | None,
    typer.Option(
        "--form",
        help=(
            "distances: of vectors only how near they are to the question's is read, so no words"
            " are remembered. compared: products and differences with the question's vector too."
            " paper: DynaGRAG by the letter, scaled vectors alone. Default: distances; compared for"
            " the graphs of passages of 2wiki."
        ),
    ),
]
WITHOUT = Annotated[
    str,
    typer.Option(
        "--without",
        help=(
            "Components of the network to leave out, separated by commas, to see what they give:"
            " masks, gcn, edges, prior, structure."
        ),
    ),
]


@train_app.command("pruner", epilog=PRUNER_MEASURES)
def train_pruner(
    dataset: PRUNING_SET = None,
    data: PRUNING_DATA = None,
    part: PRUNING_PART = None,
    workspace: PRUNING_WORKSPACE = None,
    questions: PRUNING_QUESTIONS = None,
    out: OUT = None,
    form: FORM = None,
    without: WITHOUT = "",
    max_epochs: Annotated[
        int,
        typer.Option(
            "--max-epochs", min=1, help="Epochs at most; it stops after ten without gain."
        ),
    ] = 40,
    max_examples: Annotated[
        int | None,
        typer.Option("--max-examples", min=1, help="Training questions at most. Default: all."),
    ] = None,
    seed: Annotated[
        int,
        typer.Option("--seed", min=0, help="Seed of the weights and of the order of the examples."),
    ] = 0,
    max_minutes: Annotated[
        float,
        typer.Option(
            "--max-minutes",
            min=0.1,
            help=(
                "Minutes of processor time after which it stops. What was learned is kept: the same"
                " command goes on."
            ),
        ),
    ] = 60,
    device: DEVICE = None,
    embedder: EMBEDDER = None,
    store: STORE = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Train a pruner: a GCN that scores the entities and relations of retrieved subgraphs for a
    question.

    Trains on a workspace's own questions, with what they were made of as labels, or on a published
    set, and measures beside the untrained pruners: prior (by distance to the question), none (the
    order of retrieval) and near (both). A workspace's is cross-validated in five folds of whole
    documents: each is measured by a network that learned from others, and the one that is kept
    learns from all. It scores what `ask --profile graph` walks from then on, if the folds ranked
    entities better than the best of these by more than chance, over eight documents at least, and
    pairs of them no worse than any. Of a set, 70 % of the entities asked about are trained on, 15 %
    choose the epoch, and the rest measure. Run the command again to go on with a training that was
    stopped; the numbers are those of one that was not.

    Example: dynagrag train pruner --workspace work
    """
    set_up_log(verbose)
    how = {
        "form": form,
        "without": names_in(without),
        "seed": seed,
        "max_epochs": max_epochs,
        "max_examples": max_examples,
        "max_minutes": max_minutes,
        "device": device,
    }
    settings = read_settings(None, embedder, store=store)
    check_pruning_source(dataset, data, part, workspace, questions)
    if dataset and not out:
        raise UsageError(f"--dataset {dataset} needs --out, a folder for the checkpoint")
    if dataset and data and out:
        _on_set(settings, dataset, data, part, how | {"out": out}, as_json)
    else:
        _on_workspace(settings, workspace or settings.workspace, questions, how, out, as_json)
    return 0


def _on_set(
    settings: "Settings",
    dataset: str,
    data: Path,
    part: str | None,
    how: dict[str, Any],
    as_json: bool,
) -> None:
    from dynagrag.evaluation.pruning.pruner_figures import figures_json
    from dynagrag.training.pruner.training_run import TrainOptions, train_on_set

    options = TrainOptions(dataset, data, part, **how)
    with ProgressBars(as_json) as progress:
        folder, figures = train_on_set(settings, options, None if as_json else _say_epoch, progress)
    if as_json:
        say_json({"folder": str(folder), "pruners": figures_json(figures)})
        return
    _say_figures(figures)
    say(
        in_line(
            f"on {plural(figures[-1].n, 'question')} that it was not trained on"
            f" {_shown(figures[-1])}; checkpoint: {folder}"
        )
    )


def _on_workspace(
    settings: "Settings",
    workspace: str,
    questions: Path | None,
    how: dict[str, Any],
    out: Path | None,
    as_json: bool,
) -> None:
    from dynagrag.evaluation.pruning.pruner_figures import figures_json
    from dynagrag.training.pruner.workspace_training import (
        WorkspaceTrainOptions,
        train_on_workspace,
    )
    from dynagrag.workspace.workspace_pruner import pruner_folder

    own = pruner_folder(settings, workspace)
    options = WorkspaceTrainOptions(workspace, questions, out=out or own, **how)
    with ProgressBars(as_json) as progress:
        made = train_on_workspace(settings, options, progress, None if as_json else _say_line)
    if not as_json:
        _say_workspace(made, options, options.out == own)
        return
    say_json(
        {
            "folder": str(options.out),
            "workspace": workspace,
            "questions": made.figures[-1].n,
            "left_out": made.left_out,
            "documents": made.figures[-1].num_groups,
            "folds": made.folds,
            "epochs": made.num_epochs,
            "beats_untrained": made.figures[-1].beats_untrained,
            "pruners": figures_json(made.figures),
        }
    )


def _say_workspace(
    made: "WorkspaceTraining", options: "WorkspaceTrainOptions", is_own: bool
) -> None:
    folder = options.out
    own = made.figures[-1]
    say(
        f"{plural(own.n, 'question')} of {plural(own.num_groups, 'document')}, each measured by a"
        " network that learned from others; the one that is kept learned from all, in"
        f" {plural(made.num_epochs, 'epoch')}"
    )
    if options.questions is None:
        say(
            "no --questions were given: these were made now, of the workspace's records, without a"
            " model"
        )
    for reason, count in made.left_out.items():
        say(f"  left out: {count} x {reason}")
    _say_figures(made.figures)
    asked = f"`ask -w {options.workspace} --profile graph"
    if not is_own:
        use = f"use it with {asked} --pruner {folder}`"
    elif own.beats_untrained:
        use = f"{asked}` scores with it from now on (with `--pruner prior` not)"
    elif not made.has_replaced:
        use = (
            f"{asked}` goes on with the one that was trained before, and this one is not kept (give"
            " --out FOLDER to keep it)"
        )
    else:
        use = (
            f"{asked}` goes on untrained, which walks by hops and nearness, as `near` ranks"
            " (`--pruner trained` takes it all the same)"
        )
    say(in_line(f"{_shown(own)}; {use}"))
    if not made.has_replaced:
        return
    say(in_line(f"checkpoint: {folder}"))
    say(in_line(f"report: {folder / 'report.html'}"))


def _shown(own: "PrunerFigures") -> str:
    """Its lead over the best untrained pruner, and whether the questions show one."""
    gain = own.against[own.best_untrained]
    node_ap, by_group = (
        own.times(100).text("+") for own in (gain.measures["node_ap"], gain.by_group)
    )
    shown = f"it {own.verdict()}: in average precision over entities {node_ap} points"
    return f"{shown}, the mean over documents or topics {by_group}" if own.num_groups > 1 else shown


def _say_figures(figures: "Sequence[PrunerFigures]") -> None:
    from dynagrag.evaluation.frame.terminal import table_lines
    from dynagrag.evaluation.pruning.pruner_figures import KeptPrunerFigures, rounded_bounds
    from dynagrag.evaluation.pruning.pruner_report import pruner_notes, pruner_tables

    kept = {own.name: KeptPrunerFigures.of(own) for own in figures}
    for table in pruner_tables(kept, rounded_bounds(figures)):
        for line in table_lines(table):
            say(in_line(line))
    for note in pruner_notes(kept):
        say(in_line(note))


def _say_line(line: str) -> None:
    say(in_line(line))


def _say_epoch(epoch: "Epoch") -> None:
    learned = "untrained prior" if epoch.loss is None else f"loss {epoch.loss:.4f}"
    say(
        f"epoch {epoch.number:>3}  {learned:<15}  average precision {100 * epoch.validation:5.1f} "
        f" {epoch.seconds:.1f} s"
    )
