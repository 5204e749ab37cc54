"""`evaluate questions` from a workspace to the file: with and without a model, killed and gone on
with, read by other commands.
"""

import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynagrag import demo
from dynagrag.cli.evaluate.questions import question_lines
from dynagrag.config.settings import load_settings
from dynagrag.core.protocols import Prompt
from dynagrag.evaluation.question_sets.own_questions import load_own
from dynagrag.evaluation.questions import question_run
from dynagrag.evaluation.questions.made_question import QuestionKind
from dynagrag.evaluation.questions.question_run import By, QuestionOptions, make_questions
from dynagrag.evaluation.retrieval.retrieval_run import evaluate_retrieval
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.workspace.ingest_job import IngestOptions

KINDS = {"specific", "two_hop", "comparison", "thematic", "unanswerable", "cloze"}


@pytest.fixture
def loops(open_space: Any) -> str:
    """A workspace of the demo's transcripts."""
    open_space("loops").ingest(
        sorted(Path(demo.__file__).parent.glob("*.txt")), IngestOptions(extractor="fast")
    )
    return "loops"


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_two_hundred_questions_of_the_demo_are_made_without_a_model_and_read_by_retrieval(
    cli: Any, loops: str, tmp_path: Path, home: Path
) -> None:
    path = tmp_path / "q.jsonl"
    done = cli("evaluate", "questions", "-w", loops, "--num", 200, "--out", path, "--json")
    assert done.code == 0, done.err
    assert (
        done.json["questions"],
        done.json["made_by"],
        done.json["stopped"],
        done.json["calls"],
    ) == (200, "records", "", 0)
    made = rows(path)
    assert Counter(row["kind"] for row in made) == done.json["kinds"]
    assert {row["kind"] for row in made} == KINDS
    assert {split: own["questions"] for split, own in done.json["splits"].items()} == {
        split: sum(row["split"] == split for row in made)
        for split in ("train", "test", "validation")
    }
    num_unanswerable = done.json["kinds"]["unanswerable"]
    assert len(load_own(path).questions) == 200 - num_unanswerable
    options = EvaluateOptions(questions=path, workspace=loops, limit=40)
    _, asked = evaluate_retrieval(load_settings(home=home), options, None, FakeEmbedder())
    assert (asked.questions, asked.missing_gold) == (40, [])
    assert asked.arms["bm25"]["recall@10"] > 0.7, (
        "most questions have words of the lines that answer them"
    )


def test_edits_made_while_it_runs_are_left_as_they_are(
    loops: str, home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "q.jsonl"
    settings = load_settings(home=home)
    options = QuestionOptions(path, loops, num=2, kinds=(QuestionKind.SPECIFIC,), by=By.RECORDS)
    records = question_run.record_questions

    def edited(*args: Any) -> Any:
        path.write_text("mine\n", encoding="utf-8")
        return records(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(question_run, "record_questions", edited)
        summary = make_questions(settings, options)
    assert path.read_text(encoding="utf-8") == "mine\n"
    assert (summary["file"], summary["edited"]) == (str(tmp_path / "q.new.jsonl"), str(path))
    assert len(rows(tmp_path / "q.new.jsonl")) == 2
    assert any("was changed meanwhile" in line for line in question_lines(summary))


def test_the_table_tells_kinds_and_splits_and_an_edited_file_is_kept(
    cli: Any, loops: str, tmp_path: Path
) -> None:
    path = tmp_path / "q.jsonl"
    done = cli(
        "evaluate", "questions", "-w", loops, "--num", 8, "--kinds", "specific,cloze", "--out", path
    )
    assert done.code == 0, done.err
    assert "loops: 8 questions, made by records" in done.out
    assert "4 specific, 4 cloze" in done.out
    assert "validation: 0 questions of 0 documents" in done.out
    first = path.read_bytes()
    assert (
        cli(
            "evaluate",
            "questions",
            "-w",
            loops,
            "--num",
            8,
            "--kinds",
            "specific,cloze",
            "--out",
            path,
        ).code
        == 0
    )
    assert path.read_bytes() == first, "the same command makes the same file"
    path.write_bytes(first + first.splitlines()[0].replace(b'"id": "', b'"id": "x') + b"\n")
    refused = cli("evaluate", "questions", "-w", loops, "--out", path)
    assert "was edited" in refused.complaint(2)
    assert cli("evaluate", "questions", "-w", loops, "--out", path, "--force").code == 0


@pytest.mark.parametrize(
    ("turns", "options", "code", "wanted"),
    [
        ([], [], 1, "there is no workspace"),
        ([("Ada", "Okay."), ("Leo", "Go.")], [], 1, "no whole sentence to ask about"),
        (
            [("Ada", "Acme Works moved its whole office to Delft.")],
            ["--kinds", "comparison,two_hop"],
            1,
            "no two speakers, or documents",
        ),
        (
            [("Ada", "Acme Works moved its whole office to Delft.")],
            ["--by", "model"],
            1,
            "a language model writes the questions",
        ),
        (
            [("Ada", "Acme Works moved its whole office to Delft.")],
            ["--max-calls", 3],
            2,
            "--max-calls is for --by model",
        ),
        (
            [("Ada", "Acme Works moved its whole office to Delft.")],
            ["--kinds", "riddle"],
            2,
            "--kinds 'riddle' is unknown",
        ),
        (
            [("Ada", "Acme Works moved its whole office to Delft.")],
            ["--by", "me"],
            2,
            "--by 'me' is unknown",
        ),
    ],
)
def test_what_gives_no_question_is_told(
    turns: Any,
    options: list[object],
    code: int,
    wanted: str,
    cli: Any,
    open_space: Any,
    corpus: Any,
    tmp_path: Path,
) -> None:
    if turns:
        open_space("small").ingest([corpus.write("a.vtt", turns)], IngestOptions(extractor="fast"))
    done = cli("evaluate", "questions", "-w", "small", "--out", tmp_path / "q.jsonl", *options)
    assert wanted in done.complaint(code)
    assert not list(tmp_path.glob("q.jsonl*"))


def test_one_document_and_one_speaker_give_what_they_can(
    cli: Any, open_space: Any, corpus: Any, tmp_path: Path
) -> None:
    turns = [
        ("Ada", "Acme Works moved its whole office to Delft."),
        ("Ada", "The Delft office of Acme Works cost 4000 euros in total."),
    ]
    open_space("small").ingest([corpus.write("a.vtt", turns)], IngestOptions(extractor="fast"))
    done = cli("evaluate", "questions", "-w", "small", "--out", tmp_path / "q.jsonl", "--json")
    assert done.code == 0, done.err
    assert {"comparison", "thematic", "unanswerable"} <= set(done.json["none_of"])
    assert done.json["kinds"]["specific"] > 0
    assert done.json["splits"]["train"] == {"documents": 1, "questions": done.json["questions"]}


# ------------------------------------------------------------------------------------- with a model


def writing(prompt: Prompt, schema: Any) -> str:
    """Writes a question about the first line that it is shown, and finds its answer there."""
    if "checks" in json.dumps(schema):
        return simple_reply(prompt, schema)
    if "is_known" in json.dumps(schema):
        return json.dumps({"answer": "", "is_known": False})
    line = next(line for line in prompt.user.splitlines() if line.startswith("[E1]"))
    said = line.split('"')[1]
    if "enough_evidence" in json.dumps(schema):
        return json.dumps({"answer": f"{said} [E1]", "citations": ["E1"], "enough_evidence": True})
    words = "-".join(said.split()[:3])
    question = f"Which particular did somebody report beside {words}?"
    return json.dumps(
        {
            "question": question,
            "answer": said.rstrip(".").split()[-1],
            "statement": said,
            "lines": ["E1"],
        }
    )


def test_a_model_writes_them_after_an_estimate_and_a_killed_run_pays_for_nothing_twice(
    start: Callable[..., subprocess.Popen[str]],
    cli: Any,
    loops: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chat = FakeChat(writing, delay_s=0.05)
    with OpenAIStubServer(chat) as server:
        for name, value in {
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "sk-none",
            "DYNAGRAG_MAX_CONCURRENCY": "1",
        }.items():
            monkeypatch.setenv(name, value)
        path = tmp_path / "q.jsonl"
        command = (
            "evaluate",
            "questions",
            "-w",
            loops,
            "--llm",
            "openai:fake",
            "--kinds",
            "specific",
            "--num",
            6,
            "--out",
            path,
        )
        killed = start(*command)
        deadline = time.monotonic() + 60
        while chat.num_calls < 7 and time.monotonic() < deadline:
            time.sleep(0.02)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert chat.num_calls >= 7
        assert not path.exists()
        done = cli(*command, "--json")
    assert done.code == 0, done.err
    assert done.err.startswith("estimate: 6 questions")
    assert done.json["questions"] == len(rows(path)) > 0
    assert done.json["calls_cached"] >= 6
    prompts = Counter((p.name, p.system, p.user) for p in chat.prompts)
    assert sum(count - 1 for count in prompts.values()) <= 1, (
        "at most the call that was cut off is asked again"
    )


def test_a_spent_budget_keeps_what_was_made_and_the_next_run_goes_on(
    cli: Any, loops: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIStubServer(FakeChat(writing)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
        monkeypatch.setenv("DYNAGRAG_MAX_CONCURRENCY", "1")
        command = (
            "evaluate",
            "questions",
            "-w",
            loops,
            "--llm",
            "openai:fake",
            "--kinds",
            "specific",
            "--num",
            4,
            "--out",
            tmp_path / "q",
        )
        stopped = cli(*command, "--max-calls", 8)
        assert stopped.code == 3, stopped.err
        assert "stopped: the budget of 8 model calls is spent" in stopped.out
        made = rows(tmp_path / "q")
        done = cli(*command)
    assert done.code == 0, done.err
    assert rows(tmp_path / "q")[: len(made)] == made
