"""A workspace's questions as examples of pruners: supported ones, in folds of whole documents, with
the subgraphs that their answers would get.
"""

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dynagrag.evaluation.pruning.answer_support import Support, SupportFinder
from dynagrag.evaluation.pruning.pruning_example import PruningExample
from dynagrag.evaluation.pruning.retrieved_examples import RetrievedExamples
from dynagrag.evaluation.pruning.training_questions import (
    TrainingQuestion,
    digest_questions,
    fold_questions,
    make_questions_of,
    read_questions,
)
from dynagrag.ingest.pipeline import Progress
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.workspace_pruner import VERSION

NUM_FOLDS = 5
UNSUPPORTED = "the graph has nothing of what the question was made of"
QUESTIONS = "questions"
"""Of what a checkpoint was made of: a hash of the questions."""
_GOLD_SHARE = 0.5
"""How often the ego-graph of what a training question asks about is added: retrieval may miss it,
and then there is nothing to learn.
"""


@dataclass(frozen=True, slots=True)
class Fold:
    """Questions of some documents, whole ones: the examples as they are measured, and the same as
    they are learned from.
    """

    measured: list[PruningExample] = field(default_factory=list)
    learned: list[PruningExample] = field(default_factory=list)


class WorkspaceQuestions:
    """Questions of a file, or made now without a model, as far as the workspace's graph holds what
    they were made of.

    `found`: by fold, and what was left out. `num_asked`: how many there were. `num_documents`: in
    the workspace. `made_of`: the same for the same questions and graph.

    Raises LoadError where the file can't be read, UsageError where two documents have a name that
    it gives, WorkspaceError where there is nothing to ask about.
    """

    def __init__(self, space: Workspace, file: Path | None) -> None:
        self._space = space
        self._snapshot = space.current_graph.snapshot()
        self._finder = SupportFinder(self._snapshot)
        questions = read_questions(file) if file else make_questions_of(self._snapshot)
        self.num_asked, self.num_documents = len(questions), len(self._snapshot.documents)
        found = fold_questions(questions, self._snapshot, NUM_FOLDS)
        # without the questions of which the graph holds nothing
        kept = [[row for row in fold if self._support(row[0]).nodes] for fold in found.folds]
        num_lost = sum(map(len, found.folds)) - sum(map(len, kept))
        self.found = replace(
            found,
            folds=kept,
            num_documents=len({document for fold in kept for _, document in fold}),
            left_out=found.left_out + Counter({UNSUPPORTED: num_lost}),
        )
        self.made_of: dict[str, Any] = {
            "workspace": space.name,
            QUESTIONS: digest_questions(questions),
            "graph": space.store.digest(),
            VERSION: self._snapshot.version,
        }

    def folds(self, progress: Progress, seed: int = 0) -> list[Fold]:
        """The examples by fold. Retrieval is that of answers; an example that is learned from gets
        what is asked about in half of all cases, which `seed` draws.
        """
        maker = RetrievedExamples(self._space)
        number = {entity.id: i for i, entity in enumerate(self._snapshot.graph.entities)}
        total, done = sum(map(len, self.found.folds)), 0
        folds = []
        for rows in self.found.folds:
            fold = Fold()
            for question, document in rows:
                progress("retrieve", done, total)
                support = self._support(question)
                measured = maker.example(question.id, question.text, document, support)
                named = (number[id_] for id_ in question.provenance.entities if id_ in number)
                is_added = random.Random(f"{seed} {question.id}").random() < _GOLD_SHARE
                centre = next(named, None) if is_added else None
                fold.measured.append(measured)
                fold.learned.append(
                    measured if centre is None else maker.with_centre(measured, support, centre)
                )
                done += 1
            folds.append(fold)
        progress("retrieve", total, total)
        return folds

    def _support(self, question: TrainingQuestion) -> Support:
        made_of = question.provenance
        return self._finder.find(made_of.entities, made_of.records, made_of.passages)
