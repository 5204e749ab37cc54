"""Options of a run, and the plan that it comes to: its questions, scopes and arms. What was given
wrong is refused here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from dynagrag.config.settings import Settings
from dynagrag.core.errors import SettingsError, UsageError
from dynagrag.core.extras import check_extras
from dynagrag.evaluation.baseline import chosen_baseline
from dynagrag.evaluation.frame.kept_run import check_folder
from dynagrag.evaluation.question_sets.own_questions import Enough, load_own
from dynagrag.evaluation.question_sets.published_sets import load_set
from dynagrag.evaluation.question_sets.question_set import EvalQuestion, EvaluationSet, Half, Scope
from dynagrag.evaluation.retrieval.gcn_arm import GCN
from dynagrag.evaluation.retrieval.retriever_arms import (
    CONTROLS,
    INSTEAD,
    RERANKED,
    SPLIT,
    known_arms,
)
from dynagrag.retrieval.pruning.gcn_pruner import KIND

FILE = "file"
SET_EXTRACTORS = ("fast", "spacy", FILE)
"""Those of `registry.extractors` that ask no model: a set is built without one."""


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """Options of a run: a set by name from the folder `data`, or a file of one's own `questions` on
    the `workspace`.

    `baseline` None: `naive`, which always runs. `scope` None: all that the set has. `limit`: so
    many questions at most. `given`: a file of extractions, in place of the set's own. `prompts`:
    whether arms write prompts too, so that it is measured what of the gold reaches them. `pruner`:
    the folder of the checkpoint of the arm `gcn`.
    """

    dataset: str | None = None
    data: Path | None = None
    questions: Path | None = None
    workspace: str | None = None
    arms: tuple[str, ...] = ("default",)
    extractor: str = "fast"
    half: Half = Half.ALL
    scope: Scope | None = None
    baseline: str | None = None
    limit: int | None = None
    part: str | None = None
    given: Path | None = None
    out: Path | None = None
    prompts: bool = False
    pruner: Path | None = None


@dataclass(frozen=True, slots=True)
class RunPlan:
    """Plan of a run: every question, in every scope, of every arm."""

    loaded: EvaluationSet
    questions: tuple[EvalQuestion, ...]
    scopes: tuple[Scope, ...]
    arms: tuple[str, ...]
    baseline: str
    prompts: bool = False


def plan_run(options: EvaluateOptions, settings: Settings) -> RunPlan:
    """The plan of a run. Nothing is embedded yet.

    Raises UsageError, SettingsError and LoadError for what was given wrong.
    """
    arms = tuple(dict.fromkeys([*options.arms, *CONTROLS]))
    known = known_arms()
    for name in arms:
        if name in INSTEAD:
            raise UsageError(
                f"{name} is no arm, since it ranks passages by its profile; name one of"
                f" {', '.join(INSTEAD[name])}"
            )
        if name not in known:
            raise UsageError(f"unknown arm {name!r}; known: {', '.join(known)}")
    baseline = chosen_baseline(options.baseline, arms)
    if SPLIT in arms and not settings.llm:
        raise SettingsError(
            f"the arm {SPLIT} asks a language model to split each question: name one with --llm,"
            " e.g. --llm qwen"
        )
    if RERANKED in arms and not settings.reranker:
        raise SettingsError(
            f"the arm {RERANKED} needs a reranker: --reranker FOLDER, or a name of the model hub"
        )
    if RERANKED in arms and options.prompts:
        raise UsageError(
            f"the arm {RERANKED} writes no prompts of its own; leave out --prompts, or the arm"
        )
    _check_pruner(options, arms)
    if options.out is not None:
        check_folder(options.out)
    loaded = load_questions(
        options,
        load_set,
        partial(load_own, enough=Enough(options.limit, lambda q: options.half.holds(q.row))),
    )
    chosen = tuple(q for q in loaded.questions if options.half.holds(q.row))[: options.limit]
    if not chosen:
        raise UsageError(
            f"the half {options.half} of {loaded.name} has no question; take --half all"
        )
    return RunPlan(
        loaded,
        chosen,
        _scopes(loaded, options),
        arms,
        baseline,
        options.prompts,
    )


def _check_pruner(options: EvaluateOptions, arms: Sequence[str]) -> None:
    """Raises UsageError, LoadError or SettingsError unless there is a checkpoint where the arm
    `gcn` runs, and none else.
    """
    if GCN not in arms:
        if options.pruner is not None:
            raise UsageError(
                f"--pruner is for the arm {GCN}; add it to --arms, or leave --pruner out"
            )
        return
    if options.pruner is None:
        raise UsageError(
            f"the arm {GCN} needs a trained pruner: --pruner FOLDER, that of `dynagrag train"
            " pruner`"
        )
    if options.prompts:
        raise UsageError(f"the arm {GCN} writes no prompts; leave out --prompts, or the arm")
    check_extras(f"the arm {GCN}", {"torch_geometric": "train"})
    from dynagrag.checkpoints.checkpoints import read_description

    read_description(options.pruner, KIND)


def load_questions(
    options: EvaluateOptions,
    of_set: Callable[[str, Path, str | None], EvaluationSet],
    of_file: Callable[[Path], EvaluationSet],
) -> EvaluationSet:
    """The questions of a set or of a file. Raises UsageError and LoadError for what was given
    wrong.
    """
    if (options.dataset is None) == (options.questions is None):
        raise UsageError(
            "name what to evaluate: --dataset NAME --data FOLDER, or --questions FILE with"
            " --workspace"
        )
    if options.extractor not in SET_EXTRACTORS:
        raise UsageError(
            f"unknown extractor {options.extractor!r}; known: {', '.join(SET_EXTRACTORS)}"
        )
    if options.given is not None and options.extractor != FILE:
        raise UsageError(f"--given is for --extractor {FILE}; add that, or leave it out")
    if options.questions is not None:
        return of_file(options.questions)
    assert options.dataset is not None
    if options.data is None:
        raise UsageError(
            f"say where {options.dataset} lies: --data FOLDER, the folder that holds multihop/ and"
            " transcript_qa/"
        )
    return of_set(options.dataset, options.data, options.part)


def _scopes(loaded: EvaluationSet, options: EvaluateOptions) -> tuple[Scope, ...]:
    if options.scope is None:
        return loaded.scopes
    if options.scope not in loaded.scopes:
        raise UsageError(
            f"{loaded.name} has no scope {options.scope}; it has: {', '.join(loaded.scopes)}"
        )
    return (options.scope,)
