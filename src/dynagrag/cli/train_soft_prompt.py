"""`dynagrag train g-retriever` and the like: soft prompts before a frozen language model."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.evaluate.shared import names_in, one_of
from dynagrag.cli.options import DEVICE, EMBEDDER, JSON, MAX_DESCRIPTION, PRECISION, VERBOSE
from dynagrag.cli.terminal import Bars, in_line, read_settings, say, say_json, set_up_log
from dynagrag.errors import SettingsError

if TYPE_CHECKING:
    from dynagrag.settings import Settings
    from dynagrag.training.training_loop import Epoch

GRAPH_SET = Annotated[
    str,
    typer.Option(
        "--dataset",
        help="Set of questions over graphs: explagraphs, scenegraphs, webqsp, cwq, or of PathQuestion pq-2h, pq-3h, pql-2h or pql-3h.",
    ),
]
GRAPH_DATA = Annotated[
    Path,
    typer.Option("--data", metavar="FOLDER", help="Folder of the sets' files, or with them in graphqa/ (docs/evaluation.md names them)."),
]
LM = Annotated[
    str,
    typer.Option(
        "--lm", help="Language model that is put behind it, as it is: a pulled one (smollm2), a folder, a GGUF file or a hub name."
    ),
]
OUT = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Folder of the checkpoint. A training in it that was stopped goes on.")]
MAX_ROWS = Annotated[int | None, typer.Option("--max-rows", min=1, help="Training rows at most. Default: all.")]
MAX_EPOCHS = Annotated[int, typer.Option("--max-epochs", min=1, help="Epochs at most; it stops after two without gain.")]
LEARNING_RATE = Annotated[float, typer.Option("--learning-rate", min=0.0, help="At its highest, after the first epoch.")]
SEED = Annotated[int, typer.Option("--seed", min=0, help="Seed of the weights and of the order of the rows.")]
MAX_LABEL = Annotated[int, typer.Option("--max-label", min=1, help="Tokens of a label at most; it is cut there.")]
HELP = {
    "g-retriever": "Train G-Retriever: a graph encoder whose token stands, with the graph's text, before a frozen language model.",
    "grag": "Train GRAG: as G-Retriever, with soft pruning of nodes and edges by their distance from the question.",
    "graph-token": "Train GraphToken: the graph encoder's token without the graph's text.",
    "prompt-tuning": "Train ten virtual tokens, the same for every question, before the graph's text.",
    "lora": "Train LoRA: adapters in a language model that reads the graph's text.",
    "g-retriever-lora": "Train G-Retriever with adapters (LoRA) in the language model.",
    "grag-lora": "Train GRAG with adapters (LoRA) in the language model.",
}
ENCODER = Annotated[
    str,
    typer.Option(
        "--encoder", help="Layers of the graph encoder: transformer or gat, whose messages carry the edges, or gcn, which has nodes alone."
    ),
]
WITHOUT = Annotated[
    str,
    typer.Option(
        "--without",
        help="Parts to leave out, separated by commas, to see what they give: encoder (ten virtual tokens stand there), projector, text, "
        "retrieval (the whole graph), of GRAG pruning. Of the methods that have graph and text.",
    ),
]
DESCRIPTION = Annotated[
    str | None,
    typer.Option(
        "--description", help="The graph as text: tables (of nodes and edges), or tree (GRAG's lines). Default: tree for GRAG, else tables."
    ),
]


def add_soft_prompts(app: typer.Typer) -> None:
    """A command for each method."""
    for method, help_text in HELP.items():
        app.command(method, help=f"{help_text}\n\nExample: dynagrag train {method} --dataset explagraphs --data sets --out my-{method}")(
            _command(method)
        )


def _command(method: str) -> Callable[..., int]:
    def train(
        dataset: GRAPH_SET,
        data: GRAPH_DATA,
        out: OUT,
        lm: LM = "smollm2",
        max_rows: MAX_ROWS = None,
        max_epochs: MAX_EPOCHS = 10,
        learning_rate: LEARNING_RATE = 3e-4,
        seed: SEED = 0,
        encoder: ENCODER = "transformer",
        without: WITHOUT = "",
        description: DESCRIPTION = None,
        max_description: MAX_DESCRIPTION = 512,
        max_label: MAX_LABEL = 32,
        device: DEVICE = None,
        precision: PRECISION = "auto",
        embedder: EMBEDDER = None,
        as_json: JSON = False,
        verbose: VERBOSE = False,
    ) -> int:
        set_up_log(verbose)
        how = {"method": method, "dataset": dataset, "data": data, "lm": lm, "out": out, "max_rows": max_rows, "seed": seed}
        how |= {"max_epochs": max_epochs, "learning_rate": learning_rate, "encoder": encoder, "without": names_in(without)}
        how |= {"max_description": max_description, "max_label": max_label, "device": device}
        _train(read_settings(None, embedder), how, precision, description, as_json)
        return 0

    return train


def _train(settings: "Settings", how: dict[str, Any], precision: str, description: str | None, as_json: bool) -> None:
    try:
        from dynagrag.evaluation.graphqa.graph_methods import Description
        from dynagrag.evaluation.graphqa.soft_training import SoftTrainOptions, train_soft_prompt
        from dynagrag.generation.soft_prompt.precision import Precision
    except ImportError as err:
        raise SettingsError("training soft prompts needs torch-geometric and transformers: pip install 'dynagrag[train,local]'") from err
    options = SoftTrainOptions(
        **how,
        precision=one_of("--precision", precision, Precision),
        description=None if description is None else one_of("--description", description, Description),
    )
    with Bars(as_json) as progress:
        epochs = train_soft_prompt(settings, options, None if as_json else _say_epoch, progress)
    if as_json:
        curve = [{"loss": e.loss, "validation": -e.validation} for e in epochs]
        say_json({"folder": str(options.out), "method": options.method, "epochs": curve})
        return
    measure = f"dynagrag evaluate graphqa --method {options.method} --checkpoint {options.out} --lm {options.lm} ..."
    say(in_line(f"checkpoint: {options.out}; measure it: {measure}"))


def _say_epoch(epoch: "Epoch") -> None:
    say(f"epoch {epoch.number}: loss {epoch.loss:.3f}, on rows that it does not learn {-epoch.validation:.3f}, {epoch.seconds:.0f} s")
