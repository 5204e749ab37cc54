"""A workspace's questions as examples of pruners: supported ones, split by documents, with the
subgraphs that their answers would get.
"""

import random
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from dynagrag.evaluation.pruning.answer_support import Support, SupportFinder
from dynagrag.evaluation.pruning.pruning_example import Part, Split
from dynagrag.evaluation.pruning.retrieved_examples import RetrievedExamples
from dynagrag.evaluation.pruning.training_questions import (
    TrainingQuestion,
    digest_questions,
    make_questions_of,
    read_questions,
    split_questions,
)
from dynagrag.ingest.pipeline import Progress
from dynagrag.workspace.facade import Workspace
from dynagrag.workspace.workspace_pruner import VERSION

UNSUPPORTED = "the graph has nothing of what the question was made of"
QUESTIONS = "questions"
"""Of what a checkpoint was made of: a hash of the questions."""
_GOLD_SHARE = 0.5
"""How often the ego-graph of what a training question asks about is added: retrieval may miss it,
and then there is nothing to learn.
"""


class WorkspaceQuestions:
    """Questions of a file, or made now without a model, as far as the workspace's graph holds what
    they were made of.

    `found`: by what they serve, and what was left out. `num_asked`: how many there were.
    `num_documents`: in the workspace. `made_of`: the same for the same questions and graph.
    Training and measuring get one split.

    Raises LoadError where the file can't be read, UsageError where it gives a document to two
    splits, WorkspaceError where there is nothing to ask about.
    """

    def __init__(self, space: Workspace, file: Path | None) -> None:
        self._space = space
        self._snapshot = space.current_graph.snapshot()
        self._finder = SupportFinder(self._snapshot)
        questions = read_questions(file) if file else make_questions_of(self._snapshot)
        self.num_asked, self.num_documents = len(questions), len(self._snapshot.documents)
        # without the questions of which the graph holds nothing
        found = split_questions(questions, self._snapshot)
        kept = {
            part: [row for row in rows if self._support(row[0]).nodes]
            for part, rows in found.parts.items()
        }
        num_lost = sum(map(len, found.parts.values())) - sum(map(len, kept.values()))
        self.found = replace(
            found, parts=kept, left_out=found.left_out + Counter({UNSUPPORTED: num_lost})
        )
        self.made_of: dict[str, Any] = {
            "workspace": space.name,
            QUESTIONS: digest_questions(questions),
            "graph": space.store.digest(),
            VERSION: self._snapshot.version,
        }

    def examples(
        self,
        parts: Collection[Part],
        progress: Progress,
        seed: int = 0,
        max_train: int | None = None,
    ) -> Split:
        """The examples of `parts`, in the order of Part. Retrieval is that of answers; training
        examples get what is asked about in half of all cases, which `seed` draws. `max_train`:
        training examples at most.
        """
        maker = RetrievedExamples(self._space)
        number = {entity.id: i for i, entity in enumerate(self._snapshot.graph.entities)}
        chosen = {
            part: self.found.parts[part][: max_train if part is Part.TRAIN else None]
            for part in Part
            if part in parts
        }
        total, done = sum(map(len, chosen.values())), 0
        split: Split = {part: [] for part in Part}
        for part, rows in chosen.items():
            for question, document in rows:
                progress("retrieve", done, total)
                is_added = (
                    part is Part.TRAIN
                    and random.Random(f"{seed} {question.id}").random() < _GOLD_SHARE
                )
                gold = (
                    next(
                        (number[id_] for id_ in question.provenance.entities if id_ in number), None
                    )
                    if is_added
                    else None
                )
                split[part].append(
                    maker.example(
                        question.id, question.text, document, self._support(question), gold
                    )
                )
                done += 1
        progress("retrieve", total, total)
        return split

    def _support(self, question: TrainingQuestion) -> Support:
        made_of = question.provenance
        return self._finder.find(made_of.entities, made_of.records, made_of.passages)
