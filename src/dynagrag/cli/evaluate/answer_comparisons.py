"""What `dynagrag evaluate compare` prints of two runs of answers, and of two of judged answers."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from dynagrag.core.text import plural

Lines = Iterator[str]


def comparison_of(
    first: Path, second: Path
) -> tuple[Mapping[str, Any], Callable[[Mapping[str, Any]], Lines]] | None:
    """The second run minus the first, and what prints it; None where the first is no run of
    answers. LoadError where it is no run.
    """
    from dynagrag.evaluation.frame.kept_run import what_is_evaluated
    from dynagrag.evaluation.judge.judge_compare import compare_judged
    from dynagrag.evaluation.judge.judge_folder import JudgeRun
    from dynagrag.evaluation.qa.qa_compare import compare_qa
    from dynagrag.evaluation.qa.qa_folder import QaRun

    kind = what_is_evaluated(first)
    if kind == QaRun.evaluates:
        return compare_qa(QaRun.read(first), QaRun.read(second)), _answer_lines
    if kind == JudgeRun.evaluates:
        return compare_judged(JudgeRun.read(first), JudgeRun.read(second)), _judged_lines
    return None


def _head_lines(found: Mapping[str, Any], units: str) -> Lines:
    yield (
        f"{plural(found['questions'], 'question')}; second minus first, {units}, with paired 95 %"
        " intervals"
    )
    for name, (old, new) in found["differing"].items():
        yield f"  {name}: {old} / {new}"
    if found["left_out"]:
        yield f"  in one run only: {', '.join(found['left_out'])}"


def _answer_lines(found: Mapping[str, Any]) -> Lines:
    from dynagrag.evaluation.bootstrap_intervals import Interval
    from dynagrag.evaluation.qa.qa_report import TITLES

    yield from _head_lines(found, "in points")
    for arm, own in found["arms"].items():
        costs = [
            f"{run['costs']['calls']:.1f} calls, {run['costs']['prompt_tokens']:,.0f} prompt tokens"
            for run in (own["first"], own["second"])
        ]
        yield f"{arm}: {' / '.join(costs)} a question"
        for name, difference in own["differences"].items():
            bounds = Interval.of(difference).text("+")
            yield (
                f"  {TITLES[name]:<14}{100 * own['first'][name]:>7.1f}{100 * own['second'][name]:>7.1f}"
                f"  {bounds}"
            )


def _judged_lines(found: Mapping[str, Any]) -> Lines:
    from dynagrag.evaluation.bootstrap_intervals import Interval
    from dynagrag.evaluation.judge.judge_compare import SCALES, TITLES

    yield from _head_lines(found, f"as {found['judge'].partition(' ')[0]} judged both")
    for arm, own in found["arms"].items():
        for name, row in own.items():
            first, second = (SCALES[name] * row[key] for key in ("first", "second"))
            bounds = (
                f"{Interval.of(row, SCALES[name]).text('+', 2)}, {row['verdict']},"
                f" {plural(row['n'], 'question')}"
            )
            yield f"{arm:<16}{TITLES[name]:<28}{first:>8.2f}{second:>8.2f}  {bounds}"
