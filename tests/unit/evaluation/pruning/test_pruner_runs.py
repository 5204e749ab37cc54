"""Training and measuring pruners: it learns, goes on after a kill, and its checkpoint is what the
commands say.
"""

import json
import resource
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dynagrag import wiring
from dynagrag.checkpoints.training_loop import Epoch
from dynagrag.cli.main import app, run
from dynagrag.cli.train import _shown
from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError, UsageError
from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.frame.report import cell_text
from dynagrag.evaluation.pruning.measuring_run import SetMeasureOptions, measure_on_set
from dynagrag.evaluation.pruning.pruner_figures import (
    Gain,
    KeptPrunerFigures,
    PrunerFigures,
    rounded_bounds,
)
from dynagrag.evaluation.pruning.pruner_report import pruner_tables
from dynagrag.evaluation.pruning.pruning_example import Part, part_of
from dynagrag.evaluation.pruning.pruning_measures import EDGE_AP, NAMES, NODE_AP
from dynagrag.evaluation.pruning.pruning_sets import examples_of, load_pruning_set
from dynagrag.fakes import FakeEmbedder
from dynagrag.registry.pruners import PRUNERS
from dynagrag.training.pruner.training_run import TrainOptions, train_on_set

if TYPE_CHECKING:
    from dynagrag.checkpoints.training_loop import Epoch


@pytest.fixture
def data(sets: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(wiring, "make_embedder", lambda settings: FakeEmbedder(64))
    return sets


@pytest.fixture
def settings(home: Path) -> Settings:
    return Settings(home=home)


def options(
    data: Path, out: Path, max_epochs: int = 12, seed: int = 0, **more: object
) -> TrainOptions:
    return TrainOptions(
        "pathquestion", data, out=out, max_epochs=max_epochs, seed=seed, device="cpu", **more
    )  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_pruner_learns_which_facts_answer_and_is_measured_on_entities_it_did_not_see(
    data: Path, settings: Settings, tmp_path: Path
) -> None:
    folder, (none, prior, near, own) = train_on_set(
        settings, options(data, tmp_path / "pruner", form="compared")
    )
    assert own.means[NODE_AP].mean > 0.85 > prior.means[NODE_AP].mean
    assert own.means[EDGE_AP].mean > prior.means[EDGE_AP].mean
    assert own.means[NODE_AP].mean > max(none.means[NODE_AP].mean, near.means[NODE_AP].mean)
    assert not own.beats_untrained, "the questions are about one entity"
    assert not prior.beats_untrained
    asked = SetMeasureOptions(
        "pathquestion", data, pruners=["none", "random", "prior", str(folder)], device="cpu"
    )
    _, again = measure_on_set(settings, asked)
    assert list(again.pruners) == ["none", "random", "prior", str(folder)]
    assert again.pruners[str(folder)].means == KeptPrunerFigures.of(own).means
    made = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    assert made["made_with"]["train"] == 70
    first, *epochs = made["figures"]["epochs"]
    assert (first["number"], first["loss"]) == (0, None)
    assert len(epochs) <= 12


Bounds = tuple[float, float]
ABOVE, UNCLEAR, BELOW = (0.01, 0.1), (-0.01, 0.1), (-0.1, -0.01)


def gain(nodes: Bounds, groups: Bounds, edges: Bounds) -> Gain:
    found = {NODE_AP: Interval(sum(nodes) / 2, *nodes), EDGE_AP: Interval(sum(edges) / 2, *edges)}
    return Gain(found, Interval(sum(groups) / 2, *groups))


def beside(prior: Gain, none: Gain | None = None, num_groups: int = 9) -> PrunerFigures:
    """Figures with these gains; over none the gain is great, unless it is given."""
    return PrunerFigures(
        "own",
        50,
        {},
        {"prior": prior, "none": none or gain((0.4, 0.5), (0.4, 0.5), (0.4, 0.5))},
        num_groups=num_groups,
    )


def test_a_pruner_beats_the_untrained_over_questions_and_groups_and_loses_no_edges() -> None:
    assert beside(gain(ABOVE, ABOVE, UNCLEAR)).beats_untrained
    assert not beside(gain(UNCLEAR, ABOVE, ABOVE)).beats_untrained
    assert not beside(gain(ABOVE, UNCLEAR, ABOVE)).beats_untrained
    assert not beside(gain(ABOVE, ABOVE, BELOW)).beats_untrained
    assert not beside(gain(ABOVE, ABOVE, ABOVE), num_groups=7).beats_untrained
    over_none = beside(gain((0.2, 0.3), ABOVE, BELOW), gain(ABOVE, ABOVE, ABOVE))
    assert over_none.best_untrained == "none"
    assert not over_none.beats_untrained, (
        "it would take the place of the prior, which ranks edges better"
    )
    assert over_none.verdict().endswith("worse over pairs of them than `prior`, so not in all")


def test_the_better_of_the_untrained_is_the_one_to_beat() -> None:
    behind = beside(gain(ABOVE, ABOVE, ABOVE), gain(UNCLEAR, UNCLEAR, UNCLEAR))
    assert behind.best_untrained == "none"
    assert not behind.beats_untrained
    assert behind.verdict() == "is not shown to be better than the untrained `none`"
    ahead = beside(gain((0.2, 0.3), ABOVE, ABOVE), gain(ABOVE, ABOVE, ABOVE))
    assert (ahead.best_untrained, ahead.verdict()) == (
        "none",
        "is better than the untrained `none`",
    )


@pytest.mark.slow
@pytest.mark.parametrize("form", ["paper", "compared"])
def test_ten_examples_can_be_learned_by_heart(form: str, data: Path) -> None:
    import torch

    from dynagrag.checkpoints.training_loop import TrainingOptions, best_of
    from dynagrag.retrieval.pruning.pruning_network import NetworkOptions
    from dynagrag.training.pruner.pruner_training import train_pruner

    ten = examples_of(load_pruning_set("pathquestion", data), FakeEmbedder(64))[:10]
    training = TrainingOptions(learning_rate=5e-3, batch_size=5, max_epochs=60, patience=60)
    _, epochs = train_pruner(ten, ten, NetworkOptions(64, form), training, torch.device("cpu"))  # type: ignore[arg-type]
    assert best_of(epochs[1:]).validation > (0.95 if form == "compared" else 0.85)


@pytest.mark.slow
def test_a_training_that_was_killed_goes_on_with_the_same_numbers(
    data: Path, settings: Settings, tmp_path: Path
) -> None:
    _, whole = train_on_set(settings, options(data, tmp_path / "whole", 4))

    def kill(epoch: "Epoch") -> None:
        if epoch.number:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_on_set(settings, options(data, tmp_path / "killed", 4), kill)
    _, resumed = train_on_set(settings, options(data, tmp_path / "killed", 4))
    assert [own.means for own in resumed] == [own.means for own in whole]
    with pytest.raises(UsageError, match="other settings or data"):
        train_on_set(settings, options(data, tmp_path / "killed", 4, seed=1))


def test_two_trainings_in_one_folder_are_refused_before_anything_is_embedded(
    data: Path, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dynagrag.checkpoints.checkpoints import hold_folder

    monkeypatch.setattr(wiring, "make_embedder", lambda settings: pytest.fail("it embeds"))
    with (
        hold_folder(tmp_path / "pruner"),
        pytest.raises(UsageError, match="another training is at work"),
    ):
        train_on_set(settings, options(data, tmp_path / "pruner"))


def test_what_is_given_wrong_is_told_before_anything_is_embedded(
    data: Path, settings: Settings, tmp_path: Path
) -> None:
    for wrong, said in (
        ({"without": ("heads",)}, "no component 'heads'"),
        ({"form": "letter"}, "no form 'letter'"),
        ({"max_examples": 5}, "--max-examples 5"),
    ):
        with pytest.raises(UsageError, match=said):
            train_on_set(settings, options(data, tmp_path / "pruner", **wrong))
    with pytest.raises(UsageError, match="what `--pruner` calls"):
        train_on_set(settings, options(data, Path("prior")))
    known = ", ".join([*PRUNERS, "near", "random", "trained"])
    with pytest.raises(UsageError, match=f"no pruner 'magic' to measure; known: {known}"):
        measure_on_set(settings, SetMeasureOptions("pathquestion", data, pruners=["magic"]))


@pytest.mark.slow
def test_a_device_that_is_not_there_is_told_whatever_is_measured(
    data: Path, settings: Settings
) -> None:
    with pytest.raises(UsageError, match="the device 'mars' can't be used here"):
        measure_on_set(
            settings, SetMeasureOptions("pathquestion", data, pruners=["none"], device="mars")
        )


@pytest.mark.slow
def test_a_full_disk_is_told_with_the_file_that_had_no_room(
    data: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, before = (
        ["--dataset", "pathquestion", "--data", str(data), "--pruner", "prior"],
        resource.getrlimit(resource.RLIMIT_FSIZE),
    )
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, before[1]))
    try:
        assert run(["evaluate", "pruner", *given, "--out", str(tmp_path / "run")]) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert str(tmp_path / "run" / "report.html") in capsys.readouterr().err


@pytest.mark.slow
def test_the_commands_print_json(
    data: Path, tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "pruner")
    given = ["--dataset", "pathquestion", "--data", str(data), "--device", "cpu", "--json"]
    assert (
        app(["train", "pruner", *given, "--out", out, "--max-epochs", "2"], standalone_mode=False)
        == 0
    )
    trained = json.loads(capsys.readouterr().out)["pruners"]
    assert (
        app(["evaluate", "pruner", *given, "--pruner", f"none,prior,{out}"], standalone_mode=False)
        == 0
    )
    measured = json.loads(capsys.readouterr().out)["pruners"]
    assert set(measured) == {"none", "prior", out}
    assert measured[out] == trained[out]
    assert {"n", "node_ap", "edge_ap", "support_recall@10"} < set(measured[out])
    assert app(["evaluate", "pruner", *given[:-1]], standalone_mode=False) == 0
    out = capsys.readouterr().out
    assert "Against prior, on the same questions" in out
    assert "Against none, on the same questions" in out


def test_a_measure_without_a_value_leaves_its_column_to_a_dash() -> None:
    full = {name: Interval(1.0, 1.0, 1.0) for name in NAMES}
    lost = {
        "prior": Gain(
            {name: Interval(-1.0, -1.0, -1.0) for name in NAMES}, Interval(-1.0, -1.0, -1.0)
        )
    }
    one = PrunerFigures(
        "a/x", 1, {name: value for name, value in full.items() if name != EDGE_AP}, {}
    )
    other = PrunerFigures("b/x", 1, full, lost)
    kept = {own.name: KeptPrunerFigures.of(own) for own in (one, other)}
    reached, against = pruner_tables(kept, rounded_bounds([one, other]))
    assert reached.heads == against.heads == ("pruner", *NAMES)
    assert [[name, *map(cell_text, cells)] for name, cells in (*reached.rows, *against.rows)] == [
        ["a/x", "100.0 (100.0 to 100.0)", "-", "100.0 (100.0 to 100.0)"],
        ["b/x", *["100.0 (100.0 to 100.0)"] * 3],
        ["b/x", *["-100.0 (-100.0 to -100.0)"] * 3],
    ]
    (alone, _) = pruner_tables({"b/x": kept["b/x"]}, rounded_bounds([other]))
    assert alone.rows[0][0] == "x", "a name of its own is enough"


def test_without_torch_geometric_one_line_says_so(
    data: Path, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch_geometric", None)
    with pytest.raises(SettingsError, match=r"dynagrag\[train\]"):
        train_on_set(settings, options(data, tmp_path / "pruner"))


@pytest.mark.slow
def test_a_set_that_leaves_nothing_to_measure_on_is_refused_before_training(
    data: Path, settings: Settings, tmp_path: Path
) -> None:
    path = data / "graphqa" / "pathquestion" / "PQ-2H.txt"
    kept = [
        line
        for line in path.read_text(encoding="utf-8").splitlines()
        if part_of(line.split("\t")[2].split("#")[0]) != Part.TEST
    ]
    path.write_text("\n".join(kept), encoding="utf-8")
    seen: list[object] = []
    with pytest.raises(UsageError, match="left to measure on"):
        train_on_set(settings, options(data, tmp_path / "pruner", 1), seen.append)
    assert not seen


def test_a_folder_of_something_else_is_refused_before_anything_is_embedded(
    data: Path, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.safetensors").write_text("weights of another program")
    monkeypatch.setattr(wiring, "make_embedder", lambda settings: pytest.fail("it embeds"))
    with pytest.raises(UsageError, match="something else"):
        train_on_set(settings, options(data, tmp_path / "mine"))
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["model.safetensors"]


@pytest.mark.slow
def test_a_pruner_trained_on_another_version_of_the_set_is_told(
    data: Path, settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = train_on_set(settings, options(data, tmp_path / "pruner", 1))

    def notes(part: str | None = None) -> list[str]:
        chosen = SetMeasureOptions(
            "pathquestion", data, part, pruners=["prior", str(folder)], device="cpu"
        )
        return [own.note for own in measure_on_set(settings, chosen)[1].pruners.values()]

    assert notes() == ["", ""]
    questions = data / "graphqa" / "pathquestion"
    for name, other in (("2H-kb", "3H-kb"), ("PQ-2H", "PQ-3H")):
        (questions / f"{other}.txt").write_bytes((questions / f"{name}.txt").read_bytes())
    assert notes("PQ-3H") == ["", ""], "another part is no other version"
    with open(questions / "PQ-2H.txt", "a", encoding="utf-8") as file:
        file.write("\n")
    assert notes() == ["", "trained on another version of the set"]
    given = [
        "--dataset",
        "pathquestion",
        "--data",
        str(data),
        "--device",
        "cpu",
        "--pruner",
        str(folder),
    ]
    assert app(["evaluate", "pruner", *given], standalone_mode=False) == 0
    assert "  pruner: trained on another version of the set" in capsys.readouterr().out.splitlines()
    assert app(["evaluate", "pruner", *given, "--json"], standalone_mode=False) == 0
    assert (
        json.loads(capsys.readouterr().out)["pruners"][str(folder)]["note"]
        == "trained on another version of the set"
    )


@pytest.mark.parametrize(
    ("nodes", "edges", "num_groups", "said"),
    [
        (ABOVE, UNCLEAR, 9, "is better than the untrained `prior`"),
        (ABOVE, BELOW, 9, "worse over pairs of them"),
        (BELOW, ABOVE, 9, "is worse than the untrained `prior`"),
        (ABOVE, ABOVE, 4, "which takes 8 documents"),
        (UNCLEAR, ABOVE, 9, "is not shown to be better than the untrained `prior`"),
    ],
)
def test_the_command_says_what_was_shown_of_entities_and_pairs(
    nodes: Bounds, edges: Bounds, num_groups: int, said: str
) -> None:
    line = _shown(beside(gain(nodes, nodes, edges), num_groups=num_groups))
    assert said in line
    low, high = nodes
    assert (
        f"entities {50 * (low + high):+.1f} ({100 * low:+.1f} to {100 * high:+.1f}) points" in line
    )
