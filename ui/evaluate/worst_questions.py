"""The questions of a done run to read: those on which an arm did worst first, with what should come
out and what each arm made of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dynagrag.core.errors import LoadError
from dynagrag.core.text import cut
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.frame.experiment_run import AnyRun
from dynagrag.evaluation.frame.figures import POINTS
from dynagrag.evaluation.judge.blind_answers import BlindAnswer
from dynagrag.evaluation.judge.judge_report import JudgeRun
from dynagrag.evaluation.judge.judge_summary import grades_of
from dynagrag.evaluation.qa.answer_scores import ABSTAINED
from dynagrag.evaluation.qa.qa_report import TITLES, QaRun
from dynagrag.evaluation.qa.qa_summary import arm_scores
from dynagrag.evaluation.retrieval.retrieval_report import PassageWords, RetrievalRun, by_scope
from dynagrag.ui.evaluate.kept_runs import KeptView

_NUM_BROUGHT = 5
_MAX_CHARS = 1200
_BEST_TOTAL = 25.0
"""Of judged answers: where others have grades, one without is not among the worst."""
_MAX_TITLE = 32
"""Of a document, which stands before each of its passages."""
_TOLD = {"recall@5": "found", "r@10": "found", "p@5": "of the first five right"}
_MAX_WANTED = 8
_MAX_BROUGHT = 160
"""Of a passage that was found; of one that should be, all kept words are shown."""


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An arm's answer to a question: `value` in words, and its lines, each with whether it is what
    was wanted (None: can't be told).
    """

    arm: str
    value: str
    lines: tuple[tuple[str, bool | None], ...]


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """A question to read. `wanted`: what should come out; `value` orders them, the worst lowest."""

    text: str
    wanted: tuple[str, ...]
    value: float
    answers: tuple[ReadAnswer, ...]


def has_questions(view: KeptView) -> bool:
    """Whether a done run is of a kind whose questions can be read."""
    return isinstance(view.run, QaRun | JudgeRun | RetrievalRun)


def worst_questions(view: KeptView, arm: str, num: int) -> list[ReadQuestion]:
    """The worst of an arm. LoadError where the run lacks lines that it had."""
    run = view.run
    if view.lacks_lines():
        raise _lacking(run)
    if isinstance(run, JudgeRun):
        found = _judged(run, arm)
    elif isinstance(run, QaRun):
        found = _answers(run, arm, run.result().measure)
    else:
        rankings = RetrievalRun.at(run.path)
        found = _rankings(rankings, arm, rankings.result().measure)
    return sorted(found, key=lambda read: read.value)[:num]


def _lacking(run: AnyRun) -> LoadError:
    return LoadError(
        f"the run in {run.path} lacks lines; delete its summary.json and run the same command with"
        f" --out {run.path} again"
    )


def _rankings(run: RetrievalRun, arm: str, measure: str) -> Iterator[ReadQuestion]:
    passages = run.passages()
    lines = next(iter(by_scope(run.lines()).values()))
    shown = {
        id_
        for own in lines.values()
        for line in own.values()
        for id_ in (*line.gold, *(p.id for p in line.passages[:_NUM_BROUGHT]))
    }
    if shown - passages.keys():
        raise _lacking(run)
    for question, line in lines[arm].items():
        own_ids = {
            *line.gold,
            *(
                brought.id
                for own in lines.values()
                for brought in own[question].passages[:_NUM_BROUGHT]
            ),
        }
        words = _worded({id_: passages[id_] for id_ in own_ids})
        answers = [
            ReadAnswer(
                name,
                f"{_TOLD.get(measure, measure)} {POINTS * own[question].measures[measure]:.0f} %",
                tuple(
                    (cut(words[brought.id], _MAX_BROUGHT), brought.gold)
                    for brought in own[question].passages[:_NUM_BROUGHT]
                ),
            )
            for name, own in lines.items()
        ]
        wanted = [
            *(words[id_] for id_ in line.gold),
            *(f"{name} (not in the workspace)" for name in line.missing),
        ]
        if len(wanted) > _MAX_WANTED:
            wanted[_MAX_WANTED:] = [f"and {len(wanted) - _MAX_WANTED} more"]
        yield ReadQuestion(line.text, tuple(wanted), line.measures[measure], tuple(answers))


def _worded(passages: Mapping[str, PassageWords]) -> dict[str, str]:
    """Their words, each after its document's title; without, where all are of one document."""
    if len({passage.title for passage in passages.values()}) < 2:
        return {id_: passage.words for id_, passage in passages.items()}
    return {
        id_: f"{cut(passage.title, _MAX_TITLE)}: {passage.words}"
        for id_, passage in passages.items()
    }


def _answers(run: QaRun, arm: str, measure: str) -> Iterator[ReadQuestion]:
    lines = run.answers()
    questions = run.questions()
    scores = arm_scores(lines, {question.id: question.wanted() for question in questions})
    by_question: dict[str, list[AnswerLine]] = {}
    for line in lines:
        by_question.setdefault(line.question, []).append(line)
    for question in questions:
        name = measure if question.is_answerable else ABSTAINED
        own = scores.get(arm, {}).get(question.id, {})
        values = {
            line.arm: scores.get(line.arm, {}).get(question.id, {}).get(name)
            for line in by_question.get(question.id, ())
        }
        answers = tuple(
            _answer(line, name, values[line.arm]) for line in by_question.get(question.id, ())
        )
        wanted = question.answers
        if not question.is_answerable:
            wanted = ("nothing answers it: an arm should say so",)
        yield ReadQuestion(question.text, wanted, own.get(name, 1.0), answers)


def _answer(line: AnswerLine, measure: str, value: float | None) -> ReadAnswer:
    said = [line.error or line.answer, *([f"in a few words: {line.short}"] if line.short else ())]
    shown = tuple((cut(text, _MAX_CHARS), None) for text in said) + tuple(
        (cut(text, _MAX_CHARS), False) for text in line.claims.doubted
    )
    return ReadAnswer(
        line.arm,
        (
            "failed"
            if line.error
            else ""
            if value is None
            else f"{TITLES.get(measure, measure)} {POINTS * value:.0f}"
        ),
        shown,
    )


def _judged(run: JudgeRun, arm: str) -> Iterator[ReadQuestion]:
    answers, graded = run.answers(), grades_of(run.lines())
    verdicts = {(line.question, line.arm): line.verdict for line in run.lines() if line.against}
    has_totals = any(own.total is not None for own in graded.values())
    by_question: dict[str, dict[str, AnswerLine]] = {}
    for (question, name), line in answers.items():
        by_question.setdefault(question, {})[name] = line
    for question, lines in by_question.items():
        totals: Mapping[str, float | None] = {
            n: own.total for n in lines if (own := graded.get((question, n))) is not None
        }
        shown = tuple(
            ReadAnswer(
                name,
                _judgement(totals.get(name), verdicts.get((question, name))),
                ((cut(line.error or BlindAnswer.of(line).text, _MAX_CHARS), None),),
            )
            for name, line in lines.items()
        )
        total = totals.get(arm)
        lost = {1.0: 2.0, 2.0: 0.0}.get(verdicts.get((question, arm)) or 0.0, 1.0)
        value = lost if not has_totals else _BEST_TOTAL if total is None else total
        yield ReadQuestion(next(iter(lines.values())).text, (), value, shown)


def _judgement(total: float | None, verdict: float | None) -> str:
    pair = (
        "" if verdict is None else {1.0: "won its pair", 2.0: "lost its pair"}.get(verdict, "tied")
    )
    return ", ".join(part for part in ("" if total is None else f"{total:.1f} of 25", pair) if part)
