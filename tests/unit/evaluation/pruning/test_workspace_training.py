"""Training a pruner on a workspace: its questions with labels from provenance, documents kept
apart, and where the checkpoint goes.
"""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dynagrag.cli.main import app
from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, UsageError, WorkspaceError
from dynagrag.evaluation.pruning.answer_support import Support
from dynagrag.evaluation.pruning.measuring_run import (
    OTHER_STATE,
    WorkspaceMeasureOptions,
    measure_on_workspace,
)
from dynagrag.evaluation.pruning.pruner_figures import KeptPrunerFigures
from dynagrag.evaluation.pruning.pruning_example import Part, PruningExample
from dynagrag.evaluation.pruning.retrieved_examples import RetrievedExamples
from dynagrag.evaluation.pruning.training_questions import make_questions_of, split_questions
from dynagrag.evaluation.questions.made_question import QuestionKind
from dynagrag.ingest.extract.fast_extractor import FastExtractor
from dynagrag.registry.pruners import PRUNERS
from dynagrag.training.pruner.workspace_training import (
    WorkspaceTraining,
    WorkspaceTrainOptions,
    train_on_workspace,
)
from dynagrag.workspace.facade import AskOptions, open_workspace
from dynagrag.workspace.workspace_pruner import CHANGED, is_default, pruner_folder
from tests.talks import NUM_TALKS, fill, filled_home, made_file, talk, write

if TYPE_CHECKING:
    from dynagrag.checkpoints.training_loop import Epoch

pytestmark = pytest.mark.slow


@pytest.fixture
def settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    return filled_home(home, monkeypatch)


def options(settings: Settings, **more: object) -> WorkspaceTrainOptions:
    given = {
        "out": pruner_folder(settings, "w"),
        "max_epochs": 2,
        "max_examples": 24,
        "device": "cpu",
    }
    return WorkspaceTrainOptions("w", **given | more)  # type: ignore[arg-type]


# -------------------------------------------------------------------------------- questions, splits


def test_a_document_in_two_splits_is_refused_by_its_title(
    settings: Settings, tmp_path: Path
) -> None:
    rows = [
        row
        for row in made_file(settings, tmp_path / "q.jsonl")
        if row["kind"] == QuestionKind.CLOZE and row["split"] == "train"
    ]
    rows[0]["split"] = "test"
    with pytest.raises(
        UsageError, match=r"'Talk \d' have the splits .* give all of them one split"
    ):
        train_on_workspace(
            settings, options(settings, questions=write(tmp_path / "mixed.jsonl", rows))
        )


def test_questions_without_provenance_of_the_workspace_are_too_few(
    settings: Settings, tmp_path: Path
) -> None:
    path = write(tmp_path / "q.jsonl", [{"question": f"Who is {i}?"} for i in range(30)])
    with pytest.raises(
        UsageError,
        match=(
            r"left out: 30 x it has neither provenance nor turns in the workspace\); make more with"
            r" `dynagrag evaluate questions"
        ),
    ):
        train_on_workspace(settings, options(settings, questions=path))


def test_two_documents_are_too_few_and_the_line_says_how_many_it_takes(settings: Settings) -> None:
    fill(settings, "two", range(2))
    chosen = WorkspaceTrainOptions("two", out=pruner_folder(settings, "two"), device="cpu")
    with pytest.raises(
        UsageError,
        match=r"0 to choose the epoch by \(5 are needed\).*of 2 documents.*3 are needed at least",
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
        added = maker.example("q", question, "d", Support(), missed).subgraphs
        assert [own.nodes[0] for own in added] == [*centres, missed]
        assert added[-1].score == expected[-1].score, (
            "on the scale of those that were found, and no better than the last of them"
        )
        assert len(maker.example("q", question, "d", Support(), centres[0]).subgraphs) == len(
            centres
        )


def test_what_a_made_question_asks_about_supports_it(settings: Settings) -> None:
    from dynagrag.evaluation.pruning.answer_support import SupportFinder

    with open_workspace("w", settings=settings) as space:
        snapshot = space.current_graph.snapshot()
        finder = SupportFinder(snapshot)
        for question in make_questions_of(snapshot):
            made_of = question.provenance
            support = finder.find(made_of.entities, made_of.records, made_of.passages)
            assert {snapshot.graph.entities[i].id for i in support.nodes} >= set(made_of.entities)


def test_what_a_question_asks_about_is_added_to_no_question_that_measures(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, list[object]] = {}
    plain = RetrievedExamples.example

    def watched(
        self: RetrievedExamples,
        id_: str,
        text: str,
        group: str,
        support: Support,
        centre: int | None = None,
    ) -> PruningExample:
        asked.setdefault(group, []).append(centre)
        return plain(self, id_, text, group, support, centre)

    monkeypatch.setattr(RetrievedExamples, "example", watched)
    train_on_workspace(settings, options(settings))
    added = [
        document
        for document, centres in asked.items()
        if any(centre is not None for centre in centres)
    ]
    assert added
    with open_workspace("w", settings=settings) as space:
        parts = split_questions(
            make_questions_of(space.current_graph.snapshot()), space.current_graph.snapshot()
        ).parts
    assert {*added} <= {document for _, document in parts[Part.TRAIN]}


# ----------------------------------------------------------------------------------------- training


def test_a_pruner_is_trained_without_a_file_and_lies_in_the_workspace(settings: Settings) -> None:
    seen: list[int] = []
    made = train_on_workspace(
        settings, options(settings), on_epoch=lambda epoch: seen.append(epoch.number)
    )
    assert seen == [0, 1, 2]
    assert made.num_documents == NUM_TALKS
    assert set(made.questions) == {part.value for part in Part}
    folder = pruner_folder(settings, "w")
    checkpoint = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    assert {"workspace", "questions", "graph", "version"} <= checkpoint["made_with"].keys()
    assert is_default(folder) is checkpoint["figures"]["beats_untrained"]
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "Learning curve" in report
    assert "Odyssey" not in report, "a report in the workspace holds nothing of its texts"


def test_an_answer_says_that_the_workspace_changed_since_its_pruner_was_trained(
    settings: Settings,
) -> None:
    train_on_workspace(settings, options(settings, max_epochs=1))
    asked = AskOptions(profile="graph", pruner="trained")
    with open_workspace("w", settings=settings) as space:
        assert (
            CHANGED not in space.evidence("What did Ada say about the Odyssey?", asked).trace.notes
        )
        space.ingest_jobs.ingest_imported([talk(NUM_TALKS)], FastExtractor())
        assert CHANGED in space.evidence("What did Ada say about the Odyssey?", asked).trace.notes


def test_a_pruner_that_beat_the_prior_stays_where_the_next_one_does_not(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    assert train_on_workspace(settings, options(settings)).has_replaced
    assert (
        "1 document to measure on: this pruner can't become the default, which takes 5"
        in caplog.text
    )
    path = pruner_folder(settings, "w") / "model.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace(
            '"beats_untrained": false', '"beats_untrained": true'
        ),
        encoding="utf-8",
    )
    assert is_default(path.parent)
    before = path.read_bytes()
    (path.parent / "training.safetensors").write_bytes(b"cut")
    assert not train_on_workspace(settings, options(settings, seed=1)).has_replaced
    assert path.read_bytes() == before
    assert "begins anew" in caplog.text, "a damaged file of a training stops no other"


def test_a_damaged_training_without_a_checkpoint_is_dropped_in_the_workspaces_folder_alone(
    settings: Settings, tmp_path: Path
) -> None:
    for folder in (pruner_folder(settings, "w"), tmp_path / "p"):
        folder.mkdir(parents=True)
        (folder / "training.safetensors").write_bytes(b"cut")
    with pytest.raises(LoadError, match="delete it, or name another folder with --out"):
        train_on_workspace(settings, options(settings, out=tmp_path / "p", max_epochs=1))
    train_on_workspace(settings, options(settings, max_epochs=1))
    assert (pruner_folder(settings, "w") / "model.json").is_file()


def test_a_new_training_leaves_the_old_checkpoint_until_it_is_done(settings: Settings) -> None:
    train_on_workspace(settings, options(settings))
    folder = pruner_folder(settings, "w")
    before = (folder / "model.json").read_bytes()

    def stop(epoch: "Epoch") -> None:
        if epoch.number:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_on_workspace(settings, options(settings, seed=1), on_epoch=stop)
    assert (folder / "model.json").read_bytes() == before
    train_on_workspace(settings, options(settings, seed=1))
    assert (
        json.loads((folder / "model.json").read_text(encoding="utf-8"))["made_with"]["options"][
            "seed"
        ]
        == 1
    )


def test_another_folder_is_no_place_for_a_training_begun_otherwise(
    settings: Settings, tmp_path: Path
) -> None:
    train_on_workspace(settings, options(settings, out=tmp_path / "p", max_epochs=1))
    with pytest.raises(UsageError, match="other settings or data"):
        train_on_workspace(settings, options(settings, out=tmp_path / "p", seed=1, max_epochs=1))


KILLED = """
import os, signal, sys
from pathlib import Path
from dynagrag import wiring
from dynagrag.training.pruner.workspace_training import WorkspaceTrainOptions, train_on_workspace
from dynagrag.fakes import FakeEmbedder
from dynagrag.config.settings import Settings

wiring.make_embedder = lambda settings: FakeEmbedder(32)
home, out = map(Path, sys.argv[1:3])
options = WorkspaceTrainOptions("w", out=out, max_epochs=3, max_examples=24, device="cpu")

def kill_after_the_first(epoch):
    if epoch.number:
        os.kill(os.getpid(), signal.SIGKILL)

train_on_workspace(Settings(home=home), options, on_epoch=kill_after_the_first)
"""


def test_a_training_that_was_killed_goes_on_with_the_same_numbers(
    settings: Settings, tmp_path: Path
) -> None:
    def train(out: Path, seen: list[int]) -> WorkspaceTraining:
        chosen = options(settings, out=out, max_epochs=3)
        return train_on_workspace(
            settings, chosen, on_epoch=lambda epoch: seen.append(epoch.number)
        )

    whole, resumed, killed = list[int](), list[int](), tmp_path / "killed"
    expected = train(tmp_path / "whole", whole)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(settings.home), str(killed)], env=os.environ, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert not (killed / "model.json").exists()
    found = train(killed, resumed)
    assert (whole, resumed) == ([0, 1, 2, 3], [0, 2, 3])
    assert [own.means for own in found.figures] == [own.means for own in expected.figures]


# ---------------------------------------------------------------------------------------- measuring


def test_a_workspace_measures_what_its_training_measured(
    settings: Settings, tmp_path: Path
) -> None:
    trained = train_on_workspace(settings, options(settings))
    run, result = measure_on_workspace(settings, WorkspaceMeasureOptions("w", device="cpu"))
    assert list(result.pruners) == [*PRUNERS, "near", "random", "trained"]
    assert result.pruners["trained"].means == KeptPrunerFigures.of(trained.figures[-1]).means
    assert result.pruners["trained"].means.keys() == {"node_ap", "edge_ap", "support_recall@10"}
    assert (result.workspace, result.questions) == ("w", trained.questions["test"])
    assert list(result.as_json()) == [
        *("workspace", "set", "documents", "questions", "pruners", "intervals", "run")
    ]
    assert result.pruners["trained"].note == ""
    assert run.is_done
    train_on_workspace(settings, options(settings, out=tmp_path / "p", seed=1, max_epochs=1))
    again = [
        "prior",
        str(tmp_path / "p"),
        f"{tmp_path / 'p'}/",
        str(pruner_folder(settings, "w")),
        "trained",
    ]
    named = WorkspaceMeasureOptions("w", pruners=again, device="cpu")
    assert list(measure_on_workspace(settings, named)[1].pruners) == [
        again[0],
        again[1],
        again[3],
    ], "each checkpoint once"


def test_a_pruner_that_may_have_seen_what_it_is_measured_on_is_told(
    settings: Settings, tmp_path: Path
) -> None:
    train_on_workspace(settings, options(settings, max_epochs=1))
    made_file(settings, tmp_path / "q.jsonl", 80)
    others = WorkspaceMeasureOptions(
        "w", tmp_path / "q.jsonl", pruners=["none", "trained"], device="cpu"
    )
    measured = measure_on_workspace(settings, others)[1].pruners
    assert [own.note for own in measured.values()] == ["", OTHER_STATE]
    with open_workspace("w", settings=settings) as space:
        space.ingest_jobs.ingest_imported([talk(NUM_TALKS)], FastExtractor())
    assert (
        measure_on_workspace(settings, WorkspaceMeasureOptions("w", device="cpu"))[1]
        .pruners["trained"]
        .note
        == OTHER_STATE
    )


def test_what_cannot_be_measured_on_a_workspace_is_told(settings: Settings) -> None:
    fill(settings, "one", range(1))
    for workspace, pruners, said in (
        ("w", ["trained"], "has no trained pruner"),
        ("w", ["magic"], "no pruner 'magic'"),
        ("one", ["prior"], "no question of a held-out document: ingest more"),
    ):
        with pytest.raises(UsageError, match=said):
            measure_on_workspace(
                settings, WorkspaceMeasureOptions(workspace, pruners=pruners, device="cpu")
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
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [
        "train",
        "pruner",
        "--workspace",
        "w",
        "--max-epochs",
        "1",
        "--max-examples",
        "60",
        "--device",
        "cpu",
    ]
    assert app(given, standalone_mode=False) == 0
    said = capsys.readouterr().out
    assert "these were made now, of the workspace's records, without a model" in said
    assert f"of {NUM_TALKS} documents, each in one split alone" in said
    assert re.search(
        r"on \d+ documents? that it did not see it is .* than the untrained"
        r" `(prior|none)`.*entities [+-]",
        said,
    )
    assert "--pruner" in said
    assert app([*given, "--json"], standalone_mode=False) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["beats_untrained"] is is_default(pruner_folder(settings, "w"))
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
