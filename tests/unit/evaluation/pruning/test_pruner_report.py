"""A run of pruners is kept as others are: its folder, its report, its place in the app's list;
other checkpoints are other settings.
"""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dynagrag import wiring
from dynagrag.cli.evaluate.pruner import PRUNER_MEASURES
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.evaluation.frame.report import cell_text
from dynagrag.evaluation.pruning.measuring_run import SetMeasureOptions, measure_on_set
from dynagrag.evaluation.pruning.pruner_report import WORDS, PrunerRun
from dynagrag.evaluation.pruning.pruning_measures import NAMES, NODE_AP
from dynagrag.fakes import FakeEmbedder
from dynagrag.registry.pruners import PRUNERS, PrunerChoice
from dynagrag.training.pruner.training_report import TRAINING_WORDS
from dynagrag.ui.evaluate.kept_runs import kept_runs

COMPARED = ("random", "none", "prior")


@pytest.fixture
def data(sets: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(wiring, "make_embedder", lambda settings: FakeEmbedder(64))
    return sets


def test_what_was_measured_is_kept_and_listed(data: Path, home: Path) -> None:
    settings = Settings(home=home)
    run, result = measure_on_set(
        settings, SetMeasureOptions("pathquestion", data, pruners=COMPARED)
    )
    assert run.path.parent == home / "evaluation" / "runs"
    kept = PrunerRun.read(run.path)
    assert kept.result() == result
    lines = kept.lines()
    assert len(lines) == len(COMPARED) * result.questions > 0
    own = [line.measures[NODE_AP] for line in lines if line.pruner == "random"]
    assert sum(own) / len(own) == pytest.approx(
        result.pruners["random"].means[NODE_AP], abs=1e-6
    ), "the lines say what the means are of"
    (view,), unreadable = kept_runs(settings)
    assert (view.what, view.arms, view.asked_of, unreadable) == (
        "pruners",
        COMPARED,
        "pathquestion PQ-2H",
        {},
    )
    table = kept.report().results[0].tables[0]
    assert [name for name, _ in table.rows] == list(COMPARED)
    mean, (low, high) = (
        result.pruners["random"].means[NODE_AP],
        result.intervals["random"][NODE_AP],
    )
    assert (
        cell_text(table.rows[0][1][0]) == f"{100 * mean:.1f} ({100 * low:.1f} to {100 * high:.1f})"
    )


def test_a_summary_of_before_is_read(data: Path, home: Path) -> None:
    run, result = measure_on_set(
        Settings(home=home), SetMeasureOptions("pathquestion", data, pruners=COMPARED)
    )
    old = json.loads(run.summary_file.read_text(encoding="utf-8"))
    assert list(old) == [
        *("format", "dataset", "part", "set", "questions", "pruners", "intervals", "run")
    ]
    del old["format"]
    for own in old["pruners"].values():
        del own["n_edge_ap"], own["against_near"]  # as the first runs had it
    run.summary_file.write_text(json.dumps(old), encoding="utf-8")
    read = PrunerRun.read(run.path)
    assert read.result().pruners["random"].means == result.pruners["random"].means
    assert set(read.result().pruners["random"].gains) == set(PRUNERS)
    assert "Against near" not in str(read.report().results)


@pytest.mark.parametrize("row", PRUNERS.values(), ids=lambda row: row.name)
def test_reports_and_help_have_the_words_of_each_row(row: PrunerChoice) -> None:
    assert f"{row.name}: {row.explanation}" in WORDS["pruner"].split("; ")
    assert row.explanation.split(",")[0] in TRAINING_WORDS[row.name]
    _, _, untrained = PRUNER_MEASURES.partition("untrained pruners (")
    assert row.name in untrained.partition(")")[0].split(", ")


def test_the_report_tells_each_pruner_against_the_best_untrained_one_and_shows_the_worst_questions(
    data: Path, home: Path
) -> None:
    run, result = measure_on_set(
        Settings(home=home), SetMeasureOptions("pathquestion", data, pruners=COMPARED)
    )
    html = (run.path / "report.html").read_text(encoding="utf-8")
    HTMLParser().feed(html)
    for name in COMPARED:
        assert f"{name}: {NODE_AP} {100 * result.pruners[name].means[NODE_AP]:.1f}" in html
    best = result.pruners["random"].best_untrained
    assert f"points against {best} (95 % interval" in html
    assert "The worst questions of random" in html
    assert all(f"<dt>{name}</dt>" in html for name in NAMES), "each measure is explained"


def test_a_run_with_out_is_made_again_in_its_place_and_other_pruners_are_refused_there(
    data: Path, home: Path, tmp_path: Path
) -> None:
    settings, out = Settings(home=home), tmp_path / "run"
    first, _ = measure_on_set(
        settings, SetMeasureOptions("pathquestion", data, pruners=COMPARED, out=out)
    )
    before = (out / "summary.json").read_bytes()
    assert first.path == out
    measure_on_set(settings, SetMeasureOptions("pathquestion", data, pruners=COMPARED, out=out))
    assert (out / "summary.json").read_bytes() == before
    with pytest.raises(UsageError, match=r"other settings: pruners was"):
        measure_on_set(
            settings, SetMeasureOptions("pathquestion", data, pruners=["prior"], out=out)
        )
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="holds something else"):
        measure_on_set(
            settings, SetMeasureOptions("pathquestion", data, pruners=COMPARED, out=other)
        )


@pytest.mark.slow
def test_a_checkpoint_that_changed_is_another_setting(
    data: Path, home: Path, tmp_path: Path
) -> None:
    from dynagrag.training.pruner.training_run import TrainOptions, train_on_set

    settings = Settings(home=home)
    folder, _ = train_on_set(
        settings,
        TrainOptions("pathquestion", data, out=tmp_path / "own", max_epochs=1, device="cpu"),
    )
    options = SetMeasureOptions(
        "pathquestion", data, pruners=[str(folder)], device="cpu", out=tmp_path / "run"
    )
    run, _ = measure_on_set(settings, options)
    assert list(
        json.loads((run.path / "run.json").read_text(encoding="utf-8"))["settings"]["checkpoints"]
    ) == [str(folder)]
    again, _ = train_on_set(
        settings,
        TrainOptions(
            "pathquestion", data, out=tmp_path / "again", max_epochs=1, seed=1, device="cpu"
        ),
    )
    for name in ("model.safetensors", "model.json"):
        (folder / name).write_bytes((again / name).read_bytes())
    with pytest.raises(UsageError, match=r"other settings: checkpoints: .*own changed"):
        measure_on_set(settings, options)
