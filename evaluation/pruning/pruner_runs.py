"""Training and measuring pruners on a set, from its name to the figures."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynagrag import wiring
from dynagrag.errors import SettingsError, UsageError
from dynagrag.evaluation.bootstrap_intervals import Interval, intervals
from dynagrag.evaluation.pruning.pruner_folder import MeasuredLine, PrunerRun
from dynagrag.evaluation.pruning.pruner_report import render_pruner_report
from dynagrag.evaluation.pruning.pruning_example import MIN_EXAMPLES, Part, PruningExample
from dynagrag.evaluation.pruning.pruning_measures import EDGE_AP, NAMES, NODE_AP, RandomPruner, measure_pruner
from dynagrag.evaluation.pruning.pruning_sets import Questions, load_pruning_set
from dynagrag.evaluation.pruning.training_report import write_training_report
from dynagrag.evaluation.ranking_measures import check_library
from dynagrag.evaluation.results.run_folder import check_folder, library_versions
from dynagrag.evaluation.results.run_summary import DIGITS
from dynagrag.ingest.pipeline import Progress
from dynagrag.protocols import Pruner
from dynagrag.retrieval.pruning.gcn_pruner import FORMS, KIND, Form, GcnPruner
from dynagrag.retrieval.pruning.no_pruner import NoPruner
from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior
from dynagrag.schema import EmbedderIdentity
from dynagrag.settings import Settings
from dynagrag.workspace.workspace_pruner import AUTO, BEATS_PRIOR, TRAINED, is_default

if TYPE_CHECKING:
    from dynagrag.training.training_loop import Epoch

UNTRAINED: Mapping[str, type[Pruner]] = {"none": NoPruner, "random": RandomPruner, "prior": UntrainedPrior}
PARTS_LEFT_OUT = ("masks", "gcn", "edges", "prior", "structure")
OTHER_VERSION = "trained on another version of the set"
MIN_GROUPS = 5
"""Documents, or entities asked about, below which an interval over them tells nothing."""
_ByQuestion = Mapping[str, Mapping[str, float]]
_MAX_BATCH, _MIN_STEPS = 32, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class HowToTrain:
    """How to train a pruner, and the folder `out` of its checkpoint. `form`: None: "distances", or what suits a set. `without`: parts of
    the network to leave out, of PARTS_LEFT_OUT. `max_examples`: training questions at most.
    """

    out: Path
    form: Form | None = None
    without: tuple[str, ...] = ()
    seed: int = 0
    max_epochs: int = 40
    max_examples: int | None = None
    device: str | None = None

    def parts(self) -> dict[str, bool]:
        """Whether the network has each part. The paper's has no prior and reads no structure."""
        left_out = (*self.without, "prior", "structure") if self.form == "paper" else self.without
        return {f"has_{name}": name not in left_out for name in PARTS_LEFT_OUT}

    def check(self) -> None:
        """Raises UsageError and SettingsError for what was given wrong, or is missing here."""
        check_library()
        check_training_library()
        from dynagrag.training.checkpoints import check_out_folder
        from dynagrag.training.devices import choose_device

        if str(self.out) in (*UNTRAINED, AUTO, TRAINED):
            raise UsageError(f"{self.out} is what `--pruner` calls another pruner; choose another folder with --out")
        if self.max_examples is not None and self.max_examples < MIN_EXAMPLES:
            raise UsageError(f"--max-examples {self.max_examples} is too few to learn from; give {MIN_EXAMPLES} or more")
        if unknown := [name for name in self.without if name not in PARTS_LEFT_OUT]:
            raise UsageError(f"a pruner has no part {unknown[0]!r}; known: {', '.join(PARTS_LEFT_OUT)}")
        if self.form not in (None, *FORMS):
            raise UsageError(f"there is no form {self.form!r} of a pruner; known: {', '.join(FORMS)}")
        check_out_folder(self.out)
        choose_device(self.device)


@dataclass(frozen=True, slots=True)
class TrainOptions(HowToTrain):
    """What to train on, and how."""

    dataset: str
    data: Path
    part: str | None = None


@dataclass(frozen=True, slots=True)
class PrunerFigures:
    """Of one pruner: the means by measure, and those of its differences from the prior on the same questions, with 95 % intervals.

    `note`: what to know of them, empty where there is nothing. `by_question`: the measures of each question by its id. `group_gain`: the
    difference in average precision over nodes, the mean over groups (documents, entities asked about) of their questions' means; questions
    of one group are alike, so this is what tells of other groups. `num_groups`: how many there are.
    """

    name: str
    n: int
    means: Mapping[str, Interval]
    against_prior: Mapping[str, Interval] = field(default_factory=dict)
    note: str = ""
    by_question: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    group_gain: Interval | None = None
    num_groups: int = 0


def train_on_set(
    settings: Settings,
    options: TrainOptions,
    on_epoch: "Callable[[Epoch], None] | None" = None,
    progress: Progress | None = None,
) -> tuple[Path, list[PrunerFigures]]:
    """Trains a pruner and writes its checkpoint; the folder, and what it and the prior are worth on the test questions.

    Raises UsageError, SettingsError and LoadError for what was given wrong, before anything is embedded.
    """
    options.check()
    pruning_set = load_pruning_set(options.dataset, options.data, options.part)
    embedder = wiring.make_embedder(settings)
    split = pruning_set.examples(settings, embedder, tuple(Part), progress or _silent)
    if not split[Part.TEST]:
        raise UsageError("no question would be left to measure on; give a larger set, with questions about more entities")
    return options.out, train_and_measure(
        split, replace(options, form=options.form or pruning_set.form), embedder.identity, _made_with(pruning_set), on_epoch
    )


def train_and_measure(
    split: Mapping[Part, Sequence[PruningExample]],
    how: HowToTrain,
    embedder: EmbedderIdentity,
    made_of: Mapping[str, Any],
    on_epoch: "Callable[[Epoch], None] | None" = None,
    begins_anew: bool = False,
) -> list[PrunerFigures]:
    """Trains on the examples of the one part, chooses the epoch on those of the next, writes the checkpoint and its report; what the prior
    and the pruner are worth on the third.

    Args:
        split: The examples by part.
        how: Checked options.
        embedder: Whose vectors the examples have.
        made_of: What the examples were made of, with hashes; the checkpoint keeps it.
        on_epoch: Told of each epoch.
        begins_anew: Whether the folder is a workspace's own: a training in it that was begun with other settings or data, or that can't be
            read, is dropped, which elsewhere is an error; and a checkpoint that beat the prior is only replaced by one that does.
    """
    from dynagrag.evaluation.pruning.pruner_training import train_pruner
    from dynagrag.retrieval.pruning.pruning_network import NetworkOptions
    from dynagrag.training.checkpoints import TRAINING, Checkpoint, save_checkpoint
    from dynagrag.training.devices import choose_device
    from dynagrag.training.training_loop import TrainingFile, TrainingOptions, best_of

    train = split[Part.TRAIN][: how.max_examples]
    network = NetworkOptions(embedder.dimension, how.form or FORMS[0], **how.parts())
    training = TrainingOptions(batch_size=_batch_size(len(train)), max_epochs=how.max_epochs, seed=how.seed)
    made_with = dict(made_of) | {"train": len(train), "validation": len(split[Part.VALIDATION]), "options": asdict(training)}
    notes = made_with | {"network": asdict(network), "embedder": embedder.name}
    file = TrainingFile(how.out / TRAINING, notes, begins_anew)
    trained, epochs = train_pruner(train, split[Part.VALIDATION], network, training, choose_device(how.device), file, on_epoch)
    figures = compare_pruners({"prior": UntrainedPrior(), str(how.out): GcnPruner(trained)}, split[Part.TEST])
    if begins_anew and is_default(how.out) and not beats_prior(figures[-1]):
        return figures
    found = {"epochs": [asdict(e) for e in epochs], "best_epoch": best_of(epochs).number, "test": figures_json(figures)}
    checkpoint = Checkpoint(
        kind=KIND,
        network=asdict(network),
        embedder=embedder.name,
        dimension=embedder.dimension,
        made_with=made_with,
        figures=found | {BEATS_PRIOR: beats_prior(figures[-1])},
        versions=library_versions() | {"dynagrag": version("dynagrag")},
    )
    save_checkpoint(how.out, checkpoint, trained.state_dict())
    write_training_report(how.out, checkpoint)
    return figures


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """Which pruners to measure on which set: names of UNTRAINED, or folders of checkpoints. `limit`: questions at most."""

    dataset: str
    data: Path
    pruners: Sequence[str]
    part: str | None = None
    device: str | None = None
    limit: int | None = None
    out: Path | None = None


def evaluate_pruners(
    settings: Settings, options: EvaluateOptions, progress: Progress | None = None
) -> tuple[PrunerRun, dict[str, Any], list[PrunerFigures]]:
    """What pruners put first on the test questions of a set: the run, its summary, and the figures. Errors as in `train_on_set`."""
    check_library()
    if not options.pruners:
        raise UsageError(f"name a pruner: {', '.join(UNTRAINED)}, or the folder of a checkpoint")
    if options.out is not None:
        check_folder(options.out)
    pruning_set = load_pruning_set(options.dataset, options.data, options.part)
    embedder = wiring.make_embedder(settings)
    made = {
        name: UNTRAINED[name]() if name in UNTRAINED else GcnPruner.open(Path(name), embedder.identity, options.device)
        for name in options.pruners
    }
    test = pruning_set.examples(settings, embedder, (Part.TEST,), progress or _silent)[Part.TEST][: options.limit]
    figures = [replace(own, note=_note(own.name, pruning_set)) for own in compare_pruners(made, test)]
    made_with = _made_with(pruning_set) | {
        "pruners": list(made),
        "checkpoints": {name: _hash_of(Path(name)) for name in made if name not in UNTRAINED},
        "questions": len(test),
        "embedder": f"{embedder.identity.name} ({embedder.identity.dimension} dimensions)",
    }
    run = PrunerRun.begin(settings.home, f"pruner-{pruning_set.name}", made_with, options.out)
    lines = [
        MeasuredLine(question=q.id, text=q.text, pruner=own.name, measures=dict(own.by_question[q.id])) for own in figures for q in test
    ]
    summary = _summary(options, pruning_set.name, figures) | {"run": str(run.path)}
    with run.asking(0):
        run.finish(summary, lines)
        run.write_report(render_pruner_report(run))
    return run, summary, figures


def _summary(options: EvaluateOptions, set_name: str, figures: Sequence[PrunerFigures]) -> dict[str, Any]:
    return {
        "dataset": options.dataset,
        "part": options.part,
        "set": set_name,
        "questions": figures[0].n,
        "pruners": figures_json(figures),
        "intervals": {own.name: {n: [round(v.low, DIGITS), round(v.high, DIGITS)] for n, v in own.means.items()} for own in figures},
    }


def _hash_of(folder: Path) -> str:
    from dynagrag.training.checkpoints import WEIGHTS

    return hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()


def _silent(stage: str, done: int, total: int) -> None:
    """Shows nothing."""


def _note(name: str, pruning_set: Questions) -> str:
    if name in UNTRAINED:
        return ""
    from dynagrag.training.checkpoints import read_description

    own, given = read_description(Path(name), KIND).made_with, _made_with(pruning_set)
    return OTHER_VERSION if own.get("dataset") == given["dataset"] and own.get("files") != given["files"] else ""


def compare_pruners(pruners: Mapping[str, Pruner], examples: Sequence[PruningExample]) -> list[PrunerFigures]:
    """The figures of each on the same questions. The prior is measured too, whether it is among them or not."""
    if not examples:
        raise UsageError("no question is left to measure on; give a larger set")
    measured = {name: measure_pruner(pruner, examples) for name, pruner in pruners.items()}
    prior = measured.get("prior") or measure_pruner(UntrainedPrior(), examples)
    group_of = {example.id: example.group for example in examples}
    return [
        PrunerFigures(
            name,
            len(own),
            _means(own, None),
            {} if name == "prior" else _means(own, prior),
            by_question=own,
            group_gain=None if name == "prior" else _group_gain(own, prior, group_of),
            num_groups=len({*group_of.values()}),
        )
        for name, own in measured.items()
    ]


def _group_gain(own: _ByQuestion, prior: _ByQuestion, group_of: Mapping[str, str]) -> Interval:
    gains: dict[str, list[float]] = {}
    for id_, row in own.items():
        gains.setdefault(group_of[id_], []).append(row[NODE_AP] - prior[id_][NODE_AP])
    return intervals({NODE_AP: [sum(rows) / len(rows) for rows in gains.values()]})[NODE_AP]


def _means(own: _ByQuestion, other: _ByQuestion | None) -> dict[str, Interval]:
    found: dict[str, Interval] = {}
    for measure in NAMES:
        rows = [row[measure] - (other[id_][measure] if other else 0.0) for id_, row in own.items() if measure in row]
        found |= intervals({measure: rows}) if rows else {}
    return found


def figures_json(figures: Sequence[PrunerFigures]) -> dict[str, Any]:
    """{"NAME": {"n", measures, "against_prior": {measure: [mean, low, high]}, "note"}}; no "note" where it is empty."""
    return {
        own.name: {"n": own.n}
        | {name: round(value.mean, DIGITS) for name, value in own.means.items()}
        | {"against_prior": {n: [round(x, DIGITS) for x in (v.mean, v.low, v.high)] for n, v in own.against_prior.items()}}
        | ({"note": own.note} if own.note else {})
        for own in figures
    }


def beats_prior(figures: PrunerFigures) -> bool:
    """Whether its average precision over nodes is above the prior's by more than chance: over the questions, and over the groups that they
    are of, of which it takes MIN_GROUPS; and that over edges isn't below by more than chance.
    """
    difference = figures.against_prior.get(NODE_AP)
    if difference is None or figures.group_gain is None or figures.num_groups < MIN_GROUPS:
        return False
    edges = figures.against_prior.get(EDGE_AP)
    return difference.low > 0 and figures.group_gain.low > 0 and (edges is None or edges.high >= 0)


def check_training_library() -> None:
    """Raises SettingsError where torch-geometric is missing."""
    if find_spec("torch_geometric") is None:
        raise SettingsError("training needs torch-geometric: pip install 'dynagrag[train]'")


def _batch_size(num_examples: int) -> int:
    """32, or less where an epoch had too few steps else: early stopping counts epochs."""
    return max(1, min(_MAX_BATCH, num_examples // _MIN_STEPS))


def _made_with(pruning_set: Questions) -> dict[str, Any]:
    return {
        "dataset": pruning_set.name,
        "files": {file.name: file.sha256 for file in pruning_set.files},
        "asked": pruning_set.asked,
    }
