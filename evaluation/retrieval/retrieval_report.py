"""The kept run of an evaluation of retrieval: questions.jsonl (a line per question, scope and arm),
passages.jsonl (the words of the retrieved passages), and their report: which passages each arm
retrieves, and the questions on which the first arm is worst and best.
"""

from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ConfigDict, Field

from dynagrag.core.text import plural
from dynagrag.evaluation.frame.experiment_run import ExperimentLine, ExperimentRun
from dynagrag.evaluation.frame.figures import POINTS, ArmComparison, Figure, Unit
from dynagrag.evaluation.frame.lines_file import read_lines
from dynagrag.evaluation.frame.report import (
    FEW_ITEMS,
    BarChart,
    Case,
    Cases,
    Column,
    LineChart,
    Listing,
    ListItem,
    Report,
    ScatterChart,
    Section,
    Table,
    few,
    interval_meaning,
    shortened,
)
from dynagrag.evaluation.frame.results import Result
from dynagrag.evaluation.ranking_measures import NAMES, PROMPT, TURN_DEPTHS
from dynagrag.evaluation.retrieval.retrieval_scores import PointsDifference, ScopeFigures

PASSAGES = "passages.jsonl"
OTHER_PERSON = "right, false alarms"
_NUM_READ = 6
"""How many of the worst and of the best questions are shown."""
_NUM_BROUGHT = 5
_MAX_WORDS = 20
"""Of what an arm brought; of what should be found all kept words are shown."""
SCOPE_TITLES = {
    "document": "Each question asked of its own document",
    "conversation": "Each question asked of its own conversation",
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
    "turn_hit@k": "share of the questions with a gold turn among the first k turns",
    OTHER_PERSON: "share of the questions about the wrong person of which that is told, and of the"
    " others",
    PROMPT: "share of the gold that stands in the prompts which the arm would write",
    "ms": "milliseconds a question, the median; its embedding left out",
    "points": "all but ms: 100 is everything",
    "95 % interval": interval_meaning("questions"),
}
_SOMETIMES = {PROMPT: PROMPT, "turn_hit@k": next(iter(TURN_DEPTHS))}
"""Measures that not every run has, and the one whose presence says so."""


class RetrievedPassage(BaseModel):
    """A unit that an arm brought, by its best passage. The score's scale is the arm's own."""

    model_config = ConfigDict(frozen=True)

    id: str
    score: float
    gold: bool


class RetrievalLine(ExperimentLine):
    """Passages that one arm retrieved for one question. `gold`: a passage for each thing;
    `missing`: gold that the corpus lacks. `other_person`: whether it is told that lines say of
    another what is asked of somebody; None where that isn't measured.
    """

    scope: str
    question: str
    text: str
    kind: str = ""
    arm: str
    passages: tuple[RetrievedPassage, ...]
    gold: tuple[str, ...]
    missing: tuple[str, ...] = ()
    measures: dict[str, float]
    recall: tuple[float, ...]
    ms: float
    prompt_tokens: int | None = None
    other_person: bool | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The arm, and the question in its scope."""
        return self.arm, f"{self.scope} {self.question}"


Asked = Mapping[str, Mapping[str, RetrievalLine]]
"""Arm -> question -> line."""


class PassageWords(BaseModel):
    """A passage as the report shows it."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    words: str


class RetrievalResult(Result):
    """Result of an evaluation of retrieval: the first scope's figures at the top, all scopes below.
    `notes`: what was passed over or can't be found, by reason.
    """

    dataset: str
    questions: int
    passages: int
    arms: dict[str, dict[str, float]]
    half: str = "all"
    measure: str
    baseline: str
    intervals: dict[str, dict[str, PointsDifference]] = Field(default_factory=dict)
    scopes: dict[str, ScopeFigures]
    notes: dict[str, int] = Field(default_factory=dict)
    missing_gold: list[str] = Field(default_factory=list)
    run: str = ""


class RetrievalRun(ExperimentRun[RetrievalLine, RetrievalResult]):
    """The folder of a run of retrieval."""

    line_kind = RetrievalLine
    lines_file = "questions.jsonl"
    command = "dynagrag evaluate retrieval"
    what = "passages found"
    noun = "question"
    result_kind = RetrievalResult

    def passages(self) -> dict[str, PassageWords]:
        """The words of all passages that were brought or should have been, by id."""
        return {p.id: p for p in read_lines(self.path / PASSAGES, PassageWords)}

    def report(self) -> Report:
        """The report of the run."""
        result, words, lines = self.result(), self.passages(), by_scope(self.lines())
        scopes = result.scopes
        titles = {scope: SCOPE_TITLES[scope] if len(scopes) > 1 else "" for scope in scopes}
        questions = f"{plural(result.questions, 'question')}{_HALVES[result.half]} were asked"
        lost = "; ".join(result.missing_gold)
        return Report(
            title=f"{result.dataset}: which passages are brought",
            asked=(
                f"{questions} over {plural(result.passages, 'passage')}: how much of what should be"
                f" found does each arm bring? Arms: {', '.join(result.arms)}."
            ),
            conclusion=_conclusion(result),
            notes=(
                *(f"{count} x {name}" for name, count in result.notes.items()),
                *([f"Not in the corpus: {lost}"] if lost else ()),
            ),
            results=tuple(_results(titles[scope], own, result) for scope, own in scopes.items()),
            words={name: said for name, said in WORDS.items() if _is_measured(name, result)},
            costs=tuple(
                _costs(titles[scope], own, result.measure) for scope, own in scopes.items()
            ),
            cases=tuple(
                part
                for scope in scopes
                for part in _cases(titles[scope], lines[scope], words, result)
            ),
        )


def _is_measured(name: str, result: RetrievalResult) -> bool:
    if name == OTHER_PERSON:
        return any(scope.other_person for scope in result.scopes.values())
    return name not in _SOMETIMES or _SOMETIMES[name] in next(iter(result.arms.values()))


def by_scope(lines: Iterable[RetrievalLine]) -> dict[str, dict[str, dict[str, RetrievalLine]]]:
    """Scope -> arm -> question id -> line, in the order of the lines."""
    found: dict[str, dict[str, dict[str, RetrievalLine]]] = {}
    for line in lines:
        found.setdefault(line.scope, {}).setdefault(line.arm, {})[line.question] = line
    return found


def _conclusion(result: RetrievalResult) -> str:
    """The run in a sentence or two."""
    measure, arms = result.measure, result.arms
    arm = next(iter(arms))
    best = max(arms, key=lambda name: arms[name][measure])
    found = result.intervals.get(arm, {}).get(measure)
    against = (
        ArmComparison(arm, result.baseline, points_change(found), result.questions).text()
        if found and arm != result.baseline
        else ""
    )
    sentence = f"{arm}: {measure} {Figure(arms[arm][measure]).text()}{against}."
    if arms[best][measure] > arms[arm][measure]:
        sentence += f" {best} is highest with {Figure(arms[best][measure]).text()}."
    return sentence + (f" {few('question')}" if result.questions < FEW_ITEMS else "")


def points_change(found: PointsDifference) -> Figure:
    """A difference with its interval, as it is shown."""
    return Figure(found.difference, found.low, found.high, Unit.POINTS, is_difference=True)


def _results(title: str, found: ScopeFigures, result: RetrievalResult) -> Section:
    measure, arms = result.measure, found.arms
    names = [n for n in (*NAMES, *TURN_DEPTHS, PROMPT) if n in next(iter(arms.values()))]

    def against(arm: str, name: str) -> Figure | str:
        own = found.intervals.get(arm)
        return points_change(own[name]) if own else ""

    tables = [
        Table(
            heads=("arm", *names, "ms", f"{measure} against {result.baseline}"),
            rows=tuple(
                (
                    arm,
                    (
                        *(Figure(own[name]) for name in names),
                        Figure(own["ms"], unit=Unit.MS),
                        against(arm, measure),
                    ),
                )
                for arm, own in arms.items()
            ),
            main=measure,
            is_of_arms=True,
        )
    ]
    if PROMPT in names:
        tables.append(
            Table(
                heads=("arm", PROMPT, "tokens", f"against {result.baseline}"),
                rows=tuple(
                    (
                        arm,
                        (
                            _mean(found, arm, PROMPT),
                            Figure(own.get("prompt_tokens"), unit=Unit.COUNT),
                            against(arm, PROMPT),
                        ),
                    )
                    for arm, own in arms.items()
                ),
                title="Of the gold in the prompts, at equal room",
                main=PROMPT,
                is_of_arms=True,
            )
        )
    if found.kinds:
        shown = [n for n in dict.fromkeys((measure, "hit@1", *TURN_DEPTHS)) if n in names]
        tables += [
            Table(
                heads=("arm", *(f"{kind} ({own.questions})" for kind, own in found.kinds.items())),
                rows=tuple(
                    (arm, tuple(Figure(own.arms[arm][name]) for own in found.kinds.values()))
                    for arm in arms
                ),
                title=f"{name} by kind of question",
            )
            for name in shown
        ]
    if told := found.other_person:
        tables.append(
            Table(
                heads=("arm", "right", "false alarms"),
                rows=((told.arm, (Figure.of(told.right), Figure.of(told.false_alarms))),),
                title="Told that lines say it of another person than the one asked about",
            )
        )
    quality = {arm: _mean(found, arm, measure) for arm in arms}
    curves = LineChart(
        "Recall by depth", "passages or documents read", "recall, points", found.curves
    )
    return Section(
        title,
        tables=tuple(tables),
        pictures=(BarChart(f"{measure} by arm, with 95 % intervals", quality), curves),
    )


def _mean(found: ScopeFigures, arm: str, name: str) -> Figure:
    """A mean with its interval, where it has one."""
    bounds = found.means.get(arm, {}).get(name)
    low, high = (bounds.low, bounds.high) if bounds else (None, None)
    return Figure(POINTS * found.arms[arm][name], low, high, Unit.POINTS)


def _costs(title: str, found: ScopeFigures, measure: str) -> Section:
    points = ScatterChart(
        "Cost against quality",
        "milliseconds a question (log scale)",
        f"{measure}, points",
        {arm: (own["ms"], POINTS * own[measure]) for arm, own in found.arms.items()},
    )
    return Section(
        title,
        before=("Higher is better, further left is faster. No language model is asked.",),
        pictures=(points,),
    )


# -------------------------------------------------------------------------------------------- cases


def _cases(
    title: str, lines: Asked, words: Mapping[str, PassageWords], result: RetrievalResult
) -> tuple[Cases, ...]:
    """The first arm's worst questions, then its best, where these are others."""
    measure, baseline = result.measure, result.baseline
    arm, own = next(iter(lines.items()))
    behind = f" ({title[0].lower()}{title[1:]})" if title else ""

    def gain(line: RetrievalLine) -> float:
        return line.measures[measure] - lines[baseline][line.question].measures[measure]

    ranked = sorted(
        own.values(),
        key=lambda line: (line.measures[measure], gain(line), line.measures["mrr"], line.question),
    )
    worst, best = ranked[:_NUM_READ], ranked[_NUM_READ:][: -_NUM_READ - 1 : -1]
    shown = (
        (f"The worst questions of {arm}{behind}", worst),
        (f"The best questions of {arm}{behind}", best),
    )
    return tuple(
        Cases(name, tuple(_case(line, gain(line), lines, words, result) for line in chosen))
        for name, chosen in shown
        if chosen
    )


def _case(
    line: RetrievalLine,
    gain: float,
    lines: Asked,
    words: Mapping[str, PassageWords],
    result: RetrievalResult,
) -> Case:
    measure, baseline = result.measure, result.baseline
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
    retrieved = tuple(_item(p.id, words, p.gold, _MAX_WORDS) for p in line.passages[:_NUM_BROUGHT])
    return Column(
        line.arm,
        f"{POINTS * line.measures[measure]:.0f}",
        colour,
        listings=(Listing("", retrieved, "nothing"),),
    )


def _item(
    id_: str, words: Mapping[str, PassageWords], is_gold: bool, max_words: int | None = None
) -> ListItem:
    passage = words[id_]
    all_words = passage.words.split()
    cut = (
        passage.words
        if max_words is None or len(all_words) <= max_words
        else " ".join(all_words[:max_words]) + " …"
    )
    return ListItem(shortened(cut), shortened(passage.title), is_gold)
