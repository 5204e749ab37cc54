"""The report of a training: its learning curve, and what the pruner is worth beside the prior. It holds no question and no text."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynagrag.evaluation.pruning.pruner_report import WORDS
from dynagrag.evaluation.pruning.pruning_measures import NAMES, NODE_AP
from dynagrag.evaluation.results.html_report import Lines, Report, Section, Table, compared, render
from dynagrag.evaluation.results.report_plots import recall_curves
from dynagrag.evaluation.results.run_folder import REPORT
from dynagrag.private_files import replace_text
from dynagrag.text import plural

if TYPE_CHECKING:
    from dynagrag.training.checkpoints import Checkpoint

_WORDS: Mapping[str, str] = {
    **{name: WORDS[name] for name in NAMES},
    "prior": "by distance to the question, untrained",
    "average precision": "the mean over entities and pairs, on the questions that the epoch is chosen by",
    "95 % interval": WORDS["95 % interval"],
}


def write_training_report(folder: Path, checkpoint: "Checkpoint") -> None:
    """Writes report.html into the folder of a checkpoint."""
    settings = checkpoint.made_with | {"network": checkpoint.network, "embedder": checkpoint.embedder}
    head = {"settings": settings, "begun": datetime.now(UTC).isoformat(timespec="seconds"), "versions": checkpoint.versions}
    replace_text(folder / REPORT, render(training_report(checkpoint.figures), head))


def training_report(figures: Mapping[str, Any]) -> Report:
    """What the page says of a checkpoint's figures."""
    epochs, test = figures["epochs"], figures["test"]
    own = next(found for name, found in test.items() if name != "prior")
    mean, low, high = (100 * value for value in own["against_prior"][NODE_AP])
    against = compared("it", {"difference": mean, "low": low, "high": high}, "the prior")
    curve = recall_curves({"validation": [epoch["validation"] for epoch in epochs]})
    rows = tuple((str(e["number"]), (f"{e['loss']:.4f}", f"{100 * e['validation']:.1f}", f"{e['seconds']:.1f}")) for e in epochs)
    learned = Table(("epoch", "loss", "average precision", "seconds"), rows, "Epochs", "average precision")
    return Report(
        title="Training of a pruner",
        asked=f"How well do its scores put first what supports an answer? Measured on {plural(own['n'], 'question')} of other documents or "
        "entities than those that it was trained on.",
        conclusion=f"{NODE_AP} {100 * own[NODE_AP]:.1f}{against}.",
        is_warned=low <= 0,
        about=(f"The weights are those of epoch {figures['best_epoch']}, the best on the questions that the epoch is chosen by.",),
        results=(
            Section(tables=(_compared_table(test["prior"], own),)),
            Section(
                "Learning curve",
                lines=(Lines("Average precision by epoch", curve, "epoch", "average precision, points"),),
                tables=(learned,),
            ),
        ),
        words=_WORDS,
    )


def _compared_table(prior: Mapping[str, Any], own: Mapping[str, Any]) -> Table:
    names = [name for name in NAMES if name in own]
    differences = {name: [100 * value for value in own["against_prior"][name]] for name in names}
    cells = tuple(f"{mean:+.1f} ({low:+.1f} to {high:+.1f})" for mean, low, high in differences.values())
    return Table(
        heads=("pruner", *names),
        rows=(
            ("trained", tuple(f"{100 * own[name]:.1f}" for name in names)),
            ("prior", tuple(f"{100 * prior[name]:.1f}" for name in names)),
            ("trained - prior, 95 % interval", cells),
        ),
        main=NODE_AP,
    )
