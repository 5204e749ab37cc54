"""The kept run of an evaluation of answers: answers.jsonl (what each arm answered), golds.jsonl
(what should be answered), and their report: how right each arm is, what it costs, and the answers
to the worst questions.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from dynagrag.core.text import plural
from dynagrag.evaluation.answers.answer_arms import GOLD
from dynagrag.evaluation.answers.answer_line import AnswerLine, last_lines
from dynagrag.evaluation.answers.answer_run import ANSWERS
from dynagrag.evaluation.answers.answering import answerer
from dynagrag.evaluation.answers.equal_context import contexts_apart
from dynagrag.evaluation.frame.experiment_run import ExperimentRun
from dynagrag.evaluation.frame.figures import POINTS, Figure, Unit, count
from dynagrag.evaluation.frame.lines_file import read_lines
from dynagrag.evaluation.frame.report import (
    FEW_ITEMS,
    BarChart,
    Case,
    Cases,
    Cell,
    Column,
    Listing,
    ListItem,
    Report,
    Row,
    ScatterChart,
    Section,
    Table,
    few,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.qa.answer_scores import (
    ABSTAINED,
    CLAIM_SHARES,
    MEASURES,
)
from dynagrag.evaluation.qa.known_question import KnownQuestion
from dynagrag.evaluation.qa.qa_options import WHOLE_GOLD
from dynagrag.evaluation.qa.qa_summary import (
    COSTS,
    CUT_OFF,
    FAILED_PARTS,
    AnswerFigures,
    arm_scores,
)
from dynagrag.evaluation.several_comparisons import HOLM, HOLM_MEANS, what_holds

GOLDS = "golds.jsonl"
_COST_UNITS = {"calls": Unit.MEAN_COUNT, "seconds": Unit.SECONDS}
"""Of the costs; the others are tokens."""
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
"""Meanings of the columns by their titles; several with one meaning have commas between them."""
_NUM_READ = 6
_MAX_READ = 1200
"""Characters of an answer or a reference that are shown."""
_Values = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Arm -> question -> measure -> value."""


class QaResult(AnswerFigures):
    """Result of an evaluation of answers. `notes`: what was left out or is unknown, by reason."""

    dataset: str
    half: str = "all"
    scope: str = "corpus"
    passages: int = 0
    llm: str | None = None
    notes: dict[str, int] = Field(default_factory=dict)
    run: str = ""

    @model_serializer(mode="wrap")
    def _in_order(self, as_usual: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """The questions and the model stand before the figures."""
        found: dict[str, Any] = as_usual(self)
        return {
            name: found[name] for name in ("dataset", "half", "scope", "passages", "llm")
        } | found


class QaRun(ExperimentRun[AnswerLine, QaResult]):
    """The folder of a run of answers."""

    line_kind = AnswerLine
    lines_file = ANSWERS
    command = "dynagrag evaluate qa"
    evaluates = "qa"
    what = "answers"
    noun = "answer"
    result_kind = QaResult

    def answers(self) -> list[AnswerLine]:
        """The line of each answer; the last, where one was tried again."""
        return list(last_lines(self.lines()).values())

    def questions(self) -> list[KnownQuestion]:
        """The questions in their order."""
        return read_lines(self.path / GOLDS, KnownQuestion)

    def report(self) -> Report:
        """The report of the run."""
        result = self.result()
        lacking = (
            f", {result.unanswerable} of them with no answer in the texts,"
            if result.unanswerable
            else ""
        )
        of = "its own document" if result.scope == "document" else "all documents"
        questions = f"{plural(result.questions, 'question')}{lacking} were each asked of {of}"
        again = f"the same command with --out {result.run} tries them again"
        failed = [line for line in self.answers() if line.has_failed]
        why = {line.arm: f" (the first: {shortened(line.error)})" for line in reversed(failed)}
        has = cells(result, next(iter(result.arms)))
        unused = {TITLES[name] for name in (*MEASURES, FAILED_PARTS) if name not in has}
        unused |= set() if held_line(result) else {HOLM}
        apart = contexts_apart({arm: own["context_tokens"] for arm, own in result.costs.items()})
        return Report(
            title=f"{result.dataset}: what is answered",
            asked=(
                f"{questions} ({plural(result.passages, 'passage')} in all) and answered by"
                f" {answerer(result.llm)}: how right is each arm, and what does it cost? Arms:"
                f" {', '.join(result.arms)}."
            ),
            conclusion=f"{apart} {_conclusion(result)}".strip(),
            is_warned=bool(apart),
            notes=(
                *(f"{num} x {name}" for name, num in result.notes.items()),
                *(
                    f"{arm}: {plural(n, 'answer')} failed, left out{why.get(arm, '')}; {again}"
                    for arm, n in result.errors.items()
                    if n
                ),
            ),
            results=tuple(_results(result)),
            words={name: said for name, said in WORDS.items() if name not in unused},
            costs=(_costs(result),),
            cases=_cases(self, result),
        )


def _conclusion(result: QaResult) -> str:
    """The run in a sentence, then what is left of several comparisons."""
    measure, arm = result.measure, next(iter(result.arms))
    if measure not in result.arms[arm]:
        sentence = f"{arm}: no answer that could be scored"
    else:
        found = result.differences.get(arm, {}).get(measure)
        beside = found.against(arm, result.baseline).text() if found else ""
        sentence = f"{arm}: {TITLES[measure]} {Figure(result.arms[arm][measure]).text()}{beside}"
    held = held_line(result)
    unsure = f" {few('question')}" if result.questions < FEW_ITEMS else ""
    return f"{sentence}." + (f" {held[:1].upper()}{held[1:]}." if held else "") + unsure


def held_line(result: AnswerFigures) -> str:
    """The differences by the run's measure that hold among several comparisons; empty of fewer than
    two.
    """
    measure = result.measure
    found = {
        arm: own[measure].model_dump() if measure in own else None
        for arm, own in result.differences.items()
    }
    return what_holds(found, result.baseline, TITLES[measure])


def cells(result: AnswerFigures, arm: str) -> dict[str, Cell]:
    """An arm's measures by name, over how many questions a mean is where others are over more; how
    many answers were cut off; failed parts a question, where any arm has them.
    """
    own, counts = result.arms[arm], result.counts.get(arm, {})
    most = max(counts.values(), default=0)
    found: dict[str, Cell] = {
        name: Figure(own.get(name), n=counts[name] if counts.get(name, most) < most else None)
        for name in MEASURES
        if any(name in other for other in result.arms.values())
    }
    found[CUT_OFF] = count(result.cut_off.get(arm, 0))  # runs of before it was counted have none
    if any(result.failed_parts.values()):
        found[FAILED_PARTS] = Figure(result.failed_parts.get(arm, 0.0), unit=Unit.MEAN_COUNT)
    return found


def _arm_title(result: QaResult, arm: str) -> str:
    """The arm as tables name it: with a word where `gold` is no ceiling."""
    return f"{arm} (no ceiling)" if arm == GOLD and WHOLE_GOLD in result.notes else arm


def _results(result: QaResult) -> Iterator[Section]:
    measure, arms = result.measure, result.arms
    rows = {arm: cells(result, arm) for arm in arms}
    changes = {
        arm: own[measure].figure for arm, own in result.differences.items() if measure in own
    }
    table = Table(
        heads=(
            "arm",
            *(TITLES[name] for name in next(iter(rows.values()))),
            f"{TITLES[measure]} against {result.baseline}",
        ),
        rows=tuple(
            (_arm_title(result, arm), (*own.values(), changes.get(arm, "")))
            for arm, own in rows.items()
        ),
        main=TITLES[measure],
        is_of_arms=True,
    )
    shown = {
        arm: Figure(POINTS * own[measure], bounds.get("low"), bounds.get("high"), Unit.POINTS)
        for arm, own in arms.items()
        if measure in own
        for bounds in (result.means.get(arm, {}).get(measure, {}),)
    }
    bars = (BarChart(f"{TITLES[measure]} by arm, with 95 % intervals", shown),) if shown else ()
    yield Section(tables=(table,), pictures=bars)
    if result.unanswerable:
        rightly = f"of the {result.unanswerable} without an answer, abstained, %"
        claims = (f"{TITLES[measure]} there, % of the claims" for measure in CLAIM_SHARES)
        heads = ("arm", "abstained", "of these rightly, %", rightly, "answers there with claims")
        yield Section(
            "Questions without an answer",
            tables=(
                Table(
                    (*heads, *claims),
                    tuple(
                        (name, tuple(abstention_cells(own)))
                        for name, own in result.abstention.items()
                    ),
                    is_of_arms=True,
                ),
            ),
        )
    if kinds := _kind_rows(result):
        yield Section("By kind of question", tables=(Table(("kind", "questions", *arms), kinds),))


def abstention_cells(own: Mapping[str, float | int | None]) -> list[Cell]:
    """The cells of an arm in the table of abstentions."""
    precision, recall, *shares = (
        Figure(own.get(name)) for name in ("precision", "recall", *CLAIM_SHARES)
    )
    abstained, claiming = (
        Figure(own.get(n) or 0, unit=Unit.COUNT) for n in (ABSTAINED, "claiming")
    )
    return [abstained, precision, recall, claiming, *shares]


def _kind_rows(result: QaResult) -> tuple[Row, ...]:
    """(Kind, (questions, each arm's value)): of the run's measure, else of the first that the
    kind's arms have.
    """
    rows: list[Row] = []
    for kind, found in result.kinds.items():
        names = (result.measure, *MEASURES)
        shown = next((n for n in names if any(n in own for own in found.arms.values())), ABSTAINED)
        values = (Figure(own.get(shown)) for own in found.arms.values())
        rows.append((f"{kind} ({TITLES[shown]})", (count(found.questions), *values)))
    return tuple(rows)


def cost_figure(name: str, value: float | None) -> Figure:
    """A cost a question as it is shown."""
    return Figure(value, unit=_COST_UNITS.get(name, Unit.COUNT))


def _costs(result: QaResult) -> Section:
    measure, costs = result.measure, result.costs
    table = Table(
        heads=("arm", *(f"{TITLES[name]} a question" for name in COSTS)),
        rows=tuple(
            (
                _arm_title(result, arm),
                tuple(cost_figure(name, costs.get(arm, {}).get(name)) for name in COSTS),
            )
            for arm in result.arms
        ),
        is_of_arms=True,
    )
    points = {
        arm: (costs[arm]["prompt_tokens"] + costs[arm]["completion_tokens"], POINTS * own[measure])
        for arm, own in result.arms.items()
        if measure in own
    }
    if len(points) < 2:
        return Section(tables=(table,))
    picture = ScatterChart(
        "Cost against quality",
        "tokens a question (log scale)",
        f"{TITLES[measure]}, points",
        points,
    )
    return Section(
        before=("Higher is better, further left is cheaper.",), tables=(table,), pictures=(picture,)
    )


# -------------------------------------------------------------------------------------------- cases


def _cases(run: QaRun, result: QaResult) -> tuple[Cases, ...]:
    """The first arm's worst questions, then its best, where these are others; of those that it has
    a value for.
    """
    arm, measure = next(iter(result.arms)), result.measure
    questions, lines = run.questions(), run.answers()
    scores = arm_scores(lines, {question.id: question.wanted() for question in questions})
    own = scores.get(arm, {})
    values = {}
    for q in questions:
        name = measure if q.is_answerable else ABSTAINED
        if name in own.get(q.id, {}):
            values[q.id] = own[q.id][name]
    ranked = sorted((q for q in questions if q.id in values), key=lambda q: values[q.id])
    by_question: dict[str, list[AnswerLine]] = {}
    for line in lines:
        by_question.setdefault(line.question, []).append(line)
    chosen = (
        (f"The worst questions of {arm}", ranked[:_NUM_READ]),
        (f"The best questions of {arm}", ranked[_NUM_READ:][: -_NUM_READ - 1 : -1]),
    )
    return tuple(
        Cases(
            title,
            tuple(_case(q, values[q.id], by_question.get(q.id, []), scores, result) for q in part),
        )
        for title, part in chosen
        if part
    )


def _case(
    question: KnownQuestion,
    right: float,
    lines: Sequence[AnswerLine],
    scores: _Values,
    result: QaResult,
) -> Case:
    arms, measure = list(result.arms), result.measure
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
                tuple(ListItem(text[:_MAX_READ], is_gold=True) for text in question.answers),
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
    short = [] if line.short is None else [f"in a few words: {line.short or 'nothing'}"]
    return Column(
        name=line.arm,
        value=f"{POINTS * values[measure]:.0f}" if measure in values else "",
        colour=arms.index(line.arm),
        text=line.answer[:_MAX_READ],
        asides=(
            *short,
            *([f"claims: {claims.counts}"] if claims.total or claims.not_checked else ()),
        ),
        listings=(
            Listing.of(
                "Not stated",
                [shortened(text) for text in claims.doubted],
            ),
            Listing.of("Cited", [shortened(citation.quote) for citation in line.citations]),
        ),
    )
