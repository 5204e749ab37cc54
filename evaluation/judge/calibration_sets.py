"""Rows that people judged: answers right or wrong (EVOUNA), graded summaries (SQuALITY), pairs with
a better one (LLMBar, MT-Bench).

They lie in `judge/` of the data folder; the references of SQuALITY's questions in its
`transcript_qa/`. Rows are drawn by a seed.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from dynagrag.core.errors import LoadError, UsageError
from dynagrag.core.ids import content_id
from dynagrag.evaluation.question_sets.json_rows import Row, find_file, read_rows
from dynagrag.evaluation.question_sets.question_set import DataFile

_FOLDER, _STORIES = "judge", "transcript_qa"
_NUM_REFERENCES = 2
"""Of SQuALITY's four by people: each has some 240 words, and a small model reads two or three
thousand tokens well.
"""
_BETWEEN = re.compile(r"(?<!\d)/|/(?!\d)")
"""Between two golden answers; the slash of a number ("24/7") is none."""
_RATING, _BEST_RATING = "overall-rating", 100


class RowKind(StrEnum):
    """The question that a judge is asked about a row."""

    RIGHT = "right"
    GRADE = "grade"
    PAIR = "pair"


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """A row with what people said of it: 1 right or 0 wrong; 1 or 2, the better one of a pair; 0 to
    100.

    `group`: rows of the same question; they are resampled together.
    """

    set: str
    id: str
    kind: RowKind
    subset: str
    group: str
    question: str
    texts: tuple[str, ...]
    people: float
    references: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[int, ...]:
        """The number of words of each text."""
        return tuple(len(text.split()) for text in self.texts)


@dataclass(frozen=True, slots=True)
class CalibrationSet:
    """The rows that were drawn from a set of `size` rows. `notes`: what was passed over, and how
    often.
    """

    name: str
    kind: RowKind
    rows: tuple[CalibrationRow, ...]
    size: int
    files: tuple[DataFile, ...]
    notes: Mapping[str, int] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """A hash of all that is judged."""
        return content_id(
            *(
                part
                for row in self.rows
                for part in (row.id, row.question, *row.texts, *row.references, str(row.people))
            )
        )


Load = Callable[[Path, str, Counter[str]], tuple[list[CalibrationRow], tuple[DataFile, ...]]]


def load_calibration_set(data: Path, name: str, max_rows: int | None, seed: int) -> CalibrationSet:
    """A set, or as many of its rows as are wanted. UsageError for a name that isn't known,
    LoadError where its file is missing or wrong.
    """
    if name not in SETS:
        raise UsageError(f"unknown set {name!r}; known: {', '.join(SETS)}")
    if not (data / _FOLDER).is_dir():
        raise LoadError(
            f"there is no folder {_FOLDER}/ in {data}; --data names the folder that holds it, with"
            " the rows that people judged"
        )
    kind, load = SETS[name]
    notes: Counter[str] = Counter()
    rows, files = load(data, name, notes)
    if not rows:
        raise LoadError(f"{files[0].name} holds no row that can be judged; check --data {data}")
    chosen = range(len(rows))
    if max_rows is not None and max_rows < len(rows):
        chosen = sorted(random.Random(f"{seed} {name}").sample(chosen, max_rows))  # type: ignore[assignment]
    return CalibrationSet(name, kind, tuple(rows[i] for i in chosen), len(rows), files, dict(notes))


def _evouna(
    data: Path, name: str, notes: Counter[str]
) -> tuple[list[CalibrationRow], tuple[DataFile, ...]]:
    rows, file = read_rows(find_file(data / _FOLDER, name))
    found = []
    for row in rows:
        answer, judged = row.values.get("answer"), row.values.get("human_correct")
        if not isinstance(answer, str) or not answer.strip():
            notes["rows without an answer"] += 1
            continue
        if not isinstance(judged, bool):
            raise LoadError(f"{row.place}: 'human_correct' is {judged!r}; it must be true or false")
        question = row.text("question")
        references = tuple(
            part.strip() for part in _BETWEEN.split(row.text("golden_answer")) if part.strip()
        )
        if not references:
            notes["rows whose reference is empty"] += 1
            continue
        made = CalibrationRow(
            name,
            row.id("id"),
            RowKind.RIGHT,
            row.text("system"),
            question,
            question,
            (answer,),
            float(judged),
            references,
        )
        found.append(made)
    return _each_once(found, notes), (file,)


def _pairs(
    data: Path, name: str, notes: Counter[str]
) -> tuple[list[CalibrationRow], tuple[DataFile, ...]]:
    rows, file = read_rows(find_file(data / _FOLDER, name))
    found = []
    for row in rows:
        better = row.values.get("better")
        if better not in (1, 2):
            raise LoadError(f"{row.place}: 'better' is {better!r}; it must be 1 or 2")
        texts = row.text("output_1"), row.text("output_2")
        subset, asked = row.text("set"), row.text("instruction")
        found.append(
            CalibrationRow(
                name,
                f"{subset} {row.id('id')}",
                RowKind.PAIR,
                subset,
                asked,
                asked,
                texts,
                float(better),
            )
        )
    return _each_once(found, notes), (file,)


def _squality(
    data: Path, name: str, notes: Counter[str]
) -> tuple[list[CalibrationRow], tuple[DataFile, ...]]:
    rows, file = read_rows(find_file(data / _FOLDER, "squality_human_eval"))
    stories, told = read_rows(find_file(data / _STORIES, "squality_stories"))
    written = {(story, asked): texts for row in stories for story, asked, texts in _answers(row)}
    found = []
    for row in rows:
        story, question, response = (
            str(row.values.get("passage_id")),
            row.text("question").strip(),
            row.text("response"),
        )
        others = [
            text
            for text in written.get((story, question), ())
            if text.strip() not in ("", response.strip())
        ]
        if not others:
            notes["rows without a reference by another person"] += 1
            continue
        made = (
            row.text("system"),
            f"{story} {question}",
            question,
            (response,),
            _rating(row),
            tuple(others[:_NUM_REFERENCES]),
        )
        found.append(CalibrationRow(name, f"{story} {row.index}", RowKind.GRADE, *made))
    return _each_once(found, notes), (file, told)


def _answers(row: Row) -> Iterator[tuple[str, str, list[str]]]:
    try:
        story = str(row.values["metadata"]["passage_id"])
        for asked in row.values["questions"]:
            yield (
                story,
                asked["question_text"].strip(),
                [answer["response_text"] for answer in asked["responses"]],
            )
    except (LookupError, TypeError, AttributeError) as err:
        raise LoadError(
            f"{row.place} has not the form of SQuALITY's stories: {err!r}; it needs"
            " metadata.passage_id and questions"
        ) from err


def _rating(row: Row) -> float:
    mean: Any = row.values.get("mean")
    value = mean.get(_RATING) if isinstance(mean, Mapping) else None
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value <= _BEST_RATING
    ):
        raise LoadError(
            f"{row.place}: 'mean' has no {_RATING!r} from 0 to {_BEST_RATING}; it has {mean!r}"
        )
    return float(value)


def _each_once(rows: Sequence[CalibrationRow], notes: Counter[str]) -> list[CalibrationRow]:
    """LoadError where one id stands for two different rows; a row that says the same again is
    passed over and counted.
    """
    kept: dict[str, CalibrationRow] = {}
    for row in rows:
        if kept.setdefault(row.id, row) is not row:
            if kept[row.id] != row:
                raise LoadError(
                    f"{row.set}: the id {row.id!r} stands for two different rows; give each its own"
                )
            notes["double rows passed over"] += 1
    return list(kept.values())


SETS: dict[str, tuple[RowKind, Load]] = {
    "evouna_NQ": (RowKind.RIGHT, _evouna),
    "evouna_TQ": (RowKind.RIGHT, _evouna),
    "squality": (RowKind.GRADE, _squality),
    "pairs": (RowKind.PAIR, _pairs),
}
