"""A workspace's questions as examples of soft prompts: what `ask --soft` would read of each, and
the cited answer that is learned.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dynagrag.core.ids import content_id
from dynagrag.core.schema import Evidence, Question
from dynagrag.evaluation.pruning.pruning_example import Part
from dynagrag.evaluation.pruning.training_questions import (
    TrainingQuestion,
    digest_questions,
    make_questions_of,
    read_questions,
    split_questions,
)
from dynagrag.generation.answer_prompt import all_evidence
from dynagrag.generation.soft_prompt.soft_answers import SYSTEMS, lines_read, soft_example
from dynagrag.generation.soft_prompt.soft_reading import soft_reading
from dynagrag.generation.soft_prompt.soft_text import SoftText, TokenBudget
from dynagrag.ingest.pipeline import Progress
from dynagrag.workspace.asking import AnswerOverrides
from dynagrag.workspace.facade import AskOptions, Workspace
from dynagrag.workspace.workspace_pruner import VERSION, asked_pruner
from dynagrag.workspace.workspace_soft_prompt import PRUNER

if TYPE_CHECKING:
    from dynagrag.generation.soft_prompt.soft_example import SoftExample

UNANSWERED = "it has no answer to learn"


@dataclass(frozen=True, slots=True)
class AskedExample:
    """A question as it is read, and its answer without marks. `has_line`: whether a line that
    states the answer is among those read.
    """

    example: "SoftExample"
    answer: str
    has_line: bool


class WorkspaceSoftExamples:
    """Questions of a file, or made now without a model, as far as they have an answer. `found`: by
    what they serve, and what was left out.

    `made_of`: the same for the same questions and graph. Errors as in
    `pruning.workspace_examples.WorkspaceQuestions`.
    """

    def __init__(self, space: Workspace, method: str, file: Path | None) -> None:
        self._space, self._system, self._snapshot = (
            space,
            SYSTEMS[method],
            space.current_graph.snapshot(),
        )
        self._pruner = asked_pruner(
            space.settings, None, self._system.profile.name, self._system.retriever, is_pruned=True
        )
        questions = read_questions(file) if file else make_questions_of(self._snapshot)
        self.num_asked = len(questions)
        found = split_questions(questions, self._snapshot)
        kept = {part: [row for row in rows if row[0].answer] for part, rows in found.parts.items()}
        num_lost = sum(map(len, found.parts.values())) - sum(map(len, kept.values()))
        self.found = replace(
            found, parts=kept, left_out=found.left_out + Counter({UNANSWERED: num_lost})
        )
        self.made_of: dict[str, Any] = {
            "workspace": space.name,
            "questions": digest_questions(questions),
            "answers": content_id(*(question.answer for question in questions)),
            "graph": space.store.digest(),
            VERSION: self._snapshot.version,
            PRUNER: space.questions.pruner_identity(self._pruner),
        }

    def examples(
        self, token_budget: TokenBudget, progress: Progress, max_rows: int | None = None
    ) -> Mapping[Part, list[AskedExample]]:
        """The examples by what they serve, as `ask --soft` puts questions: what it reads of each,
        whose text fits this budget. `max_rows`: of each part at most.
        """
        asked = {part: self.found.parts[part][:max_rows] for part in Part}
        total, done = sum(map(len, asked.values())), 0
        plan = self._space.questions.plan(AskOptions(), None, AnswerOverrides(system=self._system))
        split: dict[Part, list[AskedExample]] = {part: [] for part in Part}
        for part, rows in asked.items():
            for question, _ in rows:
                progress("retrieve", done, total)
                own = Question(
                    question.text,
                    self._space.questions.query_vector(question.text),
                )
                read = soft_reading(own, plan, token_budget)
                line = line_of_answer(question, self._lines(read.text))
                label = f"{question.answer} [{line.label}]" if line else question.answer
                example = soft_example(
                    plan.view.snapshot, own, read.retrieval.subgraphs, read.text.text, label
                )
                split[part].append(AskedExample(example, question.answer, line is not None))
                done += 1
        progress("retrieve", total, total)
        return split

    def _lines(self, text: SoftText) -> list[Evidence]:
        """The lines that the system reads."""
        evidence = all_evidence(text.prompts)
        return (
            [evidence[label] for label in lines_read(evidence, text.text)]
            if self._system.parts.has_text
            else []
        )


def line_of_answer(question: TrainingQuestion, evidence: Sequence[Evidence]) -> Evidence | None:
    """The line to cite: the first that holds the answer's words, of what the question was made of
    where there is such a line.
    """
    answer = question.answer.casefold()
    holding = [line for line in evidence if answer in line.quote.casefold()]
    own = [
        line
        for line in holding
        if line.id in (*question.provenance.passages, *question.provenance.records)
    ]
    return next(iter(own or holding), None)
