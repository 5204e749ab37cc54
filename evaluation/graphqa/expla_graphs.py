"""ExplaGraphs: do two arguments support or counter each other, with a small graph of common sense
(G-Retriever, section 4).

Rows are tab-separated with a header: index, split (train, val, test), arg1, arg2, label, graph as
(head; relation; tail)(...). The authors' own file (train_dev.tsv of G-Retriever and GRAG, 2,766
rows) has no columns index and split: it gets the authors' split.
"""

import csv
import re
from collections.abc import Sequence
from pathlib import Path

from dynagrag.core.errors import LoadError
from dynagrag.evaluation.graphqa.graph_question import (
    PARTS,
    GraphQuestion,
    TextGraph,
    shuffled_parts,
)
from dynagrag.evaluation.question_sets.json_rows import read_lines_of
from dynagrag.evaluation.question_sets.question_set import DataFile

LABELS = ("support", "counter")
_ADDED = ("index", "split")
_COLUMNS = (*_ADDED, "arg1", "arg2", "label", "graph")
_NUM_ROWS = 2766
_FILES = ("expla_graphs*.tsv", "train_dev.tsv", "expla_graphs/train_dev.tsv")
_TRIPLE = re.compile(r"\(([^()]*)\)")
_GRAPH = re.compile(rf"(?:{_TRIPLE.pattern}\s*)+")
_MAX_NAMED = 10
_ASKED = (
    "Question: Do argument 1 and argument 2 support or counter each other? Answer in one word in"
    " the form of 'support' or 'counter'."
)


def load_expla_graphs(data: Path) -> tuple[list[GraphQuestion], tuple[DataFile, ...]]:
    """All rows of the files expla_graphs*.tsv or train_dev.tsv in the folder, or in its graphqa/.
    LoadError for a file that is missing, and for broken rows: what is wrong with the first of a
    file, and the lines of the others.
    """
    found = sorted(
        {
            path
            for folder in (data, data / "graphqa")
            for pattern in _FILES
            for path in folder.glob(pattern)
        }
    )
    if not found:
        raise LoadError(f"no {' or '.join(_FILES[:2])} in {data} or its graphqa/; see --data")
    questions, files = [], []
    for path in found:
        lines, file = read_lines_of(path)
        files.append(file)
        questions += _questions(path, lines)
    return questions, tuple(files)


def _questions(path: Path, lines: list[tuple[int, str]]) -> list[GraphQuestion]:
    head = lines[0][1].split("\t") if lines else []
    missing = [name for name in _COLUMNS if name not in head]
    if set(missing) == set(_ADDED) and len(lines) - 1 == _NUM_ROWS:
        return _authors_rows(path, head, lines[1:])
    if missing:
        without = (
            f"; only the authors' file of {_NUM_ROWS:,} rows goes without index and split"
            if set(missing) <= set(_ADDED)
            else ""
        )
        raise LoadError(
            f"{path}: the header lacks {', '.join(missing)}; it must name {', '.join(_COLUMNS)},"
            f" with tabs between them{without}"
        )
    return _questions_of(path, head, [(number, line.split("\t")) for number, line in lines[1:]])


def _authors_rows(
    path: Path, head: Sequence[str], lines: Sequence[tuple[int, str]]
) -> list[GraphQuestion]:
    """Their cells are quoted where they hold quotation marks; a row's index is its place, from
    0.
    """
    rows = [next(csv.reader([line], delimiter="\t")) for _, line in lines]
    parts = enumerate(shuffled_parts(len(rows)))
    cells = [
        (number, [str(i), part, *own])
        for (i, part), own, (number, _) in zip(parts, rows, lines, strict=True)
    ]
    return _questions_of(path, (*_ADDED, *head), cells)


def _questions_of(
    path: Path, head: Sequence[str], rows: Sequence[tuple[int, list[str]]]
) -> list[GraphQuestion]:
    questions: list[GraphQuestion] = []
    broken: dict[int, LoadError] = {}
    for number, cells in rows:
        try:
            questions.append(_question(f"{path}, line {number}", head, cells))
        except LoadError as err:
            broken[number] = err
    if broken:
        first, *others = broken
        named = ", ".join(map(str, others[:_MAX_NAMED])) + (
            " ..." if len(others) > _MAX_NAMED else ""
        )
        more = f"; {len(broken)} rows are broken, the others in: {named}" if others else ""
        raise LoadError(f"{broken[first]}{more}")
    return questions


def _question(place: str, head: Sequence[str], cells: Sequence[str]) -> GraphQuestion:
    if len(cells) != len(head):
        raise LoadError(f"{place}: it has {len(cells)} columns, the header {len(head)}")
    row = dict(zip(head, cells, strict=True))
    label, part = row["label"].strip().lower(), PARTS.get(row["split"].strip().lower())
    if label not in LABELS:
        raise LoadError(f"{place}: the label is {row['label']!r}; it must be support or counter")
    if part is None:
        raise LoadError(f"{place}: the split is {row['split']!r}; it must be train, val or test")
    triples = [
        tuple(text.strip().lower() for text in found.split(";"))
        for found in _TRIPLE.findall(row["graph"])
    ]
    if not _GRAPH.fullmatch(row["graph"].strip()) or any(
        len(triple) != 3 or not all(triple) for triple in triples
    ):
        raise LoadError(f"{place}: the graph must be (head; relation; tail)(...) and nothing else")
    asked = f"Argument 1: {row['arg1']}\nArgument 2: {row['arg2']}\n"
    graph = TextGraph.of_triples((head, relation, tail) for head, relation, tail in triples)
    return GraphQuestion(
        row["index"], f"{asked}{_ASKED}\n\nAnswer:", asked.strip(), graph, (label,), label, part
    )
