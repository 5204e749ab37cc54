"""The page Evaluate, without a browser: choose, estimate, run to the end, stop and resume, read, compare, and what is refused."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ask_pages import TURNS
from ingests import Gate
from pages import has, press, until, words

from dynagrag.fakes.server import Fault, OpenAIStubServer
from dynagrag.settings import load_settings
from dynagrag.ui import background
from dynagrag.ui.evaluate.run_request import keep_request, kept_request

QUESTIONS = [
    {"question": "Who founded Corvus Partners?", "answer": "Ada Byron", "documents": ["board"]},
    {"question": "Where is Borealis Labs located?", "answer": "Port Arthur", "documents": ["board"]},
    {"question": "Who works at Borealis Labs?", "answer": "Grace Hopper", "documents": ["board"]},
]
Pages = Callable[[], Any]


def _rows(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def open_page(server: OpenAIStubServer, panel: Callable[[str], Any], corpus: Any, cli: Callable[..., Any]) -> Iterator[Pages]:
    """The page on a workspace of one meeting, each time as another visitor's."""
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y").code == 0
    yield lambda: panel("evaluate.page").run()
    background.wait_for_all()


def _shown(page: Any) -> str:
    return words(page).replace("\\", "").replace("\u2060", "")


def _upload(page: Any, name: str = "mine.jsonl", content: bytes = _rows(QUESTIONS)) -> None:
    page.file_uploader[0].set_value([(name, content, "")]).run()
    assert not page.exception, page.exception


def _choose(page: Any, measure: str) -> None:
    page.radio(key="evaluate_measure").set_value(measure).run()
    assert not page.exception, page.exception


def _estimate(page: Any) -> None:
    press(page, "Estimate")
    until(page, lambda: "calls" in _shown(page) and any("arm" in button.label for button in page.button))


def _run(page: Any) -> None:
    _estimate(page)
    press(page, next(button.label for button in page.button if "×" in button.label))
    until(page, lambda: bool(page.success or page.error))


def _runs(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "evaluation" / "runs").glob("*"))


# --------------------------------------------------------------------------------------------------------------- choices


def test_questions_are_made_of_the_workspace_and_shown(open_page: Pages, home: Path) -> None:
    page = open_page()
    assert "There are no questions yet" in _shown(page)
    press(page, "Make questions of the workspace")
    until(page, lambda: bool(page.success))
    assert "Made " in page.success[0].value
    assert page.selectbox[0].value == "made-50.jsonl"
    assert "Question" in page.dataframe[0].value.columns
    assert (home / "workspaces" / "default" / "questions" / "made-50.jsonl").stat().st_mode & 0o77 == 0
    assert has(page, "Estimate")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("bad.jsonl", b'{"question": "Who?"}\n{"question": 3}\n', "line 2: 'question' is 3; it must be text"),
        ("bad.jsonl", b'{"question": "Who?"}\nno json\n', "line 2 is no JSON"),
        ("bad.jsonl", b"", "holds no row"),
        ("questions.csv", b"question\n", "its name must end in .jsonl"),
        ("../../x.jsonl", b'{"text": "Who?"}\n', "the field 'question' is missing"),
    ],
)
def test_a_bad_file_is_refused_with_its_line_and_nothing_is_kept(
    open_page: Pages, home: Path, name: str, content: bytes, said: str
) -> None:
    page = open_page()
    _upload(page, name, content)
    assert said in _shown(page)
    assert str(home) not in _shown(page)
    folder = home / "workspaces" / "default" / "questions"
    assert not folder.exists() or list(folder.iterdir()) == []
    assert not has(page, "Estimate")


def test_a_file_that_lacks_what_a_measure_needs_says_which_line_and_serves_another(open_page: Pages) -> None:
    page = open_page()
    _upload(page, content=_rows([QUESTIONS[0], {"question": "Did it rain?"}]))
    assert "mine.jsonl, line 2: the row has neither 'documents' nor 'turns'" in _shown(page)
    assert not has(page, "Estimate")
    _choose(page, "judge")
    assert has(page, "Estimate")


def test_another_file_of_the_same_name_takes_no_place(open_page: Pages, home: Path) -> None:
    page = open_page()
    for content in (_rows(QUESTIONS), _rows(QUESTIONS[:1]), _rows(QUESTIONS)):
        _upload(page, content=content)
    folder = home / "workspaces" / "default" / "questions"
    assert sorted(path.name for path in folder.iterdir()) == ["mine-2.jsonl", "mine.jsonl"]
    assert (folder / "mine.jsonl").read_bytes() == _rows(QUESTIONS)
    assert page.selectbox[0].value == "mine.jsonl"


def test_without_a_model_passages_can_be_measured_and_the_rest_says_what_to_set(
    server: OpenAIStubServer, open_page: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page()
    calls = server.counts.chat_calls
    monkeypatch.delenv("DYNAGRAG_LLM")
    page = open_page()
    for measure in ("qa", "judge"):
        _choose(page, measure)
        assert "No language model is set" in page.info[0].value
        assert "**Workspaces**" in page.info[0].value
        assert not has(page, "Estimate")
    _choose(page, "retrieval")
    _upload(page)
    _run(page)
    assert "done" in page.success[0].value
    assert server.counts.chat_calls == calls


def test_no_arm_is_no_run(open_page: Pages) -> None:
    page = open_page()
    _upload(page)
    _choose(page, "qa")
    page.multiselect[0].set_value([]).run()
    assert "name an arm" in _shown(page)
    assert not has(page, "Estimate")


# ------------------------------------------------------------------------------------------------------------------ runs


def test_passages_are_measured_and_the_run_is_read(open_page: Pages, home: Path) -> None:
    page = open_page()
    _upload(page)
    _estimate(page)
    assert "3 questions × 5 arms" in _shown(page)
    assert "No model is asked: no calls, no cost" in _shown(page)
    assert _runs(home) == [], "an estimate leaves no run"
    press(page, "Ask 3 questions × 5 arms")
    until(page, lambda: bool(page.success))
    assert len(_runs(home)) == 1
    press(page, "Read it")
    shown = _shown(page)
    assert page.radio(key="evaluate_view").value == "Read"
    assert "default: recall@5 100.0 of 100" in shown
    assert "fewer than 30 questions" in shown
    listed, figures = page.dataframe[0].value.iloc[0], page.dataframe[1].value
    assert (listed["What"], listed["Questions"], listed["State"]) == ("passages found", "mine.jsonl of default", "done")
    assert list(figures["Arm"]) == ["default", "naive", "bm25", "rrf", "hybrid"]
    assert len(page.expander) >= 3
    assert any("Who founded Corvus Partners" in expander.label.replace("\\", "") for expander in page.expander)


def test_answers_are_estimated_made_and_read_and_no_call_is_paid_twice(server: OpenAIStubServer, open_page: Pages, home: Path) -> None:
    page = open_page()
    _upload(page)
    _choose(page, "qa")
    before = server.counts.chat_calls
    _estimate(page)
    assert server.counts.chat_calls == before + 1, "one call tells the time"
    assert "prompt tokens" in _shown(page)
    assert "price unknown" in _shown(page)
    press(page, "Answer 3 questions × 4 arms")
    until(page, lambda: bool(page.success))
    spent = server.counts.chat_calls
    press(page, "Read it")
    assert list(page.dataframe[1].value["Arm"]) == ["default", "naive", "closed-book", "gold"]
    assert "How right the answers are" in _shown(page)

    again = open_page()
    _choose(again, "qa")
    _run(again)
    assert server.counts.chat_calls == spent, "replies are kept"
    assert len(_runs(home)) == 2


def test_answers_are_judged_and_the_judge_is_doubted(server: OpenAIStubServer, open_page: Pages) -> None:
    page = open_page()
    _upload(page)
    _choose(page, "judge")
    page.multiselect[0].set_value(["default", "naive"]).run()
    assert "gold" not in page.multiselect[0].options
    _estimate(page)
    assert "to judge, as if each answer had 100 words" in _shown(page)
    press(page, "Answer and judge 3 questions × 2 arms")
    until(page, lambda: bool(page.success), 60)
    press(page, "Read it")
    assert "not known to be reliable for this" in page.warning[0].value
    assert list(page.dataframe[1].value["Arm"]) == ["default", "naive"]
    assert "the judge is the model that answered" in _shown(page)


def test_a_stopped_run_goes_on_after_a_restart_with_the_model_that_it_had(
    point_at_models: Callable[..., None], open_page: Pages, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = open_page()
    _upload(page)
    _choose(page, "qa")
    page.multiselect[0].set_value(["naive"]).run()
    gate = Gate()
    gate.num_free = 3
    with gate.server() as server:
        point_at_models(server, max_concurrency=1)
        page.run()
        _estimate(page)
        press(page, "Answer 3 questions × 1 arm")
        gate.wait_for(4)
        press(page, "Stop")
        assert "Stopping" in _shown(page)
        gate.is_open.set()
        until(page, lambda: has(page, "Resume"))
        assert "was stopped. " in _shown(page)
        background.wait_for_all()  # another process knows nothing of it
        again = open_page()
        monkeypatch.setenv("DYNAGRAG_LLM", "openai:another")
        assert "of 3 answers are there" in _shown(again)
        press(again, "Resume")
        until(again, lambda: bool(again.success))
    (run,) = (home / "evaluation" / "runs").iterdir()
    lines = (run / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert set(gate.prompts.values()) == {1}, "no call is paid twice"
    assert "openai:fake" in json.loads((run / "run.json").read_text(encoding="utf-8"))["settings"]["llm"]


def test_the_same_choices_go_on_with_a_stopped_run_and_one_that_is_left_is_not_offered(open_page: Pages, home: Path) -> None:
    page = open_page()
    _upload(page)
    _choose(page, "qa")
    _run(page)
    (run,) = (home / "evaluation" / "runs").iterdir()
    lines = (run / "answers.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (run / "answers.jsonl").write_text("".join(lines[:5]), encoding="utf-8")
    (run / "summary.json").unlink()
    background.wait_for_all()

    page = open_page()
    assert "5 of 12 answers are there, and are not asked again" in _shown(page)
    press(page, "Leave it")
    assert not has(page, "Resume")
    _choose(page, "qa")
    press(page, "Estimate")
    until(page, lambda: has(page, "Go on: answer 3 questions × 4 arms"))
    press(page, "Go on: answer 3 questions × 4 arms")
    until(page, lambda: bool(page.success))
    assert (run / "summary.json").is_file()
    assert _runs(home) == [run.name]
    request = kept_request(run)
    assert request is not None
    assert request.questions == "mine.jsonl"


def test_a_run_of_a_graph_that_changed_says_what_to_do(open_page: Pages, home: Path, corpus: Any, cli: Callable[..., Any]) -> None:
    page = open_page()
    _upload(page)
    _run(page)
    (run,) = (home / "evaluation" / "runs").iterdir()
    (run / "summary.json").unlink()
    background.wait_for_all()
    assert cli("ingest", corpus.write("more.vtt", [("Ines", "Edith Clarke founded Delta Works.")]), "-y").code == 0

    page = open_page()
    press(page, "Resume")
    until(page, lambda: bool(page.error))
    assert "made with other settings" in _shown(page)
    assert "begin a new run" in _shown(page)
    assert "--out" not in _shown(page)
    press(page, "Hide this")
    _run(page)
    assert len(_runs(home)) == 2


def test_answers_that_failed_are_counted_and_tried_again(
    steered: Any, panel: Callable[[str], Any], corpus: Any, cli: Callable[..., Any]
) -> None:
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y", "--extractor", "fast").code == 0
    page = panel("evaluate.page").run()
    _upload(page)
    _choose(page, "qa")
    page.multiselect[0].set_value(["closed-book"]).run()
    steered.faults_by_marker["Borealis Labs located"] = Fault.BAD_REQUEST
    _run(page)
    assert "1 answer could not be made" in page.success[0].value
    press(page, "Read it")
    assert "1 answer could not be made; they are left out" in _shown(page)
    steered.faults_by_marker.clear()
    press(page, "Try the failed answers again")
    until(page, lambda: bool(page.success))
    assert "could not be made" not in _shown(page)
    background.wait_for_all()


def test_a_spent_budget_says_so_and_the_rest_may_have_another(server: OpenAIStubServer, open_page: Pages, home: Path) -> None:
    page = open_page()
    _upload(page)
    _choose(page, "qa")
    page.multiselect[0].set_value(["naive"]).run()
    next(field for field in page.number_input if field.label == "Calls at most").set_value(2).run()
    _run(page)
    assert "the budget of 2 model calls is spent" in page.error[0].value
    assert "of 3 answers are there" in _shown(page)
    next(field for field in page.number_input if field.label == "Calls at most, for the rest").set_value(50).run()
    press(page, "Resume")
    until(page, lambda: bool(page.success))
    assert len(_runs(home)) == 1


def test_a_second_click_begins_nothing_and_a_workspace_is_not_deleted_meanwhile(
    point_at_models: Callable[..., None], open_page: Pages, panel: Callable[[str], Any], home: Path
) -> None:
    page = open_page()
    _upload(page)
    _choose(page, "qa")
    page.multiselect[0].set_value(["naive"]).run()
    gate = Gate()
    gate.num_free = 1
    with gate.server() as server:
        point_at_models(server, max_concurrency=1)
        page.run()
        _estimate(page)
        (button,) = [button for button in page.button if button.label == "Answer 3 questions × 1 arm"]
        button.click().run()
        gate.wait_for(2)
        button.click().run()
        assert len(_runs(home)) == 1
        other = open_page()
        _choose(other, "qa")
        assert "Answers: mine.jsonl" in _shown(other), "another visitor sees it"
        _choose(other, "retrieval")
        _estimate(other)
        assert next(button for button in other.button if button.label.startswith("Ask 3")).disabled
        spaces = panel("workspaces.page").run()
        until(spaces, lambda: any(field.key == "confirm_default" for field in spaces.text_input))
        spaces.text_input(key="confirm_default").set_value("default")
        spaces.button(key="delete_default").click().run()
        assert "something is at work" in _shown(spaces)
        gate.is_open.set()
        until(page, lambda: bool(page.success))
    assert len(_runs(home)) == 1


# --------------------------------------------------------------------------------------------------- lists and comparing


def test_runs_of_every_kind_are_read(open_page: Pages, cli: Callable[..., Any], tmp_path: Path) -> None:
    page = open_page()
    rows = [{"id": i, "instruction": f"Say {i}.", "output_1": "Yes.", "output_2": "No.", "better": 1, "set": "s"} for i in range(2)]
    (tmp_path / "judge").mkdir()
    (tmp_path / "judge" / "pairs.jsonl").write_bytes(_rows(rows))
    for command in (
        ["extraction"],
        ["citations", "--workspace", "default", "--checker", "rules"],
        ["judge", "--calibrate", "--data", tmp_path, "--sets", "pairs"],
    ):
        assert cli("evaluate", *command).code == 0
    page = open_page()
    page.radio(key="evaluate_view").set_value("Read").run()
    seen = {}
    for name in page.selectbox(key="evaluate_run").options:
        page.selectbox(key="evaluate_run").select(name).run()
        assert not page.error, page.error[0].value
        seen[page.dataframe[1].value.columns[0]] = len(page.dataframe[1].value)
    assert seen == {"Of": 7, "Checker": 1, "Set": 1}


def test_two_runs_on_the_same_questions_are_compared(open_page: Pages) -> None:
    page = open_page()
    page.radio(key="evaluate_view").set_value("Compare").run()
    assert "There are no two yet" in _shown(page)
    page.radio(key="evaluate_view").set_value("Measure").run()
    _upload(page)
    for arms in (["default"], ["default", "paper"]):
        page.multiselect[0].set_value(arms).run()
        _run(page)
        press(page, "Hide this")
    page.radio(key="evaluate_view").set_value("Compare").run()
    assert "Second minus first" in _shown(page)
    table, differing = page.dataframe[0].value, page.dataframe[1].value
    assert set(table["Arm"]) == {"default", "naive", "bm25", "rrf", "hybrid"}
    assert set(table["Second is"]) == {"can't be told apart"}
    assert "arms" in list(differing["Setting"])


def test_runs_of_the_command_line_are_listed_and_read_and_words_of_files_are_no_markup(
    open_page: Pages, cli: Callable[..., Any], tmp_path: Path, home: Path
) -> None:
    hostile = "Who founded ![p](http://evil.example/p.png) <script>alert(1)</script> Corvus Partners?"
    path = tmp_path / "own.jsonl"
    path.write_bytes(_rows([{"question": hostile, "documents": ["board"]}]))
    assert cli("evaluate", "retrieval", "--questions", path, "-w", "default").code == 0
    page = open_page()
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
    assert "the same command goes on with it" in _shown(page)
    (run / "run.json").write_text("{", encoding="utf-8")
    page.run()
    assert "1 folder can't be read" in _shown(page)


def test_a_request_that_points_elsewhere_is_refused(open_page: Pages, home: Path) -> None:
    page = open_page()
    _upload(page)
    _run(page)
    (run,) = (home / "evaluation" / "runs").iterdir()
    (run / "summary.json").unlink()
    request = kept_request(run)
    assert request is not None
    keep_request(run, request.model_copy(update={"questions": "../../../../etc/passwd.jsonl"}))
    background.wait_for_all()
    page = open_page()
    press(page, "Resume")
    until(page, lambda: bool(page.error))
    assert "is no file of questions" in _shown(page)
    assert load_settings().home == home
