"""Training a pruner: how, on which set, and from its examples to a checkpoint with figures and
report.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.core.protocols import Pruner
from dynagrag.core.schema import EmbedderIdentity
from dynagrag.evaluation.pruning.pruner_figures import (
    BASELINES,
    ByQuestion,
    PrunerFigures,
    compare_pruners,
    figures_json,
)
from dynagrag.evaluation.pruning.pruning_example import MIN_EXAMPLES, Part, PruningExample
from dynagrag.evaluation.pruning.pruning_measures import (
    MEASURED,
    check_training_libraries,
    untrained_pruner,
)
from dynagrag.evaluation.pruning.pruning_sets import load_pruning_set, made_of_set
from dynagrag.ingest.pipeline import Progress
from dynagrag.retrieval.pruning.gcn_pruner import KIND, GcnPruner
from dynagrag.retrieval.pruning.network_input import FORMS, Form
from dynagrag.training.pruner.training_report import write_training_report
from dynagrag.workspace.workspace_pruner import ALIASES, AUTO, BEATS_UNTRAINED, TRAINED

if TYPE_CHECKING:
    from dynagrag.checkpoints.keeping import Keeping
    from dynagrag.checkpoints.training_loop import Epoch, TrainingOptions
    from dynagrag.retrieval.pruning.pruning_network import NetworkOptions

COMPONENTS = ("masks", "gcn", "edges", "prior", "structure")
_MAX_BATCH, _MIN_STEPS = 32, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class HowToTrain:
    """How to train a pruner, and the folder `out` of its checkpoint. `form`: None: "distances", or
    what suits a set. `without`: components of the network to leave out, of COMPONENTS.
    `max_examples`: training questions at most. `max_minutes`: of processor time, after which it
    stops, to be gone on with.
    """

    out: Path
    form: Form | None = None
    without: tuple[str, ...] = ()
    seed: int = 0
    max_epochs: int = 40
    max_examples: int | None = None
    max_minutes: float | None = None
    device: str | None = None

    def components(self) -> dict[str, bool]:
        """Whether the network has each of COMPONENTS. The paper's has no prior and reads no
        structure.
        """
        left_out = (*self.without, "prior", "structure") if self.form == "paper" else self.without
        return {f"has_{name}": name not in left_out for name in COMPONENTS}

    def check(self, begins_anew: bool = False) -> None:
        """Raises UsageError, SettingsError and LoadError for what was given wrong, is missing here
        or damaged. `begins_anew`: as in `keeping_of`.
        """
        check_training_libraries()
        from dynagrag.checkpoints.checkpoints import check_out_folder
        from dynagrag.checkpoints.devices import choose_device

        if str(self.out) in (*MEASURED, AUTO, TRAINED, *ALIASES):
            raise UsageError(
                f"{self.out} is what `--pruner` calls another pruner; choose another folder with"
                " --out"
            )
        if self.max_examples is not None and self.max_examples < MIN_EXAMPLES:
            raise UsageError(
                f"--max-examples {self.max_examples} is too few to learn from; give {MIN_EXAMPLES}"
                " or more"
            )
        if unknown := [name for name in self.without if name not in COMPONENTS]:
            raise UsageError(
                f"a pruner has no component {unknown[0]!r}; known: {', '.join(COMPONENTS)}"
            )
        if self.form not in (None, *FORMS):
            raise UsageError(
                f"there is no form {self.form!r} of a pruner; known: {', '.join(FORMS)}"
            )
        check_out_folder(self.out, begins_anew)
        choose_device(self.device)


@dataclass(frozen=True, slots=True)
class TrainOptions(HowToTrain):
    """Options of a training on a data set."""

    dataset: str
    data: Path
    part: str | None = None


def train_on_set(
    settings: Settings,
    options: TrainOptions,
    on_epoch: "Callable[[Epoch], None] | None" = None,
    progress: Progress | None = None,
) -> tuple[Path, list[PrunerFigures]]:
    """Trains a pruner and writes its checkpoint; the folder, and what the untrained ones and it are
    worth on the test questions.

    Raises UsageError, SettingsError and LoadError for what was given wrong, before anything is
    embedded.
    """
    options.check()
    from dynagrag.checkpoints.checkpoints import hold_folder

    pruning_set = load_pruning_set(options.dataset, options.data, options.part)
    with hold_folder(options.out):
        embedder = wiring.make_embedder(settings)
        split = pruning_set.examples(settings, embedder, tuple(Part), progress or (lambda *_: None))
        if not split[Part.TEST]:
            raise UsageError(
                "no question would be left to measure on; give a larger set, with questions about"
                " more entities"
            )
        how = replace(options, form=options.form or pruning_set.form)
        return options.out, train_and_measure(
            split, how, embedder.identity, made_of_set(pruning_set), on_epoch
        )


def network_options(how: HowToTrain, dimension: int) -> "NetworkOptions":
    """The network to train, for vectors of `dimension` numbers."""
    from dynagrag.retrieval.pruning.pruning_network import NetworkOptions

    return NetworkOptions(dimension, how.form or FORMS[0], **how.components())


def training_options(how: HowToTrain, num: int) -> "TrainingOptions":
    """How to train on `num` examples."""
    from dynagrag.checkpoints.training_loop import TrainingOptions

    # less where an epoch had too few steps else: early stopping counts epochs
    return TrainingOptions(
        batch_size=max(1, min(_MAX_BATCH, num // _MIN_STEPS)),
        max_epochs=how.max_epochs,
        seed=how.seed,
    )


def keeping_of(
    how: HowToTrain,
    network: "NetworkOptions",
    options: "TrainingOptions",
    made_of: Mapping[str, Any],
    embedder: EmbedderIdentity,
    begins_anew: bool = False,
) -> "Keeping":
    """Where a training is kept. `made_of`: what its examples were made of, with hashes, and how
    many they are; `begins_anew`: a training that was begun there with other settings or data, or
    that can't be read, is dropped, which elsewhere is an error.
    """
    from dynagrag.checkpoints.keeping import Keeping

    return Keeping(
        folder=how.out,
        kind=KIND,
        network=asdict(network),
        embedder=embedder,
        made_with={**made_of, "options": asdict(options)},
        begins_anew=begins_anew,
    )


def train_and_measure(
    split: Mapping[Part, Sequence[PruningExample]],
    how: HowToTrain,
    embedder: EmbedderIdentity,
    made_of: Mapping[str, Any],
    on_epoch: "Callable[[Epoch], None] | None" = None,
) -> list[PrunerFigures]:
    """Trains, in a folder that is held, on the examples of the one split, chooses the epoch on
    those of the next, writes the checkpoint and its report; what the untrained pruners and, last,
    the trained one are worth on the third.

    Args:
        split: The examples by part.
        how: Checked options.
        embedder: Whose vectors the examples have.
        made_of: What the examples were made of, with hashes; the checkpoint keeps it.
        on_epoch: Told of each epoch.
    """
    from dynagrag.checkpoints.devices import choose_device
    from dynagrag.training.pruner.cpu_budget import CpuBudget
    from dynagrag.training.pruner.pruner_training import train_pruner

    train = split[Part.TRAIN][: how.max_examples]
    network = network_options(how, embedder.dimension)
    training = training_options(how, len(train))
    made_of = {**made_of, "train": len(train), "validation": len(split[Part.VALIDATION])}
    keeping = keeping_of(how, network, training, made_of, embedder)
    trained, epochs = train_pruner(
        train,
        split[Part.VALIDATION],
        network,
        training,
        choose_device(how.device),
        keeping.file,
        on_epoch,
        CpuBudget(how.max_minutes).check,
    )
    figures = beside_untrained(how.out, GcnPruner(trained), split[Part.TEST])
    checkpoint = keeping.save(trained.state_dict(), epochs, kept_figures(figures))
    write_training_report(how.out, checkpoint)
    return figures


def beside_untrained(
    out: Path, trained: Pruner | ByQuestion, examples: Sequence[PruningExample]
) -> list[PrunerFigures]:
    """The figures of the untrained pruners and, last, of the trained one, which is called as its
    folder.
    """
    untrained = {name: untrained_pruner(name) for name in BASELINES}
    return compare_pruners({**untrained, str(out): trained}, examples)


def kept_figures(figures: Sequence[PrunerFigures]) -> dict[str, Any]:
    """The figures as a checkpoint keeps them; the last are its own."""
    return {"test": figures_json(figures), BEATS_UNTRAINED: figures[-1].beats_untrained}
