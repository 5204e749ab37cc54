"""Runs an experiment: from what it says of itself to a folder with its lines, result and report.

Runs lie in HOME/evaluation/runs, replies of models in HOME/evaluation/KIND, so that nothing is
asked twice.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dynagrag import wiring
from dynagrag.config.settings import Settings
from dynagrag.core.protocols import ChatModel
from dynagrag.evaluation.frame.experiment import Experiment, Run, Watch
from dynagrag.evaluation.frame.experiment_run import Line, R
from dynagrag.evaluation.frame.html import render
from dynagrag.journal.workspace_journal import Journal
from dynagrag.models.metered_chat import MeteredChat


def run_experiment(
    experiment: Experiment[Line, R, Run],
    home: Path,
    out: Path | None = None,
    watch: Watch | None = None,
) -> tuple[Run, R]:
    """Runs it, or resumes a run of the same settings: that in `out`, by default one that was
    stopped, else a new one. The run and its result.

    Raises UsageError where `out` holds something else or a run of other settings, StoppedRunError
    on Ctrl-C, LoadError where several items have one id; ModelError, ManyFailuresError and
    BudgetError where going on makes no sense, with what was done kept.
    """
    experiment.check()
    num_lines = experiment.num_lines
    run = experiment.run_kind.begin(home, experiment.name, experiment.made_with(), out, num_lines)
    with run.held(num_lines):
        lines = experiment.measure_missing(run, watch or Watch())
        result = experiment.summarize(lines, run.path)
        experiment.write_rows(run, result)
        run.keep_result(result)
        run.write_report(render(run.whole_report(), run.head))
    return run, result


@dataclass(frozen=True, slots=True)
class MeteredModel:
    """The model of the settings, with cache, ledger and budget around it."""

    model: ChatModel
    chat: MeteredChat
    journal: Journal


@contextmanager
def metered_model(
    settings: Settings,
    kind: str,
    max_calls: int | None,
    make: Callable[[Settings], ChatModel | None] | None = None,
) -> Iterator[MeteredModel | None]:
    """The model for an evaluation of this kind, closed afterwards; None where the settings name
    none. `max_calls`: BudgetError comes before more than these. `make`: makes another model than
    that of the settings.
    """
    model = (make or wiring.make_chat_model)(settings)
    if model is None:
        yield None
        return
    try:
        journal = wiring.make_journal(settings.home / "evaluation" / kind)
        try:
            chat = wiring.make_metered(model, journal, f"evaluate-{kind}", max_calls, None)
            yield MeteredModel(model, chat, journal)
        finally:
            journal.close()
    finally:
        model.close()
