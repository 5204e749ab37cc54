"""`dynagrag train`: what can be learned."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynagrag.cli.evaluate.pruner import PRUNER_MEASURES, pruner_lines
from dynagrag.cli.evaluate.shared import names_in
from dynagrag.cli.options import DEVICE, EMBEDDER, JSON, PRUNING_DATA, PRUNING_PART, PRUNING_SET, VERBOSE
from dynagrag.cli.terminal import in_line, read_settings, say, say_json, set_up_log

if TYPE_CHECKING:
    from dynagrag.training.training_loop import Epoch

train_app = typer.Typer(help="Train what can be learned.", no_args_is_help=True, rich_markup_mode=None)

OUT = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder of the checkpoint. A training in it that was stopped goes on.")]
FORM = Annotated[
    str,
    typer.Option(
        "--form",
        help="compared: vectors are read by how they compare with the question's. paper: DynaGRAG by the letter, scaled vectors alone.",
    ),
]
WITHOUT = Annotated[
    str, typer.Option("--without", help="Parts of the network to leave out, separated by commas, to see what they give: masks, gcn, edges.")
]


@train_app.command("pruner", epilog=PRUNER_MEASURES)
def train_pruner(
    dataset: PRUNING_SET,
    data: PRUNING_DATA,
    out: OUT,
    part: PRUNING_PART = None,
    form: FORM = "compared",
    without: WITHOUT = "",
    max_epochs: Annotated[int, typer.Option("--max-epochs", min=1, help="Epochs at most; it stops after four without gain.")] = 20,
    max_examples: Annotated[int | None, typer.Option("--max-examples", min=1, help="Training questions at most. Default: all.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the weights and of the order of the examples.")] = 0,
    device: DEVICE = None,
    embedder: EMBEDDER = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    """Train a pruner: a GCN that scores the entities and relations of retrieved subgraphs for a question.

    Trains on the questions about some 70 % of the entities asked about, chooses the epoch on 15 %, and measures it on the rest beside the
    untrained prior. Run it again to go on with a training that was stopped; the numbers are those of one that was not.

    Example: dynagrag train pruner --dataset pathquestion --data sets --out my-pruner
    """
    set_up_log(verbose)
    from dynagrag.evaluation.pruning.pruner_runs import TrainOptions, beats_prior, figures_json, train_on_set

    options = TrainOptions(
        dataset=dataset,
        data=data,
        out=out,
        part=part,
        form=form,
        without=names_in(without),
        seed=seed,
        max_epochs=max_epochs,
        max_examples=max_examples,
        device=device,
    )
    folder, figures = train_on_set(read_settings(None, embedder), options, None if as_json else _say_epoch)
    if as_json:
        say_json({"folder": str(folder), "pruners": figures_json(figures)})
        return 0
    for line in pruner_lines(figures):
        say(in_line(line))
    better = "is above" if beats_prior(figures[-1]) else "is not shown to be above"
    say(f"checkpoint: {folder}; its average precision over entities {better} the prior's on questions about other entities")
    return 0


def _say_epoch(epoch: "Epoch") -> None:
    say(f"epoch {epoch.number:>3}  loss {epoch.loss:.4f}  average precision {epoch.validation:.4f}  {epoch.seconds:.1f} s")
