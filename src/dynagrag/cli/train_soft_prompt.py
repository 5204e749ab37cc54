"""`dynagrag train g-retriever` and the like: soft prompts before a frozen language model."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynagrag.cli.evaluate.shared import names_in, one_of
from dynagrag.cli.graph_retrieval import (
    EDGE_COST,
    EGO_EDGES,
    EGO_GRAPHS,
    HOPS,
    KEPT,
    TOP_EDGES,
    TOP_NODES,
    retrieval_options,
)
from dynagrag.cli.options import (
    DEVICE,
    EMBEDDER,
    JSON,
    MAX_DESCRIPTION,
    PRECISION,
    STORE,
    VERBOSE,
    is_given,
)
from dynagrag.cli.terminal import ProgressBars, in_line, read_settings, say, say_json, set_up_log
from dynagrag.cli.train_soft_answers import (
    QUESTIONS,
    TRAINED_ON,
    ToldEpochs,
    check_soft_source,
    train_on_own_workspace,
)
from dynagrag.core.errors import SettingsError, UsageError

if TYPE_CHECKING:
    from dynagrag.checkpoints.training_loop import Epoch
    from dynagrag.config.settings import Settings
    from dynagrag.generation.soft_prompt.graph_encoder import Distance
    from dynagrag.generation.soft_prompt.precision import Precision

_SET = typer.Option(
    "--dataset",
    help=(
        "Set of questions over graphs: explagraphs (or expla_graphs, as the authors write it),"
        " scenegraphs, webqsp, cwq, or of PathQuestion pq-2h, pq-3h, pql-2h or pql-3h."
    ),
)
_DATA = typer.Option(
    "--data",
    metavar="FOLDER",
    help="Folder of the sets' files, or with them in graphqa/ (docs/evaluation.md names them).",
)
GRAPH_SET = Annotated[str, _SET]
GRAPH_DATA = Annotated[Path, _DATA]
LM = Annotated[
    str,
    typer.Option(
        "--lm",
        help=(
            "Language model that is put behind it, as it is: a pulled one (smollm2), a folder, a"
            " GGUF file or a hub name."
        ),
    ),
]
DATASET = Annotated[str | None, _SET]
DATA = Annotated[Path | None, _DATA]
OUT = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help=(
            "Folder of the checkpoint. A training in it that was stopped goes on. Default for"
            " --workspace: the workspace's own."
        ),
    ),
]
MAX_ROWS = Annotated[
    int | None,
    typer.Option(
        "--max-rows",
        min=1,
        help=(
            "Rows to train on at most, of a workspace's questions also to choose the epoch by and"
            " to measure on. Default: all."
        ),
    ),
]
PAPER = Annotated[
    bool,
    typer.Option(
        "--paper",
        help=(
            "Sizes and steps of the papers, for a Llama 2 7B: width 1024, projector 2048, learning"
            " rate 1e-5; of GRAG batches of 2, a patience of 5 and 20 ego-graphs. What is given"
            " beside it counts."
        ),
    ),
]
MAX_EPOCHS = Annotated[
    int | None, typer.Option("--max-epochs", min=1, help="Epochs at most. Default: 10.")
]
LEARNING_RATE = Annotated[
    float | None,
    typer.Option(
        "--learning-rate", min=0.0, help="At its highest, after the first epoch. Default: 3e-4."
    ),
]
BATCH_SIZE = Annotated[
    int | None, typer.Option("--batch-size", min=1, help="Rows of a step. Default: 8.")
]
PATIENCE = Annotated[
    int | None,
    typer.Option("--patience", min=1, help="Epochs without gain after which it stops. Default: 2."),
]
WIDTH = Annotated[
    int | None,
    typer.Option(
        "--width",
        min=4,
        help="Width of the graph encoder, a multiple of its 4 heads. Default: 256.",
    ),
]
LAYERS = Annotated[
    int | None, typer.Option("--layers", min=1, help="Layers of the graph encoder. Default: 4.")
]
PROJECTOR_WIDTH = Annotated[
    int | None,
    typer.Option(
        "--projector-width", min=1, help="Width of the projector's middle. Default: twice --width."
    ),
]
VIRTUAL_TOKENS = Annotated[
    int | None,
    typer.Option(
        "--virtual-tokens",
        min=1,
        help=(
            "Tokens of prompt tuning, and in place of a graph encoder that is left out."
            " Default: 10."
        ),
    ),
]
SEED = Annotated[
    int,
    typer.Option(
        "--seed", min=0, max=2**32 - 1, help="Seed of the weights and of the order of the rows."
    ),
]
MAX_LABEL = Annotated[
    int, typer.Option("--max-label", min=1, help="Tokens of a label at most; it is cut there.")
]
_RETRIEVAL = (
    "top_nodes",
    "top_edges",
    "edge_cost",
    "hops",
    "ego_graphs",
    "kept",
    "ego_edges",
)
_OF_SET = ("encoder", "without", "description", "max_description", "max_label", *_RETRIEVAL)
_EGO_GRAPHS_OF_PAPER = 20
_OF_WORKSPACE = ("store",)
HELP = {
    "g-retriever": (
        "Train G-Retriever: a graph encoder whose token stands, with the graph's text, before a"
        " frozen language model."
    ),
    "grag": (
        "Train GRAG: as G-Retriever, with soft pruning of nodes and edges by their distance from"
        " the question."
    ),
    "graph-token": "Train GraphToken: the graph encoder's token without the graph's text.",
    "prompt-tuning": (
        "Train ten virtual tokens, the same for every question, before the graph's text."
    ),
    "lora": "Train LoRA: adapters in a language model that reads the graph's text.",
    "g-retriever-lora": "Train G-Retriever with adapters (LoRA) in the language model.",
    "grag-lora": "Train GRAG with adapters (LoRA) in the language model.",
}
ENCODER = Annotated[
    str | None,
    typer.Option(
        "--encoder",
        help=(
            "Layers of the graph encoder: transformer or edge-gat (graph attention), whose messages"
            " carry the edges; gat or gcn, which have nodes alone (with GRAG, gcn weights an edge"
            " by how near it is to the question). Default: transformer, of GRAG edge-gat."
        ),
    ),
]
DISTANCE = Annotated[
    str | None,
    typer.Option(
        "--distance",
        help=(
            "GRAG: what its soft pruning reads of a node or edge: elements (how far each number is"
            " from the question's, as its code has it), or euclidean (one number, as its paper"
            " writes it). Default: elements."
        ),
    ),
]
WITHOUT = Annotated[
    str,
    typer.Option(
        "--without",
        help=(
            "Parts to leave out, separated by commas, to see what they give: encoder (of"
            " G-Retriever ten virtual tokens stand there, of grag-lora nothing), projector, text"
            " (of lora too: questions and answers alone), retrieval (the whole graph; of grag-lora"
            " questions and answers alone), of GRAG pruning."
        ),
    ),
]
DESCRIPTION = Annotated[
    str | None,
    typer.Option(
        "--description",
        help=(
            "The graph as text: tables (of nodes and edges), or tree (GRAG's lines). Default: tree"
            " for GRAG, else tables."
        ),
    ),
]


def add_soft_prompts(app: typer.Typer) -> None:
    """A command for each method."""
    for method, help_text in HELP.items():
        example = (
            f"Example: dynagrag train {method} --dataset explagraphs --data sets --out my-{method}"
        )
        app.command(method, help=f"{help_text}\n\n{example}")(_train_method)


def _train_method(
    context: typer.Context,
    dataset: DATASET = None,
    data: DATA = None,
    out: OUT = None,
    workspace: TRAINED_ON = None,
    questions: QUESTIONS = None,
    lm: LM = "smollm2",
    max_rows: MAX_ROWS = None,
    is_paper: PAPER = False,
    max_epochs: MAX_EPOCHS = None,
    learning_rate: LEARNING_RATE = None,
    batch_size: BATCH_SIZE = None,
    patience: PATIENCE = None,
    width: WIDTH = None,
    layers: LAYERS = None,
    projector_width: PROJECTOR_WIDTH = None,
    virtual_tokens: VIRTUAL_TOKENS = None,
    seed: SEED = 0,
    encoder: ENCODER = None,
    distance: DISTANCE = None,
    without: WITHOUT = "",
    description: DESCRIPTION = None,
    top_nodes: TOP_NODES = None,
    top_edges: TOP_EDGES = None,
    edge_cost: EDGE_COST = None,
    hops: HOPS = None,
    ego_graphs: EGO_GRAPHS = None,
    kept: KEPT = None,
    ego_edges: EGO_EDGES = None,
    max_description: MAX_DESCRIPTION = 512,
    max_label: MAX_LABEL = 32,
    device: DEVICE = None,
    precision: PRECISION = "auto",
    embedder: EMBEDDER = None,
    store: STORE = None,
    as_json: JSON = False,
    verbose: VERBOSE = False,
) -> int:
    set_up_log(verbose)
    method = str(context.info_name)
    check_soft_source(method, workspace, questions, (dataset, data, out))
    how: dict[str, Any] = {
        "lm": lm,
        "out": out,
        "max_rows": max_rows,
        "seed": seed,
        "device": device,
        "precision": _precision(precision),
    }
    sizes = {
        "width": width,
        "num_layers": layers,
        "projection": projector_width,
        "num_virtual": virtual_tokens,
    }
    steps = {
        "max_epochs": max_epochs,
        "learning_rate": learning_rate,
        "batch_size": batch_size,
        "patience": patience,
    }
    _check_used(method, names_in(without), sizes | {"distance": distance})
    from dynagrag.evaluation.graphqa.graph_methods import METHODS, GraphPart
    from dynagrag.generation.soft_prompt.soft_recipe import recipe_of

    paper = METHODS[method].paper if is_paper else None
    how["recipe"] = recipe_of(paper, sizes | steps | {"distance": _distance(distance)})
    reads_ego_graphs = METHODS[method].retrieval is GraphPart.EGO_GRAPHS
    if ego_graphs is None and is_paper and reads_ego_graphs and "retrieval" not in without:
        ego_graphs = _EGO_GRAPHS_OF_PAPER
    of_set: dict[str, Any] = {
        "encoder": encoder,
        "without": names_in(without),
        "description": description,
        "retrieval": retrieval_options(
            ego_edges,
            top_nodes=top_nodes,
            top_edges=top_edges,
            edge_cost=edge_cost,
            hops=hops,
            ego_graphs=ego_graphs,
            kept=kept,
        ),
    }
    of_set |= {"max_description": max_description, "max_label": max_label}
    if workspace is not None:
        _check_left_out(context, _OF_SET, "--workspace", "--dataset")
        return train_on_own_workspace(
            method,
            workspace,
            (embedder, store),
            how | {"questions": questions},
            as_json,
            _say_epoch,
        )
    _check_left_out(context, _OF_WORKSPACE, "--dataset", "--workspace")
    _train(
        read_settings(None, embedder),
        how | of_set | {"method": method, "dataset": dataset, "data": data},
        embedder,
        as_json,
    )
    return 0


def _distance(name: str | None) -> "Distance | None":
    match name:
        case None | "elements" | "euclidean":
            return name
        case _:
            raise UsageError(f"--distance {name!r} is unknown; known: elements, euclidean")


def _check_used(method: str, without: tuple[str, ...], sizes: Mapping[str, object]) -> None:
    """Raises UsageError for a size of a part that the method doesn't have."""
    from dynagrag.evaluation.graphqa.graph_methods import method_of, variant_name

    made = method_of(method, without).parts
    parts = {
        "width": ("--width", "graph encoder", made.has_graph),
        "num_layers": ("--layers", "graph encoder", made.has_graph),
        "projection": ("--projector-width", "projector", made.has_graph and made.has_projector),
        "num_virtual": ("--virtual-tokens", "virtual tokens", made.has_virtual),
        "distance": ("--distance", "soft pruning", made.is_pruned),
    }
    for name, (option, part, is_there) in parts.items():
        if sizes[name] is not None and not is_there:
            raise UsageError(f"{variant_name(method, without)} has no {part}; leave out {option}")


def _precision(name: str) -> "Precision":
    try:
        # its libraries may be missing
        import dynagrag.training.soft_prompt.graph_training  # noqa: F401
        from dynagrag.generation.soft_prompt.precision import Precision
    except ImportError as err:
        raise SettingsError(
            "training soft prompts needs torch-geometric and transformers: pip install"
            " 'dynagrag[train,local]'"
        ) from err
    return one_of("--precision", name, Precision)


def _check_left_out(
    context: typer.Context, names: tuple[str, ...], source: str, other: str
) -> None:
    """Raises UsageError where an option was given that training on this source doesn't have, be it
    with its default.
    """
    for name in names:
        if is_given(context, name):
            raise UsageError(
                f"--{name.replace('_', '-')} is for {other}; leave it out with {source}"
            )


def _train(settings: "Settings", how: dict[str, Any], embedder: str | None, as_json: bool) -> None:
    from dynagrag.evaluation.graphqa.graph_methods import Description
    from dynagrag.training.soft_prompt.graph_training import SoftTrainOptions, train_soft_prompt

    named = how["description"]
    options = SoftTrainOptions(
        **how
        | {"description": None if named is None else one_of("--description", named, Description)}
    )
    with ProgressBars(as_json) as progress:
        told = ToldEpochs(None if as_json else _say_epoch)
        made = train_soft_prompt(settings, options, told, progress)
    if as_json:
        curve = [{"loss": e.loss, "validation": -e.validation} for e in made.epochs]
        rows = {"train": made.num_train, "validation": made.num_validation}
        say_json(
            {"folder": str(options.out), "method": options.method, "rows": rows, "epochs": curve}
        )
        return
    told.say_done_before(made.epochs)
    say(f"rows: {made.num_train} to train on, {made.num_validation} to choose the epoch by")
    given = {
        "dataset": options.dataset,
        "data": options.data,
        "method": options.method,
        "checkpoint": options.out,
        "lm": options.lm,
    }
    words = [
        word
        for name, value in (given | ({"embedder": embedder} if embedder else {})).items()
        for word in (f"--{name}", str(value))
    ]
    say(in_line(f"checkpoint: {options.out}; measure it:"))
    say(in_line(shlex.join(["dynagrag", "evaluate", "graphqa", *words])))


def _say_epoch(epoch: "Epoch") -> None:
    say(
        f"epoch {epoch.number}: loss {epoch.loss:.3f}, on rows that it does not learn"
        f" {-epoch.validation:.3f}, {epoch.seconds:.0f} s"
    )
