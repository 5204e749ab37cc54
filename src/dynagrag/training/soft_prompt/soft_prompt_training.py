"""Training a soft prompt on a workspace's own questions, and what it is worth on documents that it
did not see.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch

from dynagrag.checkpoints.checkpoints import (
    DESCRIPTION,
    TRAINING,
    WEIGHTS,
    check_out_folder,
    hold_folder,
)
from dynagrag.checkpoints.keeping import Keeping
from dynagrag.checkpoints.memory import Halving
from dynagrag.checkpoints.training_loop import Epoch, Training, TrainingOptions
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError, WorkspaceError
from dynagrag.evaluation.pruning.pruning_example import Part
from dynagrag.evaluation.pruning.training_questions import shortage
from dynagrag.evaluation.qa.answer_scores import contains
from dynagrag.generation.citations import without_marks
from dynagrag.generation.soft_prompt.language_model import load_language_model
from dynagrag.generation.soft_prompt.precision import Precision
from dynagrag.generation.soft_prompt.prompt_layout import LayoutOptions, PromptTooLongError
from dynagrag.generation.soft_prompt.soft_answers import (
    KIND,
    MAX_DESCRIPTION,
    MAX_LABEL,
    MAX_REPLY,
    SYSTEMS,
    text_budget,
)
from dynagrag.generation.soft_prompt.soft_checkpoint import network_of
from dynagrag.generation.soft_prompt.soft_prompt_model import SoftPromptModel, SoftPromptOptions
from dynagrag.generation.soft_prompt.soft_recipe import SoftRecipe
from dynagrag.generation.soft_prompt.soft_task import SoftTask, num_cut, tell_cut
from dynagrag.ingest.pipeline import Progress
from dynagrag.training.soft_prompt.soft_prompt_examples import AskedExample, WorkspaceSoftExamples
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.workspace_soft_prompt import soft_prompt_folder

LEAST: Mapping[Part, int] = {Part.TRAIN: 10, Part.VALIDATION: 3, Part.TEST: 3}
"""Questions: to learn anything, to choose the epoch by, and to measure on."""
_MAX_MEASURED = 40
_BATCH = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceSoftOptions:
    """A training's method and data. `questions`: a file of them; None: they are made now, without a
    model. `out` None: the workspace's own folder. `max_rows`: questions of each part at most, to
    train on, to choose the epoch by and to measure on, no fewer than `LEAST`.
    """

    method: str
    workspace: str
    lm: str
    questions: Path | None = None
    out: Path | None = None
    max_rows: int | None = None
    seed: int = 0
    recipe: SoftRecipe = field(default_factory=SoftRecipe)
    precision: Precision = Precision.AUTO
    device: str | None = None

    def check(self) -> None:
        """Raises UsageError for an unknown method, too few rows, and sizes that no training has."""
        if self.method not in SYSTEMS:
            raise UsageError(
                f"{self.method} can't be trained on a workspace; known: {', '.join(SYSTEMS)}"
            )
        if self.max_rows is not None and self.max_rows < LEAST[Part.TRAIN]:
            raise UsageError(
                f"--max-rows {self.max_rows} is too few to learn from; give {LEAST[Part.TRAIN]} or"
                " more"
            )
        self.recipe.check()


@dataclass(frozen=True, slots=True)
class SoftFigures:
    """Of `n` questions of documents that it did not see: shares whose reply holds the answer's
    words; of `untrained`, the same language model with the same text and no graph token.
    `with_line`: in whose prompt it read a line that states the answer, so the most there could be;
    0 where no text is read.
    """

    n: int
    right: float
    untrained: float
    with_line: float


@dataclass(frozen=True, slots=True)
class SoftTraining:
    """Result of a training."""

    folder: Path
    questions: Mapping[str, int]
    left_out: Mapping[str, int]
    epochs: Sequence[Epoch]
    figures: SoftFigures


def train_soft_on_workspace(
    settings: Settings,
    options: WorkspaceSoftOptions,
    progress: Progress | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> SoftTraining:
    """Trains and writes the checkpoint. A training in the workspace's own folder that was begun
    with other settings, questions or another graph is dropped; elsewhere that is an error.
    `progress` is told of loading, of what is retrieved, of each epoch's steps and its validation,
    and of what is measured.

    Raises UsageError for what was given wrong, too few questions, and texts longer than the
    language model reads; LoadError for a file that can't be read; WorkspaceError where there is no
    such workspace or a document of it was deleted meanwhile; SettingsError where the language model
    or a library is missing.
    """
    options.check()
    own = soft_prompt_folder(settings, options.workspace, options.method)
    out = options.out or own
    is_own = out == own
    check_out_folder(out, begins_anew=is_own)
    tell = progress or (lambda *_: None)
    tell("load", 0, 2)
    with open_workspace(options.workspace, settings=settings, create=False) as space:
        learned_of = {document.id for document in space.store.documents()}
        asked = WorkspaceSoftExamples(space, options.method, options.questions)
        if said := shortage(asked.found, LEAST):
            raise UsageError(
                f"too few questions with answers: {said}; all questions of a document are in one"
                " part,"
                " so ingest more documents or longer ones (three at least), or give more questions"
                " with --questions FILE"
            )
        tell("load", 1, 2)
        with hold_folder(out):
            lm = load_language_model(options.lm, settings, options.precision, options.device)
            tell("load", 2, 2)
            embedder = space.embedder.identity
            torch.manual_seed(options.seed)
            layout = LayoutOptions(MAX_DESCRIPTION, MAX_LABEL, MAX_REPLY)
            model = SoftPromptModel(
                lm,
                options.recipe.options(
                    SYSTEMS[options.method].parts, embedder.dimension, lm.width, layout
                ),
            )
            split = asked.examples(text_budget(model), tell, options.max_rows)
            _tell_cut(model, split)
            training = options.recipe.training(options.seed)
            num_rows = {part.value: len(split[part]) for part in (Part.TRAIN, Part.VALIDATION)}
            made_with = {**asked.made_of, **num_rows, "options": asdict(training)}
            network = network_of(options.method, lm, model.options)
            keeping = Keeping(
                folder=out,
                kind=KIND,
                network=network,
                embedder=embedder,
                made_with=made_with,
                begins_anew=is_own,
            )
            epochs, figures = _train(model, keeping, training, split, tell, on_epoch)
            if learned_of - {document.id for document in space.store.documents()}:
                for name in (DESCRIPTION, WEIGHTS, TRAINING):
                    (out / name).unlink(missing_ok=True)
                raise WorkspaceError(
                    "a document was deleted while it was trained on, so nothing was kept; train"
                    " again"
                )
    counts = {part.value: len(rows) for part, rows in split.items()}
    return SoftTraining(
        out, counts, {why: n for why, n in asked.found.left_out.items() if n}, epochs, figures
    )


def _train(
    model: SoftPromptModel,
    keeping: Keeping,
    training: TrainingOptions,
    split: Mapping[Part, Sequence[AskedExample]],
    tell: Progress,
    on_epoch: Callable[[Epoch], None] | None,
) -> tuple[list[Epoch], SoftFigures]:
    examples = {part: [row.example for row in rows] for part, rows in split.items()}
    task = SoftTask(model, examples[Part.VALIDATION], training.batch_size)
    untrained = SoftPromptModel(model.lm, SoftPromptOptions(layout=model.options.layout))
    try:
        epochs = Training(task, training, keeping.file, model.length).run(
            examples[Part.TRAIN], on_epoch, tell
        )
        figures = _figures(model, untrained, split[Part.TEST][:_MAX_MEASURED], tell)
    except PromptTooLongError as err:
        raise UsageError(f"{err.what}; take one that reads more, with --lm") from err
    keeping.save(model.tokens.state_dict(), epochs, {"test": asdict(figures)})
    return epochs, figures


def _tell_cut(model: SoftPromptModel, split: Mapping[Part, Sequence[AskedExample]]) -> None:
    labels = [row.example.label for part in (Part.TRAIN, Part.VALIDATION) for row in split[part]]
    most = model.options.layout.max_label
    tell_cut(
        num_cut(model.lm, labels, most),
        len(labels),
        "answers",
        most,
        "their ends, and the marks of lines there, can't be learned",
    )


def _figures(
    trained: SoftPromptModel,
    untrained: SoftPromptModel,
    rows: Sequence[AskedExample],
    tell: Progress,
) -> SoftFigures:
    halving = Halving()

    def right(model: SoftPromptModel, done: int) -> float:
        replies: list[str] = []
        for start in range(0, len(rows), _BATCH):
            tell("measure", done + start, 2 * len(rows))
            batch = [row.example for row in rows[start : start + _BATCH]]
            replies += halving.do(
                batch, lambda parts: [reply for part in parts for reply in model.answers(part)]
            )
        return sum(
            contains(without_marks(reply), row.answer)
            for reply, row in zip(replies, rows, strict=True)
        ) / len(rows)

    figures = SoftFigures(
        len(rows),
        right(trained, 0),
        right(untrained, len(rows)),
        sum(row.has_line for row in rows) / len(rows),
    )
    tell("measure", 2 * len(rows), 2 * len(rows))
    return figures
