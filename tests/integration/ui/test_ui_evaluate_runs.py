"""Runs of the page Evaluate, without a browser: begun, stopped, resumed, and what may come in their
way.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ask_pages import TURNS
from ingests import Gate
from pages import choose, estimate, has, kept_runs, press, run_it, shown, until, upload

from dynagrag.evaluation.frame.experiment_run import UnknownRun
from dynagrag.fakes.fake_server import Fault, OpenAIStubServer
from dynagrag.ui import background
from dynagrag.ui.evaluate.run_request import keep_request, kept_request

Pages = Callable[[], Any]


def test_passages_are_measured_and_the_run_is_read(evaluate_page: Pages, home: Path) -> None:
    page = evaluate_page()
    upload(page)
    estimate(page)
    assert "3 questions × 5 arms" in shown(page)
    assert "No calls to a language model, so no cost" in shown(page)
    assert kept_runs(home) == [], "an estimate leaves no run"
    press(page, "Ask 3 questions × 5 arms")
    until(page, lambda: bool(page.success))
    assert len(kept_runs(home)) == 1
    press(page, "Read it")
    said = shown(page)
    assert page.radio(key="evaluate_view").value == "Read"
    assert "default: recall@5 100.0, " in said
    assert "Fewer than 30 questions" in said
    listed, figures = page.dataframe[0].value.iloc[0], page.dataframe[1].value
    assert (listed["What"], listed["Questions"], listed["State"]) == (
        "passages found",
        "mine.jsonl of default",
        "done",
    )
    assert list(figures["arm"]) == ["default", "naive", "bm25", "rrf", "hybrid"]
    assert len(page.expander) >= 3
    assert any(
        "Who founded Corvus Partners" in expander.label.replace("\\", "")
        for expander in page.expander
    )


def test_answers_are_estimated_made_and_read_and_no_call_is_paid_twice(
    server: OpenAIStubServer, evaluate_page: Pages, home: Path
) -> None:
    page = evaluate_page()
    upload(page)
    choose(page, "qa")
    before = server.counts.chat_calls
    estimate(page)
    assert server.counts.chat_calls == before + 1, "one call tells the time"
    assert "prompt tokens" in shown(page)
    assert "price unknown" in shown(page)
    press(page, "Answer 3 questions × 4 arms")
    until(page, lambda: bool(page.success))
    spent = server.counts.chat_calls
    press(page, "Read it")
    assert list(page.dataframe[1].value["arm"]) == ["default", "naive", "closed-book", "gold"]
    assert "how right is each arm" in shown(page)

    again = evaluate_page()
    choose(again, "qa")
    run_it(again)
    assert server.counts.chat_calls == spent, "replies are kept"
    assert len(kept_runs(home)) == 2


def test_answers_are_judged_and_the_judge_is_doubted(
    server: OpenAIStubServer, evaluate_page: Pages
) -> None:
    page = evaluate_page()
    upload(page)
    choose(page, "judge")
    page.multiselect[0].set_value(["default", "naive"]).run()
    assert "gold" not in page.multiselect[0].options
    estimate(page)
    assert "to judge, as if each answer had 100 words" in shown(page)
    press(page, "Answer and judge 3 questions × 2 arms")
    until(page, lambda: bool(page.success), 60)
    press(page, "Read it")
    assert "not known to be reliable for this" in page.warning[0].value
    assert list(page.dataframe[1].value["arm"]) == ["E default", "D naive"]
    assert "The judge is the model that answered" in shown(page)


def test_a_stopped_run_goes_on_after_a_restart_with_the_model_that_it_had(
    point_at_models: Callable[..., None],
    evaluate_page: Pages,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = evaluate_page()
    upload(page)
    choose(page, "qa")
    page.multiselect[0].set_value(["naive"]).run()
    gate = Gate()
    gate.num_free = 3
    with gate.server() as server:
        point_at_models(server, max_concurrency=1)
        page.run()
        estimate(page)
        press(page, "Answer 3 questions × 1 arm")
        gate.wait_for(4)
        press(page, "Stop")
        assert "Stopping" in shown(page)
        gate.is_open.set()
        until(page, lambda: has(page, "Resume"))
        assert "was stopped. " in shown(page)
        background.wait_for_all()  # another process knows nothing of it
        again = evaluate_page()
        monkeypatch.setenv("DYNAGRAG_LLM", "openai:another")
        assert "of 3 answers are done" in shown(again)
        press(again, "Resume")
        until(again, lambda: bool(again.success))
    (run,) = (home / "evaluation" / "runs").iterdir()
    lines = (run / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert set(gate.prompts.values()) == {1}, "no call is paid twice"
    assert (
        "openai:fake"
        in json.loads((run / "run.json").read_text(encoding="utf-8"))["settings"]["llm"]
    )


def test_the_same_choices_go_on_with_a_stopped_run_and_one_that_is_left_is_not_offered(
    evaluate_page: Pages, home: Path
) -> None:
    page = evaluate_page()
    upload(page)
    choose(page, "qa")
    run_it(page)
    (run,) = (home / "evaluation" / "runs").iterdir()
    lines = (run / "answers.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (run / "answers.jsonl").write_text("".join(lines[:5]), encoding="utf-8")
    (run / "summary.json").unlink()
    background.wait_for_all()

    page = evaluate_page()
    assert "5 of 12 answers are done, and are not asked again" in shown(page)
    press(page, "Leave it")
    assert not has(page, "Resume")
    choose(page, "qa")
    press(page, "Estimate")
    until(page, lambda: has(page, "Go on: answer 3 questions × 4 arms"))
    press(page, "Go on: answer 3 questions × 4 arms")
    until(page, lambda: bool(page.success))
    assert (run / "summary.json").is_file()
    assert kept_runs(home) == [run.name]
    request = kept_request(run)
    assert request is not None
    assert request.questions == "mine.jsonl"


def test_a_run_of_a_graph_that_changed_says_what_to_do(
    evaluate_page: Pages, home: Path, corpus: Any, cli: Callable[..., Any]
) -> None:
    page = evaluate_page()
    upload(page)
    run_it(page)
    (run,) = (home / "evaluation" / "runs").iterdir()
    (run / "summary.json").unlink()
    background.wait_for_all()
    assert (
        cli(
            "ingest",
            corpus.write("more.vtt", [("Ines", "Edith Clarke founded Delta Works.")]),
            "-y",
        ).code
        == 0
    )

    page = evaluate_page()
    press(page, "Resume")
    until(page, lambda: bool(page.error))
    assert "made with other settings" in shown(page)
    assert "begin a new run" in shown(page)
    assert "--out" not in shown(page)
    press(page, "Hide this")
    run_it(page)
    assert len(kept_runs(home)) == 2


def test_answers_that_failed_are_counted_and_tried_again(
    steered: Any, panel: Callable[[str], Any], corpus: Any, cli: Callable[..., Any]
) -> None:
    assert cli("ingest", corpus.write("board.vtt", TURNS), "-y", "--extractor", "fast").code == 0
    page = panel("evaluate.page").run()
    upload(page)
    choose(page, "qa")
    page.multiselect[0].set_value(["closed-book"]).run()
    steered.faults_by_marker["Borealis Labs located"] = Fault.BAD_REQUEST
    run_it(page)
    assert "1 answer could not be made" in page.success[0].value
    press(page, "Read it")
    assert "1 answer could not be made; they are left out" in shown(page)
    steered.faults_by_marker.clear()
    press(page, "Try the failed answers again")
    until(page, lambda: bool(page.success))
    assert "could not be made" not in shown(page)
    background.wait_for_all()


def test_a_spent_budget_says_so_and_the_rest_may_have_another(
    server: OpenAIStubServer, evaluate_page: Pages, home: Path
) -> None:
    page = evaluate_page()
    upload(page)
    choose(page, "qa")
    page.multiselect[0].set_value(["naive"]).run()
    next(field for field in page.number_input if field.label == "Model calls, at most").set_value(
        2
    ).run()
    run_it(page)
    assert "the budget of 2 model calls is spent" in page.error[0].value
    assert "of 3 answers are done" in shown(page)
    next(
        field for field in page.number_input if field.label == "Model calls for the rest, at most"
    ).set_value(50).run()
    press(page, "Resume")
    until(page, lambda: bool(page.success))
    assert len(kept_runs(home)) == 1


def test_a_second_click_begins_nothing_and_a_workspace_is_not_deleted_meanwhile(
    point_at_models: Callable[..., None],
    evaluate_page: Pages,
    panel: Callable[[str], Any],
    home: Path,
) -> None:
    page = evaluate_page()
    upload(page)
    choose(page, "qa")
    page.multiselect[0].set_value(["naive"]).run()
    gate = Gate()
    gate.num_free = 1
    with gate.server() as server:
        point_at_models(server, max_concurrency=1)
        page.run()
        estimate(page)
        (button,) = [
            button for button in page.button if button.label == "Answer 3 questions × 1 arm"
        ]
        button.click().run()
        gate.wait_for(2)
        button.click().run()
        assert len(kept_runs(home)) == 1
        other = evaluate_page()
        choose(other, "qa")
        assert "Answers: mine.jsonl" in shown(other), "another visitor sees it"
        choose(other, "retrieval")
        estimate(other)
        assert next(button for button in other.button if button.label.startswith("Ask 3")).disabled
        spaces = panel("workspaces.workspaces_page").run()
        until(spaces, lambda: any(field.key == "confirm_default" for field in spaces.text_input))
        spaces.text_input(key="confirm_default").set_value("default")
        spaces.button(key="delete_default").click().run()
        assert "is at work on workspace" in shown(spaces).replace("\\", "")
        gate.is_open.set()
        until(page, lambda: bool(page.success))
    assert len(kept_runs(home)) == 1


def test_a_request_that_points_elsewhere_is_refused(evaluate_page: Pages, home: Path) -> None:
    page = evaluate_page()
    upload(page)
    run_it(page)
    (run,) = (home / "evaluation" / "runs").iterdir()
    (run / "summary.json").unlink()
    request = kept_request(run)
    assert request is not None
    keep_request(run, request.model_copy(update={"questions": "../../../../etc/passwd.jsonl"}))
    background.wait_for_all()
    page = evaluate_page()
    press(page, "Resume")
    until(page, lambda: bool(page.error))
    assert "is no file of questions" in shown(page)


@pytest.mark.parametrize(
    ("is_done", "wanted"),
    [
        (True, "This version of dynagrag can't show runs of shouts."),
        (False, "This run hasn't finished."),
    ],
)
def test_a_run_of_an_unknown_kind_is_listed_and_says_so(
    is_done: bool, wanted: str, evaluate_page: Pages, home: Path
) -> None:
    settings = {"evaluates": "shouts", "files": ["a.jsonl"], "arms": ["capitals"]}
    run = UnknownRun.open(home / "evaluation" / "runs" / "run", settings, {})
    if is_done:
        run.summary_file.write_text("{}")
    page = evaluate_page()
    page.radio(key="evaluate_view").set_value("Read").run()
    assert wanted in shown(page)
    listed = page.dataframe[0].value.iloc[0]
    assert (listed["What"], listed["Questions"]) == ("shouts", "a.jsonl")
    assert listed["State"] == ("done" if is_done else "stopped")
