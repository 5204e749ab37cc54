"""What a run's lines come to: means by arm, recall curves, and differences from the baseline with
their intervals, in points.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from dynagrag.core.errors import UsageError
from dynagrag.evaluation.bootstrap_intervals import SEED, Interval, intervals, share_intervals
from dynagrag.evaluation.frame.kept_run import differing_settings
from dynagrag.evaluation.frame.report import shortened
from dynagrag.evaluation.question_sets.gold_resolver import Target, missing_gold
from dynagrag.evaluation.ranking_measures import NAMES, PROMPT
from dynagrag.evaluation.results.run_folder import RetrievalLine, RunFolder
from dynagrag.evaluation.results.run_settings import RunSettings

POINTS = 100
_MAX_LISTED = 20
DIGITS = 6
FEW_QUESTIONS = 30
"""Below, resampling the questions shows too little of how they could have fallen."""
FEW = f"fewer than {FEW_QUESTIONS} questions: the intervals say little"
PRECISION = 2
"""Digits of what is given in points."""
SHOWN_WITH_INTERVALS = ("recall@5", "p@5", "r@10", "hit@1", "mrr", PROMPT)
"""The measures whose means get an interval of their own, for the plots. Differences get one for
every measure.
"""


def by_scope(lines: Iterable[RetrievalLine]) -> dict[str, dict[str, dict[str, RetrievalLine]]]:
    """Scope -> arm -> question id -> line, in the order of the lines."""
    found: dict[str, dict[str, dict[str, RetrievalLine]]] = {}
    for line in lines:
        found.setdefault(line.scope, {}).setdefault(line.arm, {})[line.question] = line
    return found


def summarize(
    lines: Iterable[RetrievalLine], arms: Sequence[str], baseline: str, seed: int = SEED
) -> dict[str, Any]:
    """By scope: number of questions, means by arm (fractions of 1; ms the median), recall curves,
    intervals.

    `intervals` are of the difference from the baseline on the same questions, `means` of some means
    themselves, both in points.
    """
    return {scope: _scope(found, arms, baseline, seed) for scope, found in by_scope(lines).items()}


def whole_summary(
    folder: Path,
    made_with: RunSettings,
    lines: Sequence[RetrievalLine],
    targets: Mapping[str, Target],
    notes: Mapping[str, int],
) -> dict[str, Any]:
    """What `--json` prints: the first scope's figures at the top, all scopes below, and what was
    passed over or can't be found.
    """
    scopes = summarize(lines, made_with.arms, made_with.baseline, made_with.seed)
    first = next(iter(scopes.values()))
    missing = missing_gold(targets)
    lost = {"gold that names no passage, counted as not found": len(missing)} if missing else {}
    return {
        "dataset": made_with.dataset,
        "questions": first["questions"],
        "passages": made_with.passages,
        "arms": first["arms"],
        "half": made_with.half,
        "measure": made_with.measure,
        "baseline": made_with.baseline,
        "intervals": first["intervals"],
        "scopes": scopes,
        "notes": {name: count for name, count in notes.items() if count} | lost,
        "missing_gold": [shortened(name) for name in missing[:_MAX_LISTED]],
        "run": str(folder),
    }


def _scope(
    found: Mapping[str, Mapping[str, RetrievalLine]], arms: Sequence[str], baseline: str, seed: int
) -> dict[str, Any]:
    questions = list(found[baseline])
    names = names_of(line for own in found.values() for line in own.values())
    values = {
        arm: {name: [found[arm][q].measures[name] for q in questions] for name in names}
        for arm in arms
    }
    shown = [name for name in SHOWN_WITH_INTERVALS if name in names]
    spread = share_intervals({f"{a} {n}": values[a][n] for a in arms for n in shown}, seed)
    return {
        "questions": len(questions),
        "arms": {
            arm: (
                {name: round(fmean(own), DIGITS) for name, own in values[arm].items()}
                | _costs(found[arm].values())
            )
            for arm in arms
        },
        "curves": {
            arm: [
                round(fmean(at), DIGITS)
                for at in zip(*(found[arm][q].recall for q in questions), strict=True)
            ]
            for arm in arms
        },
        "intervals": differences(
            {a: values[a] for a in arms if a != baseline},
            dict.fromkeys(arms, values[baseline]),
            seed,
        ),
        "means": {a: {n: _bounds(spread[f"{a} {n}"]) for n in shown} for a in arms},
    }


def names_of(lines: Iterable[RetrievalLine]) -> tuple[str, ...]:
    """The measures that all of these lines have, in their order."""
    return (*NAMES, PROMPT) if all(PROMPT in line.measures for line in lines) else NAMES


def _costs(lines: Collection[RetrievalLine]) -> dict[str, float]:
    tokens = [line.prompt_tokens for line in lines if line.prompt_tokens is not None]
    return {"ms": round(_ms(lines), 3)} | (
        {"prompt_tokens": round(fmean(tokens), 1)} if tokens else {}
    )


def _ms(lines: Iterable[RetrievalLine]) -> float:
    return median(line.ms for line in lines)


def differences(
    new: Mapping[str, Mapping[str, Sequence[float]]],
    old: Mapping[str, Mapping[str, Sequence[float]]],
    seed: int = SEED,
) -> dict[str, dict[str, dict[str, float]]]:
    """new - old by arm and measure, over the same questions in the same order: mean and 95 %
    interval, in points.
    """
    columns = {
        f"{arm} {name}": [a - b for a, b in zip(new[arm][name], old[arm][name], strict=True)]
        for arm in new
        for name in new[arm]
    }
    found = intervals(columns, seed)
    return {
        arm: {
            n: (
                {"difference": round(POINTS * found[f"{arm} {n}"].mean, PRECISION)}
                | _bounds(found[f"{arm} {n}"])
            )
            for n in new[arm]
        }
        for arm in new
    }


def _bounds(interval: Interval) -> dict[str, float]:
    return {
        "low": round(POINTS * interval.low, PRECISION),
        "high": round(POINTS * interval.high, PRECISION),
    }


# ------------------------------------------------------------------------------------------ compare


def compare(first: RunFolder, second: RunFolder) -> dict[str, Any]:
    """second - first by scope, arm and measure, on the same questions, with what else was different
    between the runs.

    Raises UsageError where the questions or scopes differ, no arm is in both, or a run lacks lines.
    """
    old, new = by_scope(first.lines()), by_scope(second.lines())
    if set(old) != set(new):
        raise UsageError(
            f"the runs were made in other scopes: {', '.join(old)} in {first.path},"
            f" {', '.join(new)} in {second.path}; run one of them again with the other's --scope"
        )
    for run, found in ((first, old), (second, new)):
        _check_whole(found, run)
    for scope in old:
        _check_questions(old[scope], new[scope], first, second)
    shared = [arm for arm in next(iter(old.values())) if arm in next(iter(new.values()))]
    if not shared:
        raise UsageError(
            f"no arm is in both runs: {', '.join(first.settings['arms'])} in one,"
            f" {', '.join(second.settings['arms'])} in the other"
        )
    return {
        "runs": [str(first.path), str(second.path)],
        "questions": len(next(iter(next(iter(old.values())).values()))),
        "differing": differing_settings(first, second),
        "left_out": sorted(
            {a for found in (*old.values(), *new.values()) for a in found} - set(shared)
        ),
        "scopes": {scope: _compared(old[scope], new[scope], shared) for scope in old},
    }


def _compared(
    old: Mapping[str, Mapping[str, RetrievalLine]],
    new: Mapping[str, Mapping[str, RetrievalLine]],
    arms: Sequence[str],
) -> dict[str, Any]:
    questions = list(old[arms[0]])
    names = names_of(run[arm][q] for run in (old, new) for arm in arms for q in questions)
    values = [
        {arm: {n: [run[arm][q].measures[n] for q in questions] for n in names} for arm in arms}
        for run in (old, new)
    ]
    return {
        "arms": {
            arm: {
                "first": (
                    {n: round(fmean(values[0][arm][n]), DIGITS) for n in names}
                    | {"ms": round(_ms(old[arm].values()), 3)}
                ),
                "second": (
                    {n: round(fmean(values[1][arm][n]), DIGITS) for n in names}
                    | {"ms": round(_ms(new[arm].values()), 3)}
                ),
            }
            for arm in arms
        },
        "intervals": differences(values[1], values[0]),
    }


def _check_whole(
    found: Mapping[str, Mapping[str, Mapping[str, RetrievalLine]]], run: RunFolder
) -> None:
    """UsageError where an arm lacks a line for a question that another has: lines were lost,
    whatever the summary says.
    """
    for arms in found.values():
        asked = [set(own) for own in arms.values()]
        if any(own != asked[0] for own in asked):
            raise run.stopped()


def _check_questions(
    old: Mapping[str, Mapping[str, RetrievalLine]],
    new: Mapping[str, Mapping[str, RetrievalLine]],
    first: RunFolder,
    second: RunFolder,
) -> None:
    asked, again = (
        {(line.question, line.text) for line in next(iter(run.values())).values()}
        for run in (old, new)
    )
    if asked != again:
        raise UsageError(
            f"the runs asked different questions: {len(asked - again)} of {len(asked)} in"
            f" {first.path} are not in {second.path}, and {len(again - asked)} of {len(again)} the"
            " other way; compare runs of the same set, half and limit"
        )
