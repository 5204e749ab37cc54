"""The figures of judged answers, of answers and verdicts that are written down by hand; and runs of
before, read all the same.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from dynagrag.evaluation.answers.answer_line import AnswerLine, VerdictClaims
from dynagrag.evaluation.frame.figures import Figure, Unit
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.report import Cell, cell_text
from dynagrag.evaluation.frame.terminal import report_lines
from dynagrag.evaluation.judge.judge_options import FORMS, JudgeOptions, JudgePlan, plan_judge
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judge_report import WORDS, JudgeRun
from dynagrag.evaluation.judge.judge_summary import JudgeResult, grades_of, judge_result
from dynagrag.evaluation.judge.judged_line import JudgedLine
from dynagrag.evaluation.judge.kept_calibrations import KeptCalibration
from dynagrag.evaluation.judge.reliability import THRESHOLD
from dynagrag.ui.evaluate.kept_runs import view_of
from dynagrag.ui.evaluate.worst_questions import worst_questions

ARMS = ("hybrid", "bm25", "naive")
COMMITTED = Path(__file__).parents[4] / "benchmarks" / "results" / "judge-apollo13"
NEW_IN_ARMS, NEW_IN_DIFFERENCES = ("stated", "claiming", "same_as_baseline"), ("p_holm", "holds")


def planned(
    tmp_path: Path, rows: Sequence[Mapping[str, Any]], forms: tuple[str, ...] = FORMS
) -> JudgePlan:
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return plan_judge(JudgeOptions(path, arms=ARMS, forms=forms, samples=1))


def answer(question: str, arm: str, text: str = "", **more: Any) -> AnswerLine:
    return AnswerLine(
        scope="corpus",
        question=question,
        text="Who?",
        arm=arm,
        plain=text or f"{arm} says {question}.",
        **more,
    )


def grade(question: str, arm: str, value: float) -> JudgedLine:
    return JudgedLine(question=question, arm=arm, grades=dict.fromkeys(METRICS, value))


def pair(question: str, arm: str, verdict: float) -> JudgedLine:
    return JudgedLine(
        question=question, arm=arm, against="naive", verdict=verdict, orders=(verdict, verdict)
    )


def summed(
    tmp_path: Path, plan: JudgePlan, answers: Sequence[AnswerLine], lines: Sequence[JudgedLine]
) -> tuple[JudgeRun, JudgeResult]:
    settings = {
        "evaluates": JudgeRun.evaluates,
        "llm": "writer",
        "judge": "judge",
        "arms": list(ARMS),
        "files": {"questions.jsonl": "0"},
    }
    run = JudgeRun.open(
        tmp_path / "run",
        settings | {"questions": len(plan.questions), "forms": list(plan.forms)},
        {},
    )
    run.answer_file().append(answers)
    run.file.append(lines)
    result = judge_result(
        plan,
        run.answers(),
        run.lines(),
        "writer",
        KeptCalibration(judge="judge", identity="judge"),
        THRESHOLD,
        run.path,
    )
    run.keep_result(result)
    run.write_report(render(run.report(), run.head))
    return run, result


def rows(num: int) -> list[dict[str, Any]]:
    return [
        {"id": f"q{i}", "question": f"Who is {i}?", "kind": "who" if i % 2 else "two_hop"}
        for i in range(num)
    ]


def shown(run: JudgeRun) -> str:
    return (run.path / "report.html").read_text(encoding="utf-8")


def lines_of(run: JudgeRun) -> list[str]:
    """Its report as the terminal shows it."""
    return list(report_lines(run.report()))


def table(run: JudgeRun, head: str) -> dict[str, dict[str, Cell]]:
    """The rows of the first table that has such a column, by name and head."""
    report = run.report()
    found = next(
        own
        for section in (*report.results, *report.costs)
        for own in section.tables
        if head in own.heads
    )
    return {name: dict(zip(found.heads[1:], cells, strict=True)) for name, cells in found.rows}


def test_context_tokens_are_of_whole_answers_and_the_other_costs_of_all(tmp_path: Path) -> None:
    whole = answer("q0", "hybrid", context_tokens=300, prompt_tokens=400)
    cut = AnswerLine(
        scope="corpus",
        question="q1",
        text="Who?",
        arm="hybrid",
        error="no end",
        is_cut_off=True,
        prompt_tokens=200,
    )
    run, result = summed(tmp_path, planned(tmp_path, rows(2)), [whole, cut], [])
    own = result.arms["hybrid"]
    assert (own.context_tokens, own.tokens, own.cut_off) == (300.0, 300.0, 1)
    row = table(run, "context tokens")["hybrid"]
    assert (row["cut off"], cell_text(row["context tokens"])) == ("1 of 2", "300.0")


def test_an_answer_counts_by_its_share_of_stated_claims_however_many_it_has(tmp_path: Path) -> None:
    talkative = VerdictClaims(stated=tuple("abcdefgh"), not_found=("i", "j"))
    answers = [
        answer("q0", "hybrid", claims=talkative),
        answer("q1", "hybrid", claims=VerdictClaims(contradicted=("k",))),
        answer("q2", "hybrid"),
    ]
    run, result = summed(tmp_path, planned(tmp_path, rows(3)), answers, [])
    own = result.arms["hybrid"]
    assert own.stated is not None
    assert (own.stated.mean, own.claiming) == (0.4, 2), (
        "the mean of 8 of 10 and 0 of 1, as in `evaluate qa`"
    )
    assert own.stated.low < 0.4 < own.stated.high
    assert result.arms["naive"].stated is None
    assert any("40.0 (0.0 to 80.0)" in line for line in lines_of(run))


def test_answers_that_are_the_baselines_words_are_counted(tmp_path: Path) -> None:
    plan = planned(tmp_path, rows(4))
    answers = [answer(f"q{i}", "naive", f"It was {i} [E1].") for i in range(4)]
    answers += [
        answer("q0", "hybrid", "It was 0 [E7]."),
        answer("q1", "hybrid", "It was 1."),
        answer("q2", "hybrid", "Nobody knows."),
    ]
    answers += [
        AnswerLine(
            scope="corpus",
            question="q3",
            text="Who?",
            arm="hybrid",
            error="no end",
            is_cut_off=True,
        )
    ]
    run, result = summed(tmp_path, plan, answers, [])
    assert result.arms["hybrid"].same_as_baseline == pytest.approx(2 / 3, abs=1e-4), (
        "citation marks are no words; cut off is none"
    )
    assert [result.arms[arm].same_as_baseline for arm in ("naive", "bm25")] == [None, None]
    assert any("66.7" in line for line in lines_of(run))
    assert "same as baseline" in shown(run)


def test_of_several_comparisons_the_report_says_which_hold(tmp_path: Path) -> None:
    plan = planned(tmp_path, rows(12))
    answers = [answer(q.id, arm) for q in plan.questions for arm in ARMS]
    better = {"hybrid": 4.0, "bm25": 3.0, "naive": 3.0}
    lines = [grade(q.id, arm, better[arm]) for q in plan.questions for arm in ARMS]
    lines += [
        pair(q.id, arm, 1.0 if arm == "hybrid" else 0.0)
        for q in plan.questions
        for arm in ("hybrid", "bm25")
    ]
    run, result = summed(tmp_path, plan, answers, lines)
    differences = {arm: own for arm, own in result.differences.items() if own is not None}
    held = {"hybrid": True, "bm25": False}
    assert {arm: own.holds for arm, own in differences.items()} == held
    assert differences["hybrid"].p_holm == pytest.approx(2 * 2 / 2**12, abs=1e-4)
    assert {arm: own.holds for arm, own in result.pairs.items()} == held
    said = "f 2 comparisons with naive by grades, 1 holds after Holm's correction: hybrid"
    assert f"O{said}" in run.report().conclusion
    assert f"O{said}".replace("'", "&#39;") in shown(run)
    assert {arm: row["holds"] for arm, row in table(run, "holds").items()} == {
        "hybrid": "yes",
        "bm25": "no",
    }


def test_a_report_begins_with_how_far_apart_the_contexts_are(tmp_path: Path) -> None:
    plan = planned(tmp_path, rows(2))
    lines = [grade(q.id, arm, 3.0) for q in plan.questions for arm in ARMS]

    def first_line(folder: str, **tokens: int) -> str:
        answers = [
            answer(q.id, arm, context_tokens=tokens[arm]) for q in plan.questions for arm in ARMS
        ]
        run, _ = summed(tmp_path / folder, plan, answers, lines)
        return lines_of(run)[0]

    unequal = first_line("a", naive=2649, hybrid=2600, bm25=1404)
    assert "The arms did not read equally much: naive 2,649 tokens of context" in unequal
    assert "equally much" not in first_line("b", naive=2649, hybrid=2600, bm25=2530)


def of_kind(run: JudgeRun, kind: str) -> list[str]:
    """The cells of a kind: how many questions, and each arm."""
    return [cell_text(cell) for cell in table(run, "bm25")[kind].values()]


def test_kinds_are_told_where_there_are_several(tmp_path: Path) -> None:
    plan = planned(tmp_path, rows(4))
    answers = [answer(q.id, arm) for q in plan.questions for arm in ARMS]
    lines = [
        grade(q.id, arm, 4.0 if plan.kinds[q.id] == "who" else 2.0)
        for q in plan.questions
        for arm in ARMS
    ]
    run, result = summed(tmp_path, plan, answers, lines)
    assert {
        kind: (own.questions, own.arms["naive"].total) for kind, own in result.kinds.items()
    } == {
        "two_hop": (2, 10.0),
        "who": (2, 20.0),
    }
    assert of_kind(run, "who") == ["2", "20.00", "20.00", "20.00"]
    assert "By kind of question" in shown(run)


def test_pairs_alone_are_told_by_kind_too_and_one_kind_is_none(tmp_path: Path) -> None:
    plan = planned(tmp_path, rows(3), ("pairwise",))
    answers = [answer(q.id, arm) for q in plan.questions for arm in ARMS]
    lines = [
        pair("q0", "hybrid", 1.0),
        pair("q1", "hybrid", 0.0),
        pair("q2", "hybrid", 1.0),
        pair("q0", "bm25", 2.0),
    ]
    run, _ = summed(tmp_path, plan, answers, lines)
    assert of_kind(run, "who") == ["1", "50.0", "-", "-"]
    assert of_kind(run, "two_hop") == ["2", "100.0", "0.0 (1)", "-"]
    one = planned(tmp_path, [row | {"kind": "who"} for row in rows(2)])
    assert summed(tmp_path / "one", one, answers, [])[1].kinds == {}


def test_few_questions_are_said_by_the_arm_that_has_the_fewest(tmp_path: Path) -> None:
    plan = planned(tmp_path, rows(40))
    answers = [answer(q.id, arm) for q in plan.questions for arm in ARMS]
    lines = [
        grade(q.id, arm, 3.0)
        for i, q in enumerate(plan.questions)
        for arm in ARMS
        if arm != "bm25" or i < 12
    ]
    run, _ = summed(tmp_path, plan, answers, lines)
    assert "Fewer than 30 questions: the intervals say little" in run.report().conclusion


def test_a_run_of_before_is_read_without_what_it_did_not_tell(tmp_path: Path) -> None:
    plan = planned(tmp_path, rows(12))
    answers = [answer(q.id, arm) for q in plan.questions for arm in ARMS]
    lines = [grade(q.id, arm, 3.0) for q in plan.questions for arm in ARMS] + [
        pair(q.id, "hybrid", 1.0) for q in plan.questions
    ]
    run, result = summed(tmp_path, plan, answers, lines)
    old = json.loads(run.summary_file.read_text(encoding="utf-8"))
    for name in ("format", "kinds", "unreadable"):
        old.pop(name)
    for own in old["arms"].values():
        own["claims_stated"] = 0.5
        for name in NEW_IN_ARMS:
            own.pop(name)
    for own in (*old["differences"].values(), *old["pairs"].values()):
        for name in NEW_IN_DIFFERENCES:
            own.pop(name)
    run.summary_file.write_text(json.dumps(old), encoding="utf-8")
    assert run.result().arms["hybrid"].total == result.arms["hybrid"].total
    assert "Holm" not in run.report().conclusion
    assert [row["holds"] for row in table(run, "holds").values()] == ["-"] * 2
    assert "hybrid" in render(run.report(), run.head)


def test_the_committed_run_is_read() -> None:
    run = JudgeRun.read(COMMITTED)
    result = run.result()
    kept = json.loads(run.summary_file.read_text(encoding="utf-8"))
    assert kept | {"unreadable": {}} == result.as_json(), "which it was before they were counted"
    (grades, *_), found = run.report().results, result.differences["default"]
    assert found is not None
    assert (found.verdict, found.holds) == ("better", True)
    (_, cells) = grades.tables[0].rows[0]
    assert cells[0] == Figure(17.5592, 17.304, 17.8245, Unit.GRADE)
    assert len(run.judged()) == result.judgements


def test_every_column_has_its_word(tmp_path: Path) -> None:
    plan = planned(tmp_path, rows(12))
    answers = [answer(q.id, arm) for q in plan.questions for arm in ARMS]
    lines = [grade(q.id, arm, 3.0) for q in plan.questions for arm in ARMS]
    run, _ = summed(tmp_path, plan, answers, lines)
    report = run.report()
    heads = {
        head
        for section in (*report.results, *report.costs)
        for own in section.tables
        for head in own.heads
    }
    known = {name for names in WORDS for name in names.split(", ")}
    plain = {"questions", "questions for this", "verdict", "at equal length", "published", "kind"}
    assert heads <= known | plain | set(ARMS)


def test_an_answer_without_grades_is_not_the_worst(tmp_path: Path) -> None:
    plan = planned(tmp_path, rows(3))
    answers = [answer(q.id, arm, f"{q.id} says {arm}.") for q in plan.questions for arm in ARMS]
    run, _ = summed(
        tmp_path, plan, answers, [grade("q1", "hybrid", 4.0), grade("q2", "hybrid", 2.0)]
    )
    read = worst_questions(view_of(run.path), "hybrid", 3)
    assert [one.answers[0].lines[0][0].split()[0].lower() for one in read] == ["q2", "q1", "q0"]


def test_the_median_of_the_samples_counts_and_what_cannot_be_read_is_left_out() -> None:
    grades = [
        dict.fromkeys(METRICS, 2.0),
        dict.fromkeys(METRICS, 5.0),
        {**dict.fromkeys(METRICS, 4.0), "depth": None},
    ]
    lines = [
        JudgedLine(question="q", arm="a", sample=i, grades=own) for i, own in enumerate(grades)
    ]
    found = grades_of(lines)["q", "a"]
    assert found.grades == {
        "clarity": 4.0,
        "depth": 3.5,
        "nuance": 4.0,
        "implications": 4.0,
        "ethics": 4.0,
    }
    assert (found.total, found.unreadable) == (19.5, 1)
    assert grades_of([lines[2]])["q", "a"].total is None
