"""Judged answers in words, and as one HTML file: whether the judge is reliable, arms, pairs, length, cost, the worst questions to read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagrag.evaluation.judge.blind_answers import BlindAnswer
from dynagrag.evaluation.judge.judge_folder import JudgeRun
from dynagrag.evaluation.judge.judge_options import PAIRWISE, POINTWISE
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judge_summary import NOT_KNOWN, NOT_RELIABLE, grades_of
from dynagrag.evaluation.results.html_report import flat, report_template
from dynagrag.evaluation.results.report_plots import WIDTH, quality_bars
from dynagrag.evaluation.results.run_folder import shortened
from dynagrag.evaluation.results.run_summary import FEW_QUESTIONS
from dynagrag.text import plural

BEST_TOTAL = 25
_NUM_READ = 6
_DIFFERS = (
    "published: 18.10 for A alone, of an inferred 25, with B a close second; its judge, questions, their number, N and corpus (some "
    "100,000 tokens of podcasts) are not stated or not public. Here: questions, corpus, model and judge of this run, rubrics of our own, "
    "equal room for all arms, citations not shown. The two are not comparable"
)
_STYLE = (
    "these metrics have no references and reward style: what lines state is counted beside (stated claims), and no figure here tells "
    "whether an answer is right"
)


@dataclass(frozen=True, slots=True)
class Read:
    """A question to read: each arm's answer as the judge saw it."""

    text: str
    difference: float
    answers: tuple[tuple[str, str, str], ...]


def judge_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a report."""
    yield summary["verdict"]
    yield from _about(summary)
    arms: Mapping[str, Mapping[str, Any]] = summary["arms"]
    width = max(12, *(len(name) for name in arms)) + 4
    if any(own["total"] for own in arms.values()):
        yield (
            f"{'arm':<{width}}{'total of 25':<26}{'published':>10}" + "".join(f"{metric:>14}" for metric in METRICS) + f"{'unreadable':>12}"
        )
        for name, own in arms.items():
            cells = score_cells(own)
            yield (
                f"{_named(name, own):<{width}}{cells[0]:<26}{cells[1]:>10}"
                + "".join(f"{cell:>14}" for cell in cells[2:-1])
                + f"{cells[-1]:>12}"
            )
        yield from differences_lines(summary)
    for name, found in summary["pairs"].items():
        yield f"{name} against {summary['baseline']}, in pairs: {pair_line(found)}"
    yield f"{'arm':<{width}}" + "".join(f"{head:>16}" for head in COST_HEADS)
    for name, own in arms.items():
        yield f"{_named(name, own):<{width}}" + "".join(f"{cell:>16}" for cell in cost_cells(own))
    yield from _closing(summary)


COST_HEADS = ("answers", "graded", "abstained", "words", "citations", "stated claims", "context tokens", "all tokens", "calls", "seconds")


def _about(summary: Mapping[str, Any]) -> Iterator[str]:
    """What one must know before the figures."""
    own = "; the judge is the model that answered, so it may like its own words" if summary["is_own_judge"] else ""
    counts = f"{plural(summary['questions'], 'question')}, {summary['compared']} with grades of all arms"
    yield f"judge {summary['judge']}; {counts}; answers by {summary['llm']}{own}"
    for form, found in summary["calibration"].items():
        if found:
            agreed = f"with people it agrees in {_percent(found['accuracy'])} of {plural(found['n'], 'row')} of {found['set']}"
            yield f"{form}: {agreed} ({found['on']}), {found['flips']} flips, {found['unreadable']} unreadable"
    for note, count in summary["notes"].items():
        yield f"{count} x {note}"
    if summary["is_one_score"]:
        yield "the judge gave every answer the same total: the arms can't be told apart by it"
    if summary["speaking_to_a_judge"]:
        yield f"{plural(summary['speaking_to_a_judge'], 'answer')} with sentences that speak to a judge, which were not shown to it"
    if failed := sum(arm["errors"] for arm in summary["arms"].values()):
        again = f"the same command with --out {summary['run']} tries them again, but for replies that were cut off"
        yield f"{plural(failed, 'answer')} could not be made; {again}"


def _closing(summary: Mapping[str, Any]) -> Iterator[str]:
    if found := summary["length"]:
        yield f"length: {found['points_per_100_words']:+.2f} points per 100 words more, among answers to one question (r {found['r']:.2f})"
    yield f"the judge took {summary['judged_in_s']:,.0f} s for {plural(summary['judgements'], 'judgement')}"
    yield _STYLE
    if any(own["published"] for own in summary["arms"].values()):
        yield _DIFFERS
    if summary["questions"] < FEW_QUESTIONS:
        yield f"fewer than {FEW_QUESTIONS} questions: the intervals say little"


def differences_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """Each arm against the baseline, and what it would take to see a difference."""
    for name, own in summary["differences"].items():
        if own is None:
            continue
        interval = f"{own['difference']:+.2f} ({own['low']:+.2f} to {own['high']:+.2f})"
        line = f"{name} against {summary['baseline']}: {interval}, {own['verdict']}, {plural(own['n'], 'question')}"
        if equal := own["at_equal_length"]:
            line += f"; at equal length {equal['difference']:+.2f} ({equal['low']:+.2f} to {equal['high']:+.2f})"
        wanted = (
            "" if own["n_for_this"] is None else f"{own['n_for_this']:,} questions show a difference of this size in 80 % of all runs, "
        )
        yield f"{line}; {wanted}{own['n_for_one_point']:,} one of a point"


def pair_line(own: Mapping[str, Any]) -> str:
    """An arm's pairs in a line."""
    rate = own["win_rate"]
    share = (
        "" if rate is None else f", wins and half the ties {_percent(rate['mean'])} ({_percent(rate['low'])} to {_percent(rate['high'])})"
    )
    equal = own["equal_length"]
    level = f"of {equal['n']} about equally long {equal['wins']} won, {equal['losses']} lost"
    return (
        f"{own['wins']} won, {own['losses']} lost, {own['ties']} tied ({own['flips']} by flips), {own['unreadable']} unreadable{share}; "
        f"the longer won {_percent(own['longer_wins'])} of those decided; {level}"
    )


def score_cells(own: Mapping[str, Any]) -> list[str]:
    """Total with its interval, the published one, each metric, and how many grades could not be read."""
    total = own["total"]
    shown = "-" if total is None else f"{total['mean']:.2f} ({total['low']:.2f} to {total['high']:.2f})"
    published = "n/a" if own["published"] is None else f"{own['published']:.2f}"
    return [shown, published, *(_number(own["metrics"].get(metric)) for metric in METRICS), str(own["unreadable"])]


def cost_cells(own: Mapping[str, Any]) -> list[str]:
    """What an arm's answers are like, and what they took: means of an answer."""
    stated = _percent(own["claims_stated"])
    means = [_number(own[name], 1) for name in ("context_tokens", "tokens", "calls", "seconds")]
    return [
        str(own["answers"]),
        str(own["graded"]),
        str(own["abstained"]),
        _number(own["words"], 0),
        _number(own["citations"], 1),
        stated,
        *means,
    ]


def _named(name: str, own: Mapping[str, Any]) -> str:
    return f"{own['letter']} {name}" if own["letter"] else name


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def render_judge_report(run: JudgeRun) -> str:
    """The report of a run that is done."""
    summary = run.summary()
    arms: Mapping[str, Mapping[str, Any]] = summary["arms"]
    totals = {name: own["total"] for name, own in arms.items() if own["total"]}
    bars = quality_bars(
        {name: 100 * own["mean"] / BEST_TOTAL for name, own in totals.items()}, {name: _bounds(own) for name, own in totals.items()}
    )
    return report_template("judge.html.jinja").render(
        summary=summary,
        head=run.head,
        settings=list(flat(run.settings)),
        is_warned=summary["verdict"].startswith((NOT_RELIABLE, NOT_KNOWN)),
        about=list(_about(summary)),
        metrics=METRICS,
        rows=[(_named(name, own), score_cells(own)) for name, own in arms.items()] if totals else [],
        differences=list(differences_lines(summary)),
        pairs=[(name, pair_line(found)) for name, found in summary["pairs"].items()],
        cost_heads=COST_HEADS,
        costs=[(_named(name, own), cost_cells(own)) for name, own in arms.items()],
        closing=list(_closing(summary)),
        bars=bars if totals else None,
        width=WIDTH,
        worst=_worst(run, summary),
        is_pointwise=POINTWISE in run.settings["forms"],
        is_pairwise=PAIRWISE in run.settings["forms"],
    )


def _bounds(own: Mapping[str, float]) -> dict[str, float]:
    return {"low": 100 * own["low"] / BEST_TOTAL, "high": 100 * own["high"] / BEST_TOTAL}


def _worst(run: JudgeRun, summary: Mapping[str, Any]) -> list[Read]:
    """The questions on which the first arm that isn't the baseline has the lowest total, or lost its pair."""
    answers, graded, judged = run.answers(), grades_of(run.lines()), run.judged()
    arms: Sequence[str] = list(summary["arms"])
    first = next((arm for arm in arms if arm != summary["baseline"]), arms[0])

    def badness(question: str) -> tuple[float, float, str]:
        own = graded.get((question, first))
        pair = judged.get((question, first, summary["baseline"], 0))
        lost = {2.0: 0.0, 1.0: 2.0}.get(pair.verdict if pair and pair.verdict is not None else 0.0, 1.0)
        return (BEST_TOTAL if own is None or own.total is None else own.total, lost, question)

    questions = sorted(dict.fromkeys(question for question, _ in answers), key=badness)[:_NUM_READ]
    found = []
    for question in questions:
        shown = []
        for arm in arms:
            line = answers.get((question, arm))
            if line is not None:
                own = graded.get((question, arm))
                total = "" if own is None or own.total is None else f"{own.total:.1f}"
                shown.append((arm, total, shortened(line.error or BlindAnswer.of(line).text)))
        text = next(line.text for (q, _), line in answers.items() if q == question)
        found.append(Read(shortened(text), badness(question)[0], tuple(shown)))
    return found
