"""Training a pruner on a workspace: its questions with labels from provenance, documents kept
apart, and where the checkpoint goes.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dynagrag import wiring
from dynagrag.checkpoints.checkpoints import TrainingError
from dynagrag.cli.main import app
from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, UsageError, WorkspaceError
from dynagrag.evaluation.pruning import training_questions
from dynagrag.evaluation.pruning.answer_support import Support
from dynagrag.evaluation.pruning.measuring_run import (
    OTHER_STATE,
    SEEN,
    WorkspaceMeasureOptions,
    measure_on_workspace,
)
from dynagrag.evaluation.pruning.pruner_figures import KeptPrunerFigures, PrunerFigures
from dynagrag.evaluation.pruning.retrieved_examples import RetrievedExamples
from dynagrag.evaluation.pruning.training_questions import make_questions_of
from dynagrag.evaluation.pruning.workspace_examples import WorkspaceQuestions
from dynagrag.fakes import FakeEmbedder
from dynagrag.ingest.extract.fast_extractor import FastExtractor
from dynagrag.registry.pruners import PRUNERS
from dynagrag.training.pruner.workspace_training import (
    WorkspaceTrainOptions,
    train_on_workspace,
)
from dynagrag.workspace.facade import AskOptions, open_workspace
from dynagrag.workspace.workspace_pruner import CHANGED, is_default, pruner_folder
from tests.talks import NUM_TALKS, fill, filled_home, made_file, talk, write

pytestmark = pytest.mark.slow
NUM_MADE = 96
"""Questions: as few as folds can be trained on."""


def few_questions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(training_questions, "NUM_MADE", NUM_MADE)
    patch.setattr(wiring, "make_embedder", lambda settings: FakeEmbedder(32))


@pytest.fixture
def settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    few_questions(monkeypatch)
    return filled_home(home, monkeypatch)


@pytest.fixture(scope="module")
def trained_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose workspace has a pruner: trained once, and copied by `trained`."""
    home = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        settings = filled_home(home, patch)
        few_questions(patch)
        train_on_workspace(settings, options(settings))
    return home


@pytest.fixture
def trained(trained_home: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Training there again with the same options goes on where it ended, so it is quick."""
    few_questions(monkeypatch)
    shutil.copytree(trained_home, home, dirs_exist_ok=True)
    return Settings(home=home)


def options(settings: Settings, **more: object) -> WorkspaceTrainOptions:
    given = {
        "out": pruner_folder(settings, "w"),
        "max_epochs": 2,
        "max_examples": 24,
        "device": "cpu",
    }
    return WorkspaceTrainOptions("w", **given | more)  # type: ignore[arg-type]


# -------------------------------------------------------------------------------- questions, splits


def test_questions_without_provenance_of_the_workspace_are_too_few(
    settings: Settings, tmp_path: Path
) -> None:
    path = write(tmp_path / "q.jsonl", [{"question": f"Who is {i}?"} for i in range(30)])
    with pytest.raises(
        UsageError,
        match=(
            r"left out: 30 x it has neither provenance nor turns in the workspace\).*; make more"
            r" with `dynagrag evaluate questions"
        ),
    ):
        train_on_workspace(settings, options(settings, questions=path))


def test_two_documents_are_too_few_and_the_line_says_how_many_it_takes(settings: Settings) -> None:
    fill(settings, "two", range(2))
    chosen = WorkspaceTrainOptions("two", out=pruner_folder(settings, "two"), device="cpu")
    with pytest.raises(
        UsageError,
        match=r"of 2 documents.* learn from 0 at least \(10 are needed\).*3 are needed at least",
    ):
        train_on_workspace(settings, chosen)
    assert not pruner_folder(settings, "two").exists()


def test_an_empty_workspace_and_one_that_is_not_there_are_told(settings: Settings) -> None:
    open_workspace("empty", settings=settings).close()
    for name, said in (("empty", "no sentence"), ("nowhere", "nowhere")):
        with pytest.raises(WorkspaceError, match=said):
            train_on_workspace(
                settings,
                WorkspaceTrainOptions(name, out=pruner_folder(settings, name), device="cpu"),
            )


# ----------------------------------------------------------------------------------------- examples


def test_subgraphs_are_those_that_answers_get_and_the_gold_one_is_added_where_it_was_not_retrieved(
    settings: Settings,
) -> None:
    with open_workspace("w", settings=settings) as space:
        maker, question = RetrievedExamples(space), "What did Ada say about the Odyssey?"
        expected = space.questions.retrieve(question, AskOptions(profile="graph")).subgraphs
        plain = maker.example("q", question, "d", Support())
        assert [own.nodes for own in plain.subgraphs] == [own.nodes for own in expected]
        assert all(
            np.array_equal(own.y, theirs.y)
            for own, theirs in zip(plain.subgraphs, expected, strict=True)
        )
        lines = {vector.tobytes() for vector in space.current_graph.snapshot().facts.vectors}
        assert {row.tobytes() for own in plain.subgraphs for row in own.y} <= lines, (
            "each pair has a line that holds both"
        )
        centres = [own.nodes[0] for own in expected]
        missed = next(
            i for i in range(len(space.current_graph.snapshot().graph.entities)) if i not in centres
        )
        added = maker.with_centre(plain, Support(), missed).subgraphs
        assert [own.nodes[0] for own in added] == [*centres, missed]
        assert added[-1].score == expected[-1].score, (
            "on the scale of those that were found, and no better than the last of them"
        )
        assert maker.with_centre(plain, Support(), centres[0]) is plain


def test_what_a_made_question_asks_about_supports_it(settings: Settings) -> None:
    from dynagrag.evaluation.pruning.answer_support import SupportFinder

    with open_workspace("w", settings=settings) as space:
        snapshot = space.current_graph.snapshot()
        finder = SupportFinder(snapshot)
        for question in make_questions_of(snapshot):
            made_of = question.provenance
            support = finder.find(made_of.entities, made_of.records, made_of.passages)
            assert {snapshot.graph.entities[i].id for i in support.nodes} >= set(made_of.entities)


def test_each_document_is_in_one_fold_and_what_is_asked_about_is_added_to_learn_from_alone(
    settings: Settings,
) -> None:
    with open_workspace("w", settings=settings) as space:
        asked = WorkspaceQuestions(space, None)
        folds = asked.folds(lambda *_: None)
    groups = [{example.group for example in fold.measured} for fold in folds]
    assert sum(map(len, groups)) == len(set().union(*groups)) == NUM_TALKS
    assert len(folds) == 5
    sizes = [len(fold.measured) for fold in folds]
    assert max(sizes) <= 2 * min(sizes) + 1, "as even as whole documents let them be"
    most = wiring.make_profile("graph").num_subgraphs
    assert all(len(own.subgraphs) <= most for fold in folds for own in fold.measured)
    assert any(len(own.subgraphs) > most for fold in folds for own in fold.learned)
    for fold in folds:
        assert [own.id for own in fold.measured] == [own.id for own in fold.learned]


# ----------------------------------------------------------------------------------------- training


def test_a_pruner_is_cross_validated_without_a_file_and_lies_in_the_workspace(
    trained: Settings,
) -> None:
    told: list[str] = []
    made = train_on_workspace(trained, options(trained), tell=told.append)
    assert re.match(
        r"training takes \d+ minutes? of processor time at most: 5 folds and all documents together"
        r", 2 epochs each$",
        told[0],
    )
    assert [line[:11] for line in told[1:]] == [f"fold {i} of 5" for i in range(1, 6)]
    own = made.figures[-1]
    assert own.num_groups == NUM_TALKS
    assert sum(fold["questions"] for fold in made.folds) == own.n == len(own.by_question)
    assert made.num_epochs == sorted(fold["best_epoch"] for fold in made.folds)[2]
    folder = pruner_folder(trained, "w")
    checkpoint = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    assert {"workspace", "questions", "graph", "version"} <= checkpoint["made_with"].keys()
    assert len(checkpoint["figures"]["epochs"]) == made.num_epochs
    assert is_default(folder) is checkpoint["figures"]["beats_untrained"]
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "Learning curve" in report
    assert "fold 5" in report
    assert "Odyssey" not in report, "a report in the workspace holds nothing of its texts"


def test_processor_time_has_an_end_and_another_folder_is_gone_on_with_by_its_own_settings_alone(
    trained: Settings, tmp_path: Path
) -> None:
    told: list[str] = []
    with pytest.raises(TrainingError, match=r"--max-minutes.*run the same command again to go on"):
        train_on_workspace(
            trained, options(trained, out=tmp_path / "p", max_minutes=1e-6), None, told.append
        )
    assert told[0].endswith("--max-examples makes it shorter")
    shutil.copytree(pruner_folder(trained, "w"), tmp_path / "q")
    with pytest.raises(UsageError, match="other settings or data"):
        train_on_workspace(trained, options(trained, out=tmp_path / "q", seed=1))


def test_an_answer_says_that_the_workspace_changed_since_its_pruner_was_trained(
    trained: Settings,
) -> None:
    asked = AskOptions(profile="graph", pruner="trained")
    with open_workspace("w", settings=trained) as space:
        assert (
            CHANGED not in space.evidence("What did Ada say about the Odyssey?", asked).trace.notes
        )
        space.ingest_jobs.ingest_imported([talk(NUM_TALKS)], FastExtractor())
        assert CHANGED in space.evidence("What did Ada say about the Odyssey?", asked).trace.notes


def test_a_pruner_that_beat_the_prior_stays_where_the_next_one_does_not(
    trained: Settings, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PrunerFigures, "beats_untrained", False)
    path = pruner_folder(trained, "w") / "model.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace(
            '"beats_untrained": false', '"beats_untrained": true'
        ),
        encoding="utf-8",
    )
    assert is_default(path.parent)
    before = path.read_bytes()
    (path.parent / "training.safetensors").write_bytes(b"cut")
    assert not train_on_workspace(trained, options(trained)).has_replaced
    assert path.read_bytes() == before
    assert "begins anew" in caplog.text, "a damaged file of a training stops no other"


def test_a_damaged_training_without_a_checkpoint_is_dropped_in_the_workspaces_folder_alone(
    trained: Settings, tmp_path: Path
) -> None:
    own, other = pruner_folder(trained, "w"), tmp_path / "p"
    other.mkdir()
    (own / "model.json").unlink()
    for folder in (own, other):
        (folder / "training-1.safetensors").write_bytes(b"cut")
    with pytest.raises(LoadError, match="delete it, or name another folder with --out"):
        train_on_workspace(trained, options(trained, out=other))
    train_on_workspace(trained, options(trained))
    assert (own / "model.json").is_file()


KILLED = """
import os, signal, sys
from pathlib import Path
from dynagrag import wiring
from dynagrag.evaluation.pruning import training_questions
from dynagrag.training.pruner.workspace_training import WorkspaceTrainOptions, train_on_workspace
from dynagrag.fakes import FakeEmbedder
from dynagrag.config.settings import Settings

wiring.make_embedder = lambda settings: FakeEmbedder(32)
training_questions.NUM_MADE = int(sys.argv[3])
home, out = map(Path, sys.argv[1:3])
options = WorkspaceTrainOptions("w", out=out, max_epochs=2, max_examples=24, device="cpu")

def kill_in_the_second_fold(stage, done, total):
    if stage == "fold 2 of 5" and done == 1:
        os.kill(os.getpid(), signal.SIGKILL)

train_on_workspace(Settings(home=home), options, kill_in_the_second_fold)
"""


def test_a_training_that_was_killed_goes_on_in_its_fold_with_the_same_numbers(
    trained: Settings, tmp_path: Path
) -> None:
    killed, seen = tmp_path / "killed", list[tuple[str, int]]()
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(trained.home), str(killed), str(NUM_MADE)],
        env=os.environ,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert not (killed / "model.json").exists()
    found = train_on_workspace(
        trained,
        options(trained, out=killed),
        lambda stage, done, _: seen.append((stage, done)),
    )
    assert [done for stage, done in seen if stage == "fold 1 of 5"] == [0, 2]
    assert [done for stage, done in seen if stage == "fold 2 of 5"] == [0, 2, 2]
    assert [done for stage, done in seen if stage == "fold 3 of 5"] == [0, 1, 2, 2]
    whole = train_on_workspace(trained, options(trained))
    assert [own.means for own in found.figures] == [own.means for own in whole.figures]
    one, other = (
        (folder / "model.safetensors").read_bytes()
        for folder in (killed, pruner_folder(trained, "w"))
    )
    assert one == other


# ---------------------------------------------------------------------------------------- measuring


def test_a_workspace_measures_what_its_training_measured(trained: Settings, tmp_path: Path) -> None:
    own = train_on_workspace(trained, options(trained)).figures[-1]
    run, result = measure_on_workspace(trained, WorkspaceMeasureOptions("w", device="cpu"))
    assert list(result.pruners) == [*PRUNERS, "near", "random", "trained"]
    assert result.pruners["trained"].means == KeptPrunerFigures.of(own).means
    assert result.pruners["trained"].means.keys() == {"node_ap", "edge_ap", "support_recall@10"}
    assert (result.workspace, result.questions) == ("w", own.n)
    assert result.documents == NUM_TALKS
    assert list(result.as_json()) == [
        *("workspace", "set", "documents", "questions", "pruners", "intervals", "run")
    ]
    assert result.pruners["trained"].note == ""
    assert run.is_done
    shutil.copytree(pruner_folder(trained, "w"), tmp_path / "p")
    again = [
        "prior",
        str(tmp_path / "p"),
        f"{tmp_path / 'p'}/",
        str(pruner_folder(trained, "w")),
        "trained",
    ]
    named = WorkspaceMeasureOptions("w", pruners=again, device="cpu")
    assert list(measure_on_workspace(trained, named)[1].pruners) == [
        again[0],
        again[1],
        again[3],
    ], "each checkpoint once"


def test_a_pruner_that_may_have_seen_what_it_is_measured_on_is_told(
    trained: Settings, tmp_path: Path
) -> None:
    path = pruner_folder(trained, "w") / "model.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    kept = dict(found["figures"])
    del found["figures"]["measures"]  # as earlier versions wrote it
    path.write_text(json.dumps(found), encoding="utf-8")
    own = WorkspaceMeasureOptions("w", pruners=["trained"], device="cpu")
    assert measure_on_workspace(trained, own)[1].pruners["trained"].note == SEEN
    path.write_text(json.dumps(found | {"figures": kept}), encoding="utf-8")
    made_file(trained, tmp_path / "q.jsonl", 80)
    others = WorkspaceMeasureOptions(
        "w", tmp_path / "q.jsonl", pruners=["none", "trained"], device="cpu"
    )
    measured = measure_on_workspace(trained, others)[1].pruners
    assert [own.note for own in measured.values()] == ["", OTHER_STATE]
    with open_workspace("w", settings=trained) as space:
        space.ingest_jobs.ingest_imported([talk(NUM_TALKS)], FastExtractor())
    assert (
        measure_on_workspace(trained, WorkspaceMeasureOptions("w", device="cpu"))[1]
        .pruners["trained"]
        .note
        == OTHER_STATE
    )


def test_what_cannot_be_measured_on_a_workspace_is_told(settings: Settings) -> None:
    for pruner, said in (
        ("trained", "has no trained pruner"),
        ("magic", "no pruner 'magic'"),
    ):
        with pytest.raises(UsageError, match=said):
            measure_on_workspace(
                settings, WorkspaceMeasureOptions("w", pruners=[pruner], device="cpu")
            )


def test_the_command_measures_the_workspaces_pruners(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert app(["evaluate", "pruner", "--workspace", "w", "--json"], standalone_mode=False) == 0
    assert set(json.loads(capsys.readouterr().out)["pruners"]) == {
        *PRUNERS,
        "near",
        "random",
    }
    assert app(["evaluate", "pruner", "--workspace", "w"], standalone_mode=False) == 0
    assert "Against none" in capsys.readouterr().out


# -------------------------------------------------------------------------------------- the command


def test_the_command_says_what_was_learned_and_who_uses_it(
    trained: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [
        "train",
        "pruner",
        "--workspace",
        "w",
        "--max-epochs",
        "2",
        "--max-examples",
        "24",
        "--device",
        "cpu",
    ]
    assert app(given, standalone_mode=False) == 0
    said = capsys.readouterr().out
    assert "these were made now, of the workspace's records, without a model" in said
    assert f"of {NUM_TALKS} documents, each measured by a network that learned from others" in said
    assert re.search(r"\nit is .* the untrained `(prior|none|near)`.*entities [+-]", said)
    assert "--pruner" in said
    assert app([*given, "--json"], standalone_mode=False) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["beats_untrained"] is is_default(pruner_folder(trained, "w"))
    assert {"folder", "workspace", "questions", "left_out", "documents", "pruners"} < found.keys()


def test_without_a_name_the_default_workspace_is_meant(settings: Settings) -> None:
    with pytest.raises(WorkspaceError, match="no workspace 'default'"):
        app(["train", "pruner"], standalone_mode=False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--data", "sets"], "name one with --dataset"),
        (["--workspace", "w", "--dataset", "webqsp"], "give one"),
        (["--workspace", "w", "--data", "sets"], "or leave them out"),
        (["--dataset", "webqsp", "--questions", "q.jsonl"], "name it with --workspace"),
        (["--dataset", "webqsp", "--data", "sets"], "--out, a folder for the checkpoint"),
    ],
)
def test_a_workspace_and_a_set_exclude_each_other(given: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        app(["train", "pruner", *given], standalone_mode=False)
