"""What `dynagrag evaluate compare` prints of two runs of judged answers."""

from collections.abc import Iterator, Mapping
from typing import Any

from dynagrag.core.text import plural

Lines = Iterator[str]


def _head_lines(found: Mapping[str, Any], units: str) -> Lines:
    yield (
        f"{plural(found['questions'], 'question')}; second minus first, {units}, with paired 95 %"
        " intervals"
    )
    for name, (old, new) in found["differing"].items():
        yield f"  {name}: {old} / {new}"
    if found["left_out"]:
        yield f"  in one run only: {', '.join(found['left_out'])}"


def judged_lines(found: Mapping[str, Any]) -> Lines:
    """The second run minus the first, for people."""
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
