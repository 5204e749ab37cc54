"""Options of a run of answers, and the plan that they come to. What was given wrong is refused
here.
"""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from dynagrag.core.errors import UsageError
from dynagrag.evaluation.answers.answer_arms import AnswerArm, make_answer_arms
from dynagrag.evaluation.baseline import chosen_baseline
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.qa.ragas_rows import check_ragas_file
from dynagrag.evaluation.question_sets.answer_sets import load_answer_set
from dynagrag.evaluation.question_sets.own_questions import Enough, load_own_answers
from dynagrag.evaluation.question_sets.question_set import EvalQuestion, EvaluationSet, Half, Scope
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions, load_questions

DEFAULT_ARMS = ("default", "naive", "closed-book", "gold")
WHOLE_GOLD = "questions about a whole document, of which the arm gold sees the beginning alone"
_WHOLE = (
    "questions left out: they are about a whole document, and all documents are searched (--scope"
    " corpus)"
)


@dataclass(frozen=True, slots=True)
class QaOptions:
    """Options of a run: a set by name from the folder `data`, or a file of one's own `questions` on
    the `workspace`.

    `scope` None: the first that the set has. `kind`: questions of that kind alone. `limit`: so many
    questions at most. `baseline` None: `naive`, else the first arm. `given`: as in
    `EvaluateOptions`. `ragas_rows`: a file for the answers as RAGAS reads them.
    """

    dataset: str | None = None
    data: Path | None = None
    questions: Path | None = None
    workspace: str | None = None
    arms: tuple[str, ...] = DEFAULT_ARMS
    baseline: str | None = None
    extractor: str = "fast"
    half: Half = Half.ALL
    scope: Scope | None = None
    kind: str | None = None
    limit: int | None = None
    part: str | None = None
    given: Path | None = None
    out: Path | None = None
    max_calls: int | None = None
    ragas_rows: Path | None = None

    def of_workspace(self) -> EvaluateOptions:
        """The options that name the questions and open the workspace."""
        return EvaluateOptions(
            dataset=self.dataset,
            data=self.data,
            questions=self.questions,
            workspace=self.workspace,
            extractor=self.extractor,
            part=self.part,
            given=self.given,
        )


@dataclass(frozen=True, slots=True)
class QaPlan:
    """Plan of a run: every question of every arm, in one scope."""

    loaded: EvaluationSet
    questions: tuple[EvalQuestion, ...]
    scope: Scope
    arms: tuple[AnswerArm, ...]
    baseline: str

    @property
    def arm_names(self) -> tuple[str, ...]:
        """The arms by name, in their order."""
        return tuple(arm.name for arm in self.arms)


def plan_qa(options: QaOptions) -> QaPlan:
    """The plan of a run. Nothing is asked or embedded yet. Raises UsageError and LoadError for what
    was given wrong.
    """
    arms = make_answer_arms(options.arms)
    names = tuple(arm.name for arm in arms)
    baseline = chosen_baseline(options.baseline, names)
    if options.out is not None:
        check_folder(options.out)
    if options.ragas_rows is not None:
        check_ragas_file(options.ragas_rows, options.questions, options.out)

    def is_asked(question: EvalQuestion) -> bool:
        is_kept = options.scope is Scope.DOCUMENT or not is_about_whole(question)
        return (
            is_kept and options.kind in (None, question.kind) and options.half.holds(question.row)
        )

    own = partial(load_own_answers, enough=Enough(options.limit, is_asked))
    loaded = load_questions(options.of_workspace(), load_answer_set, own)
    scope = options.scope or loaded.scopes[0]
    if scope not in loaded.scopes:
        raise UsageError(f"{loaded.name} has no scope {scope}; it has: {', '.join(loaded.scopes)}")
    if scope is Scope.CORPUS:
        # questions about their whole document mean nothing when asked of all documents
        kept = tuple(question for question in loaded.questions if not is_about_whole(question))
        if left_out := len(loaded.questions) - len(kept):
            loaded = replace(loaded, questions=kept, notes={**loaded.notes, _WHOLE: left_out})
    kinds = sorted({question.kind for question in loaded.questions} - {""})
    if options.kind is not None and options.kind not in kinds:
        raise UsageError(
            f"{loaded.name} has no questions of the kind {options.kind!r}; it has:"
            f" {', '.join(kinds) or 'none'}"
        )
    of_kind = [q for q in loaded.questions if options.kind in (None, q.kind)]
    chosen = tuple(q for q in of_kind if options.half.holds(q.row))[: options.limit]
    if not chosen:
        raise UsageError(
            f"the half {options.half} of {loaded.name} has no question; take --half all"
        )
    return QaPlan(loaded, chosen, scope, arms, baseline)


def is_about_whole(question: EvalQuestion) -> bool:
    """Whether what should be found is all of the document that the question is asked of."""
    return question.document is not None and question.gold.documents == (question.document,)
