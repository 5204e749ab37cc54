"""A run of answers as a report: how right each arm is and what it costs, and the answers of the
worst questions, to read.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from dynagrag.core.text import plural
from dynagrag.evaluation.answers.answer_arms import GOLD
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.answers.answering import answerer
from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.frame.figures import Figure, Unit
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.report import (
    BarChart,
    Case,
    Cases,
    Column,
    Item,
    Listing,
    Report,
    ScatterChart,
    Section,
    Table,
    compared,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.qa.answer_scores import ABSTAINED, CLAIM_SHARES, MEASURES
from dynagrag.evaluation.qa.qa_folder import KnownQuestion, QaRun
from dynagrag.evaluation.qa.qa_options import WHOLE_GOLD
from dynagrag.evaluation.qa.qa_summary import COSTS, CUT_OFF, FAILED_PARTS, arm_scores
from dynagrag.evaluation.results.run_summary import FEW_QUESTIONS, POINTS
from dynagrag.evaluation.several_comparisons import HOLM, HOLM_MEANS, what_holds

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
    "failed_parts": "failed parts",
    "context_tokens": "context tokens",
    "prompt_tokens": "prompt tokens",
    "completion_tokens": "reply tokens",
    "calls": "calls",
    "seconds": "seconds",
}
WORDS: Mapping[str, str] = {
    "arm": "one way to come to an answer; the first row is the one that is measured",
    "exact": (
        "share of the questions whose answer in a few words is a reference, but for case, articles"
        " and punctuation"
    ),
    "F1": (
        "how many words the answer in a few words shares with a reference: the harmonic mean of"
        " precision (of its words, those that are right) and recall (of the right words, those that"
        " it has)"
    ),
    "ROUGE-L": (
        "the same with the longest sequence of words that the whole answer has in common with a"
        " reference"
    ),
    "answer recall": "the right words stand in the whole answer",
    "stated": "share of the answer's claims that a line of the texts states",
    "contradicted": "share of the claims that a line says otherwise",
    "not found": "share of the claims that no line which was looked at states or contradicts",
    "cited right": "share of the citations that touch what should be cited",
    "gold cited": "share of what should be cited that is",
    "abstained": "share of the questions on which the arm said that the evidence has no answer",
    "cut off": "answers whose reply came to no end: they count as wrong",
    "failed parts": (
        "parts of an answer that the model failed at, a question: the answer was made without them"
    ),
    HOLM: HOLM_MEANS,
    "points": (
        "all measures: 100 is everything. Means of the questions that have an answer and the"
        " measure; in brackets: over how many, where others are over more"
    ),
    "95 % interval": interval_meaning("questions that both arms have a value for"),
    "context tokens, prompt tokens, reply tokens, calls, seconds": (
        "means a question. A reply from the cache counts with what it took when "
        "it was made; context tokens are those of the evidence, of whole answers alone"
    ),
}
"""What the columns mean, by their titles; several that are told at once have commas between them.
"""
_NUM_READ = 6
_MAX_READ = 1200
"""Characters of an answer or a reference that are shown."""
_Values = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Arm -> question -> measure -> value."""


def render_qa_report(run: QaRun) -> str:
    """The report of a run that is done."""
    return render(qa_report(run), run.head)


def qa_report(run: QaRun) -> Report:
    """What the page says."""
    summary = run.summary()
    lacking = (
        f", {summary['unanswerable']} of them with no answer in the texts,"
        if summary["unanswerable"]
        else ""
    )
    of = "its own document" if summary["scope"] == "document" else "all documents"
    asked = f"{plural(summary['questions'], 'question')}{lacking} were each asked of {of}"
    again = f"the same command with --out {summary['run']} tries them again"
    return Report(
        title=f"{summary['dataset']}: what is answered",
        asked=(
            f"{asked} ({plural(summary['passages'], 'passage')} in all) and answered by"
            f" {answerer(summary['llm'])}: how right is each arm, and what does it cost? Arms:"
            f" {', '.join(summary['arms'])}."
        ),
        conclusion=_conclusion(summary),
        notes=(
            *(f"{count} x {name}" for name, count in summary["notes"].items()),
            *(
                f"{arm}: {plural(n, 'answer')} failed, left out; {again}"
                for arm, n in summary["errors"].items()
                if n
            ),
        ),
        results=tuple(_results(summary)),
        words=_words(summary),
        costs=_costs(summary),
        cases=_cases(run, summary),
    )


def _conclusion(summary: Mapping[str, Any]) -> str:
    few = (
        f" Fewer than {FEW_QUESTIONS} questions: the intervals say little."
        if summary["questions"] < FEW_QUESTIONS
        else ""
    )
    held = held_line(summary)
    return f"{result(summary)}." + (f" {held[:1].upper()}{held[1:]}." if held else "") + few


def result(summary: Mapping[str, Any]) -> str:
    """The run in a sentence."""
    measure, arm = summary["measure"], next(iter(summary["arms"]))
    if measure not in summary["arms"][arm]:
        return f"{arm}: no answer that could be scored"
    found = summary["differences"].get(arm, {}).get(measure)
    beside = compared(arm, found, summary["baseline"], found["questions"] if found else 0)
    return f"{arm}: {TITLES[measure]} {POINTS * summary['arms'][arm][measure]:.1f}{beside}"


def held_line(summary: Mapping[str, Any]) -> str:
    """What is left of several comparisons by the run's measure; empty of fewer than two."""
    measure = summary["measure"]
    found = {arm: own.get(measure) for arm, own in summary["differences"].items()}
    return what_holds(found, summary["baseline"], TITLES[measure])


def names_of(summary: Mapping[str, Any]) -> list[str]:
    """The measures that any arm has, in their order."""
    return [name for name in MEASURES if any(name in own for own in summary["arms"].values())]


def heads_of(summary: Mapping[str, Any]) -> list[str]:
    """What `cells` has of each arm before its costs: failed parts where any arm has them."""
    return [
        *names_of(summary),
        CUT_OFF,
        *([FAILED_PARTS] if any(summary.get(FAILED_PARTS, {}).values()) else []),
    ]


def cells(summary: Mapping[str, Any], arm: str) -> list[str]:
    """An arm's measures in points, how many answers were cut off, its failed parts where there are
    any, then its costs a question; a dash where it has none. In brackets: over how many questions a
    mean is, where others are over more.
    """
    costs, failed = summary["costs"][arm], summary.get(FAILED_PARTS, {}).get(arm, 0)
    cut_off = str(summary.get(CUT_OFF, {}).get(arm, 0))  # runs of before it was counted have none
    values = [_value(summary, arm, name) for name in names_of(summary)] + [cut_off, f"{failed:.2f}"]
    return values[: len(heads_of(summary))] + [
        f"{costs[name]:,.{1 if name in ('calls', 'seconds') else 0}f}" for name in COSTS
    ]


def _value(summary: Mapping[str, Any], arm: str, name: str) -> str:
    own, counts = summary["arms"][arm], summary["counts"][arm]
    if name not in own:
        return "-"
    return f"{POINTS * own[name]:.1f}" + (
        f" ({counts[name]})" if counts[name] < max(counts.values()) else ""
    )


def arm_title(summary: Mapping[str, Any], arm: str) -> str:
    """The arm as tables name it: with a word where `gold` is no ceiling."""
    return f"{arm} (no ceiling)" if arm == GOLD and WHOLE_GOLD in summary["notes"] else arm


def difference(summary: Mapping[str, Any], arm: str, measure: str) -> str:
    """The arm's difference from the baseline with its interval; empty where there is none."""
    found = summary["differences"].get(arm, {}).get(measure)
    return "" if found is None else Interval.of(found).text("+")


def _results(summary: Mapping[str, Any]) -> list[Section]:
    measure, heads, arms = summary["measure"], heads_of(summary), summary["arms"]
    table = Table(
        heads=(
            "arm",
            *(TITLES[name] for name in heads),
            f"{TITLES[measure]} against {summary['baseline']}, 95 % interval",
        ),
        rows=tuple(
            (
                arm_title(summary, arm),
                (*cells(summary, arm)[: len(heads)], difference(summary, arm, measure)),
            )
            for arm in arms
        ),
        main=TITLES[measure],
        is_of_arms=True,
    )
    quality = _quality(summary)
    means = summary["means"]
    shown = {
        arm: Figure(value, means[arm][measure]["low"], means[arm][measure]["high"], Unit.POINTS)
        for arm, value in quality.items()
    }
    bars = (BarChart(f"{TITLES[measure]} by arm, with 95 % intervals", shown),) if shown else ()
    sections = [Section(tables=(table,), pictures=bars)]
    if summary["unanswerable"]:
        sections.append(Section("Questions without an answer", tables=(_abstention(summary),)))
    if kinds := _kind_rows(summary, measure):
        sections.append(
            Section("By kind of question", tables=(Table(("kind", "questions", *arms), kinds),))
        )
    return sections


def _quality(summary: Mapping[str, Any]) -> dict[str, float]:
    measure = summary["measure"]
    return {arm: POINTS * own[measure] for arm, own in summary["arms"].items() if measure in own}


def _abstention(summary: Mapping[str, Any]) -> Table:
    rightly = f"of the {summary['unanswerable']} without an answer, abstained, %"
    claims = (f"{TITLES[name]} there, % of the claims" for name in CLAIM_SHARES)
    heads = (
        "arm",
        "abstained",
        "of these rightly, %",
        rightly,
        "answers there with claims",
        *claims,
    )
    return Table(
        heads,
        tuple((arm, tuple(abstention_cells(own))) for arm, own in summary["abstention"].items()),
        is_of_arms=True,
    )


def abstention_cells(own: Mapping[str, Any]) -> list[str]:
    """How often an arm abstained, how rightly, on how many questions without an answer it claims
    something, and the shares of that.
    """
    shares = [
        "-" if own.get(name) is None else f"{POINTS * own[name]:.1f}"
        for name in ("precision", "recall", *CLAIM_SHARES)
    ]
    return [str(own["abstained"]), *shares[:2], str(own.get("claiming", 0)), *shares[2:]]


def _kind_rows(summary: Mapping[str, Any], measure: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """(Kind, (questions, each arm's value)): of the run's measure, else of the first that the
    kind's arms have.
    """
    rows = []
    for kind, found in summary["kinds"].items():
        arms: Mapping[str, Mapping[str, float]] = found["arms"]
        shown = next(
            (n for n in (measure, *MEASURES) if any(n in own for own in arms.values())), ABSTAINED
        )
        values = [f"{POINTS * own[shown]:.1f}" if shown in own else "-" for own in arms.values()]
        rows.append((f"{kind} ({TITLES[shown]})", (str(found["questions"]), *values)))
    return tuple(rows)


def _words(summary: Mapping[str, Any]) -> dict[str, str]:
    lacking = {TITLES[name] for name in (*MEASURES, FAILED_PARTS)} - {
        TITLES[name] for name in heads_of(summary)
    }
    lacking |= set() if held_line(summary) else {HOLM}
    return {name: said for name, said in WORDS.items() if name not in lacking}


def _costs(summary: Mapping[str, Any]) -> tuple[Section, ...]:
    measure, quality, num = summary["measure"], _quality(summary), len(heads_of(summary))
    table = Table(
        heads=("arm", *(f"{TITLES[name]} a question" for name in COSTS)),
        rows=tuple(
            (arm_title(summary, arm), tuple(cells(summary, arm)[num:])) for arm in summary["arms"]
        ),
        is_of_arms=True,
    )
    tokens = {
        arm: summary["costs"][arm]["prompt_tokens"] + summary["costs"][arm]["completion_tokens"]
        for arm in quality
    }
    if len(quality) < 2:
        return (Section(tables=(table,)),)
    title = f"{TITLES[measure]}, points"
    points = ScatterChart(
        "Cost against quality",
        "tokens a question (log scale)",
        title,
        {arm: (tokens[arm], quality[arm]) for arm in quality},
    )
    return (
        Section(
            before=("Higher is better, further left is cheaper.",),
            tables=(table,),
            pictures=(points,),
        ),
    )


# -------------------------------------------------------------------------------------------- cases


def _cases(run: QaRun, summary: Mapping[str, Any]) -> tuple[Cases, ...]:
    """The first arm's worst questions, then its best, where these are others; of those that it has
    a value for.
    """
    arm, measure = next(iter(summary["arms"])), summary["measure"]
    questions, lines = run.questions(), run.answers()
    scores = arm_scores(lines, {question.id: question.wanted() for question in questions})
    own = scores.get(arm, {})
    values = {q.id: right for q in questions if (right := _right(q, own, measure)) is not None}
    asked = sorted((q for q in questions if q.id in values), key=lambda q: values[q.id])
    by_question: dict[str, list[AnswerLine]] = {}
    for line in lines:
        by_question.setdefault(line.question, []).append(line)
    chosen = (
        (f"The worst questions of {arm}", asked[:_NUM_READ]),
        (f"The best questions of {arm}", asked[_NUM_READ:][: -_NUM_READ - 1 : -1]),
    )
    return tuple(
        Cases(
            title,
            tuple(_case(q, values[q.id], by_question.get(q.id, []), scores, summary) for q in part),
        )
        for title, part in chosen
        if part
    )


def _right(
    question: KnownQuestion, own: Mapping[str, Mapping[str, float]], measure: str
) -> float | None:
    values = own.get(question.id, {})
    return values.get(measure if question.is_answerable else ABSTAINED)


def _case(
    question: KnownQuestion,
    right: float,
    lines: Sequence[AnswerLine],
    scores: _Values,
    summary: Mapping[str, Any],
) -> Case:
    arms, measure = list(summary["arms"]), summary["measure"]
    shown = TITLES[measure] if question.is_answerable else "abstained rightly"
    value = f"{arms[0]}: {shown} {POINTS * right:.0f}"
    about = [text for text in (value, question.kind, shortened(question.document)) if text]
    empty = (
        "no answer is given"
        if question.is_answerable
        else "nothing answers it: an arm should abstain"
    )
    return Case(
        text=shortened(question.text),
        value=", ".join(about),
        listings=(
            Listing(
                "Should be answered",
                tuple(Item(text[:_MAX_READ], is_gold=True) for text in question.answers),
                empty,
            ),
        ),
        columns=tuple(
            _column(arms, line, scores.get(line.arm, {}).get(question.id, {}), measure)
            for line in lines
        ),
    )


def _column(
    arms: Sequence[str], line: AnswerLine, values: Mapping[str, float], measure: str
) -> Column:
    if line.error:
        return Column(
            line.arm, "", arms.index(line.arm), warning=f"failed: {shortened(line.error)}"
        )
    claims = line.claims
    counts = (
        f"claims: {len(claims.stated)} stated, {len(claims.contradicted)} contradicted,"
        f" {len(claims.not_found)} not found"
    )
    short = [] if line.short is None else [f"in a few words: {line.short or 'nothing'}"]
    return Column(
        name=line.arm,
        value=f"{POINTS * values[measure]:.0f}" if measure in values else "",
        colour=arms.index(line.arm),
        text=line.answer[:_MAX_READ],
        asides=(*short, *([counts] if claims.total else ())),
        listings=(
            Listing.of(
                "Not stated",
                [shortened(text) for text in (*claims.contradicted, *claims.not_found)],
            ),
            Listing.of("Cited", [shortened(citation.quote) for citation in line.citations]),
        ),
    )
