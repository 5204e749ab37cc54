"""Training what stands before a frozen language model, on a set of GraphQA; its checkpoints."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from dynagrag import wiring
from dynagrag.errors import LoadError, UsageError
from dynagrag.evaluation.graphqa.graph_methods import METHODS, TRAINED
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion
from dynagrag.evaluation.graphqa.graph_retrieval import TextVectors
from dynagrag.evaluation.graphqa.graph_sets import GraphSet, digest_of, load_graph_set
from dynagrag.evaluation.graphqa.soft_examples import soft_examples
from dynagrag.evaluation.pruning.pruning_example import Part
from dynagrag.evaluation.results.run_folder import library_versions
from dynagrag.generation.soft_prompt.graph_encoder import EncoderOptions
from dynagrag.generation.soft_prompt.language_model import LanguageModel, load_language_model
from dynagrag.generation.soft_prompt.precision import Precision
from dynagrag.generation.soft_prompt.prompt_layout import LayoutOptions
from dynagrag.generation.soft_prompt.soft_example import SoftExample
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftPromptOptions, SoftTokens
from dynagrag.schema import EmbedderIdentity
from dynagrag.settings import Settings
from dynagrag.training.checkpoints import TRAINING, Checkpoint, check_out_folder, hold_folder, load_checkpoint, save_checkpoint
from dynagrag.training.training_loop import Epoch, Training, TrainingFile, TrainingOptions, best_of

KIND = "soft-prompt"
MIN_ROWS = 10
_VALIDATION_SHARE, _MAX_VALIDATION = 0.1, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftTrainOptions:
    """What to train on what, and where to keep it. `max_rows`: training rows at most, the first. `lm`: the language model's name."""

    method: str
    dataset: str
    data: Path
    lm: str
    out: Path
    max_rows: int | None = None
    seed: int = 0
    max_epochs: int = 10
    learning_rate: float = 3e-4
    width: int = 256
    precision: Precision = Precision.AUTO

    def check(self) -> None:
        """Raises UsageError for what was given wrong."""
        if self.method not in TRAINED:
            raise UsageError(f"there is nothing to train in {self.method!r}; known: {', '.join(TRAINED)}")
        if self.max_rows is not None and self.max_rows < MIN_ROWS:
            raise UsageError(f"--max-rows {self.max_rows} is too few to learn from; give {MIN_ROWS} or more")
        check_out_folder(self.out)


class SoftTask:
    """The soft tokens of a model, learned from examples, judged by the loss over others."""

    def __init__(self, model: SoftPromptModel, validation: Sequence[SoftExample], batch_size: int) -> None:
        self.network: SoftTokens = model.tokens
        self._model = model
        self._validation = validation
        self._batch_size = batch_size

    def loss(self, batch: Sequence[SoftExample]) -> Tensor:
        """See SoftPromptModel.loss."""
        return self._model.loss(batch)

    def validate(self) -> float:
        """The negative mean loss, each row counting alike."""
        total = 0.0
        with torch.no_grad():
            for start in range(0, len(self._validation), self._batch_size):
                batch = self._validation[start : start + self._batch_size]
                total += float(self._model.loss(batch)) * len(batch)
        return -total / len(self._validation)


def train_soft_prompt(settings: Settings, options: SoftTrainOptions, on_epoch: Callable[[Epoch], None] | None = None) -> list[Epoch]:
    """Trains a method and writes its checkpoint; the epochs. A training in the folder that was stopped goes on.

    A tenth of the training rows, 100 at most and never trained on, choose the epoch: the set's validation rows stay for measuring.

    Raises:
        UsageError: Something was given wrong, or there are too few rows.
        LoadError: The set's files can't be read.
        SettingsError: The language model isn't there, or a library is missing.
    """
    options.check()
    graph_set = load_graph_set(options.dataset, options.data)
    rows = graph_set.of(Part.TRAIN)[: options.max_rows]
    if len(rows) < MIN_ROWS:
        raise UsageError(f"{options.dataset} has {len(rows)} training rows there; at least {MIN_ROWS} are needed")
    with hold_folder(options.out):
        return _train(settings, options, graph_set, rows, on_epoch)


def _train(
    settings: Settings,
    options: SoftTrainOptions,
    graph_set: GraphSet,
    rows: Sequence[GraphQuestion],
    on_epoch: Callable[[Epoch], None] | None,
) -> list[Epoch]:
    num_validation = max(1, min(int(_VALIDATION_SHARE * len(rows)), _MAX_VALIDATION))
    embedder = wiring.make_embedder(settings)
    examples = soft_examples(rows, TextVectors(embedder), options.method)
    lm = load_language_model(options.lm, settings, options.precision)
    torch.manual_seed(options.seed)
    model = SoftPromptModel(lm, _model_options(options, embedder.identity.dimension))
    training = _training_options(options)
    made_with = _made_with(graph_set, options, training) | {"train": len(rows) - num_validation, "rows": digest_of(rows)}
    network = _network(options.method, lm, model.options)
    file = TrainingFile(options.out / TRAINING, made_with | {"network": network, "embedder": embedder.identity.name})
    task = SoftTask(model, examples[-num_validation:], training.batch_size)
    epochs = Training(task, training, file).run(examples[:-num_validation], on_epoch)
    checkpoint = Checkpoint(
        kind=KIND,
        network=network,
        embedder=embedder.identity.name,
        dimension=embedder.identity.dimension,
        made_with=made_with,
        figures={"epochs": [asdict(epoch) for epoch in epochs], "best_epoch": best_of(epochs).number},
        versions=library_versions() | {"dynagrag": version("dynagrag")},
    )
    save_checkpoint(options.out, checkpoint, model.tokens.state_dict())
    return epochs


def open_soft_prompt(
    folder: Path, settings: Settings, lm: str, embedder: EmbedderIdentity, method: str, precision: Precision = Precision.AUTO
) -> SoftPromptModel:
    """The model of a checkpoint; with `AUTO` of the precision that it was trained with.

    LoadError for what is none, UsageError where it is of another method, embedder or language model.
    """
    checkpoint, weights = load_checkpoint(folder, KIND)
    checkpoint.check_fits(embedder, folder)
    made = checkpoint.network
    if made["method"] != method:
        raise UsageError(f"{folder} holds a trained {made['method']}; give --method {made['method']}")
    if made["lm"] != lm:
        raise UsageError(f"{folder} was trained before {made['lm']}; give --lm {made['lm']}, or train it again")
    trained_with = Precision(made.get("precision", Precision.FLOAT32))
    model = load_language_model(lm, settings, trained_with if precision is Precision.AUTO else precision)
    if made["lm_width"] != model.width:
        raise UsageError(f"{folder} was trained before a model of width {made['lm_width']}, and {lm} has {model.width}; train it again")
    opened = SoftPromptModel(model, _read_options(made["options"]))
    try:
        opened.tokens.load_state_dict(weights)
    except RuntimeError as err:
        raise LoadError(f"the weights in {folder} are not those of its network: {str(err).splitlines()[0]}; train it again") from err
    return opened


def untrained(lm: LanguageModel, method: str) -> SoftPromptModel:
    """The language model as it is, in the same layout."""
    return SoftPromptModel(lm, SoftPromptOptions(has_text=METHODS[method].has_text))


def _model_options(options: SoftTrainOptions, dimension: int) -> SoftPromptOptions:
    method = METHODS[options.method]
    encoder = EncoderOptions(dimension, width=options.width, is_pruned=method.is_pruned) if method.has_graph else None
    return SoftPromptOptions(encoder, method.num_virtual, method.has_text, projection=2 * options.width)


def _training_options(options: SoftTrainOptions) -> TrainingOptions:
    return TrainingOptions(
        learning_rate=options.learning_rate,
        weight_decay=0.05,
        batch_size=8,
        max_epochs=options.max_epochs,
        patience=2,
        seed=options.seed,
        betas=(0.9, 0.95),
        is_warmed_up=True,
        max_norm=0.1,
    )


def _network(method: str, lm: LanguageModel, options: SoftPromptOptions) -> dict[str, Any]:
    return {"method": method, "lm": lm.name, "lm_width": lm.width, "precision": lm.precision.value, "options": asdict(options)}


def _read_options(kept: dict[str, Any]) -> SoftPromptOptions:
    encoder = EncoderOptions(**kept["encoder"]) if kept["encoder"] else None
    return SoftPromptOptions(**(kept | {"encoder": encoder, "layout": LayoutOptions(**kept["layout"])}))


def _made_with(graph_set: GraphSet, options: SoftTrainOptions, training: TrainingOptions) -> dict[str, Any]:
    return {
        "dataset": graph_set.name,
        "files": {file.name: file.sha256 for file in graph_set.files},
        "options": asdict(training),
        "max_rows": options.max_rows,
    }
