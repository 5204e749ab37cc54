"""Arms judged: blind and in both orders, resumed, refused, reported; a better arm is seen, and an
unreadable judge guesses nothing.
"""

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from dynagrag.config.settings import Settings
from dynagrag.core.errors import (
    BudgetError,
    CutOffReplyError,
    InvalidReplyError,
    LoadError,
    ModelRefusedError,
    ModelUnavailableError,
    PromptRefusedError,
    UsageError,
    WorkspaceError,
)
from dynagrag.core.protocols import Prompt
from dynagrag.evaluation.answers.answer_arms import known_answer_arms
from dynagrag.evaluation.frame.terminal import report_lines
from dynagrag.evaluation.judge import judge_report
from dynagrag.evaluation.judge.blind_answers import BlindAnswer
from dynagrag.evaluation.judge.judge_model import prompts_digest
from dynagrag.evaluation.judge.judge_options import EXPERIMENT, JudgeOptions, plan_judge
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judge_report import JudgeRun
from dynagrag.evaluation.judge.judge_run import JudgeModels, evaluate_judge
from dynagrag.evaluation.judge.judge_summary import JudgeResult
from dynagrag.evaluation.judge.judging import JudgingCost
from dynagrag.evaluation.judge.kept_calibrations import Agreement, keep_calibration
from dynagrag.evaluation.judge.reliability import NOT_KNOWN, NOT_RELIABLE
from dynagrag.fakes import FakeChat, FakeEmbedder, FakeWordChat, simple_reply
from dynagrag.workspace.facade import open_workspace

NUM_QUESTIONS = 4
TALK = "\n".join(
    f"LEO: Person Number{i} works at Company Letter{chr(65 + i)}. Company Letter{chr(65 + i)} is"
    f" located in Town{i}."
    for i in range(8)
)
Run = tuple[JudgeRun, JudgeResult]


def lines_of(run: JudgeRun) -> list[str]:
    """Its report as the terminal shows it."""
    return list(report_lines(run.report()))


def total(result: JudgeResult, arm: str) -> float:
    """The mean total of an arm that has one."""
    own = result.arms[arm].total
    assert own is not None
    return own.mean


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Of a home with a workspace."""
    monkeypatch.chdir(tmp_path)
    Path("talk.txt").write_text(TALK, encoding="utf-8")
    with open_workspace(
        "w", chat_model=FakeChat(), embedder=FakeEmbedder(64), checker="rules"
    ) as space:
        space.ingest([Path("talk.txt")])
        return space.settings.model_copy(update={"checker": "rules"})


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    rows = [{"question": f"Where does Person Number{i} work?"} for i in range(NUM_QUESTIONS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in [*rows, rows[0]]), encoding="utf-8")
    return path


class Answerer(FakeChat):
    """Answers with an evidence mark; what it writes tells nothing of the arm but its citations."""

    def __init__(self, **more: Any) -> None:
        super().__init__(name="writer", **more)


def grading(prompt: Prompt, schema: Any) -> str:
    """Grades by what is said, and prefers what stands first where nothing else tells two answers
    apart.
    """
    if "better" in schema["properties"]:
        return json.dumps({"better": "1"})
    return json.dumps(dict.fromkeys(METRICS, 3))


@pytest.fixture
def judged(settings: Settings, questions: Path) -> Callable[..., Run]:
    def call(
        judge: FakeChat | None = None,
        writer: FakeChat | None = None,
        on_estimate: Any = None,
        **more: Any,
    ) -> Run:
        options = JudgeOptions(
            **{
                "questions": questions,
                "workspace": "w",
                "arms": ("dsa-diverse", "naive"),
                "samples": 2,
            }
            | more
        )
        models = JudgeModels(
            writer or Answerer(), judge or FakeChat(grading, name="judge"), FakeEmbedder(64)
        )
        return evaluate_judge(settings, options, on_estimate=on_estimate, models=models)

    return call


# -------------------------------------------------------------------------------------------- blind


def test_no_prompt_of_a_judge_tells_an_arm(judged: Callable[..., Run]) -> None:
    """Whatever the arms cite and however they are called: prompts hold the question, the words, and
    the rubrics.
    """
    judge = FakeChat(grading, name="judge")
    arms = (*EXPERIMENT, "graph", "hybrid", "closed-book")
    judged(judge, arms=arms)
    assert judge.prompts
    names = [
        name
        for name in known_answer_arms()
        if ":" not in name and name not in ("default", "gold", "graph", "paper")
    ]
    for prompt in judge.prompts:
        shown = f"{prompt.name} {prompt.system} {prompt.user}".casefold()
        assert not re.search(r"\[\s*(?:found: )?e\d", shown)
        assert not [name for name in names if name in shown]
        assert not re.search(r"\barm\b|baseline|retriev|subgraph|citation|dynagrag", shown)


def test_answers_of_one_text_are_one_prompt_whatever_their_arms(judged: Callable[..., Run]) -> None:
    judge = FakeChat(grading, name="judge")
    same = Answerer(
        rule=lambda prompt, schema: json.dumps(
            {"answer": "It rained.", "citations": ["E1"], "enough_evidence": True, "scores": []}
        )
    )
    run, result = judged(judge, same, arms=("naive", "hybrid"))
    assert len({BlindAnswer.of(line).text for line in run.answers().values()}) == 1
    assert judge.num_calls == NUM_QUESTIONS * 2  # two samples of one text; no pair is asked about
    assert (result.pairs["hybrid"].ties, result.pairs["hybrid"].flips) == (
        NUM_QUESTIONS,
        0,
    )


def test_answers_are_judged_in_an_order_that_tells_nothing(judged: Callable[..., Run]) -> None:
    run, _ = judged(arms=EXPERIMENT)
    by_question: dict[str, list[str]] = {}
    for line in run.lines():
        by_question.setdefault(line.question, []).append(f"{line.arm} {line.against} {line.sample}")
    assert len({tuple(own) for own in by_question.values()}) == NUM_QUESTIONS


# ------------------------------------------------------------------------------------------ figures


def test_a_better_arm_is_seen_and_a_judge_that_takes_the_first_makes_ties(
    judged: Callable[..., Run],
) -> None:
    def grades(prompt: Prompt, schema: Any) -> str:
        if "better" in schema["properties"]:
            return json.dumps({"better": "1"})
        return json.dumps(
            dict.fromkeys(METRICS, 5 if "Company" in prompt.user.rpartition("<answer>")[2] else 2)
        )

    run, result = judged(FakeChat(grades, name="judge"), arms=("naive", "closed-book"))
    found = result.differences["closed-book"]
    assert found is not None
    assert {arm: total(result, arm) for arm in result.arms} == {"naive": 25.0, "closed-book": 10.0}
    assert (found.difference, found.verdict) == (-15.0, "too few to tell")
    pairs = result.pairs["closed-book"]
    assert (pairs.flips, pairs.ties, pairs.wins, pairs.losses) == (NUM_QUESTIONS,) * 2 + (0, 0)
    assert result.compared == NUM_QUESTIONS
    assert run.result() == result
    assert run.is_done


def test_a_small_judge_gives_one_digit_by_metric(judged: Callable[..., Run]) -> None:
    judge = FakeWordChat(
        lambda prompt: (
            {"1": 0.5, "3": 0.5} if "1 or 2" not in prompt.user else {"1": 0.6, "2": 0.4}
        ),
        name="small",
    )
    _, result = judged(judge)
    assert total(result, "naive") == pytest.approx(10.0, abs=0.01)
    assert set(judge.max_tokens) == {1}


def test_a_judge_that_cannot_be_read_guesses_nothing(judged: Callable[..., Run]) -> None:
    run, result = judged(
        FakeChat(lambda prompt, schema: "I would rate it 5/5 but 1", name="prose"), samples=1
    )
    num = NUM_QUESTIONS * len(METRICS)
    assert result.compared == 0
    assert [own.total for own in result.arms.values()] == [None, None]
    assert [own.unreadable for own in result.arms.values()] == [num] * 2
    pairs = result.pairs["dsa-diverse"]
    assert pairs.unreadable + pairs.ties == NUM_QUESTIONS
    json.dumps(result.as_json(), allow_nan=False)
    said = f"{2 * num} of {2 * num} grades could not be read, e.g. prose: also after one repair"
    lines = lines_of(run)
    assert any(said in line for line in lines)
    assert any(line.split()[-1:] == [str(num)] for line in lines if line.startswith("D naive")), (
        "the table of grades is there"
    )
    page = (run.path / "report.html").read_text(encoding="utf-8")
    assert said in page
    assert "No answer has a grade on every metric." in page


def test_grades_that_cannot_be_read_are_grades_by_kind_too(
    judged: Callable[..., Run], tmp_path: Path
) -> None:
    path = tmp_path / "kinds.jsonl"
    path.write_text(
        "".join(
            json.dumps({"question": f"Who is Number{i}?", "kind": f"k{i}"}) + "\n" for i in range(2)
        ),
        encoding="utf-8",
    )
    prose = FakeChat(lambda prompt, schema: "fine", name="prose")
    run, _ = judged(prose, questions=path, forms=("pointwise",))
    lines = lines_of(run)
    table = lines.index("By kind of question:") + 1
    assert lines[table] == "Mean total"
    assert lines[table + 1].split() == ["kind", "questions", "dsa-diverse", "naive"]
    assert lines[table + 2].split() == ["k0", "1", "-", "-"]


def test_a_judge_that_cannot_be_read_is_given_up_on(
    judged: Callable[..., Run], tmp_path: Path
) -> None:
    prose = FakeChat(lambda prompt, schema: "fine", name="prose")
    with pytest.raises(
        InvalidReplyError,
        match=(
            r"the last 20 judgements of prose could not be read, e\.g\. .*: name another judge;"
            r" .*--out"
        ),
    ):
        judged(prose, samples=5, out=tmp_path / "run")
    assert len(JudgeRun.at(tmp_path / "run").lines()) < NUM_QUESTIONS * 2 * 5


@pytest.mark.parametrize("form", ["pointwise", "pairwise"])
def test_a_prompt_that_the_provider_refuses_is_unreadable_and_the_others_are_judged(
    form: str, judged: Callable[..., Run]
) -> None:
    judge = FakeChat(grading, name="judge", script=[PromptRefusedError("400: content policy")])
    run, _ = judged(judge, arms=("naive", "closed-book"), forms=(form,))
    assert [line.note for line in run.lines() if line.why_unreadable] == ["400: content policy"]
    assert any("could not be read, e.g. 400: content policy" in line for line in lines_of(run))


def test_a_judge_that_refuses_every_prompt_ends_the_run_and_says_how_to_resume(
    judged: Callable[..., Run], tmp_path: Path
) -> None:
    judge = FakeChat(grading, name="judge", script=[ModelRefusedError("401: no such key")])
    with pytest.raises(
        ModelRefusedError, match=r"401: no such key; .*resume with the same command and --out"
    ):
        judged(judge, out=tmp_path / "run")
    assert judged(judge, out=tmp_path / "run")[1].compared == NUM_QUESTIONS


def test_a_torn_line_of_an_answer_is_dropped_and_the_answer_made_again(
    judged: Callable[..., Run], tmp_path: Path
) -> None:
    run, whole = judged(out=tmp_path / "run")
    data = run.answer_file().path.read_bytes()
    run.answer_file().path.write_bytes(data[:-20])
    run, result = judged(out=tmp_path / "run")
    assert len(run.answer_file().lines()) == data.count(b"\n")
    assert result.compared == whole.compared == NUM_QUESTIONS


def test_a_judge_that_gives_one_score_to_everything_is_said(judged: Callable[..., Run]) -> None:
    run, result = judged()
    assert result.is_one_score
    found = result.differences["dsa-diverse"]
    assert found is not None
    assert found.verdict == "too few to tell"
    assert any("the same total" in line for line in lines_of(run))


def test_the_published_figure_stands_beside_and_what_was_not_published_is_not_made_up(
    judged: Callable[..., Run],
) -> None:
    run, result = judged(arms=EXPERIMENT)
    assert {arm: own.published for arm, own in result.arms.items()} == dict.fromkeys(EXPERIMENT) | {
        "dsa-diverse": 18.10
    }
    text = "\n".join(lines_of(run))
    assert text.count("n/a") == 4
    assert "not comparable" in text


# -------------------------------------------------------------------------------------- reliability


def calibrated(settings: Settings, kappa: float, judge: str = "judge") -> None:
    agreed = Agreement(
        n=100,
        accuracy=0.8,
        kappa=kappa,
        kappa_interval=(kappa - 0.05, kappa + 0.05),
        flips=3,
        ties=3,
        unreadable=0,
    )
    prompts = {"pairs": prompts_digest("judge_better"), "squality": prompts_digest("judge_grade")}
    keep_calibration(
        settings.home, judge, f"{judge} temperature=0", dict.fromkeys(prompts, agreed), prompts
    )


def test_the_first_line_tells_whether_the_judge_can_be_believed(
    judged: Callable[..., Run], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown, _ = judged()
    assert lines_of(unknown)[0].startswith(f"{NOT_KNOWN}: judge, pointwise and pairwise")
    calibrated(settings, 0.3)
    run, _ = judged(samples=1)
    assert lines_of(run)[0].startswith(
        f"{NOT_RELIABLE}: judge, pointwise (kappa with people 0.30 (0.25 to 0.35) on 100 rows of"
        " squality, below 0.4, measured with references, which these grades lack)"
    )
    assert NOT_RELIABLE in (run.path / "report.html").read_text(encoding="utf-8")
    assert any(
        "with people it agrees in 80 % of 100 rows of pairs" in line for line in lines_of(run)
    )
    strong, result = judged(samples=1, threshold=0.2)
    assert result.verdict.startswith("reliable: judge, pointwise")
    assert lines_of(strong)[0].startswith(f"{result.verdict}. The arms did not read equally much")
    monkeypatch.setattr(judge_report, "contexts_apart", lambda tokens: "")
    assert lines_of(strong)[-2].startswith(result.verdict)
    assert not strong.report().is_warned


def test_a_judge_that_is_the_writer_is_said(judged: Callable[..., Run]) -> None:
    same = FakeChat(name="writer")
    run, result = judged(same, same)
    assert result.is_own_judge
    assert any("may like its own words" in line for line in lines_of(run))
    assert not judged()[1].is_own_judge


# ------------------------------------------------------------------------------------------ durable


def test_a_run_that_was_stopped_anywhere_asks_nothing_twice(
    judged: Callable[..., Run], tmp_path: Path
) -> None:
    whole_writer, whole_judge = Answerer(), FakeChat(grading, name="judge")
    _, whole = judged(whole_judge, whole_writer, out=tmp_path / "whole")
    writer, judge = Answerer(identity="w2"), FakeChat(grading, name="judge2")
    with pytest.raises(BudgetError):
        judged(judge, writer, out=tmp_path / "run", max_calls=whole_writer.num_calls + 5)
    num_written, num_judged = writer.num_calls, judge.num_calls
    assert 0 < num_judged < whole_judge.num_calls
    run, result = judged(judge, writer, out=tmp_path / "run")
    assert len(run.lines()) == len(run.judged()) == NUM_QUESTIONS * 5, "nothing is written twice"
    assert writer.num_calls == num_written
    assert (
        len({(p.name, p.user) for p in judge.prompts})
        == len(judge.prompts)
        == whole_judge.num_calls
    )
    own, other = (
        found.arms["naive"].model_copy(update={"seconds": 0}) for found in (result, whole)
    )
    assert own == other
    again = judged(judge, writer, out=tmp_path / "run")
    assert len(judge.prompts) == whole_judge.num_calls
    assert again[1] == result
    assert run.is_done


def test_a_busy_judge_ends_the_run_with_all_kept(
    judged: Callable[..., Run], tmp_path: Path
) -> None:
    judge = FakeChat(grading, name="judge", script=[ModelUnavailableError("429: slow down")])
    with pytest.raises(ModelUnavailableError, match=r"429.*resume with the same command and --out"):
        judged(judge, out=tmp_path / "run")
    assert judged(judge, out=tmp_path / "run")[1].compared == NUM_QUESTIONS


def test_other_settings_are_refused(judged: Callable[..., Run], tmp_path: Path) -> None:
    judged(out=tmp_path / "run")
    for more in (
        {"samples": 1},
        {"arms": ("dsa-diverse", "naive", "hybrid")},
        {"limit": 2},
        {"seed": 4},
    ):
        with pytest.raises(UsageError, match="other settings"):
            judged(out=tmp_path / "run", **more)
    with pytest.raises(UsageError, match="judge was"):
        judged(FakeChat(grading, name="other"), out=tmp_path / "run")


def test_an_answer_that_failed_is_tried_again(judged: Callable[..., Run], tmp_path: Path) -> None:
    writer = Answerer(script=[ModelUnavailableError("gone"), ModelUnavailableError("gone")])
    run, first = judged(writer=writer, out=tmp_path / "run", arms=("naive", "hybrid"))
    assert sum(own.errors for own in first.arms.values()) >= 1
    assert first.compared < NUM_QUESTIONS
    assert any("could not be made" in line for line in lines_of(run))
    _, again = judged(writer=writer, out=tmp_path / "run", arms=("naive", "hybrid"))
    assert sum(own.errors for own in again.arms.values()) == 0
    assert again.compared == NUM_QUESTIONS


def test_an_arm_that_never_answers_leaves_the_others_their_totals(
    judged: Callable[..., Run],
) -> None:
    def fails_alone(prompt: Prompt, schema: Any) -> str:
        return (
            "no object" if prompt.name.startswith("closed_book") else simple_reply(prompt, schema)
        )

    run, result = judged(writer=Answerer(rule=fails_alone), arms=("naive", "hybrid", "closed-book"))
    assert {arm: (own.errors, own.graded) for arm, own in result.arms.items()} == {
        "naive": (0, NUM_QUESTIONS),
        "hybrid": (0, NUM_QUESTIONS),
        "closed-book": (NUM_QUESTIONS, 0),
    }
    assert result.arms["closed-book"].total is None
    assert result.differences["closed-book"] is None
    hybrid = result.differences["hybrid"]
    assert hybrid is not None
    assert hybrid.n == NUM_QUESTIONS
    assert result.compared == 0
    assert any(line.startswith("closed-book") for line in lines_of(run))


def test_an_answer_that_was_cut_off_has_the_lowest_grades_and_loses_without_being_asked_about(
    judged: Callable[..., Run],
) -> None:
    def cut(prompt: Prompt, schema: Any) -> str:
        if prompt.name.startswith("closed_book"):
            raise CutOffReplyError("the reply hit its limit")
        return simple_reply(prompt, schema)

    judge, alone = FakeChat(grading, name="judge"), FakeChat(grading, name="alone")
    run, result = judged(judge, Answerer(rule=cut), arms=("naive", "closed-book"))
    judged(alone, Answerer(rule=cut), arms=("naive",), forms=("pointwise",))
    assert judge.num_calls == alone.num_calls > 0
    own, pair = result.arms["closed-book"], result.pairs["closed-book"]
    assert (own.cut_off, own.errors, own.answers) == (NUM_QUESTIONS, 0, 0)
    assert total(result, "closed-book") == 5.0
    assert own.calls == 1
    assert (pair.losses, pair.wins, pair.ties) == (NUM_QUESTIONS, 0, 0)
    assert pair.longer_wins is None
    assert result.compared == NUM_QUESTIONS
    assert result.length is None
    assert any(line.startswith("closed-book") for line in lines_of(run))


def test_the_estimates_come_before_each_part(judged: Callable[..., Run]) -> None:
    told: list[object] = []
    judge = FakeChat(grading, name="judge")
    judged(judge, on_estimate=told.append)
    cost = told[2]  # behind those of the answers, before a call and after it
    assert isinstance(cost, JudgingCost)
    assert cost.calls >= judge.num_calls > 0


# ---------------------------------------------------------------------------------------- bad input


def test_what_was_given_wrong_is_said(
    judged: Callable[..., Run], questions: Path, tmp_path: Path
) -> None:
    for more, error, words in [
        ({"questions": tmp_path / "none.jsonl"}, LoadError, "there is no file"),
        ({"arms": ("best",)}, UsageError, "unknown arm 'best'"),
        ({"baseline": "hybrid"}, UsageError, "not among the arms"),
        ({"forms": ("blindly",)}, UsageError, "unknown form 'blindly'"),
        ({"forms": ()}, UsageError, "name a form"),
        ({"forms": ("pairwise",), "arms": ("naive",)}, UsageError, "two arms"),
        ({"workspace": "nowhere"}, WorkspaceError, "nowhere"),
        ({"arms": ("naive", "gold")}, UsageError, "evaluate qa"),
    ]:
        judge = FakeChat(grading, name="judge")
        with pytest.raises(error, match=words):
            judged(judge, **more)
        assert judge.num_calls == 0


def test_a_question_that_stands_twice_is_asked_once_and_one_id_for_two_is_refused(
    questions: Path, tmp_path: Path
) -> None:
    plan = plan_judge(JudgeOptions(questions))
    assert len(plan.questions) == NUM_QUESTIONS
    assert plan.notes == {"questions that stand in the file twice, asked once": 1}
    path = tmp_path / "bad.jsonl"
    path.write_text(
        '{"id": "a", "question": "One?"}\n{"id": "b", "question": "one? "}\n', encoding="utf-8"
    )
    assert [question.text for question in plan_judge(JudgeOptions(path)).questions] == ["One?"]
    path.write_text(
        '{"id": "a", "question": "One?"}\n{"id": "a", "question": "Two?"}\n', encoding="utf-8"
    )
    with pytest.raises(LoadError, match=r"line 2.*'a'.*line 1"):
        plan_judge(JudgeOptions(path))


def test_the_report_is_whole_html_that_runs_nothing(judged: Callable[..., Run]) -> None:
    nasty = "<script>alert(1)</script>"
    writer = Answerer(
        rule=lambda prompt, schema: json.dumps(
            {"answer": f"It rained. {nasty}", "citations": ["E1"], "enough_evidence": True}
        )
    )
    run, _ = judged(writer=writer)
    html = (run.path / "report.html").read_text(encoding="utf-8")
    assert nasty not in html
    HTMLParser().feed(html)
    assert "The worst questions of" in html
