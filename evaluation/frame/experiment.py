"""An experiment: what a kind of evaluation says of itself, so that `run_experiment` can run it.

Begin with an `ItemExperiment`: arms measure items one by one, a line for each, and lines outlive
the process. A kind whose arms share the work on an item, or that leaves the order to a library, is
a `TrialExperiment`, as most of ours are. One that is worked out in one go, or has a loop of its
own, derives from `Experiment` alone.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from pydantic import JsonValue

from dynagrag.core.errors import LoadError
from dynagrag.evaluation.batches import FailedInARow, in_batches
from dynagrag.evaluation.frame.experiment_run import AnyRun, ExperimentLine, Line, R
from dynagrag.evaluation.frame.kept_run import ManyFailuresError
from dynagrag.evaluation.frame.lines_file import LinesFile
from dynagrag.ingest.pipeline import Progress

_MAX_NAMED = 3


class HasId(Protocol):
    """An item with an id that no other item of the run has."""

    @property
    def id(self) -> str:
        """It names the item in its lines."""


Item = TypeVar("Item", bound=HasId)
ItemLine = TypeVar("ItemLine", bound=ExperimentLine)
Run = TypeVar("Run", bound=AnyRun)
Keep: TypeAlias = Callable[[Sequence[ItemLine]], None]
"""Takes lines that are there: writes them down, all in one write, and tells how far the run is.
Several threads may call it; what it raises ends the run.
"""


class ItemTrial(NamedTuple, Generic[Item]):
    """An item to be measured by an arm."""

    arm: str
    item: Item

    @property
    def key(self) -> tuple[str, str]:
        """As its line has it."""
        return self.arm, self.item.id


@dataclass(frozen=True, slots=True)
class Watch:
    """Callbacks of a run. `progress` gets the stage, and how many are done of how many; what it
    raises ends the run, with all that was measured kept. `estimate` is told of an arm what is left
    of it will take, before that is begun; None: nothing is estimated.
    """

    progress: Progress | None = None
    estimate: Callable[[str, object], None] | None = None

    def tell(self, stage: str, done: int, total: int) -> None:
        """Passes it on to `progress`, where there is one."""
        if self.progress is not None:
            self.progress(stage, done, total)


class Experiment(ABC, Generic[Line, R, Run]):
    """See the module. What is wrong with the options, and what can't be read, is refused as an
    experiment is made: `run_experiment` begins a folder first of all.
    """

    run_kind: type[Run]
    """The class of its runs."""
    name: str
    """Names its folder: the kind and the data, such as "citations-wice"."""

    @abstractmethod
    def made_with(self) -> Mapping[str, JsonValue]:
        """Whatever changes a line or the result: a run is only resumed where all of it is the same.

        Identities of models and hashes of data, not objects; kept in run.json, where reports and
        the app show it.
        """

    @property
    def num_lines(self) -> int:
        """How many lines a whole run has; 0 where none are written on the way."""
        return 0

    def check(self) -> None:
        """Raises LoadError where the data can't be measured as it is; before a folder is begun."""
        return

    def measure_missing(self, run: Run, watch: Watch) -> Sequence[Line]:
        """Measures what the run lacks; all of its lines that count, in the order of the trials."""
        return ()

    @abstractmethod
    def summarize(self, lines: Sequence[Line], path: Path) -> R:
        """The figures of the lines. `path`: of the run, which `--json` names."""

    def write_rows(self, run: Run, result: R) -> None:
        """Writes what reports need beside the lines and the result (`run.write_rows`)."""
        return


class TrialExperiment(Experiment[ItemLine, R, Run], Generic[Item, ItemLine, R, Run]):
    """Arms, each of which measures every item, a line each. How trials are measured is the kind's
    own affair: arms that share the work on an item, items that a library takes all at once, threads
    of one's own.

    A kind gives `arms`, `items`, `measure_all` and `summarize`.
    """

    arms: Sequence[str]
    items: Sequence[Item]
    gives_up_after_failures: bool = True
    """Whether a run ends where many trials failed one after the other; not where what measures them
    gives up by itself.
    """

    @abstractmethod
    def measure_all(
        self, left: Sequence[ItemTrial[Item]], keep: Keep[ItemLine], watch: Watch
    ) -> None:
        """Measures what is left, and gives `keep` each line, or the lines that are written
        together, as soon as it is there. It tells `watch.estimate` itself what that will take.
        """

    def trials(self) -> list[ItemTrial[Item]]:
        """All that is measured, in the order in which `summarize` gets the lines."""
        return [ItemTrial(arm, item) for arm in self.arms for item in self.items]

    def stage(self, trial: ItemTrial[Item]) -> str:
        """The name of a trial's stage in progress; trials of one stage are counted together."""
        return f"measure ({trial.arm})"

    @property
    def num_lines(self) -> int:
        """As many as there are trials."""
        return len(self.trials())

    def check(self) -> None:
        """LoadError where there is no item, or several have one id: their lines couldn't be told
        apart.
        """
        if not self.items:
            raise LoadError(f"there is no {self.run_kind.noun} to measure; check the data")
        counts = Counter(trial.key for trial in self.trials())
        doubles = list(dict.fromkeys(id_ for (_, id_), num in counts.items() if num > 1))
        if doubles:
            named = ", ".join(map(repr, doubles[:_MAX_NAMED]))
            more = f" and {len(doubles) - _MAX_NAMED} more" if len(doubles) > _MAX_NAMED else ""
            raise LoadError(
                f"several {self.run_kind.noun}s have one id: {named}{more}; give each"
                f" {self.run_kind.noun} an id of its own, such as its line number"
            )

    def measure_missing(self, run: Run, watch: Watch) -> Sequence[ItemLine]:
        """Measures the trials that have no line yet, or one that failed, and writes down each line
        as it comes; the last line of every trial.

        Raises ManyFailuresError where many trials failed one after the other, LoadError as `check`.
        """
        self.check()  # again: what is measured may hang on what the run already made
        file: LinesFile[ItemLine] = run.file
        trials = {trial.key: trial for trial in self.trials()}
        found = {line.key: line for line in file.lines()}
        left = [t for key, t in trials.items() if key not in found or found[key].failure]
        total = Counter(map(self.stage, trials.values()))
        done = total - Counter(map(self.stage, left))
        failed, lock = FailedInARow(), Lock()

        def keep(lines: Sequence[ItemLine]) -> None:
            with lock:
                file.append(lines)
                for line in lines:
                    found[line.key] = line
                    if failed.are_enough(self.gives_up_after_failures and bool(line.failure)):
                        raise ManyFailuresError(
                            f"the last {failed.num} {self.run_kind.noun}s failed ({line.key[0]}):"
                            f" {line.failure}"
                        )
                stages = Counter(self.stage(trials[line.key]) for line in lines)
                done.update(stages)
                for stage in stages:
                    watch.tell(stage, done[stage], total[stage])

        self.measure_all(left, keep, watch)
        return [found[key] for key in trials if key in found]


class ItemExperiment(TrialExperiment[Item, ItemLine, R, Run]):
    """Arms, each of which measures one item after the other: the simplest experiment.

    A kind gives `arms`, `items`, `measure` and `summarize`. The others have usual answers: arm
    after arm, one item at a time, nothing estimated, and what failed is tried again on resuming.
    """

    @abstractmethod
    def measure(self, item: Item, arm: str) -> ItemLine:
        """One item by one arm; called by several threads where `num_at_once` allows it.

        What concerns this item alone (a reply that can't be read) is a line with its `failure`;
        what makes going on senseless (no server, a spent budget) is raised.
        """

    def num_at_once(self, arm: str) -> int:
        """How many items an arm takes at once."""
        return 1

    def estimate(self, arm: str, items: Sequence[Item]) -> object | None:
        """The cost of these items, as text by `str`; None where there is nothing to tell."""
        return None

    def warm_up(self, arm: str, item: Item) -> None:
        """Does once what must not count in the time of the first item."""
        return

    def measure_all(
        self, left: Sequence[ItemTrial[Item]], keep: Keep[ItemLine], watch: Watch
    ) -> None:
        """Arm after arm, as many items at once as it takes."""
        for arm in self.arms:
            items = [trial.item for trial in left if trial.arm == arm]
            if not items:
                continue
            if watch.estimate and (estimate := self.estimate(arm, items)) is not None:
                watch.estimate(arm, estimate)
            self.warm_up(arm, items[0])
            for lines in in_batches(items, partial(self.measure, arm=arm), self.num_at_once(arm)):
                keep(lines)
