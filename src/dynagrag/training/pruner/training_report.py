"""The report of a training: its learning curve, and what the pruner is worth beside the prior. It
holds no question and no text.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynagrag.core.files.private_files import replace_text
from dynagrag.core.text import plural
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.kept_run import REPORT
from dynagrag.evaluation.frame.report import LineChart, Report, Section, Table, compared
from dynagrag.evaluation.pruning.pruner_figures import BASELINES
from dynagrag.evaluation.pruning.pruner_report import WORDS, gain_cells
from dynagrag.evaluation.pruning.pruning_measures import NAMES, NODE_AP

if TYPE_CHECKING:
    from dynagrag.checkpoints.checkpoints import Checkpoint

_WORDS: Mapping[str, str] = {
    **{name: WORDS[name] for name in NAMES},
    "prior": "by distance to the question, untrained",
    "none": "all alike: the order of retrieval",
    "near": "the better subgraph first, in it by hops, then as the prior",
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
    """The report page of a checkpoint's figures."""
    epochs, test = figures["epochs"], figures["test"]
    own = next(found for name, found in test.items() if name not in BASELINES)
    best = min(BASELINES, key=lambda other: own[f"against_{other}"][NODE_AP][0])
    mean, low, high = (100 * value for value in own[f"against_{best}"][NODE_AP])
    against = compared(
        "it", {"difference": mean, "low": low, "high": high}, f"the untrained {best}", own["n"]
    )
    curve = {"validation": [epoch["validation"] for epoch in epochs]}
    rows = tuple(
        (
            str(e["number"]),
            (_loss(e["loss"]), f"{100 * e['validation']:.1f}", f"{e['seconds']:.1f}"),
        )
        for e in epochs
    )
    learned = Table(
        ("epoch", "loss", "average precision", "seconds"), rows, "Epochs", "average precision"
    )
    return Report(
        title="Training of a pruner",
        asked=(
            "How well do its scores put first what supports an answer? Measured on"
            f" {plural(own['n'], 'question')} of other documents or entities than those that it was"
            " trained on."
        ),
        conclusion=f"{NODE_AP} {100 * own[NODE_AP]:.1f}{against}.",
        is_warned=low <= 0,
        about=(
            (
                f"The weights are those of epoch {figures['best_epoch']}, the best on the questions"
                " that the epoch is chosen by."
            ),
        ),
        results=(
            Section(
                tables=(
                    _compared_table({"trained": own} | {other: test[other] for other in BASELINES}),
                )
            ),
            Section(
                "Learning curve",
                pictures=(
                    LineChart(
                        "Average precision by epoch",
                        "epoch",
                        "average precision, points",
                        curve,
                        first=epochs[0]["number"],
                    ),
                ),
                tables=(learned,),
            ),
        ),
        words=_WORDS,
    )


def _loss(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _compared_table(pruners: Mapping[str, Mapping[str, Any]]) -> Table:
    """The trained pruner, the untrained ones, and its differences from them."""
    own = pruners["trained"]
    names = [name for name in NAMES if name in own]
    rows = [
        (title, tuple(f"{100 * found[name]:.1f}" for name in names))
        for title, found in pruners.items()
    ]
    rows += [
        (f"trained - {other}, 95 % interval", tuple(gain_cells(own, other, names)))
        for other in BASELINES
    ]
    return Table(heads=("pruner", *names), rows=tuple(rows), main=NODE_AP)
