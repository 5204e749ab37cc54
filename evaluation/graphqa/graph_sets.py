"""The sets of GraphQA by name, from files that lie there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dynagrag.errors import UsageError
from dynagrag.evaluation.graphqa.expla_graphs import load_expla_graphs
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, Part
from dynagrag.evaluation.question_sets.question_set import DataFile
from dynagrag.ids import content_id

LOADERS: Mapping[str, Callable[[Path], tuple[list[GraphQuestion], tuple[DataFile, ...]]]] = {"explagraphs": load_expla_graphs}


@dataclass(frozen=True, slots=True)
class GraphSet:
    """A set's questions of all parts, and the files that they are of."""

    name: str
    questions: tuple[GraphQuestion, ...]
    files: tuple[DataFile, ...]

    def of(self, part: Part) -> list[GraphQuestion]:
        """The questions of a part. UsageError where there is none."""
        found = [question for question in self.questions if question.part is part]
        if not found:
            raise UsageError(f"{self.name} has no rows of the split {part.value!r} in these files; see --data and --split")
        return found


def load_graph_set(dataset: str, data: Path) -> GraphSet:
    """A set by its name. UsageError for an unknown one, LoadError for files that are missing or not of their form."""
    if dataset not in LOADERS:
        raise UsageError(f"there is no set {dataset!r} of GraphQA; known: {', '.join(LOADERS)}")
    questions, files = LOADERS[dataset](data)
    return GraphSet(dataset, tuple(questions), files)


def digest_of(questions: Sequence[GraphQuestion]) -> str:
    """A hash of what is asked."""
    return content_id(*(text for q in questions for text in (q.id, q.question, q.label, *q.graph.nodes, *(e[1] for e in q.graph.edges))))
