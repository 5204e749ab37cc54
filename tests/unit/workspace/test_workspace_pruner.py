"""Where a workspace's pruner lies, and what scores its questions' ego-graphs."""

import logging
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynagrag import AskOptions, open_workspace
from dynagrag.checkpoints.checkpoints import (
    DESCRIPTION,
    WEIGHTS,
    Checkpoint,
    load_checkpoint,
    read_description,
    save_checkpoint,
)
from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, SettingsError, UsageError, WorkspaceError
from dynagrag.core.protocols import Pruner
from dynagrag.core.schema import EmbedderIdentity, PruneScores, Subgraph, Vector
from dynagrag.fakes import FakeEmbedder
from dynagrag.retrieval.pruning.gcn_pruner import KIND, GcnPruner, ScoringError
from dynagrag.retrieval.pruning.no_pruner import NoPruner
from dynagrag.retrieval.pruning.untrained_prior import UntrainedPrior
from dynagrag.workspace.ingest_job import IngestOptions
from dynagrag.workspace.workspace_pruner import (
    BEATS_UNTRAINED,
    WorkspacePruners,
    asked_pruner,
    is_default,
    pruner_folder,
)

FAKE = EmbedderIdentity("fake", 4)


def trained(folder: Path, seed: int = 0, **figures: Any) -> Path:
    """A checkpoint whose network has learned nothing."""
    import torch

    from dynagrag.retrieval.pruning.pruning_network import NetworkOptions, PruningNetwork

    torch.manual_seed(seed)
    options = NetworkOptions(FAKE.dimension, projection=4, hidden=8, out=8)
    checkpoint = Checkpoint(
        kind=KIND,
        network=asdict(options),
        embedder=FAKE.name,
        dimension=FAKE.dimension,
        made_with={},
        figures=figures,
        versions={},
    )
    save_checkpoint(folder, checkpoint, PruningNetwork(options).state_dict())
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path)


@pytest.fixture
def pruners(settings: Settings) -> WorkspacePruners:
    return WorkspacePruners(settings, "moon")


def scored(pruner: Pruner) -> PruneScores:
    x = np.eye(4, dtype=np.float32)
    own = Subgraph(
        (0, 1), (0, 1), np.array([[0, 1]]), ((),), x[:2], x[2:3], np.ones(1, np.float32), 0.0
    )
    return pruner.score([own], x[3])[0]


def scores(pruner: Pruner) -> Vector:
    return scored(pruner).nodes


def label(pruner: Pruner) -> str:
    return scored(pruner).label


def test_it_lies_in_the_workspaces_folder(settings: Settings) -> None:
    assert pruner_folder(settings, "moon").parent == settings.workspaces_dir / "moon"
    with pytest.raises(WorkspaceError):
        pruner_folder(settings, "../moon")


@pytest.mark.parametrize(
    ("profile", "retriever", "name"),
    [
        ("graph", "dynagrag", "auto"),
        ("graph", "dynagrag-cosine", "prior"),
        ("paper", "dynagrag", "auto"),
        ("paper", "dynagrag-cosine", "auto"),
        ("paper", "pcst", "prior"),
        ("default", "grag", "prior"),
    ],
)
def test_unasked_a_trained_one_scores_dynagrags_ego_graphs_alone(
    settings: Settings, profile: str, retriever: str, name: str
) -> None:
    assert asked_pruner(settings, None, profile, retriever, is_pruned=True) == name
    assert asked_pruner(settings, "trained", profile, retriever, is_pruned=True) == "trained"


@pytest.mark.parametrize(
    ("figures", "expected"),
    [({BEATS_UNTRAINED: True}, True), ({BEATS_UNTRAINED: False}, False), ({}, False)],
)
def test_it_is_used_unasked_once_it_has_beaten_the_untrained(
    settings: Settings, pruners: WorkspacePruners, figures: dict[str, Any], expected: bool
) -> None:
    folder = trained(pruner_folder(settings, "moon"), **figures)
    assert is_default(folder) is expected
    assert (
        label(pruners.chosen("auto", FAKE).pruner)
        == (GcnPruner if expected else UntrainedPrior).label
    )
    assert label(pruners.chosen("trained", FAKE).pruner) == GcnPruner.label


def test_without_one_the_prior_is_used_and_the_way_to_one_is_told(
    settings: Settings, pruners: WorkspacePruners
) -> None:
    assert not is_default(pruner_folder(settings, "moon"))
    chosen = pruners.chosen("auto", FAKE)
    assert (type(chosen.pruner), chosen.notes) == (UntrainedPrior, ())
    for is_used in (True, False):
        with pytest.raises(UsageError, match="dynagrag train pruner --workspace moon"):
            pruners.chosen("trained", FAKE, is_used)


def test_the_others_are_had_by_name_or_folder(pruners: WorkspacePruners, tmp_path: Path) -> None:
    assert isinstance(pruners.chosen("none", FAKE).pruner, NoPruner)
    assert isinstance(pruners.chosen("prior", FAKE).pruner, UntrainedPrior)
    assert isinstance(pruners.chosen(str(trained(tmp_path / "mine")), FAKE).pruner, GcnPruner)
    for is_used in (True, False):
        with pytest.raises(
            UsageError,
            match=r"unknown pruner 'magic'; known: auto, none .*, prior .*, trained .*folder",
        ):
            pruners.chosen("magic", FAKE, is_used)
        with pytest.raises(UsageError, match="unknown pruner ''"):
            pruners.chosen("", FAKE, is_used)
    (tmp_path / "weights.pt").write_bytes(b"\x80\x04.")
    with pytest.raises(LoadError, match="is a pickle, which could run code, and was not opened"):
        pruners.chosen(str(tmp_path / "weights.pt"), FAKE)
    with pytest.raises(
        LoadError, match=r"weights.pt may be a pickle, which could run code, and was not opened"
    ):
        pruners.chosen(str(tmp_path), FAKE)


def test_one_that_cannot_be_used_is_refused_by_name_and_passed_over_unasked(
    settings: Settings, pruners: WorkspacePruners, caplog: pytest.LogCaptureFixture
) -> None:
    folder = trained(pruner_folder(settings, "moon"), beats_untrained=True)
    other = EmbedderIdentity("other", 4)
    with pytest.raises(UsageError, match="trained on vectors of fake"):
        pruners.chosen("trained", other)
    chosen = pruners.chosen("auto", other)
    assert isinstance(chosen.pruner, UntrainedPrior)
    assert chosen.notes[0].startswith("the workspace's trained pruner was not used: ")
    (folder / DESCRIPTION).write_text("{", encoding="utf-8")
    with pytest.raises(LoadError, match="train it again"):
        pruners.chosen("trained", FAKE)
    with caplog.at_level(logging.WARNING):
        assert "cannot be read" in pruners.chosen("auto", FAKE).notes[0]
    assert "cannot be read" in caplog.text


def test_one_of_a_newer_version_is_passed_over_unasked(
    settings: Settings, pruners: WorkspacePruners
) -> None:
    path = trained(pruner_folder(settings, "moon"), beats_untrained=True) / DESCRIPTION
    path.write_text(
        path.read_text(encoding="utf-8").replace('"distances"', '"xyz"'), encoding="utf-8"
    )
    with pytest.raises(LoadError, match="form = 'xyz'"):
        pruners.chosen("trained", FAKE)
    chosen = pruners.chosen("auto", FAKE)
    assert isinstance(chosen.pruner, UntrainedPrior)
    assert "form = 'xyz'" in chosen.notes[0]


def test_one_that_cannot_score_is_passed_over_unasked_and_the_label_says_why(
    settings: Settings, pruners: WorkspacePruners
) -> None:
    folder = trained(pruner_folder(settings, "moon"), beats_untrained=True)
    checkpoint, weights = load_checkpoint(folder, KIND)
    save_checkpoint(
        folder, checkpoint, {name: value.fill_(1e30) for name, value in weights.items()}
    )
    with pytest.raises(ScoringError, match="weights are too large"):
        scored(pruners.chosen("trained", FAKE).pruner)
    instead = scored(pruners.chosen("auto", FAKE).pruner)
    np.testing.assert_array_equal(instead.nodes, scores(UntrainedPrior()))
    assert instead.label.startswith(
        f"{UntrainedPrior.label}; the workspace's trained pruner was not used: "
    )
    assert not instead.is_trained


def test_other_weights_under_the_same_description_are_another_pruner(
    pruners: WorkspacePruners, tmp_path: Path
) -> None:
    one, other = (trained(tmp_path / name, seed) for name, seed in (("one", 0), ("other", 1)))
    described = [read_description(folder, KIND) for folder in (one, other)]
    assert [own.model_copy(update={"weights_digest": None}) for own in described] == [
        own.model_copy(update={"weights_digest": None}) for own in reversed(described)
    ]
    assert (
        pruners.identity(str(one))
        == pruners.identity(str(trained(tmp_path / "same", 0)))
        != pruners.identity(str(other))
    )
    (one / WEIGHTS).unlink()
    with pytest.raises(LoadError, match=r"model\.safetensors cannot be read: No such file"):
        pruners.identity(str(one))


def test_without_torch_geometric_it_is_refused_by_name_and_passed_over_unasked(
    settings: Settings, pruners: WorkspacePruners, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained(pruner_folder(settings, "moon"), beats_untrained=True)
    monkeypatch.setitem(sys.modules, "torch_geometric.data", None)
    monkeypatch.delitem(sys.modules, "dynagrag.retrieval.pruning.pruning_network")
    with pytest.raises(
        SettingsError, match=r"pip install 'dynagrag\[train\]', or take --pruner prior"
    ):
        pruners.chosen("trained", FAKE)
    chosen = pruners.chosen("auto", FAKE)
    assert isinstance(chosen.pruner, UntrainedPrior)
    assert "torch-geometric" in chosen.notes[0]


def test_a_checkpoint_is_loaded_once_and_again_when_it_was_written_anew(
    settings: Settings, pruners: WorkspacePruners
) -> None:
    folder = trained(pruner_folder(settings, "moon"), seed=0)
    first = pruners.chosen("trained", FAKE).pruner
    assert pruners.chosen("trained", FAKE).pruner is first
    assert pruners.chosen("trained", FAKE, is_used=False).pruner is not first
    trained(folder, seed=1)
    os.utime(folder / DESCRIPTION, ns=(0, 0))  # however coarse the clock of the file system is
    second = pruners.chosen("trained", FAKE).pruner
    assert not np.array_equal(scores(first), scores(second))


def test_a_question_is_answered_with_the_pruner_that_was_chosen_and_the_trace_names_it(
    tmp_path: Path,
) -> None:
    source = tmp_path / "talk.txt"
    source.write_text(
        "LEO: Ada Byron founded Acme Works.\nMIA: Ada Byron works at Acme Works.\n",
        encoding="utf-8",
    )

    def told(profile: str, pruner: str | None = None) -> tuple[set[str], int]:
        trace = space.ask(
            "Who founded Acme Works?", AskOptions(profile=profile, pruner=pruner)
        ).trace
        return {prompt.pruner for prompt in trace.prompts if prompt.subgraph}, sum(
            "was not used" in note for note in trace.notes
        )

    with open_workspace("moon", home=tmp_path, embedder=FakeEmbedder(FAKE.dimension)) as space:
        space.ingest([source], IngestOptions(extractor="fast"))
        folder = pruner_folder(space.settings, "moon")
        assert told("graph") == ({UntrainedPrior.label}, 0)
        trained(folder, beats_untrained=True)
        assert (
            told("graph")
            == told("paper")
            == told("paper", "gcn")
            == (
                {GcnPruner.label},
                0,
            )
        )
        trained(folder, beats_untrained=False)
        assert told("graph") == ({UntrainedPrior.label}, 0)
        assert told("paper") == ({GcnPruner.label}, 0), "the paper has one, whatever it gains"
        trained(folder, beats_untrained=True)
        assert told("graph", "none") == ({NoPruner.label}, 0)
        (folder / DESCRIPTION).write_text("{", encoding="utf-8")
        assert told("graph") == ({UntrainedPrior.label}, 1)
        assert told("default") == (set(), 0), "there is nothing to score, so nothing is read"
        for wrong in ("trained", str(tmp_path), ""):
            with pytest.raises((LoadError, UsageError)):
                told("default", wrong)
    with open_workspace(
        "moon", home=tmp_path, embedder=FakeEmbedder(FAKE.dimension), pruner="none"
    ) as space:
        assert told("graph") == ({NoPruner.label}, 0)
    with open_workspace(
        "moon", home=tmp_path, embedder=FakeEmbedder(FAKE.dimension), pruner="trained"
    ) as space:
        assert told("default") == (set(), 0), (
            "a setting that can't be followed fails no question that has no use for it"
        )
