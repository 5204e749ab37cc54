"""Answers of a run as the rows that RAGAS scores (its `SingleTurnSample`), for those who have it in an environment of its own."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dynagrag.errors import UsageError
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.qa.qa_folder import KnownQuestion
from dynagrag.private_files import write_text
from dynagrag.schema import Snapshot

LEFT_OUT = "answers left out of the rows for RAGAS: they failed, or were made before it was kept what stood in their prompts"


def check_ragas_file(path: Path) -> None:
    """UsageError where no file can be written there, before anything is asked."""
    if path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"{path} can't be written: it is a folder, or its folder isn't there; name a file with --ragas-rows")


def write_ragas_rows(path: Path, lines: Iterable[AnswerLine], questions: Iterable[KnownQuestion], snapshot: Snapshot) -> int:
    """Writes JSON lines; how many answers were left out (see LEFT_OUT)."""
    known = {question.id: question for question in questions}
    texts = _texts(snapshot)
    every = list(lines)
    rows = [_row(line, known[line.question], texts) for line in every if not line.error and line.shown is not None]
    write_text(path, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    return len(every) - len(rows)


def _texts(snapshot: Snapshot) -> dict[str, str]:
    """The words of each passage and of each relation record's quote."""
    quotes = ((id_, snapshot.text(r.document_id, r.quote_start, r.quote_end)) for id_, r in snapshot.records.items())
    return dict(quotes) | {passage.id: snapshot.passage_text(passage) for passage in snapshot.passages}


def _row(line: AnswerLine, question: KnownQuestion, texts: Mapping[str, str]) -> dict[str, Any]:
    reference = {"reference": question.answers[0]} if question.answers else {}
    return {
        "user_input": line.text,
        "response": line.plain,
        "retrieved_contexts": [texts[id_] for id_ in line.shown or ()],
        **reference,
        "question": line.question,
        "arm": line.arm,
    }
