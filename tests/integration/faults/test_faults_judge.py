"""A judge's run that is killed, or whose server is busy: nothing is lost, no call is made again
whose reply came.
"""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from ingests import WatchedModels

from dynagrag.core.protocols import Prompt
from dynagrag.fakes import FakeChat
from dynagrag.fakes.fake_server import Fault, OpenAIStubServer

NUM_ROWS = 12


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """Pairs of which people prefer the good one."""
    folder = tmp_path / "sets"
    (folder / "judge").mkdir(parents=True)
    rows = []
    for i in range(NUM_ROWS):
        outputs = ["a good one", "a bad one"][:: 1 if i % 2 else -1]
        row = {
            "id": i,
            "set": "S",
            "instruction": f"Task {i}.",
            "output_1": outputs[0],
            "output_2": outputs[1],
        }
        rows.append(row | {"better": 1 if i % 2 else 2})
    (folder / "judge" / "pairs.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    return folder


def _prefers_the_good_one(prompt: Prompt, schema: Any) -> str:
    return json.dumps(
        {"better": "1" if prompt.user.index("a good one") < prompt.user.index("a bad one") else "2"}
    )


class JudgeServer(OpenAIStubServer):
    """Prefers the good one; kills a process at one of its requests, before that is answered."""

    def __init__(self) -> None:
        super().__init__(FakeChat(_prefers_the_good_one))
        self.asked: list[str] = []
        self.kill_at: int | None = None
        self.process: Any = None

    def answer(
        self, path: str, body: Any, authorization: str
    ) -> tuple[int, str | list[str]] | None:
        self.asked.append(body["messages"][-1]["content"])
        if len(self.asked) == self.kill_at:
            os.kill(self.process.pid, signal.SIGKILL)
        return super().answer(path, body, authorization)


def arguments(sets: Path, *more: str) -> list[str]:
    return [
        "evaluate",
        "judge",
        "--calibrate",
        "--sets",
        "pairs",
        "--data",
        str(sets),
        "--json",
        *more,
    ]


@pytest.mark.parametrize("kill_at", [1, 8, 2 * NUM_ROWS])
def test_a_calibration_that_is_killed_goes_on_and_asks_nothing_twice(
    kill_at: int, sets: Path, tmp_path: Path, point_at_models: Any, start: Any, cli: Any
) -> None:
    out = str(tmp_path / "run")
    with JudgeServer() as server:
        point_at_models(server, max_concurrency=1)
        server.kill_at = kill_at
        server.process = start(*arguments(sets, "--out", out))
        assert server.process.wait(120) == -signal.SIGKILL
        assert len(server.asked) == kill_at
        first, server.asked, server.kill_at = server.asked, [], None
        resumed = cli(*arguments(sets, "--out", out))
        assert resumed.code == 0, resumed
        own = resumed.json["sets"]["pairs"]
        assert (own["n"], own["accuracy"], own["kappa"], own["flips"], own["unreadable"]) == (
            NUM_ROWS,
            1.0,
            1.0,
            0,
            0,
        )
        assert set(first[:-1]).isdisjoint(server.asked), "a call was made again whose reply came"
        assert len(server.asked) == 2 * NUM_ROWS - (kill_at - 1)
        server.asked = []
        assert cli(*arguments(sets, "--out", out)).json == resumed.json
        assert server.asked == []


def test_a_server_that_is_busy_ends_the_run_with_what_was_judged_kept(
    sets: Path, tmp_path: Path, point_at_models: Any, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNAGRAG_MAX_RETRIES", "0")
    out = str(tmp_path / "run")
    with JudgeServer() as server:
        point_at_models(server, max_concurrency=1)
        assert cli(*arguments(sets, "--out", out, "--max-calls", "5")).code == 1
        assert len(server.asked) == 5
        server.fail_next(Fault.TOO_MANY)
        busy = cli(*arguments(sets, "--out", out))
        assert busy.code == 1
        assert f"resume with the same command and --out {out}" in " ".join(busy.err.split())
        assert cli(*arguments(sets, "--out", out)).code == 0
        assert len(server.asked) == 2 * NUM_ROWS + 1


def test_what_is_missing_is_said(cli: Any, tmp_path: Path, sets: Path) -> None:
    assert "--calibrate" in cli("evaluate", "judge").err
    assert "--data" in cli("evaluate", "judge", "--calibrate").err
    assert "--llm" in cli(*arguments(sets)).err


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("--calibrate --questions q.jsonl", "--questions"),
        ("--calibrate --data sets --arms naive --samples 2", "--arms and --samples"),
        ("--calibrate --data sets --limit 3", "--limit"),
        ("--calibrate --data sets -w talks", "--workspace"),
        ("--calibrate --data sets --baseline naive", "--baseline"),
        ("--calibrate --data sets --forms pairwise", "--forms"),
        ("--calibrate --data sets --embedder minilm", "--embedder"),
        ("--calibrate --data sets --store sqlite", "--store"),
        ("--calibrate --data sets --llm qwen --judge-llm smollm2", "--llm"),
        ("--questions q.jsonl --max-rows 3", "--max-rows"),
        ("--questions q.jsonl --data sets", "--data"),
        ("--questions q.jsonl --sets pairs", "--sets"),
        ("--questions q.jsonl --forms pairwise --samples 2", "--samples"),
    ],
)
def test_an_option_without_an_effect_is_named(cli: Any, given: str, named: str) -> None:
    done = cli("evaluate", "judge", *given.split())
    assert done.code == 2
    assert f"{named} would have no effect" in " ".join(done.err.split())


# ----------------------------------------------------------------------------------- answers judged


class Killer(WatchedModels):
    """Counts what models are asked and kills a process at one of its requests, before that is
    answered.
    """

    def __init__(self) -> None:
        super().__init__()
        self.num_asked = 0
        self.kill_at: int | None = None
        self.process: Any = None

    def before_reply(self, num_asked: int) -> None:
        self.num_asked += 1
        if self.num_asked == self.kill_at:
            os.kill(self.process.pid, signal.SIGKILL)


@pytest.mark.parametrize("share", [20, 55, 90])
def test_answers_and_judgements_outlive_a_kill(
    share: int, tmp_path: Path, corpus: Any, point_at_models: Any, start: Any, cli: Any
) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(
        '{"question": "Who works at Acme?"}\n{"question": "Who founded Globex?"}\n',
        encoding="utf-8",
    )
    killer = Killer()
    with killer.server() as server:
        point_at_models(server, max_concurrency=1)
        assert cli("ingest", *corpus.many(2), "-w", "talks").code == 0
        asked = [
            "evaluate",
            "judge",
            "--questions",
            questions,
            "-w",
            "talks",
            "--arms",
            "dsa-diverse,naive",
            "--samples",
            "2",
            "--json",
        ]
        killer.prompts.clear()
        killer.num_asked = 0
        whole = cli(*asked, "--out", tmp_path / "whole")
        assert whole.code == 0, whole
        num_asked = killer.num_asked
        assert num_asked > 10
    other = Killer()
    with other.server() as server:
        point_at_models(
            server, max_concurrency=1
        )  # another address, so another model: nothing is in the cache
        other.kill_at = num_asked * share // 100
        other.process = start(*asked, "--out", tmp_path / "run")
        assert other.process.wait(120) == -signal.SIGKILL
        other.kill_at = None
        resumed = cli(*asked, "--out", tmp_path / "run")
        assert resumed.code == 0, resumed
        assert other.num_asked == num_asked + 1, "only the call that was killed is made again"
        assert resumed.json["pairs"] == whole.json["pairs"]
        assert {arm: own["total"] for arm, own in resumed.json["arms"].items()} == {
            arm: own["total"] for arm, own in whole.json["arms"].items()
        }
        changed = cli(*asked, "--out", tmp_path / "run", "--samples", "3")
        assert changed.code == 2
        assert "samples was 2, is 3" in " ".join(changed.err.split())
