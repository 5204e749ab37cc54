"""The page Evaluate, without a browser: what is chosen and refused, and runs that are read and
compared.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pages import QUESTIONS, as_lines, choose, has, kept_runs, press, run_it, shown, until, upload

from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judge_report import JudgeRun
from dynagrag.evaluation.judge.judged_line import JudgedLine
from dynagrag.fakes.fake_server import OpenAIStubServer

Pages = Callable[[], Any]


def test_questions_are_made_of_the_workspace_and_shown(evaluate_page: Pages, home: Path) -> None:
    page = evaluate_page()
    assert "There are no questions yet" in shown(page)
    press(page, "Make questions from the workspace")
    until(page, lambda: bool(page.success))
    assert "Made " in page.success[0].value
    assert page.selectbox[0].value == "made-50.jsonl"
    assert "Question" in page.dataframe[0].value.columns
    assert (
        home / "workspaces" / "default" / "questions" / "made-50.jsonl"
    ).stat().st_mode & 0o77 == 0
    assert has(page, "Estimate")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "bad.jsonl",
            b'{"question": "Who?"}\n{"question": 3}\n',
            "line 2: 'question' is 3; it must be text",
        ),
        ("bad.jsonl", b'{"question": "Who?"}\nno json\n', "line 2 is no JSON"),
        ("bad.jsonl", b"", "holds no row"),
        ("questions.csv", b"question\n", "its name must end in .jsonl"),
        ("../../x.jsonl", b'{"text": "Who?"}\n', "the field 'question' is missing"),
    ],
)
def test_a_bad_file_is_refused_with_its_line_and_nothing_is_kept(
    evaluate_page: Pages, home: Path, name: str, content: bytes, said: str
) -> None:
    page = evaluate_page()
    upload(page, name, content)
    assert said in shown(page)
    assert str(home) not in shown(page)
    folder = home / "workspaces" / "default" / "questions"
    assert not folder.exists() or list(folder.iterdir()) == []
    assert not has(page, "Estimate")


def test_a_file_that_lacks_what_a_measure_needs_says_which_line_and_serves_another(
    evaluate_page: Pages,
) -> None:
    page = evaluate_page()
    upload(page, content=as_lines([QUESTIONS[0], {"question": "Did it rain?"}]))
    assert "mine.jsonl, line 2: the row has neither 'documents' nor 'turns'" in shown(page)
    assert not has(page, "Estimate")
    choose(page, "judge")
    assert has(page, "Estimate")


def test_another_file_of_the_same_name_takes_no_place(evaluate_page: Pages, home: Path) -> None:
    page = evaluate_page()
    for content in (as_lines(QUESTIONS), as_lines(QUESTIONS[:1]), as_lines(QUESTIONS)):
        upload(page, content=content)
    folder = home / "workspaces" / "default" / "questions"
    assert sorted(path.name for path in folder.iterdir()) == ["mine-2.jsonl", "mine.jsonl"]
    assert (folder / "mine.jsonl").read_bytes() == as_lines(QUESTIONS)
    assert page.selectbox[0].value == "mine.jsonl"


def test_without_a_model_passages_can_be_measured_and_the_rest_says_what_to_set(
    server: OpenAIStubServer, evaluate_page: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = evaluate_page()
    calls = server.counts.chat_calls
    monkeypatch.delenv("DYNAGRAG_LLM")
    page = evaluate_page()
    for measure in ("qa", "judge"):
        choose(page, measure)
        assert "No language model is set" in page.info[0].value
        assert "**Settings**" in page.info[0].value
        assert not has(page, "Estimate")
    choose(page, "retrieval")
    upload(page)
    run_it(page)
    assert "done" in page.success[0].value
    assert server.counts.chat_calls == calls


def test_the_words_that_answer_are_looked_for_without_a_model(
    server: OpenAIStubServer, evaluate_page: Pages, home: Path
) -> None:
    page = evaluate_page()
    calls = server.counts.chat_calls
    choose(page, "evidence")
    upload(page)
    assert "mine.jsonl, line 1: 'decisive' is missing" in shown(page)
    rows = [
        {
            "question": "Where is Borealis Labs?",
            "decisive": ["in Port Arthur"],
            "document": "board",
        },
        {"question": "Who climbed Everest?", "unanswerable": True},
    ]
    upload(page, "words.jsonl", as_lines(rows))
    assert page.dataframe[0].value["Answer"].tolist() == ["in Port Arthur", "nothing answers it"]
    assert page.dataframe[0].value["Where it is"].tolist() == ["board", ""]
    press(page, "Estimate")
    until(page, lambda: has(page, "Ask 2 questions"))
    press(page, "Ask 2 questions")
    until(page, lambda: bool(page.success or page.error))
    assert "Words that answer: words.jsonl" in shown(page)
    press(page, "Read it")
    assert "in the first clip of 100.0 %" in shown(page)
    assert len(kept_runs(home)) == 1
    assert server.counts.chat_calls == calls


def test_no_arm_is_no_run(evaluate_page: Pages) -> None:
    page = evaluate_page()
    upload(page)
    choose(page, "qa")
    page.multiselect[0].set_value([]).run()
    assert "name an arm" in shown(page)
    assert not has(page, "Estimate")


# ------------------------------------------------------------------------------ lists and comparing


def test_runs_of_every_kind_are_read(
    evaluate_page: Pages, cli: Callable[..., Any], tmp_path: Path
) -> None:
    page = evaluate_page()
    rows = [
        {
            "id": i,
            "instruction": f"Say {i}.",
            "output_1": "Yes.",
            "output_2": "No.",
            "better": 1,
            "set": "s",
        }
        for i in range(2)
    ]
    (tmp_path / "judge").mkdir()
    (tmp_path / "judge" / "pairs.jsonl").write_bytes(as_lines(rows))
    for command in (
        ["extraction"],
        ["citations", "--workspace", "default", "--checker", "rules"],
        ["judge", "--calibrate", "--data", tmp_path, "--sets", "pairs"],
    ):
        assert cli("evaluate", *command).code == 0
    page = evaluate_page()
    page.radio(key="evaluate_view").set_value("Read").run()
    seen = {}
    for name in page.selectbox(key="evaluate_run").options:
        page.selectbox(key="evaluate_run").select(name).run()
        assert not page.error, page.error[0].value
        seen[page.dataframe[1].value.columns[0]] = len(page.dataframe[1].value)
    assert seen == {"what": 7, "checker": 1, "set": 1}


def test_two_runs_on_the_same_questions_are_compared(evaluate_page: Pages) -> None:
    page = evaluate_page()
    page.radio(key="evaluate_view").set_value("Compare").run()
    assert "There are no two yet" in shown(page)
    page.radio(key="evaluate_view").set_value("Measure").run()
    upload(page)
    for arms in (["default"], ["default", "paper"]):
        page.multiselect[0].set_value(arms).run()
        run_it(page)
        press(page, "Hide this")
    page.radio(key="evaluate_view").set_value("Compare").run()
    assert "second minus first" in shown(page)
    table = page.dataframe[0].value
    assert set(table["arm"]) == {"default", "naive", "bm25", "rrf", "hybrid"}
    assert set(table["second is"]) == {"not told apart"}
    assert "Arms: " in shown(page), "a setting that differs"


def test_the_worst_question_is_read_first_with_what_the_workspace_lacks(
    evaluate_page: Pages,
) -> None:
    page = evaluate_page()
    upload(
        page,
        content=as_lines(
            [QUESTIONS[0], QUESTIONS[1] | {"documents": ["board", "nowhere"]}, QUESTIONS[2]]
        ),
    )
    run_it(page)
    press(page, "Read it")
    read = [expander.label.replace("\\", "").replace("\u2060", "") for expander in page.expander]
    labels = [label for label in read if label.endswith(" %")]
    assert len(labels) == 3
    assert labels[0] == "Where is Borealis Labs located? · found 50 %"
    assert "nowhere (not in the workspace)" in shown(page)


def test_runs_of_the_command_line_are_listed_and_read_and_words_of_files_are_no_markup(
    evaluate_page: Pages, cli: Callable[..., Any], tmp_path: Path, home: Path
) -> None:
    hostile = (
        "Who founded ![p](http://evil.example/p.png) <script>alert(1)</script> Corvus Partners?"
    )
    path = tmp_path / "own.jsonl"
    path.write_bytes(as_lines([{"question": hostile, "documents": ["board"]}]))
    assert cli("evaluate", "retrieval", "--questions", path, "-w", "default").code == 0
    page = evaluate_page()
    page.radio(key="evaluate_view").set_value("Read").run()
    assert page.dataframe[0].value.iloc[0]["Questions"] == "own.jsonl of default"
    labels = [expander.label for expander in page.expander if "Corvus" in expander.label]
    assert labels
    assert "![p](" not in labels[0]
    assert "<script>" not in labels[0]
    (run,) = (home / "evaluation" / "runs").iterdir()
    (run / "summary.json").unlink()
    page.run()
    assert "stopped: 5 of 5 rankings" in page.dataframe[0].value.iloc[0]["State"]
    assert "the same command goes on with it" in shown(page)
    (run / "run.json").write_text("{", encoding="utf-8")
    page.run()
    assert "1 folder can't be read" in shown(page)


def test_judged_runs_of_one_judge_are_compared_and_others_say_why_not(
    evaluate_page: Pages, home: Path
) -> None:
    made_with = {
        "evaluates": JudgeRun.evaluates,
        "questions": 1,
        "asked": "a",
        "arms": ["naive"],
        "baseline": "naive",
        "files": {"mine.jsonl": "0"},
    }
    made_with |= {"forms": ["pointwise"], "judge": "qwen sha256=1", "prompts": "p"}
    for name, grade, more in (
        ("old", 2.0, {}),
        ("new", 3.0, {}),
        ("other", 4.0, {"judge": "gpt temperature=0"}),
    ):
        run = JudgeRun.open(
            home / "evaluation" / "runs" / name, made_with | more | {"llm": name}, {}
        )
        run.file.append(
            [JudgedLine(question="q", arm="naive", grades=dict.fromkeys(METRICS, grade))]
        )
        run.summary_file.write_text("{}")
    page = evaluate_page()
    page.radio(key="evaluate_view").set_value("Compare").run()
    assert {box.value for box in page.selectbox} == {"old", "new"}
    row = page.dataframe[0].value.iloc[0]
    assert (row["measure"], {row["first"], row["second"]}) == ("total of 25", {10.0, 15.0})
    assert "as qwen judged both" in shown(page)
    assert "the judges are" in shown(page)
    assert "grades of two judges are on two scales" in shown(page)
