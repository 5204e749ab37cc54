"""All kinds of evaluation: the one table that the command line and the app read.

A row names the kind's run, by which the app lists it and draws its report. With `command`, `help`
and `experiment_at` the row is a command too, `dynagrag evaluate COMMAND --data PATH`; a kind that
has other options has a command of its own in `cli/evaluate/`. Modules are imported when they are
needed, so that --help waits for none of them.
"""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dynagrag.config.settings import Settings
    from dynagrag.evaluation.frame.experiment import Experiment
    from dynagrag.evaluation.frame.experiment_run import AnyRun


@dataclass(frozen=True, slots=True)
class EvaluationKind:
    """A row. Places are written MODULE:NAME, the module below `dynagrag.evaluation`.

    `run_at`: the kind's `ExperimentRun`. `experiment_at`: a function of the settings, the path that
    --data names, and how many items at most (None: all), that gives the `Experiment`.
    """

    run_at: str
    command: str = ""
    help: str = ""
    experiment_at: str = ""

    def run(self) -> "type[AnyRun]":
        """The class of its runs."""
        found: type[AnyRun] = _found(self.run_at)
        return found

    def experiment(
        self, settings: "Settings", data: Path, limit: int | None
    ) -> "Experiment[Any, Any, Any]":
        """The experiment on this data."""
        made: Experiment[Any, Any, Any] = _found(self.experiment_at)(settings, data, limit)
        return made


def _found(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(f"dynagrag.evaluation.{module}"), name)


KINDS = (
    EvaluationKind("retrieval.retrieval_report:RetrievalRun"),
    EvaluationKind("qa.qa_report:QaRun"),
    EvaluationKind("evidence.evidence_measures:EvidenceRun"),
    EvaluationKind("embedders.embedder_report:EmbeddersRun"),
    EvaluationKind("citations.citation_report:CitationRun"),
    EvaluationKind("entities.entity_report:EntityRun"),
    EvaluationKind("extraction.extraction_report:ExtractionRun"),
    EvaluationKind("pruning.pruner_report:PrunerRun"),
    EvaluationKind("judge.judge_report:JudgeRun"),
    EvaluationKind("judge.calibration_report:CalibrationRun"),
    EvaluationKind("graphqa.graphqa_report:GraphQaRun"),
    EvaluationKind(
        "speakers.speaker_measures:SpeakerRun",
        command="speakers",
        help=(
            "Measure whether transcripts are read with the right speakers and times. DATA is a"
            " folder of transcripts, with what is right beside each (talk.vtt.gold.json)."
        ),
        experiment_at="speakers.speaker_measures:speaker_experiment",
    ),
)
