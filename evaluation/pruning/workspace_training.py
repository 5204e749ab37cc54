"""Training a pruner on a workspace of one's own: its questions, what they were made of as labels, and its documents kept apart."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dynagrag.errors import UsageError
from dynagrag.evaluation.pruning.pruner_runs import HowToTrain, PrunerFigures, beats_prior, train_and_measure
from dynagrag.evaluation.pruning.pruning_example import MIN_EXAMPLES, Part, PruningExample
from dynagrag.evaluation.pruning.retrieved_examples import RetrievedExamples
from dynagrag.evaluation.pruning.support import Support, SupportFinder
from dynagrag.evaluation.pruning.training_questions import (
    SplitQuestions,
    TrainingQuestion,
    digest_questions,
    make_questions_of,
    read_questions,
    split_questions,
)
from dynagrag.ingest.pipeline import Progress
from dynagrag.settings import Settings
from dynagrag.text import plural
from dynagrag.workspace.facade import Workspace, open_workspace
from dynagrag.workspace.workspace_pruner import VERSION, is_default, pruner_folder

if TYPE_CHECKING:
    from dynagrag.training.training_loop import Epoch

LEAST: Mapping[Part, int] = {Part.TRAIN: MIN_EXAMPLES, Part.VALIDATION: 5, Part.TEST: 10}
"""Questions: to learn anything, to choose the epoch by, and for an interval to say something."""
_PURPOSES: Mapping[Part, str] = {Part.TRAIN: "to train on", Part.VALIDATION: "to choose the epoch by", Part.TEST: "to measure on"}
MIN_DOCUMENTS = 3
UNSUPPORTED = "the graph has nothing of what the question was made of"
_GOLD_SHARE = 0.5
"""How often the ego-graph of what a training question asks about is added: retrieval may miss it, and then there is nothing to learn."""


@dataclass(frozen=True, slots=True)
class WorkspaceTrainOptions(HowToTrain):
    """What to train on, and how. `workspace`: its name; `questions`: a file of them; None: they are made now, without a model."""

    workspace: str
    questions: Path | None = None


@dataclass(frozen=True, slots=True)
class WorkspaceTraining:
    """What a training came to: questions by part, those left out by reason, documents, and the figures of the prior and the pruner.
    `has_replaced` false: the checkpoint that was there beat the prior and this one didn't, so that one stays.
    """

    questions: Mapping[str, int]
    left_out: Mapping[str, int]
    num_documents: int
    figures: Sequence[PrunerFigures]
    has_replaced: bool = True


def train_on_workspace(
    settings: Settings,
    options: WorkspaceTrainOptions,
    progress: Progress | None = None,
    on_epoch: "Callable[[Epoch], None] | None" = None,
) -> WorkspaceTraining:
    """Trains a pruner on a workspace's questions and writes its checkpoint into `options.out`.

    A training in the workspace's own folder that was begun with other settings, questions or another graph is dropped; a checkpoint there
    stays until the new one is done.

    Raises:
        UsageError: Something was given wrong, or there are too few questions or documents.
        LoadError: The file of questions can't be read.
        WorkspaceError: There is no such workspace, or nothing in it to ask about.
        SettingsError: A library is missing.
    """
    options.check()
    given = read_questions(options.questions) if options.questions else None
    with open_workspace(options.workspace, settings=settings, create=False) as space:
        snapshot = space.snapshot()
        questions = make_questions_of(snapshot) if given is None else given
        finder = SupportFinder(snapshot)
        found = _supported(split_questions(questions, snapshot), finder)
        _check_enough(found, len(questions), options)
        kept = replace(found, parts={**found.parts, Part.TRAIN: found.parts[Part.TRAIN][: options.max_examples]})
        split = _examples(space, kept, finder, options.seed, progress or (lambda *_: None))
        made_of = {
            "workspace": space.name,
            "questions": digest_questions(questions),
            "graph": space.store.digest(),
            VERSION: snapshot.version,
        }
        own = options.out == pruner_folder(settings, space.name)
        stays = own and is_default(options.out)
        figures = train_and_measure(split, options, space.embedder.identity, made_of, on_epoch, begins_anew=own)
    return WorkspaceTraining(
        {part.value: len(rows) for part, rows in split.items()},
        found.left_out,
        found.num_documents,
        figures,
        not stays or beats_prior(figures[-1]),
    )


def _support(finder: SupportFinder, question: TrainingQuestion) -> Support:
    made_of = question.provenance
    return finder.find(made_of.entities, made_of.records, made_of.passages)


def _supported(found: SplitQuestions, finder: SupportFinder) -> SplitQuestions:
    """Without the questions of which the graph holds nothing."""
    kept = {part: [row for row in rows if _support(finder, row[0]).nodes] for part, rows in found.parts.items()}
    num_lost = sum(map(len, found.parts.values())) - sum(map(len, kept.values()))
    return replace(found, parts=kept, left_out=found.left_out + Counter({UNSUPPORTED: num_lost}))


def _check_enough(found: SplitQuestions, num_asked: int, options: WorkspaceTrainOptions) -> None:
    if all(len(found.parts[part]) >= least for part, least in LEAST.items()):
        return
    counts = ", ".join(f"{len(found.parts[part])} {_PURPOSES[part]} ({least} are needed)" for part, least in LEAST.items())
    why = "; ".join(f"{count} x {reason}" for reason, count in found.left_out.most_common())
    remedy = (
        f"ingest more documents: {MIN_DOCUMENTS} are needed at least, since what is learned of one is measured on others"
        if found.num_documents < MIN_DOCUMENTS
        else f"make more with `dynagrag evaluate questions -w {options.workspace} --num {max(2 * num_asked, 200)} --out FILE`, and give "
        "them with --questions FILE"
    )
    raise UsageError(
        f"too few questions to train a pruner: {counts}, of {plural(found.num_documents, 'document')}"
        f"{f' (left out: {why})' if why else ''}; {remedy}"
    )


def _examples(
    space: Workspace, found: SplitQuestions, finder: SupportFinder, seed: int, progress: Progress
) -> dict[Part, list[PruningExample]]:
    """The examples by part. Retrieval is that of answers; training examples get what is asked about in half of all cases."""
    maker = RetrievedExamples(space)
    number = {entity.id: i for i, entity in enumerate(space.snapshot().graph.entities)}
    total, done = sum(map(len, found.parts.values())), 0
    split: dict[Part, list[PruningExample]] = {part: [] for part in Part}
    for part, rows in found.parts.items():
        for question, document in rows:
            progress("retrieve", done, total)
            is_added = part is Part.TRAIN and random.Random(f"{seed} {question.id}").random() < _GOLD_SHARE
            asked = next((number[id_] for id_ in question.provenance.entities if id_ in number), None) if is_added else None
            split[part].append(maker.example(question.id, question.text, document, _support(finder, question), asked))
            done += 1
    progress("retrieve", total, total)
    return split
