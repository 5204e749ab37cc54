"""The options that several commands share, each with one wording."""

from pathlib import Path
from typing import Annotated

import typer

from dynagrag.core.errors import UsageError
from dynagrag.registry.stores import EMBEDDED, SERVER_VARIABLES, store_words


def is_given(context: typer.Context, parameter: str) -> bool:
    """Whether a command's parameter stands on the command line, be it with its default."""
    source = context.get_parameter_source(parameter)
    return source is not None and source.name == "COMMANDLINE"


WORKSPACE = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        "-w",
        help="Workspace to use. Default: the setting `workspace`, else `default`.",
    ),
]
JSON = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
YES = Annotated[bool, typer.Option("--yes", "-y", help="Answer yes to every question.")]
FOLLOW_LINKS = Annotated[
    bool,
    typer.Option(
        "--follow-links",
        help=(
            "Follow links in folders and patterns to files outside of them, too. Default: such"
            " links are left out, and named."
        ),
    ),
]
RERANKER = Annotated[
    str | None,
    typer.Option(
        "--reranker",
        metavar="FOLDER",
        help=(
            "A cross-encoder (a folder with an .onnx file, or a hub name) that reads the best 50"
            " passages and stretches of talk again and puts them in order. Those of web search can"
            " lower talk: measure first. Default: the setting `reranker`, else none."
        ),
    ),
]
FORCE = Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")]
LLM = Annotated[
    str | None,
    typer.Option(
        "--llm",
        help=(
            "Language model: openai:NAME (any compatible server, see OPENAI_BASE_URL), a LangChain"
            " PROVIDER:NAME, local:PATH-or-hub-name, gguf:PATH, gguf:hf:ORG/REPO/FILE, or a pulled"
            " model such as qwen. Default: the setting `llm`, which is empty until you set it."
        ),
    ),
]
EMBEDDER = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        help=(
            "Embedder: minilm, another of `dynagrag models list`, a folder or hub name of any"
            " sentence embedder, or openai:NAME. Default: the setting `embedder`, else the"
            " workspace's own, minilm for a new one."
        ),
    ),
]
STORE = Annotated[
    str | None,
    typer.Option(
        "--store",
        help=(
            f"Where the graph is kept: {store_words()}. Default: where the workspace was last, else"
            f" {SERVER_VARIABLES}, else {EMBEDDED}."
        ),
    ),
]
VERBOSE = Annotated[
    bool, typer.Option("--verbose", "-v", help="Log each stage with its counts and seconds.")
]
DEVICE = Annotated[
    str | None,
    typer.Option(
        "--device", help="Where the network runs: cpu, cuda, mps. Default: a GPU if there is one."
    ),
]
MAX_DESCRIPTION = Annotated[
    int,
    typer.Option(
        "--max-description",
        min=0,
        help="Tokens of a graph's text at most; it is cut at its end. A checkpoint keeps its own.",
    ),
]
PRECISION = Annotated[
    str,
    typer.Option(
        "--precision",
        help=(
            "Of the language model's numbers: float32, bfloat16 (about twice as quick where the"
            " machine has it), or auto, which takes bfloat16 there. A checkpoint is measured with"
            " what it was trained with."
        ),
    ),
]
PRUNING_SET = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        help=(
            "Published set whose support is known: pathquestion, webqsp or 2wiki. Needs --data; not"
            " with --workspace."
        ),
    ),
]
PRUNING_DATA = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="FOLDER",
        help="Folder of the published sets; graphqa/ is read, for 2wiki multihop/.",
    ),
]
PRUNING_PART = Annotated[
    str | None,
    typer.Option(
        "--part", help="For pathquestion: PQ-2H, PQ-3H, PQL-2H or PQL-3H. Default: PQ-2H."
    ),
]
PRUNING_WORKSPACE = Annotated[
    str | None,
    typer.Option(
        "--workspace",
        "-w",
        help=(
            "Workspace whose questions are taken, of three documents or more. Default, without"
            " --dataset: the setting `workspace`, else `default`."
        ),
    ),
]
PRUNING_QUESTIONS = Annotated[
    Path | None,
    typer.Option(
        "--questions",
        metavar="FILE",
        help=(
            "For --workspace: questions that `dynagrag evaluate questions` made of it, edited or"
            " not, or your own with `turns`. Default: made now, without a model."
        ),
    ),
]


def check_pruning_source(
    dataset: str | None,
    data: Path | None,
    part: str | None,
    workspace: str | None,
    questions: Path | None,
) -> None:
    """UsageError unless there is either a workspace, perhaps unnamed, or a set with its folder."""
    if workspace is not None and dataset is not None:
        raise UsageError(
            "a workspace (--workspace NAME) and a published set (--dataset SET --data FOLDER)"
            " exclude each other: give one"
        )
    if dataset is None and (data or part):
        raise UsageError(
            "--data and --part are of published sets; name one with --dataset, or leave them out"
        )
    if dataset is not None and questions:
        raise UsageError(
            "--questions are a workspace's; name it with --workspace, in place of --dataset"
        )
    if dataset is not None and not data:
        raise UsageError(f"--dataset {dataset} needs --data, the folder of the published sets")
