"""The options of a judged run, and the questions that are asked. What was given wrong is refused
here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dynagrag.core.errors import UsageError
from dynagrag.core.ids import content_id
from dynagrag.core.text import collapse
from dynagrag.evaluation.answers.answer_arms import AnswerArm, AskedQuestion, make_answer_arms
from dynagrag.evaluation.baseline import chosen_baseline
from dynagrag.evaluation.bootstrap_intervals import SEED
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.judge.judged_line import JudgeUnit
from dynagrag.evaluation.judge.reliability import THRESHOLD
from dynagrag.evaluation.question_sets.own_questions import Enough, load_own_texts
from dynagrag.evaluation.question_sets.question_set import DataFile

EXPERIMENT = ("dsa-diverse", "bfs-diverse", "bfs-cosine", "naive", "default")
"""DynaGRAG's four, A to D, and the project's own, E."""
LETTERS = dict(zip(EXPERIMENT, "ABCDE", strict=True))
POINTWISE, PAIRWISE = "pointwise", "pairwise"
FORMS = (POINTWISE, PAIRWISE)


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Which questions of which workspace, answered by which arms.

    `baseline` None: `naive`, else the first arm. `forms`: grades of each answer by itself, pairs
    with the baseline's, or both. `judge_llm` None: the model that answers judges too. `limit`: so
    many questions at most.
    """

    questions: Path
    workspace: str | None = None
    arms: tuple[str, ...] = EXPERIMENT
    baseline: str | None = None
    forms: tuple[str, ...] = FORMS
    samples: int = 3
    judge_llm: str | None = None
    limit: int | None = None
    threshold: float = THRESHOLD
    seed: int = SEED
    out: Path | None = None
    max_calls: int | None = None


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """The questions, arms and forms of a run. `kinds`: each question's kind by its id, empty where
    its row names none.
    """

    questions: tuple[AskedQuestion, ...]
    arms: tuple[AnswerArm, ...]
    baseline: str
    forms: tuple[str, ...]
    samples: int
    files: tuple[DataFile, ...]
    kinds: Mapping[str, str]
    notes: Mapping[str, int] = field(default_factory=dict)

    @property
    def arm_names(self) -> tuple[str, ...]:
        """The arms by name, in their order."""
        return tuple(arm.name for arm in self.arms)

    @property
    def digest(self) -> str:
        """A hash of all questions."""
        return content_id(
            *(part for question in self.questions for part in (question.id, question.text))
        )

    @property
    def units(self) -> list[JudgeUnit]:
        """The units of judgement, by question: each arm's samples, then the pairs with the
        baseline.
        """
        found = []
        for question in self.questions:
            if POINTWISE in self.forms:
                found += [
                    JudgeUnit(question.id, arm, sample=sample)
                    for sample in range(self.samples)
                    for arm in self.arm_names
                ]
            if PAIRWISE in self.forms:
                found += [
                    JudgeUnit(question.id, arm, self.baseline)
                    for arm in self.arm_names
                    if arm != self.baseline
                ]
        return found


def plan_judge(options: JudgeOptions) -> JudgePlan:
    """The plan of a run. Nothing is asked yet. Raises UsageError and LoadError for what was given
    wrong.
    """
    arms = make_answer_arms(options.arms)
    names = [arm.name for arm in arms]
    if "gold" in names:
        raise UsageError(
            "the arm gold needs to know what answers a question, which a judge's questions don't"
            " say; take it in `evaluate qa`"
        )
    baseline = chosen_baseline(options.baseline, names)
    if unknown := [form for form in options.forms if form not in FORMS]:
        raise UsageError(f"unknown form {unknown[0]!r}; known: {', '.join(FORMS)}")
    if not options.forms:
        raise UsageError(f"name a form of judging: {', '.join(FORMS)}")
    if options.forms == (PAIRWISE,) and len(names) < 2:
        raise UsageError("pairs need two arms; add one with --arms")
    if options.out is not None:
        check_folder(options.out)
    found, file, notes = load_own_texts(options.questions, Enough(options.limit))
    asked = found[: options.limit]
    questions = tuple(AskedQuestion(question.id, collapse(question.text)) for question in asked)
    kinds = {question.id: question.kind for question in asked}
    return JudgePlan(
        questions, arms, baseline, options.forms, options.samples, (file,), kinds, dict(notes)
    )
