"""The sets of GraphQA by name, from files that lie there."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.ids import content_id
from dynagrag.evaluation.graphqa.expla_graphs import load_expla_graphs
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, Part
from dynagrag.evaluation.graphqa.path_questions import load_path_questions
from dynagrag.evaluation.graphqa.scene_graphs import load_scene_graphs
from dynagrag.evaluation.graphqa.web_questions import load_web_questions
from dynagrag.evaluation.question_sets.question_set import DataFile

ALL = "all"
"""In place of a split: the rows of all."""
_HASH_DIGITS = 12


@dataclass(frozen=True, slots=True)
class GraphSet:
    """A set's questions of all parts, the files that they are of, and how many rows were left out,
    by reason.
    """

    name: str
    questions: tuple[GraphQuestion, ...]
    files: tuple[DataFile, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)

    def of(self, part: Part | None) -> list[GraphQuestion]:
        """The questions of a part, None: of all. UsageError where there is none."""
        found = [question for question in self.questions if part is None or question.part is part]
        if not found:
            wanted = "rows" if part is None else f"rows of the split {part.value!r}"
            raise UsageError(f"{self.name} has no {wanted} in these files; see --data and --split")
        return found


def load_graph_set(dataset: str, data: Path) -> GraphSet:
    """A set by its name. UsageError for an unknown one, LoadError for files that are missing or not
    of their form.
    """
    dataset = ALIASES.get(dataset, dataset)
    if dataset not in LOADERS:
        raise UsageError(f"there is no set {dataset!r} of GraphQA; known: {', '.join(LOADERS)}")
    found = LOADERS[dataset](dataset, data)
    counts = Counter(question.id for question in found.questions)
    if doubles := [id_ for id_, count in counts.items() if count > 1]:
        files = ", ".join(file.name for file in found.files)
        raise LoadError(
            f"the id {doubles[0]!r} stands {counts[doubles[0]]} times in {files}; keep one of them,"
            " or give each its own id"
        )
    return found


def _explagraphs(dataset: str, data: Path) -> GraphSet:
    questions, files = load_expla_graphs(data)
    return GraphSet(dataset, tuple(questions), files)


def _scenegraphs(dataset: str, data: Path) -> GraphSet:
    questions, files, left_out = load_scene_graphs(data)
    return GraphSet(dataset, tuple(questions), files, left_out)


def _web(dataset: str, data: Path) -> GraphSet:
    questions, files, left_out = load_web_questions(data, dataset)
    return GraphSet(dataset, tuple(questions), files, left_out)


def _paths(part: str, dataset: str, data: Path) -> GraphSet:
    questions, files = load_path_questions(data, part)
    return GraphSet(dataset, tuple(questions), files)


LOADERS: Mapping[str, Callable[[str, Path], GraphSet]] = {
    "explagraphs": _explagraphs,
    "scenegraphs": _scenegraphs,
    "webqsp": _web,
    "cwq": _web,
    **{part.lower(): partial(_paths, part) for part in ("PQ-2H", "PQ-3H", "PQL-2H", "PQL-3H")},
}
ALIASES: Mapping[str, str] = {"expla_graphs": "explagraphs", "scene_graphs": "scenegraphs"}
"""Names that the authors' code has for sets."""


def digest_of_rows(questions: Sequence[GraphQuestion]) -> str:
    """A hash of what is asked."""
    return content_id(*(text for q in questions for text in (q.id, *_row(q))))


def row_hash(question: GraphQuestion) -> str:
    """A short hash of a row, whatever its number in a file."""
    return content_id(*_row(question))[:_HASH_DIGITS]


def _row(question: GraphQuestion) -> tuple[str, ...]:
    return (
        question.question,
        question.label,
        *question.graph.nodes,
        *(label for _, label, _ in question.graph.edges),
    )
