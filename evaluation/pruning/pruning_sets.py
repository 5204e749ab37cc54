"""Question sets whose support is known, in the files of --data. Over knowledge graphs (in graphqa/
if there is one):

    pathquestion    PQ-2H, PQ-3H, PQL-2H or PQL-3H (--part): question, answer and the path of facts
                    from the one entity to the other
    webqsp          the triples that were labelled as relevant to a question

Support is each entity and each pair of a path or of the relevant triples. Over passages:
`two_wiki.py`.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from dynagrag.config.settings import Settings
from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.ids import content_id
from dynagrag.core.protocols import Embedder
from dynagrag.evaluation.pruning.answer_support import Support, example_of
from dynagrag.evaluation.pruning.pruning_example import Part, PruningExample, Split, split_by_group
from dynagrag.evaluation.pruning.triple_graph import Triple, TripleGraph, words
from dynagrag.evaluation.pruning.two_wiki import load_two_wiki, triples_of
from dynagrag.evaluation.question_sets.json_rows import Row, find_file, read_lines_of, read_rows
from dynagrag.evaluation.question_sets.question_set import DataFile
from dynagrag.ingest.pipeline import Progress
from dynagrag.retrieval.pruning.network_input import Form

_GRAPHS = {"PQ-2H": "2H-kb", "PQ-3H": "3H-kb", "PQL-2H": "PQL2-KB", "PQL-3H": "PQL3-KB"}
_END = "#<end>#"


@dataclass(frozen=True, slots=True)
class TripleQuestion:
    """A question with the entity that it is about and the triples that support its answer. `group`:
    see PruningExample. `answers`: the names of entities that are right, where they were read.
    """

    id: str
    text: str
    topic: str
    support: tuple[Triple, ...]
    group: str
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PruningSet:
    """Questions over a graph of triples, and the files that they are of."""

    name: str
    triples: tuple[Triple, ...]
    questions: tuple[TripleQuestion, ...]
    files: tuple[DataFile, ...]
    form: ClassVar[Form] = "distances"

    @property
    def asked(self) -> str:
        """A hash of what is asked."""
        return content_id(
            *(
                part
                for q in self.questions
                for part in (q.id, q.text, *("\t".join(t) for t in q.support))
            )
        )

    def examples(
        self, settings: Settings, embedder: Embedder, parts: Collection[Part], progress: Progress
    ) -> Split:
        """All questions, split by the entity that they ask about."""
        return split_by_group(examples_of(self, embedder))


class Questions(Protocol):
    """A set to train and measure pruners on. `asked`: a hash of what it asks. `form`: of the
    network that suits its graphs.
    """

    form: ClassVar[Form]

    @property
    def name(self) -> str:
        """The set, with its part."""

    @property
    def files(self) -> tuple[DataFile, ...]:
        """The files that were read."""

    @property
    def asked(self) -> str:
        """A hash of what is asked."""

    def examples(
        self, settings: Settings, embedder: Embedder, parts: Collection[Part], progress: Progress
    ) -> Split:
        """The examples by what they serve, at least those of `parts`."""


def load_pruning_set(dataset: str, data: Path, part: str | None = None) -> Questions:
    """A set by its name. UsageError for an unknown one, LoadError for files that are missing or not
    of their form.
    """
    if dataset not in LOADERS:
        raise UsageError(
            f"there is no set {dataset!r} to measure pruners on; known: {', '.join(LOADERS)}"
        )
    return LOADERS[dataset](data, part)


def made_of_set(questions: Questions) -> dict[str, Any]:
    """Identity of a set, for what is made of it: its name, its files with hashes, and a hash of
    what it asks.
    """
    return {
        "dataset": questions.name,
        "files": {file.name: file.sha256 for file in questions.files},
        "asked": questions.asked,
    }


def examples_of(pruning_set: PruningSet, embedder: Embedder) -> list[PruningExample]:
    """The set's questions with the ego-graphs of their topics. Those whose topic the graph lacks,
    or without support, are left out.
    """
    graph = TripleGraph(pruning_set.triples, embedder.embed_documents)
    examples = []
    for question in pruning_set.questions:
        topic = graph.number(question.topic)
        if topic is None or not question.support:
            continue
        nodes, pairs = {topic}, set[tuple[int, int]]()
        for head, _, tail in question.support:
            ends = [end for name in (head, tail) if (end := graph.number(name)) is not None]
            nodes.update(ends)
            if len(set(ends)) == 2:
                pairs.add((min(ends), max(ends)))
        examples.append(
            example_of(
                question.id,
                question.text,
                question.group,
                embedder.embed_query(question.text),
                [graph.ego_graph(topic)],
                Support(frozenset(nodes), frozenset(pairs)),
            )
        )
    return examples


def load_pathquestion(data: Path, part: str | None) -> PruningSet:
    """PathQuestion, by default PQ-2H. UsageError for a part that there isn't, LoadError for files
    that are missing or broken.
    """
    part = part or "PQ-2H"
    if part not in _GRAPHS:
        raise UsageError(f"pathquestion has no part {part!r}; known: {', '.join(_GRAPHS)}")
    folder = _graphs_folder(data) / "pathquestion"
    rows, asked = read_lines_of(folder / f"{part}.txt")
    triples, graph = read_triples(folder / f"{_GRAPHS[part]}.txt")
    questions = tuple(_path_question(folder / f"{part}.txt", i, line) for i, line in rows)
    return PruningSet(f"pathquestion {part}", triples, questions, (asked, graph))


def _graphs_folder(data: Path) -> Path:
    """Where the sets over knowledge graphs lie: in the folder's graphqa/ if it has one, else in
    it.
    """
    inside = data / "graphqa"
    return inside if inside.is_dir() else data


def read_triples(path: Path, has_head: bool = False) -> tuple[tuple[Triple, ...], DataFile]:
    """The facts of a file, one a line, after a line of column names where it has one, and its
    hash.
    """
    lines, file = read_lines_of(path)
    triples = []
    for number, line in lines[int(has_head) :]:
        head, label, tail, *_ = (*line.split("\t"), "", "", "")
        if not (head and label and tail):
            raise LoadError(
                f"{path}, line {number}: a fact has head, relation and tail, with tabs between them"
            )
        triples.append((head, label, tail))
    return tuple(triples), file


def _path_question(path: Path, number: int, line: str) -> TripleQuestion:
    parts = line.split("\t")
    steps = parts[2].split(_END)[0].split("#") if len(parts) == 3 else []
    if len(steps) < 3 or len(steps) % 2 == 0:
        raise LoadError(
            f"{path}, line {number}: a question has text, answers and a path e#r#e, with tabs"
            " between them"
        )
    support = tuple((steps[i], steps[i + 1], steps[i + 2]) for i in range(0, len(steps) - 2, 2))
    # answers are "end(all/that/are/right/)", where the path's last entity may have brackets itself
    text, end = parts[1], steps[-1]
    listed = text[len(end) + 1 : -1] if text.startswith(f"{end}(") and text.endswith(")") else text
    answers = tuple(dict.fromkeys(name for name in listed.split("/") if name.strip())) or (end,)
    return TripleQuestion(str(number), words(parts[0]), steps[0], support, steps[0], answers)


def _webqsp(data: Path, part: str | None) -> PruningSet:
    folder = _graphs_folder(data)
    rows, asked = read_rows(find_file(folder, "webqsp_questions"))
    triples, graph = read_triples(folder / "webqsp_kg.tsv.gz", has_head=True)
    questions = (_webqsp_question(row) for row in rows)
    return PruningSet("webqsp", triples, tuple(q for q in questions if q), (asked, graph))


def _webqsp_question(row: Row) -> TripleQuestion | None:
    """None where it names no entity or has no triple."""
    topics = row.strings(_list(row, "q_entity"), "q_entity")
    support = triples_of(row, "triples") if _list(row, "triples") else ()
    if not topics or not support:
        return None
    return TripleQuestion(row.id("id"), row.text("question"), topics[0], support, topics[0])


def _list(row: Row, name: str) -> list[Any]:
    return [] if row.values.get(name) == [] else row.items(name)


LOADERS: Mapping[str, Callable[[Path, str | None], Questions]] = {
    "pathquestion": load_pathquestion,
    "webqsp": _webqsp,
    "2wiki": load_two_wiki,
}
