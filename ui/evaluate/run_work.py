"""Evaluations in threads of this process. What they do lies in the run's folder: a reload or the
end of this process loses nothing of it, and a run that was stopped goes on where it was.
"""

import re
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from dynagrag.config.settings import Settings
from dynagrag.core.errors import DynaGragError, UsageError
from dynagrag.core.protocols import ChatModel, Embedder
from dynagrag.evaluation.answers.answer_estimate import AnswersEstimate
from dynagrag.evaluation.evidence.evidence_measures import evaluate_evidence
from dynagrag.evaluation.frame.kept_run import new_folder
from dynagrag.evaluation.judge.judge_options import plan_judge
from dynagrag.evaluation.judge.judge_run import JudgeModels, evaluate_judge
from dynagrag.evaluation.judge.judging import JudgingCost, expected_cost
from dynagrag.evaluation.qa.qa_run import evaluate_qa
from dynagrag.evaluation.retrieval.retrieval_run import evaluate_retrieval
from dynagrag.ingest.pipeline import Progress
from dynagrag.ui import background, state
from dynagrag.ui.background import Key, Work
from dynagrag.ui.evaluate.run_request import (
    EvaluationPlan,
    Measure,
    RunRequest,
    keep_request,
    kept_request,
    plan,
)

Told = Callable[[AnswersEstimate | JudgingCost], None]
_RUN, _ESTIMATE = "evaluation", "estimate"
_ASKED = "ask"
"""How the stages of retrieval and evidence begin."""
_MAX_NAMED = 3
_COMMAND = re.compile(
    r"(?:(?:run|repeat|resume(?: it)?) )?(?:with )?the (?:same command|evaluation)(?: again)?"
    r"(?: with| and)? --out \S+(?: again)?"
)
_OTHER_RUN = re.compile(r"choose another folder with --out")
_OTHER_FOLDER = re.compile(r"name an(?:other| empty or new) folder with --out")


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a run on its thread: settings, and what loads the models that all visitors
    share. `chat`: None of a run without one.
    """

    settings: Settings
    chat: Callable[[], ChatModel | None]
    judge: Callable[[], ChatModel | None]
    embedder: Callable[[], Embedder]


@dataclass(frozen=True, slots=True)
class EstimateView:
    """The estimate of a run: the answers, their judgement where they are judged, and `seconds` in
    all, None where they can't be told.

    `goes_on`: the folder of the stopped run that it goes on with.
    """

    answers: AnswersEstimate | None = None
    judging: JudgingCost | None = None
    seconds: float | None = None
    goes_on: Path | None = None


class _EstimatedError(Exception):
    """Ends a run once it knows what it will take."""


# --------------------------------------------------------------------------------------------- runs


def runs_folder(settings: Settings) -> Path:
    """Where all runs lie."""
    return settings.home / "evaluation" / "runs"


def models_of(request: RunRequest) -> Models:
    """The models that a request names; a visitor's own things are read now."""
    chosen = {"llm": request.llm, "embedder": request.embedder or None}
    settings = state.settings_with(**chosen)
    judge = state.chat_model_loader(**chosen | {"llm": request.judge_llm or request.llm})
    chat = state.chat_model_loader(**chosen)
    if request.llm is None:  # one that was set since would make another run of it
        settings, chat = settings.model_copy(update={"llm": None}), _no_model
    return Models(settings, chat, judge, state.embedder_loader(**chosen))


def _no_model() -> ChatModel | None:
    return None


def start(ticket: str, request: RunRequest, out: Path | None = None) -> Work:
    """Begins a run, or goes on with the one in `out`; with a ticket that was used already nothing
    begins.

    UsageError where another run of the workspace is at work.
    """
    settings, models = state.settings(), models_of(request)
    key = background.key_of(settings, request.workspace, _RUN, ticket)
    if background.find(key) is None and any(
        work.is_running for work in works(settings, request.workspace)
    ):
        raise UsageError("another run of this workspace is at work; wait for its end, or stop it")
    for ended in works(settings, request.workspace):  # news of before
        if ended.key != key:
            background.drop(ended.key)
    folder = out or new_folder(runs_folder(settings), _called(request))
    return background.start(
        key, title(request), lambda work: _run(request, models, folder, work), {"out": folder}
    )


def resume(request: RunRequest, out: Path) -> Work:
    """Goes on with a run that was stopped, or tries again what failed in one that is done."""
    ticket = f"resume-{out.name}"
    background.drop(background.key_of(state.settings(), request.workspace, _RUN, ticket))
    return start(ticket, request.model_copy(update={"is_left": False}), out)


def works(settings: Settings, workspace: str) -> list[Work]:
    """The evaluations that this process is at, or has just ended."""
    return background.found_under(background.key_of(settings, workspace, _RUN))


def title(request: RunRequest) -> str:
    """A request in a few words."""
    what = {
        Measure.FOUND: "Search",
        Measure.SHOWN: "Words that answer",
        Measure.RIGHT: "Answers",
        Measure.JUDGED: "Answers graded",
    }[request.measure]
    more = f" and {len(request.arms) - _MAX_NAMED} more" if len(request.arms) > _MAX_NAMED else ""
    named = ", ".join((request.questions, *request.arms[:_MAX_NAMED]))
    return f"{what}: {named}{more}"


def _called(request: RunRequest) -> str:
    """The name that the command gives the folder of such a run."""
    return {
        Measure.FOUND: "own",
        Measure.SHOWN: "evidence",
        Measure.RIGHT: "qa-own",
        Measure.JUDGED: f"judge-{request.workspace}",
    }[request.measure]


def _run(request: RunRequest, models: Models, out: Path, work: Work) -> Path:
    def progress(stage: str, done: int, total: int) -> None:
        if "begun" not in work.notes and (out / "run.json").is_file():
            keep_request(out, request)
            work.notes["begun"] = True
        _note_pace(work, stage, done)
        work.progress(stage, done, total)

    try:
        _evaluate(
            request,
            models,
            out,
            progress,
            lambda told: work.notes.update({type(told).__name__: told}),
        )
    except DynaGragError as err:
        raise DynaGragError(in_the_app(str(err))) from err
    keep_request(out, request)
    return out


def _note_pace(work: Work, stage: str, done: int) -> None:
    """Where a stage began, and when: what is left can be told from it."""
    if stage != work.notes.get("stage"):
        work.notes |= {"stage": stage, "since": (done, time.monotonic())}


def seconds_left(work: Work) -> float | None:
    """About how long the stage will still take; None before it has done something."""
    first, began = work.notes.get("since", (0, 0.0))
    made = work.done - first
    return (
        (time.monotonic() - began) / made * (work.total - work.done)
        if made > 0 and work.total > work.done
        else None
    )


def _evaluate(
    request: RunRequest, models: Models, out: Path, progress: Progress, told: Told
) -> None:
    settings = models.settings
    if request.measure is Measure.FOUND:
        evaluate_retrieval(
            settings, request.of_retrieval(settings, out), progress, models.embedder()
        )
        return
    if request.measure is Measure.SHOWN:
        evaluate_evidence(settings, request.of_evidence(settings, out), progress, models.embedder())
        return
    chat = models.chat()
    if request.measure is Measure.RIGHT:
        evaluate_qa(settings, request.of_qa(settings, out), progress, told, models.embedder(), chat)
        return
    evaluate_judge(
        settings,
        request.of_judge(settings, out),
        progress,
        told,
        JudgeModels(chat, models.judge(), models.embedder()),
    )


def in_the_app(message: str) -> str:
    """An error's words where there is no command line."""
    said = _OTHER_RUN.sub("begin a new run", _COMMAND.sub("resume it here", message))
    return _OTHER_FOLDER.sub("see that runs can be written there", said)


# ----------------------------------------------------------------------------------------- estimate


def estimate_key(ticket: str, request: RunRequest) -> Key:
    """That of an estimate."""
    return background.key_of(state.settings(), request.workspace, _ESTIMATE, ticket)


def start_estimate(ticket: str, request: RunRequest, stopped: Iterable[Path]) -> Work:
    """Begins to estimate a run, as the work's `EstimateView`. `stopped`: folders of stopped runs of
    this request, which it may go on with.
    """
    models, folders = models_of(request), list(stopped)
    return background.start(
        estimate_key(ticket, request),
        "Estimate",
        lambda work: _estimate(request, models, folders, work.progress),
    )


def stopped_runs(settings: Settings, request: RunRequest) -> list[Path]:
    """Folders of runs of this very request that were stopped before their end, the last first."""
    found = []
    for path in runs_folder(settings).glob("*/run.json"):
        kept = kept_request(path.parent)
        if (
            kept is not None
            and kept.is_same(request)
            and not (path.parent / "summary.json").exists()
        ):
            found.append(path.parent)
    return sorted(found, key=lambda folder: (folder / "run.json").stat().st_mtime, reverse=True)


def _estimate(
    request: RunRequest, models: Models, stopped: list[Path], progress: Progress
) -> EstimateView:
    """The run itself, up to where it knows; in a folder that is thrown away where it would be a new
    one.
    """
    for folder in stopped:
        try:
            return _estimated(request, models, folder, folder, progress)
        except UsageError:  # made with another graph, or somebody is at work on it
            continue
    with TemporaryDirectory() as aside:
        return _estimated(request, models, Path(aside) / "run", None, progress)


def _estimated(
    request: RunRequest, models: Models, out: Path, goes_on: Path | None, progress: Progress
) -> EstimateView:
    found: list[AnswersEstimate | JudgingCost] = []
    clock = _Clock(progress)

    def told(estimate: AnswersEstimate | JudgingCost) -> None:
        progress("estimate", 1, 1)  # else nothing that was cancelled meanwhile would end
        if isinstance(estimate, AnswersEstimate) and not estimate.is_last:
            return
        found.append(estimate)
        raise _EstimatedError

    with suppress(_EstimatedError):
        _evaluate(request, models, out, clock.progress, told)
    answers = next((one for one in found if isinstance(one, AnswersEstimate)), None)
    judging = next((one for one in found if isinstance(one, JudgingCost)), None)
    if request.measure is Measure.JUDGED and answers is not None:
        judge = models.judge()
        assert judge is not None, "the answers were estimated"
        judging = expected_cost(
            plan_judge(request.of_judge(models.settings)), judge, models.settings
        )
    return EstimateView(
        answers, judging, clock.seconds or _seconds(request, answers, judging), goes_on
    )


def _seconds(
    request: RunRequest, answers: AnswersEstimate | None, judging: JudgingCost | None
) -> float | None:
    """The time of the answers; of their judgement too where the same model judges, by the tokens
    that it reads.
    """
    if answers is None or answers.seconds is None or judging is None:
        return None if answers is None else answers.seconds
    is_same = request.judge_llm in (None, request.llm)
    return (
        answers.seconds * (1 + judging.prompt_tokens / max(1, answers.prompt_tokens))
        if is_same
        else None
    )


class _Clock:
    """Ends a run without a model at its second question, and tells by it how long all will take."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._first: tuple[int, float] | None = None
        self.seconds: float | None = None

    def progress(self, stage: str, done: int, total: int) -> None:
        """Notes how far the run is."""
        self._progress("estimate", 0, 1)
        if not stage.startswith(_ASKED):
            return
        now = time.perf_counter()
        if self._first is not None or done >= total:
            before, began = self._first or (0, now)
            self.seconds = (now - began) / (done - before) * (total - done)
            raise _EstimatedError
        self._first = done, now


def checked_plan(request: RunRequest, settings: Settings) -> EvaluationPlan:
    """As `plan`; what it raises is in the app's words."""
    try:
        return plan(request, settings)
    except DynaGragError as err:
        raise type(err)(
            in_the_app(str(err)).replace(str(request.path(settings)), request.questions)
        ) from err
