"""Training a pruner on a workspace of one's own: its questions, what they were made of as labels,
and its documents kept apart.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.core.text import plural
from dynagrag.evaluation.pruning.pruner_figures import MIN_GROUPS, PrunerFigures
from dynagrag.evaluation.pruning.pruning_example import MIN_EXAMPLES
from dynagrag.evaluation.pruning.workspace_examples import WorkspaceQuestions
from dynagrag.ingest.pipeline import Progress
from dynagrag.training.pruner.training_report import FOLDS, write_training_report
from dynagrag.training.pruner.training_run import (
    HowToTrain,
    beside_untrained,
    keeping_of,
    kept_figures,
    network_options,
    training_options,
)
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.workspace_pruner import MEASURES, is_default, pruner_folder

_LOG = logging.getLogger(__name__)
MIN_CHOOSING = 5
"""Questions to choose an epoch by."""
MIN_DOCUMENTS = 3


@dataclass(frozen=True, slots=True)
class WorkspaceTrainOptions(HowToTrain):
    """The data and options of a training. `workspace`: its name; `questions`: a file of them; None:
    they are made now, without a model.
    """

    workspace: str
    questions: Path | None = None


@dataclass(frozen=True, slots=True)
class WorkspaceTraining:
    """The outcome of a training: the folds as a checkpoint keeps them (`fold_json`), the epochs of
    the network that is kept, questions left out by reason, and the figures of the untrained pruners
    and, last, of this one, over all documents. `has_replaced` false: the checkpoint that was there
    beat the untrained ones and this one didn't, so that one stays.
    """

    folds: Sequence[Mapping[str, Any]]
    num_epochs: int
    left_out: Mapping[str, int]
    figures: Sequence[PrunerFigures]
    has_replaced: bool = True


def train_on_workspace(
    settings: Settings,
    options: WorkspaceTrainOptions,
    progress: Progress | None = None,
    tell: Callable[[str], None] | None = None,
) -> WorkspaceTraining:
    """Trains a pruner on a workspace's questions by cross-validation over its documents, and writes
    its checkpoint into `options.out`. `tell`: told in a line how long it takes at most, and of each
    fold that is done.

    A training in the workspace's own folder that was begun with other settings, questions or
    another graph is dropped; a checkpoint there stays until the new one is done.

    Raises:
        UsageError: Something was given wrong, or there are too few questions or documents.
        LoadError: The file of questions can't be read, or a training in another folder than the
        workspace's own.
        WorkspaceError: There is no such workspace, or nothing in it to ask about.
        SettingsError: A library is missing.
        TrainingError: The processor time that was given is used up; or as in `Training.run`.
    """
    own = options.out == pruner_folder(settings, options.workspace)
    options.check(begins_anew=own)
    from dynagrag.checkpoints.checkpoints import hold_folder
    from dynagrag.training.pruner.cross_validation import (
        cross_validate,
        fold_json,
        made_of_folds,
    )

    with open_workspace(options.workspace, settings=settings, create=False) as space:
        asked = WorkspaceQuestions(space, options.questions)
        _check(asked, options)
        if own and asked.found.num_documents < MIN_GROUPS:
            _LOG.warning(
                "%s with questions: this pruner can't become the default, which takes %d",
                plural(asked.found.num_documents, "document"),
                MIN_GROUPS,
            )
        with hold_folder(options.out):
            folds = asked.folds(progress or (lambda *_: None), options.seed)
            network = network_options(options, space.embedder.identity.dimension)
            made_of = {**asked.made_of, **made_of_folds(folds, options)}
            keeping = keeping_of(
                options,
                network,
                training_options(options, made_of["train"]),
                made_of,
                space.embedder.identity,
                begins_anew=own,
            )
            found = cross_validate(
                folds,
                options,
                network,
                keeping,
                progress or (lambda *_: None),
                tell or (lambda _: None),
            )
            figures = beside_untrained(
                options.out,
                found.measures,
                [example for fold in folds for example in fold.measured],
            )
            stays = own and is_default(options.out) and not figures[-1].beats_untrained
            curves = [fold_json(curve) for curve in found.folds]
            if not stays:
                kept = {
                    **kept_figures(figures),
                    FOLDS: curves,
                    "best_epoch": len(found.epochs),
                    MEASURES: found.measures,
                }
                checkpoint = keeping.save(found.weights, found.epochs, kept)
                write_training_report(options.out, checkpoint)
    return WorkspaceTraining(
        curves, len(found.epochs), asked.found.left_out, figures, has_replaced=not stays
    )


def _check(asked: WorkspaceQuestions, options: WorkspaceTrainOptions) -> None:
    """Raises UsageError where folds would have too little to learn from, or to choose by."""
    sizes = sorted(map(len, asked.found.folds))
    learned = sum(sizes[:-2]) if len(sizes) >= MIN_DOCUMENTS else 0
    if learned >= MIN_EXAMPLES and sizes[0] >= MIN_CHOOSING:
        return
    # what is made now asks about every document that has anything; a file may ask about few
    num_documents = asked.num_documents if options.questions else asked.found.num_documents
    remedy = (
        f"ingest more documents: {MIN_DOCUMENTS} are needed at least, since what is learned of one"
        " is measured on others"
        if num_documents < MIN_DOCUMENTS
        else (
            f"make more with `dynagrag evaluate questions -w {options.workspace} --num"
            f" {max(2 * asked.num_asked, 200)} --out FILE`, and give them with --questions FILE"
        )
    )
    why = "; ".join(
        f"{count} x {reason}" for reason, count in asked.found.left_out.most_common() if count
    )
    raise UsageError(
        f"too few questions to train a pruner: {plural(sum(sizes), 'question')} of"
        f" {plural(asked.found.num_documents, 'document')}{f' (left out: {why})' if why else ''},"
        f" so that a fold would learn from {learned} at least ({MIN_EXAMPLES} are needed) and take"
        f" its epoch by {sizes[0] if sizes else 0} ({MIN_CHOOSING}); {remedy}"
    )
