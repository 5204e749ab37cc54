"""A run of pruners is kept as others are: its folder, its report, its place in the app's list;
other checkpoints are other settings.
"""

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dynagrag import wiring
from dynagrag.cli.evaluate.pruner import pruner_lines
from dynagrag.config.settings import Settings
from dynagrag.core.errors import UsageError
from dynagrag.evaluation.pruning.measuring_run import SetMeasureOptions, measure_on_set
from dynagrag.evaluation.pruning.pruner_folder import PrunerRun
from dynagrag.evaluation.pruning.pruning_measures import NAMES, NODE_AP
from dynagrag.fakes import FakeEmbedder
from dynagrag.ui.evaluate import run_tables
from dynagrag.ui.evaluate.kept_runs import kept_runs, view_of

PRUNERS = ("random", "none", "prior")


@pytest.fixture
def data(sets: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(wiring, "make_embedder", lambda settings: FakeEmbedder(64))
    return sets


def test_what_was_measured_is_kept_and_listed(data: Path, home: Path) -> None:
    settings = Settings(home=home)
    run, summary, figures = measure_on_set(
        settings, SetMeasureOptions("pathquestion", data, pruners=PRUNERS)
    )
    assert run.path.parent == home / "evaluation" / "runs"
    kept = PrunerRun.read(run.path)
    assert kept.summary() == summary
    lines = kept.lines()
    assert len(lines) == len(PRUNERS) * summary["questions"] > 0
    own = [line.measures[NODE_AP] for line in lines if line.pruner == "random"]
    assert sum(own) / len(own) == pytest.approx(figures[0].means[NODE_AP].mean), (
        "the lines say what the means are of"
    )
    (view,), unreadable = kept_runs(settings)
    assert (view.what, view.arms, view.asked_of, unreadable) == (
        "pruners",
        PRUNERS,
        "pathquestion PQ-2H",
        {},
    )
    (table,) = run_tables.tables(view)
    assert [row["Pruner"] for row in table.rows] == list(PRUNERS)
    mean, interval = summary["pruners"]["random"][NODE_AP], summary["intervals"]["random"][NODE_AP]
    assert (
        table.rows[0][NODE_AP]
        == f"{100 * mean:.1f} ({100 * interval[0]:.1f} to {100 * interval[1]:.1f})"
    )


def test_the_report_tells_each_pruner_against_the_best_untrained_one_and_shows_the_worst_questions(
    data: Path, home: Path
) -> None:
    run, summary, figures = measure_on_set(
        Settings(home=home), SetMeasureOptions("pathquestion", data, pruners=PRUNERS)
    )
    html = (run.path / "report.html").read_text(encoding="utf-8")
    HTMLParser().feed(html)
    for name in PRUNERS:
        assert f"{name}: {NODE_AP} {100 * summary['pruners'][name][NODE_AP]:.1f}" in html
    best = min(
        figures[0].against, key=lambda other: figures[0].against[other].measures[NODE_AP].mean
    )
    assert f"points against {best} (95 % interval" in html
    printed = "\n".join(pruner_lines(figures))
    for row in run_tables.tables(view_of(run.path))[0].rows:
        for cell in list(row.values())[1:]:
            assert cell in printed, "the terminal rounds as the report does"
    assert "The worst questions of random" in html
    assert all(f"<dt>{name}</dt>" in html for name in NAMES), "each measure is explained"


def test_a_run_with_out_is_made_again_in_its_place_and_other_pruners_are_refused_there(
    data: Path, home: Path, tmp_path: Path
) -> None:
    settings, out = Settings(home=home), tmp_path / "run"
    first, _, _ = measure_on_set(
        settings, SetMeasureOptions("pathquestion", data, pruners=PRUNERS, out=out)
    )
    before = (out / "summary.json").read_bytes()
    assert first.path == out
    measure_on_set(settings, SetMeasureOptions("pathquestion", data, pruners=PRUNERS, out=out))
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
            settings, SetMeasureOptions("pathquestion", data, pruners=PRUNERS, out=other)
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
    run, _, _ = measure_on_set(settings, options)
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
