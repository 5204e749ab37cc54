"""A run of answers as one HTML file: how right each arm is and what it costs, and the answers of the worst questions, to read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dynagrag.evaluation.answers.answer_arms import GOLD
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.qa.answer_scores import ABSTAINED, MEASURES
from dynagrag.evaluation.qa.qa_folder import KnownQuestion, QaRun
from dynagrag.evaluation.qa.qa_options import WHOLE_GOLD
from dynagrag.evaluation.qa.qa_summary import COSTS, CUT_OFF, arm_scores
from dynagrag.evaluation.results.html_report import flat, report_template
from dynagrag.evaluation.results.report_plots import WIDTH, cost_points, quality_bars
from dynagrag.evaluation.results.run_folder import shortened
from dynagrag.evaluation.results.run_summary import FEW_QUESTIONS, POINTS
from dynagrag.text import plural

TITLES = {
    "em": "exact",
    "f1": "F1",
    "rouge_l": "ROUGE-L",
    "answer_recall": "answer recall",
    "stated": "stated",
    "contradicted": "contradicted",
    "not_found": "not found",
    "citation_precision": "cited right",
    "citation_recall": "gold cited",
    "abstained": "abstained",
    "cut_off": "cut off",
    "context_tokens": "context tokens",
    "prompt_tokens": "prompt tokens",
    "completion_tokens": "reply tokens",
    "calls": "calls",
    "seconds": "seconds",
}
_NUM_READ = 6
_MAX_READ = 1200
"""Characters of an answer or a reference that are shown."""


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An arm's answer to read: with its value of the run's measure, and its claims by verdict."""

    arm: str
    value: str
    text: str
    short: str | None
    verdicts: str
    doubted: tuple[str, ...]
    cited: tuple[str, ...]
    error: str


@dataclass(frozen=True, slots=True)
class Read:
    """A question to read: what should be answered, and what each arm answered."""

    text: str
    kind: str
    document: str
    wanted: tuple[str, ...]
    is_answerable: bool
    value: float
    answers: tuple[ReadAnswer, ...]


def render_qa_report(run: QaRun) -> str:
    """The report of a run that is done."""
    summary = run.summary()
    arms: Mapping[str, Mapping[str, float]] = summary["arms"]
    measure, baseline, first = summary["measure"], summary["baseline"], next(iter(arms))
    quality = {arm: POINTS * own[measure] for arm, own in arms.items() if measure in own}
    bounds = {arm: summary["means"][arm][measure] for arm in quality}
    tokens = {arm: summary["costs"][arm]["prompt_tokens"] + summary["costs"][arm]["completion_tokens"] for arm in quality}
    reads = _reads(run, measure, first)
    return report_template("qa.html.jinja").render(
        summary=summary,
        head=run.head,
        settings=list(flat(run.settings)),
        titles=TITLES,
        names=names_of(summary),
        counts=(CUT_OFF, *COSTS),
        rows=[(arm_title(summary, arm), cells(summary, arm), difference(summary, arm, measure)) for arm in arms],
        kinds=_kind_rows(summary, measure),
        measure=measure,
        baseline=baseline,
        arm=first,
        result=result(summary),
        bars=quality_bars(quality, bounds) if quality else None,
        points=cost_points(tokens, quality) if len(quality) > 1 else None,
        worst=reads[:_NUM_READ],
        best=reads[: -_NUM_READ - 1 : -1] if len(reads) > _NUM_READ else [],
        width=WIDTH,
        few=FEW_QUESTIONS,
    )


def names_of(summary: Mapping[str, Any]) -> list[str]:
    """The measures that any arm has, in their order."""
    return [name for name in MEASURES if any(name in own for own in summary["arms"].values())]


def cells(summary: Mapping[str, Any], arm: str) -> list[str]:
    """An arm's measures in points, how many answers were cut off, then its costs a question; a dash where it has none."""
    own, costs = summary["arms"][arm], summary["costs"][arm]
    values = [f"{POINTS * own[name]:.1f}" if name in own else "-" for name in names_of(summary)]
    cut_off = str(summary.get(CUT_OFF, {}).get(arm, 0))  # runs of before it was counted have none
    return [*values, cut_off] + [f"{costs[name]:,.{1 if name in ('calls', 'seconds') else 0}f}" for name in COSTS]


def arm_title(summary: Mapping[str, Any], arm: str) -> str:
    """The arm as tables name it: with a word where `gold` is no ceiling."""
    return f"{arm} (no ceiling)" if arm == GOLD and WHOLE_GOLD in summary["notes"] else arm


def difference(summary: Mapping[str, Any], arm: str, measure: str) -> str:
    """The arm's difference from the baseline with its interval; empty where there is none."""
    found = summary["differences"].get(arm, {}).get(measure)
    return "" if found is None else f"{found['difference']:+.1f} ({found['low']:+.1f} to {found['high']:+.1f})"


def result(summary: Mapping[str, Any]) -> str:
    """The run in a sentence."""
    measure, arm = summary["measure"], next(iter(summary["arms"]))
    if measure not in summary["arms"][arm]:
        return f"{arm}: no answer that could be scored"
    value = f"{arm}: {TITLES[measure]} {POINTS * summary['arms'][arm][measure]:.1f}"
    found = summary["differences"].get(arm, {}).get(measure)
    if found is None:
        return value
    interval = f"95 % interval {found['low']:+.1f} to {found['high']:+.1f}"
    against = f"{found['difference']:+.1f} points against {summary['baseline']}"
    return f"{value}, {against} ({interval}, {plural(found['questions'], 'question')})"


def _kind_rows(summary: Mapping[str, Any], measure: str) -> list[tuple[str, int, list[str]]]:
    """(Kind, questions, each arm's value): of the run's measure, else of the first that the kind's arms have."""
    rows = []
    for kind, found in summary["kinds"].items():
        arms: Mapping[str, Mapping[str, float]] = found["arms"]
        shown = next((n for n in (measure, *MEASURES) if any(n in own for own in arms.values())), ABSTAINED)
        values = [f"{POINTS * own[shown]:.1f}" if shown in own else "-" for own in arms.values()]
        rows.append((f"{kind} ({TITLES[shown]})", int(found["questions"]), values))
    return rows


def _reads(run: QaRun, measure: str, first: str) -> list[Read]:
    """All questions, from the first arm's worst to its best; those that it has no value for last."""
    questions, lines = run.questions(), run.answers()
    scores = arm_scores(lines, {question.id: question.wanted() for question in questions})
    by_question: dict[str, list[AnswerLine]] = {}
    for line in lines:
        by_question.setdefault(line.question, []).append(line)
    reads = []
    for question in questions:
        values = {arm: own[question.id] for arm, own in scores.items() if question.id in own}
        reads.append(_read(question, by_question.get(question.id, []), values, measure, first))
    return sorted(reads, key=lambda read: read.value)


def _read(
    question: KnownQuestion, lines: Sequence[AnswerLine], values: Mapping[str, Mapping[str, float]], measure: str, first: str
) -> Read:
    own = values.get(first, {})
    right = own.get(ABSTAINED, 0.0) if not question.is_answerable else own.get(measure, 1.0)
    return Read(
        text=shortened(question.text),
        kind=question.kind,
        document=shortened(question.document),
        wanted=tuple(text[:_MAX_READ] for text in question.answers),
        is_answerable=question.is_answerable,
        value=POINTS * right,
        answers=tuple(_answer(line, values.get(line.arm, {}), measure) for line in lines),
    )


def _answer(line: AnswerLine, values: Mapping[str, float], measure: str) -> ReadAnswer:
    claims = line.claims
    counts = f"{len(claims.stated)} stated, {len(claims.contradicted)} contradicted, {len(claims.not_found)} not found"
    return ReadAnswer(
        arm=line.arm,
        value=f"{POINTS * values[measure]:.0f}" if measure in values else "",
        text=line.answer[:_MAX_READ],
        short=line.short,
        verdicts=counts if claims.total else "",
        doubted=tuple(shortened(text) for text in (*claims.contradicted, *claims.not_found)),
        cited=tuple(shortened(citation.quote) for citation in line.citations),
        error=shortened(line.error),
    )
