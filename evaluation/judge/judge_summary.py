"""What judged answers come to: the judge's own reliability first, then totals by arm, differences,
pairs, length, cost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

import numpy as np

from dynagrag.core.text import plural
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.frame.report import shortened
from dynagrag.evaluation.judge.arm_statistics import (
    length_slope,
    mean_with_interval,
    pair_figures,
    pair_points,
    paired_difference,
)
from dynagrag.evaluation.judge.blind_answers import BlindAnswer
from dynagrag.evaluation.judge.judge_folder import JudgedLine, JudgeRun
from dynagrag.evaluation.judge.judge_model import prompts_digest
from dynagrag.evaluation.judge.judge_options import LETTERS, PAIRWISE, POINTWISE, JudgePlan
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judged_text import speaks_to_a_judge
from dynagrag.evaluation.judge.kept_calibrations import KeptCalibration, KeptFigures
from dynagrag.evaluation.judge.reliability import NOT_KNOWN, NOT_RELIABLE, why_not
from dynagrag.evaluation.several_comparisons import corrected

PUBLISHED = {"dsa-diverse": 18.10}
"""DynaGRAG, section 4: the only figure that can be read. Its arm B is called a close second, D a
little below.
"""
_CALIBRATED_BY = {POINTWISE: ("squality", "judge_grade"), PAIRWISE: ("pairs", "judge_better")}
"""The set that is nearest to each form of judging, and the prompt that the judge is asked with
there.
"""
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Graded:
    """An answer's grades: by metric the median of the samples that could be read; None where none
    could.
    """

    grades: Mapping[str, float | None]
    unreadable: int

    @property
    def total(self) -> float | None:
        """Of 25; None where a metric lacks."""
        found = [grade for grade in self.grades.values() if grade is not None]
        return sum(found) if len(found) == len(METRICS) else None


def judge_summary(
    run: JudgeRun, plan: JudgePlan, kept: KeptCalibration, threshold: float, seed: int = SEED
) -> dict[str, Any]:
    """What `--json` prints."""
    answers, lines = run.answers(), list(run.judged().values())
    graded = grades_of(lines) if POINTWISE in plan.forms else {}
    totals = {arm: _totals(graded, plan, arm) for arm in plan.arm_names}
    words = {
        arm: {q: float(_words(answers, q, arm)) for q in own if not answers[q, arm].is_cut_off}
        for arm, own in totals.items()
    }
    everything = [value for own in totals.values() for value in own.values()]
    return {
        "verdict": judge_verdict(kept, plan.forms, threshold),
        "judge": kept.judge,
        "llm": run.settings["llm"],
        "is_own_judge": run.settings["llm"] == run.settings["judge"],
        "calibration": {form: _figures(kept, form) for form in plan.forms},
        "questions": len(plan.questions),
        "compared": sum(all(q.id in own for own in totals.values()) for q in plan.questions),
        "baseline": plan.baseline,
        "samples": plan.samples,
        "arms": {
            arm: _arm(arm, plan, answers, graded, totals[arm], seed) for arm in plan.arm_names
        },
        "differences": _differences(totals, words, plan.baseline, seed),
        "length": length_slope(
            *(
                [[own[a][q.id] for a in own if q.id in words[a]] for q in plan.questions]
                for own in (words, totals)
            )
        ),
        "is_one_score": len(set(everything)) == 1 and len(everything) > 1,
        "pairs": _pairs(plan, answers, lines, seed) if PAIRWISE in plan.forms else {},
        "kinds": _by_kind(plan, totals, lines),
        "unreadable": _unreadable(lines),
        "speaking_to_a_judge": sum(
            speaks_to_a_judge(BlindAnswer.of(line).text) for line in answers.values()
        ),
        "judged_in_s": round(sum(line.ms for line in lines) / 1000, 1),
        "judgements": len(lines),
        "notes": dict(plan.notes),
        "run": str(run.path),
    }


def _unreadable(lines: Sequence[JudgedLine]) -> dict[str, dict[str, Any]]:
    """By what could not be read, where something couldn't: how many of how many, and the first
    reason.
    """
    grades = [
        (line.grades.get(metric) is None, line.note)
        for line in lines
        if not line.against
        for metric in METRICS
    ]
    pairs = [(line.verdict is None, line.note) for line in lines if line.against]
    found = {}
    for name, own in (("grades", grades), ("pairs", pairs)):
        if notes := [note for is_unreadable, note in own if is_unreadable]:
            found[name] = {"num": len(notes), "of": len(own), "why": shortened(notes[0])}
    return found


def is_graded(summary: Mapping[str, Any]) -> bool:
    """Whether answers were graded by themselves, be it that no grade could be read."""
    return POINTWISE in summary["calibration"]


def fewest_questions(summary: Mapping[str, Any]) -> int:
    """Of the differences the one over the fewest questions; without differences, all that were
    asked.
    """
    fewest: int = min(
        (own["n"] for own in summary["differences"].values() if own), default=summary["questions"]
    )
    return fewest


def judge_verdict(kept: KeptCalibration, forms: Sequence[str], threshold: float) -> str:
    """The first line of a report: whether this judge can be believed about what it was asked
    here.
    """
    found = {form: _figures(kept, form) for form in forms}
    told = {
        form: kept.sets[own["set"]].is_reliable(threshold)
        for form, own in found.items()
        if own is not None
    }
    bad, unsure, good = (
        [form for form, own in told.items() if own is wanted] for wanted in (False, None, True)
    )
    unknown = [form for form, own in found.items() if own is None]
    parts = []
    if bad:
        parts.append(
            f"{NOT_RELIABLE}: {kept.judge},"
            f" {', '.join(_with_kappa(form, found[form], threshold) for form in bad)}"
        )
    if unknown:
        parts.append(
            f"{NOT_KNOWN}: {kept.judge}, {' and '.join(unknown)} (`evaluate judge --calibrate`"
            " measures it)"
        )
    if unsure:
        parts.append(
            f"{NOT_KNOWN}: {kept.judge},"
            f" {', '.join(_with_kappa(form, found[form], threshold) for form in unsure)}"
        )
    if good:
        parts.append(
            f"reliable: {kept.judge},"
            f" {', '.join(_with_kappa(form, found[form], None) for form in good)}"
        )
    return "; ".join(parts)


def _with_kappa(form: str, own: Mapping[str, Any] | None, threshold: float | None) -> str:
    assert own is not None, "only forms that were measured are described"
    kappa = "can't be told" if own["kappa"] is None else f"{own['kappa']:.2f}"
    if bounds := own["kappa_interval"]:
        kappa += f" ({bounds[0]:.2f} to {bounds[1]:.2f})"
    why = (
        ""
        if threshold is None
        else f", {why_not(own['kappa'], bounds, own['unreadable'], own['n'], threshold)}"
    )
    lacks = ", measured with references, which these grades lack" if form == POINTWISE else ""
    return (
        f"{form} (kappa with people {kappa} on {plural(own['n'], 'row')} of"
        f" {own['set']}{why}{lacks})"
    )


def _figures(kept: KeptCalibration, form: str) -> dict[str, Any] | None:
    """The agreement with people that is nearest to a form of judging; None where it wasn't measured
    with today's wording.
    """
    name, prompt = _CALIBRATED_BY[form]
    own: KeptFigures | None = kept.sets.get(name)
    if own is None or own.prompt != prompts_digest(prompt):
        return None
    return {"set": name, **own.model_dump(exclude={"prompt"})}


def grades_of(lines: Sequence[JudgedLine]) -> dict[tuple[str, str], Graded]:
    """(Question, arm) -> the medians of its samples."""
    by_answer: dict[tuple[str, str], list[JudgedLine]] = {}
    for line in lines:
        if not line.against:
            by_answer.setdefault((line.question, line.arm), []).append(line)
    found = {}
    for key, own in by_answer.items():
        read = {
            metric: [grade for line in own if (grade := line.grades.get(metric)) is not None]
            for metric in METRICS
        }
        grades = {metric: median(values) if values else None for metric, values in read.items()}
        found[key] = Graded(grades, sum(len(own) - len(values) for values in read.values()))
    return found


def _total(graded: Mapping[tuple[str, str], Graded], question: str, arm: str) -> float | None:
    own = graded.get((question, arm))
    return None if own is None else own.total


def _totals(
    graded: Mapping[tuple[str, str], Graded], plan: JudgePlan, arm: str
) -> dict[str, float]:
    """An arm's totals by question, where it has one."""
    found = {question.id: _total(graded, question.id, arm) for question in plan.questions}
    return {question: total for question, total in found.items() if total is not None}


def _words(answers: Mapping[tuple[str, str], AnswerLine], question: str, arm: str) -> int:
    return BlindAnswer.of(answers[question, arm]).num_words


def _arm(
    arm: str,
    plan: JudgePlan,
    answers: Mapping[tuple[str, str], AnswerLine],
    graded: Mapping[tuple[str, str], Graded],
    totals: Mapping[str, float],
    seed: int,
) -> dict[str, Any]:
    made = [
        line
        for q in plan.questions
        if (line := answers.get((q.id, arm))) is not None and not line.has_failed
    ]
    lines = [line for line in made if not line.is_cut_off]
    stated = [len(line.claims.stated) / line.claims.total for line in lines if line.claims.total]
    return {
        "letter": LETTERS.get(arm, ""),
        "answers": len(lines),
        "errors": len(plan.questions) - len(made),
        "cut_off": len(made) - len(lines),
        "abstained": sum(line.is_abstained for line in lines),
        "graded": len(totals),
        "metrics": {
            metric: _mean(
                [grade for q in totals if (grade := graded[q, arm].grades[metric]) is not None]
            )
            for metric in METRICS
        },
        "total": mean_with_interval(list(totals.values()), seed),
        "published": PUBLISHED.get(arm),
        "unreadable": sum(own.unreadable for (_, name), own in graded.items() if name == arm),
        "words": _mean([float(BlindAnswer.of(line).num_words) for line in lines]),
        "citations": _mean([float(len(line.citations)) for line in lines]),
        "stated": mean_with_interval(stated, seed),
        "claiming": len(stated),
        "same_as_baseline": None if arm == plan.baseline else _share_of_same(plan, answers, arm),
        "context_tokens": _mean([float(line.context_tokens) for line in lines]),
        "tokens": _mean([float(line.prompt_tokens + line.completion_tokens) for line in made]),
        "calls": _mean([float(line.calls + line.cached) for line in made]),
        "seconds": _mean([line.seconds for line in made]),
    }


def _share_of_same(
    plan: JudgePlan, answers: Mapping[tuple[str, str], AnswerLine], arm: str
) -> float | None:
    """Of the questions that both answered whole, the share whose answers are one text to the
    judge.
    """
    whole = {
        key: BlindAnswer.of(line).text
        for key, line in answers.items()
        if not line.has_failed and not line.is_cut_off
    }
    both = [
        whole[q.id, arm] == whole[q.id, plan.baseline]
        for q in plan.questions
        if {(q.id, arm), (q.id, plan.baseline)} <= whole.keys()
    ]
    return _mean([float(is_same) for is_same in both])


def _differences(
    totals: Mapping[str, Mapping[str, float]],
    words: Mapping[str, Mapping[str, float]],
    baseline: str,
    seed: int,
) -> dict[str, dict[str, Any] | None]:
    """Each arm against the baseline, on the questions on which both have a total."""
    found: dict[str, dict[str, Any] | None] = {}
    by_question: dict[str, list[float]] = {}
    for arm in (name for name in totals if name != baseline):
        both = [question for question in totals[arm] if question in totals[baseline]]
        there, here = ([totals[name][question] for question in both] for name in (baseline, arm))
        found[arm] = own = paired_difference(here, there, seed)
        if own is not None:
            whole = [
                question
                for question in both
                if question in words[arm] and question in words[baseline]
            ]
            columns = (
                [values[name][question] for question in whole]
                for values in (totals, words)
                for name in (arm, baseline)
            )
            own |= {"n": len(both), "at_equal_length": _at_equal_length(*columns)}
            by_question[arm] = [a - b for a, b in zip(here, there, strict=True)]
    told = {arm: own for arm, own in found.items() if own is not None}
    for arm, more in corrected(told, by_question, seed).items():
        told[arm].update(more)
    return found


def _at_equal_length(
    arm: Sequence[float],
    other: Sequence[float],
    words: Sequence[float],
    other_words: Sequence[float],
) -> dict[str, float] | None:
    """The difference where both answers are equally long, by a straight line through the
    differences.

    None of fewer than five, and where one arm has always the longer answers.
    """
    from scipy.stats import linregress, t

    x, y = np.subtract(words, other_words), np.subtract(arm, other)
    if len(x) < 5 or np.ptp(x) < 1e-9 or not x.min() <= 0 <= x.max():
        return None
    line = linregress(x, y)
    half = float(t.ppf(0.975, len(x) - 2)) * float(line.intercept_stderr)
    mean = float(line.intercept)
    return {
        "difference": round(mean, _DIGITS),
        "low": round(mean - half, _DIGITS),
        "high": round(mean + half, _DIGITS),
    }


def _pairs(
    plan: JudgePlan,
    answers: Mapping[tuple[str, str], AnswerLine],
    lines: Sequence[JudgedLine],
    seed: int,
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    from_half: dict[str, list[float]] = {}
    for arm in plan.arm_names:
        own = sorted(
            (line for line in lines if line.against and line.arm == arm),
            key=lambda line: line.question,
        )
        if own:
            lengths = [
                (
                    (
                        _words(answers, line.question, arm),
                        _words(answers, line.question, line.against),
                    )
                    if not any(
                        answers[line.question, name].is_cut_off for name in (arm, line.against)
                    )
                    else None
                )
                for line in own
            ]
            found[arm] = pair_figures(
                [line.verdict for line in own], [line.is_flip for line in own], lengths, seed
            )
            from_half[arm] = [
                pair_points(line.verdict) - 0.5 for line in own if line.verdict is not None
            ]
    told = {
        arm: {end: own["win_rate"][end] - 0.5 for end in ("low", "high")}
        for arm, own in found.items()
        if own["win_rate"]
    }
    for arm, more in corrected(told, {arm: from_half[arm] for arm in told}, seed).items():
        found[arm].update(more)
    return found


def _by_kind(
    plan: JudgePlan, totals: Mapping[str, Mapping[str, float]], lines: Sequence[JudgedLine]
) -> dict[str, dict[str, Any]]:
    """Kind -> its questions, and by arm the mean total and the mean share of pairs won (ties by
    half), each with how many it is of; nothing of fewer than two kinds.
    """
    points = {
        (line.question, line.arm): pair_points(line.verdict)
        for line in lines
        if line.against and line.verdict is not None
    }
    found = {}
    for kind in dict.fromkeys(plan.kinds.values()):
        own = [q.id for q in plan.questions if plan.kinds[q.id] == kind]
        arms = {}
        for arm in plan.arm_names:
            graded, paired = (
                [totals[arm][q] for q in own if q in totals[arm]],
                [points[q, arm] for q in own if (q, arm) in points],
            )
            arms[arm] = {
                "total": _mean(graded),
                "graded": len(graded),
                "win_rate": _mean(paired),
                "paired": len(paired),
            }
        found[kind or "other"] = {"questions": len(own), "arms": arms}
    return found if len(found) > 1 else {}


def _mean(values: Sequence[float]) -> float | None:
    return round(fmean(values), _DIGITS) if values else None
