"""`dynagrag evaluate entities`: what it prints, its exit code, and the replies that it keeps."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from labelled_names import Waiter, diners, line, record

from dynagrag.cli.evaluate import entities as cli_evaluate_entities
from dynagrag.evaluation.entities.entity_report import EntityRun
from dynagrag.evaluation.entities.entity_resolution import EntityResult, evaluate_entities
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.terminal import report_lines
from dynagrag.fakes import FakeEmbedder
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.journal.workspace_journal import Journal


@pytest.fixture
def own_file(
    tmp_path: Path, openai_stub: OpenAIStubServer, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A set with a line that is none; the embedder is a server on the loopback, which has a chat
    model too.
    """
    path = tmp_path / "diners.txt"
    lines = [
        line(record("Blue Door"), record("the blue door"), 1),
        line(record("Old Harbor Fish"), record("old harbor fish house"), 1),
        "?",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setenv("OPENAI_BASE_URL", openai_stub.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.setenv("DYNAGRAG_EMBEDDER", "openai:fake")
    return path


def command(*args: str) -> object:
    app = typer.Typer(rich_markup_mode=None)
    app.command()(cli_evaluate_entities.entities)
    return app(args=list(args), standalone_mode=False)


def test_the_command_prints_json_and_says_by_its_exit_code_that_lines_were_set_aside(
    own_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        command("--dataset", "ditto", "--data", str(own_file), "--json", "--threshold", "0.7") == 3
    )
    report = json.loads(capsys.readouterr().out)
    assert (
        report["dataset"],
        report["num_pairs"],
        report["blocking"]["recall"],
        report["with_model"],
    ) == ("diners", 2, 1.0, None)
    assert report["without_model"]["pair"] == {
        "precision": 1.0,
        "recall": 0.5,
        "f1": pytest.approx(2 / 3),
    }
    assert [row["cosine"] for row in report["thresholds"]] == [0.7]
    folder = Path(report["run"])
    assert {path.name for path in folder.iterdir()} == {
        "run.json",
        "missed.jsonl",
        "summary.json",
        "report.html",
    }
    html = (folder / "report.html").read_text(encoding="utf-8")
    for part in (
        "rules alone: 50.0 (0.0 to 100.0) % of the pairs of one thing are joined",
        "set aside 1 x",
        "Quality against cost",
    ):
        assert part in html
    assert "<script" not in html


def kept(home: Path, result: EntityResult) -> EntityRun:
    run = EntityRun.begin(home, "entities", {"dataset": "diners"})
    run.keep_result(result)
    return run


def test_pairs_joined_wrongly_are_told_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = evaluate_entities(
        diners(), FakeEmbedder(), judge=Waiter(lambda shown: []), judge_name="waiter"
    )
    quality = replace(report.without_model, wrong=(("Blue <b>Door</b>", "Red Door"),))
    run = kept(tmp_path, report.model_copy(update={"without_model": quality}))
    html = render(run.report(), run.head)
    assert "Blue &lt;b&gt;Door&lt;/b&gt; / Red Door" in html
    assert "Pier 7 Bar / pier bar" in html


def test_the_command_keeps_a_models_replies_so_that_the_same_run_asks_nothing_twice(
    own_file: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        command("--dataset", "ditto", "--data", str(own_file), "--llm", "openai:fake", "--json")
    first, second = (json.loads(out)["with_model"] for out in capsys.readouterr().out.splitlines())
    assert first["num_calls"] == 1
    assert first["quality"] == second["quality"]
    journal = Journal(home / "evaluation" / "entities" / "journal.sqlite")
    assert [(row.calls, row.cached) for row in journal.ledger()] == [(1, 1)]
    journal.close()


def test_people_read_every_part_of_the_report(tmp_path: Path) -> None:
    result = evaluate_entities(
        diners(), FakeEmbedder(), judge=Waiter(lambda shown: []), judge_name="waiter"
    )
    text = "\n".join(report_lines(kept(tmp_path, result).report()))
    for part in (
        "diners: which names are joined",
        (
            "6 labelled pairs of 9 names under 8 keys, 4 of them one thing (bare names, embedder"
            " fake): are those joined"
        ),
        "Blocking recall 75.0.",
        "'Pier 7 Bar / pier bar (cosine",
        "rules alone  100.0 (",
        "waiter       100.0 (",
        "pairs that the set doesn't label count as different in clusters, and not at all in pairs",
    ):
        assert part.strip("'") in text


def test_a_summary_of_before_is_read(tmp_path: Path) -> None:
    result = evaluate_entities(diners(), FakeEmbedder())
    run = kept(tmp_path, result)
    before = json.loads(run.summary_file.read_text(encoding="utf-8"))
    del before["run"], before["format"]  # which it had not
    run.summary_file.write_text(json.dumps(before), encoding="utf-8")
    assert run.result() == result
