"""Judged answers in words, and as a report: whether the judge is reliable, arms, pairs, length,
cost, the worst questions to read.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dynagrag.core.text import plural
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.answers.answering import answerer
from dynagrag.evaluation.bootstrap_intervals import DifferenceVerdict, Interval
from dynagrag.evaluation.frame.figures import Figure
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.report import (
    BarChart,
    Case,
    Cases,
    Column,
    Report,
    ScatterChart,
    Section,
    Table,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.judge.arm_statistics import TOO_FEW
from dynagrag.evaluation.judge.blind_answers import BlindAnswer
from dynagrag.evaluation.judge.judge_folder import JudgeRun
from dynagrag.evaluation.judge.judge_replies import METRICS
from dynagrag.evaluation.judge.judge_summary import Graded, fewest_questions, grades_of, is_graded
from dynagrag.evaluation.judge.reliability import NOT_KNOWN, NOT_RELIABLE
from dynagrag.evaluation.results.run_summary import FEW, FEW_QUESTIONS, POINTS
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


def judge_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a report."""
    yield summary["verdict"]
    yield from _about(summary)
    arms: Mapping[str, Mapping[str, Any]] = summary["arms"]
    width = max(12, *(len(name) for name in arms)) + 4
    if is_graded(summary):
        yield (
            f"{'arm':<{width}}{'total of 25':<26}{'published':>10}"
            + "".join(f"{metric:>14}" for metric in METRICS)
            + f"{'unreadable':>12}"
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
    yield from held_lines(summary)
    for kind, (num, *cells) in kind_rows(summary):
        shown = ", ".join(f"{arm} {cell}" for arm, cell in zip(arms, cells, strict=True))
        yield f"{kind} ({plural(int(num), 'question')}), {kind_title(summary)}: {shown}"
    yield f"{'arm':<{width}}" + "".join(f"{head:>18}" for head in COST_HEADS)
    for name, own in arms.items():
        yield f"{_named(name, own):<{width}}" + "".join(f"{cell:>18}" for cell in cost_cells(own))
    yield from _closing(summary)


COST_HEADS = (
    "cut off",
    "graded",
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


def _about(summary: Mapping[str, Any]) -> Iterator[str]:
    """What one must know before the figures."""
    counts = (
        f"{plural(summary['questions'], 'question')}, {summary['compared']} with grades of all arms"
    )
    yield f"judge {summary['judge']}; {counts}; answers by {summary['llm'] or answerer(None)}"
    yield from judge_notes(summary)
    if failed := sum(arm["errors"] for arm in summary["arms"].values()):
        again = f"the same command with --out {summary['run']} tries them again"
        yield f"{plural(failed, 'answer')} could not be made; {again}"


def judge_notes(summary: Mapping[str, Any]) -> Iterator[str]:
    """What is known of the judge, and what was odd in the questions, the answers and the grades."""
    if summary["is_own_judge"]:
        yield "the judge is the model that answered, so it may like its own words"
    for form, found in summary["calibration"].items():
        if found:
            agreed = (
                f"with people it agrees in {_percent(found['accuracy'])} of"
                f" {plural(found['n'], 'row')} of {found['set']}"
            )
            yield (
                f"{form}: {agreed} ({found['on']}), {found['flips']} flips, {found['unreadable']}"
                " unreadable"
            )
    for what, own in summary.get("unreadable", {}).items():  # which runs of before don't tell
        yield f"{own['num']} of {own['of']} {what} could not be read, e.g. {own['why']}"
    for note, count in summary["notes"].items():
        yield f"{count} x {note}"
    if summary["is_one_score"]:
        yield "the judge gave every answer the same total: the arms can't be told apart by it"
    if summary["speaking_to_a_judge"]:
        yield (
            f"{plural(summary['speaking_to_a_judge'], 'answer')} with sentences that speak to a"
            " judge, which were not shown to it"
        )


def held_lines(summary: Mapping[str, Any]) -> list[str]:
    """What is left of several comparisons with the baseline, by grades and in pairs."""
    said = [
        what_holds(summary[name], summary["baseline"], of)
        for name, of in (("differences", "grades"), ("pairs", "pairs"))
    ]
    return [line for line in said if line]


def kind_title(summary: Mapping[str, Any]) -> str:
    """What `kind_rows` has of each arm."""
    return "mean total" if is_graded(summary) else "wins and half the ties"


def kind_rows(summary: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(Kind, (how many questions, each arm's mean)): of grades, else of pairs; nothing of fewer
    than two kinds, and of runs of before.

    In brackets: over how many questions, where the kind has more.
    """
    has_totals = is_graded(summary)
    for kind, found in summary.get("kinds", {}).items():
        cells = []
        for arm in found["arms"].values():
            mean, num = (
                (_number(arm["total"]), arm["graded"])
                if has_totals
                else (_percent(arm["win_rate"]), arm["paired"])
            )
            cells.append(f"{mean} ({num})" if 0 < num < found["questions"] else mean)
        yield shortened(kind), (str(found["questions"]), *cells)


def _closing(summary: Mapping[str, Any]) -> Iterator[str]:
    if found := summary["length"]:
        yield (
            f"length: {found['points_per_100_words']:+.2f} points per 100 words more, among answers"
            f" to one question (r {found['r']:.2f})"
        )
    yield judge_time(summary)
    yield _STYLE
    if any(own["published"] for own in summary["arms"].values()):
        yield _DIFFERS
    if fewest_questions(summary) < FEW_QUESTIONS:
        yield FEW


def judge_time(summary: Mapping[str, Any]) -> str:
    """What the judgements took, which is more than it took to wait for them where several were made
    at once.
    """
    return (
        f"the {plural(summary['judgements'], 'judgement')} took {summary['judged_in_s']:,.0f} s of"
        " the judge's time, all calls added up"
    )


def differences_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """Each arm against the baseline, and what it would take to see a difference."""
    for name, own in summary["differences"].items():
        if own is None:
            continue
        line = (
            f"{name} against {summary['baseline']}: {_bounded(own)}, {own['verdict']},"
            f" {plural(own['n'], 'question')}"
        )
        if equal := own["at_equal_length"]:
            line += f"; at equal length {_bounded(equal)}"
        wanted = (
            ""
            if own["n_for_this"] is None
            else (
                f"{own['n_for_this']:,} questions show a difference of this size in 80 % of all"
                " runs, "
            )
        )
        yield f"{line}; {wanted}{own['n_for_one_point']:,} one of a point"


def pair_line(own: Mapping[str, Any]) -> str:
    """An arm's pairs in a line."""
    rate = own["win_rate"]
    share = (
        ""
        if rate is None
        else (
            f", wins and half the ties {_percent(rate['mean'])} ({_percent(rate['low'])} to"
            f" {_percent(rate['high'])})"
        )
    )
    equal = own["equal_length"]
    level = f"of {equal['n']} about equally long {equal['wins']} won, {equal['losses']} lost"
    return (
        f"{own['wins']} won, {own['losses']} lost, {own['ties']} tied ({own['flips']} by flips),"
        f" {own['unreadable']} unreadable{share}; the longer won {_percent(own['longer_wins'])} of"
        f" those decided; {level}"
    )


def score_cells(own: Mapping[str, Any]) -> list[str]:
    """Total with its interval, the published one, each metric, and how many grades could not be
    read.
    """
    total = own["total"]
    shown = "-" if total is None else Interval.of(total).text(digits=2)
    published = "n/a" if own["published"] is None else f"{own['published']:.2f}"
    return [
        shown,
        published,
        *(_number(own["metrics"].get(metric)) for metric in METRICS),
        str(own["unreadable"]),
    ]


def cost_cells(own: Mapping[str, Any]) -> list[str]:
    """What an arm's answers are like, and what they took: means of an answer."""
    means = [_number(own[name], 1) for name in ("context_tokens", "tokens", "calls", "seconds")]
    return [
        cut_off_of(own),
        str(own["graded"]),
        str(own["abstained"]),
        _number(own["words"], 0),
        _number(own["citations"], 1),
        stated_of(own),
        _percent(own.get("same_as_baseline")),
        *means,
    ]


def cut_off_of(own: Mapping[str, Any]) -> str:
    """How many of an arm's answers have no end."""
    return f"{own['cut_off']} of {own['answers'] + own['cut_off']}"


def stated_of(own: Mapping[str, Any]) -> str:
    """The mean share of claims that lines state, with its interval; a dash where no answer claims
    anything, and of runs of before.
    """
    found = own.get("stated")
    return (
        "-"
        if found is None
        else (
            f"{_percent(found['mean'])} ({POINTS * found['low']:.0f} to"
            f" {POINTS * found['high']:.0f})"
        )
    )


def _named(name: str, own: Mapping[str, Any]) -> str:
    return f"{own['letter']} {name}" if own["letter"] else name


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


# --------------------------------------------------------------------------------------------- page

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
    "same as baseline": (
        "share of the whole answers that are the very words of the baseline's, which an arm can't"
        " win by"
    ),
    "holds": f"more than chance after {HOLM}: {HOLM_MEANS}",
    "context tokens": (
        "what was put before the model. All arms have the same limit, and one may use less of it"
    ),
    "graded": "answers with a grade on every metric: only these have a total",
    "unreadable": "grades that could not be read from the judge's reply: counted, never guessed",
    "kappa": "agreement of the judge with people beyond chance (Cohen's): 0 is chance, 1 is always",
    "95 % interval": interval_meaning("questions"),
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
    "words, citations, all tokens, calls, seconds": (
        "means of an answer. A reply from the cache counts with what it took when it was made"
    ),
}


def render_judge_report(run: JudgeRun) -> str:
    """The report of a run that is done."""
    return render(judge_report(run), run.head)


def judge_report(run: JudgeRun) -> Report:
    """What the page says."""
    summary = run.summary()
    _, *about = _about(summary)
    answered = (
        f"{plural(summary['questions'], 'question')} were answered by {answerer(summary['llm'])}"
    )
    return Report(
        title=f"Answers judged by {summary['judge']}",
        asked=(
            f"{answered} in {len(summary['arms'])} ways (arms), and {summary['judge']} judged the"
            " answers: which way does it like best, and can it be believed? Arms:"
            f" {', '.join(_named(name, own) for name, own in summary['arms'].items())}."
        ),
        conclusion=" ".join(
            [
                f"{summary['verdict']}.",
                _conclusion(summary),
                *(f"{_upper(line)}." for line in held_lines(summary)),
            ]
        ),
        is_warned=summary["verdict"].startswith((NOT_RELIABLE, NOT_KNOWN)),
        about=(_upper(_STYLE) + ".",),
        notes=tuple(about),
        results=tuple(_results(summary)),
        words=WORDS,
        costs=(_costs(summary),),
        cases=(_worst(run, summary),),
    )


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _conclusion(summary: Mapping[str, Any]) -> str:
    seen = [
        name
        for name, own in summary["differences"].items()
        if own and own["verdict"] in (DifferenceVerdict.BETTER, DifferenceVerdict.WORSE)
    ]
    graded = any(own["total"] for own in summary["arms"].values())
    if is_graded(summary) and not graded:
        return "No answer has a grade on every metric."
    few = (
        f" Fewer than {FEW_QUESTIONS} questions: the intervals say little."
        if fewest_questions(summary) < FEW_QUESTIONS
        else ""
    )
    if TOO_FEW in (own["verdict"] for own in summary["differences"].values() if own) and not seen:
        return f"Too few questions to tell arms apart.{few}"
    if graded and not seen:
        return f"By its grades no arm differs from {summary['baseline']} by more than chance.{few}"
    said = (
        f"{name} is {summary['differences'][name]['verdict']} than {summary['baseline']}"
        for name in seen
    )
    return f"By its grades {'; '.join(said)}, by more than chance.{few}" if seen else few.strip()


def _results(summary: Mapping[str, Any]) -> Iterator[Section]:
    arms: Mapping[str, Mapping[str, Any]] = summary["arms"]
    totals = {name: own["total"] for name, own in arms.items() if own["total"]}
    if is_graded(summary):
        heads = ("arm", "total of 25, 95 % interval", "published", *METRICS, "unreadable")
        shares = {
            name: Figure.of(Interval.of(own, 1 / _BEST_TOTAL)) for name, own in totals.items()
        }
        yield Section(
            "Grades",
            tables=(
                Table(
                    heads,
                    tuple(
                        (_named(name, own), tuple(score_cells(own))) for name, own in arms.items()
                    ),
                    main=heads[1],
                    is_of_arms=True,
                ),
                *([_difference_table(summary)] if any(summary["differences"].values()) else ()),
            ),
            pictures=(
                (BarChart("Total in percent of 25, with 95 % intervals", shares),) if totals else ()
            ),
            after=(
                (_upper(_DIFFERS) + ".",) if any(own["published"] for own in arms.values()) else ()
            ),
        )
    if summary["pairs"]:
        yield Section(f"In pairs with {summary['baseline']}", tables=(_pair_table(summary),))
    if rows := tuple(kind_rows(summary)):
        yield Section(
            "By kind of question",
            tables=(Table(("kind", "questions", *arms), rows, title=_upper(kind_title(summary))),),
        )
    if found := summary["length"]:
        more = (
            f"{found['points_per_100_words']:+.2f} points per 100 words more, among answers to one"
            f" question (r {found['r']:.2f})"
        )
        yield Section(
            "Does the judge like long answers?",
            before=(f"{more}. r is Pearson's correlation, -1 to 1; 0 is none.",),
        )


def _difference_table(summary: Mapping[str, Any]) -> Table:
    heads = (
        "arm",
        "points, 95 % interval",
        "at equal length",
        "verdict",
        "holds",
        "questions",
        "questions for this",
        "questions for a point",
    )
    rows = []
    for name, own in summary["differences"].items():
        if own is not None:
            equal = "-" if own["at_equal_length"] is None else _bounded(own["at_equal_length"])
            wanted = "-" if own["n_for_this"] is None else f"{own['n_for_this']:,}"
            rows.append(
                (
                    name,
                    (
                        _bounded(own),
                        equal,
                        own["verdict"],
                        holds_of(own),
                        str(own["n"]),
                        wanted,
                        f"{own['n_for_one_point']:,}",
                    ),
                )
            )
    return Table(heads, tuple(rows), title=f"Against {summary['baseline']}", main=heads[1])


def holds_of(own: Mapping[str, Any]) -> str:
    """Whether a difference holds among all of its report; a dash where that wasn't told."""
    return {True: "yes", False: "no"}.get(own.get("holds"), "-")  # type: ignore[arg-type]


def _bounded(own: Mapping[str, float]) -> str:
    return Interval.of(own).text("+", 2)


def _pair_table(summary: Mapping[str, Any]) -> Table:
    heads = (
        "arm",
        "wins and half the ties, 95 % interval",
        "holds",
        "won",
        "lost",
        "tied",
        "by flips",
        "unreadable",
        "longer won",
    )
    rows = []
    for name, own in summary["pairs"].items():
        rate = own["win_rate"]
        share = (
            "-"
            if rate is None
            else f"{_percent(rate['mean'])} ({_percent(rate['low'])} to {_percent(rate['high'])})"
        )
        counts = (str(own[n]) for n in ("wins", "losses", "ties", "flips", "unreadable"))
        rows.append((name, (share, holds_of(own), *counts, _percent(own["longer_wins"]))))
    return Table(heads, tuple(rows), main=heads[1])


def _costs(summary: Mapping[str, Any]) -> Section:
    arms: Mapping[str, Mapping[str, Any]] = summary["arms"]
    table = Table(
        ("arm", *COST_HEADS),
        tuple((_named(name, own), tuple(cost_cells(own))) for name, own in arms.items()),
        is_of_arms=True,
    )
    judged = f"{_upper(judge_time(summary))}."
    totals = {name: own["total"] for name, own in arms.items() if own["total"] and own["tokens"]}
    if len(totals) < 2:
        return Section(tables=(table,), after=(judged,))
    points = ScatterChart(
        "Cost against grades",
        "tokens an answer (log scale)",
        "total, % of 25",
        {
            name: (arms[name]["tokens"], POINTS * own["mean"] / _BEST_TOTAL)
            for name, own in totals.items()
        },
    )
    return Section(
        before=("Higher is better, further left is cheaper.",),
        tables=(table,),
        pictures=(points,),
        after=(judged,),
    )


def _worst(run: JudgeRun, summary: Mapping[str, Any]) -> Cases:
    """The questions on which the first arm that isn't the baseline has the lowest total, or lost
    its pair.
    """
    answers, graded, judged = run.answers(), grades_of(run.lines()), run.judged()
    arms: Sequence[str] = list(summary["arms"])
    first = next((arm for arm in arms if arm != summary["baseline"]), arms[0])

    def badness(question: str) -> tuple[float, float, str]:
        own = graded.get((question, first))
        pair = judged.get((question, first, summary["baseline"], 0))
        lost = {2.0: 0.0, 1.0: 2.0}.get(
            pair.verdict if pair and pair.verdict is not None else 0.0, 1.0
        )
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
