"""Two runs of answers to the same questions, side by side: the second minus the first by arm."""

from typing import Any

from dynagrag.core.errors import UsageError
from dynagrag.evaluation.frame.kept_run import differing_settings
from dynagrag.evaluation.qa.answer_scores import MEASURES
from dynagrag.evaluation.qa.qa_folder import KnownQuestion, QaRun
from dynagrag.evaluation.qa.qa_summary import arm_scores, differences


def compare_qa(first: QaRun, second: QaRun) -> dict[str, Any]:
    """second - first by arm and measure over the answerable questions that have it in both, with
    what else was different between the runs.

    Raises UsageError where the questions or what should be answered differ, or no arm is in both.
    """
    questions = first.questions()
    _check_same(questions, second.questions(), first, second)
    wanted = {question.id: question.wanted() for question in questions}
    old, new = arm_scores(first.answers(), wanted), arm_scores(second.answers(), wanted)
    arms: list[list[str]] = [list(run.settings["arms"]) for run in (first, second)]
    shared = [arm for arm in arms[0] if arm in arms[1]]
    if not shared:
        raise UsageError(
            f"no arm is in both runs: {', '.join(arms[0])} in one, {', '.join(arms[1])} in the"
            " other"
        )
    answerable = [question.id for question in questions if question.is_answerable]
    summaries = first.summary(), second.summary()
    return {
        "runs": [str(first.path), str(second.path)],
        "questions": len(questions),
        "differing": differing_settings(first, second),
        "left_out": sorted({*arms[0], *arms[1]} - set(shared)),
        "arms": {
            arm: {
                "differences": differences(new.get(arm, {}), old.get(arm, {}), answerable),
                "first": _figures(summaries[0], arm),
                "second": _figures(summaries[1], arm),
            }
            for arm in shared
        },
    }


def _figures(summary: dict[str, Any], arm: str) -> dict[str, Any]:
    own = summary["arms"][arm]
    return {name: own[name] for name in MEASURES if name in own} | {"costs": summary["costs"][arm]}


def _check_same(
    old: list[KnownQuestion], new: list[KnownQuestion], first: QaRun, second: QaRun
) -> None:
    asked, again = (
        {(q.id, q.text, q.answers, q.is_answerable) for q in questions} for questions in (old, new)
    )
    if asked != again:
        raise UsageError(
            f"the runs asked different questions: {len(asked - again)} of {len(asked)} in"
            f" {first.path} are not in {second.path}, and {len(again - asked)} of {len(again)} the"
            " other way; compare runs of the same set, half, kind and limit"
        )
    if first.settings["scope"] != second.settings["scope"]:
        raise UsageError(
            f"the runs were made in other scopes: {first.settings['scope']} and"
            f" {second.settings['scope']}; compare one with one"
        )
