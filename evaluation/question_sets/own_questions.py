"""A user's own questions for a workspace that is there: JSON lines with `question` and either `documents` or `turns`."""

from collections import Counter
from pathlib import Path
from typing import Any

from dynagrag.errors import LoadError
from dynagrag.evaluation.question_sets.json_rows import Row, read_rows, without_doubles
from dynagrag.evaluation.question_sets.question_set import EvalQuestion, EvaluationSet, Gold, TurnSpan
from dynagrag.ids import content_id


def load_own(path: Path) -> EvaluationSet:
    """The questions of a file. Raises LoadError naming the line that lacks something or repeats an id."""
    if not path.is_file():
        raise LoadError(f"there is no file {path}; --questions names a file of JSON lines")
    rows, file = read_rows(path)
    notes: Counter[str] = Counter()
    found = [(_question(row), row) for row in rows if not _is_unanswerable(row, notes)]
    if not found:
        raise LoadError(f"{path} has no question that can be evaluated: none has an answer that can be found")
    return EvaluationSet("own", without_doubles(found, notes), (), (file,), notes)


def _is_unanswerable(row: Row, notes: Counter[str]) -> bool:
    """Whether a row says so; it is counted as left out."""
    value = row.values.get("answerable", True)
    if not isinstance(value, bool):
        raise LoadError(f"{row.place}: 'answerable' must be true or false")
    if not value:
        notes["questions left out: there is nothing to find (answerable: false)"] += 1
    return not value


def _question(row: Row) -> EvalQuestion:
    text = row.text("question")
    has_documents, has_turns = "documents" in row.values, "turns" in row.values
    if has_documents == has_turns:
        what = "both 'documents' and 'turns'" if has_turns else "neither 'documents' nor 'turns'"
        raise LoadError(f"{row.place}: the row has {what}; give one of them: what should be found")
    if has_documents:
        gold = Gold(documents=tuple(row.document_name(name, "documents") for name in row.texts("documents")))
    else:
        gold = Gold(spans=tuple(dict.fromkeys(_span(row, item) for item in row.items("turns"))))
    id_ = content_id("question", text)[:12] if row.values.get("id") is None else row.id("id")
    return EvalQuestion(id_, text, gold, row.index)


def _span(row: Row, item: Any) -> TurnSpan:
    if isinstance(item, dict) and isinstance(item.get("document"), str):
        first = item.get("first")
        last = item.get("last", first)
        if type(first) is int and type(last) is int and 0 <= first <= last:
            return TurnSpan(row.document_name(item["document"], "document"), first, last)
    raise LoadError(
        f'{row.place}: \'turns\' holds {item!r}; each must be {{"document": title, "first": turn, "last": turn}}, turns counted from 0'
    )
