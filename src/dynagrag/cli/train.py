"""`dynagrag train`: what can be learned."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.evaluate.pruner import PRUNER_MEASURES, pruner_lines
from dynagrag.cli.evaluate.shared import names_in
from dynagrag.cli.options import DEVICE, EMBEDDER, JSON, PRUNING_PART, STORE, VERBOSE
from dynagrag.cli.terminal import Bars, in_line, read_settings, say, say_json, set_up_log
from dynagrag.errors import UsageError
from dynagrag.text import plural

if TYPE_CHECKING:
    from dynagrag.evaluation.pruning.pruner_runs import PrunerFigures
    from dynagrag.evaluation.pruning.workspace_training import WorkspaceTraining
    from dynagrag.settings import Settings
    from dynagrag.training.training_loop import Epoch

train_app = typer.Typer(help="Train what can be learned.", no_args_is_help=True, rich_markup_mode=None)

TRAIN_SET = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        help="Published set to train on: pathquestion, webqsp or 2wiki. Needs --data and --out; not with --workspace.",
    ),
]
TRAIN_DATA = Annotated[
    Path | None, typer.Option("--data", metavar="FOLDER", help="Folder of the published sets; graphqa/ is read, for 2wiki multihop/.")
]
TRAIN_WORKSPACE = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        "-w",
        help="Workspace to train on, of three documents or more. Default, without --dataset: the setting `workspace`, else `default`.",
    ),
]
QUESTIONS = Annotated[
    Path | None,
    typer.Option(
        "--questions",
        metavar="FILE",
        help="For --workspace: questions that `dynagrag evaluate questions` made of it, edited or not. Default: made now, without a model.",
    ),
]
OUT = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help="Folder of the checkpoint and its report. A training in it that was stopped goes on. "
        "Default for --workspace: the workspace's own.",
    ),
]
FORM = Annotated[
    str | None,
    typer.Option(
        "--form",
        help="distances: of vectors only how near they are to the question's is read, so no words are remembered. compared: products and "
        "differences with the question's vector too. paper: DynaGRAG by the letter, scaled vectors alone. Default: distances; compared for "
        "the graphs of passages of 2wiki.",
    ),
]
WITHOUT = Annotated[
    str,
    typer.Option(
        "--without",
        help="Parts of the network to leave out, separated by commas, to see what they give: masks, gcn, edges, prior, structure.",
    ),
]


@train_app.command("pruner", epilog=PRUNER_MEASURES)
def train_pruner(
    dataset: TRAIN_SET = None,
    data: TRAIN_DATA = None,
    part: PRUNING_PART = None,
    workspace: TRAIN_WORKSPACE = None,
    questions: QUESTIONS = None,
    out: OUT = None,
    form: FORM = None,
    without: WITHOUT = "",
    max_epochs: Annotated[int, typer.Option("--max-epochs", min=1, help="Epochs at most; it stops after ten without gain.")] = 40,
    max_examples: Annotated[int | None, typer.Option("--max-examples", min=1, help="Training questions at most. Default: all.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the weights and of the order of the examples.")] = 0,
    device: DEVICE = None,
    embedder: EMBEDDER = None,
    store: STORE = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Train a pruner: a GCN that scores the entities and relations of retrieved subgraphs for a question.

    Trains on a workspace's own questions, with what they were made of as labels, or on a published set. Some 70 % of the sentences, in
    whole documents (of a set: of the entities asked about), are trained on, 15 % choose the epoch, and the rest measure it beside the
    untrained prior. A workspace's pruner scores what `ask --profile graph` shows from then on, if it ranks entities better than the prior
    there by more than chance, over five documents at least. Run the command again to go on with a training that was stopped; the numbers
    are those of one that was not.

    Example: dynagrag train pruner --workspace work
    """
    set_up_log(verbose)
    how = {"form": form, "without": names_in(without), "seed": seed, "max_epochs": max_epochs, "max_examples": max_examples}
    how |= {"device": device}
    settings = read_settings(None, embedder, store=store)
    _check_source(dataset, data, part, workspace, questions, out)
    if dataset and data and out:
        _on_set(settings, dataset, data, part, how | {"out": out}, as_json)
    else:
        _on_workspace(settings, workspace or settings.workspace, questions, how, out, as_json)
    return 0


def _check_source(
    dataset: str | None, data: Path | None, part: str | None, workspace: str | None, questions: Path | None, out: Path | None
) -> None:
    """UsageError unless there is either a workspace, perhaps unnamed, or a set with its folder and one for the checkpoint."""
    if workspace is not None and dataset is not None:
        raise UsageError(
            "train on a workspace (--workspace NAME) or on a published set (--dataset SET --data FOLDER --out FOLDER): give one"
        )
    if dataset is None and (data or part):
        raise UsageError("--data and --part are of published sets; name one with --dataset, or leave them out")
    if dataset is not None and questions:
        raise UsageError("--questions are a workspace's; name it with --workspace, in place of --dataset")
    if dataset is not None and not (data and out):
        raise UsageError(f"--dataset {dataset} needs --data, the folder of the published sets, and --out, a folder for the checkpoint")


def _on_set(settings: "Settings", dataset: str, data: Path, part: str | None, how: dict[str, Any], as_json: bool) -> None:
    from dynagrag.evaluation.pruning.pruner_runs import TrainOptions, beats_prior, figures_json, train_on_set

    options = TrainOptions(dataset, data, part, **how)
    with Bars(as_json) as progress:
        folder, figures = train_on_set(settings, options, None if as_json else _say_epoch, progress)
    if as_json:
        say_json({"folder": str(folder), "pruners": figures_json(figures)})
        return
    _say_figures(figures)
    verdict = _verdict(figures[-1], beats_prior(figures[-1]))
    say(in_line(f"checkpoint: {folder}; by its average precision it {verdict}, on questions that it was not trained on"))


def _on_workspace(
    settings: "Settings", workspace: str, questions: Path | None, how: dict[str, Any], out: Path | None, as_json: bool
) -> None:
    from dynagrag.evaluation.pruning.pruner_runs import beats_prior, figures_json
    from dynagrag.evaluation.pruning.workspace_training import WorkspaceTrainOptions, train_on_workspace
    from dynagrag.workspace.workspace_pruner import pruner_folder

    own = pruner_folder(settings, workspace)
    options = WorkspaceTrainOptions(workspace, questions, out=out or own, **how)
    if questions is None and not as_json:
        say("no --questions were given: they are made now, of the workspace's records, without a model")
    with Bars(as_json) as progress:
        made = train_on_workspace(settings, options, progress, None if as_json else _say_epoch)
    is_better = beats_prior(made.figures[-1])
    if as_json:
        say_json(
            {
                "folder": str(options.out),
                "workspace": workspace,
                "questions": made.questions,
                "left_out": made.left_out,
                "documents": made.num_documents,
                "beats_prior": is_better,
                "pruners": figures_json(made.figures),
            }
        )
        return
    _say_workspace(made, workspace, is_better, options.out, options.out == own)


def _say_workspace(made: "WorkspaceTraining", workspace: str, is_better: bool, folder: Path, is_own: bool) -> None:
    train, validation, test = made.questions.values()
    counts = f"{train} to train on, {validation} to choose the epoch by, {test} to measure on"
    say(f"questions: {counts}, of {plural(made.num_documents, 'document')}, each in one part alone")
    for reason, count in made.left_out.items():
        say(f"  left out: {count} x {reason}")
    _say_figures(made.figures)
    gain = made.figures[-1].against_prior["node_ap"]
    by = f"{100 * gain.mean:+.1f} points of average precision over entities ({100 * gain.low:+.1f} to {100 * gain.high:+.1f})"
    asked = f"`ask -w {workspace} --profile graph"
    if not is_own:
        use = f"use it with {asked} --pruner {folder}`"
    elif is_better:
        use = f"{asked}` scores with it from now on (with `--pruner prior` not)"
    elif not made.has_replaced:
        use = f"{asked}` goes on with the one that was trained before, and this one is not kept (give --out FOLDER to keep it)"
    else:
        use = f"{asked}` goes on with the prior (with `--pruner gcn` it scores all the same)"
    unseen = f"on {plural(made.figures[-1].num_groups, 'document')} that it did not see"
    say(in_line(f"{unseen} it {_verdict(made.figures[-1], is_better)}: {by}; {use}"))
    if not made.has_replaced:
        return
    say(in_line(f"checkpoint: {folder}"))
    say(in_line(f"report: {folder / 'report.html'}"))


def _verdict(figures: "PrunerFigures", is_better: bool) -> str:
    from dynagrag.evaluation.pruning.pruner_runs import MIN_GROUPS

    if is_better:
        return "is better than the prior"
    nodes, edges = figures.against_prior["node_ap"], figures.against_prior.get("edge_ap")
    if nodes.high < 0:
        return "is worse than the prior"
    if nodes.low > 0 and edges is not None and edges.high < 0:
        return "is better than the prior over entities, and worse over pairs of them, so not better in all"
    if figures.num_groups < MIN_GROUPS:
        return f"is not shown to be better than the prior, which takes {MIN_GROUPS} documents"
    return "is not shown to be better than the prior"


def _say_figures(figures: "Sequence[PrunerFigures]") -> None:
    for line in pruner_lines(figures):
        say(in_line(line))


def _say_epoch(epoch: "Epoch") -> None:
    say(f"epoch {epoch.number:>3}  loss {epoch.loss:.4f}  average precision {epoch.validation:.4f}  {epoch.seconds:.1f} s")
