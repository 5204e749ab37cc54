"""Answers of a run as the rows that RAGAS scores (its `SingleTurnSample`), for those who have it in
an environment of its own.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from dynagrag.core.errors import UsageError
from dynagrag.core.files.private_files import replace_text
from dynagrag.core.files.regular_files import IRREGULAR, is_irregular
from dynagrag.core.schema import Snapshot
from dynagrag.evaluation.answers.answer_line import AnswerLine
from dynagrag.evaluation.qa.known_question import KnownQuestion

LEFT_OUT = (
    "answers left out of the rows for RAGAS: they failed, or were made before it was kept what"
    " stood in their prompts"
)


_ANOTHER = "name another file with --ragas-rows"


def check_ragas_file(path: Path, questions: Path | None = None, run: Path | None = None) -> None:
    """UsageError where no file can be written there, or another would be lost: the `questions`, one
    of the `run`, one without such rows.
    """
    try:
        if path.is_dir() or not path.parent.is_dir():
            raise UsageError(
                f"{path} can't be written: it is a folder, or its folder isn't there; name a file"
                " with --ragas-rows"
            )
        if is_irregular(path):
            raise UsageError(f"{path} {IRREGULAR}; {_ANOTHER}")
        if questions is not None and path.resolve() == questions.resolve():
            raise UsageError(f"{path} holds the questions; {_ANOTHER}")
        if run is not None and path.resolve().is_relative_to(run.resolve()):
            raise UsageError(f"{path} lies in the folder of the run; {_ANOTHER}")
        if path.exists() and not _has_rows(path):
            raise UsageError(f"{path} holds something else than rows for RAGAS; {_ANOTHER}")
    except (OSError, ValueError) as err:
        raise UsageError(
            f"{path} can't be written: {getattr(err, 'strerror', None) or err}; {_ANOTHER}"
        ) from err


def _has_rows(path: Path) -> bool:
    """Whether its first line is such a row. Without any answer there is none: an empty file will
    do.
    """
    with path.open("rb") as file:
        first = file.readline()
    try:
        row = json.loads(first) if first else {"user_input": "", "retrieved_contexts": []}
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and {"user_input", "retrieved_contexts"} <= row.keys()


def write_ragas_rows(
    path: Path, lines: Iterable[AnswerLine], questions: Iterable[KnownQuestion], snapshot: Snapshot
) -> int:
    """Writes JSON lines; how many answers were left out (see LEFT_OUT)."""
    known = {question.id: question for question in questions}
    quotes = (
        (id_, snapshot.text(r.document_id, r.quote_start, r.quote_end))
        for id_, r in snapshot.records.items()
    )
    texts = dict(quotes) | {
        passage.id: snapshot.passage_text(passage) for passage in snapshot.passages
    }
    rows = []
    num_left_out = 0
    for line in lines:
        if line.error or line.shown is None:
            num_left_out += 1
            continue
        answers = known[line.question].answers
        row = {
            "user_input": line.text,
            "response": line.plain,
            "retrieved_contexts": [texts[id_] for id_ in line.shown],
            **({"reference": answers[0]} if answers else {}),
            "question": line.question,
            "arm": line.arm,
        }
        rows.append(json.dumps(row, ensure_ascii=False))
    replace_text(path, "".join(f"{row}\n" for row in rows))
    return num_left_out
