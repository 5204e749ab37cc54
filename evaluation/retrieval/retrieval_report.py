"""A run of retrieval as a report: which passages each arm brings, and the questions on which the
first arm is worst and best, to read.
"""

from collections.abc import Mapping
from typing import Any

from dynagrag.core.text import plural
from dynagrag.evaluation.bootstrap_intervals import Interval
from dynagrag.evaluation.frame.figures import Figure, Unit
from dynagrag.evaluation.frame.html import render
from dynagrag.evaluation.frame.report import (
    BarChart,
    Case,
    Cases,
    Column,
    Item,
    LineChart,
    Listing,
    Report,
    ScatterChart,
    Section,
    Table,
    compared,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.ranking_measures import NAMES, PROMPT
from dynagrag.evaluation.results.run_folder import PassageWords, RetrievalLine, RunFolder
from dynagrag.evaluation.results.run_summary import FEW_QUESTIONS, POINTS, by_scope

_NUM_READ = 6
"""How many of the worst and of the best questions are shown."""
_NUM_BROUGHT = 5
_MAX_WORDS = 20
"""Of what an arm brought; of what should be found all kept words are shown."""
_SCOPE_TITLES = {
    "document": "Each question asked of its own document",
    "corpus": "All documents as one corpus",
}
_HALVES = {
    "all": "",
    "tuning": " of the half for tuning",
    "reporting": " of the half for reporting",
}
WORDS: Mapping[str, str] = {
    "arm": "one way to retrieve; the first row is the one that is measured",
    "gold": "what should be found",
    "recall@k": "share of the gold that is among the first k passages brought",
    "all@5": "share of the questions with all of their gold among the first 5",
    "hit@1": "share of the questions whose first passage is gold",
    "mrr": "mean reciprocal rank: 1 / place of the first gold, the mean over questions",
    "p@5": "precision: share of the first 5 that is gold",
    "r@10": "gold among the first 10, of at most 10",
    PROMPT: "share of the gold that stands in the prompts which the arm would write",
    "ms": "milliseconds a question, the median; its embedding left out",
    "points": "all but ms: 100 is everything",
    "95 % interval": interval_meaning("questions"),
}
Asked = Mapping[str, Mapping[str, RetrievalLine]]
"""Arm -> question -> line."""


def render_report(run: RunFolder) -> str:
    """The report of a run that is done."""
    return render(retrieval_report(run), run.head)


def retrieval_report(run: RunFolder) -> Report:
    """What the page says."""
    summary, words, lines = run.summary(), run.passages(), by_scope(run.lines())
    scopes: Mapping[str, Mapping[str, Any]] = summary["scopes"]
    titles = {scope: _SCOPE_TITLES[scope] if len(scopes) > 1 else "" for scope in scopes}
    arms = ", ".join(summary["arms"])
    asked = f"{plural(summary['questions'], 'question')}{_HALVES[summary['half']]} were asked"
    lost = "; ".join(summary["missing_gold"])
    return Report(
        title=f"{summary['dataset']}: which passages are brought",
        asked=(
            f"{asked} over {plural(summary['passages'], 'passage')}: how much of what should be"
            f" found does each arm bring? Arms: {arms}."
        ),
        conclusion=_conclusion(summary),
        notes=(
            *(f"{count} x {name}" for name, count in summary["notes"].items()),
            *([f"Not in the corpus: {lost}"] if lost else ()),
        ),
        results=tuple(_results(titles[scope], found, summary) for scope, found in scopes.items()),
        words={
            name: said
            for name, said in WORDS.items()
            if name != PROMPT or PROMPT in _names(next(iter(summary["arms"].values())))
        },
        costs=tuple(_costs(titles[scope], found, summary) for scope, found in scopes.items()),
        cases=tuple(
            part for scope in scopes for part in _cases(titles[scope], lines[scope], words, summary)
        ),
    )


def _conclusion(summary: Mapping[str, Any]) -> str:
    """The run in a sentence or two."""
    measure, baseline, arms = summary["measure"], summary["baseline"], summary["arms"]
    arm = next(iter(arms))
    best = max(arms, key=lambda name: arms[name][measure])
    differing = None if arm == baseline else summary["intervals"].get(arm, {}).get(measure)
    said = (
        f"{arm}: {measure}"
        f" {POINTS * arms[arm][measure]:.1f}{compared(arm, differing, baseline, summary['questions'])}."
    )
    if arms[best][measure] > arms[arm][measure]:
        said += f" {best} is highest with {POINTS * arms[best][measure]:.1f}."
    return said + (
        f" Fewer than {FEW_QUESTIONS} questions: the intervals say little."
        if summary["questions"] < FEW_QUESTIONS
        else ""
    )


def _results(title: str, found: Mapping[str, Any], summary: Mapping[str, Any]) -> Section:
    measure, arms = summary["measure"], found["arms"]
    names = _names(next(iter(arms.values())))
    cells = {
        arm: (*(f"{POINTS * own[name]:.1f}" for name in names), f"{own['ms']:.1f}")
        for arm, own in arms.items()
    }
    table = Table(
        heads=("arm", *names, "ms", f"{measure} against {summary['baseline']}, 95 % interval"),
        rows=tuple(
            (arm, (*cells[arm], _difference(found["intervals"].get(arm), measure))) for arm in arms
        ),
        main=measure,
        is_of_arms=True,
    )
    quality = {
        arm: Figure(
            POINTS * own[measure],
            found["means"][arm][measure]["low"],
            found["means"][arm][measure]["high"],
            Unit.POINTS,
        )
        for arm, own in arms.items()
    }
    curves = LineChart(
        "Recall by depth", "passages or documents read", "recall, points", found["curves"]
    )
    return Section(
        title,
        tables=(table,),
        pictures=(BarChart(f"{measure} by arm, with 95 % intervals", quality), curves),
    )


def _costs(title: str, found: Mapping[str, Any], summary: Mapping[str, Any]) -> Section:
    measure, arms = summary["measure"], found["arms"]
    points = ScatterChart(
        "Cost against quality",
        "milliseconds a question (log scale)",
        f"{measure}, points",
        {arm: (own["ms"], POINTS * own[measure]) for arm, own in arms.items()},
    )
    return Section(
        title,
        before=("Higher is better, further left is faster. No language model is asked.",),
        pictures=(points,),
    )


def _names(own: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(name for name in (*NAMES, PROMPT) if name in own)


def _difference(found: Mapping[str, Mapping[str, float]] | None, measure: str) -> str:
    return "" if found is None else Interval.of(found[measure]).text("+")


# -------------------------------------------------------------------------------------------- cases


def _cases(
    title: str, lines: Asked, words: Mapping[str, PassageWords], summary: Mapping[str, Any]
) -> tuple[Cases, ...]:
    """The first arm's worst questions, then its best, where these are others."""
    measure, baseline = summary["measure"], summary["baseline"]
    arm, own = next(iter(lines.items()))
    behind = f" ({title[0].lower()}{title[1:]})" if title else ""

    def gain(line: RetrievalLine) -> float:
        return line.measures[measure] - lines[baseline][line.question].measures[measure]

    asked = sorted(
        own.values(),
        key=lambda line: (line.measures[measure], gain(line), line.measures["mrr"], line.question),
    )
    worst, best = asked[:_NUM_READ], asked[_NUM_READ:][: -_NUM_READ - 1 : -1]
    shown = (
        (f"The worst questions of {arm}{behind}", worst),
        (f"The best questions of {arm}{behind}", best),
    )
    return tuple(
        Cases(name, tuple(_case(line, gain(line), lines, words, summary) for line in chosen))
        for name, chosen in shown
        if chosen
    )


def _case(
    line: RetrievalLine,
    gain: float,
    lines: Asked,
    words: Mapping[str, PassageWords],
    summary: Mapping[str, Any],
) -> Case:
    measure, baseline = summary["measure"], summary["baseline"]
    against = "" if line.arm == baseline else f", {POINTS * gain:+.0f} against {baseline}"
    missing = "; ".join(shortened(name) for name in line.missing)
    return Case(
        text=shortened(line.text),
        value=f"{line.arm}: {measure} {POINTS * line.measures[measure]:.0f}{against}",
        warning=f"Not in the corpus, so nobody can find it: {missing}" if missing else "",
        listings=(
            Listing(
                "Should be found", tuple(_item(id_, words, True) for id_ in line.gold), "nothing"
            ),
        ),
        columns=tuple(
            _column(i, own[line.question], words, measure) for i, own in enumerate(lines.values())
        ),
    )


def _column(
    colour: int, line: RetrievalLine, words: Mapping[str, PassageWords], measure: str
) -> Column:
    brought = tuple(_item(p.id, words, p.gold, _MAX_WORDS) for p in line.passages[:_NUM_BROUGHT])
    return Column(
        line.arm,
        f"{POINTS * line.measures[measure]:.0f}",
        colour,
        listings=(Listing("", brought, "nothing"),),
    )


def _item(
    id_: str, words: Mapping[str, PassageWords], is_gold: bool, max_words: int | None = None
) -> Item:
    passage = words[id_]
    said = passage.words.split()
    cut = (
        passage.words
        if max_words is None or len(said) <= max_words
        else " ".join(said[:max_words]) + " …"
    )
    return Item(shortened(cut), shortened(passage.title), is_gold)
