"""A visitor's request for an evaluation. It is kept in the run's folder, so that the run can be
resumed here after a restart.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from dynagrag.config.own_seal import opened, sealed
from dynagrag.config.settings import Settings
from dynagrag.core.files.private_files import write_text
from dynagrag.evaluation.answers.answer_arms import GOLD, HARD, SOFT, known_answer_arms
from dynagrag.evaluation.evidence.evidence_measures import EvidenceOptions
from dynagrag.evaluation.evidence.evidence_questions import load_evidence_questions
from dynagrag.evaluation.judge.judge_options import EXPERIMENT, FORMS, JudgeOptions, plan_judge
from dynagrag.evaluation.qa.qa_options import DEFAULT_ARMS, QaOptions, plan_qa
from dynagrag.evaluation.retrieval.retriever_arms import CONTROLS
from dynagrag.evaluation.retrieval.run_options import EvaluateOptions, plan_run
from dynagrag.ui import choice_labels
from dynagrag.ui.evaluate import question_files
from dynagrag.workspace.workspace_soft_prompt import OwnSoftPrompt

_REQUEST = "request.json"
_FINDS = {
    "default": "the project's ranking: by the graph, vectors and words",
    "paper": "ego-graphs as DynaGRAG chooses them",
    "paper-cosine": "ego-graphs by cosine alone, without diversity",
}


class Measure(StrEnum):
    """The measures that can be asked for."""

    FOUND = "retrieval"
    SHOWN = "evidence"
    RIGHT = "qa"
    JUDGED = "judge"

    @property
    def asks_model(self) -> bool:
        """Whether a language model is asked, where one is set."""
        return self in (Measure.RIGHT, Measure.JUDGED)


class RunRequest(BaseModel):
    """A request: `questions` names a file of the workspace's, `arms` what is compared (nothing
    where what is shown is measured); a baseline of None is the usual one.

    `forms`, `samples` and `judge_llm` are of judged answers. `llm` and `embedder`: as the settings
    had them. `is_left`: nobody wants it offered any more.
    """

    model_config = ConfigDict(frozen=True)

    measure: Measure
    workspace: str
    questions: str
    arms: tuple[str, ...]
    baseline: str | None = None
    limit: int | None = None
    max_calls: int | None = None
    forms: tuple[str, ...] = FORMS
    samples: int = 3
    judge_llm: str | None = None
    llm: str | None = None
    embedder: str = ""
    is_left: bool = False

    def is_same(self, other: "RunRequest") -> bool:
        """Whether both ask for one run: a budget may be another."""
        but = {"max_calls", "is_left"}
        return self.model_dump(exclude=but) == other.model_dump(exclude=but)

    def path(self, settings: Settings) -> Path:
        """The file of questions."""
        return question_files.folder_of(settings, self.workspace) / question_files.checked_name(
            self.questions
        )

    def of_retrieval(self, settings: Settings, out: Path | None = None) -> EvaluateOptions:
        """As `evaluate retrieval` has it."""
        return EvaluateOptions(
            questions=self.path(settings),
            workspace=self.workspace,
            arms=self.arms,
            baseline=self.baseline,
            limit=self.limit,
            out=out,
        )

    def of_evidence(self, settings: Settings, out: Path | None = None) -> EvidenceOptions:
        """As `evaluate evidence` has it."""
        return EvidenceOptions(
            questions=self.path(settings), workspace=self.workspace, limit=self.limit, out=out
        )

    def of_qa(self, settings: Settings, out: Path | None = None) -> QaOptions:
        """As `evaluate qa` has it."""
        return QaOptions(
            questions=self.path(settings),
            workspace=self.workspace,
            arms=self.arms,
            baseline=self.baseline,
            limit=self.limit,
            out=out,
            max_calls=self.max_calls,
        )

    def of_judge(self, settings: Settings, out: Path | None = None) -> JudgeOptions:
        """As `evaluate judge` has it."""
        return JudgeOptions(
            questions=self.path(settings),
            workspace=self.workspace,
            arms=self.arms,
            baseline=self.baseline,
            forms=self.forms,
            samples=self.samples,
            judge_llm=self.judge_llm,
            limit=self.limit,
            out=out,
            max_calls=self.max_calls,
        )


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """How many questions of how many arms a run asks, and what of the file it passes over."""

    num_questions: int
    num_arms: int
    notes: Mapping[str, int]


def arm_words(
    measure: Measure, soft: Sequence[OwnSoftPrompt] = (), *, has_model: bool = True
) -> dict[str, str]:
    """The arms that can be chosen, each with a line on what it is. `soft`: the workspace's trained
    soft prompts, of which those that fit are offered. Without a language model only arms that have
    one of their own are.
    """
    if not measure.asks_model:
        return dict(_FINDS) if measure is Measure.FOUND else {}
    arms = {
        name: words for name, words in known_answer_arms().items() if ":" not in name
    }  # a cross-encoder is named on the command line
    if measure is Measure.JUDGED:
        del arms[GOLD]
    return (arms if has_model else {}) | _soft_arms(soft)


def _soft_arms(soft: Sequence[OwnSoftPrompt]) -> dict[str, str]:
    """Each soft prompt that fits, and its language model without it."""
    found = {}
    for own in soft:
        if own.why_not:
            continue
        lm = own.label.removeprefix(f"{own.name} with ")
        name = choice_labels.SOFT.get(own.name, own.name)
        found[f"{SOFT}:{own.name}"] = f"{name} on this workspace, with {lm}"
        found[f"{HARD}:{own.name}"] = (
            f"{lm} with the text that {name.removesuffix(', trained')} reads, without the training"
        )
    return found


def default_arms(measure: Measure, known: Iterable[str]) -> tuple[str, ...]:
    """Those of the command; where none of them is known, all that are."""
    usual: tuple[str, ...] = {
        Measure.FOUND: ("default",),
        Measure.SHOWN: (),
        Measure.RIGHT: DEFAULT_ARMS,
        Measure.JUDGED: EXPERIMENT,
    }[measure]
    known = tuple(known)
    return tuple(arm for arm in usual if arm in known) or known


def baselines(measure: Measure, arms: tuple[str, ...]) -> tuple[str, ...]:
    """Arms that the others can be compared with: the usual one first."""
    named = (
        (*CONTROLS, *arms)
        if measure is Measure.FOUND
        else tuple(sorted(arms, key=lambda arm: arm != "naive"))
    )
    return tuple(dict.fromkeys(named))


def plan(request: RunRequest, settings: Settings) -> EvaluationPlan:
    """The plan of a run. Raises UsageError and LoadError for what was chosen wrong, and what of
    the file can't be used.
    """
    if request.measure is Measure.FOUND:
        found = plan_run(request.of_retrieval(settings), settings)
        return EvaluationPlan(len(found.questions), len(found.arms), found.loaded.notes)
    if request.measure is Measure.SHOWN:
        questions, _ = load_evidence_questions(request.path(settings))
        return EvaluationPlan(len(questions[: request.limit]), 2 if settings.reranker else 1, {})
    if request.measure is Measure.RIGHT:
        asked = plan_qa(request.of_qa(settings))
        return EvaluationPlan(len(asked.questions), len(asked.arms), asked.loaded.notes)
    judged = plan_judge(request.of_judge(settings))
    return EvaluationPlan(len(judged.questions), len(judged.arms), judged.notes)


def keep_request(run: Path, request: RunRequest) -> None:
    """Writes it into a run's folder, with this user's seal."""
    form = sealed(request.model_dump(mode="json"))
    write_text(run / _REQUEST, json.dumps(form, ensure_ascii=False, indent=1))


def kept_request(run: Path) -> RunRequest | None:
    """That of a run which this user has begun here; None of one that the command line began, or
    that came from elsewhere: it would name models to ask.
    """
    try:
        form = json.loads((run / _REQUEST).read_bytes())
        said, is_own = opened(form) if isinstance(form, dict) else ({}, False)
        return RunRequest.model_validate(said) if is_own else None
    except (OSError, ValueError, RecursionError):  # pydantic's error is a ValueError
        return None
