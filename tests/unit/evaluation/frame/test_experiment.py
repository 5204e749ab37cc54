"""An experiment of the frame: the one of its docstring, run, stopped, resumed, failed, read back,
and as a command.
"""

import inspect
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import typer
from pydantic import JsonValue

from dynagrag.cli.evaluate.kind_command import command_of
from dynagrag.cli.terminal import EXIT_SET_ASIDE
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.ids import content_id
from dynagrag.evaluation import frame
from dynagrag.evaluation.bootstrap_intervals import Interval, share_intervals
from dynagrag.evaluation.frame.experiment import ItemExperiment, Watch
from dynagrag.evaluation.frame.experiment_run import ExperimentLine, ExperimentRun
from dynagrag.evaluation.frame.figures import Figure
from dynagrag.evaluation.frame.kept_run import ManyFailuresError, StoppedRunError
from dynagrag.evaluation.frame.report import BarChart, Report, Section, Table
from dynagrag.evaluation.frame.results import Result
from dynagrag.evaluation.frame.running import run_experiment
from dynagrag.evaluation.kinds import KINDS, EvaluationKind


@dataclass(frozen=True)
class Text:
    """A text; its words name it."""

    id: str
    is_shout: bool


ROOT = Path(__file__).parents[4]
RULES: dict[str, Callable[[str], bool]] = {
    "capitals": str.isupper,
    "mark": lambda text: text.endswith("!"),
}
TEXTS = [Text("HELP", True), Text("HELP!", True), Text("Fine!", False), Text("fine", False)] * 1
NAMES = {
    "BarChart": BarChart,
    "ExperimentLine": ExperimentLine,
    "ExperimentRun": ExperimentRun,
    "Figure": Figure,
    "Interval": Interval,
    "ItemExperiment": ItemExperiment,
    "JsonValue": JsonValue,
    "Path": Path,
    "RULES": RULES,
    "Report": Report,
    "Result": Result,
    "Section": Section,
    "Sequence": Sequence,
    "Table": Table,
    "Text": Text,
    "content_id": content_id,
    "run_experiment": run_experiment,
    "share_intervals": share_intervals,
}


def example(home: Path, texts: Sequence[Text] = TEXTS) -> Any:
    """What the frame's docstring shows, run as it stands there."""
    from collections.abc import Mapping

    code = dedent(inspect.getdoc(frame).partition("among texts:\n")[2])
    assert 30 <= len([line for line in code.splitlines() if line.strip()]) <= 45
    found = NAMES | {"Mapping": Mapping, "home": home, "texts": list(texts)}
    exec(compile(code, "the frame's docstring", "exec"), found)
    return SimpleNamespace(**{name: own for name, own in found.items() if name != "__builtins__"})


def test_the_example_measures_is_kept_and_is_read_back(tmp_path: Path) -> None:
    shown = example(tmp_path)
    assert {name: own.mean for name, own in shown.result.right.items()} == {
        "capitals": 1.0,
        "mark": 0.5,
    }
    assert {path.name for path in shown.run.path.iterdir()} == {
        "run.json",
        "found.jsonl",
        "summary.json",
        "report.html",
    }
    assert shown.ShoutRun.read(shown.run.path).result() == shown.result
    assert "Which rule finds them?" in (shown.run.path / "report.html").read_text()
    kept = json.loads((shown.run.path / "summary.json").read_text())
    assert kept.pop("format") == 1
    assert kept == shown.result.as_json()


class Counted:
    """The example's experiment, which counts what it measures and may fail."""

    def __init__(self, home: Path, failing: Callable[[str, str], str] = lambda *_: "") -> None:
        shown = example(home / "example")
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

            def measure(self, item: Text, arm: str) -> Any:
                outer.measured.append((arm, item.id))
                own = super().measure(item, arm)
                return Line(**own.model_dump(), error=failing(arm, item.id))

            def estimate(self, arm: str, items: Sequence[Text]) -> str:
                return f"{len(items)} texts"

        self.experiment, self.run = Own(TEXTS), Run


def test_a_stopped_run_measures_only_what_is_left_and_comes_to_the_same(tmp_path: Path) -> None:
    counted = Counted(tmp_path)

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
    whole = run_experiment(Counted(tmp_path).experiment, tmp_path, tmp_path / "whole")[1]
    assert result.right == whole.right


def test_what_failed_is_tried_again_and_the_last_line_counts(tmp_path: Path) -> None:
    is_down = True
    counted = Counted(tmp_path, lambda arm, text: "no reply" if is_down and text == "HELP!" else "")
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
    counted = Counted(tmp_path, lambda *_: "no server")
    with pytest.raises(
        ManyFailuresError,
        match=r"the last 3 texts failed \(capitals\): no server; what was done is kept",
    ):
        run_experiment(counted.experiment, tmp_path)
    assert len(counted.measured) == 3


def test_items_of_one_id_are_refused_by_name_before_a_folder_is_begun(tmp_path: Path) -> None:
    experiment = Counted(tmp_path).experiment
    experiment.items = [*TEXTS, *TEXTS[:2], TEXTS[0]]
    with pytest.raises(LoadError, match=r"several texts have one id: 'HELP', 'HELP!'; give each"):
        run_experiment(experiment, tmp_path, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_what_failed_is_told_in_the_report_and_by_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    is_down = True
    counted = Counted(tmp_path, lambda arm, text: "no reply" if is_down and text == "HELP!" else "")
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
    first, other = Counted(tmp_path).experiment, Counted(tmp_path).experiment
    run_experiment(first, tmp_path, tmp_path / "run")
    other.items = TEXTS[:2]
    with pytest.raises(UsageError, match="other settings: asked changed"):
        run_experiment(other, tmp_path, tmp_path / "run")


def test_a_batch_of_several_arms_is_counted_by_the_stage_that_they_share(tmp_path: Path) -> None:
    counted = Counted(tmp_path)
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
    run = example(tmp_path).run
    run.summary_file.write_text(text, encoding="utf-8")
    with pytest.raises(LoadError, match=f"(?s){why}.*delete that file and run the same command"):
        run.result()


# -------------------------------------------------------------------------------------------- kinds


def test_each_kind_of_the_table_names_itself() -> None:
    runs = [kind.run() for kind in KINDS]
    assert len({run.evaluates for run in runs}) == len(runs)
    for run in runs:
        assert run.what
        assert run.command.startswith("dynagrag evaluate ")


def test_what_contributing_shows_is_a_kind_and_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its blocks, with the classes of the frame's docstring between the third and the fourth."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.partition("### A kind of evaluation")[2].partition("\n### ")[0]
    blocks = [dedent(own) for own in re.findall(r"```python\n(.*?)```", section, re.DOTALL)]
    data, head, make, row = blocks
    classes = dedent(inspect.getdoc(frame).partition("among texts:\n")[2])
    classes = classes.partition("run, result = run_experiment")[0]
    for name, code in (("shout_texts", data), ("shout_measures", f"{head}\n{classes}\n{make}")):
        module = ModuleType(f"dynagrag.evaluation.shouts.{name}")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(compile(code, name, "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, "dynagrag.evaluation.shouts", ModuleType("shouts"))
    kind: EvaluationKind = eval(row)
    app = typer.Typer()
    app.command(kind.command)(command_of(kind))
    app.command("other")(lambda: None)
    texts = tmp_path / "texts.jsonl"
    texts.write_text(
        "".join(json.dumps({"text": t.id, "is_shout": t.is_shout}) + "\n" for t in TEXTS),
        encoding="utf-8",
    )
    with pytest.raises(SystemExit):
        app(["shouts", "--help"])
    assert "only this many items" in " ".join(re.findall(r"[\w,.]+", capsys.readouterr().out))
    asked = ["shouts", "--data", str(texts), "--limit", "3", "--out", str(tmp_path / "run")]
    app([*asked, "--json"], standalone_mode=False)
    printed = json.loads(capsys.readouterr().out)
    assert (printed["texts"], printed["right"]["capitals"]["mean"]) == (3, 1.0)
    app(asked, standalone_mode=False)
    assert "Which rule finds them?" in capsys.readouterr().out
    assert kind.run().read(tmp_path / "run").result().as_json() == printed
    texts.write_text("a shout", encoding="utf-8")
    with pytest.raises(LoadError, match="give lines with text"):
        app(asked, standalone_mode=False)
