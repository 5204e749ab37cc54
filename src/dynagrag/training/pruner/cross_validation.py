"""A pruner by cross-validation over documents: each fold is measured by a network that learned from
other documents and took its epoch by yet others, and the network that is kept learns from all of
them, for as many epochs as the folds took in the median.
"""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median_low
from typing import Any

from torch import Tensor

from dynagrag.checkpoints.checkpoints import fold_file
from dynagrag.checkpoints.devices import choose_device
from dynagrag.checkpoints.keeping import Keeping
from dynagrag.checkpoints.training_loop import Epoch, best_of, check_begun
from dynagrag.core.text import plural
from dynagrag.evaluation.pruning.pruning_example import PruningExample
from dynagrag.evaluation.pruning.pruning_measures import measure_pruner
from dynagrag.evaluation.pruning.workspace_examples import Fold
from dynagrag.ingest.pipeline import Progress
from dynagrag.retrieval.pruning.gcn_pruner import GcnPruner
from dynagrag.retrieval.pruning.pruning_network import NetworkOptions
from dynagrag.training.pruner.cpu_budget import CpuBudget, seconds_at_most
from dynagrag.training.pruner.pruner_training import train_pruner
from dynagrag.training.pruner.training_run import HowToTrain, training_options


@dataclass(frozen=True, slots=True)
class FoldCurve:
    """What a fold was measured by. `documents`, `questions`: how many it has; `epochs`: the
    learning curve of its network, whose row 0 is the untrained prior.
    """

    documents: int
    questions: int
    epochs: Sequence[Epoch]

    @property
    def best_epoch(self) -> int:
        """The epoch whose weights measured it."""
        return best_of(self.epochs[1:]).number


@dataclass(frozen=True, slots=True)
class CrossValidated:
    """The kept network's weights and epochs, the measures of each question by its fold's network,
    and the folds.
    """

    weights: Mapping[str, Tensor]
    epochs: Sequence[Epoch]
    measures: Mapping[str, Mapping[str, float]]
    folds: Sequence[FoldCurve]


def cross_validate(
    folds: Sequence[Fold],
    how: HowToTrain,
    network: NetworkOptions,
    keeping: Keeping,
    progress: Progress,
    tell: Callable[[str], None],
) -> CrossValidated:
    """Trains a network for each of the folds, of which there are three at least, and one on all.

    `keeping`: of the one that is kept; the folds' trainings lie beside it, so that one that was
    stopped goes on in its fold. `tell`: told how long it takes at most, before it begins, and of
    each fold that is done. Errors as in `train_pruner`, and TrainingError where `how.max_minutes`
    are used up.
    """
    check_begun(keeping.file)
    budget, device = CpuBudget(how.max_minutes), choose_device(how.device)
    parts = [_parts(folds, number, how) for number in range(len(folds))]
    everything = _cut([example for fold in folds for example in fold.learned], how)
    learned = [*(train for train, _ in parts), everything]
    seconds = seconds_at_most(
        network,
        device,
        everything,
        how.max_epochs * sum(map(len, learned)),
        how.max_epochs * sum(len(validation) for _, validation in parts),
    )
    tell(_estimate(seconds, len(folds), how))
    measures: dict[str, Mapping[str, float]] = {}
    curves = []
    for number, (fold, (train, validation)) in enumerate(zip(folds, parts, strict=True), start=1):
        stage = f"fold {number} of {len(folds)}"
        file = replace(
            keeping.file,
            path=fold_file(how.out, number),
            made_with={**keeping.file.made_with, "fold": number},
        )
        trained, epochs = train_pruner(
            train,
            validation,
            network,
            training_options(how, len(train)),
            device,
            file,
            _counted(progress, stage, how.max_epochs),
            budget.check,
        )
        progress(stage, how.max_epochs, how.max_epochs)
        measures |= measure_pruner(GcnPruner(trained), fold.measured)
        documents = len({example.group for example in fold.measured})
        curves.append(FoldCurve(documents, len(fold.measured), epochs))
        tell(_fold_line(stage, curves[-1]))
    num_epochs = median_low([curve.best_epoch for curve in curves])
    options = replace(training_options(how, len(everything)), max_epochs=num_epochs, patience=None)
    kept, epochs = train_pruner(
        everything,
        (),
        network,
        options,
        device,
        keeping.file,
        _counted(progress, "all", num_epochs),
        budget.check,
    )
    return CrossValidated(kept.state_dict(), epochs, measures, curves)


def made_of_folds(folds: Sequence[Fold], how: HowToTrain) -> dict[str, Any]:
    """How many examples all folds have to learn from, and each of them to measure."""
    sizes = [len(fold.measured) for fold in folds]
    return {"train": min(sum(sizes), how.max_examples or sum(sizes)), "folds": sizes}


def _parts(
    folds: Sequence[Fold], number: int, how: HowToTrain
) -> tuple[list[PruningExample], list[PruningExample]]:
    """What a fold's network learns from, and what it takes its epoch by: the next fold."""
    following = (number + 1) % len(folds)
    train = [
        example
        for place, fold in enumerate(folds)
        if place not in (number, following)
        for example in fold.learned
    ]
    return _cut(train, how), folds[following].measured


def _cut(examples: Sequence[PruningExample], how: HowToTrain) -> list[PruningExample]:
    """As many of the examples as are to be learned from at most, by chance of all documents."""
    num = min(len(examples), how.max_examples or len(examples))
    return random.Random(how.seed).sample(examples, num)


def _counted(progress: Progress, stage: str, total: int) -> Callable[[Epoch], None]:
    return lambda epoch: progress(stage, epoch.number, total)


def _estimate(seconds: float, num_folds: int, how: HowToTrain) -> str:
    minutes = max(1, math.ceil(seconds / 60))
    end = ""
    if how.max_minutes is not None and seconds > 60 * how.max_minutes:
        end = (
            f"; it ends after {how.max_minutes:g} (--max-minutes), and the same command goes on;"
            " --max-examples makes it shorter"
        )
    return (
        f"training takes {plural(minutes, 'minute')} of processor time at most:"
        f" {num_folds} folds and all documents together, {how.max_epochs} epochs each{end}"
    )


def _fold_line(stage: str, curve: FoldCurve) -> str:
    start, best = curve.epochs[0], best_of(curve.epochs[1:])
    return (
        f"{stage}: {plural(curve.questions, 'question')} of {plural(curve.documents, 'document')};"
        f" epoch {best.number}, average precision {100 * best.validation:.1f} where the untrained"
        f" prior has {100 * start.validation:.1f}"
    )


def fold_json(curve: FoldCurve) -> dict[str, Any]:
    """As a checkpoint keeps it."""
    return {
        "documents": curve.documents,
        "questions": curve.questions,
        "best_epoch": curve.best_epoch,
        "epochs": [asdict(epoch) for epoch in curve.epochs],
    }
