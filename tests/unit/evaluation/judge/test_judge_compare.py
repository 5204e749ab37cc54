"""Two judged runs side by side: by hand, in the terminal and in the app; and why two can't be
compared.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.evaluation.frame.terminal import report_lines
from dynagrag.evaluation.judge.judge_compare import compare_judged, why_not_comparable
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judge_report import JudgeRun
from dynagrag.evaluation.judge.judged_line import JudgedLine
from dynagrag.evaluation.qa.qa_report import QaRun

NUM = 12
SETTINGS = {
    "evaluates": JudgeRun.evaluates,
    "questions": NUM,
    "asked": "a",
    "arms": ["hybrid", "naive"],
    "baseline": "naive",
    "forms": ["pointwise", "pairwise"],
    "samples": 1,
    "llm": "writer one",
    "judge": "qwen sha256=1",
    "prompts": "p",
}


def judged(
    folder: Path, grades: Mapping[str, float], verdict: float = 0.0, **more: Any
) -> JudgeRun:
    """A run whose every grade of an arm, and every verdict on hybrid, is the same."""
    run = JudgeRun.open(folder, SETTINGS | more, {})
    for i in range(NUM):
        run.file.append(
            [
                JudgedLine(question=f"q{i}", arm=arm, grades=dict.fromkeys(METRICS, grade))
                for arm, grade in grades.items()
            ]
        )
        run.file.append(
            [JudgedLine(question=f"q{i}", arm="hybrid", against="naive", verdict=verdict)]
        )
    run.summary_file.write_text("{}")
    return run


def test_the_second_run_minus_the_first_by_hand(tmp_path: Path) -> None:
    first = judged(tmp_path / "a", {"hybrid": 3.0, "naive": 3.0})
    second = judged(
        tmp_path / "b",
        {"hybrid": 4.0, "naive": 3.0, "bm25": 5.0},
        1.0,
        llm="writer two",
        arms=["hybrid", "naive", "bm25"],
    )
    found = compare_judged(first, second)
    assert (found.questions, found.left_out, found.differing["llm"]) == (
        NUM,
        ["bm25"],
        ["writer one", "writer two"],
    )
    total, pairs = found.arms["hybrid"]["total"], found.arms["hybrid"]["win_rate"]
    assert (total.first, total.second, total.difference) == (15.0, 20.0, 5.0)
    assert (total.verdict, total.n) == ("better", NUM)
    assert (pairs.first, pairs.second, pairs.difference) == (0.5, 1.0, 0.5)
    assert found.arms["naive"]["total"].verdict == "no difference seen"
    keys = ["runs", "questions", "judge", "differing", "left_out", "arms"]
    assert list(found.as_json()) == keys, "the order of `--json`"
    lines = list(report_lines(found.report()))
    assert found.runs[0] != found.runs[1]
    assert lines[0] == f"{found.runs[1]} minus {found.runs[0]}"
    assert (
        lines[1]
        == "12 questions; second minus first, as qwen judged both, with paired 95 % intervals"
    )
    table = [re.split("  +", line) for line in lines if line.startswith(("hybrid", "naive"))]
    assert table == [
        ["hybrid", "total of 25", "15.00", "20.00", "+5.00 (+5.00 to +5.00)", "12", "better"],
        [
            "hybrid",
            "wins and half the ties",
            "50.0",
            "100.0",
            "+50.0 (+50.0 to +50.0)",
            "12",
            "better",
        ],
        [
            "naive",
            "total of 25",
            "15.00",
            "15.00",
            "+0.00 (+0.00 to +0.00)",
            "12",
            "no difference seen",
        ],
    ]
    assert lines[-1].startswith("Of 3 figures the second run is better in 2 and worse in 0")


def test_pairs_with_two_baselines_are_not_compared(tmp_path: Path) -> None:
    first = judged(tmp_path / "a", {"hybrid": 3.0, "naive": 3.0})
    second = judged(tmp_path / "b", {"hybrid": 3.0, "naive": 3.0}, 1.0, baseline="hybrid")
    assert set(compare_judged(first, second).arms["hybrid"]) == {"total"}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"asked": "b"}, "different questions"),
        (
            {"judge": "gpt temperature=0"},
            "the judges are qwen and gpt, and grades of two judges are on two scales",
        ),
        ({"judge": "qwen sha256=2"}, "qwen and qwen in two versions"),
        ({"prompts": "q"}, "other words"),
        ({"arms": ["bm25"]}, "no arm is in both"),
    ],
)
def test_what_two_runs_must_share_is_said(more: dict[str, Any], why: str, tmp_path: Path) -> None:
    first, second = (
        judged(tmp_path / name, {"hybrid": 3.0, "naive": 3.0}, **own)
        for name, own in (("a", {}), ("b", more))
    )
    with pytest.raises(UsageError, match=f"can't be compared: .*{why}.*--judge-llm"):
        compare_judged(first, second)


def test_grades_and_pairs_share_nothing() -> None:
    own = [SETTINGS | {"forms": [form]} for form in ("pointwise", "pairwise")]
    assert "grades alone" in why_not_comparable(*own)
    assert why_not_comparable(SETTINGS, own[0]) == ""


def test_a_run_of_another_kind_is_refused(tmp_path: Path) -> None:
    second = QaRun.open(tmp_path / "b", {"evaluates": "qa"}, {})
    second.summary_file.write_text("{}")
    with pytest.raises(LoadError, match="holds a run of another kind"):
        JudgeRun.read(second.path)
