"""Training a pruner on a workspace of one's own: its questions, what they were made of as labels,
and its documents kept apart.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.core.text import plural
from dynagrag.evaluation.pruning.pruner_figures import MIN_GROUPS, PrunerFigures
from dynagrag.evaluation.pruning.pruning_example import MIN_EXAMPLES, Part
from dynagrag.evaluation.pruning.training_questions import shortage
from dynagrag.evaluation.pruning.workspace_examples import WorkspaceQuestions
from dynagrag.ingest.pipeline import Progress
from dynagrag.training.pruner.training_run import HowToTrain, train_and_measure
from dynagrag.workspace.facade import open_workspace
from dynagrag.workspace.workspace_pruner import is_default, pruner_folder

if TYPE_CHECKING:
    from dynagrag.checkpoints.training_loop import Epoch

_LOG = logging.getLogger(__name__)
LEAST: Mapping[Part, int] = {Part.TRAIN: MIN_EXAMPLES, Part.VALIDATION: 5, Part.TEST: 10}
"""Questions: to learn anything, to choose the epoch by, and for an interval to say something."""
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
    """The outcome of a training: questions by part, those left out by reason, documents, and the
    figures of the untrained pruners and, last, of this one. `has_replaced` false: the checkpoint
    that was there beat the untrained ones and this one didn't, so that one stays.
    """

    questions: Mapping[str, int]
    left_out: Mapping[str, int]
    num_documents: int
    figures: Sequence[PrunerFigures]
    has_replaced: bool = True


def train_on_workspace(
    settings: Settings,
    options: WorkspaceTrainOptions,
    progress: Progress | None = None,
    on_epoch: "Callable[[Epoch], None] | None" = None,
) -> WorkspaceTraining:
    """Trains a pruner on a workspace's questions and writes its checkpoint into `options.out`.

    A training in the workspace's own folder that was begun with other settings, questions or
    another graph is dropped; a checkpoint there stays until the new one is done.

    Raises:
        UsageError: Something was given wrong, or there are too few questions or documents.
        LoadError: The file of questions can't be read, or a training in another folder than the
        workspace's own.
        WorkspaceError: There is no such workspace, or nothing in it to ask about.
        SettingsError: A library is missing.
    """
    own = options.out == pruner_folder(settings, options.workspace)
    options.check(begins_anew=own)
    from dynagrag.checkpoints.checkpoints import hold_folder

    with open_workspace(options.workspace, settings=settings, create=False) as space:
        asked = WorkspaceQuestions(space, options.questions)
        lacking = shortage(asked.found, LEAST)
        if lacking is not None:
            # what is made now asks about every document that has anything; a file may ask about few
            num_documents = asked.num_documents if options.questions else asked.found.num_documents
            remedy = (
                f"ingest more documents: {MIN_DOCUMENTS} are needed at least, since what is learned"
                " of one"
                " is measured on others"
                if num_documents < MIN_DOCUMENTS
                else (
                    f"make more with `dynagrag evaluate questions -w {options.workspace} --num"
                    f" {max(2 * asked.num_asked, 200)} --out FILE`, and give them with --questions"
                    " FILE"
                )
            )
            raise UsageError(f"too few questions to train a pruner: {lacking}; {remedy}")
        num = len({document for _, document in asked.found.parts[Part.TEST]})
        if own and num < MIN_GROUPS:
            _LOG.warning(
                "%s to measure on: this pruner can't become the default, which takes %d",
                plural(num, "document"),
                MIN_GROUPS,
            )
        with hold_folder(options.out):
            split = asked.examples(
                tuple(Part), progress or (lambda *_: None), options.seed, options.max_examples
            )
            stays = own and is_default(options.out)
            figures = train_and_measure(
                split, options, space.embedder.identity, asked.made_of, on_epoch, begins_anew=own
            )
    return WorkspaceTraining(
        {part.value: len(rows) for part, rows in split.items()},
        asked.found.left_out,
        asked.found.num_documents,
        figures,
        not stays or figures[-1].beats_untrained,
    )
