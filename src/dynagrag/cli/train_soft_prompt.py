"""`dynagrag train g-retriever` and the like: soft prompts before a frozen language model."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.options import EMBEDDER, JSON, STORE, VERBOSE
from dynagrag.cli.terminal import in_line, read_settings, say, say_json, set_up_log
from dynagrag.cli.train_soft_answers import QUESTIONS, TRAINED_ON, check_soft_source, train_on_own_workspace
from dynagrag.errors import SettingsError

if TYPE_CHECKING:
    from dynagrag.evaluation.graphqa.soft_training import SoftTrainOptions
    from dynagrag.training.training_loop import Epoch

_SET = typer.Option(
    "--dataset",
    help="Set of questions over graphs: explagraphs, scenegraphs, webqsp, cwq, or of PathQuestion pq-2h, pq-3h, pql-2h or pql-3h.",
)
_DATA = typer.Option(
    "--data", metavar="FOLDER", help="Folder of the sets' files, or with them in graphqa/ (docs/evaluation.md names them)."
)
GRAPH_SET = Annotated[str, _SET]
GRAPH_DATA = Annotated[Path, _DATA]
LM = Annotated[
    str,
    typer.Option(
        "--lm", help="Language model that is put behind it, as it is: a pulled one (smollm2), a folder, a GGUF file or a hub name."
    ),
]
DATASET = Annotated[str | None, _SET]
DATA = Annotated[Path | None, _DATA]
OUT = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help="Folder of the checkpoint. A training in it that was stopped goes on. Default for --workspace: the workspace's own.",
    ),
]
HELP = {
    "g-retriever": "Train G-Retriever: a graph encoder whose token stands, with the graph's text, before a frozen language model.",
    "grag": "Train GRAG: as G-Retriever, with soft pruning of nodes and edges by their distance from the question.",
    "graph-token": "Train GraphToken: the graph encoder's token without the graph's text.",
    "prompt-tuning": "Train ten virtual tokens, the same for every question, before the graph's text.",
}


def add_soft_prompts(app: typer.Typer) -> None:
    """A command for each method."""
    for method, help_text in HELP.items():
        app.command(method, help=f"{help_text}\n\nExample: dynagrag train {method} --dataset explagraphs --data sets --out my-{method}")(
            _command(method)
        )


def _command(method: str) -> Callable[..., int]:
    def train(
        dataset: DATASET = None,
        data: DATA = None,
        out: OUT = None,
        workspace: TRAINED_ON = None,
        questions: QUESTIONS = None,
        lm: LM = "smollm2",
        max_rows: Annotated[int | None, typer.Option("--max-rows", min=1, help="Training rows at most. Default: all.")] = None,
        max_epochs: Annotated[int, typer.Option("--max-epochs", min=1, help="Epochs at most; it stops after two without gain.")] = 10,
        learning_rate: Annotated[float, typer.Option("--learning-rate", min=0.0, help="At its highest, after the first epoch.")] = 3e-4,
        seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the weights and of the order of the rows.")] = 0,
        embedder: EMBEDDER = None,
        store: STORE = None,
        as_json: JSON = False,
        verbose: VERBOSE = False,
    ) -> int:
        set_up_log(verbose)
        try:
            from dynagrag.evaluation.graphqa.soft_training import SoftTrainOptions, train_soft_prompt
        except ImportError as err:
            raise SettingsError(
                "training soft prompts needs torch-geometric and transformers: pip install 'dynagrag[train,local]'"
            ) from err
        check_soft_source(method, workspace, questions, (dataset, data, out))
        if workspace is not None:
            how: dict[str, Any] = {"questions": questions, "lm": lm, "out": out, "max_rows": max_rows, "max_epochs": max_epochs}
            how |= {"learning_rate": learning_rate, "seed": seed}
            return train_on_own_workspace(method, workspace, {"embedder": embedder, "store": store}, how, as_json, _say_epoch)
        assert dataset is not None  # else it was refused, as without data or out
        assert data is not None
        assert out is not None
        options = SoftTrainOptions(
            method=method,
            dataset=dataset,
            data=data,
            lm=lm,
            out=out,
            max_rows=max_rows,
            seed=seed,
            max_epochs=max_epochs,
            learning_rate=learning_rate,
        )
        _say_trained(options, train_soft_prompt(read_settings(None, embedder), options, None if as_json else _say_epoch), as_json)
        return 0

    return train


def _say_trained(options: "SoftTrainOptions", epochs: "Sequence[Epoch]", as_json: bool) -> None:
    method, out = options.method, options.out
    if as_json:
        say_json({"folder": str(out), "method": method, "epochs": [{"loss": e.loss, "validation": -e.validation} for e in epochs]})
        return
    say(in_line(f"checkpoint: {out}; measure it: dynagrag evaluate graphqa --method {method} --checkpoint {out} --lm {options.lm} ..."))


def _say_epoch(epoch: "Epoch") -> None:
    say(f"epoch {epoch.number}: loss {epoch.loss:.3f}, on rows that it does not learn {-epoch.validation:.3f}, {epoch.seconds:.0f} s")
