"""An experiment of the frame: the one that CONTRIBUTING shows, run, stopped, resumed, failed, read
back, and as a command.
"""

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import dedent
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import typer

from dynagrag.cli.evaluate.kind_command import command_of
from dynagrag.cli.terminal import EXIT_SET_ASIDE
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.evaluation.frame.experiment import Watch
from dynagrag.evaluation.frame.kept_run import ManyFailuresError, StoppedRunError
from dynagrag.evaluation.frame.results import Result
from dynagrag.evaluation.frame.running import run_experiment
from dynagrag.evaluation.kinds import KINDS, EvaluationKind
from dynagrag.evaluation.question_sets.question_set import DataFile

ROOT = Path(__file__).parents[4]
TEXTS = [("HELP", True), ("HELP!", True), ("Fine!", False), ("fine", False)]


def _blocks() -> tuple[str, str, str]:
    """The data, the measures and the row of the table, as CONTRIBUTING has them."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.partition("### A kind of evaluation")[2].partition("\n### ")[0]
    data, measures, row = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return dedent(data), dedent(measures), dedent(row)


@pytest.fixture(autouse=True)
def shown(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The names of the module `shout_measures` that CONTRIBUTING shows."""
    data, measures, _ = _blocks()
    monkeypatch.setitem(sys.modules, "dynagrag.evaluation.shouts", ModuleType("shouts"))
    for name, code in (("shout_texts", data), ("shout_measures", measures)):
        module = ModuleType(f"dynagrag.evaluation.shouts.{name}")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(compile(code, name, "exec"), module.__dict__)
    return module


def _items(texts: Sequence[tuple[str, bool]] = TEXTS) -> list[Any]:
    """Texts whose words are their ids."""
    make: Any = vars(sys.modules["dynagrag.evaluation.shouts.shout_texts"])["Text"]
    return [make(text, text, is_shout) for text, is_shout in texts]


def test_the_example_measures_is_kept_and_is_read_back(shown: Any, tmp_path: Path) -> None:
    experiment = shown.ShoutExperiment(_items(), DataFile("texts.jsonl", "0"))
    run, result = run_experiment(experiment, tmp_path)
    assert {name: own.mean for name, own in result.right.items()} == {"capitals": 1.0, "mark": 0.5}
    assert {name: own.mean for name, own in result.differences.items()} == {"mark": -0.5}
    assert {path.name for path in run.path.iterdir()} == {
        "run.json",
        "found.jsonl",
        "summary.json",
        "report.html",
    }
    assert shown.ShoutRun.read(run.path).result() == result
    page = (run.path / "report.html").read_text(encoding="utf-8")
    assert "capitals is right most often: 100.0" in page
    assert "mark, -50.0 points against capitals" in page
    kept = json.loads((run.path / "summary.json").read_text())
    assert kept.pop("format") == 1
    assert kept == result.as_json()


class Counted:
    """The example's experiment, which counts what it measures and may fail."""

    def __init__(self, failing: Callable[[str, str], str] = lambda *_: "") -> None:
        shown: Any = sys.modules["dynagrag.evaluation.shouts.shout_measures"]
        self.measured: list[tuple[str, str]] = []
        outer = self

        class Line(shown.ShoutLine):
            error: str = ""

            @property
            def failure(self) -> str:
                return self.error

        class Run(shown.ShoutRun):
            line_kind = Line

        class Own(shown.ShoutExperiment):
            run_kind = Run

            def measure(self, item: Any, arm: str) -> Any:
                outer.measured.append((arm, item.id))
                own = super().measure(item, arm)
                return Line(**own.model_dump(), error=failing(arm, item.id))

            def estimate(self, arm: str, items: Sequence[Any]) -> str:
                return f"{len(items)} texts"

        self.experiment: Any = Own(_items(), DataFile("texts.jsonl", "0"))
        self.run = Run


def test_a_stopped_run_measures_only_what_is_left_and_comes_to_the_same(tmp_path: Path) -> None:
    counted = Counted()

    def interrupt(stage: str, done: int, total: int) -> None:
        if (stage, done, total) == ("measure (mark)", 1, 4):
            raise KeyboardInterrupt

    with pytest.raises(StoppedRunError, match=r"resume with the same command and --out"):
        run_experiment(counted.experiment, tmp_path, watch=Watch(interrupt))
    assert len(counted.measured) == 5
    (folder,) = (tmp_path / "evaluation" / "runs").iterdir()
    lines = folder / "found.jsonl"
    lines.write_bytes(lines.read_bytes()[:-20])
    told: list[tuple[str, object]] = []
    run, result = run_experiment(
        counted.experiment, tmp_path, watch=Watch(None, lambda *own: told.append(own))
    )
    assert run.path == folder
    assert told == [("mark", "4 texts")], "the torn line is measured again"
    assert len(counted.measured) == 5 + 4
    whole = run_experiment(Counted().experiment, tmp_path, tmp_path / "whole")[1]
    assert result.right == whole.right


def test_what_failed_is_tried_again_and_the_last_line_counts(tmp_path: Path) -> None:
    is_down = True
    counted = Counted(lambda arm, text: "no reply" if is_down and text == "HELP!" else "")
    run, _ = run_experiment(counted.experiment, tmp_path, tmp_path / "run")
    assert sum(bool(line.failure) for line in run.lines()) == 2
    is_down = False
    counted.measured.clear()
    run, result = run_experiment(counted.experiment, tmp_path, tmp_path / "run")
    assert counted.measured == [("capitals", "HELP!"), ("mark", "HELP!")]
    assert len(run.lines()) == 10
    assert result.texts == 4


def test_many_failures_in_a_row_stop_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynagrag.evaluation.batches.MAX_FAILED", 3)
    counted = Counted(lambda *_: "no server")
    with pytest.raises(
        ManyFailuresError,
        match=r"the last 3 texts failed \(capitals\): no server; what was done is kept",
    ):
        run_experiment(counted.experiment, tmp_path)
    assert len(counted.measured) == 3


def test_doubles_of_an_id_or_no_item_are_refused_before_a_folder_is_begun(tmp_path: Path) -> None:
    experiment = Counted().experiment
    experiment.items = [*experiment.items, *experiment.items[:2]]
    with pytest.raises(LoadError, match=r"several texts have one id: 'HELP', 'HELP!'; give each"):
        run_experiment(experiment, tmp_path, tmp_path / "run")
    experiment.items = []
    with pytest.raises(LoadError, match="there is no text to measure"):
        run_experiment(experiment, tmp_path, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_what_failed_is_told_in_the_report_and_by_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    is_down = True
    counted = Counted(lambda arm, text: "no reply" if is_down and text == "HELP!" else "")
    kind: Any = SimpleNamespace(help="", experiment=lambda *_: counted.experiment)
    command, out = command_of(kind), tmp_path / "run"
    assert command(tmp_path, out=out) == EXIT_SET_ASIDE
    note = f"2 of 8 lines failed, the first: no reply; the same command with --out {out} tries"
    assert note in capsys.readouterr().out
    assert note in (out / "report.html").read_text(encoding="utf-8")
    is_down = False
    assert command(tmp_path, out=out) == 0
    assert "lines failed" not in capsys.readouterr().out


def test_a_run_of_other_settings_is_refused(tmp_path: Path) -> None:
    first, other = Counted().experiment, Counted().experiment
    run_experiment(first, tmp_path, tmp_path / "run")
    other.items = other.items[:2]
    with pytest.raises(UsageError, match="other settings: asked changed"):
        run_experiment(other, tmp_path, tmp_path / "run")


def test_a_batch_of_several_arms_is_counted_by_the_stage_that_they_share(tmp_path: Path) -> None:
    counted = Counted()
    experiment = counted.experiment

    def measure_all(left: Sequence[Any], keep: Any, watch: Watch) -> None:
        for item in experiment.items:
            keep([experiment.measure(own.item, own.arm) for own in left if own.item == item])

    experiment.measure_all = measure_all
    experiment.stage = lambda trial: "measure"
    seen: list[tuple[str, int, int]] = []
    run_experiment(experiment, tmp_path, watch=Watch(lambda *own: seen.append(own)))
    assert seen == [("measure", done, 8) for done in (2, 4, 6, 8)]


# ------------------------------------------------------------------------------------------ results


@pytest.mark.parametrize("data", ['{"format": 1, "grams": 1.5}', '{"grams": 1.5}'])
def test_a_result_is_read_with_and_without_its_format(data: str) -> None:
    class Weighed(Result):
        grams: float

    assert Weighed.of_file(data.encode()).grams == 1.5


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"format": 9}', "a later version"),
        ("[]", "no object"),
        ("{", "cannot be read"),
        ('{"right": {}}', "texts"),
    ],
)
def test_a_summary_that_cannot_be_read_says_what_to_do(text: str, why: str, tmp_path: Path) -> None:
    run, _ = run_experiment(Counted().experiment, tmp_path)
    run.summary_file.write_text(text, encoding="utf-8")
    with pytest.raises(LoadError, match=f"(?s){why}.*delete that file and run the"):
        run.result()


# -------------------------------------------------------------------------------------------- kinds


def test_each_kind_of_the_table_names_itself() -> None:
    runs = [kind.run() for kind in KINDS]
    assert len({run.evaluates for run in runs}) == len(runs)
    for run in runs:
        assert run.what
        assert run.command.startswith("dynagrag evaluate ")


def test_what_contributing_shows_is_a_kind_and_a_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kind: EvaluationKind = eval(_blocks()[2])
    app = typer.Typer()
    app.command(kind.command)(command_of(kind))
    app.command("other")(lambda: None)
    with pytest.raises(SystemExit):
        app(["shouts", "--help"])
    assert "only this many items" in " ".join(re.findall(r"[\w,.]+", capsys.readouterr().out))
    texts = tmp_path / "texts.jsonl"
    texts.write_text(
        "".join(json.dumps({"text": text, "is_shout": own}) + "\n" for text, own in TEXTS),
        encoding="utf-8",
    )
    asked = ["shouts", "--data", str(texts), "--limit", "3", "--out", str(tmp_path / "run")]
    app([*asked, "--json"], standalone_mode=False)
    printed = json.loads(capsys.readouterr().out)
    assert (printed["texts"], printed["right"]["capitals"]["mean"]) == (3, 1.0)
    app(asked, standalone_mode=False)
    assert "which rule tells which are shouts?" in capsys.readouterr().out
    assert kind.run().read(tmp_path / "run").result().as_json() == printed
    texts.write_text('\n{"text": "a\u2028shout", "is_shout": "false"}\n', encoding="utf-8")
    with pytest.raises(LoadError, match=r"texts\.jsonl, line 2: 'is_shout' must be true or false"):
        app(asked, standalone_mode=False)
