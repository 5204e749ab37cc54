"""WebQSP and ComplexWebQuestions (CWQ): questions over Freebase whose answers are lists of entities
(docs/papers.md, GraphQA). Two forms:

    a graph of each question's own   RoG's (`RoG-webqsp/` or `RoG-cwq/` with train*, validation* and
                                     test*, .jsonl[.gz] or .parquet, or RoG-webqsp*.jsonl[.gz]): id,
                                     question, answer, q_entity, graph (head, relation, tail)
    a graph that all share           webqsp_questions*.jsonl[.gz] or cwq_questions*: id, question,
                                     answers, q_entity, over webqsp_kg.tsv[.gz] or cwq_kg.tsv[.gz];
                                     a question's graph is what lies round its entities, as pruners
                                     get it

A row serves what its field `split` says, else its file's name, else what a hash decides: of its
first entity in WebQSP, as for pruners, and in CWQ of the WebQSP question that it was made from. A
training row that shares an entity with a row to measure on is left out then.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from dynagrag.core.errors import LoadError
from dynagrag.evaluation.graphqa.graph_question import (
    PARTS,
    AnswerForm,
    GraphQuestion,
    LateGraph,
    Part,
    TextGraph,
)
from dynagrag.evaluation.pruning.pruning_example import part_of
from dynagrag.evaluation.pruning.pruning_sets import read_triples
from dynagrag.evaluation.pruning.triple_graph import Triple, TripleGraph
from dynagrag.evaluation.pruning.two_wiki import triples_of
from dynagrag.evaluation.question_sets.json_rows import SUFFIXES, Row, each_row
from dynagrag.evaluation.question_sets.parquet_rows import parquet_rows
from dynagrag.evaluation.question_sets.question_set import DataFile
from dynagrag.language.word_runs import words
from dynagrag.retrieval.passages import WordScores, best_rows
from dynagrag.retrieval.steiner.steiner_tree import TreeOptions

_TREE = TreeOptions()
_WORD = re.compile(r"\w+")
_PART = re.compile(rf"(?<![a-z0-9])({'|'.join(PARTS)})(?![a-z0-9])")
_NUM_NEAREST = 3
_ROG_SUFFIXES = (*SUFFIXES, ".parquet")


@dataclass(frozen=True, slots=True)
class _WebQuestion:
    """A question with the entities that its graph was cut out round, and whether something else
    than a hash says what it serves.
    """

    question: GraphQuestion
    topics: tuple[str, ...]
    is_given_part: bool


def load_web_questions(
    data: Path, name: str
) -> tuple[list[GraphQuestion], tuple[DataFile, ...], Counter[str]]:
    """All questions with an answer of `webqsp` or `cwq`, the files, and how many rows were left
    out, by reason.

    Raises LoadError for files that are missing or a broken row.
    """
    paths = _found(data, f"RoG-{name}", _ROG_SUFFIXES) or _found(
        data, f"{name}_questions", SUFFIXES
    )
    if not paths:
        raise LoadError(
            f"neither {name}_questions.jsonl[.gz] nor RoG-{name} lies in {data} or its graphqa/;"
            " see --data"
        )
    reader = _Reader(data, name)
    asked = [own for path in paths for own in reader.questions(path)]
    held = {
        topic
        for own in asked
        if own.question.part is not Part.TRAIN and not own.is_given_part
        for topic in own.topics
    }
    kept = [
        own
        for own in asked
        if own.is_given_part or own.question.part is not Part.TRAIN or held.isdisjoint(own.topics)
    ]
    if len(kept) < len(asked):
        reader.left_out["training rows that share an entity with a row to measure on"] = len(
            asked
        ) - len(kept)
    return [own.question for own in kept], tuple(reader.files), reader.left_out


def _found(data: Path, stem: str, suffixes: Sequence[str]) -> list[Path]:
    patterns = [
        pattern for suffix in suffixes for pattern in (f"{stem}*{suffix}", f"{stem}/**/*{suffix}")
    ]
    return sorted(
        {
            path
            for folder in (data, data / "graphqa")
            for pattern in patterns
            for path in folder.glob(pattern)
        }
    )


class _Reader:
    """Reads rows; the shared graph only where one needs it."""

    def __init__(self, data: Path, name: str) -> None:
        self._data = data
        self._name = name
        self.files: list[DataFile] = []
        self.left_out: Counter[str] = Counter()

    def questions(self, path: Path) -> Iterator[_WebQuestion]:
        rows, file = parquet_rows(path) if path.suffix == ".parquet" else each_row(path)
        self.files.append(file)
        named = _PART.search(path.name.lower())
        of_file = PARTS[named.group(1)] if named else None
        for row in rows:
            answers = _strings(row, "answers" if "answers" in row.values else "answer")
            if answers:
                yield self._asked(row, answers, of_file)
            else:
                self.left_out["rows without an answer"] += 1

    def _asked(self, row: Row, answers: tuple[str, ...], of_file: Part | None) -> _WebQuestion:
        asked, id_, entities = row.text("question"), row.id("id"), _strings(row, "q_entity")
        if "graph" in row.values:
            topics, graph = (
                entities,
                _graph(triples_of(row, "graph") if row.values["graph"] else ()),
            )
        else:
            topics = tuple(
                t for t in entities if self._shared.number(t) is not None
            ) or self._names.find(asked)
            graph = LateGraph(partial(self._cut_out, topics))
        given = _given_part(row) or of_file
        part = given or part_of(
            id_.split("_")[0] if self._name == "cwq" else (*entities, *topics, id_)[0]
        )
        prompt, label = f"Question: {asked}\nAnswer: ", "|".join(answers).lower()
        return _WebQuestion(
            GraphQuestion(id_, prompt, asked, graph, answers, label, part, AnswerForm.LIST, _TREE),
            topics,
            given is not None,
        )

    def _cut_out(self, topics: tuple[str, ...]) -> TextGraph:
        return _graph(self._shared.near(topics))

    @cached_property
    def _shared(self) -> TripleGraph:
        name = f"{self._name}_kg"
        found = [
            path
            for folder in (self._data, self._data / "graphqa")
            for path in sorted(folder.glob(f"{name}.tsv*"))
        ]
        if not found:
            raise LoadError(
                f"no {name}.tsv[.gz] in {self._data} or its graphqa/, and the questions have no"
                " graphs of their own"
            )
        triples, file = read_triples(found[0], has_head=True)
        self.files.append(file)
        return TripleGraph(triples)

    @cached_property
    def _names(self) -> "_NamedEntities":
        return _NamedEntities(self._shared.names)


class _NamedEntities:
    """Finds the entities that a question names where a row doesn't say them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._of = {
            tuple(_WORD.findall(name)): name for name in reversed(names) if name[:1].isupper()
        }
        self._longest = max(map(len, self._of), default=0)
        self._scores = WordScores.of(map(words, names))

    def find(self, question: str) -> tuple[str, ...]:
        """Those whose capitalised names stand in it, longer ones first; else the three that share
        most words with it (BM25).
        """
        tokens, found, place = tuple(_WORD.findall(question)), [], 0
        while place < len(tokens):
            sizes = range(min(self._longest, len(tokens) - place), 0, -1)
            size = next((size for size in sizes if tokens[place : place + size] in self._of), 0)
            if size:
                found.append(self._of[tokens[place : place + size]])
            place += size or 1
        if found:
            return tuple(dict.fromkeys(found))
        scores = self._scores.scores(question, len(self._names))
        return tuple(
            self._names[row]
            for row in best_rows(scores, _NUM_NEAREST).tolist()
            if np.greater(scores[row], 0)
        )


def _graph(triples: Sequence[Triple]) -> TextGraph:
    """Names in lower case, relations as they are."""
    return TextGraph.of_triples(
        (head.lower(), sys.intern(relation), tail.lower()) for head, relation, tail in triples
    )


def _given_part(row: Row) -> Part | None:
    value = row.values.get("split")
    if value is None:
        return None
    if str(value).lower() not in PARTS:
        raise LoadError(f"{row.place}: 'split' is {value!r}; it must be train, validation or test")
    return PARTS[str(value).lower()]


def _strings(row: Row, name: str) -> tuple[str, ...]:
    """A list of texts that may be missing or empty."""
    return row.texts(name) if row.values.get(name) else ()
