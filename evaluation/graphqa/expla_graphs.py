"""ExplaGraphs: do two arguments support or counter each other, with a small graph of common sense (G-Retriever, section 4).

Rows are tab-separated with a header: index, split (train, val, test), arg1, arg2, label, graph as (head; relation; tail)(...). The
split is the authors'; their own file, which has no columns for it, is refused.
"""

import re
from pathlib import Path

from dynagrag.errors import LoadError
from dynagrag.evaluation.graphqa.graph_question import GraphQuestion, Part, TextGraph
from dynagrag.evaluation.question_sets.json_rows import read_lines_of
from dynagrag.evaluation.question_sets.question_set import DataFile

LABELS = ("support", "counter")
_PARTS = {"train": Part.TRAIN, "val": Part.VALIDATION, "validation": Part.VALIDATION, "dev": Part.VALIDATION, "test": Part.TEST}
_COLUMNS = ("index", "split", "arg1", "arg2", "label", "graph")
_TRIPLE = re.compile(r"\((.*?)\)")
_ASKED = "Question: Do argument 1 and argument 2 support or counter each other? Answer in one word in the form of 'support' or 'counter'."


def load_expla_graphs(data: Path) -> tuple[list[GraphQuestion], tuple[DataFile, ...]]:
    """All rows of the files expla_graphs*.tsv in the folder, or in its graphqa/. LoadError for a file that is missing or a broken row."""
    found = sorted({*data.glob("expla_graphs*.tsv"), *(data / "graphqa").glob("expla_graphs*.tsv")})
    if not found:
        raise LoadError(f"no expla_graphs*.tsv in {data} or its graphqa/; see --data")
    questions, files = [], []
    for path in found:
        lines, file = read_lines_of(path)
        files.append(file)
        questions += _questions(path, lines)
    return questions, tuple(files)


def _questions(path: Path, lines: list[tuple[int, str]]) -> list[GraphQuestion]:
    head = lines[0][1].split("\t") if lines else []
    if missing := [name for name in _COLUMNS if name not in head]:
        raise LoadError(f"{path}: the header lacks {', '.join(missing)}; it must name {', '.join(_COLUMNS)}, with tabs between them")
    return [_question(f"{path}, line {number}", dict(zip(head, line.split("\t"), strict=False)), len(head)) for number, line in lines[1:]]


def _question(place: str, row: dict[str, str], num_columns: int) -> GraphQuestion:
    if len(row) != num_columns:
        raise LoadError(f"{place}: it has {len(row)} columns, the header {num_columns}")
    label, part = row["label"].strip().lower(), _PARTS.get(row["split"].strip().lower())
    if label not in LABELS:
        raise LoadError(f"{place}: the label is {row['label']!r}; it must be support or counter")
    if part is None:
        raise LoadError(f"{place}: the split is {row['split']!r}; it must be train, val or test")
    triples = [tuple(text.strip().lower() for text in found.split(";")) for found in _TRIPLE.findall(row["graph"])]
    if not triples or any(len(triple) != 3 or not all(triple) for triple in triples):
        raise LoadError(f"{place}: the graph must be (head; relation; tail)(...)")
    asked = f"Argument 1: {row['arg1']}\nArgument 2: {row['arg2']}\n"
    graph = TextGraph.of_triples((head, relation, tail) for head, relation, tail in triples)
    return GraphQuestion(row["index"], f"{asked}{_ASKED}\n\nAnswer:", asked.strip(), graph, (label,), label, part)
