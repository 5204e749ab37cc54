"""A user's own questions for a workspace that is there: JSON lines with `question` and either
`documents` or `turns`, or with answers.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dynagrag.core.errors import LoadError
from dynagrag.core.ids import content_id
from dynagrag.core.text import collapse
from dynagrag.evaluation.question_sets.json_rows import Row, each_row, shortened
from dynagrag.evaluation.question_sets.question_set import (
    DataFile,
    EvalQuestion,
    EvaluationSet,
    Gold,
    GoldAnswer,
    TurnSpan,
)
from dynagrag.workspace.asking import MAX_QUESTION_CHARS

DOUBLES = "questions that stand in the file twice, asked once"


@dataclass(frozen=True, slots=True)
class Enough:
    """When a file need not be read any further: once so many different questions (None: never) of
    those that `holds` are read.
    """

    num: int | None = None
    holds: Callable[[EvalQuestion], bool] = lambda question: True


ALL = Enough()


def load_own(path: Path, enough: Enough = ALL) -> EvaluationSet:
    """The questions of a file with what should be found; those that nothing answers are left out
    and counted.

    Raises LoadError naming the line that lacks something or repeats an id.
    """
    rows, file = _rows(path)
    notes: Counter[str] = Counter()
    unanswerable: list[Row] = []

    def read(row: Row) -> EvalQuestion | None:
        if is_answerable(row):
            return _question(row)
        unanswerable.append(row)
        return None

    found = _taken(rows, read, enough)
    if not found and not unanswerable:
        raise _empty(path)
    if not found:
        raise LoadError(
            f"{path} has no question that can be evaluated: none has an answer that can be found"
        )
    if unanswerable:
        notes["questions left out: nothing answers them (answerable: false)"] += len(unanswerable)
    return EvaluationSet("own", asked_once(found, notes), (), (file,), notes)


def load_own_answers(path: Path, enough: Enough = ALL) -> EvaluationSet:
    """The questions of a file with what should be answered; what should be found may be missing.

    `answer` or `answers`, or both: any of them will do; `answerable` false: nothing answers it.
    `kind` and `provenance` are kept. Raises LoadError naming the line whose answer is empty, or
    that asks the same as another one with another answer.
    """
    rows, file = _rows(path)
    notes: Counter[str] = Counter()
    found = _taken(rows, _answered_question, enough)
    if not found:
        raise _empty(path)
    return EvaluationSet("own", asked_once(found, notes), (), (file,), notes)


def load_own_texts(
    path: Path, enough: Enough = ALL
) -> tuple[list[EvalQuestion], DataFile, Counter[str]]:
    """The questions of a file whatever else its rows say, their `kind` but for; the file, and what
    was passed over.
    """
    rows, file = _rows(path)
    notes: Counter[str] = Counter()

    def read(row: Row) -> EvalQuestion:
        text = _text(row)
        return EvalQuestion(_id(row, text), text, Gold(), row.index, kind=row.word("kind"))

    found = _taken(rows, read, enough)
    if not found:
        raise _empty(path)
    return list(asked_once(found, notes)), file, notes


def asked_once(
    questions: Sequence[tuple[EvalQuestion, Row]], notes: Counter[str]
) -> tuple[EvalQuestion, ...]:
    """The questions, each once: one that stands there again, whatever its id, case and spaces, is
    passed over and counted.

    LoadError where it has other gold or another answer, and where one id stands for two questions.
    """
    kept: dict[str, tuple[EvalQuestion, Row]] = {}
    lines: dict[str, int] = {}
    for question, row in questions:
        first, first_row = kept.setdefault(_asked(question), (question, row))
        if first is question:
            if question.id in lines:
                raise LoadError(
                    f"{row.place}: the id {question.id!r} was used in line {lines[question.id]} for"
                    " another question; give it its own id"
                )
            lines[question.id] = row.line
            continue
        twice = (
            f"{row.place}: the question {shortened(collapse(question.text))!r} stands in line"
            f" {first_row.line} with"
        )
        if first.gold != question.gold:
            raise LoadError(
                f"{twice} other documents or turns; keep one of the two, or name all of them in"
                " one row"
            )
        if first.answer != question.answer:
            raise LoadError(
                f"{twice} another answer; keep one of the two, or give both answers in one row:"
                " 'answers': [...]"
            )
        notes[DOUBLES] += 1
    return tuple(question for question, _ in kept.values())


def _taken(
    rows: Iterable[Row], read: Callable[[Row], EvalQuestion | None], enough: Enough
) -> list[tuple[EvalQuestion, Row]]:
    """The questions of the rows until there are enough, each with its row."""
    found: list[tuple[EvalQuestion, Row]] = []
    asked: set[str] = set()
    for row in rows:
        question = read(row)
        if question is None:
            continue
        found.append((question, row))
        if enough.holds(question):
            asked.add(_asked(question))
        if enough.num is not None and len(asked) >= enough.num:
            break
    return found


def _asked(question: EvalQuestion) -> str:
    """What a question asks, whatever its case and spaces."""
    return collapse(question.text).casefold()


def _rows(path: Path) -> tuple[Iterator[Row], DataFile]:
    if not path.is_file():
        raise LoadError(f"there is no file {path}; --questions names a file of JSON lines")
    return each_row(path)


def _empty(path: Path) -> LoadError:
    return LoadError(f"{path} holds no row; it must be JSON lines, an object a line")


def is_answerable(row: Row) -> bool:
    """False where a row says that nothing answers it."""
    value = row.values.get("answerable", True)
    if not isinstance(value, bool):
        raise LoadError(f"{row.place}: 'answerable' must be true or false")
    return value


def _text(row: Row) -> str:
    text = row.text("question")
    if len(text) > MAX_QUESTION_CHARS:
        raise LoadError(
            f"{row.place}: the question has {len(text):,} characters, and {MAX_QUESTION_CHARS:,} at"
            " most are asked; shorten it"
        )
    return text


def _question(row: Row) -> EvalQuestion:
    text = _text(row)
    has_documents, has_turns = "documents" in row.values, "turns" in row.values
    if has_documents == has_turns:
        fields = ", ".join(map(repr, row.values))[:200]
        what = (
            "both 'documents' and 'turns'"
            if has_turns
            else f"neither 'documents' nor 'turns' (but {fields})"
        )
        other = (
            "; rows with 'decisive' words are for `dynagrag evaluate evidence`"
            if "decisive" in row.values
            else ""
        )
        raise LoadError(
            f"{row.place}: the row has {what}; give one of them: what should be found{other}"
        )
    return EvalQuestion(_id(row, text), text, _gold(row), row.index)


def _answered_question(row: Row) -> EvalQuestion:
    text = _text(row)
    if "documents" in row.values and "turns" in row.values:
        raise LoadError(
            f"{row.place}: the row has both 'documents' and 'turns'; give one of them: what should"
            " be found"
        )
    provenance = row.values.get("provenance")
    row.kept(json.dumps(provenance, ensure_ascii=False), "provenance")
    return EvalQuestion(
        _id(row, text),
        text,
        _gold(row),
        row.index,
        answer=_answer(row),
        kind=row.word("kind"),
        provenance=provenance if isinstance(provenance, dict) else {},
    )


def _answer(row: Row) -> GoldAnswer:
    """The gold answer, then its other forms; no text where the row has neither."""
    can_be_answered = is_answerable(row)
    others = row.values.get("answers", [])
    if not isinstance(others, list):
        raise LoadError(f"{row.place}: 'answers' must be a list of texts")
    texts = others if row.values.get("answer") is None else [row.values["answer"], *others]
    if any(not isinstance(text, str) or not text.strip() for text in texts):
        raise LoadError(
            f"{row.place}: the answer is empty or no text; write it, leave the field out, or say"
            " 'answerable': false"
        )
    if texts and not can_be_answered:
        raise LoadError(
            f"{row.place}: the row has an answer and 'answerable': false; keep one of the two"
        )
    return GoldAnswer(
        tuple(dict.fromkeys(row.kept(text.strip(), "answer") for text in texts)), can_be_answered
    )


def _gold(row: Row) -> Gold:
    if "documents" in row.values:
        return Gold(
            documents=tuple(row.document_name(name, "documents") for name in row.texts("documents"))
        )
    return gold_turns(row)


def gold_turns(row: Row) -> Gold:
    """The turns that a row names, each once; nothing where it names none. LoadError for what isn't
    one.
    """
    return (
        Gold(spans=tuple(dict.fromkeys(_span(row, item) for item in row.items("turns"))))
        if "turns" in row.values
        else Gold()
    )


def _id(row: Row, text: str) -> str:
    return (
        content_id("question", collapse(text))[:12]
        if row.values.get("id") is None
        else row.id("id")
    )


def _span(row: Row, item: Any) -> TurnSpan:
    if isinstance(item, dict) and isinstance(item.get("document"), str):
        first = item.get("first")
        last = item.get("last", first)
        if type(first) is int and type(last) is int and 0 <= first <= last:
            return TurnSpan(row.document_name(item["document"], "document"), first, last)
        if type(first) is int and type(last) is int and last < first:
            raise LoadError(
                f"{row.place}: 'turns' go from {first} to {last}, which is before it; change"
                " the two"
            )
    shown = json.dumps(item, ensure_ascii=False)[:200]
    raise LoadError(
        f'{row.place}: \'turns\' holds {shown}; each must be {{"document": title, "first": number,'
        ' "last": number}, turns counted from 0'
    )
