"""Two runs of judged answers to the same questions by the same judge, side by side: the second
minus the first by arm.
"""

from collections.abc import Mapping
from typing import Any

from dynagrag.core.errors import UsageError
from dynagrag.evaluation.frame.kept_run import differing_settings
from dynagrag.evaluation.judge.arm_statistics import pair_points, paired_difference
from dynagrag.evaluation.judge.judge_folder import JudgeRun
from dynagrag.evaluation.judge.judge_options import PAIRWISE
from dynagrag.evaluation.judge.judge_summary import grades_of

TOTAL, WIN_RATE = "total", "win_rate"
SCALES = {TOTAL: 1, WIN_RATE: 100}
"""What is compared, and by what it is multiplied where it is shown: points of 25, and percent of
the pairs.
"""
TITLES = {TOTAL: "total of 25", WIN_RATE: "wins and half the ties, %"}


def why_not_comparable(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """Why two runs of these settings can't be compared; empty where they can."""
    if first.get("asked") != second.get("asked"):
        return "they asked different questions"
    if first.get("judge") != second.get("judge"):
        judges = " and ".join(str(own.get("judge")).partition(" ")[0] for own in (first, second))
        same = (
            " in two versions or with other parameters"
            if len(set(judges.split(" and "))) == 1
            else ""
        )
        return f"the judges are {judges}{same}, and grades of two judges are on two scales"
    if first.get("prompts") != second.get("prompts"):
        return "the judge was asked in other words"
    if not set(first.get("forms", ())) & set(second.get("forms", ())):
        return "one has grades alone, the other pairs alone"
    if not set(first.get("arms", ())) & set(second.get("arms", ())):
        return "no arm is in both"
    return ""


def compare_judged(first: JudgeRun, second: JudgeRun) -> dict[str, Any]:
    """second - first by arm, over the questions that both have: totals in points of 25, pairs (of
    one baseline) as shares of 1.

    Raises UsageError where they share no questions, judge, form or arm.
    """
    if why := why_not_comparable(first.settings, second.settings):
        raise UsageError(
            f"{first.path} and {second.path} can't be compared: {why}; compare runs of the same"
            " questions by the same --judge-llm"
        )
    arms: list[list[str]] = [list(run.settings["arms"]) for run in (first, second)]
    old, new = _values(first), _values(second)
    if first.settings["baseline"] != second.settings["baseline"]:
        old, new = ({TOTAL: own[TOTAL]} for own in (old, new))
    shared = [arm for arm in arms[0] if arm in arms[1]]
    return {
        "runs": [str(first.path), str(second.path)],
        "questions": first.settings["questions"],
        "judge": first.settings["judge"],
        "differing": differing_settings(first, second),
        "left_out": sorted({*arms[0], *arms[1]} - set(shared)),
        "arms": {arm: _compared(arm, old, new) for arm in shared},
    }


_Values = dict[str, dict[str, dict[str, float]]]
"""What is compared -> arm -> question -> value."""


def _values(run: JudgeRun) -> _Values:
    lines = list(run.judged().values())
    found: _Values = {TOTAL: {}, WIN_RATE: {}}
    for (question, arm), own in grades_of(lines).items():
        if own.total is not None:
            found[TOTAL].setdefault(arm, {})[question] = own.total
    for line in lines:
        if line.against and line.verdict is not None and PAIRWISE in run.settings["forms"]:
            found[WIN_RATE].setdefault(line.arm, {})[line.question] = pair_points(line.verdict)
    return found


def _compared(arm: str, old: _Values, new: _Values) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in old:
        before, after = old[name].get(arm, {}), new[name].get(arm, {})
        both = [question for question in before if question in after]
        columns = [[own[question] for question in both] for own in (before, after)]
        if (own := paired_difference(columns[1], columns[0])) is not None:
            means = {
                which: sum(column) / len(column)
                for which, column in zip(("first", "second"), columns, strict=True)
            }
            found[name] = (
                means
                | {key: own[key] for key in ("difference", "low", "high", "verdict")}
                | {"n": len(both)}
            )
    return found
