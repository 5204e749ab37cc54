"""The report of a training: its learning curve, and what the pruner is worth beside the prior. It
holds no question and no text.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynagrag.core.files.private_files import replace_text
from dynagrag.core.text import plural
from dynagrag.evaluation.frame.figures import Figure, Unit, count
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.kept_run import REPORT
from dynagrag.evaluation.frame.report import LineChart, Report, Section, Table
from dynagrag.evaluation.pruning.pruner_figures import BASELINES, KeptPrunerFigures
from dynagrag.evaluation.pruning.pruner_report import WORDS, against_best, gain_figures
from dynagrag.evaluation.pruning.pruning_measures import NAMES, NEAR, NODE_AP
from dynagrag.registry.pruners import PRUNERS

if TYPE_CHECKING:
    from dynagrag.checkpoints.checkpoints import Checkpoint

FOLDS = "folds"
"""Of a checkpoint's figures: the folds that it was measured by."""
TRAINING_WORDS: Mapping[str, str] = {
    **{name: WORDS[name] for name in NAMES},
    **{row.name: row.explanation for row in reversed(PRUNERS.values())},
    "none": "all alike: the order of retrieval",
    NEAR: "the better subgraph first, in it by hops, then as the prior",
    "trained": "the pruner of this training",
    "average precision": (
        "of the epochs: the mean over entities and pairs, on the questions that the epoch is chosen"
        " by; epoch 0 is the untrained prior"
    ),
    "95 % interval": WORDS["95 % interval"],
}


def write_training_report(folder: Path, checkpoint: "Checkpoint") -> None:
    """Writes report.html into the folder of a checkpoint."""
    settings = checkpoint.made_with | {
        "network": checkpoint.network,
        "embedder": checkpoint.embedder,
    }
    head = {
        "settings": settings,
        "begun": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": checkpoint.versions,
    }
    replace_text(folder / REPORT, render(training_report(checkpoint.figures), head))


def training_report(figures: Mapping[str, Any]) -> Report:
    """The page's sentence on a checkpoint's figures."""
    test = {
        name: KeptPrunerFigures.model_validate(found) for name, found in figures["test"].items()
    }
    own = next(found for name, found in test.items() if name not in BASELINES)
    against = against_best(own, "it", f"the untrained {own.best_untrained}")
    folds = figures.get(FOLDS, [])
    curves = {f"fold {number}": fold["epochs"] for number, fold in enumerate(folds, start=1)}
    learned = _fold_table(folds) if folds else _epoch_table(figures["epochs"])
    return Report(
        title="Training of a pruner",
        asked=(
            "How well do its scores put first what supports an answer? Measured on"
            f" {plural(own.n, 'question')} of other documents or entities than those that it was"
            " trained on."
        ),
        conclusion=f"{NODE_AP} {Figure(own.means[NODE_AP]).text()}{against}.",
        is_warned=own.gains[own.best_untrained][NODE_AP].low <= 0,
        about=(_about(figures),),
        results=(
            Section(
                tables=(
                    _compared_table({"trained": own} | {other: test[other] for other in BASELINES}),
                )
            ),
            Section(
                "Learning curve",
                pictures=(_chart(curves or {"validation": figures["epochs"]}),),
                tables=(learned,),
            ),
        ),
        words=TRAINING_WORDS,
    )


def _about(figures: Mapping[str, Any]) -> str:
    """Of what epoch the weights are."""
    if not figures.get(FOLDS):
        return (
            f"The weights are those of epoch {figures['best_epoch']}, the best on the questions"
            " that the epoch is chosen by."
        )
    return (
        f"Cross-validated in {len(figures[FOLDS])} folds of whole documents: each was measured by a"
        " network that learned from others and took its epoch by those of the next fold. The"
        f" weights are of a network that learned from all documents for {figures['best_epoch']}"
        " epochs, the median of the folds'."
    )


def _chart(curves: Mapping[str, Sequence[Mapping[str, Any]]]) -> LineChart:
    """The learning curves, which begin at the untrained prior."""
    return LineChart(
        "Average precision by epoch",
        "epoch",
        "average precision, points",
        {name: [epoch["validation"] for epoch in epochs] for name, epochs in curves.items()},
        first=next(iter(curves.values()))[0]["number"],
    )


def _epoch_table(epochs: Sequence[Mapping[str, Any]]) -> Table:
    rows = tuple(
        (
            str(epoch["number"]),
            (
                "-" if epoch["loss"] is None else f"{epoch['loss']:.4f}",
                Figure(epoch["validation"]),
                Figure(epoch["seconds"], unit=Unit.SECONDS),
            ),
        )
        for epoch in epochs
    )
    return Table(
        ("epoch", "loss", "average precision", "seconds"), rows, "Epochs", "average precision"
    )


def _fold_table(folds: Sequence[Mapping[str, Any]]) -> Table:
    """What each fold has, and the epoch that it was measured by."""
    rows = tuple(
        (
            str(number),
            (
                count(fold["documents"]),
                count(fold["questions"]),
                count(fold["best_epoch"]),
                Figure(fold["epochs"][fold["best_epoch"]]["validation"]),
                Figure(sum(epoch["seconds"] for epoch in fold["epochs"]), unit=Unit.SECONDS),
            ),
        )
        for number, fold in enumerate(folds, start=1)
    )
    heads = ("fold", "documents", "questions", "epoch", "average precision", "seconds")
    return Table(heads, rows, "Folds", "average precision")


def _compared_table(pruners: Mapping[str, KeptPrunerFigures]) -> Table:
    """The trained pruner, the untrained ones, and its differences from them."""
    own = pruners["trained"]
    names = [name for name in NAMES if name in own.means]
    rows = [
        (title, tuple(Figure(found.means.get(name)) for name in names))
        for title, found in pruners.items()
    ]
    rows += [
        (f"trained - {other}, 95 % interval", gain_figures(own, other, names))
        for other in BASELINES
    ]
    return Table(heads=("pruner", *names), rows=tuple(rows), main=NODE_AP)
