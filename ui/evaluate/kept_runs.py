"""The runs that are kept, of all kinds, whoever began them: what they are, and how far."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError
from dynagrag.core.text import plural
from dynagrag.evaluation.answers.answer_run import ANSWERS
from dynagrag.evaluation.frame.experiment_run import AnyRun, UnknownRun
from dynagrag.evaluation.frame.kept_run import REPORT, what_is_evaluated
from dynagrag.evaluation.judge.judge_options import PAIRWISE, POINTWISE
from dynagrag.evaluation.judge.judge_report import JudgeRun
from dynagrag.evaluation.kinds import KINDS
from dynagrag.evaluation.qa.qa_report import QaRun
from dynagrag.evaluation.retrieval.retrieval_report import RetrievalRun
from dynagrag.ui.evaluate.run_request import RunRequest, kept_request
from dynagrag.ui.evaluate.run_work import runs_folder

RETRIEVAL, QA, JUDGED = RetrievalRun.evaluates, QaRun.evaluates, JudgeRun.evaluates
_KINDS: Mapping[str, type[AnyRun]] = {own.evaluates: own for own in (kind.run() for kind in KINDS)}
COMPARABLE = (RETRIEVAL, QA, JUDGED)


class _Counted(BaseModel):
    """The settings that tell how far a run of COMPARABLE is, and what is asked of it: of these
    types, where they are there.
    """

    model_config = ConfigDict(strict=True)

    workspace: str | None = None
    files: dict[str, str] | None = None
    arms: list[str] | None = None
    scopes: list[str] = []
    forms: list[str] = []
    questions: int = Field(default=0, ge=0)
    samples: int = Field(default=1, ge=0)


@dataclass(frozen=True)
class KeptView:
    """A run as it is listed. `request`: of one that was begun in the app."""

    run: AnyRun
    kind: str
    request: RunRequest | None

    @property
    def name(self) -> str:
        """Its folder's name."""
        return self.run.path.name

    @property
    def settings(self) -> Mapping[str, Any]:
        """Its settings."""
        return self.run.settings

    @property
    def what(self) -> str:
        """Its kind in words."""
        return _KINDS[self.kind].what if self.kind in _KINDS else self.kind

    @property
    def begun(self) -> str:
        """Date and time, UTC."""
        return str(self.run.head.get("begun", ""))[:16].replace("T", " ")

    @property
    def is_done(self) -> bool:
        """Whether it came to its end."""
        return self.run.is_done

    @property
    def asked_of(self) -> str:
        """Which questions, of which workspace or corpus."""
        dataset, workspace = (self.settings.get(name) for name in ("dataset", "workspace"))
        files = ", ".join(_names(self.settings.get("files")))
        named = files if dataset in (None, "own") else str(dataset)
        return " of ".join(part for part in (named, str(workspace or "")) if part)

    @property
    def arms(self) -> tuple[str, ...]:
        """The arms, checkers or pruners that it compares."""
        found = (_names(self.settings.get(name)) for name in ("arms", "checkers", "pruners"))
        return next(filter(None, found), ())

    @property
    def report(self) -> Path | None:
        """Its report, where it has one."""
        path = self.run.path / REPORT
        return path if path.is_file() else None

    @property
    def num_failed(self) -> int:
        """Answers of a done run that could not be made."""
        if isinstance(self.run, QaRun):
            return sum(self.run.result().errors.values())
        if isinstance(self.run, JudgeRun):
            return sum(own.errors for own in self.run.result().arms.values())
        return 0

    def is_held(self) -> bool:
        """Whether a process is at work on it."""
        return not self.is_done and self.run.is_held()

    def how_far(self) -> str:
        """How much of an unfinished run is there; empty where it has no lines on the way."""
        if self.kind not in COMPARABLE:
            total = self.run.num_lines if self.kind in _KINDS else 0
            return _of(self._num_lines(self.run.lines_file), total, "line") if total else ""
        num_answers = int(self.settings.get("questions", 0)) * len(self.arms)
        if self.kind == RETRIEVAL:
            return _of(
                self._num_lines(RetrievalRun.lines_file),
                num_answers * len(self.settings.get("scopes", ())),
                "ranking",
            )
        if self.kind == QA:
            return _of(self._num_lines(ANSWERS), num_answers, "answer")
        answers = _of(self._num_lines(ANSWERS), num_answers, "answer")
        judged = _of(self._num_lines(JudgeRun.lines_file), self._num_judgements(), "judgement")
        return f"{answers}, {judged}"

    def lacks_lines(self) -> bool:
        """Whether a run that is done has lost lines since."""
        if isinstance(self.run, RetrievalRun):
            scopes = self.run.result().scopes.values()
            num = sum(own.questions * len(own.arms) for own in scopes)
            return self._num_lines(RetrievalRun.lines_file) < max(num, 1)
        return self.kind in (QA, JUDGED) and self._num_lines(ANSWERS) < int(
            self.settings.get("questions", 0)
        ) * len(self.arms)

    def _num_judgements(self) -> int:
        arms, forms = len(self.arms), self.settings.get("forms", ())
        each = arms * int(self.settings.get("samples", 1)) * (POINTWISE in forms) + (arms - 1) * (
            PAIRWISE in forms
        )
        return each * int(self.settings.get("questions", 0))

    def _num_lines(self, name: str) -> int:
        path = self.run.path / name
        return path.read_bytes().count(b"\n") if path.is_file() else 0


def _of(done: int, total: int, noun: str) -> str:
    return f"{min(done, total):,} of {plural(total, noun)}"


def _names(value: object) -> tuple[str, ...]:
    """Names in a setting, whichever form a kind keeps them in."""
    return tuple(map(str, value)) if isinstance(value, list | Mapping) else ()


def kept_runs(settings: Settings) -> tuple[list[KeptView], dict[str, str]]:
    """All runs, the last begun first; and the names of folders that can't be read, each with the
    reason.
    """
    found, unreadable = [], {}
    for path in runs_folder(settings).glob("*/run.json"):
        try:
            found.append(view_of(path.parent))
        except LoadError as err:
            unreadable[path.parent.name] = str(err)
    return sorted(
        found, key=lambda view: (str(view.run.head.get("begun", "")), view.name), reverse=True
    ), dict(sorted(unreadable.items()))


def view_of(folder: Path) -> KeptView:
    """The run in a folder. LoadError where there is none, or the settings by which a run of
    COMPARABLE is counted are none; other kinds have settings of their own.
    """
    kind = what_is_evaluated(folder)
    run = _KINDS.get(kind, UnknownRun).at(folder)
    try:
        if kind in COMPARABLE:
            _Counted.model_validate(dict(run.settings))
    except ValidationError as err:
        place = ".".join(map(str, err.errors()[0]["loc"]))
        raise LoadError(
            f"{folder / 'run.json'} is damaged: {place!r} of its settings is of another kind; run"
            " the evaluation again"
        ) from err
    return KeptView(run, kind, kept_request(folder))
