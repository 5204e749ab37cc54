"""What `dynagrag evaluate compare` prints of two runs of answers."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dynagrag.cli.terminal import in_line, say, say_json
from dynagrag.text import plural


def is_of_answers(folder: Path) -> bool:
    """Whether a folder holds a run of `evaluate qa`. LoadError where it holds no run."""
    from dynagrag.evaluation.results.run_folder import what_is_evaluated

    return what_is_evaluated(folder) == "qa"


def compared_answers(first: Path, second: Path, as_json: bool) -> int:
    """Prints the second run minus the first."""
    from dynagrag.evaluation.qa.qa_compare import compare_qa
    from dynagrag.evaluation.qa.qa_folder import QaRun

    found = compare_qa(QaRun.read(first), QaRun.read(second))
    if as_json:
        say_json(found)
        return 0
    for line in _lines(found):
        say(in_line(line))
    return 0


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    from dynagrag.evaluation.qa.qa_report import TITLES

    yield f"{plural(found['questions'], 'question')}; second minus first, in points, with paired 95 % intervals"
    for name, (old, new) in found["differing"].items():
        yield f"  {name}: {old} / {new}"
    if found["left_out"]:
        yield f"  in one run only: {', '.join(found['left_out'])}"
    for arm, own in found["arms"].items():
        costs = [
            f"{run['costs']['calls']:.1f} calls, {run['costs']['prompt_tokens']:,.0f} prompt tokens"
            for run in (own["first"], own["second"])
        ]
        yield f"{arm}: {' / '.join(costs)} a question"
        for name, difference in own["differences"].items():
            bounds = f"{difference['difference']:+.1f} ({difference['low']:+.1f} to {difference['high']:+.1f})"
            yield f"  {TITLES[name]:<14}{100 * own['first'][name]:>7.1f}{100 * own['second'][name]:>7.1f}  {bounds}"
