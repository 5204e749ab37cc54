"""`evaluate qa` from questions with answers to the folder: what is printed and kept, stopped and
gone on with, and what it costs.
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import load_settings
from dynagrag.core.errors import BudgetError, SettingsError, UsageError
from dynagrag.core.files.private_files import is_open_to_others
from dynagrag.core.protocols import Prompt
from dynagrag.evaluation.answers.answer_estimate import AnswersEstimate
from dynagrag.evaluation.frame.kept_run import StoppedRunError
from dynagrag.evaluation.frame.terminal import report_lines
from dynagrag.evaluation.qa.qa_options import QaOptions
from dynagrag.evaluation.qa.qa_report import QaRun
from dynagrag.evaluation.qa.qa_run import evaluate_qa
from dynagrag.evaluation.qa.ragas_rows import LEFT_OUT
from dynagrag.evaluation.question_sets.question_set import Scope
from dynagrag.fakes import FakeChat, FakeEmbedder, simple_reply
from dynagrag.fakes.fake_server import OpenAIStubServer
from dynagrag.workspace.facade import Workspace

NASTY = "<script>alert('x')</script>"
LINES = "\n".join(
    f"LEO: Person Number{i} works at Company Letter{chr(65 + i)}. It rained in week {i}."
    for i in range(12)
)
QUESTIONS: list[dict[str, Any]] = [
    {
        "question": f"Where does Person Number{i} work?",
        "answer": f"Company Letter{chr(65 + i)}",
        "documents": ["talk.txt"],
        "kind": "where",
    }
    for i in range(3)
]
QUESTIONS += [
    {"question": f"Who sings {NASTY}?", "answerable": False, "kind": "who"},
    {"question": "Did it rain?", "kind": NASTY},
]
Evaluate = Callable[..., tuple[QaRun, dict[str, Any]]]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS), encoding="utf-8")
    return path


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.txt"
    path.write_text(LINES, encoding="utf-8")
    return path


@pytest.fixture
def evaluate(
    home: Path, questions: Path, talk: Path, open_space: Callable[..., Workspace]
) -> Evaluate:
    """On a workspace of the talk, with a fake model."""
    space = open_space()
    space.ingest([talk])
    space.close()

    def call(
        chat: FakeChat | None = None, progress: Any = None, on_estimate: Any = None, **options: Any
    ) -> tuple[QaRun, dict[str, Any]]:
        wanted = (
            options
            if "dataset" in options
            else {"questions": questions, "workspace": "w"} | options
        )
        settings = load_settings(home=home, checker="rules")
        run, result = evaluate_qa(
            settings, QaOptions(**wanted), progress, on_estimate, FakeEmbedder(), chat or FakeChat()
        )
        assert run.result() == result
        return run, result.as_json()

    return call


def shortening(prompt: Prompt, schema: Mapping[str, Any] | None) -> str:
    """Shortens to the company that the answer names, knows nothing by heart, and answers from lines
    alone.
    """
    if prompt.name == "short_answer":
        return json.dumps({"short": prompt.user.partition("works at ")[2].partition(".")[0]})
    return (
        '{"answer": "", "is_known": false}'
        if prompt.name == "closed_book"
        else simple_reply(prompt, schema)
    )


def test_every_arm_answers_every_question_and_all_of_it_is_kept(evaluate: Evaluate) -> None:
    run, summary = evaluate(FakeChat(shortening))
    assert {p.name for p in run.path.iterdir()} == {
        "run.json",
        "answers.jsonl",
        "golds.jsonl",
        "summary.json",
        "report.html",
    }
    assert run.path.name.endswith("-qa-own-1")
    assert len(run.answers()) == 5 * 4
    assert summary["run"] == str(run.path)
    assert list(run.settings)[:8] == [
        "evaluates", "dataset", "half", "scope", "kind", "questions", "arms", "baseline",
    ]  # fmt: skip
    assert (
        summary["questions"],
        summary["unanswerable"],
        summary["measure"],
        summary["baseline"],
    ) == (5, 1, "f1", "naive")
    assert list(summary["arms"]) == ["default", "naive", "closed-book", "gold"]
    assert (
        summary["abstention"]["closed-book"].items()
        >= {
            "abstained": 5,
            "precision": 0.2,
            "recall": 1.0,
            "claiming": 0,
        }.items()
    )
    assert summary["arms"]["closed-book"]["f1"] == 0
    assert summary["arms"]["gold"]["citation_precision"] == 1.0
    assert summary["arms"]["default"]["f1"] > 0
    assert summary["kinds"]["where"]["questions"] == 3
    assert summary["notes"] == {
        "questions without known evidence, which the arm gold can't answer": 1
    }
    assert all(line.short is not None for line in run.answers() if "work" in line.text)
    assert all(line.short is None for line in run.answers() if "work" not in line.text)


def test_the_report_can_be_read_and_lets_no_text_be_markup(evaluate: Evaluate) -> None:
    run, _ = evaluate(FakeChat(shortening))
    html = (run.path / "report.html").read_text(encoding="utf-8")
    assert "The worst questions of default" in html
    assert "nothing answers it: an arm should abstain" in html
    assert "in a few words: Company Letter" in html
    assert "default-src 'none'" in html
    assert "<script" not in html
    assert "http" not in html.replace("http-equiv", "")


def test_answers_are_written_as_the_rows_that_ragas_reads(
    evaluate: Evaluate, tmp_path: Path
) -> None:
    rows_file = tmp_path / "rows.jsonl"
    run, summary = evaluate(
        FakeChat(shortening), ragas_rows=rows_file, arms=("naive", "closed-book")
    )
    rows = [json.loads(line) for line in rows_file.read_text(encoding="utf-8").splitlines()]
    assert [(row["question"], row["arm"]) for row in rows] == [
        (line.question, line.arm) for line in run.answers()
    ]
    first = next(row for row in rows if row["arm"] == "naive" and "Number0" in row["user_input"])
    assert first["reference"] == "Company LetterA"
    assert "[E" not in first["response"]
    assert any(
        "Person Number0 works at Company LetterA." in text for text in first["retrieved_contexts"]
    )
    assert all(row["retrieved_contexts"] == [] for row in rows if row["arm"] == "closed-book")
    assert all("reference" not in row for row in rows if "sings" in row["user_input"]), (
        "a question that nothing answers has none"
    )
    assert LEFT_OUT not in summary["notes"]


def test_answers_without_what_was_shown_are_left_out_of_the_rows_and_counted(
    evaluate: Evaluate, tmp_path: Path
) -> None:
    run, _ = evaluate(FakeChat(shortening), arms=("naive",), out=tmp_path / "run")
    lines = run.path / "answers.jsonl"
    older = [
        {name: value for name, value in json.loads(line).items() if name != "shown"}
        for line in lines.read_text().splitlines()
    ]
    lines.write_text("".join(f"{json.dumps(row)}\n" for row in older), encoding="utf-8")
    _, summary = evaluate(
        FakeChat(shortening),
        arms=("naive",),
        out=tmp_path / "run",
        ragas_rows=tmp_path / "rows.jsonl",
    )
    assert (summary["notes"][LEFT_OUT], (tmp_path / "rows.jsonl").read_text()) == (len(older), "")


def test_rows_that_cant_be_written_are_refused_before_anything_is_asked(
    evaluate: Evaluate, tmp_path: Path
) -> None:
    chat = FakeChat(shortening)
    for path in (tmp_path, tmp_path / "none" / "rows.jsonl"):
        with pytest.raises(UsageError, match="--ragas-rows"):
            evaluate(chat, ragas_rows=path)
    assert chat.prompts == []


def test_rows_replace_rows_alone(evaluate: Evaluate, questions: Path, tmp_path: Path) -> None:
    chat, run, mine, pipe = (
        FakeChat(shortening),
        tmp_path / "run",
        tmp_path / "mine.txt",
        tmp_path / "pipe",
    )
    mine.write_text("my thesis\n", encoding="utf-8")
    link = tmp_path / "link.jsonl"
    link.symlink_to(questions)
    os.mkfifo(pipe)
    evaluate(chat, arms=("naive",), out=run)
    asked, before = len(chat.prompts), questions.read_bytes()
    for path in (questions, link, mine, pipe, run / "answers.jsonl", run / "new.jsonl"):
        with pytest.raises(UsageError, match="--ragas-rows"):
            evaluate(
                chat,
                ragas_rows=path,
                arms=("naive", "default"),
                out=run if path.parent == run else tmp_path / "other",
            )
    assert len(chat.prompts) == asked
    assert (questions.read_bytes(), mine.read_text()) == (before, "my thesis\n")
    rows = tmp_path / "rows.jsonl"
    for _ in range(2):
        evaluate(chat, arms=("naive",), out=run, ragas_rows=rows)
    assert not is_open_to_others(rows)
    assert not list(tmp_path.glob("*.part"))


def test_the_command_prints_an_estimate_then_figures_and_json(
    server: OpenAIStubServer, cli: Callable[..., Any], talk: Path, questions: Path
) -> None:
    assert cli("ingest", talk, "-w", "w").code == 0
    done = cli(
        "evaluate",
        "qa",
        "--questions",
        questions,
        "-w",
        "w",
        "--arms",
        "default,naive",
        "--limit",
        3,
    )
    assert done.code == 0, done.err
    assert "estimate: 6 answers, about 18 calls" in done.err
    assert "own: what is answered\n3 questions were each asked" in done.out
    assert "F1 against naive" in done.out
    calls = server.counts.chat_calls
    found = cli(
        "evaluate",
        "qa",
        "--questions",
        questions,
        "-w",
        "w",
        "--arms",
        "default,naive",
        "--limit",
        3,
        "--json",
    ).json
    assert server.counts.chat_calls == calls, "a second run takes all replies from the cache"
    assert found["costs"]["default"]["calls"] == 3
    assert set(found["differences"]) == {"default"}


def test_a_stopped_run_goes_on_to_the_same_summary_without_a_call_twice(
    evaluate: Evaluate, tmp_path: Path
) -> None:
    def interrupt(stage: str, done: int, total: int) -> None:
        if stage == "answer" and done == 7:
            raise KeyboardInterrupt

    chat, estimates = (
        FakeChat(shortening, name="qwen"),
        [],
    )  # the name of a local model: one question at a time
    with pytest.raises(StoppedRunError, match=r"resume with the same command and --out .*run"):
        evaluate(chat, interrupt, out=tmp_path / "run")
    assert len(QaRun(tmp_path / "run", {}).lines()) == 7
    path = tmp_path / "run" / "answers.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    run, summary = evaluate(chat, on_estimate=estimates.append, out=tmp_path / "run")
    assert [estimate.answers for estimate in estimates] == [20 - 6] * 2
    assert len({(p.name, p.user) for p in chat.prompts}) == chat.num_calls
    assert len(run.lines()) == 20
    whole = evaluate(FakeChat(shortening, name="qwen"), out=tmp_path / "whole")[1]
    for found in (summary, whole):
        del found["run"]
        for costs in found["costs"].values():
            del costs["seconds"]
    assert summary == whole


def test_a_run_is_not_gone_on_with_under_other_settings(evaluate: Evaluate, tmp_path: Path) -> None:
    evaluate(out=tmp_path / "run")
    for options, what in (
        ({"arms": ("naive",)}, "arms was"),
        ({"limit": 2}, "questions was 5, is 2"),
    ):
        with pytest.raises(UsageError, match=what):
            evaluate(out=tmp_path / "run", **options)
    with pytest.raises(UsageError, match="llm was"):
        evaluate(FakeChat(identity="other"), out=tmp_path / "run")


def test_what_a_model_refuses_is_left_out_said_and_tried_again(
    evaluate: Evaluate, tmp_path: Path
) -> None:
    def refusing(prompt: Prompt, schema: Mapping[str, Any] | None) -> str:
        return (
            "I can't help with that."
            if "Question: Where does Person Number1 " in prompt.user
            else shortening(prompt, schema)
        )

    run, summary = evaluate(FakeChat(refusing), out=tmp_path / "run")
    assert summary["errors"] == {"default": 1, "naive": 1, "closed-book": 1, "gold": 1}
    report = (run.path / "report.html").read_text(encoding="utf-8")
    assert "1 answer failed, left out (the first: fake: also after one repair" in report
    assert summary["counts"]["default"]["f1"] == 2
    _, again = evaluate(FakeChat(shortening), out=tmp_path / "run")
    assert set(again["errors"].values()) == {0}
    assert again["counts"]["default"]["f1"] == 3


def test_the_budget_is_a_limit_over_the_whole_run(evaluate: Evaluate) -> None:
    chat = FakeChat(shortening)
    with pytest.raises(BudgetError, match="the budget of 4 model calls is spent"):
        evaluate(chat, max_calls=4)
    assert chat.num_calls == 4


def test_a_published_set_is_asked_of_each_document_alone(
    evaluate: Evaluate, tmp_path: Path
) -> None:
    turns = [
        {
            "speaker": f"S{i % 3}",
            "content": f"Person Number{i} works at Company Letter{chr(65 + i)}.",
        }
        for i in range(20)
    ]
    rows = [
        {
            "meeting_transcripts": turns[10 * i : 10 * i + 10],
            "specific_query_list": [
                {
                    "query": f"Where does Person Number{10 * i} work?",
                    "answer": "x " * 20,
                    "relevant_text_span": [["0", "0"]],
                }
            ],
            "general_query_list": [{"query": "Summarize the whole meeting.", "answer": "y " * 20}],
        }
        for i in range(2)
    ]
    folder = tmp_path / "data" / "transcript_qa"
    folder.mkdir(parents=True)
    (folder / "qmsum_val.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    options = {"dataset": "qmsum", "data": tmp_path / "data", "arms": ("default", "gold")}
    estimates: list[AnswersEstimate] = []
    run, summary = evaluate(on_estimate=estimates.append, **options)
    assert estimates[0].answers == 8
    documents = {
        (line.question, citation.document) for line in run.answers() for citation in line.citations
    }
    assert len(documents) == 4
    assert len({document for _, document in documents}) == 2
    assert list(summary["kinds"]) == ["specific", "general"]
    assert "citation_recall" not in summary["kinds"]["general"]["arms"]["gold"]
    assert summary["kinds"]["specific"]["arms"]["gold"]["citation_recall"] == 1
    assert (
        summary["notes"][
            "questions about a whole document, of which the arm gold sees the beginning alone"
        ]
        == 2
    )
    said = report_lines(run.report())
    assert any(text.startswith("gold (no ceiling)  ") for text in said)
    assert "gold (no ceiling)" in (run.path / "report.html").read_text(encoding="utf-8")
    _, corpus = evaluate(**options, scope=Scope.CORPUS)
    assert corpus["questions"] == 2
    _, general = evaluate(**options, kind="general", limit=1)
    assert general["questions"] == 1
    with pytest.raises(
        UsageError, match="no questions of the kind 'odd'; it has: general, specific"
    ):
        evaluate(**options, kind="odd")


def test_what_was_given_wrong_is_refused_before_anything_is_asked(
    evaluate: Evaluate, home: Path, questions: Path
) -> None:
    chat = FakeChat()
    for options, message in (
        ({"arms": ("nothing",)}, "unknown arm 'nothing'; known: default, "),
        ({"baseline": "bm25"}, "the baseline 'bm25' is not among the arms"),
        ({"scope": Scope.DOCUMENT}, "own has no scope document"),
        ({"dataset": "qmsum", "questions": questions}, "name what to evaluate"),
        ({"dataset": "qmsum"}, "say where qmsum lies"),
        ({"extractor": "llm"}, "unknown extractor"),
        ({"given": questions}, "--given is for --extractor file"),
    ):
        with pytest.raises(UsageError, match=message):
            evaluate(chat, **options)
    assert chat.num_calls == 0
    with pytest.raises(
        SettingsError,
        match=(
            "a language model gives the answers of default, naive, closed-book, gold: name one with"
            " --llm"
        ),
    ):
        evaluate_qa(load_settings(home=home), QaOptions(questions=questions, workspace="w"))


def test_two_runs_of_the_same_questions_are_compared(
    evaluate: Evaluate, cli: Callable[..., Any], tmp_path: Path
) -> None:
    evaluate(FakeChat(), arms=("default", "naive"), out=tmp_path / "plain")
    evaluate(
        FakeChat(shortening, identity="better"), arms=("default", "gold"), out=tmp_path / "better"
    )
    done = cli("evaluate", "compare", tmp_path / "plain", tmp_path / "better")
    assert done.code == 0, done.err
    assert "in one run only: gold, naive" in done.out
    assert "llm: fake temperature=0 / better" in done.out
    found = cli("evaluate", "compare", tmp_path / "plain", tmp_path / "better", "--json").json
    assert found["arms"]["default"]["differences"]["f1"]["difference"] > 0
    assert found["arms"]["default"]["differences"]["answer_recall"]["difference"] == 0
    evaluate(limit=2, out=tmp_path / "fewer")
    refused = cli("evaluate", "compare", tmp_path / "plain", tmp_path / "fewer")
    assert (refused.code, "the runs asked different questions: 3 of 5" in refused.err) == (2, True)
