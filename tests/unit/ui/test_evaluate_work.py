"""Evaluations as the app runs them: what an error says there, what is left, what a request keeps,
and what judging will cost.
"""

import json
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from dynagrag import wiring
from dynagrag.config.settings import load_settings
from dynagrag.core.errors import DynaGragError, LoadError
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.judge.blind_answers import BlindAnswer
from dynagrag.evaluation.judge.judge_options import JudgeOptions, plan_judge
from dynagrag.evaluation.judge.judging import expected_cost, units_cost
from dynagrag.evaluation.qa.qa_report import QaRun
from dynagrag.fakes import FakeChat
from dynagrag.models.metered_chat import MeteredChat
from dynagrag.ui.background import Work
from dynagrag.ui.evaluate.run_request import (
    Measure,
    RunRequest,
    arm_words,
    baselines,
    default_arms,
    keep_request,
    kept_request,
)
from dynagrag.ui.evaluate.run_work import in_the_app, seconds_left
from dynagrag.workspace.workspace_soft_prompt import OwnSoftPrompt

REQUEST = RunRequest(
    measure=Measure.RIGHT,
    workspace="w",
    questions="mine.jsonl",
    arms=("default",),
    llm="openai:fake",
)


def _stopped(path: Path) -> None:
    QaRun.open(path / "run", {"arms": []}, {})
    QaRun.read(path / "run")


def _other_settings(path: Path) -> None:
    QaRun.open(path / "run", {"arms": ["default"]}, {})
    QaRun.open(path / "run", {"arms": ["naive"]}, {})


def _held(path: Path) -> None:
    run = QaRun.open(path / "run", {"arms": []}, {})
    with run.held(0):
        QaRun.open(path / "run", {"arms": []}, {})


def _damaged(path: Path) -> None:
    run = QaRun.open(path / "run", {"arms": []}, {})
    run.file.append([AnswerLine(scope="corpus", question="q", text="Who?", arm="default")])
    (run.path / "answers.jsonl").write_text("{}\n", encoding="utf-8")
    run.lines()


def _no_summary(path: Path) -> None:
    QaRun.open(path / "run", {"arms": []}, {}).result()


def _something_else(path: Path) -> None:
    (path / "note.txt").write_text("mine", encoding="utf-8")
    check_folder(path)


@pytest.mark.parametrize(
    ("do", "said"),
    [
        (_stopped, "resume it here"),
        (_other_settings, "begin a new run"),
        (_held, "begin a new run"),
        (_damaged, "resume it here"),
        (_no_summary, "resume it here"),
        (_something_else, "see that runs can be written there"),
    ],
)
def test_an_error_is_worded_for_the_app(
    do: Callable[[Path], None], said: str, tmp_path: Path
) -> None:
    with pytest.raises(DynaGragError, match="--out") as raised:
        do(tmp_path)
    words = in_the_app(str(raised.value))
    assert said in words
    assert "--out" not in words
    assert "command" not in words


def test_what_is_left_is_told_by_what_was_done_since_it_went_on() -> None:
    work = Work(("home", "w"), "a run")
    assert seconds_left(work) is None
    work.notes |= {"since": (40, time.monotonic() - 10)}
    work.done, work.total = 40, 100
    assert seconds_left(work) is None, "nothing was done yet"
    work.done = 60
    assert seconds_left(work) == pytest.approx(20, abs=0.5)


def test_a_request_is_kept_and_the_same_one_is_known_by_all_but_its_budget(tmp_path: Path) -> None:
    keep_request(tmp_path, REQUEST)
    assert kept_request(tmp_path) == REQUEST
    assert REQUEST.is_same(REQUEST.model_copy(update={"max_calls": 5, "is_left": True}))
    for other in (
        {"arms": ("naive",)},
        {"llm": "openai:other"},
        {"limit": 3},
        {"questions": "mine-2.jsonl"},
        {"baseline": "default"},
    ):
        assert not REQUEST.is_same(REQUEST.model_copy(update=other)), other
    (tmp_path / "request.json").write_text('{"measure": "magic"}', encoding="utf-8")
    assert kept_request(tmp_path) is None


def test_a_request_that_came_from_elsewhere_or_was_changed_is_none_to_go_on_with(
    tmp_path: Path,
) -> None:
    path = tmp_path / "request.json"
    path.write_text(REQUEST.model_dump_json(), encoding="utf-8")  # as nobody here has asked
    assert kept_request(tmp_path) is None
    keep_request(tmp_path, REQUEST)
    form = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(form | {"llm": "gguf:hf:evil/model/file.gguf"}), encoding="utf-8")
    assert kept_request(tmp_path) is None
    for text in ("[]", "[" * 99_999, '{"seal": 3}'):
        path.write_text(text, encoding="utf-8")
        assert kept_request(tmp_path) is None


@pytest.mark.parametrize(
    "name", ["../mine.jsonl", "/etc/mine.jsonl", "mine.txt", ".jsonl", "a/b.jsonl"]
)
def test_a_request_names_a_file_of_its_workspace_alone(name: str, home: Path) -> None:
    settings = load_settings(home=home)
    assert REQUEST.path(settings) == home / "workspaces" / "w" / "questions" / "mine.jsonl"
    with pytest.raises(LoadError, match="no file of questions"):
        REQUEST.model_copy(update={"questions": name}).path(settings)


def test_arms_that_can_be_chosen_are_those_of_the_commands() -> None:
    for measure in Measure:
        words = arm_words(measure)
        if measure is Measure.SHOWN:  # what `ask` shows has no arms
            assert not words
            continue
        assert set(default_arms(measure, words)) <= set(words)
        assert all(words.values())
        assert baselines(measure, default_arms(measure, words))[0] == "naive"
    assert "gold" not in arm_words(Measure.JUDGED)


def test_trained_soft_prompts_that_fit_are_arms_and_need_no_language_model() -> None:
    soft = [
        OwnSoftPrompt("grag", "grag with smollm2"),
        OwnSoftPrompt("g-retriever", "g-retriever with qwen", "qwen isn't here"),
    ]
    own = {
        "soft:grag": "GRAG, trained on this workspace, with smollm2",
        "hard:grag": "smollm2 with the text that GRAG reads, without the training",
    }
    for measure in (Measure.RIGHT, Measure.JUDGED):
        assert arm_words(measure, soft) == arm_words(measure) | own
        assert not any(name.startswith("rerank:") for name in arm_words(measure, soft))
    assert arm_words(Measure.RIGHT, soft, has_model=False) == own
    assert default_arms(Measure.RIGHT, own) == ("soft:grag", "hard:grag")
    assert arm_words(Measure.FOUND, soft) == arm_words(Measure.FOUND)


@pytest.mark.parametrize("is_small", [False, True])
def test_the_cost_of_judging_is_about_that_of_answers_of_a_hundred_words(
    is_small: bool, tmp_path: Path
) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(
        "".join(json.dumps({"question": f"Who sings {i}?"}) + "\n" for i in range(4)),
        encoding="utf-8",
    )
    plan = plan_judge(JudgeOptions(path, arms=("default", "naive", "bm25")))
    model, settings = (
        FakeChat(is_small=is_small),
        load_settings(price_per_million_prompt_tokens=1000.0),
    )
    expected = expected_cost(plan, model, settings)
    answers = {
        (question.id, arm): BlindAnswer(
            question.text, " ".join(f"{arm}{i}"[:4] for i in range(100))
        )
        for question in plan.questions
        for arm in plan.arm_names
    }
    with closing(wiring.make_journal(tmp_path)) as journal:
        real = units_cost(plan.units, answers, MeteredChat(model, journal, workspace="w"), settings)
    assert (expected.calls, expected.completion_tokens) == (real.calls, real.completion_tokens)
    assert expected.prompt_tokens == pytest.approx(real.prompt_tokens, rel=0.25)
    assert expected.money is not None
    assert expected.money > 0
    thinking = expected_cost(plan, FakeChat(is_small=is_small, name="openai:qwen3:1.7b"), settings)
    assert thinking.completion_tokens >= 1000 * thinking.calls
