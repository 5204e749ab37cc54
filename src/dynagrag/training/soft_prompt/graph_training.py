"""Training what stands before a frozen language model, on a set of GraphQA; its checkpoints."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import get_args

import torch

from dynagrag import wiring
from dynagrag.checkpoints.checkpoints import check_out_folder, hold_folder
from dynagrag.checkpoints.devices import choose_device
from dynagrag.checkpoints.keeping import Keeping
from dynagrag.checkpoints.training_loop import Epoch, Training
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.evaluation.graphqa.graph_methods import (
    TRAINED,
    Description,
    GraphMethod,
    method_of,
    variant_name,
)
from dynagrag.evaluation.graphqa.graph_retrieval import TextVectors
from dynagrag.evaluation.graphqa.graph_sets import (
    digest_of_rows,
    load_graph_set,
    row_hash,
)
from dynagrag.evaluation.graphqa.opened_method import KIND, TEXTS, UNREAD, check_retrieves
from dynagrag.evaluation.graphqa.retrieval_options import RetrievalOptions
from dynagrag.evaluation.graphqa.soft_examples import soft_examples
from dynagrag.evaluation.pruning.pruning_example import Part
from dynagrag.generation.soft_prompt.graph_encoder import Layer
from dynagrag.generation.soft_prompt.language_model import load_language_model
from dynagrag.generation.soft_prompt.precision import Precision
from dynagrag.generation.soft_prompt.prompt_layout import LayoutOptions
from dynagrag.generation.soft_prompt.soft_checkpoint import network_of
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel
from dynagrag.generation.soft_prompt.soft_recipe import SoftRecipe
from dynagrag.generation.soft_prompt.soft_task import SoftTask, num_cut, tell_cut
from dynagrag.ingest.pipeline import Progress

MIN_ROWS = 10
_VALIDATION_SHARE, _MAX_VALIDATION = 0.1, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftTrainOptions:
    """A training's method, data and place. `max_rows`: training rows at most, the first. `lm`: the
    language model's name. `without`: parts that are left out; `encoder` and `description` None: the
    method's own; `retrieval`: how much of a graph it is given;
    `max_description` and `max_label`: tokens of both at most.
    """

    method: str
    dataset: str
    data: Path
    lm: str
    out: Path
    max_rows: int | None = None
    seed: int = 0
    recipe: SoftRecipe = field(default_factory=SoftRecipe)
    without: tuple[str, ...] = ()
    encoder: Layer | None = None
    description: Description | None = None
    retrieval: RetrievalOptions = field(default_factory=RetrievalOptions)
    max_description: int = 512
    max_label: int = 32
    precision: Precision = Precision.AUTO
    device: str | None = None

    @property
    def made_of(self) -> GraphMethod:
        """The method without what is left out. UsageError for what it has not."""
        made = method_of(self.method, self.without, self.description, self.retrieval)
        if self.encoder is None:
            return made
        return replace(made, parts=replace(made.parts, layer=self.encoder))

    def check(self) -> None:
        """Raises UsageError for what was given wrong."""
        if self.method not in TRAINED:
            raise UsageError(
                f"there is nothing to train in {self.method!r}; known: {', '.join(TRAINED)}"
            )
        if self.encoder is not None and self.encoder not in get_args(Layer):
            raise UsageError(
                f"--encoder {self.encoder!r} is unknown; known: {', '.join(get_args(Layer))}"
            )
        if self.encoder is not None and not self.made_of.parts.has_graph:
            raise UsageError(
                f"{variant_name(self.method, self.without)} has no graph encoder; leave out"
                " --encoder"
            )
        if self.max_rows is not None and self.max_rows < MIN_ROWS:
            raise UsageError(
                f"--max-rows {self.max_rows} is too few to learn from; give {MIN_ROWS} or more"
            )
        self.recipe.check()
        check_out_folder(self.out)
        choose_device(self.device)


@dataclass(frozen=True, slots=True)
class SetTraining:
    """The outcome of a training: its epochs, how many rows it learned, and how many chose the
    epoch.
    """

    epochs: Sequence[Epoch]
    num_train: int
    num_validation: int


def train_soft_prompt(
    settings: Settings,
    options: SoftTrainOptions,
    on_epoch: Callable[[Epoch], None] | None = None,
    progress: Progress | None = None,
) -> SetTraining:
    """Trains a method and writes its checkpoint. A training in the folder that was stopped goes on.

    `progress` is told of loading, embedding, each epoch's steps and its validation.

    A tenth of the training rows, 100 at most and never trained on, choose the epoch: the set's
    validation rows stay for measuring.

    Raises:
        UsageError: Something was given wrong, or there are too few rows.
        LoadError: The set's files can't be read.
        SettingsError: The language model isn't there, or a library is missing.
    """
    options.check()
    tell = progress or (lambda *_: None)
    tell("load", 0, 2)
    graph_set = load_graph_set(options.dataset, options.data)
    rows = graph_set.of(Part.TRAIN)[: options.max_rows]
    if len(rows) < MIN_ROWS:
        raise UsageError(
            f"{options.dataset} has {len(rows)} training rows there; at least {MIN_ROWS} are needed"
        )
    check_retrieves(options.made_of, rows)
    tell("load", 1, 2)
    with hold_folder(options.out):
        num_validation = max(1, min(int(_VALIDATION_SHARE * len(rows)), _MAX_VALIDATION))
        lm = load_language_model(options.lm, settings, options.precision, options.device)
        embedder = wiring.make_embedder(settings)
        tell("load", 2, 2)
        examples = soft_examples(rows, TextVectors(embedder), options.made_of, tell)
        num = num_cut(lm, (example.label for example in examples), options.max_label)
        tell_cut(
            num,
            len(examples),
            "labels",
            options.max_label,
            "their ends can't be learned (--max-label)",
        )
        if options.made_of.parts.has_text:
            num = num_cut(
                lm, (example.description for example in examples), options.max_description
            )
            tell_cut(num, len(examples), TEXTS, options.max_description, UNREAD)
        torch.manual_seed(options.seed)
        layout = LayoutOptions(
            options.max_description, options.max_label, options.made_of.max_reply
        )
        model = SoftPromptModel(
            lm,
            options.recipe.options(
                options.made_of.parts, embedder.identity.dimension, lm.width, layout
            ),
        )
        training = options.recipe.training(options.seed)
        of_set = {
            "without": list(options.without),
            "description": options.made_of.description.value,
            "retrieval": options.retrieval.changed,
        }
        keeping = Keeping(
            folder=options.out,
            kind=KIND,
            network=network_of(options.method, lm, model.options) | of_set,
            embedder=embedder.identity,
            made_with={
                "dataset": graph_set.name,
                "files": {file.name: file.sha256 for file in graph_set.files},
                "options": asdict(training),
                "max_rows": options.max_rows,
            }
            | {
                "train": len(rows) - num_validation,
                "rows": digest_of_rows(rows),
            },
        )
        task = SoftTask(model, examples[-num_validation:], training.batch_size)
        epochs = Training(task, training, keeping.file, model.length).run(
            examples[:-num_validation], on_epoch, tell
        )
        keeping.save(
            model.tokens.state_dict(),
            epochs,
            learned={"learned": sorted({row_hash(row) for row in rows})},
        )
        return SetTraining(epochs, len(rows) - num_validation, num_validation)
