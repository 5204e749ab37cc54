"""The kept run of judged answers: answers.jsonl (what each arm answered), judgements.jsonl (as they
came), and how both are read: whether the judge is reliable, arms, pairs, length, cost, the worst
questions.
"""

from collections.abc import Iterator, Mapping

from dynagrag.core.text import plural
from dynagrag.evaluation.answers.answer_line import AnswerLine, last_lines
from dynagrag.evaluation.answers.answer_run import ANSWERS
from dynagrag.evaluation.answers.answering import answerer
from dynagrag.evaluation.answers.equal_context import contexts_apart
from dynagrag.evaluation.bootstrap_intervals import DifferenceVerdict
from dynagrag.evaluation.frame.experiment_run import ExperimentRun
from dynagrag.evaluation.frame.figures import POINTS, Figure, Unit, count
from dynagrag.evaluation.frame.lines_file import LinesFile
from dynagrag.evaluation.frame.report import (
    FEW_ITEMS,
    BarChart,
    Case,
    Cases,
    Column,
    Report,
    Row,
    ScatterChart,
    Section,
    Table,
    few,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.judge.arm_statistics import TOO_FEW
from dynagrag.evaluation.judge.blind_answers import BlindAnswer
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judge_summary import Graded, JudgedArm, JudgeResult, grades_of
from dynagrag.evaluation.judge.judged_line import JudgedLine, JudgeUnit
from dynagrag.evaluation.judge.reliability import NOT_KNOWN, NOT_RELIABLE
from dynagrag.evaluation.several_comparisons import HOLM, HOLM_MEANS, what_holds

_BEST_TOTAL = 25
_NUM_READ = 6
_DIFFERS = (
    "published: 18.10 for A alone, of an inferred 25, with B a close second; its judge, questions,"
    " their number, N and corpus (some 100,000 tokens of podcasts) are not stated or not public."
    " Here: questions, corpus, model and judge of this run, rubrics of our own, the same limit of"
    " room for all arms (one may use less: see context tokens), citations not shown. The two are"
    " not comparable"
)
_STYLE = (
    "these metrics have no references and reward style: what lines state is counted beside (stated"
    " claims), and no figure here tells whether an answer is right"
)
_HOLDS = {True: "yes", False: "no", None: "-"}
"""Whether a difference holds among all of its report; runs of before don't tell."""
WORDS: Mapping[str, str] = {
    "arm": "one way to come to an answer; the letters are those of DynaGRAG's experiment",
    "total, total of 25": (
        "the sum of five grades of 1 to 5, each the median of several samples. The judge sees one"
        " answer, without its arm"
    ),
    ", ".join(METRICS): (
        "the metrics, 1 to 5 each: clarity and brevity, depth and specificity, subjectivity and"
        " nuance, implication focus, ethical alignment"
    ),
    "cut off": (
        "how many of an arm's answers have no end: the lowest grades, and a pair lost to a"
        " whole one"
    ),
    "abstained": "answers which say that the evidence has none",
    "same as baseline": (
        "share of the whole answers that are the very words of the baseline's, which an arm can't"
        " win by"
    ),
    "holds": f"more than chance after {HOLM}: {HOLM_MEANS}",
    "context tokens": (
        "what was put before the model. All arms have the same limit, and one may use less of it;"
        " where they are more than 5 % apart, the report begins with that"
    ),
    "graded": "answers with a grade on every metric: only these have a total",
    "unreadable": "grades that could not be read from the judge's reply: counted, never guessed",
    "kappa": "agreement of the judge with people beyond chance (Cohen's): 0 is chance, 1 is always",
    "95 % interval": interval_meaning("questions"),
    "wins and half the ties": "share of the pairs, in points: 100 is everything",
    "in pairs, by flips": (
        "the judge reads the answers of two arms in both orders; a verdict that changes with the"
        " order is a flip, and a tie"
    ),
    "questions for a point": (
        "how many questions would show a difference of one point in 80 % of all runs"
    ),
    "stated claims": (
        "share of an answer's claims that lines of the texts state, the mean over answers with"
        " claims; the judge does not see that"
    ),
    "points": "shares: 100 is everything; totals are of 25, and each metric of 5",
    "words, citations, all tokens, calls, seconds": (
        "means of an answer. A reply from the cache counts with what it took when it was made"
    ),
}


class JudgeRun(ExperimentRun[JudgedLine, JudgeResult]):
    """The folder of a run that judges answers."""

    line_kind = JudgedLine
    lines_file = "judgements.jsonl"
    command = "dynagrag evaluate judge"
    evaluates = "answers judged"
    what = "answers judged"
    noun = "judgement"
    result_kind = JudgeResult

    def answer_file(self) -> LinesFile[AnswerLine]:
        """Where the answers are."""
        return LinesFile(self.path / ANSWERS, AnswerLine)

    def answers(self) -> dict[tuple[str, str], AnswerLine]:
        """(Question, arm) -> its answer; the last, where one was tried again."""
        return {
            (question, arm): line
            for (_, question, arm), line in last_lines(self.answer_file().lines()).items()
        }

    def judged(self) -> dict[JudgeUnit, JudgedLine]:
        """All judgements by what they are about, in the order in which they were made."""
        return {line.unit: line for line in self.lines()}

    def report(self) -> Report:
        """Whether the judge can be believed, then what it likes."""
        result = self.result()
        arms = ", ".join(_arm_title(name, own) for name, own in result.arms.items())
        apart = contexts_apart({name: own.context_tokens for name, own in result.arms.items()})
        return Report(
            title=f"Answers judged by {result.judge}",
            asked=(
                f"{plural(result.questions, 'question')} were answered by {answerer(result.llm)} in"
                f" {len(result.arms)} ways (arms), and {result.judge} judged the answers: which way"
                f" does it like best, and can it be believed? Arms: {arms}."
            ),
            conclusion=" ".join(
                part
                for part in (
                    f"{result.verdict}.",
                    apart,
                    _conclusion(result),
                    *(f"{_upper(line)}." for line in _held_lines(result)),
                )
                if part
            ),
            is_warned=bool(apart) or result.verdict.startswith((NOT_RELIABLE, NOT_KNOWN)),
            about=(f"{_upper(_STYLE)}.",),
            notes=tuple(_notes(result)),
            results=tuple(_results(result)),
            words=WORDS,
            costs=(_costs(result),),
            cases=(_worst(self, result),),
        )


def _arm_title(name: str, own: JudgedArm) -> str:
    return f"{own.letter} {name}" if own.letter else name


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _notes(result: JudgeResult) -> Iterator[str]:
    """The judge's known agreement, and oddities of the questions, the answers and the grades."""
    if result.is_graded:
        yield f"{plural(result.compared, 'question')} with grades of all arms"
    if result.is_own_judge:
        yield "the judge is the model that answered, so it may like its own words"
    for form, found in result.calibration.items():
        if found:
            share = "-" if found.accuracy is None else f"{POINTS * found.accuracy:.0f} %"
            yield (
                f"{form}: with people it agrees in {share} of"
                f" {plural(found.n, 'row')} of {found.set} ({found.on}), {found.flips} flips,"
                f" {found.unreadable} unreadable"
            )
    for name, lost in result.unreadable.items():
        yield f"{lost.num} of {lost.of} {name} could not be read, e.g. {lost.why}"
    for note, num in result.notes.items():
        yield f"{num} x {note}"
    if result.is_one_score:
        yield "the judge gave every answer the same total: the arms can't be told apart by it"
    if num := result.speaking_to_a_judge:
        yield (
            f"{plural(num, 'answer')} with sentences that speak to a judge, which were not shown to"
            " it"
        )
    if failed := sum(arm.errors for arm in result.arms.values()):
        yield (
            f"{plural(failed, 'answer')} could not be made; the same command with --out"
            f" {result.run} tries them again"
        )


def _held_lines(result: JudgeResult) -> list[str]:
    """Sentences on which of several comparisons with the baseline hold, by grades and in pairs."""
    differences = {arm: own.holds for arm, own in result.differences.items() if own}
    by_form: dict[str, Mapping[str, bool | None]] = {
        "grades": differences,
        "pairs": {arm: own.holds for arm, own in result.pairs.items()},
    }
    found = (
        what_holds(
            {arm: {"holds": holds} for arm, holds in own.items() if holds is not None},
            result.baseline,
            form,
        )
        for form, own in by_form.items()
    )
    return [line for line in found if line]


def _conclusion(result: JudgeResult) -> str:
    """The verdict of the grades; empty of pairs alone on questions enough."""
    differences = {arm: own for arm, own in result.differences.items() if own}
    unsure = f" {few('question')}" if result.fewest_questions < FEW_ITEMS else ""
    has_totals = any(own.total for own in result.arms.values())
    if result.is_graded and not has_totals:
        return "No answer has a grade on every metric."
    apart = [
        f"{arm} is {own.verdict} than {result.baseline}"
        for arm, own in differences.items()
        if own.verdict in (DifferenceVerdict.BETTER, DifferenceVerdict.WORSE)
    ]
    if apart:
        return f"By its grades {'; '.join(apart)}, by more than chance.{unsure}"
    if any(own.verdict == TOO_FEW for own in differences.values()):
        return f"Too few questions to tell arms apart.{unsure}"
    if has_totals:
        return f"By its grades no arm differs from {result.baseline} by more than chance.{unsure}"
    return unsure.strip()


def _results(result: JudgeResult) -> Iterator[Section]:
    if result.is_graded:
        yield _grades(result)
    if result.pairs:
        yield Section(f"In pairs with {result.baseline}", tables=(_pair_table(result),))
    if result.kinds:
        of = "mean total" if result.is_graded else "wins and half the ties"
        heads = ("kind", "questions", *result.arms)
        table = Table(heads, tuple(_kind_rows(result)), title=_upper(of))
        yield Section("By kind of question", tables=(table,))
    if found := result.length:
        yield Section(
            "Does the judge like long answers?",
            before=(
                f"{found.points_per_100_words:+.2f} points per 100 words more, among answers to one"
                f" question (r {found.r:.2f}). r is Pearson's correlation, -1 to 1; 0 is none.",
            ),
        )


def _grades(result: JudgeResult) -> Section:
    heads = ("arm", "total of 25", "published", *METRICS, "graded", "unreadable")
    rows: tuple[Row, ...] = tuple(
        (
            _arm_title(name, own),
            (
                Figure.of(own.total, Unit.GRADE) if own.total else Figure(None),
                "n/a" if own.published is None else f"{own.published:.2f}",
                *(Figure(own.metrics.get(metric), unit=Unit.GRADE) for metric in METRICS),
                count(own.graded),
                count(own.unreadable),
            ),
        )
        for name, own in result.arms.items()
    )
    tables = [Table(heads, rows, main=heads[1], is_of_arms=True)]
    if any(result.differences.values()):
        tables.append(_difference_table(result))
    shares = {
        name: Figure.of(own.total.times(1 / _BEST_TOTAL))
        for name, own in result.arms.items()
        if own.total
    }
    bars = (BarChart("Total in percent of 25, with 95 % intervals", shares),) if shares else ()
    is_published = any(own.published for own in result.arms.values())
    return Section(
        "Grades",
        tables=tuple(tables),
        pictures=bars,
        after=(f"{_upper(_DIFFERS)}.",) if is_published else (),
    )


def _difference_table(result: JudgeResult) -> Table:
    heads = (
        "arm",
        "points",
        "at equal length",
        "verdict",
        "holds",
        "questions",
        "questions for this",
        "questions for a point",
    )
    rows = tuple(
        (
            name,
            (
                own.figure,
                own.at_equal_length.figure if own.at_equal_length else Figure(None),
                own.verdict,
                _HOLDS[own.holds],
                count(own.n),
                Figure(own.n_for_this, unit=Unit.COUNT),
                Figure(own.n_for_one_point, unit=Unit.COUNT),
            ),
        )
        for name, own in result.differences.items()
        if own
    )
    return Table(heads, rows, title=f"Against {result.baseline}", main=heads[1])


def _pair_table(result: JudgeResult) -> Table:
    heads = (
        "arm",
        "wins and half the ties",
        "holds",
        "won",
        "lost",
        "tied",
        "by flips",
        "unreadable",
        "longer won, of those decided",
        "about equally long",
        "won of these",
        "lost of these",
    )
    rows: tuple[Row, ...] = tuple(
        (
            name,
            (
                Figure.of(own.win_rate) if own.win_rate else Figure(None),
                _HOLDS[own.holds],
                *map(count, (own.wins, own.losses, own.ties, own.flips, own.unreadable)),
                Figure(own.longer_wins),
                *map(count, (own.equal_length.n, own.equal_length.wins, own.equal_length.losses)),
            ),
        )
        for name, own in result.pairs.items()
    )
    return Table(heads, rows, main=heads[1])


def _kind_rows(result: JudgeResult) -> Iterator[Row]:
    """By kind each arm's mean total, of pairs alone the mean share won; over how many questions,
    where the kind has more.
    """
    for kind, found in result.kinds.items():
        cells = []
        for arm in found.arms.values():
            value, num, unit = (
                (arm.total, arm.graded, Unit.GRADE)
                if result.is_graded
                else (arm.win_rate, arm.paired, Unit.SHARE)
            )
            cells.append(Figure(value, unit=unit, n=num if num < found.questions else None))
        yield shortened(kind), (count(found.questions), *cells)


def _costs(result: JudgeResult) -> Section:
    """Properties and costs of the answers."""
    heads = (
        "arm",
        "cut off",
        "abstained",
        "words",
        "citations",
        "stated claims",
        "same as baseline",
        "context tokens",
        "all tokens",
        "calls",
        "seconds",
    )
    rows = tuple(
        (
            _arm_title(name, own),
            (
                f"{own.cut_off} of {own.answers + own.cut_off}",
                count(own.abstained),
                Figure(own.words, unit=Unit.COUNT),
                Figure(own.citations, unit=Unit.MEAN_COUNT),
                Figure.of(own.stated) if own.stated else Figure(None),
                Figure(own.same_as_baseline),
                Figure(own.context_tokens, unit=Unit.MEAN_COUNT),
                Figure(own.tokens, unit=Unit.MEAN_COUNT),
                Figure(own.calls, unit=Unit.MEAN_COUNT),
                Figure(own.seconds, unit=Unit.SECONDS),
            ),
        )
        for name, own in result.arms.items()
    )
    table = Table(heads, rows, is_of_arms=True)
    # more than it took to wait for them where several were made at once
    judged = (
        f"The {plural(result.judgements, 'judgement')} took {result.judged_in_s:,.0f} s of the"
        " judge's time, all calls added up."
    )
    points = {
        name: (own.tokens, POINTS * own.total.mean / _BEST_TOTAL)
        for name, own in result.arms.items()
        if own.total and own.tokens
    }
    if len(points) < 2:
        return Section(tables=(table,), after=(judged,))
    picture = ScatterChart(
        "Cost against grades", "tokens an answer (log scale)", "total, % of 25", points
    )
    return Section(
        before=("Higher is better, further left is cheaper.",),
        tables=(table,),
        pictures=(picture,),
        after=(judged,),
    )


def _worst(run: JudgeRun, result: JudgeResult) -> Cases:
    """The questions on which the first arm that isn't the baseline has the lowest total, or lost
    its pair.
    """
    judged = run.judged()
    answers, graded = run.answers(), grades_of(list(judged.values()))
    arms = list(result.arms)
    first = next((arm for arm in arms if arm != result.baseline), arms[0])

    def badness(question: str) -> tuple[float, float, str]:
        own = graded.get((question, first))
        pair = judged.get(JudgeUnit(question, first, result.baseline))
        verdict = pair.verdict if pair else None
        lost = {2.0: 0.0, 1.0: 2.0}.get(verdict or 0.0, 1.0)
        return (_BEST_TOTAL if own is None or own.total is None else own.total, lost, question)

    questions = sorted(dict.fromkeys(question for question, _ in answers), key=badness)[:_NUM_READ]
    cases = []
    for question in questions:
        lines = {arm: answers[question, arm] for arm in arms if (question, arm) in answers}
        columns = tuple(
            _column(arms.index(arm), line, graded.get((question, arm)))
            for arm, line in lines.items()
        )
        own = graded.get((question, first))
        value = (
            "" if own is None or own.total is None else f"{first}: {own.total:.1f} of {_BEST_TOTAL}"
        )
        cases.append(Case(shortened(next(iter(lines.values())).text), value, columns=columns))
    return Cases(f"The worst questions of {first}, as the judge saw the answers", tuple(cases))


def _column(colour: int, line: AnswerLine, own: Graded | None) -> Column:
    total = "" if own is None or own.total is None else f"{own.total:.1f}"
    if line.error:
        return Column(line.arm, total, colour, warning=f"failed: {shortened(line.error)}")
    return Column(line.arm, total, colour, text=shortened(BlindAnswer.of(line).text))
